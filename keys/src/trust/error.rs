//! Why a key file gives nothing, and why no trusted key can judge a signature.

use crate::jwk::{self, JwkError};
use crate::{Algorithm, Code, KeyKind, Thumbprint, codes, json, pem};

/// Why a key file as a whole is not usable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// It is not strict JSON.
    #[error(transparent)]
    Json(#[from] json::Error),
    /// It is JSON and no key set.
    #[error(transparent)]
    Jwk(#[from] jwk::Error),
    /// It is PEM and gives no key.
    #[error(transparent)]
    Pem(#[from] pem::Error),
}

impl KeyFileError {
    /// The reason code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Json(error) => error.code(),
            Self::Jwk(error) => error.code(),
            Self::Pem(error) => error.code(),
        }
    }
}

/// Why no trusted key can judge a signature: the signature is unverifiable, which is not the same as invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoKey {
    /// No trusted key answers to the `kid`.
    #[error("no trusted key answers to `kid` `{kid}`")]
    Unknown {
        /// The `kid` of the protected header.
        kid: String,
    },
    /// The key with this `kid` is broken or of a kind that is not used.
    #[error("the key in `{file}` is not usable: {reason}")]
    Unusable {
        /// Name of the file.
        file: String,
        /// Why it is not used.
        reason: JwkError,
    },
    /// The key is of another kind, or bound to other algorithms.
    #[error("algorithm `{algorithm}` does not fit the trusted {kind} key{}", bound_to(.bound))]
    AlgorithmKeyMismatch {
        /// The algorithm of the signature.
        algorithm: Algorithm,
        /// The kind of the key.
        kind: KeyKind,
        /// The key.
        thumbprint: Thumbprint,
        /// The algorithms the key is bound to; empty when it is not bound.
        bound: Vec<Algorithm>,
    },
    /// The key is disabled.
    #[error("the key `{thumbprint}` is disabled")]
    Disabled {
        /// The key.
        thumbprint: Thumbprint,
    },
    /// The key is revoked.
    #[error("the key `{thumbprint}` is revoked{}", because(.reason.as_deref()))]
    Revoked {
        /// The key.
        thumbprint: Thumbprint,
        /// When, in seconds since 1970-01-01T00:00:00Z.
        at: Option<i64>,
        /// Why.
        reason: Option<String>,
    },
    /// The validity of the key has not begun.
    #[error("the key `{thumbprint}` is valid from {not_before} seconds after 1970 on")]
    NotYetValid {
        /// The key.
        thumbprint: Thumbprint,
        /// First second of its validity.
        not_before: i64,
    },
    /// The validity of the key is over.
    #[error("the key `{thumbprint}` was valid up to {not_after} seconds after 1970")]
    Expired {
        /// The key.
        thumbprint: Thumbprint,
        /// Last second of its validity.
        not_after: i64,
    },
}

impl NoKey {
    /// The reason code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Unknown { .. } => codes::SIG_UNKNOWN_KEY,
            Self::Unusable { reason, .. } => reason.code(),
            Self::AlgorithmKeyMismatch { .. } => codes::SIG_ALGORITHM_KEY_MISMATCH,
            Self::Disabled { .. } => codes::KEY_UNUSABLE,
            Self::Revoked { .. } => codes::SIG_REVOKED_KEY,
            Self::NotYetValid { .. } => codes::SIG_NOT_YET_VALID_KEY,
            Self::Expired { .. } => codes::SIG_EXPIRED_KEY,
        }
    }
}

fn bound_to(algorithms: &[Algorithm]) -> String {
    if algorithms.is_empty() {
        return String::new();
    }
    let names: Vec<_> = algorithms.iter().map(|algorithm| format!("`{algorithm}`")).collect();
    format!(", which is bound to {}", names.join(", "))
}

fn because(reason: Option<&str>) -> String {
    reason.map(|reason| format!(": `{reason}`")).unwrap_or_default()
}
