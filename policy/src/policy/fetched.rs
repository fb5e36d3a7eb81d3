//! Keys of a set that was fetched: held against the terms of its `[[jwks]]`, then keys of the policy for a time.

use countersign_keys::jwk::JwkError;
use countersign_keys::trust::{Candidates, KeyFileError, KeySource, TrustedKey, TrustedKeys};
use countersign_keys::{Code, codes as key_codes};

use super::TrustPolicy;
use super::key::{KeySet, PolicyKey};
use crate::UnixTime;
use crate::codes::decision as codes;

/// The keys of one document, as far as the terms of its set allow them.
#[derive(Clone, Debug)]
pub struct FetchedKeys {
    set: String,
    keys: Vec<PolicyKey>,
    /// The same keys, and the members that cannot be used.
    known: TrustedKeys,
}

/// Why a document gives no keys to a set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchedKeysError {
    /// It is no JWK set.
    #[error("the keys of the set `{set}`: {error}")]
    Unreadable {
        /// `id` of the set.
        set: String,
        /// What it is instead.
        error: Box<KeyFileError>,
    },
    /// It is one key, which would answer to every `kid`.
    #[error("the keys of the set `{set}` are a key, not a JWK set with a member `keys`")]
    NoSet {
        /// `id` of the set.
        set: String,
    },
    /// It has a private or a shared key: whoever reads it can sign.
    #[error("the set `{set}` holds a private or shared key, so whoever reads it can sign")]
    PrivateKey {
        /// `id` of the set.
        set: String,
    },
    /// It has more keys than `max-keys`.
    #[error("the set `{set}` has {count} keys, `max-keys` is {most}")]
    TooMany {
        /// `id` of the set.
        set: String,
        /// How many it has.
        count: usize,
        /// How many it may have.
        most: usize,
    },
}

impl FetchedKeysError {
    /// The reason code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Unreadable { error, .. } => error.code(),
            Self::NoSet { .. } => key_codes::KEY_NOT_A_KEY_SET,
            Self::PrivateKey { .. } => key_codes::KEY_PRIVATE_IN_PUBLIC_SET,
            Self::TooMany { .. } => codes::KEY_TOO_MANY,
        }
    }
}

impl KeySet {
    /// Reads the document at the URL of the set: a JWK set (RFC 7517 section 5). Members that cannot be used disable
    /// themselves alone; those that are not among `pins` take no part.
    ///
    /// # Errors
    ///
    /// [`FetchedKeysError`] when nothing of the document may be used.
    pub fn read(&self, octets: impl Into<Vec<u8>>) -> Result<FetchedKeys, FetchedKeysError> {
        let set = || self.id.clone();
        let read = TrustedKeys::read(octets, &self.id)
            .map_err(|error| FetchedKeysError::Unreadable { set: set(), error: Box::new(error) })?;
        if read.keys().iter().any(|key| key.source() == KeySource::Single) {
            return Err(FetchedKeysError::NoSet { set: set() });
        }
        if holds_secret(&read) {
            return Err(FetchedKeysError::PrivateKey { set: set() });
        }
        match self.members(&read) {
            Ok(keys) => {
                let mut known = TrustedKeys::new();
                keys.iter().for_each(|key| known.push(key.trusted.clone()));
                read.unusable().iter().for_each(|key| known.push_unusable(key.clone()));
                Ok(FetchedKeys { set: set(), keys, known })
            }
            Err(count) => Err(FetchedKeysError::TooMany { set: set(), count, most: self.max_keys }),
        }
    }

    /// The members that count, or how many there are if those are too many.
    pub(crate) fn members(&self, read: &TrustedKeys) -> Result<Vec<PolicyKey>, usize> {
        let count = read.keys().len().saturating_add(read.unusable().len());
        if count > self.max_keys {
            return Err(count);
        }
        let is_pinned = |key: &&TrustedKey| self.pins.is_empty() || self.pins.contains(&key.thumbprint());
        Ok(read.keys().iter().filter(is_pinned).map(|key| self.member(key)).collect())
    }

    fn member(&self, key: &TrustedKey) -> PolicyKey {
        let mut trusted = key.clone();
        if let Some(algorithms) = &self.algorithms {
            let allowed = algorithms.iter().copied().filter(|algorithm| key.allows(*algorithm));
            trusted = trusted.with_algorithms(allowed.collect::<Vec<_>>());
        }
        PolicyKey {
            id: self.id.clone(),
            is_set_member: true,
            trusted,
            origins: self.origins.clone(),
            place: self.place.clone(),
        }
    }
}

impl FetchedKeys {
    /// `id` of the set.
    #[must_use]
    pub fn set(&self) -> &str {
        &self.set
    }

    /// The keys that count.
    #[must_use]
    pub fn keys(&self) -> &[PolicyKey] {
        &self.keys
    }

    /// Whether a signature that names `kid` may be of one of these keys, usable or not.
    #[must_use]
    pub fn answers_to(&self, kid: &str) -> bool {
        self.known.candidates(kid) != Candidates::Unknown
    }
}

impl TrustPolicy {
    /// The policy with keys of sets that were fetched, each until a time from which on it does not count any more.
    ///
    /// Its digest stays: URL and scope of a set are the owner's, its keys are not. [`Self::key_epoch`] changes with the
    /// keys. A key that the policy has already keeps the scope that it has there; a key in two sets counts for the sources of both.
    #[must_use]
    pub fn with_fetched_keys<'k>(
        &self,
        fetched: impl IntoIterator<Item = (&'k FetchedKeys, UnixTime)>,
    ) -> Self {
        let mut parts = self.parts.clone();
        let own = self.parts.keys.len();
        for (fetched, until) in fetched {
            let last = until.saturating_add_seconds(-1).seconds();
            for key in &fetched.keys {
                let is_it = |known: &PolicyKey| known.trusted.thumbprint() == key.trusted.thumbprint();
                if parts.keys.iter().take(own).any(is_it) {
                    continue;
                }
                let mut key = key.clone();
                let ends = key.trusted.not_after().map_or(last, |end| end.min(last));
                key.trusted = key.trusted.with_not_after(ends);
                parts.trusted.push(key.trusted.clone());
                parts.keys.push(key);
            }
            for key in fetched.known.unusable() {
                parts.trusted.push_unusable(key.clone());
            }
        }
        Self::new(parts)
    }
}

/// Whether a private or a shared key is among these.
pub(crate) fn holds_secret(keys: &TrustedKeys) -> bool {
    keys.findings().iter().any(|found| found.finding.code == key_codes::KEY_PRIVATE_IN_PUBLIC_SET)
        || keys.unusable().iter().any(|key| key.reason == JwkError::SharedSecret)
}
