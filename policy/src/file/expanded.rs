//! What a policy means, as JSON: defaults written out, names resolved, everything sorted, no places.

mod rules;
mod toml;

use std::fmt;

use countersign_keys::{hex, jcs, json, sha256};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::check::Keys;
use super::compose::Loaded;
use crate::{FetchTerms, KeySet, PolicyKey, Tombstone, TrustPolicy};
use rules::{allow, defaults, deny, exception};

/// What a policy means, for `show --expanded`: every default, every rule complete, no comments, no places, no order.
///
/// `Display` writes the octets of RFC 8785, of which the digest of the policy is the SHA-256.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpandedPolicy {
    value: Value,
}

impl ExpandedPolicy {
    /// `sha256:` and 64 hexadecimal digits.
    pub(super) fn digest(&self) -> String {
        format!("sha256:{}", hex(&sha256(self.to_string().as_bytes())))
    }
}

impl Serialize for ExpandedPolicy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl fmt::Display for ExpandedPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limits = json::Limits::default().with_max_octets(usize::MAX);
        // Our own JSON has no number that RFC 8785 cannot write.
        let document = json::Document::read(self.value.to_string(), &limits).map_err(|_| fmt::Error)?;
        let octets = jcs::to_octets(document.root());
        f.write_str(std::str::from_utf8(&octets).map_err(|_| fmt::Error)?)
    }
}

impl TrustPolicy {
    /// What the policy means, with defaults written out.
    #[must_use]
    pub const fn expanded(&self) -> &ExpandedPolicy {
        &self.parts.expanded
    }
}

/// The expanded form of what was loaded.
pub(super) fn of(loaded: &Loaded) -> ExpandedPolicy {
    let Keys { keys, tombstones, sets, unusable } = &loaded.keys;
    let limits = &loaded.limits;
    let named = |named: &std::collections::BTreeMap<String, crate::Placed<Vec<String>>>| -> Value {
        let sets = named.iter().map(|(name, members)| (name.clone(), sorted(members.value.iter().map(text))));
        Value::Object(sets.collect())
    };
    let own = keys.iter().filter(|key| !key.is_set_member).map(key);
    let mut value = json!({
        "schema": 1,
        "limits": {
            "clock-skew-seconds": limits.clock_skew_seconds,
            "max-card-octets": limits.max_card_octets,
            "max-signatures": limits.max_signatures,
        },
        "defaults": defaults(&loaded.defaults),
        "fetch": fetch(&loaded.fetch),
        "key": sorted(own),
        "revoked": sorted(tombstones.iter().map(tombstone)),
        "jwks": sorted(sets.iter().map(|set| key_set(set, keys))),
        "unusable-keys": unusable.len(),
        "keysets": named(&loaded.named_keys),
        "hostsets": named(&loaded.named_hosts),
        "deny": sorted(loaded.denies.iter().map(deny)),
        "allow": sorted(loaded.allows.iter().map(allow)),
        "exception": sorted(loaded.exceptions.iter().map(exception)),
        "lints": loaded.lint_levels.iter().map(|(name, level)| (name.clone(), text(level.value.name()))).collect::<Map<_, _>>(),
    });
    if let Value::Object(members) = &mut value {
        put(members, "name", loaded.name.as_deref().map(text));
        put(members, "owner", loaded.owner.as_deref().map(text));
    }
    ExpandedPolicy { value }
}

/// A text as a value.
fn text(text: impl AsRef<str>) -> Value {
    Value::from(text.as_ref())
}

/// Values without order and repetition.
fn sorted(values: impl Iterator<Item = Value>) -> Value {
    let mut values: Vec<(String, Value)> = values.map(|value| (value.to_string(), value)).collect();
    values.sort_by(|left, right| left.0.cmp(&right.0));
    values.dedup_by(|left, right| left.0 == right.0);
    Value::Array(values.into_iter().map(|(_, value)| value).collect())
}

/// Adds a member that has no default, where it is there.
fn put(members: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        members.insert(name.to_owned(), value);
    }
}

fn fetch(fetch: &FetchTerms) -> Value {
    json!({
        "redirects": fetch.redirects,
        "timeout-seconds": fetch.timeout_seconds,
        "max-octets": fetch.max_octets,
        "content-types": sorted(fetch.content_types.iter().map(text)),
        "addresses": "public",
        "networks": sorted(fetch.networks.iter().map(|network| text(network.value.to_string()))),
    })
}

fn key(key: &PolicyKey) -> Value {
    let mut value = member(key);
    if let Value::Object(members) = &mut value {
        members.insert("id".to_owned(), text(&key.id));
        members.insert("origins".to_owned(), rules::patterns(&key.origins));
    }
    value
}

/// A key without id and scope, as a set has it.
fn member(key: &PolicyKey) -> Value {
    let trusted = &key.trusted;
    let mut members = Map::new();
    members.insert("thumbprint".to_owned(), text(trusted.thumbprint().to_string()));
    put(&mut members, "kid", trusted.kid().map(text));
    let algorithms = trusted.algorithms();
    put(&mut members, "algorithms", algorithms.map(|list| sorted(list.iter().map(|one| text(one.name())))));
    let time = |seconds| text(crate::UnixTime::from_seconds(seconds).to_string());
    put(&mut members, "not-before", trusted.not_before().map(time));
    put(&mut members, "not-after", trusted.not_after().map(time));
    Value::Object(members)
}

fn tombstone(tombstone: &Tombstone) -> Value {
    let mut members = Map::new();
    members.insert("id".to_owned(), text(&tombstone.id));
    put(&mut members, "kid", tombstone.kid.as_deref().map(text));
    members.insert("thumbprint".to_owned(), text(tombstone.thumbprint.to_string()));
    members.insert("at".to_owned(), text(tombstone.at.to_string()));
    members.insert("reason".to_owned(), text(tombstone.reason.name()));
    Value::Object(members)
}

fn key_set(set: &KeySet, keys: &[PolicyKey]) -> Value {
    let of_set = keys.iter().filter(|key| key.is_set_member && key.id == set.id);
    let mut members = Map::new();
    members.insert("id".to_owned(), text(&set.id));
    match &set.url {
        Some(url) => put(&mut members, "url", Some(text(url.canonical_text()))),
        None => put(&mut members, "keys", Some(sorted(of_set.map(member)))),
    }
    members.insert("origins".to_owned(), rules::patterns(&set.origins));
    let algorithms = set.algorithms.as_ref();
    put(&mut members, "algorithms", algorithms.map(|list| sorted(list.iter().map(|one| text(one.name())))));
    members.insert("refresh-seconds".to_owned(), Value::from(set.refresh_seconds));
    members.insert("max-keys".to_owned(), Value::from(set.max_keys));
    members.insert("pins".to_owned(), sorted(set.pins.iter().map(|pin| text(pin.to_string()))));
    Value::Object(members)
}
