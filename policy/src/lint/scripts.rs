//! Labels that look like others: letters of several scripts, or of one that can be taken for Latin.

use idna::uts46::{AsciiDenyList, Hyphens, Uts46};
use unicode_script::{Script, ScriptExtension, UnicodeScript as _};

/// Scripts that Chinese, Japanese and Korean names mix, Latin included.
const EAST_ASIAN: [Script; 6] =
    [Script::Latin, Script::Han, Script::Hiragana, Script::Katakana, Script::Bopomofo, Script::Hangul];

/// Cyrillic and Greek letters that are drawn like a Latin one.
const LATIN_LOOK_ALIKES: &str = "асԁеһіјӏорԛѕԝхуѵαινορυ";

/// How a label misleads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deception {
    /// Letters of several scripts that are not written together (UTS #39 section 5.2, highly restrictive).
    Mixed,
    /// Every letter is drawn like a Latin one.
    LooksLatin,
}

/// The first label of a host name that misleads, as it is shown to people.
pub(super) fn deceptive_label(name: &str) -> Option<(String, Deception)> {
    name.split('.').filter(|label| label.starts_with("xn--")).find_map(|label| {
        let (unicode, read) = Uts46::new().to_unicode(label.as_bytes(), AsciiDenyList::EMPTY, Hyphens::Allow);
        read.ok()?;
        let deception = deception(&unicode)?;
        Some((unicode.into_owned(), deception))
    })
}

fn deception(label: &str) -> Option<Deception> {
    let is_east_asian = |character: char| {
        let scripts = character.script_extension();
        EAST_ASIAN.iter().any(|script| scripts.contains_script(*script))
    };
    if ScriptExtension::for_str(label).is_empty() && !label.chars().all(is_east_asian) {
        return Some(Deception::Mixed);
    }
    let mut letters = label.chars().filter(|character| character.is_alphabetic()).peekable();
    letters.peek()?;
    letters.all(|letter| LATIN_LOOK_ALIKES.contains(letter)).then_some(Deception::LooksLatin)
}

#[cfg(test)]
mod tests {
    use super::{Deception, deception, deceptive_label};

    #[test]
    fn mixed_and_look_alike_labels_are_told_and_honest_ones_are_not() {
        for (label, expected) in [
            ("аcme", Some(Deception::Mixed)),
            ("раураӏ", Some(Deception::LooksLatin)),
            ("яндекс", None),
            ("bücher", None),
            ("東京tower", None),
            ("почта24", None),
            ("ελλάδα", None),
            ("plain", None),
        ] {
            assert_eq!(deception(label), expected, "{label}");
        }
    }

    #[test]
    fn a_label_is_judged_as_it_is_shown() {
        let (label, deception) = deceptive_label("agents.xn--80ak6aa92e.com").unwrap();
        assert_eq!((label.as_str(), deception), ("аррӏе", Deception::LooksLatin));
        assert_eq!(deceptive_label("xn--bcher-kva.example"), None);
    }
}
