//! Collects findings: levels, places, and how many of a kind are told.

use countersign_keys::json::{Kind, Value};
use countersign_keys::{Finding, Fix, Level, Span};

use super::{Lint, LintSetting, LintTerms};

/// Most findings of one code; a hostile card could ask for as many as it has octets.
pub(super) const MAX_OF_A_KIND: usize = 32;

/// Most characters of a text that a message shows.
const MAX_SHOWN: usize = 64;

/// The findings about one card so far.
pub(super) struct Report<'t> {
    terms: &'t LintTerms<'t>,
    findings: Vec<Finding>,
    /// For each code that was found: how often, and the place of the last finding that is told.
    kinds: Vec<KindCount>,
}

struct KindCount {
    code: &'static str,
    found: usize,
    last: usize,
}

/// What a finding points at.
#[derive(Clone, Copy)]
pub(super) enum Place<'c> {
    /// A value; of an object or array its first octet.
    At(Value<'c>),
    /// The name of a member of this object.
    Name(Value<'c>, &'c str),
    /// A member that this object lacks.
    Missing(Value<'c>, &'c str),
}

/// What is said about a place.
pub(super) struct Remark {
    message: String,
    help: Option<String>,
    fix: Option<Fix>,
    level: Option<Level>,
}

impl Remark {
    /// One sentence, lower case, text of the card in backticks.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, fix: None, level: None }
    }

    /// The sentence.
    pub(super) fn into_message(self) -> String {
        self.message
    }

    /// What to write instead, where that is more than the page of the code says.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// A change of the card that removes what was found.
    pub(super) fn fix(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }

    /// Another level than the lint's, for this case of it. What the caller sets comes before.
    pub(super) fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }
}

impl<'t> Report<'t> {
    pub(super) fn new(terms: &'t LintTerms<'t>) -> Self {
        Self { terms, findings: Vec::new(), kinds: Vec::new() }
    }

    /// Whether a lint can be reported at all; a check that costs much asks first.
    pub(super) fn wants(&self, lint: &Lint) -> bool {
        self.level(lint, None).is_some()
    }

    /// Reports `lint` at `place`, unless it is off.
    pub(super) fn add(&mut self, lint: &Lint, place: Place<'_>, remark: Remark) {
        self.add_with(lint, place, || remark);
    }

    /// The same; the remark is made only when it is told.
    pub(super) fn add_with(&mut self, lint: &Lint, place: Place<'_>, remark: impl FnOnce() -> Remark) {
        if !self.wants(lint) || !self.counts(lint) {
            return;
        }
        let remark = remark();
        let Some(level) = self.level(lint, remark.level) else { return };
        let mut finding =
            Finding::new(lint.code, level, remark.message).at(place.pointer()).spanning(place.span());
        finding.help = remark.help;
        finding.fix = remark.fix;
        self.findings.push(finding);
    }

    /// Reports what another stage found, at that stage's level unless the caller set one.
    pub(super) fn adopt(&mut self, lint: &Lint, mut finding: Finding) {
        let Some(level) = self.level(lint, Some(finding.level)) else { return };
        if self.counts(lint) {
            finding.level = level;
            self.findings.push(finding);
        }
    }

    /// In the order of the text.
    pub(super) fn into_findings(mut self) -> Vec<Finding> {
        for kind in &self.kinds {
            let untold = kind.found.saturating_sub(MAX_OF_A_KIND);
            if let Some(last) = self.findings.get_mut(kind.last).filter(|_| untold > 0) {
                last.message.push_str(&format!("; {untold} more of this kind"));
            }
        }
        self.findings.sort_by_key(|finding| finding.span.map_or(0, |span| span.start));
        self.findings
    }

    /// What the caller says, else `special`, else what the profile says. A lint that the profile leaves out stays out.
    fn level(&self, lint: &Lint, special: Option<Level>) -> Option<Level> {
        match self.terms.levels.of(lint.code) {
            Some(LintSetting::Off) => None,
            Some(LintSetting::At(level)) => Some(level),
            None => lint.level(self.terms.profile).map(|level| special.unwrap_or(level)),
        }
    }

    /// Counts one more of this kind; whether it is told.
    fn counts(&mut self, lint: &Lint) -> bool {
        let (code, next) = (lint.code.name(), self.findings.len());
        match self.kinds.iter_mut().find(|kind| kind.code == code) {
            None => self.kinds.push(KindCount { code, found: 1, last: next }),
            Some(kind) => {
                kind.found += 1;
                if kind.found > MAX_OF_A_KIND {
                    return false;
                }
                kind.last = next;
            }
        }
        true
    }
}

impl Place<'_> {
    fn pointer(self) -> String {
        match self {
            Self::At(value) => value.pointer(),
            Self::Name(object, name) | Self::Missing(object, name) => object.pointer_to_member(name),
        }
    }

    fn span(self) -> Span {
        match self {
            Self::At(value) => opening(value),
            Self::Name(object, name) => object.name_span(name).unwrap_or_else(|| opening(object)),
            Self::Missing(object, _) => opening(object),
        }
    }
}

/// Text of the card for a message: in backticks, shortened.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN).and_then(|(end, _)| text.get(..end)) {
        Some(shown) => format!("`{shown}…`"),
        None => format!("`{text}`"),
    }
}

/// The place of a value; a container is pointed at by its bracket, since a reader looks for one line.
fn opening(value: Value<'_>) -> Span {
    let mut span = value.span();
    if matches!(value.kind(), Kind::Object | Kind::Array) {
        span.end = span.start + 1;
    }
    span
}

#[cfg(test)]
mod tests {
    use countersign_keys::Level;

    use super::{MAX_OF_A_KIND, Place, Remark, Report};
    use crate::lint::{Lint, LintSetting, LintTerms, Profile};
    use crate::{Limits, UntrustedCard, codes};

    static LINT: Lint = Lint::new(codes::CARD_REQUIRED_MISSING, Some(Level::Error), None);

    fn card() -> UntrustedCard {
        UntrustedCard::read("{\n  \"a/b\": {}, \"c\": 1\n}", &Limits::default()).unwrap()
    }

    #[test]
    fn the_caller_comes_before_the_case_and_the_case_before_the_profile() {
        let levels = |terms: &LintTerms<'_>| {
            let card = card();
            let mut report = Report::new(terms);
            report.add(&LINT, Place::At(card.root()), Remark::new("plain"));
            report.add(&LINT, Place::At(card.root()), Remark::new("special").level(Level::Info));
            report.into_findings().iter().map(|finding| finding.level).collect::<Vec<_>>()
        };
        let mut terms = LintTerms::default();
        assert_eq!(levels(&terms), []);
        terms.profile = Profile::Publish;
        assert_eq!(levels(&terms), [Level::Error, Level::Info]);
        terms.levels.set_all(LintSetting::Off);
        assert_eq!(levels(&terms), []);
        terms.levels.set("card.required-missing", LintSetting::At(Level::Warning));
        terms.profile = Profile::Consume;
        assert_eq!(levels(&terms), [Level::Warning, Level::Warning]);
    }

    #[test]
    fn a_place_has_a_pointer_and_one_line() {
        let card = card();
        let (root, inner) = (card.root(), card.root().member("a/b").unwrap());
        let terms = LintTerms { profile: Profile::Publish, ..LintTerms::default() };
        let mut report = Report::new(&terms);
        for place in [Place::At(inner), Place::Name(root, "c"), Place::Missing(inner, "d")] {
            report.add(&LINT, place, Remark::new("here"));
        }
        let found: Vec<_> = report
            .into_findings()
            .iter()
            .map(|finding| {
                let span = finding.span.unwrap();
                (finding.pointer.clone().unwrap(), span.line, span.column, span.end - span.start)
            })
            .collect();
        let at = |pointer: &str, line, column, octets| (pointer.to_owned(), line, column, octets);
        assert_eq!(found, [at("/a~1b", 2, 10, 1), at("/a~1b/d", 2, 10, 1), at("/c", 2, 14, 3)]);
    }

    #[test]
    fn findings_of_a_kind_are_limited_and_the_rest_is_counted() {
        let (card, terms) = (card(), LintTerms { profile: Profile::Publish, ..LintTerms::default() });
        let mut report = Report::new(&terms);
        for _ in 0..MAX_OF_A_KIND + 7 {
            report.add(&LINT, Place::At(card.root()), Remark::new("here"));
        }
        let findings = report.into_findings();
        assert_eq!(findings.len(), MAX_OF_A_KIND);
        assert_eq!(findings.last().unwrap().message, "here; 7 more of this kind");
    }
}
