//! The trust policy as checked: defaults written out, references resolved.

mod deny_index;
mod fetched;
mod interfaces;
mod key;
mod rule;
mod signatures;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use countersign_keys::trust::TrustedKeys;

use crate::evaluate::key_epoch_of;
use crate::{
    DenyPattern, ExpandedPolicy, Host, Network, Placed, PolicyPlace, SignatureFacts, StrictUrl, UnixTime,
};
use deny_index::DenyIndex;
pub(crate) use fetched::holds_secret;
pub use fetched::{FetchedKeys, FetchedKeysError};
pub use interfaces::{AnonymousAccess, AnyHost, AuthTerms, FailedInterfaces, Hosts, InterfaceTerms, Queries};
pub use key::{KeySet, PolicyKey, Tombstone, TombstoneReason};
pub use rule::{AllowRule, DenyRule, Exception, ExtensionUse, FirstUse, PinTerms, Reaction, WordPattern};
pub use signatures::{Allowance, Grace, KeyGroup, KeySelector, SignatureLevel, SignatureTerms, Uncovered};

/// What an owner allows. It cannot be had from a file that has an error.
///
/// Rules are complete: what a rule leaves out is filled in from `[defaults]`. Their order in the file means nothing.
#[derive(Clone, Debug)]
pub struct TrustPolicy {
    pub(crate) parts: Parts,
    deny_index: DenyIndex,
    epoch_of_all_keys: Arc<str>,
}

/// The parts of a policy, for the modules that make and read it.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) name: Option<String>,
    pub(crate) owner: Option<String>,
    /// `sha256:` and 64 hexadecimal digits, over the meaning.
    pub(crate) digest: Arc<str>,
    /// The meaning, which the digest is of.
    pub(crate) expanded: ExpandedPolicy,
    /// The file that was loaded first, then what it includes and extends.
    pub(crate) files: Vec<PolicyFile>,
    pub(crate) limits: PolicyLimits,
    pub(crate) keys: Vec<PolicyKey>,
    /// The same keys, the unusable ones and the tombstones, as signatures are verified with.
    pub(crate) trusted: TrustedKeys,
    pub(crate) tombstones: Vec<Tombstone>,
    pub(crate) key_sets: Vec<KeySet>,
    /// `[keysets]`: the ids of keys by name.
    pub(crate) named_keys: BTreeMap<String, Placed<Vec<String>>>,
    /// `[hostsets]`, as written; the rules hold what they stand for.
    pub(crate) named_hosts: BTreeMap<String, Placed<Vec<String>>>,
    pub(crate) denies: Vec<DenyRule>,
    pub(crate) allows: Vec<AllowRule>,
    pub(crate) exceptions: Vec<Exception>,
    pub(crate) fetch: FetchTerms,
    /// `[lints]`: the level by the name of a policy lint; `*` for all others.
    pub(crate) lint_levels: BTreeMap<String, Placed<LintLevel>>,
}

/// A file that a policy was read from.
#[derive(Clone)]
#[non_exhaustive]
pub struct PolicyFile {
    /// Its name.
    pub name: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
}

/// Limits that hold for every card, whatever its rule.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyLimits {
    /// Seconds that clocks may differ, for `iat` and `not-before` only. Default: 60.
    pub clock_skew_seconds: i64,
    /// Longest card, in octets. Default: 256 KiB.
    pub max_card_octets: usize,
    /// Most signatures on a card. Default: 16; more are never looked at.
    pub max_signatures: usize,
}

/// Whether a denial is enforced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "enforced, or not until a day")]
pub enum Mode {
    /// It is.
    Enforce,
    /// It is reported only, until the end; then it is enforced.
    Audit(Grace),
}

/// `[fetch]`: how cards and key sets are fetched.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FetchTerms {
    /// Most redirects. Default: 0. None is followed yet, whatever it is: another URL is another source.
    pub redirects: u32,
    /// Longest time for one document, in seconds. Default: 5.
    pub timeout_seconds: i64,
    /// Most octets of a document, after decompression. Default: 256 KiB.
    pub max_octets: usize,
    /// Accepted content types. Default: `application/json` and `application/a2a+json`.
    pub content_types: Vec<String>,
    /// Ranges of private addresses that may be reached beside public ones. Default: none.
    pub networks: Vec<Placed<Network>>,
}

/// `[cache]`: how long a decision may be remembered, all in seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheTerms {
    /// An admission. Default: 3600; 0 is never.
    pub max_ttl_seconds: i64,
    /// A denial. Default: 30, which is the most.
    pub negative_seconds: i64,
    /// How long the last answer is used while the source cannot be reached. Default: 0.
    pub stale_if_error_seconds: i64,
}

/// What a policy says about a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the three words of `[lints]`")]
pub enum LintLevel {
    /// It is silent.
    Allow,
    /// It is a warning.
    Warn,
    /// It is an error.
    Error,
}

impl TrustPolicy {
    /// Parts that were checked.
    pub(crate) fn new(parts: Parts) -> Self {
        let deny_index = DenyIndex::of(&parts.denies);
        let epoch_of_all_keys = key_epoch_of(parts.keys.iter()).into();
        Self { parts, deny_index, epoch_of_all_keys }
    }

    /// [`key_epoch`](Self::key_epoch) of a time when every key is usable.
    pub(crate) fn epoch_of_all_keys(&self) -> Arc<str> {
        Arc::clone(&self.epoch_of_all_keys)
    }

    /// The patterns that deny `host`, each with its rule.
    pub(crate) fn denying(&self, host: &Host) -> impl Iterator<Item = (&DenyRule, &Placed<DenyPattern>)> {
        self.deny_index.hits(&self.parts.denies, host).into_iter().filter_map(|(rule, pattern)| {
            let rule = self.parts.denies.get(rule)?;
            Some((rule, rule.hosts.get(pattern)?))
        })
    }

    /// Every key of the policy, whatever its origins; tombstones and keys that cannot be used among them.
    #[must_use]
    pub const fn trusted_keys(&self) -> &TrustedKeys {
        &self.parts.trusted
    }

    /// `name`.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.parts.name.as_deref()
    }

    /// `owner`.
    #[must_use]
    pub fn owner(&self) -> Option<&str> {
        self.parts.owner.as_deref()
    }

    /// `sha256:` and the digest of what the policy means: defaults written out, files included, rules sorted. Comments,
    /// order and spelling take no part, reasons and owners do.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.parts.digest
    }

    pub(crate) fn shared_digest(&self) -> Arc<str> {
        Arc::clone(&self.parts.digest)
    }

    /// The files it was read from, the one that was asked for first.
    #[must_use]
    pub fn files(&self) -> &[PolicyFile] {
        &self.parts.files
    }

    /// Limits for every card.
    #[must_use]
    pub const fn limits(&self) -> &PolicyLimits {
        &self.parts.limits
    }

    /// `[[key]]`, tombstones left out, and the keys of sets that are files.
    #[must_use]
    pub fn keys(&self) -> &[PolicyKey] {
        &self.parts.keys
    }

    /// `[[key]]` with `revoked`.
    #[must_use]
    pub fn tombstones(&self) -> &[Tombstone] {
        &self.parts.tombstones
    }

    /// `[[jwks]]`.
    #[must_use]
    pub fn key_sets(&self) -> &[KeySet] {
        &self.parts.key_sets
    }

    /// `[[deny]]`.
    #[must_use]
    pub fn denies(&self) -> &[DenyRule] {
        &self.parts.denies
    }

    /// `[[allow]]`.
    #[must_use]
    pub fn allows(&self) -> &[AllowRule] {
        &self.parts.allows
    }

    /// `[[exception]]`.
    #[must_use]
    pub fn exceptions(&self) -> &[Exception] {
        &self.parts.exceptions
    }

    /// `[fetch]`.
    #[must_use]
    pub const fn fetch(&self) -> &FetchTerms {
        &self.parts.fetch
    }

    /// `[keysets]`: ids of keys and key sets by the name of the set, as written.
    #[must_use]
    pub const fn named_keys(&self) -> &BTreeMap<String, Placed<Vec<String>>> {
        &self.parts.named_keys
    }

    /// `[hostsets]`: patterns by the name of the set, as written.
    #[must_use]
    pub const fn named_hosts(&self) -> &BTreeMap<String, Placed<Vec<String>>> {
        &self.parts.named_hosts
    }

    /// `[lints]`: levels by the name of a lint without `policy.`; `*` stands for all others.
    #[must_use]
    pub const fn lint_levels(&self) -> &BTreeMap<String, Placed<LintLevel>> {
        &self.parts.lint_levels
    }

    /// The key that made a signature, as it speaks for a source: of one key in several sets the entry that counts here, if any
    /// does.
    pub(crate) fn key_of(
        &self,
        facts: &SignatureFacts,
        source: &StrictUrl,
        now: UnixTime,
    ) -> Option<&PolicyKey> {
        let thumbprint = facts.thumbprint?;
        let mut entries = self.parts.keys.iter().filter(|key| key.trusted.thumbprint() == thumbprint);
        let first = entries.next()?;
        let counts = |key: &&PolicyKey| key.speaks_for(source) && key.is_usable(facts.algorithm, now);
        Some(std::iter::once(first).chain(entries).find(counts).unwrap_or(first))
    }

    /// The rule with this id.
    #[must_use]
    pub fn allow(&self, id: &str) -> Option<&AllowRule> {
        self.parts.allows.iter().find(|rule| rule.id == id)
    }
}

/// The text may hold a private key by mistake, so it is not shown.
impl fmt::Debug for PolicyFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyFile").field("name", &self.name).field("octets", &self.text.len()).finish()
    }
}

impl Default for PolicyLimits {
    fn default() -> Self {
        Self { clock_skew_seconds: 60, max_card_octets: 256 * 1024, max_signatures: 16 }
    }
}

impl Default for FetchTerms {
    fn default() -> Self {
        Self {
            redirects: 0,
            timeout_seconds: 5,
            max_octets: 256 * 1024,
            content_types: vec!["application/json".to_owned(), "application/a2a+json".to_owned()],
            networks: Vec::new(),
        }
    }
}

impl Default for CacheTerms {
    fn default() -> Self {
        Self { max_ttl_seconds: 3600, negative_seconds: 30, stale_if_error_seconds: 0 }
    }
}

impl Mode {
    /// Whether a denial is enforced at `now`.
    #[must_use]
    pub fn enforces(&self, now: UnixTime) -> bool {
        match self {
            Self::Enforce => true,
            Self::Audit(grace) => !grace.holds(now),
        }
    }
}

impl LintLevel {
    /// `allow`, `warn` or `error`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// A reference to a place is always to one of the files of the policy.
impl PolicyPlace {
    /// The text of the line that the place begins in, where `policy` has the file.
    #[must_use]
    pub fn line_in<'p>(&self, policy: &'p TrustPolicy) -> Option<&'p str> {
        let file = policy.files().iter().find(|file| file.name == self.file)?;
        file.text.lines().nth(self.span.line.checked_sub(1)?)
    }
}
