//! Private JWKs, for signing. The document is wiped after reading; no copy of a private number stays behind.

use zeroize::{Zeroize as _, Zeroizing};

use super::members::{self, Purpose};
use super::{Error, JwkError, Shape, entries, public_numbers};
use crate::json::{Document, Limits, Value};
use crate::{Algorithm, KeyKind, RsaParts, SigningKey};

/// The entries of a document with private keys, in the order written.
#[derive(Debug)]
#[non_exhaustive]
pub struct PrivateJwks {
    /// Whether it was one JWK or a set.
    pub shape: Shape,
    /// One for each JWK: the key, or why it cannot sign.
    pub entries: Vec<PrivateEntry>,
}

/// One JWK of a document that was read for signing.
#[derive(Debug)]
#[non_exhaustive]
pub struct PrivateEntry {
    /// JSON Pointer of the JWK; empty for a bare one.
    pub pointer: String,
    /// The `kid`, when it is text.
    pub kid: Option<String>,
    /// The key, or why it cannot sign.
    pub key: Result<PrivateJwk, JwkError>,
}

/// A private JWK that can sign.
#[derive(Debug)]
#[non_exhaustive]
pub struct PrivateJwk {
    /// The key.
    pub key: SigningKey,
    /// `alg`: the one algorithm the key may be used with. `EdDSA` and `Ed25519` mean the same.
    pub algorithm: Option<Algorithm>,
}

/// Reads a private JWK, or a JWK set with private keys, for signing. The octets are wiped before this returns.
///
/// The rules are those of [`super::read_public`] with `sign` in place of `verify`. The public numbers must be there and
/// belong to the private ones.
///
/// # Errors
///
/// [`Error::Json`] and [`Error::NotAKeySet`].
pub fn read_private(octets: impl Into<Vec<u8>>, limits: &Limits) -> Result<PrivateJwks, Error> {
    let mut document = Document::read(octets, limits)?;
    let read = entries(document.root()).map(|(shape, values)| PrivateJwks {
        shape,
        entries: values.into_iter().map(private_entry).collect(),
    });
    document.zeroize();
    read
}

fn private_entry(jwk: Value<'_>) -> PrivateEntry {
    let kid = jwk.member("kid").and_then(Value::as_text).map(str::to_owned);
    PrivateEntry { pointer: jwk.pointer(), kid, key: private_key(jwk) }
}

fn private_key(jwk: Value<'_>) -> Result<PrivateJwk, JwkError> {
    let kind = members::check(jwk, Purpose::Sign)?;
    let algorithm = members::algorithm(jwk, kind)?;
    if jwk.member("d").is_none() {
        return Err(JwkError::NotPrivate);
    }
    let d = members::octets(jwk, "d")?;
    let key = match kind {
        KeyKind::P256 | KeyKind::P384 | KeyKind::P521 => SigningKey::from_ec(kind, &d)?,
        KeyKind::Ed25519 => SigningKey::from_ed25519(&d)?,
        KeyKind::Rsa => rsa(jwk, &d)?,
    };
    key.check_pair(&public_numbers(jwk, kind)?)?;
    Ok(PrivateJwk { key, algorithm })
}

fn rsa(jwk: Value<'_>, d: &[u8]) -> Result<SigningKey, JwkError> {
    if jwk.member("oth").is_some() {
        return Err(JwkError::Primes);
    }
    let (n, e) = (members::octets(jwk, "n")?, members::octets(jwk, "e")?);
    let (p, q) = (optional(jwk, "p")?, optional(jwk, "q")?);
    let primes = match (&p, &q) {
        (Some(p), Some(q)) => Some((p.as_slice(), q.as_slice())),
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => return Err(JwkError::Primes),
    };
    let (dp, dq, qi) = (optional(jwk, "dp")?, optional(jwk, "dq")?, optional(jwk, "qi")?);
    if primes.is_none() && (dp.is_some() || dq.is_some() || qi.is_some()) {
        return Err(JwkError::Primes);
    }
    Ok(SigningKey::from_rsa(&RsaParts {
        n: &n,
        e: &e,
        d,
        primes,
        dp: dp.as_deref().map(Vec::as_slice),
        dq: dq.as_deref().map(Vec::as_slice),
        qi: qi.as_deref().map(Vec::as_slice),
    })?)
}

fn optional(jwk: Value<'_>, member: &'static str) -> Result<Option<Zeroizing<Vec<u8>>>, JwkError> {
    if jwk.member(member).is_none() { Ok(None) } else { members::octets(jwk, member).map(Some) }
}
