//! A card of A2A 0.3 written as one of A2A 1.0: nothing is lost without being named.

mod interfaces;
mod members;
mod requirements;
mod schemes;
mod tree;

use countersign_keys::json::Value;
use countersign_keys::{Code, Finding, Level};
use countersign_policy::ProtocolVersion;

use super::reread;
use crate::card::{CardError, Shape, UntrustedCard, has_envelope};
use crate::codes;
use crate::signature::ClaimedSignature;

/// What an old card becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "with or without the members that 0.3 clients read")]
pub enum UpgradeTo {
    /// A card of A2A 1.0 alone.
    V1_0,
    /// A card that offers 1.0 and 0.3: also with the members that clients of A2A 0.3 read.
    Dual,
}

/// A card of A2A 1.0 that was made of an older one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UpgradedCard {
    /// The new card, indented by two spaces, without signatures.
    pub octets: Vec<u8>,
    /// What the old card says and the new one does not, `card.upgrade-loss`, by JSON Pointer into the old card. At level
    /// error it is about an interface or about authentication. At most 64.
    pub losses: Vec<Finding>,
    /// What the new card says and the old one does not, `card.upgrade-choice`. At most 64.
    pub choices: Vec<Finding>,
    /// The signatures of the old card, none of which is over the new one.
    pub removed: Vec<ClaimedSignature>,
}

/// Why a card cannot be upgraded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpgradeError {
    /// It is of another generation, or no card.
    #[error("the card is `{}`, expected a card of A2A 0.3 or older", .found.name())]
    OtherShape {
        /// What it claims to be.
        found: Shape,
    },
    /// It has a `supportedInterfaces` that is not empty, in which only 0.3 is offered.
    #[error("the card has `supportedInterfaces` already, with no interface of 1.0 in it")]
    HasInterfaces,
    /// It is older than 0.3, so that it cannot offer 0.3 as well.
    #[error("the card is of a version before 0.3, and a dual card offers 0.3")]
    TooOldForDual,
    /// It has no interface with a URL and a transport.
    #[error("the card has no interface that can be carried over")]
    NoInterface,
    /// The new card cannot be read: a member of the old one collides with one of A2A 1.0, or is nested too deeply.
    #[error("a member of the card has no place in a card of A2A 1.0")]
    NoPlace {
        /// What the reader says about the new card.
        source: CardError,
    },
}

impl UpgradeError {
    /// The public code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::OtherShape { found: Shape::Foreign } => codes::CARD_NOT_AN_AGENT_CARD,
            Self::OtherShape { found: Shape::Unversioned } => codes::shapes::CARD_UNVERSIONED,
            Self::OtherShape { .. }
            | Self::HasInterfaces
            | Self::TooOldForDual
            | Self::NoInterface
            | Self::NoPlace { .. } => codes::upgrade::CARD_UPGRADE_REFUSED,
        }
    }
}

impl UntrustedCard {
    /// A card of A2A 1.0 that says what this card of A2A 0.3 says. `assumed` is the version of a card that names none.
    ///
    /// Interfaces become `supportedInterfaces`, in their order and each once; tagged security schemes become members of
    /// their own, with one flow each; `security` becomes `securityRequirements`, of the card and of its skills;
    /// `supportsAuthenticatedExtendedCard` becomes `capabilities.extendedAgentCard`. Members outside the schema stay.
    /// Nothing is checked that a card does not show: whether the server speaks 1.0, its operator knows.
    ///
    /// # Errors
    ///
    /// [`UpgradeError`] for a card of another generation, for one without a usable interface, and when the new card could
    /// not be read.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{Limits, Shape, UntrustedCard, UpgradeTo};
    ///
    /// let old = r#"{"protocolVersion": "0.3.0", "url": "https://a.example/a2a", "capabilities": {}, "skills": []}"#;
    /// let limits = Limits::default();
    /// let upgraded = UntrustedCard::read(old, &limits)?.upgrade(UpgradeTo::V1_0, None)?;
    /// assert!(upgraded.losses.is_empty());
    /// assert_eq!(UntrustedCard::read(upgraded.octets, &limits)?.shape(None), Shape::V1_0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn upgrade(
        &self,
        to: UpgradeTo,
        assumed: Option<ProtocolVersion>,
    ) -> Result<UpgradedCard, UpgradeError> {
        let shape = self.shape(assumed);
        if !matches!(shape, Shape::V0_3 | Shape::PreV0_3) {
            return Err(UpgradeError::OtherShape { found: shape });
        }
        if has_envelope(self.root()) {
            return Err(UpgradeError::HasInterfaces);
        }
        if shape == Shape::PreV0_3 && to == UpgradeTo::Dual {
            return Err(UpgradeError::TooOldForDual);
        }
        let mut remarks = Remarks::default();
        let card = members::card(self, to, &mut remarks)?;
        let octets = tree::written(&card);
        reread(octets.as_str()).map_err(|source| UpgradeError::NoPlace { source })?;
        Ok(UpgradedCard {
            octets: octets.into_bytes(),
            losses: remarks.losses.findings,
            choices: remarks.choices.findings,
            removed: self.claimed_signatures(),
        })
    }
}

/// What is to be said about an upgrade.
#[derive(Default)]
struct Remarks {
    losses: Remarked,
    choices: Remarked,
}

#[derive(Default)]
struct Remarked {
    findings: Vec<Finding>,
    untold: usize,
}

/// Most losses, and most choices: each costs a walk to its place.
const MAX_REMARKS: usize = 64;

impl Remarks {
    /// Something that a reader can do without.
    fn loss(&mut self, value: Value<'_>, message: impl Into<String>) {
        self.losses.add(codes::upgrade::CARD_UPGRADE_LOSS, Level::Warning, value, message);
    }

    /// Something about an interface or about authentication.
    fn grave_loss(&mut self, value: Value<'_>, message: impl Into<String>) {
        self.losses.add(codes::upgrade::CARD_UPGRADE_LOSS, Level::Error, value, message);
    }

    fn choice(&mut self, value: Value<'_>, message: impl Into<String>) {
        self.choices.add(codes::upgrade::CARD_UPGRADE_CHOICE, Level::Warning, value, message);
    }
}

impl Remarked {
    fn add(&mut self, code: Code, level: Level, value: Value<'_>, message: impl Into<String>) {
        if self.findings.len() < MAX_REMARKS {
            let finding = Finding::new(code, level, message).at(value.pointer());
            self.findings.push(finding);
            return;
        }
        self.untold += 1;
        if let Some(last) = self.findings.last_mut() {
            last.level = last.level.max(level);
            let told = last.message.split("; and ").next().unwrap_or_default();
            last.message = format!("{told}; and {} more", self.untold);
        }
    }
}

#[cfg(test)]
mod tests;
