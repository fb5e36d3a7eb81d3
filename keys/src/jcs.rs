//! RFC 8785 (JSON Canonicalization Scheme): tree to octets.
//!
//! Members are ordered by the UTF-16 code units of their names, strings carry the shortest escapes, numbers are
//! written as ECMAScript writes the nearest double. Text is never normalized. Every document that
//! [`json`](crate::json) accepts has a canonical form, and reading that form gives the same tree again.

use crate::json::{Kind, Value};

/// The canonical octets of `value`.
///
/// # Examples
///
/// ```
/// use countersign_keys::{jcs, json::{Document, Limits}};
///
/// let document = Document::read("{ \"b\": 1.50, \"a\": \"\\u00e9\\/\" }", &Limits::default())?;
/// assert_eq!(jcs::to_octets(document.root()), "{\"a\":\"é/\",\"b\":1.5}".as_bytes());
/// # Ok::<(), countersign_keys::json::Error>(())
/// ```
#[must_use]
pub fn to_octets(value: Value<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.raw().len());
    write(value, &mut out);
    out
}

/// Appends the canonical octets of `value` to `out`.
pub fn write(value: Value<'_>, out: &mut Vec<u8>) {
    // The depth of this recursion is at most `json::MAX_DEPTH`.
    match value.kind() {
        Kind::Object => {
            out.push(b'{');
            for (index, (name, member)) in value.sorted_members().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_scalar(name, out);
                out.push(b':');
                write(member, out);
            }
            out.push(b'}');
        }
        Kind::Array => {
            out.push(b'[');
            for (index, element) in value.elements().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write(element, out);
            }
            out.push(b']');
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::Text => write_scalar(value, out),
    }
}

/// Appends the canonical octets of a string, number, boolean or null. Writes nothing for a container.
pub fn write_scalar(value: Value<'_>, out: &mut Vec<u8>) {
    if let Some(token) = value.canonical_token() {
        out.extend_from_slice(token);
    } else if let Some(text) = value.as_text() {
        write_text(text, out);
    } else if let Some(number) = value.as_f64() {
        write_number(number, out);
    }
}

/// Appends `text` as a canonical string (RFC 8785 §3.2.2.2).
pub fn write_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text;
    while let Some(position) = rest.bytes().position(|octet| octet < 0x20 || octet == b'"' || octet == b'\\')
    {
        let (plain, special) = rest.split_at(position);
        out.extend_from_slice(plain.as_bytes());
        let mut characters = special.chars();
        if let Some(character) = characters.next() {
            out.extend_from_slice(escape(character).as_bytes());
        }
        rest = characters.as_str();
    }
    out.extend_from_slice(rest.as_bytes());
    out.push(b'"');
}

/// Appends the ECMAScript text of a finite number (RFC 8785 §3.2.2.3); `-0` is written as `0`.
pub fn write_number(number: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(ryu_js::Buffer::new().format_finite(number).as_bytes());
}

fn escape(character: char) -> String {
    match character {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\u{8}' => "\\b".to_owned(),
        '\t' => "\\t".to_owned(),
        '\n' => "\\n".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        '\r' => "\\r".to_owned(),
        other => format!("\\u{:04x}", u32::from(other)),
    }
}
