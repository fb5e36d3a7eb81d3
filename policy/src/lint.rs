//! Policy lints: what is wrong or unwise in a policy that can be loaded, with the place and what to write instead.
//!
//! Each family of lints is one file with its table of lints and one function that looks at a policy; `FAMILIES` is the
//! registry. What cannot be loaded has faults instead, and no findings.

mod context;
mod coverage;
mod demands;
mod exceptions;
mod fix;
mod grace;
mod groups;
mod hosts;
mod index;
mod interfaces;
mod keys;
mod levels;
mod report;
mod rules;
mod scripts;
mod source;
mod suppressions;

use std::sync::Arc;

use countersign_keys::{Code, Finding, Level};

use crate::{PolicyCoverage, TrustPolicy, UnixTime};
pub use fix::FixedPolicy;
use index::Indexes;
pub use levels::{LintLevels, LintSetting};
use report::Report;
use source::Sources;
use suppressions::Suppressions;

/// What the codes of policies begin with; `[lints]` and suppressions leave it out.
const AREA: &str = "policy.";

/// Every lint that `[lints]` does not name.
const ALL_OTHERS: &str = "*";

/// One thing that is looked for in a policy.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PolicyLint {
    /// Its code; the page of the code is its documentation.
    pub code: Code,
    /// Its level when nobody sets another. Single cases of a lint may have another one.
    pub level: Level,
}

/// How a policy is linted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyLintTerms<'c> {
    /// The time that counts as now.
    pub now: UnixTime,
    /// Levels that come before those of `[lints]`. Default: none.
    pub levels: LintLevels,
    /// What test cases reach. Default: [`None`]; the lints about it say nothing then.
    pub coverage: Option<&'c PolicyCoverage>,
}

/// A finding about a policy, in one of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyFinding {
    /// Name of the file, as in [`TrustPolicy::files`].
    pub file: Arc<str>,
    /// The finding; its span and the edits of its fix count octets of this file.
    pub finding: Finding,
}

/// What was found in a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyLintReport {
    /// By file in the order of [`TrustPolicy::files`], then in the order of the text.
    pub findings: Vec<PolicyFinding>,
}

/// Lints that look at the same members.
struct Family {
    lints: &'static [PolicyLint],
    check: fn(&Subject<'_>, &mut Report),
}

static FAMILIES: &[Family] = &[
    rules::FAMILY,
    hosts::FAMILY,
    keys::FAMILY,
    groups::FAMILY,
    grace::FAMILY,
    interfaces::FAMILY,
    exceptions::FAMILY,
    coverage::FAMILY,
    suppressions::FAMILY,
];

/// What the families look at.
struct Subject<'p> {
    policy: &'p TrustPolicy,
    now: UnixTime,
    coverage: Option<&'p PolicyCoverage>,
    sources: Sources<'p>,
    indexes: Indexes<'p>,
}

const DAY_SECONDS: i64 = 86_400;

/// Days before an end in which it is told.
const SOON_DAYS: i64 = 14;

/// Days from now that an exception, or something weaker than the default, may last without being told.
const LONG_DAYS: i64 = 180;

impl Subject<'_> {
    /// The time so many days from now.
    fn in_days(&self, days: i64) -> UnixTime {
        self.now.saturating_add_seconds(days.saturating_mul(DAY_SECONDS))
    }
}

/// Every policy lint, by family.
pub fn policy_lints() -> impl Iterator<Item = &'static PolicyLint> {
    FAMILIES.iter().flat_map(|family| family.lints)
}

impl PolicyLint {
    const fn new(code: Code, level: Level) -> Self {
        Self { code, level }
    }
}

impl PolicyLintTerms<'_> {
    /// The levels of the policy and no test cases.
    #[must_use]
    pub fn at(now: UnixTime) -> Self {
        Self { now, levels: LintLevels::default(), coverage: None }
    }
}

impl TrustPolicy {
    /// Every finding about the policy.
    ///
    /// A finding is left out where a comment on its line, or alone on the line above, says `# a2a: allow(CODE)`, and where
    /// the levels say so. Nothing is fetched; what a key set at a URL holds is not looked at.
    #[must_use]
    pub fn lint(&self, terms: &PolicyLintTerms<'_>) -> PolicyLintReport {
        let subject = Subject {
            policy: self,
            now: terms.now,
            coverage: terms.coverage,
            sources: Sources::new(self.files()),
            indexes: Indexes::of(self),
        };
        let mut report = Report::default();
        for family in FAMILIES {
            (family.check)(&subject, &mut report);
        }
        let unasked = match terms.coverage {
            Some(_) => Vec::new(),
            None => coverage::NEED_COVERAGE.to_vec(),
        };
        report.suppress(&subject.sources, &mut Suppressions::new(&subject.sources, unasked));
        let levels = terms.levels.over(&self.levels());
        PolicyLintReport { findings: report.into_findings(self.files(), &levels) }
    }

    /// `[lints]` as levels by code: `unused-key` is the code `policy.unused-key`, and a name with a dot is a code itself.
    #[must_use]
    pub fn levels(&self) -> LintLevels {
        let mut levels = LintLevels::default();
        for (name, level) in self.lint_levels() {
            let setting = level.value.into();
            if name == ALL_OTHERS {
                levels.set_all(setting);
            } else if name.contains('.') {
                levels.set(name, setting);
            } else {
                levels.set(format!("{AREA}{name}"), setting);
            }
        }
        levels
    }
}

impl From<crate::LintLevel> for LintSetting {
    fn from(level: crate::LintLevel) -> Self {
        match level {
            crate::LintLevel::Allow => Self::Off,
            crate::LintLevel::Warn => Self::At(Level::Warning),
            crate::LintLevel::Error => Self::At(Level::Error),
        }
    }
}

/// The name of a code in `[lints]` and in suppressions.
fn short_name(code: Code) -> &'static str {
    code.name().strip_prefix(AREA).unwrap_or(code.name())
}
