//! Trusted keys: which keys count, for which algorithms, from when until when, and how a `kid` finds them.

mod error;
mod file;

use std::collections::BTreeSet;

pub use error::{KeyFileError, NoKey};

use crate::jwk::JwkError;
use crate::{Algorithm, Finding, Thumbprint, VerifyingKey};

/// Where a trusted key came from; it decides what a key without `kid` may answer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeySource {
    /// A PEM file, a file with one JWK, or a key written into a policy.
    Single,
    /// A member of a JWK set.
    SetMember,
}

/// Whether a trusted key may be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyStatus {
    /// It may.
    #[default]
    Active,
    /// It may not, until it is made active again.
    Disabled,
    /// It may never again, for signatures of any time: no signature proves when it was made.
    Revoked {
        /// When it was revoked, in seconds since 1970-01-01T00:00:00Z.
        at: Option<i64>,
        /// Why.
        reason: Option<String>,
    },
}

/// A public key with what its owner or the verifier says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedKey {
    key: VerifyingKey,
    source: KeySource,
    kid: Option<String>,
    algorithms: Option<Vec<Algorithm>>,
    not_before: Option<i64>,
    not_after: Option<i64>,
    status: KeyStatus,
}

impl TrustedKey {
    /// A key that is active, without `kid`, for every algorithm of its kind and for all times.
    #[must_use]
    pub const fn new(key: VerifyingKey, source: KeySource) -> Self {
        Self {
            key,
            source,
            kid: None,
            algorithms: None,
            not_before: None,
            not_after: None,
            status: KeyStatus::Active,
        }
    }

    /// The same with a `kid`. It then answers to this `kid` only.
    #[must_use]
    pub fn with_kid(mut self, kid: impl Into<String>) -> Self {
        self.kid = Some(kid.into());
        self
    }

    /// The same, for these algorithms only. Algorithms that do not fit the kind of key allow nothing.
    #[must_use]
    pub fn with_algorithms(mut self, algorithms: impl Into<Vec<Algorithm>>) -> Self {
        self.algorithms = Some(algorithms.into());
        self
    }

    /// The same, usable from `seconds` since 1970-01-01T00:00:00Z on.
    #[must_use]
    pub const fn with_not_before(mut self, seconds: i64) -> Self {
        self.not_before = Some(seconds);
        self
    }

    /// The same, usable up to and including `seconds` since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn with_not_after(mut self, seconds: i64) -> Self {
        self.not_after = Some(seconds);
        self
    }

    /// The same with this status.
    #[must_use]
    pub fn with_status(mut self, status: KeyStatus) -> Self {
        self.status = status;
        self
    }

    /// The key.
    #[must_use]
    pub const fn key(&self) -> &VerifyingKey {
        &self.key
    }

    /// The thumbprint of the key.
    #[must_use]
    pub const fn thumbprint(&self) -> Thumbprint {
        self.key.thumbprint()
    }

    /// Where it came from.
    #[must_use]
    pub const fn source(&self) -> KeySource {
        self.source
    }

    /// Its `kid`.
    #[must_use]
    pub fn kid(&self) -> Option<&str> {
        self.kid.as_deref()
    }

    /// The algorithms it is bound to; [`None`] means every algorithm of its kind.
    #[must_use]
    pub fn algorithms(&self) -> Option<&[Algorithm]> {
        self.algorithms.as_deref()
    }

    /// First second of its validity, since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn not_before(&self) -> Option<i64> {
        self.not_before
    }

    /// Last second of its validity, since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn not_after(&self) -> Option<i64> {
        self.not_after
    }

    /// Its status.
    #[must_use]
    pub const fn status(&self) -> &KeyStatus {
        &self.status
    }

    /// Whether the key may verify signatures under `algorithm`: it fits the kind of key and is not excluded.
    #[must_use]
    pub fn allows(&self, algorithm: Algorithm) -> bool {
        let bound = |allowed: &Vec<Algorithm>| allowed.iter().any(|allowed| allowed.agrees_with(algorithm));
        algorithm.key_kind() == self.key.kind() && self.algorithms.as_ref().is_none_or(bound)
    }

    /// Whether status and validity allow use at `now`, in seconds since 1970-01-01T00:00:00Z.
    ///
    /// # Errors
    ///
    /// [`NoKey::Revoked`], [`NoKey::Disabled`], [`NoKey::NotYetValid`] or [`NoKey::Expired`], the first that applies.
    pub fn check_at(&self, now: i64) -> Result<(), NoKey> {
        let thumbprint = self.thumbprint();
        match &self.status {
            KeyStatus::Active => {}
            KeyStatus::Disabled => return Err(NoKey::Disabled { thumbprint }),
            KeyStatus::Revoked { at, reason } => {
                return Err(NoKey::Revoked { thumbprint, at: *at, reason: reason.clone() });
            }
        }
        if let Some(not_before) = self.not_before.filter(|not_before| now < *not_before) {
            return Err(NoKey::NotYetValid { thumbprint, not_before });
        }
        if let Some(not_after) = self.not_after.filter(|not_after| now > *not_after) {
            return Err(NoKey::Expired { thumbprint, not_after });
        }
        Ok(())
    }

    /// Whether a signature that names `kid` may be this key's (`kid` narrows, never widens).
    fn answers_to(&self, kid: &str) -> bool {
        match (&self.kid, self.source) {
            (Some(own), _) => own == kid,
            (None, KeySource::Single) => true,
            (None, KeySource::SetMember) => self.thumbprint().to_string() == kid,
        }
    }
}

/// A key of a file that is not used, kept so that a signature which names it gets this reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnusableKey {
    /// Name of the file.
    pub file: String,
    /// JSON Pointer of the JWK in it; empty for a bare one.
    pub pointer: String,
    /// Its `kid`, when it is text.
    pub kid: Option<String>,
    /// Where it came from.
    pub source: KeySource,
    /// Why it is not used.
    pub reason: JwkError,
}

impl UnusableKey {
    fn answers_to(&self, kid: &str) -> bool {
        match (&self.kid, self.source) {
            (Some(own), _) => own == kid,
            (None, KeySource::Single) => true,
            (None, KeySource::SetMember) => false,
        }
    }
}

/// A key that must not count any more, known by its thumbprint: its octets are not needed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RevokedKey {
    /// The key.
    pub thumbprint: Thumbprint,
    /// The `kid` that its signatures name.
    pub kid: Option<String>,
    /// When it was revoked, in seconds since 1970-01-01T00:00:00Z.
    pub at: Option<i64>,
    /// Why.
    pub reason: Option<String>,
}

impl RevokedKey {
    /// A key that is revoked, without `kid`, time and reason.
    #[must_use]
    pub const fn new(thumbprint: Thumbprint) -> Self {
        Self { thumbprint, kid: None, at: None, reason: None }
    }

    fn answers_to(&self, kid: &str) -> bool {
        self.kid.as_deref() == Some(kid) || self.thumbprint.to_string() == kid
    }

    fn refusal(&self) -> NoKey {
        NoKey::Revoked { thumbprint: self.thumbprint, at: self.at, reason: self.reason.clone() }
    }
}

/// A finding about a key, with the file it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyFinding {
    /// Name of the file; [`None`] when the finding is about keys of several files.
    pub file: Option<String>,
    /// What was found.
    pub finding: Finding,
}

/// The trusted keys whose `kid` fits, before algorithm, status and time are looked at.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub enum Candidates<'k> {
    /// One or more, in the order they were added.
    Some(Vec<&'k TrustedKey>),
    /// None that is usable: a key with this `kid` is known and broken.
    Unusable(&'k UnusableKey),
    /// None at all.
    Unknown,
}

/// Most keys that are tried for one signature.
const MAX_CANDIDATES: usize = 16;

/// A collection of trusted keys.
#[derive(Clone, Debug, Default)]
pub struct TrustedKeys {
    keys: Vec<TrustedKey>,
    unusable: Vec<UnusableKey>,
    revoked: Vec<RevokedKey>,
    findings: Vec<KeyFinding>,
}

impl TrustedKeys {
    /// No keys.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a file: a JWK, a JWK set, or PEM with one key. `name` is used in findings. The octets are wiped.
    ///
    /// A private key counts by its public part, with the finding `key.private-in-public-set`. JWKs that cannot be used
    /// are kept with their reason: [`TrustedKeys::unusable`].
    ///
    /// # Errors
    ///
    /// [`KeyFileError`] when the file as a whole is not readable, or holds one PEM key that cannot be used.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign_keys::trust::{Candidates, TrustedKeys};
    ///
    /// let octets = br#"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k1","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;
    /// let keys = TrustedKeys::read(octets.as_slice(), "publisher.jwks.json")?;
    /// assert!(matches!(keys.candidates("k1"), Candidates::Some(found) if found.len() == 1));
    /// assert_eq!(keys.candidates("k2"), Candidates::Unknown);
    /// # Ok::<(), countersign_keys::trust::KeyFileError>(())
    /// ```
    pub fn read(octets: impl Into<Vec<u8>>, name: &str) -> Result<Self, KeyFileError> {
        file::read(octets.into(), name)
    }

    /// Adds one key.
    pub fn push(&mut self, key: TrustedKey) {
        self.keys.push(key);
    }

    /// Adds a key that is not used, so that a signature which names it gets its reason.
    pub fn push_unusable(&mut self, key: UnusableKey) {
        self.unusable.push(key);
    }

    /// Adds a key that is revoked, wherever else it is found.
    pub fn push_revoked(&mut self, key: RevokedKey) {
        self.revoked.push(key);
    }

    /// Adds everything of another collection, its unusable and revoked keys and findings included.
    pub fn extend(&mut self, other: Self) {
        self.keys.extend(other.keys);
        self.unusable.extend(other.unusable);
        self.revoked.extend(other.revoked);
        self.findings.extend(other.findings);
    }

    /// The same keys, each changed by `change`: for validity or status that a policy states for a whole file.
    #[must_use]
    pub fn map(mut self, change: impl FnMut(TrustedKey) -> TrustedKey) -> Self {
        self.keys = self.keys.into_iter().map(change).collect();
        self
    }

    /// The keys, in the order they were added.
    #[must_use]
    pub fn keys(&self) -> &[TrustedKey] {
        &self.keys
    }

    /// The keys of files that are not used, with their reasons.
    #[must_use]
    pub fn unusable(&self) -> &[UnusableKey] {
        &self.unusable
    }

    /// The keys that were added as revoked by their thumbprints.
    #[must_use]
    pub fn revoked(&self) -> &[RevokedKey] {
        &self.revoked
    }

    /// What was noticed about the keys, in order: files as read, then keys that share a `kid`.
    #[must_use]
    pub fn findings(&self) -> Vec<KeyFinding> {
        self.findings.iter().cloned().chain(file::ambiguous(self)).collect()
    }

    /// The keys that a signature which names `kid` may come from (`kid` narrows, never widens).
    ///
    /// These are the keys with that `kid`; keys without `kid` from [`KeySource::Single`]; keys without `kid` from
    /// [`KeySource::SetMember`] whose thumbprint is `kid`. Each key counts once.
    #[must_use]
    pub fn candidates(&self, kid: &str) -> Candidates<'_> {
        let mut found: Vec<&TrustedKey> = Vec::new();
        for key in self.keys.iter().filter(|key| key.answers_to(kid)) {
            if !found.contains(&key) {
                found.push(key);
            }
        }
        if !found.is_empty() {
            return Candidates::Some(found);
        }
        match self.unusable.iter().find(|key| key.answers_to(kid)) {
            Some(key) => Candidates::Unusable(key),
            None => Candidates::Unknown,
        }
    }

    /// The different keys to try for a signature that names `kid` and `algorithm`, at `now` in seconds since
    /// 1970-01-01T00:00:00Z. Never empty, and never more than 16: each costs a check for every canonical form.
    ///
    /// A key that is revoked in one place is revoked in all. Not checked: whether the key may speak for anyone.
    ///
    /// # Errors
    ///
    /// The most specific reason when no key is left: of a key that fits the algorithm its status or validity, else
    /// [`NoKey::AlgorithmKeyMismatch`] for a key that has this `kid`, else [`NoKey::Revoked`] for a [`RevokedKey`] whose
    /// `kid` or thumbprint this is, else [`NoKey::Unusable`], else [`NoKey::AlgorithmKeyMismatch`] for a key without `kid`,
    /// else [`NoKey::Unknown`].
    pub fn select(&self, kid: &str, algorithm: Algorithm, now: i64) -> Result<Vec<&TrustedKey>, NoKey> {
        let candidates = match self.candidates(kid) {
            Candidates::Some(candidates) => candidates,
            Candidates::Unusable(_) | Candidates::Unknown => Vec::new(),
        };
        let (mut usable, mut seen) = (Vec::new(), BTreeSet::new());
        let mut refusal = None;
        for key in candidates.iter().filter(|key| key.allows(algorithm)) {
            match self.check_everywhere(key, now) {
                Ok(()) if usable.len() < MAX_CANDIDATES && seen.insert(key.thumbprint()) => usable.push(*key),
                Ok(()) => {}
                Err(reason) => refusal = refusal.or(Some(reason)),
            }
        }
        if !usable.is_empty() {
            return Ok(usable);
        }
        Err(refusal.unwrap_or_else(|| self.misfit(kid, algorithm, &candidates)))
    }

    fn check_everywhere(&self, key: &TrustedKey, now: i64) -> Result<(), NoKey> {
        if let Some(revoked) = self.revoked.iter().find(|revoked| revoked.thumbprint == key.thumbprint()) {
            return Err(revoked.refusal());
        }
        let revoked = self.keys.iter().find(|other| {
            other.thumbprint() == key.thumbprint() && matches!(other.status, KeyStatus::Revoked { .. })
        });
        revoked.unwrap_or(key).check_at(now)
    }

    /// Why nothing fits, when status and validity are not the reason.
    fn misfit(&self, kid: &str, algorithm: Algorithm, candidates: &[&TrustedKey]) -> NoKey {
        let mismatch = |key: &&TrustedKey| NoKey::AlgorithmKeyMismatch {
            algorithm,
            kind: key.key.kind(),
            thumbprint: key.thumbprint(),
            bound: key.algorithms.clone().unwrap_or_default(),
        };
        let named = candidates.iter().find(|key| key.kid.is_some()).map(mismatch);
        let unusable = || {
            self.unusable
                .iter()
                .find(|key| key.answers_to(kid))
                .map(|key| NoKey::Unusable { file: key.file.clone(), reason: key.reason.clone() })
        };
        let revoked = self.revoked.iter().find(|key| key.answers_to(kid)).map(RevokedKey::refusal);
        named
            .or(revoked)
            .or_else(unusable)
            .or_else(|| candidates.first().map(mismatch))
            .unwrap_or_else(|| NoKey::Unknown { kid: kid.to_owned() })
    }
}

#[cfg(test)]
mod tests;
