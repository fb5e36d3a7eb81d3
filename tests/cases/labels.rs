//! The neutral reasons of the cases as codes.

/// The codes that a neutral reason may be given as.
pub(crate) fn codes(label: &str) -> &'static [&'static str] {
    match label {
        "alg-key-mismatch" => &["sig.algorithm-key-mismatch"],
        "alg-unsupported" => &["sig.algorithm-unsupported"],
        "binding-case" => &["iface.binding-case"],
        "critical-header" => &["sig.critical-header"],
        "duplicate-member" => &["json.duplicate-member"],
        "invalid-unicode" => &["json.invalid-unicode"],
        "key-load-failed" => &["key.unreadable", "key.encrypted", "key.not-a-key-set"],
        "key-not-found" => &["sig.unknown-key"],
        "key-unusable" => &["key.unusable", "key.wrong-curve"],
        "malformed-header" => &["sig.malformed-header"],
        // An entry that has no header at all is not told apart from one with a damaged signature.
        "malformed-entry" => &["sig.malformed-header", "sig.malformed"],
        "malformed-json" => &["json.malformed"],
        "malformed-signature" => &["sig.malformed"],
        "missing-kid" => &["sig.missing-kid"],
        "no-compatible-interface" => &["iface.none-compatible"],
        "no-signature" => &["sig.absent"],
        "number-out-of-range" => &["json.inexact-number", "json.number-overflow", "json.rounded-number"],
        "private-key-material" => &["key.private-in-public-set"],
        "signature-mismatch" => &["sig.invalid"],
        "too-deep" => &["json.too-deep"],
        "weak-key" => &["key.weak"],
        _ => &[],
    }
}
