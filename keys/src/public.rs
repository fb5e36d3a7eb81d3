//! Public keys: parsed once, verified with many times. Only this file and its folder know a verifying backend.

mod ecdsa_der;
mod ed25519;
pub(crate) mod encode;
pub(crate) mod spki;

use std::fmt;
use std::hash::{Hash, Hasher};

use p384::ecdsa::signature::Verifier as _;
use ring::signature as backend;

use crate::thumbprint::Thumbprint;
use crate::{Algorithm, KeyError, KeyKind, VerifyError, base64url};

/// A public key that passed every check of RFC 7518, RFC 8037 and SEC 1 that this package makes.
///
/// Refused at load: points off the curve, wrong coordinate lengths, compressed points, small-order and non-canonical
/// Ed25519 keys, RSA keys under 2048 or over 8192 bits, even moduli, exponents that are even, 1 or over 33 bits.
/// Not checked: whether an RSA modulus is a product of two primes, or whether anyone should be trusted with the key.
///
/// Two keys are equal when their thumbprints are.
#[derive(Clone)]
pub struct VerifyingKey {
    material: Material,
    thumbprint: Thumbprint,
}

#[derive(Clone)]
enum Material {
    P256 { point: [u8; 65] },
    P384 { point: Box<[u8]>, key: Box<p384::ecdsa::VerifyingKey> },
    P521 { point: Box<[u8]>, key: Box<p521::ecdsa::VerifyingKey> },
    Ed25519 { key: Box<ed25519::Ed25519Key> },
    Rsa { n: Box<[u8]>, e: Box<[u8]>, bits: usize },
}

/// Proof that a signature verified: which key and which algorithm. Made only by [`VerifyingKey::verify`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifiedSignature {
    algorithm: Algorithm,
    thumbprint: Thumbprint,
}

impl VerifiedSignature {
    /// The algorithm that verified.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The thumbprint of the key that verified.
    #[must_use]
    pub const fn thumbprint(&self) -> Thumbprint {
        self.thumbprint
    }
}

const MIN_RSA_BITS: usize = 2048;
const MAX_RSA_BITS: usize = 8192;
const MAX_RSA_EXPONENT_BITS: usize = 33;

impl VerifyingKey {
    /// A key on P-256, P-384 or P-521 from its coordinates, each of exactly 32, 48 or 66 octets.
    ///
    /// # Errors
    ///
    /// [`KeyError::CoordinateLength`], [`KeyError::OffCurve`], or [`KeyError::UnsupportedKind`] when `kind` is no such
    /// curve.
    pub fn from_ec(kind: KeyKind, x: &[u8], y: &[u8]) -> Result<Self, KeyError> {
        if kind.kty() != "EC" {
            return Err(KeyError::UnsupportedKind { found: kind.name().to_owned() });
        }
        check_length(kind, "x", x)?;
        check_length(kind, "y", y)?;
        Self::from_uncompressed(kind, &[&[4], x, y].concat())
    }

    /// An Ed25519 key from its 32 octets.
    ///
    /// # Errors
    ///
    /// [`KeyError::CoordinateLength`], [`KeyError::OffCurve`] (also for a non-canonical encoding, RFC 8032 5.1.3), or
    /// [`KeyError::SmallOrder`].
    pub fn from_ed25519(x: &[u8]) -> Result<Self, KeyError> {
        check_length(KeyKind::Ed25519, "x", x)?;
        let key = ed25519::Ed25519Key::read(x)?;
        let thumbprint = Thumbprint::of_members(&[
            ("crv", "Ed25519"),
            ("kty", "OKP"),
            ("x", &base64url::encode(key.octets())),
        ]);
        Ok(Self { material: Material::Ed25519 { key: Box::new(key) }, thumbprint })
    }

    /// An RSA key from modulus and public exponent, unsigned and big-endian.
    ///
    /// Leading zero octets are dropped: RFC 7518 6.3.1.1 asks writers for the shortest form, and one key must have one
    /// thumbprint.
    ///
    /// # Errors
    ///
    /// [`KeyError::RsaTooSmall`], [`KeyError::RsaTooLarge`], [`KeyError::RsaModulusEven`],
    /// [`KeyError::RsaExponentOne`], [`KeyError::RsaExponentEven`] or [`KeyError::RsaExponentTooLarge`].
    pub fn from_rsa(n: &[u8], e: &[u8]) -> Result<Self, KeyError> {
        let (n, e) = (without_leading_zeros(n), without_leading_zeros(e));
        let (bits, exponent_bits) = (bit_length(n), bit_length(e));
        if bits < MIN_RSA_BITS {
            return Err(KeyError::RsaTooSmall { bits });
        }
        if bits > MAX_RSA_BITS {
            return Err(KeyError::RsaTooLarge { bits, max: MAX_RSA_BITS });
        }
        if is_even(n) {
            return Err(KeyError::RsaModulusEven);
        }
        if is_even(e) {
            return Err(KeyError::RsaExponentEven);
        }
        if exponent_bits == 1 {
            return Err(KeyError::RsaExponentOne);
        }
        if exponent_bits > MAX_RSA_EXPONENT_BITS {
            return Err(KeyError::RsaExponentTooLarge { bits: exponent_bits });
        }
        let thumbprint = Thumbprint::of_members(&[
            ("e", &base64url::encode(e)),
            ("kty", "RSA"),
            ("n", &base64url::encode(n)),
        ]);
        Ok(Self { material: Material::Rsa { n: n.into(), e: e.into(), bits }, thumbprint })
    }

    /// A key from a DER `SubjectPublicKeyInfo` (RFC 5280 4.1.2.7, RFC 5480, RFC 8410). Nothing may follow it.
    ///
    /// # Errors
    ///
    /// [`KeyError::MalformedDer`], [`KeyError::WrongCurve`], [`KeyError::UnsupportedKind`], [`KeyError::PointForm`], and
    /// what the constructor for that kind of key refuses.
    pub fn from_spki_der(der: &[u8]) -> Result<Self, KeyError> {
        spki::read(der)
    }

    /// An RSA key from a DER `RSAPublicKey` (PKCS#1, RFC 8017 A.1.1). Nothing may follow it.
    ///
    /// # Errors
    ///
    /// [`KeyError::MalformedDer`], and what [`VerifyingKey::from_rsa`] refuses.
    pub fn from_pkcs1_der(der: &[u8]) -> Result<Self, KeyError> {
        spki::read_pkcs1(der)
    }

    /// A key from an uncompressed point: the octet 4, then both coordinates.
    pub(crate) fn from_point(kind: KeyKind, point: &[u8]) -> Result<Self, KeyError> {
        match point.split_first() {
            Some((4, coordinates)) => {
                let (x, y) = coordinates.split_at(coordinates.len() / 2);
                Self::from_ec(kind, x, y)
            }
            _ => Err(KeyError::PointForm { kind }),
        }
    }

    /// The uncompressed point of an EC key.
    pub(crate) fn point(&self) -> Option<&[u8]> {
        match &self.material {
            Material::P256 { point } => Some(point),
            Material::P384 { point, .. } | Material::P521 { point, .. } => Some(point),
            Material::Ed25519 { .. } | Material::Rsa { .. } => None,
        }
    }

    fn from_uncompressed(kind: KeyKind, point: &[u8]) -> Result<Self, KeyError> {
        let off_curve = KeyError::OffCurve { kind };
        let material = match kind {
            KeyKind::P256 => {
                p256::PublicKey::from_sec1_bytes(point).map_err(|_| off_curve.clone())?;
                Material::P256 { point: point.try_into().map_err(|_| off_curve)? }
            }
            KeyKind::P384 => {
                let key = p384::ecdsa::VerifyingKey::from_sec1_bytes(point).map_err(|_| off_curve)?;
                Material::P384 { point: point.into(), key: Box::new(key) }
            }
            KeyKind::P521 => {
                let key = p521::ecdsa::VerifyingKey::from_sec1_bytes(point).map_err(|_| off_curve)?;
                Material::P521 { point: point.into(), key: Box::new(key) }
            }
            KeyKind::Ed25519 | KeyKind::Rsa => {
                return Err(KeyError::UnsupportedKind { found: kind.name().to_owned() });
            }
        };
        let (x, y) = coordinates(point);
        let thumbprint = Thumbprint::of_members(&[
            ("crv", kind.name()),
            ("kty", kind.kty()),
            ("x", &base64url::encode(x)),
            ("y", &base64url::encode(y)),
        ]);
        Ok(Self { material, thumbprint })
    }

    /// The kind of key.
    #[must_use]
    pub const fn kind(&self) -> KeyKind {
        match &self.material {
            Material::P256 { .. } => KeyKind::P256,
            Material::P384 { .. } => KeyKind::P384,
            Material::P521 { .. } => KeyKind::P521,
            Material::Ed25519 { .. } => KeyKind::Ed25519,
            Material::Rsa { .. } => KeyKind::Rsa,
        }
    }

    /// Bits of the field or of the RSA modulus: 256, 384, 521, 256, or 2048 to 8192.
    #[must_use]
    pub const fn bits(&self) -> usize {
        match &self.material {
            Material::P256 { .. } | Material::Ed25519 { .. } => 256,
            Material::P384 { .. } => 384,
            Material::P521 { .. } => 521,
            Material::Rsa { bits, .. } => *bits,
        }
    }

    /// The RFC 7638 thumbprint, computed at load.
    #[must_use]
    pub const fn thumbprint(&self) -> Thumbprint {
        self.thumbprint
    }

    /// Octets of a signature: 64, 96 or 132 for ECDSA, 64 for Ed25519, the length of the modulus for RSA.
    #[must_use]
    pub fn signature_octets(&self) -> usize {
        let modulus = if let Material::Rsa { n, .. } = &self.material { n.len() } else { 0 };
        self.kind().signature_octets().unwrap_or(modulus)
    }

    /// r and s at fixed length (RFC 7518 3.4) from an ECDSA signature in DER (RFC 3279 2.2.3), as HSMs, key management
    /// services and OpenSSL write it. [`None`] for other octets and for keys that are not on a NIST curve.
    ///
    /// Does not verify the signature.
    #[must_use]
    pub fn signature_from_der(&self, der: &[u8]) -> Option<Vec<u8>> {
        if self.kind().kty() == "EC" {
            ecdsa_der::fixed_length(der, self.signature_octets() / 2)
        } else {
            None
        }
    }

    /// Verifies one signature over `signing_input` (RFC 7515 5.2 step 8).
    ///
    /// ECDSA signatures are r and s at fixed length (RFC 7518 3.4); s may be in the upper half of its range, as FIPS
    /// 186-5 allows. PSS salts have the length of the hash. Ed25519 is strict: S canonical, R not of small order.
    ///
    /// # Errors
    ///
    /// [`VerifyError::AlgorithmKeyMismatch`] when `algorithm` needs another kind of key,
    /// [`VerifyError::SignatureLength`] or [`VerifyError::DerSignature`] before any mathematics,
    /// [`VerifyError::Invalid`] otherwise.
    pub fn verify(
        &self,
        algorithm: Algorithm,
        signing_input: &[u8],
        signature: &[u8],
    ) -> Result<VerifiedSignature, VerifyError> {
        let kind = self.kind();
        if algorithm.key_kind() != kind {
            return Err(VerifyError::AlgorithmKeyMismatch { algorithm, kind });
        }
        check_signature_length(algorithm, self.signature_octets(), signature)?;
        let verified = match &self.material {
            Material::P256 { point } => {
                ring_verify(&backend::ECDSA_P256_SHA256_FIXED, point, signing_input, signature)
            }
            Material::P384 { key, .. } => p384::ecdsa::Signature::from_slice(signature)
                .and_then(|signature| key.verify(signing_input, &signature))
                .is_ok(),
            Material::P521 { key, .. } => p521::ecdsa::Signature::from_slice(signature)
                .and_then(|signature| key.verify(signing_input, &signature))
                .is_ok(),
            Material::Ed25519 { key } => key.verify(signing_input, signature),
            Material::Rsa { n, e, .. } => rsa_parameters(algorithm).is_some_and(|parameters| {
                backend::RsaPublicKeyComponents { n, e }.verify(parameters, signing_input, signature).is_ok()
            }),
        };
        if verified {
            Ok(VerifiedSignature { algorithm, thumbprint: self.thumbprint })
        } else {
            Err(VerifyError::Invalid)
        }
    }
}

impl PartialEq for VerifyingKey {
    fn eq(&self, other: &Self) -> bool {
        self.thumbprint == other.thumbprint
    }
}

impl Eq for VerifyingKey {}

impl Hash for VerifyingKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.thumbprint.hash(state);
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifyingKey")
            .field("kind", &self.kind())
            .field("bits", &self.bits())
            .field("thumbprint", &self.thumbprint)
            .finish()
    }
}

fn ring_verify(
    algorithm: &'static dyn backend::VerificationAlgorithm,
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> bool {
    backend::UnparsedPublicKey::new(algorithm, key).verify(message, signature).is_ok()
}

fn rsa_parameters(algorithm: Algorithm) -> Option<&'static backend::RsaParameters> {
    match algorithm {
        Algorithm::Ps256 => Some(&backend::RSA_PSS_2048_8192_SHA256),
        Algorithm::Ps384 => Some(&backend::RSA_PSS_2048_8192_SHA384),
        Algorithm::Ps512 => Some(&backend::RSA_PSS_2048_8192_SHA512),
        Algorithm::Rs256 => Some(&backend::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::Rs384 => Some(&backend::RSA_PKCS1_2048_8192_SHA384),
        Algorithm::Rs512 => Some(&backend::RSA_PKCS1_2048_8192_SHA512),
        Algorithm::EdDsa | Algorithm::Ed25519 | Algorithm::Es256 | Algorithm::Es384 | Algorithm::Es512 => {
            None
        }
    }
}

/// Whether a signature has as many octets as its algorithm or its key demands.
pub(crate) fn check_signature_length(
    algorithm: Algorithm,
    expected: usize,
    signature: &[u8],
) -> Result<(), VerifyError> {
    let found = signature.len();
    if found == expected {
        return Ok(());
    }
    if algorithm.key_kind().kty() == "EC" && looks_like_der(signature) {
        return Err(VerifyError::DerSignature { algorithm, found, expected });
    }
    Err(VerifyError::SignatureLength { algorithm, found, expected })
}

/// A SEQUENCE whose length reaches exactly to the end and whose first member is an INTEGER.
fn looks_like_der(signature: &[u8]) -> bool {
    match signature {
        [0x30, 0x81, length, 0x02, rest @ ..] => usize::from(*length) == rest.len().saturating_add(1),
        [0x30, length, 0x02, rest @ ..] => usize::from(*length) == rest.len().saturating_add(1),
        _ => false,
    }
}

/// The two halves behind the leading octet of an uncompressed point.
fn coordinates(point: &[u8]) -> (&[u8], &[u8]) {
    let both = point.get(1..).unwrap_or_default();
    both.split_at(both.len() / 2)
}

fn check_length(kind: KeyKind, member: &'static str, octets: &[u8]) -> Result<(), KeyError> {
    let (found, expected) = (octets.len(), kind.coordinate_octets());
    if found == expected { Ok(()) } else { Err(KeyError::CoordinateLength { kind, member, found, expected }) }
}

fn without_leading_zeros(mut octets: &[u8]) -> &[u8] {
    while let Some((0, rest)) = octets.split_first() {
        octets = rest;
    }
    octets
}

/// Bits of an unsigned number without leading zero octets.
fn bit_length(octets: &[u8]) -> usize {
    match octets.split_first() {
        None => 0,
        Some((first, rest)) => {
            let high = match first {
                0x80.. => 8,
                0x40.. => 7,
                0x20.. => 6,
                0x10.. => 5,
                0x08.. => 4,
                0x04.. => 3,
                0x02.. => 2,
                0x01 => 1,
                0x00 => 0,
            };
            rest.len().saturating_mul(8).saturating_add(high)
        }
    }
}

fn is_even(octets: &[u8]) -> bool {
    octets.last().is_none_or(|last| last % 2 == 0)
}

#[cfg(test)]
mod tests;
