//! One answer for a card from the answers for its signatures and endorsements.

use std::num::NonZeroUsize;

use countersign_keys::trust::TrustedKeys;
use countersign_keys::{Code, Finding, Level};
use countersign_policy::UnixTime;

use super::handed_on::{HandedOn, agree};
use super::report::{CardOutcome, SignatureOutcome, SignatureReport, VerificationReport, for_card};
use super::verify::{Examined, Place, Proof, VerifyTerms, examine, repeated};
use crate::card::UntrustedCard;
use crate::codes;
use crate::endorsement::Endorsement;

/// The answer, and what is handed on if it is yes.
pub(super) struct Verdict {
    pub(super) report: VerificationReport,
    pub(super) handed_on: Option<HandedOn>,
}

pub(super) fn verify(
    card: &UntrustedCard,
    endorsements: &[Endorsement],
    keys: &TrustedKeys,
    terms: &VerifyTerms,
    now: UnixTime,
) -> Verdict {
    let examined = examine(card, endorsements, keys, terms, now);
    let Examined { malformed, signatures, mut endorsements, proofs, payloads, .. } = examined;
    let mut findings = card.findings().to_vec();
    findings.extend(examined.findings);
    for (place, finding) in repetitions(&proofs) {
        let advice = match place {
            Place::Card { .. } => Some(&mut findings),
            Place::Endorsement { file, .. } => endorsements.get_mut(file).map(|report| &mut report.findings),
        };
        advice.into_iter().for_each(|advice| advice.push(finding.clone()));
    }
    let counted = count(proofs, terms.min);
    let answer = if let Some(code) = malformed {
        Err((CardOutcome::Malformed, vec![code]))
    } else if counted.is_empty() {
        Err(deciding(for_card(&signatures, &endorsements)))
    } else if counted.len() < terms.min.get() {
        Err((CardOutcome::Invalid, vec![codes::SIG_THRESHOLD]))
    } else {
        agree(card, &terms.coverage, payloads, counted)
            .map_err(|_| (CardOutcome::Invalid, vec![codes::SIG_UNCOVERED_MEMBER]))
    };
    let (outcome, codes, uncovered, handed_on) = match answer {
        Ok((coverage, handed_on)) => {
            findings.extend(coverage.findings);
            findings.extend(contradictions(&signatures, &terms.forms));
            (CardOutcome::Verified, Vec::new(), coverage.members, Some(handed_on))
        }
        Err((outcome, mut codes)) => {
            // They decide nothing, but they were given to count.
            let set_aside = endorsements.iter().filter(|endorsement| endorsement.form.is_none());
            add_codes(&mut codes, set_aside.flat_map(|endorsement| &endorsement.signatures));
            let mut matched = for_card(&signatures, &endorsements);
            let matched = matched.find(|signature| signature.form.is_some());
            (outcome, codes, matched.map(|signature| signature.uncovered.clone()).unwrap_or_default(), None)
        }
    };
    let report = VerificationReport { outcome, codes, signatures, endorsements, uncovered, findings };
    Verdict { report, handed_on }
}

/// Signatures under the `kid` of a trusted key that do not verify although the card does. Who deletes a member that one
/// form covers and another does not leaves them behind. Says nothing where the caller accepts fewer forms than usual.
fn contradictions<'s>(
    signatures: &'s [SignatureReport],
    forms: &'s [crate::Form],
) -> impl Iterator<Item = Finding> + 's {
    // Asked only where a signature failed.
    let are_usual = || VerifyTerms::default().forms.iter().all(|form| forms.contains(form));
    let failed = signatures.iter().filter(move |signature| {
        signature.codes.contains(&countersign_keys::codes::SIG_INVALID) && are_usual()
    });
    failed.map(|signature| {
        let kid = signature.kid.as_deref().unwrap_or_default();
        let message = format!(
            "this signature names the trusted key `{kid}` and does not verify: the card was changed after it was \
             made, or it was made under another form"
        );
        Finding::new(codes::SIG_STALE, Level::Warning, message).at(format!("/signatures/{}", signature.index))
    })
}

/// The signatures that count: for each distinct key the one that covers most, and of these the `min` that cover most.
/// Keys are counted here and nowhere else.
fn count(mut proofs: Vec<Proof>, min: NonZeroUsize) -> Vec<Proof> {
    proofs.sort_by_key(Proof::rank);
    let mut counted: Vec<Proof> = Vec::new();
    for proof in proofs {
        let is_new_signer = counted.iter().all(|other| other.thumbprint != proof.thumbprint);
        if is_new_signer && counted.len() < min.get() {
            counted.push(proof);
        }
    }
    counted
}

/// The first outcome of `invalid`, `unverifiable`, `malformed` that a signature has, with the codes of all that have it;
/// without any signature `unsigned`.
fn deciding<'r>(signatures: impl Iterator<Item = &'r SignatureReport> + Clone) -> (CardOutcome, Vec<Code>) {
    let of = |outcome| signatures.clone().filter(move |signature| signature.outcome == outcome);
    let (outcome, deciding) = if of(SignatureOutcome::Invalid).next().is_some() {
        (CardOutcome::Invalid, SignatureOutcome::Invalid)
    } else if of(SignatureOutcome::Unverifiable).next().is_some() {
        (CardOutcome::Unverifiable, SignatureOutcome::Unverifiable)
    } else if of(SignatureOutcome::Malformed).next().is_some() {
        (CardOutcome::Malformed, SignatureOutcome::Malformed)
    } else {
        return (CardOutcome::Unsigned, vec![codes::SIG_ABSENT]);
    };
    let mut codes = Vec::new();
    add_codes(&mut codes, of(deciding));
    (outcome, codes)
}

/// Adds the codes that are not there yet.
fn add_codes<'r>(codes: &mut Vec<Code>, signatures: impl Iterator<Item = &'r SignatureReport>) {
    for code in signatures.flat_map(|signature| &signature.codes) {
        if !codes.contains(code) {
            codes.push(*code);
        }
    }
}

/// The later entries by one key over one payload. Each finding is for the document of its place.
fn repetitions(proofs: &[Proof]) -> Vec<(Place, Finding)> {
    let finding = |proof: &Proof| {
        let index = proof.place.index();
        let message = format!("signature {index} repeats one by the same key over the same octets");
        let finding = Finding::new(codes::SIG_DUPLICATE_KEY, Level::Info, message);
        (proof.place, finding.at(format!("/signatures/{index}")))
    };
    repeated(proofs).map(finding).collect()
}
