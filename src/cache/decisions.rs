//! Decisions, by everything that they rest on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use countersign_keys::json::Limits;
use countersign_policy::{AdmissionRequest, Decision, LazyDigest, PinDigest, UnixTime};
use moka::Entry;
use moka::ops::compute::Op;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;

use super::answer::{Answer, Provenance};
use super::key::{DecisionKey, ReceivedCard};
use super::standing::Stand;
use super::{CacheBounds, Decide, weights};
use crate::admission::{AdmittedCard, Denied};
use crate::card::{CardError, UntrustedCard};

/// What a decision takes beside its card, in octets: trace, reasons, verdicts.
const DECISION_OCTETS: usize = 4096;

/// How many times its octets a card takes in memory beside its tree: text, index of members, verdicts.
const CARD_FACTOR: usize = 4;

/// What a value or a member name of a card takes in memory, in octets: twice its node, since lists grow by doubling.
const NODE_OCTETS: usize = 48;

pub(super) struct Decisions {
    cache: Cache<DecisionKey, Arc<Held>>,
    /// Counts how often everything was forgotten.
    era: AtomicU64,
}

/// A decision that is remembered.
struct Held {
    verdict: Result<Arc<AdmittedCard>, Arc<Denied>>,
    from: UnixTime,
    until: UnixTime,
    era: u64,
    card_octets: usize,
    card_nodes: usize,
}

impl Decisions {
    pub(super) fn new(bounds: &CacheBounds) -> Self {
        let (capacity, share) = weights(bounds.max_decisions, bounds.max_decision_octets);
        let weigh = move |_: &DecisionKey, held: &Arc<Held>| {
            let tree = held.card_nodes.saturating_mul(NODE_OCTETS);
            let card = held.card_octets.saturating_mul(CARD_FACTOR).saturating_add(tree);
            let octets = card.saturating_add(DECISION_OCTETS);
            u32::try_from(octets).unwrap_or(u32::MAX).max(share)
        };
        // Least recently used: a new decision is never turned away in favour of the old ones.
        let cache = Cache::builder()
            .max_capacity(capacity)
            .weigher(weigh)
            .eviction_policy(EvictionPolicy::lru())
            .build();
        Self { cache, era: AtomicU64::new(0) }
    }

    pub(super) fn answer<Fault: From<CardError> + Send + Sync + 'static>(
        &self,
        stand: &Stand,
        request: &AdmissionRequest,
        received: &ReceivedCard<'_>,
        decide: impl Decide<Fault>,
    ) -> Result<Answer, Fault> {
        let now = stand.moment.now;
        let era = self.era.load(Ordering::Acquire);
        let make = || -> Result<Arc<Held>, Fault> {
            let longest = Limits::default().max_octets.max(stand.policy.limits().max_card_octets);
            let card = UntrustedCard::read(received.octets(), &Limits::default().with_max_octets(longest))?;
            let (card_octets, card_nodes) = (received.octets().len(), card.document().node_count());
            let verdict = decide(card, &stand.policy, now)?.map(Arc::new).map_err(Arc::from);
            let until = decision_of(&verdict).expires_at;
            Ok(Arc::new(Held { verdict, from: now, until, era, card_octets, card_nodes }))
        };
        if received.at_most(UnixTime::from_seconds(i64::MAX)) <= now {
            return Ok(make()?.answer(received, Provenance::Decided));
        }
        let key = DecisionKey::under(&stand.digest, request, received);
        if let Some(held) = self.cache.get(&key).filter(|held| held.stands(now, era)) {
            return Ok(held.answer(received, Provenance::Remembered));
        }
        // One thread decides; the others wait here, and find what it decided.
        let mut answer = None;
        self.cache.entry(key).and_try_compute_with(|found| {
            let found = found.map(Entry::into_value).filter(|held| held.stands(now, era));
            if let Some(held) = found {
                answer = Some(held.answer(received, Provenance::Awaited));
                return Ok::<_, Fault>(Op::Nop);
            }
            let held = make()?;
            answer = Some(held.answer(received, Provenance::Decided));
            if !held.stands(now, era) || !held.is_about(stand, request, received) {
                return Ok(Op::Nop);
            }
            // What is remembered is the card that is handed on; for digests nothing more of it is kept.
            decision_of(&held.verdict).card.settle();
            Ok(Op::Put(held))
        })?;
        // What is too much goes now, not some time later.
        self.cache.run_pending_tasks();
        match answer {
            Some(answer) => Ok(answer),
            None => Ok(make()?.answer(received, Provenance::Decided)),
        }
    }

    pub(super) fn clear(&self) {
        self.era.fetch_add(1, Ordering::Release);
        self.cache.invalidate_all();
    }

    pub(super) fn count(&self) -> u64 {
        self.cache.entry_count()
    }
}

impl Held {
    fn stands(&self, now: UnixTime, era: u64) -> bool {
        self.era == era && self.from <= now && now < self.until
    }

    fn answer(&self, received: &ReceivedCard<'_>, provenance: Provenance) -> Answer {
        Answer::new(self.verdict.clone(), received.at_most(self.until), provenance)
    }

    /// Whether the decision is the answer to the question, whoever made it.
    fn is_about(&self, stand: &Stand, request: &AdmissionRequest, received: &ReceivedCard<'_>) -> bool {
        let decision = decision_of(&self.verdict);
        let subject = &decision.subject;
        decision.evaluated_at == self.from
            && *decision.policy.digest == *stand.policy.digest()
            && decision.card.sha256.as_ref().map(LazyDigest::get) == Some(PinDigest::of(received.octets()))
            && *subject.url == *request.source.url.raw()
            && subject.source == request.source.kind
            && subject.tenant == request.tenant
            && subject.purpose == request.purpose
    }
}

fn decision_of(verdict: &Result<Arc<AdmittedCard>, Arc<Denied>>) -> &Decision {
    match verdict {
        Ok(admitted) => admitted.decision(),
        Err(denied) => denied.decision(),
    }
}
