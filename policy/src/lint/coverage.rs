//! What test cases reach of a policy.

use std::collections::BTreeSet;

use countersign_keys::{Code, Level};

use super::report::{Remark, Report};
use super::{Family, PolicyLint, Subject, exceptions};
use crate::codes::lints as codes;
use crate::{AdmissionRequest, Decision, Host, Outcome, TrustPolicy};

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const UNTESTED: PolicyLint = PolicyLint::new(codes::POLICY_RULE_WITHOUT_TEST, Level::Warning);

static LINTS: [PolicyLint; 1] = [UNTESTED];

/// Lints of which nothing is known without test cases.
pub(super) const NEED_COVERAGE: [Code; 3] =
    [UNTESTED.code, exceptions::UNUSED.code, codes::POLICY_APEX_PROBABLY_MISSING];

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

    pub(super) fn has_source(&self, host: &Host) -> bool {
        self.sources.contains(&host.to_string())
    }

    pub(super) fn needs_exception(&self, id: &str) -> bool {
        self.exceptions.contains(id)
    }
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    let Some(coverage) = subject.coverage else { return };
    for rule in subject.policy.allows() {
        let missing = match (coverage.admitting.contains(&rule.id), coverage.denying.contains(&rule.id)) {
            (true, true) => continue,
            (true, false) => "is denied",
            (false, true) => "is admitted",
            (false, false) => "is admitted, and none in which one is denied,",
        };
        let message = format!("there is no test case in which a card {missing} under the rule `{}`", rule.id);
        report.add(&UNTESTED, &rule.place, Remark::new(message));
    }
    for rule in subject.policy.denies().iter().filter(|rule| !coverage.deny_rules.contains(&rule.id)) {
        let message = format!("there is no test case that the rule `{}` denies", rule.id);
        report.add(&UNTESTED, &rule.place, Remark::new(message));
    }
}
