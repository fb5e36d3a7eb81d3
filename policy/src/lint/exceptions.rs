//! Exceptions that have ended, end soon, last long or have no effect.

use countersign_keys::Level;

use super::report::{Remark, Report};
use super::{Family, LONG_DAYS, PolicyLint, SOON_DAYS, Subject};
use crate::codes::lints as codes;
use crate::{AllowPattern, Exception};

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const EXPIRED: PolicyLint = PolicyLint::new(codes::POLICY_EXCEPTION_EXPIRED, Level::Warning);
const SOON: PolicyLint = PolicyLint::new(codes::POLICY_EXCEPTION_EXPIRES_SOON, Level::Warning);
const LONG: PolicyLint = PolicyLint::new(codes::POLICY_EXCEPTION_TOO_LONG, Level::Warning);
pub(super) const UNUSED: PolicyLint = PolicyLint::new(codes::POLICY_EXCEPTION_UNUSED, Level::Warning);

static LINTS: [PolicyLint; 4] = [EXPIRED, SOON, LONG, UNUSED];

fn check(subject: &Subject<'_>, report: &mut Report) {
    for exception in subject.policy.exceptions() {
        duration(subject, exception, report);
        effect(subject, exception, report);
    }
}

fn duration(subject: &Subject<'_>, exception: &Exception, report: &mut Report) {
    let Exception { id, owner, until, .. } = exception;
    if *until < subject.now {
        let remark = Remark::new(format!("the exception `{id}` ended {until} and has no effect"));
        report.add(&EXPIRED, &exception.place, remark.help(format!("delete it, or ask `{owner}`")));
    } else if *until <= subject.in_days(SOON_DAYS) {
        let remark = Remark::new(format!("the exception `{id}` ends {until}"));
        report.add(
            &SOON,
            &exception.place,
            remark.help(format!("ask `{owner}` whether what it waives is met")),
        );
    } else if *until > subject.in_days(LONG_DAYS) {
        let message =
            format!("the exception `{id}` lasts until {until}, more than {LONG_DAYS} days from now");
        report.add(&LONG, &exception.place, Remark::new(message));
    }
}

/// An exception for a source that its rule is not for, or that no test case needs.
fn effect(subject: &Subject<'_>, exception: &Exception, report: &mut Report) {
    let Exception { id, origin, rule, .. } = exception;
    let is_for_origin = subject.policy.allow(&rule.value).is_some_and(|rule| {
        let origin = AllowPattern::read(&origin.value.to_string()).ok();
        rule.from.iter().any(|from| origin.as_ref().is_none_or(|origin| from.value.overlap(origin).is_some()))
    });
    if !is_for_origin {
        let message =
            format!("the exception `{id}` has no effect: `{}` is not for `{}`", rule.value, origin.value);
        report.add(&UNUSED, &origin.place, Remark::new(message));
    } else if subject.coverage.is_some_and(|coverage| !coverage.needs_exception(id)) {
        let message = format!("no test case needs the exception `{id}`");
        report.add(&UNUSED, &exception.place, Remark::new(message));
    }
}
