//! Codes of the lints about capabilities and extensions.

use countersign_keys::declare_codes;

declare_codes! {
    CARD_CAPABILITY_UNKNOWN = "card.capability-unknown" {
        what: "`capabilities` has a member that is no flag of A2A, such as the name of an operation.",
        why: "Clients ignore it: capabilities are a few optional flags (A2A §4.4.3), what the agent does is a skill.",
        example: "{\"capabilities\": {\"message/send\": true}}",
        instead: "Delete it; describe what the agent does in `skills`, and protocol additions in `capabilities.extensions`.",
    }
    CARD_EXTENSION_URI = "card.extension-uri" {
        what: "An extension has no `uri`, one that is no absolute URI, or one that an extension before it has.",
        why: "The URI is the name of the extension (A2A §4.4.4): clients compare it, and two entries may contradict each other.",
        example: "{\"capabilities\": {\"extensions\": [{\"uri\": \"traceability\"}]}}",
        instead: "Write the URI that the extension's specification gives, once: `https://example.com/ext/traceability/v1`.",
    }
    CARD_EXTENSION_REQUIRED = "card.extension-required" {
        what: "The card demands that clients support an extension.",
        why: "A client that does not support it must not call the agent (A2A §4.6).",
        example: "{\"capabilities\": {\"extensions\": [{\"uri\": \"https://example.com/ext/payments/v1\", \"required\": true}]}}",
        instead: "Publisher: demand only what the agent cannot do without. Client: support the extension or choose another agent.",
    }
}
