//! Rules and exceptions in the expanded form.

use serde_json::{Map, Value, json};

use super::super::check::Defaults;
use super::{put, sorted, text};
use crate::{
    AllowPattern, AllowRule, AnonymousAccess, AuthTerms, CacheTerms, DenyRule, Exception, ExtensionUse,
    FailedInterfaces, FirstUse, Grace, InterfaceTerms, KeyGroup, KeySelector, Mode, PinTerms, Placed,
    Queries, SignatureLevel, SignatureTerms, WordPattern,
};

/// What rules are filled in from.
pub(super) fn defaults(defaults: &Defaults) -> Value {
    let Defaults {
        mode: default_mode,
        signatures: default_signatures,
        interfaces: of_interfaces,
        auth: of_auth,
        cache: of_cache,
    } = defaults;
    json!({
        "mode": mode(&default_mode.value),
        "signatures": signatures(default_signatures),
        "interfaces": interfaces(of_interfaces),
        "auth": auth(of_auth),
        "cache": cache(of_cache),
    })
}

/// `[[allow]]`.
pub(super) fn allow(rule: &AllowRule) -> Value {
    let mut members = Map::new();
    members.insert("id".to_owned(), text(&rule.id));
    members.insert("from".to_owned(), patterns(&rule.from));
    let words = |words: &Vec<WordPattern>| sorted(words.iter().map(|word| text(word.to_string())));
    let kinds = rule.sources.as_ref();
    put(&mut members, "sources", kinds.map(|kinds| sorted(kinds.iter().map(|kind| text(kind.to_string())))));
    put(&mut members, "tenants", rule.tenants.as_ref().map(words));
    put(&mut members, "uses", rule.uses.as_ref().map(words));
    members.insert("mode".to_owned(), mode(&rule.mode.value));
    members.insert("signatures".to_owned(), signatures(&rule.signatures));
    members.insert("interfaces".to_owned(), interfaces(&rule.interfaces));
    members.insert("auth".to_owned(), auth(&rule.auth));
    put(&mut members, "pin", rule.pin.as_ref().map(|terms| pin(&terms.value)));
    members.insert("cache".to_owned(), cache(&rule.cache));
    Value::Object(members)
}

/// `[[deny]]`.
pub(super) fn deny(rule: &DenyRule) -> Value {
    json!({
        "id": rule.id,
        "hosts": sorted(rule.hosts.iter().map(|host| text(host.value.to_string()))),
        "extensions": sorted(rule.extensions.iter().map(|extension| text(&extension.value))),
        "when": match rule.when {
            ExtensionUse::Declared => "declared",
            ExtensionUse::Required => "required",
        },
        "reason": rule.reason,
    })
}

/// `[[exception]]`.
pub(super) fn exception(exception: &Exception) -> Value {
    json!({
        "id": exception.id,
        "rule": exception.rule.value,
        "origin": exception.origin.value.to_string(),
        "waives": sorted(exception.waives.iter().map(|code| text(code.value.name()))),
        "reason": exception.reason,
        "owner": exception.owner,
        "until": exception.until.to_string(),
    })
}

/// Host patterns in their one text.
pub(super) fn patterns(patterns: &[Placed<AllowPattern>]) -> Value {
    sorted(patterns.iter().map(|pattern| text(pattern.value.to_string())))
}

fn mode(mode: &Mode) -> Value {
    match mode {
        Mode::Enforce => text("enforce"),
        Mode::Audit(until) => {
            let mut members = grace(until);
            members.insert("audit".to_owned(), Value::Bool(true));
            Value::Object(members)
        }
    }
}

fn grace(grace: &Grace) -> Map<String, Value> {
    [("reason".to_owned(), text(&grace.reason)), ("until".to_owned(), text(grace.until.to_string()))]
        .into_iter()
        .collect()
}

fn signatures(terms: &SignatureTerms) -> Value {
    let mut members = match &terms.level.value {
        SignatureLevel::Require => Map::new(),
        SignatureLevel::IfPresent(until) | SignatureLevel::Off(until) => grace(until),
    };
    members.insert("level".to_owned(), text(terms.level.value.name()));
    members.insert("all-of".to_owned(), sorted(terms.groups.iter().map(group)));
    let algorithms = terms.algorithms.as_ref().map(|list| &list.value);
    put(&mut members, "algorithms", algorithms.map(|list| sorted(list.iter().map(|one| text(one.name())))));
    members.insert("forms".to_owned(), sorted(terms.forms.value.iter().map(text)));
    members.insert("stale".to_owned(), text(terms.stale.value.name()));
    members.insert("uncovered".to_owned(), text(terms.uncovered.value.name()));
    let allowance = terms.allow_uncovered.as_ref().map(|allowance| {
        let mut members = grace(&allowance.value.grace);
        members.insert("pointers".to_owned(), sorted(allowance.value.pointers.iter().map(text)));
        Value::Object(members)
    });
    put(&mut members, "allow-uncovered", allowance);
    put(&mut members, "max-age-seconds", terms.max_age_seconds.as_ref().map(|age| Value::from(age.value)));
    Value::Object(members)
}

fn group(group: &KeyGroup) -> Value {
    let keys = match &group.keys {
        KeySelector::Origin => text("*origin"),
        KeySelector::Named { ids, .. } => sorted(ids.iter().map(text)),
    };
    json!({ "keys": keys, "min": group.min.get() })
}

fn interfaces(terms: &InterfaceTerms) -> Value {
    let listed = terms.hosts.listed.iter().map(|pattern| text(pattern.value.to_string()));
    let hosts = sorted(terms.hosts.source.iter().map(|_| text("*source")).chain(listed));
    let mut members = Map::new();
    let schemes = terms.schemes.value.iter().filter_map(|scheme| scheme.name());
    members.insert("schemes".to_owned(), sorted(schemes.map(text)));
    members.insert("hosts".to_owned(), hosts);
    put(&mut members, "paths", terms.paths.as_ref().map(|paths| sorted(paths.value.iter().map(text))));
    let versions = terms.versions.value.iter().map(|version| text(version.to_string()));
    members.insert("versions".to_owned(), sorted(versions));
    members.insert("bindings".to_owned(), sorted(terms.bindings.value.iter().map(text)));
    let query = match terms.query {
        Queries::Deny => "deny",
        Queries::Allow => "allow",
    };
    members.insert("query".to_owned(), text(query));
    members.insert("allow-loopback".to_owned(), Value::Bool(terms.allow_loopback.is_some()));
    let networks = terms.networks.iter().map(|network| text(network.value.to_string()));
    members.insert("networks".to_owned(), sorted(networks));
    let any_host = match terms.any_host.as_ref().map(|any| &any.value.grace) {
        None => Value::Bool(false),
        Some(None) => Value::Bool(true),
        Some(Some(until)) => Value::Object(grace(until)),
    };
    members.insert("any-host".to_owned(), any_host);
    let other = match terms.other {
        FailedInterfaces::Drop => "drop",
        FailedInterfaces::DenyCard => "deny-card",
    };
    members.insert("other".to_owned(), text(other));
    Value::Object(members)
}

fn auth(terms: &AuthTerms) -> Value {
    let anonymous: AnonymousAccess = terms.anonymous.value;
    let mut members = Map::new();
    members.insert("anonymous".to_owned(), text(anonymous.name()));
    put(
        &mut members,
        "schemes",
        terms.schemes.as_ref().map(|schemes| sorted(schemes.value.iter().map(text))),
    );
    members.insert("hosts".to_owned(), patterns(&terms.hosts));
    let credentials = terms.credentials.iter().map(|(scheme, ours)| (scheme.clone(), text(ours)));
    members.insert("credentials".to_owned(), Value::Object(credentials.collect()));
    Value::Object(members)
}

fn pin(terms: &PinTerms) -> Value {
    json!({
        "first-use": match terms.first_use {
            FirstUse::Accept => "accept",
            FirstUse::Review => "review",
        },
        "rollback": terms.rollback.name(),
        "structure": terms.structure.name(),
        "text": terms.text.name(),
    })
}

fn cache(terms: &CacheTerms) -> Value {
    json!({
        "max-ttl-seconds": terms.max_ttl_seconds,
        "negative-seconds": terms.negative_seconds,
        "stale-if-error-seconds": terms.stale_if_error_seconds,
    })
}
