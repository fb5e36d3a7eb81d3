//! From TOML to the members as written.

use std::cmp::Ordering;
use std::ops::Range;

use countersign_keys::Code;
use serde::de::DeserializeOwned;

use super::error::PolicyFault;
use super::nearest::suggestion;
use super::text::Text;
use super::written::WrittenHead;
use super::{Tool, version_order};
use crate::codes::load as codes;

/// The schema number that this reader knows.
const SCHEMA: i64 = 1;

/// Reads the members, after the schema number and `min-tool`: a newer file is told to be newer, not to be wrong.
pub(super) fn read<T: DeserializeOwned>(text: &Text, tool: &Tool) -> Result<T, Box<PolicyFault>> {
    let head: WrittenHead = members(text)?;
    if let Some(schema) = head.schema.filter(|schema| schema.value != SCHEMA) {
        let message = format!("schema {} is not known, only {SCHEMA} is", schema.value);
        return Err(Box::new(PolicyFault::new(
            codes::POLICY_UNSUPPORTED_SCHEMA,
            text.place(&schema.range),
            message,
        )));
    }
    if let Some(least) = &head.min_tool {
        let place = text.place(&least.range);
        match version_order(&least.value, tool.version) {
            Some(Ordering::Less | Ordering::Equal) => {}
            Some(Ordering::Greater) => {
                let message = format!("the file needs countersign {}, this is {}", least.value, tool.version);
                return Err(Box::new(PolicyFault::new(codes::POLICY_UNSUPPORTED_SCHEMA, place, message)));
            }
            None => {
                let message = format!("`{}` is no version such as `{}`", least.value, tool.version);
                return Err(Box::new(PolicyFault::new(codes::POLICY_INVALID, place, message)));
            }
        }
    }
    members(text)
}

/// Reads the members of any file.
pub(super) fn members<T: DeserializeOwned>(text: &Text) -> Result<T, Box<PolicyFault>> {
    toml::from_str(text.as_str()).map_err(|error| Box::new(fault(text, &error)))
}

/// The messages of the reader, without values from the file: they may be private.
fn fault(text: &Text, error: &toml::de::Error) -> PolicyFault {
    let range: Range<usize> = error.span().unwrap_or(0..0);
    let message = error.message().trim_end();
    let (code, message, help) = reworded(message);
    let fault = PolicyFault::new(code, text.place(&range), message);
    match help {
        Some(help) => fault.with_help(help),
        None => fault,
    }
}

fn reworded(message: &str) -> (Code, String, Option<String>) {
    if let Some(rest) = message.strip_prefix("unknown field `") {
        let (found, expected) = rest.split_once('`').unwrap_or((rest, ""));
        let known = expected.split('`').skip(1).step_by(2);
        let help = suggestion(found, known);
        return (codes::POLICY_UNKNOWN_FIELD, format!("the member `{found}` is not known here"), help);
    }
    if let Some(rest) = message.strip_prefix("missing field `") {
        let name = rest.trim_end_matches('`');
        return (codes::POLICY_INVALID, format!("the member `{name}` is missing"), None);
    }
    for wrong in ["invalid type: ", "invalid value: "] {
        if let Some(rest) = message.strip_prefix(wrong) {
            let found = rest.split([' ', ',']).next().unwrap_or_default();
            let expected = rest.rsplit_once(", expected ").map_or("another type", |(_, expected)| expected);
            return (codes::POLICY_INVALID, format!("expected {expected}, found {}", kind(found)), None);
        }
    }
    let is_repeated = message.starts_with("duplicate ");
    let code = if is_repeated { codes::POLICY_INVALID } else { codes::POLICY_SYNTAX };
    let message = if is_repeated { "the member is written twice" } else { message };
    (code, message.replace('\n', ", "), None)
}

/// The kind of a value in the words of TOML.
fn kind(found: &str) -> &str {
    match found {
        "string" => "a string",
        "integer" => "a whole number",
        "floating" => "a number with a fraction",
        "boolean" => "`true` or `false`",
        "sequence" => "a list",
        "map" => "a table or a date",
        _ => "another type",
    }
}
