//! Signatures of another kind, named for what they are. No signature is checked here.

use countersign_keys::json::{Kind, Value};
use countersign_keys::jws::{HeaderError, ProtectedHeader};

use super::Cause;
use super::trial::Fit;
use crate::signature::entry::{EntryError, SignatureEntry};

const DETACHED: &str = "put its first part into `protected` and its third into `signature`, if it was made over a \
                        canonical form of the card; else sign again";
const AGAIN: &str = "sign the card again with `protected` and `signature`";

/// What the entry is, if it is a signature of another kind.
pub(super) fn name(entry: Value<'_>) -> Option<Fit> {
    let (what, instead) = match SignatureEntry::read(entry) {
        Err(EntryError::Foreign { shape }) => {
            let is_compact = shape.contains("JWS") || shape.contains("jws");
            (shape, if is_compact { DETACHED } else { AGAIN })
        }
        Ok(parts) => match ProtectedHeader::read(parts.protected, parts.header) {
            Err(HeaderError::MissingKid)
                if parts.header.is_some_and(|header| header.member("kid").is_some()) =>
            {
                (
                    "a signature whose `kid` stands in the unprotected header only",
                    "sign again with `kid` in the protected header; moving it there changes the signed octets",
                )
            }
            _ => return None,
        },
        Err(_) => (bare(entry)?, AGAIN),
    };
    Some(Fit { cause: Cause::ForeignShape, form: None, message: format!("the entry is {what}: {instead}") })
}

/// A value without a header: a digest, a MAC, a raw signature.
fn bare(entry: Value<'_>) -> Option<&'static str> {
    if entry.as_text().is_some() {
        return Some("a bare string, such as an HMAC or a digest, which names no key");
    }
    let text = |name| entry.member(name).and_then(Value::as_text);
    let algorithm = text("alg").or_else(|| text("algorithm")).unwrap_or_default().to_ascii_lowercase();
    if algorithm.starts_with("hs") || algorithm.contains("hmac") {
        return Some("an HMAC, which whoever can verify it can also make");
    }
    let has_value = ["signature", "value", "sig"].into_iter().any(|name| text(name).is_some());
    let is_headless = entry.kind() == Kind::Object && entry.member("protected").is_none();
    (is_headless && has_value).then_some("a signature value without a protected header")
}
