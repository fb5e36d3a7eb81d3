//! Rules: what is denied, what is allowed, what is excepted.

use std::fmt;

use countersign_keys::Code;

use super::{AuthTerms, CacheTerms, InterfaceTerms, Mode, SignatureTerms};
use crate::{AllowPattern, DenyPattern, Origin, Placed, PolicyPlace, SourceKind, UnixTime};

/// `[[allow]]`, complete.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AllowRule {
    /// `id`.
    pub id: String,
    /// Sources that it is for.
    pub from: Vec<Placed<AllowPattern>>,
    /// Kinds of source that it is for. Default: [`None`], any.
    pub sources: Option<Vec<SourceKind>>,
    /// Tenants that it is for. Default: [`None`], any and none.
    pub tenants: Option<Vec<WordPattern>>,
    /// Uses that it is for. Default: [`None`], any and none.
    pub uses: Option<Vec<WordPattern>>,
    /// Whether its denials are enforced.
    pub mode: Placed<Mode>,
    /// What it demands of signatures.
    pub signatures: SignatureTerms,
    /// What it demands of interfaces.
    pub interfaces: InterfaceTerms,
    /// What it demands of authentication.
    pub auth: AuthTerms,
    /// What it compares with what was seen before. Default: [`None`], nothing.
    pub pin: Option<Placed<PinTerms>>,
    /// How long its answer may be remembered.
    pub cache: CacheTerms,
    /// Where it is written.
    pub place: PolicyPlace,
}

/// `[[deny]]`: it hits if any of its hosts, or any of its extensions, does.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DenyRule {
    /// `id`.
    pub id: String,
    /// Hosts of the source and of every URL of the card.
    pub hosts: Vec<Placed<DenyPattern>>,
    /// URIs of extensions of the card.
    pub extensions: Vec<Placed<String>>,
    /// Which of these extensions count. Default: [`ExtensionUse::Declared`].
    pub when: ExtensionUse,
    /// Why.
    pub reason: String,
    /// Where it is written.
    pub place: PolicyPlace,
}

/// `when` of a denied extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two words of `when`")]
pub enum ExtensionUse {
    /// A card that names it.
    Declared,
    /// A card that requires it.
    Required,
}

/// `[[exception]]`: a demand of one rule that one source need not meet for a time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exception {
    /// `id`.
    pub id: String,
    /// `id` of the rule.
    pub rule: Placed<String>,
    /// The source: this scheme, host and port.
    pub origin: Placed<Origin>,
    /// What is waived; never an integrity code.
    pub waives: Vec<Placed<Code>>,
    /// Why.
    pub reason: String,
    /// Who answers for it.
    pub owner: String,
    /// The last second that it holds.
    pub until: UnixTime,
    /// Where it is written.
    pub place: PolicyPlace,
}

/// `pin`: what follows from how a card stands to those of its agent that were admitted. What an agent, an older card, the
/// structure and the texts are: [`AgentMemory`](crate::AgentMemory), [`PinnedCard::order`](crate::PinnedCard::order),
/// [`CardParts`](crate::CardParts). A card whose digest a person accepted passes all four.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PinTerms {
    /// A card of an agent of which none was admitted. Default: accepted.
    pub first_use: FirstUse,
    /// An older version or signature than before, or one of which nobody can say that. Default: denied.
    pub rollback: Reaction,
    /// Another structure than before, without a newer version. Default: denied.
    pub structure: Reaction,
    /// Other texts than before, without a newer version. Default: reported.
    pub text: Reaction,
}

/// `first-use`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two words of `first-use`")]
pub enum FirstUse {
    /// It is accepted.
    Accept,
    /// It is denied until a person accepts its digest. Every card of the agent is, until one that a person accepted was admitted.
    Review,
}

/// What follows from something that a rule looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "told, or denied")]
pub enum Reaction {
    /// It is reported.
    Report,
    /// The card is denied.
    Deny,
}

/// A tenant or use: exactly this, or all that begin with it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "one word, or those that begin alike")]
pub enum WordPattern {
    /// This one.
    Exact(String),
    /// All that begin like this: a `*` stands at the end.
    Prefix(String),
}

impl WordPattern {
    /// Reads a word, or the beginning of words with `*` at the end; [`None`] for the empty text, a `*` elsewhere and
    /// control characters.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let pattern = match text.strip_suffix('*') {
            Some(start) => Self::Prefix(start.to_owned()),
            None => Self::Exact(text.to_owned()),
        };
        let (Self::Exact(word) | Self::Prefix(word)) = &pattern;
        let is_word =
            !text.is_empty() && !word.contains(|character: char| character == '*' || character.is_control());
        is_word.then_some(pattern)
    }

    /// Whether it stands for `word`.
    #[must_use]
    pub fn matches(&self, word: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == word,
            Self::Prefix(start) => word.starts_with(start.as_str()),
        }
    }

    /// Whether a word exists that both stand for.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Exact(word), pattern) | (pattern, Self::Exact(word)) => pattern.matches(word),
            (Self::Prefix(left), Self::Prefix(right)) => {
                left.starts_with(right.as_str()) || right.starts_with(left.as_str())
            }
        }
    }
}

impl fmt::Display for WordPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(word) => f.write_str(word),
            Self::Prefix(start) => write!(f, "{start}*"),
        }
    }
}

impl Reaction {
    /// `report` or `deny`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Deny => "deny",
        }
    }
}
