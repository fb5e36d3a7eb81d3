//! Codes about the interfaces of a card and which of them a client can use.

use countersign_keys::declare_codes;
pub use countersign_policy::codes::decision::{IFACE_BINDING_CASE, IFACE_NONE_COMPATIBLE, IFACE_NONE_LEFT};

declare_codes! {
    IFACE_BINDING_UNKNOWN = "iface.binding-unknown" {
        what: "The binding is none of A2A, and no URI of another one.",
        why: "Clients compare bindings exactly: no client speaks `REST` or `JSON-RPC`.",
        example: "{\"protocolBinding\": \"REST\"}",
        instead: "Write `JSONRPC`, `GRPC` or `HTTP+JSON`, or the URI of your own binding (A2A §5.8).",
    }
    IFACE_MIXED_ORIGINS = "iface.mixed-origins" {
        what: "The interfaces of one agent are below names that were registered by different owners.",
        why: "One of them may be left over, or have been added by somebody else; a client has to trust both.",
        example: "one interface at agent.example, another at agent.other.example.net",
        instead: "Serve the agent below one name, or check that both are yours.",
    }
    IFACE_ORDER = "iface.order" {
        what: "An interface of an older version stands before one of a newer version.",
        why: "The order is the publisher's preference (A2A §8.3.1), and some clients take the first that they can use.",
        example: "an interface of version 0.3 before one of version 1.0",
        instead: "List the newest version first.",
    }
    IFACE_DEFAULT_TRANSPORT = "iface.default-transport" {
        what: "A card of A2A 0.3 does not say what is spoken at its URL, so JSONRPC is assumed.",
        why: "The schema of 0.3 has that default, its prose demands the member.",
        example: "{\"protocolVersion\": \"0.3.0\", \"url\": \"https://agent.example\"}",
        instead: "Write `\"preferredTransport\": \"JSONRPC\"`.",
    }
    IFACE_DUPLICATE = "iface.duplicate" {
        what: "An interface is listed twice: same version, binding, URL and tenant.",
        why: "The second entry offers nothing, and clients that prefer the last one of equals behave differently.",
        example: "an entry of `additionalInterfaces` that repeats `url` and `preferredTransport`",
        instead: "Keep one of the two.",
    }
    IFACE_VERSION_NOT_ACCEPTED = "iface.version-not-accepted" {
        what: "The client does not speak this version of the protocol, or was told not to use it.",
        why: "A request in one version to an interface of another fails in ways that look like other errors.",
        example: "an interface of version 0.3 for a client with `--accept 1.0/JSONRPC`",
        instead: "Accept the version if the client speaks it, and allow it with `--protocol`.",
    }
    IFACE_BINDING_NOT_ACCEPTED = "iface.binding-not-accepted" {
        what: "The client speaks this version of the protocol, and not over this binding.",
        why: "Bindings differ in everything that goes over the wire.",
        example: "a GRPC interface for a client with `--accept 1.0/JSONRPC`",
        instead: "Accept the binding if the client speaks it.",
    }
    IFACE_FALLBACK_DENIED = "iface.fallback-denied" {
        what: "The interface is of A2A 0.3, and the client was not allowed to fall back to it.",
        why: "An attacker who can make a client fall back chooses the weaker protocol.",
        example: "a card that offers 0.3 only, for a client that accepts 1.0 and 0.3 without `--fallback allow`",
        instead: "Allow the fallback, or accept 0.3 only.",
    }
    IFACE_NOT_FIRST = "iface.not-first" {
        what: "The client could use this interface; another one comes before it.",
        why: "Which one comes first is decided by `--prefer`: the card's order, the newest version, or the client's order.",
        example: "the second of two JSONRPC interfaces of version 1.0",
        instead: "Nothing is wrong; choose another order if another interface is wanted.",
    }
    IFACE_REFUSED_VERSION = "iface.refused-version" {
        what: "The server behind this interface answered that it does not support the version that the card offers.",
        why: "The card is out of date; only this answer is a reason to try the next interface.",
        example: "JSON-RPC error -32009",
        instead: "Tell the publisher.",
    }
}
