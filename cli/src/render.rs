//! Text for people: colours, and untrusted text made harmless.

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Style};
pub(crate) use countersign::keys::hex;
use countersign::keys::is_hidden;

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Plain,
    Colour,
}

impl Paint {
    pub(crate) fn good(self, text: &str) -> String {
        self.with(AnsiColor::Green.on_default().bold(), text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.with(AnsiColor::Red.on_default().bold(), text)
    }

    pub(crate) fn warn(self, text: &str) -> String {
        self.with(AnsiColor::Yellow.on_default().bold(), text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    fn with(self, style: Style, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Colour => format!("{style}{text}{style:#}"),
        }
    }
}

/// Untrusted text for a terminal: control characters, line and paragraph separators, the characters that change the
/// direction of text, and those without width are written as `\u{…}`, so that they can neither move the cursor nor
/// reorder or hide what is read.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "\\u{{{:x}}}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{Paint, escape};

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(escape("a\u{1b}[31mb\r\n\u{7f}\u{9b}"), "a\\u{1b}[31mb\\u{d}\\u{a}\\u{7f}\\u{9b}");
    }

    #[test]
    fn characters_that_change_direction_are_escaped() {
        for character in
            ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}').chain(['\u{200e}', '\u{200f}'])
        {
            assert_eq!(escape(&format!("a{character}b")), format!("a\\u{{{:x}}}b", u32::from(character)));
        }
    }

    #[test]
    fn characters_without_width_are_escaped() {
        for character in ['\u{ad}', '\u{200b}', '\u{200d}', '\u{2060}', '\u{feff}', '\u{e0041}'] {
            assert_eq!(escape(&format!("a{character}b")), format!("a\\u{{{:x}}}b", u32::from(character)));
        }
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in ["", "Agent", "Büro-Agent 日本語 😀", "a\\u{1b}", "e\u{301}"] {
            assert_eq!(escape(text), text);
        }
    }

    #[test]
    fn plain_text_has_no_escape_sequences() {
        assert_eq!(Paint::Plain.bad("no"), "no");
        assert!(Paint::Colour.bad("no").contains('\u{1b}'));
    }
}
