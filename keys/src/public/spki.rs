//! `SubjectPublicKeyInfo` (RFC 5280, RFC 5480, RFC 8410) and the names of object identifiers.

use pkcs8::der::Decode as _;
use pkcs8::der::asn1::{AnyRef, BitStringRef};
use pkcs8::{AlgorithmIdentifierRef, ObjectIdentifier};
use rsa::pkcs1::RsaPublicKeyRef;

use super::VerifyingKey;
use crate::{KeyError, KeyKind};

pub(crate) const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
pub(crate) const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
pub(crate) const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");
const P521: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.35");

pub(super) type PublicKeyInfo<'a> = pkcs8::spki::SubjectPublicKeyInfo<AnyRef<'a>, BitStringRef<'a>>;

pub(super) fn read(der: &[u8]) -> Result<VerifyingKey, KeyError> {
    let malformed = || KeyError::MalformedDer { structure: "SubjectPublicKeyInfo" };
    let info = PublicKeyInfo::from_der(der).map_err(|_| malformed())?;
    let kind = kind_of(&info.algorithm)?;
    let octets = info.subject_public_key.as_bytes().ok_or_else(malformed)?;
    match kind {
        KeyKind::P256 | KeyKind::P384 | KeyKind::P521 => VerifyingKey::from_point(kind, octets),
        KeyKind::Ed25519 => VerifyingKey::from_ed25519(octets),
        KeyKind::Rsa => read_pkcs1(octets),
    }
}

/// `RSAPublicKey` (RFC 8017 A.1.1).
pub(super) fn read_pkcs1(der: &[u8]) -> Result<VerifyingKey, KeyError> {
    let key =
        RsaPublicKeyRef::from_der(der).map_err(|_| KeyError::MalformedDer { structure: "RSAPublicKey" })?;
    VerifyingKey::from_rsa(key.modulus.as_bytes(), key.public_exponent.as_bytes())
}

/// The kind of key that an algorithm identifier names.
pub(crate) fn kind_of(algorithm: &AlgorithmIdentifierRef<'_>) -> Result<KeyKind, KeyError> {
    match algorithm.oid {
        EC => match algorithm.parameters {
            Some(parameters) => kind_of_parameters(parameters),
            None => Err(KeyError::WrongCurve { found: EXPLICIT_PARAMETERS.to_owned() }),
        },
        ED25519 => Ok(KeyKind::Ed25519),
        RSA => Ok(KeyKind::Rsa),
        other if EDWARDS_AND_MONTGOMERY.contains(&other) => {
            Err(KeyError::WrongCurve { found: name_of(other) })
        }
        other => Err(KeyError::UnsupportedKind { found: name_of(other) }),
    }
}

/// The kind of key that `ECParameters` (RFC 5480 2.1.1) name.
pub(crate) fn kind_of_parameters(parameters: AnyRef<'_>) -> Result<KeyKind, KeyError> {
    let curve = parameters
        .decode_as::<ObjectIdentifier>()
        .map_err(|_| KeyError::WrongCurve { found: EXPLICIT_PARAMETERS.to_owned() })?;
    match curve {
        P256 => Ok(KeyKind::P256),
        P384 => Ok(KeyKind::P384),
        P521 => Ok(KeyKind::P521),
        other => Err(KeyError::WrongCurve { found: name_of(other) }),
    }
}

/// The algorithm identifier of a curve.
pub(crate) const fn curve_oid(kind: KeyKind) -> Option<&'static ObjectIdentifier> {
    match kind {
        KeyKind::P256 => Some(&P256),
        KeyKind::P384 => Some(&P384),
        KeyKind::P521 => Some(&P521),
        KeyKind::Ed25519 | KeyKind::Rsa => None,
    }
}

const X25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.110");
const X448: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.111");
const ED448: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.113");
const EDWARDS_AND_MONTGOMERY: [ObjectIdentifier; 3] = [X25519, X448, ED448];

/// Whether this is the name of a curve that has no ECDSA.
pub(crate) fn is_edwards_or_montgomery(name: &str) -> bool {
    EDWARDS_AND_MONTGOMERY.into_iter().any(|curve| name_of(curve) == name)
}

/// What stands for a curve that is written out instead of named.
pub(crate) const EXPLICIT_PARAMETERS: &str = "explicit parameters";

/// `id-RSASSA-PSS` (RFC 4055 3.1).
pub(crate) const RSASSA_PSS: &str = "RSASSA-PSS";

/// The usual name of an object identifier that people meet in key files, else its digits.
fn name_of(oid: ObjectIdentifier) -> String {
    let digits = oid.to_string();
    let name = match digits.as_str() {
        "1.3.101.110" => "X25519",
        "1.3.101.111" => "X448",
        "1.3.101.113" => "Ed448",
        "1.3.132.0.10" => "secp256k1",
        "1.3.132.0.33" => "secp224r1 (P-224)",
        "1.2.840.10045.3.1.1" => "secp192r1 (P-192)",
        "1.3.36.3.3.2.8.1.1.7" => "brainpoolP256r1",
        "1.3.36.3.3.2.8.1.1.11" => "brainpoolP384r1",
        "1.3.36.3.3.2.8.1.1.13" => "brainpoolP512r1",
        "1.2.156.10197.1.301" => "SM2",
        "1.2.840.113549.1.1.10" => RSASSA_PSS,
        "1.2.840.113549.1.1.7" => "RSAES-OAEP",
        "1.2.840.10040.4.1" => "DSA",
        "1.2.840.113549.1.3.1" => "Diffie-Hellman",
        "2.16.840.1.101.3.4.3.17" => "ML-DSA-44",
        "2.16.840.1.101.3.4.3.18" => "ML-DSA-65",
        "2.16.840.1.101.3.4.3.19" => "ML-DSA-87",
        _ => return digits,
    };
    name.to_owned()
}
