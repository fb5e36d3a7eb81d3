//! The text of the files of a policy: its strings, its comments and the places of both.
//!
//! Both are found by the lexer of TOML, so what looks like a comment in a string is none.

use std::ops::Range;
use std::sync::Arc;

use countersign_keys::Span;
use toml_parser::lexer::{Token, TokenKind};

use crate::{PolicyFile, PolicyPlace};

/// The files of a policy.
pub(super) struct Sources<'p> {
    files: Vec<Source<'p>>,
}

/// One file.
pub(super) struct Source<'p> {
    pub(super) name: &'p Arc<str>,
    pub(super) text: &'p str,
    tokens: Vec<Token>,
    /// The first octet of every line.
    lines: Vec<usize>,
}

/// A string on one line, without escapes.
#[derive(Clone, Copy)]
pub(super) struct Written<'p> {
    /// What stands between the quotation marks.
    pub(super) text: &'p str,
    /// Its first octet.
    pub(super) start: usize,
    /// Which of the files.
    file: usize,
}

/// A comment, from its `#` to the end of its line.
pub(super) struct Comment<'p> {
    pub(super) text: &'p str,
    pub(super) range: Range<usize>,
    /// Whether nothing else is on its line.
    pub(super) is_alone: bool,
}

impl<'p> Sources<'p> {
    pub(super) fn new(files: &'p [PolicyFile]) -> Self {
        Self { files: files.iter().map(Source::new).collect() }
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &Source<'p>> {
        self.files.iter()
    }

    /// The string that is written at a place, quotation marks included.
    pub(super) fn string_at(&self, place: &PolicyPlace) -> Option<Written<'p>> {
        self.strings_in(place).find(|written| written.range().start.checked_sub(1) == Some(place.span.start))
    }

    /// Every string within a place that is on one line and has no escapes.
    pub(super) fn strings_in(&self, place: &PolicyPlace) -> impl Iterator<Item = Written<'p>> {
        let found = self.files.iter().enumerate().find(|(_, source)| *source.name == place.file);
        found.into_iter().flat_map(move |(file, source)| source.strings(file, place.span))
    }

    /// The place of a string, quotation marks included.
    pub(super) fn place(&self, written: &Written<'p>) -> Option<PolicyPlace> {
        let range = written.range();
        let quoted = range.start.checked_sub(1)?..range.end.checked_add(1)?;
        self.files.get(written.file).map(|source| source.place(&quoted))
    }

    /// Whether a string is an element of a list that has others or could have.
    pub(super) fn is_element(&self, written: &Written<'p>) -> bool {
        let before = self
            .files
            .get(written.file)
            .and_then(|source| source.text.get(..written.range().start.checked_sub(1)?));
        before.is_some_and(|before| before.trim_end().ends_with(['[', ',']))
    }
}

impl<'p> Source<'p> {
    fn new(file: &'p PolicyFile) -> Self {
        let starts = file.text.match_indices('\n').map(|(end, _)| end.saturating_add(1));
        Self {
            name: &file.name,
            text: &file.text,
            tokens: toml_parser::Source::new(&file.text).lex().into_vec(),
            lines: [0].into_iter().chain(starts).collect(),
        }
    }

    pub(super) fn place(&self, range: &Range<usize>) -> PolicyPlace {
        let line = self.line_of(range.start);
        let start = line.checked_sub(1).and_then(|line| self.lines.get(line)).copied().unwrap_or(0);
        let before = self.text.get(start..range.start).unwrap_or_default();
        let column = before.chars().count().saturating_add(1);
        PolicyPlace::new(Arc::clone(self.name), Span { start: range.start, end: range.end, line, column })
    }

    /// The line of an octet, counted from 1.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.lines.partition_point(|start| *start <= offset)
    }

    pub(super) fn comments(&self) -> impl Iterator<Item = Comment<'p>> {
        self.tokens.iter().filter(|token| token.kind() == TokenKind::Comment).map(|token| {
            let range = token.span().start()..token.span().end();
            let line = self.line_of(range.start).checked_sub(1).and_then(|line| self.lines.get(line));
            let before = self.text.get(line.copied().unwrap_or(0)..range.start).unwrap_or_default();
            Comment {
                text: self.text.get(range.clone()).unwrap_or_default(),
                is_alone: before.trim().is_empty(),
                range,
            }
        })
    }

    fn strings(&self, file: usize, span: Span) -> impl Iterator<Item = Written<'p>> {
        let first = self.tokens.partition_point(|token| token.span().start() < span.start);
        let inside = self.tokens.iter().skip(first).take_while(move |token| token.span().end() <= span.end);
        inside.filter_map(move |token| {
            let (start, end) = (token.span().start().checked_add(1)?, token.span().end().checked_sub(1)?);
            let text = self.text.get(start..end)?;
            let is_literal = token.kind() == TokenKind::LiteralString;
            let is_plain = is_literal || token.kind() == TokenKind::BasicString && !text.contains('\\');
            is_plain.then_some(Written { text, start, file })
        })
    }
}

impl Written<'_> {
    /// The octets between the quotation marks.
    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.start.saturating_add(self.text.len())
    }
}
