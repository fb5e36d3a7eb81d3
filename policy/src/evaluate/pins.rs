//! What the card was before: first use, rollback, drift, lost signatures, and what people said about digests.

use countersign_keys::{Code, Level};

use super::Notes;
use super::signatures::Judged;
use crate::codes::decision as reasons;
use crate::{
    AdmissionRequest, AgentMemory, AllowRule, CardFacts, FirstUse, PinComparison, PinMemory, PinOrder,
    PinReview, PinTerms, PinnedCard, Placed, PolicyPlace, Reaction, Reason, SignedBy,
};

/// Longest `version` that is compared, in octets: 256. Why: it is remembered, and a card may hold any text. A longer one has
/// no place in any order.
const MAX_VERSION_OCTETS: usize = 256;

/// Compares the card with what is remembered of its agent.
pub(super) fn look(
    memory: PinMemory<'_>,
    rule: Option<&AllowRule>,
    request: &AdmissionRequest,
    (facts, judged): (&CardFacts<'_>, &Judged),
    notes: &mut Notes,
) -> Option<PinComparison> {
    let terms = rule.and_then(|rule| rule.pin.as_ref());
    let PinMemory::Kept(memory) = memory else {
        if let Some(terms) = terms {
            not_kept(terms, notes);
        }
        return None;
    };
    let Some(card) = pinned(facts, judged) else {
        // Whoever reads cards did not say what it is, so nothing can be compared.
        let message =
            "the parts of the card are not known, so it cannot be compared with what was seen before";
        notes.reasons.push(Reason::new(reasons::PIN_STRUCTURE, message));
        return None;
    };
    let comparison = compare(memory, AgentMemory::agent(&request.source), card);
    if comparison.review == PinReview::Revoked {
        let message = format!("a person revoked this card, {}", comparison.card.parts.digest);
        notes.reasons.push(Reason::new(reasons::PIN_REVOKED, message));
    }
    if let Some(since) = memory.signed_since.filter(|_| is_unsigned(facts, &comparison.card)) {
        let message = format!(
            "the card is unsigned, and since {since} a signed card of `{}` is known",
            request.source.url.origin()
        );
        notes.reasons.push(Reason::new(reasons::SIG_DOWNGRADE, message).found("/signatures", None));
    }
    if let Some(terms) = terms {
        hold_against(terms, memory, &comparison, notes);
    }
    notes.step("pins", told(&comparison));
    Some(comparison)
}

/// What is remembered of this card if it is admitted.
fn pinned(facts: &CardFacts<'_>, judged: &Judged) -> Option<PinnedCard> {
    let mut card = PinnedCard::new(facts.sha256.as_ref()?.get(), facts.parts.clone()?);
    card.version = facts.version.filter(|version| version.len() <= MAX_VERSION_OCTETS).map(str::to_owned);
    let counted = judged.counted.iter().filter_map(|place| facts.signatures.get(*place));
    card.issued_at = counted.filter_map(|signature| signature.issued_at).max();
    card.payloads = facts.signatures.iter().filter_map(|signature| signature.payload).collect();
    card.signed = if judged.counted.is_empty() { SignedBy::Nobody } else { SignedBy::Key };
    Some(card)
}

fn compare(memory: &AgentMemory, agent: String, card: PinnedCard) -> PinComparison {
    let newest = memory.newest.clone();
    let other = newest.as_ref().filter(|newest| newest.parts.digest != card.parts.digest);
    let [structure, text] = other.map(|newest| newest.parts.changed(&card.parts)).unwrap_or_default();
    let (order, review) = (other.map(|newest| newest.order(&card)), memory.review(&card));
    PinComparison { agent, card, newest, order, structure, text, review }
}

/// Where signatures are off a card that still carries some is taken at its word.
fn is_unsigned(facts: &CardFacts<'_>, card: &PinnedCard) -> bool {
    card.signed == SignedBy::Nobody && facts.claimed_signatures == 0
}

/// Nothing is remembered, so every card is the first one.
fn not_kept(terms: &Placed<PinTerms>, notes: &mut Notes) {
    match terms.value.first_use {
        FirstUse::Review => {
            let message =
                "the card was never seen before, and the rule wants a person to accept its digest first";
            notes.reasons.push(Reason::new(reasons::PIN_FIRST_USE, message));
        }
        FirstUse::Accept => notes.advise(
            reasons::PIN_NOT_KEPT,
            Level::Warning,
            "no card is remembered here, so an older or changed card of this source is not noticed",
            None,
        ),
    }
}

fn hold_against(
    terms: &Placed<PinTerms>,
    memory: &AgentMemory,
    comparison: &PinComparison,
    notes: &mut Notes,
) {
    if comparison.review == PinReview::Accepted {
        return;
    }
    let Placed { value: terms, place } = terms;
    let digest = comparison.card.parts.digest;
    if terms.first_use == FirstUse::Review && !memory.is_reviewed() {
        let message = format!("no card of this agent was accepted by a person yet; this one is {digest}");
        notes.reasons.push(Reason::new(reasons::PIN_FIRST_USE, message).demanded(place));
    }
    let (Some(newest), Some(order)) = (&comparison.newest, comparison.order) else {
        if comparison.newest.is_none() && terms.first_use == FirstUse::Accept {
            let message = "the first card of this agent: there is nothing to compare it with";
            notes.advise(reasons::PIN_FIRST_USE, Level::Info, message, None);
        }
        return;
    };
    let card = &comparison.card;
    match order {
        PinOrder::Older => {
            let message = format!("the card is older than one that was seen: {}", both(newest, card));
            notes.react(terms.rollback, place, reasons::PIN_ROLLBACK, message);
        }
        PinOrder::Unknown => {
            let message = format!(
                "nobody can say whether the card is older than the one that was seen: {}",
                both(newest, card)
            );
            notes.react(terms.rollback, place, reasons::PIN_ROLLBACK, message);
        }
        PinOrder::Level => {}
        PinOrder::Newer => return,
    }
    let parts = [
        (&comparison.structure, terms.structure, reasons::PIN_STRUCTURE, "structure"),
        (&comparison.text, terms.text, reasons::PIN_TEXT, "text"),
    ];
    for (changed, reaction, code, part) in parts {
        if !changed.is_empty() {
            let message = format!(
                "the {part} of the card is another one than was seen, and its version is not newer: {}; {}",
                named(changed),
                both(newest, card)
            );
            notes.react(reaction, place, code, message);
        }
    }
}

impl Notes {
    fn react(&mut self, reaction: Reaction, place: &PolicyPlace, code: Code, message: String) {
        match reaction {
            Reaction::Deny => self.reasons.push(Reason::new(code, message).demanded(place)),
            Reaction::Report => self.advise(code, Level::Warning, message, None),
        }
    }
}

/// Version and time of two cards.
fn both(newest: &PinnedCard, card: &PinnedCard) -> String {
    let one = |card: &PinnedCard| {
        let version = card.version.as_deref().map_or_else(
            || "no version".to_owned(),
            |version| format!("version `{}`", version.escape_debug()),
        );
        card.issued_at.map_or(version.clone(), |at| format!("{version} signed at {at}"))
    };
    format!("{} now, {} before", one(card), one(newest))
}

fn named(pointers: &[String]) -> String {
    let name = |pointer: &String| {
        if pointer.is_empty() { "members outside the schema".to_owned() } else { format!("`{pointer}`") }
    };
    pointers.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn told(comparison: &PinComparison) -> String {
    let what = match (&comparison.newest, comparison.order) {
        (None, _) => "the first card of its agent".to_owned(),
        (Some(_), None) => "the card that is remembered".to_owned(),
        (Some(newest), Some(order)) => {
            let order = match order {
                PinOrder::Older => "an older card",
                PinOrder::Level => "another card of the same version",
                PinOrder::Newer => "a newer card",
                PinOrder::Unknown => "another card",
            };
            format!("{order} than the one that is remembered, {}", newest.parts.digest)
        }
    };
    match comparison.review {
        PinReview::None => what,
        PinReview::Accepted => format!("{what}; a person accepted it"),
        PinReview::Revoked => format!("{what}; a person revoked it"),
    }
}
