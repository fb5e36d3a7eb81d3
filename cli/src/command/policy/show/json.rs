//! A policy as JSON, with what holds now.

use countersign::policy::{Mode, SignatureLevel};
use countersign::{TrustPolicy, UnixTime};
use serde::Serialize;

use super::validity;
use crate::policyfile::first_second;

#[derive(Serialize)]
pub(super) struct PolicyJson<'p> {
    schema: &'static str,
    policy: &'p str,
    name: Option<&'p str>,
    owner: Option<&'p str>,
    digest: &'p str,
    files: Vec<&'p str>,
    keys: Vec<KeyJson<'p>>,
    revoked: Vec<RevokedJson<'p>>,
    key_sets: Vec<KeySetJson<'p>>,
    deny: Vec<DenyJson<'p>>,
    allow: Vec<AllowJson<'p>>,
    exceptions: Vec<ExceptionJson<'p>>,
    evaluated_at: String,
}

#[derive(Serialize)]
struct KeyJson<'p> {
    id: &'p str,
    kid: Option<&'p str>,
    algorithms: Option<Vec<&'static str>>,
    thumbprint: String,
    origins: Vec<String>,
    not_before: Option<String>,
    not_after: Option<String>,
    validity: &'static str,
}

#[derive(Serialize)]
struct RevokedJson<'p> {
    id: &'p str,
    kid: Option<&'p str>,
    thumbprint: String,
    at: String,
    reason: &'static str,
}

#[derive(Serialize)]
struct KeySetJson<'p> {
    id: &'p str,
    url: Option<String>,
    origins: Vec<String>,
}

#[derive(Serialize)]
struct DenyJson<'p> {
    id: &'p str,
    hosts: Vec<String>,
    extensions: Vec<&'p str>,
    reason: &'p str,
}

#[derive(Serialize)]
struct AllowJson<'p> {
    id: &'p str,
    from: Vec<String>,
    sources: Option<Vec<String>>,
    tenants: Option<Vec<String>>,
    uses: Option<Vec<String>>,
    /// Whether a denial is enforced now.
    enforced: bool,
    audit_until: Option<String>,
    /// The level that holds now.
    signature_level: &'static str,
    level_until: Option<String>,
}

#[derive(Serialize)]
struct ExceptionJson<'p> {
    id: &'p str,
    rule: &'p str,
    origin: String,
    waives: Vec<&'static str>,
    reason: &'p str,
    owner: &'p str,
    until: String,
    ended: bool,
}

/// The policy as it holds at `now`.
pub(super) fn policy<'p>(policy: &'p TrustPolicy, path: &'p str, now: UnixTime) -> PolicyJson<'p> {
    let keys = policy.keys().iter().map(|key| KeyJson {
        id: &key.id,
        kid: key.trusted.kid(),
        algorithms: key.trusted.algorithms().map(|list| list.iter().map(|one| one.name()).collect()),
        thumbprint: key.trusted.thumbprint().to_string(),
        origins: texts(key.origins.iter().map(|origin| &origin.value)),
        not_before: first_second(policy, key).map(|first| first.to_string()),
        not_after: key.trusted.not_after().map(|last| UnixTime::from_seconds(last).to_string()),
        validity: validity(key, now),
    });
    let revoked = policy.tombstones().iter().map(|key| RevokedJson {
        id: &key.id,
        kid: key.kid.as_deref(),
        thumbprint: key.thumbprint.to_string(),
        at: key.at.to_string(),
        reason: key.reason.name(),
    });
    let key_sets = policy.key_sets().iter().map(|set| KeySetJson {
        id: &set.id,
        url: set.url.as_ref().map(countersign::policy::StrictUrl::canonical_text),
        origins: texts(set.origins.iter().map(|origin| &origin.value)),
    });
    let deny = policy.denies().iter().map(|rule| DenyJson {
        id: &rule.id,
        hosts: texts(rule.hosts.iter().map(|host| &host.value)),
        extensions: rule.extensions.iter().map(|extension| extension.value.as_str()).collect(),
        reason: &rule.reason,
    });
    let allow = policy.allows().iter().map(|rule| {
        let level = rule.signatures.level.value.at(now);
        AllowJson {
            id: &rule.id,
            from: texts(rule.from.iter().map(|from| &from.value)),
            sources: rule.sources.as_ref().map(|kinds| texts(kinds.iter())),
            tenants: rule.tenants.as_ref().map(|words| texts(words.iter())),
            uses: rule.uses.as_ref().map(|words| texts(words.iter())),
            enforced: rule.mode.value.enforces(now),
            audit_until: match &rule.mode.value {
                Mode::Enforce => None,
                Mode::Audit(grace) => Some(grace.until.to_string()),
            },
            signature_level: level.name(),
            level_until: match level {
                SignatureLevel::Require => None,
                SignatureLevel::IfPresent(grace) | SignatureLevel::Off(grace) => {
                    Some(grace.until.to_string())
                }
            },
        }
    });
    let exceptions = policy.exceptions().iter().map(|exception| ExceptionJson {
        id: &exception.id,
        rule: &exception.rule.value,
        origin: exception.origin.value.to_string(),
        waives: exception.waives.iter().map(|code| code.value.name()).collect(),
        reason: &exception.reason,
        owner: &exception.owner,
        until: exception.until.to_string(),
        ended: now > exception.until,
    });
    PolicyJson {
        schema: "countersign.policy/1",
        policy: path,
        name: policy.name(),
        owner: policy.owner(),
        digest: policy.digest(),
        files: policy.files().iter().map(|file| &*file.name).collect(),
        keys: keys.collect(),
        revoked: revoked.collect(),
        key_sets: key_sets.collect(),
        deny: deny.collect(),
        allow: allow.collect(),
        exceptions: exceptions.collect(),
        evaluated_at: now.to_string(),
    }
}

fn texts<T: ToString>(values: impl Iterator<Item = T>) -> Vec<String> {
    values.map(|value| value.to_string()).collect()
}
