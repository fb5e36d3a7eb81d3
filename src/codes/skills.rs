//! Codes of the lints about skills and media types.

use countersign_keys::declare_codes;

declare_codes! {
    SKILL_ID_DUPLICATE = "skill.id-duplicate" {
        what: "Two skills have the same `id`.",
        why: "The id names a skill (A2A §4.4.5); approval of one would hold for the other.",
        example: "{\"skills\": [{\"id\": \"route\", …}, {\"id\": \"route\", …}]}",
        instead: "Give each skill an id of its own.",
    }
    CARD_MEDIA_TYPE_SYNTAX = "card.media-type-syntax" {
        what: "An input or output mode is no media type: `type/subtype`, with parameters after `;`.",
        why: "Clients compare modes with the media types of their parts (A2A §4.4.1, §4.4.5); `text` matches none.",
        example: "{\"defaultInputModes\": [\"text\"]}",
        instead: "Write `text/plain`, `application/json` or another type of RFC 9110 §8.3.1.",
    }
}
