//! Until when an answer holds: as long as everything that it rests on.

use super::signatures::Ages;
use crate::{
    AllowRule, Mode, Outcome, SignatureFacts, SignatureLevel, StrictUrl, TrustPolicy, UnixTime, Waived,
};

/// What an answer rests on.
pub(super) struct Used<'e> {
    pub(super) rule: Option<&'e AllowRule>,
    pub(super) policy: &'e TrustPolicy,
    pub(super) source: &'e StrictUrl,
    pub(super) counted: &'e [usize],
    pub(super) signatures: &'e [SignatureFacts],
    pub(super) waived: &'e [Waived],
    pub(super) outcome: Outcome,
    pub(super) ages: &'e Ages<'e>,
}

/// Longest time that a denial is remembered, in seconds.
const NEGATIVE_SECONDS: i64 = 30;

pub(super) fn of(used: &Used<'_>) -> UnixTime {
    let cache = used.rule.map(|rule| rule.cache.clone()).unwrap_or_default();
    let longest = match used.outcome {
        Outcome::Admit => cache.max_ttl_seconds,
        Outcome::Deny => cache.negative_seconds.min(NEGATIVE_SECONDS),
    };
    let exceptions = used.policy.exceptions().iter();
    let used_exceptions =
        exceptions.filter(|exception| used.waived.iter().any(|waived| waived.exception == exception.id));
    std::iter::once(used.ages.now.saturating_add_seconds(longest.max(0)))
        .chain(signature_ends(used))
        .chain(used.rule.into_iter().flat_map(rule_ends))
        .chain(used_exceptions.map(|exception| after(exception.until)))
        // What ended before now no longer holds, so the answer does not rest on it.
        .filter(|end| *end >= used.ages.now)
        .min()
        .unwrap_or(used.ages.now)
}

/// The signatures that count, with their keys.
fn signature_ends(used: &Used<'_>) -> impl Iterator<Item = UnixTime> {
    let counted = used.counted.iter().filter_map(|place| used.signatures.get(*place));
    let max_age =
        used.rule.and_then(|rule| rule.signatures.max_age_seconds.as_ref()).map(|max_age| max_age.value);
    counted.flat_map(move |facts| {
        let key = used.policy.key_of(facts, used.source, used.ages.now);
        let key_end =
            key.and_then(|key| key.trusted.not_after()).map(|last| after(UnixTime::from_seconds(last)));
        let too_old = facts
            .issued_at
            .or_else(|| used.ages.first_admitted(facts))
            .zip(max_age)
            .map(|(issued_at, max_age)| after(issued_at.saturating_add_seconds(max_age)));
        [key_end, too_old, facts.expires_at].into_iter().flatten()
    })
}

/// What is allowed for a time.
fn rule_ends(rule: &AllowRule) -> impl Iterator<Item = UnixTime> {
    let mode = match &rule.mode.value {
        Mode::Audit(grace) => Some(grace),
        Mode::Enforce => None,
    };
    let level = match &rule.signatures.level.value {
        SignatureLevel::IfPresent(grace) | SignatureLevel::Off(grace) => Some(grace),
        SignatureLevel::Require => None,
    };
    let allowance = rule.signatures.allow_uncovered.as_ref().map(|allowance| &allowance.value.grace);
    let any_host = rule.interfaces.any_host.as_ref().and_then(|any| any.value.grace.as_ref());
    [mode, level, allowance, any_host].into_iter().flatten().map(|grace| after(grace.until))
}

/// The first second after the last one.
fn after(last: UnixTime) -> UnixTime {
    last.saturating_add_seconds(1)
}
