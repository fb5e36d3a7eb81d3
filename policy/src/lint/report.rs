//! Collects what the lints find: once for each place, with levels and suppressions.

use std::collections::HashSet;
use std::sync::Arc;

use countersign_keys::{Edit, Finding, Fix, FixSafety, Level};

use super::source::Sources;
use super::suppressions::Suppressions;
use super::{LintLevels, LintSetting, PolicyFinding, PolicyLint};
use crate::{PolicyFile, PolicyPlace};

/// What was found so far.
#[derive(Default)]
pub(super) struct Report {
    noted: Vec<Noted>,
    /// A default is looked at with every rule that has it, and told once.
    told: HashSet<(&'static str, Arc<str>, usize, String)>,
}

struct Noted {
    lint: PolicyLint,
    place: PolicyPlace,
    remark: Remark,
}

/// What is said about a place.
pub(super) struct Remark {
    message: String,
    help: Option<String>,
    fix: Option<Fix>,
    level: Option<Level>,
}

impl Remark {
    /// One sentence, lower case, text of the policy in backticks.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, fix: None, level: None }
    }

    /// What to write instead, where that is more than the page of the code says.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// A change of the file that is pointed at.
    pub(super) fn fix(mut self, safety: FixSafety, edits: Vec<Edit>) -> Self {
        self.fix = Some(Fix::new(safety, edits));
        self
    }

    /// Another level than the lint's, for this case of it. What the caller or the policy sets comes before.
    pub(super) fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }
}

impl Report {
    pub(super) fn add(&mut self, lint: &PolicyLint, place: &PolicyPlace, remark: Remark) {
        let key = (lint.code.name(), Arc::clone(&place.file), place.span.start, remark.message.clone());
        if self.told.insert(key) {
            self.noted.push(Noted { lint: *lint, place: place.clone(), remark });
        }
    }

    /// Leaves out what comments of the files allow, then says of the comments that allowed nothing.
    pub(super) fn suppress(&mut self, sources: &Sources<'_>, suppressions: &mut Suppressions<'_>) {
        self.noted.retain(|noted| !suppressions.allow(noted.lint.code, &noted.place));
        for (place, remark) in suppressions.unused(sources) {
            self.add(&super::suppressions::UNUSED, &place, remark);
        }
    }

    /// By file, in the order of the text.
    pub(super) fn into_findings(self, files: &[PolicyFile], levels: &LintLevels) -> Vec<PolicyFinding> {
        let mut findings: Vec<PolicyFinding> =
            self.noted.into_iter().filter_map(|noted| noted.into_finding(levels)).collect();
        let order = |finding: &PolicyFinding| files.iter().position(|file| file.name == finding.file);
        findings.sort_by_cached_key(|finding| {
            (order(finding), finding.finding.span.map(|span| span.start), finding.finding.code.name())
        });
        findings
    }
}

impl Noted {
    fn into_finding(self, levels: &LintLevels) -> Option<PolicyFinding> {
        let Self { lint, place, remark } = self;
        let level = match levels.of(lint.code) {
            Some(LintSetting::Off) => return None,
            Some(LintSetting::At(level)) => level,
            None => remark.level.unwrap_or(lint.level),
        };
        let mut finding = Finding::new(lint.code, level, remark.message).spanning(place.span);
        finding.help = remark.help;
        finding.fix = remark.fix;
        Some(PolicyFinding { file: place.file, finding })
    }
}
