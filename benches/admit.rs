//! Octets to admission beside octets to verification; a decision over many rules and interfaces.
#![expect(clippy::expect_used, reason = "a benchmark must stop when what it measures fails")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use countersign::{
    AdmissionRequest, Algorithm, Form, Limits, Source, TOOL, TrustPolicy, UnixTime, UntrustedCard,
    VerifyTerms,
};
use countersign_benches::{Fixture, signed};
use criterion::{Criterion, criterion_group, criterion_main};

const NOW: UnixTime = UnixTime::from_seconds(1_800_000_000);

/// Rules of the large policy: half of them deny, half of them allow.
const RULES: usize = 1_000;

const INTERFACES: usize = 100;

fn admit(c: &mut Criterion) {
    for algorithm in [Algorithm::Es256, Algorithm::EdDsa] {
        let fixture = signed(algorithm, Form::A2a10);
        let policy = policy_for(&fixture);
        let request = AdmissionRequest::new(Source::at(SOURCE).expect("a URL"));
        let terms = VerifyTerms::default();
        let verify = || read(&fixture.octets).verify(&fixture.keys, &terms, NOW).expect("verifies");
        let admit = || read(&fixture.octets).admit(&policy, &request, &[], NOW).expect("is admitted");
        let mut group = c.benchmark_group(format!("admit/{}", algorithm.name()));
        group.bench_function("verify alone", |b| b.iter(verify));
        group.bench_function("admit", |b| b.iter(admit));
        // Taken in turns, so that a machine that changes its speed changes both.
        group.bench_function("what admit adds", |b| {
            b.iter_custom(|times| {
                let (mut verified, mut admitted) = (Duration::ZERO, Duration::ZERO);
                for _ in 0..times {
                    verified += duration(verify);
                    admitted += duration(admit);
                }
                admitted.saturating_sub(verified)
            });
        });
        group.finish();
    }
}

fn decide(c: &mut Criterion) {
    let policy = TrustPolicy::read(&many_rules(), "many.toml", &TOOL).expect("a policy");
    let octets = many_interfaces();
    let request =
        AdmissionRequest::new(Source::at("https://agents-7.allowed.example/card.json").expect("a URL"));
    let mut group = c.benchmark_group("decide");
    group.bench_function("read a card of 100 interfaces", |b| b.iter(|| read(&octets)));
    group.bench_function("1,000 rules, 100 interfaces, read included", |b| {
        b.iter(|| read(&octets).admit(&policy, &request, &[], NOW).expect("is admitted"));
    });
    group.finish();
}

/// How long it takes, what it makes included, and to drop it.
fn duration<T>(make: impl Fn() -> T) -> Duration {
    let began = Instant::now();
    drop(black_box(make()));
    began.elapsed()
}

fn read(octets: &[u8]) -> UntrustedCard {
    UntrustedCard::read(black_box(octets), &Limits::default().with_max_octets(1 << 20)).expect("a card")
}

const SOURCE: &str = "https://agents.maps.example/.well-known/agent-card.json";

fn policy_for(fixture: &Fixture) -> TrustPolicy {
    fixture.policy("https://agents.maps.example", "")
}

fn many_rules() -> String {
    let mut text =
        "schema = 1\n[defaults]\nsignatures = { level = \"off\", reason = \"bench\", until = 2099-12-31 }\n"
            .to_owned();
    for number in 0..RULES / 2 {
        write!(
            text,
            "[[deny]]\nid = \"d{number}\"\nhosts = [\"**.denied-{number}.example\"]\nreason = \"bench\"\n"
        )
        .expect("text");
        write!(
            text,
            "[[allow]]\nid = \"a{number}\"\nfrom = [\"agents-{number}.allowed.example\"]\ninterfaces.hosts = [\"**.allowed.example\"]\n"
        )
        .expect("text");
    }
    text
}

fn many_interfaces() -> Vec<u8> {
    let interfaces: Vec<String> = (0..INTERFACES)
        .map(|number| {
            format!(r#"{{"url":"https://i{number}.allowed.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}}"#)
        })
        .collect();
    format!(
        r#"{{"name":"Many","description":"d","version":"1.0.0","capabilities":{{}},"supportedInterfaces":[{}],"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[]}}"#,
        interfaces.join(",")
    )
    .into_bytes()
}

criterion_group!(benches, admit, decide);
criterion_main!(benches);
