//! Characters that nobody sees, or that change what everybody sees.
//!
//! The ranges are those of the Unicode Character Database 17.0: General_Category Cc, Bidi_Control (UAX #9) and
//! Default_Ignorable_Code_Point. Joiners, variation selectors and tags have honest uses and are judged by what stands
//! before them.

use std::ops::Range;

use unicode_script::{Script, ScriptExtension, UnicodeScript as _};

/// Whether a text may have several lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Line,
    Lines,
}

/// What was found in one text.
pub(super) struct Found {
    pub(super) what: &'static str,
    pub(super) first: char,
    pub(super) count: usize,
    /// Octets of the text that can go without a visible change, adjoining ones together.
    pub(super) removable: Vec<Range<usize>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Oddity {
    Control,
    LineBreak,
    Direction,
    Invisible,
}

/// Most tags after a black flag: two letters of a country, up to three of its part, and the end.
const MAX_FLAG_TAGS: usize = 7;

const BLACK_FLAG: char = '\u{1f3f4}';

pub(super) fn look(text: &str, layout: Layout) -> Option<Found> {
    // Nearly every text of nearly every card; without a way out the compiler looks at many octets at once.
    if text.bytes().fold(true, |is_plain, octet| is_plain & matches!(octet, 0x20..=0x7e)) {
        return None;
    }
    let mut found: Option<Found> = None;
    let (mut previous, mut flag_tags) = (None, None);
    for (index, character) in text.char_indices() {
        flag_tags = match (character, flag_tags) {
            (BLACK_FLAG, _) => Some(0),
            ('\u{e0020}'..='\u{e007f}', Some(tags)) if tags < MAX_FLAG_TAGS => Some(tags + 1),
            _ => None,
        };
        let before = previous.replace(character);
        if flag_tags.is_some() {
            continue;
        }
        if let Some(oddity) = oddity(character, before, layout) {
            let found = found.get_or_insert_with(|| Found {
                what: oddity.name(),
                first: character,
                count: 0,
                removable: Vec::new(),
            });
            found.count += 1;
            if oddity != Oddity::LineBreak {
                found.remove(index..index + character.len_utf8());
            }
        }
    }
    found
}

/// The first word of `name` with letters of several scripts that are not written together: more than the "highly
/// restrictive" level of UTS #39 §5.2 allows. Look-alikes within one script are not found.
pub(super) fn mixed_word(name: &str) -> Option<&str> {
    if name.is_ascii() {
        return None;
    }
    name.split(|character: char| !character.is_alphanumeric()).find(|word| is_mixed(word))
}

fn oddity(character: char, before: Option<char>, layout: Layout) -> Option<Oddity> {
    match character {
        '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => (layout == Layout::Line).then_some(Oddity::LineBreak),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(Oddity::Direction)
        }
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e00ff}'
        | '\u{e01f0}'..='\u{e0fff}' => Some(Oddity::Invisible),
        // Joiners shape Indic and Arabic letters and emoji.
        '\u{200c}' | '\u{200d}' => before.is_none_or(is_never_joined).then_some(Oddity::Invisible),
        // Selectors choose between glyphs of one character; a second one selects nothing.
        '\u{fe00}'..='\u{fe0f}' => {
            let is_idle = |before: char| before.is_ascii_alphabetic() || is_selector(before);
            before.is_none_or(is_idle).then_some(Oddity::Invisible)
        }
        '\u{e0100}'..='\u{e01ef}' => {
            before.is_none_or(|before| before.script() != Script::Han).then_some(Oddity::Invisible)
        }
        other => other.is_control().then_some(Oddity::Control),
    }
}

fn is_never_joined(before: char) -> bool {
    before.is_ascii() || matches!(before.script(), Script::Latin | Script::Greek | Script::Cyrillic)
}

fn is_selector(character: char) -> bool {
    matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

fn is_mixed(word: &str) -> bool {
    let is_east_asian = |character: char| {
        let scripts = character.script_extension();
        EAST_ASIAN.iter().any(|script| scripts.contains_script(*script))
    };
    ScriptExtension::for_str(word).is_empty() && !word.chars().all(is_east_asian)
}

/// Scripts that Chinese, Japanese and Korean mix, Latin included.
const EAST_ASIAN: [Script; 6] =
    [Script::Latin, Script::Han, Script::Hiragana, Script::Katakana, Script::Bopomofo, Script::Hangul];

impl Oddity {
    const fn name(self) -> &'static str {
        match self {
            Self::Control => "a control character",
            Self::LineBreak => "a line break or tab, where one line is expected",
            Self::Direction => "a character that changes the direction of text",
            Self::Invisible => "an invisible character",
        }
    }
}

impl Found {
    fn remove(&mut self, octets: Range<usize>) {
        match self.removable.last_mut().filter(|last| last.end == octets.start) {
            Some(last) => last.end = octets.end,
            None => self.removable.push(octets),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Layout, look, mixed_word};

    #[test]
    fn honest_text_of_many_languages_is_left_alone() {
        for text in [
            "Route planner – plans routes…",
            "line one\n\tline two\r\n",
            "می‌خواهم",
            "क्‍ष",
            "👩‍💻 and ❤️ and 1️⃣",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "葛\u{e0100}城",
            "שלום",
        ] {
            assert!(look(text, Layout::Lines).is_none(), "{text:?}");
        }
    }

    #[test]
    fn what_nobody_sees_is_found() {
        for (text, count) in [
            ("a\u{0}b", 1),
            ("a\u{7f}\u{85}b", 2),
            ("user\u{202e}nimda", 1),
            ("\u{2066}x\u{2069}", 2),
            ("a\u{200b}b\u{feff}", 2),
            ("a\u{200d}b", 1),
            ("\u{200c}", 1),
            ("x\u{fe0f}", 1),
            ("❤\u{fe0f}\u{fe0f}\u{fe01}", 2),
            ("x\u{e0041}\u{e0042}", 2),
            ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e0041}\u{e0042}\u{e0043}\u{e0044}", 2),
            ("a\u{e0100}", 1),
        ] {
            assert_eq!(look(text, Layout::Lines).map(|found| found.count), Some(count), "{text:?}");
        }
    }

    #[test]
    fn a_name_has_one_line() {
        assert!(look("Route\nplanner", Layout::Line).is_some_and(|found| found.removable.is_empty()));
        assert!(look("Route\nplanner", Layout::Lines).is_none());
    }

    #[test]
    fn adjoining_characters_go_together() {
        let found = look("a\u{200b}\u{200b}é\u{200b}", Layout::Lines).unwrap();
        assert_eq!(found.removable, [1..7, 9..12]);
    }

    #[test]
    fn a_word_in_several_scripts_is_mixed() {
        for (name, word) in [
            ("Rоute Planner", Some("Rоute")),
            ("Αgent", Some("Αgent")),
            ("My pаypаl agent", Some("pаypаl")),
            ("Яндекс Translate", None),
            ("α-beta", None),
            ("東京タワーGuide", None),
            ("서울guide", None),
            ("naïve café", None),
            ("Москва24", None),
            ("दिल्ली", None),
            ("plain", None),
        ] {
            assert_eq!(mixed_word(name), word, "{name}");
        }
    }
}
