//! All lints over one card, octets to findings, and the share of reading in it.
#![expect(clippy::expect_used, reason = "a benchmark must stop when what it measures fails")]

use std::hint::black_box;

use countersign::{Limits, LintTerms, Profile, UnixTime, UntrustedCard};
use countersign_benches::{card, signed};
use criterion::{Criterion, criterion_group, criterion_main};

fn lint(c: &mut Criterion) {
    let octets = card();
    let mut group = c.benchmark_group("lint");
    group.bench_function("read only", |b| {
        b.iter(|| UntrustedCard::read(black_box(octets.as_slice()), &Limits::default()).expect("a card"));
    });
    for (name, profile) in [("consume", Profile::Consume), ("publish", Profile::Publish)] {
        let mut terms = LintTerms::default();
        terms.profile = profile;
        group.bench_function(name, |b| {
            b.iter(|| {
                let card =
                    UntrustedCard::read(black_box(octets.as_slice()), &Limits::default()).expect("a card");
                card.lint(&terms)
            });
        });
    }
    let fixture = signed(countersign::Algorithm::Es256, countersign::Form::A2a10);
    let mut terms = LintTerms::default();
    terms.keys = Some((&fixture.keys, UnixTime::from_seconds(1_796_000_000)));
    group.bench_function("consume, ES256 with keys", |b| {
        b.iter(|| {
            let octets = black_box(fixture.octets.as_slice());
            UntrustedCard::read(octets, &Limits::default()).expect("a card").lint(&terms)
        });
    });
    group.finish();
}

criterion_group!(benches, lint);
criterion_main!(benches);
