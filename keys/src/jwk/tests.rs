use std::fs;

use super::{Error, Found, JwkError, PublicJwks, Shape, read_private, read_public};
use crate::json::{Document, Kind, Limits};
use crate::{Algorithm, Code, KeyError, KeyKind, Level, SigningKey, base64url, codes, to_jwk_set};

fn file(name: &str) -> Vec<u8> {
    fs::read(format!("{}/tests/data/jwk/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn read(octets: impl Into<Vec<u8>>) -> Result<PublicJwks, Error> {
    read_public(&Document::read(octets, &Limits::default()).unwrap())
}

fn one(octets: impl Into<Vec<u8>>) -> Result<super::PublicJwk, JwkError> {
    let mut jwks = read(octets).unwrap();
    assert_eq!(jwks.entries.len(), 1);
    jwks.entries.remove(0).key
}

const ED: &str = r#""kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo""#;

fn ed(more: &str) -> Result<super::PublicJwk, JwkError> {
    one(format!("{{{ED}{more}}}"))
}

#[test]
fn only_a_set_or_one_jwk_is_read_and_everything_else_is_named() {
    let refused = |name: &str| match read(file(name)).unwrap_err() {
        Error::NotAKeySet { found } => found,
        other @ Error::Json(_) => panic!("{other}"),
    };
    assert_eq!(refused("076/array.json"), Found::Kind(Kind::Array));
    assert_eq!(refused("076/string.json"), Found::Kind(Kind::Text));
    assert_eq!(refused("076/keys-object.json"), Found::Keys(Kind::Object));
    let pem_map = read(r#"{"k1":"-----BEGIN PUBLIC KEY-----\n"}"#).unwrap_err();
    assert_eq!(pem_map, Error::NotAKeySet { found: Found::PemTexts });
    assert_eq!(pem_map.code(), codes::KEY_NOT_A_KEY_SET);
    assert_eq!(read("{}").unwrap_err(), Error::NotAKeySet { found: Found::Neither });
    let both = format!(r#"{{"keys":[],{ED}}}"#);
    assert_eq!(read(both).unwrap_err(), Error::NotAKeySet { found: Found::KeysAndKty });

    let bare = read(file("076/bare-jwk.json")).unwrap();
    assert!(bare.shape == Shape::Single && bare.entries[0].key.is_ok());
    let empty = read(file("076/empty.json")).unwrap();
    assert!(empty.shape == Shape::Set && empty.entries.is_empty());
}

#[test]
fn every_published_key_reads_and_keeps_its_algorithm() {
    let jwks = read(file("jwks.json")).unwrap();
    let read: Vec<_> = jwks.entries.iter().map(|entry| (entry.kid.as_deref(), entry.key.is_ok())).collect();
    assert!(read.len() >= 6 && read.iter().all(|(kid, ok)| kid.is_some() && *ok), "{read:?}");
}

#[test]
fn one_broken_or_unknown_entry_disables_only_itself() {
    for (name, disabled) in [
        ("065/trust-akp.jwks.json", &["pq-1"][..]),
        ("065/trust-ed448.jwks.json", &["e448", "enc"]),
        ("036/trust.jwks.json", &["shared"]),
    ] {
        let jwks = read(file(name)).unwrap();
        let (bad, good): (Vec<_>, Vec<_>) = jwks.entries.iter().partition(|entry| entry.key.is_err());
        let kids: Vec<_> = bad.iter().filter_map(|entry| entry.kid.as_deref()).collect();
        assert_eq!(kids, disabled, "{name}");
        assert!(!good.is_empty(), "{name}");
        let finding = &bad[0].findings[0];
        assert!(finding.kid.as_deref() == Some(disabled[0]) && finding.level == Level::Warning);
        assert!(finding.pointer.as_deref().unwrap().starts_with("/keys/"));
    }
}

#[test]
fn keys_that_contradict_themselves_are_unusable_with_their_own_reason() {
    let p256 = KeyKind::P256;
    for (name, expected) in [
        (
            "067/trust-short-x.jwks.json",
            JwkError::Key(KeyError::CoordinateLength { kind: p256, member: "x", found: 31, expected: 32 }),
        ),
        (
            "067/trust-long-x.jwks.json",
            JwkError::Key(KeyError::CoordinateLength { kind: p256, member: "x", found: 33, expected: 32 }),
        ),
        ("077/off-curve.jwks.json", JwkError::Key(KeyError::OffCurve { kind: p256 })),
        ("077/x25519.jwks.json", JwkError::Key(KeyError::WrongCurve { found: "X25519".to_owned() })),
        ("086/trust.jwks.json", JwkError::Key(KeyError::WrongCurve { found: "secp256k1".to_owned() })),
        ("069/use-enc.jwks.json", JwkError::Use { found: "enc".to_owned() }),
    ] {
        assert_eq!(one(file(name)).unwrap_err(), expected, "{name}");
    }
    assert!(matches!(
        one(file("067/trust-short-y.jwks.json")).unwrap_err(),
        JwkError::Key(KeyError::CoordinateLength { member: "y", .. })
    ));
    assert!(matches!(one(file("077/alg-crv.jwks.json")).unwrap_err(), JwkError::AlgorithmMismatch { .. }));
    assert!(matches!(one(file("077/kty-crv.jwks.json")).unwrap_err(), JwkError::CurveType { .. }));
    assert_eq!(one(file("069/ops.jwks.json")).unwrap_err(), JwkError::OperationMissing { needed: "verify" });
    assert_eq!(one(file("072/trust.jwks.json")).unwrap_err().code(), codes::KEY_WEAK);
    assert!(one(file("067/trust-fixed.jwks.json")).is_ok());
    assert!(one(file("070/trust.jwks.json")).is_ok() && one(file("070/trust-extra.jwks.json")).is_ok());
    let both = read(file("069/both.jwks.json")).unwrap();
    assert!(both.entries[0].key.is_err() && both.entries[1].key.is_ok());
}

#[test]
fn each_member_rule_has_its_reason() {
    let text = |member, found| JwkError::MemberType { member, expected: "a string", found };
    assert!(ed("").is_ok());
    assert_eq!(ed(r#","kid":7"#).unwrap_err(), text("kid", Kind::Number));
    assert_eq!(ed(r#","kid":"""#).unwrap_err(), JwkError::EmptyKid);
    assert_eq!(ed(r#","use":["sig"]"#).unwrap_err(), text("use", Kind::Array));
    assert_eq!(ed(r#","alg":null"#).unwrap_err(), text("alg", Kind::Null));
    assert_eq!(
        ed(r#","alg":"RSA-OAEP""#).unwrap_err(),
        JwkError::UnknownAlgorithm { found: "RSA-OAEP".to_owned() }
    );
    assert_eq!(
        ed(r#","alg":"HS256""#).unwrap_err(),
        JwkError::UnknownAlgorithm { found: "HS256".to_owned() }
    );
    for (name, algorithm) in [("EdDSA", Algorithm::EdDsa), ("Ed25519", Algorithm::Ed25519)] {
        assert_eq!(ed(&format!(r#","alg":"{name}""#)).unwrap().algorithm, Some(algorithm));
    }
    let operations =
        |found| JwkError::MemberType { member: "key_ops", expected: "an array of strings", found };
    assert_eq!(ed(r#","key_ops":"verify""#).unwrap_err(), operations(Kind::Text));
    assert_eq!(ed(r#","key_ops":["verify",1]"#).unwrap_err(), operations(Kind::Number));
    assert_eq!(ed(r#","key_ops":[]"#).unwrap_err(), JwkError::OperationMissing { needed: "verify" });
    assert_eq!(
        ed(r#","key_ops":["verify","verify"]"#).unwrap_err(),
        JwkError::OperationTwice { operation: "verify".to_owned() }
    );
    assert_eq!(
        ed(r#","use":"sig","key_ops":["verify","wrapKey"]"#).unwrap_err(),
        JwkError::UseContradictsOperations { operation: "wrapKey".to_owned() }
    );
    assert!(ed(r#","use":"sig","key_ops":["sign","verify"]"#).is_ok());
    assert_eq!(one(r#"{"kty":"OKP","crv":"Ed25519"}"#).unwrap_err(), JwkError::MissingMember { member: "x" });
    assert_eq!(one(r#"{"kty":"EC"}"#).unwrap_err(), JwkError::MissingMember { member: "crv" });
    assert_eq!(one(r#"{"kty":"oct","k":"AA"}"#).unwrap_err(), JwkError::SharedSecret);
    assert_eq!(one(r#"{"keys":[7]}"#).unwrap_err(), JwkError::NotAnObject { found: Kind::Number });
    assert_eq!(
        one(r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo="}"#)
            .unwrap_err(),
        JwkError::Base64url { member: "x", source: base64url::Error::Padding { offset: 43 } }
    );
}

#[test]
fn duplicate_members_are_refused_by_the_reader() {
    let twice = format!(r#"{{{ED},"kid":"a","kid":"b"}}"#);
    let error = Document::read(twice, &Limits::default()).unwrap_err();
    assert_eq!(error.code(), codes::JSON_DUPLICATE_MEMBER);
}

fn has(jwks: &PublicJwks, code: Code) -> bool {
    jwks.entries.iter().any(|entry| entry.findings.iter().any(|finding| finding.code == code))
}

#[test]
fn private_members_in_a_public_set_are_reported_and_never_printed() {
    let octets = file("074/trust.jwks.json");
    let jwks = read(octets.as_slice()).unwrap();
    assert!(jwks.entries.iter().all(|entry| entry.key.is_ok()));
    assert!(has(&jwks, codes::KEY_PRIVATE_IN_PUBLIC_SET));
    let text = format!("{jwks:?} {jwks:#?}");
    let document = Document::read(octets, &Limits::default()).unwrap();
    let d = document.root().member("keys").unwrap().elements().next().unwrap();
    let d = d.member("d").unwrap().as_text().unwrap();
    assert!(!text.contains(d));
    assert!(!has(&read(file("070/trust.jwks.json")).unwrap(), codes::KEY_PRIVATE_IN_PUBLIC_SET));
}

#[test]
fn certificates_are_reported_as_not_evaluated() {
    let jwks = read(format!(r#"{{{ED},"x5c":["MII"]}}"#)).unwrap();
    assert!(jwks.entries[0].key.is_ok() && has(&jwks, codes::KEY_CERTIFICATE_IGNORED));
}

#[test]
fn leading_zeros_of_rsa_numbers_are_dropped() {
    let jwks = read(file("jwks.json")).unwrap();
    let key = jwks.entries.iter().flat_map(|entry| &entry.key).find(|key| key.key.kind() == KeyKind::Rsa);
    let plain = &key.unwrap().key;
    let document = Document::read(plain.to_jwk(None, None).unwrap(), &Limits::default()).unwrap();
    let number = |member: &str| {
        let octets = base64url::decode(document.root().member(member).unwrap().as_text().unwrap()).unwrap();
        base64url::encode(&[&[0], &octets[..]].concat())
    };
    let padded = one(format!(r#"{{"kty":"RSA","n":"{}","e":"{}"}}"#, number("n"), number("e"))).unwrap();
    assert_eq!(padded.key.thumbprint(), plain.thumbprint());
}

#[test]
fn private_jwks_sign_and_their_public_export_holds_no_private_member() {
    let jwks = read_private(file("075/private.jwks.json"), &Limits::default()).unwrap();
    let keys: Vec<_> = jwks.entries.iter().map(|entry| (entry, entry.key.as_ref().unwrap())).collect();
    let exported = to_jwk_set(
        keys.iter().map(|(entry, jwk)| (jwk.key.verifying_key(), entry.kid.as_deref(), jwk.algorithm)),
    )
    .unwrap();
    let exported = read(exported).unwrap();
    let expected = read(file("075/public.jwks.json")).unwrap();
    assert_eq!(exported.entries.len(), expected.entries.len());
    for (exported, expected) in exported.entries.iter().zip(&expected.entries) {
        assert_eq!(exported.kid, expected.kid);
        assert_eq!(exported.key.as_ref().unwrap().key, expected.key.as_ref().unwrap().key);
        assert!(exported.findings.is_empty());
    }
    let oct = read_private(file("075/oct.jwk.json"), &Limits::default()).unwrap();
    assert_eq!(oct.entries[0].key.as_ref().unwrap_err(), &JwkError::SharedSecret);
}

#[test]
fn a_private_jwk_written_reads_back_and_one_with_a_foreign_public_part_is_a_mismatch() {
    for algorithm in
        [Algorithm::Es256, Algorithm::Es384, Algorithm::Es512, Algorithm::EdDsa, Algorithm::Rs256]
    {
        let entry = read_private(file("jwks.private.json"), &Limits::default())
            .unwrap()
            .entries
            .into_iter()
            .filter_map(|entry| entry.key.ok())
            .find(|jwk| jwk.key.kind() == algorithm.key_kind())
            .unwrap();
        let text = entry.key.to_private_jwk(Some("k"), Some(algorithm)).unwrap();
        let read = read_private(text.as_bytes(), &Limits::default()).unwrap();
        let jwk = read.entries[0].key.as_ref().unwrap();
        assert_eq!(jwk.key.verifying_key(), entry.key.verifying_key());
        assert_eq!(jwk.algorithm, Some(algorithm));
        let public = entry.key.verifying_key().to_jwk(Some("k"), None).unwrap();
        let public = read_private(public, &Limits::default()).unwrap();
        assert_eq!(public.entries[0].key.as_ref().unwrap_err(), &JwkError::NotPrivate);
    }
    let other = SigningKey::from_ed25519(&[9; 32]).unwrap();
    let other = other.to_private_jwk(None, None).unwrap();
    let d = other.split(r#""d":""#).nth(1).unwrap().trim_end_matches("\"}");
    let mixed = read_private(format!(r#"{{{ED},"d":"{d}"}}"#), &Limits::default()).unwrap();
    assert_eq!(
        mixed.entries[0].key.as_ref().unwrap_err(),
        &JwkError::Key(KeyError::PairMismatch { kind: KeyKind::Ed25519 })
    );
}

#[test]
fn a_malformed_private_number_never_makes_a_key_public() {
    let bad = read_private(format!(r#"{{{ED},"d":"!"}}"#), &Limits::default()).unwrap();
    assert!(matches!(bad.entries[0].key.as_ref().unwrap_err(), JwkError::Base64url { member: "d", .. }));
    let null = read_private(format!(r#"{{{ED},"d":null}}"#), &Limits::default()).unwrap();
    assert!(matches!(null.entries[0].key.as_ref().unwrap_err(), JwkError::MemberType { member: "d", .. }));
    let verify_only = read_private(format!(r#"{{{ED},"key_ops":["verify"]}}"#), &Limits::default()).unwrap();
    assert_eq!(
        verify_only.entries[0].key.as_ref().unwrap_err(),
        &JwkError::OperationMissing { needed: "sign" }
    );
}
