//! Whether two rules demand the same of a card.

use crate::{AllowPattern, AllowRule, AuthTerms, InterfaceTerms, KeyGroup, Placed, SignatureTerms};

/// Whether every card gets the same answer from both rules, wherever their demands are written.
pub(super) fn are_same(left: &AllowRule, right: &AllowRule) -> bool {
    left.mode == right.mode
        && same_signatures(&left.signatures, &right.signatures)
        && same_interfaces(&left.interfaces, &right.interfaces)
        && same_auth(&left.auth, &right.auth)
        && left.pin == right.pin
        && left.cache == right.cache
}

fn same_signatures(left: &SignatureTerms, right: &SignatureTerms) -> bool {
    let same_group = |(left, right): (&KeyGroup, &KeyGroup)| left.keys == right.keys && left.min == right.min;
    left.level == right.level
        && left.groups.len() == right.groups.len()
        && left.groups.iter().zip(&right.groups).all(same_group)
        && left.algorithms == right.algorithms
        && left.forms == right.forms
        && left.stale == right.stale
        && left.uncovered == right.uncovered
        && left.allow_uncovered == right.allow_uncovered
        && left.max_age_seconds == right.max_age_seconds
}

fn same_interfaces(left: &InterfaceTerms, right: &InterfaceTerms) -> bool {
    let (left_hosts, right_hosts) = (&left.hosts, &right.hosts);
    left_hosts.source.is_some() == right_hosts.source.is_some()
        && same_set(&left_hosts.listed, &right_hosts.listed)
        && left.schemes == right.schemes
        && left.paths == right.paths
        && left.versions == right.versions
        && left.bindings == right.bindings
        && left.query == right.query
        && left.allow_loopback.is_some() == right.allow_loopback.is_some()
        && left.networks == right.networks
        && left.any_host == right.any_host
        && left.other == right.other
}

fn same_auth(left: &AuthTerms, right: &AuthTerms) -> bool {
    left.anonymous == right.anonymous
        && left.schemes == right.schemes
        && same_set(&left.hosts, &right.hosts)
        && left.credentials == right.credentials
}

fn same_set(left: &[Placed<AllowPattern>], right: &[Placed<AllowPattern>]) -> bool {
    let is_in = |list: &[Placed<AllowPattern>], pattern: &Placed<AllowPattern>| list.contains(pattern);
    left.iter().all(|pattern| is_in(right, pattern)) && right.iter().all(|pattern| is_in(left, pattern))
}
