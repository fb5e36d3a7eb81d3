//! The patch of a case, from TOML to the JSON text of RFC 6902.

use serde_json::{Map, Value};

use super::written::WrittenOperation;
use crate::file::check::Desk;
use crate::file::written::At;

#[derive(Clone, Copy, PartialEq)]
enum Needs {
    Nothing,
    Value,
    From,
}

const OPERATIONS: &[(&str, Needs)] = &[
    ("add", Needs::Value),
    ("remove", Needs::Nothing),
    ("replace", Needs::Value),
    ("move", Needs::From),
    ("copy", Needs::From),
    ("test", Needs::Value),
];

/// The JSON text of the operations.
pub(super) fn text(operations: &[At<WrittenOperation>], desk: &mut Desk<'_>) -> String {
    let operations: Vec<Value> = operations.iter().filter_map(|written| operation(written, desk)).collect();
    Value::Array(operations).to_string()
}

fn operation(written: &At<WrittenOperation>, desk: &mut Desk<'_>) -> Option<Value> {
    let WrittenOperation { op, path, from, value, json } = &written.value;
    let needs = desk.word(op, OPERATIONS)?;
    let mut members = Map::new();
    members.insert("op".to_owned(), Value::String(op.value.clone()));
    members.insert("path".to_owned(), Value::String(pointer(path, desk)));
    match (from, needs) {
        (Some(from), Needs::From) => {
            members.insert("from".to_owned(), Value::String(pointer(from, desk)));
        }
        (None, Needs::From) => desk.invalid(&written.range, format!("`{}` needs `from`", op.value)),
        (Some(from), Needs::Nothing | Needs::Value) => {
            desk.invalid(&from.range, format!("`{}` has no `from`", op.value));
        }
        (None, Needs::Nothing | Needs::Value) => {}
    }
    let range = value.as_ref().map(|value| &value.range).or(json.as_ref().map(|json| &json.range));
    match (value, json, needs) {
        (Some(value), None, Needs::Value) => {
            members.insert("value".to_owned(), of_toml(value, desk)?);
        }
        (None, Some(json), Needs::Value) => {
            members.insert("value".to_owned(), of_json(json, desk)?);
        }
        (None, None, Needs::Value) => {
            desk.invalid(&written.range, format!("`{}` needs `value`, or `json`", op.value));
        }
        (_, _, Needs::Value) => desk.invalid(&written.range, "of `value` and `json` only one can hold"),
        (_, _, Needs::Nothing | Needs::From) => {
            if let Some(range) = range {
                desk.invalid(range, format!("`{}` has no value", op.value));
            }
        }
    }
    Some(Value::Object(members))
}

/// RFC 6901: empty or beginning with a slash, `~` only as `~0` and `~1`.
fn pointer(at: &At<String>, desk: &mut Desk<'_>) -> String {
    let text = &at.value;
    let is_pointer = (text.is_empty() || text.starts_with('/'))
        && text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    if !is_pointer {
        desk.invalid(
            &at.range,
            format!("`{text}` is no JSON Pointer: it begins with `/`, and has `~` as `~0` only"),
        );
    }
    text.clone()
}

fn of_json(at: &At<String>, desk: &mut Desk<'_>) -> Option<Value> {
    let read = serde_json::from_str(&at.value);
    read.map_err(|_| desk.invalid(&at.range, format!("`{}` is no JSON", at.value))).ok()
}

fn of_toml(at: &At<toml::Value>, desk: &mut Desk<'_>) -> Option<Value> {
    let converted = converted(&at.value);
    converted
        .map_err(|what| desk.invalid(&at.range, format!("{what} has no value in JSON; write it as text")))
        .ok()
}

fn converted(value: &toml::Value) -> Result<Value, String> {
    Ok(match value {
        toml::Value::String(text) => Value::String(text.clone()),
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Float(number) => {
            serde_json::Number::from_f64(*number).map(Value::Number).ok_or_else(|| format!("`{number}`"))?
        }
        toml::Value::Boolean(value) => Value::Bool(*value),
        toml::Value::Datetime(date) => return Err(format!("`{date}`")),
        toml::Value::Array(list) => Value::Array(list.iter().map(converted).collect::<Result<_, _>>()?),
        toml::Value::Table(table) => {
            let members = table.iter().map(|(name, value)| Ok((name.clone(), converted(value)?)));
            Value::Object(members.collect::<Result<_, String>>()?)
        }
    })
}
