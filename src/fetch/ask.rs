//! How a document is asked for.

use std::fmt;

use countersign_keys::sha256;
use countersign_policy::{CacheTerms, ProtocolVersion};
use zeroize::Zeroizing;

/// How a document is asked for, and how long a remembered response may be used.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AskTerms {
    /// What the `A2A-Version` header says. Default: there is none.
    pub version: Option<ProtocolVersion>,
    /// What the `Authorization` header says. Default: there is none.
    pub credential: Option<Credential>,
    /// How long a remembered response may be used.
    pub reuse: ReuseTerms,
}

/// How long a remembered response may be used, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReuseTerms {
    /// The lifetime where the response states none (A2A 1.0 section 8.6.2). Default: 0.
    pub default_lifetime_seconds: i64,
    /// The longest lifetime, whatever the response states. Default: 3600, as `max-ttl` of `[cache]`.
    pub max_lifetime_seconds: i64,
    /// How long after its lifetime a response is used while the source cannot be asked (RFC 5861 section 4). Default: 0. A
    /// response that forbids it is not used.
    pub stale_if_error_seconds: i64,
}

/// The value of an `Authorization` header. [`Debug`](fmt::Debug) does not show it, and it is
/// wiped when it is dropped; what is sent is a copy. Responses are remembered under its SHA-256.
#[derive(Clone)]
pub struct Credential {
    value: Zeroizing<String>,
}

impl AskTerms {
    /// The same, with `A2A-Version`.
    #[must_use]
    pub const fn with_version(mut self, version: ProtocolVersion) -> Self {
        self.version = Some(version);
        self
    }

    /// The same, with `Authorization`.
    #[must_use]
    pub fn with_credential(mut self, credential: Credential) -> Self {
        self.credential = Some(credential);
        self
    }

    /// The same, with a remembered response used under these terms.
    #[must_use]
    pub const fn with_reuse(mut self, reuse: ReuseTerms) -> Self {
        self.reuse = reuse;
        self
    }
}

impl ReuseTerms {
    /// The same, with this lifetime where the response states none.
    #[must_use]
    pub const fn with_default_lifetime_seconds(mut self, seconds: i64) -> Self {
        self.default_lifetime_seconds = seconds;
        self
    }

    /// The same, with this longest lifetime.
    #[must_use]
    pub const fn with_max_lifetime_seconds(mut self, seconds: i64) -> Self {
        self.max_lifetime_seconds = seconds;
        self
    }

    /// The same, with a response used this long after its lifetime while the source cannot be asked.
    #[must_use]
    pub const fn with_stale_if_error_seconds(mut self, seconds: i64) -> Self {
        self.stale_if_error_seconds = seconds;
        self
    }
}

/// `max-ttl` and `stale-if-error` of `[cache]`.
impl From<&CacheTerms> for ReuseTerms {
    fn from(terms: &CacheTerms) -> Self {
        Self {
            default_lifetime_seconds: 0,
            max_lifetime_seconds: terms.max_ttl_seconds,
            stale_if_error_seconds: terms.stale_if_error_seconds,
        }
    }
}

impl Default for ReuseTerms {
    fn default() -> Self {
        Self::from(&CacheTerms::default())
    }
}

impl Credential {
    /// The whole value of the header, such as `Bearer` and a token.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        Self { value: Zeroizing::new(value.into()) }
    }

    /// SHA-256 of the value.
    #[must_use]
    pub fn fingerprint(&self) -> [u8; 32] {
        sha256(self.value.as_bytes())
    }

    pub(super) fn value(&self) -> &str {
        &self.value
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential").finish_non_exhaustive()
    }
}
