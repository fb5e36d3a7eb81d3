//! JUnit XML: a suite for each test file with a case for each case, and for each policy a suite of what was asked beside.

use std::io::{self, Write};

use countersign::policy::{AttackAnswer, RuleAttacks};

use super::human::verdict;
use super::{Extras, TestReport, Totals};
use crate::output::Session;
use crate::policytest::{Decided, Suite};
use crate::report::junit::{suite, xml, xml_lines};

pub(super) struct Junit;

impl TestReport for Junit {
    fn begin(&mut self, session: &mut Session<'_>) -> io::Result<()> {
        let head =
            b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"countersign policy test\">\n";
        session.out.writer.write_all(head)
    }

    fn suite(
        &mut self,
        tested: &Suite,
        decided: &[Decided<'_>],
        session: &mut Session<'_>,
    ) -> io::Result<()> {
        let out = &mut *session.out.writer;
        let name = xml(&tested.name);
        let failures = decided.iter().filter(|decided| !decided.holds()).count();
        suite(&name, decided.len(), failures, 0, out)?;
        for decided in decided {
            let case = xml(&decided.case.name);
            let Some(first) = decided.differences.first() else {
                writeln!(out, "    <testcase name=\"{case}\" classname=\"{name}\"/>")?;
                continue;
            };
            let message = xml(&first.to_string());
            writeln!(out, "    <testcase name=\"{case}\" classname=\"{name}\">")?;
            writeln!(
                out,
                "      <failure message=\"{message}\" type=\"expectation\">{}</failure>",
                text(decided)
            )?;
            out.write_all(b"    </testcase>\n")?;
        }
        out.write_all(b"  </testsuite>\n")
    }

    fn extras(&mut self, policy: &str, extras: &Extras, session: &mut Session<'_>) -> io::Result<()> {
        let out = &mut *session.out.writer;
        if let Some(gaps) = &extras.gaps {
            let advice = gaps.iter().map(|gap| (gap.to_string(), format!("{}: {gap}", gap.place)));
            advised(&format!("{policy}: coverage"), advice.collect(), out)?;
        }
        if let Some(mutants) = &extras.mutants {
            let advice = mutants.survivors.iter().map(|mutant| {
                (mutant.change.to_string(), format!("{}: not noticed; {}", mutant.place, mutant.advice))
            });
            advised(&format!("{policy}: changes that no case notices"), advice.collect(), out)?;
        }
        extras.attacks.iter().flatten().try_for_each(|rule| attacks(policy, rule, out))
    }

    fn end(&mut self, _: &Totals, session: &mut Session<'_>) -> io::Result<()> {
        session.out.writer.write_all(b"</testsuites>\n")
    }
}

/// What differs, then the decision and its reasons.
fn text(decided: &Decided<'_>) -> String {
    let mut lines = vec![decided.case.place.to_string()];
    lines.extend(decided.differences.iter().map(ToString::to_string));
    lines.push(format!("decision: {}", verdict(decided)));
    lines
        .extend(decided.decision.reasons.iter().map(|reason| format!("{}: {}", reason.code, reason.message)));
    // A line end in a text of the card must not begin a line of ours.
    xml_lines(&lines.iter().map(|line| line.replace('\n', " ")).collect::<Vec<_>>().join("\n"))
}

/// Cases that pass with something to say.
fn advised(name: &str, cases: Vec<(String, String)>, out: &mut dyn Write) -> io::Result<()> {
    let name = xml(name);
    suite(&name, cases.len(), 0, 0, out)?;
    for (case, text) in cases {
        writeln!(out, "    <testcase name=\"{}\" classname=\"{name}\">", xml(&case))?;
        writeln!(out, "      <system-out>{}</system-out>\n    </testcase>", xml(&text))?;
    }
    out.write_all(b"  </testsuite>\n")
}

fn attacks(policy: &str, rule: &RuleAttacks, out: &mut dyn Write) -> io::Result<()> {
    let name = xml(&format!("{policy}: attacks on rule {}", rule.rule));
    let is_tried = |answer: &AttackAnswer| !matches!(answer, AttackAnswer::NotTried { .. });
    let tried: Vec<_> = rule.trials.iter().filter(|trial| is_tried(&trial.answer)).collect();
    let is_admitted = |answer: &AttackAnswer| *answer == AttackAnswer::Admitted;
    let failures = tried.iter().filter(|trial| is_admitted(&trial.answer)).count();
    suite(&name, tried.len(), failures, 0, out)?;
    for trial in tried {
        let (attack, what) = (xml(trial.attack.name), xml(trial.attack.what));
        if is_admitted(&trial.answer) {
            writeln!(out, "    <testcase name=\"{attack}\" classname=\"{name}\">")?;
            writeln!(out, "      <failure message=\"admitted: {what}\" type=\"attack\"/>\n    </testcase>")?;
        } else {
            writeln!(out, "    <testcase name=\"{attack}\" classname=\"{name}\"/>")?;
        }
    }
    out.write_all(b"  </testsuite>\n")
}
