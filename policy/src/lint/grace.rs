//! Weaker demands that should end, or have ended.

use countersign_keys::Level;

use super::report::{Remark, Report};
use super::{Family, PolicyLint, Subject};
use crate::codes::{self, load};
use crate::{AllowRule, Grace, Mode, PolicyPlace, SignatureLevel};

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const ANY_HOST: PolicyLint = PolicyLint::new(codes::POLICY_HOST_ANY, Level::Error);
const UNSIGNED: PolicyLint = PolicyLint::new(load::POLICY_UNSIGNED_IN_ENFORCE, Level::Error);
const AUDIT: PolicyLint = PolicyLint::new(load::POLICY_AUDIT_WITHOUT_END, Level::Error);

static LINTS: [PolicyLint; 3] = [ANY_HOST, UNSIGNED, AUDIT];

fn check(subject: &Subject<'_>, report: &mut Report) {
    for rule in subject.policy.allows() {
        any_host(subject, rule, report);
        ended_weakness(subject, rule, report);
    }
}

fn any_host(subject: &Subject<'_>, rule: &AllowRule, report: &mut Report) {
    for network in rule.interfaces.networks.iter().filter(|network| network.value.holds_all()) {
        let message = format!("the network `{}` is every address", network.value);
        report.add(&ANY_HOST, &network.place, Remark::new(message).help("write the ranges that are yours"));
    }
    let Some(any_host) = &rule.interfaces.any_host else { return };
    match &any_host.value.grace {
        None => {
            let message = "interfaces may be on any public host, without a reason and for ever";
            report.add(&ANY_HOST, &any_host.place, Remark::new(message));
        }
        Some(grace) if !grace.holds(subject.now) => {
            let remark = ended(grace, "`any-host`", "only the listed hosts count");
            report.add(&ANY_HOST, &any_host.place, remark);
        }
        Some(_) => {}
    }
}

fn ended_weakness(subject: &Subject<'_>, rule: &AllowRule, report: &mut Report) {
    let mut look = |lint, place: &PolicyPlace, grace: &Grace, what: &str, since: &str| {
        if !grace.holds(subject.now) {
            report.add(lint, place, ended(grace, what, since));
        }
    };
    if let Mode::Audit(grace) = &rule.mode.value {
        look(&AUDIT, &rule.mode.place, grace, "the audit mode", "denials are enforced");
    }
    let terms = &rule.signatures;
    match &terms.level.value {
        SignatureLevel::IfPresent(grace) | SignatureLevel::Off(grace) => {
            let what = format!("the level `{}`", terms.level.value.name());
            look(&UNSIGNED, &terms.level.place, grace, &what, "unsigned cards are denied");
        }
        SignatureLevel::Require => {}
    }
    if let Some(allowance) = &terms.allow_uncovered {
        let since = "unsigned members are not let through";
        look(&UNSIGNED, &allowance.place, &allowance.value.grace, "`allow-uncovered`", since);
    }
}

fn ended(grace: &Grace, what: &str, since: &str) -> Remark {
    let message = format!("{what} ended {}: since then {since}", grace.until);
    Remark::new(message).level(Level::Warning).help("delete it, or have its owner set a new end")
}
