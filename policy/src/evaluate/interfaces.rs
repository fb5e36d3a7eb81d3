//! Which interfaces may be used.

use std::sync::Arc;

use countersign_keys::{Code, Level};

use super::{Notes, hosts, tally};
use crate::codes::{self, decision as reasons};
use crate::decision::ClaimedUrl;
use crate::pattern::path_matches;
use crate::{
    Accepted, AdmissionRequest, AllowRule, CORE_BINDINGS, CardFacts, FailedInterfaces, InterfaceFacts,
    InterfaceOutcome, InterfaceVerdict, NearMiss, ProtocolVersion, Queries, Reason, Scheme, StrictUrl,
    UnixTime, UrlUse, VersionFacts, VersionRequirement,
};

/// What the URL of an interface of this binding may look like.
pub(super) fn url_use(binding: Option<&str>, query: Queries) -> UrlUse {
    match (binding, query) {
        (Some(binding), _) if binding.eq_ignore_ascii_case("GRPC") => UrlUse::GrpcInterface,
        (_, Queries::Allow) => UrlUse::InterfaceWithQuery,
        (_, Queries::Deny) => UrlUse::Interface,
    }
}

/// Every interface with every reason against it, waivers not yet considered.
pub(super) fn look(
    rule: &AllowRule,
    request: &AdmissionRequest,
    facts: &CardFacts<'_>,
    now: UnixTime,
    notes: &mut Notes,
) -> Vec<InterfaceVerdict> {
    facts.interfaces.iter().map(|interface| verdict(rule, request, interface, now, notes)).collect()
}

/// What the interfaces mean for the card.
pub(super) fn conclude(
    rule: &AllowRule,
    request: &AdmissionRequest,
    interfaces: &[InterfaceVerdict],
    notes: &mut Notes,
) {
    let admitted = || interfaces.iter().filter(|interface| interface.outcome == InterfaceOutcome::Admitted);
    let usable = admitted().count();
    notes.step("interfaces", tally([(usable, " of "), (interfaces.len(), " may be used")]));
    let is_none_left = usable == 0;
    if is_none_left {
        let message = match interfaces.len() {
            0 => "the card offers no interface".to_owned(),
            1 => "the only interface of the card may not be used".to_owned(),
            offered => format!("none of the {offered} interfaces of the card may be used"),
        };
        notes.reasons.push(Reason::new(reasons::IFACE_NONE_LEFT, message).demanded(&rule.place));
    } else if let Some(accept) = &request.accept {
        let fits = |interface| accept.iter().any(|accepted| is_spoken(accepted, interface));
        if !admitted().any(fits) {
            let names = |list: &mut dyn Iterator<Item = String>| list.collect::<Vec<_>>().join(", ");
            let offered = names(&mut admitted().map(spoken));
            let accepted = names(&mut accept.iter().map(ToString::to_string));
            let message =
                format!("the client speaks {accepted}; the interfaces that may be used speak {offered}");
            notes.reasons.push(Reason::new(reasons::IFACE_NONE_COMPATIBLE, message));
        }
    }
    if is_none_left || rule.interfaces.other == FailedInterfaces::DenyCard {
        for reason in interfaces.iter().flat_map(|interface| &interface.reasons) {
            if !notes.reasons.contains(reason) {
                notes.reasons.push(reason.clone());
            }
        }
    }
}

/// Marks what can be used although the rule drops it, because the rule is not enforced: interfaces with a readable URL, a
/// binding and a version.
pub(super) fn release(interfaces: &mut [InterfaceVerdict]) {
    let dropped = interfaces.iter_mut().filter(|interface| interface.outcome == InterfaceOutcome::Dropped);
    for interface in dropped {
        if interface.is_complete() {
            interface.outcome = InterfaceOutcome::NotEnforced;
        }
    }
}

fn verdict(
    rule: &AllowRule,
    request: &AdmissionRequest,
    facts: &InterfaceFacts<'_>,
    now: UnixTime,
    notes: &mut Notes,
) -> InterfaceVerdict {
    let mut found = Vec::new();
    let version = version(rule, request, facts, &mut found);
    binding(rule, facts, &mut found, notes);
    let url = url(rule, request, facts, now, &mut found);
    InterfaceVerdict {
        index: facts.index,
        pointer: facts.pointer.detached(),
        version,
        binding: facts.binding.map(Arc::from),
        claimed: url,
        tenant: facts.tenant.map(Arc::from),
        outcome: InterfaceOutcome::Dropped,
        reasons: found,
    }
}

fn version(
    rule: &AllowRule,
    request: &AdmissionRequest,
    facts: &InterfaceFacts<'_>,
    found: &mut Vec<Reason>,
) -> Option<ProtocolVersion> {
    let at = |code: Code, message: String, value: Option<&str>| {
        Reason::new(code, message).found(&facts.version_pointer, value)
    };
    let version = match (facts.version, request.assumed) {
        (VersionFacts::Known(version), _) | (VersionFacts::Absent, Some(version)) => version,
        (VersionFacts::Absent, None) => {
            found.push(at(
                reasons::CARD_UNVERSIONED,
                "the interface names no protocol version".to_owned(),
                None,
            ));
            return None;
        }
        (VersionFacts::Unrecognized(text), _) => {
            let message = match text {
                Some(text) => format!("`{text}` is no protocol version"),
                None => "the protocol version is no text".to_owned(),
            };
            found.push(at(codes::CARD_VERSION_UNRECOGNIZED, message, text));
            return None;
        }
    };
    let allowed = &rule.interfaces.versions;
    if !allowed.value.iter().any(|requirement| requirement.matches(version)) {
        let list = allowed.value.iter().map(VersionRequirement::to_string).collect::<Vec<_>>().join("; ");
        let text = version.to_string();
        let reason = at(
            reasons::IFACE_VERSION_NOT_ALLOWED,
            format!("protocol version {text} is none of {list}"),
            Some(&text),
        );
        found.push(reason.demanded(&allowed.place));
    }
    Some(version)
}

fn binding(rule: &AllowRule, facts: &InterfaceFacts<'_>, found: &mut Vec<Reason>, notes: &mut Notes) {
    let allowed = &rule.interfaces.bindings;
    let Some(binding) = facts.binding else {
        let message = "the interface names no binding";
        found.push(
            Reason::new(reasons::CARD_INTERFACE_INCOMPLETE, message).found(&facts.binding_pointer, None),
        );
        return;
    };
    if allowed.value.iter().any(|allowed| allowed == binding) {
        return;
    }
    let in_other_case = allowed.value.iter().find(|allowed| allowed.eq_ignore_ascii_case(binding));
    if let Some(allowed) = in_other_case.filter(|allowed| !allowed.contains(':')) {
        let message = format!(
            "the binding `{binding}` is `{allowed}` in another case; clients that compare exactly pass it over"
        );
        notes.advise(
            reasons::IFACE_BINDING_CASE,
            Level::Warning,
            message,
            Some(&String::from(&facts.binding_pointer)),
        );
        return;
    }
    let message = format!("the binding `{binding}` is none of {}", allowed.value.join(", "));
    let reason = Reason::new(reasons::IFACE_BINDING_NOT_ALLOWED, message);
    found.push(reason.found(&facts.binding_pointer, Some(binding)).demanded(&allowed.place));
}

fn url(
    rule: &AllowRule,
    request: &AdmissionRequest,
    facts: &InterfaceFacts<'_>,
    now: UnixTime,
    found: &mut Vec<Reason>,
) -> ClaimedUrl {
    let terms = &rule.interfaces;
    let Some(text) = facts.url else {
        let message = "the interface has no URL";
        found.push(Reason::new(reasons::CARD_INTERFACE_INCOMPLETE, message).found(&facts.url_pointer, None));
        return ClaimedUrl::Absent;
    };
    let url = match StrictUrl::read(text, url_use(facts.binding, terms.query)) {
        Ok(url) => url,
        Err(error) => {
            found.push(Reason::new(error.code(), error.to_string()).found(&facts.url_pointer, Some(text)));
            return ClaimedUrl::Unreadable(text.to_owned());
        }
    };
    let place = |reason: Reason| reason.found(&facts.url_pointer, Some(text));
    if !scheme_is_allowed(rule, &url) {
        let names =
            terms.schemes.value.iter().filter_map(|scheme| scheme.name()).collect::<Vec<_>>().join(", ");
        let message = format!("the scheme of `{}` is none of {names}", url.raw());
        found.push(place(
            Reason::new(reasons::IFACE_SCHEME_NOT_ALLOWED, message).demanded(&terms.schemes.place),
        ));
    }
    for reason in hosts::look(rule, &request.source, &url, now) {
        if !found.iter().any(|other| other.code == reason.code) {
            found.push(place(reason));
        }
    }
    if let Some(paths) = &terms.paths
        && !paths.value.iter().any(|path| path_matches(path, url.path()))
    {
        let message = format!("the path `{}` is none of {}", url.path(), paths.value.join(", "));
        let reason = Reason::new(reasons::IFACE_PATH_NOT_ALLOWED, message).demanded(&paths.place);
        let nearest = paths.value.iter().find(|path| url.path() == path.trim_end_matches('/'));
        let why = "a path that ends in `/` stands for what is below it only";
        found.push(place(
            reason.near(nearest.map(|path| NearMiss::new(path.clone(), paths.place.clone(), why))),
        ));
    }
    ClaimedUrl::Strict(url)
}

fn scheme_is_allowed(rule: &AllowRule, url: &StrictUrl) -> bool {
    let scheme = if url.scheme() == Scheme::HostPort { Scheme::Https } else { url.scheme() };
    let is_development = rule.interfaces.allow_loopback.is_some() && url.is_loopback();
    is_development || rule.interfaces.schemes.value.contains(&scheme)
}

fn is_spoken(accepted: &Accepted, interface: &InterfaceVerdict) -> bool {
    let binding = interface.binding.as_deref().unwrap_or_default();
    // The card may spell a core binding in another case; what the client speaks is spelled exactly.
    let core = CORE_BINDINGS.into_iter().find(|core| core.eq_ignore_ascii_case(binding));
    core.unwrap_or(binding) == accepted.binding() && interface.version == Some(accepted.version())
}

fn spoken(interface: &InterfaceVerdict) -> String {
    let version = interface.version.map(|version| version.to_string()).unwrap_or_default();
    format!("{version}/{}", interface.binding.as_deref().unwrap_or_default())
}
