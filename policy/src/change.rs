//! One change of a policy: what an explanation proposes, and what a test suite should notice.

use std::fmt;
use std::num::NonZeroUsize;

use countersign_keys::Algorithm;

use crate::policy::Parts;
use crate::{
    AllowPattern, AllowRule, AnonymousAccess, Grace, Placed, ProtocolVersion, Reaction, Scheme,
    SignatureLevel, TrustPolicy, UnixTime, VersionRequirement, WordPattern,
};

/// A change of a policy, named as an owner would make it.
///
/// It is for asking what would be: the policy that it gives knows no file, and its digest is that of the policy it was
/// made from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyChange {
    /// Adds a source to a rule.
    AddSource {
        /// Its `id`.
        rule: String,
        /// The source.
        pattern: AllowPattern,
    },
    /// Adds a tenant to a rule.
    AddTenant {
        /// Its `id`.
        rule: String,
        /// The tenant.
        tenant: String,
    },
    /// Adds a use to a rule.
    AddUse {
        /// Its `id`.
        rule: String,
        /// The use.
        purpose: String,
    },
    /// Adds a host to `interfaces.hosts` of a rule.
    AddHost {
        /// Its `id`.
        rule: String,
        /// The host.
        pattern: AllowPattern,
    },
    /// Adds a scheme to `interfaces.schemes` of a rule.
    AddScheme {
        /// Its `id`.
        rule: String,
        /// The scheme.
        scheme: Scheme,
    },
    /// Adds a path to `interfaces.paths` of a rule.
    AddPath {
        /// Its `id`.
        rule: String,
        /// The path.
        path: String,
    },
    /// Adds a version to `interfaces.versions` of a rule.
    AddVersion {
        /// Its `id`.
        rule: String,
        /// The version.
        version: ProtocolVersion,
    },
    /// Adds a binding to `interfaces.bindings` of a rule.
    AddBinding {
        /// Its `id`.
        rule: String,
        /// The binding.
        binding: String,
    },
    /// Adds a host to `auth.hosts` of a rule.
    AddAuthHost {
        /// Its `id`.
        rule: String,
        /// The host.
        pattern: AllowPattern,
    },
    /// Adds words to `auth.schemes` of a rule.
    AddAuthSchemes {
        /// Its `id`.
        rule: String,
        /// The words.
        schemes: Vec<String>,
    },
    /// Sets `auth.anonymous = "report"` in a rule.
    ReportAnonymous {
        /// Its `id`.
        rule: String,
    },
    /// Adds a source to the `origins` of a key.
    AddKeyOrigin {
        /// Its `id`.
        key: String,
        /// The source.
        pattern: AllowPattern,
    },
    /// Adds an algorithm to `signatures.algorithms` of a rule.
    AddAlgorithm {
        /// Its `id`.
        rule: String,
        /// The algorithm.
        algorithm: Algorithm,
    },
    /// Sets `min` of a group of keys.
    SetMin {
        /// The `id` of the rule.
        rule: String,
        /// The group, counted from 0.
        group: usize,
        /// The number.
        min: NonZeroUsize,
    },
    /// Sets `signatures.level = "if-present"` in a rule.
    VerifyIfPresent {
        /// Its `id`.
        rule: String,
    },
    /// Sets `signatures.stale = "report"` in a rule.
    ReportStale {
        /// Its `id`.
        rule: String,
    },
    /// Removes `signatures.max-age` from a rule.
    DropMaxAge {
        /// Its `id`.
        rule: String,
    },
    /// Removes an `[[allow]]`.
    DropAllow {
        /// Its `id`.
        rule: String,
    },
    /// Removes an entry of `from`; a rule without any goes too.
    DropSource {
        /// The `id` of the rule.
        rule: String,
        /// The entry, counted from 0.
        index: usize,
    },
    /// Removes a pattern of `interfaces.hosts`.
    DropHost {
        /// The `id` of the rule.
        rule: String,
        /// The pattern, counted from 0 without `*source`.
        index: usize,
    },
    /// Removes a `[[deny]]`.
    DropDeny {
        /// Its `id`.
        rule: String,
    },
}

impl TrustPolicy {
    /// The policy with this change; the same policy where the change names what is not there.
    #[must_use]
    pub fn with(&self, change: &PolicyChange) -> Self {
        let mut parts = self.parts.clone();
        apply(&mut parts, change);
        Self::new(parts)
    }
}

fn apply(parts: &mut Parts, change: &PolicyChange) {
    match change {
        PolicyChange::DropAllow { rule } => parts.allows.retain(|other| other.id != *rule),
        PolicyChange::DropDeny { rule } => parts.denies.retain(|other| other.id != *rule),
        PolicyChange::DropSource { rule, index } => {
            on_rule(parts, rule, |rule| remove(&mut rule.from, *index));
            parts.allows.retain(|rule| !rule.from.is_empty());
        }
        PolicyChange::AddKeyOrigin { key, pattern } => {
            for key in parts.keys.iter_mut().filter(|other| other.id == *key) {
                key.origins.push(Placed::new(pattern.clone(), key.place.clone()));
            }
        }
        PolicyChange::AddSource { rule, .. }
        | PolicyChange::AddTenant { rule, .. }
        | PolicyChange::AddUse { rule, .. }
        | PolicyChange::AddHost { rule, .. }
        | PolicyChange::AddScheme { rule, .. }
        | PolicyChange::AddPath { rule, .. }
        | PolicyChange::AddVersion { rule, .. }
        | PolicyChange::AddBinding { rule, .. }
        | PolicyChange::AddAuthHost { rule, .. }
        | PolicyChange::AddAuthSchemes { rule, .. }
        | PolicyChange::ReportAnonymous { rule }
        | PolicyChange::AddAlgorithm { rule, .. }
        | PolicyChange::SetMin { rule, .. }
        | PolicyChange::VerifyIfPresent { rule }
        | PolicyChange::ReportStale { rule }
        | PolicyChange::DropMaxAge { rule }
        | PolicyChange::DropHost { rule, .. } => on_rule(parts, rule, |rule| change_rule(rule, change)),
    }
}

fn change_rule(rule: &mut AllowRule, change: &PolicyChange) {
    let place = rule.place.clone();
    let placed = |pattern: &AllowPattern| Placed::new(pattern.clone(), place.clone());
    match change {
        PolicyChange::AddSource { pattern, .. } => rule.from.push(placed(pattern)),
        PolicyChange::AddTenant { tenant, .. } => {
            rule.tenants.get_or_insert_default().push(WordPattern::Exact(tenant.clone()));
        }
        PolicyChange::AddUse { purpose, .. } => {
            rule.uses.get_or_insert_default().push(WordPattern::Exact(purpose.clone()));
        }
        PolicyChange::AddHost { pattern, .. } => rule.interfaces.hosts.listed.push(placed(pattern)),
        PolicyChange::AddScheme { scheme, .. } => rule.interfaces.schemes.value.push(*scheme),
        PolicyChange::AddPath { path, .. } => {
            rule.interfaces.paths.iter_mut().for_each(|paths| paths.value.push(path.clone()));
        }
        PolicyChange::AddVersion { version, .. } => {
            rule.interfaces.versions.value.push(VersionRequirement::exactly(*version));
        }
        PolicyChange::AddBinding { binding, .. } => rule.interfaces.bindings.value.push(binding.clone()),
        PolicyChange::AddAuthHost { pattern, .. } => rule.auth.hosts.push(placed(pattern)),
        PolicyChange::AddAuthSchemes { schemes, .. } => {
            rule.auth.schemes.iter_mut().for_each(|ours| ours.value.extend(schemes.iter().cloned()));
        }
        PolicyChange::ReportAnonymous { .. } => rule.auth.anonymous.value = AnonymousAccess::Report,
        PolicyChange::AddAlgorithm { algorithm, .. } => {
            rule.signatures.algorithms.iter_mut().for_each(|list| list.value.push(*algorithm));
        }
        PolicyChange::SetMin { group, min, .. } => {
            rule.signatures.groups.get_mut(*group).into_iter().for_each(|group| group.min = *min);
        }
        PolicyChange::VerifyIfPresent { .. } => {
            let grace = Grace::new("a change to look at", UnixTime::from_seconds(i64::MAX));
            rule.signatures.level.value = SignatureLevel::IfPresent(grace);
        }
        PolicyChange::ReportStale { .. } => rule.signatures.stale.value = Reaction::Report,
        PolicyChange::DropMaxAge { .. } => rule.signatures.max_age_seconds = None,
        PolicyChange::DropHost { index, .. } => remove(&mut rule.interfaces.hosts.listed, *index),
        PolicyChange::AddKeyOrigin { .. }
        | PolicyChange::DropAllow { .. }
        | PolicyChange::DropSource { .. }
        | PolicyChange::DropDeny { .. } => {}
    }
}

fn on_rule(parts: &mut Parts, id: &str, change: impl FnMut(&mut AllowRule)) {
    parts.allows.iter_mut().filter(|rule| rule.id == id).for_each(change);
}

fn remove<T>(list: &mut Vec<T>, index: usize) {
    if index < list.len() {
        list.remove(index);
    }
}

/// What to write where, in the words of the policy language.
impl fmt::Display for PolicyChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let add = |f: &mut fmt::Formatter<'_>, rule: &str, member: &str, value: &dyn fmt::Display| {
            write!(f, "add `\"{value}\"` to `{member}` of rule `{rule}`")
        };
        match self {
            Self::AddSource { rule, pattern } => add(f, rule, "from", pattern),
            Self::AddTenant { rule, tenant } => add(f, rule, "tenants", tenant),
            Self::AddUse { rule, purpose } => add(f, rule, "uses", purpose),
            Self::AddHost { rule, pattern } => add(f, rule, "interfaces.hosts", pattern),
            Self::AddScheme { rule, scheme } => {
                add(f, rule, "interfaces.schemes", &scheme.name().unwrap_or("https"))
            }
            Self::AddPath { rule, path } => add(f, rule, "interfaces.paths", path),
            Self::AddVersion { rule, version } => add(f, rule, "interfaces.versions", version),
            Self::AddBinding { rule, binding } => add(f, rule, "interfaces.bindings", binding),
            Self::AddAuthHost { rule, pattern } => add(f, rule, "auth.hosts", pattern),
            Self::AddAuthSchemes { rule, schemes } => {
                write!(f, "add `\"{}\"` to `auth.schemes` of rule `{rule}`", schemes.join("\", \""))
            }
            Self::ReportAnonymous { rule } => {
                write!(f, "set `auth.anonymous = \"report\"` in rule `{rule}`")
            }
            Self::AddKeyOrigin { key, pattern } => {
                write!(f, "add `\"{pattern}\"` to `origins` of key `{key}`")
            }
            Self::AddAlgorithm { rule, algorithm } => add(f, rule, "signatures.algorithms", algorithm),
            Self::SetMin { rule, group, min } => {
                write!(f, "set `min = {min}` in group {group} of the keys that rule `{rule}` needs")
            }
            Self::VerifyIfPresent { rule } => write!(
                f,
                "set `signatures.level = \"if-present\"` in rule `{rule}`, with `reason` and `until`"
            ),
            Self::ReportStale { rule } => write!(f, "set `signatures.stale = \"report\"` in rule `{rule}`"),
            Self::DropMaxAge { rule } => write!(f, "remove `signatures.max-age` from rule `{rule}`"),
            Self::DropAllow { rule } => write!(f, "remove the rule `{rule}`"),
            Self::DropSource { rule, index } => write!(f, "remove entry {index} of `from` of rule `{rule}`"),
            Self::DropHost { rule, index } => {
                write!(f, "remove entry {index} of `interfaces.hosts` of rule `{rule}`")
            }
            Self::DropDeny { rule } => write!(f, "remove the deny rule `{rule}`"),
        }
    }
}
