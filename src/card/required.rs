//! Which REQUIRED members a card lacks.

use countersign_keys::json::{Kind, Value};

use super::schema::{AGENT_CARD, AGENT_CARD_03, Message, Presence, Type};
use super::{Shape, UntrustedCard};

impl UntrustedCard {
    /// JSON Pointers of the members that the schema of the card's shape demands and that are absent or null.
    ///
    /// Legacy cards without a non-empty `supportedInterfaces` are held against A2A 0.3, all others against A2A 1.0. Does
    /// not check types, and counts empty members as present.
    #[must_use]
    pub fn missing_members(&self) -> Vec<String> {
        let legacy = matches!(self.shape(None), Shape::V0_3 | Shape::PreV0_3 | Shape::Unversioned)
            && !super::has_envelope(self.root());
        let mut missing = Vec::new();
        message(
            self.root(),
            if legacy { &AGENT_CARD_03 } else { &AGENT_CARD },
            &mut String::new(),
            &mut missing,
        );
        missing
    }
}

fn message(value: Value<'_>, schema: &'static Message, pointer: &mut String, missing: &mut Vec<String>) {
    for member in schema.members {
        let found = super::member(value, member.name).filter(|value| !value.is_null());
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(member.name);
        match found {
            Some(value) => inside(value, &member.kind, pointer, missing),
            None if member.presence == Presence::Required => missing.push(pointer.clone()),
            None => {}
        }
        pointer.truncate(length);
    }
}

fn inside(value: Value<'_>, kind: &'static Type, pointer: &mut String, missing: &mut Vec<String>) {
    match (value.kind(), kind) {
        (Kind::Object, Type::Message(schema)) => message(value, schema, pointer, missing),
        (Kind::Object, Type::Map(inner)) => {
            for (name, member) in value.members() {
                at(&name.replace('~', "~0").replace('/', "~1"), member, inner, pointer, missing);
            }
        }
        (Kind::Array, Type::List(inner)) => {
            for (index, element) in value.elements().enumerate() {
                at(&index.to_string(), element, inner, pointer, missing);
            }
        }
        _ => {}
    }
}

fn at(token: &str, value: Value<'_>, kind: &'static Type, pointer: &mut String, missing: &mut Vec<String>) {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(token);
    inside(value, kind, pointer, missing);
    pointer.truncate(length);
}
