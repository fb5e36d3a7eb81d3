//! The class of a value that a signature does not cover: the strictest of its leaves.

use countersign_keys::json::{Kind, NodeId, Step, Value};

use super::{Class, Received};
use crate::canonical::Because;
use crate::card::schema::{AGENT_CARD, Member, Message, Presence, Type, Weight};

/// Where a value stands in the schema.
#[derive(Clone, Copy)]
pub(super) struct Place<'d> {
    pub(super) received: &'d Received<'d>,
    pub(super) ground: Ground<'d>,
    pub(super) zone: Zone<'d>,
    /// The class that a lost oneof member, map entry or list element counts at least as.
    at_least: Class,
}

/// What the schema knows about a value.
#[derive(Clone, Copy)]
pub(super) enum Ground<'d> {
    Known { kind: &'static Type, weight: Weight },
    Legacy { member: &'static Member, owner: Value<'d>, message: &'static Message },
    Params,
    Unknown,
}

/// The parts of a card with rules of their own.
#[derive(Clone, Copy)]
pub(super) enum Zone<'d> {
    Elsewhere,
    /// In or below `securitySchemes`; how many steps below.
    Schemes {
        depth: usize,
    },
    /// In or below the list of requirements in `list`; how many steps below.
    Requirements {
        list: Value<'d>,
        spelled: Spelled,
        depth: usize,
    },
}

/// By which name a list of requirements stands in the card: it decides how clients read the entries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelled {
    /// `securityRequirements` of A2A 1.0.
    V1,
    /// `security` of A2A 0.3.
    V0_3,
}

/// Follows the schema from the card to the value with this id.
pub(super) fn place<'d>(received: &'d Received<'d>, id: NodeId) -> Place<'d> {
    static CARD: Type = Type::Message(&AGENT_CARD);
    let root = Ground::Known { kind: &CARD, weight: Weight::Text };
    let mut place = Place { received, ground: root, zone: Zone::Elsewhere, at_least: Class::Default };
    let mut here = received.card;
    for (step, next) in received.ancestry.path(id) {
        place = place.step(step, here, next);
        here = next;
    }
    place
}

/// The class of a lost value.
pub(super) fn of_lost<'d>(place: &Place<'d>, value: Value<'d>, because: Because) -> Class {
    let own = match because {
        Because::SchemaDefault if place.is_scheme_type() && !place.type_is_told_by_others(value) => {
            Class::Security
        }
        Because::SchemaDefault => Class::Default,
        Because::Dropped => place.weigh(value),
    };
    own.max(place.at_least)
}

/// The members by which a security scheme of A2A 0.3 shows its `type` although the payload does not hold it.
const TELLING: [(&str, &[&str]); 4] = [
    ("apiKey", &["in", "name"]),
    ("http", &["scheme"]),
    ("oauth2", &["flows"]),
    ("openIdConnect", &["openIdConnectUrl"]),
];

impl<'d> Place<'d> {
    /// Whether this is the `type` of a security scheme of A2A 0.3.
    pub(super) fn is_scheme_type(&self) -> bool {
        matches!(self.zone, Zone::Schemes { depth: 2 })
            && matches!(self.ground, Ground::Legacy { member, .. } if member.name == "type")
    }

    /// Whether covered members of the scheme belong to no other `type` than `value`.
    fn type_is_told_by_others(&self, value: Value<'d>) -> bool {
        let Ground::Legacy { owner, .. } = self.ground else { return false };
        let telling =
            TELLING.iter().find(|(tag, _)| value.as_text() == Some(tag)).map(|(_, members)| *members);
        owner.members().any(|(name, member)| {
            telling.unwrap_or_default().contains(&name) && !self.received.has_lost(member)
        })
    }

    /// The place of `next`, one step below `here`.
    fn step(self, step: Step<'d>, here: Value<'d>, next: Value<'d>) -> Self {
        let (ground, is_entry) = self.ground_below(step, here);
        let zone = self.zone_below(step, next, ground);
        let weight = self.entry_weight(ground, here);
        Self {
            received: self.received,
            ground,
            zone,
            at_least: if is_entry { weight } else { Class::Default },
        }
    }

    /// What the schema knows about a child, and whether it is a oneof member, a map entry or a list element.
    fn ground_below(&self, step: Step<'d>, here: Value<'d>) -> (Ground<'d>, bool) {
        match (self.ground, step) {
            (Ground::Known { kind: Type::Message(message), .. }, Step::Member(name)) => {
                let known = message.member(name).or_else(|| message.member_by_snake_case(name));
                if let Some(member) = known {
                    let ground = Ground::Known { kind: &member.kind, weight: member.weight };
                    return (ground, member.presence == Presence::OneOf);
                }
                let legacy =
                    message.legacy(name).map(|member| Ground::Legacy { member, owner: here, message });
                (legacy.unwrap_or(Ground::Unknown), false)
            }
            (Ground::Known { kind: Type::List(inner), weight }, Step::Element(_))
            | (Ground::Known { kind: Type::Map(inner), weight }, Step::Member(_)) => {
                (Ground::Known { kind: inner, weight }, true)
            }
            (Ground::Known { kind: Type::Struct, .. } | Ground::Params, _) => (Ground::Params, true),
            // Inside a legacy member its own rule goes on; inside a wrong-typed member its weight does.
            (Ground::Legacy { .. }, _) => (self.ground, true),
            (Ground::Known { .. }, _) => (self.ground, true),
            (Ground::Unknown, _) => (Ground::Unknown, false),
        }
    }

    fn zone_below(&self, step: Step<'d>, next: Value<'d>, ground: Ground<'d>) -> Zone<'d> {
        match (self.zone, step, ground) {
            (Zone::Schemes { depth }, _, _) => Zone::Schemes { depth: depth + 1 },
            (Zone::Requirements { list, spelled, depth }, _, _) => {
                Zone::Requirements { list, spelled, depth: depth + 1 }
            }
            // Members of these names outside the schema are not what they seem.
            (Zone::Elsewhere, _, Ground::Unknown | Ground::Params) => Zone::Elsewhere,
            (Zone::Elsewhere, Step::Member("securitySchemes" | "security_schemes"), _) => {
                Zone::Schemes { depth: 0 }
            }
            (Zone::Elsewhere, Step::Member("securityRequirements" | "security_requirements"), _) => {
                Zone::Requirements { list: next, spelled: Spelled::V1, depth: 0 }
            }
            (Zone::Elsewhere, Step::Member("security"), _) => {
                Zone::Requirements { list: next, spelled: Spelled::V0_3, depth: 0 }
            }
            (Zone::Elsewhere, _, _) => Zone::Elsewhere,
        }
    }

    fn entry_weight(&self, ground: Ground<'d>, here: Value<'d>) -> Class {
        match ground {
            Ground::Known { weight, .. } => class_of(weight),
            Ground::Legacy { .. } => Self { ground, ..*self }.legacy_class(here),
            Ground::Params => Class::Security,
            Ground::Unknown => Class::Default,
        }
    }

    /// The strictest class of the leaves of `value`, which stands here.
    fn weigh(&self, value: Value<'d>) -> Class {
        match self.ground {
            Ground::Params => Class::Security,
            Ground::Unknown => match self.zone {
                Zone::Elsewhere => Class::Unknown,
                Zone::Schemes { .. } | Zone::Requirements { .. } => Class::Security,
            },
            Ground::Legacy { .. } => self.legacy_class(value),
            Ground::Known { .. } if value.is_null() => Class::Default,
            Ground::Known { kind, weight } => match (kind, value.kind()) {
                (Type::Text, Kind::Text) if value.is_empty() => Class::Default,
                (Type::Flag, Kind::Bool) if value.as_bool() == Some(false) => Class::Default,
                (Type::Struct, Kind::Object) if value.is_empty() => Class::Default,
                (Type::List(_), Kind::Array) | (Type::Map(_) | Type::Message(_), Kind::Object) => {
                    self.strictest_child(value)
                }
                // A leaf with content, or a value of the wrong type.
                _ => class_of(weight),
            },
        }
    }

    fn strictest_child(&self, value: Value<'d>) -> Class {
        let members = value.members().map(|(name, member)| (Step::Member(name), member));
        let elements = value.elements().enumerate().map(|(index, element)| (Step::Element(index), element));
        members
            .chain(elements)
            .map(|(step, child)| {
                let place = self.step(step, value, child);
                place.weigh(child).max(place.at_least)
            })
            .max()
            .unwrap_or(Class::Default)
    }

    /// Legacy members are harmless only where a signed member has taken their place.
    fn legacy_class(&self, value: Value<'d>) -> Class {
        let Ground::Legacy { member, owner, message } = self.ground else { return Class::Security };
        if value.is_null() {
            return Class::Default;
        }
        let in_scheme = message.members.iter().any(|member| member.presence == Presence::OneOf);
        let replaced = if in_scheme {
            owner.members().any(|(name, other)| {
                let known = message.member(name).or_else(|| message.member_by_snake_case(name));
                known.is_some() && !self.received.has_lost(other)
            })
        } else if matches!(member.name, "security" | "authentication") {
            return if is_hollow(value) || self.received.payload_holds(owner, "securityRequirements") {
                Class::Legacy
            } else {
                Class::Security
            };
        } else {
            self.received.payload_holds(self.received.card, "supportedInterfaces")
        };
        if is_hollow(value) {
            Class::Default
        } else if replaced {
            Class::Legacy
        } else {
            Class::Security
        }
    }
}

/// Whether a value of an older schema stands at the default of its own type.
fn is_hollow(value: Value<'_>) -> bool {
    value.is_empty() || value.as_bool() == Some(false)
}

fn class_of(weight: Weight) -> Class {
    match weight {
        Weight::Text => Class::Text,
        Weight::Security => Class::Security,
    }
}
