//! Deny rules: on the source, on every URL of the card and on its extensions. A hit is final.

use countersign_keys::Level;

use super::Notes;
use crate::codes::decision as reasons;
use crate::{
    AdmissionRequest, CardFacts, CardPointer, DenyRule, ExtensionUse, Placed, PolicyPlace, Reason, StrictUrl,
    TraceStep, TrustPolicy, UrlUse,
};

pub(super) fn look(
    policy: &TrustPolicy,
    request: &AdmissionRequest,
    facts: &CardFacts<'_>,
    notes: &mut Notes,
) {
    tell_unreadable(facts, notes);
    if policy.denies().is_empty() {
        notes.step("deny-rules", "there is no deny rule");
        return;
    }
    let before = notes.reasons.len();
    let mut hit = None;
    let mut look_at = |url: &StrictUrl, pointer: Option<&CardPointer<'_>>, notes: &mut Notes| {
        for (rule, pattern) in policy.denying(url.host()) {
            hit = hit.take().or_else(|| Some((rule.id.clone(), pattern.place.clone())));
            notes.reasons.push(denied(rule, url, pointer, &pattern.place));
        }
    };
    look_at(&request.source.url, None, notes);
    for interface in &facts.interfaces {
        if let Some(url) = interface.url.and_then(|url| any_url(url, interface.binding)) {
            look_at(&url, Some(&interface.url_pointer), notes);
        }
    }
    let credential_urls = facts.auth.schemes.iter().flat_map(|scheme| &scheme.credential_urls);
    for url in credential_urls.chain(&facts.information_urls) {
        if let Some(read) = any_url(url.url, None) {
            look_at(&read, Some(&url.pointer), notes);
        }
    }
    let extensions = policy.denies().iter().filter(|rule| !rule.extensions.is_empty());
    for (rule, place) in extensions.flat_map(|rule| denied_extensions(rule, facts, notes)) {
        hit = hit.take().or(Some((rule, place)));
    }
    let why =
        if notes.reasons.len() > before { "a deny rule hits; it is final" } else { "no deny rule hits" };
    let (picked, place) = hit.unzip();
    notes.trace.push(TraceStep {
        step: "deny-rules",
        considered: Vec::new(),
        picked,
        why: why.into(),
        place,
    });
}

/// URLs for people that cannot be read: no deny rule can look at them.
fn tell_unreadable(facts: &CardFacts<'_>, notes: &mut Notes) {
    for url in &facts.information_urls {
        if let Err(error) = StrictUrl::check(url.url, UrlUse::Information) {
            let pointer = String::from(&url.pointer);
            notes.advise(error.code(), Level::Warning, error.to_string(), Some(&pointer));
        }
    }
}

/// A URL with whatever query and fragment: they do not change whose it is.
fn any_url(text: &str, binding: Option<&str>) -> Option<StrictUrl> {
    let as_url = StrictUrl::read(text, UrlUse::Information).ok();
    let by_binding =
        || StrictUrl::read(text, super::interfaces::url_use(binding, crate::Queries::Allow)).ok();
    as_url.or_else(by_binding)
}

fn denied(
    rule: &DenyRule,
    url: &StrictUrl,
    pointer: Option<&CardPointer<'_>>,
    place: &PolicyPlace,
) -> Reason {
    let what = if pointer.is_some() { "the card names" } else { "the card comes from" };
    let message = format!("{what} `{}`, which rule `{}` denies: {}", url.host(), rule.id, rule.reason);
    let reason = Reason::new(reasons::ORIGIN_DENIED, message).demanded(place);
    match pointer {
        Some(pointer) => reason.found(pointer, Some(url.raw())),
        None => reason,
    }
}

/// The hits of one rule, as id and place.
fn denied_extensions(
    rule: &DenyRule,
    facts: &CardFacts<'_>,
    notes: &mut Notes,
) -> Vec<(String, PolicyPlace)> {
    let mut hits = Vec::new();
    for extension in &facts.extensions {
        let counts = extension.is_required || rule.when == ExtensionUse::Declared;
        let named = rule.extensions.iter().find(|Placed { value, .. }| counts && value == extension.uri);
        if let Some(named) = named {
            let message = format!(
                "the card has the extension `{}`, which rule `{}` denies: {}",
                extension.uri, rule.id, rule.reason
            );
            let reason =
                Reason::new(reasons::EXT_DENIED, message).found(&extension.pointer, Some(extension.uri));
            notes.reasons.push(reason.demanded(&named.place));
            hits.push((rule.id.clone(), named.place.clone()));
        }
    }
    hits
}
