//! Any sequence of calls against a model that is a few lines long: the answer is always the decision of the moment, and
//! what is selected is what the last registration left.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign::cache::{AdmissionCache, AgentScope, Provenance, ReceivedCard};
use countersign::{AdmissionRequest, Limits, TrustPolicy, UntrustedCard};
use proptest::prelude::*;

use crate::fixture::{at, cache_under, good, newer, policy, request, terms, unsigned};

#[derive(Clone, Copy, Debug)]
enum Call {
    Admit { card: usize, tenant: usize, fresh: i64 },
    Register { agent: usize, card: usize, tenant: usize, fresh: i64 },
    Refresh { agent: usize, card: usize, tenant: usize, fresh: i64 },
    Selected { agent: usize, tenant: usize },
    Replace { policy: usize },
    Forget { agent: usize },
    Clear,
    Pass { seconds: i64 },
}

const AGENTS: [&str; 2] = ["one", "two"];
const TENANTS: [Option<&str>; 2] = [None, Some("t1")];

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let put = || (0..AGENTS.len(), 0..4_usize, 0..TENANTS.len(), prop_oneof![Just(i64::MAX), 0..50_i64]);
    let call = prop_oneof![
        4 => put().prop_map(|(_, card, tenant, fresh)| Call::Admit { card, tenant, fresh }),
        3 => put().prop_map(|(agent, card, tenant, fresh)| Call::Register { agent, card, tenant, fresh }),
        2 => put().prop_map(|(agent, card, tenant, fresh)| Call::Refresh { agent, card, tenant, fresh }),
        6 => (0..AGENTS.len(), 0..TENANTS.len()).prop_map(|(agent, tenant)| Call::Selected { agent, tenant }),
        1 => (0..3_usize).prop_map(|policy| Call::Replace { policy }),
        1 => (0..AGENTS.len()).prop_map(|agent| Call::Forget { agent }),
        1 => Just(Call::Clear),
        4 => (-40..40_i64).prop_map(|seconds| Call::Pass { seconds }),
    ];
    proptest::collection::vec(call, 1..60)
}

/// What a registration leaves: the URL that is selected, and until when.
type Left = Option<(String, i64)>;

struct Model {
    cards: [Vec<u8>; 4],
    policies: [Arc<TrustPolicy>; 3],
    policy: usize,
    /// The clock, and the latest time that the cache was told.
    clock: i64,
    latest: i64,
    selected: BTreeMap<(usize, usize), Left>,
}

impl Model {
    fn new() -> Self {
        let policies = [
            policy("cache.max-ttl = \"60s\""),
            policy("interfaces.hosts = [\"other.example\"]"),
            policy("cache.max-ttl = \"0s\"\ncache.negative = \"0s\""),
        ];
        let cards = [good(), newer(), unsigned(), b"[]".to_vec()];
        Self { cards, policies, policy: 0, clock: 0, latest: i64::from(i32::MIN), selected: BTreeMap::new() }
    }

    fn request(&self, tenant: usize) -> AdmissionRequest {
        let mut request = request();
        request.tenant = TENANTS[tenant].map(str::to_owned);
        request
    }

    /// What is decided now without a cache: nothing for what is no card, else whether it is admitted, the URL and the end.
    fn decides(&self, card: usize, tenant: usize) -> Option<(Left, i64)> {
        let card = UntrustedCard::read(self.cards[card].clone(), &Limits::default()).ok()?;
        let answer = card.admit(&self.policies[self.policy], &self.request(tenant), &[], at(self.latest));
        Some(match answer {
            Ok(admitted) => {
                let until = admitted.decision().expires_at.seconds() - at(0).seconds();
                let url = admitted.select(&terms()).interface().map(|interface| interface.url().to_owned());
                (url.map(|url| (url, until)), until)
            }
            Err(denied) => (None, denied.decision().expires_at.seconds() - at(0).seconds()),
        })
    }

    fn check(&mut self, cache: &AdmissionCache, call: Call) {
        match call {
            Call::Pass { seconds } => self.clock += seconds,
            Call::Replace { policy } => {
                // The same policy again ends nothing.
                if policy != self.policy {
                    self.selected.clear();
                }
                self.policy = policy;
                cache.replace_policy(Arc::clone(&self.policies[policy]));
            }
            Call::Forget { agent } => {
                cache.forget(AGENTS[agent]);
                self.selected.retain(|(known, _), _| *known != agent);
            }
            Call::Clear => {
                cache.clear();
                self.selected.clear();
            }
            Call::Selected { agent, tenant } => {
                self.latest = self.latest.max(self.clock);
                let scope = AgentScope::of(&self.request(tenant), AGENTS[agent]);
                let selected = cache.selected(&scope, at(self.clock));
                let left = self.selected.get(&(agent, tenant)).cloned().flatten();
                let expected = left.filter(|(_, until)| self.latest < *until).map(|(url, _)| url);
                assert_eq!(selected.map(|interface| interface.url().to_owned()), expected);
            }
            Call::Admit { card, tenant, fresh } => {
                self.latest = self.latest.max(self.clock);
                let until = self.clock.saturating_add(fresh).min(1_000_000);
                let received = ReceivedCard::new(&self.cards[card]).fresh_until(at(until));
                let answer = cache.admit(&self.request(tenant), &received, at(self.clock)).ok();
                let decided = self.decides(card, tenant);
                assert_eq!(answer.is_some(), decided.is_some());
                let Some((answer, (left, end))) = answer.zip(decided) else { return };
                assert_eq!(answer.admitted().is_some(), left.is_some());
                let found = answer.until().seconds() - at(0).seconds();
                // What is remembered ends no later than what is decided now, and has not ended.
                assert!(found <= end.min(until));
                assert!(answer.provenance() == Provenance::Decided || self.latest < found);
            }
            Call::Register { agent, card, tenant, fresh } => {
                self.selected.remove(&(agent, tenant));
                self.put(cache, (agent, tenant), card, fresh, AdmissionCache::register);
            }
            Call::Refresh { agent, card, tenant, fresh } => {
                self.put(cache, (agent, tenant), card, fresh, AdmissionCache::refresh);
            }
        }
    }

    fn put(
        &mut self,
        cache: &AdmissionCache,
        (agent, tenant): (usize, usize),
        card: usize,
        fresh: i64,
        put: impl Fn(
            &AdmissionCache,
            &str,
            &AdmissionRequest,
            &ReceivedCard<'_>,
            &countersign::SelectTerms,
            countersign::UnixTime,
        ) -> Result<countersign::cache::Registered, countersign::CardError>,
    ) {
        self.latest = self.latest.max(self.clock);
        let until = self.clock.saturating_add(fresh).min(1_000_000);
        let received = ReceivedCard::new(&self.cards[card]).fresh_until(at(until));
        let registered =
            put(cache, AGENTS[agent], &self.request(tenant), &received, &terms(), at(self.clock)).ok();
        let decided = self.decides(card, tenant);
        assert_eq!(registered.is_some(), decided.is_some());
        let Some((registered, (left, _))) = registered.zip(decided) else { return };
        let end = registered.answer().until().seconds() - at(0).seconds();
        assert_eq!(
            registered.interface().map(|interface| interface.url()),
            left.as_ref().map(|(url, _)| url.as_str())
        );
        if let Some((url, decided_end)) = left {
            assert!(end <= decided_end.min(until));
            self.selected.insert((agent, tenant), Some((url, end)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_answer_is_the_one_of_the_model(calls in calls()) {
        let mut model = Model::new();
        let cache = cache_under(Arc::clone(&model.policies[0]));
        for call in calls {
            model.check(&cache, call);
        }
    }
}
