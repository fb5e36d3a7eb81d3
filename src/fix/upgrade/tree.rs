//! The new card before it is written: values of the old one as they are, and what is built around them.

use std::borrow::Cow;

use countersign_keys::jcs;
use countersign_keys::json::{Kind, Value};

/// A value of the new card.
#[derive(Clone, Debug)]
pub(super) enum Node<'c> {
    /// A value of the old card.
    Kept(Value<'c>),
    Text(Cow<'c, str>),
    Object(Members<'c>),
    Array(Vec<Node<'c>>),
}

pub(super) type Members<'c> = Vec<(Cow<'c, str>, Node<'c>)>;

/// Most characters of a list of strings and numbers that stands on one line.
const MAX_LINE: usize = 100;

/// JSON text, indented by two spaces. Strings and numbers of the old card keep their octets.
pub(super) fn written(card: &Node<'_>) -> String {
    let mut out = Vec::new();
    write(card, 0, &mut out);
    out.push(b'\n');
    // INVARIANT: made of text only.
    String::from_utf8(out).unwrap_or_default()
}

fn write(node: &Node<'_>, level: usize, out: &mut Vec<u8>) {
    match node {
        Node::Text(text) => jcs::write_text(text, out),
        Node::Object(members) => {
            let members = members.iter().map(|(name, node)| (name.as_ref(), node));
            container(b'{', b'}', members, level, out, |(name, node), level, out| {
                jcs::write_text(name, out);
                out.extend_from_slice(b": ");
                write(node, level, out);
            });
        }
        Node::Array(elements) => container(b'[', b']', elements.iter(), level, out, write),
        Node::Kept(value) => write_kept(*value, level, out),
    }
}

fn write_kept(value: Value<'_>, level: usize, out: &mut Vec<u8>) {
    match value.kind() {
        Kind::Object => container(b'{', b'}', value.members(), level, out, |(name, value), level, out| {
            jcs::write_text(name, out);
            out.extend_from_slice(b": ");
            write_kept(value, level, out);
        }),
        Kind::Array if fits_on_a_line(value) => {
            let elements: Vec<&str> = value.elements().map(Value::raw).collect();
            out.push(b'[');
            out.extend_from_slice(elements.join(", ").as_bytes());
            out.push(b']');
        }
        Kind::Array => container(b'[', b']', value.elements(), level, out, write_kept),
        Kind::Null | Kind::Bool | Kind::Number | Kind::Text => out.extend_from_slice(value.raw().as_bytes()),
    }
}

fn fits_on_a_line(list: Value<'_>) -> bool {
    let is_scalar = |value: Value<'_>| !matches!(value.kind(), Kind::Object | Kind::Array);
    list.elements().all(is_scalar)
        && list.elements().map(|value| value.raw().len() + 2).sum::<usize>() <= MAX_LINE
}

fn container<T>(
    open: u8,
    close: u8,
    children: impl Iterator<Item = T>,
    level: usize,
    out: &mut Vec<u8>,
    write: impl Fn(T, usize, &mut Vec<u8>),
) {
    out.push(open);
    let mut is_empty = true;
    for child in children {
        if !is_empty {
            out.push(b',');
        }
        is_empty = false;
        new_line(level + 1, out);
        write(child, level + 1, out);
    }
    if !is_empty {
        new_line(level, out);
    }
    out.push(close);
}

fn new_line(level: usize, out: &mut Vec<u8>) {
    out.push(b'\n');
    out.extend(std::iter::repeat_n(b' ', 2 * level));
}
