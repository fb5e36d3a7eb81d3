//! `security` as `securityRequirements`. What cannot be read stays as it is: nothing of it must read as "no
//! authentication".

use std::borrow::Cow;

use countersign_keys::json::{Kind, Value};

use super::Remarks;
use super::schemes::Schemes;
use super::tree::{Members, Node};

/// Most alternatives that one requirement becomes when the schemes in it have several flows.
const MAX_ALTERNATIVES: usize = 16;

/// The list of the new card; none for an empty one.
pub(super) fn list<'c>(
    security: Value<'c>,
    schemes: &Schemes<'c>,
    remarks: &mut Remarks,
) -> Option<Node<'c>> {
    if security.is_null() || security.kind() == Kind::Array && security.is_empty() {
        return None;
    }
    if security.kind() != Kind::Array {
        remarks.grave_loss(security, "`security` is no list, and stays as it is under its new name");
        return Some(Node::Kept(security));
    }
    Some(Node::Array(security.elements().flat_map(|entry| alternatives(entry, schemes, remarks)).collect()))
}

/// What one entry becomes: one, or one for each flow of its schemes.
fn alternatives<'c>(entry: Value<'c>, schemes: &Schemes<'c>, remarks: &mut Remarks) -> Vec<Node<'c>> {
    if entry.kind() != Kind::Object {
        remarks.grave_loss(entry, "a requirement is no object, and stays as it is");
        return vec![Node::Kept(entry)];
    }
    // What a server of 0.3 prints from its proto messages is the form of 1.0 already.
    let mut members = entry.members();
    let is_wrapped = matches!((members.next(), members.next()), (Some(("schemes", inside)), None)
        if inside.kind() == Kind::Object && !inside.is_empty());
    if is_wrapped || entry.is_empty() {
        return vec![Node::Kept(entry)];
    }
    let mut alternatives: Vec<Members<'c>> = vec![Vec::new()];
    for (name, scopes) in entry.members() {
        let scopes = wrapped(scopes, remarks);
        let mut names = schemes.names(name);
        if alternatives.len() * names.len() > MAX_ALTERNATIVES {
            remarks.grave_loss(
                entry,
                "the requirement has too many combinations of flows: only some are carried over",
            );
            names.truncate(1);
        }
        alternatives = alternatives
            .iter()
            .flat_map(|begun| {
                names.iter().map(|name| {
                    let mut members = begun.clone();
                    members.push((name.clone(), scopes.clone()));
                    members
                })
            })
            .collect();
    }
    let entry = |members| Node::Object(vec![(Cow::Borrowed("schemes"), Node::Object(members))]);
    alternatives.into_iter().map(entry).collect()
}

/// `["read"]` as `{"list": ["read"]}`.
fn wrapped<'c>(scopes: Value<'c>, remarks: &mut Remarks) -> Node<'c> {
    let list = match scopes.kind() {
        Kind::Null => Node::Array(Vec::new()),
        Kind::Array => Node::Kept(scopes),
        Kind::Object | Kind::Text | Kind::Number | Kind::Bool => {
            remarks.grave_loss(scopes, "the scopes are no list, and stay as they are");
            Node::Kept(scopes)
        }
    };
    Node::Object(vec![(Cow::Borrowed("list"), list)])
}
