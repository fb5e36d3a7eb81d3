//! How serious a finding is: the profile, and what the caller says about single codes.

use countersign_keys::Level;
pub use countersign_policy::{LintLevels, LintSetting};

use super::Lint;

/// Whose card is linted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two sides of a card")]
pub enum Profile {
    /// One's own, before it is published: strict.
    Publish,
    /// Another's: only what affects a decision.
    #[default]
    Consume,
}

impl Lint {
    /// The level in a profile; none when it is off there.
    #[must_use]
    pub const fn level(&self, profile: Profile) -> Option<Level> {
        match profile {
            Profile::Publish => self.publish,
            Profile::Consume => self.consume,
        }
    }
}
