//! Hosts against patterns, and which pattern comes nearest.

use countersign_keys::nearest::distance;

use super::context::loopback_names;
use crate::codes::{self, decision as reasons};
use crate::pattern::is_below_public_suffix;
use crate::{
    AddressClass, AllowPattern, AllowRule, Host, LoopbackNames, Mismatch, NearMiss, Placed, Reason, Source,
    StrictUrl, TrustPolicy, UnixTime,
};

/// Most characters that a slip changes.
const MAX_SLIP: usize = 2;

/// Why the host of an interface, with its port and, in a pattern, its path, may not be called; nothing if it may.
pub(super) fn look(rule: &AllowRule, source: &Source, url: &StrictUrl, now: UnixTime) -> Vec<Reason> {
    let terms = &rule.interfaces;
    if url.is_loopback() && terms.allow_loopback.is_some() {
        return Vec::new();
    }
    let address = url.host().address();
    if let Some(address) = address
        && terms.networks.iter().any(|network| network.value.matches(address).is_ok())
    {
        return Vec::new();
    }
    let holds = |any: &crate::AnyHost| any.grace.as_ref().is_none_or(|grace| grace.holds(now));
    if terms.any_host.as_ref().is_some_and(|any| holds(&any.value)) && is_public(url) {
        return Vec::new();
    }
    let off_source = match &terms.hosts.source {
        None => None,
        Some(place) => match at_source(source, url) {
            None => return Vec::new(),
            Some(reason) => Some(reason.demanded(place)),
        },
    };
    let mut all_mismatches = Vec::new();
    for pattern in &terms.hosts.listed {
        let mismatches = pattern.value.mismatches(url, loopback_names(rule));
        if mismatches.is_empty() {
            return Vec::new();
        }
        all_mismatches.push((pattern, mismatches));
    }
    match off_source {
        Some(reason) if all_mismatches.is_empty() => vec![reason],
        _ => off_list(url, all_mismatches),
    }
}

/// A public address, or a name below a public suffix: `router`, `db.internal` and `x.local` are names of inner networks.
fn is_public(url: &StrictUrl) -> bool {
    url.require_public().is_ok() && url.host().name().is_none_or(is_below_public_suffix)
}

/// `*source`: the host of the source, on the port of the source or the default one.
fn at_source(source: &Source, url: &StrictUrl) -> Option<Reason> {
    if url.host() != source.url.host() {
        let code = if is_private(url) { codes::URL_PRIVATE_ADDRESS } else { reasons::IFACE_OFF_ORIGIN };
        let message =
            format!("the host `{}` is not `{}`, which the card came from", url.host(), source.url.host());
        return Some(Reason::new(code, message));
    }
    if url.port() == url.scheme().default_port() || url.port() == source.url.port() {
        return None;
    }
    let message = format!(
        "the port {} is neither the default one nor that of the source; list the host with its port in \
         `interfaces.hosts`",
        url.port()
    );
    Some(Reason::new(reasons::IFACE_PORT_NOT_ALLOWED, message))
}

/// Everything in which the nearest pattern differs.
fn off_list(url: &StrictUrl, mismatches: Vec<(&Placed<AllowPattern>, Vec<Mismatch>)>) -> Vec<Reason> {
    let near = |(pattern, mismatches): &(&Placed<AllowPattern>, Vec<Mismatch>)| {
        let first = mismatches.first().map(|first| closeness(url.host(), &pattern.value, first));
        (std::cmp::Reverse(mismatches.len()), first)
    };
    let Some((pattern, mismatches)) = mismatches.into_iter().max_by_key(near) else {
        return vec![differs(url, None)];
    };
    let reason = |mismatch: &Mismatch| {
        let is_near = closeness(url.host(), &pattern.value, mismatch) > (0, 0);
        let near = || NearMiss::new(pattern.value.to_string(), pattern.place.clone(), mismatch.to_string());
        differs(url, Some(mismatch)).demanded(&pattern.place).near(is_near.then(near))
    };
    mismatches.iter().map(reason).collect()
}

fn differs(url: &StrictUrl, mismatch: Option<&Mismatch>) -> Reason {
    let (code, what) = match mismatch {
        Some(Mismatch::Path { .. }) => (reasons::IFACE_PATH_NOT_ALLOWED, "the path of"),
        Some(Mismatch::Port { .. }) => (reasons::IFACE_PORT_NOT_ALLOWED, "the port of"),
        Some(Mismatch::Scheme { .. }) => (reasons::IFACE_SCHEME_NOT_ALLOWED, "the scheme of"),
        Some(
            Mismatch::Host { .. }
            | Mismatch::Apex { .. }
            | Mismatch::Depth { .. }
            | Mismatch::Loopback { .. }
            | Mismatch::Network { .. },
        )
        | None => {
            let code =
                if is_private(url) { codes::URL_PRIVATE_ADDRESS } else { reasons::IFACE_HOST_NOT_ALLOWED };
            (code, "the host of")
        }
    };
    Reason::new(code, format!("{what} `{}` is none that `interfaces.hosts` allows", url.raw()))
}

/// The `from` that comes nearest to the source, over all rules.
pub(super) fn nearest_source(policy: &TrustPolicy, source: &Source) -> Option<NearMiss> {
    nearest(&source.url, policy.allows().iter().flat_map(|rule| &rule.from))
}

/// The nearest of the patterns that `url` does not fit, if one comes near.
pub(crate) fn nearest<'p>(
    url: &StrictUrl,
    patterns: impl IntoIterator<Item = &'p Placed<AllowPattern>>,
) -> Option<NearMiss> {
    let near = patterns.into_iter().filter_map(|pattern| {
        let mismatch = pattern.value.matches(url, LoopbackNames::Refused).err()?;
        Some((closeness(url.host(), &pattern.value, &mismatch), pattern, mismatch))
    });
    let (closeness, pattern, mismatch) = near.max_by_key(|(closeness, ..)| *closeness)?;
    (closeness > (0, 0))
        .then(|| NearMiss::new(pattern.value.to_string(), pattern.place.clone(), mismatch.to_string()))
}

/// How near a pattern comes: how much of it fits, then how many labels from the right are the same.
fn closeness(host: &Host, pattern: &AllowPattern, mismatch: &Mismatch) -> (u8, usize) {
    match mismatch {
        Mismatch::Path { .. } => (6, 0),
        Mismatch::Port { .. } => (5, 0),
        Mismatch::Scheme { .. } => (4, 0),
        Mismatch::Depth { base, .. } => (3, base.len()),
        Mismatch::Apex { .. } => (2, 0),
        Mismatch::Loopback { .. } => (1, 0),
        Mismatch::Host { .. } | Mismatch::Network { .. } => (0, shared_labels(host, pattern)),
    }
}

/// Labels from the right that host and pattern share; none where only the top-level domain is the same. A host that looks
/// like a slip of the pattern counts as near as one label more.
fn shared_labels(host: &Host, pattern: &AllowPattern) -> usize {
    let (Some(name), text) = (host.name(), pattern.to_string()) else { return 0 };
    let pattern_host = text.rsplit("://").next().unwrap_or_default();
    let pattern_host = pattern_host.split(['/', ':']).next().unwrap_or_default();
    let pairs = name.labels().rev().zip(pattern_host.rsplit('.'));
    let is_slip = distance(name.as_str(), pattern_host) <= MAX_SLIP;
    match pairs.take_while(|(left, right)| left == right).count() {
        shared @ (0 | 1) => {
            if is_slip {
                shared.saturating_add(1)
            } else {
                0
            }
        }
        shared => shared.saturating_add(usize::from(is_slip)),
    }
}

fn is_private(url: &StrictUrl) -> bool {
    !matches!(url.address_class(), AddressClass::Name | AddressClass::Public)
}
