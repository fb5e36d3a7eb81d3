//! Whether a signed card verifies everywhere: which implementations sign other octets than were signed, and why.

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
        reasons.push(format!("{} ({form}) would reject it: {cause}", form.signers()));
    }
    Ok(reasons)
}

/// What makes the payloads of two forms differ, in words.
pub(crate) fn difference(card: &UntrustedCard, left: &CanonicalPayload, right: &CanonicalPayload) -> String {
    let only_in = |one: &CanonicalPayload, other: &CanonicalPayload| -> Vec<String> {
        let lost = one.lost.iter().filter(|lost| other.lost.iter().all(|kept| kept.value != lost.value));
        lost.map(|lost| format!("`{}`", card.document().value(lost.value).pointer())).collect()
    };
    let parts: Vec<String> = [(right, only_in(right, left)), (left, only_in(left, right))]
        .into_iter()
        .filter(|(_, pointers)| !pointers.is_empty())
        .map(|(payload, pointers)| format!("{} leaves out {}", payload.form(), named(&pointers)))
        .collect();
    if parts.is_empty() {
        // The same members in other text: escapes, number formats, member order or spelling.
        return "it writes text or numbers differently".to_owned();
    }
    parts.join("; ")
}

fn named(pointers: &[String]) -> String {
    let shown: Vec<&str> = pointers.iter().take(MAX_NAMED).map(String::as_str).collect();
    let more = pointers.len().saturating_sub(MAX_NAMED);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}
