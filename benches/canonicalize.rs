//! Tree to octets: our emitter beside serde_jcs, and what each canonical form costs.
#![expect(clippy::expect_used, reason = "a benchmark must stop when what it measures fails")]

use std::hint::black_box;

use countersign::keys::jcs;
use countersign::{CanonicalPayload, Form, Limits, UntrustedCard};
use countersign_benches::card;
use criterion::{Criterion, criterion_group, criterion_main};

fn canonicalize(c: &mut Criterion) {
    let octets = card();
    let value: serde_json::Value = serde_json::from_slice(&octets).expect("JSON");
    let card = UntrustedCard::read(octets, &Limits::default()).expect("a card");
    assert_eq!(jcs::to_octets(card.claims()), serde_jcs::to_vec(&value).expect("canonical"));

    let mut group = c.benchmark_group("emit");
    group.bench_function("countersign", |b| b.iter(|| jcs::to_octets(black_box(card.claims()))));
    group
        .bench_function("serde_jcs", |b| b.iter(|| serde_jcs::to_vec(black_box(&value)).expect("canonical")));
    group.bench_function("serde_json, not canonical", |b| {
        b.iter(|| serde_json::to_vec(black_box(&value)).expect("JSON"));
    });
    group.finish();

    let mut group = c.benchmark_group("form");
    for form in Form::ALL {
        if CanonicalPayload::of(&card, form).is_ok() {
            group.bench_function(form.name(), |b| b.iter(|| CanonicalPayload::of(black_box(&card), form)));
        }
    }
    group.finish();
}

criterion_group!(benches, canonicalize);
criterion_main!(benches);
