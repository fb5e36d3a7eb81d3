//! What test cases reach of a policy.

use countersign_keys::{Code, Level};

use super::report::{Remark, Report};
use super::{Family, PolicyLint, Subject, exceptions};
use crate::codes::lints as codes;

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const UNTESTED: PolicyLint = PolicyLint::new(codes::POLICY_RULE_WITHOUT_TEST, Level::Warning);

static LINTS: [PolicyLint; 1] = [UNTESTED];

/// Lints of which nothing is known without test cases.
pub(super) const NEED_COVERAGE: [Code; 3] =
    [UNTESTED.code, exceptions::UNUSED.code, codes::POLICY_APEX_PROBABLY_MISSING];

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
