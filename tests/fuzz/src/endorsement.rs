//! Endorsement files: what is accepted has the members of the schema, and counts only for the card it is for.

use countersign::keys::json::{Document, Kind, Limits};
use countersign::keys::trust::TrustedKeys;
use countersign::{CardOutcome, Endorsement, UnixTime, UntrustedCard, VerifyTerms};

/// The key that signed the seeds; its private half is published in `examples/keys`.
const KEYS: &[u8] = include_bytes!("../../../examples/keys/demo.jwks");

/// The card that the seeds endorse. Nobody signed it.
const CARD: &[u8] = include_bytes!("../../../examples/cards/route-planner.json");

/// What became of the octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Outcome {
    /// No strict JSON.
    RefusedJson,
    /// Strict JSON and no endorsement.
    Refused,
    /// An endorsement of something else.
    ForAnother,
    /// An endorsement of the card that does not verify.
    NotVerified,
    /// An endorsement of the card by the key.
    Verified,
}

/// Reads `octets` as an endorsement, and verifies the card with it.
///
/// # Panics
///
/// When a file with other members than those of the schema is accepted, when a refusal has no place in the file, or when
/// the card verifies although no signature of the endorsement did.
#[must_use]
pub fn run(octets: &[u8]) -> Outcome {
    let document = Document::read(octets, &Limits::default());
    let endorsement = match (Endorsement::read(octets, &Limits::default()), &document) {
        (Ok(endorsement), _) => endorsement,
        (Err(refusal), Err(json)) => {
            assert_eq!((refusal.code(), refusal.span()), (json.code(), json.span()));
            return Outcome::RefusedJson;
        }
        (Err(refusal), Ok(_)) => {
            assert!(refusal.code().name().starts_with("endorsement."), "{refusal}");
            assert!(refusal.span().end <= octets.len() && refusal.span().start < refusal.span().end);
            return Outcome::Refused;
        }
    };
    let document = document.expect("an accepted endorsement is strict JSON");
    let root = document.root();
    assert_eq!(root.members().count(), 3);
    let entries = root.member("signatures").filter(|list| list.kind() == Kind::Array).expect("a list");
    assert!((1..=16).contains(&entries.elements().count()));
    assert!(entries.elements().all(|entry| entry.members().count() == 2));
    let digest = endorsement.claimed_payload_sha256();
    assert_eq!(root.member("payload_sha256").and_then(|digest| digest.as_text()), Some(digest));

    let card = UntrustedCard::read(CARD, &Limits::default()).expect("the card of the examples");
    let keys = TrustedKeys::read(KEYS, "demo.jwks").expect("the keys of the examples");
    let now = UnixTime::from_seconds(1_796_000_000);
    let result = card.verify_with_endorsements(&[endorsement], &keys, &VerifyTerms::default(), now);
    let report = match &result {
        Ok(verified) => verified.report(),
        Err(refused) => refused.report(),
    };
    let of_file = report.endorsements.first().expect("a report for each endorsement");
    let has_verified = of_file.signatures.iter().any(|signature| signature.outcome.name() == "verified");
    assert_eq!(report.outcome == CardOutcome::Verified, has_verified);
    assert!(of_file.form.is_some() || !has_verified, "an endorsement of something else counts");
    match of_file.form {
        None => Outcome::ForAnother,
        Some(_) if has_verified => Outcome::Verified,
        Some(_) => Outcome::NotVerified,
    }
}
