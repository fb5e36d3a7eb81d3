//! What every stage says beside its answer: a code, how serious it is, where it is, and a sentence.

use std::fmt;
use std::ops::Range;

/// A reason or lint code, `area.kebab-name`, with the page that `explain` prints.
///
/// Two codes are equal when their names are. A name is public: renaming one is a breaking change.
#[derive(Clone, Copy)]
pub struct Code(&'static Page);

/// The page of one code: what it is, why it matters, an example, and what to do instead.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "pages are constants written by the packages of countersign")]
pub struct Page {
    /// `area.kebab-name`.
    pub name: &'static str,
    /// What was found, one or two sentences.
    pub what: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// A short input that produces the code.
    pub example: &'static str,
    /// What to write or do instead.
    pub instead: &'static str,
}

impl Code {
    /// The code that `page` describes.
    #[must_use]
    pub const fn new(page: &'static Page) -> Self {
        Self(page)
    }

    /// `area.kebab-name`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// What, why, example, instead.
    #[must_use]
    pub const fn page(self) -> &'static Page {
        self.0
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Code {}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How serious a finding is. A finding never becomes a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "the three levels of LSP, SARIF and the command line")]
pub enum Level {
    /// Worth knowing.
    Info,
    /// Probably wrong.
    Warning,
    /// Wrong.
    Error,
}

impl Level {
    /// `info`, `warning` or `error`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A place in the octets that were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the four numbers of the `span` object in the JSON output")]
pub struct Span {
    /// First octet, counted from 0.
    pub start: usize,
    /// One past the last octet.
    pub end: usize,
    /// Line, counted from 1; lines end with LF.
    pub line: usize,
    /// Column in Unicode scalar values, counted from 1.
    pub column: usize,
}

/// Advice: something a stage noticed. It never turns a no into a yes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What was found.
    pub code: Code,
    /// How serious it is.
    pub level: Level,
    /// One sentence, lower case, user text in backticks.
    pub message: String,
    /// JSON Pointer (RFC 6901) into the document that was read, where there is one.
    pub pointer: Option<String>,
    /// Place in the document that was read, where there is one.
    pub span: Option<Span>,
    /// `kid` of the key the finding is about.
    pub kid: Option<String>,
    /// What to write or do instead, where the finding knows more than the page of its code.
    pub help: Option<String>,
    /// A change of the document that removes what was found.
    pub fix: Option<Fix>,
}

/// A change of the document that was read: all edits together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fix {
    /// Whether it may be applied unasked.
    pub safety: FixSafety,
    /// In the order of the text, without overlap.
    pub edits: Vec<Edit>,
}

/// Whether a fix may be applied without a person who looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "applied unasked, or not")]
pub enum FixSafety {
    /// The document means the same to every reader afterwards.
    Safe,
    /// A guess that a person has to confirm.
    Suggested,
}

/// Octets of the document, and what takes their place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a place and a text")]
pub struct Edit {
    /// The octets that go.
    pub range: Range<usize>,
    /// The text that comes.
    pub text: String,
}

impl Fix {
    /// A fix of these edits, which must be in the order of the text and must not overlap.
    #[must_use]
    pub const fn new(safety: FixSafety, edits: Vec<Edit>) -> Self {
        Self { safety, edits }
    }
}

impl Finding {
    /// A finding about no particular place.
    #[must_use]
    pub fn new(code: Code, level: Level, message: impl Into<String>) -> Self {
        Self {
            code,
            level,
            message: message.into(),
            pointer: None,
            span: None,
            kid: None,
            help: None,
            fix: None,
        }
    }

    /// The same finding, placed at a JSON Pointer.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// The same finding, with the place in the octets.
    #[must_use]
    pub fn spanning(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// The same finding, with what to write or do instead.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same finding, with a change that removes what was found.
    #[must_use]
    pub fn with_fix(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }

    /// The same finding, about the key with this `kid`.
    #[must_use]
    pub fn about_key(mut self, kid: impl Into<String>) -> Self {
        self.kid = Some(kid.into());
        self
    }
}
