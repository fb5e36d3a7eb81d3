//! Private keys: load, make, sign, write. Nothing here prints a private value.

mod encode;
mod pkcs8;
mod prepared;
mod rsa_key;
mod signer;

use std::fmt;

use ed25519_dalek::Signer as _;
use p256::elliptic_curve::Generate as _;
use zeroize::Zeroizing;

pub use prepared::{PreparedSigner, accepted_signature};
pub use rsa_key::RsaParts;
pub use signer::{KeySigner, Signer};

use crate::{Algorithm, KeyError, KeyKind, SignError, VerifyingKey};
use rsa_key::RsaKey;

/// A private key with its public key.
///
/// EC and Ed25519 values are wiped when the key is dropped. For RSA the stored encoding is wiped; ring keeps a
/// computed copy of the primes that it does not wipe. `Debug` prints the kind and the thumbprint only.
pub struct SigningKey {
    secret: Secret,
    public: VerifyingKey,
}

enum Secret {
    P256(Box<p256::ecdsa::SigningKey>),
    P384(Box<p384::ecdsa::SigningKey>),
    P521(Box<p521::ecdsa::SigningKey>),
    Ed25519(Box<ed25519_dalek::SigningKey>),
    Rsa(Box<RsaKey>),
}

/// Bits of a generated RSA key: 128-bit security (NIST SP 800-57 part 1, table 2).
const GENERATED_RSA_BITS: usize = 3072;

impl SigningKey {
    /// A key on P-256, P-384 or P-521 from its private value `d` of exactly 32, 48 or 66 octets.
    ///
    /// # Errors
    ///
    /// [`KeyError::CoordinateLength`], [`KeyError::PrivateRange`], or [`KeyError::UnsupportedKind`] when `kind` is no
    /// such curve.
    pub fn from_ec(kind: KeyKind, d: &[u8]) -> Result<Self, KeyError> {
        check_length(kind, d)?;
        let range = |_| KeyError::PrivateRange { kind };
        let secret = match kind {
            KeyKind::P256 => Secret::P256(Box::new(p256::ecdsa::SigningKey::from_slice(d).map_err(range)?)),
            KeyKind::P384 => Secret::P384(Box::new(p384::ecdsa::SigningKey::from_slice(d).map_err(range)?)),
            KeyKind::P521 => Secret::P521(Box::new(p521::ecdsa::SigningKey::from_slice(d).map_err(range)?)),
            KeyKind::Ed25519 | KeyKind::Rsa => {
                return Err(KeyError::UnsupportedKind { found: kind.name().to_owned() });
            }
        };
        Self::from_secret(secret)
    }

    /// An Ed25519 key from its private value of 32 octets (RFC 8032 5.1.5).
    ///
    /// # Errors
    ///
    /// [`KeyError::CoordinateLength`].
    pub fn from_ed25519(d: &[u8]) -> Result<Self, KeyError> {
        check_length(KeyKind::Ed25519, d)?;
        let key = ed25519_dalek::SigningKey::try_from(d)
            .map_err(|_| KeyError::PrivateRange { kind: KeyKind::Ed25519 })?;
        Self::from_secret(Secret::Ed25519(Box::new(key)))
    }

    /// An RSA key from its numbers. Every number given is checked against the others.
    ///
    /// # Errors
    ///
    /// What [`VerifyingKey::from_rsa`] refuses, [`KeyError::RsaTooLarge`] over 4096 bits, [`KeyError::PairMismatch`] when
    /// the numbers do not belong together, [`KeyError::RsaSigningForm`].
    pub fn from_rsa(parts: &RsaParts<'_>) -> Result<Self, KeyError> {
        let public = VerifyingKey::from_rsa(parts.n, parts.e)?;
        let key = RsaKey::read(parts, &public)?;
        Ok(Self { secret: Secret::Rsa(Box::new(key)), public })
    }

    /// A key from DER `PrivateKeyInfo`, PKCS#8 version 1 (RFC 5208) or 2 (RFC 5958), not encrypted.
    ///
    /// Ed25519 version 2 is read in the form of RFC 5958 and in the form that ring writes. EC keys may lack the public
    /// key. A public key that is there must belong to the private one.
    ///
    /// # Errors
    ///
    /// [`KeyError::MalformedDer`], [`KeyError::WrongCurve`], [`KeyError::UnsupportedKind`], [`KeyError::PairMismatch`],
    /// and what the constructor for that kind of key refuses.
    pub fn from_pkcs8_der(der: &[u8]) -> Result<Self, KeyError> {
        pkcs8::read(der)
    }

    /// An EC key from DER `ECPrivateKey` (SEC 1 C.4, RFC 5915), which must name its curve and may lack the public key.
    ///
    /// # Errors
    ///
    /// [`KeyError::MalformedDer`], also when no curve is named; [`KeyError::WrongCurve`], [`KeyError::PairMismatch`], and
    /// what [`SigningKey::from_ec`] refuses.
    pub fn from_sec1_der(der: &[u8]) -> Result<Self, KeyError> {
        pkcs8::read_sec1(der)
    }

    /// An RSA key from DER `RSAPrivateKey` with two primes (PKCS#1, RFC 8017 A.1.2).
    ///
    /// # Errors
    ///
    /// [`KeyError::MalformedDer`], and what [`SigningKey::from_rsa`] refuses.
    pub fn from_pkcs1_der(der: &[u8]) -> Result<Self, KeyError> {
        rsa_key::from_pkcs1(der)
    }

    /// Makes a new key for `algorithm` from the random source of the operating system. RSA keys get 3072 bits.
    ///
    /// # Errors
    ///
    /// [`KeyError::NoRandomness`].
    pub fn generate(algorithm: Algorithm) -> Result<Self, KeyError> {
        let mut random = getrandom::SysRng;
        let secret = match algorithm.key_kind() {
            KeyKind::P256 => Secret::P256(Box::new(
                p256::ecdsa::SigningKey::try_generate_from_rng(&mut random)
                    .map_err(|_| KeyError::NoRandomness)?,
            )),
            KeyKind::P384 => Secret::P384(Box::new(
                p384::ecdsa::SigningKey::try_generate_from_rng(&mut random)
                    .map_err(|_| KeyError::NoRandomness)?,
            )),
            KeyKind::P521 => Secret::P521(Box::new(
                p521::ecdsa::SigningKey::try_generate_from_rng(&mut random)
                    .map_err(|_| KeyError::NoRandomness)?,
            )),
            KeyKind::Ed25519 => {
                let mut seed = Zeroizing::new([0; 32]);
                getrandom::fill(seed.as_mut_slice()).map_err(|_| KeyError::NoRandomness)?;
                Secret::Ed25519(Box::new(ed25519_dalek::SigningKey::from_bytes(&seed)))
            }
            KeyKind::Rsa => {
                let key = rsa::PrivateKey::new(&mut random, GENERATED_RSA_BITS)
                    .map_err(|_| KeyError::NoRandomness)?;
                return rsa_key::from_generated(&key);
            }
        };
        Self::from_secret(secret)
    }

    /// The kind of key.
    #[must_use]
    pub const fn kind(&self) -> KeyKind {
        self.public.kind()
    }

    /// The public key.
    #[must_use]
    pub const fn verifying_key(&self) -> &VerifyingKey {
        &self.public
    }

    /// `ES256`, `ES384`, `ES512`, `EdDSA` or `PS256`.
    #[must_use]
    pub const fn default_algorithm(&self) -> Algorithm {
        self.kind().default_algorithm()
    }

    /// Signs `message` (RFC 7515 5.1 step 5).
    ///
    /// ECDSA is deterministic (RFC 6979) and gives r and s at fixed length; Ed25519 and RSASSA-PKCS1-v1_5 are
    /// deterministic too. RSASSA-PSS takes a random salt of the length of the hash.
    ///
    /// # Errors
    ///
    /// [`SignError::AlgorithmKeyMismatch`], [`SignError::Failed`].
    pub fn sign(&self, algorithm: Algorithm, message: &[u8]) -> Result<Vec<u8>, SignError> {
        signer::check_kind(algorithm, self.kind())?;
        let failed = |_| SignError::Failed { algorithm };
        match &self.secret {
            Secret::P256(key) => {
                let signature: p256::ecdsa::Signature = key.try_sign(message).map_err(failed)?;
                Ok(signature.to_vec())
            }
            Secret::P384(key) => {
                let signature: p384::ecdsa::Signature = key.try_sign(message).map_err(failed)?;
                Ok(signature.to_vec())
            }
            Secret::P521(key) => {
                let signature: p521::ecdsa::Signature = key.try_sign(message).map_err(failed)?;
                Ok(signature.to_vec())
            }
            Secret::Ed25519(key) => Ok(key.try_sign(message).map_err(failed)?.to_vec()),
            Secret::Rsa(key) => key.sign(algorithm, message),
        }
    }

    /// Whether `public` is the public key of this private key.
    ///
    /// # Errors
    ///
    /// [`KeyError::PairMismatch`].
    pub fn check_pair(&self, public: &VerifyingKey) -> Result<(), KeyError> {
        if self.public == *public { Ok(()) } else { Err(KeyError::PairMismatch { kind: self.kind() }) }
    }

    fn from_secret(secret: Secret) -> Result<Self, KeyError> {
        let public = match &secret {
            Secret::P256(key) => {
                VerifyingKey::from_point(KeyKind::P256, key.verifying_key().to_sec1_point(false).as_bytes())?
            }
            Secret::P384(key) => {
                VerifyingKey::from_point(KeyKind::P384, key.verifying_key().to_sec1_point(false).as_bytes())?
            }
            Secret::P521(key) => {
                VerifyingKey::from_point(KeyKind::P521, key.verifying_key().to_sec1_point(false).as_bytes())?
            }
            Secret::Ed25519(key) => VerifyingKey::from_ed25519(key.verifying_key().as_bytes())?,
            Secret::Rsa(key) => key.public()?,
        };
        Ok(Self { secret, public })
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("kind", &self.kind())
            .field("thumbprint", &self.public.thumbprint())
            .finish_non_exhaustive()
    }
}

fn check_length(kind: KeyKind, d: &[u8]) -> Result<(), KeyError> {
    let (found, expected) = (d.len(), kind.coordinate_octets());
    if found == expected || kind == KeyKind::Rsa {
        Ok(())
    } else {
        Err(KeyError::CoordinateLength { kind, member: "d", found, expected })
    }
}

#[cfg(test)]
mod tests;
