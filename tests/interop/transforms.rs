//! Signed cards that were altered afterwards: what still verifies, and what reaches the caller unmarked.

use std::collections::BTreeSet;

use countersign::{Class, Form, VerifiedCard};
use serde_json::Value;

use crate::support::{assert_table, file, names, names_of, read, text, trusted, verify};

/// Alterations that a strict reader undoes or refuses although the lenient readers of the vectors do not.
const BYTE_ORDER_MARK: &str = "t39-leading-bom";

#[test]
fn an_altered_card_matches_exactly_the_forms_that_still_give_what_was_signed() {
    let (mut refused, mut differing, mut by_default) = (Vec::new(), Vec::new(), Vec::new());
    let vectors = vectors();
    for vector in &vectors {
        let id = text(vector, "id");
        if let Err(code) = read(text(vector, "card_text")) {
            refused.push(format!("{id}\t{code}"));
            continue;
        }
        for form in Form::ALL {
            let expected = if id.starts_with(BYTE_ORDER_MARK) {
                names(vector, "signed_payload_is", form)
            } else {
                names(vector, "still_equals", form) || names(vector, "other_profiles_now_equal", form)
            };
            let found = match verified(vector, &[form]) {
                Ok(card) => card.report().signatures[0].form,
                Err(report) => report.signatures[0].form,
            };
            if found != expected.then_some(form) {
                differing.push(format!("{id} under {form}: expected {expected}, found {found:?}"));
            }
        }
        by_default.push(match verified(vector, &Form::ACCEPTED) {
            Ok(card) => format!("{id}\tverified\t{}\t{}", card.payload().form(), uncovered(&card)),
            Err(report) => format!("{id}\t{}\t\t{}", report.outcome.name(), names_of(&report.codes)),
        });
    }
    assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing.join("\n"));
    assert_table("transforms-refused", refused);
    assert_table("transforms-default", by_default);
    assert_eq!(vectors.len(), 217);
}

#[test]
fn nothing_that_was_added_or_changed_is_handed_on_unmarked() {
    let mut compared = 0;
    for vector in vectors() {
        for form in
            Form::ALL.map(|form| vec![form]).into_iter().chain([Form::ACCEPTED.to_vec(), Form::ALL.to_vec()])
        {
            let Ok(card) = verified(&vector, &form) else { continue };
            let handed_on: Value = serde_json::from_slice(&card.to_octets()).unwrap();
            let signed: Value = serde_json::from_str(text(&vector, "payload")).unwrap();
            let marked = Marked::of(&card, text(&vector, "card_text"));
            let mut unsigned = Vec::new();
            compare(&handed_on, &signed, &mut String::new(), &marked, &mut unsigned);
            assert!(unsigned.is_empty(), "{} under {form:?}: {unsigned:?}", text(&vector, "id"));
            compared += 1;
        }
    }
    assert_eq!(compared, 267);
}

/// A verifier cannot see that a member is gone which its form would not have covered, nor a value that its form
/// writes as the same octets. This table is what follows from each form, and no more.
#[test]
fn what_no_verifier_can_see_is_known() {
    let mut silent = Vec::new();
    for vector in vectors() {
        if vector["consumer_visible_change"] != true {
            continue;
        }
        for form in Form::ALL {
            let Ok(card) = verified(&vector, &[form]) else { continue };
            let report = card.report();
            if report.uncovered.iter().all(|member| member.class == Class::Default) {
                let warned = report.findings.iter().any(|finding| finding.code.name() == "auth.not-provable");
                let warned = if warned { "auth.not-provable" } else { "" };
                silent.push(format!("{}\t{form}\t{}\t{warned}", text(&vector, "id"), uncovered(&card)));
            }
        }
    }
    assert_table("transforms-silent", silent);
}

fn vectors() -> Vec<Value> {
    file("transforms")["vectors"].as_array().unwrap().clone()
}

fn verified(vector: &Value, forms: &[Form]) -> Result<VerifiedCard, countersign::VerificationReport> {
    let Ok(card) = read(text(vector, "card_text")) else {
        // Nothing is handed on of what cannot be read; an unsigned card stands for it.
        return Err(verify(read("{}").unwrap(), trusted(), forms).unwrap_err().report().clone());
    };
    verify(card, trusted(), forms).map_err(|refused| refused.report().clone())
}

fn uncovered(card: &VerifiedCard) -> String {
    let members = card.report().uncovered.iter();
    let named = members.map(|member| format!("{} {} {:?}", member.pointer, member.class.name(), member.fate));
    named.collect::<Vec<_>>().join(", ")
}

/// The members that the report marks as handed on without a signature, by place and value. List indexes of what is
/// handed on need not be those of the received card, so a place has none.
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
