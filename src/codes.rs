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
