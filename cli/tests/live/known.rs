//! Where a peer or countersign does not do what the form says, with the reason.

use crate::peer::Peer;

/// Cards that countersign does not sign, under no form, and the code that says why.
pub(crate) const REFUSED: [(&str, &str); 7] = [
    ("v1-spec-fragment", "card.not-an-agent-card"),
    ("v1-provider-empty-object", "card.required-missing"),
    ("v1-required-missing", "card.required-missing"),
    ("v1-duplicate-key", "json.duplicate-member"),
    ("v1-params-big-int", "json.inexact-number"),
    ("v1-lone-surrogate", "json.invalid-unicode"),
    ("v1-lone-surrogate-params", "json.invalid-unicode"),
];

/// Cards with parameters of an extension that `sdk-1.x` and `sdk-py-1.0` leave out: countersign neither signs nor accepts
/// them under these forms (`sig.uncovered-member`).
pub(crate) const UNCOVERED: [&str; 3] = ["v1-params-empties", "v1-params-only-empties", "vx-superset-params"];

/// How a peer departs from its form on a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// It does not read the card, and says this.
    Unreadable(&'static str),
    /// It signs, and expects, octets that are those of no form.
    OtherOctets,
}

const DEPARTURES: [(Peer, &str, Known); 6] = [
    // Its parser of protobuf JSON counts every array of a `params` several times.
    (Peer::Py130, "v1-params-deep-50", Known::Unreadable("Message too deep")),
    (Peer::Py130, "v1-params-deep-110", Known::Unreadable("Message too deep")),
    // `version` is a number there.
    (Peer::Py130, "v1-wrong-type-version", Known::Unreadable("expected string")),
    (Peer::Py103, "v1-wrong-type-version", Known::Unreadable("expected string")),
    // It reads the number as text.
    (Peer::Js130, "v1-wrong-type-version", Known::OtherOctets),
    // It loses the member `__proto__`.
    (Peer::Js130, "v1-params-proto-key", Known::OtherOctets),
];

pub(crate) fn departure(peer: Peer, card: &str) -> Option<Known> {
    let mut departures = DEPARTURES.iter();
    departures.find(|(who, id, _)| *who == peer && *id == card).map(|(_, _, known)| *known)
}

pub(crate) fn uncovered(card: &str, form: &str) -> bool {
    form.starts_with("sdk-") && UNCOVERED.contains(&card)
}
