//! Names that the schema of the card's generation does not have.

use countersign_keys::FixSafety;
use countersign_keys::json::Value;

use super::{LEGACY_SHAPE, MEMBER_CASE, Members, UNKNOWN_MEMBER, with_fix};
use crate::Shape;
use crate::card::member;
use crate::card::schema::{
    AGENT_CAPABILITIES, AGENT_CAPABILITIES_03, AGENT_CARD, AGENT_INTERFACE, AGENT_PROVIDER, Member, Message,
    SECURITY_REQUIREMENT, SECURITY_SCHEME,
};
use crate::card::spelling::same_when_folded;
use crate::card::walk::{LegacyMembers, Schema};
use crate::lint::edit;
use crate::lint::report::{Place, Remark, quoted};
use countersign_keys::nearest::nearest;

/// Words that published cards use for members of the schema.
static OTHER_WORDS: [(&Message, &str, &str); 14] = [
    (&AGENT_CARD, "interfaces", "supportedInterfaces"),
    (&AGENT_CARD, "agentVersion", "version"),
    (&AGENT_CARD, "extensions", "capabilities.extensions"),
    (&AGENT_CARD, "supportsExtendedAgentCard", "capabilities.extendedAgentCard"),
    (&AGENT_CARD, "signature", "signatures"),
    (&AGENT_INTERFACE, "endpoint", "url"),
    (&AGENT_INTERFACE, "protocol", "protocolBinding"),
    (&AGENT_INTERFACE, "transport", "protocolBinding"),
    (&AGENT_INTERFACE, "transportProtocol", "protocolBinding"),
    (&AGENT_INTERFACE, "type", "protocolBinding"),
    (&AGENT_INTERFACE, "version", "protocolVersion"),
    (&AGENT_PROVIDER, "name", "organization"),
    (&AGENT_PROVIDER, "homepage", "url"),
    (&AGENT_PROVIDER, "website", "url"),
];

impl<'s> Members<'s, '_, '_> {
    /// A member of older cards in a card of A2A 1.0.
    pub(super) fn legacy(&mut self, object: Value<'s>, name: &'s str, schema: Schema) {
        // A scheme with nothing of A2A 1.0 in it is judged with the security schemes; of another one `type` is told.
        let is_scheme = std::ptr::eq(schema.own, &SECURITY_SCHEME);
        let is_told = !is_scheme || (name == "type" && names_a_kind(object));
        let is_offered = matches!(self.subject.shape, Shape::Dual | Shape::V0_3 | Shape::Contradictory);
        if !is_told || is_offered {
            return;
        }
        self.report.add_with(&LEGACY_SHAPE, Place::Name(object, name), || {
            let message = format!("`{name}` is no member of A2A 1.0, its readers ignore it");
            Remark::new(message).help(legacy_help(name))
        });
    }

    /// A name that is in none of the tables at this place.
    pub(super) fn unknown(&mut self, object: Value<'s>, name: &'s str, schema: Schema) {
        let Schema { own, other } = schema;
        if let Some(old) = other.and_then(|other| other.legacy(name)).filter(|_| self.schema.is_v0_3()) {
            self.report.add_with(&LEGACY_SHAPE, Place::Name(object, name), || {
                Remark::new(format!("`{}` was removed before A2A 0.3", old.name)).help(legacy_help(name))
            });
            return;
        }
        let is_signatures =
            name == "signatures" && other.is_some_and(|other| std::ptr::eq(other, &AGENT_CARD));
        let is_bare = std::ptr::eq(own, &SECURITY_REQUIREMENT) && self.is_bare(object);
        let newer = other.and_then(|other| other.member(name)).filter(|_| self.schema.is_v0_3());
        // What an agent is said to be capable of has a lint of its own.
        let is_capability =
            std::ptr::eq(own, &AGENT_CAPABILITIES) || std::ptr::eq(own, &AGENT_CAPABILITIES_03);
        if is_signatures || is_bare || (is_capability && newer.is_none()) {
            return;
        }
        let folded = self.expected(own).find(|known| same_when_folded(name, known));
        if let Some(known) = folded {
            self.report.add_with(&MEMBER_CASE, Place::Name(object, name), || {
                let message =
                    format!("{} is read by lenient readers only, the schema has `{known}`", quoted(name));
                // A strict reader sees the member for the first time afterwards.
                let fix = edit::rename(FixSafety::Suggested, object, name, known);
                with_fix(Remark::new(message).help(format!("write `{known}`")), fix)
            });
            return;
        }
        let expected = self.expected(own);
        self.report.add_with(&UNKNOWN_MEMBER, Place::Name(object, name), || {
            let near = if newer.is_none() { nearest(name, expected) } else { None };
            remark(object, name, Guess { own, newer, near })
        });
    }

    /// Whether a security requirement lacks `schemes`: `{"bearer": []}` names a scheme, not a member.
    fn is_bare(&mut self, requirement: Value<'s>) -> bool {
        match self.requirement {
            Some((id, is_bare)) if id == requirement.id() => is_bare,
            _ => {
                let is_bare = requirement.member("schemes").is_none();
                self.requirement = Some((requirement.id(), is_bare));
                is_bare
            }
        }
    }

    /// The names that are expected in an object of this message.
    fn expected(&self, own: &'static Message) -> impl Iterator<Item = &'static str> + use<> {
        let follows = self.legacy_members() == LegacyMembers::Followed;
        let legacy = if follows { own.legacy } else { &[] };
        own.members.iter().chain(legacy).map(|member| member.name)
    }
}

/// What may be meant by an unknown member.
struct Guess {
    own: &'static Message,
    newer: Option<&'static Member>,
    near: Option<&'static str>,
}

fn remark(object: Value<'_>, name: &str, guess: Guess) -> Remark {
    let shown = quoted(name);
    if guess.newer.is_some() {
        return Remark::new(format!("{shown} is a member of A2A 1.0, and the card is one of 0.3"))
            .help("publish a card of A2A 1.0 to use it; readers of 0.3 ignore it");
    }
    let unknown = Remark::new(format!("{shown} is no member of the schema at this place, readers ignore it"));
    let word = OTHER_WORDS.iter().find(|(own, word, _)| std::ptr::eq(*own, guess.own) && *word == name);
    if let Some((_, _, known)) = word {
        return unknown.help(format!("did you mean `{known}`?"));
    }
    let Some(known) = guess.near else {
        return unknown.help("remove it, or declare an extension and put it into the `params` of that");
    };
    let help = format!("did you mean `{known}`?");
    with_fix(unknown.help(help), edit::rename(FixSafety::Suggested, object, name, known))
}

/// What A2A 1.0 has instead of a member of older cards.
fn legacy_help(name: &str) -> &'static str {
    match name {
        "url" | "preferredTransport" | "additionalInterfaces" | "protocolVersion" => {
            "write each endpoint as an entry of `supportedInterfaces`, with `url`, `protocolBinding` and `protocolVersion`; \
             keep the older members only with `\"protocolVersion\": \"0.3.0\"`, for clients of 0.3"
        }
        "supportsAuthenticatedExtendedCard" => "write `\"extendedAgentCard\": true` in `capabilities`",
        "security" => "write `securityRequirements`: `[{\"schemes\": {\"NAME\": {\"list\": [\"SCOPE\"]}}}]`",
        "authentication" => "write `securitySchemes`, and which of them are demanded",
        "stateTransitionHistory" => "remove it: no client of A2A 1.0 asks for it",
        _ => "keep only the member of A2A 1.0 that says what the scheme is",
    }
}

/// Whether a scheme has one of the members of A2A 1.0 that say what it is.
fn names_a_kind(scheme: Value<'_>) -> bool {
    let mut kinds = SECURITY_SCHEME.members.iter().filter_map(|kind| member(scheme, kind.name));
    kinds.any(|kind| !kind.is_null())
}
