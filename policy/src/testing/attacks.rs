//! Known attacks, held against the rules of a policy.

mod held;
mod specimen;
mod table;

use countersign_keys::Code;

use crate::{AllowRule, Decision, Outcome, TrustPolicy, UnixTime};
pub use held::HeldByProgram;
use specimen::Specimen;

/// A known attack that a policy can let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attack {
    /// `kebab-case`, stable.
    pub name: &'static str,
    /// What the attacker does, a sentence without full stop.
    pub what: &'static str,
}

/// What one rule says to every attack.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RuleAttacks {
    /// `id` of the rule.
    pub rule: String,
    /// Where the cards are said to come from; [`None`] if no source fits the rule.
    pub source: Option<String>,
    /// Why there are no trials, if so: a harmless card is denied too, for these codes. Of a rule that no source fits
    /// there are none.
    pub denies_harmless: Option<Vec<Code>>,
    /// The attacks in the order of the table, each tried by itself on a card that the rule admits.
    pub trials: Vec<AttackTrial>,
}

/// One attack on one rule.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AttackTrial {
    /// The attack.
    pub attack: Attack,
    /// What came of it.
    pub answer: AttackAnswer,
}

/// What came of an attack.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "no, yes, or not tried")]
pub enum AttackAnswer {
    /// It is denied.
    Denied {
        /// Why.
        codes: Vec<Code>,
        /// Whether the denial is enforced at the time of the trial; in audit mode it may not be.
        enforced: bool,
    },
    /// It is admitted, and nothing in the policy says that it is meant to be.
    Admitted,
    /// The policy, the rule or an exception allows on purpose what the attack needs, or has nothing to attack.
    NotTried {
        /// Why, a sentence.
        why: String,
    },
}

impl TrustPolicy {
    /// Holds known attacks against every allow rule, as of `now`.
    ///
    /// For each rule a source and the facts of a card are made up that the rule admits; each attack changes them in one
    /// point. The signatures are facts as well: they say that keys of the policy signed, nothing is signed or verified.
    /// So this asks the policy, and not the reading and verification of cards: see [`HeldByProgram::ALL`].
    #[must_use]
    pub fn withstand(&self, now: UnixTime) -> Vec<RuleAttacks> {
        self.allows().iter().map(|rule| on_rule(self, rule, now)).collect()
    }
}

fn on_rule(policy: &TrustPolicy, rule: &AllowRule, now: UnixTime) -> RuleAttacks {
    let mut answer = RuleAttacks {
        rule: rule.id.clone(),
        source: None,
        denies_harmless: Some(Vec::new()),
        trials: Vec::new(),
    };
    let stage = table::Stage { policy, rule, now };
    for specimen in Specimen::all(policy, rule, now) {
        let decision = specimen.decide(policy, now);
        let is_harmless = decision.outcome == Outcome::Admit;
        if answer.source.is_none() || is_harmless {
            answer.source = Some(specimen.request.source.url.raw().to_owned());
            answer.denies_harmless = Some(decision.codes());
        }
        if is_harmless {
            answer.denies_harmless = None;
            answer.trials = table::ATTACKS
                .iter()
                .map(|(attack, make)| trial(&stage, &specimen, *attack, *make))
                .collect();
            break;
        }
    }
    answer
}

fn trial(stage: &table::Stage<'_>, harmless: &Specimen, attack: Attack, make: table::Make) -> AttackTrial {
    let answer = match make(stage, harmless) {
        Err(why) => AttackAnswer::NotTried { why },
        Ok(harmful) => {
            answer(&harmful.iter().map(|card| card.decide(stage.policy, stage.now)).collect::<Vec<_>>())
        }
    };
    AttackTrial { attack, answer }
}

fn answer(decisions: &[Decision]) -> AttackAnswer {
    let mut admitted = decisions.iter().filter(|decision| decision.outcome == Outcome::Admit).peekable();
    if admitted.peek().is_none() {
        let codes = distinct(decisions.iter().flat_map(Decision::codes));
        let enforced = decisions.iter().all(|decision| decision.enforced);
        return AttackAnswer::Denied { codes, enforced };
    }
    let waived: Option<Vec<_>> = admitted.map(|decision| decision.waived.first()).collect();
    match waived.as_ref().and_then(|waived| waived.first()) {
        Some(waived) => {
            let why = format!("the exception `{}` waives `{}`", waived.exception, waived.reason.code);
            AttackAnswer::NotTried { why }
        }
        None => AttackAnswer::Admitted,
    }
}

fn distinct(codes: impl Iterator<Item = Code>) -> Vec<Code> {
    let mut distinct = Vec::new();
    for code in codes {
        if !distinct.contains(&code) {
            distinct.push(code);
        }
    }
    distinct
}
