//! What a client can speak.

use std::fmt;
use std::str::FromStr;

use crate::{ProtocolVersion, VersionError};

/// The bindings of A2A itself (A2A 1.0 section 5.8).
pub const CORE_BINDINGS: [&str; 3] = ["JSONRPC", "GRPC", "HTTP+JSON"];

/// A version of the protocol and a binding that the client speaks together: `1.0/JSONRPC`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    version: ProtocolVersion,
    binding: String,
}

/// Text that does not say what a client speaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptedError {
    /// No slash, or nothing behind it.
    #[error("`{text}` names no binding, expected `VERSION/BINDING` such as `1.0/JSONRPC`")]
    NoBinding {
        /// The text.
        text: String,
    },
    /// What stands before the slash is no version.
    #[error("`{text}` is not `VERSION/BINDING`: {source}")]
    Version {
        /// The text.
        text: String,
        /// What is wrong with the version.
        source: VersionError,
    },
}

impl Accepted {
    /// A version with a binding: `JSONRPC`, `GRPC`, `HTTP+JSON`, or the URI of another one.
    #[must_use]
    pub fn new(version: ProtocolVersion, binding: impl Into<String>) -> Self {
        Self { version, binding: binding.into() }
    }

    /// The version.
    #[must_use]
    pub const fn version(&self) -> ProtocolVersion {
        self.version
    }

    /// The binding.
    #[must_use]
    pub fn binding(&self) -> &str {
        &self.binding
    }
}

impl FromStr for Accepted {
    type Err = AcceptedError;

    /// Reads `VERSION/BINDING`; the version is exactly `X.Y`, the binding is all that follows the first slash.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (version, binding) = text
            .split_once('/')
            .filter(|(_, binding)| !binding.is_empty())
            .ok_or_else(|| AcceptedError::NoBinding { text: text.to_owned() })?;
        let version = ProtocolVersion::from_header(version)
            .map_err(|source| AcceptedError::Version { text: text.to_owned(), source })?;
        Ok(Self::new(version, binding))
    }
}

impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.version, self.binding)
    }
}
