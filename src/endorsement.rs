//! Endorsements: counter-signatures that are kept beside a card, in a file of their own.
//!
//! `signatures` is no part of any payload, so a signature over the payload of a card need not stand in the card. An
//! endorsement names the payload by its digest and holds signatures over it. The digest is a claim: it tells for which
//! payload of the card the signatures are tried, and proves nothing.

mod error;

use countersign_keys::Finding;
use countersign_keys::json::{Document, Kind, Limits, Value};

use crate::signature::entry::MAX_SIGNATURES;
pub use error::{EndorsementError, EndorsementPlace};

/// The schema that is read and written.
const SCHEMA: &str = "countersign.endorsement/1";

/// Characters of a SHA-256 digest in hexadecimal.
const DIGEST_DIGITS: usize = 64;

/// Most characters of a file that a message quotes.
const MAX_QUOTED: usize = 64;

/// Signatures over one payload of one card, as received: nothing in it may be believed yet.
///
/// Give it to [`UntrustedCard::verify_with_endorsements`](crate::UntrustedCard::verify_with_endorsements), make it with
/// [`UntrustedCard::endorse`](crate::UntrustedCard::endorse).
#[derive(Debug)]
pub struct Endorsement {
    document: Document,
    payload_sha256: String,
}

impl Endorsement {
    /// Most endorsements that are looked at for one card.
    pub const MAX_GIVEN: usize = 64;

    /// Whether a document says that it is an endorsement; it may still be a broken one.
    pub(crate) fn is_meant(document: Value<'_>) -> bool {
        document.member("schema").and_then(Value::as_text) == Some(SCHEMA)
    }

    /// Reads an endorsement from octets that are not trusted.
    ///
    /// ```json
    /// {"schema": "countersign.endorsement/1", "payload_sha256": "…", "signatures": [{"protected": "…", "signature": "…"}]}
    /// ```
    ///
    /// These members and no others: each of them must be there, `schema` must be the one above, `payload_sha256` has 64
    /// digits in lower case, and there are 1 to 16 signatures. Does not look into `protected` and `signature`, and
    /// verifies nothing.
    ///
    /// # Errors
    ///
    /// [`EndorsementError`] with the code, the place (JSON Pointer, line, column), what was found and what was expected.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{Endorsement, Limits};
    ///
    /// let unknown = r#"{"schema": "countersign.endorsement/2"}"#;
    /// let error = Endorsement::read(unknown, &Limits::default()).unwrap_err();
    /// assert_eq!(error.code().name(), "endorsement.unknown-schema");
    /// assert_eq!(error.pointer(), "/schema");
    /// ```
    pub fn read(octets: impl Into<Vec<u8>>, limits: &Limits) -> Result<Self, EndorsementError> {
        let document = Document::read(octets, limits)?;
        let payload_sha256 = check(document.root())?.to_owned();
        Ok(Self { document, payload_sha256 })
    }

    /// The SHA-256 digest of the payload that the endorsement says it is for, in hexadecimal.
    #[must_use]
    pub fn claimed_payload_sha256(&self) -> &str {
        &self.payload_sha256
    }

    /// What the reader remarks on: `json.bom`.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        self.document.findings()
    }

    /// The octets as received.
    #[must_use]
    pub fn octets(&self) -> &[u8] {
        self.document.source().as_bytes()
    }

    pub(crate) fn document(&self) -> &Document {
        &self.document
    }

    /// The signatures, at least one and at most 16.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Value<'_>> {
        self.document.root().member("signatures").into_iter().flat_map(Value::elements)
    }
}

/// The text of an endorsement without its `signatures`.
pub(crate) fn without_signatures(payload_sha256: &str) -> String {
    format!("{{\n  \"schema\": \"{SCHEMA}\",\n  \"payload_sha256\": \"{payload_sha256}\"\n}}\n")
}

/// Checks every member; gives the digest.
fn check(root: Value<'_>) -> Result<&str, EndorsementError> {
    expect(root, Kind::Object, "an object: an endorsement")?;
    // A file of another schema is named for that, whatever else is in it.
    let schema = text(root, "schema")?;
    let found = schema.as_text().unwrap_or_default();
    if found != SCHEMA {
        let found = found.chars().take(MAX_QUOTED).collect();
        return Err(EndorsementError::UnknownSchema {
            found,
            expected: SCHEMA,
            at: EndorsementPlace::of(schema),
        });
    }
    only(root, &["schema", "payload_sha256", "signatures"])?;
    let digest = text(root, "payload_sha256")?;
    let hexadecimal = digest.as_text().unwrap_or_default();
    let is_digit = |octet: u8| octet.is_ascii_digit() || (b'a'..=b'f').contains(&octet);
    if hexadecimal.len() != DIGEST_DIGITS || !hexadecimal.bytes().all(is_digit) {
        return Err(EndorsementError::NotADigest { at: EndorsementPlace::of(digest) });
    }
    let signatures = expect(member(root, "signatures")?, Kind::Array, "a list of signatures")?;
    match signatures.elements().count() {
        0 => return Err(EndorsementError::Empty { at: EndorsementPlace::of(signatures) }),
        found if found > MAX_SIGNATURES => {
            return Err(EndorsementError::TooMany {
                found,
                limit: MAX_SIGNATURES,
                at: EndorsementPlace::of(signatures),
            });
        }
        _ => {}
    }
    for entry in signatures.elements() {
        expect(entry, Kind::Object, "an object with `protected` and `signature`")?;
        only(entry, &["protected", "signature"])?;
        text(entry, "protected")?;
        text(entry, "signature")?;
    }
    Ok(hexadecimal)
}

fn member<'d>(object: Value<'d>, name: &'static str) -> Result<Value<'d>, EndorsementError> {
    object
        .member(name)
        .ok_or_else(|| EndorsementError::Missing { member: name, at: EndorsementPlace::of(object) })
}

/// The member with this name, which must be a string.
fn text<'d>(object: Value<'d>, name: &'static str) -> Result<Value<'d>, EndorsementError> {
    expect(member(object, name)?, Kind::Text, "a string")
}

fn expect<'d>(value: Value<'d>, kind: Kind, expected: &'static str) -> Result<Value<'d>, EndorsementError> {
    if value.kind() == kind {
        Ok(value)
    } else {
        let found = value.kind().name();
        Err(EndorsementError::WrongType { found, expected, at: EndorsementPlace::of(value) })
    }
}

/// Refuses members that the schema does not have.
fn only(object: Value<'_>, known: &'static [&'static str]) -> Result<(), EndorsementError> {
    match object.members().find(|(name, _)| !known.contains(name)) {
        None => Ok(()),
        Some((name, value)) => Err(EndorsementError::UnknownMember {
            name: name.chars().take(MAX_QUOTED).collect(),
            known,
            at: EndorsementPlace::of(value),
        }),
    }
}

#[cfg(test)]
mod tests;
