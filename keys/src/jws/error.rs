//! Why a header is not one that can be followed.

use crate::{Code, base64url, codes, json};

/// Why a protected header, or the unprotected one beside it, is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// `protected` is not strict base64url.
    #[error("`protected` is not base64url: {0}")]
    Encoding(base64url::Error),
    /// It does not decode to strict JSON.
    #[error("the protected header is not strict JSON: {0}")]
    Json(json::Error),
    /// It starts with a byte order mark.
    #[error("the protected header starts with a byte order mark")]
    ByteOrderMark,
    /// It decodes to another JSON value than an object.
    #[error("the protected header is {found}, expected an object")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// `alg` is absent.
    #[error("the protected header has no `alg`")]
    MissingAlgorithm,
    /// `kid` is absent or empty.
    #[error("the protected header has no `kid`, which A2A 8.4.2 demands")]
    MissingKid,
    /// A parameter has the wrong JSON type, or is empty.
    #[error("`{parameter}` in the protected header is {found}, expected {expected}")]
    WrongType {
        /// The parameter.
        parameter: &'static str,
        /// What it is.
        found: &'static str,
        /// What RFC 7515 or RFC 7519 wants.
        expected: &'static str,
    },
    /// `crit` or `b64`: extensions that change what a signature means; none is implemented.
    #[error("the protected header has `{parameter}`: no extension is implemented that it could ask for")]
    Critical {
        /// The parameter.
        parameter: &'static str,
    },
    /// One parameter stands in both headers (RFC 7515 §7.2.1).
    #[error("`{parameter}` stands in the protected and in the unprotected header")]
    NotDisjoint {
        /// The parameter.
        parameter: String,
    },
    /// A parameter stands in the unprotected header although it decides what is verified.
    #[error("`{parameter}` stands in the unprotected header, where anyone can change it")]
    MustBeProtected {
        /// The parameter.
        parameter: String,
    },
}

impl HeaderError {
    /// The reason code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Encoding(_)
            | Self::Json(_)
            | Self::ByteOrderMark
            | Self::NotAnObject { .. }
            | Self::MissingAlgorithm
            | Self::WrongType { .. }
            | Self::NotDisjoint { .. }
            | Self::MustBeProtected { .. } => codes::SIG_MALFORMED_HEADER,
            Self::MissingKid => codes::SIG_MISSING_KID,
            Self::Critical { .. } => codes::SIG_CRITICAL_HEADER,
        }
    }
}
