//! The members of a card against the schema of its generation: names, presence, types and empty values.

mod names;
#[cfg(test)]
mod tests;

use countersign_keys::json::{NodeId, Value};
use countersign_keys::{Fix, FixSafety, Level};

use super::report::{Place, Remark, Report, quoted};
use super::{Family, Lint, Subject, edit};
use crate::card::schema::{
    AGENT_CARD_03, AGENT_INTERFACE, AGENT_INTERFACE_03, Member, Message, Presence, Type, is_default,
};
use crate::card::walk::{LegacyMembers, Met, Schema, json_kind, walk};
use crate::codes::members as own_codes;
use crate::{Shape, codes};

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const ERROR: Option<Level> = Some(Level::Error);
const WARNING: Option<Level> = Some(Level::Warning);
const INFO: Option<Level> = Some(Level::Info);

const UNKNOWN_MEMBER: Lint = Lint::new(own_codes::CARD_UNKNOWN_MEMBER, ERROR, WARNING);
/// Also reported where the card's generation is judged.
pub(super) const LEGACY_SHAPE: Lint = Lint::new(own_codes::CARD_LEGACY_SHAPE, WARNING, WARNING);
const MEMBER_CASE: Lint = Lint::new(own_codes::CARD_MEMBER_CASE, WARNING, WARNING);
const SNAKE_CASE: Lint = Lint::new(codes::CARD_SNAKE_CASE, WARNING, WARNING);
const REQUIRED_MISSING: Lint = Lint::new(codes::CARD_REQUIRED_MISSING, ERROR, ERROR);
const REQUIRED_ARRAY_EMPTY: Lint = Lint::new(own_codes::CARD_REQUIRED_ARRAY_EMPTY, WARNING, WARNING);
const REQUIRED_STRING_EMPTY: Lint = Lint::new(own_codes::CARD_REQUIRED_STRING_EMPTY, WARNING, WARNING);
const INTERFACE_INCOMPLETE: Lint = Lint::new(own_codes::CARD_INTERFACE_INCOMPLETE, ERROR, ERROR);
const EXPLICIT_DEFAULT: Lint = Lint::new(own_codes::CARD_EXPLICIT_DEFAULT, INFO, None);
const NULL_MEMBER: Lint = Lint::new(own_codes::CARD_NULL_MEMBER, WARNING, WARNING);
const WRONG_TYPE: Lint = Lint::new(own_codes::CARD_WRONG_TYPE, ERROR, ERROR);
const VERSION_NOT_SEMVER: Lint = Lint::new(own_codes::CARD_VERSION_NOT_SEMVER, INFO, INFO);

static LINTS: [Lint; 12] = [
    UNKNOWN_MEMBER,
    LEGACY_SHAPE,
    MEMBER_CASE,
    SNAKE_CASE,
    REQUIRED_MISSING,
    REQUIRED_ARRAY_EMPTY,
    REQUIRED_STRING_EMPTY,
    INTERFACE_INCOMPLETE,
    EXPLICIT_DEFAULT,
    NULL_MEMBER,
    WRONG_TYPE,
    VERSION_NOT_SEMVER,
];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let schema = Schema::of(subject.card, subject.shape);
    let mut members =
        Members { subject, schema, safety: edit::safety(subject.card), report, requirement: None };
    if subject.shape == Shape::Foreign && !comes_near(subject) {
        members.lacks_all();
        return;
    }
    walk(subject.card.root(), schema, members.legacy_members(), &mut |met| members.met(met));
}

/// Whether a document without interfaces has at least half of the REQUIRED members of A2A 1.0: the rest was forgotten.
fn comes_near(subject: &Subject<'_>) -> bool {
    let required = Schema::of(subject.card, Shape::V1_0).own.members.iter();
    let required = required.filter(|member| member.presence == Presence::Required);
    required.filter(|member| subject.view.member(member.name).is_some()).count() >= 4
        && subject.view.member("url").is_none()
}

/// The family at work.
struct Members<'s, 'r, 't> {
    subject: &'s Subject<'s>,
    schema: Schema,
    safety: FixSafety,
    report: &'r mut Report<'t>,
    /// The security requirement that was looked at last, and whether it lacks `schemes`.
    requirement: Option<(NodeId, bool)>,
}

impl<'s> Members<'s, '_, '_> {
    fn lacks_all(&mut self) {
        walk(self.subject.card.root(), self.schema, LegacyMembers::Skipped, &mut |met| {
            if let Met::Missing { object, member, null } = met
                && object.id() == self.subject.card.root().id()
            {
                self.missing(object, member, null);
            }
        });
    }

    /// The members of A2A 0.3 belong to a card that offers 0.3.
    fn legacy_members(&self) -> LegacyMembers {
        if matches!(self.subject.shape, Shape::Dual | Shape::V0_3) {
            LegacyMembers::Followed
        } else {
            LegacyMembers::Skipped
        }
    }

    fn met(&mut self, met: Met<'s>) {
        match met {
            Met::Missing { object, member, null } => self.missing(object, member, null),
            Met::Null { object, name, value } => {
                let (subject, safety) = (self.subject, self.safety);
                self.report.add_with(&NULL_MEMBER, Place::At(value), || {
                    let remark =
                        Remark::new(format!("`{name}` is null")).help("remove it: absent means the same");
                    with_fix(remark, edit::remove(safety, subject.card, object, value))
                });
            }
            Met::WrongType { name, value, kind } => {
                self.report.add_with(&WRONG_TYPE, Place::At(value), || {
                    let (found, wanted) = (value.kind().name(), json_kind(kind).name());
                    let name = name.map_or_else(|| "the element".to_owned(), quoted);
                    Remark::new(format!("{name} is {found}, the schema wants {wanted}"))
                        .help(format!("write {wanted}{}", shape_of(kind)))
                });
            }
            Met::Known { own, object, member, value } => self.known(own, object, member, value),
            Met::Snake { object, name, member } => {
                // Only readers of A2A 1.0 have to take both spellings.
                let safety = if self.schema.is_v0_3() { FixSafety::Suggested } else { self.safety };
                self.report.add_with(&SNAKE_CASE, Place::Name(object, name), || {
                    let message = format!("`{name}` is the proto spelling, A2A §5.5 wants `{}`", member.name);
                    let remark = Remark::new(message).help(format!("write `{}`", member.name));
                    with_fix(remark, edit::rename(safety, object, name, member.name))
                });
            }
            Met::Legacy { object, name, schema } => self.legacy(object, name, schema),
            Met::Unknown { object, name, schema } => self.unknown(object, name, schema),
        }
    }

    fn missing(&mut self, object: Value<'s>, member: &'static Member, null: Option<Value<'s>>) {
        let place = null.map_or(Place::Missing(object, member.name), Place::At);
        // The tables begin with 0.3; what an older version demanded is not known here.
        let is_older = matches!(self.subject.shape, Shape::PreV0_3 | Shape::Unversioned);
        let generation = if self.schema.is_v0_3() { "0.3" } else { "1.0" };
        self.report.add_with(&REQUIRED_MISSING, place, || {
            let state = if null.is_some() { "null" } else { "absent" };
            let message = format!("`{}` is {state}, A2A {generation} demands it", member.name);
            let kind = json_kind(&member.kind).name();
            let remark =
                Remark::new(message).help(format!("add `{}`: {kind}{}", member.name, shape_of(&member.kind)));
            if is_older { remark.level(Level::Warning) } else { remark }
        });
    }

    fn known(&mut self, own: &'static Message, object: Value<'s>, member: &'static Member, value: Value<'s>) {
        if member.name == "version" && object.id() == self.subject.card.root().id() {
            self.version(value);
        }
        if !is_default(&member.kind, value) {
            return;
        }
        match (member.presence, &member.kind) {
            (Presence::Required, Type::Text) if is_interface(own, member) => {
                self.report.add_with(&INTERFACE_INCOMPLETE, Place::At(value), || {
                    Remark::new(format!("`{}` of an interface is empty", member.name))
                        .help(format!("write {}", interface_example(member.name)))
                });
            }
            (Presence::Required, Type::Text) => {
                self.report.add_with(&REQUIRED_STRING_EMPTY, Place::At(value), || {
                    Remark::new(format!(
                        "`{}` is empty, and signatures over it do not verify in every SDK",
                        member.name
                    ))
                    .help("write the text")
                });
            }
            (Presence::Required, Type::List(inner)) if !self.schema.is_v0_3() => {
                let remark = || {
                    let remark =
                        Remark::new(format!("`{}` is empty, A2A §5.7 wants an element", member.name));
                    let remark = remark.help(format!("add an element: {}", json_kind(inner).name()));
                    if member.name == "supportedInterfaces" { remark.level(Level::Error) } else { remark }
                };
                self.report.add_with(&REQUIRED_ARRAY_EMPTY, Place::At(value), remark);
            }
            // `{"bearer": {"list": []}}` is the form of a requirement without scopes that every reader takes.
            (Presence::Implicit, _) if !matches!(member.name, "schemes" | "list") => {
                self.explicit_default(object, member, value);
            }
            _ => {}
        }
    }

    fn explicit_default(&mut self, object: Value<'s>, member: &'static Member, value: Value<'s>) {
        let subject = self.subject;
        // Readers of 0.3 may tell an empty member from an absent one.
        let safety = if subject.shape == Shape::V1_0 { self.safety } else { FixSafety::Suggested };
        self.report.add_with(&EXPLICIT_DEFAULT, Place::At(value), || {
            let message = format!(
                "`{}` is written as `{}`, its default, which the canonical form leaves out",
                member.name,
                value.raw().split_whitespace().collect::<String>()
            );
            let remark = Remark::new(message).help("remove it: absent means the same");
            with_fix(remark, edit::remove(safety, subject.card, object, value))
        });
    }

    fn version(&mut self, value: Value<'s>) {
        let Some(text) = value.as_text().filter(|text| !text.is_empty() && !is_semver(text)) else { return };
        self.report.add_with(&VERSION_NOT_SEMVER, Place::At(value), || {
            let message = format!("{} has no order of Semantic Versioning", quoted(text));
            let Some(better) = as_semver(text) else {
                return Remark::new(message).help("write three numbers, such as `1.2.0`");
            };
            let fix = edit::replace(FixSafety::Suggested, value, format!("\"{better}\""));
            Remark::new(message).help(format!("write `{better}`")).fix(fix)
        });
    }
}

fn with_fix(remark: Remark, fix: Option<Fix>) -> Remark {
    match fix {
        Some(fix) => remark.fix(fix),
        None => remark,
    }
}

/// What is in a container of this kind, for help.
fn shape_of(kind: &Type) -> &'static str {
    match kind {
        Type::List(Type::Text) => " of strings",
        Type::List(Type::Message(_) | Type::Map(_) | Type::Struct | Type::TaggedScheme) => " of objects",
        Type::Text
        | Type::Flag
        | Type::Message(_)
        | Type::List(_)
        | Type::Map(_)
        | Type::Struct
        | Type::TaggedScheme => "",
    }
}

/// Whether the member is one without which an interface cannot be chosen.
fn is_interface(own: &'static Message, member: &'static Member) -> bool {
    std::ptr::eq(own, &AGENT_INTERFACE)
        || std::ptr::eq(own, &AGENT_INTERFACE_03)
        || (std::ptr::eq(own, &AGENT_CARD_03) && member.name == "url")
}

fn interface_example(name: &str) -> &'static str {
    match name {
        "url" => "the absolute URL of the endpoint",
        "protocolVersion" => "major and minor, such as `1.0`",
        _ => "`JSONRPC`, `GRPC`, `HTTP+JSON` or the URI of another binding",
    }
}

/// Whether a text is a version of Semantic Versioning 2.0.0 §2, §9 and §10.
fn is_semver(text: &str) -> bool {
    let (version, build) =
        text.split_once('+').map_or((text, None), |(version, build)| (version, Some(build)));
    let (core, pre) = version.split_once('-').map_or((version, None), |(core, pre)| (core, Some(pre)));
    let number = |part: &str| {
        let digits = !part.is_empty() && part.bytes().all(|octet| octet.is_ascii_digit());
        digits && (part == "0" || !part.starts_with('0'))
    };
    let word = |part: &str| {
        !part.is_empty() && part.bytes().all(|octet| octet.is_ascii_alphanumeric() || octet == b'-')
    };
    let pre_word = |part: &str| {
        let numeric = part.bytes().all(|octet| octet.is_ascii_digit());
        word(part) && (!numeric || number(part))
    };
    core.split('.').count() == 3
        && core.split('.').all(number)
        && pre.is_none_or(|pre| pre.split('.').all(pre_word))
        && build.is_none_or(|build| build.split('.').all(word))
}

/// The version that is meant by `v1.2.0`, `1.2` or `1`.
fn as_semver(text: &str) -> Option<String> {
    let bare = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let filled = [String::new(), ".0".to_owned(), ".0.0".to_owned()];
    filled
        .iter()
        .map(|more| format!("{bare}{more}"))
        .find(|version| is_semver(version) && version.len() <= 64)
}
