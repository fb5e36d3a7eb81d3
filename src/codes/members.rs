//! The codes about the members of a card: their names, types and values.

use countersign_keys::declare_codes;
pub use countersign_policy::codes::decision::CARD_INTERFACE_INCOMPLETE;

declare_codes! {
    CARD_UNKNOWN_MEMBER = "card.unknown-member" {
        what: "A member is not in the schema of the card's generation.",
        why: "A2A §5.7 has readers ignore it, so what it says reaches nobody; most forms leave it out of the signed octets.",
        example: "{\"supportedInterfaces\": [{\"url\": \"https://agent.example/a2a\", \"protocol\": \"rest\"}]}",
        instead: "Write the member of the schema that is meant, or declare an extension in `capabilities.extensions` and put the value into its `params`.",
    }
    CARD_LEGACY_SHAPE = "card.legacy-shape" {
        what: "A card of A2A 1.0 holds a member of an older version, claims 1.0 with nothing but the transport members of 0.3, or is from before 0.3.",
        why: "Clients of 1.0 look at `supportedInterfaces`, `securityRequirements` and the members of schemes only (A2A 1.0 Appendix A.2.2): an endpoint or a demand in an older member does not exist for them.",
        example: "{\"supportedInterfaces\": [{\"url\": \"https://agent.example/a2a\"}], \"security\": [{\"bearer\": []}]}",
        instead: "Write the member of A2A 1.0; keep those of 0.3 only in a card that offers 0.3 too.",
    }
    CARD_MEMBER_CASE = "card.member-case" {
        what: "A member differs from one of the schema only in case or in underscores.",
        why: "Names are compared exactly (A2A §5.5); only lenient readers take the member, so clients see different cards.",
        example: "{\"supportedInterfaces\": [{\"Url\": \"https://agent.example/a2a\"}]}",
        instead: "Write the name of the schema.",
    }
    CARD_REQUIRED_ARRAY_EMPTY = "card.required-array-empty" {
        what: "A REQUIRED list of a card of A2A 1.0 has no element.",
        why: "A2A §5.7 wants at least one, so strict clients reject the card; without `supportedInterfaces` there is nothing to connect to.",
        example: "{\"skills\": []}",
        instead: "Give the list an element: each agent has a skill, each skill a tag.",
    }
    CARD_REQUIRED_STRING_EMPTY = "card.required-string-empty" {
        what: "A REQUIRED text is empty.",
        why: "The official SDKs drop it from the octets that they sign and check, and other implementations keep it (A2A §8.4.1), so signatures do not verify everywhere.",
        example: "{\"description\": \"\"}",
        instead: "Write the text.",
    }
    CARD_EXPLICIT_DEFAULT = "card.explicit-default" {
        what: "A member without presence of its own stands at its default: `\"\"`, `false`, `[]` or `{}`.",
        why: "A2A §8.4.1 leaves it out of the signed octets: what readers see differs from what is signed.",
        example: "{\"supportedInterfaces\": [{\"tenant\": \"\"}]}",
        instead: "Remove the member; absent means the same.",
    }
    CARD_NULL_MEMBER = "card.null-member" {
        what: "A member is null.",
        why: "ProtoJSON readers take null for absent and strict readers refuse it; forms that keep the card as received sign it.",
        example: "{\"iconUrl\": null}",
        instead: "Remove the member.",
    }
    CARD_WRONG_TYPE = "card.wrong-type" {
        what: "A known member has another JSON type than the schema's.",
        why: "Typed clients fail to read the whole card; others take the member for absent.",
        example: "{\"capabilities\": [\"streaming\"]}",
        instead: "Write the type that the message names.",
    }
    CARD_VERSION_NOT_SEMVER = "card.version-not-semver" {
        what: "The agent's `version` is not `MAJOR.MINOR.PATCH` of Semantic Versioning 2.0.0.",
        why: "Versions that have no order cannot show that an older card was put in the place of a newer one.",
        example: "{\"version\": \"v2\"}",
        instead: "Write three numbers, such as `2.0.0`.",
    }
}
