//! The codes of this package, each with its `explain` page.

use countersign_keys::declare_codes;

declare_codes! {
    CARD_VERSION_UNRECOGNIZED = "card.version-unrecognized" {
        what: "A `protocolVersion` in the card is not `X.Y` or `X.Y.Z`.",
        why: "Libraries guess differently: `1` is 1.0 to one and an error to another, so client and server would speak different protocols.",
        example: "{\"protocolVersion\": \"v1.0\"}",
        instead: "Write major and minor, in ASCII digits without leading zeros: `1.0`.",
    }
    CARD_VERSION_PATCH = "card.version-patch" {
        what: "A `protocolVersion` in the card has a patch number, which is ignored.",
        why: "A2A 1.0 section 3.6: only major and minor take part in negotiation, and a card should not name a patch.",
        example: "{\"protocolVersion\": \"0.3.0\"}",
        instead: "Write `0.3` or `1.0`.",
    }
    IFACE_VERSION_HEADER = "iface.version-header" {
        what: "An `A2A-Version` header is not exactly `X.Y`.",
        why: "A2A 1.0 section 14.2.1: the value is major and minor; a server answers anything else with VersionNotSupportedError.",
        example: "A2A-Version: 1.0.0",
        instead: "Send `A2A-Version: 1.0`.",
    }
}
