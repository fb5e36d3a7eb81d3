//! The `[[jwks]]` of a policy that have a `url`: fetched when their turn comes, asked again for a key that is not known, and
//! given to the policy as one. A set lends its keys to the sources of its own entry only, see
//! [`TrustPolicy::with_fetched_keys`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_keys::{Finding, Level};
use countersign_policy::codes::decision as codes;
use countersign_policy::{
    CacheTerms, FetchTerms, FetchedKeys, KeySet, LoopbackNames, Source, StrictUrl, TrustPolicy, UnixTime,
};

use super::Web;
use crate::fetch::{AskTerms, Fetched, FetchedHow, ReuseTerms};

/// The content type of a JWK set (RFC 7517 section 8.5.2), beside those of `[fetch]`.
const JWK_SET_TYPE: &str = "application/jwk-set+json";

/// Seconds without another attempt after one that failed.
const NEGATIVE_SECONDS: i64 = 30;

/// Seconds after any attempt in which a key that is not known causes no other.
const AGAIN_SECONDS: i64 = 10;

/// The sets of one policy.
pub(super) struct KeySets {
    policy: Arc<TrustPolicy>,
    fetch: FetchTerms,
    /// By the place of the set in the policy. The lock of a set is held while it is fetched, so that it is fetched once.
    states: Vec<Mutex<State>>,
    combined: Mutex<Combined>,
}

#[derive(Default)]
struct State {
    held: Option<Held>,
    tried_at: Option<UnixTime>,
    /// When a key that was not known caused an attempt.
    asked_again_at: Option<UnixTime>,
    /// Why the last attempt gave nothing.
    fault: Option<String>,
}

#[derive(Clone)]
struct Held {
    keys: Arc<FetchedKeys>,
    fetched_at: UnixTime,
    /// From when on it is fetched again.
    due_at: UnixTime,
    /// From when on it does not count, whatever comes.
    until: UnixTime,
}

/// The policy that was made last, and of what.
struct Combined {
    of: Vec<Held>,
    policy: Arc<TrustPolicy>,
}

/// Who asks, and with what.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    pub(super) web: &'a Web,
    pub(super) source: &'a Source,
    pub(super) cache: &'a CacheTerms,
    pub(super) now: UnixTime,
}

impl KeySets {
    pub(super) fn of(policy: Arc<TrustPolicy>) -> Self {
        let states = policy.key_sets().iter().map(|_| Mutex::default()).collect();
        let combined = Combined { of: Vec::new(), policy: Arc::clone(&policy) };
        let mut fetch = policy.fetch().clone();
        fetch.content_types.push(JWK_SET_TYPE.to_owned());
        Self { policy, fetch, states, combined: Mutex::new(combined) }
    }

    /// The policy as it was loaded.
    pub(super) const fn loaded(&self) -> &Arc<TrustPolicy> {
        &self.policy
    }

    /// Fetches the sets for the source whose turn has come; tells which of their keys are not known, or old.
    pub(super) fn look(&self, asking: Asking<'_>) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (set, url, state) in self.for_source(asking.source) {
            let mut state = lock(state);
            if state.is_due(asking.now) {
                state.fetch((set, url), &self.fetch, asking, set.refresh_seconds);
            }
            findings.extend(state.finding(set, asking.now));
        }
        findings
    }

    /// Asks the sets for the source again that know none of these `kid`: each at most once in its refresh interval. Whether
    /// any of them was asked.
    pub(super) fn ask_again(&self, kids: &[&str], asking: Asking<'_>) -> bool {
        let mut asked = false;
        for (set, url, state) in self.for_source(asking.source) {
            let mut state = lock(state);
            if kids.iter().any(|kid| !state.answers_to(kid)) && state.may_ask_again(set, asking.now) {
                state.asked_again_at = Some(asking.now);
                state.fetch((set, url), &self.fetch, asking, 0);
                asked = true;
            }
        }
        asked
    }

    fn for_source<'s>(
        &'s self,
        source: &'s Source,
    ) -> impl Iterator<Item = (&'s KeySet, &'s StrictUrl, &'s Mutex<State>)> {
        let sets = self.policy.key_sets().iter().zip(&self.states);
        sets.filter_map(|(set, state)| {
            let speaks = set
                .origins
                .iter()
                .any(|origin| origin.value.matches(&source.url, LoopbackNames::Allowed).is_ok());
            Some((set, set.url.as_ref().filter(|_| speaks)?, state))
        })
    }

    /// The policy with the keys that count now; the one made before if they are the same.
    pub(super) fn combine(&self, now: UnixTime) -> Arc<TrustPolicy> {
        let counting = |state: &Mutex<State>| lock(state).held.clone().filter(|held| held.counts(now));
        let held: Vec<Held> = self.states.iter().filter_map(counting).collect();
        let mut combined = lock(&self.combined);
        if combined.of.len() != held.len() || !combined.of.iter().zip(&held).all(|(one, other)| one.is(other))
        {
            let keys = held.iter().map(|held| (held.keys.as_ref(), held.until));
            combined.policy = Arc::new(self.policy.with_fetched_keys(keys));
            combined.of = held;
        }
        Arc::clone(&combined.policy)
    }
}

impl State {
    /// A clock that was set back behind the last fetch makes it unknown how old the keys are.
    fn is_due(&self, now: UnixTime) -> bool {
        let rests = self.fault.is_some()
            && self
                .tried_at
                .is_some_and(|tried| tried <= now && now < tried.saturating_add_seconds(NEGATIVE_SECONDS));
        !rests && self.held.as_ref().is_none_or(|held| now < held.fetched_at || held.due_at <= now)
    }

    fn may_ask_again(&self, set: &KeySet, now: UnixTime) -> bool {
        let over = |since: Option<UnixTime>, seconds| {
            since.is_none_or(|since| since.saturating_add_seconds(seconds) <= now)
        };
        over(self.asked_again_at, set.refresh_seconds) && over(self.tried_at, AGAIN_SECONDS)
    }

    fn answers_to(&self, kid: &str) -> bool {
        self.held.as_ref().is_some_and(|held| held.keys.answers_to(kid))
    }

    /// Fetches the set; what was remembered at most `lifetime` seconds ago will do.
    fn fetch(
        &mut self,
        (set, url): (&KeySet, &StrictUrl),
        terms: &FetchTerms,
        asking: Asking<'_>,
        lifetime: i64,
    ) {
        let Asking { web, cache, now, .. } = asking;
        let reuse = ReuseTerms::from(cache)
            .with_default_lifetime_seconds(lifetime)
            .with_max_lifetime_seconds(lifetime);
        self.tried_at = Some(now);
        let fetched = match web.get(url, &AskTerms::default().with_reuse(reuse), terms, now) {
            Ok(fetched) => fetched,
            Err(error) => {
                self.fault = Some(error.to_string());
                return;
            }
        };
        match set.read(fetched.octets.to_vec()) {
            Ok(keys) => {
                let held = Held::of(Arc::new(keys), &fetched, set, cache, now);
                self.fault = match &fetched.how {
                    FetchedHow::Stale(error) => Some(error.to_string()),
                    FetchedHow::Network | FetchedHow::Fresh | FetchedHow::Revalidated => None,
                };
                self.held = Some(held);
            }
            // The keys that were there before count to their end: nothing says that they are revoked.
            Err(error) => self.fault = Some(error.to_string()),
        }
    }

    fn finding(&self, set: &KeySet, now: UnixTime) -> Option<Finding> {
        let fault = self.fault.as_ref()?;
        let message = match self.held.as_ref().filter(|held| held.counts(now)) {
            Some(held) => {
                format!("the keys of the set `{}` are those of {}: {fault}", set.id, held.fetched_at)
            }
            None => format!("the keys of the set `{}` are not known: {fault}", set.id),
        };
        Some(Finding::new(codes::KEY_SET_UNAVAILABLE, Level::Warning, message))
    }
}

impl Held {
    /// The server is asked again after the refresh interval of the owner, whatever it says itself.
    fn of(
        keys: Arc<FetchedKeys>,
        fetched: &Fetched,
        set: &KeySet,
        cache: &CacheTerms,
        now: UnixTime,
    ) -> Self {
        let fetched_at = fetched.confirmed_at.min(now);
        let due_at = fetched_at.saturating_add_seconds(set.refresh_seconds);
        let until = due_at.saturating_add_seconds(cache.stale_if_error_seconds.max(0));
        Self { keys, fetched_at, due_at, until }
    }

    fn counts(&self, now: UnixTime) -> bool {
        self.fetched_at <= now && now < self.until
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.keys, &other.keys) && self.until == other.until
    }
}

/// Nothing that runs under these locks can panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
