//! Text of findings, made harmless and short, and what tells findings apart.

use std::collections::BTreeMap;
use std::path::Path;

use countersign::{Finding, keys};

use crate::render::{escape, hex};

/// Longest text that a report takes over, in characters. A JSON Pointer can be as long as the card.
const MAX_CHARACTERS: usize = 1000;

/// Without characters that a terminal acts on or hides, and not too long.
pub(super) fn plain(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARACTERS) {
        None => escape(text),
        Some((end, _)) => format!("{}...", escape(text.get(..end).unwrap_or_default())),
    }
}

/// `1 error`, `2 errors`
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// A file name as services for code want it: with slashes, and relative to the current folder where it is below it.
pub(super) fn relative(name: &str) -> String {
    let path = Path::new(name);
    let here = std::env::current_dir().ok().filter(|_| path.is_absolute());
    let below = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    let path = below.as_deref().unwrap_or(path);
    let text = path.strip_prefix(".").unwrap_or(path).to_string_lossy().into_owned();
    if cfg!(windows) { text.replace('\\', "/") } else { text }
}

/// Tells the findings of one file apart, also when lines move: by code, JSON Pointer, and which of several it is.
#[derive(Default)]
pub(super) struct Fingerprints<'f> {
    seen: BTreeMap<(&'static str, Option<&'f str>), usize>,
}

impl<'f> Fingerprints<'f> {
    /// The fingerprint of the next finding, within `scope`: 64 hexadecimal digits.
    pub(super) fn next(&mut self, scope: &str, finding: &'f Finding) -> String {
        let (code, pointer) = (finding.code.name(), finding.pointer.as_deref());
        let before = self.seen.entry((code, pointer)).or_default();
        let text = format!("{scope}\0{code}\0{}\0{before}", pointer.unwrap_or_default());
        *before += 1;
        hex(&keys::sha256(text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Fingerprints, MAX_CHARACTERS, plain, relative};
    use countersign::keys::codes::JSON_BOM;
    use countersign::{Finding, Level};

    #[test]
    fn long_text_is_cut_before_it_is_escaped() {
        assert_eq!(plain("a\u{1b}b"), "a\\u{1b}b");
        let long = "é".repeat(MAX_CHARACTERS);
        assert_eq!(plain(&long), long);
        assert_eq!(plain(&format!("{long}x")), format!("{long}..."));
    }

    #[test]
    fn names_below_the_current_folder_are_relative() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(relative(here.join("a").join("b.json").to_str().unwrap()), "a/b.json");
        assert_eq!(relative("./a/b.json"), "a/b.json");
        assert_eq!(relative("a/b.json"), "a/b.json");
        assert_eq!(relative("../b.json"), "../b.json");
    }

    #[test]
    fn a_fingerprint_depends_on_the_pointer_and_not_on_the_line() {
        let at = |pointer: &str| Finding::new(JSON_BOM, Level::Warning, pointer).at(pointer);
        let (one, two) = (at("/a"), at("/b"));
        let mut fingerprints = Fingerprints::default();
        let made = [fingerprints.next("", &one), fingerprints.next("", &two), fingerprints.next("", &one)];
        assert!(made[0] != made[1] && made[0] != made[2]);
        assert_eq!(Fingerprints::default().next("", &one), made[0]);
        assert_ne!(Fingerprints::default().next("card.json", &one), made[0]);
    }
}
