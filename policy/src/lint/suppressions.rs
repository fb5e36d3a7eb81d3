//! `# a2a: allow(CODE)`: a comment that suppresses findings on its line, or on the next line where it stands alone.

use std::ops::Range;
use std::sync::Arc;

use countersign_keys::{Code, Edit, FixSafety, Level};

use super::report::{Remark, Report};
use super::source::{Comment, Source, Sources};
use super::{ALL_OTHERS, Family, PolicyLint, Subject, policy_lints, short_name};
use crate::PolicyPlace;
use crate::codes::lints as codes;

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

/// What makes a comment a suppression.
const MARK: &str = "a2a:";

pub(super) const UNUSED: PolicyLint = PolicyLint::new(codes::POLICY_UNUSED_SUPPRESSION, Level::Warning);

static LINTS: [PolicyLint; 1] = [UNUSED];

/// Every suppression of the files of a policy.
pub(super) struct Suppressions<'p> {
    comments: Vec<Suppression<'p>>,
    /// Codes that were not looked for, so that nothing is known about their suppressions.
    unasked: Vec<Code>,
}

struct Suppression<'p> {
    file: &'p Arc<str>,
    /// The line that it is for.
    line: usize,
    comment: Comment<'p>,
    names: Vec<Name<'p>>,
}

struct Name<'p> {
    text: &'p str,
    is_used: bool,
}

/// A name in `[lints]` that no lint has. Names with a dot are codes, also of lints of cards.
fn check(subject: &Subject<'_>, report: &mut Report) {
    for (name, level) in subject.policy.lint_levels() {
        let is_known =
            name == ALL_OTHERS || name.contains('.') || policy_lints().any(|lint| is_name(lint.code, name));
        if !is_known {
            let message = format!("`[lints]` names `{name}`, which is no lint of policies");
            report.add(&UNUSED, &level.place, Remark::new(message));
        }
    }
}

impl<'p> Suppressions<'p> {
    pub(super) fn new(sources: &Sources<'p>, unasked: Vec<Code>) -> Self {
        let comments = sources.files().flat_map(|source| {
            let comments: Vec<Comment<'_>> = source.comments().collect();
            let alone: Vec<usize> = comments
                .iter()
                .filter(|comment| comment.is_alone)
                .map(|comment| source.line_of(comment.range.start))
                .collect();
            comments.into_iter().filter_map(move |comment| Suppression::read(source, comment, &alone))
        });
        Self { comments: comments.collect(), unasked }
    }

    /// Whether a comment allows this code at this place; it counts as used then.
    pub(super) fn allow(&mut self, code: Code, place: &PolicyPlace) -> bool {
        let mut is_allowed = false;
        for suppression in &mut self.comments {
            if suppression.line == place.span.line && *suppression.file == place.file {
                for name in suppression.names.iter_mut().filter(|name| is_name(code, name.text)) {
                    name.is_used = true;
                    is_allowed = true;
                }
            }
        }
        is_allowed
    }

    /// What is said about each that allowed nothing.
    pub(super) fn unused(&self, sources: &Sources<'p>) -> Vec<(PolicyPlace, Remark)> {
        let of_source = |suppression: &Suppression<'p>| {
            let source = sources.files().find(|source| source.name == suppression.file)?;
            let is_unused = |name: &&Name<'p>| {
                !name.is_used && !self.unasked.iter().any(|code| is_name(*code, name.text))
            };
            let unused: Vec<&str> =
                suppression.names.iter().filter(is_unused).map(|name| name.text).collect();
            (!unused.is_empty()).then(|| suppression.remark(source, &unused))
        };
        self.comments.iter().filter_map(of_source).collect()
    }
}

impl<'p> Suppression<'p> {
    fn read(source: &Source<'p>, comment: Comment<'p>, alone: &[usize]) -> Option<Self> {
        let (names, _) = names(comment.text)?;
        let own = source.line_of(comment.range.start);
        // Of several comments one above the other each is for the line below them all.
        let mut line = own;
        while comment.is_alone && (line == own || alone.binary_search(&line).is_ok()) {
            line = line.saturating_add(1);
        }
        let names = names.into_iter().map(|text| Name { text, is_used: false }).collect();
        Some(Self { file: source.name, line, comment, names })
    }

    fn remark(&self, source: &Source<'_>, unused: &[&str]) -> (PolicyPlace, Remark) {
        let known = |name: &&str| policy_lints().any(|lint| is_name(lint.code, name));
        let message = match unused.iter().find(|name| !known(name)) {
            Some(name) => format!("no lint of policies has the name `{name}`"),
            None => format!("nothing on line {} needs `allow({})`", self.line, unused.join(", ")),
        };
        let kept: Vec<&str> =
            self.names.iter().map(|name| name.text).filter(|name| !unused.contains(name)).collect();
        let edit = if kept.is_empty() { self.deletion(source) } else { self.shortening(&kept) };
        (source.place(&self.comment.range), Remark::new(message).fix(FixSafety::Safe, vec![edit]))
    }

    /// Deletes the comment, with its line where nothing else is on it.
    fn deletion(&self, source: &Source<'_>) -> Edit {
        let Range { start, end } = self.comment.range.clone();
        let before = source.text.get(..start).unwrap_or_default();
        let range = if self.comment.is_alone {
            let line = before.rfind('\n').map_or(0, |end| end.saturating_add(1));
            let after = source.text.get(end..).unwrap_or_default();
            line..end.saturating_add(after.find('\n').map_or(after.len(), |end| end.saturating_add(1)))
        } else {
            before.trim_end_matches([' ', '\t']).len()..end
        };
        Edit { range, text: String::new() }
    }

    /// Leaves only these names.
    fn shortening(&self, kept: &[&str]) -> Edit {
        let within = names(self.comment.text).map(|(_, range)| range).unwrap_or_default();
        let start = self.comment.range.start;
        let range = start.saturating_add(within.start)..start.saturating_add(within.end);
        Edit { range, text: kept.join(", ") }
    }
}

/// The names in `# a2a: allow(NAME, NAME)`, and where in the comment they stand.
fn names(comment: &str) -> Option<(Vec<&str>, Range<usize>)> {
    let rest = comment.trim_start_matches('#').trim_start().strip_prefix(MARK)?.trim_start();
    let rest = rest.strip_prefix("allow")?.trim_start().strip_prefix('(')?;
    let (inside, _) = rest.split_once(')')?;
    let start = comment.len().saturating_sub(rest.len());
    let names: Vec<&str> = inside.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    (!names.is_empty()).then_some((names, start..start.saturating_add(inside.len())))
}

fn is_name(code: Code, name: &str) -> bool {
    code.name() == name || short_name(code) == name
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_suppression_names_codes_in_parentheses() {
        assert_eq!(names("# a2a: allow(unused-key)"), Some((vec!["unused-key"], 13..23)));
        assert_eq!(
            names("#a2a: allow( unused-key, policy.host-any ) why"),
            Some((vec!["unused-key", "policy.host-any"], 12..41))
        );
        for comment in ["# a2a: allow()", "# a2a: deny(unused-key)", "# allow(unused-key)", "# a2a: allow(x"]
        {
            assert_eq!(names(comment), None, "{comment}");
        }
    }
}
