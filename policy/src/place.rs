//! Places in the files of a policy.

use std::fmt;
use std::sync::Arc;

use countersign_keys::Span;

/// A place in a file of a policy: `trust-policy.toml:12:3`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyPlace {
    /// Name of the file, as it was given or as the including file names it.
    pub file: Arc<str>,
    /// Where in it.
    pub span: Span,
}

/// A value with the place where it is written; of a default, the place of the table that it is a default of.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "a value and its place")]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Where it is written.
    pub place: PolicyPlace,
}

impl PolicyPlace {
    /// A place in a file.
    #[must_use]
    pub const fn new(file: Arc<str>, span: Span) -> Self {
        Self { file, span }
    }

    /// Whether it is the place of something that is not written: a default.
    #[must_use]
    pub const fn is_of_default(&self) -> bool {
        self.span.start == self.span.end
    }
}

impl fmt::Display for PolicyPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.span.line, self.span.column)
    }
}

impl<T> Placed<T> {
    /// A value and its place.
    #[must_use]
    pub const fn new(value: T, place: PolicyPlace) -> Self {
        Self { value, place }
    }
}

/// Values are equal wherever they are written.
impl<T: PartialEq> PartialEq for Placed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Placed<T> {}
