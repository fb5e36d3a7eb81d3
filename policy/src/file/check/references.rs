//! What refers to something else: ids, groups of keys, thresholds, rules for one source.

use std::collections::{BTreeMap, BTreeSet};

use countersign_keys::Thumbprint;

use super::super::error::PolicyFault;
use super::super::nearest::suggestion;
use super::Keys;
use crate::codes::load as codes;
use crate::{
    AllowPattern, AllowRule, KeyGroup, KeySelector, Placed, PolicyPlace, SignatureLevel, SignatureTerms,
    WordPattern,
};

/// The ids of keys and sets, and what the names of `[keysets]` stand for.
pub(in crate::file) struct KeyNames<'k> {
    pub(in crate::file) ids: BTreeSet<&'k str>,
    pub(in crate::file) named: &'k BTreeMap<String, Placed<Vec<String>>>,
}

impl<'k> KeyNames<'k> {
    pub(in crate::file) fn new(keys: &'k Keys, named: &'k BTreeMap<String, Placed<Vec<String>>>) -> Self {
        let of_keys = keys.keys.iter().map(|key| key.id.as_str());
        let of_tombstones = keys.tombstones.iter().map(|tombstone| tombstone.id.as_str());
        let of_sets = keys.sets.iter().map(|set| set.id.as_str());
        Self { ids: of_keys.chain(of_tombstones).chain(of_sets).collect(), named }
    }

    /// The faults of `[keysets]` themselves.
    pub(in crate::file) fn check(&self, faults: &mut Vec<PolicyFault>) {
        for (name, members) in self.named {
            for member in &members.value {
                if !self.ids.contains(member.as_str()) {
                    let message =
                        format!("the key set `{name}` names `{member}`, which is no key and no JWK set");
                    faults.push(self.unknown(member, members.place.clone(), message));
                }
            }
        }
    }

    fn unknown(&self, name: &str, place: PolicyPlace, message: String) -> PolicyFault {
        let known = self.ids.iter().copied().chain(self.named.keys().map(String::as_str));
        let mut fault = PolicyFault::new(codes::POLICY_UNKNOWN_KEY_REF, place, message);
        fault.help = suggestion(name, known);
        fault
    }
}

/// Fills in the ids that the names of the groups stand for.
pub(in crate::file) fn resolve_groups(
    groups: &mut [KeyGroup],
    names: &KeyNames<'_>,
    faults: &mut Vec<PolicyFault>,
) {
    for group in groups {
        let KeySelector::Named { names: written, ids } = &mut group.keys else { continue };
        let mut found = BTreeSet::new();
        for name in written.iter() {
            if let Some(members) = names.named.get(name) {
                found.extend(members.value.iter().cloned());
            } else if names.ids.contains(name.as_str()) {
                found.insert(name.clone());
            } else {
                let message = format!("`{name}` is no key, no JWK set and no key set");
                faults.push(names.unknown(name, group.place.clone(), message));
            }
        }
        *ids = found.into_iter().collect();
    }
}

/// Refuses groups that no card could satisfy.
pub(in crate::file) fn check_thresholds(rule: &AllowRule, keys: &Keys, faults: &mut Vec<PolicyFault>) {
    let SignatureTerms { level, groups, .. } = &rule.signatures;
    if matches!(level.value, SignatureLevel::Off(_)) {
        return;
    }
    for group in groups {
        let usable = usable_keys(rule, group, keys);
        let min = group.min.get();
        if min > usable {
            let what = match &group.keys {
                KeySelector::Origin => "whose `origins` overlap its `from`".to_owned(),
                KeySelector::Named { names, .. } => format!("in `{}`", names.join("`, `")),
            };
            let message =
                format!("the rule `{}` demands {min} keys {what}, the policy has {usable}", rule.id);
            let fault = PolicyFault::new(codes::POLICY_THRESHOLD_EXCEEDS_KEYS, group.place.clone(), message);
            faults.push(if group.place == rule.place {
                fault
            } else {
                fault.with_related(rule.place.clone(), "the rule")
            });
        }
    }
}

/// Distinct keys that may count for a group; of a set that is fetched, as many as it may have.
fn usable_keys(rule: &AllowRule, group: &KeyGroup, keys: &Keys) -> usize {
    let counts = |id: &str, origins: &[Placed<AllowPattern>]| match &group.keys {
        KeySelector::Named { ids, .. } => ids.iter().any(|known| known == id),
        KeySelector::Origin => rule
            .from
            .iter()
            .any(|from| origins.iter().any(|origin| origin.value.overlap(&from.value).is_some())),
    };
    let revoked: BTreeSet<Thumbprint> =
        keys.tombstones.iter().map(|tombstone| tombstone.thumbprint).collect();
    let distinct: BTreeSet<Thumbprint> = keys
        .keys
        .iter()
        .filter(|key| counts(&key.id, &key.origins))
        .map(|key| key.trusted.thumbprint())
        .filter(|thumbprint| !revoked.contains(thumbprint))
        .collect();
    let fetched = keys.sets.iter().filter(|set| set.url.is_some() && counts(&set.id, &set.origins));
    let fetched: usize =
        fetched.map(|set| if set.pins.is_empty() { set.max_keys } else { set.pins.len() }).sum();
    distinct.len().saturating_add(fetched)
}

/// Refuses one key under two ids, or twice in one set. The tombstone of a member of a set is none of it.
pub(in crate::file) fn refuse_same_keys(keys: &Keys, faults: &mut Vec<PolicyFault>) {
    let mut seen: BTreeMap<Thumbprint, (&str, &PolicyPlace)> = BTreeMap::new();
    let of_keys = keys.keys.iter().map(|key| (key.trusted.thumbprint(), key.id.as_str(), &key.place));
    let own: BTreeSet<Thumbprint> =
        keys.keys.iter().filter(|key| !key.is_set_member).map(|key| key.trusted.thumbprint()).collect();
    let mut revoked = BTreeSet::new();
    let of_tombstones = keys
        .tombstones
        .iter()
        .filter(|tombstone| !revoked.insert(tombstone.thumbprint) || own.contains(&tombstone.thumbprint))
        .map(|tombstone| (tombstone.thumbprint, tombstone.id.as_str(), &tombstone.place));
    let all: Vec<_> = of_keys.chain(of_tombstones).collect();
    for (thumbprint, id, place) in all {
        let Some((other, first)) = seen.insert(thumbprint, (id, place)) else { continue };
        let message = if other == id {
            format!("the key `{thumbprint}` is twice in `{id}`")
        } else {
            format!("the key `{thumbprint}` is in `{other}` and in `{id}`")
        };
        let fault = PolicyFault::new(codes::POLICY_SAME_KEY_TWICE, place.clone(), message);
        faults.push(if first == place { fault } else { fault.with_related(first.clone(), "first here") });
    }
}

/// Refuses rules of which one is as specific as the other for one source and context.
pub(in crate::file) fn refuse_overlaps(rules: &[AllowRule], faults: &mut Vec<PolicyFault>) {
    // Of two patterns that are equally specific only those with one scheme, host and port overlap.
    let mut groups: BTreeMap<String, Vec<(&AllowRule, &Placed<AllowPattern>)>> = BTreeMap::new();
    for rule in rules {
        for from in &rule.from {
            groups.entry(from.value.without_path()).or_default().push((rule, from));
        }
    }
    let mut told = BTreeSet::new();
    for group in groups.values() {
        for (index, (rule, from)) in group.iter().enumerate() {
            for (other, other_from) in group.iter().take(index) {
                if rule.id == other.id || from.value.specificity() != other_from.value.specificity() {
                    continue;
                }
                let Some(url) = from.value.overlap(&other_from.value) else { continue };
                let Some(context) = common_context(rule, other) else { continue };
                if told.insert((&rule.id, &other.id)) {
                    let message = format!(
                        "the rules `{}` and `{}` are equally specific for {url}{context}",
                        other.id, rule.id
                    );
                    let fault =
                        PolicyFault::new(codes::POLICY_OVERLAPPING_ALLOW, from.place.clone(), message);
                    faults.push(fault.with_related(other_from.place.clone(), "the other `from`"));
                }
            }
        }
    }
}

/// A kind of source, a tenant and a use that both rules are for, as text; [`None`] where there is none.
fn common_context(one: &AllowRule, other: &AllowRule) -> Option<String> {
    let mut text = String::new();
    match (&one.sources, &other.sources) {
        (Some(one), Some(other)) => {
            let kind = one.iter().find(|kind| other.contains(kind))?;
            text.push_str(&format!(", source `{kind}`"));
        }
        (Some(kinds), None) | (None, Some(kinds)) => {
            text.extend(kinds.first().map(|kind| format!(", source `{kind}`")));
        }
        (None, None) => {}
    }
    for (name, one, other) in [("tenant", &one.tenants, &other.tenants), ("use", &one.uses, &other.uses)] {
        let word = match (one, other) {
            (Some(one), Some(other)) => Some(common_word(one, other)?),
            (Some(words), None) | (None, Some(words)) => words.first().map(witness),
            (None, None) => None,
        };
        text.extend(word.map(|word| format!(", {name} `{word}`")));
    }
    Some(text)
}

fn common_word<'w>(one: &'w [WordPattern], other: &'w [WordPattern]) -> Option<&'w str> {
    one.iter().find_map(|left| {
        let right = other.iter().find(|right| right.overlaps(left))?;
        let (left, right) = (witness(left), witness(right));
        Some(if left.len() < right.len() { right } else { left })
    })
}

/// A word that the pattern stands for.
fn witness(pattern: &WordPattern) -> &str {
    match pattern {
        WordPattern::Exact(word) | WordPattern::Prefix(word) => word,
    }
}
