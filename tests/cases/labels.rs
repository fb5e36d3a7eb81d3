//! The neutral reasons of the cases as codes.

/// The codes that a neutral reason may be given as.
pub(crate) fn codes(label: &str) -> &'static [&'static str] {
    match label {
        "alg-key-mismatch" => &["sig.algorithm-key-mismatch"],
        "alg-unsupported" => &["sig.algorithm-unsupported"],
        "binding-case" => &["iface.binding-case"],
        "critical-header" => &["sig.critical-header"],
        "duplicate-member" => &["json.duplicate-member"],
        "grpc-url-form" => &["iface.grpc-form"],
        "invalid-unicode" => &["json.invalid-unicode"],
        "key-load-failed" => &["key.unreadable", "key.encrypted", "key.not-a-key-set"],
        "key-not-found" => &["sig.unknown-key"],
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
        "missing-kid" => &["sig.missing-kid"],
        "no-compatible-interface" => &["iface.none-compatible"],
        "missing-required" => &["card.required-missing", "card.interface-incomplete"],
        "no-signature" => &["sig.absent"],
        "not-an-agent-card" => &["card.not-an-agent-card"],
        "null-member" => &["card.null-member"],
        "number-out-of-range" => &["json.inexact-number", "json.number-overflow", "json.rounded-number"],
        "patch-version" => &["card.version-patch"],
        "private-key-material" => &["key.private-in-public-set"],
        "signature-mismatch" => &["sig.invalid"],
        "snake-case" => &["card.snake-case"],
        "too-deep" => &["json.too-deep"],
        "version-unrecognised" => &["card.version-unrecognized"],
        "weak-key" => &["key.weak"],
        "wrong-shape" => &["auth.empty-oneof", "auth.bare-requirement"],
        // A list or a text where the card should be.
        "wrong-type" => &["card.wrong-type", "card.not-an-agent-card"],
        _ => &[],
    }
}
