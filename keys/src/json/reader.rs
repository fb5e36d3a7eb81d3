//! The one pass over the octets.

use std::ops::Range;
use std::sync::Arc;

use zeroize::Zeroize;

use super::error::{Error, ErrorKind};
use super::number::{self, Survival};
use super::text::{clip, span, unescape};
use super::value::{Step, push_token};
use super::{BOM, Document, Limits, MAX_DEPTH, Node, Shape, at, compare_utf16, order::rank_utf16, stored};

/// A refusal before its place has been put into words; boxed, because every step of the reader returns one.
type Fault = Box<(Range<usize>, ErrorKind)>;

fn fault(place: Range<usize>, kind: ErrorKind) -> Fault {
    Box::new((place, kind))
}

pub(super) fn read(octets: Vec<u8>, limits: &Limits) -> Result<Document, Error> {
    let limit = limits.max_octets.min(at(u32::MAX - 1));
    if octets.len() > limit {
        return Err(without_text(ErrorKind::TooLarge { found: octets.len(), limit }));
    }
    if let Some(encoding) = other_encoding(&octets) {
        return Err(without_text(ErrorKind::OtherEncoding { encoding }));
    }
    let mut source = match String::from_utf8(octets) {
        Ok(source) => source,
        Err(error) => {
            let refusal = not_utf8(&error);
            error.into_bytes().zeroize();
            return Err(refusal);
        }
    };
    let mut reader = Reader::new(&source);
    match reader.document() {
        Ok(()) => {
            let Reader { nodes, decoded, order, rounded, .. } = reader;
            Ok(Document { decoded, nodes, order, rounded, source: Arc::new(source) })
        }
        Err(fault) => {
            let (place, kind) = *fault;
            let refusal =
                Error { kind, pointer: reader.pointer(), span: span(&source, place.start, place.end) };
            reader.decoded.zeroize();
            // A broken document may be a private key.
            source.zeroize();
            Err(refusal)
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    octets: &'t [u8],
    position: usize,
    nodes: Vec<Node>,
    decoded: String,
    order: Vec<u32>,
    rounded: Vec<u32>,
    open: Vec<Frame>,
    /// Names of all open objects, outermost first.
    names: Vec<Name>,
}

/// A member name: its node, and its first octets in the order of RFC 8785, which settle most comparisons.
#[derive(Clone, Copy)]
struct Name {
    rank: u64,
    node: u32,
}

/// An open container.
struct Frame {
    node: u32,
    container: Container,
    /// Elements or members begun.
    count: usize,
    /// Where the names of this object start in `Reader::names`.
    names: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Array,
    Object,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            octets: text.as_bytes(),
            position: if text.starts_with(BOM) { BOM.len() } else { 0 },
            // A real card has a node for every 12 to 16 octets.
            nodes: Vec::with_capacity(text.len() / 12 + 4),
            decoded: String::new(),
            order: Vec::with_capacity(text.len() / 24 + 4),
            rounded: Vec::new(),
            open: Vec::with_capacity(8),
            names: Vec::with_capacity(32),
        }
    }

    fn document(&mut self) -> Result<(), Fault> {
        loop {
            // A value, or the opening of one, stands here.
            if self.value()? {
                continue;
            }
            // A value has ended: close what ends with it.
            loop {
                self.skip_white_space();
                let Some(frame) = self.open.last_mut() else { return self.end() };
                match (frame.container, self.octets.get(self.position)) {
                    (Container::Array, Some(b',')) => {
                        self.position += 1;
                        frame.count += 1;
                        break;
                    }
                    (Container::Object, Some(b',')) => {
                        self.position += 1;
                        frame.count += 1;
                        self.name()?;
                        break;
                    }
                    (Container::Array, Some(b']')) | (Container::Object, Some(b'}')) => self.close()?,
                    (Container::Array, _) => return Err(self.unexpected("`,` or `]`")),
                    (Container::Object, _) => return Err(self.unexpected("`,` or `}`")),
                }
            }
        }
    }

    /// Reads a scalar or an empty container whole, or opens a container. Whether another value must follow.
    fn value(&mut self) -> Result<bool, Fault> {
        self.skip_white_space();
        match self.octets.get(self.position) {
            Some(b'"') => self.string().map(|()| false),
            Some(b'{') => {
                self.open(Container::Object)?;
                self.skip_white_space();
                if self.octets.get(self.position) == Some(&b'}') {
                    return self.close().map(|()| false);
                }
                self.name().map(|()| true)
            }
            Some(b'[') => {
                self.open(Container::Array)?;
                self.skip_white_space();
                if self.octets.get(self.position) == Some(&b']') {
                    return self.close().map(|()| false);
                }
                Ok(true)
            }
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| false),
            Some(b't') => self.word("true", Shape::True).map(|()| false),
            Some(b'f') => self.word("false", Shape::False).map(|()| false),
            Some(b'n') => self.word("null", Shape::Null).map(|()| false),
            _ => Err(self.unexpected("a JSON value")),
        }
    }

    fn open(&mut self, container: Container) -> Result<(), Fault> {
        if self.open.len() == MAX_DEPTH {
            return Err(fault(self.position..self.position + 1, ErrorKind::TooDeep { limit: MAX_DEPTH }));
        }
        let node = stored(self.nodes.len());
        self.push(self.position, self.position + 1, Shape::Array);
        self.open.push(Frame { node, container, count: 0, names: self.names.len() });
        self.position += 1;
        Ok(())
    }

    /// Ends the innermost container at its closing bracket.
    fn close(&mut self) -> Result<(), Fault> {
        let Some(frame) = self.open.last() else { return Ok(()) };
        let (node, container, names) = (frame.node, frame.container, frame.names);
        let after = stored(self.nodes.len());
        let shape = match container {
            Container::Array => Shape::Array,
            Container::Object => Shape::Object { order: self.sort_names(names)? },
        };
        self.position += 1;
        if let Some(opened) = self.nodes.get_mut(at(node)) {
            *opened = Node { start: opened.start, end: stored(self.position), after, shape };
        }
        self.open.pop();
        Ok(())
    }

    /// Moves the names from `start` on to `order`, sorted; duplicates end up side by side.
    fn sort_names(&mut self, start: usize) -> Result<u32, Fault> {
        let place = stored(self.order.len());
        let (text, nodes, decoded) = (self.text, &self.nodes, &self.decoded);
        let spelled = |name: &Name| name_text(text, decoded, nodes, name.node);
        let own = self.names.get_mut(start..).unwrap_or_default();
        own.sort_unstable_by(|left, right| {
            left.rank.cmp(&right.rank).then_with(|| compare_utf16(spelled(left), spelled(right)))
        });
        self.order.push(stored(own.len()));
        self.order.extend(own.iter().map(|name| name.node));
        let twice = own.windows(2).find_map(|pair| match pair {
            [left, right] if left.rank == right.rank && spelled(left) == spelled(right) => {
                Some(if left.node < right.node { (*left, *right) } else { (*right, *left) })
            }
            _ => None,
        });
        if let Some((first, again)) = twice {
            let place =
                |name: Name| nodes.get(at(name.node)).map_or(0..0, |node| at(node.start)..at(node.end));
            let first = place(first);
            let kind = ErrorKind::DuplicateMember {
                name: clip(spelled(&again)),
                first: span(text, first.start, first.end),
            };
            let refusal = fault(place(again), kind);
            // The pointer of a fault ends with the last name.
            self.names.push(again);
            return Err(refusal);
        }
        self.names.truncate(start);
        Ok(place)
    }

    /// A member name and its colon.
    fn name(&mut self) -> Result<(), Fault> {
        self.skip_white_space();
        if self.octets.get(self.position) != Some(&b'"') {
            return Err(self.unexpected("a member name in double quotes"));
        }
        let node = stored(self.nodes.len());
        self.string()?;
        let rank = rank_utf16(name_text(self.text, &self.decoded, &self.nodes, node));
        self.names.push(Name { rank, node });
        self.skip_white_space();
        if self.octets.get(self.position) != Some(&b':') {
            return Err(self.unexpected("`:`"));
        }
        self.position += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), Fault> {
        let start = self.position;
        let body = start + 1;
        let mut escaped = false;
        let mut end = body;
        loop {
            let rest = self.octets.get(end..).unwrap_or_default();
            let Some(stop) = first_special(rest) else {
                let kind = ErrorKind::Unexpected { found: "the end of the file".into(), expected: "`\"`" };
                return Err(fault(self.octets.len()..self.octets.len(), kind));
            };
            end += stop;
            match self.octets.get(end) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    end += 2;
                }
                other => {
                    let character = other.copied().unwrap_or_default();
                    return Err(fault(end..end + 1, ErrorKind::ControlCharacter { character }));
                }
            }
        }
        let shape = if escaped { self.unescape(body, end)? } else { Shape::Text };
        self.push(start, end + 1, shape);
        self.position = end + 1;
        Ok(())
    }

    fn unescape(&mut self, body: usize, end: usize) -> Result<Shape, Fault> {
        if self.decoded.capacity() == 0 {
            // Unescaping never lengthens, so this is the only allocation and no copy of a secret is left behind.
            self.decoded.reserve_exact(self.text.len());
        }
        let from = stored(self.decoded.len());
        let text = self.text.get(body..end).unwrap_or_default();
        unescape(text, &mut self.decoded)
            .map_err(|(place, kind)| fault(body + place.start..body + place.end, kind))?;
        Ok(Shape::Escaped { from, to: stored(self.decoded.len()) })
    }

    fn number(&mut self) -> Result<(), Fault> {
        let start = self.position;
        if self.octets.get(self.position) == Some(&b'-') {
            self.position += 1;
        }
        let whole = self.digits();
        match (whole, self.octets.get(self.position - whole)) {
            (0, _) => return Err(self.unexpected("a digit")),
            (2.., Some(b'0')) => {
                let zero = self.position - whole;
                let kind =
                    ErrorKind::Unexpected { found: "a leading zero".into(), expected: "a number without it" };
                return Err(fault(zero..zero + 1, kind));
            }
            _ => {}
        }
        let mut plain = whole <= 15;
        if self.octets.get(self.position) == Some(&b'.') {
            plain = false;
            self.position += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.octets.get(self.position) {
            plain = false;
            self.position += 1;
            if let Some(b'+' | b'-') = self.octets.get(self.position) {
                self.position += 1;
            }
            self.some_digits()?;
        }
        let end = self.position;
        let id = stored(self.nodes.len());
        self.push(start, end, if plain { Shape::Integer } else { Shape::Number });
        if !plain {
            let literal = self.text.get(start..end).unwrap_or_default();
            match number::judge(literal).map_err(|kind| fault(start..end, kind))? {
                Survival::Exact => {}
                Survival::Rounded => self.rounded.push(id),
            }
        }
        Ok(())
    }

    fn some_digits(&mut self) -> Result<(), Fault> {
        if self.digits() == 0 { Err(self.unexpected("a digit")) } else { Ok(()) }
    }

    /// Skips digits and counts them.
    fn digits(&mut self) -> usize {
        let rest = self.octets.get(self.position..).unwrap_or_default();
        let count = rest.iter().take_while(|octet| octet.is_ascii_digit()).count();
        self.position += count;
        count
    }

    fn word(&mut self, word: &'static str, shape: Shape) -> Result<(), Fault> {
        let rest = self.octets.get(self.position..).unwrap_or_default();
        if !rest.starts_with(word.as_bytes()) {
            return Err(self.unexpected("a JSON value"));
        }
        self.push(self.position, self.position + word.len(), shape);
        self.position += word.len();
        Ok(())
    }

    fn end(&mut self) -> Result<(), Fault> {
        if self.position == self.octets.len() {
            return Ok(());
        }
        let (place, found) = self.found();
        Err(fault(place, ErrorKind::TrailingContent { found }))
    }

    fn push(&mut self, start: usize, end: usize, shape: Shape) {
        let after = stored(self.nodes.len() + 1);
        self.nodes.push(Node { start: stored(start), end: stored(end), after, shape });
    }

    fn skip_white_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.octets.get(self.position) {
            self.position += 1;
        }
    }

    fn unexpected(&self, expected: &'static str) -> Fault {
        let (place, found) = self.found();
        fault(place, ErrorKind::Unexpected { found, expected })
    }

    /// What stands at the current position, in words.
    fn found(&self) -> (Range<usize>, String) {
        let rest = self.text.get(self.position..).unwrap_or_default();
        let Some(first) = rest.chars().next() else {
            return (self.position..self.position, "the end of the file".to_owned());
        };
        if first.is_alphanumeric() {
            let word: String = rest.chars().take_while(|c| c.is_alphanumeric()).take(16).collect();
            return (self.position..self.position + word.len(), format!("`{word}`"));
        }
        let shown =
            if first.is_control() { format!("U+{:04X}", u32::from(first)) } else { format!("`{first}`") };
        (self.position..self.position + first.len_utf8(), shown)
    }

    /// The pointer of the value that was being read.
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for (depth, frame) in self.open.iter().enumerate() {
            let step = match frame.container {
                Container::Array => Step::Element(frame.count),
                Container::Object => {
                    let next = self.open.get(depth + 1).map_or(self.names.len(), |inner| inner.names);
                    let last = next.checked_sub(1).filter(|last| *last >= frame.names);
                    let Some(name) = last.and_then(|last| self.names.get(last)) else { break };
                    Step::Member(name_text(self.text, &self.decoded, &self.nodes, name.node))
                }
            };
            pointer.push('/');
            push_token(&mut pointer, &step);
        }
        pointer
    }
}

fn name_text<'r>(text: &'r str, decoded: &'r str, nodes: &[Node], id: u32) -> &'r str {
    let Some(node) = nodes.get(at(id)) else { return "" };
    if let Shape::Escaped { from, to } = node.shape {
        return decoded.get(at(from)..at(to)).unwrap_or_default();
    }
    text.get(at(node.start) + 1..at(node.end) - 1).unwrap_or_default()
}

/// The place of the first quote, backslash or control character; eight octets at a time.
fn first_special(octets: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    // The lowest high bit that is left marks the first octet below `limit` (borrows only reach later octets).
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH_BITS;
    let (words, rest) = octets.as_chunks::<8>();
    for (index, octets) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*octets);
        let quote = below(word ^ (ONES * 0x22), 1);
        let backslash = below(word ^ (ONES * 0x5C), 1);
        let special = quote | backslash | below(word, 0x20);
        if special != 0 {
            return Some(index * 8 + at(special.trailing_zeros() / 8));
        }
    }
    let in_rest = rest.iter().position(|&octet| octet == b'"' || octet == b'\\' || octet < 0x20);
    in_rest.map(|place| words.len() * 8 + place)
}

/// UTF-16 and UTF-32 by their byte order marks, or by the zero octets that ASCII text has there.
fn other_encoding(octets: &[u8]) -> Option<&'static str> {
    match octets {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => Some("UTF-32"),
        [0xFE, 0xFF, ..] => Some("UTF-16 (big-endian)"),
        [0xFF, 0xFE, ..] => Some("UTF-16 (little-endian)"),
        [0, second, ..] if *second != 0 => Some("UTF-16 (big-endian)"),
        [first, 0, ..] if *first != 0 => Some("UTF-16 (little-endian)"),
        _ => None,
    }
}

fn without_text(kind: ErrorKind) -> Error {
    Error { kind, span: span("", 0, 0), pointer: String::new() }
}

fn not_utf8(error: &std::string::FromUtf8Error) -> Error {
    let place = error.utf8_error().valid_up_to();
    let octet = error.as_bytes().get(place).copied().unwrap_or_default();
    let before =
        error.as_bytes().get(..place).and_then(|octets| std::str::from_utf8(octets).ok()).unwrap_or_default();
    let mut found = span(before, place, place + 1);
    found.end = place + 1;
    Error { kind: ErrorKind::NotUtf8 { octet }, span: found, pointer: String::new() }
}
