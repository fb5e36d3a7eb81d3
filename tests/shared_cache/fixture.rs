//! Instances of a client, and a card that they admit.

use std::sync::Arc;
use std::time::Duration;

use countersign::cache::shared::{MissReason, SharedKey, SharedStore, SharedTerms, Vacancy};
use countersign::cache::{AdmissionCache, Answer, CacheBounds, ReceivedCard};
use countersign::{AdmissionRequest, Source, TOOL, TrustPolicy, UnixTime};

/// 2026-10-01T12:00:00Z
pub(crate) fn at(seconds: i64) -> UnixTime {
    UnixTime::from_seconds(1_790_856_000 + seconds)
}

pub(crate) const EPOCH: &str = "countersign:1:default:epoch";

/// One process of a client: its own policy and memory, and the store that it shares with others.
pub(crate) struct Instance {
    pub(crate) cache: AdmissionCache,
    pub(crate) store: SharedStore,
}

pub(crate) fn terms() -> SharedTerms {
    let mut terms = SharedTerms::default();
    // A busy machine is no failure here; the tests of time-outs say their own.
    terms.timeout = Duration::from_secs(5);
    terms
}

pub(crate) fn store_at(address: &str, terms: &SharedTerms) -> SharedStore {
    SharedStore::new(address, SharedKey::new(vec![7; 32]).unwrap(), terms).unwrap()
}

pub(crate) fn policy(rule: &str) -> Arc<TrustPolicy> {
    let text = format!(
        "schema = 1\n[[allow]]\nid = \"agent\"\nfrom = [\"agent.example\"]\n\
         signatures = {{ level = \"off\", reason = \"test\", until = 2099-12-31 }}\n{rule}\n"
    );
    Arc::new(TrustPolicy::read(&text, "policy.toml", &TOOL).unwrap())
}

pub(crate) fn card() -> Vec<u8> {
    br#"{"name": "Agent", "supportedInterfaces": [
        {"url": "https://agent.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}"#
        .to_vec()
}

pub(crate) fn request() -> AdmissionRequest {
    AdmissionRequest::new(Source::at("https://agent.example/card.json").unwrap())
}

pub(crate) fn for_tenant(tenant: &str) -> AdmissionRequest {
    let mut request = request();
    request.tenant = Some(tenant.to_owned());
    request
}

impl Instance {
    pub(crate) fn at(address: &str) -> Self {
        Self::under(address, policy(""))
    }

    pub(crate) fn under(address: &str, policy: Arc<TrustPolicy>) -> Self {
        let cache = AdmissionCache::new(policy, &CacheBounds::default());
        Self { cache, store: store_at(address, &terms()) }
    }

    /// Admits what was shared, or what was fetched: then it is shared. The number of fetches is 0 or 1.
    pub(crate) fn admit(&self, request: &AdmissionRequest, fetched: &[u8], seconds: i64) -> (Answer, usize) {
        match self.store.load(request, at(seconds)) {
            Ok(shared) => (self.cache.admit(request, &shared.received(), at(seconds)).unwrap(), 0),
            Err(vacancy) => (self.share(vacancy, request, fetched, seconds), 1),
        }
    }

    pub(crate) fn share(
        &self,
        vacancy: Vacancy,
        request: &AdmissionRequest,
        fetched: &[u8],
        seconds: i64,
    ) -> Answer {
        let received = ReceivedCard::new(fetched).fresh_until(at(seconds + 600));
        let answer = self.cache.admit(request, &received, at(seconds)).unwrap();
        if answer.admitted().is_some() {
            self.store.store(vacancy, &answer, request, &received, at(seconds)).unwrap();
        }
        answer
    }

    /// Why nothing is shared for the request, if so.
    pub(crate) fn misses(&self, request: &AdmissionRequest, seconds: i64) -> Option<MissReason> {
        self.store.load(request, at(seconds)).err().map(|vacancy| vacancy.reason())
    }
}
