//! Protected headers: whatever is accepted says what RFC 7515 wants it to say.

use countersign_keys::jws::ProtectedHeader;
use countersign_keys::{base64url, json};

/// What became of the octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Outcome {
    /// A header that can be followed.
    Accepted,
    /// Strict JSON, and no header that can be followed.
    RefusedHeader,
    /// No strict JSON.
    RefusedJson,
}

/// Reads `octets` as a protected header, before and after base64url.
///
/// # Panics
///
/// When text that is no base64url is accepted, or a header without `alg` or `kid`, or one with `crit` or `b64`.
#[must_use]
pub fn run(octets: &[u8]) -> Outcome {
    if let Ok(text) = std::str::from_utf8(octets)
        && let Ok(header) = ProtectedHeader::read(text, None)
    {
        let decoded = base64url::decode(text).expect("an accepted header is base64url");
        assert_eq!(base64url::encode(&decoded), text, "two texts for one header");
        assert!(!header.kid.is_empty());
    }
    let Ok(header) = ProtectedHeader::read(&base64url::encode(octets), None) else {
        let is_json = json::Document::read(octets, &json::Limits::default()).is_ok();
        return if is_json { Outcome::RefusedHeader } else { Outcome::RefusedJson };
    };
    let document =
        json::Document::read(octets, &json::Limits::default()).expect("an accepted header is strict JSON");
    let member = |name| document.root().member(name);
    assert_eq!(member("alg").and_then(|alg| alg.as_text()), Some(header.alg.as_str()));
    assert_eq!(member("kid").and_then(|kid| kid.as_text()), Some(header.kid.as_str()));
    assert!(!header.alg.is_empty() && !header.kid.is_empty());
    assert!(member("crit").is_none() && member("b64").is_none());
    Outcome::Accepted
}
