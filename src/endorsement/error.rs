//! Why octets are no endorsement.

use std::fmt;

use countersign_keys::json::{self, Value};
use countersign_keys::{Code, Span};

use crate::codes;

/// Why octets are no endorsement. The text names line and column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndorsementError {
    /// They are not strict I-JSON.
    #[error(transparent)]
    Json(#[from] json::Error),
    /// A value has another type than the schema says.
    #[error("{at}: found {found}, expected {expected}")]
    WrongType {
        /// What it is.
        found: &'static str,
        /// What it should be.
        expected: &'static str,
        /// Where.
        at: EndorsementPlace,
    },
    /// A member is absent.
    #[error("{at}: the object has no `{member}`")]
    Missing {
        /// Its name.
        member: &'static str,
        /// The object.
        at: EndorsementPlace,
    },
    /// A member that the schema does not have.
    #[error("{at}: `{name}` is no member of the schema, expected only {}", quoted(known))]
    UnknownMember {
        /// Its name, shortened to 64 characters.
        name: String,
        /// The members that the object may have.
        known: &'static [&'static str],
        /// Its value.
        at: EndorsementPlace,
    },
    /// Another schema.
    #[error("{at}: the schema is `{found}`, expected `{expected}`")]
    UnknownSchema {
        /// As written, shortened to 64 characters.
        found: String,
        /// The schema that is known.
        expected: &'static str,
        /// Where.
        at: EndorsementPlace,
    },
    /// The digest is not written as it must be.
    #[error("{at}: expected a SHA-256 digest: 64 hexadecimal digits in lower case")]
    NotADigest {
        /// Where.
        at: EndorsementPlace,
    },
    /// There is no signature.
    #[error("{at}: the list is empty, expected at least one signature")]
    Empty {
        /// Where.
        at: EndorsementPlace,
    },
    /// Too many signatures.
    #[error("{at}: there are {found} signatures, at most {limit} are looked at")]
    TooMany {
        /// How many.
        found: usize,
        /// The limit.
        limit: usize,
        /// Where.
        at: EndorsementPlace,
    },
}

impl EndorsementError {
    /// The public code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Json(error) => error.code(),
            Self::WrongType { .. } | Self::Missing { .. } | Self::NotADigest { .. } | Self::Empty { .. } => {
                codes::ENDORSEMENT_MALFORMED
            }
            Self::UnknownMember { .. } => codes::ENDORSEMENT_UNKNOWN_MEMBER,
            Self::UnknownSchema { .. } => codes::ENDORSEMENT_UNKNOWN_SCHEMA,
            Self::TooMany { .. } => codes::ENDORSEMENT_TOO_MANY,
        }
    }

    /// JSON Pointer of the place; empty for the whole file.
    #[must_use]
    pub fn pointer(&self) -> &str {
        match self.place() {
            Ok(at) => &at.pointer,
            Err(error) => error.pointer(),
        }
    }

    /// The place in the octets.
    #[must_use]
    pub fn span(&self) -> Span {
        match self.place() {
            Ok(at) => at.span,
            Err(error) => error.span(),
        }
    }

    fn place(&self) -> Result<&EndorsementPlace, &json::Error> {
        match self {
            Self::Json(error) => Err(error),
            Self::WrongType { at, .. }
            | Self::Missing { at, .. }
            | Self::UnknownMember { at, .. }
            | Self::UnknownSchema { at, .. }
            | Self::NotADigest { at }
            | Self::Empty { at }
            | Self::TooMany { at, .. } => Ok(at),
        }
    }
}

/// A place in an endorsement: `line 3, column 5, at /signatures/0` when it is displayed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndorsementPlace {
    /// JSON Pointer; empty for the whole file.
    pub pointer: String,
    /// The place in the octets.
    pub span: Span,
}

impl EndorsementPlace {
    pub(super) fn of(value: Value<'_>) -> Self {
        Self { pointer: value.pointer(), span: value.span() }
    }
}

impl fmt::Display for EndorsementPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.span.line, self.span.column)?;
        if self.pointer.is_empty() { Ok(()) } else { write!(f, ", at `{}`", self.pointer) }
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
