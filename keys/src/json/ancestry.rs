//! The way from the outermost value to any other, for callers that ask about many values of one document.

use std::sync::OnceLock;

use super::value::{Kind, NodeId, Step, Value, push_token};
use super::{Document, at, stored};

/// Answers where values of one document stand.
///
/// For many questions it looks at the whole document once, when the first is asked; each answer then costs the depth of
/// the value. For few it looks, like [`Value::pointer`], at all the siblings on the way.
pub struct Ancestry<'d> {
    document: &'d Document,
    has_many: bool,
    /// For each node, the node of its container and its rank among the children. Names count as their values.
    parents: OnceLock<Vec<(u32, u32)>>,
}

/// Up to so many questions looking at siblings is cheaper.
const FEW: usize = 8;

impl<'d> Ancestry<'d> {
    /// For about so many `questions` about `document`.
    #[must_use]
    pub fn of(document: &'d Document, questions: usize) -> Self {
        Self { document, has_many: questions > FEW, parents: OnceLock::new() }
    }

    /// The document that it is about.
    #[must_use]
    pub const fn document(&self) -> &'d Document {
        self.document
    }

    /// The values from the child of the outermost value down to the one with this id, each with its step.
    #[must_use]
    pub fn path(&self, id: NodeId) -> Vec<(Step<'d>, Value<'d>)> {
        if !self.has_many {
            return self.document.value(id).path().collect();
        }
        let parents = self.parents.get_or_init(|| parents(self.document));
        let mut path = Vec::new();
        let mut here = id.index();
        while here != 0 {
            let Some(&(parent, rank)) = parents.get(at(here)) else { break };
            let step = if Value::new(self.document, parent).kind() == Kind::Object {
                Step::Member(Value::new(self.document, here - 1).as_text().unwrap_or_default())
            } else {
                Step::Element(at(rank))
            };
            path.push((step, Value::new(self.document, here)));
            here = parent;
        }
        path.reverse();
        path
    }

    /// The JSON Pointer (RFC 6901) of the value with this id.
    #[must_use]
    pub fn pointer(&self, id: NodeId) -> String {
        let mut pointer = String::new();
        for (step, _) in self.path(id) {
            pointer.push('/');
            push_token(&mut pointer, &step);
        }
        pointer
    }
}

fn parents(document: &Document) -> Vec<(u32, u32)> {
    let mut parents = vec![(0, 0); document.nodes.len()];
    for id in 0..stored(document.nodes.len()) {
        let container = Value::new(document, id);
        let width = if container.kind() == Kind::Object { 1 } else { 0 };
        for (rank, child) in container.children().enumerate() {
            for node in child..=child + width {
                if let Some(parent) = parents.get_mut(at(node)) {
                    *parent = (id, stored(rank));
                }
            }
        }
    }
    parents
}

impl std::fmt::Debug for Ancestry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ancestry").field("has_many", &self.has_many).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{Ancestry, FEW};
    use crate::json::{Document, Limits};

    #[test]
    fn few_and_many_questions_have_the_same_answers() {
        let text = r#"{"a":[1,{"b/~":[[],{"c":null}]}],"d":{"e":"f"}}"#;
        let document = Document::read(text, &Limits::default()).unwrap();
        let (few, many) = (Ancestry::of(&document, FEW), Ancestry::of(&document, FEW + 1));
        let c = document.root().member("a").unwrap().elements().nth(1).unwrap();
        let c = c.member("b/~").unwrap().elements().nth(1).unwrap().member("c").unwrap();
        let e = document.root().member("d").unwrap().member("e").unwrap();
        for (value, pointer) in [(c, "/a/1/b~1~0/1/c"), (e, "/d/e"), (document.root(), "")] {
            assert_eq!(few.pointer(value.id()), pointer);
            assert_eq!(many.pointer(value.id()), pointer);
            let steps = |ancestry: &Ancestry<'_>| {
                ancestry
                    .path(value.id())
                    .iter()
                    .map(|(step, value)| (format!("{step:?}"), value.id()))
                    .collect::<Vec<_>>()
            };
            assert_eq!(steps(&few), steps(&many));
        }
    }
}
