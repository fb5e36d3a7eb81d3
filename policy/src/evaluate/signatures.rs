//! Which signatures count, and whether they are enough.

use std::borrow::Cow;

use countersign_keys::{Algorithm, Finding, Level, Thumbprint, codes as key_codes};

use super::hosts::nearest;
use super::{is_integrity, of_fault, tally};
use crate::codes::decision as reasons;
use crate::{
    AdmissionRequest, AgentMemory, AllowRule, FactFault, KeyGroup, KeySelector, PinMemory, Placed, PolicyKey,
    Reaction, Reason, SignatureFacts, SignatureLevel, SignatureState, SignatureVerdict, TraceStep,
    TrustPolicy, UnixTime,
};

/// What is said about the signatures of a card.
pub(super) struct Judged {
    pub(super) verdicts: Vec<SignatureVerdict>,
    /// Places of those that count.
    pub(super) counted: Vec<usize>,
    pub(super) reasons: Vec<Reason>,
    pub(super) findings: Vec<Finding>,
    why: Cow<'static, str>,
}

/// The time, and how old signatures are that do not say it.
pub(super) struct Ages<'m> {
    pub(super) now: UnixTime,
    /// Where the rule lets what is remembered decide.
    memory: Option<&'m AgentMemory>,
}

impl<'m> Ages<'m> {
    pub(super) fn of(rule: Option<&AllowRule>, memory: PinMemory<'m>, now: UnixTime) -> Self {
        let memory = match memory {
            PinMemory::Kept(memory) if rule.is_some_and(|rule| rule.pin.is_some()) => Some(memory),
            PinMemory::Kept(_) | PinMemory::NotKept => None,
        };
        Self { now, memory }
    }

    /// When the payload of a signature without `iat` was first admitted: now, if it never was.
    pub(super) fn first_admitted(&self, facts: &SignatureFacts) -> Option<UnixTime> {
        let (memory, payload) = (self.memory?, facts.payload.as_ref()?);
        Some(memory.payloads.get(payload).copied().unwrap_or(self.now))
    }
}

/// A signature that a key in scope made, in time and with an allowed algorithm.
struct Eligible<'p> {
    place: usize,
    key: &'p PolicyKey,
    thumbprint: Thumbprint,
    uncovered_octets: usize,
}

/// The places of the signatures that [`judge`] counts.
pub(super) fn count(
    policy: &TrustPolicy,
    rule: Option<&AllowRule>,
    request: &AdmissionRequest,
    signatures: &[SignatureFacts],
    ages: &Ages<'_>,
) -> Vec<usize> {
    let level = rule.map_or(&SignatureLevel::Require, |rule| rule.signatures.level.value.at(ages.now));
    if matches!(level, SignatureLevel::Off(_)) {
        return Vec::new();
    }
    let eligible = |(place, facts): (usize, &SignatureFacts)| {
        let key = policy.key_of(facts, &request.source.url, ages.now);
        eligible(policy, rule, request, (place, facts, key), ages).ok().flatten()
    };
    let eligible: Vec<Eligible<'_>> = signatures.iter().enumerate().filter_map(eligible).collect();
    match rule {
        Some(rule) => best_of_groups(&rule.signatures.groups, &eligible, |_, _| {}),
        None => best(eligible.iter(), 1),
    }
}

/// Judges the signatures under a rule; without one, each by itself.
pub(super) fn judge(
    policy: &TrustPolicy,
    rule: Option<&AllowRule>,
    request: &AdmissionRequest,
    (signatures, fault): (&[SignatureFacts], Option<&FactFault>),
    ages: &Ages<'_>,
) -> Judged {
    let now = ages.now;
    let level = rule.map_or(&SignatureLevel::Require, |rule| rule.signatures.level.value.at(now));
    let mut judged = Judged {
        verdicts: Vec::new(),
        counted: Vec::new(),
        reasons: Vec::new(),
        findings: Vec::new(),
        why: Cow::Borrowed(""),
    };
    let is_unsigned = signatures.is_empty() && fault.is_none();
    match level {
        SignatureLevel::Off(grace) => {
            let message = format!("the policy looks at no signature until {}: {}", grace.until, grace.reason);
            judged.findings.push(Finding::new(reasons::SIG_NOT_CHECKED, Level::Warning, message));
            judged.why = "signatures are off".into();
            return judged;
        }
        SignatureLevel::IfPresent(grace) if is_unsigned => {
            let message = format!(
                "the card is unsigned, which the policy accepts until {}: {}",
                grace.until, grace.reason
            );
            judged.findings.push(Finding::new(reasons::SIG_ABSENT, Level::Warning, message));
            judged.why = "unsigned, and verified only if signed".into();
            return judged;
        }
        SignatureLevel::IfPresent(_) | SignatureLevel::Require => {}
    }
    let mut eligible = Vec::new();
    for (place, facts) in signatures.iter().enumerate() {
        let (verdict, candidate) = verdict(policy, rule, request, (place, facts), ages);
        judged.verdicts.push(verdict);
        eligible.extend(candidate);
    }
    if let Some(fault) = fault {
        judged.reasons.push(of_fault(fault));
        judged.why = "the signatures were not looked at".into();
        return judged;
    }
    if is_unsigned {
        judged.reasons.push(absent(rule));
        judged.why = "there is no signature".into();
        return judged;
    }
    match rule {
        Some(rule) => {
            judged.hold_against(&rule.signatures.groups, &eligible);
            judged.look_for_stale(rule, signatures);
        }
        None => {
            judged.counted = best(eligible.iter(), 1);
            judged.why = "no rule says which keys are needed".into();
        }
    }
    for place in &judged.counted {
        if let Some(verdict) = judged.verdicts.get_mut(*place) {
            verdict.counts = true;
        }
    }
    judged
}

impl Judged {
    pub(super) fn trace_step(&mut self) -> TraceStep {
        let mut picked: Option<String> = None;
        for key in self.verdicts.iter().filter(|verdict| verdict.counts).filter_map(|one| one.key.as_deref())
        {
            match &mut picked {
                Some(picked) => picked.extend([", ", key]),
                None => picked = Some(key.to_owned()),
            }
        }
        TraceStep {
            step: "signatures",
            considered: self.verdicts.iter().filter_map(|verdict| verdict.key.clone()).collect(),
            picked,
            why: std::mem::take(&mut self.why),
            place: None,
        }
    }

    /// Every group needs enough distinct keys.
    fn hold_against(&mut self, groups: &[KeyGroup], eligible: &[Eligible<'_>]) {
        let mut missed = Vec::new();
        self.counted = best_of_groups(groups, eligible, |group, found| missed.push((group, found)));
        if missed.is_empty() {
            let why = tally([(self.counted.len(), " of "), (self.verdicts.len(), " signatures count")]);
            self.why = why.into();
            return;
        }
        self.why = "not enough signatures count".into();
        let deciding = deciding(&self.verdicts);
        for (group, found) in missed {
            // A group that nobody signed for tells less than why the signatures failed, unless one of them is good.
            if !eligible.is_empty() || deciding.is_empty() {
                self.reasons.push(too_few(group, found, eligible));
            }
        }
        for reason in deciding {
            if !self.reasons.contains(&reason) {
                self.reasons.push(reason);
            }
        }
    }

    /// Signatures of trusted keys that fail beside ones that are enough.
    fn look_for_stale(&mut self, rule: &AllowRule, signatures: &[SignatureFacts]) {
        if !self.reasons.is_empty() {
            return;
        }
        let failed = signatures
            .iter()
            .filter(|facts| facts.faults.iter().any(|fault| fault.code == key_codes::SIG_INVALID));
        for facts in failed {
            let message = format!(
                "the signature under the trusted `kid` `{}` does not verify although another does: the card was changed after \
                 it was made, or it was made under a form that is not accepted",
                facts.kid.as_deref().unwrap_or_default()
            );
            let pointer = pointer(facts);
            match rule.signatures.stale.value {
                Reaction::Report => {
                    let finding = Finding::new(reasons::SIG_STALE, Level::Warning, message);
                    self.findings.push(finding.at(pointer));
                }
                Reaction::Deny => {
                    let reason =
                        Reason::new(reasons::SIG_STALE, message).found(pointer, facts.kid.as_deref());
                    self.reasons.push(reason.demanded(&rule.signatures.stale.place));
                }
            }
        }
    }
}

/// What is said about one signature, and the signature itself if it may count.
fn verdict<'p>(
    policy: &'p TrustPolicy,
    rule: Option<&AllowRule>,
    request: &AdmissionRequest,
    (place, facts): (usize, &SignatureFacts),
    ages: &Ages<'_>,
) -> (SignatureVerdict, Option<Eligible<'p>>) {
    let key = policy.key_of(facts, &request.source.url, ages.now);
    let mut verdict = SignatureVerdict {
        endorsement: facts.endorsement,
        index: facts.index,
        kid: facts.kid.clone(),
        alg: facts.alg.clone(),
        outcome: facts.state,
        key: key.map(|key| key.id.clone()),
        form: facts.form,
        counts: false,
        reasons: facts.faults.iter().map(of_fault).collect(),
    };
    let eligible = eligible(policy, rule, request, (place, facts, key), ages);
    match eligible {
        Ok(eligible) => (verdict, eligible),
        Err((outcome, reason)) => {
            verdict.outcome = outcome;
            verdict.reasons.push(*reason);
            (verdict, None)
        }
    }
}

/// The signature, if it verified and may count. Fails if it verified and may not: what it is instead, and why.
fn eligible<'p>(
    policy: &'p TrustPolicy,
    rule: Option<&AllowRule>,
    request: &AdmissionRequest,
    (place, facts, key): (usize, &SignatureFacts, Option<&'p PolicyKey>),
    ages: &Ages<'_>,
) -> Result<Option<Eligible<'p>>, (SignatureState, Box<Reason>)> {
    if facts.state != SignatureState::Verified {
        return Ok(None);
    }
    let unverifiable = |reason| (SignatureState::Unverifiable, Box::new(reason));
    let Some((thumbprint, key)) = facts.thumbprint.zip(key) else {
        // Whoever verified it used a key that the policy does not have.
        let message = "the key that made the signature is not one of the policy";
        return Err(unverifiable(Reason::new(key_codes::SIG_UNKNOWN_KEY, message)));
    };
    let refusal = out_of_scope(key, request, facts)
        .or_else(|| rule.and_then(|rule| not_allowed(rule, facts)))
        .or_else(|| unusable(key, facts, ages.now));
    if let Some(reason) = refusal {
        return Err(unverifiable(reason));
    }
    if let Some(reason) = rule.and_then(|rule| out_of_date(policy, rule, facts, ages)) {
        return Err((SignatureState::Invalid, Box::new(reason)));
    }
    Ok(Some(Eligible { place, key, thumbprint, uncovered_octets: facts.uncovered_octets }))
}

fn out_of_scope(key: &PolicyKey, request: &AdmissionRequest, facts: &SignatureFacts) -> Option<Reason> {
    let source = &request.source.url;
    if key.speaks_for(source) {
        return None;
    }
    let message = format!("the key `{}` may not speak for `{}`", key.id, source.origin());
    let reason =
        Reason::new(reasons::SIG_KEY_OUT_OF_SCOPE, message).found(pointer(facts), facts.kid.as_deref());
    Some(reason.demanded(&key.place).near(nearest(source, &key.origins)))
}

/// A key in several sets may have verified by another entry than the one that speaks for the source.
fn unusable(key: &PolicyKey, facts: &SignatureFacts, now: UnixTime) -> Option<Reason> {
    if key.is_usable(facts.algorithm, now) {
        return None;
    }
    let message = format!("`{}`, which speaks for the source, does not let the key be used for this", key.id);
    let reason = Reason::new(key_codes::SIG_UNKNOWN_KEY, message).found(pointer(facts), facts.kid.as_deref());
    Some(reason.demanded(&key.place))
}

fn not_allowed(rule: &AllowRule, facts: &SignatureFacts) -> Option<Reason> {
    let allowed = rule.signatures.algorithms.as_ref()?;
    let fits = |algorithm: Algorithm| allowed.value.iter().any(|allowed| allowed.agrees_with(algorithm));
    if facts.algorithm.is_some_and(fits) {
        return None;
    }
    let alg = facts.alg.as_deref().unwrap_or_default();
    let names = allowed.value.iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>().join(", ");
    let message = format!("the algorithm `{alg}` is none of {names}");
    let reason = Reason::new(reasons::SIG_ALGORITHM_NOT_ALLOWED, message).found(pointer(facts), Some(alg));
    Some(reason.demanded(&allowed.place))
}

fn out_of_date(
    policy: &TrustPolicy,
    rule: &AllowRule,
    facts: &SignatureFacts,
    ages: &Ages<'_>,
) -> Option<Reason> {
    let now = ages.now;
    let Placed { value: max_age, place } = rule.signatures.max_age_seconds.as_ref()?;
    if facts.issued_at.is_none()
        && let Some(first) = ages.first_admitted(facts)
    {
        // The pin decides.
        let is_young = first.saturating_add_seconds(*max_age) >= now;
        let message = format!(
            "what the signature is over was first admitted at {first}, more than {max_age} seconds ago"
        );
        let reason = Reason::new(reasons::FRESH_TOO_OLD, message).found(pointer(facts), None);
        return (!is_young).then(|| reason.demanded(place));
    }
    let (code, message) = match facts.issued_at {
        None => (reasons::FRESH_TOO_OLD, "the signature does not say when it was made (`iat`)".to_owned()),
        Some(issued_at) if issued_at.saturating_add_seconds(*max_age) < now => (
            reasons::FRESH_TOO_OLD,
            format!("the signature is of {issued_at}, more than {max_age} seconds old"),
        ),
        Some(issued_at) if issued_at > now.saturating_add_seconds(policy.limits().clock_skew_seconds) => {
            (reasons::FRESH_NOT_YET, format!("the signature is of {issued_at}, which has not come yet"))
        }
        Some(_) => return None,
    };
    Some(Reason::new(code, message).found(pointer(facts), facts.kid.as_deref()).demanded(place))
}

/// The places of the best signature of each distinct key, at most `most`: those that leave least uncovered.
fn best<'e, 'p: 'e>(eligible: impl Iterator<Item = &'e Eligible<'p>> + Clone, most: usize) -> Vec<usize> {
    let mut taken: Vec<&Eligible<'_>> = Vec::new();
    while taken.len() < most {
        let is_new = |one: &&Eligible<'_>| taken.iter().all(|other| other.thumbprint != one.thumbprint);
        let left = eligible.clone().filter(is_new);
        let Some(best) = left.min_by_key(|signature| (signature.uncovered_octets, signature.place)) else {
            break;
        };
        taken.push(best);
    }
    taken.into_iter().map(|signature| signature.place).collect()
}

/// The places of the best signatures of every group, in order; tells which group has too few, and how many.
fn best_of_groups<'g>(
    groups: &'g [KeyGroup],
    eligible: &[Eligible<'_>],
    mut miss: impl FnMut(&'g KeyGroup, usize),
) -> Vec<usize> {
    let mut counted = Vec::new();
    for group in groups {
        let of_group = eligible.iter().filter(|signature| is_in(group, signature.key));
        let found = best(of_group, group.min.get());
        if found.len() < group.min.get() {
            miss(group, found.len());
        }
        counted.extend(found);
    }
    counted.sort_unstable();
    counted.dedup();
    counted
}

fn is_in(group: &KeyGroup, key: &PolicyKey) -> bool {
    match &group.keys {
        // Its origins cover the source, or it would not be eligible.
        KeySelector::Origin => true,
        KeySelector::Named { ids, .. } => ids.contains(&key.id),
    }
}

/// The reasons of the signatures that decide: the invalid ones, else the unverifiable, else the damaged; and what audit mode
/// enforces of the others.
fn deciding(verdicts: &[SignatureVerdict]) -> Vec<Reason> {
    let of = |outcome| verdicts.iter().filter(move |verdict| verdict.outcome == outcome);
    let order = [SignatureState::Invalid, SignatureState::Unverifiable, SignatureState::Malformed];
    let first = order.into_iter().find(|outcome| of(*outcome).next().is_some());
    let mut deciding: Vec<Reason> = first
        .map(|outcome| of(outcome).flat_map(|verdict| verdict.reasons.clone()).collect())
        .unwrap_or_default();
    // What audit mode enforces is not hidden behind a signature that says less.
    let others = verdicts.iter().filter(|verdict| Some(verdict.outcome) != first);
    deciding.extend(
        others.flat_map(|verdict| &verdict.reasons).filter(|reason| is_integrity(reason.code)).cloned(),
    );
    deciding
}

fn too_few(group: &KeyGroup, found: usize, eligible: &[Eligible<'_>]) -> Reason {
    let keys = match &group.keys {
        KeySelector::Origin => "the keys of the source".to_owned(),
        KeySelector::Named { names, .. } => {
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        }
    };
    let mut signers: Vec<&str> = eligible.iter().map(|signature| signature.key.id.as_str()).collect();
    signers.sort_unstable();
    signers.dedup();
    let by =
        if signers.is_empty() { String::new() } else { format!("; signed by `{}`", signers.join("`, `")) };
    let message = format!("{found} of the {} needed signatures by {keys} verified{by}", group.min);
    Reason::new(reasons::SIG_THRESHOLD, message).demanded(&group.place)
}

fn absent(rule: Option<&AllowRule>) -> Reason {
    let reason = Reason::new(reasons::SIG_ABSENT, "the card is unsigned").found("/signatures", None);
    match rule {
        Some(rule) => reason.demanded(&rule.signatures.level.place),
        None => reason,
    }
}

fn pointer(facts: &SignatureFacts) -> String {
    format!("/signatures/{}", facts.index)
}
