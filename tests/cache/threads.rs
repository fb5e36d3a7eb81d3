//! Several threads at once: one decision, and no answer that nobody gave.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use countersign::CardError;
use countersign::cache::{AgentScope, Provenance, ReceivedCard};

use crate::fixture::{at, cache, good, newer, policy, request, terms, unsigned};

const THREADS: usize = 8;

#[test]
fn what_several_threads_ask_at_once_is_decided_once() {
    let (good, unsigned) = (good(), unsigned());
    for octets in [&good, &unsigned] {
        let (cache, decisions, barrier) = (cache(), AtomicUsize::new(0), Barrier::new(THREADS));
        let ask = || {
            barrier.wait();
            let answer =
                cache.admit_by(&request(), &ReceivedCard::new(octets), at(0), |card, policy, now| {
                    decisions.fetch_add(1, Ordering::SeqCst);
                    // Long enough for every thread to ask.
                    thread::sleep(Duration::from_millis(50));
                    Ok::<_, CardError>(card.admit(policy, &request(), &[], now))
                });
            answer.unwrap()
        };
        let answers: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(decisions.load(Ordering::SeqCst), 1);
        let came = |how| answers.iter().filter(|answer| answer.provenance() == how).count();
        assert_eq!((came(Provenance::Decided), came(Provenance::Awaited)), (1, THREADS - 1));
        let first = answers.first().unwrap();
        for answer in &answers {
            assert!(std::ptr::eq(answer.decision(), first.decision()));
        }
    }
}

#[test]
fn an_error_in_one_thread_is_no_answer_for_another() {
    let (cache, barrier, asked) = (cache(), Barrier::new(THREADS), AtomicUsize::new(0));
    let good = good();
    let ask = || {
        barrier.wait();
        let answer = cache.admit_by(&request(), &ReceivedCard::new(&good), at(0), |card, policy, now| {
            if asked.fetch_add(1, Ordering::SeqCst) == 0 {
                Err(Fault)
            } else {
                Ok(card.admit(policy, &request(), &[], now))
            }
        });
        answer.is_err()
    };
    let failed = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).filter(|failed| *failed).count()
    });
    assert_eq!((failed, asked.load(Ordering::SeqCst)), (1, 2));
}

#[derive(Debug)]
struct Fault;

impl From<CardError> for Fault {
    fn from(_: CardError) -> Self {
        Self
    }
}

#[test]
fn under_a_policy_that_changes_no_thread_sees_an_interface_that_it_denies() {
    // One policy admits, the other denies: whoever asks after a change sees what follows from it.
    let (cache, good, newer) = (cache(), good(), newer());
    let (admits, denies) = (policy(""), policy("interfaces.hosts = [\"other.example\"]"));
    let scope = AgentScope::of(&request(), "agent");
    thread::scope(|threads| {
        for octets in [&good, &newer, &good, &newer] {
            let cache = &cache;
            threads.spawn(move || {
                for _ in 0..200 {
                    cache.register("agent", &request(), &ReceivedCard::new(octets), &terms(), at(0)).unwrap();
                }
            });
        }
        for _ in 0..200 {
            cache.replace_policy(Arc::clone(&denies));
            for _ in 0..20 {
                assert!(cache.selected(&scope, at(0)).is_none());
            }
            cache.replace_policy(Arc::clone(&admits));
        }
    });
    cache.register("agent", &request(), &ReceivedCard::new(&good), &terms(), at(0)).unwrap();
    assert!(cache.selected(&scope, at(0)).is_some());
}

#[test]
fn what_was_forgotten_does_not_come_back() {
    let (cache, good) = (cache(), good());
    let scope = AgentScope::of(&request(), "agent");
    let stopped = AtomicUsize::new(0);
    thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                for _ in 0..200 {
                    cache.register("agent", &request(), &ReceivedCard::new(&good), &terms(), at(0)).unwrap();
                    cache.forget("agent");
                }
                stopped.fetch_add(1, Ordering::SeqCst);
            });
        }
    });
    assert_eq!(stopped.load(Ordering::SeqCst), 4);
    assert!(cache.selected(&scope, at(0)).is_none());
}
