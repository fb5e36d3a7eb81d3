//! Remembered responses.

use std::io;
use std::sync::Arc;

use countersign_keys::{hex, sha256};
use countersign_policy::{ProtocolVersion, StrictUrl, UnixTime};

use super::AskTerms;
use crate::{Code, codes};

/// A place where responses are remembered: [`MemoryStore`](super::MemoryStore), `DiskStore` with the
/// feature `cache-disk`, [`NoStore`], or one that the embedder brings.
///
/// It remembers octets, not verdicts, and may lose any response at any time. It judges no freshness.
pub trait ResponseStore: Send + Sync {
    /// The response under `key`, where there is one.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the place cannot be read. A response that is damaged is none, and no error.
    fn load(&self, key: &StoreKey) -> Result<Option<StoredResponse>, StoreError>;

    /// Remembers a response under its key, in place of an older one.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the place cannot be written. A response that is too large for it is left out, which is no error.
    fn save(&self, response: &StoredResponse) -> Result<(), StoreError>;

    /// Forgets the response under `key`, where there is one.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the place cannot be written.
    fn remove(&self, key: &StoreKey) -> Result<(), StoreError>;
}

/// Remembers nothing.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct NoStore;

/// What a response is remembered under: the URL, the `A2A-Version` that was sent, and the SHA-256 of the credential.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct StoreKey {
    /// The URL in canonical spelling.
    pub url: String,
    /// The version that was sent, `MAJOR.MINOR`.
    pub version: Option<String>,
    /// SHA-256 of the credential, in hexadecimal digits.
    pub credential: Option<String>,
    /// SHA-256 of what connections were made with, in hexadecimal digits.
    pub connection: Option<String>,
}

/// A response with status 200, with what is needed to judge whether it may be used again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredResponse {
    /// What it is remembered under.
    pub key: StoreKey,
    /// When it was asked for, or last found unchanged.
    pub received_at: UnixTime,
    /// Header lines of the request, names in lower case; the credential as its SHA-256.
    pub request_headers: Vec<(String, String)>,
    /// Header lines of the response that freshness and validation need, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub octets: Arc<[u8]>,
}

/// How much is remembered. What was received first goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreLimits {
    /// Most responses. Default: 1024.
    pub max_entries: usize,
    /// Most octets of all responses together. Default: 64 MiB.
    pub max_octets: usize,
}

/// Why a response was not remembered, or not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("remembered responses cannot be {action}: {kind}")]
#[non_exhaustive]
pub struct StoreError {
    /// What was to be done.
    pub action: StoreAction,
    /// What the system said.
    pub kind: io::ErrorKind,
}

/// What was to be done with remembered responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreAction {
    /// Open the place.
    Open,
    /// Read one.
    Read,
    /// Write or remove one.
    Write,
}

impl StoreKey {
    /// The key of what is at `url`, asked for under these terms.
    #[must_use]
    pub fn of(url: &StrictUrl, ask: &AskTerms) -> Self {
        Self {
            url: url.canonical_text(),
            version: ask.version.map(|version: ProtocolVersion| version.to_string()),
            credential: ask.credential.as_ref().map(|credential| hex(&credential.fingerprint())),
            connection: None,
        }
    }

    /// The same, over connections of this kind.
    #[must_use]
    pub fn over(mut self, connection: &str) -> Self {
        self.connection = Some(connection.to_owned());
        self
    }

    /// SHA-256 over all parts, in hexadecimal digits: the name of a file.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut octets = Vec::new();
        let options = [&self.version, &self.credential, &self.connection];
        for part in std::iter::once(Some(&self.url)).chain(options.map(Option::as_ref)) {
            // The length keeps parts apart; an absent part differs from an empty one.
            let mark = part.map_or_else(|| "-".to_owned(), |part| format!("{}:{part}", part.len()));
            octets.extend_from_slice(mark.as_bytes());
        }
        hex(&sha256(&octets))
    }
}

impl StoredResponse {
    /// A response that was asked for at `received_at`.
    #[must_use]
    pub const fn new(
        key: StoreKey,
        received_at: UnixTime,
        request_headers: Vec<(String, String)>,
        headers: Vec<(String, String)>,
        octets: Arc<[u8]>,
    ) -> Self {
        Self { key, received_at, request_headers, headers, octets }
    }

    /// The header with this name, given in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// About how many octets of memory it takes.
    #[must_use]
    pub fn weight(&self) -> usize {
        let lines = self.request_headers.iter().chain(&self.headers);
        let header: usize = lines.map(|(name, value)| name.len().saturating_add(value.len())).sum();
        self.octets.len().saturating_add(header).saturating_add(self.key.url.len())
    }
}

impl StoreLimits {
    /// The same, with this many responses at most.
    #[must_use]
    pub const fn with_max_entries(mut self, entries: usize) -> Self {
        self.max_entries = entries;
        self
    }

    /// The same, with this many octets at most.
    #[must_use]
    pub const fn with_max_octets(mut self, octets: usize) -> Self {
        self.max_octets = octets;
        self
    }
}

impl Default for StoreLimits {
    fn default() -> Self {
        Self { max_entries: 1024, max_octets: 64 * 1024 * 1024 }
    }
}

impl StoreError {
    /// What could not be done, and what the system said.
    #[must_use]
    pub const fn new(action: StoreAction, kind: io::ErrorKind) -> Self {
        Self { action, kind }
    }

    /// The public code.
    #[must_use]
    pub const fn code(&self) -> Code {
        codes::fetch::FETCH_STORE
    }
}

impl std::fmt::Display for StoreAction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Open => "opened",
            Self::Read => "read",
            Self::Write => "written",
        })
    }
}

impl ResponseStore for NoStore {
    fn load(&self, _key: &StoreKey) -> Result<Option<StoredResponse>, StoreError> {
        Ok(None)
    }

    fn save(&self, _response: &StoredResponse) -> Result<(), StoreError> {
        Ok(())
    }

    fn remove(&self, _key: &StoreKey) -> Result<(), StoreError> {
        Ok(())
    }
}

impl<S: ResponseStore + ?Sized> ResponseStore for Arc<S> {
    fn load(&self, key: &StoreKey) -> Result<Option<StoredResponse>, StoreError> {
        (**self).load(key)
    }

    fn save(&self, response: &StoredResponse) -> Result<(), StoreError> {
        (**self).save(response)
    }

    fn remove(&self, key: &StoreKey) -> Result<(), StoreError> {
        (**self).remove(key)
    }
}

impl<S: ResponseStore + ?Sized> ResponseStore for Box<S> {
    fn load(&self, key: &StoreKey) -> Result<Option<StoredResponse>, StoreError> {
        (**self).load(key)
    }

    fn save(&self, response: &StoredResponse) -> Result<(), StoreError> {
        (**self).save(response)
    }

    fn remove(&self, key: &StoreKey) -> Result<(), StoreError> {
        (**self).remove(key)
    }
}
