//! Whether a signed card verifies everywhere: which implementations sign other octets than were signed, and why.

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

/// For each signable form whose payload was not signed: who would reject the card, and which members are the cause.
pub(super) fn compare(
    card: &UntrustedCard,
    signed: &[CanonicalPayload],
) -> Result<Vec<String>, NoCanonicalForm> {
    let Some(reference) = signed.first() else { return Ok(Vec::new()) };
    let mut reasons = Vec::new();
    for form in Form::SIGNABLE {
        let payload = CanonicalPayload::of(card, form)?;
        if signed.iter().any(|other| other.octets() == payload.octets()) {
            continue;
        }
        let cause = difference(card, reference, &payload);
        reasons.push(format!("{form} ({}) would reject it: {cause}", form.signers()));
    }
    Ok(reasons)
}

/// What `other` does with the card that `signed` does not, in words.
fn difference(card: &UntrustedCard, signed: &CanonicalPayload, other: &CanonicalPayload) -> String {
    match (only_in(card, other, signed), only_in(card, signed, other)) {
        // The same members in other text: escapes, number formats, member order or spelling.
        (None, None) => "that form writes text or numbers differently".to_owned(),
        (Some(missing), None) => format!("that form leaves out {missing}"),
        (None, Some(kept)) => format!("that form keeps {kept}"),
        (Some(missing), Some(kept)) => format!("that form leaves out {missing} and keeps {kept}"),
    }
}

/// The members that have an image in the payload of `whole` and none in that of `reduced`, in words; the first few.
fn only_in(card: &UntrustedCard, reduced: &CanonicalPayload, whole: &CanonicalPayload) -> Option<String> {
    let mut absent: Vec<_> = whole.lost.iter().map(|lost| lost.value).collect();
    absent.sort_unstable();
    let value = |id| card.document().value(id);
    let is_whole = |id: &NodeId| {
        let nearest = absent.partition_point(|other| other <= id).checked_sub(1).and_then(|i| absent.get(i));
        nearest.is_none_or(|outer| !value(*outer).contains(*id))
    };
    let found: Vec<_> = reduced.lost.iter().map(|lost| lost.value).filter(is_whole).collect();
    let named = found.iter().take(MAX_NAMED).map(|id| format!("`{}`", value(*id).pointer()));
    let named = named.collect::<Vec<_>>().join(", ");
    match found.len().saturating_sub(MAX_NAMED) {
        _ if found.is_empty() => None,
        0 => Some(named),
        more => Some(format!("{named} and {more} more")),
    }
}
