//! For people: a line for each case, what differs, and what to add.

use std::io;

use countersign::policy::{AttackAnswer, AttackTrial, HeldByProgram, RuleAttacks};

use super::{Extras, TestReport, Totals};
use crate::output::{Detail, Session};
use crate::policytest::{Decided, Suite};
use crate::render::escape;

pub(super) struct Human;

/// One line for each case.
pub(super) struct Short;

impl TestReport for Human {
    fn suite(&mut self, suite: &Suite, decided: &[Decided<'_>], session: &mut Session<'_>) -> io::Result<()> {
        let paint = session.out.paint;
        session.say(&paint.bold(&escape(&suite.name)))?;
        for decided in decided {
            let name = escape(&decided.case.name);
            if decided.holds() {
                session.say(&format!("  {}  {name}", paint.good("holds")))?;
                continue;
            }
            session.say(&format!("  {}  {name}", paint.bad("FAILS")))?;
            for difference in &decided.differences {
                session.say(&format!("         {}", escape(&difference.to_string())))?;
            }
            session.say(&format!("         decision: {}", escape(&verdict(decided))))?;
            for reason in &decided.decision.reasons {
                session.say(&format!("           {}: {}", reason.code, escape(&reason.message)))?;
            }
        }
        Ok(())
    }

    fn extras(&mut self, policy: &str, extras: &Extras, session: &mut Session<'_>) -> io::Result<()> {
        let paint = session.out.paint;
        let policy = escape(policy);
        if let Some(gaps) = &extras.gaps {
            let head = format!("{policy}: coverage");
            session.say(&paint.bold(&head))?;
            if gaps.is_empty() {
                session.say(&format!("  {}", paint.good("every rule, key, deny rule and exception")))?;
            }
            for gap in gaps {
                let place = escape(&gap.place.to_string());
                session.say(&format!(
                    "  {} {} ({place})",
                    paint.warn("not covered:"),
                    escape(&gap.to_string())
                ))?;
            }
        }
        if let Some(mutants) = &extras.mutants {
            let noticed = mutants.total.saturating_sub(mutants.survivors.len());
            session
                .say(&paint.bold(&format!("{policy}: {noticed} of {} changes are noticed", mutants.total)))?;
            for mutant in &mutants.survivors {
                let (change, place) = (escape(&mutant.change.to_string()), escape(&mutant.place.to_string()));
                session.say(&format!("  {} {change} ({place})", paint.warn("not noticed:")))?;
                session.say(&format!("    help: {}", escape(&mutant.advice)))?;
            }
        }
        if let Some(rules) = &extras.attacks {
            for rule in rules {
                on_rule(&policy, rule, session)?;
            }
            session.say(&paint.bold("held by the program, whatever a policy says"))?;
            for held in HeldByProgram::ALL {
                session.say(&format!("  {}: {}", held.what, held.why))?;
            }
        }
        Ok(())
    }

    fn end(&mut self, totals: &Totals, session: &mut Session<'_>) -> io::Result<()> {
        if totals.files == 0 {
            return Ok(());
        }
        let paint = session.out.paint;
        let (cases, files) = (count(totals.cases, "case"), count(totals.files, "file"));
        let answer = match totals.failed {
            0 => paint.good("all hold"),
            failed => paint.bad(&format!("{failed} of them {}", if failed == 1 { "fails" } else { "fail" })),
        };
        session.say(&format!("{cases} in {files}: {answer}"))?;
        if let (Some(attacks), Some(admitted)) = (totals.attacks, totals.admitted) {
            let answer = match admitted {
                0 => paint.good("all denied"),
                admitted => paint.bad(&format!("{admitted} admitted")),
            };
            let beside = |number: Option<usize>, what: &str| match number {
                Some(number) if number > 0 => paint.warn(&format!(", {number} {what}")),
                Some(_) | None => String::new(),
            };
            let audited = beside(totals.not_enforced, "of them not enforced");
            let passed_over = beside(
                totals.not_tried,
                "not tried because the policy allows them or gives them nothing to attack",
            );
            session.say(&format!("{} tried: {answer}{audited}{passed_over}", count(attacks, "attack")))?;
        }
        Ok(())
    }
}

impl TestReport for Short {
    fn suite(&mut self, suite: &Suite, decided: &[Decided<'_>], session: &mut Session<'_>) -> io::Result<()> {
        for decided in decided {
            let line = format!("{}: {}: {}", suite.name, decided.case.name, summary(decided));
            session.say(&escape(&line))?;
        }
        Ok(())
    }

    fn extras(&mut self, policy: &str, extras: &Extras, session: &mut Session<'_>) -> io::Result<()> {
        for gap in extras.gaps.iter().flatten() {
            session.say(&escape(&format!("{}: not covered: {gap}", gap.place)))?;
        }
        for mutant in extras.mutants.iter().flat_map(|mutants| &mutants.survivors) {
            let line = format!("{}: not noticed: {}; {}", mutant.place, mutant.change, mutant.advice);
            session.say(&escape(&line))?;
        }
        for rule in extras.attacks.iter().flatten() {
            for trial in &rule.trials {
                let line = format!("{policy}: {}: {}: {}", rule.rule, trial.attack.name, answer(trial));
                session.say(&escape(&line))?;
            }
        }
        Ok(())
    }

    fn end(&mut self, _: &Totals, _: &mut Session<'_>) -> io::Result<()> {
        Ok(())
    }
}

fn on_rule(policy: &str, rule: &RuleAttacks, session: &mut Session<'_>) -> io::Result<()> {
    let paint = session.out.paint;
    let source = rule.source.as_deref().map(|source| format!(", cards from {source}")).unwrap_or_default();
    session.say(&paint.bold(&escape(&format!("{policy}: attacks on rule `{}`{source}", rule.rule))))?;
    if let Some(codes) = &rule.denies_harmless {
        let codes: Vec<_> = codes.iter().map(|code| code.name()).collect();
        let why =
            if codes.is_empty() { "no source is found that it is for".to_owned() } else { codes.join(", ") };
        session.say(&format!(
            "  {} no card could be made up that the rule admits: {why}",
            paint.warn("not tried:")
        ))?;
    }
    for trial in &rule.trials {
        let name = trial.attack.name;
        let line = match &trial.answer {
            AttackAnswer::Denied { .. } => {
                format!("  {}     {name}: {} ", paint.good("denied"), trial.attack.what)
            }
            AttackAnswer::Admitted => format!("  {}   {name}: {} ", paint.bad("ADMITTED"), trial.attack.what),
            AttackAnswer::NotTried { .. } if session.detail != Detail::Verbose => {
                format!("  {}  {name}: ", paint.dim("not tried"))
            }
            AttackAnswer::NotTried { .. } => {
                format!("  {}  {name}: {}: ", paint.dim("not tried"), trial.attack.what)
            }
        };
        let rest = match &trial.answer {
            AttackAnswer::NotTried { why } => why.clone(),
            AttackAnswer::Denied { .. } | AttackAnswer::Admitted => bracketed(trial),
        };
        session.say(format!("{line}{}", escape(&rest)).trim_end())?;
    }
    Ok(())
}

/// `[sig.absent], not enforced`
fn bracketed(trial: &AttackTrial) -> String {
    let AttackAnswer::Denied { codes, enforced } = &trial.answer else { return String::new() };
    let codes = codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(", ");
    let enforced = if *enforced { "" } else { ", not enforced" };
    format!("[{codes}]{enforced}")
}

fn answer(trial: &AttackTrial) -> String {
    match &trial.answer {
        AttackAnswer::Denied { .. } => format!("denied {}", bracketed(trial)),
        AttackAnswer::Admitted => "admitted".to_owned(),
        AttackAnswer::NotTried { why } => format!("not tried, {why}"),
    }
}

/// `deny under rule `acme`, not enforced`
pub(super) fn verdict(decided: &Decided<'_>) -> String {
    let decision = &decided.decision;
    let rule = decision.rule.as_ref().map(|rule| format!(" under rule `{rule}`")).unwrap_or_default();
    let enforced = if decision.enforced { "" } else { ", not enforced" };
    format!("{}{rule}{enforced}", decision.outcome.name())
}

fn summary(decided: &Decided<'_>) -> String {
    if decided.holds() {
        return "holds".to_owned();
    }
    let differences: Vec<_> = decided.differences.iter().map(ToString::to_string).collect();
    format!("fails: {}", differences.join("; "))
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
