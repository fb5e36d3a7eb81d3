//! Why octets are not strict I-JSON.

use std::fmt;

use crate::{Code, Span, codes};

/// A refusal: what is wrong and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub(super) kind: ErrorKind,
    pub(super) span: Span,
    pub(super) pointer: String,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The grammar of RFC 8259 wants something else here.
    #[error("found {found}, expected {expected}")]
    Unexpected {
        /// What stands there, in words.
        found: String,
        /// What the grammar allows there.
        expected: &'static str,
    },
    /// A control character that must be escaped.
    #[error("control character U+{character:04X} inside a string, expected its escape `\\u{character:04x}`")]
    ControlCharacter {
        /// Its code point.
        character: u8,
    },
    /// A backslash followed by something that is no escape.
    #[error(
        "`\\{found}` is no escape, expected one of `\\\" \\\\ \\/ \\b \\f \\n \\r \\t` or `\\u` with four hexadecimal digits"
    )]
    InvalidEscape {
        /// The characters after the backslash.
        found: String,
    },
    /// Octets that are not UTF-8.
    #[error("octet 0x{octet:02X} is not UTF-8")]
    NotUtf8 {
        /// The first octet that cannot be decoded.
        octet: u8,
    },
    /// Another encoding than UTF-8.
    #[error("the octets are {encoding}, expected UTF-8")]
    OtherEncoding {
        /// Its name.
        encoding: &'static str,
    },
    /// Half of a surrogate pair.
    #[error(
        "`\\u{unit:04x}` is half of a surrogate pair and stands for no character, expected both halves in order"
    )]
    LoneSurrogate {
        /// The code unit.
        unit: u16,
    },
    /// Two members of one object have one name.
    #[error("member `{name}` appears twice in one object (first at line {}, column {})", first.line, first.column)]
    DuplicateMember {
        /// The name, unescaped, shortened to 64 characters.
        name: String,
        /// Where it was first.
        first: Span,
    },
    /// An integer that no double holds.
    #[error(
        "integer `{literal}` has no exact double and would be signed as `{nearest}`; write it as a string"
    )]
    InexactInteger {
        /// As written, shortened to 64 characters.
        literal: String,
        /// The ECMAScript text of the nearest double.
        nearest: String,
    },
    /// A number beyond the doubles.
    #[error("number `{literal}` is beyond the largest double, 1.7976931348623157e308")]
    NumberOverflow {
        /// As written, shortened to 64 characters.
        literal: String,
    },
    /// Too many open containers.
    #[error("more than {limit} arrays and objects are open at once")]
    TooDeep {
        /// The limit, in containers.
        limit: usize,
    },
    /// Too many octets.
    #[error("the document has {found} octets, the limit is {limit}")]
    TooLarge {
        /// Its length, in octets.
        found: usize,
        /// The limit, in octets.
        limit: usize,
    },
    /// Something after the value.
    #[error("found {found} after the end of the JSON value, expected the end of the file")]
    TrailingContent {
        /// What stands there, in words.
        found: String,
    },
}

impl Error {
    /// What is wrong, with its facts.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Where it is. For a document that is too large this is its first octet.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// JSON Pointer (RFC 6901) of the value that was being read; empty for the outermost one.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// The public code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self.kind {
            ErrorKind::Unexpected { .. }
            | ErrorKind::ControlCharacter { .. }
            | ErrorKind::InvalidEscape { .. }
            | ErrorKind::OtherEncoding { .. } => codes::JSON_MALFORMED,
            ErrorKind::NotUtf8 { .. } | ErrorKind::LoneSurrogate { .. } => codes::JSON_INVALID_UNICODE,
            ErrorKind::DuplicateMember { .. } => codes::JSON_DUPLICATE_MEMBER,
            ErrorKind::InexactInteger { .. } => codes::JSON_INEXACT_NUMBER,
            ErrorKind::NumberOverflow { .. } => codes::JSON_NUMBER_OVERFLOW,
            ErrorKind::TooDeep { .. } => codes::JSON_TOO_DEEP,
            ErrorKind::TooLarge { .. } => codes::JSON_TOO_LARGE,
            ErrorKind::TrailingContent { .. } => codes::JSON_TRAILING_CONTENT,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.span.line, self.span.column, self.kind)?;
        if self.pointer.is_empty() { Ok(()) } else { write!(f, " (`{}`)", self.pointer) }
    }
}

impl std::error::Error for Error {}
