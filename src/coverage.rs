//! Coverage: which members of the received card a verified signature says nothing about, and what becomes of them.
//!
//! The canonical form records which values have no image in its payload. Each of them gets a class, the strictest of
//! its leaves, and a fate. What is handed on is the payload's tree, the members at their default as received, and
//! the members whose fate is [`Fate::Marked`]; nothing else.

mod class;
mod tighten;

use std::cell::RefCell;
use std::collections::BTreeMap;

use countersign_keys::json::{Ancestry, Document, Kind, NodeId, Value};
use countersign_keys::{Finding, Level};

use crate::canonical::Lost;
use crate::card::UntrustedCard;
use crate::codes;

/// What kind of member is not covered, from harmless to grave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "the public classes of the JSON output; a new one must be faced")]
pub enum Class {
    /// Null, or at the default that its schema gives it: as good as absent.
    Default,
    /// A known member for people.
    Text,
    /// A member outside the schema.
    Unknown,
    /// A member of older protocol versions that a covered member replaces.
    Legacy,
    /// Where to connect, how to authenticate, what the agent can do.
    Security,
}

impl Class {
    /// `default`, `text`, `unknown`, `legacy` or `security`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Text => "text",
            Self::Unknown => "unknown",
            Self::Legacy => "legacy",
            Self::Security => "security",
        }
    }
}

/// What becomes of an uncovered member when the card is handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a new fate must be faced by whoever hands cards on")]
pub enum Fate {
    /// Handed on as received: absent and default mean the same.
    Silent,
    /// Not handed on.
    Stripped,
    /// Handed on, marked as not signed: it can only make the card's demands stricter, or the caller allowed it.
    Marked,
    /// The signature does not count: `sig.uncovered-member`.
    Fatal,
}

impl Fate {
    /// `silent`, `stripped`, `marked` or `fatal`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::Stripped => "stripped",
            Self::Marked => "marked",
            Self::Fatal => "fatal",
        }
    }
}

/// One member of the received card that the payload does not reproduce. Nothing inside it is reproduced either.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UncoveredMember {
    /// JSON Pointer into the received card.
    pub pointer: String,
    /// The strictest class of its leaves.
    pub class: Class,
    /// What becomes of it.
    pub fate: Fate,
}

/// What uncovered members may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CoverageTerms {
    /// JSON Pointers of members that are handed on, marked, although no signature covers them. A pointer stands for
    /// everything below it too. Default: none.
    pub allowed: Vec<String>,
    /// Default: [`Strictness::Strip`].
    pub strictness: Strictness,
}

/// Which classes make a signature worthless.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two settings of `uncovered` in a trust policy")]
pub enum Strictness {
    /// `security`; members of the other classes are stripped.
    #[default]
    Strip,
    /// Every class but `default`.
    Deny,
}

/// The coverage of one payload.
#[derive(Clone, Debug)]
pub(crate) struct Coverage {
    /// Every uncovered member, in the order of the form.
    pub(crate) members: Vec<UncoveredMember>,
    /// The values that are handed on although the payload does not hold them.
    pub(crate) kept: Vec<NodeId>,
    pub(crate) findings: Vec<Finding>,
    /// How much of the received text is not covered, members at their default left out.
    pub(crate) uncovered_octets: usize,
}

/// The received card as the judge of one payload sees it.
pub(crate) struct Received<'c> {
    card: Value<'c>,
    ancestry: Ancestry<'c>,
    /// The lost values by id; none of them stands inside another.
    lost: Vec<NodeId>,
    document: &'c Document,
    /// What has been asked before, so that many lost values in one place cost one look at it.
    holds: RefCell<BTreeMap<(NodeId, &'static str), bool>>,
    requirements: RefCell<BTreeMap<NodeId, RequirementList>>,
}

/// What there is to know about a list of security requirements.
#[derive(Clone, Copy)]
struct RequirementList {
    /// Whether it is a list of objects.
    is_well_formed: bool,
    /// Whether the payload holds one of its entries.
    has_covered_entry: bool,
    /// Whether its entries map scheme names straight to scopes, as in A2A 0.3.
    is_0_3: bool,
}

/// Most members that a reason names.
const MAX_NAMED: usize = 8;

/// How much text the pointers of uncovered members may take together, in octets: as much as the card, at least 256 KiB.
/// A long member name above many uncovered values would otherwise take many times the memory of the card.
pub(crate) fn pointer_budget(card: &UntrustedCard) -> usize {
    card.octets().len().max(256 * 1024)
}

impl Coverage {
    /// Judges the values of `card` that have no image in a payload; none of them stands inside another.
    pub(crate) fn of(card: &UntrustedCard, lost: &[Lost], terms: &CoverageTerms) -> Self {
        let mut coverage =
            Self { members: Vec::new(), kept: Vec::new(), findings: Vec::new(), uncovered_octets: 0 };
        if lost.is_empty() {
            return coverage;
        }
        let received = Received::new(card, lost);
        let mut budget = pointer_budget(card);
        for lost in lost {
            let pointer = received.ancestry.pointer(lost.value);
            let Some(left) = budget.checked_sub(pointer.len()) else {
                // What cannot be listed must not be handed on: the whole card counts as uncovered.
                let pointer = String::new();
                coverage.members.push(UncoveredMember { pointer, class: Class::Security, fate: Fate::Fatal });
                break;
            };
            budget = left;
            coverage.judge(&received, *lost, pointer, terms);
        }
        coverage
    }

    /// The members that make the signature worthless, in words; the first few of them.
    pub(crate) fn fatal_members(&self) -> String {
        let fatal = || self.members.iter().filter(|member| member.fate == Fate::Fatal);
        let shown: Vec<String> =
            fatal().take(MAX_NAMED).map(|member| format!("`{}`", member.pointer)).collect();
        let more = fatal().count().saturating_sub(MAX_NAMED);
        if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
    }

    /// Whether the signature counts.
    pub(crate) fn holds(&self) -> bool {
        self.members.iter().all(|member| member.fate != Fate::Fatal)
    }

    fn judge(&mut self, received: &Received<'_>, lost: Lost, pointer: String, terms: &CoverageTerms) {
        let value = received.value(lost.value);
        let place = class::place(received, lost.value);
        let class = class::of_lost(&place, value, lost.because);
        let (fate, finding) = if class == Class::Default {
            (Fate::Silent, None)
        } else if terms.allowed.iter().any(|allowed| covers(allowed, &pointer)) {
            let message = format!("`{pointer}` is not signed; it is handed on because the caller allows it");
            (Fate::Marked, Some(Finding::new(codes::SIG_UNCOVERED_MEMBER, Level::Info, message)))
        } else if terms.strictness == Strictness::Deny {
            (Fate::Fatal, None)
        } else {
            verdict(&pointer, class, tighten::judge(&place, value))
        };
        if class != Class::Default {
            self.uncovered_octets += value.raw().len();
        }
        if matches!(fate, Fate::Silent | Fate::Marked) {
            self.kept.push(lost.value);
        }
        self.findings.extend(finding.map(|finding| finding.at(pointer.clone())));
        self.members.push(UncoveredMember { pointer, class, fate });
    }
}

impl<'c> Received<'c> {
    fn new(card: &'c UntrustedCard, lost: &[Lost]) -> Self {
        let mut lost: Vec<NodeId> = lost.iter().map(|lost| lost.value).collect();
        lost.sort_unstable();
        let document = card.document();
        let ancestry = Ancestry::of(document, lost.len());
        let (holds, requirements) = (RefCell::default(), RefCell::default());
        Self { card: card.root(), ancestry, lost, document, holds, requirements }
    }

    fn value(&self, id: NodeId) -> Value<'c> {
        self.document.value(id)
    }

    /// Whether `value` is lost, or stands inside something that is.
    fn has_lost(&self, value: Value<'_>) -> bool {
        let after = self.lost.partition_point(|lost| *lost <= value.id());
        let nearest = after.checked_sub(1).and_then(|index| self.lost.get(index));
        nearest.is_some_and(|lost| self.value(*lost).contains(value.id()))
    }

    /// Whether the payload holds a non-empty list `name` in `object`.
    fn payload_holds(&self, object: Value<'_>, name: &'static str) -> bool {
        let key = (object.id(), name);
        if let Some(known) = self.holds.borrow().get(&key) {
            return *known;
        }
        let holds = crate::card::member(object, name)
            .is_some_and(|list| list.elements().any(|element| !self.has_lost(element)));
        self.holds.borrow_mut().insert(key, holds);
        holds
    }

    fn requirement_list(&self, list: Value<'_>) -> RequirementList {
        if let Some(known) = self.requirements.borrow().get(&list.id()) {
            return *known;
        }
        let found = RequirementList {
            is_well_formed: list.kind() == Kind::Array
                && list.elements().all(|entry| entry.kind() == Kind::Object),
            has_covered_entry: list.elements().any(|entry| !self.has_lost(entry)),
            is_0_3: !list.elements().any(|entry| entry.member("schemes").is_some()),
        };
        self.requirements.borrow_mut().insert(list.id(), found);
        found
    }
}

fn verdict(pointer: &str, class: Class, tightening: tighten::Tightening) -> (Fate, Option<Finding>) {
    use tighten::Tightening;
    let stripped = |why: &str| {
        let message = format!("`{pointer}` is not signed and not handed on: {why}");
        (Fate::Stripped, Some(Finding::new(codes::SIG_UNCOVERED_MEMBER, Level::Warning, message)))
    };
    match (class, tightening) {
        (Class::Default, _) => (Fate::Silent, None),
        (Class::Text, _) => stripped("text without security meaning"),
        (Class::Unknown, _) => stripped("outside the A2A schema"),
        (Class::Legacy, _) => stripped("a signed member of A2A 1.0 stands in its place"),
        (Class::Security, Tightening::Alternative) => {
            stripped("requirements are alternatives, and one that nobody signed could be the weakest")
        }
        (Class::Security, Tightening::OnlyStricter) => {
            let message = format!(
                "`{pointer}` is not signed; it is handed on, marked, because it can only demand more. The publisher \
                 can add a scope to the requirement or sign under a2a-1.0"
            );
            (Fate::Marked, Some(Finding::new(codes::SIG_UNSIGNED_REQUIREMENT, Level::Warning, message)))
        }
        (Class::Security, Tightening::None) => (Fate::Fatal, None),
    }
}

/// Whether the JSON Pointer `outer` is `inner` or stands above it.
fn covers(outer: &str, inner: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
