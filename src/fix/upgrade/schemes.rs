//! Security schemes that are told apart by `type`, as members of their own.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use countersign_keys::json::{Kind, Value};

use super::tree::{Members, Node};
use super::{Remarks, UpgradeTo};
use crate::card::schema::{SECURITY_SCHEME, is_snake_case_of};
use crate::card::{FlowKind, member};
use crate::lint::quoted;

/// The schemes of the new card.
pub(super) struct Schemes<'c> {
    members: Members<'c>,
    /// For each scheme that became several, their names; the first is its own.
    split: BTreeMap<&'c str, Vec<Cow<'c, str>>>,
    taken: BTreeSet<String>,
    to: UpgradeTo,
}

/// A kind of scheme in both generations.
struct TaggedKind {
    /// Its `type` in A2A 0.3.
    tag: &'static str,
    /// Its member in A2A 1.0.
    member: &'static str,
    /// The names of what is inside: in A2A 1.0, and in A2A 0.3.
    inside: &'static [(&'static str, &'static str)],
}

const KINDS: [TaggedKind; 5] = [
    TaggedKind {
        tag: "apiKey",
        member: "apiKeySecurityScheme",
        inside: &[("description", "description"), ("location", "in"), ("name", "name")],
    },
    TaggedKind {
        tag: "http",
        member: "httpAuthSecurityScheme",
        inside: &[("description", "description"), ("scheme", "scheme"), ("bearerFormat", "bearerFormat")],
    },
    TaggedKind {
        tag: "oauth2",
        member: "oauth2SecurityScheme",
        inside: &[
            ("description", "description"),
            ("flows", "flows"),
            ("oauth2MetadataUrl", "oauth2MetadataUrl"),
        ],
    },
    TaggedKind {
        tag: "openIdConnect",
        member: "openIdConnectSecurityScheme",
        inside: &[("description", "description"), ("openIdConnectUrl", "openIdConnectUrl")],
    },
    TaggedKind { tag: "mutualTLS", member: "mtlsSecurityScheme", inside: &[("description", "description")] },
];

impl<'c> Schemes<'c> {
    /// Those of the old card's `securitySchemes`.
    pub(super) fn of(card: Value<'c>, to: UpgradeTo, remarks: &mut Remarks) -> Self {
        let declared = member(card, "securitySchemes").filter(|schemes| !schemes.is_null());
        let names = declared.into_iter().flat_map(Value::members).map(|(name, _)| name.to_owned());
        let mut schemes = Self { members: Vec::new(), split: BTreeMap::new(), taken: names.collect(), to };
        if let Some(wrong) = declared.filter(|schemes| schemes.kind() != Kind::Object) {
            remarks.grave_loss(wrong, "`securitySchemes` is no object and is left out");
        }
        for (name, scheme) in declared.into_iter().flat_map(Value::members) {
            schemes.add(name, scheme, remarks);
        }
        schemes
    }

    /// The names that a requirement of `name` becomes: any one of them is enough.
    pub(super) fn names(&self, name: &'c str) -> Vec<Cow<'c, str>> {
        self.split.get(name).cloned().unwrap_or_else(|| vec![Cow::Borrowed(name)])
    }

    /// The member of the new card; none where there are no schemes.
    pub(super) fn to_node(&self) -> Option<Node<'c>> {
        (!self.members.is_empty()).then(|| Node::Object(self.members.clone()))
    }

    fn add(&mut self, name: &'c str, scheme: Value<'c>, remarks: &mut Remarks) {
        let own_name = Cow::Borrowed(name);
        let is_known = |known: &crate::card::schema::Member| {
            member(scheme, known.name).is_some_and(|value| !value.is_null())
        };
        if SECURITY_SCHEME.members.iter().any(is_known) {
            // What a server of 0.3 prints from its proto messages is the form of 1.0 already.
            return self.members.push((own_name, Node::Kept(scheme)));
        }
        let tag = member(scheme, "type").and_then(Value::as_text);
        let Some(TaggedKind { tag, member: kind, inside }) =
            KINDS.into_iter().find(|known| tag == Some(known.tag))
        else {
            remarks.grave_loss(
                scheme,
                "the scheme has no `type` of A2A 0.3 and stays as it is: A2A 1.0 cannot read it",
            );
            return self.members.push((own_name, Node::Kept(scheme)));
        };
        self.name_lost(tag, scheme, inside, remarks);
        let flows = flows(scheme);
        if tag != "oauth2" || flows.len() < 2 {
            let inner = renamed(scheme, inside, None);
            let node = self.scheme(kind, inner, scheme, None);
            return self.members.push((own_name, node));
        }
        let mut names: Vec<Cow<'c, str>> = Vec::new();
        for flow in flows {
            let flow_name = if names.is_empty() { own_name.clone() } else { self.free_name(name, flow.0) };
            let only = (!names.is_empty()).then_some(flow);
            let node = self.scheme(kind, renamed(scheme, inside, Some(flow)), scheme, only);
            self.members.push((flow_name.clone(), node));
            names.push(flow_name);
        }
        let added: Vec<_> = names.iter().skip(1).map(|name| quoted(name)).collect();
        let added = added.join(", ");
        remarks.choice(
            scheme,
            format!("the scheme has several flows, A2A 1.0 has one for each: {added} added, as alternatives"),
        );
        self.split.insert(name, names);
    }

    /// A scheme with the member of A2A 1.0; for a dual card also with those of 0.3, of which `only` is one flow.
    fn scheme(
        &self,
        kind: &'static str,
        inner: Members<'c>,
        old: Value<'c>,
        only: Option<(&'static str, Value<'c>)>,
    ) -> Node<'c> {
        let mut members = vec![(Cow::Borrowed(kind), Node::Object(inner))];
        if self.to == UpgradeTo::Dual {
            let kept = old.members().filter(|(_, value)| !value.is_null());
            members.extend(kept.map(|(name, value)| {
                let node = match only.filter(|_| name == "flows") {
                    Some(flow) => one_flow(flow),
                    None => Node::Kept(value),
                };
                (Cow::Borrowed(name), node)
            }));
        }
        Node::Object(members)
    }

    /// `NAME-FLOW`, or that with a number.
    fn free_name(&mut self, name: &str, flow: &str) -> Cow<'c, str> {
        let mut candidate = format!("{name}-{flow}");
        let mut number = 2;
        while !self.taken.insert(candidate.clone()) {
            candidate = format!("{name}-{flow}-{number}");
            number += 1;
        }
        Cow::Owned(candidate)
    }

    /// Names what a scheme says beside the members of its kind; a dual card keeps it.
    fn name_lost(&self, tag: &str, scheme: Value<'c>, inside: &[(&str, &str)], remarks: &mut Remarks) {
        let lost = scheme.members().filter(|_| self.to == UpgradeTo::V1_0);
        for (name, value) in lost.filter(|(name, value)| *name != "type" && !value.is_null()) {
            if !inside.iter().any(|(_, old)| is_spelled(name, old)) {
                remarks.loss(
                    value,
                    format!("{} of a scheme of type `{tag}` has no place in A2A 1.0", quoted(name)),
                );
            }
        }
        // What A2A 1.0 has no flow for, its clients cannot use in a dual card either.
        let flows = member(scheme, "flows").filter(|_| tag == "oauth2");
        for (name, flow) in flows.into_iter().flat_map(Value::members) {
            if !FlowKind::ALL.iter().any(|kind| is_spelled(name, kind.name())) && !flow.is_null() {
                remarks.grave_loss(flow, format!("A2A has no flow {}", quoted(name)));
            }
        }
    }
}

/// Whether `name` is this member, in camelCase or as the proto file spells it.
fn is_spelled(name: &str, camel: &str) -> bool {
    name == camel || is_snake_case_of(name, camel)
}

/// The flows that A2A names, in the order of the text.
fn flows(scheme: Value<'_>) -> Vec<(&'static str, Value<'_>)> {
    let members = member(scheme, "flows").into_iter().flat_map(Value::members);
    let known = members.filter_map(|(name, flow)| {
        let kind = FlowKind::ALL.into_iter().find(|kind| is_spelled(name, kind.name()))?;
        (!flow.is_null()).then_some((kind.name(), flow))
    });
    known.collect()
}

/// The members of a scheme under the names of A2A 1.0; of its flows only the given one, or those that A2A names.
fn renamed<'c>(
    scheme: Value<'c>,
    inside: &[(&'static str, &str)],
    flow: Option<(&'static str, Value<'c>)>,
) -> Members<'c> {
    let renamed = |(name, old): &(&'static str, &str)| {
        let value = member(scheme, old).filter(|value| !value.is_null())?;
        let node = match (*name, value.kind()) {
            ("flows", Kind::Object) => match flow.or_else(|| flows(scheme).first().copied()) {
                Some(flow) => one_flow(flow),
                None => Node::Object(Vec::new()),
            },
            _ => Node::Kept(value),
        };
        Some((Cow::Borrowed(*name), node))
    };
    inside.iter().filter_map(renamed).collect()
}

fn one_flow<'c>((name, flow): (&'static str, Value<'c>)) -> Node<'c> {
    Node::Object(vec![(Cow::Borrowed(name), Node::Kept(flow))])
}
