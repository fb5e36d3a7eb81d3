//! JSON Pointers into cards.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use countersign_keys::json::{Ancestry, NodeId};

/// A JSON Pointer (RFC 6901) into a card, written out when somebody asks for it: most cards are never faulted.
///
/// Two are equal when their texts are.
#[derive(Clone)]
pub struct CardPointer<'c>(Pointer<'c>);

#[derive(Clone)]
enum Pointer<'c> {
    Written(Cow<'c, str>),
    Element { list: Arc<str>, index: usize },
    Unwritten { ancestry: &'c Ancestry<'c>, value: NodeId, member: Option<&'static str> },
}

impl<'c> CardPointer<'c> {
    /// The pointer of a value.
    #[must_use]
    pub const fn of(ancestry: &'c Ancestry<'c>, value: NodeId) -> Self {
        Self(Pointer::Unwritten { ancestry, value, member: None })
    }

    /// The pointer of a member that an object has or could have. `member` needs no escapes.
    #[must_use]
    pub const fn of_member(ancestry: &'c Ancestry<'c>, object: NodeId, member: &'static str) -> Self {
        Self(Pointer::Unwritten { ancestry, value: object, member: Some(member) })
    }

    /// The pointer of an element, counted from 0, of the list with this pointer.
    #[must_use]
    pub const fn of_element(list: Arc<str>, index: usize) -> Self {
        Self(Pointer::Element { list, index })
    }

    /// The same pointer without the card: written, unless it is an element.
    #[must_use]
    pub fn detached(&self) -> CardPointer<'static> {
        match &self.0 {
            Pointer::Element { list, index } => CardPointer::of_element(Arc::clone(list), *index),
            Pointer::Written(_) | Pointer::Unwritten { .. } => String::from(self).into(),
        }
    }
}

impl From<String> for CardPointer<'_> {
    fn from(text: String) -> Self {
        Self(Pointer::Written(Cow::Owned(text)))
    }
}

impl<'c> From<&'c str> for CardPointer<'c> {
    fn from(text: &'c str) -> Self {
        Self(Pointer::Written(Cow::Borrowed(text)))
    }
}

impl From<&CardPointer<'_>> for String {
    fn from(pointer: &CardPointer<'_>) -> Self {
        match &pointer.0 {
            Pointer::Written(text) => text.clone().into_owned(),
            Pointer::Element { list, index } => [list, "/", &index.to_string()].concat(),
            Pointer::Unwritten { ancestry, value, member } => {
                let mut text = ancestry.pointer(*value);
                if let Some(member) = member {
                    text.push('/');
                    text.push_str(member);
                }
                text
            }
        }
    }
}

impl fmt::Display for CardPointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from(self))
    }
}

impl fmt::Debug for CardPointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        String::from(self).fmt(f)
    }
}

impl PartialEq for CardPointer<'_> {
    fn eq(&self, other: &Self) -> bool {
        String::from(self) == String::from(other)
    }
}

impl Eq for CardPointer<'_> {}

#[cfg(test)]
mod tests {
    use countersign_keys::json::{Ancestry, Document, Limits};

    use super::CardPointer;

    #[test]
    fn a_pointer_is_the_same_however_it_is_had() {
        let card = Document::read(r#"{"skills":[{},{"id":"a"}]}"#, &Limits::default()).unwrap();
        let skill = card.root().member("skills").unwrap().elements().nth(1).unwrap();
        for questions in [1, usize::MAX] {
            let ancestry = Ancestry::of(&card, questions);
            let (of_skill, of_name) = (
                CardPointer::of(&ancestry, skill.id()),
                CardPointer::of_member(&ancestry, skill.id(), "name"),
            );
            assert_eq!(of_skill, CardPointer::from("/skills/1"));
            assert_eq!(of_name.to_string(), "/skills/1/name");
            assert_ne!(of_skill, of_name);
            assert_eq!(format!("{of_name:?}"), r#""/skills/1/name""#);
            let of_element = CardPointer::of_element("/skills".into(), 1);
            assert_eq!(of_element, of_skill);
            for pointer in [of_skill, of_name, of_element, "/skills/1".into()] {
                assert_eq!(pointer.detached(), pointer);
            }
        }
    }
}
