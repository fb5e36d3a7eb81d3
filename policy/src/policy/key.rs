//! Keys of a policy.

use countersign_keys::trust::TrustedKey;
use countersign_keys::{Algorithm, Thumbprint};

use crate::{AllowPattern, LoopbackNames, Placed, PolicyPlace, StrictUrl, UnixTime};

/// A key, and the sources that it may speak for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyKey {
    /// `id`; of a member of a set, the `id` of the set.
    pub id: String,
    /// The set that it is a member of.
    pub is_set_member: bool,
    /// The key with its `kid`, algorithms and validity.
    pub trusted: TrustedKey,
    /// Sources whose cards it may sign.
    pub origins: Vec<Placed<AllowPattern>>,
    /// Where it is written.
    pub place: PolicyPlace,
}

impl PolicyKey {
    /// Whether it may sign cards of a source. A key for `localhost` is only reached through a rule that allows loopback.
    pub(crate) fn speaks_for(&self, source: &StrictUrl) -> bool {
        self.origins.iter().any(|origin| origin.value.allows(source, LoopbackNames::Allowed))
    }

    /// Whether it may be used with an algorithm, if one is known, at a time.
    pub(crate) fn is_usable(&self, algorithm: Option<Algorithm>, now: UnixTime) -> bool {
        algorithm.is_none_or(|algorithm| self.trusted.allows(algorithm))
            && self.trusted.check_at(now.seconds()).is_ok()
    }
}

/// `[[jwks]]`: a set of keys that all have one scope. The keys of a set that is a file are among [`TrustPolicy::keys`].
///
/// [`TrustPolicy::keys`]: crate::TrustPolicy::keys
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KeySet {
    /// `id`.
    pub id: String,
    /// Where it is fetched; [`None`] for a file.
    pub url: Option<StrictUrl>,
    /// Sources whose cards its keys may sign.
    pub origins: Vec<Placed<AllowPattern>>,
    /// The algorithms that its keys may use. Default: [`None`], all.
    pub algorithms: Option<Vec<Algorithm>>,
    /// Seconds between two fetches. Default: 600.
    pub refresh_seconds: i64,
    /// Most keys that are read. Default: 8; a set with more is not used.
    pub max_keys: usize,
    /// Thumbprints of the only keys that count. Default: none, all count.
    pub pins: Vec<Thumbprint>,
    /// Where it is written.
    pub place: PolicyPlace,
}

/// A key that must not count any more, so that its signatures get this reason.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tombstone {
    /// `id`.
    pub id: String,
    /// `kid`.
    pub kid: Option<String>,
    /// The key.
    pub thumbprint: Thumbprint,
    /// When it was revoked.
    pub at: UnixTime,
    /// Why.
    pub reason: TombstoneReason,
    /// Where it is written.
    pub place: PolicyPlace,
}

/// Why a key is revoked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two words of `reason`")]
pub enum TombstoneReason {
    /// Somebody else has it: all its signatures are void, whatever time they name.
    Compromised,
    /// Another took its place: a key with `not-after` counts until then, one without no more.
    Superseded,
}

impl TombstoneReason {
    /// `compromised` or `superseded`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compromised => "compromised",
            Self::Superseded => "superseded",
        }
    }
}
