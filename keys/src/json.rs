//! Strict I-JSON (RFC 8259 within the limits of RFC 7493): octets to a tree with spans.
//!
//! One pass, no recursion. The tree keeps the text it was read from; every value knows its place.
//! Refused: duplicate member names (compared after unescaping), text that is not Unicode, integers that no
//! double holds, numbers beyond the doubles, more than [`MAX_DEPTH`] open containers, anything after the value,
//! and everything else that RFC 8259 does not allow. A leading UTF-8 byte order mark is skipped and reported.
//!
//! The reader knows no schema: two members that differ only in case are two members here.

mod ancestry;
mod error;
mod number;
mod order;
mod reader;
mod text;
mod value;

pub use ancestry::Ancestry;
pub use error::{Error, ErrorKind};
pub use order::compare_utf16;
pub use value::{Kind, NodeId, Step, Value};

use std::sync::Arc;

use zeroize::Zeroize;

use crate::{Finding, Level, Span, codes};

/// Most arrays and objects that may be open at once. Not configurable: what a signature covers must not depend on it.
///
/// 128 is what the Python SDK allows; the protobuf readers stop at 100 messages.
pub const MAX_DEPTH: usize = 128;

/// Most numbers that are remarked on one by one: finding their places costs a scan each.
const MAX_REMARKS: usize = 32;

/// What a reader accepts, for input that comes from outside.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Longest accepted document, in octets. Default 262,144 (256 KiB): the largest of 63 cards found in the field
    /// has 14 KiB. At most 4,294,967,294, whatever is asked for.
    pub max_octets: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_octets: 256 * 1024 }
    }
}

impl Limits {
    /// The same limits with another `max_octets`.
    #[must_use]
    pub fn with_max_octets(mut self, max_octets: usize) -> Self {
        self.max_octets = max_octets;
        self
    }
}

/// A JSON document that was read whole: its text and the tree of its values.
pub struct Document {
    /// The octets as received, byte order mark included.
    source: Arc<String>,
    /// Unescaped text of every string that holds an escape, one after the other.
    decoded: String,
    nodes: Vec<Node>,
    /// For each object: how many members, then their name nodes in the order of RFC 8785 §3.2.3.
    order: Vec<u32>,
    /// Number nodes whose value was rounded.
    rounded: Vec<u32>,
}

/// One value, or one member name. A member's value follows its name; children follow their container.
#[derive(Clone, Copy)]
struct Node {
    start: u32,
    end: u32,
    /// The node after this one and everything in it.
    after: u32,
    shape: Shape,
}

#[derive(Clone, Copy)]
enum Shape {
    Null,
    False,
    True,
    /// A plain integer of at most 15 digits: its literal is its ECMAScript text, except `-0`.
    Integer,
    Number,
    /// A string without escapes: its token is already in the form of RFC 8785.
    Text,
    Escaped {
        from: u32,
        to: u32,
    },
    Array,
    Object {
        order: u32,
    },
}

/// Byte order mark in UTF-8.
const BOM: &str = "\u{feff}";

impl Document {
    /// Reads `octets`, which are not trusted.
    ///
    /// # Errors
    ///
    /// [`Error`] with the code, the place (JSON Pointer, line, column), what was found and what was expected.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign_keys::json::{Document, Limits};
    ///
    /// let document = Document::read(r#"{"name": "Agent", "skills": [1, 2]}"#, &Limits::default())?;
    /// assert_eq!(document.root().member("name").and_then(|name| name.as_text()), Some("Agent"));
    ///
    /// let twice = Document::read(r#"{"url": 1, "ur\u006c": 2}"#, &Limits::default()).unwrap_err();
    /// assert_eq!(twice.code().name(), "json.duplicate-member");
    /// # Ok::<(), countersign_keys::json::Error>(())
    /// ```
    pub fn read(octets: impl Into<Vec<u8>>, limits: &Limits) -> Result<Self, Error> {
        reader::read(octets.into(), limits)
    }

    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> Value<'_> {
        Value::new(self, 0)
    }

    /// The value with this id, which must come from this document.
    #[must_use]
    pub fn value(&self, id: NodeId) -> Value<'_> {
        Value::new(self, id.index())
    }

    /// The text as received, a byte order mark included.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The octets it was read from, for whoever keeps them longer than the document.
    ///
    /// [`zeroize`](Zeroize::zeroize) does not overwrite what somebody shares: do not share a document that holds a secret.
    #[must_use]
    pub fn shared_source(&self) -> Arc<String> {
        Arc::clone(&self.source)
    }

    /// Whether the octets start with a byte order mark, which was skipped.
    #[must_use]
    pub fn has_bom(&self) -> bool {
        self.source.starts_with(BOM)
    }

    /// How many values and member names it has: what a walk over all of it costs.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// What the reader accepted but remarks on: `json.bom`, and `json.rounded-number` for the first 32 such numbers.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let bom = self.has_bom().then(|| {
            Finding::new(
                codes::JSON_BOM,
                Level::Warning,
                "the file starts with a byte order mark, which was skipped",
            )
            .at("")
            .spanning(Span { start: 0, end: BOM.len(), line: 1, column: 1 })
        });
        let rounded = self.rounded.iter().take(MAX_REMARKS).map(|&id| {
            let value = Value::new(self, id);
            let message =
                format!("number `{}` is signed as `{}`", text::clip(value.raw()), value.number_text());
            Finding::new(codes::JSON_ROUNDED_NUMBER, Level::Warning, message)
                .at(value.pointer())
                .spanning(value.span())
        });
        bom.into_iter().chain(rounded).collect()
    }

    fn node(&self, id: u32) -> Node {
        // INVARIANT: ids are handed out by this document only, so the fallback is never taken.
        self.nodes.get(at(id)).copied().unwrap_or(Node { start: 0, end: 0, after: 0, shape: Shape::Null })
    }

    /// The text of a string, unescaped; none of other nodes.
    fn text_of(&self, node: &Node) -> Option<&str> {
        match node.shape {
            Shape::Text => self.source.get(at(node.start + 1)..at(node.end - 1)),
            Shape::Escaped { from, to } => self.decoded.get(at(from)..at(to)),
            Shape::Null
            | Shape::False
            | Shape::True
            | Shape::Integer
            | Shape::Number
            | Shape::Array
            | Shape::Object { .. } => None,
        }
    }

    fn slice(&self, start: u32, end: u32) -> &str {
        self.source.get(at(start)..at(end)).unwrap_or_default()
    }

    fn span(&self, start: u32, end: u32) -> Span {
        text::span(&self.source, at(start), at(end))
    }
}

impl std::fmt::Debug for Document {
    /// Prints sizes only: a document may hold a private key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Document")
            .field("octets", &self.source.len())
            .field("nodes", &self.nodes.len())
            .finish()
    }
}

impl Zeroize for Document {
    /// Wipes the octets and all unescaped text; what is left reads as `null`.
    fn zeroize(&mut self) {
        if let Some(source) = Arc::get_mut(&mut self.source) {
            source.zeroize();
        }
        self.source = Arc::default();
        self.decoded.zeroize();
        self.nodes.clear();
        self.order.clear();
        self.rounded.clear();
    }
}

/// An index as it is stored. INVARIANT: documents are shorter than `u32::MAX` octets, and no node is empty.
fn stored(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// A stored index as Rust counts.
fn at(index: u32) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}
