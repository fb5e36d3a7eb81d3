//! Octets to verdict: nothing is handed on that the payload and the report do not account for.

use countersign::keys::json::{Document, Limits};
use countersign::keys::{jcs, trust::TrustedKeys};
use countersign::{CanonicalPayload, CardOutcome, Form, UnixTime, UntrustedCard, VerifyTerms};

/// The key that signed the seeds; its private half is published in `examples/keys`.
const KEYS: &[u8] = include_bytes!("../../../examples/keys/demo.jwks");

/// What became of the octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Outcome {
    /// No card.
    Unreadable,
    /// A card that does not verify.
    Refused,
    /// A card that verifies with nothing stripped or marked.
    Verified,
    /// A card that verifies in part.
    VerifiedInPart,
}

/// Reads, canonicalizes and verifies `octets`.
///
/// # Panics
///
/// When a payload of RFC 8785 does not read back as itself, when a refused card is called verified, or when what is
/// handed on is not in canonical form.
#[must_use]
pub fn run(octets: &[u8]) -> Outcome {
    let Ok(card) = UntrustedCard::read(octets, &Limits::default()) else { return Outcome::Unreadable };
    let _ = (card.shape(None), card.hybrid(), card.missing_members());
    for form in Form::ALL {
        let Ok(payload) = CanonicalPayload::of(&card, form) else { continue };
        let is_rfc_8785 = !form.name().starts_with("sdk-py");
        if is_rfc_8785 {
            assert_canonical(payload.octets());
        }
    }
    let keys = TrustedKeys::read(KEYS, "demo.jwks").expect("the keys of the examples");
    let mut terms = VerifyTerms::default();
    terms.forms = Form::ALL.to_vec();
    match card.verify(&keys, &terms, UnixTime::from_seconds(1_796_000_000)) {
        Err(refused) => {
            assert_ne!(refused.report().outcome, CardOutcome::Verified);
            assert!(!refused.report().codes.is_empty(), "a no without a reason");
            Outcome::Refused
        }
        Ok(verified) => {
            assert_canonical(&verified.to_octets());
            assert!(verified.member("signatures").is_none());
            let whole = verified.report().uncovered.is_empty();
            if whole { Outcome::Verified } else { Outcome::VerifiedInPart }
        }
    }
}

fn assert_canonical(octets: &[u8]) {
    let limits = Limits::default().with_max_octets(octets.len());
    let document = Document::read(octets, &limits).expect("canonical octets are strict JSON");
    assert_eq!(jcs::to_octets(document.root()), octets, "not in canonical form");
}
