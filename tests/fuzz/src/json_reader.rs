//! The strict JSON reader against serde_json, an oracle that accepts more.

use countersign_keys::codes;
use countersign_keys::jcs;
use countersign_keys::json::{Document, Kind, Limits, Value};

/// Who read the octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Outcome {
    /// Both, as the same tree.
    Both,
    /// Only serde_json, and the strict reader has a reason of its own to refuse them.
    OnlySerdeJson,
    /// Only the strict reader, because serde_json opens one container fewer.
    OnlyStrict,
    /// Nobody.
    Neither,
}

/// Reads `octets` with both readers.
///
/// # Panics
///
/// When both accept and mean different things, when one refuses for no reason of its own, or when the canonical
/// form of what was read does not read back as itself.
#[must_use]
pub fn run(octets: &[u8]) -> Outcome {
    let strict = Document::read(octets, &Limits::default());
    // The strict reader skips a byte order mark, serde_json does not.
    let oracle = serde_json::from_slice(octets.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(octets));
    match (strict, oracle) {
        (Ok(document), Ok(oracle)) => {
            assert_same(document.root(), &oracle);
            assert_canonical_form_is_stable(&document);
            Outcome::Both
        }
        (Ok(document), Err(refusal)) => {
            let reason = refusal.to_string();
            assert!(reason.contains("recursion limit"), "serde_json alone refuses: {reason}");
            assert_canonical_form_is_stable(&document);
            Outcome::OnlyStrict
        }
        (Err(refusal), Ok(_)) => {
            let own = [
                codes::JSON_DUPLICATE_MEMBER,
                codes::JSON_INEXACT_NUMBER,
                codes::JSON_TOO_DEEP,
                codes::JSON_TOO_LARGE,
            ];
            assert!(own.contains(&refusal.code()), "the strict reader alone refuses: {refusal}");
            Outcome::OnlySerdeJson
        }
        (Err(_), Err(_)) => Outcome::Neither,
    }
}

fn assert_same(value: Value<'_>, oracle: &serde_json::Value) {
    match value.kind() {
        Kind::Null => assert!(oracle.is_null(), "null against {oracle}"),
        Kind::Bool => assert_eq!(value.as_bool(), oracle.as_bool()),
        Kind::Number => assert_eq!(value.as_f64(), oracle.as_f64()),
        Kind::Text => assert_eq!(value.as_text(), oracle.as_str()),
        Kind::Array => {
            let elements: Vec<Value<'_>> = value.elements().collect();
            let others = oracle.as_array().map(Vec::as_slice);
            assert_eq!(Some(elements.len()), others.map(<[_]>::len));
            for (element, other) in elements.into_iter().zip(others.unwrap_or_default()) {
                assert_same(element, other);
            }
        }
        Kind::Object => {
            assert_eq!(Some(value.members().count()), oracle.as_object().map(serde_json::Map::len));
            for (name, member) in value.members() {
                let other = oracle.get(name);
                assert!(other.is_some(), "only the strict reader has the member {name:?}");
                other.into_iter().for_each(|other| assert_same(member, other));
            }
        }
    }
}

fn assert_canonical_form_is_stable(document: &Document) {
    let canonical = jcs::to_octets(document.root());
    let again = Document::read(canonical.as_slice(), &Limits::default().with_max_octets(usize::MAX));
    assert_eq!(again.map(|again| jcs::to_octets(again.root())), Ok(canonical));
}
