//! Whether a signed card verifies everywhere: which implementations sign other octets than were signed, and why.

use std::fmt;

use countersign_keys::json::NodeId;

use crate::canonical::{CanonicalPayload, Form, NoCanonicalForm};
use crate::card::UntrustedCard;

/// Whether every implementation must verify a signed card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "report or require")]
pub enum Portability {
    /// Those that would not are named.
    #[default]
    Report,
    /// Signing fails if there are any.
    Require,
}

/// Most members that a reason names.
const MAX_NAMED: usize = 4;

/// Most characters of a pointer that a reason shows.
const MAX_SHOWN: usize = 256;

/// A form whose payload is not among the signed ones: whoever verifies under it rejects the card.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) form: Form,
    /// What the form does with the card that the signed one does not, in words.
    pub(crate) cause: String,
    /// The first member that one of the two leaves out; none where they only write text or numbers differently.
    pub(crate) first: Option<NodeId>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}) would reject it: {}", self.form, self.form.signers(), self.cause)
    }
}

/// For each of `forms` whose payload was not signed: which members are the cause.
pub(crate) fn compare(
    card: &UntrustedCard,
    signed: &[&CanonicalPayload],
    forms: &[Form],
) -> Result<Vec<Difference>, NoCanonicalForm> {
    let Some(reference) = signed.first() else { return Ok(Vec::new()) };
    let mut differences = Vec::new();
    for &form in forms {
        let payload = CanonicalPayload::of(card, form)?;
        if signed.iter().any(|other| other.octets() == payload.octets()) {
            continue;
        }
        let (missing, kept) = (only_in(card, &payload, reference), only_in(card, reference, &payload));
        let first = missing.iter().chain(&kept).min().copied();
        let cause = in_words(named(card, &missing), named(card, &kept));
        differences.push(Difference { form, cause, first });
    }
    Ok(differences)
}

/// What a form does with the card that the signed one does not.
fn in_words(missing: Option<String>, kept: Option<String>) -> String {
    match (missing, kept) {
        // The same members in other text: escapes, number formats, member order or spelling.
        (None, None) => "that form writes text or numbers differently".to_owned(),
        (Some(missing), None) => format!("that form leaves out {missing}"),
        (None, Some(kept)) => format!("that form keeps {kept}"),
        (Some(missing), Some(kept)) => format!("that form leaves out {missing} and keeps {kept}"),
    }
}

/// The members that have an image in the payload of `whole` and none in that of `reduced`.
fn only_in(card: &UntrustedCard, reduced: &CanonicalPayload, whole: &CanonicalPayload) -> Vec<NodeId> {
    let mut absent: Vec<_> = whole.lost.iter().map(|lost| lost.value).collect();
    absent.sort_unstable();
    let is_whole = |id: &NodeId| {
        let nearest = absent.partition_point(|other| other <= id).checked_sub(1).and_then(|i| absent.get(i));
        nearest.is_none_or(|outer| !card.document().value(*outer).contains(*id))
    };
    reduced.lost.iter().map(|lost| lost.value).filter(is_whole).collect()
}

/// The first few of the members, by their pointers.
fn named(card: &UntrustedCard, members: &[NodeId]) -> Option<String> {
    let pointer = |id: &NodeId| {
        let pointer: String = card.document().value(*id).pointer().chars().take(MAX_SHOWN).collect();
        format!("`{pointer}`")
    };
    let named = members.iter().take(MAX_NAMED).map(pointer).collect::<Vec<_>>().join(", ");
    match members.len().saturating_sub(MAX_NAMED) {
        _ if members.is_empty() => None,
        0 => Some(named),
        more => Some(format!("{named} and {more} more")),
    }
}
