//! Places in a file: the part of a line that is shown, and where a span ends.

use std::borrow::Cow;
use std::ops::Range;

use countersign::Span;
use countersign::keys::is_hidden;
use unicode_width::UnicodeWidthChar as _;

use crate::render::escape;

/// Most columns of a line that are shown.
const MAX_COLUMNS: usize = 100;

/// Most of these before the span.
const MAX_BEFORE: usize = 40;

/// Stands where a line was cut.
const CUT: &str = "...";

/// Columns of a tab. It is shown as spaces, so that what is below it stays below it.
const TAB: &str = "    ";

/// The line of a span, harmless and no wider than [`MAX_COLUMNS`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    /// The octets of `text` that the span is.
    pub(super) marked: Range<usize>,
}

impl Line {
    /// What is before the span, and the span.
    pub(super) fn parts(&self) -> (&str, &str) {
        let part = |range: Range<usize>| self.text.get(range).unwrap_or_default();
        (part(0..self.marked.start), part(self.marked.clone()))
    }
}

/// The line on which a span begins. None when the span is not in the octets.
pub(super) fn line(octets: &[u8], span: Span) -> Option<Line> {
    let (before, after) = octets.split_at_checked(span.start)?;
    let before = before.rsplit(|octet| *octet == b'\n').next().unwrap_or_default();
    let after = after.split(|octet| *octet == b'\n').next().unwrap_or_default();
    let after = after.strip_suffix(b"\r").unwrap_or(after);
    let (marked, after) = after.split_at(span.end.saturating_sub(span.start).min(after.len()));

    let start = fit_end(before, MAX_BEFORE);
    let mut text = if start.is_cut { format!("{CUT}{}", start.text) } else { start.text };
    let from = text.len();
    let marked = fit_start(marked, MAX_COLUMNS.saturating_sub(start.columns));
    text.push_str(&marked.text);
    let to = text.len();
    if marked.is_cut {
        text.push_str(CUT);
    } else {
        let rest = fit_start(after, MAX_COLUMNS.saturating_sub(start.columns + marked.columns));
        text.push_str(&rest.text);
        if rest.is_cut {
            text.push_str(CUT);
        }
    }
    Some(Line { text, marked: from..to })
}

/// Line and column of the end of a span, counted as its start is. None when the span is empty or not in the octets.
pub(super) fn end(octets: &[u8], span: Span) -> Option<(usize, usize)> {
    let inside = octets.get(span.start..span.end).filter(|inside| !inside.is_empty())?;
    let lines = inside.iter().filter(|octet| **octet == b'\n').count();
    let last = inside.rsplit(|octet| *octet == b'\n').next().unwrap_or_default();
    let characters = String::from_utf8_lossy(last).chars().count();
    let column = if lines == 0 { span.column + characters } else { 1 + characters };
    Some((span.line + lines, column))
}

/// As much of a text as fits.
struct Fitting {
    text: String,
    columns: usize,
    is_cut: bool,
}

/// The start of a line, as far as it fits.
fn fit_start(octets: &[u8], columns: usize) -> Fitting {
    let near = octets.get(..most_octets(columns)).unwrap_or(octets);
    let (pieces, columns, is_cut) = fit(String::from_utf8_lossy(near).chars(), columns);
    Fitting { text: pieces.concat(), columns, is_cut: is_cut || near.len() < octets.len() }
}

/// The end of a line, as far as it fits.
fn fit_end(octets: &[u8], columns: usize) -> Fitting {
    let near = octets.get(octets.len().saturating_sub(most_octets(columns))..).unwrap_or(octets);
    let (mut pieces, columns, is_cut) = fit(String::from_utf8_lossy(near).chars().rev(), columns);
    pieces.reverse();
    Fitting { text: pieces.concat(), columns, is_cut: is_cut || near.len() < octets.len() }
}

/// How much is looked at: a character has four octets at most, and one may be cut. Characters without width are limited
/// by it too.
const fn most_octets(columns: usize) -> usize {
    (columns + 1) * 4
}

/// What is shown for each character that fits, how many columns that is, and whether there are more.
fn fit(characters: impl Iterator<Item = char>, most: usize) -> (Vec<Cow<'static, str>>, usize, bool) {
    let (mut pieces, mut columns) = (Vec::new(), 0);
    for character in characters {
        let piece = shown(character);
        let width = columns + piece.chars().filter_map(|character| character.width()).sum::<usize>();
        if width > most {
            return (pieces, columns, true);
        }
        columns = width;
        pieces.push(piece);
    }
    (pieces, columns, false)
}

fn shown(character: char) -> Cow<'static, str> {
    match character {
        '\t' => Cow::Borrowed(TAB),
        hidden if is_hidden(hidden) => Cow::Owned(escape(hidden.encode_utf8(&mut [0; 4]))),
        harmless => Cow::Owned(harmless.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_COLUMNS, end, line};
    use countersign::Span;
    use unicode_width::UnicodeWidthStr as _;

    /// The span of `part` in `text`.
    fn span(text: &str, part: &str) -> Span {
        let start = text.find(part).unwrap();
        let before = text.get(..start).unwrap();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
        Span { start, end: start + part.len(), line, column }
    }

    fn shown(text: &str, part: &str) -> (String, String) {
        let line = line(text.as_bytes(), span(text, part)).unwrap();
        (line.text.clone(), line.parts().1.to_owned())
    }

    fn both(text: &str, marked: &str) -> (String, String) {
        (text.to_owned(), marked.to_owned())
    }

    #[test]
    fn a_short_line_is_shown_whole() {
        assert_eq!(shown("{\n  \"a\": 1,\r\n}", "\"a\""), both("  \"a\": 1,", "\"a\""));
        assert_eq!(shown("{\"a\": [\n1]}", "[\n1]"), both("{\"a\": [", "["));
        assert_eq!(shown("{", ""), both("{", ""));
    }

    #[test]
    fn a_long_line_is_cut_around_the_span() {
        let text = format!("{}MARK{}", "a".repeat(5000), "b".repeat(5000));
        let before = "a".repeat(40);
        let expected = format!("...{before}MARK{}...", "b".repeat(56));
        assert_eq!(shown(&text, "MARK"), both(&expected, "MARK"));
        let (line, marked) = shown(&text, &"b".repeat(300));
        assert_eq!(marked, "b".repeat(60));
        assert!(line.ends_with("b..."));
    }

    #[test]
    fn what_is_shown_is_harmless_and_keeps_its_columns() {
        let text = "\u{202e}\t\u{1b}日本MARK\u{200b}";
        assert_eq!(shown(text, "MARK"), both("\\u{202e}    \\u{1b}日本MARK\\u{200b}", "MARK"));
        for part in ["日", "\t", "é", "\u{202e}", "𝒳", "👍"] {
            let text = format!("{}MARK{}", part.repeat(500), part.repeat(500));
            let (line, marked) = shown(&text, "MARK");
            assert_eq!(marked, "MARK");
            assert!(line.width() <= MAX_COLUMNS + 6 && !line.contains('\u{fffd}'), "{line}");
        }
    }

    #[test]
    fn octets_that_are_no_text_are_shown_as_such() {
        let line = line(b"ab\xff\xfecd", Span { start: 2, end: 3, line: 1, column: 3 }).unwrap();
        assert_eq!(line.text, "ab\u{fffd}\u{fffd}cd");
    }

    #[test]
    fn a_span_outside_of_the_octets_has_no_line() {
        let outside = Span { start: 3, end: 4, line: 1, column: 4 };
        assert_eq!(line(b"ab", outside), None);
        assert_eq!(end(b"ab", outside), None);
    }

    #[test]
    fn the_end_counts_characters_and_lines() {
        let text = "{\"日本\": [1,\n 2]}";
        assert_eq!(end(text.as_bytes(), span(text, "\"日本\"")), Some((1, 6)));
        assert_eq!(end(text.as_bytes(), span(text, "[1,\n 2]")), Some((2, 4)));
        assert_eq!(end(text.as_bytes(), span(text, "")), None);
    }
}
