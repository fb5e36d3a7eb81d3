//! One element of `signatures`: A2A §8.4.2, or something else that people put there.

use countersign_keys::json::{Kind, Value};
use countersign_keys::{Code, base64url, codes as key_codes};

use crate::codes;

/// Most entries that are looked at: each costs a signature check for every form.
pub(crate) const MAX_SIGNATURES: usize = 16;

/// The parts of a JWS in JSON serialization, without its payload (RFC 7515 §7.2, appendix F).
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignatureEntry<'c> {
    pub(crate) protected: &'c str,
    pub(crate) signature: &'c str,
    /// The unprotected header.
    pub(crate) header: Option<Value<'c>>,
}

/// Why an element is no signature entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EntryError {
    #[error("the entry is {found}, expected an object with `protected` and `signature`")]
    NotAnObject { found: &'static str },
    #[error("the entry has no `{member}`")]
    Missing { member: &'static str },
    #[error("`{member}` is {found}, expected {expected}")]
    WrongType { member: &'static str, found: &'static str, expected: &'static str },
    #[error("the entry is {shape}, not a signature as A2A 8.4.2 describes it")]
    Foreign { shape: &'static str },
    #[error("`signature` is not base64url: {0}")]
    Encoding(base64url::Error),
}

impl EntryError {
    pub(crate) fn code(&self) -> Code {
        match self {
            Self::NotAnObject { .. } | Self::Missing { .. } | Self::WrongType { .. } | Self::Encoding(_) => {
                key_codes::SIG_MALFORMED
            }
            Self::Foreign { .. } => codes::SIG_FOREIGN_SHAPE,
        }
    }
}

impl<'c> SignatureEntry<'c> {
    pub(crate) fn read(entry: Value<'c>) -> Result<Self, EntryError> {
        if let Some(shape) = foreign_shape(entry) {
            return Err(EntryError::Foreign { shape });
        }
        if entry.kind() != Kind::Object {
            return Err(EntryError::NotAnObject { found: entry.kind().name() });
        }
        let header = entry.member("header").filter(|header| !header.is_null());
        if let Some(header) = header.filter(|header| header.kind() != Kind::Object) {
            return Err(EntryError::WrongType {
                member: "header",
                found: header.kind().name(),
                expected: "an object",
            });
        }
        Ok(Self { protected: text(entry, "protected")?, signature: text(entry, "signature")?, header })
    }

    /// The octets of the signature value.
    pub(crate) fn signature_octets(&self) -> Result<Vec<u8>, EntryError> {
        base64url::decode(self.signature).map_err(EntryError::Encoding)
    }
}

fn text<'c>(entry: Value<'c>, member: &'static str) -> Result<&'c str, EntryError> {
    let value = entry.member(member).ok_or(EntryError::Missing { member })?;
    value.as_text().ok_or(EntryError::WrongType { member, found: value.kind().name(), expected: "a string" })
}

/// Names what an entry is when it is a signature of another kind.
fn foreign_shape(entry: Value<'_>) -> Option<&'static str> {
    let compact = |text: &str| text.split('.').count() == 3 && text.split('.').all(is_base64url);
    let has = |name| entry.member(name).is_some();
    let text = |name| entry.member(name).and_then(Value::as_text);
    if entry.as_text().is_some_and(compact) {
        return Some("a JWS in compact serialization");
    }
    if text("jws").is_some() {
        return Some(if has("keyId") { "a `{jws, keyId}` pair" } else { "a wrapped compact JWS (`jws`)" });
    }
    if !has("protected") && text("signature").is_some_and(compact) {
        return Some("a JWS in compact serialization inside `signature`");
    }
    if !has("protected") && entry.member("header").is_some_and(|header| header.kind() == Kind::Object) {
        return Some("a signature with an unprotected header only");
    }
    (has("dsseEnvelope") || has("verificationMaterial")).then_some("a Sigstore bundle")
}

fn is_base64url(part: &str) -> bool {
    part.bytes().all(|octet| octet.is_ascii_alphanumeric() || octet == b'-' || octet == b'_')
}
