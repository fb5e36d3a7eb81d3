//! Text helpers: places, shortening, unescaping.

use super::error::ErrorKind;
use crate::Span;

/// Longest piece of foreign text in an error, in characters.
const MAX_SHOWN: usize = 64;

/// The first 64 characters, with `…` when there are more.
pub(super) fn clip(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Line and column of the octets `start..end`. A byte order mark takes no column.
pub(super) fn span(source: &str, start: usize, end: usize) -> Span {
    let before = source.get(..start).unwrap_or(source);
    let line = before.bytes().filter(|&octet| octet == b'\n').count() + 1;
    let last_line = before.rsplit('\n').next().unwrap_or_default();
    let column = last_line.trim_start_matches('\u{feff}').chars().count() + 1;
    Span { start, end, line, column }
}

/// A fault inside a string: the octets from its start, and what it is.
pub(super) type TextFault = (std::ops::Range<usize>, ErrorKind);

/// Appends the unescaped form of `body`, the text between the quotes.
pub(super) fn unescape(body: &str, into: &mut String) -> Result<(), TextFault> {
    let mut rest = body;
    while let Some(position) = rest.find('\\') {
        let (plain, escape) = rest.split_at(position);
        into.push_str(plain);
        let start = body.len() - escape.len();
        let (character, length) =
            one_escape(escape).map_err(|(length, kind)| (start..start + length, kind))?;
        into.push(character);
        rest = escape.get(length..).unwrap_or_default();
    }
    into.push_str(rest);
    Ok(())
}

/// The character that `escape` starts with, and how many octets it takes.
fn one_escape(escape: &str) -> Result<(char, usize), (usize, ErrorKind)> {
    let character = match escape.as_bytes().get(1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return hexadecimal_escape(escape),
        _ => return Err(invalid(escape, 1)),
    };
    Ok((character, 2))
}

fn hexadecimal_escape(escape: &str) -> Result<(char, usize), (usize, ErrorKind)> {
    let unit = code_unit(escape).ok_or_else(|| invalid(escape, 5))?;
    if let Some(character) = char::from_u32(u32::from(unit)) {
        return Ok((character, 6));
    }
    let low = escape.get(6..).and_then(code_unit);
    let pair = low.and_then(|low| char::decode_utf16([unit, low]).next()?.ok());
    pair.map(|character| (character, 12)).ok_or((6, ErrorKind::LoneSurrogate { unit }))
}

/// The code unit of an escape `\uXXXX` at the start of `text`.
fn code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    // `from_str_radix` would accept a sign.
    digits
        .bytes()
        .all(|octet| octet.is_ascii_hexdigit())
        .then(|| u16::from_str_radix(digits, 16).ok())
        .flatten()
}

fn invalid(escape: &str, characters: usize) -> (usize, ErrorKind) {
    let found: String = escape.chars().skip(1).take(characters).collect();
    (1 + found.len(), ErrorKind::InvalidEscape { found })
}
