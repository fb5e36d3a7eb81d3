//! What a verified card hands on, compared with what was signed.

use std::collections::BTreeSet;

use countersign::{Form, VerifiedCard};
use serde_json::Value;

/// What is handed on although it was not signed, is not at its default and is not marked; and what was signed and is
/// not handed on. Places have no list indexes: those of what is handed on need not be those of the received card.
pub(crate) fn unsigned(card: &VerifiedCard, received: &str, signed: &Value) -> Vec<String> {
    let handed_on: Value = serde_json::from_slice(&card.to_octets()).unwrap();
    let mut unsigned = Vec::new();
    compare(&handed_on, signed, &mut String::new(), &Marked::of(card, received), &mut unsigned);
    unsigned
}

/// The members that the report marks as handed on without a signature, by place and value.
struct Marked {
    members: BTreeSet<(String, String)>,
    form: Form,
}

impl Marked {
    fn of(card: &VerifiedCard, received: &str) -> Self {
        let received: Value = serde_json::from_str(received.trim_start_matches('\u{feff}')).unwrap();
        let place = |pointer: &str| {
            let tokens =
                pointer.split('/').map(|token| if token.parse::<usize>().is_ok() { "*" } else { token });
            tokens.collect::<Vec<_>>().join("/")
        };
        let value = |pointer: &str| received.pointer(pointer).unwrap().to_string();
        let members =
            card.unsigned().map(|member| (place(&member.pointer), value(&member.pointer))).collect();
        Self { members, form: card.payload().form() }
    }

    /// Whether the form drops the value as the default that the schema of A2A 0.3 gives it.
    fn drops(&self, name: &str, value: &Value) -> bool {
        let defaults: &[&str] = match name {
            "protocolVersion" => &["0.3.0"],
            "preferredTransport" => &["JSONRPC"],
            "type" => &["apiKey", "http", "oauth2", "openIdConnect", "mutualTLS"],
            _ => &[],
        };
        let is_default = value.as_str().is_some_and(|value| defaults.contains(&value));
        is_default && matches!(self.form, Form::SdkPy03 | Form::SdkPy0322)
    }

    fn holds(&self, place: &str, value: &Value) -> bool {
        self.members.contains(&(place.to_owned(), value.to_string()))
    }
}

/// Collects what `handed_on` holds and `signed` does not, and what `signed` holds and `handed_on` does not.
fn compare(
    handed_on: &Value,
    signed: &Value,
    place: &mut String,
    marked: &Marked,
    unsigned: &mut Vec<String>,
) {
    match (handed_on, signed) {
        (Value::Object(left), Value::Object(right)) => {
            for (name, value) in left {
                let length = place.len();
                place.push('/');
                place.push_str(name);
                match right.get(name) {
                    Some(other) => compare(value, other, place, marked, unsigned),
                    None if is_default(value) || marked.holds(place, value) || marked.drops(name, value) => {}
                    None => unsigned.push(format!("{place} was added")),
                }
                place.truncate(length);
            }
            unsigned.extend(
                right
                    .keys()
                    .filter(|name| !left.contains_key(*name))
                    .map(|name| format!("{place}/{name} is gone")),
            );
        }
        (Value::Array(left), Value::Array(right)) => {
            let length = place.len();
            place.push_str("/*");
            let mut rest = right.iter().peekable();
            for value in left {
                let pairs = rest.peek().is_some_and(|other| {
                    let mut differences = Vec::new();
                    compare(value, other, &mut place.clone(), marked, &mut differences);
                    differences.is_empty()
                });
                if pairs {
                    rest.next();
                } else if !is_default(value) && !marked.holds(place, value) {
                    unsigned.push(format!("{place} was added: {value}"));
                }
            }
            unsigned.extend(rest.map(|value| format!("{place} is gone: {value}")));
            place.truncate(length);
        }
        (Value::Number(left), Value::Number(right)) if left.as_f64() == right.as_f64() => {}
        _ if handed_on == signed => {}
        _ => unsigned.push(format!("{place} was changed")),
    }
}

/// Whether a value says as much as its absence: null, empty, false, or holding only such.
fn is_default(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(_) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(elements) => elements.iter().all(is_default),
        Value::Object(members) => members.values().all(is_default),
    }
}
