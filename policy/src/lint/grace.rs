//! Weaker demands that should end, or have ended.

use countersign_keys::Level;

use super::report::{Remark, Report};
use super::{Family, LONG_DAYS, PolicyLint, SOON_DAYS, Subject};
use crate::codes::{self, load};
use crate::{AllowRule, Grace, Mode, PolicyPlace, SignatureLevel};

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const ANY_HOST: PolicyLint = PolicyLint::new(codes::POLICY_HOST_ANY, Level::Error);
const UNSIGNED: PolicyLint = PolicyLint::new(load::POLICY_UNSIGNED_IN_ENFORCE, Level::Error);
const AUDIT: PolicyLint = PolicyLint::new(load::POLICY_AUDIT_WITHOUT_END, Level::Error);

const SOON: PolicyLint = PolicyLint::new(codes::lints::POLICY_GRACE_ENDS_SOON, Level::Warning);
const LONG: PolicyLint = PolicyLint::new(codes::lints::POLICY_GRACE_TOO_LONG, Level::Warning);

static LINTS: [PolicyLint; 5] = [ANY_HOST, UNSIGNED, AUDIT, SOON, LONG];

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
        Some(grace) => {
            let (what, since) = ("`any-host`", "only the listed hosts count");
            duration(subject, (&ANY_HOST, &any_host.place), (grace, what, since), report);
        }
    }
}

fn ended_weakness(subject: &Subject<'_>, rule: &AllowRule, report: &mut Report) {
    let mut look = |lint, place: &PolicyPlace, grace: &Grace, what: &str, since: &str| {
        duration(subject, (lint, place), (grace, what, since), report);
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

/// Whether something weaker has ended, ends soon or lasts long.
fn duration(
    subject: &Subject<'_>,
    (lint, place): (&'static PolicyLint, &PolicyPlace),
    (grace, what, since): (&Grace, &str, &str),
    report: &mut Report,
) {
    if !grace.holds(subject.now) {
        report.add(lint, place, ended(grace, what, since));
    } else if grace.until <= subject.in_days(SOON_DAYS) {
        let message = format!("{what} ends {}: from then on {since}", grace.until);
        report.add(&SOON, place, Remark::new(message));
    } else if grace.until > subject.in_days(LONG_DAYS) {
        let message = format!("{what} lasts until {}, more than {LONG_DAYS} days from now", grace.until);
        report.add(&LONG, place, Remark::new(message));
    }
}

fn ended(grace: &Grace, what: &str, since: &str) -> Remark {
    let message = format!("{what} ended {}: since then {since}", grace.until);
    Remark::new(message).level(Level::Warning).help("delete it, or have its owner set a new end")
}
