//! `[[allow]]` and `[[deny]]`.

use super::super::written::{At, Texts, WrittenAllow, WrittenDeny, WrittenPin};
use super::defaults::{Defaults, cache, mode};
use super::desk::Desk;
use super::signatures::REACTIONS;
use super::{interfaces, signatures};
use crate::{
    AllowRule, DenyRule, ExtensionUse, FirstUse, PinTerms, Placed, Reaction, SourceKind, WordPattern,
};

/// A rule, filled in from `defaults`.
pub(in crate::file) fn allow(
    desk: &mut Desk<'_>,
    written: &At<WrittenAllow>,
    defaults: &Defaults,
) -> AllowRule {
    let rule = &written.value;
    let from = match &rule.from {
        Some(words) => desk.allow_patterns(words),
        None => {
            desk.invalid(&written.range, "the rule has no `from`: it would be for nobody");
            Vec::new()
        }
    };
    let sources = rule.sources.as_ref().map(|texts| {
        let list = desk.list(texts);
        list.iter().filter_map(|text| source_kind(desk, text)).collect()
    });
    let Defaults { mode: default_mode, signatures, interfaces, auth, cache: default_cache } =
        defaults.clone();
    let signatures = match &rule.signatures {
        Some(written) => signatures::terms(desk, written, signatures),
        None => signatures,
    };
    let interfaces = match &rule.interfaces {
        Some(written) => interfaces::terms(desk, written, interfaces),
        None => interfaces,
    };
    let auth = match &rule.auth {
        Some(written) => interfaces::auth(desk, written, auth),
        None => auth,
    };
    AllowRule {
        id: desk.text(&rule.id),
        from,
        sources,
        tenants: rule.tenants.as_ref().map(|texts| words(desk, texts)),
        uses: rule.uses.as_ref().map(|texts| words(desk, texts)),
        mode: rule.mode.as_ref().and_then(|written| mode(desk, written)).unwrap_or(default_mode),
        signatures,
        interfaces,
        auth,
        pin: rule.pin.as_ref().map(|written| pin(desk, written)),
        cache: match &rule.cache {
            Some(written) => cache(desk, written, default_cache),
            None => default_cache,
        },
        place: desk.place(&written.range),
    }
}

fn source_kind(desk: &mut Desk<'_>, text: &At<String>) -> Option<SourceKind> {
    let kind = SourceKind::read(&text.value);
    if kind.is_none() {
        desk.unknown_word(text, ["well-known", "url", "file", "registry:NAME"].into_iter());
    }
    kind
}

fn words(desk: &mut Desk<'_>, texts: &Texts) -> Vec<WordPattern> {
    let mut patterns = Vec::new();
    for text in desk.list(texts) {
        match WordPattern::read(&text.value) {
            Some(pattern) => patterns.push(pattern),
            None if text.value.is_empty() => {}
            None => desk.invalid(&text.range, format!("`{}` has a `*` that is not its end", text.value)),
        }
    }
    patterns
}

fn pin(desk: &mut Desk<'_>, written: &At<WrittenPin>) -> Placed<PinTerms> {
    let WrittenPin { first_use, rollback, structure, text } = &written.value;
    let mut reaction = |at: &Option<At<String>>, default| {
        at.as_ref().and_then(|at| desk.word(at, &REACTIONS)).unwrap_or(default)
    };
    let (rollback, structure, text) = (
        reaction(rollback, Reaction::Deny),
        reaction(structure, Reaction::Deny),
        reaction(text, Reaction::Report),
    );
    let uses = [("accept", FirstUse::Accept), ("review", FirstUse::Review)];
    let first_use = first_use.as_ref().and_then(|at| desk.word(at, &uses)).unwrap_or(FirstUse::Accept);
    desk.text.placed(written, PinTerms { first_use, rollback, structure, text })
}

/// A rule that denies.
pub(in crate::file) fn deny(desk: &mut Desk<'_>, written: &At<WrittenDeny>) -> DenyRule {
    let rule = &written.value;
    if rule.hosts.is_none() && rule.extensions.is_none() {
        desk.invalid(&written.range, "the rule has neither `hosts` nor `extensions`: it would deny nothing");
    }
    if let (Some(when), None) = (&rule.when, &rule.extensions) {
        desk.invalid(&when.range, "`when` belongs to `extensions`");
    }
    let words = [("declared", ExtensionUse::Declared), ("required", ExtensionUse::Required)];
    let extensions = rule.extensions.as_ref().map(|texts| {
        let list = desk.list(texts);
        list.iter().map(|text| desk.text.placed(text, text.value.clone())).collect()
    });
    DenyRule {
        id: desk.text(&rule.id),
        hosts: rule.hosts.as_ref().map(|words| desk.deny_patterns(words)).unwrap_or_default(),
        extensions: extensions.unwrap_or_default(),
        when: rule.when.as_ref().and_then(|at| desk.word(at, &words)).unwrap_or(ExtensionUse::Declared),
        reason: desk.text(&rule.reason),
        place: desk.place(&written.range),
    }
}
