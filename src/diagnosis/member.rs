//! One member or element that came, went or changed to its default after signing, level by level.

use countersign_keys::json::{Kind, Value};

use super::Cause;
use super::trial::{Fit, Trial, Tried};
use crate::canonical::{Form, Variation};
use crate::card::schema::{self, AGENT_CARD, AGENT_CARD_03, Member, Message, Presence, Type};

/// An object or array of the card, and what the schema says about it.
#[derive(Clone, Copy)]
struct Container<'c> {
    value: Value<'c>,
    kind: Option<Kinds>,
    odds: Odds,
}

/// Whether a change of this value is likely. A REQUIRED member seldom comes or goes, and taking one away can have the
/// octets that a likely change has under another form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Odds {
    Likely,
    Unlikely,
}

#[derive(Clone, Copy)]
enum Kinds {
    Card,
    Of(&'static Type),
}

/// What may have happened after signing, undone.
enum Undone<'c> {
    Removed(Value<'c>),
    AtDefault(Value<'c>, &'static str),
    Added { object: Value<'c>, name: &'static str, default: String },
}

/// The single change that explains the signature. Runs until the budget is spent or the card has no more levels.
///
/// Half of the budget is for the form that such a card is signed under by default: with one form several levels
/// of a card of the usual size fit into it, with all forms only the first does.
pub(super) fn changed(trial: &mut Trial<'_>) -> Tried<Option<Fit>> {
    let usual = trial.card.default_form();
    let is_accepted = trial.forms.iter().take(1).flatten().any(|form| *form == usual);
    let first =
        is_accepted.then(|| trial.with_half(|trial| by_level(trial, &[vec![usual]], &[Odds::Likely])));
    match first.flatten() {
        Some(fit) => Ok(Some(fit)),
        None => by_level(trial, &trial.forms.clone(), &[Odds::Likely, Odds::Unlikely]),
    }
}

fn by_level(trial: &mut Trial<'_>, groups: &[Vec<Form>], odds: &[Odds]) -> Tried<Option<Fit>> {
    let mut level = vec![Container { value: trial.card.root(), kind: Some(Kinds::Card), odds: Odds::Likely }];
    while !level.is_empty() {
        for odds in odds {
            for forms in groups {
                for container in &level {
                    if let Some(fit) = container.search(trial, *odds, forms)? {
                        return Ok(Some(fit));
                    }
                }
            }
        }
        level = level.into_iter().flat_map(Container::containers).collect();
    }
    Ok(None)
}

impl<'c> Container<'c> {
    fn search(self, trial: &mut Trial<'_>, odds: Odds, forms: &[Form]) -> Tried<Option<Fit>> {
        for child in self.children().filter(|child| child.odds == odds) {
            let withheld = vec![child.value.id()];
            let variation = Variation { withheld, ..Variation::default() };
            for form in forms {
                if trial.fits(trial.card, *form, &variation)? {
                    return Ok(Some(Undone::Removed(child.value).explain(*form, trial)));
                }
            }
        }
        for undone in self.received_at_default(odds).chain(self.absent_at_default(odds)) {
            let Some(card) = trial.read(&undone.text(trial.card.octets()))? else { continue };
            for form in forms {
                if trial.fits(&card, *form, &Variation::default())? {
                    return Ok(Some(undone.explain(*form, trial)));
                }
            }
        }
        Ok(None)
    }

    /// The members or elements, with what the schema says about each.
    fn children(self) -> impl Iterator<Item = Self> {
        let is_card = matches!(self.kind, Some(Kinds::Card));
        let members = self
            .value
            .members()
            .filter(move |(name, _)| !(is_card && *name == "signatures"))
            .map(move |(name, value)| self.member(name, value));
        let inner = match self.kind {
            Some(Kinds::Of(Type::List(inner))) => Some(Kinds::Of(inner)),
            _ => None,
        };
        // That the only element came or went is less likely than that the list did.
        let odds = if self.value.elements().nth(1).is_some() { Odds::Likely } else { Odds::Unlikely };
        members.chain(self.value.elements().map(move |value| Self { value, kind: inner, odds }))
    }

    fn containers(self) -> Vec<Self> {
        self.children().filter(|child| matches!(child.value.kind(), Kind::Object | Kind::Array)).collect()
    }

    fn member(self, name: &str, value: Value<'c>) -> Self {
        if let Some(Kinds::Of(Type::Map(inner))) = self.kind {
            return Self { value, kind: Some(Kinds::Of(inner)), odds: Odds::Likely };
        }
        let is_named = |member: &&Member| member.name == name || schema::is_snake_case_of(name, member.name);
        let member = self.message().and_then(|message| known(message).find(is_named));
        let is_required = member.is_some_and(|member| member.presence == Presence::Required);
        Self {
            value,
            kind: member.map(|member| Kinds::Of(&member.kind)),
            odds: if is_required { Odds::Unlikely } else { Odds::Likely },
        }
    }

    fn message(self) -> Option<&'static Message> {
        match self.kind {
            Some(Kinds::Card) => Some(&AGENT_CARD),
            Some(Kinds::Of(Type::Message(message))) => Some(message),
            Some(Kinds::Of(_)) | None => None,
        }
    }

    /// The members that are not at their default, each set to it.
    fn received_at_default(self, odds: Odds) -> impl Iterator<Item = Undone<'c>> {
        let is_object = self.value.kind() == Kind::Object;
        self.children().filter(move |child| child.odds == odds).filter_map(move |child| match child.kind {
            Some(Kinds::Of(kind)) if is_object && child.value.raw() != default(kind) => {
                Some(Undone::AtDefault(child.value, default(kind)))
            }
            _ => None,
        })
    }

    /// The known members that are absent, each at its default.
    fn absent_at_default(self, odds: Odds) -> impl Iterator<Item = Undone<'c>> {
        let is_searched = self.value.kind() == Kind::Object && odds == Odds::Likely;
        let object = self.value;
        let members = self.message().filter(|_| is_searched).into_iter().flat_map(known);
        let older = (is_searched && matches!(self.kind, Some(Kinds::Card))).then_some(&AGENT_CARD_03);
        let written = older.into_iter().flat_map(|message| message.members).filter_map(|member| match member
            .presence
        {
            Presence::Default(text) => Some((member.name, format!("\"{text}\""))),
            Presence::Required | Presence::Optional | Presence::Implicit | Presence::OneOf => None,
        });
        members
            .map(|member| (member.name, default(&member.kind).to_owned()))
            .chain(written)
            .filter(move |(name, _)| *name != "signatures" && object.member(name).is_none())
            .map(move |(name, default)| Undone::Added { object, name, default })
    }
}

impl Undone<'_> {
    /// The text of the card with this undone.
    fn text(&self, octets: &[u8]) -> String {
        let mut text = String::from_utf8_lossy(octets).into_owned();
        match self {
            Self::Removed(_) => {}
            Self::AtDefault(value, default) => text.replace_range(value.range(), default),
            Self::Added { object, name, default } => {
                let comma = if object.is_empty() { "" } else { "," };
                let inside = object.range().start.saturating_add(1);
                text.insert_str(inside, &format!("\"{name}\":{default}{comma}"));
            }
        }
        text
    }

    fn explain(&self, form: Form, trial: &Trial<'_>) -> Fit {
        let under = trial.under(form);
        let message = match self {
            Self::Removed(value) => {
                format!(
                    "`{}` was added after signing: without it the signature verifies {under}",
                    value.pointer()
                )
            }
            Self::AtDefault(value, default) => format!(
                "`{}` was changed after signing: as `{default}` the signature verifies {under}",
                value.pointer()
            ),
            Self::Added { object, name, default } => format!(
                "`{}/{name}` was dropped after signing: with it as `{default}` the signature verifies {under}",
                object.pointer()
            ),
        };
        Fit::new(Cause::MemberChanged, form, message)
    }
}

fn known(message: &'static Message) -> impl Iterator<Item = &'static Member> {
    message.members.iter().chain(message.legacy)
}

/// The member's default as JSON text; an empty message for a message.
fn default(kind: &Type) -> &'static str {
    match kind {
        Type::Text => "\"\"",
        Type::Flag => "false",
        Type::List(_) => "[]",
        Type::Map(_) | Type::Struct | Type::Message(_) | Type::TaggedScheme => "{}",
    }
}
