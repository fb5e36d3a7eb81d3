//! Whether the groups of keys that rules demand can be met: by keys in scope, in time and not revoked.

use std::collections::{BTreeMap, BTreeSet};

use countersign_keys::{Level, Thumbprint};

use super::index::Signer;
use super::report::{Remark, Report};
use super::{Family, PolicyLint, Subject};
use crate::codes::lints as codes;
use crate::{
    AllowPattern, AllowRule, KeyGroup, KeySelector, PolicyKey, PolicyPlace, SignatureLevel, UnixTime,
};

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const EXPIRED: PolicyLint = PolicyLint::new(codes::POLICY_EXPIRED_KEY, Level::Warning);
const SCOPE: PolicyLint = PolicyLint::new(codes::POLICY_KEY_SCOPE_MISSES_RULE, Level::Error);
const REVOKED: PolicyLint = PolicyLint::new(codes::POLICY_REVOKED_KEY_NEEDED, Level::Error);
const SINGLE: PolicyLint = PolicyLint::new(codes::POLICY_SINGLE_SIGNER_EVERYTHING, Level::Info);

static LINTS: [PolicyLint; 4] = [EXPIRED, SCOPE, REVOKED, SINGLE];

/// Most rules that one finding names.
const MAX_RULES: usize = 3;

/// The keys of a group that may sign for a source, as far as is needed to know whether they are enough.
#[derive(Default)]
struct Signers<'p> {
    /// Those that count now.
    usable: BTreeSet<Thumbprint>,
    expired: Vec<&'p PolicyKey>,
    revoked: Vec<&'p str>,
    /// All of them.
    all: BTreeSet<Thumbprint>,
    /// Whether a set at a URL is among them, which may have any keys.
    has_remote: bool,
}

/// For each expired key its end, and the rules that need it.
type Needed<'p> = BTreeMap<&'p str, (&'p PolicyKey, Vec<&'p str>)>;

fn check(subject: &Subject<'_>, report: &mut Report) {
    let mut needed = Needed::new();
    for rule in subject.policy.allows() {
        // Signatures that are not looked at need no keys.
        if matches!(rule.signatures.level.value.at(subject.now), SignatureLevel::Off(_)) {
            continue;
        }
        for group in &rule.signatures.groups {
            look(subject, rule, group, &mut needed, report);
        }
        single_signer(subject, rule, report);
    }
    for (id, (key, rules)) in needed {
        let end = UnixTime::from_seconds(key.trusted.not_after().unwrap_or_default());
        let message =
            format!("the key `{id}` counted until {end}, and {} cannot be met without it", list(&rules));
        report.add(&EXPIRED, &key.place, Remark::new(message));
    }
}

fn look<'p>(
    subject: &Subject<'p>,
    rule: &'p AllowRule,
    group: &'p KeyGroup,
    needed: &mut Needed<'p>,
    report: &mut Report,
) {
    let least = group.min.get();
    for from in &rule.from {
        let signers = Signers::of(subject, group, &from.value);
        if signers.has_remote || signers.usable.len() >= least {
            continue;
        }
        let revoked: Vec<&str> = signers.revoked.iter().copied().chain(tombstones(subject, group)).collect();
        if let Some(id) = revoked.first() {
            let message = format!("the rule `{}` cannot be met without `{id}`, which is revoked", rule.id);
            report.add(&REVOKED, &rule.place, Remark::new(message));
        } else if signers.all.len() < least {
            out_of_scope(rule, group, (&from.value, &from.place), signers.all.len(), report);
        }
        for key in &signers.expired {
            let (_, rules) = needed.entry(&key.id).or_insert((key, Vec::new()));
            if rules.last() != Some(&rule.id.as_str()) {
                rules.push(&rule.id);
            }
        }
    }
}

/// Too few keys of the group may sign for a source of the rule.
fn out_of_scope(
    rule: &AllowRule,
    group: &KeyGroup,
    (from, place): (&AllowPattern, &PolicyPlace),
    found: usize,
    report: &mut Report,
) {
    let keys = match &group.keys {
        KeySelector::Origin => "no key has origins that cover it".to_owned(),
        KeySelector::Named { names, .. } if group.min.get() == 1 => {
            format!("the origins of {} do not cover it", list(names))
        }
        KeySelector::Named { names, .. } => {
            format!("{found} keys of {} have origins that cover it, {} are needed", list(names), group.min)
        }
    };
    let message = format!("no card from `{from}` can meet the rule `{}`: {keys}", rule.id);
    let help = "add the source to the `origins` of the key, or take it out of `from`";
    report.add(&SCOPE, place, Remark::new(message).help(help));
}

impl<'p> Signers<'p> {
    /// Stops as soon as there are enough.
    fn of(subject: &Subject<'p>, group: &KeyGroup, source: &AllowPattern) -> Self {
        let mut signers = Self::default();
        for signer in subject.indexes.signers.near(source) {
            if !is_in(group, signer.id()) || !signer.may_sign_for(source) {
                continue;
            }
            match signer {
                Signer::Remote(_) => signers.has_remote = true,
                Signer::Key(key) => signers.add(subject, key),
            }
            if signers.has_remote || signers.usable.len() >= group.min.get() {
                break;
            }
        }
        signers
    }

    fn add(&mut self, subject: &Subject<'p>, key: &'p PolicyKey) {
        let thumbprint = key.trusted.thumbprint();
        if !self.all.insert(thumbprint) {
            return;
        }
        let now = subject.now.seconds();
        let is_revoked = |tombstone: &crate::Tombstone| tombstone.thumbprint == thumbprint;
        if subject.policy.tombstones().iter().any(is_revoked) {
            self.revoked.push(&key.id);
        } else if key.trusted.check_at(now).is_ok() {
            self.usable.insert(thumbprint);
        } else if key.trusted.not_after().is_some_and(|end| end < now) {
            self.expired.push(key);
        }
    }
}

/// Revoked keys that a group names.
fn tombstones<'p>(subject: &Subject<'p>, group: &'p KeyGroup) -> impl Iterator<Item = &'p str> {
    let ids = match &group.keys {
        KeySelector::Origin => &[],
        KeySelector::Named { ids, .. } => ids.as_slice(),
    };
    ids.iter().filter_map(|id| subject.indexes.tombstones.get(id.as_str())).map(|key| key.id.as_str())
}

fn is_in(group: &KeyGroup, id: &str) -> bool {
    match &group.keys {
        KeySelector::Origin => true,
        // They are sorted.
        KeySelector::Named { ids, .. } => ids.binary_search_by(|named| named.as_str().cmp(id)).is_ok(),
    }
}

/// Several groups that one key meets alone.
fn single_signer(subject: &Subject<'_>, rule: &AllowRule, report: &mut Report) {
    let groups = &rule.signatures.groups;
    if groups.len() < 2 || groups.iter().any(|group| group.min.get() > 1) {
        return;
    }
    let is_in_all = |id: &str| groups.iter().all(|group| is_in(group, id));
    let named = groups.iter().find_map(|group| match &group.keys {
        KeySelector::Named { ids, .. } => Some(ids.iter().map(String::as_str)),
        KeySelector::Origin => None,
    });
    let in_scope = |id: &str| {
        rule.from.iter().any(|from| subject.indexes.signers_of(&from.value).any(|signer| signer.id() == id))
    };
    let found = match named {
        Some(mut ids) => ids.find(|id| is_in_all(id) && in_scope(id)),
        None => rule
            .from
            .iter()
            .find_map(|from| subject.indexes.signers_of(&from.value).next())
            .map(|signer| signer.id()),
    };
    if let (Some(id), Some(first)) = (found, groups.first()) {
        let message =
            format!("a signature by `{id}` alone meets all {} groups of `{}`", groups.len(), rule.id);
        report.add(&SINGLE, &first.place, Remark::new(message).help("name different keys in each group"));
    }
}

fn list(names: &[impl AsRef<str>]) -> String {
    let mut shown: Vec<String> =
        names.iter().take(MAX_RULES).map(|name| format!("`{}`", name.as_ref())).collect();
    if names.len() > MAX_RULES {
        shown.push(format!("{} more", names.len().saturating_sub(MAX_RULES)));
    }
    shown.join(", ")
}
