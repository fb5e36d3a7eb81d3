//! The members of the new card, in the order of the old one.

use std::borrow::Cow;

use countersign_keys::json::{Kind, Value};

use super::schemes::Schemes;
use super::tree::{Members, Node};
use super::{Remarks, UpgradeError, UpgradeTo, interfaces, requirements};
use crate::card::schema::AGENT_CARD_03;
use crate::card::{UntrustedCard, member};

/// The new card.
pub(super) fn card<'c>(
    card: &'c UntrustedCard,
    to: UpgradeTo,
    remarks: &mut Remarks,
) -> Result<Node<'c>, UpgradeError> {
    let root = card.root();
    let interfaces = interfaces::list(card, to, remarks)?;
    let schemes = Schemes::of(root, to, remarks);
    let mut new = New { root, to, schemes, members: Vec::new(), interfaces: Some(interfaces) };
    for (written, value) in root.members() {
        let known = AGENT_CARD_03.member(written).or_else(|| AGENT_CARD_03.member_by_snake_case(written));
        new.take(known.map_or(written, |member| member.name), value, remarks);
    }
    Ok(Node::Object(new.members))
}

/// The new card so far.
struct New<'c> {
    root: Value<'c>,
    to: UpgradeTo,
    schemes: Schemes<'c>,
    members: Members<'c>,
    /// Until it is placed: where the first transport member was.
    interfaces: Option<Node<'c>>,
}

impl<'c> New<'c> {
    /// Carries over one member of the old card, of this name in camelCase.
    fn take(&mut self, name: &'c str, value: Value<'c>, remarks: &mut Remarks) {
        match name {
            "url"
            | "preferredTransport"
            | "additionalInterfaces"
            | "protocolVersion"
            | "supportedInterfaces" => self.transport(name, value),
            "capabilities" => self.capabilities(value, remarks),
            "securitySchemes" => {
                if let Some(schemes) = self.schemes.to_node() {
                    self.push(name, schemes);
                }
            }
            "security" => {
                if let Some(list) = requirements::list(value, &self.schemes, remarks) {
                    self.push("securityRequirements", list);
                }
                self.legacy(name, value);
            }
            // The reader of a 0.3 card takes `security` first.
            "securityRequirements" => match member(self.root, "security") {
                Some(own) if !own.is_null() && !own.is_empty() => {
                    remarks.grave_loss(value, "`securityRequirements` is left out: the card has `security`");
                }
                _ => self.push(name, Node::Kept(value)),
            },
            "supportsAuthenticatedExtendedCard" => self.legacy(name, value),
            "authentication" => {
                demand_lost(value, remarks);
                self.legacy(name, value);
            }
            "skills" => {
                let skills = value.elements().map(|skill| self.skill(skill, remarks)).collect();
                self.push(name, Node::Array(skills));
            }
            "signatures" => {}
            _ => self.push(name, Node::Kept(value)),
        }
    }

    fn push(&mut self, name: &'c str, node: Node<'c>) {
        self.members.push((Cow::Borrowed(name), node));
    }

    /// A member that only clients of A2A 0.3 read.
    fn legacy(&mut self, name: &'c str, value: Value<'c>) {
        if self.to == UpgradeTo::Dual && !value.is_null() {
            self.push(name, Node::Kept(value));
        }
    }

    fn transport(&mut self, name: &'c str, value: Value<'c>) {
        if let Some(interfaces) = self.interfaces.take() {
            self.push("supportedInterfaces", interfaces);
            let declared = member(self.root, "protocolVersion").and_then(Value::as_text);
            if self.to == UpgradeTo::Dual && declared.is_none_or(str::is_empty) {
                // Assumed by the caller; without it, no client would take the other members for an offer of 0.3.
                self.push("protocolVersion", Node::Text(Cow::Borrowed("0.3.0")));
            }
        }
        let is_replaced = name == "supportedInterfaces"
            || (name == "protocolVersion" && value.as_text().is_none_or(str::is_empty));
        if !is_replaced {
            self.legacy(name, value);
        }
    }

    fn capabilities(&mut self, value: Value<'c>, remarks: &mut Remarks) {
        let mut members: Members<'c> = Vec::new();
        for (name, flag) in value.members() {
            if name == "stateTransitionHistory" && self.to == UpgradeTo::V1_0 {
                if !flag.is_null() && flag.as_bool() != Some(false) {
                    remarks.loss(flag, "`stateTransitionHistory` has no place in A2A 1.0");
                }
                continue;
            }
            members.push((Cow::Borrowed(name), Node::Kept(flag)));
        }
        let old = member(self.root, "supportsAuthenticatedExtendedCard").filter(|old| !old.is_null());
        if let Some(old) = old {
            match member(value, "extendedAgentCard") {
                Some(own) if own.as_bool() != old.as_bool() => {
                    remarks.loss(old, "`capabilities.extendedAgentCard` says otherwise, and stays");
                }
                Some(_) => {}
                None if old.kind() == Kind::Bool => {
                    members.push((Cow::Borrowed("extendedAgentCard"), Node::Kept(old)));
                }
                None => {
                    remarks.loss(old, "`supportsAuthenticatedExtendedCard` is no boolean and is left out")
                }
            }
        }
        self.push("capabilities", Node::Object(members));
    }

    fn skill(&self, skill: Value<'c>, remarks: &mut Remarks) -> Node<'c> {
        let is_old = |name: &str| matches!(name, "security" | "authentication");
        if !skill.members().any(|(name, _)| is_old(name)) {
            return Node::Kept(skill);
        }
        let mut members: Members<'c> = Vec::new();
        let security = skill.member("security").filter(|own| !own.is_null() && !own.is_empty());
        for (name, value) in skill.members() {
            match name {
                "security" => {
                    let list = requirements::list(value, &self.schemes, remarks);
                    members.extend(list.map(|list| (Cow::Borrowed("securityRequirements"), list)));
                }
                "authentication" => demand_lost(value, remarks),
                "securityRequirements" if security.is_some() => {
                    remarks.grave_loss(value, "`securityRequirements` is left out: the skill has `security`");
                    continue;
                }
                _ => {}
            }
            if !is_old(name) || (self.to == UpgradeTo::Dual && !value.is_null()) {
                members.push((Cow::Borrowed(name), Node::Kept(value)));
            }
        }
        Node::Object(members)
    }
}

/// Names a demand of cards before A2A 0.2.
fn demand_lost(value: Value<'_>, remarks: &mut Remarks) {
    if !value.is_null() && !value.is_empty() {
        remarks.grave_loss(
            value,
            "`authentication` has no place in A2A 1.0: write `securitySchemes` and `securityRequirements`",
        );
    }
}
