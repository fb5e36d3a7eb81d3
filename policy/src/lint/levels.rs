//! What a caller, or a policy, says about the levels of findings.

use std::collections::BTreeMap;

use countersign_keys::{Code, Level};

/// What is said about a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "off, or one of the three levels")]
pub enum LintSetting {
    /// Not reported.
    Off,
    /// Reported at this level.
    At(Level),
}

/// Levels that are set, by code; the setting of a code comes before the setting of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LintLevels {
    all: Option<LintSetting>,
    by_code: BTreeMap<String, LintSetting>,
}

impl LintLevels {
    /// Sets one code. A name that no lint has does nothing.
    pub fn set(&mut self, code: impl Into<String>, setting: LintSetting) {
        self.by_code.insert(code.into(), setting);
    }

    /// Sets all codes that are not set one by one.
    pub fn set_all(&mut self, setting: LintSetting) {
        self.all = Some(setting);
    }

    /// The setting that holds for a code, where there is one.
    #[must_use]
    pub fn of(&self, code: Code) -> Option<LintSetting> {
        self.by_code.get(code.name()).copied().or(self.all)
    }

    /// These levels, and where they set nothing those of `base`. A setting of all here leaves nothing to `base`.
    #[must_use]
    pub fn over(&self, base: &Self) -> Self {
        if self.all.is_some() {
            return self.clone();
        }
        let mut levels = base.clone();
        levels.by_code.extend(self.by_code.iter().map(|(code, setting)| (code.clone(), *setting)));
        levels
    }
}

#[cfg(test)]
mod tests {
    use super::{LintLevels, LintSetting};
    use crate::codes::{POLICY_HOST_ANY, POLICY_NETWORK_SYNTAX};
    use countersign_keys::Level;

    const ERROR: LintSetting = LintSetting::At(Level::Error);

    #[test]
    fn a_code_comes_before_all() {
        let mut levels = LintLevels::default();
        assert_eq!(levels.of(POLICY_HOST_ANY), None);
        levels.set_all(LintSetting::Off);
        levels.set(POLICY_HOST_ANY.name(), ERROR);
        assert_eq!(levels.of(POLICY_HOST_ANY), Some(ERROR));
        assert_eq!(levels.of(POLICY_NETWORK_SYNTAX), Some(LintSetting::Off));
    }

    #[test]
    fn the_upper_levels_come_before_the_lower() {
        let (mut upper, mut lower) = (LintLevels::default(), LintLevels::default());
        lower.set_all(ERROR);
        lower.set(POLICY_HOST_ANY.name(), ERROR);
        upper.set(POLICY_HOST_ANY.name(), LintSetting::Off);
        let both = upper.over(&lower);
        assert_eq!(both.of(POLICY_HOST_ANY), Some(LintSetting::Off));
        assert_eq!(both.of(POLICY_NETWORK_SYNTAX), Some(ERROR));
        upper.set_all(LintSetting::Off);
        assert_eq!(upper.over(&lower).of(POLICY_NETWORK_SYNTAX), Some(LintSetting::Off));
    }
}
