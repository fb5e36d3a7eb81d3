//! What a verified card hands on, compared with what was signed.

use std::collections::BTreeSet;

use countersign::{Form, VerifiedCard};
use serde_json::Value;

/// What is handed on although it was not signed, is not at its default and is not marked. Places have no list indexes:
/// those of what is handed on need not be those of the received card.
pub(crate) fn added(card: &VerifiedCard, received: &str, signed: &Value) -> Vec<String> {
    let marked = Marked::of(card, received);
    let mut added = Vec::new();
    let tolerated = |place: &str, name: &str, value: &Value| {
        is_default(value) || marked.holds(place, value) || marked.drops(name, value)
    };
    only_left(&handed_on(card), signed, &mut String::new(), &tolerated, &mut added);
    added
}

/// What was signed and is not handed on.
pub(crate) fn gone(card: &VerifiedCard, signed: &Value) -> Vec<String> {
    let mut gone = Vec::new();
    only_left(signed, &handed_on(card), &mut String::new(), &|_, _, _| false, &mut gone);
    gone
}

fn handed_on(card: &VerifiedCard) -> Value {
    serde_json::from_slice(&card.to_octets()).unwrap()
}

/// The members that the report marks as handed on without a signature, by place and value.
struct Marked {
    members: BTreeSet<(String, String)>,
    /// The forms that the signatures match.
    forms: Vec<Form>,
}

impl Marked {
    fn of(card: &VerifiedCard, received: &str) -> Self {
        let received: Value = serde_json::from_str(received.trim_start_matches('\u{feff}')).unwrap();
        let place = |pointer: &str| {
            let is_index = |token: &str| token.parse::<usize>().is_ok();
            let tokens = pointer
                .split('/')
                .map(|token| if is_index(token) { "*".to_owned() } else { camel_case(token) });
            tokens.collect::<Vec<_>>().join("/")
        };
        let value = |pointer: &str| received.pointer(pointer).unwrap().to_string();
        let members =
            card.unsigned().map(|member| (place(&member.pointer), value(&member.pointer))).collect();
        Self {
            members,
            forms: card.report().signatures.iter().filter_map(|signature| signature.form).collect(),
        }
    }

    /// Whether one of the forms drops the value as the default that the schema of A2A 0.3 gives it.
    fn drops(&self, name: &str, value: &Value) -> bool {
        let defaults: &[&str] = match name {
            "protocolVersion" => &["0.3.0"],
            "preferredTransport" => &["JSONRPC"],
            "type" => &["apiKey", "http", "oauth2", "openIdConnect", "mutualTLS"],
            _ => &[],
        };
        let is_default = value.as_str().is_some_and(|value| defaults.contains(&value));
        is_default && self.forms.iter().any(|form| matches!(form, Form::SdkPy03 | Form::SdkPy0322))
    }

    fn holds(&self, place: &str, value: &Value) -> bool {
        self.members.contains(&(place.to_owned(), value.to_string()))
    }
}

/// Collects what `left` holds and `right` does not. List elements pair in order.
fn only_left(
    left: &Value,
    right: &Value,
    place: &mut String,
    tolerated: &dyn Fn(&str, &str, &Value) -> bool,
    found: &mut Vec<String>,
) {
    let length = place.len();
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            for (name, value) in left {
                place.push('/');
                place.push_str(&camel_case(name));
                let spelled_otherwise =
                    || right.iter().find(|(other, _)| camel_case(other) == camel_case(name));
                match right.get(name).or_else(|| spelled_otherwise().map(|(_, value)| value)) {
                    Some(other) => only_left(value, other, place, tolerated, found),
                    None if tolerated(place, name, value) => {}
                    None => found.push(format!("{place}: {value}")),
                }
                place.truncate(length);
            }
        }
        (Value::Array(left), Value::Array(right)) => {
            place.push_str("/*");
            let mut rest = right.iter();
            for value in left.iter().filter(|value| !tolerated(place, "*", value)) {
                let pairs = |other: &Value| {
                    let mut differences = Vec::new();
                    only_left(value, other, &mut place.clone(), tolerated, &mut differences);
                    differences.is_empty()
                };
                if !rest.any(pairs) {
                    found.push(format!("{place}: {value}"));
                }
            }
            place.truncate(length);
        }
        (Value::Number(left), Value::Number(right)) if left.as_f64() == right.as_f64() => {}
        _ if left == right => {}
        _ => found.push(format!("{place}: {left}, not {right}")),
    }
}

/// The JSON name of a member of the proto file; one form hands on the names as received, another the JSON names.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut camel, word| {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        camel + letters.as_str()
    })
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
