//! Octets to verdict: countersign beside the raw signature verification and beside other implementations.
#![expect(clippy::expect_used, reason = "a benchmark must stop when what it measures fails")]

use std::hint::black_box;

use a2a_protocol_types::signing::{Jwks, verify_card_json_with_jwks};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use countersign::keys::jws::signing_input;
use countersign::{Algorithm, Form, Limits, UnixTime, UntrustedCard, VerifyTerms};
use countersign_benches::{Fixture, KID, signed};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::Value;

const NOW: UnixTime = UnixTime::from_seconds(1_800_000_000);

fn verify(c: &mut Criterion) {
    for algorithm in [Algorithm::Es256, Algorithm::EdDsa] {
        let name = algorithm.name();
        let as_received = signed(algorithm, Form::AsReceived);
        let a2a = signed(algorithm, Form::A2a10);
        let mut group = c.benchmark_group(format!("verify/{name}"));

        let (input, signature) = parts(&a2a);
        group.bench_function("floor: the signature alone", |b| {
            b.iter(|| a2a.key.verify(algorithm, black_box(&input), black_box(&signature)).expect("verifies"));
        });
        group.bench_function("countersign, as-received named", |b| {
            let mut terms = VerifyTerms::default();
            terms.forms = vec![Form::AsReceived];
            b.iter(|| countersign(&as_received, &terms));
        });
        group.bench_function("countersign, default forms", |b| {
            let terms = VerifyTerms::default();
            b.iter(|| countersign(&a2a, &terms));
        });
        let peer_keys: Jwks = serde_json::from_str(&jwks_of(&a2a, algorithm)).expect("a JWK set");
        group.bench_function("a2a-protocol-types 0.15, received JSON", |b| {
            b.iter(|| {
                let card: Value = serde_json::from_slice(black_box(&a2a.octets)).expect("JSON");
                verify_card_json_with_jwks(&card, &peer_keys).expect("verifies");
            });
        });
        let decoding_key = decoding_key(&jwks_of(&as_received, algorithm));
        let peer_algorithm = if algorithm == Algorithm::Es256 {
            jsonwebtoken::Algorithm::ES256
        } else {
            jsonwebtoken::Algorithm::EdDSA
        };
        group.bench_function("serde_jcs + jsonwebtoken 9", |b| {
            b.iter(|| {
                let mut card: Value = serde_json::from_slice(black_box(&as_received.octets)).expect("JSON");
                let signatures =
                    card.as_object_mut().and_then(|card| card.remove("signatures")).expect("signed");
                let entry = signatures.get(0).expect("one entry");
                let text = |name: &str| entry.get(name).and_then(Value::as_str).expect("text");
                let payload = serde_jcs::to_vec(&card).expect("canonical");
                let input = format!("{}.{}", text("protected"), URL_SAFE_NO_PAD.encode(payload));
                let verifies = jsonwebtoken::crypto::verify(
                    text("signature"),
                    input.as_bytes(),
                    &decoding_key,
                    peer_algorithm,
                );
                assert!(verifies.expect("can be checked"));
            });
        });
        group.finish();
    }
}

fn countersign(fixture: &Fixture, terms: &VerifyTerms) {
    let card = UntrustedCard::read(black_box(fixture.octets.as_slice()), &Limits::default()).expect("a card");
    let verified = card.verify(&fixture.keys, terms, NOW).expect("verifies");
    black_box(verified);
}

/// The signing input and the signature of the only entry.
fn parts(fixture: &Fixture) -> (Vec<u8>, Vec<u8>) {
    let card: Value = serde_json::from_slice(&fixture.octets).expect("JSON");
    let entry = card.pointer("/signatures/0").expect("one entry");
    let text = |name: &str| entry.get(name).and_then(Value::as_str).expect("text");
    let signature = URL_SAFE_NO_PAD.decode(text("signature")).expect("base64url");
    (signing_input(text("protected"), &fixture.payload), signature)
}

fn jwks_of(fixture: &Fixture, algorithm: Algorithm) -> String {
    let jwk = fixture.key.to_jwk(Some(KID), Some(algorithm)).expect("a JWK");
    format!("{{\"keys\":[{jwk}]}}")
}

fn decoding_key(jwks: &str) -> jsonwebtoken::DecodingKey {
    let set: jsonwebtoken::jwk::JwkSet = serde_json::from_str(jwks).expect("a JWK set");
    jsonwebtoken::DecodingKey::from_jwk(set.keys.first().expect("one key")).expect("a key")
}

criterion_group!(benches, verify);
criterion_main!(benches);
