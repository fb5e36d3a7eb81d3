//! RSA private keys: checked and encoded by the `rsa` crate, used for signing by ring.

use pkcs8::der::{Decode as _, SecretDocument};
use ring::rand::SystemRandom;
use ring::signature as backend;
use rsa::BoxedUint;
use rsa::pkcs1::{EncodeRsaPrivateKey as _, RsaPrivateKeyRef};

use super::SigningKey;
use crate::{Algorithm, KeyError, KeyKind, SignError, VerifyingKey};

/// The numbers of an RSA private key, unsigned and big-endian (RFC 7518 6.3, RFC 8017 A.1.2).
///
/// `p` and `q` may both be absent, then they are computed. The last three are checked when given and computed anyway.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct RsaParts<'a> {
    /// Modulus.
    pub n: &'a [u8],
    /// Public exponent.
    pub e: &'a [u8],
    /// Private exponent.
    pub d: &'a [u8],
    /// The two primes.
    pub primes: Option<(&'a [u8], &'a [u8])>,
    /// `d` modulo `p` - 1.
    pub dp: Option<&'a [u8]>,
    /// `d` modulo `q` - 1.
    pub dq: Option<&'a [u8]>,
    /// The inverse of `q` modulo `p`.
    pub qi: Option<&'a [u8]>,
}

/// ring signs with moduli up to this length.
const MAX_SIGNING_BITS: usize = 4096;

pub(super) struct RsaKey {
    pair: backend::RsaKeyPair,
    /// DER `RSAPrivateKey` (RFC 8017 A.1.2), wiped on drop.
    encoded: SecretDocument,
}

impl RsaKey {
    pub(super) fn read(parts: &RsaParts<'_>, public: &VerifyingKey) -> Result<Self, KeyError> {
        let bits = public.bits();
        if bits > MAX_SIGNING_BITS {
            return Err(KeyError::RsaTooLarge { bits, max: MAX_SIGNING_BITS });
        }
        let encoded = encode(parts, parts.primes)?;
        let primes = compare(parts, encoded.as_bytes())?;
        // ring wants the larger prime first; swapping them changes the coefficient, so encode again.
        match primes {
            Order::LargerFirst => Self::from_encoded(encoded),
            Order::SmallerFirst => {
                let numbers = read_pkcs1(encoded.as_bytes())?;
                let swapped = (numbers.prime2.as_bytes(), numbers.prime1.as_bytes());
                Self::from_encoded(encode(parts, Some(swapped))?)
            }
        }
    }

    fn from_encoded(encoded: SecretDocument) -> Result<Self, KeyError> {
        let pair = backend::RsaKeyPair::from_der(encoded.as_bytes()).map_err(|_| KeyError::RsaSigningForm)?;
        Ok(Self { pair, encoded })
    }

    pub(super) fn sign(&self, algorithm: Algorithm, message: &[u8]) -> Result<Vec<u8>, SignError> {
        let encoding: &'static dyn backend::RsaEncoding = match algorithm {
            Algorithm::Ps256 => &backend::RSA_PSS_SHA256,
            Algorithm::Ps384 => &backend::RSA_PSS_SHA384,
            Algorithm::Ps512 => &backend::RSA_PSS_SHA512,
            Algorithm::Rs256 => &backend::RSA_PKCS1_SHA256,
            Algorithm::Rs384 => &backend::RSA_PKCS1_SHA384,
            Algorithm::Rs512 => &backend::RSA_PKCS1_SHA512,
            Algorithm::EdDsa
            | Algorithm::Ed25519
            | Algorithm::Es256
            | Algorithm::Es384
            | Algorithm::Es512 => {
                return Err(SignError::AlgorithmKeyMismatch { algorithm, kind: KeyKind::Rsa });
            }
        };
        let mut signature = vec![0; self.pair.public().modulus_len()];
        self.pair
            .sign(encoding, &SystemRandom::new(), message, &mut signature)
            .map_err(|_| SignError::Failed { algorithm })?;
        Ok(signature)
    }

    pub(super) fn public(&self) -> Result<VerifyingKey, KeyError> {
        let numbers = self.numbers()?;
        VerifyingKey::from_rsa(numbers.modulus.as_bytes(), numbers.public_exponent.as_bytes())
    }

    /// The DER `RSAPrivateKey`.
    pub(super) fn encoded(&self) -> &[u8] {
        self.encoded.as_bytes()
    }

    pub(super) fn numbers(&self) -> Result<RsaPrivateKeyRef<'_>, KeyError> {
        read_pkcs1(self.encoded.as_bytes())
    }
}

/// A key from DER `RSAPrivateKey`.
pub(super) fn from_pkcs1(der: &[u8]) -> Result<SigningKey, KeyError> {
    let numbers = read_pkcs1(der)?;
    if numbers.other_prime_infos.is_some() {
        return Err(KeyError::RsaSigningForm);
    }
    SigningKey::from_rsa(&RsaParts {
        n: numbers.modulus.as_bytes(),
        e: numbers.public_exponent.as_bytes(),
        d: numbers.private_exponent.as_bytes(),
        primes: Some((numbers.prime1.as_bytes(), numbers.prime2.as_bytes())),
        dp: Some(numbers.exponent1.as_bytes()),
        dq: Some(numbers.exponent2.as_bytes()),
        qi: Some(numbers.coefficient.as_bytes()),
    })
}

/// A key that was just generated.
pub(super) fn from_generated(key: &rsa::PrivateKey) -> Result<SigningKey, KeyError> {
    let encoded = key.to_pkcs1_der().map_err(|_| KeyError::Encoding)?;
    from_pkcs1(encoded.as_bytes())
}

fn read_pkcs1(der: &[u8]) -> Result<RsaPrivateKeyRef<'_>, KeyError> {
    RsaPrivateKeyRef::from_der(der).map_err(|_| KeyError::MalformedDer { structure: "RSAPrivateKey" })
}

/// Checks that the numbers belong together and encodes them with computed CRT values.
fn encode(parts: &RsaParts<'_>, primes: Option<(&[u8], &[u8])>) -> Result<SecretDocument, KeyError> {
    let mismatch = KeyError::PairMismatch { kind: KeyKind::Rsa };
    let n = number(parts.n).ok_or_else(|| mismatch.clone())?;
    let e = number(parts.e).ok_or_else(|| mismatch.clone())?;
    let d = number(parts.d).ok_or_else(|| mismatch.clone())?;
    let primes = match primes {
        None => Vec::new(),
        Some((p, q)) => {
            vec![number(p).ok_or_else(|| mismatch.clone())?, number(q).ok_or_else(|| mismatch.clone())?]
        }
    };
    let key = rsa::PrivateKey::from_components(n, e, d, primes).map_err(|_| mismatch)?;
    key.to_pkcs1_der().map_err(|_| KeyError::Encoding)
}

fn number(octets: &[u8]) -> Option<BoxedUint> {
    let octets = trim(octets);
    let bits = u32::try_from(octets.len().checked_mul(8)?).ok()?;
    BoxedUint::from_be_slice(octets, bits).ok()
}

enum Order {
    LargerFirst,
    SmallerFirst,
}

/// Compares the CRT values that were given with the computed ones.
fn compare(parts: &RsaParts<'_>, encoded: &[u8]) -> Result<Order, KeyError> {
    let computed = read_pkcs1(encoded)?;
    let pairs =
        [(parts.dp, computed.exponent1), (parts.dq, computed.exponent2), (parts.qi, computed.coefficient)];
    let same = pairs
        .iter()
        .all(|(given, computed)| given.is_none_or(|given| trim(given) == trim(computed.as_bytes())));
    if !same {
        return Err(KeyError::PairMismatch { kind: KeyKind::Rsa });
    }
    let (p, q) = (trim(computed.prime1.as_bytes()), trim(computed.prime2.as_bytes()));
    let smaller_first = p.len() < q.len() || p.len() == q.len() && p < q;
    Ok(if smaller_first { Order::SmallerFirst } else { Order::LargerFirst })
}

fn trim(mut octets: &[u8]) -> &[u8] {
    while let Some((0, rest)) = octets.split_first() {
        octets = rest;
    }
    octets
}
