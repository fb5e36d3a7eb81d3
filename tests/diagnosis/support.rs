//! Verifying a card and asking why not.

use countersign::{Diagnosis, DiagnosisHints, Limits, TrustedKeys, UnixTime, UntrustedCard, VerifyTerms};
use serde_json::Value;

/// 2026-11-29T00:00:00Z, the day on which the vectors were made.
const NOW: UnixTime = UnixTime::from_seconds(1_795_910_400);

/// The host that the cards of the vectors had when they were signed.
pub(crate) const SIGNED_HOST: &str = "agent.example.com";

/// The diagnosis of a card that does not verify; `None` for one that does, and for one that cannot be read.
pub(crate) fn diagnosed(
    card: &[u8],
    keys: &TrustedKeys,
    terms: &VerifyTerms,
    hosts: &[&str],
) -> Option<Vec<Diagnosis>> {
    let mut hints = DiagnosisHints::default();
    hints.expected_hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
    let card = UntrustedCard::read(card, &Limits::default()).ok()?;
    let refused = card.verify(keys, terms, NOW).err()?;
    Some(refused.diagnose(keys, terms, &hints))
}

/// `cause` and the first JSON Pointer of the message, with a space between.
pub(crate) fn told(diagnosis: &Diagnosis) -> String {
    let pointer = diagnosis.message.split('`').find(|part| part.starts_with('/')).unwrap_or_default();
    format!("{} {pointer}", diagnosis.cause.name()).trim_end().to_owned()
}

pub(crate) fn json(path: &str) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

pub(crate) fn interop_keys() -> TrustedKeys {
    let octets = std::fs::read("tests/vectors/interop/keys/jwks.json").unwrap();
    TrustedKeys::read(octets, "jwks.json").unwrap()
}
