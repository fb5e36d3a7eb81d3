//! Card lints: what is wrong or unwise in a card, with the place and what to write instead.
//!
//! A lint never turns a no into a yes, and a card without findings is still untrusted. Each family of lints is one file
//! with its table of lints and one function that looks at a card; `FAMILIES` is the registry.

mod capabilities;
mod content;
mod document;
pub(crate) mod edit;
mod interfaces;
mod levels;
mod members;
mod report;
mod security;
mod shapes;
mod signatures;
mod skills;
mod urls;

use countersign_keys::json::Value;
use countersign_keys::{Code, Finding, Level};
use countersign_policy::{ProtocolVersion, UnixTime};

use crate::card::UntrustedCard;
use crate::signature::{Examined, examine};
use crate::{CardView, Shape, TrustedKeys, VerifyTerms};
pub use levels::{LintLevels, LintSetting, Profile};
use report::Report;
pub(crate) use report::quoted;

/// One thing that is looked for.
#[derive(Debug)]
#[non_exhaustive]
pub struct Lint {
    /// Its code; the page of the code is its documentation.
    pub code: Code,
    /// Its level for one's own cards, in CI; none when it is off.
    pub publish: Option<Level>,
    /// Its level for the cards of others: only what affects a decision. None when it is off.
    pub consume: Option<Level>,
}

/// How a card is linted.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LintTerms<'k> {
    /// Whose card it is. Default [`Profile::Consume`].
    pub profile: Profile,
    /// Levels that differ from the profile's.
    pub levels: LintLevels,
    /// Protocol version of cards and interfaces that name none.
    pub assumed: Option<ProtocolVersion>,
    /// Keys, and the time that counts as now, to judge the signatures with. Without them only their form is looked at.
    pub keys: Option<(&'k TrustedKeys, UnixTime)>,
}

/// Lints that look at the same members.
struct Family {
    lints: &'static [Lint],
    check: fn(&Subject<'_>, &mut Report<'_>),
}

/// In the order in which they look; findings are sorted by place afterwards.
static FAMILIES: &[Family] = &[
    document::FAMILY,
    shapes::FAMILY,
    members::FAMILY,
    interfaces::FAMILY,
    urls::FAMILY,
    security::FAMILY,
    capabilities::FAMILY,
    skills::FAMILY,
    content::FAMILY,
    signatures::FAMILY,
];

/// What a document that is no AgentCard is said to be, in one sentence.
pub(crate) fn what_else(document: Value<'_>) -> String {
    shapes::what_else(document)
}

/// What the families look at.
struct Subject<'c> {
    card: &'c UntrustedCard,
    view: CardView<'c>,
    shape: Shape,
    /// Whether clients of A2A 1.0 read the card.
    is_for_1_0: bool,
    terms: &'c LintTerms<'c>,
    /// What the keys say about the signatures, where there are keys.
    examined: Option<Examined>,
}

/// Every lint, by family.
pub fn lints() -> impl Iterator<Item = &'static Lint> {
    FAMILIES.iter().flat_map(|family| family.lints)
}

impl Lint {
    /// A lint with its levels in the two profiles.
    const fn new(code: Code, publish: Option<Level>, consume: Option<Level>) -> Self {
        Self { code, publish, consume }
    }
}

impl UntrustedCard {
    /// Every finding about the card, in the order of its text; at most 32 for each code, the last of which says how many
    /// more there are.
    ///
    /// A document that is no AgentCard ([`Shape::Foreign`]) gets the finding about that, the members that it lacks, and
    /// where it comes near to a card also what is wrong with its members. Nothing is fetched: what a URL leads to is
    /// not looked at.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{Limits, LintTerms, UntrustedCard};
    ///
    /// let card = UntrustedCard::read("\u{feff}{}", &Limits::default())?;
    /// let findings = card.lint(&LintTerms::default());
    /// assert!(findings.iter().any(|finding| finding.code.name() == "json.bom"));
    /// # Ok::<(), countersign::CardError>(())
    /// ```
    #[must_use]
    pub fn lint(&self, terms: &LintTerms<'_>) -> Vec<Finding> {
        let examined = terms.keys.map(|(keys, now)| examine(self, &[], keys, &VerifyTerms::default(), now));
        let (view, shape) = (self.view(), self.shape(terms.assumed));
        let is_for_1_0 = shape != Shape::V0_3 && view.has_envelope();
        let subject = Subject { card: self, view, shape, is_for_1_0, terms, examined };
        let mut report = Report::new(terms);
        for family in FAMILIES {
            (family.check)(&subject, &mut report);
        }
        report.into_findings()
    }
}
