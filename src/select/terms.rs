//! How a client chooses.

use countersign_policy::{Accepted, ProtocolVersion};

/// Which generation a client wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "one generation, the other, or both")]
pub enum ProtocolChoice {
    /// 1.x first; 0.3 only as a fallback, or if the client accepts nothing else.
    #[default]
    Auto,
    /// 1.x only, whatever the fallback says.
    V1,
    /// 0.3 only.
    V0_3,
}

/// Which of several interfaces that fit comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the publisher's order, the version, or the client's order")]
pub enum Preference {
    /// The first in the card: the order is the publisher's preference.
    #[default]
    Card,
    /// The one with the highest version.
    Newest,
    /// The one that the client accepts first.
    Client,
}

/// Whether 0.3 may be spoken to a card that was asked for 1.x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "allowed or not")]
pub enum Fallback {
    /// It may not.
    #[default]
    Deny,
    /// If the card offers no 1.x interface that fits, or after a VersionNotSupportedError.
    Allow,
}

/// How a client chooses.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SelectTerms {
    /// What the client speaks, best first. Nothing fits an empty list.
    pub accept: Vec<Accepted>,
    /// Which generation it wants.
    pub protocol: ProtocolChoice,
    /// Which of several comes first.
    pub prefer: Preference,
    /// Whether 0.3 is a fallback.
    pub fallback: Fallback,
    /// Protocol version of cards and interfaces that name none. Without it they do not fit.
    pub assumed: Option<ProtocolVersion>,
}

impl SelectTerms {
    /// The default choice for a client that speaks these.
    #[must_use]
    pub fn accepting(accept: impl IntoIterator<Item = Accepted>) -> Self {
        Self { accept: accept.into_iter().collect(), ..Self::default() }
    }
}
