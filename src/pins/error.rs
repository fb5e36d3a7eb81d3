//! Why nothing is known of earlier cards, or nothing could be remembered.

use std::io;
use std::path::PathBuf;

use countersign_keys::{Code, json};
use countersign_policy::PinDigest;
use countersign_policy::codes::decision as codes;

/// The file of pins cannot be used. It never means that nothing was seen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PinsError {
    /// There is no file.
    #[error("there is no file `{}`", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be opened, locked, read or written.
    #[error("cannot {doing} `{}`: {}", path.display(), reason(error))]
    Unavailable {
        /// The file.
        path: PathBuf,
        /// `open`, `make`, `lock`, `read` or `write`.
        doing: &'static str,
        /// What the operating system says.
        #[source]
        error: io::Error,
    },
    /// Another file has taken its place since it was opened.
    #[error("another file has taken the place of `{}` since it was opened", path.display())]
    Replaced {
        /// The file.
        path: PathBuf,
    },
    /// A line is not as it was written.
    #[error("`{}` is damaged at line {line}: {fault}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1. The lines before it are as they were written.
        line: usize,
        /// What is wrong with it.
        fault: PinFault,
    },
    /// A revoked digest is not accepted any more.
    #[error("{digest} is revoked, and what was revoked stays revoked")]
    Revoked {
        /// The digest.
        digest: PinDigest,
    },
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PinFault {
    /// The first line is not the one of a file of pins.
    #[error("it is not the first line of a file of pins")]
    NotPins,
    /// The file is shorter than it was.
    #[error("the file ends before it, and did not before")]
    Shorter,
    /// The line is longer than any that is written.
    #[error("it has more than {limit} octets")]
    TooLong {
        /// Most octets of a line.
        limit: usize,
    },
    /// Its checksum is missing, or is not that of the line and all before it.
    #[error("its checksum is not that of the line and all before it: a line was changed, added or lost")]
    Checksum,
    /// It is not strict JSON.
    #[error("{0}")]
    Json(Box<json::Error>),
    /// It says something that this version does not know.
    #[error("`{event}` is no event")]
    Event {
        /// The word.
        event: String,
    },
    /// A member is missing or of another type.
    #[error("member `{name}` is missing or is not what it should be")]
    Member {
        /// Its name.
        name: &'static str,
    },
}

impl PinsError {
    /// The public code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Missing { .. } | Self::Unavailable { .. } | Self::Replaced { .. } => codes::PIN_UNAVAILABLE,
            Self::Damaged { .. } => codes::PIN_DAMAGED,
            Self::Revoked { .. } => codes::PIN_REVOKED,
        }
    }
}

/// What the operating system says, without its number.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}
