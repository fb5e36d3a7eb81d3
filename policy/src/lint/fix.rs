//! Makes the fixes that change no answer of a policy.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign_keys::{Edit, FixSafety};

use super::{PolicyFinding, PolicyLintTerms};
use crate::{FileFault, Files, PolicyFile, Tool, TrustPolicy};

/// Most rounds: a fix may make another possible.
const MAX_ROUNDS: usize = 8;

/// A policy after its safe fixes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FixedPolicy {
    /// The policy; it has the digest that it had.
    pub policy: TrustPolicy,
    /// The files whose text is another, with the new text.
    pub changed: Vec<PolicyFile>,
    /// What was fixed, in the order in which it was. Spans count octets of the text as it was then.
    pub fixed: Vec<PolicyFinding>,
}

/// The files of a policy, some of them with another text.
struct Overlay<'f> {
    files: &'f dyn Files,
    texts: &'f BTreeMap<Arc<str>, String>,
}

impl Files for Overlay<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileFault> {
        match self.texts.get(path) {
            Some(text) => Ok(text.clone().into_bytes()),
            None => self.files.read(path),
        }
    }
}

impl TrustPolicy {
    /// Makes every fix of a finding that is [`FixSafety::Safe`]; nothing is written.
    ///
    /// `files` and `tool` are those that the policy was loaded with. A fix after which the policy could not be loaded, or
    /// would have another digest, is left out.
    #[must_use]
    pub fn fix(&self, terms: &PolicyLintTerms<'_>, files: &dyn Files, tool: &Tool) -> FixedPolicy {
        let mut texts = BTreeMap::new();
        let mut fixed = FixedPolicy { policy: self.clone(), changed: Vec::new(), fixed: Vec::new() };
        for _ in 0..MAX_ROUNDS {
            let findings = safe(fixed.policy.lint(terms).findings);
            let before = fixed.fixed.len();
            fixed.make(findings, &mut texts, files, tool);
            if fixed.fixed.len() == before {
                break;
            }
        }
        let text_of = |file: &PolicyFile| {
            let text = texts.get(&file.name)?;
            Some(PolicyFile { name: Arc::clone(&file.name), text: text.as_str().into() })
        };
        fixed.changed = self.files().iter().filter_map(text_of).collect();
        fixed
    }
}

impl FixedPolicy {
    /// Makes the fixes together, or, where that fails, those that can be made one after the other.
    fn make(
        &mut self,
        findings: Vec<PolicyFinding>,
        texts: &mut BTreeMap<Arc<str>, String>,
        files: &dyn Files,
        tool: &Tool,
    ) {
        if let Some((policy, next)) = self.after(&findings, texts, files, tool) {
            (self.policy, *texts) = (policy, next);
            self.fixed.extend(findings);
            return;
        }
        // The last first, so that the places of the others stay what they are.
        for finding in findings.into_iter().rev() {
            let one = [finding];
            if let Some((policy, next)) = self.after(&one, texts, files, tool) {
                (self.policy, *texts) = (policy, next);
                self.fixed.extend(one);
            }
        }
    }

    /// The policy with these fixes and the texts of its files, if it means the same.
    fn after(
        &self,
        findings: &[PolicyFinding],
        texts: &BTreeMap<Arc<str>, String>,
        files: &dyn Files,
        tool: &Tool,
    ) -> Option<(TrustPolicy, BTreeMap<Arc<str>, String>)> {
        let mut next = texts.clone();
        for file in self.policy.files() {
            let edits = findings.iter().filter(|finding| finding.file == file.name).flat_map(edits);
            let mut edits: Vec<&Edit> = edits.collect();
            if !edits.is_empty() {
                edits.sort_by_key(|edit| edit.range.start);
                next.insert(Arc::clone(&file.name), spliced(&file.text, &edits)?);
            }
        }
        let path = &self.policy.files().first()?.name;
        let policy = TrustPolicy::load(path, &Overlay { files, texts: &next }, tool).ok()?;
        (policy.digest() == self.policy.digest()).then_some((policy, next))
    }
}

/// Findings with safe fixes; of two that overlap the first.
fn safe(findings: Vec<PolicyFinding>) -> Vec<PolicyFinding> {
    let is_safe = |finding: &PolicyFinding| {
        finding.finding.fix.as_ref().is_some_and(|fix| fix.safety == FixSafety::Safe)
    };
    let mut chosen: Vec<PolicyFinding> = Vec::new();
    let mut end: Option<(Arc<str>, usize)> = None;
    for finding in findings.into_iter().filter(is_safe) {
        let first = edits(&finding).map(|edit| edit.range.start).min().unwrap_or(0);
        let is_apart = end.as_ref().is_none_or(|(file, end)| *file != finding.file || *end <= first);
        if is_apart {
            let last = edits(&finding).map(|edit| edit.range.end).max().unwrap_or(0);
            end = Some((Arc::clone(&finding.file), last));
            chosen.push(finding);
        }
    }
    chosen
}

fn edits(finding: &PolicyFinding) -> impl Iterator<Item = &Edit> {
    finding.finding.fix.iter().flat_map(|fix| &fix.edits)
}

/// The text with edits that are in its order; [`None`] where two overlap.
fn spliced(text: &str, edits: &[&Edit]) -> Option<String> {
    let mut next = String::with_capacity(text.len());
    let mut from = 0;
    for edit in edits {
        next.push_str(text.get(from..edit.range.start)?);
        next.push_str(&edit.text);
        from = edit.range.end;
    }
    next.push_str(text.get(from..)?);
    Some(next)
}
