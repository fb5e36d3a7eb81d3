//! Admission in a client: fetch the card of an agent and the key sets of the policy, hold the card against the policy, select
//! an interface, and remember the answer for as long as it is true (feature `client`).
//!
//! [`AdmissionClient`] does all of it; what it is made of can be used alone: [`fetch`](crate::fetch),
//! [`cache`](crate::cache), [`TrustPolicy::with_fetched_keys`].

mod agent;
mod error;
mod key_sets;
mod turns;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use countersign_keys::{Finding, codes as key_codes};
use countersign_policy::{AdmissionRequest, CacheTerms, Decision, TrustPolicy, UnixTime};

use crate::admission::AdmittedInterface;
use crate::audit::{self, AuditRecord, CacheState};
use crate::cache::{AdmissionCache, Answer, CacheBounds, Provenance, ReceivedCard, Registered};
use crate::card::UntrustedCard;
use crate::fetch::{
    Fetch, Fetched, FetchedCard, FetchedHow, Fetcher, MemoryStore, ResponseStore, ReuseTerms,
};
use crate::pins::{NotAdmitted, Pins};
use crate::select::VersionNotSupported;
pub use agent::Agent;
pub use error::ClientError;
use key_sets::{Asking, KeySets};
use turns::{Seen, Turn, Turns};

type Web = Fetcher<Box<dyn Fetch>, Box<dyn ResponseStore>>;

/// How long a card is fresh whose response does not say so, in seconds (A2A 1.0 section 8.6.2 leaves it to clients).
const DEFAULT_LIFETIME_SECONDS: i64 = 60;

/// How long an answer holds whose card stands in for a server that cannot be asked, in seconds.
const STAND_IN_SECONDS: i64 = 30;

/// A client that looks before it calls.
///
/// Share it between threads by reference. [`interface`](Self::interface) is what to ask before each request: while an
/// admission stands it takes under a microsecond and no connection. It fetches what the agent, the policy and nobody else
/// names: no URL of a card or of a header.
///
/// Not checked: who answers at the interface, and at which address. Judge the addresses that its host resolves to with
/// [`AddressGuard`](crate::fetch::AddressGuard) when you connect.
///
/// # Examples
///
/// ```
/// use countersign::client::{Agent, AdmissionClient};
/// # use countersign::fetch::{Fetch, FetchError, FetchRequest, FetchResponse};
/// use countersign::{SelectTerms, TOOL, TrustPolicy, UnixTime};
/// # struct HttpsFetch;
/// # impl HttpsFetch { fn new() -> Self { Self } }
/// # impl Fetch for HttpsFetch {
/// #     fn fetch(&self, _: &FetchRequest) -> Result<FetchResponse, FetchError> {
/// #         let card = r#"{"name": "Echo", "supportedInterfaces": [
/// #             {"url": "https://agents.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}"#;
/// #         let json = ("content-type".to_owned(), "application/json".to_owned());
/// #         Ok(FetchResponse::new(200, vec![json], card.into()))
/// #     }
/// # }
///
/// let policy = TrustPolicy::read(r#"
///     schema = 1
///     [[allow]]
///     id = "pilot"
///     from = ["https://agents.example"]
///     signatures = { level = "off", reason = "pilot", until = 2026-12-31 }
/// "#, "trust-policy.toml", &TOOL)?;
/// let client = AdmissionClient::new(policy, HttpsFetch::new());
///
/// let echo = Agent::at("https://agents.example", SelectTerms::accepting(["1.0/JSONRPC".parse()?]))?;
/// let now = UnixTime::from_seconds(1_790_856_000);
/// let interface = client.interface(&echo, now)?;
/// assert_eq!(interface.url(), "https://agents.example/a2a");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AdmissionClient {
    web: Web,
    cache: AdmissionCache,
    key_sets: RwLock<Arc<KeySets>>,
    /// Held while the policy of the cache is replaced, so that older keys do not take the place of newer ones.
    replacing: Mutex<()>,
    turns: Turns,
    pins: Option<Pins>,
    /// What the pins were when each agent was last looked at.
    seen: Seen,
}

/// What came of looking at the card of an agent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Admission {
    /// What was asked of the policy: the source is the URL that answered.
    pub request: AdmissionRequest,
    /// The card, and how it was had.
    pub card: FetchedCard,
    /// The admission or the denial, and how it came about.
    pub answer: Answer,
    /// The interface that is selected for the agent.
    pub interface: Option<Arc<AdmittedInterface>>,
    /// Key sets for the source whose keys are not known, or old: `key.set-unavailable`.
    pub findings: Vec<Finding>,
}

impl AdmissionClient {
    /// A client that remembers responses and admissions in memory.
    #[must_use]
    pub fn new(policy: TrustPolicy, fetch: impl Fetch + 'static) -> Self {
        Self::with_store(policy, fetch, MemoryStore::default(), &CacheBounds::default())
    }

    /// A client that remembers responses in `store`, and admissions within `bounds`.
    #[must_use]
    pub fn with_store(
        policy: TrustPolicy,
        fetch: impl Fetch + 'static,
        store: impl ResponseStore + 'static,
        bounds: &CacheBounds,
    ) -> Self {
        let policy = Arc::new(policy);
        Self {
            web: Fetcher::new(Box::new(fetch), Box::new(store)),
            cache: AdmissionCache::new(Arc::clone(&policy), bounds),
            key_sets: RwLock::new(Arc::new(KeySets::of(policy))),
            replacing: Mutex::new(()),
            turns: Turns::default(),
            pins: None,
            seen: Seen::default(),
        }
    }

    /// The same, with a memory of earlier cards, see [`UntrustedCard::admit_remembered`].
    #[must_use]
    pub fn with_pins(mut self, pins: Pins) -> Self {
        self.pins = Some(pins);
        self
    }

    /// What is remembered of earlier cards.
    #[must_use]
    pub const fn pins(&self) -> Option<&Pins> {
        self.pins.as_ref()
    }

    /// The policy in force, with the keys that were fetched.
    #[must_use]
    pub fn policy(&self) -> Arc<TrustPolicy> {
        self.cache.policy()
    }

    /// Puts another policy in force: nothing that was admitted under the old one is given out any more, and its key sets are
    /// fetched anew.
    pub fn replace_policy(&self, policy: TrustPolicy) {
        let policy = Arc::new(policy);
        let _replacing = self.replacing.lock().unwrap_or_else(PoisonError::into_inner);
        *self.key_sets.write().unwrap_or_else(PoisonError::into_inner) =
            Arc::new(KeySets::of(Arc::clone(&policy)));
        self.cache.replace_policy(policy);
    }

    /// What is remembered of agents, for reports and to forget.
    #[must_use]
    pub const fn cache(&self) -> &AdmissionCache {
        &self.cache
    }

    /// The interface to call now: the one that was selected if its admission still stands, else the card is looked at again,
    /// once for all threads that ask at the same time.
    ///
    /// # Errors
    ///
    /// [`ClientError`]: the card cannot be fetched or read, it is denied, or none of its admitted interfaces fits.
    pub fn interface(&self, agent: &Agent, now: UnixTime) -> Result<Arc<AdmittedInterface>, ClientError> {
        if let Some(interface) = self.selected(agent, now)? {
            return Ok(interface);
        }
        match self.turns.once(agent.scope(), || self.look_for(agent, now)) {
            Turn::Own(outcome) => outcome,
            // It may have begun before another policy was put in force, or a card was revoked.
            Turn::Shared(outcome) => match self.selected(agent, now)? {
                Some(interface) => Ok(interface),
                None if outcome.is_err() => outcome,
                None => self.look_for(agent, now),
            },
        }
    }

    /// The interface that is selected, unless something was said about cards since it was admitted.
    fn selected(&self, agent: &Agent, now: UnixTime) -> Result<Option<Arc<AdmittedInterface>>, ClientError> {
        if let Some(pins) = &self.pins
            && self.seen.get(agent.scope()) != Some(pins.epoch()?)
        {
            return Ok(None);
        }
        Ok(self.cache.selected(agent.scope(), now))
    }

    fn look_for(&self, agent: &Agent, now: UnixTime) -> Result<Arc<AdmittedInterface>, ClientError> {
        let admission = self.admit(agent, now)?;
        match (&admission.interface, admission.answer.admitted()) {
            (Some(interface), _) => Ok(Arc::clone(interface)),
            (None, Some(_)) => Err(ClientError::NoInterface(Box::new(admission))),
            (None, None) => Err(ClientError::Denied(Box::new(admission))),
        }
    }

    /// The interface to call after the server of the selected one answered VersionNotSupportedError (A2A 1.0 section 3.6.3), if
    /// the terms of the agent allow a fallback. It is the selected one from then on.
    ///
    /// # Errors
    ///
    /// As [`interface`](Self::interface); [`ClientError::NoInterface`] where no other one may be used.
    pub fn fall_back(
        &self,
        agent: &Agent,
        refusal: VersionNotSupported,
        now: UnixTime,
    ) -> Result<Arc<AdmittedInterface>, ClientError> {
        let admission = self.admit(agent, now)?;
        let Some(card) = admission.answer.admitted() else {
            return Err(ClientError::Denied(Box::new(admission)));
        };
        let selection = card.select(agent.terms()).after(refusal);
        let Some((interface, because)) = selection.interface().zip(selection.because()) else {
            return Err(ClientError::NoInterface(Box::new(admission)));
        };
        let switched = self.cache.switch_to(agent.scope(), interface, because, now);
        Ok(switched.unwrap_or_else(|| Arc::new(interface.clone())))
    }

    /// Looks at the card of an agent: fetches it as RFC 9111 allows, and the key sets for its source as their entries say,
    /// holds it against the policy or takes the answer that is remembered, and selects an interface. What was selected for
    /// the agent before is forgotten first.
    ///
    /// A signature of a key that is not known has the sets for the source asked again, each at most once in its refresh
    /// interval.
    ///
    /// # Errors
    ///
    /// [`ClientError`] if the card cannot be fetched or read. A denial is none: it is in [`Admission::answer`].
    pub fn admit(&self, agent: &Agent, now: UnixTime) -> Result<Admission, ClientError> {
        self.cache.drop_selected(agent.scope());
        // Before anything is decided, so that what is said meanwhile is noticed.
        if let Some(pins) = &self.pins {
            self.seen.put(agent.scope(), pins.epoch()?);
        }
        let card = self.card(agent, now)?;
        let key_sets = Arc::clone(&self.key_sets.read().unwrap_or_else(PoisonError::into_inner));
        let request = agent.request_from(&card.fetched.url)?;
        let asking = Asking::new(&self.web, &request.source, now);
        let mut findings = self.look(&key_sets, asking);
        let received = ReceivedCard::new(&card.fetched.octets)
            .with_endorsements(agent.endorsements())
            .fresh_until(usable_until(&card.fetched, &cache_terms(key_sets.loaded(), &request), now));
        let register = || self.register(agent, &request, received, now);
        let mut registered = match register() {
            Ok(registered) => registered,
            Err(error) => {
                // What cannot be read is asked for again, however fresh it is.
                let policy = self.cache.policy();
                self.web.forget(&card.fetched.url, agent.ask(), policy.fetch());
                if let ClientError::Card(error) = &error {
                    audit::tell(|| AuditRecord::unreadable(error.code(), &request, &policy, now));
                }
                return Err(error);
            }
        };
        let unknown = unknown_kids(registered.answer().decision());
        if !unknown.is_empty() && key_sets.ask_again(&unknown, asking) {
            findings = self.look(&key_sets, asking);
            registered = register()?;
        }
        let answer = registered.answer().clone();
        // One that is not remembered, because its answer ends at once or another registration began, may be called now.
        let interface = registered.interface().cloned().or_else(|| select(&answer, agent));
        let cache = cache_state(answer.provenance());
        audit::tell(|| AuditRecord::of(answer.decision(), cache, now));
        Ok(Admission { request, card, answer, interface, findings })
    }

    fn register(
        &self,
        agent: &Agent,
        request: &AdmissionRequest,
        received: ReceivedCard<'_>,
        now: UnixTime,
    ) -> Result<Registered, ClientError> {
        let Some(pins) = &self.pins else {
            let admit = |card: UntrustedCard, policy: &TrustPolicy, now| {
                Ok::<_, ClientError>(card.admit(policy, request, agent.endorsements(), now))
            };
            let scope = agent.scope().clone();
            return self.cache.register_by(scope, request, &received, agent.terms(), now, admit);
        };
        let memory = pins.memory(&request.source)?;
        let received = received.with_memory(&memory);
        let admit = |card: UntrustedCard, policy: &TrustPolicy, now| match card.admit_remembered(
            policy,
            request,
            agent.endorsements(),
            pins,
            now,
        ) {
            Ok(admitted) => Ok(Ok(admitted)),
            Err(NotAdmitted::Denied(denied)) => Ok(Err(denied)),
            Err(NotAdmitted::Pins(error)) => Err(ClientError::from(error)),
        };
        self.cache.register_by(agent.scope().clone(), request, &received, agent.terms(), now, admit)
    }

    fn card(&self, agent: &Agent, now: UnixTime) -> Result<FetchedCard, ClientError> {
        let policy = self.cache.policy();
        let request = agent.request()?;
        let reuse = ReuseTerms::from(&cache_terms(&policy, &request))
            .with_default_lifetime_seconds(DEFAULT_LIFETIME_SECONDS);
        let ask = agent.ask().clone().with_reuse(reuse);
        Ok(self.web.card(agent.address(), &ask, policy.fetch(), now)?)
    }

    /// Puts the keys for the source in force.
    fn look(&self, key_sets: &Arc<KeySets>, asking: Asking<'_>) -> Vec<Finding> {
        let findings = key_sets.look(asking);
        let _replacing = self.replacing.lock().unwrap_or_else(PoisonError::into_inner);
        // Another policy may have been put in force meanwhile.
        if Arc::ptr_eq(key_sets, &self.key_sets.read().unwrap_or_else(PoisonError::into_inner)) {
            let policy = key_sets.combine(asking.now);
            if !Arc::ptr_eq(&policy, &self.cache.policy()) {
                self.cache.replace_policy(policy);
            }
        }
        findings
    }
}

impl fmt::Debug for AdmissionClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdmissionClient").field("cache", &self.cache).finish_non_exhaustive()
    }
}

fn select(answer: &Answer, agent: &Agent) -> Option<Arc<AdmittedInterface>> {
    answer.admitted()?.select(agent.terms()).interface().cloned().map(Arc::new)
}

/// Until when an answer about a card may be used without asking its server. A card that stands in for a server that cannot
/// be asked is asked for again soon.
fn usable_until(fetched: &Fetched, terms: &CacheTerms, now: UnixTime) -> UnixTime {
    match fetched.how {
        FetchedHow::Stale(_) => {
            let last = fetched.fresh_until.saturating_add_seconds(terms.stale_if_error_seconds.max(0));
            last.min(now.saturating_add_seconds(STAND_IN_SECONDS)).max(now)
        }
        FetchedHow::Network | FetchedHow::Fresh | FetchedHow::Revalidated => fetched.fresh_until,
    }
}

/// How long answers about the source may be remembered.
fn cache_terms(policy: &TrustPolicy, request: &AdmissionRequest) -> CacheTerms {
    policy.rule_for(request).map(|rule| rule.cache.clone()).unwrap_or_default()
}

/// The `kid` of the signatures that no key of the policy answers to.
fn unknown_kids(decision: &Decision) -> Vec<&str> {
    let is_unknown = |code| code == key_codes::SIG_UNKNOWN_KEY;
    let unknown = decision
        .signatures
        .iter()
        .filter(|signature| signature.reasons.iter().any(|reason| is_unknown(reason.code)));
    unknown.filter_map(|signature| signature.kid.as_deref()).collect()
}

const fn cache_state(provenance: Provenance) -> CacheState {
    match provenance {
        Provenance::Remembered => CacheState::Hit,
        Provenance::Decided | Provenance::Awaited => CacheState::Miss,
    }
}
