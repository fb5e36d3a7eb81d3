//! What keeps the canonical forms of a card apart, and what of it can go.

use std::collections::BTreeSet;

use countersign_keys::json::{Ancestry, Kind, NodeId, Step, Value};
use countersign_keys::{Finding, FixSafety, Level};

use crate::canonical::{CanonicalPayload, Form, is_written_alike};
use crate::card::schema::Presence;
use crate::card::walk::{LegacyMembers, Met, Schema, walk};
use crate::card::{UntrustedCard, has_envelope};
use crate::codes;
use crate::coverage::{Class, Coverage, CoverageTerms};
use crate::lint::{edit, quoted};

/// Most findings of each of the two kinds.
const MAX_TOLD: usize = 32;

/// A value that some signable forms leave out and others keep. It stands in no other such value.
struct Difference<'c> {
    value: Value<'c>,
    /// The object that has it as a member; none for an element.
    object: Option<Value<'c>>,
    /// Its name there.
    name: Option<&'c str>,
    pointer: String,
    class: Class,
    left_out_by: Vec<Form>,
    is_required: bool,
}

/// The members that mean the same when they are absent, each with the safe fix that removes it.
pub(super) fn removals(card: &UntrustedCard) -> Vec<Finding> {
    if !has_envelope(card.root()) {
        return Vec::new();
    }
    let differences = differences_of(card).into_iter().filter(Difference::is_removable);
    let removal = |difference: Difference<'_>| {
        let fix = edit::remove(FixSafety::Safe, card, difference.object?, difference.value)?;
        Some(difference.finding().with_fix(fix))
    };
    differences.filter_map(removal).collect()
}

/// Why the signable forms give different octets; nothing when they give the same.
pub(super) fn differences(card: &UntrustedCard) -> Vec<Finding> {
    if !has_envelope(card.root()) {
        let message = "a card without `supportedInterfaces` is signed under as-received only: A2A 0.3 defines no payload";
        let finding = Finding::new(codes::SIG_NOT_PORTABLE, Level::Warning, message).at("");
        return vec![finding.with_help("upgrade the card: `countersign fix --to 1.0` or `--to dual`")];
    }
    let payloads: Vec<_> =
        Form::SIGNABLE.into_iter().filter_map(|form| CanonicalPayload::of(card, form).ok()).collect();
    if payloads.iter().zip(payloads.iter().skip(1)).all(|(left, right)| left.octets() == right.octets()) {
        return Vec::new();
    }
    let differences = differences_of(card);
    let mut left_out: Vec<NodeId> = differences.iter().map(|difference| difference.value.id()).collect();
    left_out.sort_unstable();
    let rewritten = written_otherwise(card, &left_out);
    let mut findings = told(&differences, Difference::finding);
    findings.extend(told(&rewritten, |value| about_octets(*value)));
    if findings.is_empty() {
        let message = "the forms order or spell member names differently";
        findings.push(Finding::new(codes::SIG_NOT_PORTABLE, Level::Warning, message).at(""));
    }
    findings
}

/// Findings about the first few; the last says how many more there are. A place costs a scan of the text before it.
fn told<T>(all: &[T], finding: impl Fn(&T) -> Finding) -> Vec<Finding> {
    let mut findings: Vec<Finding> = all.iter().take(MAX_TOLD).map(finding).collect();
    let more = all.len().saturating_sub(MAX_TOLD);
    if let Some(last) = findings.last_mut().filter(|_| more > 0) {
        last.message.push_str(&format!("; {more} more of this kind"));
    }
    findings
}

impl Difference<'_> {
    /// Whether the card means the same without it: at its default, and no schema demands it.
    fn is_removable(&self) -> bool {
        self.class == Class::Default && !self.is_required && self.object.is_some()
    }

    fn finding(&self) -> Finding {
        let forms: Vec<_> = self.left_out_by.iter().map(|form| form.name()).collect();
        let name = self.name.map_or_else(|| "the element".to_owned(), quoted);
        let message = format!("{name} is left out by {} and kept by the other forms", forms.join(", "));
        let help = match self.class {
            _ if self.is_removable() => "remove it: absent means the same",
            Class::Default if self.is_required => "A2A demands it: give it content",
            Class::Default => "take the empty element out of its list",
            Class::Text => "give it content",
            Class::Unknown => "remove it, or carry it in the `params` of an extension",
            Class::Legacy => "it is there for clients of A2A 0.3; without it the forms agree",
            Class::Security if self.pointer.contains("/securityRequirements") => {
                "give each scheme of the requirement a scope, or sign under a2a-1.0 and sdk-1.x"
            }
            Class::Security => "give it content, or sign under several forms",
        };
        Finding::new(codes::SIG_NOT_PORTABLE, Level::Warning, message)
            .at(self.pointer.clone())
            .spanning(self.value.span())
            .with_help(help)
    }
}

fn differences_of(card: &UntrustedCard) -> Vec<Difference<'_>> {
    let mut lost: Vec<(NodeId, Class, Form)> = Vec::new();
    for form in Form::SIGNABLE {
        let Ok(payload) = CanonicalPayload::of(card, form) else { continue };
        let coverage = Coverage::of(card, &payload.lost, &CoverageTerms::default());
        let judged = payload.lost.iter().zip(&coverage.members);
        lost.extend(judged.map(|(lost, member)| (lost.value, member.class, form)));
    }
    lost.sort_unstable_by_key(|(value, _, form)| (*value, *form));
    let required = required(card);
    let ancestry = Ancestry::of(card.document(), lost.len());
    let mut differences: Vec<Difference<'_>> = Vec::new();
    for (id, class, form) in lost {
        if let Some(last) = differences.last_mut().filter(|last| last.value.contains(id)) {
            if last.value.id() == id {
                last.class = last.class.max(class);
                last.left_out_by.push(form);
            }
            continue;
        }
        let path = ancestry.path(id);
        let holder = path.iter().rev().nth(1).map_or(card.root(), |(_, value)| *value);
        let name = path.last().and_then(|(step, _)| match step {
            Step::Member(name) => Some(*name),
            Step::Element(_) => None,
        });
        differences.push(Difference {
            value: card.document().value(id),
            object: name.map(|_| holder),
            name,
            pointer: ancestry.pointer(id),
            class,
            left_out_by: vec![form],
            is_required: required.contains(&id),
        });
    }
    differences
}

/// The values that a schema demands.
fn required(card: &UntrustedCard) -> BTreeSet<NodeId> {
    let mut required = BTreeSet::new();
    let schema = Schema::of(card, card.shape(None));
    walk(card.root(), schema, LegacyMembers::Followed, &mut |met| {
        if let Met::Known { member, value, .. } = met
            && member.presence == Presence::Required
        {
            required.insert(value.id());
        }
    });
    required
}

/// The strings and numbers that a form writes with other octets; `left_out` is sorted.
fn written_otherwise<'c>(card: &'c UntrustedCard, left_out: &[NodeId]) -> Vec<Value<'c>> {
    let mut found = Vec::new();
    let payload = card.root().members().filter(|(name, _)| *name != "signatures");
    let mut open: Vec<Value<'c>> = payload.map(|(_, value)| value).collect();
    while let Some(value) = open.pop() {
        if left_out.binary_search(&value.id()).is_ok() {
            continue;
        }
        match value.kind() {
            Kind::Object => open.extend(value.members().map(|(_, member)| member)),
            Kind::Array => open.extend(value.elements()),
            Kind::Text | Kind::Number if !is_written_alike(value) => found.push(value),
            Kind::Text | Kind::Number | Kind::Null | Kind::Bool => {}
        }
    }
    found.sort_unstable_by_key(|value| value.id());
    found
}

fn about_octets(value: Value<'_>) -> Finding {
    let old = Form::SdkPy10;
    let (what, help) = if value.kind() == Kind::Number {
        (format!("the number {}", quoted(value.raw())), "write it as a string")
    } else {
        let text = quoted(value.as_text().unwrap_or_default());
        (format!("the text {text}"), "write ASCII, or leave it if no client that old matters")
    };
    let message = format!("{what} is written with other octets by {old} ({})", old.signers());
    Finding::new(codes::SIG_NOT_PORTABLE, Level::Warning, message)
        .at(value.pointer())
        .spanning(value.span())
        .with_help(help)
}
