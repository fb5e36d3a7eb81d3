//! What was signed, verified as a stranger would before it is given out.

use countersign_keys::json::Limits;
use countersign_keys::trust::{KeySource, TrustedKey, TrustedKeys};
use countersign_keys::{Finding, Level, Signer};

use super::error::SignCardError;
use super::{BEFORE_ANY_EXPIRY, SignTerms};
use crate::canonical::Form;
use crate::card::UntrustedCard;
use crate::codes;
use crate::coverage::{Class, Fate};
use crate::endorsement::Endorsement;
use crate::signature::report::{SignatureOutcome, SignatureReport, VerificationReport};
use crate::signature::verify::{Matching, VerifyTerms};

/// Verifies the new signatures of a card, those from number `first` on; gives what they do not cover.
pub(super) fn card(
    octets: &[u8],
    signer: &dyn Signer,
    terms: &SignTerms,
    first: usize,
) -> Result<Vec<Finding>, SignCardError> {
    refuse_too_large(octets, terms)?;
    let report = verify(octets, &[], signer, terms)?;
    accept(report.signatures.iter().skip(first))
}

/// The same for an endorsement of the card.
pub(super) fn endorsement(
    octets: &[u8],
    card: &UntrustedCard,
    signer: &dyn Signer,
    terms: &SignTerms,
    first: usize,
) -> Result<Vec<Finding>, SignCardError> {
    refuse_too_large(octets, terms)?;
    let limits = Limits::default().with_max_octets(octets.len());
    let endorsement = Endorsement::read(octets, &limits)?;
    let report = verify(card.octets(), &[endorsement], signer, terms)?;
    accept(report.endorsements.iter().flat_map(|endorsement| &endorsement.signatures).skip(first))
}

/// A verifier would not read it.
fn refuse_too_large(octets: &[u8], terms: &SignTerms) -> Result<(), SignCardError> {
    let (found, limit) = (octets.len(), terms.max_octets);
    if found > limit { Err(SignCardError::TooLarge { found, limit }) } else { Ok(()) }
}

fn verify(
    octets: &[u8],
    endorsements: &[Endorsement],
    signer: &dyn Signer,
    terms: &SignTerms,
) -> Result<VerificationReport, SignCardError> {
    let limits = Limits::default().with_max_octets(octets.len());
    let card = UntrustedCard::read(octets, &limits)?;
    let mut keys = TrustedKeys::default();
    keys.push(TrustedKey::new(signer.verifying_key().clone(), KeySource::Single));
    let verify_terms = VerifyTerms {
        forms: Form::SIGNABLE.to_vec(),
        coverage: terms.coverage.clone(),
        matching: Matching::First,
        ..VerifyTerms::default()
    };
    Ok(match card.verify_with_endorsements(endorsements, &keys, &verify_terms, BEFORE_ANY_EXPIRY) {
        Ok(verified) => verified.report().clone(),
        Err(refused) => refused.report().clone(),
    })
}

/// Refuses unless there are new signatures and every one of them verified.
fn accept<'r>(signatures: impl Iterator<Item = &'r SignatureReport>) -> Result<Vec<Finding>, SignCardError> {
    let mut signatures = signatures.peekable();
    if signatures.peek().is_none() {
        return Err(SignCardError::SelfCheck);
    }
    let mut findings = Vec::new();
    for signature in signatures {
        if signature.outcome == SignatureOutcome::Verified {
            findings.extend(left_open(signature));
            continue;
        }
        return Err(match signature.form {
            Some(form) if signature.codes.contains(&codes::SIG_UNCOVERED_MEMBER) => {
                let fatal = signature.uncovered.iter().filter(|member| member.fate == Fate::Fatal);
                SignCardError::Uncovered {
                    form,
                    pointers: fatal.map(|member| member.pointer.clone()).collect(),
                }
            }
            _ => SignCardError::SelfCheck,
        });
    }
    Ok(findings)
}

/// What a new signature does not cover, members at their default left out.
fn left_open(signature: &SignatureReport) -> Vec<Finding> {
    let form = signature.form.map_or("", Form::name);
    let open = signature.uncovered.iter().filter(|member| member.class != Class::Default);
    open.map(|member| {
        let pointer = &member.pointer;
        let code = match member.fate {
            Fate::Marked if member.class == Class::Security => codes::SIG_UNSIGNED_REQUIREMENT,
            Fate::Silent | Fate::Stripped | Fate::Marked | Fate::Fatal => codes::SIG_UNCOVERED_MEMBER,
        };
        let message = format!(
            "the signature under `{form}` does not cover `{pointer}`: nobody notices when it is changed or deleted"
        );
        Finding::new(code, Level::Warning, message).at(pointer.clone())
    })
    .collect()
}
