//! The walk that applies a form: writes the payload and records what has no image in it.

use countersign_keys::jcs;
use countersign_keys::json::{Kind, NodeId, Value};

use super::recipe::{Absent, Integers, Names, Prune, Recipe, Script, Unknown, recipe};
use super::{
    CanonicalPayload, Form, NoCanonicalForm, OtherText, Respelled, SignaturesMember, Variation, python,
};
use crate::card::UntrustedCard;
use crate::card::schema::{self, Member, Message, Presence, Type};

/// A value of the received card that has no image in the payload. Nothing inside it has one either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lost {
    pub(crate) value: NodeId,
    pub(crate) because: Because,
}

/// Why a value has no image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Because {
    /// It equals the default that the form's schema declares.
    SchemaDefault,
    /// Anything else: unknown, empty, null, left out by the form.
    Dropped,
}

pub(super) fn apply(card: &UntrustedCard, form: Form) -> Result<CanonicalPayload, NoCanonicalForm> {
    let mut walk = Walk::new(card.root(), recipe(form), recipe(form).script);
    walk.card(card.root());
    match walk.unfit {
        Some(pointer) => Err(NoCanonicalForm { form, pointer }),
        None => {
            let Walk { out: octets, lost, respelled, .. } = walk;
            Ok(CanonicalPayload { form, octets, lost, respelled })
        }
    }
}

pub(super) fn handed_on(card: &UntrustedCard, form: Form, kept: &[NodeId], withheld: &[NodeId]) -> Vec<u8> {
    let mut walk = Walk::new(card.root(), recipe(form), Script::Rfc8785);
    walk.kept = sorted(kept);
    walk.withheld = sorted(withheld);
    walk.card(card.root());
    walk.out
}

pub(super) fn varied(card: &UntrustedCard, form: Form, variation: &Variation) -> Option<Vec<u8>> {
    let script = match variation.text {
        None => recipe(form).script,
        Some(OtherText::CodePointOrder) => Script::CodePoints,
        Some(OtherText::PythonEscapes) => Script::Python(Integers::Exact),
        Some(OtherText::PythonFloats) => Script::Python(Integers::AreFloats),
        Some(OtherText::PythonShortNumbers) => Script::Python(Integers::Shortest),
    };
    let mut walk = Walk::new(card.root(), recipe(form), script);
    walk.withheld = sorted(&variation.withheld);
    walk.signatures = variation.signatures;
    walk.card(card.root());
    walk.unfit.is_none().then_some(walk.out)
}

/// The octets of a card that was read already, under a form that has octets for every card.
pub(super) fn octets(card: Value<'_>, form: Form) -> Vec<u8> {
    let mut walk = Walk::new(card, recipe(form), recipe(form).script);
    walk.card(card);
    walk.out
}

fn sorted(ids: &[NodeId]) -> Vec<NodeId> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids
}

struct Walk<'c> {
    recipe: &'static Recipe,
    script: Script,
    /// Values written as they are, whatever the recipe says; sorted.
    kept: Vec<NodeId>,
    /// Values left out, whatever the recipe says; sorted.
    withheld: Vec<NodeId>,
    signatures: SignaturesMember,
    out: Vec<u8>,
    lost: Vec<Lost>,
    respelled: Respelled,
    unfit: Option<String>,
    /// The members of all open objects, innermost last; one allocation for the whole walk.
    entries: Vec<Entry<'c>>,
}

/// A member about to be written.
#[derive(Clone, Copy)]
struct Entry<'c> {
    /// The name in the payload.
    name: &'c str,
    /// The name as received, where the payload spells it the same.
    written: Option<Value<'c>>,
    what: What<'c>,
}

#[derive(Clone, Copy)]
enum What<'c> {
    Member { value: Value<'c>, place: Place },
    Absent(&'static Member),
}

/// What the schema says about a value.
#[derive(Clone, Copy)]
enum Place {
    Typed(&'static Type),
    /// No schema here: kept as it is, apart from pruning.
    Free,
}

/// Whether a value was written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Image {
    Written,
    None(Because),
}

const DROPPED: Image = Image::None(Because::Dropped);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Member,
    Element,
}

impl<'c> Walk<'c> {
    fn new(card: Value<'c>, recipe: &'static Recipe, script: Script) -> Self {
        Self {
            recipe,
            script,
            kept: Vec::new(),
            withheld: Vec::new(),
            signatures: SignaturesMember::LeftOut,
            out: Vec::with_capacity(card.raw().len()),
            lost: Vec::new(),
            respelled: Respelled::No,
            unfit: None,
            entries: Vec::with_capacity(64),
        }
    }

    /// The card itself: an object without `signatures`, written even when it ends up empty.
    fn card(&mut self, card: Value<'c>) {
        let first = self.entries.len();
        for (written, value) in card.sorted_members() {
            let name = written.as_text().unwrap_or_default();
            if name == "signatures" && self.signatures == SignaturesMember::LeftOut {
                continue;
            }
            if self.recipe.without == Some(name) && !self.is_kept(value) {
                self.lose(value, Because::Dropped);
            } else {
                self.enter(name, written, value, self.recipe.schema);
            }
        }
        self.fill_absent(first, self.recipe.schema);
        self.object(first);
    }

    /// Adds a member of the object that is being opened, or drops it.
    fn enter(
        &mut self,
        name: &'c str,
        written: Value<'c>,
        value: Value<'c>,
        message: Option<&'static Message>,
    ) {
        let kept = self.is_kept(value);
        let Some(message) = message else {
            return self.entry(name, Some(written), value, Place::Free);
        };
        let (member, written) = match message.member(name) {
            Some(member) => (member, Some(written)),
            None => match message.member_by_snake_case(name) {
                Some(member) if self.recipe.names == Names::ReadSnakeCase => (member, None),
                _ if self.recipe.unknown == Unknown::Keep || kept => {
                    return self.entry(name, Some(written), value, Place::Free);
                }
                _ => return self.lose(value, Because::Dropped),
            },
        };
        match absent_by_schema(member, value) {
            Some(because) if !kept => self.lose(value, because),
            _ => {
                if written.is_none() {
                    self.respelled = Respelled::Yes;
                }
                self.entry(member.name, written, value, Place::Typed(&member.kind));
            }
        }
    }

    fn entry(&mut self, name: &'c str, written: Option<Value<'c>>, value: Value<'c>, place: Place) {
        self.entries.push(Entry { name, written, what: What::Member { value, place } });
    }

    /// Adds the REQUIRED members that are absent, where the recipe says so.
    fn fill_absent(&mut self, first: usize, message: Option<&'static Message>) {
        let (Absent::Fill, Some(message)) = (self.recipe.absent, message) else { return };
        for member in message.members {
            let present = self.entries.iter().skip(first).any(|entry| entry.name == member.name);
            if member.presence == Presence::Required && !present {
                self.respelled = Respelled::Yes;
                self.entries.push(Entry { name: member.name, written: None, what: What::Absent(member) });
            }
        }
    }

    /// Writes the object whose members are the entries from `first` on.
    fn object(&mut self, first: usize) {
        self.sort(first);
        self.out.push(b'{');
        let start = self.out.len();
        let end = self.entries.len();
        for index in first..end {
            let Some(&Entry { name, written, what }) = self.entries.get(index) else { break };
            let (before_out, before_lost) = (self.out.len(), self.lost.len());
            if self.out.len() > start {
                self.out.push(b',');
            }
            self.name(name, written);
            match what {
                What::Absent(member) => write_default(&member.kind, &mut self.out),
                What::Member { value, place } => {
                    if let Image::None(because) = self.value(value, place, Role::Member) {
                        self.out.truncate(before_out);
                        self.lost.truncate(before_lost);
                        self.lose(value, because);
                    }
                }
            }
        }
        self.entries.truncate(first);
        self.out.push(b'}');
    }

    /// The entries come in the order of their received names; respelled and filled names and Python want another.
    fn sort(&mut self, first: usize) {
        let entries = self.entries.get_mut(first..).unwrap_or_default();
        if self.script != Script::Rfc8785 {
            entries.sort_by(|left, right| left.name.cmp(right.name));
        } else if self.respelled == Respelled::Yes {
            entries.sort_by(|left, right| countersign_keys::json::compare_utf16(left.name, right.name));
        }
    }

    /// Writes `value`, or finds that it has no image; then what was written must be taken back by the caller.
    fn value(&mut self, value: Value<'c>, place: Place, role: Role) -> Image {
        let verbatim = matches!(place, Place::Free) && self.writes_as_received();
        if verbatim || self.is_kept(value) {
            jcs::write(value, &mut self.out);
            return Image::Written;
        }
        if self.withheld.binary_search(&value.id()).is_ok() {
            return DROPPED;
        }
        let start = self.out.len();
        match (value.kind(), place) {
            (Kind::Object, Place::Typed(Type::Message(message))) => self.message(value, message),
            (Kind::Object, Place::Typed(Type::TaggedScheme)) => self.tagged_scheme(value),
            (Kind::Object, Place::Typed(Type::Map(inner))) => self.map(value, Place::Typed(inner)),
            (Kind::Object, _) => self.map(value, Place::Free),
            (Kind::Array, Place::Typed(Type::List(inner))) => self.list(value, Place::Typed(inner)),
            (Kind::Array, _) => self.list(value, Place::Free),
            (Kind::Null | Kind::Bool | Kind::Number | Kind::Text, _) => self.scalar(value),
        }
        if self.is_pruned(value, start, role) { DROPPED } else { Image::Written }
    }

    fn message(&mut self, value: Value<'c>, message: &'static Message) {
        let first = self.entries.len();
        for (written, member) in value.sorted_members() {
            self.enter(written.as_text().unwrap_or_default(), written, member, Some(message));
        }
        self.fill_absent(first, Some(message));
        self.object(first);
    }

    /// A security scheme of A2A 0.3; without a known `type` the card has no form.
    fn tagged_scheme(&mut self, value: Value<'c>) {
        let tag = value.member("type").and_then(Value::as_text);
        match tag.and_then(schema::tagged_scheme) {
            Some(message) => self.message(value, message),
            None => self.unfit = Some(value.pointer()),
        }
    }

    fn map(&mut self, value: Value<'c>, place: Place) {
        let first = self.entries.len();
        for (written, member) in value.sorted_members() {
            self.entry(written.as_text().unwrap_or_default(), Some(written), member, place);
        }
        self.object(first);
    }

    fn list(&mut self, value: Value<'c>, place: Place) {
        self.out.push(b'[');
        let start = self.out.len();
        for element in value.elements() {
            let (before_out, before_lost) = (self.out.len(), self.lost.len());
            if self.out.len() > start {
                self.out.push(b',');
            }
            if let Image::None(because) = self.value(element, place, Role::Element) {
                self.out.truncate(before_out);
                self.lost.truncate(before_lost);
                self.lose(element, because);
            }
        }
        self.out.push(b']');
    }

    fn scalar(&mut self, value: Value<'c>) {
        match self.script {
            Script::Rfc8785 | Script::CodePoints => jcs::write_scalar(value, &mut self.out),
            Script::Python(integers) => python::write_scalar(value, integers, &mut self.out),
        }
    }

    fn name(&mut self, name: &str, written: Option<Value<'c>>) {
        match (self.script, written) {
            (Script::Rfc8785 | Script::CodePoints, Some(written)) => {
                jcs::write_scalar(written, &mut self.out)
            }
            (Script::Rfc8785 | Script::CodePoints, None) => jcs::write_text(name, &mut self.out),
            (Script::Python(_), _) => python::write_text(name, &mut self.out),
        }
        self.out.push(b':');
    }

    /// Whether the value just written from `start` on is one that the recipe removes.
    fn is_pruned(&self, value: Value<'c>, start: usize, role: Role) -> bool {
        let is_empty = || matches!(self.out.get(start..).unwrap_or_default(), b"{}" | b"[]" | b"\"\"");
        let is_falsy = || value.as_bool() == Some(false) || value.as_f64() == Some(0.0);
        match self.recipe.prune {
            Prune::Nothing => false,
            Prune::Empties => is_empty() || value.is_null(),
            Prune::Falsy => is_empty() || value.is_null() || is_falsy(),
            Prune::FalsyMembers => role == Role::Member && (is_empty() || is_falsy()),
        }
    }

    /// Whether a value without a schema is written as RFC 8785 writes it, all of it.
    fn writes_as_received(&self) -> bool {
        self.recipe.prune == Prune::Nothing && self.script == Script::Rfc8785 && self.withheld.is_empty()
    }

    fn is_kept(&self, value: Value<'c>) -> bool {
        self.kept.binary_search(&value.id()).is_ok()
    }

    fn lose(&mut self, value: Value<'c>, because: Because) {
        self.lost.push(Lost { value: value.id(), because });
    }
}

/// Why the schema counts a member as absent although it is written: null, or at a default that has no presence.
fn absent_by_schema(member: &Member, value: Value<'_>) -> Option<Because> {
    let at_default = match member.presence {
        Presence::Implicit => schema::is_default(&member.kind, value),
        Presence::Default(text) if value.as_text() == Some(text) => return Some(Because::SchemaDefault),
        Presence::Default(_) | Presence::Required | Presence::Optional | Presence::OneOf => false,
    };
    (value.is_null() || at_default).then_some(Because::Dropped)
}

/// What ProtoJSON writes for a member of this type at its default; a message is filled in the same way.
fn write_default(kind: &Type, out: &mut Vec<u8>) {
    match kind {
        Type::Text => out.extend_from_slice(b"\"\""),
        Type::Flag => out.extend_from_slice(b"false"),
        Type::List(_) => out.extend_from_slice(b"[]"),
        Type::Map(_) | Type::Struct | Type::TaggedScheme => out.extend_from_slice(b"{}"),
        Type::Message(message) => {
            let mut required: Vec<_> =
                message.members.iter().filter(|member| member.presence == Presence::Required).collect();
            required.sort_by_key(|member| member.name);
            out.push(b'{');
            for (index, member) in required.into_iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                jcs::write_text(member.name, out);
                out.push(b':');
                write_default(&member.kind, out);
            }
            out.push(b'}');
        }
    }
}
