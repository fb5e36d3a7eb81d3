//! The evaluation: policy, request, facts and time in, decision out. Every demand is looked at, whatever failed before.

mod auth;
mod context;
mod deny;
mod expiry;
mod extensions;
mod hosts;
mod interfaces;
mod pins;
mod signatures;
mod waive;

use std::borrow::Cow;
use std::sync::Arc;

use countersign_keys::{Code, Finding, Level, codes as key_codes, hex, sha256};

use crate::codes::{self, decision as reasons};
use crate::{
    AdmissionRequest, AllowRule, CardFacts, CardIdentity, Decision, FactFault, InterfaceOutcome,
    InterfaceVerdict, Mode, Outcome, PinComparison, PinMemory, PolicyIdentity, PolicyKey, Reason,
    SignatureFacts, Subject, TraceStep, TrustPolicy, UnixTime, Waived,
};
use context::Choice;
pub(crate) use context::{fits, fits_kind, loopback_names};
pub(crate) use hosts::nearest;
use signatures::Judged;
pub(crate) use waive::is_waivable;

/// Steps of an evaluation without pins, exceptions and extensions.
const USUAL_STEPS: usize = 7;

/// What the parts of an evaluation find out.
#[derive(Default)]
struct Notes {
    reasons: Vec<Reason>,
    findings: Vec<Finding>,
    trace: Vec<TraceStep>,
}

/// What an evaluation finds out, before the mode of the rule is looked at.
struct Held {
    notes: Notes,
    judged: Judged,
    interfaces: Vec<InterfaceVerdict>,
    waived: Vec<Waived>,
    pins: Option<PinComparison>,
}

/// A policy, a request, and the rule of the policy that cards of the request are held against. The card takes no part in
/// which rule it is.
#[derive(Debug)]
pub struct RuleChoice<'p> {
    policy: &'p TrustPolicy,
    request: &'p AdmissionRequest,
    choice: Choice<'p>,
}

impl TrustPolicy {
    /// Picks the rule for a request: the most specific one that the source, the tenant and the use fit. Where only the kind
    /// of source, the tenant or the use does not fit, the most specific one that the source fits; the decision is a denial
    /// then.
    #[must_use]
    pub fn choose<'p>(&'p self, request: &'p AdmissionRequest) -> RuleChoice<'p> {
        RuleChoice { policy: self, request, choice: Choice::of(self, request) }
    }

    /// The rule of [`choose`](Self::choose).
    #[must_use]
    pub fn rule_for(&self, request: &AdmissionRequest) -> Option<&AllowRule> {
        Choice::of(self, request).rule
    }

    /// Decides about a card.
    ///
    /// The answer depends on nothing but the arguments. It is admit if no deny rule hits, a rule is for the request, and
    /// every demand of the rule is met or waived by an exception. Not looked at: what names resolve to, who serves the card
    /// and the interfaces, and what the card was before, see [`RuleChoice::evaluate`].
    #[must_use]
    pub fn evaluate(&self, request: &AdmissionRequest, facts: &CardFacts<'_>, now: UnixTime) -> Decision {
        self.choose(request).evaluate(facts.clone(), PinMemory::NotKept, now)
    }
}

impl<'p> RuleChoice<'p> {
    /// The rule, if the source fits one.
    #[must_use]
    pub fn rule(&self) -> Option<&'p AllowRule> {
        self.choice.rule
    }

    /// The signatures that count under the rule, by their place in `signatures`: for every group of keys the ones that leave
    /// least of the card uncovered. Without a rule, the best one by a key whose origins cover the source.
    #[must_use]
    pub fn count(&self, signatures: &[SignatureFacts], memory: PinMemory<'_>, now: UnixTime) -> Vec<usize> {
        let ages = signatures::Ages::of(self.rule(), memory, now);
        signatures::count(self.policy, self.rule(), self.request, signatures, &ages)
    }

    /// [`TrustPolicy::evaluate`] for a card of whose agent something may be remembered. The memory stays as it is.
    ///
    /// Where cards are remembered, a card that a person revoked is denied whatever the rule says (`pin.revoked`), and so is
    /// an unsigned card from an origin of which a signed one was admitted (`sig.downgrade`). First use, rollback and changes
    /// are as the `pin` of the rule says: nothing where it has none. A card that a person accepted passes these four. Where a
    /// signature has no `iat` and the rule has a `pin`, `max-age` counts from when its payload was first admitted.
    #[must_use]
    pub fn evaluate(self, facts: CardFacts<'_>, memory: PinMemory<'_>, now: UnixTime) -> Decision {
        let Self { policy, request, choice } = self;
        let rule = choice.rule;
        let audit = match rule.filter(|_| choice.fits()).map(|rule| &rule.mode.value) {
            Some(Mode::Audit(grace)) if grace.holds(now) => Some(grace.clone()),
            Some(Mode::Audit(_) | Mode::Enforce) | None => None,
        };
        let ages = signatures::Ages::of(rule, memory, now);
        let held = policy.hold(choice, request, &facts, (memory, &ages));
        let Held { mut notes, judged, mut interfaces, waived, pins } = held;
        let outcome = if notes.reasons.is_empty() { Outcome::Admit } else { Outcome::Deny };
        let enforced = outcome == Outcome::Admit
            || audit.is_none()
            || notes.reasons.iter().any(|reason| holds_in_audit(reason.code));
        if !enforced {
            interfaces::release(&mut interfaces);
        }
        notes.step(
            "mode",
            match (&audit, enforced) {
                (Some(_), false) => "the rule is in audit mode: the denial is reported and not enforced",
                (Some(_), true) => "the rule is in audit mode, which changes nothing here",
                (None, _) => "the answer is enforced",
            },
        );
        let expires_at = expiry::of(&expiry::Used {
            rule,
            policy,
            source: &request.source.url,
            counted: &judged.counted,
            signatures: &facts.signatures,
            waived: &waived,
            outcome,
            ages: &ages,
        });
        let credentials = rule.filter(|_| outcome == Outcome::Admit);
        Decision {
            outcome,
            enforced,
            audit,
            reasons: notes.reasons,
            waived,
            rule: rule.map(|rule| rule.id.clone()),
            subject: Subject::of(request),
            credentials: credentials.map(|rule| auth::credentials(rule, &facts)).unwrap_or_default(),
            card: CardIdentity {
                sha256: facts.sha256,
                payload_sha256: facts.payload_sha256,
                name: facts.name.map(str::to_owned),
                version: facts.version.map(str::to_owned),
            },
            signature_level: rule.map(|rule| rule.signatures.level.value.at(now).name()),
            signatures: judged.verdicts,
            interfaces,
            uncovered: facts.uncovered,
            findings: notes.findings,
            trace: notes.trace,
            not_checked: not_checked(rule, request, memory),
            pins,
            policy: PolicyIdentity { name: policy.name().map(str::to_owned), digest: policy.shared_digest() },
            key_epoch: policy.key_epoch(now),
            evaluated_at: now,
            expires_at,
        }
    }
}

impl TrustPolicy {
    /// Holds every demand of the policy against the card.
    fn hold(
        &self,
        choice: Choice<'_>,
        request: &AdmissionRequest,
        facts: &CardFacts<'_>,
        (memory, ages): (PinMemory<'_>, &signatures::Ages<'_>),
    ) -> Held {
        let now = ages.now;
        let mut notes = Notes { trace: Vec::with_capacity(USUAL_STEPS), ..Notes::default() };
        let rule = choice.rule;
        deny::look(self, request, facts, &mut notes);
        choice.note(self, request, &mut notes);
        notes.reasons.extend(facts.unusable.iter().map(of_fault));
        let fault = facts.signatures_fault.as_ref();
        let mut judged = signatures::judge(self, rule, request, (&facts.signatures, fault), ages);
        notes.trace.push(judged.trace_step());
        notes.reasons.append(&mut judged.reasons);
        notes.findings.append(&mut judged.findings);
        notes.reasons.extend(facts.coverage_fault.iter().map(of_fault));
        notes.step("coverage", tally([(facts.uncovered.len(), " members are not covered")]));
        let (mut interfaces, mut waived) = (Vec::new(), Vec::new());
        let exceptions = rule.map(|rule| waive::Exceptions::of(self, rule, request, now));
        if let (Some(rule), Some(exceptions)) = (rule, &exceptions) {
            interfaces = interfaces::look(rule, request, facts, now, &mut notes);
            for interface in &mut interfaces {
                exceptions.waive(&mut interface.reasons, &mut waived);
                if interface.reasons.is_empty() && interface.is_complete() {
                    interface.outcome = InterfaceOutcome::Admitted;
                }
            }
            interfaces::conclude(rule, request, &interfaces, &mut notes);
            auth::look(rule, facts, &interfaces, &mut notes);
            extensions::look(request, facts, &mut notes);
        }
        let pins = pins::look(memory, rule, request, (facts, &judged), &mut notes);
        if let Some(exceptions) = exceptions {
            exceptions.waive(&mut notes.reasons, &mut waived);
            exceptions.note(&waived, &mut notes);
        }
        Held { notes, judged, interfaces, waived, pins }
    }

    /// `sha256:` and the digest of the thumbprints of the keys that are usable at `now`.
    #[must_use]
    pub fn key_epoch(&self, now: UnixTime) -> Arc<str> {
        let is_usable = |key: &&PolicyKey| key.trusted.check_at(now.seconds()).is_ok();
        if self.keys().iter().all(|key| is_usable(&key)) {
            return self.epoch_of_all_keys();
        }
        key_epoch_of(self.keys().iter().filter(is_usable)).into()
    }
}

impl Notes {
    fn step(&mut self, step: &'static str, why: impl Into<Cow<'static, str>>) {
        let why = why.into();
        self.trace.push(TraceStep { step, considered: Vec::new(), picked: None, why, place: None });
    }

    fn advise(&mut self, code: Code, level: Level, message: impl Into<String>, pointer: Option<&str>) {
        let finding = Finding::new(code, level, message);
        self.findings.push(match pointer {
            Some(pointer) => finding.at(pointer),
            None => finding,
        });
    }
}

/// Numbers, each with the words after it; without the machinery of `format!`, because every evaluation has four of these.
fn tally<const N: usize>(counted: [(usize, &str); N]) -> String {
    let mut text = String::with_capacity(40);
    for (number, words) in counted {
        match u8::try_from(number) {
            Ok(digit @ 0..=9) => text.push(char::from(b'0' + digit)),
            Ok(_) | Err(_) => text.push_str(&number.to_string()),
        }
        text.push_str(words);
    }
    text
}

/// `sha256:` and the digest of the thumbprints of `keys`, sorted.
pub(crate) fn key_epoch_of<'p>(keys: impl Iterator<Item = &'p PolicyKey>) -> String {
    let mut thumbprints: Vec<String> = keys.map(|key| key.trusted.thumbprint().to_string()).collect();
    thumbprints.sort_unstable();
    format!("sha256:{}", hex(&sha256(thumbprints.join("\n").as_bytes())))
}

/// Codes that no exception waives and that audit mode enforces: what was signed is not what arrived.
#[must_use]
pub fn is_integrity(code: Code) -> bool {
    const CODES: [Code; 6] = [
        key_codes::SIG_INVALID,
        key_codes::SIG_CRITICAL_HEADER,
        key_codes::SIG_REVOKED_KEY,
        reasons::SIG_ALGORITHM_NOT_ALLOWED,
        reasons::SIG_UNCOVERED_MEMBER,
        codes::URL_METADATA_ADDRESS,
    ];
    code.name().starts_with("json.") || CODES.contains(&code)
}

/// What the audit mode of a rule does not soften: what a deny rule or a person says, and damage to what was signed.
fn holds_in_audit(code: Code) -> bool {
    is_integrity(code) || [reasons::ORIGIN_DENIED, reasons::EXT_DENIED, reasons::PIN_REVOKED].contains(&code)
}

fn of_fault(fault: &FactFault) -> Reason {
    let reason = Reason::new(fault.code, fault.message.clone());
    match &fault.pointer {
        Some(pointer) => reason.found(pointer.clone(), None),
        None => reason,
    }
}

fn not_checked(
    rule: Option<&AllowRule>,
    request: &AdmissionRequest,
    memory: PinMemory<'_>,
) -> Vec<&'static str> {
    let pin = rule.is_some_and(|rule| rule.pin.is_some()) && memory.of_agent().is_none();
    [
        Some("dns"),
        Some("tls-peer"),
        pin.then_some("pins"),
        request.accept.is_none().then_some("client-bindings"),
        request.extensions.is_none().then_some("client-extensions"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::tally;

    #[test]
    fn numbers_are_written_as_format_writes_them() {
        for number in [0, 9, 10, 255, 256, usize::MAX] {
            assert_eq!(tally([(number, " of "), (3, " count")]), format!("{number} of 3 count"));
        }
    }
}
