//! Why a document is no key set, and why one JWK is not used.

use std::fmt;

use crate::json::{self, Kind};
use crate::{Algorithm, Code, KeyError, KeyKind, base64url, codes};

/// Why a document gives no keys at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The document is not strict JSON.
    #[error(transparent)]
    Json(#[from] json::Error),
    /// The document is neither a JWK set nor one JWK.
    #[error("expected a JWK set, `{{\"keys\": […]}}`, or one JWK, found {found}")]
    NotAKeySet {
        /// What was found.
        found: Found,
    },
}

impl Error {
    /// The reason code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Json(error) => error.code(),
            Self::NotAKeySet { .. } => codes::KEY_NOT_A_KEY_SET,
        }
    }
}

/// What stood where a JWK set or a JWK should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Found {
    /// A JSON value that is no object.
    Kind(Kind),
    /// An object whose `keys` is no array.
    Keys(Kind),
    /// An object with both `keys` and `kty`.
    KeysAndKty,
    /// An object that maps names to PEM text.
    PemTexts,
    /// An object with neither `keys` nor `kty`.
    Neither,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(kind) => f.write_str(kind.name()),
            Self::Keys(kind) => write!(f, "an object whose `keys` is {}", kind.name()),
            Self::KeysAndKty => f.write_str("an object with both `keys` and `kty`"),
            Self::PemTexts => {
                f.write_str("an object that maps names to PEM text; put each PEM into a file of its own")
            }
            Self::Neither => f.write_str("an object with neither `keys` nor `kty`"),
        }
    }
}

/// Why one JWK is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JwkError {
    /// The entry is no object.
    #[error("a JWK is an object, found {}", .found.name())]
    NotAnObject {
        /// What was found.
        found: Kind,
    },
    /// A member that this kind of key must have is absent.
    #[error("member `{member}` is missing")]
    MissingMember {
        /// The name.
        member: &'static str,
    },
    /// A member has another JSON type than it must have.
    #[error("member `{member}` must be {expected}, found {}", .found.name())]
    MemberType {
        /// The name.
        member: &'static str,
        /// What it must be, with its article.
        expected: &'static str,
        /// What was found.
        found: Kind,
    },
    /// `kid` is the empty string, which no signature may name.
    #[error("member `kid` is empty")]
    EmptyKid,
    /// A number is not strict base64url.
    #[error("member `{member}` is not base64url: {source}")]
    Base64url {
        /// The name.
        member: &'static str,
        /// What is wrong.
        source: base64url::Error,
    },
    /// A shared secret.
    #[error(
        "`kty` is `oct`, a shared secret; whoever can verify with it can sign, so it proves no publisher"
    )]
    SharedSecret,
    /// `crv` belongs to another `kty`.
    #[error("`crv` `{crv}` does not go with `kty` `{kty}`")]
    CurveType {
        /// The value of `kty`.
        kty: String,
        /// The value of `crv`.
        crv: String,
    },
    /// `use` is not `sig`.
    #[error("`use` is `{found}`, not `sig`")]
    Use {
        /// The value.
        found: String,
    },
    /// `key_ops` lacks the operation that is needed.
    #[error("`key_ops` does not include `{needed}`")]
    OperationMissing {
        /// `verify` or `sign`.
        needed: &'static str,
    },
    /// `use` is `sig` and `key_ops` lists something else.
    #[error("`use` is `sig` and `key_ops` lists `{operation}` (RFC 7517 4.3: they must agree)")]
    UseContradictsOperations {
        /// The operation.
        operation: String,
    },
    /// `key_ops` lists one operation twice.
    #[error("`key_ops` lists `{operation}` twice")]
    OperationTwice {
        /// The operation.
        operation: String,
    },
    /// `alg` is no algorithm that is supported.
    #[error("`alg` is `{found}`, which is not supported for signatures here")]
    UnknownAlgorithm {
        /// The value.
        found: String,
    },
    /// `alg` needs another kind of key.
    #[error("`alg` is `{algorithm}`, which does not fit {kind} keys")]
    AlgorithmMismatch {
        /// The value.
        algorithm: Algorithm,
        /// The kind of the key.
        kind: KeyKind,
    },
    /// A public JWK where a private one is needed.
    #[error("the JWK is public: member `d` is missing, signing needs the private key")]
    NotPrivate,
    /// An RSA key with more than two primes, or with one of `p` and `q` only.
    #[error("an RSA key for signing has exactly the two primes `p` and `q`, or neither")]
    Primes,
    /// The numbers are no usable key.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl JwkError {
    /// The reason code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Key(error) => error.code(),
            Self::NotAnObject { .. }
            | Self::MissingMember { .. }
            | Self::MemberType { .. }
            | Self::EmptyKid
            | Self::Base64url { .. }
            | Self::SharedSecret
            | Self::CurveType { .. }
            | Self::Use { .. }
            | Self::OperationMissing { .. }
            | Self::UseContradictsOperations { .. }
            | Self::OperationTwice { .. }
            | Self::UnknownAlgorithm { .. }
            | Self::AlgorithmMismatch { .. }
            | Self::NotPrivate
            | Self::Primes => codes::KEY_UNUSABLE,
        }
    }
}
