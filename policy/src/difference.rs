//! What two policies mean differently.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

use crate::TrustPolicy;

/// One thing that a newer policy means differently, by the expanded forms of both.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyDifference {
    /// What it is about: ``rule `acme` ``, `defaults` and the like.
    pub subject: String,
    /// What became of it.
    pub change: PartChange,
}

/// What became of a part of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "there is no other way to differ")]
pub enum PartChange {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// A member has another value.
    Value {
        /// The member, with dots: `cache.max-ttl-seconds`.
        member: String,
        /// The value in the older policy, if it has one.
        before: Option<String>,
        /// The value in the newer policy, if it has one.
        after: Option<String>,
    },
    /// A list has other entries.
    List {
        /// The member, with dots: `interfaces.hosts`.
        member: String,
        /// The new entries, sorted.
        gained: Vec<String>,
        /// The entries that are gone, sorted.
        lost: Vec<String>,
    },
}

/// Lists of parts that have an `id`, and what a part of them is called.
const LISTS: [(&str, &str); 6] = [
    ("allow", "rule"),
    ("deny", "deny rule"),
    ("exception", "exception"),
    ("key", "key"),
    ("revoked", "revoked key"),
    ("jwks", "key set"),
];

/// Tables of parts by their names, and what a part of them is called.
const TABLES: [(&str, &str); 3] =
    [("keysets", "named keys"), ("hostsets", "named hosts"), ("lints", "lint level of")];

/// Tables that are one part each, and what they are called.
const PARTS: [(&str, &str); 3] = [("defaults", "`[defaults]`"), ("limits", "limits"), ("fetch", "`[fetch]`")];

impl TrustPolicy {
    /// What `newer` means differently: comments, order and spelling take no part, and a default that changes is told for
    /// every rule that it holds for.
    #[must_use]
    pub fn differences(&self, newer: &Self) -> Vec<PolicyDifference> {
        let members = |policy: &Self| match serde_json::to_value(policy.expanded()) {
            Ok(Value::Object(members)) => members,
            Ok(_) | Err(_) => Map::new(),
        };
        compare(&members(self), &members(newer))
    }
}

impl PartChange {
    /// `added`, `removed` or `changed`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Value { .. } | Self::List { .. } => "changed",
        }
    }
}

/// One sentence: ``rule `acme`: `interfaces.hosts` gains `a2a.acme.example` ``.
impl fmt::Display for PolicyDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = &self.subject;
        let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
        match &self.change {
            PartChange::Added => write!(f, "{subject} is new"),
            PartChange::Removed => write!(f, "{subject} is gone"),
            PartChange::Value { member, before, after } => {
                write!(f, "{subject}: `{member}` is {} instead of {}", or_none(after), or_none(before))
            }
            PartChange::List { member, gained, lost } => {
                write!(f, "{subject}: `{member}`")?;
                let mut joint = "";
                for (verb, entries) in [("gains", gained), ("loses", lost)] {
                    if !entries.is_empty() {
                        write!(f, "{joint} {verb} {}", entries.join(", "))?;
                        joint = " and";
                    }
                }
                Ok(())
            }
        }
    }
}

fn compare(before: &Map<String, Value>, after: &Map<String, Value>) -> Vec<PolicyDifference> {
    let mut differences = Vec::new();
    for (list, word) in LISTS {
        let (before, after) = (by_id(before.get(list)), by_id(after.get(list)));
        compare_parts(word, (&before, &after), &mut differences);
    }
    for (table, word) in TABLES {
        let (before, after) = (table_of(before.get(table)), table_of(after.get(table)));
        compare_parts(word, (&before, &after), &mut differences);
    }
    for (part, subject) in PARTS {
        walk(subject, "", (before.get(part), after.get(part)), &mut differences);
    }
    let is_known = |name: &str| {
        let named = LISTS.iter().chain(&TABLES).chain(&PARTS);
        named.map(|(known, _)| *known).any(|known| known == name)
    };
    let rest: BTreeSet<&String> = before.keys().chain(after.keys()).filter(|name| !is_known(name)).collect();
    for name in rest {
        walk("the policy", name, (before.get(name), after.get(name)), &mut differences);
    }
    differences
}

fn compare_parts(
    word: &str,
    (before, after): (&Map<String, Value>, &Map<String, Value>),
    differences: &mut Vec<PolicyDifference>,
) {
    let ids: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for id in ids {
        let subject = format!("{word} `{id}`");
        match (before.get(id), after.get(id)) {
            (None, Some(_)) => differences.push(PolicyDifference { subject, change: PartChange::Added }),
            (Some(_), None) => differences.push(PolicyDifference { subject, change: PartChange::Removed }),
            (before, after) => walk(&subject, "", (before, after), differences),
        }
    }
}

/// Goes down to the members that differ.
fn walk(
    subject: &str,
    member: &str,
    (before, after): (Option<&Value>, Option<&Value>),
    differences: &mut Vec<PolicyDifference>,
) {
    if before == after {
        return;
    }
    let changed = |change| PolicyDifference { subject: subject.to_owned(), change };
    let name = if member.is_empty() { "value".to_owned() } else { member.to_owned() };
    match (before, after) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for name in names {
                let below = if member.is_empty() { name.clone() } else { format!("{member}.{name}") };
                walk(subject, &below, (before.get(name), after.get(name)), differences);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => {
            let without = |list: &[Value], other: &[Value]| {
                list.iter().filter(|value| !other.contains(value)).map(shown).collect::<Vec<_>>()
            };
            let (gained, lost) = (without(after, before), without(before, after));
            differences.push(changed(PartChange::List { member: name, gained, lost }));
        }
        (before, after) => {
            let (before, after) = (before.map(shown), after.map(shown));
            differences.push(changed(PartChange::Value { member: name, before, after }));
        }
    }
}

fn by_id(list: Option<&Value>) -> Map<String, Value> {
    let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(|value| Some((value.get("id")?.as_str()?.to_owned(), value.clone()))).collect()
}

fn table_of(table: Option<&Value>) -> Map<String, Value> {
    table.and_then(Value::as_object).cloned().unwrap_or_default()
}

/// A value in words: a text in backticks, a list with commas, anything else as JSON in backticks.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        Value::Array(list) if list.is_empty() => "nothing".to_owned(),
        Value::Array(list) => list.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => format!("`{value}`"),
    }
}
