//! What a rule demands of signatures.

use std::num::NonZeroUsize;

use countersign_keys::Algorithm;

use crate::{Placed, PolicyPlace, UnixTime};

/// `signatures`: how many of which keys must have signed, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SignatureTerms {
    /// Whether a signature is needed. Default: [`SignatureLevel::Require`].
    pub level: Placed<SignatureLevel>,
    /// Groups of keys; each must have enough signatures. One with `require`, several with `all-of`. Default: one key whose
    /// origins cover the source.
    pub groups: Vec<KeyGroup>,
    /// The algorithms that count. Default: [`None`], all that countersign knows.
    pub algorithms: Option<Placed<Vec<Algorithm>>>,
    /// Names of the canonical forms that count. Default: those that the tool accepts by default.
    pub forms: Placed<Vec<String>>,
    /// A signature under the `kid` of a trusted key that does not verify beside one that does. Default: reported.
    pub stale: Placed<super::Reaction>,
    /// Members that no counted signature covers. Default: [`Uncovered::Strip`].
    pub uncovered: Placed<Uncovered>,
    /// Members that may be unsigned all the same. Default: none.
    pub allow_uncovered: Option<Placed<Allowance>>,
    /// Oldest `iat` that counts, in seconds before now. Default: any, signatures without `iat` included.
    pub max_age_seconds: Option<Placed<i64>>,
}

/// `level`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the three words of `level`")]
pub enum SignatureLevel {
    /// A card without signatures is denied.
    Require,
    /// A card without signatures is admitted; one with signatures is held against the groups.
    IfPresent(Grace),
    /// Signatures are not looked at.
    Off(Grace),
}

/// Why something weaker holds, and until when.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Grace {
    /// Why.
    pub reason: String,
    /// The last second that it holds.
    pub until: UnixTime,
}

/// Keys of which some must have signed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KeyGroup {
    /// Which keys.
    pub keys: KeySelector,
    /// How many distinct keys of them.
    pub min: NonZeroUsize,
    /// Where the group is written.
    pub place: PolicyPlace,
}

/// Which keys of the policy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "by origin or by name")]
pub enum KeySelector {
    /// `*origin`: every key whose origins cover the source.
    Origin,
    /// Keys, key sets and named sets of keys by their ids, as written, and the ids of the keys and key sets that they
    /// stand for, sorted.
    Named {
        /// As written.
        names: Vec<String>,
        /// Ids of keys and key sets.
        ids: Vec<String>,
    },
}

/// `uncovered`: which members may be left out of what is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two words of `uncovered`")]
pub enum Uncovered {
    /// Members without meaning for security; they are not handed on.
    Strip,
    /// None but members at their default.
    Deny,
}

/// `allow-uncovered`: members that may be unsigned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Allowance {
    /// JSON Pointers into the card, each for everything below it too.
    pub pointers: Vec<String>,
    /// Why, and until when.
    pub grace: Grace,
}

impl Grace {
    /// A reason and the last second that it holds.
    #[must_use]
    pub fn new(reason: impl Into<String>, until: UnixTime) -> Self {
        Self { reason: reason.into(), until }
    }

    /// Whether it holds at `now`; the last second included.
    #[must_use]
    pub fn holds(&self, now: UnixTime) -> bool {
        now <= self.until
    }
}

impl SignatureLevel {
    /// The level that holds at `now`: a weaker one ends with its `until`, and `require` follows.
    #[must_use]
    pub fn at(&self, now: UnixTime) -> &Self {
        match self {
            Self::IfPresent(grace) | Self::Off(grace) if !grace.holds(now) => &Self::Require,
            Self::Require | Self::IfPresent(_) | Self::Off(_) => self,
        }
    }

    /// `require`, `if-present` or `off`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Require => "require",
            Self::IfPresent(_) => "if-present",
            Self::Off(_) => "off",
        }
    }
}

impl Uncovered {
    /// `strip` or `deny`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strip => "strip",
            Self::Deny => "deny",
        }
    }
}
