//! The neutral reasons of the cases as codes.

/// The codes that a neutral reason may be given as.
pub(crate) fn codes(label: &str) -> &'static [&'static str] {
    match label {
        "alg-key-mismatch" => &["sig.algorithm-key-mismatch"],
        "alg-not-allowed" => &["sig.algorithm-not-allowed"],
        "alg-unsupported" => &["sig.algorithm-unsupported"],
        "binding-case" => &["iface.binding-case"],
        "critical-header" => &["sig.critical-header"],
        // A trailing dot is refused before any host is compared.
        "domain-not-allowed" => &[
            "iface.host-not-allowed",
            "iface.off-origin",
            "origin.denied",
            "url.private-address",
            "url.host-trailing-dot",
        ],
        "duplicate-member" => &["json.duplicate-member"],
        "grpc-url-form" => &["iface.grpc-form"],
        "invalid-unicode" => &["json.invalid-unicode"],
        "key-load-failed" => &["key.unreadable", "key.encrypted", "key.not-a-key-set"],
        "key-not-found" => &["sig.unknown-key"],
        // The other host of a card that one key may speak for half of.
        "key-untrusted" => &["sig.key-out-of-scope", "iface.off-origin"],
        "key-unusable" => &["key.unusable", "key.wrong-curve"],
        "legacy-card" => &["card.unversioned", "card.legacy-shape"],
        "legacy-members" => &["card.legacy-shape"],
        // Of a security scheme.
        "legacy-shape" => &["auth.empty-oneof"],
        "malformed-header" => &["sig.malformed-header"],
        // An entry that has no header at all is not told apart from one with a damaged signature.
        "malformed-entry" => &["sig.malformed-header", "sig.malformed"],
        "malformed-json" => &["json.malformed"],
        "malformed-signature" => &["sig.malformed"],
        "malformed-url" => &[
            "url.userinfo",
            "url.backslash",
            "url.control-or-space",
            "url.not-absolute",
            "url.empty-host",
            "url.host-trailing-dot",
            "url.host-empty-label",
            "url.port-invalid",
            "url.ip-embedded-v4",
            "url.bad-authority",
        ],
        "missing-kid" => &["sig.missing-kid"],
        "no-compatible-interface" => &["iface.none-compatible"],
        "missing-required" => &["card.required-missing", "card.interface-incomplete"],
        "no-signature" => &["sig.absent"],
        "not-an-agent-card" => &["card.not-an-agent-card"],
        "null-member" => &["card.null-member"],
        "number-out-of-range" => &["json.inexact-number", "json.number-overflow", "json.rounded-number"],
        "patch-version" => &["card.version-patch"],
        "port-not-allowed" => &["iface.port-not-allowed"],
        "private-address" => {
            &["url.private-address", "url.metadata-address", "url.ip-embedded-v4", "url.ip-noncanonical"]
        }
        "private-key-material" => &["key.private-in-public-set"],
        "scheme-not-allowed" => &["iface.scheme-not-allowed", "url.scheme-unsupported", "url.not-absolute"],
        "signature-mismatch" => &["sig.invalid"],
        "snake-case" => &["card.snake-case"],
        "too-deep" => &["json.too-deep"],
        "version-unsupported" => &["iface.version-not-allowed", "card.unversioned", "card.legacy-shape"],
        "version-unrecognised" => &["card.version-unrecognized"],
        "weak-key" => &["key.weak"],
        "wrong-shape" => &["auth.empty-oneof", "auth.bare-requirement"],
        // A list or a text where the card should be.
        "wrong-type" => &["card.wrong-type", "card.not-an-agent-card"],
        _ => &[],
    }
}
