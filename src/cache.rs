//! Remembered admissions, in memory (feature `cache`).
//!
//! Two stores that never mix. *Decisions* are remembered by everything that they rest on: the policy and its keys that are
//! usable now, the whole request, the octets of the card with its signatures, the endorsements. *Interfaces* are
//! remembered by (version, binding, URL) within an [`AgentScope`]; a client asks for the [selected] one before each
//! request. Only what was admitted gets in.
//!
//! A remembered answer holds until the earliest end of what it rests on ([`Decision::expires_at`]), the end of the
//! freshness of the response that the card came with, and at once no more when the policy or its usable keys change. A
//! denial holds for at most 30 s. A card that cannot be read is an error and is not remembered.
//!
//! Time is an argument. The cache never goes back behind the latest time that it was told, so a clock that is set back
//! extends nothing. One that was ahead by mistake ends everything: make a new cache.
//!
//! Not here: responses, pins, and what host names resolve to.
//!
//! [selected]: AdmissionCache::selected
//! [`Decision::expires_at`]: crate::Decision::expires_at

mod answer;
mod decisions;
mod interfaces;
mod key;
mod scope;
#[cfg(feature = "cache-shared")]
pub mod shared;
mod standing;

use std::fmt;
use std::sync::Arc;

use countersign_policy::{AdmissionRequest, ProtocolVersion, TrustPolicy, UnixTime};

use crate::admission::{AdmittedCard, AdmittedInterface, Denied};
use crate::card::{CardError, UntrustedCard};
use crate::select::{SelectTerms, SelectedBecause};
pub use answer::{Answer, Provenance, Registered};
use decisions::Decisions;
use interfaces::{Interfaces, Previous};
pub use key::{DecisionKey, ReceivedCard};
pub use scope::{AgentScope, RememberedInterface};
use standing::Standing;

/// A function that admits a card under a policy as of a time, or fails.
pub trait Decide<Fault>:
    Fn(UntrustedCard, &TrustPolicy, UnixTime) -> Result<Result<AdmittedCard, Box<Denied>>, Fault>
{
}

impl<Fault, F> Decide<Fault> for F where
    F: Fn(UntrustedCard, &TrustPolicy, UnixTime) -> Result<Result<AdmittedCard, Box<Denied>>, Fault>
{
}

/// How much is remembered. What was used longest ago goes first.
///
/// For a moment there may be a little more: up to 64 agents or 1 MiB, and what several threads put in at the same time.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CacheBounds {
    /// Most decisions. Default: 10,000.
    pub max_decisions: u64,
    /// Most octets of memory of all decisions, as estimated: for a card four times its octets, 48 for each
    /// value and member name, and 4 KiB. Default: 256 MiB.
    pub max_decision_octets: u64,
    /// Most agents, each within its tenant and use. Default: 10,000.
    pub max_agents: u64,
    /// Most octets of memory of all agents with their interfaces, as estimated. Default: 64 MiB.
    pub max_agent_octets: u64,
}

/// Remembered admissions under one policy.
///
/// Share it between threads by reference. Everything that is asked for at the same time by several threads is decided
/// once.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use countersign::cache::{AdmissionCache, AgentScope, CacheBounds, Provenance, ReceivedCard};
/// use countersign::{AdmissionRequest, SelectTerms, Source, TOOL, TrustPolicy, UnixTime};
///
/// let policy = r#"
///     schema = 1
///     [[allow]]
///     id = "pilot"
///     from = ["https://agents.example"]
///     signatures = { level = "off", reason = "pilot", until = 2026-12-31 }
/// "#;
/// let policy = Arc::new(TrustPolicy::read(policy, "trust-policy.toml", &TOOL)?);
/// let cache = AdmissionCache::new(policy, &CacheBounds::default());
///
/// let card = br#"{"name": "Echo", "supportedInterfaces": [
///   {"url": "https://agents.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}"#;
/// let request = AdmissionRequest::new(Source::at("https://agents.example/.well-known/agent-card.json")?);
/// let terms = SelectTerms::accepting(["1.0/JSONRPC".parse()?]);
/// let now = UnixTime::from_seconds(1_790_856_000);
///
/// let registered = cache.register("echo", &request, &ReceivedCard::new(card), &terms, now)?;
/// assert_eq!(registered.answer().provenance(), Provenance::Decided);
///
/// // Before each request; under a microsecond.
/// let scope = AgentScope::of(&request, "echo");
/// let interface = cache.selected(&scope, now).ok_or("an interface")?;
/// assert_eq!(interface.url(), "https://agents.example/a2a");
/// let next_year = now.saturating_add_seconds(31_536_000);
/// assert!(cache.selected(&scope, next_year).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AdmissionCache {
    standing: Standing,
    decisions: Decisions,
    interfaces: Interfaces,
}

impl AdmissionCache {
    /// An empty cache for cards under `policy`.
    #[must_use]
    pub fn new(policy: Arc<TrustPolicy>, bounds: &CacheBounds) -> Self {
        Self {
            standing: Standing::new(policy),
            decisions: Decisions::new(bounds),
            interfaces: Interfaces::new(bounds),
        }
    }

    /// The policy in force.
    #[must_use]
    pub fn policy(&self) -> Arc<TrustPolicy> {
        self.standing.policy()
    }

    /// Puts another policy in force. Unless it means the same and has the same keys, no interface that was admitted under the
    /// old one is given out any more; decisions are found again only if a policy that means the same, with the same keys,
    /// comes back.
    pub fn replace_policy(&self, policy: Arc<TrustPolicy>) {
        self.standing.replace(policy);
    }

    /// Admits a card as [`UntrustedCard::admit`] does, or gives the answer that was given before.
    ///
    /// The card is not read when the answer is known; its octets are hashed. Cards longer than the larger of 256 KiB and the
    /// `max-card-octets` of the policy are not read.
    ///
    /// # Errors
    ///
    /// [`CardError`] if the octets are no card. It is not remembered.
    pub fn admit(
        &self,
        request: &AdmissionRequest,
        received: &ReceivedCard<'_>,
        now: UnixTime,
    ) -> Result<Answer, CardError> {
        self.admit_by(request, received, now, alone(request, received))
    }

    /// The same, by a function that admits the card: for what takes more than a policy, such as a memory of earlier cards.
    /// What else it looks at must be in [`ReceivedCard::with_state`].
    ///
    /// `decide` is called with the card, the policy in force and the time to decide for, and not at all when the answer is known. An admission of another card, for another request or under another policy is not remembered.
    ///
    /// # Errors
    ///
    /// [`CardError`] as a `Fault` if the octets are no card, and what `decide` fails with. Neither is remembered.
    pub fn admit_by<Fault: From<CardError> + Send + Sync + 'static>(
        &self,
        request: &AdmissionRequest,
        received: &ReceivedCard<'_>,
        now: UnixTime,
        decide: impl Decide<Fault>,
    ) -> Result<Answer, Fault> {
        self.decisions.answer(&self.standing.at(now), request, received, decide)
    }

    /// Registers an agent: forgets the interface that is selected for it, admits its card, and selects among the admitted
    /// interfaces as [`AdmittedCard::select`] does.
    ///
    /// While the card is looked at, and after an error or a denial, nothing is selected. Of two registrations at the same
    /// time the one that began later stands.
    ///
    /// # Errors
    ///
    /// [`CardError`] if the octets are no card.
    pub fn register(
        &self,
        agent: &str,
        request: &AdmissionRequest,
        received: &ReceivedCard<'_>,
        terms: &SelectTerms,
        now: UnixTime,
    ) -> Result<Registered, CardError> {
        let scope = AgentScope::of(request, agent);
        self.register_by(scope, request, received, terms, now, alone(request, received))
    }

    /// The same under a scope of the caller, by a function that admits the card, as [`admit_by`](Self::admit_by). The scope has
    /// to tell apart what the request, the endorsements and the terms do.
    ///
    /// # Errors
    ///
    /// As [`admit_by`](Self::admit_by).
    pub fn register_by<Fault: From<CardError> + Send + Sync + 'static>(
        &self,
        scope: AgentScope,
        request: &AdmissionRequest,
        received: &ReceivedCard<'_>,
        terms: &SelectTerms,
        now: UnixTime,
        decide: impl Decide<Fault>,
    ) -> Result<Registered, Fault> {
        self.put((Previous::Drop, scope), request, received, terms, now, decide)
    }

    /// Looks at the card of an agent again: an admitted card takes the place of what is remembered of the agent, an error or
    /// a denial changes nothing, so what was admitted before stands until its own end.
    ///
    /// # Errors
    ///
    /// [`CardError`] if the octets are no card.
    pub fn refresh(
        &self,
        agent: &str,
        request: &AdmissionRequest,
        received: &ReceivedCard<'_>,
        terms: &SelectTerms,
        now: UnixTime,
    ) -> Result<Registered, CardError> {
        let scope = AgentScope::of(request, agent);
        self.put((Previous::Keep, scope), request, received, terms, now, alone(request, received))
    }

    /// Forgets the interface that is selected for an agent, as the beginning of a registration does: for whoever has to fetch
    /// the card first.
    pub fn drop_selected(&self, scope: &AgentScope) {
        let _ticket = self.interfaces.begin(scope.clone(), Previous::Drop);
    }

    /// The interface that is selected for an agent, if its admission still stands: what a client asks before each request.
    #[must_use]
    pub fn selected(&self, scope: &AgentScope, now: UnixTime) -> Option<Arc<AdmittedInterface>> {
        self.interfaces.selected(scope, self.standing.moment(now))
    }

    /// An admitted interface of an agent by its version, binding and URL, all three as the card has them.
    #[must_use]
    pub fn interface(
        &self,
        scope: &AgentScope,
        version: ProtocolVersion,
        binding: &str,
        url: &str,
        now: UnixTime,
    ) -> Option<Arc<AdmittedInterface>> {
        let moment = self.standing.moment(now);
        self.interfaces.find(scope, moment, |held| {
            held.version() == version && held.binding() == binding && held.url() == url
        })
    }

    /// Selects another of the admitted interfaces of an agent, as after a VersionNotSupportedError. [`None`], and nothing
    /// changes, if it is not among those that are remembered and still stand.
    pub fn switch_to(
        &self,
        scope: &AgentScope,
        interface: &AdmittedInterface,
        because: SelectedBecause,
        now: UnixTime,
    ) -> Option<Arc<AdmittedInterface>> {
        self.interfaces.switch_to(scope, self.standing.moment(now), interface, because)
    }

    /// Forgets the interfaces of an agent, for every tenant and use. A registration that has not ended yet leaves nothing
    /// behind either. Takes time in proportion to the number of agents.
    pub fn forget(&self, agent: &str) {
        self.interfaces.forget(agent);
    }

    /// Forgets everything. What is being decided at the time is not remembered.
    pub fn clear(&self) {
        self.standing.turn();
        self.decisions.clear();
        self.interfaces.clear();
    }

    /// Every interface that is selected and still stands, in no order: for reports of health and inventory.
    pub fn entries(&self, now: UnixTime) -> impl Iterator<Item = RememberedInterface> + '_ {
        self.interfaces.entries(self.standing.moment(now))
    }

    fn put<Fault: From<CardError> + Send + Sync + 'static>(
        &self,
        (previous, scope): (Previous, AgentScope),
        request: &AdmissionRequest,
        received: &ReceivedCard<'_>,
        terms: &SelectTerms,
        now: UnixTime,
        decide: impl Decide<Fault>,
    ) -> Result<Registered, Fault> {
        let ticket = self.interfaces.begin(scope, previous);
        let standing = self.standing.at(now);
        let answer = self.decisions.answer(&standing, request, received, decide)?;
        let interface =
            answer.admitted().and_then(|card| ticket.store(card, terms, &standing, answer.until()));
        Ok(Registered::new(answer, interface))
    }
}

/// The admission of [`UntrustedCard::admit`], which takes nothing but its arguments.
fn alone<'a>(request: &'a AdmissionRequest, received: &'a ReceivedCard<'_>) -> impl Decide<CardError> + 'a {
    |card: UntrustedCard, policy: &TrustPolicy, now| {
        Ok(card.admit(policy, request, received.endorsements(), now))
    }
}

impl Default for CacheBounds {
    fn default() -> Self {
        Self {
            max_decisions: 10_000,
            max_decision_octets: 256 * 1024 * 1024,
            max_agents: 10_000,
            max_agent_octets: 64 * 1024 * 1024,
        }
    }
}

/// What is remembered is not shown: how much it is.
impl fmt::Debug for AdmissionCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdmissionCache")
            .field("policy", &self.policy().digest())
            .field("decisions", &self.decisions.count())
            .field("agents", &self.interfaces.count())
            .finish()
    }
}

/// The capacity of a store, and the least that an entry weighs, so that there are never more entries than the most.
fn weights(max_entries: u64, max_octets: u64) -> (u64, u32) {
    let heaviest = u64::from(u32::MAX);
    let capacity = max_octets.min(max_entries.saturating_mul(heaviest));
    let share = capacity.checked_div(max_entries).unwrap_or(heaviest).min(heaviest);
    (capacity, u32::try_from(share).unwrap_or(u32::MAX))
}
