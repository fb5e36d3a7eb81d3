//! The parts of a card that are compared with those of an earlier one: its structure and its texts.

use std::collections::BTreeMap;

use countersign_keys::jcs;
use countersign_keys::json::{Document, Kind, Limits, Value};
use countersign_policy::{CardParts, PinDigest};

use crate::canonical;
use crate::card::schema::AGENT_CARD;

/// A place in a card, as far as it matters which of its members are texts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Card,
    Skills,
    Skill,
    Schemes,
    Scheme,
    Capabilities,
    Extensions,
    /// An extension, or what is inside a scheme: `description` is text.
    Described,
    /// Nothing in it is text.
    Structure,
}

/// What a member is.
enum Part {
    Text,
    /// It belongs to neither part.
    Left,
    Structure(Place),
}

/// The digests of a card that would be handed on.
pub(super) fn of(document: &Document) -> CardParts {
    let octets = canonical::open_octets(document.root());
    let digest = PinDigest::of(&octets);
    let limits = Limits::default().with_max_octets(octets.len());
    let mut split = Split::default();
    // What was just written is strict JSON; a card that could not be read back would be one structure.
    match Document::read(octets, &limits) {
        Ok(written) => split.card(written.root()),
        Err(_) => split.structure.entry(String::new()).or_default().extend_from_slice(&digest_text(digest)),
    }
    let digests = |parts: BTreeMap<String, Vec<u8>>| {
        parts.into_iter().map(|(pointer, octets)| (pointer, PinDigest::of(&octets))).collect()
    };
    CardParts { digest, structure: digests(split.structure), text: digests(split.text) }
}

fn digest_text(digest: PinDigest) -> Vec<u8> {
    digest.to_hex().into_bytes()
}

/// The two parts by top-level member.
#[derive(Default)]
struct Split {
    structure: BTreeMap<String, Vec<u8>>,
    text: BTreeMap<String, Vec<u8>>,
}

impl Split {
    fn card(&mut self, card: Value<'_>) {
        for (name, value) in card.sorted_members() {
            let name_text = name.as_text().unwrap_or_default();
            let pointer = if is_known(name_text) { format!("/{name_text}") } else { String::new() };
            let (mut structure, mut text) = (Vec::new(), Vec::new());
            match part(Place::Card, name_text) {
                Part::Left => continue,
                Part::Text => write(value, &mut text),
                Part::Structure(Place::Skills) => skills(value, &mut structure, &mut text),
                Part::Structure(place) => {
                    // A name that the schema does not have tells two such members apart.
                    if pointer.is_empty() {
                        jcs::write_scalar(name, &mut structure);
                    }
                    split(value, place, &mut String::new(), (&mut structure, &mut text));
                }
            }
            for (parts, octets) in [(&mut self.structure, structure), (&mut self.text, text)] {
                if !octets.is_empty() {
                    parts.entry(pointer.clone()).or_default().extend(octets);
                }
            }
        }
    }
}

fn is_known(name: &str) -> bool {
    AGENT_CARD.members.iter().chain(AGENT_CARD.legacy).any(|member| member.name == name)
}

fn part(place: Place, name: &str) -> Part {
    let text_or = |texts: &[&str], otherwise: Place| {
        if texts.contains(&name) { Part::Text } else { Part::Structure(otherwise) }
    };
    match (place, name) {
        (Place::Card, "version" | "signatures") => Part::Left,
        (Place::Card, "skills") => Part::Structure(Place::Skills),
        (Place::Card, "securitySchemes") => Part::Structure(Place::Schemes),
        (Place::Card, "capabilities") => Part::Structure(Place::Capabilities),
        (Place::Card, _) => text_or(
            &[
                "name",
                "description",
                "iconUrl",
                "documentationUrl",
                "defaultInputModes",
                "defaultOutputModes",
            ],
            Place::Structure,
        ),
        (Place::Skill, _) => text_or(
            &["id", "name", "description", "tags", "examples", "inputModes", "outputModes"],
            Place::Structure,
        ),
        (Place::Capabilities, "extensions") => Part::Structure(Place::Extensions),
        // The names here are names of schemes.
        (Place::Schemes, _) => Part::Structure(Place::Scheme),
        (Place::Scheme, _) => text_or(&["description"], Place::Described),
        (Place::Described, _) => text_or(&["description"], Place::Structure),
        (Place::Skills | Place::Extensions | Place::Capabilities | Place::Structure, _) => {
            Part::Structure(Place::Structure)
        }
    }
}

/// The place of the elements of a list.
const fn element(place: Place) -> Place {
    match place {
        Place::Skills => Place::Skill,
        Place::Extensions => Place::Described,
        Place::Card
        | Place::Skill
        | Place::Schemes
        | Place::Scheme
        | Place::Capabilities
        | Place::Described
        | Place::Structure => Place::Structure,
    }
}

/// Writes `value`, which is at `path`, without its texts to the structure, and its texts, each with its path, to the other.
fn split(value: Value<'_>, place: Place, path: &mut String, (structure, text): (&mut Vec<u8>, &mut Vec<u8>)) {
    let here = path.len();
    match value.kind() {
        Kind::Object => {
            structure.push(b'{');
            for (name, member) in value.sorted_members() {
                let name_text = name.as_text().unwrap_or_default();
                path.push('/');
                path.push_str(&name_text.replace('~', "~0").replace('/', "~1"));
                match part(place, name_text) {
                    Part::Left => {}
                    // A description that is no string is none.
                    Part::Text if place != Place::Skill && member.kind() != Kind::Text => {
                        named(name, structure);
                        write(member, structure);
                    }
                    Part::Text => {
                        jcs::write_text(path, text);
                        write(member, text);
                    }
                    Part::Structure(inner) => {
                        named(name, structure);
                        split(member, inner, path, (structure, text));
                    }
                }
                path.truncate(here);
            }
            structure.push(b'}');
        }
        Kind::Array => {
            structure.push(b'[');
            for (index, item) in value.elements().enumerate() {
                path.push('/');
                path.push_str(&index.to_string());
                split(item, element(place), path, (structure, text));
                structure.push(b',');
                path.truncate(here);
            }
            structure.push(b']');
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::Text => write(value, structure),
    }
}

/// Skills are texts, but for what they demand: a skill without a demand has no part in the structure.
fn skills(value: Value<'_>, structure: &mut Vec<u8>, text: &mut Vec<u8>) {
    if value.kind() != Kind::Array {
        return write(value, structure);
    }
    for skill in value.elements() {
        let mut demands = Vec::new();
        split(skill, Place::Skill, &mut String::new(), (&mut demands, text));
        text.push(b',');
        if demands != b"{}" {
            if let Some(id) = skill.member("id") {
                write(id, structure);
            }
            structure.extend(demands);
        }
    }
    // No skills at all is another text than no member.
    text.push(b']');
}

fn named(name: Value<'_>, out: &mut Vec<u8>) {
    jcs::write_scalar(name, out);
    out.push(b':');
}

fn write(value: Value<'_>, out: &mut Vec<u8>) {
    jcs::write(value, out);
}
