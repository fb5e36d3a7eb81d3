//! What of a policy a set of decisions makes use of.

use std::collections::BTreeSet;
use std::fmt;

use crate::{AdmissionRequest, Decision, Host, Outcome, PolicyPlace, TrustPolicy};

/// What the decisions of test cases went through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyCoverage {
    /// Hosts of the sources.
    pub sources: BTreeSet<String>,
    /// Rules under which a card was admitted.
    pub admitting: BTreeSet<String>,
    /// Rules under which a card was denied.
    pub denying: BTreeSet<String>,
    /// Deny rules that hit.
    pub deny_rules: BTreeSet<String>,
    /// Exceptions that waived something.
    pub exceptions: BTreeSet<String>,
    /// Keys whose signatures counted.
    pub keys: BTreeSet<String>,
}

/// What no decision made use of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CoverageGap {
    /// In which way.
    pub kind: GapKind,
    /// `id` of the rule, key or exception.
    pub id: String,
    /// Where it is written.
    pub place: PolicyPlace,
}

/// In which way a part of a policy was not made use of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GapKind {
    /// An allow rule admits no card.
    NeverAdmits,
    /// An allow rule denies no card.
    NeverDenies,
    /// No signature of a key, or of any key of a set, counts.
    NeverSigns,
    /// A deny rule never hits.
    NeverHits,
    /// An exception waives nothing.
    NeverWaives,
}

impl PolicyCoverage {
    /// Adds what a decision of `policy` went through.
    pub fn note(&mut self, policy: &TrustPolicy, request: &AdmissionRequest, decision: &Decision) {
        self.sources.insert(request.source.url.host().to_string());
        if let Some(rule) = &decision.rule {
            let side = match decision.outcome {
                Outcome::Admit => &mut self.admitting,
                Outcome::Deny => &mut self.denying,
            };
            side.insert(rule.clone());
        }
        for place in decision.reasons.iter().filter_map(|reason| reason.place.as_ref()) {
            let hit = policy.denies().iter().filter(|rule| {
                rule.hosts.iter().any(|host| host.place == *place)
                    || rule.extensions.iter().any(|extension| extension.place == *place)
            });
            self.deny_rules.extend(hit.map(|rule| rule.id.clone()));
        }
        self.exceptions.extend(decision.waived.iter().map(|waived| waived.exception.clone()));
        let counted = decision.signatures.iter().filter(|signature| signature.counts);
        self.keys.extend(counted.filter_map(|signature| signature.key.clone()));
    }

    pub(crate) fn has_source(&self, host: &Host) -> bool {
        self.sources.contains(&host.to_string())
    }

    pub(crate) fn needs_exception(&self, id: &str) -> bool {
        self.exceptions.contains(id)
    }

    /// What of `policy` was not made use of: rules, keys, deny rules, exceptions, each in the order of the policy.
    #[must_use]
    pub fn gaps(&self, policy: &TrustPolicy) -> Vec<CoverageGap> {
        let gap = |kind, id: &str, place: &PolicyPlace| CoverageGap {
            kind,
            id: id.to_owned(),
            place: place.clone(),
        };
        let mut gaps = Vec::new();
        for rule in policy.allows() {
            if !self.admitting.contains(&rule.id) {
                gaps.push(gap(GapKind::NeverAdmits, &rule.id, &rule.place));
            }
            if !self.denying.contains(&rule.id) {
                gaps.push(gap(GapKind::NeverDenies, &rule.id, &rule.place));
            }
        }
        let mut seen = BTreeSet::new();
        let unused = policy.keys().iter().filter(|key| !self.keys.contains(&key.id) && seen.insert(&key.id));
        gaps.extend(unused.map(|key| gap(GapKind::NeverSigns, &key.id, &key.place)));
        let unused = policy.denies().iter().filter(|rule| !self.deny_rules.contains(&rule.id));
        gaps.extend(unused.map(|rule| gap(GapKind::NeverHits, &rule.id, &rule.place)));
        let unused = policy.exceptions().iter().filter(|exception| !self.exceptions.contains(&exception.id));
        gaps.extend(unused.map(|exception| gap(GapKind::NeverWaives, &exception.id, &exception.place)));
        gaps
    }
}

impl GapKind {
    /// `never-admits`, `never-denies`, `never-signs`, `never-hits` or `never-waives`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NeverAdmits => "never-admits",
            Self::NeverDenies => "never-denies",
            Self::NeverSigns => "never-signs",
            Self::NeverHits => "never-hits",
            Self::NeverWaives => "never-waives",
        }
    }
}

/// One sentence.
impl fmt::Display for CoverageGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = &self.id;
        match self.kind {
            GapKind::NeverAdmits => write!(f, "rule `{id}` admits no card in any case"),
            GapKind::NeverDenies => write!(f, "rule `{id}` denies no card in any case"),
            GapKind::NeverSigns => write!(f, "no signature of key `{id}` counts in any case"),
            GapKind::NeverHits => write!(f, "deny rule `{id}` hits in no case"),
            GapKind::NeverWaives => write!(f, "exception `{id}` waives nothing in any case"),
        }
    }
}
