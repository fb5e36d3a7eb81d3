//! Each interface of a card, held against what the client speaks.

use countersign_keys::{Code, Finding, Level};
pub(crate) use countersign_policy::CORE_BINDINGS;
use countersign_policy::{CardVersion, ProtocolVersion, codes as policy_codes};

use super::terms::{ProtocolChoice, SelectTerms};
use crate::card::{CardView, ClaimedInterface, DeclaredVersion, InterfacePlace};
use crate::codes::{interfaces, members, shapes};

/// What A2A 0.3 means where a card does not say.
const DEFAULT_TRANSPORT: &str = "JSONRPC";

/// An interface, and whether the client can use it.
#[derive(Clone, Debug)]
pub(super) struct Candidate<'c> {
    pub(super) claim: ClaimedInterface<'c>,
    /// The version that it counts as.
    pub(super) version: Option<ProtocolVersion>,
    /// How it fits, or why it does not.
    pub(super) fit: Result<Fit, Code>,
}

/// How an interface fits the client.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    pub(super) version: ProtocolVersion,
    /// Index into what the client accepts.
    pub(super) accepted: usize,
}

pub(super) fn of<'c>(card: CardView<'c>, terms: &SelectTerms) -> Vec<Candidate<'c>> {
    let claims = card.claimed_interfaces();
    let main = claims.iter().find(|claim| claim.place == InterfacePlace::Main).cloned();
    let candidate = |claim: ClaimedInterface<'c>| {
        let version = counted_version(&claim, terms.assumed);
        let fit = match &main {
            Some(main) if repeats(&claim, main) => Err(interfaces::IFACE_DUPLICATE),
            _ => version.and_then(|version| fit(&claim, version, terms)),
        };
        Candidate { version: version.ok(), fit, claim }
    };
    claims.into_iter().map(candidate).collect()
}

impl Candidate<'_> {
    /// What is unusual about it.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut remark = |code, name, message: String| {
            findings.push(Finding::new(code, Level::Warning, message).at(self.claim.pointer_to(name)));
        };
        if let DeclaredVersion::Known(CardVersion { version, ignored_patch: Some(patch), .. }) =
            self.claim.declared_version()
        {
            let message = format!("the patch number of `{version}.{patch}` is ignored");
            remark(policy_codes::CARD_VERSION_PATCH, "protocolVersion", message);
        }
        match self.claim.binding {
            None => {
                let message = format!("no transport is named, {DEFAULT_TRANSPORT} is assumed");
                remark(interfaces::IFACE_DEFAULT_TRANSPORT, "protocolBinding", message);
            }
            Some(binding) => {
                if let Some(core) = core_in_other_case(binding) {
                    let message = format!("`{binding}` counts as `{core}`");
                    remark(interfaces::IFACE_BINDING_CASE, "protocolBinding", message);
                }
            }
        }
        findings
    }
}

/// The core binding that a text is in another case.
pub(crate) fn core_in_other_case(binding: &str) -> Option<&'static str> {
    CORE_BINDINGS.into_iter().find(|core| *core != binding && core.eq_ignore_ascii_case(binding))
}

/// Whether an entry of `additionalInterfaces` says what the main members say.
fn repeats(claim: &ClaimedInterface<'_>, main: &ClaimedInterface<'_>) -> bool {
    claim.place == InterfacePlace::Additional
        && claim.claimed_url == main.claimed_url
        && claim.binding == Some(main.binding.unwrap_or(DEFAULT_TRANSPORT))
}

/// The version that an interface counts as. Legacy members describe interfaces of 0.3 and of nothing else.
fn counted_version(
    claim: &ClaimedInterface<'_>,
    assumed: Option<ProtocolVersion>,
) -> Result<ProtocolVersion, Code> {
    let version = match claim.declared_version() {
        DeclaredVersion::Known(declared) => declared.version,
        DeclaredVersion::Absent => assumed.ok_or(match claim.place {
            InterfacePlace::Listed => members::CARD_INTERFACE_INCOMPLETE,
            InterfacePlace::Main | InterfacePlace::Additional => shapes::CARD_UNVERSIONED,
        })?,
        DeclaredVersion::Unrecognized(_) => return Err(policy_codes::CARD_VERSION_UNRECOGNIZED),
    };
    if claim.is_legacy() && version >= ProtocolVersion::V1_0 {
        return Err(members::CARD_LEGACY_SHAPE);
    }
    Ok(version)
}

fn fit(claim: &ClaimedInterface<'_>, version: ProtocolVersion, terms: &SelectTerms) -> Result<Fit, Code> {
    let binding = spoken_binding(claim)?;
    claim.claimed_url.ok_or(members::CARD_INTERFACE_INCOMPLETE)?;
    let is_wanted = match terms.protocol {
        ProtocolChoice::Auto => true,
        ProtocolChoice::V1 => version.major() == 1,
        ProtocolChoice::V0_3 => version == ProtocolVersion::V0_3,
    };
    if !(is_wanted && terms.accept.iter().any(|accepted| accepted.version() == version)) {
        return Err(interfaces::IFACE_VERSION_NOT_ACCEPTED);
    }
    let accepted = terms
        .accept
        .iter()
        .position(|accepted| accepted.version() == version && accepted.binding() == binding)
        .ok_or(interfaces::IFACE_BINDING_NOT_ACCEPTED)?;
    let url = claim.strict_url().ok_or(members::CARD_INTERFACE_INCOMPLETE)?;
    url.map_err(|error| error.code())?;
    Ok(Fit { version, accepted })
}

/// The binding of an interface, a core binding in its own case.
fn spoken_binding<'c>(claim: &ClaimedInterface<'c>) -> Result<&'c str, Code> {
    match claim.binding {
        Some(binding) => Ok(core_in_other_case(binding).unwrap_or(binding)),
        None => default_transport(claim).ok_or(members::CARD_INTERFACE_INCOMPLETE),
    }
}

/// What an interface without a binding speaks: only the main members of 0.3 have a default.
pub(crate) fn default_transport(claim: &ClaimedInterface<'_>) -> Option<&'static str> {
    if claim.place != InterfacePlace::Main {
        return None;
    }
    let declared = claim.object().member("preferredTransport");
    let is_unset = declared.is_none_or(|value| value.is_null() || value.as_text().is_some());
    is_unset.then_some(DEFAULT_TRANSPORT)
}
