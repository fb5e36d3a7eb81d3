//! The members of one JWK: what each must be, alone and beside the others.

use zeroize::Zeroizing;

use super::JwkError;
use crate::json::{Kind, Value};
use crate::{Algorithm, KeyError, KeyKind, base64url};

/// What the key is wanted for.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    Verify,
    Sign,
}

impl Purpose {
    const fn operation(self) -> &'static str {
        match self {
            Self::Verify => "verify",
            Self::Sign => "sign",
        }
    }
}

/// Members that only private keys have (RFC 7518 6.2.2, 6.3.2, 6.4.1).
pub(super) const PRIVATE: &[&str] = &["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/// Members about certificates (RFC 7517 4.6 to 4.9).
pub(super) const CERTIFICATE: &[&str] = &["x5c", "x5u", "x5t", "x5t#S256"];

/// Checks everything but the numbers, and gives the kind of key.
pub(super) fn check(jwk: Value<'_>, purpose: Purpose) -> Result<KeyKind, JwkError> {
    if jwk.kind() != Kind::Object {
        return Err(JwkError::NotAnObject { found: jwk.kind() });
    }
    if text(jwk, "kid")? == Some("") {
        return Err(JwkError::EmptyKid);
    }
    let kind = kind(jwk)?;
    check_use(jwk, purpose)?;
    Ok(kind)
}

/// Whether the entry claims to be something other than a shared secret.
pub(super) fn is_asymmetric(jwk: Value<'_>) -> bool {
    jwk.member("kty").and_then(Value::as_text) != Some("oct")
}

/// `alg`, when present, must be supported and fit the key.
pub(super) fn algorithm(jwk: Value<'_>, kind: KeyKind) -> Result<Option<Algorithm>, JwkError> {
    let Some(name) = text(jwk, "alg")? else { return Ok(None) };
    let algorithm =
        Algorithm::from_name(name).ok_or_else(|| JwkError::UnknownAlgorithm { found: name.to_owned() })?;
    if algorithm.key_kind() == kind {
        Ok(Some(algorithm))
    } else {
        Err(JwkError::AlgorithmMismatch { algorithm, kind })
    }
}

/// The octets of a number; wiped when dropped, because the number may be a private one.
pub(super) fn octets(jwk: Value<'_>, member: &'static str) -> Result<Zeroizing<Vec<u8>>, JwkError> {
    let text = required_text(jwk, member)?;
    base64url::decode_secret(text).map_err(|source| JwkError::Base64url { member, source })
}

/// The text of an optional member.
pub(super) fn text<'d>(jwk: Value<'d>, member: &'static str) -> Result<Option<&'d str>, JwkError> {
    let Some(value) = jwk.member(member) else { return Ok(None) };
    let wrong = JwkError::MemberType { member, expected: "a string", found: value.kind() };
    value.as_text().map(Some).ok_or(wrong)
}

fn required_text<'d>(jwk: Value<'d>, member: &'static str) -> Result<&'d str, JwkError> {
    text(jwk, member)?.ok_or(JwkError::MissingMember { member })
}

fn kind(jwk: Value<'_>) -> Result<KeyKind, JwkError> {
    let kty = required_text(jwk, "kty")?;
    match kty {
        "RSA" => Ok(KeyKind::Rsa),
        "EC" | "OKP" => curve(kty, required_text(jwk, "crv")?),
        "oct" => Err(JwkError::SharedSecret),
        other => Err(KeyError::UnsupportedKind { found: other.to_owned() }.into()),
    }
}

fn curve(kty: &str, crv: &str) -> Result<KeyKind, JwkError> {
    let kinds = [KeyKind::P256, KeyKind::P384, KeyKind::P521, KeyKind::Ed25519];
    match kinds.into_iter().find(|kind| kind.crv() == Some(crv)) {
        Some(kind) if kind.kty() == kty => Ok(kind),
        Some(_) => Err(JwkError::CurveType { kty: kty.to_owned(), crv: crv.to_owned() }),
        None => Err(KeyError::WrongCurve { found: crv.to_owned() }.into()),
    }
}

/// `use` and `key_ops` (RFC 7517 4.2, 4.3).
fn check_use(jwk: Value<'_>, purpose: Purpose) -> Result<(), JwkError> {
    let usage = text(jwk, "use")?;
    if let Some(found) = usage.filter(|usage| *usage != "sig") {
        return Err(JwkError::Use { found: found.to_owned() });
    }
    let Some(operations) = operations(jwk)? else { return Ok(()) };
    for (index, operation) in operations.iter().enumerate() {
        if operations.iter().take(index).any(|earlier| earlier == operation) {
            return Err(JwkError::OperationTwice { operation: (*operation).to_owned() });
        }
        if usage.is_some() && !matches!(*operation, "sign" | "verify") {
            return Err(JwkError::UseContradictsOperations { operation: (*operation).to_owned() });
        }
    }
    let needed = purpose.operation();
    if operations.contains(&needed) { Ok(()) } else { Err(JwkError::OperationMissing { needed }) }
}

fn operations(jwk: Value<'_>) -> Result<Option<Vec<&str>>, JwkError> {
    const MEMBER: &str = "key_ops";
    let wrong = |found| JwkError::MemberType { member: MEMBER, expected: "an array of strings", found };
    let Some(value) = jwk.member(MEMBER) else { return Ok(None) };
    if value.kind() != Kind::Array {
        return Err(wrong(value.kind()));
    }
    value
        .elements()
        .map(|element| element.as_text().ok_or_else(|| wrong(element.kind())))
        .collect::<Result<_, _>>()
        .map(Some)
}
