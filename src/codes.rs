//! The codes of this package, and the one registry of all codes.

pub mod cache;
pub mod capabilities;
pub mod content;
pub mod fetch;
pub mod interfaces;
pub mod members;
pub mod security;
pub mod shapes;
pub mod signatures;
pub mod skills;
pub mod upgrade;
pub mod urls;

use countersign_keys::{Code, declare_codes};
pub use countersign_policy::codes::decision::{
    AUTH_NOT_PROVABLE, FRESH_EXPIRED, SIG_ABSENT, SIG_STALE, SIG_THRESHOLD, SIG_UNCOVERED_MEMBER,
};

declare_codes! {
    JSON_AMBIGUOUS_MEMBER = "json.ambiguous-member" {
        what: "One object holds two members whose names are equal after folding case and underscores, and one of them is a known member.",
        why: "Readers that fold names take one for the other, so the member that was verified need not be the member that is used.",
        example: "{\"supportedInterfaces\": [], \"supported_interfaces\": [{\"url\": \"https://evil.example\"}]}",
        instead: "Keep the camelCase member and delete the other.",
    }
    CARD_NOT_AN_AGENT_CARD = "card.not-an-agent-card" {
        what: "The JSON value is no AgentCard: no object, or one with neither interfaces of A2A 1.0 nor the `url`, `capabilities` and `skills` of an older card.",
        why: "Other documents are found at card paths: lists, registration records, descriptions of MCP servers, wrapped cards.",
        example: "[{\"name\": \"Agent\"}]",
        instead: "Give the AgentCard object itself.",
    }
    CARD_SNAKE_CASE = "card.snake-case" {
        what: "A member is spelled as in the proto file instead of in camelCase.",
        why: "A2A §5.5 wants camelCase; only ProtoJSON readers take the other spelling, so clients see different cards.",
        example: "{\"supported_interfaces\": []}",
        instead: "Write `supportedInterfaces`.",
    }
    SIG_UNSIGNED_REQUIREMENT = "sig.unsigned-requirement" {
        what: "A security requirement or an empty mutual TLS scheme is not signed; it was handed on, marked.",
        why: "It can only demand more of a client, but an attacker can delete it: the form of the official SDKs drops requirements without scopes.",
        example: "{\"securityRequirements\": [{\"schemes\": {\"bearer\": {\"list\": []}}}]} signed under sdk-1.x",
        instead: "Ask the publisher to give the requirement a scope or to sign under `a2a-1.0`.",
    }
    SIG_TOO_MANY = "sig.too-many" {
        what: "The card has more than 16 signatures; none was looked at.",
        why: "Each signature costs a check for every accepted form, and the number is the sender's choice.",
        example: "64 damaged entries before a good one",
        instead: "Keep one entry for each key and form; a signer that appends on every request must replace its own.",
    }
    SIG_FOREIGN_SHAPE = "sig.foreign-shape" {
        what: "An entry of `signatures` is a signature of another kind than A2A §8.4.2 describes.",
        why: "No A2A client verifies it, so the card counts as unsigned everywhere else.",
        example: "{\"signature\": \"eyJhbGciOiJFUzI1NiJ9.e30.c2ln\"}",
        instead: "Write `protected` and `signature` in base64url, over the detached canonical payload.",
    }
    SIG_DUPLICATE_KEY = "sig.duplicate-key" {
        what: "Two entries are by the same key over the same octets.",
        why: "The second proves nothing more; signers that append on every request leave such entries behind.",
        example: "the same entry twice",
        instead: "Re-sign with a tool that replaces the entries of its own key.",
    }
    SIG_FORM_NOT_ACCEPTED = "sig.form-not-accepted" {
        what: "The canonical form is not one that is accepted or signed here, or the card has no octets under it.",
        why: "Some forms leave security members unsigned or make sense for one generation of cards only.",
        example: "`--form zeph` with `sign`, or `--form a2a-1.0` for a card that offers 0.3 only",
        instead: "Choose a form that `sign --help` lists; cards that offer 0.3 only are signed under `as-received`.",
    }
    SIG_NOT_PORTABLE = "sig.not-portable" {
        what: "Implementations that verify under another form reject the signature that was just made.",
        why: "Every SDK signs other octets; they agree only on cards without empty REQUIRED members, unknown members and the like.",
        example: "{\"skills\": []} signed under `a2a-1.0` only",
        instead: "Sign under several forms (`--form a2a-1.0 --form sdk-1.x`), or remove the members that the message names. The lint about the card itself is `sig.form-unstable`.",
    }
    ENDORSEMENT_MALFORMED = "endorsement.malformed" {
        what: "The JSON value is no endorsement: a member is absent, of another type, or not written as it must be.",
        why: "An endorsement decides whether a card counts as signed; one that is read in two ways counts for two cards.",
        example: "{\"schema\": \"countersign.endorsement/1\", \"payload_sha256\": \"ABC\", \"signatures\": []}",
        instead: "Make endorsements with `countersign sign CARD --key FILE --endorsement FILE`.",
    }
    ENDORSEMENT_UNKNOWN_SCHEMA = "endorsement.unknown-schema" {
        what: "The `schema` of the endorsement is not one that is known here.",
        why: "A later schema may say what its signatures do not stand for; a reader that guesses would count them anyway.",
        example: "{\"schema\": \"countersign.endorsement/2\", …}",
        instead: "Use a version of countersign that knows the schema, or have the card endorsed again.",
    }
    ENDORSEMENT_UNKNOWN_MEMBER = "endorsement.unknown-member" {
        what: "The endorsement has a member that its schema does not have.",
        why: "Nobody signs the members of an endorsement file; what a reader overlooks may be what another one relies on.",
        example: "{\"schema\": \"countersign.endorsement/1\", \"expires\": \"2027-01-01\", …}",
        instead: "Delete the member; a time to end at belongs into the protected header (`sign --expires`).",
    }
    ENDORSEMENT_TOO_MANY = "endorsement.too-many" {
        what: "An endorsement has more than 16 signatures, or more than 64 endorsements are given for one verification.",
        why: "Each signature costs a check, and the number is the choice of whoever made the file.",
        example: "an endorsement with 17 signatures",
        instead: "Keep one entry for each key, and give only the endorsements of the cards that are verified.",
    }
    ENDORSEMENT_PAYLOAD_MISMATCH = "endorsement.payload-mismatch" {
        what: "No payload of this card has the SHA-256 digest that the endorsement names.",
        why: "The endorsement is for another card, for this card before it was changed, or for a canonical form that is not accepted.",
        example: "the endorsement of version 1.0.0 beside the card of version 1.1.0",
        instead: "Give the endorsement of this card, accept its form (`--form`), or have the card endorsed as it is now.",
    }
    ENDORSEMENT_SEVERAL_PAYLOADS = "endorsement.several-payloads" {
        what: "The forms that were asked for have different payloads of this card, and an endorsement is for one payload.",
        why: "An endorsement names the digest of the octets that its signatures are made over; two digests do not fit.",
        example: "`sign card.json --form a2a-1.0 --form sdk-1.x --endorsement review.json` for a card with empty members",
        instead: "Make one endorsement for each form, in files of their own.",
    }
    CARD_REQUIRED_MISSING = "card.required-missing" {
        what: "A member that the schema of the card demands is absent or null.",
        why: "A2A §5.7: a card without it should be rejected, so a signature on it helps nobody.",
        example: "{\"name\": \"Agent\"}",
        instead: "Add the members that the message names.",
    }
}

/// Every code that countersign can give, in the order of its packages.
pub fn registry() -> impl Iterator<Item = Code> {
    let declared = [
        countersign_keys::codes::ALL,
        countersign_policy::codes::ALL,
        countersign_policy::codes::decision::ALL,
        countersign_policy::codes::lints::ALL,
        countersign_policy::codes::load::ALL,
        ALL,
        cache::ALL,
        capabilities::ALL,
        content::ALL,
        fetch::ALL,
        interfaces::ALL,
        members::ALL,
        security::ALL,
        shapes::ALL,
        signatures::ALL,
        skills::ALL,
        upgrade::ALL,
        urls::ALL,
    ];
    declared.into_iter().flatten().copied()
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
