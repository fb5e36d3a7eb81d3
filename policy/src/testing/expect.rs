//! What a case expects of a decision, and what differs from it.

use std::fmt;

use countersign_keys::Code;

use crate::{Decision, InterfaceOutcome, Outcome, Placed, PolicyPlace};

/// What a case expects. What is absent is not looked at.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Expectation {
    /// The answer.
    pub outcome: Placed<Outcome>,
    /// Whether it is enforced.
    pub enforced: Option<Placed<bool>>,
    /// The codes of the reasons.
    pub codes: Option<ExpectedCodes>,
    /// `id` of the rule that the card is held against.
    pub rule: Option<Placed<String>>,
    /// URLs of the interfaces that may be used, in the order of the card, as the card writes them; none of a card that
    /// may not be used.
    pub interfaces: Option<Placed<Vec<String>>>,
    /// Most seconds until the decision expires.
    pub ttl_at_most_seconds: Option<Placed<i64>>,
    /// JSON Pointers of the members that no counted signature covers, all of them.
    pub uncovered: Option<Placed<Vec<String>>>,
}

/// Which codes of reasons are expected; the order means nothing.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "`codes` or `codes-any`")]
pub enum ExpectedCodes {
    /// `codes`: these and no other.
    Exactly(Placed<Vec<Code>>),
    /// `codes-any`: at least one of these.
    AnyOf(Placed<Vec<Code>>),
}

/// What differs from an expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The member of `expect`.
    pub member: &'static str,
    /// What was expected, in words.
    pub expected: String,
    /// What was found, in words.
    pub found: String,
    /// Where the expectation is written.
    pub place: PolicyPlace,
}

impl Expectation {
    /// What differs in `decision`; nothing where all expectations are met.
    #[must_use]
    pub fn matches(&self, decision: &Decision) -> Vec<Difference> {
        let outcome =
            differs("outcome", &self.outcome, &decision.outcome, |outcome| format!("`{}`", outcome.name()));
        let enforced = self.enforced.as_ref().and_then(|expected| {
            differs("enforced", expected, &decision.enforced, |enforced| format!("`{enforced}`"))
        });
        let codes = self.codes.as_ref().and_then(|expected| expected.differs(&decision.codes()));
        let rule = self.rule.as_ref().and_then(|expected| rule(expected, decision));
        let interfaces = self.interfaces.as_ref().and_then(|expected| {
            differs("interfaces", expected, &usable_interfaces(decision), |urls| list(urls))
        });
        let ttl = self.ttl_at_most_seconds.as_ref().and_then(|most| ttl(most, decision));
        let uncovered = self.uncovered.as_ref().and_then(|expected| {
            let sorted = |mut pointers: Vec<String>| {
                pointers.sort_unstable();
                pointers
            };
            let expected = Placed::new(sorted(expected.value.clone()), expected.place.clone());
            let found = decision.uncovered.iter().map(|member| member.pointer.clone()).collect();
            differs("uncovered", &expected, &sorted(found), |pointers| list(pointers))
        });
        [outcome, enforced, codes, rule, interfaces, ttl, uncovered].into_iter().flatten().collect()
    }
}

/// URLs of the interfaces that may be used by a decision, as the card writes them, in its order; none if it does not let
/// the card pass. They are text for reports: what is called comes from an admitted card.
#[must_use]
pub fn usable_interfaces(decision: &Decision) -> Vec<String> {
    if !decision.lets_pass() {
        return Vec::new();
    }
    let usable = decision.interfaces.iter().filter(|interface| match interface.outcome {
        InterfaceOutcome::Admitted | InterfaceOutcome::NotEnforced => true,
        InterfaceOutcome::Dropped => false,
    });
    usable.filter_map(|interface| interface.claimed_text().map(str::to_owned)).collect()
}

impl ExpectedCodes {
    fn differs(&self, found: &[Code]) -> Option<Difference> {
        let (member, expected, words) = match self {
            Self::Exactly(expected) => {
                let is_met = expected.value.len() == found.len()
                    && expected.value.iter().all(|code| found.contains(code));
                if is_met {
                    return None;
                }
                ("codes", expected, names(&expected.value))
            }
            Self::AnyOf(expected) => {
                if expected.value.iter().any(|code| found.contains(code)) {
                    return None;
                }
                ("codes-any", expected, format!("one of {}", names(&expected.value)))
            }
        };
        Some(Difference { member, expected: words, found: names(found), place: expected.place.clone() })
    }
}

/// `codes-any`: expected one of `sig.invalid`, found `sig.absent`
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: expected {}, found {}", self.member, self.expected, self.found)
    }
}

fn differs<T: PartialEq>(
    member: &'static str,
    expected: &Placed<T>,
    found: &T,
    words: impl Fn(&T) -> String,
) -> Option<Difference> {
    if expected.value == *found {
        return None;
    }
    let place = expected.place.clone();
    Some(Difference { member, expected: words(&expected.value), found: words(found), place })
}

fn rule(expected: &Placed<String>, decision: &Decision) -> Option<Difference> {
    if decision.rule.as_ref() == Some(&expected.value) {
        return None;
    }
    let found = decision.rule.as_ref().map_or_else(|| "no rule".to_owned(), |rule| format!("`{rule}`"));
    let place = expected.place.clone();
    Some(Difference { member: "rule", expected: format!("`{}`", expected.value), found, place })
}

fn ttl(most: &Placed<i64>, decision: &Decision) -> Option<Difference> {
    let found = decision.expires_at.seconds().saturating_sub(decision.evaluated_at.seconds());
    if found <= most.value {
        return None;
    }
    let expected = format!("at most {} s", most.value);
    Some(Difference {
        member: "ttl-at-most",
        expected,
        found: format!("{found} s"),
        place: most.place.clone(),
    })
}

fn names(codes: &[Code]) -> String {
    list(&codes.iter().map(|code| code.name().to_owned()).collect::<Vec<_>>())
}

fn list(texts: &[String]) -> String {
    if texts.is_empty() {
        return "none".to_owned();
    }
    texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ")
}
