//! Signatures of a card: made and verified.

mod claims;
mod conclude;
pub(crate) mod entry;
mod handed_on;
mod payloads;
mod portable;
mod report;
mod sign;
mod splice;
mod verify;

use countersign_keys::jcs;
use countersign_keys::json::{Document, Value};
use countersign_keys::trust::TrustedKeys;
use countersign_policy::UnixTime;

use crate::canonical::CanonicalPayload;
use crate::card::{CardView, UntrustedCard};
use crate::coverage::{Fate, UncoveredMember};
use crate::endorsement::Endorsement;
pub use claims::{ClaimedSignature, SignatureKind};
use conclude::Verdict;
use handed_on::read_back;
pub(crate) use handed_on::{Covered, authentication_is_not_provable, silence_is_not_provable};
pub use portable::Portability;
pub(crate) use portable::{Difference, compare};
pub use report::{CardOutcome, EndorsementReport, SignatureOutcome, SignatureReport, VerificationReport};
pub use sign::{NewEndorsement, NewSignature, SignCardError, SignTerms, SignedCard, SigningInput, Stale};
pub(crate) use splice::without_signatures;
pub(crate) use verify::{Examined, Place, examine, list};
pub use verify::{Matching, VerifyTerms};

/// A card of which a trusted key signed every member that is handed on, except those that [`unsigned`] names.
///
/// Made only by [`UntrustedCard::verify`] and [`UntrustedCard::verify_with_endorsements`]. It says who signed which octets: not who serves the card, not whether
/// anything in it is allowed.
///
/// [`unsigned`]: Self::unsigned
#[derive(Debug)]
pub struct VerifiedCard {
    document: Document,
    payload: CanonicalPayload,
    report: VerificationReport,
}

/// A card that did not verify: the report, and the card itself, as untrusted as before.
#[derive(Debug, thiserror::Error)]
#[error("the card is {}: {}", report.outcome.name(), reasons(report))]
pub struct Refused {
    report: VerificationReport,
    card: UntrustedCard,
}

impl UntrustedCard {
    /// Verifies the card's signatures with trusted keys, as of `now`.
    ///
    /// Every entry of `signatures` is looked at, at most 16. The protected header is used as received; the key
    /// decides the algorithm; `kid` narrows the keys that are tried and never widens them. Each signature is tried
    /// under the accepted canonical forms in their order. A signature counts if it leaves no member of class
    /// `security` uncovered. Does not check where the card comes from or whether its interfaces are allowed.
    ///
    /// # Errors
    ///
    /// [`Refused`] with the full report, and the card, when fewer than `terms.min` distinct keys signed.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{Limits, TrustedKeys, UnixTime, UntrustedCard, VerifyTerms};
    ///
    /// let card = UntrustedCard::read(r#"{"name": "Agent"}"#, &Limits::default())?;
    /// let now = UnixTime::from_seconds(1_780_000_000);
    /// let refused = card.verify(&TrustedKeys::default(), &VerifyTerms::default(), now).unwrap_err();
    /// assert_eq!(refused.to_string(), "the card is unsigned: sig.absent");
    /// # Ok::<(), countersign::CardError>(())
    /// ```
    #[expect(clippy::result_large_err, reason = "the refused card is handed back whole, once for each card")]
    pub fn verify(
        self,
        keys: &TrustedKeys,
        terms: &VerifyTerms,
        now: UnixTime,
    ) -> Result<VerifiedCard, Refused> {
        self.verify_with_endorsements(&[], keys, terms, now)
    }

    /// The same with signatures that are kept beside the card.
    ///
    /// A signature of an endorsement is verified as one of the card is, under the same keys and terms, but only over
    /// the payload whose digest the endorsement names, which must be that of an accepted form. It counts as one of the
    /// card does: distinct keys are counted wherever they signed, and a card without signatures is verified if enough
    /// keys endorsed it. An endorsement that is for no payload of this card is reported and decides nothing. At most 64
    /// endorsements; of more none is looked at. A card whose own `signatures` are not looked at, because they are no
    /// list or too many, is malformed whatever its endorsements say.
    ///
    /// # Errors
    ///
    /// [`Refused`] with the full report, and the card, when fewer than `terms.min` distinct keys signed.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::keys::trust::KeySource;
    /// use countersign::{Algorithm, Endorsement, KeySigner, Limits, SignTerms, Signer, SigningKey, TrustedKey};
    /// use countersign::{TrustedKeys, UnixTime, UntrustedCard, VerifyTerms};
    ///
    /// // A card of somebody else, as published: nobody signed it.
    /// let card = r#"{
    ///   "name": "Echo", "description": "Repeats what it is told.", "version": "1.0.0", "capabilities": {},
    ///   "supportedInterfaces": [{"url": "https://echo.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
    ///   "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
    ///   "skills": [{"id": "echo", "name": "Echo", "description": "Repeats.", "tags": ["text"]}]
    /// }"#;
    /// let read = || UntrustedCard::read(card, &Limits::default());
    /// let review = KeySigner::new(SigningKey::generate(Algorithm::Es256)?, Algorithm::Es256)?.with_kid("review-1");
    /// let endorsed = read()?.endorse(&review, &SignTerms::default(), None, &TrustedKeys::new())?;
    ///
    /// let endorsement = Endorsement::read(endorsed.octets, &Limits::default())?;
    /// let mut keys = TrustedKeys::new();
    /// keys.push(TrustedKey::new(review.verifying_key().clone(), KeySource::Single).with_kid("review-1"));
    /// let (terms, now) = (VerifyTerms::default(), UnixTime::from_seconds(1_796_000_000));
    /// assert!(read()?.verify(&keys, &terms, now).is_err());
    /// let verified = read()?.verify_with_endorsements(&[endorsement], &keys, &terms, now)?;
    /// assert_eq!(verified.report().endorsements[0].signatures[0].kid.as_deref(), Some("review-1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[expect(clippy::result_large_err, reason = "the refused card is handed back whole, once for each card")]
    pub fn verify_with_endorsements(
        self,
        endorsements: &[Endorsement],
        keys: &TrustedKeys,
        terms: &VerifyTerms,
        now: UnixTime,
    ) -> Result<VerifiedCard, Refused> {
        let Verdict { mut report, handed_on } = conclude::verify(&self, endorsements, keys, terms, now);
        let Some(handed_on) = handed_on else { return Err(Refused { report, card: self }) };
        let document = match read_back(&self, &handed_on) {
            Ok(anew) => anew,
            Err(_) => return Err(Refused { report: report.unfit(), card: self }),
        };
        let root = document.as_ref().map_or(self.root(), Document::root);
        let finding = authentication_is_not_provable(&self, CardView::of(root), &handed_on.payload);
        report.findings.extend(finding);
        let document = document.unwrap_or_else(|| self.into_document());
        Ok(VerifiedCard { document, payload: handed_on.payload, report })
    }
}

impl VerifiedCard {
    /// The member with this name of the card that is handed on. `signatures` is no part of it.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Value<'_>> {
        self.members().find(|(other, _)| *other == name).map(|(_, value)| value)
    }

    pub(crate) fn root(&self) -> Value<'_> {
        self.document.root()
    }

    /// The members of the card that is handed on.
    pub fn members(&self) -> impl Iterator<Item = (&str, Value<'_>)> {
        self.document.root().members().filter(|(name, _)| *name != "signatures")
    }

    /// The card that is handed on, in the form of RFC 8785: what was signed, members at their default as received,
    /// and the members that [`unsigned`](Self::unsigned) names.
    #[must_use]
    pub fn to_octets(&self) -> Vec<u8> {
        octets_of(&self.document)
    }

    /// Members that are handed on although no counted signature covers them; pointers are into the received card.
    pub fn unsigned(&self) -> impl Iterator<Item = &UncoveredMember> {
        self.report.uncovered.iter().filter(|member| member.fate == Fate::Marked)
    }

    /// The octets that the counted signature was made over.
    #[must_use]
    pub fn payload(&self) -> &CanonicalPayload {
        &self.payload
    }

    /// What was found out about each signature.
    #[must_use]
    pub fn report(&self) -> &VerificationReport {
        &self.report
    }
}

impl Refused {
    /// What was found out about each signature.
    #[must_use]
    pub fn report(&self) -> &VerificationReport {
        &self.report
    }

    pub(crate) fn card(&self) -> &UntrustedCard {
        &self.card
    }

    /// The card, as untrusted as before.
    #[must_use]
    pub fn into_card(self) -> UntrustedCard {
        self.card
    }
}

/// A card in the form of RFC 8785, without its `signatures`.
pub(crate) fn octets_of(card: &Document) -> Vec<u8> {
    let mut octets = Vec::with_capacity(card.source().len());
    octets.push(b'{');
    let members = card.root().sorted_members();
    for (name, value) in members.filter(|(name, _)| name.as_text() != Some("signatures")) {
        if octets.len() > 1 {
            octets.push(b',');
        }
        jcs::write_scalar(name, &mut octets);
        octets.push(b':');
        jcs::write(value, &mut octets);
    }
    octets.push(b'}');
    octets
}

fn reasons(report: &VerificationReport) -> String {
    report.codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(", ")
}
