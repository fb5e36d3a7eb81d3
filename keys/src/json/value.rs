//! A place in a document that was read, and what stands there.

use super::{Document, Node, Shape, at, number};
use crate::Span;

/// One value of a [`Document`]. Copying it copies two words.
#[derive(Clone, Copy)]
pub struct Value<'d> {
    document: &'d Document,
    id: u32,
}

/// Names one value of one document; ids grow in the order of the text, parents before children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    pub(super) fn index(self) -> u32 {
        self.0
    }
}

/// The JSON types of RFC 8259 §3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "RFC 8259 has no other types")]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// a number
    Number,
    /// a string
    Text,
    /// an array
    Array,
    /// an object
    Object,
}

impl Kind {
    /// The word for messages: `null`, `a boolean`, `a number`, `a string`, `an array`, `an object`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::Text => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

impl<'d> Value<'d> {
    pub(super) fn new(document: &'d Document, id: u32) -> Self {
        Self { document, id }
    }

    /// Its JSON type.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.node().shape {
            Shape::Null => Kind::Null,
            Shape::False | Shape::True => Kind::Bool,
            Shape::Integer | Shape::Number => Kind::Number,
            Shape::Text | Shape::Escaped { .. } => Kind::Text,
            Shape::Array => Kind::Array,
            Shape::Object { .. } => Kind::Object,
        }
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// A boolean's value.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        let shape = self.node().shape;
        matches!(shape, Shape::True | Shape::False).then_some(matches!(shape, Shape::True))
    }

    /// A number's value: the nearest double.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        (self.kind() == Kind::Number).then(|| number::as_double(self.raw()))
    }

    /// A string's text, unescaped.
    #[must_use]
    pub fn as_text(self) -> Option<&'d str> {
        self.document.text_of(&self.node())
    }

    /// The members of an object in the order of the text; nothing for other types.
    pub fn members(self) -> impl Iterator<Item = (&'d str, Value<'d>)> {
        let document = self.document;
        self.names().filter_map(move |(name, of_name)| {
            Some((document.text_of(of_name)?, Value::new(document, name + 1)))
        })
    }

    /// The members of an object in the order of RFC 8785 §3.2.3; nothing for other types.
    ///
    /// The first part of each pair is the name, as the string value that it is.
    #[must_use]
    pub fn sorted_members(self) -> impl ExactSizeIterator<Item = (Value<'d>, Value<'d>)> + Clone {
        let document = self.document;
        self.order().iter().map(move |&name| (Value::new(document, name), Value::new(document, name + 1)))
    }

    /// The elements of an array; nothing for other types.
    pub fn elements(self) -> impl Iterator<Item = Value<'d>> {
        let document = self.document;
        let array = matches!(self.node().shape, Shape::Array);
        array.then(|| self.children()).into_iter().flatten().map(move |id| Value::new(document, id))
    }

    /// The member of an object with this name.
    #[must_use]
    pub fn member(self, name: &str) -> Option<Value<'d>> {
        self.member_of_length(name.len(), |other| other == name)
    }

    /// The first member of an object whose name has so many octets and is the one. Most names are told apart by their
    /// length alone, which costs less than to look at them.
    #[must_use]
    pub fn member_of_length(self, octets: usize, is_it: impl Fn(&str) -> bool) -> Option<Value<'d>> {
        let document = self.document;
        let is_named = |of_name: &Node| {
            let found = if let Shape::Escaped { from, to } = of_name.shape {
                to - from
            } else {
                // Without its quotes.
                of_name.end - of_name.start - 2
            };
            at(found) == octets && document.text_of(of_name).is_some_and(&is_it)
        };
        self.names().find(|(_, of_name)| is_named(of_name)).map(|(name, _)| Value::new(document, name + 1))
    }

    /// The names of an object, in the order of the text; nothing for other types.
    fn names(self) -> impl Iterator<Item = (u32, &'d Node)> {
        let document = self.document;
        let node = self.node();
        // The strings of an array are no names.
        let end = if matches!(node.shape, Shape::Object { .. }) { node.after } else { 0 };
        let mut next = self.id + 1;
        std::iter::from_fn(move || {
            let name = next;
            let [of_name, of_value] = document.nodes.get(at(name)..=at(name + 1)).filter(|_| name < end)?
            else {
                return None;
            };
            next = of_value.after;
            Some((name, of_name))
        })
    }

    /// Whether it is a container without children, or the empty string.
    #[must_use]
    pub fn is_empty(self) -> bool {
        let node = self.node();
        match node.shape {
            Shape::Array | Shape::Object { .. } => node.after == self.id + 1,
            Shape::Text => node.end - node.start == 2,
            Shape::Null
            | Shape::False
            | Shape::True
            | Shape::Integer
            | Shape::Number
            | Shape::Escaped { .. } => false,
        }
    }

    /// The octets it was written with: for a string with its quotes and escapes, for a container up to its end.
    #[must_use]
    pub fn raw(self) -> &'d str {
        let node = self.node();
        self.document.slice(node.start, node.end)
    }

    /// Where those octets stand in [`Document::source`].
    #[must_use]
    pub fn range(self) -> std::ops::Range<usize> {
        let node = self.node();
        at(node.start)..at(node.end)
    }

    /// Its octets, where these are what RFC 8785 writes: literals, strings without escapes, short integers.
    pub(crate) fn canonical_token(self) -> Option<&'d [u8]> {
        let node = self.node();
        let octets = self.document.source.as_bytes().get(at(node.start)..at(node.end));
        match node.shape {
            Shape::Null | Shape::False | Shape::True | Shape::Text => octets,
            Shape::Integer => octets.filter(|literal| *literal != b"-0"),
            Shape::Number | Shape::Escaped { .. } | Shape::Array | Shape::Object { .. } => None,
        }
    }

    /// ECMAScript text of a number; the octets as written for other types.
    pub(crate) fn number_text(self) -> String {
        self.as_f64().map_or_else(|| self.raw().to_owned(), number::ecmascript)
    }

    /// Its place in the octets. Costs a scan of the text before it.
    #[must_use]
    pub fn span(self) -> Span {
        let node = self.node();
        self.document.span(node.start, node.end)
    }

    /// Its JSON Pointer (RFC 6901); empty for the outermost value.
    #[must_use]
    pub fn pointer(self) -> String {
        let mut pointer = String::with_capacity(32);
        for (step, _) in self.path() {
            pointer.push('/');
            push_token(&mut pointer, &step);
        }
        pointer
    }

    /// The place of the name of a member of this object. Costs a scan of the text before it.
    #[must_use]
    pub fn name_span(self, name: &str) -> Option<Span> {
        let mut names = self.sorted_members().map(|(name, _)| name);
        names.find(|token| token.as_text() == Some(name)).map(Value::span)
    }

    /// The JSON Pointer of a member that this object has or could have.
    #[must_use]
    pub fn pointer_to_member(self, name: &str) -> String {
        let mut pointer = self.pointer();
        pointer.push('/');
        push_token(&mut pointer, &Step::Member(name));
        pointer
    }

    /// The values from the child of the outermost value down to this one, each with its step.
    pub(super) fn path(self) -> impl Iterator<Item = (Step<'d>, Value<'d>)> {
        let target = self.id;
        let mut here = self.document.root();
        std::iter::from_fn(move || {
            if here.id == target {
                return None;
            }
            let (step, next) = here.step_towards(target)?;
            here = next;
            Some((step, next))
        })
    }

    /// The id of this value in its document.
    #[must_use]
    pub fn id(self) -> NodeId {
        NodeId(self.id)
    }

    /// Whether `id` is this value or stands inside it.
    #[must_use]
    pub fn contains(self, id: NodeId) -> bool {
        (self.id..self.after()).contains(&id.0)
    }

    fn step_towards(self, target: u32) -> Option<(Step<'d>, Value<'d>)> {
        let document = self.document;
        if self.kind() == Kind::Array {
            let child = |value: &Value<'d>| value.contains(NodeId(target));
            return self.elements().enumerate().find(|(_, v)| child(v)).map(|(i, v)| (Step::Element(i), v));
        }
        self.children()
            .find(|name| (*name..Value::new(document, name + 1).after()).contains(&target))
            .and_then(|name| {
                let text = Value::new(document, name).as_text()?;
                Some((Step::Member(text), Value::new(document, if target == name { name } else { name + 1 })))
            })
    }

    /// First nodes of the children: elements of an array, names of an object.
    pub(super) fn children(self) -> impl Iterator<Item = u32> + use<'d> {
        let document = self.document;
        let node = self.node();
        // How many nodes a child has before its value.
        let width = if matches!(node.shape, Shape::Object { .. }) { 1 } else { 0 };
        let (mut next, end) = (self.id + 1, node.after);
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next = Value::new(document, child + width).after();
                child
            })
        })
    }

    fn order(self) -> &'d [u32] {
        let Shape::Object { order } = self.node().shape else { return &[] };
        let from = self.document.order.get(at(order)..).unwrap_or_default();
        from.split_first().and_then(|(count, names)| names.get(..at(*count))).unwrap_or_default()
    }

    /// The node after this value and everything in it.
    fn after(self) -> u32 {
        self.node().after
    }

    fn node(self) -> Node {
        self.document.node(self.id)
    }
}

/// One step of a path into a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "RFC 8259 has two kinds of containers")]
pub enum Step<'d> {
    /// A member of an object.
    Member(&'d str),
    /// An element of an array, counted from 0.
    Element(usize),
}

/// Appends one reference token, escaped as RFC 6901 §3 says.
pub(super) fn push_token(pointer: &mut String, step: &Step<'_>) {
    match step {
        Step::Element(index) => pointer.push_str(&index.to_string()),
        Step::Member(name) if !name.contains(['~', '/']) => pointer.push_str(name),
        Step::Member(name) => {
            for character in name.chars() {
                match character {
                    '~' => pointer.push_str("~0"),
                    '/' => pointer.push_str("~1"),
                    other => pointer.push(other),
                }
            }
        }
    }
}

impl std::fmt::Debug for Value<'_> {
    /// Prints the type and the place only: a document may hold a private key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let node = self.node();
        write!(f, "{} at {}..{}", self.kind().name(), node.start, node.end)
    }
}
