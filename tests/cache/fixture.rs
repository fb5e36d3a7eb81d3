//! A cache, questions and cards for it.

use std::sync::Arc;

use countersign::cache::{AdmissionCache, Answer, CacheBounds, ReceivedCard, Registered};
use countersign::{
    AdmissionRequest, CardError, Form, SelectTerms, Source, TrustPolicy, UnixTime, UntrustedCard,
};
use serde_json::Value;

use crate::agent::{card, changed, entry, read, with_entries};
use crate::policies::policy_with;

/// 2026-10-01T12:00:00Z
pub(crate) const NOW: i64 = 1_790_856_000;

pub(crate) const SOURCE: &str = "https://agent.example.com/.well-known/agent-card.json";

pub(crate) fn at(seconds: i64) -> UnixTime {
    UnixTime::from_seconds(NOW + seconds)
}

/// A policy with the keys of the agent, and members of its rule.
pub(crate) fn policy(rule: &str) -> Arc<TrustPolicy> {
    Arc::new(policy_with("", rule))
}

pub(crate) fn cache_under(policy: Arc<TrustPolicy>) -> AdmissionCache {
    AdmissionCache::new(policy, &CacheBounds::default())
}

/// A cache under a policy that requires a signature.
pub(crate) fn cache() -> AdmissionCache {
    cache_under(policy(""))
}

pub(crate) fn request() -> AdmissionRequest {
    AdmissionRequest::new(Source::at(SOURCE).unwrap())
}

pub(crate) fn signed_by(card: &Value, seed: u8) -> UntrustedCard {
    let header = format!(r#"{{"alg":"EdDSA","typ":"JOSE","kid":"k{seed}"}}"#);
    with_entries(card, [entry(card, Form::A2a10, &header, seed)])
}

/// A card that is admitted.
pub(crate) fn good() -> Vec<u8> {
    signed_by(&card(), 1).octets().to_vec()
}

/// Another one of the same agent.
pub(crate) fn newer() -> Vec<u8> {
    let card = changed(|card| {
        set(card, "/version", "1.1.0");
        set(card, "/supportedInterfaces/0/url", "https://agent.example.com/next");
    });
    signed_by(&card, 1).octets().to_vec()
}

/// A card that is denied: nobody signed it.
pub(crate) fn unsigned() -> Vec<u8> {
    read(&card()).octets().to_vec()
}

pub(crate) fn set(card: &mut Value, pointer: &str, value: &str) {
    *card.pointer_mut(pointer).unwrap() = Value::from(value);
}

pub(crate) fn terms() -> SelectTerms {
    SelectTerms::accepting(["1.0/JSONRPC".parse().unwrap()])
}

pub(crate) fn admit(cache: &AdmissionCache, octets: &[u8], seconds: i64) -> Answer {
    cache.admit(&request(), &ReceivedCard::new(octets), at(seconds)).unwrap()
}

pub(crate) fn register(cache: &AdmissionCache, octets: &[u8], seconds: i64) -> Result<Registered, CardError> {
    cache.register("agent", &request(), &ReceivedCard::new(octets), &terms(), at(seconds))
}

/// `admit` or `deny` with the codes, and how the answer came about.
pub(crate) fn shown(answer: &Answer) -> String {
    let decision = answer.decision();
    let codes: Vec<_> = decision.codes().iter().map(|code| code.name()).collect();
    let words = [decision.outcome.name().to_owned(), codes.join(" "), answer.provenance().name().to_owned()];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
