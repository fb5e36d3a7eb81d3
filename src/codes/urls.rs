//! Codes about URLs beside the faults of the strict profile, which `countersign_policy` declares.

use countersign_keys::declare_codes;

declare_codes! {
    IFACE_NOT_HTTPS = "iface.not-https" {
        what: "An interface is reached without encryption.",
        why: "A2A §7.1 and §13.4 demand TLS: whoever is in between reads and changes tasks and credentials.",
        example: "{\"url\": \"http://agent.example/a2a\"}",
        instead: "Serve the agent over TLS and write `https`.",
    }
    IFACE_GRPC_FORM = "iface.grpc-form" {
        what: "The URL of a GRPC interface is no `host:port`.",
        why: "gRPC libraries open channels to `host:port`; they read a URL as the name of a resolver, or add a port of their own.",
        example: "{\"url\": \"https://agent.example\", \"protocolBinding\": \"GRPC\"}",
        instead: "Write `agent.example:443`.",
    }
    AUTH_NOT_HTTPS = "auth.not-https" {
        what: "A URL that clients send credentials to, or learn from where to send them, is not https.",
        why: "OAuth 2.0 (RFC 6749 §3.1.2.1, RFC 8414 §2) demands TLS: whoever is in between takes the token.",
        example: "{\"tokenUrl\": \"http://login.example/token\"}",
        instead: "Write the https URL of the authorization server.",
    }
    CARD_INFO_URL_PROFILE = "card.info-url-profile" {
        what: "The URL of an icon, of documentation or of the provider is no plain https URL.",
        why: "Such URLs are opened in browsers and in consoles of operators, where `javascript:` runs and http is blocked.",
        example: "{\"documentationUrl\": \"javascript:alert(1)\"}",
        instead: "Write an https URL.",
    }
    IFACE_URL_SPELLING = "iface.url-spelling" {
        what: "The URL of an interface has upper-case letters in its scheme or host, or a default port.",
        why: "Clients fold them and string comparisons in allowlists do not, so one agent looks like two.",
        example: "{\"url\": \"HTTPS://Agent.example:443/a2a\"}",
        instead: "Write `https://agent.example/a2a`.",
    }
    CARD_PRIVATE_ENDPOINT = "card.private-endpoint" {
        what: "A host is a name that only a private network resolves.",
        why: "Readers of a public card cannot reach it, or reach another machine of that name in their own network.",
        example: "{\"url\": \"https://agent.internal/a2a\"}",
        instead: "Publish a card of its own for that network.",
    }
    CARD_SUSPICIOUS_URL = "card.suspicious-url" {
        what: "The URL of an interface ends like the URL of a card or of one operation.",
        why: "Clients append the paths of operations to it, and get an error that does not say why.",
        example: "{\"url\": \"https://agent.example/.well-known/agent-card.json\"}",
        instead: "Write the URL that all operations are sent to.",
    }
}
