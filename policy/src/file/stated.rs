//! Which defaults a file states: what it leaves out binds nobody who extends it.

use std::collections::BTreeSet;

use super::written::WrittenPolicy;

/// The members of `[defaults]` and `[cache]` that are written, as a floor names them.
#[derive(Clone, Default)]
pub(super) struct Stated {
    members: BTreeSet<&'static str>,
}

/// Members that bind even where the base leaves them out: to weaken them opens what every other demand is about.
const ALWAYS: [&str; 5] =
    ["mode", "signatures.level", "interfaces.any-host", "interfaces.allow-loopback", "interfaces.schemes"];

impl Stated {
    /// Whether a policy that extends this one may not loosen `member`.
    pub(super) fn binds(&self, member: &str) -> bool {
        // Networks are another way in beside the hosts.
        let is_way_in = member == "interfaces.networks" && self.members.contains("interfaces.hosts");
        ALWAYS.contains(&member) || is_way_in || self.members.contains(member)
    }

    /// These, and those of another file.
    pub(super) fn and(mut self, written: &WrittenPolicy) -> Self {
        let mut add = |member, is_written: bool| {
            if is_written {
                self.members.insert(member);
            }
        };
        if let Some(cache) = written.cache.as_ref().map(|cache| &cache.value) {
            add("cache.max-ttl", cache.max_ttl.is_some());
            add("cache.stale-if-error", cache.stale_if_error.is_some());
        }
        let Some(defaults) = written.defaults.as_ref().map(|defaults| &defaults.value) else { return self };
        if let Some(signatures) = defaults.signatures.as_ref().map(|signatures| &signatures.value) {
            add("signatures.require", signatures.require.is_some() || signatures.all_of.is_some());
            add("signatures.algorithms", signatures.algorithms.is_some());
            add("signatures.forms", signatures.forms.is_some());
            add("signatures.stale", signatures.stale.is_some());
            add("signatures.uncovered", signatures.uncovered.is_some());
            add("signatures.allow-uncovered", signatures.allow_uncovered.is_some());
            add("signatures.max-age", signatures.max_age.is_some());
        }
        if let Some(interfaces) = defaults.interfaces.as_ref().map(|interfaces| &interfaces.value) {
            add("interfaces.schemes", interfaces.schemes.is_some());
            add("interfaces.hosts", interfaces.hosts.is_some());
            add("interfaces.paths", interfaces.paths.is_some());
            add("interfaces.versions", interfaces.versions.is_some());
            add("interfaces.bindings", interfaces.bindings.is_some());
            add("interfaces.query", interfaces.query.is_some());
            add("interfaces.allow-loopback", interfaces.allow_loopback.is_some());
            add("interfaces.networks", interfaces.networks.is_some());
            add("interfaces.any-host", interfaces.any_host.is_some());
            add("interfaces.other", interfaces.other.is_some());
        }
        if let Some(auth) = defaults.auth.as_ref().map(|auth| &auth.value) {
            add("auth.anonymous", auth.anonymous.is_some());
            add("auth.schemes", auth.schemes.is_some());
            add("auth.hosts", auth.hosts.is_some());
            add("auth.credentials", auth.credentials.is_some());
        }
        self
    }
}
