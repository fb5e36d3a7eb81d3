//! `[[key]]` and `[[jwks]]`.

use countersign_keys::trust::{KeySource, TrustedKey, TrustedKeys, UnusableKey};
use countersign_keys::{Algorithm, Thumbprint, jcs};

use super::super::error::PolicyFault;
use super::super::path::{self, Reference};
use super::super::written::{
    At, JwkMember, Texts, Words, WrittenJwk, WrittenJwks, WrittenKey, WrittenRevoked,
};
use super::desk::Desk;
use crate::codes::load as codes;
use crate::policy::holds_secret;
use crate::{
    AllowPattern, KeySet, Placed, PolicyKey, Scheme, StrictUrl, Tombstone, TombstoneReason, UnixTime, UrlUse,
};

/// Members of a JWK that are private (RFC 7518 sections 6.2.2, 6.3.2, 6.4; RFC 8037).
const PRIVATE_MEMBERS: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

const DEFAULT_REFRESH_SECONDS: i64 = 600;

const DEFAULT_MAX_KEYS: usize = 8;

/// Most keys that a set may be allowed to have.
const MOST_KEYS: usize = 64;

/// The keys of a policy as they are found.
#[derive(Clone, Debug, Default)]
pub(in crate::file) struct Keys {
    pub(in crate::file) keys: Vec<PolicyKey>,
    pub(in crate::file) tombstones: Vec<Tombstone>,
    pub(in crate::file) sets: Vec<KeySet>,
    pub(in crate::file) unusable: Vec<UnusableKey>,
}

/// What the octets of one key say.
struct Found {
    key: TrustedKey,
    kid: Option<String>,
}

/// Adds a key, or a key that must not count any more.
pub(in crate::file) fn key(desk: &mut Desk<'_>, written: &At<WrittenKey>, keys: &mut Keys) {
    let entry = &written.value;
    desk.text(&entry.id);
    let found = octets_of(desk, written);
    let kid = kid(desk, entry, found.as_ref());
    let not_before = entry.not_before.as_ref().and_then(|at| desk.first_second(at));
    let not_after = entry.not_after.as_ref().and_then(|at| desk.last_second(at));
    if let (Some(first), Some(last), Some(at)) = (not_before, not_after, &entry.not_after)
        && last < first
    {
        desk.invalid(&at.range, format!("the key ends at {last}, before it begins at {first}"));
    }
    let algorithms = entry.algorithms.as_ref().map(|texts| bound(desk, texts, found.as_ref()));
    if let Some(revoked) = &entry.revoked
        && let Some(tombstone) = tombstone(desk, written, revoked, kid.clone(), found.as_ref())
    {
        let ends_with_its_validity =
            tombstone.reason == TombstoneReason::Superseded && not_after.is_some() && found.is_some();
        if !ends_with_its_validity {
            keys.tombstones.push(tombstone);
            return;
        }
    } else if entry.revoked.is_some() {
        return;
    }
    let origins = origins(desk, entry.origins.as_ref(), &entry.id);
    let Some(Found { key, .. }) = found else { return };
    let mut trusted = TrustedKey::new(key.key().clone(), KeySource::Single);
    if let Some(kid) = kid {
        trusted = trusted.with_kid(kid);
    }
    if let Some(algorithms) = algorithms.or_else(|| key.algorithms().map(<[Algorithm]>::to_vec)) {
        trusted = trusted.with_algorithms(algorithms);
    }
    if let Some(first) = not_before {
        trusted = trusted.with_not_before(first.seconds());
    }
    if let Some(last) = not_after {
        trusted = trusted.with_not_after(last.seconds());
    }
    keys.keys.push(PolicyKey {
        id: entry.id.value.clone(),
        is_set_member: false,
        trusted,
        origins,
        place: desk.place(&written.range),
    });
}

/// The key in `jwk` or `file`. Which members may stand beside each other is judged here too.
fn octets_of(desk: &mut Desk<'_>, written: &At<WrittenKey>) -> Option<Found> {
    let WrittenKey { id, jwk, file, thumbprint, revoked, .. } = &written.value;
    let given = [jwk.is_some(), file.is_some(), thumbprint.is_some()];
    if revoked.is_none()
        && let Some(thumbprint) = thumbprint
    {
        let message = "a `thumbprint` alone cannot verify anything: it belongs to a key with `revoked`";
        desk.invalid(&thumbprint.range, message);
    } else if given.iter().filter(|is_given| **is_given).count() != 1 {
        let expected = if revoked.is_some() { "`thumbprint`, `jwk` and `file`" } else { "`jwk` and `file`" };
        desk.invalid(&written.range, format!("the key `{}` needs exactly one of {expected}", id.value));
    }
    let (read, range) = match (jwk, file) {
        (Some(jwk), _) => (inline(desk, jwk, &id.value), &jwk.range),
        (None, Some(file)) => (from_file(desk, file), &file.range),
        (None, None) => return None,
    };
    let read = read?;
    match (read.keys(), read.unusable()) {
        ([key], []) => Some(Found { key: key.clone(), kid: key.kid().map(str::to_owned) }),
        ([], [unusable]) => {
            desk.fault(unusable.reason.code(), range, format!("the key cannot be used: {}", unusable.reason));
            None
        }
        (some, others) => {
            let count = some.len().saturating_add(others.len());
            desk.invalid(range, format!("one key is expected, found {count}; a set belongs into `[[jwks]]`"));
            None
        }
    }
}

fn inline(desk: &mut Desk<'_>, jwk: &At<WrittenJwk>, id: &str) -> Option<TrustedKeys> {
    let octets = jwk_octets(desk, jwk, id)?;
    read_keys(desk, octets, &jwk.range, id)
}

/// A JWK set of the JWKs that stand in the policy.
fn inline_set(desk: &mut Desk<'_>, jwks: &At<Vec<At<WrittenJwk>>>, id: &str) -> Option<TrustedKeys> {
    let mut octets = br#"{"keys":["#.to_vec();
    let mut complete = Some(());
    for (index, jwk) in jwks.value.iter().enumerate() {
        if index > 0 {
            octets.push(b',');
        }
        match jwk_octets(desk, jwk, id) {
            Some(of_one) => octets.extend(of_one),
            None => complete = None,
        }
    }
    octets.extend(b"]}");
    complete?;
    read_keys(desk, octets, &jwks.range, id)
}

/// The JWK as JSON; a private member is a fault.
fn jwk_octets(desk: &mut Desk<'_>, jwk: &At<WrittenJwk>, id: &str) -> Option<Vec<u8>> {
    let private = jwk.value.iter().filter(|(name, _)| PRIVATE_MEMBERS.contains(&name.as_str()));
    let private: Vec<_> = private.collect();
    if let Some((name, _)) = private.first() {
        let message = format!("the key `{id}` has the private member `{name}`");
        desk.fault(codes::POLICY_PRIVATE_KEY_IN_POLICY, &jwk.range, message);
        for (_, member) in private {
            let place = desk.place(&member.range);
            desk.black.push(place);
        }
        return None;
    }
    let mut octets = b"{".to_vec();
    for (index, (name, member)) in jwk.value.iter().enumerate() {
        if index > 0 {
            octets.push(b',');
        }
        jcs::write_text(name, &mut octets);
        octets.push(b':');
        write_member(&member.value, &mut octets);
    }
    octets.push(b'}');
    Some(octets)
}

fn write_member(member: &JwkMember, octets: &mut Vec<u8>) {
    match member {
        JwkMember::Text(text) => jcs::write_text(text, octets),
        JwkMember::Texts(texts) => {
            octets.push(b'[');
            for (index, text) in texts.iter().enumerate() {
                if index > 0 {
                    octets.push(b',');
                }
                jcs::write_text(text, octets);
            }
            octets.push(b']');
        }
        JwkMember::Other => octets.extend(b"true"),
    }
}

fn from_file(desk: &mut Desk<'_>, file: &At<String>) -> Option<TrustedKeys> {
    if file.value.contains("PRIVATE KEY") {
        let message = "`file` holds a private key instead of the name of a file";
        desk.fault(codes::POLICY_PRIVATE_KEY_IN_POLICY, &file.range, message);
        let place = desk.place(&file.range);
        desk.black.push(place);
        return None;
    }
    let reference = Reference { from: desk.text, path: &file.value, range: &file.range };
    match path::read(desk.files, &reference) {
        Ok((name, octets)) => read_keys(desk, octets, &file.range, &name),
        Err(fault) => {
            desk.faults.push(*fault);
            None
        }
    }
}

/// The keys in these octets; a private key among them is a fault.
fn read_keys(
    desk: &mut Desk<'_>,
    octets: Vec<u8>,
    range: &std::ops::Range<usize>,
    name: &str,
) -> Option<TrustedKeys> {
    let is_private_pem = octets.windows(16).any(|window| window == b"PRIVATE KEY-----");
    if is_private_pem {
        zeroize(octets);
        private_file(desk, range, name);
        return None;
    }
    let keys = match TrustedKeys::read(octets, name) {
        Ok(keys) => keys,
        Err(error) => {
            desk.fault(error.code(), range, format!("the keys in `{name}`: {error}"));
            return None;
        }
    };
    if holds_secret(&keys) {
        private_file(desk, range, name);
        return None;
    }
    Some(keys)
}

/// `TrustedKeys::read` wipes what it is given, whatever it is.
fn zeroize(octets: Vec<u8>) {
    drop(TrustedKeys::read(octets, ""));
}

fn private_file(desk: &mut Desk<'_>, range: &std::ops::Range<usize>, name: &str) {
    let message = format!("`{name}` holds a private or shared key");
    desk.fault(codes::POLICY_PRIVATE_KEY_IN_POLICY, range, message);
}

/// The `kid` of the policy, which must be that of the JWK if both are there.
fn kid(desk: &mut Desk<'_>, entry: &WrittenKey, found: Option<&Found>) -> Option<String> {
    let of_jwk = found.and_then(|found| found.kid.clone());
    let Some(at) = &entry.kid else { return of_jwk };
    let kid = desk.text(at);
    if let Some(of_jwk) = of_jwk.filter(|of_jwk| *of_jwk != kid) {
        desk.invalid(&at.range, format!("the `kid` is `{kid}`, and that of the JWK is `{of_jwk}`"));
    }
    Some(kid)
}

/// `algorithms` of one key, all of which it must allow.
fn bound(desk: &mut Desk<'_>, texts: &Texts, found: Option<&Found>) -> Vec<Algorithm> {
    let algorithms = desk.algorithms(texts);
    let Some(Found { key, .. }) = found else { return algorithms };
    for algorithm in algorithms.iter().filter(|algorithm| !key.allows(**algorithm)) {
        let written = texts.value.iter().find(|text| text.value == algorithm.name());
        let range = written.map_or(&texts.range, |text| &text.range);
        let kind = key.key().kind();
        let message = format!("`{algorithm}` cannot be used with this {kind} key");
        let fitting = Algorithm::ALL.iter().filter(|fitting| key.allows(**fitting));
        let fitting: Vec<String> = fitting.map(|fitting| format!("`{fitting}`")).collect();
        let fault = PolicyFault::new(codes::POLICY_ALG_KEY_MISMATCH, desk.place(range), message);
        desk.faults.push(fault.with_help(format!("it can be used with {}", fitting.join(", "))));
    }
    algorithms
}

fn tombstone(
    desk: &mut Desk<'_>,
    written: &At<WrittenKey>,
    revoked: &At<WrittenRevoked>,
    kid: Option<String>,
    found: Option<&Found>,
) -> Option<Tombstone> {
    let WrittenRevoked { at, reason } = &revoked.value;
    let at: Option<UnixTime> = desk.first_second(at);
    let words = [("compromised", TombstoneReason::Compromised), ("superseded", TombstoneReason::Superseded)];
    let reason = desk.word(reason, &words);
    let of_text: Option<Thumbprint> =
        written.value.thumbprint.as_ref().and_then(|text| desk.thumbprint(text));
    Some(Tombstone {
        id: written.value.id.value.clone(),
        kid,
        thumbprint: found.map(|found| found.key.thumbprint()).or(of_text)?,
        at: at?,
        reason: reason?,
        place: desk.place(&written.range),
    })
}

fn origins(desk: &mut Desk<'_>, written: Option<&At<Words>>, id: &At<String>) -> Vec<Placed<AllowPattern>> {
    match written {
        Some(words) => desk.allow_patterns(words),
        None => {
            let message = format!("`{}` has no `origins`: it would speak for everybody", id.value);
            desk.fault(codes::POLICY_KEY_WITHOUT_SCOPE, &id.range, message);
            Vec::new()
        }
    }
}

/// Adds a set, and its keys unless they are fetched.
pub(in crate::file) fn key_set(desk: &mut Desk<'_>, written: &At<WrittenJwks>, keys: &mut Keys) {
    let entry = &written.value;
    desk.text(&entry.id);
    let url = entry.url.as_ref().and_then(|at| set_url(desk, at));
    let given = [entry.url.is_some(), entry.file.is_some(), entry.keys.is_some()];
    if given.iter().filter(|is_given| **is_given).count() != 1 {
        let message = format!("the set `{}` needs exactly one of `url`, `file` and `keys`", entry.id.value);
        desk.invalid(&written.range, message);
    }
    let origins = origins(desk, entry.origins.as_ref(), &entry.id);
    let algorithms = entry.algorithms.as_ref().map(|texts| desk.algorithms(texts));
    let refresh = entry.refresh.as_ref().and_then(|at| desk.seconds(at));
    if let (Some(0), Some(at)) = (refresh, &entry.refresh) {
        desk.invalid(&at.range, "a set is not fetched all the time");
    }
    let max_keys = entry.max_keys.as_ref().and_then(|at| desk.number(at, 1, MOST_KEYS));
    let mut pins = Vec::new();
    // The one list that may be empty: no pins.
    for text in entry.pins.iter().flat_map(|texts| &texts.value) {
        pins.extend(desk.thumbprint(text));
    }
    let set = KeySet {
        id: entry.id.value.clone(),
        url,
        origins,
        algorithms,
        refresh_seconds: refresh.unwrap_or(DEFAULT_REFRESH_SECONDS),
        max_keys: max_keys.unwrap_or(DEFAULT_MAX_KEYS),
        pins,
        place: desk.place(&written.range),
    };
    let (read, range) = match (&entry.file, &entry.keys) {
        (Some(file), _) => (from_file(desk, file), &file.range),
        (None, Some(jwks)) => (inline_set(desk, jwks, &entry.id.value), &jwks.range),
        (None, None) => (None, &written.range),
    };
    if let Some(read) = read {
        members(desk, range, &set, &read, keys);
    }
    keys.sets.push(set);
}

fn set_url(desk: &mut Desk<'_>, at: &At<String>) -> Option<StrictUrl> {
    match StrictUrl::read(&at.value, UrlUse::Credential) {
        Ok(url) if url.scheme() == Scheme::Https => Some(url),
        Ok(_) => {
            desk.invalid(&at.range, format!("`{}` is no https URL", at.value));
            None
        }
        Err(error) => {
            desk.fault(error.code(), &at.range, format!("the URL `{}`: {error}", at.value));
            None
        }
    }
}

fn members(
    desk: &mut Desk<'_>,
    range: &std::ops::Range<usize>,
    set: &KeySet,
    read: &TrustedKeys,
    keys: &mut Keys,
) {
    match set.members(read) {
        Ok(members) => keys.keys.extend(members),
        Err(count) => {
            desk.invalid(range, format!("the set has {count} keys, `max-keys` is {}", set.max_keys));
            return;
        }
    }
    keys.unusable.extend(read.unusable().iter().cloned());
}
