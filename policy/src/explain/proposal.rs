//! The one change of a policy that answers one reason.

use countersign_keys::Algorithm;

use crate::codes::{self, decision as reasons};
use crate::{
    AdmissionRequest, AllowPattern, AllowRule, Decision, PolicyChange, Reason, StrictUrl, TrustPolicy, UrlUse,
};

/// The narrowest change for a reason of `decision`; none where the policy cannot answer it.
pub(super) fn for_reason(
    policy: &TrustPolicy,
    request: &AdmissionRequest,
    decision: &Decision,
    reason: &Reason,
) -> Option<PolicyChange> {
    let code = reason.code;
    if code == reasons::ORIGIN_NO_RULE {
        return new_source(policy, request, reason);
    }
    if code == reasons::ORIGIN_DENIED || code == reasons::EXT_DENIED {
        let rule = policy.denies().iter().find(|rule| {
            is_at(rule.hosts.iter().map(|host| &host.place), reason)
                || is_at(rule.extensions.iter().map(|uri| &uri.place), reason)
        })?;
        return Some(PolicyChange::DropDeny { rule: rule.id.clone() });
    }
    let rule = policy.allow(decision.rule.as_deref()?)?;
    let id = rule.id.clone();
    let value = reason.value.as_deref();
    if code == reasons::TENANT_NOT_APPROVED {
        return Some(PolicyChange::AddTenant { rule: id, tenant: request.tenant.clone()? });
    }
    if code == reasons::USE_NOT_APPROVED {
        return Some(PolicyChange::AddUse { rule: id, purpose: request.purpose.clone()? });
    }
    if code == reasons::SIG_ABSENT {
        return Some(PolicyChange::VerifyIfPresent { rule: id });
    }
    if code == reasons::SIG_STALE {
        return Some(PolicyChange::ReportStale { rule: id });
    }
    if code == reasons::FRESH_TOO_OLD {
        return Some(PolicyChange::DropMaxAge { rule: id });
    }
    if code == reasons::SIG_ALGORITHM_NOT_ALLOWED {
        let algorithm = Algorithm::ALL.iter().copied().find(|algorithm| Some(algorithm.name()) == value)?;
        return Some(PolicyChange::AddAlgorithm { rule: id, algorithm });
    }
    if code == reasons::SIG_KEY_OUT_OF_SCOPE {
        let key = policy.keys().iter().find(|key| Some(&key.place) == reason.place.as_ref())?;
        return Some(PolicyChange::AddKeyOrigin {
            key: key.id.clone(),
            pattern: exactly(&request.source.url)?,
        });
    }
    if code == reasons::SIG_THRESHOLD {
        return fewer(rule, decision, reason);
    }
    if code == reasons::AUTH_ANONYMOUS {
        return Some(PolicyChange::ReportAnonymous { rule: id });
    }
    if code == reasons::AUTH_HOST_NOT_ALLOWED {
        let url = StrictUrl::read(value?, UrlUse::Credential).ok()?;
        return Some(PolicyChange::AddAuthHost { rule: id, pattern: exactly(&url)? });
    }
    for_interface(rule, decision, reason)
}

/// Whether the reason only says what others mean together.
pub(super) fn follows(reason: &Reason) -> bool {
    reason.code == reasons::IFACE_NONE_LEFT
}

fn for_interface(rule: &AllowRule, decision: &Decision, reason: &Reason) -> Option<PolicyChange> {
    let (id, code, value) = (rule.id.clone(), reason.code, reason.value.as_deref());
    let url = || {
        let as_url = StrictUrl::read(value?, UrlUse::InterfaceWithQuery).ok();
        as_url.or_else(|| StrictUrl::read(value?, UrlUse::GrpcInterface).ok())
    };
    if code == reasons::IFACE_HOST_NOT_ALLOWED
        || code == reasons::IFACE_OFF_ORIGIN
        || code == reasons::IFACE_PORT_NOT_ALLOWED
        || code == codes::URL_PRIVATE_ADDRESS
    {
        return Some(PolicyChange::AddHost { rule: id, pattern: exactly(&url()?)? });
    }
    if code == reasons::IFACE_SCHEME_NOT_ALLOWED {
        let url = url()?;
        return if rule.interfaces.schemes.value.contains(&url.scheme()) {
            Some(PolicyChange::AddHost { rule: id, pattern: exactly(&url)? })
        } else {
            Some(PolicyChange::AddScheme { rule: id, scheme: url.scheme() })
        };
    }
    if code == reasons::IFACE_PATH_NOT_ALLOWED {
        let url = url()?;
        return match &rule.interfaces.paths {
            Some(_) => Some(PolicyChange::AddPath { rule: id, path: url.path().to_owned() }),
            None => Some(PolicyChange::AddHost { rule: id, pattern: exactly(&url)? }),
        };
    }
    if code == reasons::IFACE_VERSION_NOT_ALLOWED {
        let verdicts = decision.interfaces.iter();
        let version = verdicts
            .filter(|verdict| verdict.reasons.contains(reason))
            .find_map(|verdict| verdict.version)?;
        return Some(PolicyChange::AddVersion { rule: id, version });
    }
    if code == reasons::IFACE_BINDING_NOT_ALLOWED {
        return Some(PolicyChange::AddBinding { rule: id, binding: value?.to_owned() });
    }
    None
}

/// Adds the source to the rule whose pattern comes nearest, if one comes near.
fn new_source(policy: &TrustPolicy, request: &AdmissionRequest, reason: &Reason) -> Option<PolicyChange> {
    let near = reason.nearest.as_ref()?;
    let rule = policy.allows().iter().find(|rule| rule.from.iter().any(|from| from.place == near.place))?;
    Some(PolicyChange::AddSource { rule: rule.id.clone(), pattern: exactly(&request.source.url)? })
}

/// As many keys as have signed, if any has.
fn fewer(rule: &AllowRule, decision: &Decision, reason: &Reason) -> Option<PolicyChange> {
    let group =
        rule.signatures.groups.iter().position(|group| Some(&group.place) == reason.place.as_ref())?;
    let signed = decision.signatures.iter().filter(|signature| signature.counts).count();
    let min = rule.signatures.groups.get(group)?.min.get().checked_sub(1)?.min(signed);
    Some(PolicyChange::SetMin { rule: rule.id.clone(), group, min: min.try_into().ok()? })
}

/// The pattern that stands for the host of `url` on its port, and nothing else.
fn exactly(url: &StrictUrl) -> Option<AllowPattern> {
    let scheme = url.scheme().name().filter(|name| *name != "https").map(|name| format!("{name}://"));
    let port = (url.port() != url.scheme().default_port()).then(|| format!(":{}", url.port()));
    let text = format!("{}{}{}", scheme.unwrap_or_default(), url.host(), port.unwrap_or_default());
    AllowPattern::read(&text).ok()
}

fn is_at<'p>(mut places: impl Iterator<Item = &'p crate::PolicyPlace>, reason: &Reason) -> bool {
    places.any(|place| Some(place) == reason.place.as_ref())
}
