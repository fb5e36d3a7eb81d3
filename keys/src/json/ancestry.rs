//! The way from the outermost value to any other, for callers that ask about many values of one document.

use super::value::{Kind, NodeId, Step, Value, push_token};
use super::{Document, at, stored};

/// The parent of every value of a document. Building it costs one pass over the tree; each question then costs the
/// depth of the value, whereas [`Value::pointer`] looks at all the siblings on the way.
pub struct Ancestry<'d> {
    document: &'d Document,
    /// For each node, the node of its container and its rank among the children. Names count as their values.
    parents: Vec<(u32, u32)>,
}

impl<'d> Ancestry<'d> {
    /// Looks at the whole document once.
    #[must_use]
    pub fn of(document: &'d Document) -> Self {
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
        Self { document, parents }
    }

    /// The values from the child of the outermost value down to the one with this id, each with its step.
    #[must_use]
    pub fn path(&self, id: NodeId) -> Vec<(Step<'d>, Value<'d>)> {
        let mut path = Vec::new();
        let mut here = id.index();
        while here != 0 {
            let Some(&(parent, rank)) = self.parents.get(at(here)) else { break };
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

impl std::fmt::Debug for Ancestry<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ancestry").field("nodes", &self.parents.len()).finish()
    }
}
