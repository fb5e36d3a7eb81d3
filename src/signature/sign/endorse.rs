//! Endorsing: a signature over a payload of the card, kept in a file beside it.

use countersign_keys::json::{self, Document, Limits};
use countersign_keys::trust::TrustedKeys;
use countersign_keys::{Finding, Signer, hex, sha256};

use super::error::SignCardError;
use super::existing::{Existing, Newcomer};
use super::{NewSignature, SignTerms, add, check, inputs, kid};
use crate::canonical::{CanonicalPayload, Form};
use crate::card::UntrustedCard;
use crate::endorsement::{self, Endorsement, EndorsementError};
use crate::signature::entry::MAX_SIGNATURES;
use crate::signature::payloads::Payloads;
use crate::signature::splice;
use crate::signature::verify::list;

/// An endorsement with its new signature.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NewEndorsement {
    /// The octets of the file: of the endorsement that was added to, but for `signatures`.
    pub octets: Vec<u8>,
    /// The new signature.
    pub signature: NewSignature,
    /// How many earlier entries of the same key were replaced.
    pub replaced: usize,
    /// Entries that have expired or that no key can verify, by their place in the endorsement that was added to. Those
    /// that the key given for their `kid` did not make stay: another key may have that `kid`.
    pub stale: Vec<usize>,
    /// Advice. Pointers of findings about entries that were there are into the endorsement, others into the card.
    pub findings: Vec<Finding>,
}

impl UntrustedCard {
    /// Signs one payload of the card and gives an endorsement, which is kept beside it. The card stays as it is.
    ///
    /// The protected header is the same as in [`sign`](Self::sign). Without an `existing` endorsement a new one is made;
    /// otherwise the signature is added to it: entries that the signer's key made are replaced, whatever their `kid`,
    /// and the others are treated as `sign` treats those of a card, but for an entry that does not verify with the key
    /// given for its `kid`: it stays, with a warning, as another key may have made it. Whether the card is signed, and by whom, is not
    /// looked at; `terms.portability` neither, as no SDK reads endorsements. The result is verified with the signer's
    /// public key before it is given out.
    ///
    /// # Errors
    ///
    /// [`SignCardError::SeveralPayloads`] when the forms of the terms have different payloads,
    /// [`SignCardError::OtherPayload`] when `existing` is for another one, and the others of `sign`.
    ///
    /// # Examples
    ///
    /// See [`verify_with_endorsements`](Self::verify_with_endorsements).
    pub fn endorse(
        &self,
        signer: &dyn Signer,
        terms: &SignTerms,
        existing: Option<&Endorsement>,
        others: &TrustedKeys,
    ) -> Result<NewEndorsement, SignCardError> {
        let payload = self.payload_to_endorse(terms)?;
        let digest = hex(&sha256(payload.octets()));
        let template;
        let kid = kid(signer, terms);
        let (document, existing) = if let Some(endorsement) = existing {
            if endorsement.claimed_payload_sha256() != digest {
                let mut payloads = Payloads::new(self, &Form::SIGNABLE);
                let number = payloads.with_digest(endorsement.claimed_payload_sha256());
                let is_for = number.and_then(|number| payloads.get(number)).map(CanonicalPayload::form);
                return Err(SignCardError::OtherPayload { form: payload.form(), is_for });
            }
            let new = Newcomer { signer, kid: &kid, terms };
            (endorsement.document(), Existing::of_endorsement(endorsement, self, new, others))
        } else {
            template = empty(&digest).map_err(EndorsementError::from)?;
            (&template, Existing::default())
        };
        let first = existing.kept.len();
        let inputs = inputs(signer, terms, std::slice::from_ref(&payload));
        let (entries, mut signatures) = add(&existing, signer, &kid, inputs)?;
        let octets = splice::with_signatures(document, &entries).into_bytes();
        let mut findings = self.findings().to_vec();
        findings.extend(check::endorsement(&octets, self, signer, terms, first)?);
        findings.extend(existing.findings);
        let signature = signatures.pop().ok_or(SignCardError::SelfCheck)?;
        Ok(NewEndorsement { octets, signature, replaced: existing.replaced, stale: existing.stale, findings })
    }

    /// The one payload of the forms that the terms name. The card must be one that endorsements can verify.
    fn payload_to_endorse(&self, terms: &SignTerms) -> Result<CanonicalPayload, SignCardError> {
        if list(self).is_err() {
            let own = self.root().member("signatures");
            let found = own.map_or(0, |own| own.elements().count());
            return Err(match own.filter(|own| own.kind() != json::Kind::Array) {
                Some(own) => SignCardError::SignaturesNotAList { found: own.kind().name() },
                None => SignCardError::TooMany { found, limit: MAX_SIGNATURES },
            });
        }
        let mut payloads = self.payloads_to_sign(terms)?;
        match (payloads.pop(), payloads.as_slice()) {
            (Some(payload), []) => Ok(payload),
            (last, others) => Err(SignCardError::SeveralPayloads {
                forms: others.iter().chain(&last).map(CanonicalPayload::form).collect(),
            }),
        }
    }
}

/// An endorsement without signatures, to which the first is added.
fn empty(digest: &str) -> Result<Document, json::Error> {
    Document::read(endorsement::without_signatures(digest), &Limits::default())
}
