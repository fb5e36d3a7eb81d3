use std::fs;

use super::{Candidates, KeySource, KeyStatus, NoKey, RevokedKey, TrustedKey, TrustedKeys};
use crate::{Algorithm, SigningKey, VerifyingKey, codes};

const NOW: i64 = 1_000;

fn file(name: &str) -> TrustedKeys {
    let octets = fs::read(format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    TrustedKeys::read(octets, name).unwrap()
}

fn key(seed: u8) -> VerifyingKey {
    SigningKey::from_ed25519(&[seed; 32]).unwrap().verifying_key().clone()
}

fn all(keys: impl IntoIterator<Item = TrustedKey>) -> TrustedKeys {
    let mut collection = TrustedKeys::new();
    keys.into_iter().for_each(|key| collection.push(key));
    collection
}

fn named(seed: u8, kid: &str) -> TrustedKey {
    TrustedKey::new(key(seed), KeySource::SetMember).with_kid(kid)
}

fn count(keys: &TrustedKeys, kid: &str) -> usize {
    match keys.candidates(kid) {
        Candidates::Some(found) => found.len(),
        Candidates::Unusable(_) | Candidates::Unknown => 0,
    }
}

fn refusal(keys: &TrustedKeys, kid: &str, algorithm: Algorithm) -> NoKey {
    keys.select(kid, algorithm, NOW).unwrap_err()
}

#[test]
fn a_kid_narrows_and_never_widens() {
    let keys = all([named(1, "a"), named(2, "b")]);
    assert_eq!((count(&keys, "a"), count(&keys, "b"), count(&keys, "c"), count(&keys, "")), (1, 1, 0, 0));
    assert_eq!(refusal(&keys, "c", Algorithm::EdDsa), NoKey::Unknown { kid: "c".to_owned() });
}

#[test]
fn a_key_without_kid_answers_to_any_kid_only_when_it_came_alone() {
    let single = all([TrustedKey::new(key(1), KeySource::Single)]);
    assert_eq!((count(&single, "a"), count(&single, "b")), (1, 1));
    let member = TrustedKey::new(key(1), KeySource::SetMember);
    let thumbprint = member.thumbprint().to_string();
    let set = all([member]);
    assert_eq!((count(&set, "a"), count(&set, &thumbprint)), (0, 1));
    let other = all([named(1, "a")]);
    assert_eq!(count(&other, &thumbprint), 0);
}

#[test]
fn two_different_keys_under_one_kid_are_both_tried_and_the_same_key_once() {
    let keys = all([named(1, "a"), named(2, "a"), named(1, "a")]);
    let found = keys.select("a", Algorithm::EdDsa, NOW).unwrap();
    assert_eq!(
        found.iter().map(|key| key.thumbprint()).collect::<Vec<_>>(),
        [key(1).thumbprint(), key(2).thumbprint()]
    );
    let findings = keys.findings();
    assert!(findings.len() == 1 && findings[0].finding.code == codes::KEY_AMBIGUOUS);
    assert!(all([named(1, "a"), named(2, "b"), named(1, "a")]).findings().is_empty());
}

#[test]
fn the_key_decides_the_algorithm() {
    let bound = all([named(1, "a").with_algorithms([Algorithm::Ed25519])]);
    assert!(bound.select("a", Algorithm::EdDsa, NOW).is_ok());
    assert!(bound.select("a", Algorithm::Ed25519, NOW).is_ok());
    assert_eq!(refusal(&bound, "a", Algorithm::Es256).code(), codes::SIG_ALGORITHM_KEY_MISMATCH);
    let nothing = all([named(1, "a").with_algorithms([])]);
    assert_eq!(refusal(&nothing, "a", Algorithm::EdDsa).code(), codes::SIG_ALGORITHM_KEY_MISMATCH);
    let set = file("jwk/jwks.json");
    assert!(set.select("ps256-a", Algorithm::Ps256, NOW).is_ok());
    let mismatch = refusal(&set, "ps256-a", Algorithm::Rs256);
    assert_eq!(mismatch.code(), codes::SIG_ALGORITHM_KEY_MISMATCH);
    assert!(mismatch.to_string().contains("PS256"));
}

#[test]
fn validity_includes_both_of_its_seconds() {
    let keys = all([named(1, "a").with_not_before(10).with_not_after(20)]);
    let at = |now| keys.select("a", Algorithm::EdDsa, now).map(|_| ()).map_err(|error| error.code());
    assert_eq!(at(9), Err(codes::SIG_NOT_YET_VALID_KEY));
    assert_eq!((at(10), at(20)), (Ok(()), Ok(())));
    assert_eq!(at(21), Err(codes::SIG_EXPIRED_KEY));
}

#[test]
fn a_disabled_or_revoked_key_gives_its_own_code() {
    let revoked = KeyStatus::Revoked { at: Some(5_000), reason: Some("leaked".to_owned()) };
    let keys = all([named(1, "a").with_status(revoked), named(2, "b").with_status(KeyStatus::Disabled)]);
    let error = refusal(&keys, "a", Algorithm::EdDsa);
    assert_eq!(error.code(), codes::SIG_REVOKED_KEY);
    assert!(error.to_string().contains("leaked"));
    assert_eq!(refusal(&keys, "b", Algorithm::EdDsa).code(), codes::KEY_UNUSABLE);
}

#[test]
fn a_key_revoked_in_one_place_is_revoked_in_all() {
    let revoked = KeyStatus::Revoked { at: None, reason: None };
    let mut keys = all([named(1, "a")]);
    assert!(keys.select("a", Algorithm::EdDsa, NOW).is_ok());
    keys.extend(all([named(1, "old").with_status(revoked)]));
    assert_eq!(refusal(&keys, "a", Algorithm::EdDsa).code(), codes::SIG_REVOKED_KEY);
}

#[test]
fn another_usable_key_under_the_kid_is_enough() {
    let keys = all([named(1, "a").with_not_after(NOW - 1), named(2, "a")]);
    assert_eq!(keys.select("a", Algorithm::EdDsa, NOW).unwrap()[0].thumbprint(), key(2).thumbprint());
}

#[test]
fn a_signature_that_names_a_broken_key_gets_that_keys_code() {
    for (name, kid, code) in [
        ("jwk/069/use-enc.jwks.json", "acme-2026", codes::KEY_UNUSABLE),
        ("jwk/069/ops.jwks.json", "acme-2026", codes::KEY_UNUSABLE),
        ("jwk/077/off-curve.jwks.json", "off", codes::KEY_UNUSABLE),
        ("jwk/086/trust.jwks.json", "k1", codes::KEY_WRONG_CURVE),
    ] {
        let keys = file(name);
        assert!(matches!(keys.candidates(kid), Candidates::Unusable(_)), "{name}");
        assert_eq!(refusal(&keys, kid, Algorithm::Es256).code(), code, "{name}");
        assert_eq!(keys.candidates("other"), Candidates::Unknown);
        assert!(!keys.findings().is_empty());
    }
    let weak = file("jwk/072/trust.jwks.json");
    let kid = weak.unusable()[0].kid.clone().unwrap();
    assert_eq!(refusal(&weak, &kid, Algorithm::Rs256).code(), codes::KEY_WEAK);
    let both = file("jwk/069/both.jwks.json");
    assert!(both.select("acme-2026", Algorithm::Es256, NOW).is_ok());
}

#[test]
fn pem_jwk_and_jwk_set_are_told_apart() {
    let pem = file("pem/es256-a.public.pem");
    assert_eq!(pem.keys()[0].source(), KeySource::Single);
    assert!(pem.findings().is_empty());
    let private = file("pem/es256-a.private.pem");
    assert_eq!(private.keys()[0].key(), pem.keys()[0].key());
    assert_eq!(private.findings()[0].finding.code, codes::KEY_PRIVATE_IN_PUBLIC_SET);
    assert_eq!(private.findings()[0].file.as_deref(), Some("pem/es256-a.private.pem"));
    assert_eq!(file("jwk/076/bare-jwk.json").keys()[0].source(), KeySource::Single);
    let set = file("jwk/jwks.json");
    assert!(set.keys().len() >= 6 && set.keys().iter().all(|key| key.source() == KeySource::SetMember));
    assert!(file("jwk/076/empty.json").keys().is_empty());
    for (name, code) in [
        ("jwk/076/array.json", codes::KEY_NOT_A_KEY_SET),
        ("jwk/076/string.json", codes::KEY_NOT_A_KEY_SET),
        ("pem/087/openssh.pub", codes::KEY_UNREADABLE),
        ("pem/087/cert.pem", codes::KEY_UNREADABLE),
        ("pem/083/pkcs8-encrypted.pem", codes::KEY_ENCRYPTED),
    ] {
        let octets = fs::read(format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert_eq!(TrustedKeys::read(octets, name).unwrap_err().code(), code, "{name}");
    }
    assert_eq!(TrustedKeys::read("{", "f").unwrap_err().code(), codes::JSON_MALFORMED);
}

#[test]
fn no_text_about_a_set_with_private_members_holds_them() {
    let name = "jwk/jwks.private.json";
    let text = format!("{:?}", file(name));
    let octets = fs::read_to_string(format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let document = crate::json::Document::read(octets, &crate::json::Limits::default()).unwrap();
    let mut privates = 0;
    for jwk in document.root().member("keys").unwrap().elements() {
        for member in ["d", "p", "q", "dp", "dq", "qi", "k"] {
            if let Some(value) = jwk.member(member).and_then(crate::json::Value::as_text) {
                assert!(!text.contains(value));
                privates += 1;
            }
        }
    }
    assert!(privates >= 6);
}

/// A key that is revoked by its thumbprint.
fn revoked(seed: u8, kid: Option<&str>) -> RevokedKey {
    let mut revoked = RevokedKey::new(key(seed).thumbprint());
    revoked.kid = kid.map(str::to_owned);
    revoked
}

#[test]
fn a_key_revoked_by_thumbprint_is_revoked_wherever_it_is_found() {
    let mut keys = all([named(1, "a"), named(2, "b")]);
    keys.push_revoked(revoked(1, None));
    assert!(matches!(refusal(&keys, "a", Algorithm::EdDsa), NoKey::Revoked { .. }));
    assert_eq!(keys.select("b", Algorithm::EdDsa, NOW).unwrap().len(), 1);
    let mut other = all([named(1, "a")]);
    other.extend(keys);
    assert!(matches!(refusal(&other, "a", Algorithm::EdDsa), NoKey::Revoked { .. }));
}

#[test]
fn a_signature_that_names_a_revoked_key_is_told_so_without_the_key() {
    let mut keys = all([named(2, "b")]);
    keys.push_revoked(revoked(1, Some("a")));
    let thumbprint = key(1).thumbprint().to_string();
    for kid in ["a", thumbprint.as_str()] {
        assert!(matches!(refusal(&keys, kid, Algorithm::EdDsa), NoKey::Revoked { .. }), "{kid}");
    }
    assert!(matches!(refusal(&keys, "c", Algorithm::EdDsa), NoKey::Unknown { .. }));
    assert!(matches!(refusal(&keys, "b", Algorithm::Es256), NoKey::AlgorithmKeyMismatch { .. }));
}

#[test]
fn another_key_under_the_kid_of_a_revoked_one_counts() {
    let mut keys = all([named(2, "a")]);
    keys.push_revoked(revoked(1, Some("a")));
    assert_eq!(keys.select("a", Algorithm::EdDsa, NOW).unwrap().len(), 1);
}
