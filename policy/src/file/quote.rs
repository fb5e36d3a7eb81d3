//! Texts as TOML writes them.

use std::fmt::Write as _;

use countersign_keys::is_hidden;

/// A TOML basic string of `text`, with its quotation marks.
///
/// Escaped are quotation mark and backslash, control characters, line and paragraph separators, the characters that change the
/// direction of text, and those without width: whatever the text, the string is on one line and shows all of it.
///
/// # Examples
///
/// ```
/// use countersign_policy::toml_text;
///
/// assert_eq!(toml_text("a \"b\"\n"), r#""a \"b\"\u000A""#);
/// ```
#[must_use]
pub fn toml_text(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len().saturating_add(2));
    quoted.push('"');
    for character in text.chars() {
        let number = u32::from(character);
        // Writing to a string cannot fail.
        let _ = match character {
            '"' | '\\' => write!(quoted, "\\{character}"),
            _ if !is_hidden(character) => write!(quoted, "{character}"),
            _ if number <= 0xffff => write!(quoted, "\\u{number:04X}"),
            _ => write!(quoted, "\\U{number:08X}"),
        };
    }
    quoted.push('"');
    quoted
}

/// A key of a table: bare where TOML allows it.
pub(super) fn toml_key(name: &str) -> String {
    let is_bare =
        !name.is_empty() && name.bytes().all(|octet| octet.is_ascii_alphanumeric() || b"-_".contains(&octet));
    if is_bare { name.to_owned() } else { toml_text(name) }
}

#[cfg(test)]
mod tests {
    use super::{toml_key, toml_text};

    #[test]
    fn a_quoted_text_reads_back_and_is_one_line_without_hidden_characters() {
        for text in [
            "",
            "plain",
            "\"\"\"",
            "\\u0041",
            "a\nb\r\t\u{0}\u{7f}\u{85}",
            "\u{202e}x\u{2066}",
            "\u{e0041}",
            "ü 日 😀",
            "]]",
        ] {
            let line = format!("text = {}", toml_text(text));
            let read: toml::Table = line.parse().unwrap();
            assert_eq!(read.get("text").and_then(toml::Value::as_str), Some(text));
            assert!(
                !line.contains(|character: char| character.is_control()
                    || "\u{202e}\u{2066}\u{e0041}".contains(character))
            );
        }
    }

    #[test]
    fn a_key_is_bare_or_quoted_and_reads_back() {
        for name in ["bare-key_1", "", "a b", "*", "ü", "a.b", "\"", "\n"] {
            let read: toml::Table = format!("{} = 1", toml_key(name)).parse().unwrap();
            assert_eq!(read.keys().collect::<Vec<_>>(), [name]);
        }
    }
}
