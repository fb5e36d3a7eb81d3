//! One JSON object for each case, gap, surviving change and attack, and one for the whole.

use std::io;

use countersign::policy::{AttackAnswer, CoverageGap, Mutant, PolicyPlace, RuleAttacks};
use serde::Serialize;

use super::{Extras, TestReport, Totals};
use crate::output::Session;
use crate::policytest::{Decided, Suite};

pub(super) struct Json;

#[derive(Serialize)]
struct CaseJson<'c> {
    schema: &'static str,
    file: &'c str,
    case: &'c str,
    outcome: &'static str,
    differences: Vec<DifferenceJson<'c>>,
    decision: DecisionJson<'c>,
    span: String,
}

#[derive(Serialize)]
struct DifferenceJson<'c> {
    member: &'static str,
    expected: &'c str,
    found: &'c str,
    span: String,
}

/// As much of a decision as a case can expect.
#[derive(Serialize)]
struct DecisionJson<'c> {
    outcome: &'static str,
    enforced: bool,
    codes: Vec<&'static str>,
    reasons: Vec<ReasonJson<'c>>,
    rule: Option<&'c str>,
    interfaces: Vec<String>,
    uncovered: Vec<&'c str>,
    evaluated_at: String,
    expires_at: String,
}

#[derive(Serialize)]
struct ReasonJson<'c> {
    code: &'static str,
    message: &'c str,
    pointer: Option<&'c str>,
    span: Option<String>,
}

#[derive(Serialize)]
struct GapJson<'g> {
    schema: &'static str,
    policy: &'g str,
    kind: &'static str,
    id: &'g str,
    message: String,
    span: String,
}

#[derive(Serialize)]
struct MutantJson<'m> {
    schema: &'static str,
    policy: &'m str,
    change: String,
    outcome: &'static str,
    help: &'m str,
    span: String,
}

#[derive(Serialize)]
struct AttackJson<'a> {
    schema: &'static str,
    policy: &'a str,
    rule: &'a str,
    source: Option<&'a str>,
    attack: Option<&'static str>,
    outcome: &'static str,
    enforced: Option<bool>,
    codes: Vec<&'static str>,
    message: Option<&'a str>,
}

#[derive(Serialize)]
struct SummaryJson<'t> {
    schema: &'static str,
    #[serde(flatten)]
    totals: &'t Totals,
}

impl TestReport for Json {
    fn suite(&mut self, suite: &Suite, decided: &[Decided<'_>], session: &mut Session<'_>) -> io::Result<()> {
        decided.iter().try_for_each(|decided| session.json(&CaseJson::of(&suite.name, decided)))
    }

    fn extras(&mut self, policy: &str, extras: &Extras, session: &mut Session<'_>) -> io::Result<()> {
        for gap in extras.gaps.iter().flatten() {
            session.json(&GapJson::of(policy, gap))?;
        }
        for mutant in extras.mutants.iter().flat_map(|mutants| &mutants.survivors) {
            session.json(&MutantJson::of(policy, mutant))?;
        }
        for attack in extras.attacks.iter().flatten().flat_map(|rule| AttackJson::all(policy, rule)) {
            session.json(&attack)?;
        }
        Ok(())
    }

    fn end(&mut self, totals: &Totals, session: &mut Session<'_>) -> io::Result<()> {
        session.json(&SummaryJson { schema: "countersign.policy-test-summary/1", totals })
    }
}

impl<'c> CaseJson<'c> {
    fn of(file: &'c str, decided: &'c Decided<'_>) -> Self {
        Self {
            schema: "countersign.policy-test/1",
            file,
            case: &decided.case.name,
            outcome: if decided.holds() { "holds" } else { "fails" },
            differences: decided
                .differences
                .iter()
                .map(|difference| DifferenceJson {
                    member: difference.member,
                    expected: &difference.expected,
                    found: &difference.found,
                    span: span(&difference.place),
                })
                .collect(),
            decision: DecisionJson::of(decided),
            span: span(&decided.case.place),
        }
    }
}

impl<'c> DecisionJson<'c> {
    fn of(decided: &'c Decided<'_>) -> Self {
        let decision = &decided.decision;
        let reasons = decision.reasons.iter().map(|reason| ReasonJson {
            code: reason.code.name(),
            message: &reason.message,
            pointer: reason.pointer.as_deref(),
            span: reason.place.as_ref().map(span),
        });
        Self {
            outcome: decision.outcome.name(),
            enforced: decision.enforced,
            codes: decision.codes().iter().map(|code| code.name()).collect(),
            reasons: reasons.collect(),
            rule: decision.rule.as_deref(),
            interfaces: countersign::policy::usable_interfaces(decision),
            uncovered: decision.uncovered.iter().map(|member| member.pointer.as_str()).collect(),
            evaluated_at: decision.evaluated_at.to_string(),
            expires_at: decision.expires_at.to_string(),
        }
    }
}

impl<'g> GapJson<'g> {
    fn of(policy: &'g str, gap: &'g CoverageGap) -> Self {
        let (kind, message, span) = (gap.kind.name(), gap.to_string(), span(&gap.place));
        Self { schema: "countersign.policy-coverage/1", policy, kind, id: &gap.id, message, span }
    }
}

impl<'m> MutantJson<'m> {
    fn of(policy: &'m str, mutant: &'m Mutant) -> Self {
        Self {
            schema: "countersign.policy-mutant/1",
            policy,
            change: mutant.change.to_string(),
            outcome: "survives",
            help: &mutant.advice,
            span: span(&mutant.place),
        }
    }
}

impl<'a> AttackJson<'a> {
    /// The trials of a rule; one object that says so where there are none.
    fn all(policy: &'a str, rule: &'a RuleAttacks) -> Vec<Self> {
        let without = |outcome, attack| Self {
            schema: "countersign.policy-attack/1",
            policy,
            rule: &rule.rule,
            source: rule.source.as_deref(),
            attack,
            outcome,
            enforced: None,
            codes: Vec::new(),
            message: None,
        };
        if let Some(codes) = &rule.denies_harmless {
            let codes = codes.iter().map(|code| code.name()).collect();
            let message = Some("no card could be made up that the rule admits");
            return vec![Self { codes, message, ..without("not-tried", None) }];
        }
        let trials = rule.trials.iter().map(|trial| {
            let attack = Some(trial.attack.name);
            match &trial.answer {
                AttackAnswer::Denied { codes, enforced } => Self {
                    codes: codes.iter().map(|code| code.name()).collect(),
                    enforced: Some(*enforced),
                    ..without("denied", attack)
                },
                AttackAnswer::Admitted => without("admitted", attack),
                AttackAnswer::NotTried { why } => Self { message: Some(why), ..without("not-tried", attack) },
            }
        });
        trials.collect()
    }
}

/// `trust-policy.toml:12:1`
fn span(place: &PolicyPlace) -> String {
    place.to_string()
}
