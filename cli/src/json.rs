//! JSON that is safe to show: what a terminal would act on, or not show, is written as `\uXXXX`.

use std::io::{self, Write};

use countersign::keys::is_hidden;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

/// On one line, without its end. Reading it gives the same text again.
pub(crate) fn to_text(value: &(impl Serialize + ?Sized)) -> io::Result<String> {
    let mut octets = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut octets, Careful)).map_err(io::Error::other)?;
    String::from_utf8(octets).map_err(io::Error::other)
}

/// Compact, with more escapes than JSON demands.
struct Careful;

impl Formatter for Careful {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, text: &str) -> io::Result<()> {
        let mut rest = text;
        while let Some((before, harmful, after)) = split(rest) {
            writer.write_all(before.as_bytes())?;
            for unit in harmful.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = after;
        }
        writer.write_all(rest.as_bytes())
    }
}

/// What is before the first harmful character, and what is after it.
fn split(text: &str) -> Option<(&str, char, &str)> {
    let (before, rest) = text.split_at(text.find(is_hidden)?);
    let mut characters = rest.chars();
    let harmful = characters.next()?;
    Some((before, harmful, characters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::to_text;

    #[test]
    fn what_is_written_is_harmless_and_reads_as_the_same_text() {
        let text = "a\u{1b}[31m\u{7f}\u{9b}\u{202e}\u{e0041}\"\\\r\n日本\u{feff}";
        let written = to_text(text).unwrap();
        assert_eq!(written, r#""a\u001b[31m\u007f\u009b\u202e\udb40\udc41\"\\\r\n日本\ufeff""#);
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
    }
}
