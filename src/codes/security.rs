//! Codes of the lints about authentication.

use countersign_keys::declare_codes;
pub use countersign_policy::codes::decision::{AUTH_ANONYMOUS, AUTH_UNDEFINED_SCHEME};

declare_codes! {
    AUTH_UNUSED_SCHEME = "auth.unused-scheme" {
        what: "A security scheme is declared, and no requirement of the card or of a skill names it.",
        why: "Clients authenticate with what requirements demand; a scheme that none demands is never used.",
        example: "{\"securitySchemes\": {\"oauth\": …, \"apiKey\": …}, \"securityRequirements\": [{\"schemes\": {\"oauth\": {\"list\": [\"read\"]}}}]}",
        instead: "Demand the scheme where it is needed, or delete it.",
    }
    AUTH_BARE_REQUIREMENT = "auth.bare-requirement" {
        what: "A card of A2A 1.0 states a security requirement in the form of A2A 0.3, without `schemes`.",
        why: "A reader of A2A 1.0 refuses the card or reads a requirement that demands nothing.",
        example: "{\"securityRequirements\": [{\"bearer\": []}]}",
        instead: "Write `{\"schemes\": {\"bearer\": {\"list\": []}}}` in `securityRequirements`.",
    }
    AUTH_EMPTY_ONEOF = "auth.empty-oneof" {
        what: "A security scheme does not have exactly one of the members that say what it is, or `flows` of an OAuth 2.0 scheme not exactly one flow.",
        why: "Readers of A2A 1.0 see a scheme with nothing in it, refuse the card, or take whichever member comes last (A2A §4.5.1).",
        example: "{\"securitySchemes\": {\"login\": {\"openIdConnectUrl\": \"https://login.example/.well-known/openid-configuration\"}}}",
        instead: "Put the members into one of `apiKeySecurityScheme`, `httpAuthSecurityScheme`, `oauth2SecurityScheme`, `openIdConnectSecurityScheme` or `mtlsSecurityScheme`; declare one scheme for each OAuth flow.",
    }
    AUTH_DEPRECATED_FLOW = "auth.deprecated-flow" {
        what: "An OAuth 2.0 scheme uses the implicit or the password flow.",
        why: "A2A §4.5.7 deprecates both: one hands the token out in a URL, the other has clients see passwords (RFC 9700).",
        example: "{\"oauth2SecurityScheme\": {\"flows\": {\"implicit\": {\"authorizationUrl\": \"https://login.example/authorize\", \"scopes\": {}}}}}",
        instead: "Use `authorizationCode` with `pkceRequired`, `deviceCode` or `clientCredentials`.",
    }
    AUTH_API_KEY_QUERY = "auth.api-key-query" {
        what: "An API key travels in the query of the URL, or its location is none that A2A knows.",
        why: "URLs end up in logs, histories and `Referer` headers; an unknown location cannot be satisfied (A2A §4.5.2).",
        example: "{\"apiKeySecurityScheme\": {\"location\": \"query\", \"name\": \"key\"}}",
        instead: "Take the key from a header: `\"location\": \"header\"`.",
    }
    AUTH_BASIC = "auth.basic" {
        what: "An HTTP scheme is `Basic`, or is not in the IANA registry of HTTP authentication schemes.",
        why: "Basic sends a reusable password with every request; clients do not know unregistered schemes (A2A §4.5.3).",
        example: "{\"httpAuthSecurityScheme\": {\"scheme\": \"Basic\"}}",
        instead: "Use `Bearer` or another registered scheme; a key in a header of your own is an `apiKeySecurityScheme`.",
    }
    AUTH_PKCE = "auth.pkce" {
        what: "An authorization code flow does not set `pkceRequired`.",
        why: "Without PKCE (RFC 7636) whoever intercepts the authorization code can redeem it; RFC 9700 demands it.",
        example: "{\"authorizationCode\": {\"authorizationUrl\": \"https://login.example/authorize\", \"tokenUrl\": \"https://login.example/token\", \"scopes\": {}}}",
        instead: "Write `\"pkceRequired\": true` and enforce it at the authorization server.",
    }
    AUTH_NOT_COVERED = "auth.not-covered" {
        what: "The payload that the official SDKs sign does not hold a security requirement of the card, because it has no scopes.",
        why: "Whoever passes the card on can delete the requirement, or add an anonymous alternative, and such a signature still verifies.",
        example: "{\"securityRequirements\": [{\"schemes\": {\"bearer\": {\"list\": []}}}]}",
        instead: "Give the requirement a scope, or publish two signatures: `--form a2a-1.0 --form sdk-1.x`.",
    }
    CARD_EXTENDED_CARD_WITHOUT_AUTH = "card.extended-card-without-auth" {
        what: "The card offers an extended card and declares no security scheme that a client can use.",
        why: "The extended card is for authenticated clients only (A2A §13.3); nobody can tell how to become one.",
        example: "{\"capabilities\": {\"extendedAgentCard\": true}}",
        instead: "Declare a security scheme, or delete the flag.",
    }
    CARD_PUSH_WITHOUT_AUTH = "card.push-without-auth" {
        what: "The card offers push notifications and declares no security scheme that a client can use.",
        why: "Whoever reaches the agent can have it call a URL of their choice (A2A §13.2).",
        example: "{\"capabilities\": {\"pushNotifications\": true}}",
        instead: "Declare and demand a security scheme.",
    }
}
