//! What a decision is remembered by, and until when.

use std::cell::Cell;
use std::sync::Arc;

use countersign::cache::{AdmissionCache, Answer, CacheBounds, DecisionKey, Provenance, ReceivedCard};
use countersign::keys::{hex, sha256};
use countersign::{
    AdmissionRequest, CanonicalPayload, CardError, Endorsement, Form, Limits, ProtocolVersion, Source,
    SourceKind, TOOL, TrustPolicy, UntrustedCard,
};
use serde_json::{Value, json};

use crate::agent::{card, changed, entry, read};
use crate::fixture::{
    NOW, SOURCE, admit, at, cache, cache_under, good, newer, policy, request, set, shown, signed_by, unsigned,
};
use crate::policies::{keys, policy_with};

fn endorsement(card: &Value, seed: u8) -> Endorsement {
    let payload = CanonicalPayload::of(&read(card), Form::A2a10).unwrap();
    let header = format!(r#"{{"alg":"EdDSA","typ":"JOSE","kid":"k{seed}"}}"#);
    let text = json!({
        "schema": "countersign.endorsement/1", "payload_sha256": hex(&sha256(payload.octets())),
        "signatures": [entry(card, Form::A2a10, &header, seed)],
    });
    Endorsement::read(text.to_string(), &Limits::default()).unwrap()
}

fn ask(cache: &AdmissionCache, request: &AdmissionRequest, received: &ReceivedCard<'_>) -> Answer {
    cache.admit(request, received, at(0)).unwrap()
}

#[test]
fn the_same_question_is_decided_once() {
    let cache = cache();
    let (first, second) = (admit(&cache, &good(), 0), admit(&cache, &good(), 0));
    assert_eq!((shown(&first).as_str(), shown(&second).as_str()), ("admit decided", "admit remembered"));
    assert!(std::ptr::eq(first.admitted().unwrap().as_ref(), second.admitted().unwrap().as_ref()));
    let (first, second) = (admit(&cache, &unsigned(), 0), admit(&cache, &unsigned(), 0));
    assert_eq!(shown(&first), "deny sig.absent decided");
    assert_eq!(shown(&second), "deny sig.absent remembered");
    assert_eq!(first.verdict().unwrap_err().card().octets(), unsigned());
}

type Change = fn(&mut AdmissionRequest);

#[test]
fn a_question_that_differs_in_anything_is_decided_anew() {
    let good = good();
    let received = ReceivedCard::new(&good);
    let changes: [(&str, Change); 8] = [
        ("tenant", |request| request.tenant = Some("t1".to_owned())),
        ("use", |request| request.purpose = Some("t1".to_owned())),
        ("URL", |request| request.source = Source::at("https://agent.example.com/card.json").unwrap()),
        ("spelling of the URL", |request| {
            request.source = Source::at(&SOURCE.replace(".com/", ".com:443/")).unwrap();
        }),
        ("kind of source", |request| request.source.kind = SourceKind::Registry("main".to_owned())),
        ("what the client speaks", |request| request.accept = Some(vec!["1.0/JSONRPC".parse().unwrap()])),
        ("extensions", |request| request.extensions = Some(Vec::new())),
        ("assumed version", |request| request.assumed = Some(ProtocolVersion::V0_3)),
    ];
    let cache = cache();
    ask(&cache, &request(), &received);
    for (what, change) in changes {
        let mut other = request();
        change(&mut other);
        assert_eq!(ask(&cache, &other, &received).provenance(), Provenance::Decided, "{what}");
        assert_eq!(ask(&cache, &other, &received).provenance(), Provenance::Remembered, "{what}");
    }
    assert_eq!(ask(&cache, &request(), &received).provenance(), Provenance::Remembered);
}

#[test]
fn a_card_that_differs_in_one_octet_or_signature_is_decided_anew() {
    let cache = cache();
    admit(&cache, &good(), 0);
    let mut spaced = good();
    spaced.push(b' ');
    assert_eq!(shown(&admit(&cache, &spaced, 0)), "admit decided");
    // The same payload, signed by another key: the signatures are part of what is remembered by.
    let other = signed_by(&card(), 2).octets().to_vec();
    assert_eq!(shown(&admit(&cache, &other, 0)), "admit decided");
    assert_eq!(shown(&admit(&cache, &good(), 0)), "admit remembered");
}

#[test]
fn endorsements_and_other_state_are_part_of_the_question() {
    let (cache, unsigned) = (cache(), unsigned());
    let one = [endorsement(&card(), 1)];
    let two = [endorsement(&card(), 1), endorsement(&card(), 2)];
    let plain = ReceivedCard::new(&unsigned);
    let questions = [
        (plain, "deny sig.absent"),
        (plain.with_endorsements(&one), "admit"),
        (plain.with_endorsements(&two), "admit"),
        (plain.with_endorsements(two.get(1..).unwrap()), "admit"),
        (plain.with_state([0; 32]), "deny sig.absent"),
        (plain.with_state([1; 32]), "deny sig.absent"),
    ];
    for (received, expected) in questions {
        assert_eq!(shown(&ask(&cache, &request(), &received)), format!("{expected} decided"));
        assert_eq!(shown(&ask(&cache, &request(), &received)), format!("{expected} remembered"));
    }
}

#[test]
fn the_key_names_the_policy_and_the_keys_that_are_usable() {
    let good = good();
    let received = ReceivedCard::new(&good);
    let key = |policy: &TrustPolicy, seconds| DecisionKey::of(policy, &request(), &received, at(seconds));
    let first = policy("");
    assert_eq!(key(&first, 0), key(&first, 1));
    assert_eq!(key(&first, 0), key(&policy_with("# the same meaning", ""), 0));
    assert_ne!(key(&first, 0), key(&policy("cache.max-ttl = \"1m\""), 0));
    let ending = with_window("not-after", 100);
    assert_ne!(key(&ending, 0), key(&ending, 101));
}

#[test]
fn an_admission_ends_with_the_policy_or_the_freshness_of_the_card() {
    let good = good();
    let cache = cache_under(policy("cache.max-ttl = \"10m\""));
    assert_eq!(admit(&cache, &good, 0).until(), at(600));
    assert_eq!(shown(&admit(&cache, &good, 599)), "admit remembered");
    assert_eq!(shown(&admit(&cache, &good, 600)), "admit decided");

    let fresh = |seconds| ReceivedCard::new(&good).fresh_until(at(seconds));
    let cache = cache_under(policy("cache.max-ttl = \"10m\""));
    assert_eq!(ask(&cache, &request(), &fresh(60)).until(), at(60));
    // The octets were renewed; the verdict keeps its own end.
    assert_eq!(ask(&cache, &request(), &fresh(5_000)).until(), at(600));
    assert_eq!(ask(&cache, &request(), &fresh(5_000)).provenance(), Provenance::Remembered);
}

#[test]
fn zero_seconds_remember_nothing() {
    let good = good();
    let off = cache_under(policy("cache.max-ttl = \"0s\""));
    let stale = cache();
    for _ in 0..2 {
        assert_eq!(shown(&admit(&off, &good, 0)), "admit decided");
        let received = ReceivedCard::new(&good).fresh_until(at(0));
        assert_eq!(shown(&ask(&stale, &request(), &received)), "admit decided");
    }
    // Nor is an answer that was remembered given for a card that is stale already.
    admit(&stale, &good, 0);
    let received = ReceivedCard::new(&good).fresh_until(at(0));
    assert_eq!(shown(&ask(&stale, &request(), &received)), "admit decided");
}

#[test]
fn a_denial_is_remembered_for_at_most_30_seconds() {
    let longer = cache_under(policy("cache.max-ttl = \"1h\""));
    assert_eq!(shown(&admit(&longer, &unsigned(), 0)), "deny sig.absent decided");
    assert_eq!(shown(&admit(&longer, &unsigned(), 29)), "deny sig.absent remembered");
    assert_eq!(shown(&admit(&longer, &unsigned(), 30)), "deny sig.absent decided");
    let shorter = cache_under(policy("cache.negative = \"5s\""));
    admit(&shorter, &unsigned(), 0);
    assert_eq!(shown(&admit(&shorter, &unsigned(), 4)), "deny sig.absent remembered");
    assert_eq!(shown(&admit(&shorter, &unsigned(), 5)), "deny sig.absent decided");
    // A denial that is not enforced is one.
    let audit = cache_under(policy("mode = { audit = true, reason = \"pilot\", until = 2099-12-31 }"));
    assert!(admit(&audit, &unsigned(), 0).admitted().is_some());
    assert_eq!(admit(&audit, &unsigned(), 0).until(), at(30));
}

#[test]
fn an_error_is_not_remembered() {
    let cache = cache();
    for _ in 0..2 {
        let error = cache.admit(&request(), &ReceivedCard::new(b"{"), at(0)).unwrap_err();
        assert_eq!(error.code().name(), "json.malformed");
    }
    let decided = Cell::new(0);
    let failing = || {
        let failed = cache.admit_by(&request(), &ReceivedCard::new(&good()), at(0), |_, _, _| {
            decided.set(decided.get() + 1);
            Err(Fault)
        });
        assert!(failed.is_err());
    };
    failing();
    failing();
    assert_eq!(decided.get(), 2);
    assert_eq!(shown(&admit(&cache, &good(), 0)), "admit decided");
}

#[derive(Debug)]
struct Fault;

impl From<CardError> for Fault {
    fn from(_: CardError) -> Self {
        Self
    }
}

#[test]
fn an_admission_of_another_card_request_or_policy_is_not_remembered() {
    let (cache, good, newer) = (cache(), good(), newer());
    let other = policy("cache.max-ttl = \"2h\"");
    let mut elsewhere = request();
    elsewhere.tenant = Some("t1".to_owned());
    let swapped: [&dyn Fn() -> Answer; 3] = [
        &|| {
            let answer = cache.admit_by(&request(), &ReceivedCard::new(&good), at(0), |_, policy, now| {
                let card = UntrustedCard::read(newer.clone(), &Limits::default())?;
                Ok::<_, CardError>(card.admit(policy, &request(), &[], now))
            });
            answer.unwrap()
        },
        &|| {
            let answer = cache.admit_by(&request(), &ReceivedCard::new(&good), at(0), |card, policy, now| {
                Ok::<_, CardError>(card.admit(policy, &elsewhere, &[], now))
            });
            answer.unwrap()
        },
        &|| {
            let answer = cache.admit_by(&request(), &ReceivedCard::new(&good), at(0), |card, _, now| {
                Ok::<_, CardError>(card.admit(&other, &request(), &[], now))
            });
            answer.unwrap()
        },
    ];
    for ask in swapped {
        assert_eq!(ask().provenance(), Provenance::Decided);
        assert_eq!(ask().provenance(), Provenance::Decided);
    }
    assert_eq!(shown(&admit(&cache, &good, 0)), "admit decided");
    let answer = cache.admit_by(&request(), &ReceivedCard::new(&good), at(0), |_, _, _| Err(Fault)).unwrap();
    assert_eq!(answer.provenance(), Provenance::Remembered);
}

#[test]
fn a_clock_that_is_set_back_extends_nothing() {
    let cache = cache_under(policy("cache.max-ttl = \"10m\""));
    admit(&cache, &good(), 0);
    // Ten minutes later, by whatever question; then the clock is set back.
    admit(&cache, &newer(), 600);
    let answer = admit(&cache, &good(), 1);
    assert_eq!(shown(&answer), "admit decided");
    assert_eq!(answer.decision().evaluated_at, at(600));
    assert_eq!(answer.until(), at(1200));
    assert_eq!(shown(&admit(&cache, &good(), -5_000)), "admit remembered");
}

/// A policy whose key `k1` ends or begins.
fn with_window(member: &str, seconds: i64) -> Arc<TrustPolicy> {
    let kid = format!("kid = \"k1\"\n{member} = {}", at(seconds));
    let keys = keys().replacen("kid = \"k1\"", &kid, 1);
    let text = format!("schema = 1\n{keys}\n[[allow]]\nid = \"agent\"\nfrom = [\"agent.example.com\"]\n");
    Arc::new(TrustPolicy::read(&text, "policy.toml", &TOOL).unwrap())
}

#[test]
fn a_key_that_ends_or_begins_changes_answers_at_once() {
    let ending = cache_under(with_window("not-after", 100));
    assert_eq!(shown(&admit(&ending, &good(), 0)), "admit decided");
    assert_eq!(shown(&admit(&ending, &good(), 100)), "admit remembered");
    assert!(shown(&admit(&ending, &good(), 101)).starts_with("deny sig."));

    let beginning = cache_under(with_window("not-before", 1_000));
    // Clocks may differ by 60 s. The denial would be remembered until 960.
    assert!(shown(&admit(&beginning, &good(), 930)).starts_with("deny sig."));
    assert!(shown(&admit(&beginning, &good(), 939)).ends_with("remembered"));
    assert_eq!(shown(&admit(&beginning, &good(), 940)), "admit decided");
}

#[test]
fn clear_forgets_decisions() {
    let cache = cache();
    admit(&cache, &good(), 0);
    cache.clear();
    assert_eq!(shown(&admit(&cache, &good(), 0)), "admit decided");
    assert_eq!(shown(&admit(&cache, &good(), 0)), "admit remembered");
}

#[test]
fn decisions_are_bounded_by_number_and_by_octets() {
    let cards: Vec<_> = (0..400).map(|number| numbered(number, "")).collect();
    let kept = |bounds: &CacheBounds, cards: &[Vec<u8>]| {
        let off = "signatures = { level = \"off\", reason = \"test\", until = 2099-12-31 }";
        let cache = AdmissionCache::new(policy(off), bounds);
        for card in cards {
            admit(&cache, card, 0);
        }
        // Asked backwards, so that what is decided anew pushes out what was asked already.
        let remembered = |card: &&Vec<u8>| admit(&cache, card, 0).provenance() == Provenance::Remembered;
        cards.iter().rev().take_while(remembered).count()
    };
    let mut bounds = CacheBounds::default();
    assert_eq!(kept(&bounds, &cards), 400);
    bounds.max_decisions = 50;
    let few = kept(&bounds, &cards);
    assert!((1..=50).contains(&few), "{few} decisions");
    bounds.max_decisions = 10_000;
    bounds.max_decision_octets = 1024 * 1024;
    let large: Vec<_> = (0..40).map(|number| numbered(number, &"x".repeat(10_000))).collect();
    let few = kept(&bounds, &large);
    assert!((1..=25).contains(&few), "{few} decisions of more than 40,000 octets each");
    let values = |number: u32| changed(|card| card["x"] = std::iter::repeat_n(number, 5_000).collect());
    let many_values: Vec<_> = (0..40).map(|number| read(&values(number)).octets().to_vec()).collect();
    let few = kept(&bounds, &many_values);
    assert!((1..=4).contains(&few), "{few} decisions of cards with 5,000 values each");
}

fn numbered(number: u32, padding: &str) -> Vec<u8> {
    let card = changed(|card| set(card, "/description", &format!("{number} {padding}")));
    read(&card).octets().to_vec()
}

#[test]
fn debug_shows_no_card() {
    let cache = cache();
    admit(&cache, &good(), 0);
    let text = format!("{cache:?}");
    assert!(text.starts_with("AdmissionCache { policy: \"sha256:") && !text.contains("Agent"), "{text}");
    assert_eq!(at(0).seconds(), NOW);
}
