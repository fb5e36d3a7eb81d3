//! `policy test`: whether a policy decides as its owner expects.

mod human;
mod json;
mod junit;

use std::io;

use countersign::policy::{AttackAnswer, CoverageGap, RuleAttacks};
use serde::Serialize;

use crate::args::{Format, PolicyTestArgs, ReportFormat};
use crate::failure::{Failure, Stop};
use crate::input;
use crate::outcome::Outcome;
use crate::output::Session;
use crate::policytest::{Decided, Noticed, Policies, Suite};

/// What was found about a policy beside its cases.
#[derive(Default)]
struct Extras {
    gaps: Option<Vec<CoverageGap>>,
    mutants: Option<Noticed>,
    attacks: Option<Vec<RuleAttacks>>,
}

/// How much was found in all; in JSON the members of the summary, in this order.
#[derive(Default, Serialize)]
struct Totals {
    files: usize,
    cases: usize,
    failed: usize,
    gaps: Option<usize>,
    mutants: Option<usize>,
    survivors: Option<usize>,
    attacks: Option<usize>,
    admitted: Option<usize>,
    /// Attacks that are denied and would pass all the same, because of audit mode.
    not_enforced: Option<usize>,
    /// Attacks that the policy leaves no room for, on purpose or not.
    not_tried: Option<usize>,
}

/// One format.
trait TestReport {
    fn begin(&mut self, _: &mut Session<'_>) -> io::Result<()> {
        Ok(())
    }

    fn suite(&mut self, suite: &Suite, decided: &[Decided<'_>], session: &mut Session<'_>) -> io::Result<()>;

    fn extras(&mut self, policy: &str, extras: &Extras, session: &mut Session<'_>) -> io::Result<()>;

    fn end(&mut self, totals: &Totals, session: &mut Session<'_>) -> io::Result<()>;
}

pub(super) fn run(
    args: &PolicyTestArgs,
    format: ReportFormat,
    session: &mut Session<'_>,
) -> Result<Outcome, Stop> {
    let mut report: Box<dyn TestReport> = match format.common() {
        Some(Format::Human) => Box::new(human::Human),
        Some(Format::Short) => Box::new(human::Short),
        Some(Format::Json) => Box::new(json::Json),
        None if format == ReportFormat::Junit => Box::new(junit::Junit),
        None => {
            return Err(
                Failure::no_format(format, "`policy test`", "`human`, `short`, `json` and `junit`").into()
            );
        }
    };
    input::refuse_second_standard(args.files.iter())?;
    let mut outcome = Outcome::Yes;
    let mut policies = Policies::default();
    for path in &args.files {
        match policies.add(path, session) {
            Ok(()) => {}
            Err(Stop::Failure(failure)) => {
                session.fail(&failure)?;
                outcome = outcome.max(failure.outcome);
            }
            Err(stop) => return Err(stop),
        }
    }
    let mut totals = Totals::default();
    report.begin(session)?;
    for (suite, tested) in policies.each() {
        let decided = suite.decide(&tested.policy);
        totals.files += 1;
        totals.cases += decided.len();
        totals.failed += decided.iter().filter(|decided| !decided.holds()).count();
        report.suite(suite, &decided, session)?;
    }
    for tested in &policies.tested {
        let extras = Extras {
            gaps: args.coverage.then(|| policies.gaps(tested)),
            mutants: args.mutants.then(|| policies.mutants(tested)),
            attacks: args.builtin.then(|| policies.attacks(tested)),
        };
        totals.add(&extras);
        report.extras(&tested.name, &extras, session)?;
    }
    report.end(&totals, session)?;
    let is_met = totals.failed == 0 && totals.admitted.is_none_or(|admitted| admitted == 0);
    Ok(outcome.max(if is_met { Outcome::Yes } else { Outcome::No }))
}

impl Totals {
    fn add(&mut self, extras: &Extras) {
        let add = |total: &mut Option<usize>, more: Option<usize>| {
            if let Some(more) = more {
                *total.get_or_insert_default() += more;
            }
        };
        add(&mut self.gaps, extras.gaps.as_ref().map(Vec::len));
        add(&mut self.mutants, extras.mutants.as_ref().map(|mutants| mutants.total));
        add(&mut self.survivors, extras.mutants.as_ref().map(|mutants| mutants.survivors.len()));
        let count = |is_counted: fn(&AttackAnswer) -> bool| {
            let rules = extras.attacks.as_ref()?.iter();
            Some(rules.flat_map(|rule| &rule.trials).filter(|trial| is_counted(&trial.answer)).count())
        };
        add(&mut self.attacks, count(|answer| !matches!(answer, AttackAnswer::NotTried { .. })));
        add(&mut self.admitted, count(|answer| *answer == AttackAnswer::Admitted));
        let is_audited =
            |answer: &AttackAnswer| matches!(answer, AttackAnswer::Denied { enforced: false, .. });
        add(&mut self.not_enforced, count(is_audited));
        add(&mut self.not_tried, count(|answer| matches!(answer, AttackAnswer::NotTried { .. })));
    }
}
