//! `signatures`.

use std::num::NonZeroUsize;

use super::super::written::{At, Words, WrittenAllowance, WrittenGroup, WrittenSignatures};
use super::defaults::grace;
use super::desk::Desk;
use crate::codes::load as codes;
use crate::{
    Allowance, KeyGroup, KeySelector, Placed, PolicyPlace, Reaction, SignatureLevel, SignatureTerms,
    Uncovered,
};

/// Most distinct keys that a group can demand: no card has more signatures that are looked at.
const MAX_THRESHOLD: usize = 16;

/// The two words of a reaction.
pub(super) const REACTIONS: [(&str, Reaction); 2] = [("report", Reaction::Report), ("deny", Reaction::Deny)];

/// What holds where nothing is written.
pub(super) fn built_in(place: &PolicyPlace, default_forms: &[&str]) -> SignatureTerms {
    let at = place.clone();
    SignatureTerms {
        level: Placed::new(SignatureLevel::Require, at.clone()),
        groups: vec![KeyGroup { keys: KeySelector::Origin, min: NonZeroUsize::MIN, place: at.clone() }],
        algorithms: None,
        forms: Placed::new(default_forms.iter().map(|form| (*form).to_owned()).collect(), at.clone()),
        stale: Placed::new(Reaction::Report, at.clone()),
        uncovered: Placed::new(Uncovered::Strip, at),
        allow_uncovered: None,
        max_age_seconds: None,
    }
}

/// The members that are written, over those that are not.
pub(super) fn terms(
    desk: &mut Desk<'_>,
    table: &At<WrittenSignatures>,
    base: SignatureTerms,
) -> SignatureTerms {
    let mut terms = base;
    let written = &table.value;
    level(desk, table, &mut terms);
    match (&written.require, &written.all_of) {
        (Some(require), Some(all_of)) => {
            desk.invalid(&all_of.range, "`require` and `all-of` exclude each other");
            terms.groups = group(desk, require).into_iter().collect();
        }
        (Some(require), None) => terms.groups = group(desk, require).into_iter().collect(),
        (None, Some(all_of)) => {
            if all_of.value.is_empty() {
                desk.invalid(&all_of.range, "the list is empty");
            }
            terms.groups = all_of.value.iter().filter_map(|written| group(desk, written)).collect();
        }
        (None, None) => {}
    }
    if let Some(texts) = &written.algorithms {
        let algorithms = desk.algorithms(texts);
        terms.algorithms = Some(desk.text.placed(texts, algorithms));
    }
    if let Some(texts) = &written.forms {
        let mut forms = Vec::new();
        for text in desk.list(texts) {
            if !desk.tool.forms.contains(&text.value.as_str()) {
                desk.unknown_word(text, desk.tool.forms.iter().copied());
            }
            forms.push(text.value.clone());
        }
        terms.forms = desk.text.placed(texts, forms);
    }
    if let Some(at) = &written.stale
        && let Some(stale) = desk.word(at, &REACTIONS)
    {
        terms.stale = desk.text.placed(at, stale);
    }
    if let Some(at) = &written.uncovered
        && let Some(uncovered) = desk.word(at, &[("strip", Uncovered::Strip), ("deny", Uncovered::Deny)])
    {
        terms.uncovered = desk.text.placed(at, uncovered);
    }
    if let Some(at) = &written.allow_uncovered {
        terms.allow_uncovered = allowance(desk, at);
    }
    if let Some(at) = &written.max_age
        && let Some(seconds) = desk.seconds(at)
    {
        if seconds == 0 {
            desk.invalid(&at.range, "no signature is younger than 0 s");
        }
        terms.max_age_seconds = Some(desk.text.placed(at, seconds));
    }
    terms
}

fn level(desk: &mut Desk<'_>, table: &At<WrittenSignatures>, terms: &mut SignatureTerms) {
    let WrittenSignatures { level, reason, until, .. } = &table.value;
    let (word, at) = match level {
        Some(at) => {
            match desk.word(at, &[("require", "require"), ("if-present", "if-present"), ("off", "off")]) {
                Some(word) => (word, at),
                None => return,
            }
        }
        None => {
            let ranges = [reason.as_ref().map(|at| &at.range), until.as_ref().map(|at| &at.range)];
            for range in ranges.into_iter().flatten() {
                desk.invalid(range, "`reason` and `until` belong to a `level` beside them");
            }
            return;
        }
    };
    if word == "require" {
        if let Some(range) = reason.as_ref().map(|at| &at.range).or(until.as_ref().map(|at| &at.range)) {
            desk.invalid(range, "the level `require` has neither reason nor end");
        }
        terms.level = desk.text.placed(at, SignatureLevel::Require);
        return;
    }
    let code = codes::POLICY_UNSIGNED_IN_ENFORCE;
    if let Some(grace) = grace(desk, at, code, "level", reason.as_ref(), until.as_ref()) {
        let level = if word == "off" { SignatureLevel::Off(grace) } else { SignatureLevel::IfPresent(grace) };
        terms.level = desk.text.placed(at, level);
    }
}

fn group(desk: &mut Desk<'_>, written: &At<WrittenGroup>) -> Option<KeyGroup> {
    let WrittenGroup { keys, min } = &written.value;
    let min = match min {
        Some(at) => desk.number(at, 1, MAX_THRESHOLD).and_then(NonZeroUsize::new)?,
        None => NonZeroUsize::MIN,
    };
    let mut names: Vec<String> = desk.words(keys).into_iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    let has_origin = names.iter().any(|name| name == "*origin");
    let keys = match (&keys.value, has_origin) {
        (Words::One(_), true) => KeySelector::Origin,
        (Words::Many(_), true) => {
            desk.invalid(&keys.range, "`*origin` stands alone: `keys = \"*origin\"`");
            return None;
        }
        (_, false) => KeySelector::Named { names, ids: Vec::new() },
    };
    Some(KeyGroup { keys, min, place: desk.place(&written.range) })
}

fn allowance(desk: &mut Desk<'_>, written: &At<WrittenAllowance>) -> Option<Placed<Allowance>> {
    let WrittenAllowance { pointers, reason, until } = &written.value;
    for pointer in desk.list(pointers) {
        if !is_pointer(&pointer.value) {
            desk.invalid(
                &pointer.range,
                format!("`{}` is no JSON Pointer to a member (RFC 6901)", pointer.value),
            );
        }
    }
    let code = codes::POLICY_UNSIGNED_IN_ENFORCE;
    let grace = grace(desk, written, code, "allow-uncovered", reason.as_ref(), until.as_ref())?;
    let pointers = pointers.value.iter().map(|pointer| pointer.value.clone()).collect();
    Some(desk.text.placed(written, Allowance { pointers, grace }))
}

/// RFC 6901 section 3; the empty pointer stands for the whole card and is none here.
fn is_pointer(text: &str) -> bool {
    let mut parts = text.split('~').skip(1);
    text.starts_with('/') && parts.all(|after| after.starts_with(['0', '1']))
}
