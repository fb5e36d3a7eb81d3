//! Denied hosts by the name below the wildcard, so that many rules cost as much as few.

use std::collections::HashMap;

use super::DenyRule;
use crate::Host;

/// Where in the rules each host pattern stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenyIndex {
    /// Rule and pattern by the host of the pattern, without wildcard.
    by_base: HashMap<String, Vec<(usize, usize)>>,
}

impl DenyIndex {
    pub(crate) fn of(rules: &[DenyRule]) -> Self {
        let mut by_base: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        for (rule_index, rule) in rules.iter().enumerate() {
            for (index, pattern) in rule.hosts.iter().enumerate() {
                let text = pattern.value.to_string();
                let base = text.trim_start_matches("*.").trim_start_matches("**.").to_owned();
                by_base.entry(base).or_default().push((rule_index, index));
            }
        }
        Self { by_base }
    }

    /// The patterns that deny `host`: rule and pattern, in the order of the rules.
    pub(crate) fn hits(&self, rules: &[DenyRule], host: &Host) -> Vec<(usize, usize)> {
        if self.by_base.is_empty() {
            return Vec::new();
        }
        let text = host.to_string();
        let mut hits: Vec<(usize, usize)> = names_above(host, &text)
            .filter_map(|base| self.by_base.get(base))
            .flatten()
            .filter(|(rule, pattern)| {
                let pattern = rules.get(*rule).and_then(|rule| rule.hosts.get(*pattern));
                pattern.is_some_and(|pattern| pattern.value.denies(host))
            })
            .copied()
            .collect();
        hits.sort_unstable();
        hits
    }
}

/// The host, and of a name every name above it.
fn names_above<'t>(host: &Host, text: &'t str) -> impl Iterator<Item = &'t str> {
    let is_name = host.name().is_some();
    std::iter::successors(Some(text), move |name| {
        name.split_once('.').filter(|_| is_name).map(|(_, above)| above)
    })
}
