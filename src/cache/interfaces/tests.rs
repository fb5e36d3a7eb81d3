use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::thread;

use countersign_keys::json::Limits;
use countersign_policy::{AdmissionRequest, Source, TrustPolicy, UnixTime};

use super::{Held, Interfaces, Previous};
use crate::admission::AdmittedInterface;
use crate::cache::standing::Moment;
use crate::cache::{AgentScope, CacheBounds};
use crate::card::UntrustedCard;
use crate::files::TOOL;
use crate::select::SelectedBecause;

const POLICY: &str = r#"
    schema = 1
    [[allow]]
    id = "agent"
    from = ["a.example"]
    signatures = { level = "off", reason = "test", until = 2099-12-31 }
"#;

const CARD: &str = r#"{"name": "Agent", "supportedInterfaces": [
    {"url": "https://a.example/0", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
    {"url": "https://a.example/1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
    {"url": "https://a.example/2", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}"#;

/// Read once: reading a URL takes longer than what is tested here.
static REQUEST: LazyLock<AdmissionRequest> =
    LazyLock::new(|| AdmissionRequest::new(Source::at("https://a.example/card.json").unwrap()));

fn scope(agent: impl ToString) -> AgentScope {
    AgentScope::of(&REQUEST, agent.to_string())
}

/// Three interfaces that were admitted.
fn interfaces() -> Vec<Arc<AdmittedInterface>> {
    let policy = TrustPolicy::read(POLICY, "policy.toml", &TOOL).unwrap();
    let card = UntrustedCard::read(CARD, &Limits::default()).unwrap();
    let admitted = card.admit(&policy, &REQUEST, &[], UnixTime::from_seconds(1_790_856_000)).unwrap();
    admitted.interfaces().cloned().map(Arc::new).collect()
}

fn moment(seconds: i64) -> Moment {
    Moment { now: UnixTime::from_seconds(seconds), generation: 7 }
}

/// One interface that stands from 0 s until `until`.
fn holding(interface: &Arc<AdmittedInterface>, until: i64) -> Held {
    Held {
        interfaces: vec![Arc::clone(interface)],
        selected: Some((Arc::clone(interface), SelectedBecause::CardOrder)),
        rule: None,
        from: UnixTime::from_seconds(0),
        until: UnixTime::from_seconds(until),
        generation: 7,
    }
}

fn selected(interfaces: &Interfaces, agent: &str, seconds: i64) -> Option<usize> {
    interfaces.selected(&scope(agent), moment(seconds)).map(|interface| interface.index())
}

#[test]
fn nothing_is_selected_while_a_card_is_looked_at() {
    let (store, found) = (Interfaces::new(&CacheBounds::default()), interfaces());
    store.begin(scope("a"), Previous::Drop).put(holding(&found[0], 10));
    assert_eq!(selected(&store, "a", 0), Some(0));
    let ticket = store.begin(scope("a"), Previous::Drop);
    assert_eq!(selected(&store, "a", 0), None);
    ticket.put(holding(&found[1], 10));
    assert_eq!(selected(&store, "a", 0), Some(1));
    // A refreshment takes nothing away before it stores.
    let ticket = store.begin(scope("a"), Previous::Keep);
    assert_eq!(selected(&store, "a", 0), Some(1));
    ticket.put(holding(&found[2], 10));
    assert_eq!(selected(&store, "a", 0), Some(2));
}

#[test]
fn what_began_later_stands_whatever_ends_first() {
    let (store, found) = (Interfaces::new(&CacheBounds::default()), interfaces());
    for (first, second) in [
        (Previous::Drop, Previous::Drop),
        (Previous::Keep, Previous::Drop),
        (Previous::Drop, Previous::Keep),
        (Previous::Keep, Previous::Keep),
    ] {
        let (older, newer) = (store.begin(scope("a"), first), store.begin(scope("a"), second));
        assert!(newer.put(holding(&found[1], 10)).is_some());
        assert!(older.put(holding(&found[0], 10)).is_none());
        assert_eq!(selected(&store, "a", 0), Some(1));
        let (older, newer) = (store.begin(scope("a"), first), store.begin(scope("a"), second));
        let stored = older.put(holding(&found[0], 10)).is_some();
        assert_eq!(stored, second == Previous::Keep);
        assert!(newer.put(holding(&found[2], 10)).is_some());
        assert_eq!(selected(&store, "a", 0), Some(2));
    }
}

#[test]
fn a_refreshment_that_fails_does_not_stop_a_registration() {
    let (store, found) = (Interfaces::new(&CacheBounds::default()), interfaces());
    let registration = store.begin(scope("a"), Previous::Drop);
    drop(store.begin(scope("a"), Previous::Keep));
    assert!(registration.put(holding(&found[0], 10)).is_some());
    assert_eq!(selected(&store, "a", 0), Some(0));
}

#[test]
fn a_registration_of_an_agent_that_was_forgotten_stores_nothing() {
    let (store, found) = (Interfaces::new(&CacheBounds::default()), interfaces());
    for previous in [Previous::Drop, Previous::Keep] {
        let ticket = store.begin(scope("a"), previous);
        store.forget("a");
        assert!(ticket.put(holding(&found[0], 10)).is_none());
        assert_eq!(selected(&store, "a", 0), None);
        // Nor over a registration that began after that.
        let ticket = store.begin(scope("a"), previous);
        store.forget("a");
        let later = store.begin(scope("a"), Previous::Drop);
        assert!(ticket.put(holding(&found[0], 10)).is_none());
        assert!(later.put(holding(&found[1], 10)).is_some());
        assert_eq!(selected(&store, "a", 0), Some(1));
        store.forget("a");
    }
}

#[test]
fn an_interface_of_another_generation_or_from_later_is_not_given_out() {
    let (store, found) = (Interfaces::new(&CacheBounds::default()), interfaces());
    store.begin(scope("a"), Previous::Drop).put(holding(&found[0], 10));
    let at = |seconds, generation| Moment { now: UnixTime::from_seconds(seconds), generation };
    assert!(store.selected(&scope("a"), at(9, 7)).is_some());
    assert!(store.selected(&scope("a"), at(9, 6)).is_none());
    assert!(store.selected(&scope("a"), at(9, 8)).is_none());
    assert!(store.selected(&scope("a"), at(10, 7)).is_none());
    assert!(store.selected(&scope("a"), at(-1, 7)).is_none());
}

/// Registrations that each of eight threads makes: a million in all, a tenth of it without optimization.
const EACH: usize = if cfg!(debug_assertions) { 12_500 } else { 125_000 };
const THREADS: usize = 8;

/// Most agents that are remembered of them.
const MAX_AGENTS: u64 = if cfg!(debug_assertions) { 2_000 } else { 20_000 };

/// Registrations of as many agents by eight threads. Each thread knows what it did last with each of its
/// agents: the store answers that or nothing, and never something that has ended, was dropped or was forgotten.
#[test]
fn registrations_under_eight_threads_answer_as_a_model_does() {
    let found = interfaces();
    let bounds = CacheBounds { max_agents: MAX_AGENTS, ..CacheBounds::default() };
    let store = Interfaces::new(&bounds);
    let hits: usize = thread::scope(|threads| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (store, found) = (&store, &found);
                threads.spawn(move || work(store, found, thread))
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    store.cache.run_pending_tasks();
    assert!(store.count() <= MAX_AGENTS, "{} agents", store.count());
    assert!(store.count() > MAX_AGENTS / 2, "{} agents", store.count());
    // What was just registered is nearly always there: half of it has not ended, an eighth was never stored.
    assert!(hits > THREADS * EACH / 4, "{hits} hits");
}

/// Registers `EACH` agents of this thread and looks at them, at earlier ones and at ended ones; counts what was found.
fn work(store: &Interfaces, found: &[Arc<AdmittedInterface>], thread: usize) -> usize {
    let mut model: HashMap<usize, Option<(usize, i64)>> = HashMap::new();
    let mut hits = 0;
    // Deterministic, and different for each thread (Knuth, The Art of Computer Programming, 3.3.4).
    let mut state = u64::try_from(thread).unwrap() + 1;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for number in 0..EACH {
        let agent = number * THREADS + thread;
        let ticket = store.begin(scope(agent), Previous::Drop);
        let kind = random(16);
        let choice = usize::try_from(random(3)).unwrap();
        let until = i64::try_from(random(100)).unwrap();
        let left = match kind {
            // A denial: the ticket stores nothing.
            0 => {
                drop(ticket);
                None
            }
            // Overtaken.
            1 => {
                let later = store.begin(scope(agent), Previous::Drop);
                assert!(ticket.put(holding(&found[choice], until)).is_none());
                drop(later);
                None
            }
            _ => {
                ticket.put(holding(&found[choice], until));
                Some((choice, until))
            }
        };
        model.insert(number, left);
        // The newest, and any earlier one.
        let earlier = usize::try_from(random(u64::try_from(number + 1).unwrap())).unwrap();
        for looked_at in [number, earlier] {
            let now = i64::try_from(random(100)).unwrap();
            let answer = store.selected(&scope(looked_at * THREADS + thread), moment(now));
            let expected = model[&looked_at].filter(|(_, until)| now < *until).map(|(choice, _)| choice);
            if let Some(interface) = answer {
                assert_eq!(Some(interface.index()), expected, "agent {looked_at}");
                hits += 1;
            }
        }
    }
    hits
}
