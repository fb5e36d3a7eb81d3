//! A web without sockets: documents by URL, and a list of what was asked for.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use countersign::client::{AdmissionClient, Agent};
use countersign::fetch::{Fetch, FetchError, FetchRequest, FetchResponse};
use countersign::{Form, SelectTerms, TOOL, TrustPolicy, UnixTime};
use serde_json::Value;

use crate::agent::{entry, key, with_entries};

pub(crate) const NOW: i64 = 1_790_856_000;
pub(crate) const AGENT: &str = "https://agent.example.com";
pub(crate) const CARD: &str = "https://agent.example.com/.well-known/agent-card.json";
pub(crate) const SET: &str = "https://keys.example.com/jwks.json";

/// What is at the URLs.
#[derive(Clone, Default)]
pub(crate) struct Web(Arc<Inner>);

#[derive(Default)]
struct Inner {
    documents: Mutex<HashMap<String, Document>>,
    asked: Mutex<Vec<FetchRequest>>,
    closed: AtomicBool,
    gate: Mutex<bool>,
    opened: Condvar,
}

#[derive(Clone)]
struct Document {
    status: u16,
    headers: Vec<(String, String)>,
    octets: Vec<u8>,
}

impl Fetch for Web {
    fn fetch(&self, request: &FetchRequest) -> Result<FetchResponse, FetchError> {
        self.0.asked.lock().unwrap().push(request.clone());
        let mut shut = self.0.gate.lock().unwrap();
        while *shut {
            shut = self.0.opened.wait(shut).unwrap();
        }
        drop(shut);
        let url = request.url.raw().to_owned();
        if self.0.closed.load(Ordering::SeqCst) {
            return Err(FetchError::Dns { url });
        }
        let documents = self.0.documents.lock().unwrap();
        match documents.get(&url) {
            Some(found) => Ok(FetchResponse::new(found.status, found.headers.clone(), found.octets.clone())),
            None => Ok(FetchResponse::new(404, Vec::new(), Vec::new())),
        }
    }
}

impl Web {
    /// Puts a document at a URL, with `Cache-Control` if there is one.
    pub(crate) fn put(&self, url: &str, octets: impl Into<Vec<u8>>, cache_control: &str) {
        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        if !cache_control.is_empty() {
            headers.push(("cache-control".to_owned(), cache_control.to_owned()));
        }
        self.put_document(url, Document { status: 200, headers, octets: octets.into() });
    }

    /// Puts a document with these headers at a URL.
    pub(crate) fn put_with(&self, url: &str, octets: impl Into<Vec<u8>>, headers: &[(&str, &str)]) {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.put_document(url, Document { status: 200, headers, octets: octets.into() });
    }

    /// Answers with a status alone.
    pub(crate) fn fail(&self, url: &str, status: u16) {
        self.put_document(url, Document { status, headers: Vec::new(), octets: Vec::new() });
    }

    /// Answers that the document with this `ETag` is as it was.
    pub(crate) fn unchanged(&self, url: &str, etag: &str) {
        let headers = vec![("etag".to_owned(), etag.to_owned())];
        self.put_document(url, Document { status: 304, headers, octets: Vec::new() });
    }

    fn put_document(&self, url: &str, document: Document) {
        self.0.documents.lock().unwrap().insert(url.to_owned(), document);
    }

    /// Nothing can be reached any more.
    pub(crate) fn close(&self) {
        self.0.closed.store(true, Ordering::SeqCst);
    }

    /// Holds every answer back until `open_gate`.
    pub(crate) fn shut_gate(&self) {
        *self.0.gate.lock().unwrap() = true;
    }

    pub(crate) fn open_gate(&self) {
        *self.0.gate.lock().unwrap() = false;
        self.0.opened.notify_all();
    }

    /// How often a URL was asked for.
    pub(crate) fn count(&self, url: &str) -> usize {
        self.0.asked.lock().unwrap().iter().filter(|request| request.url.raw() == url).count()
    }

    /// Every URL that was asked for.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.0.asked.lock().unwrap().iter().map(|request| request.url.raw().to_owned()).collect()
    }

    /// The headers of the last request.
    pub(crate) fn last_headers(&self) -> Vec<(String, String)> {
        self.0.asked.lock().unwrap().last().unwrap().headers.clone()
    }
}

pub(crate) fn at(seconds: i64) -> UnixTime {
    UnixTime::from_seconds(NOW + seconds)
}

/// The card of the agent, signed by the key with this seed, which is called `k` and the seed.
pub(crate) fn signed(card: &Value, seed: u8) -> String {
    let header = format!(r#"{{"alg":"EdDSA","typ":"JOSE","kid":"k{seed}"}}"#);
    let signed = with_entries(card, [entry(card, Form::A2a10, &header, seed)]);
    String::from_utf8(signed.octets().to_vec()).unwrap()
}

/// A JWK set of the keys with these seeds.
pub(crate) fn jwks(seeds: &[u8]) -> String {
    let jwk = |seed: &u8| key(*seed).verifying_key().to_jwk(Some(&format!("k{seed}")), None).unwrap();
    format!("{{\"keys\":[{}]}}", seeds.iter().map(jwk).collect::<Vec<_>>().join(","))
}

/// A policy with a set for the agent and a rule for it.
pub(crate) fn policy(set: &str, rule: &str) -> TrustPolicy {
    let text = format!(
        "schema = 1\n[[jwks]]\nid = \"partner\"\nurl = \"{SET}\"\norigins = [\"{AGENT}\"]\n{set}\n\
         [[allow]]\nid = \"agent\"\nfrom = [\"{AGENT}\"]\n{rule}\n"
    );
    TrustPolicy::read(&text, "policy.toml", &TOOL).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

pub(crate) fn terms() -> SelectTerms {
    SelectTerms::accepting(["1.0/JSONRPC".parse().unwrap()])
}

pub(crate) fn the_agent() -> Agent {
    Agent::at(AGENT, terms()).unwrap()
}

/// A client of a web with the card signed by `k1`, and `k1` in the set.
pub(crate) fn client(policy: TrustPolicy) -> (AdmissionClient, Web) {
    let web = Web::default();
    web.put(CARD, signed(&crate::agent::card(), 1), "max-age=300");
    web.put(SET, jwks(&[1]), "");
    (AdmissionClient::new(policy, web.clone()), web)
}

/// `admit`, or `deny` and the codes.
pub(crate) fn answer(client: &AdmissionClient, seconds: i64) -> String {
    let admission = client.admit(&the_agent(), at(seconds)).unwrap();
    let decision = admission.answer.decision();
    let codes: Vec<_> = decision.codes().iter().map(|code| code.name()).collect();
    format!("{} {}", decision.outcome.name(), codes.join(" ")).trim_end().to_owned()
}
