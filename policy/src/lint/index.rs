//! Where patterns, keys and rules are, so that a policy of a thousand rules is linted in the time of its length.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::pattern::{Wildcard, names_from};
use crate::{AllowPattern, DenyRule, KeySelector, KeySet, Placed, PolicyKey, Tombstone, TrustPolicy};

/// What the families look up.
pub(super) struct Indexes<'p> {
    /// `from`: the rule and the pattern, by their places in the policy.
    pub(super) sources: PatternIndex<(usize, usize)>,
    /// The same by the text of the pattern.
    pub(super) sources_by_text: HashMap<String, Vec<(usize, usize)>>,
    /// Denied hosts by the text of their pattern.
    pub(super) denied_by_text: HashMap<String, Vec<&'p DenyRule>>,
    /// Who may sign for which sources.
    pub(super) signers: PatternIndex<Signer<'p>>,
    pub(super) tombstones: HashMap<&'p str, &'p Tombstone>,
    /// Ids of keys and key sets that a group of a rule names.
    pub(super) named: BTreeSet<&'p str>,
}

/// A key, or a set whose keys are not known here.
#[derive(Clone, Copy)]
pub(super) enum Signer<'p> {
    Key(&'p PolicyKey),
    Remote(&'p KeySet),
}

impl<'p> Indexes<'p> {
    pub(super) fn of(policy: &'p TrustPolicy) -> Self {
        let mut indexes = Self {
            sources: PatternIndex::default(),
            sources_by_text: HashMap::new(),
            denied_by_text: HashMap::new(),
            signers: PatternIndex::default(),
            tombstones: policy.tombstones().iter().map(|key| (key.id.as_str(), key)).collect(),
            named: BTreeSet::new(),
        };
        // Many rules may name one large set.
        let mut seen = HashSet::new();
        for (rule_index, rule) in policy.allows().iter().enumerate() {
            for (index, from) in rule.from.iter().enumerate() {
                indexes.sources.insert(&from.value, (rule_index, index));
                indexes.sources_by_text.entry(from.value.to_string()).or_default().push((rule_index, index));
            }
            for group in &rule.signatures.groups {
                if let KeySelector::Named { names, ids } = &group.keys
                    && seen.insert(names)
                {
                    indexes.named.extend(ids.iter().map(String::as_str));
                }
            }
        }
        for rule in policy.denies() {
            for host in &rule.hosts {
                indexes.denied_by_text.entry(host.value.to_string()).or_default().push(rule);
            }
        }
        for key in policy.keys() {
            indexes.insert_signer(&key.origins, Signer::Key(key));
        }
        for set in policy.key_sets().iter().filter(|set| set.url.is_some()) {
            indexes.insert_signer(&set.origins, Signer::Remote(set));
        }
        indexes
    }

    /// A deny rule that denies every host of this pattern.
    pub(super) fn denying(&self, pattern: &AllowPattern) -> Option<&'p DenyRule> {
        let texts = pattern.denied_by();
        texts.iter().find_map(|text| self.denied_by_text.get(text)?.first().copied())
    }

    /// Everybody who may sign for a source that this pattern matches; one with several such origins several times.
    pub(super) fn signers_of(&self, pattern: &AllowPattern) -> impl Iterator<Item = Signer<'p>> {
        self.signers.near(pattern).filter(|signer| signer.may_sign_for(pattern))
    }

    fn insert_signer(&mut self, origins: &[Placed<AllowPattern>], signer: Signer<'p>) {
        origins.iter().for_each(|origin| self.signers.insert(&origin.value, signer));
    }
}

impl<'p> Signer<'p> {
    pub(super) fn id(self) -> &'p str {
        match self {
            Self::Key(key) => &key.id,
            Self::Remote(set) => &set.id,
        }
    }

    /// Whether there is a source that the pattern matches and that the signer may speak for.
    pub(super) fn may_sign_for(self, pattern: &AllowPattern) -> bool {
        self.origins().iter().any(|origin| origin.value.overlap(pattern).is_some())
    }

    pub(super) fn origins(self) -> &'p [Placed<AllowPattern>] {
        match self {
            Self::Key(key) => &key.origins,
            Self::Remote(set) => &set.origins,
        }
    }
}

/// Patterns by host.
pub(super) struct PatternIndex<T> {
    /// By the host, without wildcard.
    at: HashMap<String, Vec<T>>,
    /// By every name above the host.
    below: HashMap<String, Vec<T>>,
}

impl<T> Default for PatternIndex<T> {
    fn default() -> Self {
        Self { at: HashMap::new(), below: HashMap::new() }
    }
}

impl<T: Copy> PatternIndex<T> {
    pub(super) fn insert(&mut self, pattern: &AllowPattern, item: T) {
        let (_, host) = pattern.host_parts();
        let text = host.to_string();
        if host.name().is_some() {
            for above in names_from(&text).skip(1) {
                self.below.entry(above.to_owned()).or_default().push(item);
            }
        }
        self.at.entry(text).or_default().push(item);
    }

    /// Every pattern that overlaps this one, and others.
    pub(super) fn near(&self, pattern: &AllowPattern) -> impl Iterator<Item = T> {
        let (wildcard, host) = pattern.host_parts();
        let text = host.to_string();
        let is_name = host.name().is_some();
        let above = names_from(&text).take(if is_name { usize::MAX } else { 1 });
        let at: Vec<&Vec<T>> = above.filter_map(|name| self.at.get(name)).collect();
        let below = self.below.get(&text).filter(|_| wildcard != Wildcard::None);
        at.into_iter().chain(below).flatten().copied()
    }
}
