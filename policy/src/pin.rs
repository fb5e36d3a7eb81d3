//! What is remembered of agents: the cards that were admitted, and what people said about single cards.
//!
//! An agent is the URL that its card comes from, scheme and host in lower case, default port left out, path and query as
//! written. How the card was found, the tenant and the use take no part: it is the same card for all of them. That a signed
//! card was seen is remembered for the origin of the URL.
//!
//! A card has two parts, compared apart. *Text* is what people read: `name`, `description`, `iconUrl`, `documentationUrl`,
//! the default input and output modes, of skills everything but their security requirements, and the descriptions of
//! security schemes and extensions. *Structure* is everything else, unknown members included. `version` and `signatures`
//! belong to neither.

mod digest;
mod version;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use digest::{PinDigest, PinDigestError};

use crate::{Source, UnixTime};

/// By how many seconds a signature over a card that is remembered must be newer to be worth remembering: 3,600. Why: a server
/// that signs with every answer would write with every answer.
const RESIGNED_SECONDS: i64 = 3_600;

/// Whether cards are remembered, and what of the agent.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "kept or not")]
pub enum PinMemory<'m> {
    /// Nothing is remembered.
    NotKept,
    /// This is.
    Kept(&'m AgentMemory),
}

/// What is remembered of one agent. The default is an agent of which no card was admitted yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentMemory {
    /// The newest card that was admitted; [`None`] if none was.
    pub newest: Option<PinnedCard>,
    /// The digests of all cards that were admitted, of their content and of their octets, and when each was first.
    pub cards: BTreeMap<PinDigest, UnixTime>,
    /// The digests of all payloads whose signatures verified on a card that was admitted, and when each was first.
    pub payloads: BTreeMap<PinDigest, UnixTime>,
    /// When a card from the origin of the agent was first admitted for its signatures.
    pub signed_since: Option<UnixTime>,
    /// The digests that a person accepted, of any agent.
    pub accepted: Arc<BTreeSet<PinDigest>>,
    /// The digests that a person revoked, of any agent.
    pub revoked: Arc<BTreeSet<PinDigest>>,
}

/// What is remembered of one card.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PinnedCard {
    /// SHA-256 of its octets.
    pub octets: PinDigest,
    /// What is compared of it.
    pub parts: CardParts,
    /// The payloads over which its signatures verified.
    pub payloads: BTreeSet<PinDigest>,
    /// `version`.
    pub version: Option<String>,
    /// The newest `iat` of the signatures that count.
    pub issued_at: Option<UnixTime>,
    /// Whether a signature counts.
    pub signed: SignedBy,
}

/// Whose word a card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a signature counts, or none does")]
pub enum SignedBy {
    /// A key of the policy.
    Key,
    /// Nobody.
    Nobody,
}

/// The digests of what would be handed on of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the whole, and its two parts")]
pub struct CardParts {
    /// The whole: the digest that names the card. It is that of the canonical form `a2a-1.0-open` of the card that would be
    /// handed on, so signing it again or writing it in another way gives no other card.
    pub digest: PinDigest,
    /// The structure: for each top-level member with a part in it, by JSON Pointer, the digest of that part. The members that
    /// the schema does not know are one entry, under the empty pointer.
    pub structure: BTreeMap<String, PinDigest>,
    /// The texts, in the same way.
    pub text: BTreeMap<String, PinDigest>,
}

/// How a card stands to the newest one that is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the answers of an order in which not everything has a place")]
pub enum PinOrder {
    /// Its `version` or its `iat` is older.
    Older,
    /// Its `version` is the same, or says nothing and its `iat` is newer.
    Level,
    /// Its `version` is newer.
    Newer,
    /// Nobody can say.
    Unknown,
}

/// A card beside the newest one of its agent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PinComparison {
    /// The agent.
    pub agent: String,
    /// What would be remembered of the card.
    pub card: PinnedCard,
    /// The newest card that is remembered.
    pub newest: Option<PinnedCard>,
    /// How the two stand to each other; [`None`] for the first card and for one of the same content.
    pub order: Option<PinOrder>,
    /// JSON Pointers of top-level members whose structure is another one; empty for members outside the schema.
    pub structure: Vec<String>,
    /// JSON Pointers of top-level members whose texts are others.
    pub text: Vec<String>,
    /// Whether a person accepted the card.
    pub review: PinReview,
}

/// What people said about a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "nothing, yes or no")]
pub enum PinReview {
    /// Nothing.
    None,
    /// They accepted it.
    Accepted,
    /// They revoked it.
    Revoked,
}

impl PinMemory<'_> {
    /// The digest of everything that a decision can rest on, for the key under which the decision is kept: `off`, or `sha256:`
    /// and 64 hexadecimal digits.
    #[must_use]
    pub fn digest(&self) -> String {
        match self {
            Self::NotKept => "off".to_owned(),
            Self::Kept(memory) => memory.digest().to_string(),
        }
    }

    pub(crate) const fn of_agent(&self) -> Option<&AgentMemory> {
        match self {
            Self::NotKept => None,
            Self::Kept(memory) => Some(memory),
        }
    }
}

impl AgentMemory {
    /// The name under which a source is remembered.
    #[must_use]
    pub fn agent(source: &Source) -> String {
        source.url.canonical_text()
    }

    /// The digest of all of it.
    #[must_use]
    pub fn digest(&self) -> PinDigest {
        // Its text is written by this program alone and never read.
        PinDigest::of(format!("{self:?}").as_bytes())
    }

    /// What a person said about a card. What was revoked stays revoked.
    #[must_use]
    pub fn review(&self, card: &PinnedCard) -> PinReview {
        let mut all = card.names().chain(card.payloads.iter().copied());
        if all.any(|name| self.revoked.contains(&name)) {
            PinReview::Revoked
        } else if card.names().any(|name| self.accepted.contains(&name)) {
            PinReview::Accepted
        } else {
            PinReview::None
        }
    }

    /// Whether a person accepted a card that was admitted, and did not revoke it.
    #[must_use]
    pub fn is_reviewed(&self) -> bool {
        self.cards.keys().any(|name| self.accepted.contains(name) && !self.revoked.contains(name))
    }

    /// Whether [`remember`](Self::remember) would change anything of this card. A newer `iat` alone counts from an hour on.
    #[must_use]
    pub fn learns_from(&self, card: &PinnedCard) -> bool {
        let Some(newest) = &self.newest else { return true };
        let is_known = card.names().all(|name| self.cards.contains_key(&name))
            || newest.parts.digest == card.parts.digest;
        let are_known = card.payloads.iter().all(|payload| self.payloads.contains_key(payload));
        let is_first_signed = card.signed == SignedBy::Key && self.signed_since.is_none();
        let is_resigned = match (newest.issued_at, card.issued_at) {
            (Some(before), Some(now)) => before.saturating_add_seconds(RESIGNED_SECONDS) <= now,
            (None, Some(_)) => true,
            (_, None) => false,
        };
        let is_other = newest.parts.digest != card.parts.digest && newest.order(card) != PinOrder::Older;
        !is_known || !are_known || is_first_signed || is_resigned || is_other
    }

    /// Remembers a card that was admitted at `now`. An older card than the newest does not take its place, and the newest
    /// `iat` stays.
    pub fn remember(&mut self, card: PinnedCard, now: UnixTime) {
        for name in card.names() {
            self.cards.entry(name).or_insert(now);
        }
        for payload in &card.payloads {
            self.payloads.entry(*payload).or_insert(now);
        }
        if card.signed == SignedBy::Key {
            self.signed_since = self.signed_since.or(Some(now));
        }
        match &mut self.newest {
            None => self.newest = Some(card),
            Some(newest) => {
                let issued_at = newest.issued_at.max(card.issued_at);
                let same = newest.parts.digest == card.parts.digest;
                if same || newest.order(&card) != PinOrder::Older {
                    *newest = card;
                }
                newest.issued_at = issued_at;
            }
        }
    }
}

impl PinnedCard {
    /// A card of which only this is known.
    #[must_use]
    pub const fn new(octets: PinDigest, parts: CardParts) -> Self {
        Self {
            octets,
            parts,
            payloads: BTreeSet::new(),
            version: None,
            issued_at: None,
            signed: SignedBy::Nobody,
        }
    }

    /// The digests by which a person accepts the card: of its content, and of its octets.
    pub fn names(&self) -> impl Iterator<Item = PinDigest> + use<> {
        [self.parts.digest, self.octets].into_iter()
    }

    /// How `card` stands to this one. A card of other content without `iat` where this one has it is newer only by its
    /// version.
    #[must_use]
    pub fn order(&self, card: &Self) -> PinOrder {
        let by_version = match (&self.version, &card.version) {
            (Some(before), Some(now)) => version::compare(before, now),
            (None, None) => Some(Ordering::Equal),
            (Some(_), None) | (None, Some(_)) => None,
        };
        let by_time = self.issued_at.zip(card.issued_at).map(|(before, now)| now.cmp(&before));
        if by_version == Some(Ordering::Less) || by_time == Some(Ordering::Less) {
            return PinOrder::Older;
        }
        match (by_version, by_time) {
            (Some(Ordering::Greater), _) => PinOrder::Newer,
            (Some(_), None) if self.issued_at.is_some() => PinOrder::Unknown,
            (Some(_), _) | (None, Some(Ordering::Greater)) => PinOrder::Level,
            (None, _) => PinOrder::Unknown,
        }
    }
}

impl CardParts {
    /// JSON Pointers of the members whose structure, and of those whose texts, differ from these.
    #[must_use]
    pub fn changed(&self, other: &Self) -> [Vec<String>; 2] {
        [differing(&self.structure, &other.structure), differing(&self.text, &other.text)]
    }
}

fn differing(left: &BTreeMap<String, PinDigest>, right: &BTreeMap<String, PinDigest>) -> Vec<String> {
    let pointers: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    pointers.into_iter().filter(|pointer| left.get(*pointer) != right.get(*pointer)).cloned().collect()
}

impl PinOrder {
    /// `older`, `level`, `newer` or `unknown`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Older => "older",
            Self::Level => "level",
            Self::Newer => "newer",
            Self::Unknown => "unknown",
        }
    }
}

impl PinReview {
    /// `none`, `accepted` or `revoked`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Accepted => "accepted",
            Self::Revoked => "revoked",
        }
    }
}
