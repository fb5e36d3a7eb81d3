//! The facts of a card that a policy decides by.

mod auth;

use countersign_keys::json::{Ancestry, Value};
use countersign_keys::{Finding, codes as key_codes};
use countersign_policy::{
    AdmissionRequest, CardFacts, CardPointer, ExtensionFacts, FactFault, InterfaceFacts, LazyDigest,
    PinMemory, ProtocolVersion, TrustPolicy, UncoveredFacts, UrlFacts, VersionFacts,
};

use super::parts;
use super::signatures::Evidence;
use crate::canonical::CanonicalPayload;
use crate::card::{CardView, ClaimedInterface, DeclaredVersion, Holder, UntrustedCard, Unusable};
use crate::coverage::UncoveredMember;
use crate::lint;
use crate::select::default_transport;
use crate::signature::silence_is_not_provable;

/// The facts of what would be handed on of `card`, the document that `ancestry` is of; takes what it says of signatures out
/// of the evidence.
pub(super) fn of<'c>(
    card: &'c UntrustedCard,
    evidence: Evidence,
    ancestry: &'c Ancestry<'c>,
    (policy, memory): (&TrustPolicy, PinMemory<'_>),
    request: &AdmissionRequest,
) -> CardFacts<'c> {
    let view = CardView::of(ancestry.document().root());
    let mut facts = CardFacts::default();
    facts.sha256 = Some(LazyDigest::of_text(card.document().shared_source()));
    facts.name = view.name();
    facts.version = view.version();
    facts.unusable = unusable(card, view, policy.limits().max_card_octets, request.assumed);
    facts.parts = match memory {
        PinMemory::Kept(_) => Some(parts::of(ancestry.document())),
        PinMemory::NotKept => None,
    };
    facts.claimed_signatures = evidence.claimed;
    facts.signatures_fault = evidence.fault;
    facts.signatures = evidence.signatures;
    facts.uncovered = evidence.uncovered.into_iter().map(uncovered).collect();
    facts.coverage_fault = evidence.coverage_fault;
    facts.interfaces = interfaces(ancestry, view, request.assumed);
    facts.auth = auth::of(ancestry, view);
    facts.auth.not_provable =
        evidence.payload.as_ref().and_then(|payload| not_provable(card, payload, &facts));
    facts.payload_sha256 = evidence.payload.map(|payload| LazyDigest::of(payload.into_octets()));
    facts.extensions = extensions(ancestry, view);
    facts.information_urls = information_urls(ancestry, view);
    facts
}

/// Why nobody can tell whether the card has a demand that was deleted, if so.
fn not_provable(card: &UntrustedCard, signed: &CanonicalPayload, facts: &CardFacts<'_>) -> Option<FactFault> {
    let is_silent = facts.auth.allows_anonymous && !facts.auth.schemes.is_empty();
    let Finding { code, message, pointer, .. } =
        is_silent.then(|| silence_is_not_provable(card, signed)).flatten()?;
    Some(FactFault { code, message, pointer })
}

/// Why nobody can use the card, if so.
fn unusable(
    card: &UntrustedCard,
    view: CardView<'_>,
    most_octets: usize,
    assumed: Option<ProtocolVersion>,
) -> Option<FactFault> {
    let octets = card.octets().len();
    let (code, message) = if octets > most_octets {
        let message = format!("the card has {octets} octets, the policy allows {most_octets}");
        (key_codes::JSON_TOO_LARGE, message)
    } else {
        let unusable = Unusable::of(view, assumed)?;
        let message = match unusable {
            Unusable::Foreign => lint::what_else(view.value()),
            Unusable::Contradictory => {
                "the card claims A2A 1.0 or newer and has only the interface members of A2A 0.3".to_owned()
            }
        };
        (unusable.code(), message)
    };
    Some(FactFault { code, message, pointer: Some(String::new()) })
}

fn uncovered(member: UncoveredMember) -> UncoveredFacts {
    UncoveredFacts { pointer: member.pointer, class: member.class.name(), fate: member.fate.name() }
}

fn interfaces<'c>(
    ancestry: &'c Ancestry<'c>,
    view: CardView<'c>,
    assumed: Option<ProtocolVersion>,
) -> Vec<InterfaceFacts<'c>> {
    let fact = |(index, claim): (usize, ClaimedInterface<'c>)| {
        let [url, binding, version] = ["url", "protocolBinding", "protocolVersion"].map(|name| {
            let (holder, name) = claim.spelled(name);
            let holder = match holder {
                Holder::Interface => claim.object(),
                Holder::Card => view.value(),
            };
            CardPointer::of_member(ancestry, holder.id(), name)
        });
        let mut facts = InterfaceFacts::new(index, [claim.card_pointer(), url, binding, version]);
        facts.url = claim.claimed_url;
        facts.binding = claim.binding.or_else(|| default_transport(&claim));
        facts.version = version_of(&claim, assumed);
        facts.tenant = claim.tenant;
        facts
    };
    view.claims().enumerate().map(fact).collect()
}

/// Members of A2A 0.3 never describe an interface of 1.0 or newer.
fn version_of<'c>(claim: &ClaimedInterface<'c>, assumed: Option<ProtocolVersion>) -> VersionFacts<'c> {
    let version = match claim.declared_version() {
        DeclaredVersion::Known(declared) => Some(declared.version),
        DeclaredVersion::Absent => assumed,
        DeclaredVersion::Unrecognized(value) => return VersionFacts::Unrecognized(value.as_text()),
    };
    match version {
        Some(version) if claim.is_legacy() && version >= ProtocolVersion::V1_0 => {
            VersionFacts::Unrecognized(claim.version)
        }
        Some(version) => VersionFacts::Known(version),
        None => VersionFacts::Absent,
    }
}

fn extensions<'c>(ancestry: &'c Ancestry<'c>, view: CardView<'c>) -> Vec<ExtensionFacts<'c>> {
    let fact = |extension: crate::Extension<'c>| {
        let pointer = CardPointer::of(ancestry, extension.value().id());
        Some(ExtensionFacts { pointer, uri: extension.uri()?, is_required: extension.is_required() })
    };
    // One object where the list should be is an extension to a lenient client.
    view.extensions().chain(view.extension_outside_a_list()).filter_map(fact).collect()
}

fn information_urls<'c>(ancestry: &'c Ancestry<'c>, view: CardView<'c>) -> Vec<UrlFacts<'c>> {
    view.information_urls().filter_map(|value| url(ancestry, value)).collect()
}

/// The URL that a member is, if it is a text.
fn url<'c>(ancestry: &'c Ancestry<'c>, value: Value<'c>) -> Option<UrlFacts<'c>> {
    let url = value.as_text().filter(|text| !text.is_empty())?;
    Some(UrlFacts { pointer: CardPointer::of(ancestry, value.id()), url })
}
