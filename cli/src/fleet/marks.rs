//! Which code is said about which agent: the columns of the matrix.

use std::collections::BTreeMap;

use super::document::{Decision, Document, Reason, Standing};

/// How a code weighs on an agent, heaviest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    Denies,
    NotFetched,
    NotEnforced,
    Waived,
    Interface,
    Signature,
    Reported,
}

/// A code that is said about an agent, with what is said.
#[derive(Debug)]
pub(super) struct Mark<'d> {
    pub(super) weight: Weight,
    pub(super) code: &'d str,
    /// Where it is said: an interface, a signature, the card.
    pub(super) about: String,
    pub(super) message: &'d str,
}

/// The codes that occur, each with its marks by the place of the agent.
#[derive(Debug, Default)]
pub(super) struct Columns<'d> {
    pub(super) columns: Vec<Column<'d>>,
}

#[derive(Debug)]
pub(super) struct Column<'d> {
    pub(super) code: &'d str,
    pub(super) marks: BTreeMap<usize, Vec<Mark<'d>>>,
}

impl Weight {
    pub(super) const ALL: [Self; 7] = [
        Self::Denies,
        Self::NotFetched,
        Self::NotEnforced,
        Self::Waived,
        Self::Interface,
        Self::Signature,
        Self::Reported,
    ];

    pub(super) const fn letter(self) -> &'static str {
        match self {
            Self::Denies => "D",
            Self::NotFetched => "N",
            Self::NotEnforced => "A",
            Self::Waived => "W",
            Self::Interface => "I",
            Self::Signature => "S",
            Self::Reported => "R",
        }
    }

    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Denies => "denies the card",
            Self::NotFetched => "no card was fetched",
            Self::NotEnforced => "would deny the card; the rule only audits",
            Self::Waived => "waived by an exception",
            Self::Interface => "an interface is left out",
            Self::Signature => "a signature does not count",
            Self::Reported => "reported",
        }
    }

    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Denies | Self::NotFetched => "bad",
            Self::NotEnforced | Self::Waived => "warn",
            Self::Interface | Self::Signature | Self::Reported => "plain",
        }
    }
}

impl<'d> Columns<'d> {
    /// Heaviest first, then those that more agents have.
    pub(super) fn of(documents: &'d [Document]) -> Self {
        let mut by_code: BTreeMap<&str, BTreeMap<usize, Vec<Mark<'d>>>> = BTreeMap::new();
        for (place, document) in documents.iter().enumerate() {
            for mark in marks(document) {
                by_code.entry(mark.code).or_default().entry(place).or_default().push(mark);
            }
        }
        let mut columns: Vec<Column<'d>> =
            by_code.into_iter().map(|(code, marks)| Column { code, marks }).collect();
        columns.sort_by_key(|column| (column.weight(), std::cmp::Reverse(column.marks.len())));
        Self { columns }
    }
}

impl Column<'_> {
    pub(super) fn weight(&self) -> Option<Weight> {
        self.marks.values().flatten().map(|mark| mark.weight).min()
    }
}

fn marks(document: &Document) -> Vec<Mark<'_>> {
    match document {
        Document::Decision(decision) => marks_of(decision, document.standing()),
        Document::Failure(failure) if !failure.code.is_empty() => vec![Mark {
            weight: Weight::NotFetched,
            code: &failure.code,
            about: String::new(),
            message: &failure.message,
        }],
        Document::Failure(_) | Document::Unknown { .. } => Vec::new(),
    }
}

fn marks_of(decision: &Decision, standing: Standing) -> Vec<Mark<'_>> {
    let whole = if standing == Standing::NotEnforced { Weight::NotEnforced } else { Weight::Denies };
    let about = |reason: &Reason| reason.pointer.clone().unwrap_or_default();
    let mut marks: Vec<Mark<'_>> =
        decision.reasons.iter().map(|reason| mark(whole, reason, about(reason))).collect();
    for waived in &decision.waived {
        marks.push(mark(Weight::Waived, &waived.reason, format!("waived by {}", waived.exception)));
    }
    for interface in &decision.interfaces {
        let about = || format!("interface {}", interface.index);
        marks.extend(interface.reasons.iter().map(|reason| mark(Weight::Interface, reason, about())));
    }
    for signature in &decision.signatures {
        let about = || match &signature.endorsement {
            Some(file) => format!("signature {} of {file}", signature.index),
            None => format!("signature {}", signature.index),
        };
        marks.extend(signature.reasons.iter().map(|reason| mark(Weight::Signature, reason, about())));
    }
    marks.extend(decision.findings.iter().map(|finding| Mark {
        weight: Weight::Reported,
        code: &finding.code,
        about: finding.pointer.clone().unwrap_or_default(),
        message: &finding.message,
    }));
    marks.sort_by_key(|mark| mark.weight);
    marks
}

fn mark(weight: Weight, reason: &Reason, about: String) -> Mark<'_> {
    Mark { weight, code: &reason.code, about, message: &reason.message }
}
