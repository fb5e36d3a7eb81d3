//! What the card is beside the one that is remembered.

use countersign::Code;
use countersign::policy::{PinComparison, PinOrder, PinReview, PinnedCard};
use serde::Serialize;

use super::Answer;
use crate::render::escape;

#[derive(Serialize)]
pub(super) struct PinsJson<'d> {
    agent: &'d str,
    digest: String,
    order: Option<&'static str>,
    review: &'static str,
    before: Option<BeforeJson<'d>>,
    structure: &'d [String],
    text: &'d [String],
}

#[derive(Serialize)]
struct BeforeJson<'d> {
    digest: String,
    version: Option<&'d str>,
    issued_at: Option<String>,
}

pub(super) fn json(pins: &PinComparison) -> PinsJson<'_> {
    PinsJson {
        agent: &pins.agent,
        digest: pins.card.parts.digest.to_string(),
        order: pins.order.map(PinOrder::name),
        review: pins.review.name(),
        before: pins.newest.as_ref().map(|card| BeforeJson {
            digest: card.parts.digest.to_string(),
            version: card.version.as_deref(),
            issued_at: card.issued_at.map(|at| at.to_string()),
        }),
        structure: &pins.structure,
        text: &pins.text,
    }
}

/// The comparison in lines, without indent.
pub(super) fn lines(pins: &PinComparison) -> Vec<String> {
    let what = match (&pins.newest, pins.order) {
        (None, _) => "no card of this agent was admitted before",
        (Some(_), None) => "the card that was admitted before",
        (Some(_), Some(PinOrder::Older)) => "an older card than was admitted before",
        (Some(_), Some(PinOrder::Level)) => "another card of the same version as before",
        (Some(_), Some(PinOrder::Newer)) => "a newer card than was admitted before",
        (Some(_), Some(PinOrder::Unknown)) => "another card than before, and nobody can say which is older",
    };
    let review = match pins.review {
        PinReview::None => "",
        PinReview::Accepted => "; a person accepted it",
        PinReview::Revoked => "; a person revoked it",
    };
    let mut lines = vec![format!("{what}{review}"), format!("now    {}", card(&pins.card))];
    if let Some(newest) = pins.newest.as_ref().filter(|_| pins.order.is_some()) {
        lines.push(format!("before {}", card(newest)));
    }
    for (part, pointers) in [("structure", &pins.structure), ("text", &pins.text)] {
        if !pointers.is_empty() {
            let named = pointers.iter().map(|pointer| match pointer.as_str() {
                "" => "members outside the schema".to_owned(),
                pointer => escape(pointer),
            });
            lines.push(format!("other {part}: {}", named.collect::<Vec<_>>().join(", ")));
        }
    }
    lines
}

fn card(card: &PinnedCard) -> String {
    let version = card.version.as_deref().map_or_else(|| "no version".to_owned(), escape);
    let signed = card.issued_at.map(|at| format!(", signed at {at}")).unwrap_or_default();
    format!("{version}{signed}, {}", card.parts.digest)
}

/// Whether accepting the card answers a reason.
pub(super) fn is_answered(code: Code, answer: &Answer<'_>) -> bool {
    answer.decision.pins.is_some()
        && ["pin.first-use", "pin.rollback", "pin.structure", "pin.text"].contains(&code.name())
}

/// The command that accepts the card.
pub(super) fn accept(answer: &Answer<'_>) -> Option<String> {
    let (pins, file) = (answer.decision.pins.as_ref()?, answer.asked.pins.as_deref()?);
    let digest = pins.card.parts.digest;
    let file = escape(&shell_words::quote(file));
    Some(format!("countersign pin accept {digest} --pins {file}"))
}
