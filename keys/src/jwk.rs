//! JWK and JWK sets (RFC 7517, RFC 7518 6, RFC 8037), read entry by entry from strict JSON.

mod error;
mod members;
mod private;

pub use error::{Error, Found, JwkError};
pub use private::{PrivateEntry, PrivateJwk, PrivateJwks, read_private};

use crate::json::{Document, Kind, Value};
use crate::{Algorithm, Finding, KeyKind, Level, VerifyingKey, codes};

/// Whether a document was one JWK or a JWK set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// One bare JWK.
    Single,
    /// `{"keys": […]}`.
    Set,
}

/// The entries of a document with public keys, in the order written. An entry that is broken disables only itself.
#[derive(Debug)]
#[non_exhaustive]
pub struct PublicJwks {
    /// Whether it was one JWK or a set.
    pub shape: Shape,
    /// One for each JWK.
    pub entries: Vec<PublicEntry>,
}

/// One JWK of a document.
#[derive(Debug)]
#[non_exhaustive]
pub struct PublicEntry {
    /// JSON Pointer of the JWK; empty for a bare one.
    pub pointer: String,
    /// The `kid`, when it is text. Known even when the key is unusable.
    pub kid: Option<String>,
    /// The key, or why it is not used.
    pub key: Result<PublicJwk, JwkError>,
    /// What was noticed about this entry, the refusal included.
    pub findings: Vec<Finding>,
}

/// A public JWK that can verify signatures.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PublicJwk {
    /// The key.
    pub key: VerifyingKey,
    /// `alg`: the one algorithm the key may be used with. `EdDSA` and `Ed25519` mean the same.
    pub algorithm: Option<Algorithm>,
}

/// Reads a JWK set, or one bare JWK, for verifying.
///
/// Each entry is judged by itself: `kty`, `crv`, coordinates at fixed length (RFC 7518 6.2.1.2), the point on its
/// curve, `use` = `sig`, `key_ops` with `verify`, `alg` fitting the key. An entry that fails is kept with its reason.
/// Private members are never read here; their presence is the finding `key.private-in-public-set`. Certificates in the
/// entry are not evaluated: finding `key.certificate-ignored`. Members that no rule names are ignored (RFC 7517 4).
///
/// # Errors
///
/// [`Error::NotAKeySet`] when the document is neither form.
///
/// # Examples
///
/// ```
/// use countersign_keys::{json, jwk};
///
/// let octets = br#"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k1","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},
///                           {"kty":"oct","kid":"k2","k":"c2VjcmV0"}]}"#;
/// let document = json::Document::read(octets.as_slice(), &json::Limits::default())?;
/// let jwks = jwk::read_public(&document)?;
/// assert!(jwks.entries[0].key.is_ok());
/// assert_eq!(jwks.entries[1].findings[0].code, countersign_keys::codes::KEY_UNUSABLE);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_public(document: &Document) -> Result<PublicJwks, Error> {
    let (shape, values) = entries(document.root())?;
    Ok(PublicJwks { shape, entries: values.into_iter().map(public_entry).collect() })
}

/// The JWKs of a document, and in which shape they came.
fn entries(root: Value<'_>) -> Result<(Shape, Vec<Value<'_>>), Error> {
    if root.kind() != Kind::Object {
        return Err(Error::NotAKeySet { found: Found::Kind(root.kind()) });
    }
    match (root.member("keys"), root.member("kty")) {
        (Some(_), Some(_)) => Err(Error::NotAKeySet { found: Found::KeysAndKty }),
        (Some(keys), None) if keys.kind() == Kind::Array => Ok((Shape::Set, keys.elements().collect())),
        (Some(keys), None) => Err(Error::NotAKeySet { found: Found::Keys(keys.kind()) }),
        (None, Some(_)) => Ok((Shape::Single, vec![root])),
        (None, None) if holds_pem_texts(root) => Err(Error::NotAKeySet { found: Found::PemTexts }),
        (None, None) => Err(Error::NotAKeySet { found: Found::Neither }),
    }
}

fn holds_pem_texts(root: Value<'_>) -> bool {
    root.members().any(|(_, value)| value.as_text().is_some_and(|text| text.contains("-----BEGIN ")))
}

fn public_entry(jwk: Value<'_>) -> PublicEntry {
    let kid = jwk.member("kid").and_then(Value::as_text).map(str::to_owned);
    let key = public_key(jwk);
    let mut findings = Vec::new();
    if let Err(refused) = &key {
        findings.push(Finding::new(
            refused.code(),
            Level::Warning,
            format!("the key is not used: {refused}"),
        ));
    }
    if let Some(member) =
        members::PRIVATE.iter().find(|name| members::is_asymmetric(jwk) && jwk.member(name).is_some())
    {
        findings.push(Finding::new(
            codes::KEY_PRIVATE_IN_PUBLIC_SET,
            Level::Warning,
            format!("the key carries the private member `{member}` where only public keys belong; whoever read this file can sign with it"),
        ));
    }
    if let Some(member) = members::CERTIFICATE.iter().find(|name| jwk.member(name).is_some()) {
        findings.push(Finding::new(
            codes::KEY_CERTIFICATE_IGNORED,
            Level::Info,
            format!("`{member}` is not evaluated: neither a certificate chain nor its dates count here"),
        ));
    }
    let findings = findings
        .into_iter()
        .map(|finding| {
            let finding = finding.at(jwk.pointer()).spanning(jwk.span());
            match &kid {
                Some(kid) => finding.about_key(kid.as_str()),
                None => finding,
            }
        })
        .collect();
    PublicEntry { pointer: jwk.pointer(), kid, key, findings }
}

fn public_key(jwk: Value<'_>) -> Result<PublicJwk, JwkError> {
    let kind = members::check(jwk, members::Purpose::Verify)?;
    let algorithm = members::algorithm(jwk, kind)?;
    Ok(PublicJwk { key: public_numbers(jwk, kind)?, algorithm })
}

/// The public numbers of a JWK as a key.
fn public_numbers(jwk: Value<'_>, kind: KeyKind) -> Result<VerifyingKey, JwkError> {
    let key = match kind {
        KeyKind::P256 | KeyKind::P384 | KeyKind::P521 => {
            VerifyingKey::from_ec(kind, &members::octets(jwk, "x")?, &members::octets(jwk, "y")?)
        }
        KeyKind::Ed25519 => VerifyingKey::from_ed25519(&members::octets(jwk, "x")?),
        KeyKind::Rsa => VerifyingKey::from_rsa(&members::octets(jwk, "n")?, &members::octets(jwk, "e")?),
    };
    Ok(key?)
}

#[cfg(test)]
mod tests;
