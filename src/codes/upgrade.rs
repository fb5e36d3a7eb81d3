//! Codes about the upgrade of a card.

use countersign_keys::declare_codes;

declare_codes! {
    CARD_UPGRADE_REFUSED = "card.upgrade-refused" {
        what: "The card cannot be written as one of A2A 1.0: it is no card of A2A 0.3 or older, or has no interface, or has members with no place there.",
        why: "An upgrade says what the old card says; where that cannot be told, it would be a guess.",
        example: "a card of A2A 1.0",
        instead: "Write the interfaces, or remove the member that is in the way, by hand.",
    }
    CARD_UPGRADE_LOSS = "card.upgrade-loss" {
        what: "The old card says something that the upgraded card does not say, or not in a way that A2A 1.0 reads.",
        why: "A2A 1.0 has no member for it, or it could not be read; a loss at level error is about an interface or about authentication.",
        example: "{\"capabilities\": {\"stateTransitionHistory\": true}}",
        instead: "Read what is lost and write by hand what A2A 1.0 has for it.",
    }
    CARD_UPGRADE_CHOICE = "card.upgrade-choice" {
        what: "The upgraded card says something that the old card does not say.",
        why: "What a server speaks cannot be read off its card: the publisher has to know.",
        example: "{\"protocolVersion\": \"1.0\"} in an interface that was one of A2A 0.3",
        instead: "Check each choice against the server before the card is published.",
    }
}
