//! Codes about the upgrade of a card.

use countersign_keys::declare_codes;

declare_codes! {
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
