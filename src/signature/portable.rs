//! Whether a signed card verifies everywhere: which implementations sign other octets than were signed, and why.

use countersign_keys::json::Value;

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
    let missing = only_in(card, other, signed);
    let kept = only_in(card, signed, other);
    match (missing.is_empty(), kept.is_empty()) {
        // The same members in other text: escapes, number formats, member order or spelling.
        (true, true) => "that form writes text or numbers differently".to_owned(),
        (false, true) => format!("that form leaves out {}", named(&missing)),
        (true, false) => format!("that form keeps {}", named(&kept)),
        (false, false) => format!("that form leaves out {} and keeps {}", named(&missing), named(&kept)),
    }
}

/// Pointers of the members that have an image in the payload of `whole` and none in that of `reduced`.
fn only_in(card: &UntrustedCard, reduced: &CanonicalPayload, whole: &CanonicalPayload) -> Vec<String> {
    let lost = reduced.lost.iter().map(|lost| card.document().value(lost.value));
    let is_whole = |value: &Value<'_>| {
        whole.lost.iter().all(|lost| !card.document().value(lost.value).contains(value.id()))
    };
    lost.filter(is_whole).map(|value| format!("`{}`", value.pointer())).collect()
}

fn named(pointers: &[String]) -> String {
    let shown: Vec<&str> = pointers.iter().take(MAX_NAMED).map(String::as_str).collect();
    let more = pointers.len().saturating_sub(MAX_NAMED);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}
