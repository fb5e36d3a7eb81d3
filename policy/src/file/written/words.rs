//! Words of the language, for its JSON Schema.

use countersign_keys::Algorithm;
use serde_json::{Value, json};

/// `90s`, `15m`, `1h`, `180d`; `0` needs no unit.
pub(super) const DURATION: &str = "^(0|(0|[1-9][0-9]*)[smhd])$";

/// `256KiB`, `1MiB`.
pub(super) const SIZE: &str = "^[1-9][0-9]*(KiB|MiB)$";

/// What the entries of `algorithms` are.
pub(super) fn algorithms() -> Value {
    json!({ "type": "string", "enum": Algorithm::ALL.iter().map(|known| known.name()).collect::<Vec<_>>() })
}

/// What the entries of `schemes` of interfaces are.
pub(super) fn schemes() -> Value {
    json!({ "type": "string", "enum": ["https", "http", "wss", "ws"] })
}

/// What the members of `[lints]` are.
pub(super) fn lint_levels() -> Value {
    json!({ "type": "string", "enum": ["allow", "warn", "error"] })
}
