//! One answer for a card from the answers for its signatures.

use std::num::NonZeroUsize;

use countersign_keys::json::NodeId;
use countersign_keys::trust::TrustedKeys;
use countersign_keys::{Code, Finding, Level};
use countersign_policy::UnixTime;

use super::report::{CardOutcome, SignatureOutcome, SignatureReport, VerificationReport};
use super::verify::{Proof, VerifyTerms, examine};
use crate::canonical::{CanonicalPayload, Lost};
use crate::card::UntrustedCard;
use crate::codes;
use crate::coverage::{Coverage, CoverageTerms};

/// The answer, and what is handed on if it is yes.
pub(super) struct Verdict {
    pub(super) report: VerificationReport,
    pub(super) handed_on: Option<HandedOn>,
}

/// The payload whose members are handed on.
pub(super) struct HandedOn {
    pub(super) payload: CanonicalPayload,
    /// Values of the received card that are handed on although the payload does not hold them.
    pub(super) kept: Vec<NodeId>,
    /// Values that the payload holds and another counted signature does not cover.
    pub(super) withheld: Vec<NodeId>,
}

pub(super) fn verify(
    card: &UntrustedCard,
    keys: &TrustedKeys,
    terms: &VerifyTerms,
    now: UnixTime,
) -> Verdict {
    let mut findings = card.findings().to_vec();
    let (answer, signatures) = match examine(card, keys, terms, now) {
        Err((outcome, code)) => (Err((outcome, vec![code])), Vec::new()),
        Ok(examined) => {
            findings.extend(examined.findings);
            findings.extend(repeated(&examined.proofs));
            let counted = count(examined.proofs, terms.min);
            let answer = if counted.is_empty() {
                Err(deciding(&examined.signatures))
            } else if counted.len() < terms.min.get() {
                Err((CardOutcome::Invalid, vec![codes::SIG_THRESHOLD]))
            } else {
                agree(card, &terms.coverage, examined.payloads, counted)
                    .ok_or((CardOutcome::Invalid, vec![codes::SIG_UNCOVERED_MEMBER]))
            };
            (answer, examined.signatures)
        }
    };
    let (outcome, codes, uncovered, handed_on) = match answer {
        Ok((coverage, handed_on)) => {
            findings.extend(coverage.findings);
            (CardOutcome::Verified, Vec::new(), coverage.members, Some(handed_on))
        }
        Err((outcome, codes)) => {
            let matched = signatures.iter().find(|signature| signature.form.is_some());
            (outcome, codes, matched.map(|signature| signature.uncovered.clone()).unwrap_or_default(), None)
        }
    };
    Verdict { report: VerificationReport { outcome, codes, signatures, uncovered, findings }, handed_on }
}

/// The signatures that count: for each distinct key the one that covers most, and of these the `min` that cover most.
/// The earlier entry wins a tie. Keys are counted here and nowhere else.
fn count(mut proofs: Vec<Proof>, min: NonZeroUsize) -> Vec<Proof> {
    proofs.sort_by_key(|proof| (proof.coverage.uncovered_octets, proof.entry));
    let mut counted: Vec<Proof> = Vec::new();
    for proof in proofs {
        let is_new_signer = counted.iter().all(|other| other.thumbprint != proof.thumbprint);
        if is_new_signer && counted.len() < min.get() {
            counted.push(proof);
        }
    }
    counted
}

/// What every counted signature covers. None if what is left out is too grave to hand on the rest.
fn agree(
    card: &UntrustedCard,
    terms: &CoverageTerms,
    mut payloads: Vec<CanonicalPayload>,
    counted: Vec<Proof>,
) -> Option<(Coverage, HandedOn)> {
    // One signature alone, the usual case, has its coverage already.
    let union = (counted.len() > 1).then(|| {
        let payloads = counted.iter().filter_map(|proof| payloads.get(proof.payload));
        highest(card, payloads.flat_map(|payload| payload.lost.iter().copied()).collect())
    });
    let mut best = counted.into_iter().next()?;
    if best.payload >= payloads.len() {
        return None;
    }
    let payload = payloads.swap_remove(best.payload);
    let Some(union) = union else {
        let kept = std::mem::take(&mut best.coverage.kept);
        return Some((best.coverage, HandedOn { payload, kept, withheld: Vec::new() }));
    };
    let mut coverage = Coverage::of(card, &union, terms);
    if !coverage.holds() {
        return None;
    }
    let mut kept = std::mem::take(&mut coverage.kept);
    kept.sort_unstable();
    let is_kept = |value: &NodeId| kept.binary_search(value).is_ok();
    let withheld = union.iter().map(|lost| lost.value).filter(|value| !is_kept(value)).collect();
    Some((coverage, HandedOn { payload, kept, withheld }))
}

/// The lost values that stand inside no other.
fn highest(card: &UntrustedCard, mut lost: Vec<Lost>) -> Vec<Lost> {
    lost.sort_by_key(|lost| lost.value);
    let mut highest: Vec<Lost> = Vec::new();
    for lost in lost {
        let inside =
            highest.last().is_some_and(|outer| card.document().value(outer.value).contains(lost.value));
        if !inside {
            highest.push(lost);
        }
    }
    highest
}

/// The first outcome of `invalid`, `unverifiable`, `malformed` that a signature has, with the codes of all that have it.
fn deciding(signatures: &[SignatureReport]) -> (CardOutcome, Vec<Code>) {
    let of = |outcome| signatures.iter().filter(move |signature| signature.outcome == outcome);
    let (outcome, deciding) = if of(SignatureOutcome::Invalid).next().is_some() {
        (CardOutcome::Invalid, SignatureOutcome::Invalid)
    } else if of(SignatureOutcome::Unverifiable).next().is_some() {
        (CardOutcome::Unverifiable, SignatureOutcome::Unverifiable)
    } else {
        (CardOutcome::Malformed, SignatureOutcome::Malformed)
    };
    let mut codes: Vec<Code> = Vec::new();
    for code in of(deciding).flat_map(|signature| &signature.codes) {
        if !codes.contains(code) {
            codes.push(*code);
        }
    }
    (outcome, codes)
}

/// Entries by one key over one payload: the later ones add nothing.
fn repeated(proofs: &[Proof]) -> Vec<Finding> {
    let is_same =
        |left: &Proof, right: &Proof| left.thumbprint == right.thumbprint && left.payload == right.payload;
    let again = proofs
        .iter()
        .enumerate()
        .filter(|(index, proof)| proofs.iter().take(*index).any(|p| is_same(p, proof)));
    again
        .map(|(_, proof)| {
            let message =
                format!("signature {} repeats one by the same key over the same octets", proof.entry);
            Finding::new(codes::SIG_DUPLICATE_KEY, Level::Info, message)
                .at(format!("/signatures/{}", proof.entry))
        })
        .collect()
}
