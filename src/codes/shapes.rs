//! The codes about the generation that a card is of.

use countersign_keys::declare_codes;
pub use countersign_policy::codes::decision::CARD_UNVERSIONED;

declare_codes! {
    CARD_LEGACY_URL_DISAGREES = "card.legacy-url-disagrees" {
        what: "The top-level `url` of a card is none of the interfaces of A2A 0.3 that its `supportedInterfaces` lists.",
        why: "Clients of 0.3 read the top-level member and others the list, so they talk to different endpoints; the member is often outside the signature.",
        example: "{\"url\": \"https://old.example/a2a\", \"protocolVersion\": \"0.3.0\", \"supportedInterfaces\": [{\"url\": \"https://agent.example/a2a\", \"protocolBinding\": \"JSONRPC\", \"protocolVersion\": \"0.3\"}]}",
        instead: "Write the same URL in both places, or remove the top-level members.",
    }
    CARD_TRANSPORT_CONFLICT = "card.transport-conflict" {
        what: "A card of A2A 0.3 names two transports for one URL.",
        why: "A2A 0.3 §5.6.4 forbids it: a client that takes the wrong one gets answers that it cannot read.",
        example: "{\"url\": \"https://agent.example/a2a\", \"preferredTransport\": \"JSONRPC\", \"additionalInterfaces\": [{\"url\": \"https://agent.example/a2a\", \"transport\": \"GRPC\"}]}",
        instead: "Give each transport its own URL, and repeat the main interface with its own transport.",
    }
}
