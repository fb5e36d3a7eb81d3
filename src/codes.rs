//! The codes of this package, and the one registry of all codes.

use countersign_keys::{Code, declare_codes};

declare_codes! {
    JSON_AMBIGUOUS_MEMBER = "json.ambiguous-member" {
        what: "One object holds two members whose names are equal after folding case and underscores, and one of them is a known member.",
        why: "Readers that fold names take one for the other, so the member that was verified need not be the member that is used.",
        example: "{\"supportedInterfaces\": [], \"supported_interfaces\": [{\"url\": \"https://evil.example\"}]}",
        instead: "Keep the camelCase member and delete the other.",
    }
    CARD_NOT_AN_AGENT_CARD = "card.not-an-agent-card" {
        what: "The JSON value is not an object, so it is no AgentCard.",
        why: "Other documents are found at card paths: lists, registration records, wrapped cards.",
        example: "[{\"name\": \"Agent\"}]",
        instead: "Give the AgentCard object itself.",
    }
    CARD_SNAKE_CASE = "card.snake-case" {
        what: "A member is spelled as in the proto file instead of in camelCase.",
        why: "A2A §5.5 wants camelCase; only ProtoJSON readers take the other spelling, so clients see different cards.",
        example: "{\"supported_interfaces\": []}",
        instead: "Write `supportedInterfaces`.",
    }
    SIG_UNCOVERED_MEMBER = "sig.uncovered-member" {
        what: "The signature verifies, but a member of the received card has no part in the octets that were signed.",
        why: "Whoever passes the card on can change, add or delete such a member and the signature still verifies.",
        example: "a card signed under sdk-1.x with an unsigned `{}` in `supportedInterfaces`",
        instead: "Sign under a form that covers the member (`as-received` covers all), delete it, or allow its place (`--allow-uncovered POINTER`).",
    }
    SIG_UNSIGNED_REQUIREMENT = "sig.unsigned-requirement" {
        what: "A security requirement or an empty mutual TLS scheme is not signed; it was handed on, marked.",
        why: "It can only demand more of a client, but an attacker can delete it: the form of the official SDKs drops requirements without scopes.",
        example: "{\"securityRequirements\": [{\"schemes\": {\"bearer\": {\"list\": []}}}]} signed under sdk-1.x",
        instead: "Ask the publisher to give the requirement a scope or to sign under `a2a-1.0`.",
    }
}

/// Every code that countersign can give, in the order of its packages.
#[must_use]
pub fn registry() -> impl Iterator<Item = Code> {
    countersign_keys::codes::ALL.iter().chain(ALL).copied()
}

/// The code with this name.
///
/// # Examples
///
/// ```
/// assert_eq!(countersign::codes::find("json.bom").map(|code| code.name()), Some("json.bom"));
/// assert_eq!(countersign::codes::find("json.nothing"), None);
/// ```
#[must_use]
pub fn find(name: &str) -> Option<Code> {
    registry().find(|code| code.name() == name)
}
