//! `url`, `preferredTransport` and `additionalInterfaces` as `supportedInterfaces`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use countersign_keys::json::{Kind, Value};

use super::tree::Node;
use super::{Remarks, UpgradeError, UpgradeTo};
use crate::card::{ClaimedInterface, InterfacePlace, UntrustedCard, member};
use crate::lint::quoted;

/// The transport of a main interface that names none (A2A 0.3 §5.6.1).
const DEFAULT_TRANSPORT: &str = "JSONRPC";

/// The list of the new card: the main interface first, each once; for a dual card those of 1.0 before those of 0.3.
pub(super) fn list<'c>(
    card: &'c UntrustedCard,
    to: UpgradeTo,
    remarks: &mut Remarks,
) -> Result<Node<'c>, UpgradeError> {
    let root = card.root();
    let claims = card.claimed_interfaces();
    let mut seen = BTreeSet::new();
    let mut offered: Vec<(&'c str, &'c str)> = Vec::new();
    for claim in &claims {
        let Some((url, binding)) = carried(root, claim, remarks) else { continue };
        if seen.insert((url, binding)) {
            offered.push((url, binding));
        }
    }
    if let Some(list) = member(root, "additionalInterfaces")
        && !matches!(list.kind(), Kind::Array | Kind::Null)
    {
        remarks.grave_loss(list, format!("`additionalInterfaces` is {}, not a list", list.kind().name()));
    }
    if offered.is_empty() {
        return Err(UpgradeError::NoInterface);
    }
    remarks.choice(
        root,
        "every interface is written as one of protocol version `1.0`: publish the card only where the server speaks it",
    );
    let entries = |version: &'static str| {
        offered.iter().map(move |(url, binding)| {
            let text = |text: &'c str| Node::Text(Cow::Borrowed(text));
            Node::Object(vec![
                (Cow::Borrowed("url"), text(url)),
                (Cow::Borrowed("protocolBinding"), text(binding)),
                (Cow::Borrowed("protocolVersion"), Node::Text(Cow::Borrowed(version))),
            ])
        })
    };
    let mut list: Vec<_> = entries("1.0").collect();
    if to == UpgradeTo::Dual {
        list.extend(entries("0.3"));
    }
    Ok(Node::Array(list))
}

/// URL and transport, unless one of them is missing.
fn carried<'c>(
    root: Value<'c>,
    claim: &ClaimedInterface<'c>,
    remarks: &mut Remarks,
) -> Option<(&'c str, &'c str)> {
    if claim.place == InterfacePlace::Main {
        let declared = member(root, "preferredTransport");
        if let Some(wrong) = declared.filter(|value| !matches!(value.kind(), Kind::Text | Kind::Null)) {
            remarks.grave_loss(wrong, "`preferredTransport` is no string");
        }
        if claim.binding.is_none() {
            remarks
                .choice(root, "`preferredTransport` is absent: the main interface is written as `JSONRPC`");
        }
        return Some((claim.claimed_url?, claim.binding.unwrap_or(DEFAULT_TRANSPORT)));
    }
    for (name, value) in claim.object().members() {
        if !matches!(name, "url" | "transport") && !value.is_null() {
            remarks.loss(value, format!("{} of an interface has no place in A2A 1.0", quoted(name)));
        }
    }
    let found = claim.claimed_url.zip(claim.binding);
    if found.is_none() {
        remarks.grave_loss(claim.object(), "an interface without `url` or `transport` is left out");
    }
    found
}
