//! What the signatures of a card are worth under a policy.

use countersign_keys::json::Value;
use countersign_keys::{Algorithm, Code, Finding, Level, codes as key_codes};
use countersign_policy::{
    AllowRule, FactFault, PinDigest, PinMemory, RuleChoice, SignatureFacts, SignatureLevel, SignatureState,
    TrustPolicy, Uncovered, UnixTime,
};

use crate::canonical::{CanonicalPayload, Form};
use crate::card::UntrustedCard;
use crate::codes;
use crate::coverage::{CoverageTerms, Strictness, UncoveredMember};
use crate::endorsement::Endorsement;
use crate::signature::{
    Covered, Examined, Place, SignatureOutcome, SignatureReport, VerifyTerms, examine, list,
};

/// What the signatures show. The default is that nobody looked at any.
#[derive(Default)]
pub(crate) struct Evidence {
    /// How many signatures the card carries, looked at or not.
    pub(super) claimed: usize,
    /// Why none of them was looked at, if so.
    pub(super) fault: Option<FactFault>,
    /// Those of the card, then those of the endorsements that are for it.
    pub(super) signatures: Vec<SignatureFacts>,
    /// What the counted signatures cover; none where none counts.
    pub(super) covered: Option<Covered>,
    /// What they are over.
    pub(super) payload: Option<CanonicalPayload>,
    /// Why the counted signatures cover nothing together, if so.
    pub(super) coverage_fault: Option<FactFault>,
    /// What they do not cover; where none counts, what the first that matches a form does not.
    pub(super) uncovered: Vec<UncoveredMember>,
    pub(super) findings: Vec<Finding>,
}

pub(super) fn evidence(
    card: &UntrustedCard,
    (policy, choice): (&TrustPolicy, &RuleChoice<'_>),
    endorsements: &[Endorsement],
    (memory, now): (PinMemory<'_>, UnixTime),
) -> Evidence {
    let list = list(card);
    let claimed = claimed(&list);
    let rule = choice.rule();
    let is_off = |rule: &AllowRule| matches!(rule.signatures.level.value.at(now), SignatureLevel::Off(_));
    if rule.is_some_and(is_off) {
        return Evidence { claimed, ..Evidence::default() };
    }
    if let Some(fault) = unfit_list(&list, policy.limits().max_signatures) {
        return Evidence { claimed, fault: Some(fault), ..Evidence::default() };
    }
    let terms = rule.map(|rule| terms(rule, now)).unwrap_or_default();
    let mut examined = examine(card, endorsements, policy.trusted_keys(), &terms, now);
    let mut evidence = Evidence {
        claimed,
        signatures: facts(&examined, memory),
        findings: std::mem::take(&mut examined.findings),
        ..Evidence::default()
    };
    evidence.findings.extend(set_aside(&examined));
    let mut counted = choice.count(&evidence.signatures, memory, now);
    counted.sort_unstable();
    counted.dedup();
    if counted.is_empty() {
        let matched = examined.numbered().find(|(_, report)| report.form.is_some());
        evidence.uncovered = matched.map(|(_, report)| report.uncovered.clone()).unwrap_or_default();
        return evidence;
    }
    match examined.covered(card, &counted, &terms.coverage) {
        Ok((mut covered, payload)) => {
            evidence.uncovered = std::mem::take(&mut covered.uncovered);
            evidence.findings.append(&mut covered.findings);
            evidence.payload = Some(payload);
            evidence.covered = Some(covered);
        }
        Err(not) => {
            evidence.uncovered = not.uncovered;
            evidence.coverage_fault = Some(FactFault { code: not.code, message: not.message, pointer: None });
        }
    }
    evidence
}

/// What a rule demands, as far as it decides whether a single signature verifies.
fn terms(rule: &AllowRule, now: UnixTime) -> VerifyTerms {
    let mut terms = VerifyTerms::default();
    let signatures = &rule.signatures;
    // A policy cannot be had with the name of a form that is unknown; one less is stricter.
    terms.forms = signatures.forms.value.iter().filter_map(|name| name.parse().ok()).collect();
    let allowed = signatures.allow_uncovered.as_ref().filter(|allowed| allowed.value.grace.holds(now));
    terms.coverage = CoverageTerms {
        allowed: allowed.map(|allowed| allowed.value.pointers.clone()).unwrap_or_default(),
        strictness: match signatures.uncovered.value {
            Uncovered::Strip => Strictness::Strip,
            Uncovered::Deny => Strictness::Deny,
        },
    };
    terms
}

/// How many signatures the card carries. What stands there and is no list counts as one.
fn claimed(list: &Result<Option<Value<'_>>, Code>) -> usize {
    match *list {
        Ok(list) => list.into_iter().flat_map(|list| list.elements()).count(),
        Err(_) => 1,
    }
}

/// Why the `signatures` of the card are not to be looked at, if so.
fn unfit_list(list: &Result<Option<Value<'_>>, Code>, most: usize) -> Option<FactFault> {
    let (code, message) = match *list {
        Ok(list) => {
            let count = list.into_iter().flat_map(|list| list.elements()).count();
            if count <= most {
                return None;
            }
            (codes::SIG_TOO_MANY, format!("the card has {count} signatures, at most {most} are looked at"))
        }
        Err(code) if code == key_codes::SIG_MALFORMED => (code, "`signatures` is no list".to_owned()),
        Err(code) => (code, "the card has more signatures than are ever looked at".to_owned()),
    };
    Some(FactFault { code, message, pointer: Some("/signatures".to_owned()) })
}

fn facts(examined: &Examined, memory: PinMemory<'_>) -> Vec<SignatureFacts> {
    let fact = |(place, report): (Place, &SignatureReport)| {
        let mut facts = SignatureFacts::new(report.index, state(report.outcome));
        facts.endorsement = match place {
            Place::Card { .. } => None,
            Place::Endorsement { file, .. } => Some(file),
        };
        facts.kid.clone_from(&report.kid);
        facts.alg.clone_from(&report.algorithm);
        facts.faults = faults(place, report);
        facts.thumbprint = report.thumbprint;
        facts.algorithm = report.algorithm.as_deref().and_then(Algorithm::from_name);
        facts.form = report.form.map(Form::name);
        facts.payload = match memory {
            PinMemory::Kept(_) => examined.proven_at(place).map(PinDigest::of),
            PinMemory::NotKept => None,
        };
        facts.issued_at = report.issued_at;
        facts.expires_at = report.expires_at;
        facts.uncovered_octets = examined.uncovered_octets(place);
        facts
    };
    examined.numbered().map(fact).collect()
}

fn faults(place: Place, report: &SignatureReport) -> Vec<FactFault> {
    let faults = report.codes.iter().zip(&report.reasons);
    let pointer = || match place {
        Place::Card { index } => Some(format!("/signatures/{index}")),
        // It stands nowhere in the card.
        Place::Endorsement { .. } => None,
    };
    let fault = |(code, reason): (&Code, &String)| FactFault {
        code: *code,
        message: reason.clone(),
        pointer: pointer(),
    };
    faults.map(fault).collect()
}

/// What is said about endorsements that are for none of the payloads of the card, or too many: they decide nothing.
fn set_aside(examined: &Examined) -> impl Iterator<Item = Finding> {
    let unfit = examined.endorsements.iter().filter(|endorsement| endorsement.form.is_none());
    unfit.filter_map(|endorsement| {
        let first = endorsement.signatures.first()?;
        let (code, reason) = first.codes.iter().zip(&first.reasons).next()?;
        let message = format!("endorsement {} says nothing about this card: {reason}", endorsement.index);
        Some(Finding::new(*code, Level::Warning, message))
    })
}

const fn state(outcome: SignatureOutcome) -> SignatureState {
    match outcome {
        SignatureOutcome::Malformed => SignatureState::Malformed,
        SignatureOutcome::Unverifiable => SignatureState::Unverifiable,
        SignatureOutcome::Invalid => SignatureState::Invalid,
        SignatureOutcome::Verified => SignatureState::Verified,
    }
}
