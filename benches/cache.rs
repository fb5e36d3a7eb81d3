//! What a remembered answer costs, beside a look-up in a map and beside the admission that it saves.
#![expect(clippy::expect_used, reason = "a benchmark must stop when what it measures fails")]

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;

use countersign::cache::{AdmissionCache, AgentScope, CacheBounds, Provenance, ReceivedCard};
use countersign::{
    AdmissionRequest, Algorithm, Form, Limits, ProtocolVersion, SelectTerms, Source, TrustPolicy, UnixTime,
    UntrustedCard,
};
use countersign_benches::{Fixture, signed};
use criterion::{Criterion, criterion_group, criterion_main};

const NOW: UnixTime = UnixTime::from_seconds(1_800_000_000);

const SOURCE: &str = "https://agents.maps.example/.well-known/agent-card.json";

/// Agents that are registered beside the one that is asked for.
const AGENTS: usize = 5_000;

/// Before each request of a client.
fn interface(c: &mut Criterion) {
    let fixture = signed(Algorithm::Es256, Form::A2a10);
    let cache = cache(&fixture);
    let request = request();
    let terms = SelectTerms::accepting(["1.0/JSONRPC".parse().expect("a version and a binding")]);
    let received = ReceivedCard::new(&fixture.octets);
    let mut floor = HashMap::new();
    for number in 0..AGENTS {
        let agent = format!("agent-{number}");
        let registered = cache.register(&agent, &request, &received, &terms, NOW).expect("a card");
        let interface = registered.interface().expect("an interface");
        floor.insert(AgentScope::of(&request, agent), Arc::clone(interface));
    }
    let scope = AgentScope::of(&request, "agent-7");
    let interface = cache.selected(&scope, NOW).expect("an interface");
    let (binding, url) = (interface.binding().to_owned(), interface.url().to_owned());

    let mut group = c.benchmark_group("cache/interface");
    group.bench_function("floor: HashMap", |b| b.iter(|| floor.get(black_box(&scope)).cloned()));
    group.bench_function("selected", |b| {
        b.iter(|| cache.selected(black_box(&scope), NOW).expect("is remembered"));
    });
    group.bench_function("by version, binding and URL", |b| {
        b.iter(|| {
            let found = cache.interface(black_box(&scope), ProtocolVersion::V1_0, &binding, &url, NOW);
            found.expect("is remembered")
        });
    });
    group.bench_function("selected, unknown agent", |b| {
        let unknown = AgentScope::of(&request, "nobody");
        b.iter(|| cache.selected(black_box(&unknown), NOW));
    });
    group.finish();
}

/// When a card arrives.
fn admission(c: &mut Criterion) {
    for algorithm in [Algorithm::Es256, Algorithm::EdDsa] {
        let fixture = signed(algorithm, Form::A2a10);
        let (cache, request, policy) = (cache(&fixture), request(), policy_for(&fixture));
        let received = ReceivedCard::new(&fixture.octets);
        cache.admit(&request, &received, NOW).expect("a card");
        let mut group = c.benchmark_group(format!("cache/admit/{}", algorithm.name()));
        group.bench_function("floor: SHA-256 of the card", |b| {
            b.iter(|| countersign::keys::sha256(black_box(&fixture.octets)));
        });
        group.bench_function("hit", |b| {
            b.iter(|| {
                let answer = cache.admit(&request, black_box(&received), NOW).expect("a card");
                assert_eq!(answer.provenance(), Provenance::Remembered);
            });
        });
        group.bench_function("miss", |b| {
            // Of a card that is stale already nothing is remembered.
            let stale = received.fresh_until(NOW);
            b.iter(|| {
                let answer = cache.admit(&request, black_box(&stale), NOW).expect("a card");
                assert_eq!(answer.provenance(), Provenance::Decided);
            });
        });
        group.bench_function("without a cache", |b| {
            b.iter(|| {
                let card = UntrustedCard::read(black_box(fixture.octets.as_slice()), &Limits::default());
                card.expect("a card").admit(&policy, &request, &[], NOW).expect("is admitted")
            });
        });
        group.finish();
    }
}

fn request() -> AdmissionRequest {
    AdmissionRequest::new(Source::at(SOURCE).expect("a URL"))
}

fn cache(fixture: &Fixture) -> AdmissionCache {
    AdmissionCache::new(Arc::new(policy_for(fixture)), &CacheBounds::default())
}

fn policy_for(fixture: &Fixture) -> TrustPolicy {
    fixture.policy("https://agents.maps.example", "")
}

criterion_group!(benches, interface, admission);
criterion_main!(benches);
