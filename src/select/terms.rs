//! What a client can speak, and how it chooses.

use std::fmt;
use std::str::FromStr;

use countersign_policy::{ProtocolVersion, VersionError};

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

/// Which generation a client wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "one generation, the other, or both")]
pub enum ProtocolChoice {
    /// 1.x first; 0.3 only as a fallback, or if the client accepts nothing else.
    #[default]
    Auto,
    /// 1.x only, whatever the fallback says.
    V1,
    /// 0.3 only.
    V0_3,
}

/// Which of several interfaces that fit comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the publisher's order, the version, or the client's order")]
pub enum Preference {
    /// The first in the card: the order is the publisher's preference.
    #[default]
    Card,
    /// The one with the highest version.
    Newest,
    /// The one that the client accepts first.
    Client,
}

/// Whether 0.3 may be spoken to a card that was asked for 1.x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "allowed or not")]
pub enum Fallback {
    /// It may not.
    #[default]
    Deny,
    /// If the card offers no 1.x interface that fits, or after a VersionNotSupportedError.
    Allow,
}

/// How a client chooses.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SelectTerms {
    /// What the client speaks, best first. Nothing fits an empty list.
    pub accept: Vec<Accepted>,
    /// Which generation it wants.
    pub protocol: ProtocolChoice,
    /// Which of several comes first.
    pub prefer: Preference,
    /// Whether 0.3 is a fallback.
    pub fallback: Fallback,
    /// Protocol version of cards and interfaces that name none. Without it they do not fit.
    pub assumed: Option<ProtocolVersion>,
}

impl SelectTerms {
    /// The default choice for a client that speaks these.
    #[must_use]
    pub fn accepting(accept: impl IntoIterator<Item = Accepted>) -> Self {
        Self { accept: accept.into_iter().collect(), ..Self::default() }
    }
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
