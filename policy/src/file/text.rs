//! A file as text, with the places of its octets.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use countersign_keys::Span;

use super::written::At;
use crate::{Placed, PolicyFile, PolicyPlace};

/// A file that was read.
#[derive(Clone)]
pub(super) struct Text {
    name: Arc<str>,
    text: Arc<str>,
    /// The first octet of every line.
    lines: Arc<[usize]>,
}

impl Text {
    pub(super) fn new(name: &str, text: &str) -> Self {
        let starts = text.match_indices('\n').map(|(end, _)| end.saturating_add(1));
        Self { name: name.into(), text: text.into(), lines: [0].into_iter().chain(starts).collect() }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The place of these octets.
    pub(super) fn place(&self, range: &Range<usize>) -> PolicyPlace {
        let line = self.lines.partition_point(|start| *start <= range.start);
        let start = line.checked_sub(1).and_then(|line| self.lines.get(line)).copied().unwrap_or(0);
        let before = self.text.get(start..range.start).unwrap_or_default();
        let column = before.chars().count().saturating_add(1);
        PolicyPlace::new(Arc::clone(&self.name), Span { start: range.start, end: range.end, line, column })
    }

    /// The place of the file as a whole: its beginning.
    pub(super) fn beginning(&self) -> PolicyPlace {
        self.place(&(0..0))
    }

    /// `value`, at the place where `at` is written.
    pub(super) fn placed<T, U>(&self, at: &At<U>, value: T) -> Placed<T> {
        Placed::new(value, self.place(&at.range))
    }

    /// The file, with every character of these places blackened.
    pub(super) fn blackened(&self, places: &[PolicyPlace]) -> PolicyFile {
        let is_black = |offset: usize| {
            places
                .iter()
                .any(|place| place.file == self.name && (place.span.start..place.span.end).contains(&offset))
        };
        let text: String = self
            .text
            .char_indices()
            .map(|(offset, character)| if character != '\n' && is_black(offset) { '*' } else { character })
            .collect();
        PolicyFile { name: Arc::clone(&self.name), text: text.into() }
    }
}

/// The text may hold a private key by mistake.
impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Text").field("name", &self.name).field("octets", &self.text.len()).finish()
    }
}
