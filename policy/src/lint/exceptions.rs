//! Exceptions that have ended, end soon, last long or have no effect.

use countersign_keys::Level;

use super::report::{Remark, Report};
use super::{Family, PolicyLint, Subject};
use crate::codes::lints as codes;
use crate::{AllowPattern, Exception};

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const EXPIRED: PolicyLint = PolicyLint::new(codes::POLICY_EXCEPTION_EXPIRED, Level::Warning);
const SOON: PolicyLint = PolicyLint::new(codes::POLICY_EXCEPTION_EXPIRES_SOON, Level::Warning);
const LONG: PolicyLint = PolicyLint::new(codes::POLICY_EXCEPTION_TOO_LONG, Level::Warning);
pub(super) const UNUSED: PolicyLint = PolicyLint::new(codes::POLICY_EXCEPTION_UNUSED, Level::Warning);

static LINTS: [PolicyLint; 4] = [EXPIRED, SOON, LONG, UNUSED];

const DAY_SECONDS: i64 = 86_400;

/// Days before the end of an exception in which it is told.
const SOON_DAYS: i64 = 14;

/// Days from now that an exception may last without being told.
const LONG_DAYS: i64 = 180;

fn check(subject: &Subject<'_>, report: &mut Report) {
    for exception in subject.policy.exceptions() {
        duration(subject, exception, report);
        effect(subject, exception, report);
    }
}

fn duration(subject: &Subject<'_>, exception: &Exception, report: &mut Report) {
    let Exception { id, owner, until, .. } = exception;
    let in_days = |days: i64| subject.now.saturating_add_seconds(days.saturating_mul(DAY_SECONDS));
    if *until < subject.now {
        let remark = Remark::new(format!("the exception `{id}` ended {until} and has no effect"));
        report.add(&EXPIRED, &exception.place, remark.help(format!("delete it, or ask `{owner}`")));
    } else if *until <= in_days(SOON_DAYS) {
        let remark = Remark::new(format!("the exception `{id}` ends {until}"));
        report.add(
            &SOON,
            &exception.place,
            remark.help(format!("ask `{owner}` whether what it waives is met")),
        );
    } else if *until > in_days(LONG_DAYS) {
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
