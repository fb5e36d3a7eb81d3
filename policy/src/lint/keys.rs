//! Keys that nobody needs, that are weak, that end soon, or whose content is somebody else's choice.

use countersign_keys::{Algorithm, KeyKind, Level};

use super::report::{Remark, Report};
use super::{Family, PolicyLint, Subject};
use crate::codes::lints as codes;
use crate::pattern::Wildcard;
use crate::{AllowPattern, KeySelector, KeySet, Placed, PolicyKey, PolicyPlace, UnixTime};

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const UNUSED: PolicyLint = PolicyLint::new(codes::POLICY_UNUSED_KEY, Level::Warning);
const SOON: PolicyLint = PolicyLint::new(codes::POLICY_KEY_EXPIRES_SOON, Level::Info);
const WEAK: PolicyLint = PolicyLint::new(codes::POLICY_WEAK_ALGORITHM, Level::Warning);
const UNPINNED: PolicyLint = PolicyLint::new(codes::POLICY_JWKS_UNPINNED_WIDE, Level::Warning);
const TTL: PolicyLint = PolicyLint::new(codes::POLICY_TTL_EXCEEDS_KEY_LIFE, Level::Info);

static LINTS: [PolicyLint; 5] = [UNUSED, SOON, WEAK, UNPINNED, TTL];

const DAY_SECONDS: i64 = 86_400;

/// Days before the end of a key in which it is told.
const SOON_DAYS: i64 = 30;

/// The same as a warning.
const VERY_SOON_DAYS: i64 = 7;

/// Bits of the modulus under which an RSA key is told: NIST SP 800-57 part 1 wants 3072 for 128 bits of security.
const STRONG_RSA_BITS: usize = 3072;

fn check(subject: &Subject<'_>, report: &mut Report) {
    let longest = subject.policy.allows().iter().map(|rule| rule.cache.max_ttl_seconds).max().unwrap_or(0);
    for key in subject.policy.keys() {
        if !key.is_set_member {
            unused(subject, (&key.id, "key"), &key.origins, &key.place, report);
        }
        ends(subject, key, longest, report);
        strength(key, report);
    }
    for set in subject.policy.key_sets() {
        unused(subject, (&set.id, "set of keys"), &set.origins, &set.place, report);
        unpinned(set, report);
        refreshed(set, longest, report);
    }
    for rule in subject.policy.allows() {
        if let Some(algorithms) = &rule.signatures.algorithms {
            old_padding(subject, algorithms, report);
        }
    }
}

/// A key, or a set of keys, that no rule can need.
fn unused(
    subject: &Subject<'_>,
    (id, what): (&str, &str),
    origins: &[Placed<AllowPattern>],
    place: &PolicyPlace,
    report: &mut Report,
) {
    let by_origin = |origin: &Placed<AllowPattern>| {
        subject.indexes.sources.near(&origin.value).any(|(rule, from)| {
            let Some(rule) = subject.policy.allows().get(rule) else { return false };
            rule.signatures.groups.iter().any(|group| group.keys == KeySelector::Origin)
                && rule.from.get(from).is_some_and(|from| from.value.overlap(&origin.value).is_some())
        })
    };
    if !subject.indexes.named.contains(id) && !origins.iter().any(by_origin) {
        let message = format!("no rule needs the {what} `{id}`");
        let help = "delete it, name it in a rule, or give it the origins of a rule with `*origin`";
        report.add(&UNUSED, place, Remark::new(message).help(help));
    }
}

/// A key that ends within days, or before a decision that it supports would be asked anew.
fn ends(subject: &Subject<'_>, key: &PolicyKey, longest: i64, report: &mut Report) {
    let Some(end) = key.trusted.not_after() else { return };
    let left = end.saturating_sub(subject.now.seconds());
    if left < 0 {
        return;
    }
    let level = match left {
        left if left > SOON_DAYS.saturating_mul(DAY_SECONDS) => return,
        left if left > VERY_SOON_DAYS.saturating_mul(DAY_SECONDS) => Level::Info,
        _ => Level::Warning,
    };
    let end = UnixTime::from_seconds(end);
    let message = format!("the key `{}` counts until {end} only", key.id);
    report.add(&SOON, &key.place, Remark::new(message).level(level));
    if left < longest {
        let message = format!(
            "the key `{}` counts for {left} more seconds, less than the {longest} seconds of `max-ttl`; decisions by it end \
             with it",
            key.id
        );
        report.add(&TTL, &key.place, Remark::new(message));
    }
}

/// Short RSA keys, and keys that may sign with the padding of PKCS #1 v1.5.
fn strength(key: &PolicyKey, report: &mut Report) {
    let trusted = &key.trusted;
    if trusted.key().kind() != KeyKind::Rsa {
        return;
    }
    let bits = trusted.key().bits();
    if bits < STRONG_RSA_BITS {
        let message = format!("the RSA key `{}` has {bits} bits, fewer than {STRONG_RSA_BITS}", key.id);
        report.add(&WEAK, &key.place, Remark::new(message));
    }
    if let Some(algorithm) = OLD_PADDING.into_iter().find(|algorithm| trusted.allows(*algorithm)) {
        let message = format!("the key `{}` may sign with {algorithm}, which is PKCS #1 v1.5", key.id);
        let help = "write `algorithms = [\"PS256\"]` in the key";
        report.add(&WEAK, &key.place, Remark::new(message).help(help));
    }
}

/// RFC 7518 section 3.3.
const OLD_PADDING: [Algorithm; 3] = [Algorithm::Rs256, Algorithm::Rs384, Algorithm::Rs512];

fn old_padding(subject: &Subject<'_>, algorithms: &Placed<Vec<Algorithm>>, report: &mut Report) {
    for algorithm in OLD_PADDING.into_iter().filter(|algorithm| algorithms.value.contains(algorithm)) {
        let written =
            subject.sources.strings_in(&algorithms.place).find(|written| written.text == algorithm.name());
        let place = written.and_then(|written| subject.sources.place(&written));
        let message = format!("signatures with {algorithm} count, which is PKCS #1 v1.5");
        report.add(&WEAK, place.as_ref().unwrap_or(&algorithms.place), Remark::new(message));
    }
}

/// A set at a URL that may speak for many, so that whoever serves it can add a key for all of them.
fn unpinned(set: &KeySet, report: &mut Report) {
    let Some(url) = set.url.as_ref().filter(|_| set.pins.is_empty()) else { return };
    let wildcard = set.origins.iter().find(|origin| origin.value.host_parts().0 != Wildcard::None);
    let scope = match (wildcard, set.origins.as_slice()) {
        (Some(origin), _) => format!("`{}`", origin.value),
        (None, [first, .., last]) => format!("`{}` and `{}`", first.value, last.value),
        (None, _) => return,
    };
    let message = format!("whoever serves `{}` chooses who signs for {scope}", url.raw());
    let help = "write the thumbprints of its keys in `pins`, or one origin without wildcard";
    report.add(&UNPINNED, &set.place, Remark::new(message).help(help));
}

/// A set that is fetched more often than decisions by it are asked anew.
fn refreshed(set: &KeySet, longest: i64, report: &mut Report) {
    if set.url.is_some() && set.refresh_seconds < longest {
        let message = format!(
            "the set `{}` is fetched every {} seconds, and a decision by it may be remembered for {longest}: a key that is \
             taken out counts that much longer",
            set.id, set.refresh_seconds
        );
        report.add(&TTL, &set.place, Remark::new(message).help("write a `max-ttl` of at most `refresh`"));
    }
}
