//! How serious a finding is: the profile, and what the caller says about single codes.

use std::collections::BTreeMap;

use countersign_keys::{Code, Level};

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

/// What the caller says about a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "off, or one of the three levels")]
pub enum LintSetting {
    /// Not reported.
    Off,
    /// Reported at this level.
    At(Level),
}

/// Levels that the caller sets, by code; the setting of a code comes before the setting of all.
#[derive(Clone, Debug, Default)]
pub struct LintLevels {
    all: Option<LintSetting>,
    by_code: BTreeMap<String, LintSetting>,
}

impl LintLevels {
    /// Sets one code. A name that no lint has does nothing; check it with [`crate::codes::find`].
    pub fn set(&mut self, code: impl Into<String>, setting: LintSetting) {
        self.by_code.insert(code.into(), setting);
    }

    /// Sets all codes that are not set one by one.
    pub fn set_all(&mut self, setting: LintSetting) {
        self.all = Some(setting);
    }

    /// The setting that holds for a code, where the caller made one.
    #[must_use]
    pub fn of(&self, code: Code) -> Option<LintSetting> {
        self.by_code.get(code.name()).copied().or(self.all)
    }
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
