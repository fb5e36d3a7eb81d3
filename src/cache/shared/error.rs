//! Why a card was not shared, or a revocation not written.

use countersign_keys::Code;

use crate::codes::cache as codes;

/// Why something was not written to a shared store. What cannot be loaded is no error but a miss.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SharedError {
    /// The address is none. It is not shown: it may hold a password.
    #[error("the address of the shared store is not one like `redis://HOST:PORT`")]
    Address,
    /// The key is too short.
    #[error("the key of the shared store has {octets} octets, at least {least} are needed")]
    KeyTooShort {
        /// How many it has.
        octets: usize,
        /// How many are needed.
        least: usize,
    },
    /// The answer does not admit this card for this request.
    #[error("the answer does not admit this card for this request")]
    NotAdmitted,
    /// The value would be too large.
    #[error("the card with its endorsements takes {octets} octets, at most {limit} are shared")]
    TooLarge {
        /// How large.
        octets: usize,
        /// How large it may be.
        limit: usize,
    },
    /// The engine did not do what it was asked.
    #[error("the shared store at `{address}` {fault}")]
    Unreachable {
        /// Host and port, or path.
        address: String,
        /// What it did.
        fault: EngineFault,
    },
}

/// What an engine did instead of what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineFault {
    /// It did not answer in time.
    #[error("did not answer in time")]
    Timeout,
    /// It did not take the connection.
    #[error("refused the connection")]
    Refused,
    /// The connection broke.
    #[error("broke the connection")]
    Broken,
    /// It did not take the password.
    #[error("did not take the user or password")]
    Authentication,
    /// It answered with an error, or something else than was asked for.
    #[error("answered with an error")]
    Answer,
    /// Others changed the same value again and again.
    #[error("was changed by others at the same time")]
    Contended,
    /// It failed before and is left alone for a while, or was not reached by the load.
    #[error("failed before and is left alone for a while")]
    LeftAlone,
    /// No random octets were to be had on this machine.
    #[error("was not asked: there are no random octets")]
    NoRandom,
}

impl SharedError {
    /// Every code that [`SharedError::code`] can give.
    pub const CODES: [Code; 5] = [
        codes::CACHE_ADDRESS,
        codes::CACHE_KEY_TOO_SHORT,
        codes::CACHE_NOT_ADMITTED,
        codes::CACHE_TOO_LARGE,
        codes::CACHE_UNREACHABLE,
    ];

    /// The public code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Address => codes::CACHE_ADDRESS,
            Self::KeyTooShort { .. } => codes::CACHE_KEY_TOO_SHORT,
            Self::NotAdmitted => codes::CACHE_NOT_ADMITTED,
            Self::TooLarge { .. } => codes::CACHE_TOO_LARGE,
            Self::Unreachable { .. } => codes::CACHE_UNREACHABLE,
        }
    }
}
