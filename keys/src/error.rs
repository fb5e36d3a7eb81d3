//! What can go wrong with a key and with one signature.

use crate::{Algorithm, Code, KeyKind, codes};

/// Why key material cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// A coordinate or private value has the wrong number of octets (RFC 7518 6.2.1.2: fixed length, zeros kept).
    #[error("`{member}` has {found} octets, {kind} keys need exactly {expected}")]
    CoordinateLength {
        /// The kind of key.
        kind: KeyKind,
        /// `x`, `y` or `d`.
        member: &'static str,
        /// Octets found.
        found: usize,
        /// Octets needed.
        expected: usize,
    },
    /// The coordinates are no point of the curve.
    #[error("the public key is not a point on {kind}")]
    OffCurve {
        /// The kind of key.
        kind: KeyKind,
    },
    /// The point is written in a form other than the uncompressed one (SEC 1 2.3.3).
    #[error(
        "the {kind} point is not in the uncompressed form; write it again with `openssl pkey -pubin -ec_conv_form uncompressed`"
    )]
    PointForm {
        /// The kind of key.
        kind: KeyKind,
    },
    /// A key of small order: one signature would be good for many messages.
    #[error("the Ed25519 public key is one of the small-order points, for which signatures prove nothing")]
    SmallOrder,
    /// The RSA modulus is too short.
    #[error("the RSA key has {bits} bits, at least 2048 are needed")]
    RsaTooSmall {
        /// Bits of the modulus.
        bits: usize,
    },
    /// The RSA modulus is too long.
    #[error("the RSA key has {bits} bits, at most {max} are accepted here")]
    RsaTooLarge {
        /// Bits of the modulus.
        bits: usize,
        /// Bits accepted: 8192 to verify, 4096 to sign.
        max: usize,
    },
    /// The RSA modulus is even.
    #[error("the RSA modulus is even")]
    RsaModulusEven,
    /// The RSA public exponent is 1: every message is its own signature.
    #[error("the RSA public exponent is 1")]
    RsaExponentOne,
    /// The RSA public exponent is zero or even.
    #[error("the RSA public exponent is even")]
    RsaExponentEven,
    /// The RSA public exponent is longer than 33 bits.
    #[error("the RSA public exponent has {bits} bits, at most 33 are accepted")]
    RsaExponentTooLarge {
        /// Bits of the exponent.
        bits: usize,
    },
    /// The RSA private key is consistent but of a form that is not used for signing.
    #[error(
        "this RSA key cannot sign: signing needs two primes of half the length and a public exponent from 65537 to 2^33"
    )]
    RsaSigningForm,
    /// The curve is not one of P-256, P-384, P-521, Ed25519.
    #[error("the curve is `{found}`; P-256, P-384, P-521 or Ed25519 is needed")]
    WrongCurve {
        /// Name or object identifier of the curve.
        found: String,
    },
    /// The key is of a kind that does not sign here.
    #[error("a key of kind `{found}` is not usable; EC, OKP (Ed25519) and RSA keys are")]
    UnsupportedKind {
        /// Name, `kty` or object identifier of the kind.
        found: String,
    },
    /// The DER octets do not have the structure they must have.
    #[error("the octets are not DER of a `{structure}`")]
    MalformedDer {
        /// `SubjectPublicKeyInfo`, `PrivateKeyInfo`, `EncryptedPrivateKeyInfo`, `ECPrivateKey`, `RSAPrivateKey` or
        /// `RSAPublicKey`.
        structure: &'static str,
    },
    /// The private value is zero or not below the order of the group.
    #[error("the private value is out of range for {kind}")]
    PrivateRange {
        /// The kind of key.
        kind: KeyKind,
    },
    /// The private part belongs to another public key than the one beside it.
    #[error("the private and the public part of the {kind} key do not belong together")]
    PairMismatch {
        /// The kind of key.
        kind: KeyKind,
    },
    /// The algorithm needs another kind of key.
    #[error("algorithm `{algorithm}` does not fit {kind} keys")]
    AlgorithmMismatch {
        /// The algorithm asked for.
        algorithm: Algorithm,
        /// The kind of the key.
        kind: KeyKind,
    },
    /// The operating system gave no random octets.
    #[error("the operating system gave no random octets")]
    NoRandomness,
    /// Encoding a key failed. Not caused by input.
    #[error("the key could not be encoded")]
    Encoding,
}

impl KeyError {
    /// The reason code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::SmallOrder | Self::RsaTooSmall { .. } | Self::RsaExponentOne => codes::KEY_WEAK,
            Self::WrongCurve { .. } => codes::KEY_WRONG_CURVE,
            Self::MalformedDer { .. } => codes::KEY_UNREADABLE,
            Self::PairMismatch { .. } => codes::KEY_PAIR_MISMATCH,
            Self::CoordinateLength { .. }
            | Self::OffCurve { .. }
            | Self::PointForm { .. }
            | Self::RsaTooLarge { .. }
            | Self::RsaModulusEven
            | Self::RsaExponentEven
            | Self::RsaExponentTooLarge { .. }
            | Self::RsaSigningForm
            | Self::UnsupportedKind { .. }
            | Self::PrivateRange { .. }
            | Self::AlgorithmMismatch { .. }
            | Self::NoRandomness
            | Self::Encoding => codes::KEY_UNUSABLE,
        }
    }
}

/// Why one signature does not verify under one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The algorithm needs another kind of key.
    #[error("algorithm `{algorithm}` does not fit {kind} keys")]
    AlgorithmKeyMismatch {
        /// The algorithm asked for.
        algorithm: Algorithm,
        /// The kind of the key.
        kind: KeyKind,
    },
    /// The signature has the wrong number of octets.
    #[error("the signature has {found} octets, {algorithm} with this key needs exactly {expected}")]
    SignatureLength {
        /// The algorithm.
        algorithm: Algorithm,
        /// Octets found.
        found: usize,
        /// Octets needed.
        expected: usize,
    },
    /// An ECDSA signature that looks like DER; JWS has r and s one after the other (RFC 7518 3.4).
    #[error(
        "the signature has {found} octets and looks DER-encoded; {algorithm} needs r and s at fixed length, {expected} octets"
    )]
    DerSignature {
        /// The algorithm.
        algorithm: Algorithm,
        /// Octets found.
        found: usize,
        /// Octets needed.
        expected: usize,
    },
    /// The signature is not one of this key over these octets.
    #[error("the signature is not valid for this key and these octets")]
    Invalid,
}

impl VerifyError {
    /// The reason code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::AlgorithmKeyMismatch { .. } => codes::SIG_ALGORITHM_KEY_MISMATCH,
            Self::SignatureLength { .. } | Self::DerSignature { .. } => codes::SIG_MALFORMED,
            Self::Invalid => codes::SIG_INVALID,
        }
    }
}

/// Why no signature was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The algorithm needs another kind of key.
    #[error("algorithm `{algorithm}` does not fit {kind} keys")]
    AlgorithmKeyMismatch {
        /// The algorithm asked for.
        algorithm: Algorithm,
        /// The kind of the key.
        kind: KeyKind,
    },
    /// The signing operation failed. For RSA this includes a missing source of randomness.
    #[error("signing with {algorithm} failed")]
    Failed {
        /// The algorithm.
        algorithm: Algorithm,
    },
    /// Among the signatures that were made before there is none for these octets.
    #[error("no signature was made for what is to be signed now")]
    NotPrepared,
    /// A signature that was made elsewhere does not verify with the public key.
    #[error("the signature that was made elsewhere is refused: {0}")]
    Refused(VerifyError),
    /// A key that lives elsewhere gave no signature.
    #[error("the external signer gave no signature")]
    External {
        /// What it said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl SignError {
    /// The reason code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::AlgorithmKeyMismatch { .. } => codes::SIG_ALGORITHM_KEY_MISMATCH,
            Self::NotPrepared => codes::SIG_INVALID,
            Self::Refused(error) => error.code(),
            Self::Failed { .. } | Self::External { .. } => codes::KEY_UNUSABLE,
        }
    }
}
