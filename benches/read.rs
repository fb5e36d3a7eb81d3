//! Octets to tree: the strict reader beside `serde_json`, and how its time grows with the document.
#![expect(clippy::expect_used, reason = "a benchmark must stop when what it measures fails")]

use std::hint::black_box;

use countersign::keys::json::Document;
use countersign::{Limits, UntrustedCard};
use countersign_benches::card;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn read(c: &mut Criterion) {
    let octets = card();
    let mut group = c.benchmark_group("read");
    group.bench_function("countersign, tree", |b| {
        b.iter(|| Document::read(black_box(octets.as_slice()), &Limits::default()).expect("JSON"));
    });
    group.bench_function("countersign, card", |b| {
        b.iter(|| UntrustedCard::read(black_box(octets.as_slice()), &Limits::default()).expect("a card"));
    });
    group.bench_function("serde_json, Value", |b| {
        b.iter(|| serde_json::from_slice::<serde_json::Value>(black_box(&octets)).expect("JSON"));
    });
    group.finish();

    let mut group = c.benchmark_group("grow");
    group.sample_size(10);
    let limits = Limits::default().with_max_octets(16 << 20);
    for megabytes in [1, 2, 5, 10] {
        let large = large_card(megabytes << 20);
        group.throughput(Throughput::Bytes(u64::try_from(large.len()).expect("small enough")));
        group.bench_with_input(BenchmarkId::from_parameter(format!("{megabytes} MB")), &large, |b, large| {
            b.iter(|| UntrustedCard::read(black_box(large.as_slice()), &limits).expect("a card"));
        });
    }
    group.finish();
}

/// A card of about so many octets: the same skill again and again.
fn large_card(octets: usize) -> Vec<u8> {
    let skill = r#"{"id":"plan-route","name":"Plan a route","description":"Finds a route.","tags":["maps","routing"]}"#;
    let skills = vec![skill; octets / (skill.len() + 1)].join(",");
    format!(r#"{{"name":"Large","skills":[{skills}]}}"#).into_bytes()
}

criterion_group!(benches, read);
criterion_main!(benches);
