//! The walk over a card along its schema, shared by everything that asks how the card differs from it.
//!
//! One pass, linear in the card: every object whose message is known is looked at once.

use countersign_keys::json::{Kind, Value};

use super::schema::{
    AGENT_CARD, AGENT_CARD_03, Member, Message, Presence, SECURITY_SCHEME, Type, tagged_scheme,
};
use super::{Shape, UntrustedCard, has_envelope};

/// The message of an object, and what the other generation has at the same place.
#[derive(Clone, Copy)]
pub(crate) struct Schema {
    pub(crate) own: &'static Message,
    pub(crate) other: Option<&'static Message>,
}

/// What the walk meets.
pub(crate) enum Met<'c> {
    /// A REQUIRED member that is absent, or null: then the null.
    Missing { object: Value<'c>, member: &'static Member, null: Option<Value<'c>> },
    /// A null where no member is REQUIRED.
    Null { object: Value<'c>, name: &'c str, value: Value<'c> },
    /// A member, or an element without a name, of another type than this one.
    WrongType { name: Option<&'c str>, value: Value<'c>, kind: &'static Type },
    /// A member of the schema, of the right type.
    Known { own: &'static Message, object: Value<'c>, member: &'static Member, value: Value<'c> },
    /// A member of the schema under its name in the proto file.
    Snake { object: Value<'c>, name: &'c str, member: &'static Member },
    /// A member that only older cards have at this place.
    Legacy { object: Value<'c>, name: &'static str, schema: Schema },
    /// A member with another name.
    Unknown { object: Value<'c>, name: &'c str, schema: Schema },
}

/// Whether the members of older cards inside a card of A2A 1.0 are looked into.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LegacyMembers {
    Followed,
    Skipped,
}

impl Schema {
    /// A2A 0.3 for cards in its shape or an older one, without a `supportedInterfaces` that has entries; else A2A 1.0.
    pub(crate) fn of(card: &UntrustedCard, shape: Shape) -> Self {
        let legacy = matches!(shape, Shape::V0_3 | Shape::PreV0_3 | Shape::Unversioned);
        if legacy && !has_envelope(card.root()) {
            Self { own: &AGENT_CARD_03, other: Some(&AGENT_CARD) }
        } else {
            Self { own: &AGENT_CARD, other: Some(&AGENT_CARD_03) }
        }
    }

    /// Whether it is the A2A 0.3 card.
    pub(crate) fn is_v0_3(self) -> bool {
        std::ptr::eq(self.own, &AGENT_CARD_03)
    }
}

/// Shows `visit` all that differs from the schema, and all known members. Maps, `Struct`s and unknown members have names
/// of their own and are not looked into.
pub(crate) fn walk<'c>(
    card: Value<'c>,
    schema: Schema,
    legacy: LegacyMembers,
    visit: &mut impl FnMut(Met<'c>),
) {
    Walk { legacy, visit }.object(card, schema);
}

struct Walk<'v, V> {
    legacy: LegacyMembers,
    visit: &'v mut V,
}

impl<'c, V: FnMut(Met<'c>)> Walk<'_, V> {
    fn object(&mut self, object: Value<'c>, schema: Schema) {
        let mut seen = 0_u32;
        for (name, value) in object.members() {
            if let Some((place, member)) = schema.own.find(name) {
                seen |= 1 << place;
                self.known(object, (name, value), member, schema);
            } else if let Some((place, member)) = schema.own.find_by_snake_case(name) {
                seen |= 1 << place;
                (self.visit)(Met::Snake { object, name, member });
                self.known(object, (name, value), member, schema);
            } else if let Some(member) = schema.own.legacy(name) {
                self.legacy(object, (name, value), member, schema);
            } else {
                (self.visit)(Met::Unknown { object, name, schema });
            }
        }
        for (place, member) in schema.own.members.iter().enumerate() {
            if member.presence == Presence::Required && seen & (1 << place) == 0 {
                (self.visit)(Met::Missing { object, member, null: None });
            }
        }
    }

    fn known(
        &mut self,
        object: Value<'c>,
        (name, value): (&'c str, Value<'c>),
        member: &'static Member,
        schema: Schema,
    ) {
        if value.is_null() {
            (self.visit)(match member.presence {
                Presence::Required => Met::Missing { object, member, null: Some(value) },
                Presence::Optional | Presence::Implicit | Presence::OneOf | Presence::Default(_) => {
                    Met::Null { object, name, value }
                }
            });
            return;
        }
        if self.fits(Some(name), value, &member.kind) {
            (self.visit)(Met::Known { own: schema.own, object, member, value });
            let other = schema.other.and_then(|other| other.member(member.name));
            self.inside(value, &member.kind, other.map(|other| &other.kind));
        }
    }

    fn legacy(
        &mut self,
        object: Value<'c>,
        (name, value): (&'c str, Value<'c>),
        member: &'static Member,
        schema: Schema,
    ) {
        if value.is_null() {
            (self.visit)(Met::Null { object, name, value });
            return;
        }
        (self.visit)(Met::Legacy { object, name: member.name, schema });
        if self.legacy == LegacyMembers::Followed && self.fits(Some(name), value, &member.kind) {
            self.inside(value, &member.kind, None);
        }
    }

    /// Whether the value has the JSON type of this kind; otherwise that was met.
    fn fits(&mut self, name: Option<&'c str>, value: Value<'c>, kind: &'static Type) -> bool {
        let fits = value.kind() == json_kind(kind);
        if !fits {
            (self.visit)(Met::WrongType { name, value, kind });
        }
        fits
    }

    fn inside(&mut self, value: Value<'c>, kind: &'static Type, other: Option<&'static Type>) {
        match kind {
            Type::Text | Type::Flag | Type::Struct => {}
            Type::Message(own) => {
                let other = if let Some(Type::Message(other)) = other { Some(*other) } else { None };
                self.object(value, Schema { own, other });
            }
            Type::List(inner) => {
                let other = if let Some(Type::List(other)) = other { Some(*other) } else { None };
                value.elements().for_each(|element| self.entry(None, element, inner, other));
            }
            Type::Map(inner) => {
                let other = if let Some(Type::Map(other)) = other { Some(*other) } else { None };
                value.members().for_each(|(name, member)| self.entry(Some(name), member, inner, other));
            }
            Type::TaggedScheme => {
                // A scheme without a known `type` has no message.
                let tag = value.member("type").and_then(Value::as_text);
                if let Some(own) = tag.and_then(tagged_scheme) {
                    self.object(value, Schema { own, other: Some(&SECURITY_SCHEME) });
                }
            }
        }
    }

    fn entry(
        &mut self,
        name: Option<&'c str>,
        value: Value<'c>,
        kind: &'static Type,
        other: Option<&'static Type>,
    ) {
        if self.fits(name, value, kind) {
            self.inside(value, kind, other);
        }
    }
}

/// The JSON type of values of this kind.
pub(crate) const fn json_kind(kind: &Type) -> Kind {
    match kind {
        Type::Text => Kind::Text,
        Type::Flag => Kind::Bool,
        Type::Message(_) | Type::Map(_) | Type::Struct | Type::TaggedScheme => Kind::Object,
        Type::List(_) => Kind::Array,
    }
}
