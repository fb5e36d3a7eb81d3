//! The `[[jwks]]` of a policy that have a `url`: fetched when their turn comes, asked again for a key that is not known, and
//! given to the policy as one. A set lends its keys to the sources of its own entry only, see
//! [`TrustPolicy::with_fetched_keys`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_keys::{Finding, Level};
use countersign_policy::codes::decision as codes;
use countersign_policy::{
    AllowPattern, AllowRule, FetchTerms, FetchedKeys, FetchedKeysError, KeySet, LoopbackNames, Source,
    StrictUrl, TrustPolicy, UnixTime,
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
    /// From when on it does not count.
    until: UnixTime,
    /// Whether the response lets it be used past its time.
    may_stand_in: bool,
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
    pub(super) now: UnixTime,
    /// How long keys may stand in for a server that cannot be asked: set for each set.
    stale_seconds: i64,
}

impl<'a> Asking<'a> {
    pub(super) const fn new(web: &'a Web, source: &'a Source, now: UnixTime) -> Self {
        Self { web, source, now, stale_seconds: 0 }
    }
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
                state.fetch((set, url), &self.fetch, self.with_stale(asking, set), set.refresh_seconds);
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
                state.fetch((set, url), &self.fetch, self.with_stale(asking, set), 0);
                asked = true;
            }
        }
        asked
    }

    /// One set has one end for all its sources: the smallest `stale-if-error` of the rules that they may fall under.
    fn with_stale<'a>(&self, asking: Asking<'a>, set: &KeySet) -> Asking<'a> {
        let is_for = |rule: &&AllowRule| {
            let overlaps =
                |from: &AllowPattern| set.origins.iter().any(|origin| origin.value.overlap(from).is_some());
            rule.from.iter().any(|from| overlaps(&from.value))
        };
        let rules = self.policy.allows().iter().filter(is_for);
        let smallest = rules.map(|rule| rule.cache.stale_if_error_seconds).min();
        Asking { stale_seconds: smallest.unwrap_or(0), ..asking }
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
        let Asking { web, now, .. } = asking;
        let reuse = ReuseTerms::default()
            .with_default_lifetime_seconds(lifetime)
            .with_max_lifetime_seconds(lifetime)
            .with_stale_if_error_seconds(asking.stale_seconds);
        let before = self.tried_at.replace(now);
        let ask = AskTerms::default().with_reuse(reuse);
        let fetched = match web.get(url, &ask, terms, now) {
            Ok(fetched) => fetched,
            Err(error) => {
                self.fault = Some(error.to_string());
                // Only a server that cannot be asked has its old keys stand in.
                match &mut self.held {
                    Some(held) if error.is_outage() => held.until = held.last(asking.stale_seconds),
                    Some(held) => held.until = held.due_at,
                    None => {}
                }
                return;
            }
        };
        if fetched.how == FetchedHow::Fresh {
            // Nobody was asked.
            self.tried_at = before.max(Some(fetched.confirmed_at.min(now)));
        }
        match set.read(fetched.octets.to_vec()) {
            Ok(keys) => {
                let mut held = Held::of(Arc::new(keys), &fetched, set, now);
                self.fault = match &fetched.how {
                    FetchedHow::Stale(error) => {
                        held.until = held.last(asking.stale_seconds);
                        Some(error.to_string())
                    }
                    FetchedHow::Network | FetchedHow::Fresh | FetchedHow::Revalidated => None,
                };
                self.held = Some(held);
            }
            Err(error) => {
                web.forget(url, &ask, terms);
                self.fault = Some(error.to_string());
                match (&mut self.held, &error) {
                    // Whoever reads the set can sign, also with the keys that were there before.
                    (_, FetchedKeysError::PrivateKey { .. }) => self.held = None,
                    (Some(held), _) => held.until = held.due_at,
                    (None, _) => {}
                }
            }
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
    fn of(keys: Arc<FetchedKeys>, fetched: &Fetched, set: &KeySet, now: UnixTime) -> Self {
        let fetched_at = fetched.confirmed_at.min(now);
        let due_at = fetched_at.saturating_add_seconds(set.refresh_seconds);
        let may_stand_in = fetched.may_stand_in();
        Self { keys, fetched_at, due_at, until: due_at, may_stand_in }
    }

    /// How long it counts while the server cannot be asked.
    fn last(&self, stale_seconds: i64) -> UnixTime {
        self.due_at.saturating_add_seconds(if self.may_stand_in { stale_seconds.max(0) } else { 0 })
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
