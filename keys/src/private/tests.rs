use std::fs;

use super::{KeySigner, RsaParts, Signer as _, SigningKey};
use crate::{Algorithm, KeyError, KeyKind, SignError, base64url, codes};

fn pem(name: &str) -> Vec<u8> {
    let text = fs::read_to_string(format!("{}/tests/data/pem/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    pem_rfc7468::decode_vec(text.as_bytes()).unwrap().1
}

fn load(name: &str) -> Result<SigningKey, KeyError> {
    SigningKey::from_pkcs8_der(&pem(name))
}

const ALL: [(&str, KeyKind); 6] = [
    ("es256-a", KeyKind::P256),
    ("es384-a", KeyKind::P384),
    ("es512-a", KeyKind::P521),
    ("eddsa-a", KeyKind::Ed25519),
    ("rs256-a", KeyKind::Rsa),
    ("ps256-a", KeyKind::Rsa),
];

#[test]
fn every_algorithm_signs_what_its_public_key_verifies() {
    let mut algorithms = 0;
    for (name, kind) in ALL {
        let key = load(&format!("{name}.private.pem")).unwrap();
        assert_eq!(key.kind(), kind);
        let public = crate::VerifyingKey::from_spki_der(&pem(&format!("{name}.public.pem"))).unwrap();
        assert_eq!(key.check_pair(&public), Ok(()));
        for &algorithm in kind.algorithms() {
            let signature = key.sign(algorithm, b"message").unwrap();
            assert!(public.verify(algorithm, b"message", &signature).is_ok());
            assert!(public.verify(algorithm, b"massage", &signature).is_err());
            algorithms += 1;
        }
    }
    assert_eq!(algorithms, 5 + 6 + 6);
}

#[test]
fn another_kind_of_algorithm_is_refused() {
    let key = load("es256-a.private.pem").unwrap();
    let refused = |answer| {
        matches!(answer, SignError::AlgorithmKeyMismatch { algorithm: Algorithm::Es384, kind: KeyKind::P256 })
    };
    assert!(refused(key.sign(Algorithm::Es384, b"m").unwrap_err()));
    assert!(refused(KeySigner::new(key, Algorithm::Es384).unwrap_err()));
}

#[test]
fn every_pkcs8_form_gives_the_same_key() {
    let v1 = load("081/v1.pem").unwrap();
    for name in ["081/v2-rfc5958.pem", "081/v2-ring.pem"] {
        assert_eq!(load(name).unwrap().verifying_key(), v1.verifying_key(), "{name}");
    }
    for name in ["080/ES256-pkcs8.pem", "080/ES384-pkcs8.pem", "080/ES512-pkcs8.pem"] {
        assert!(load(name).is_ok(), "{name}");
    }
}

#[test]
fn a_public_key_that_belongs_to_another_private_key_is_a_mismatch() {
    for name in ["081/v2-rfc5958.pem", "081/v2-ring.pem"] {
        let der = pem(name);
        let other = SigningKey::from_ed25519(&[7; 32]).unwrap();
        let spki = other.verifying_key().to_spki_der().unwrap();
        let swapped = [&der[..der.len() - 32], &spki[spki.len() - 32..]].concat();
        assert_eq!(
            SigningKey::from_pkcs8_der(&swapped).unwrap_err(),
            KeyError::PairMismatch { kind: KeyKind::Ed25519 }
        );
    }
    let der = pem("es256-a.private.pem");
    let other = load("es256-b.private.pem").unwrap();
    let swapped = [&der[..der.len() - 65], other.verifying_key().point().unwrap()].concat();
    let mismatch = SigningKey::from_pkcs8_der(&swapped).unwrap_err();
    assert_eq!(mismatch, KeyError::PairMismatch { kind: KeyKind::P256 });
    assert_eq!(mismatch.code(), codes::KEY_PAIR_MISMATCH);
    assert!(SigningKey::from_pkcs8_der(&der).is_ok());
}

#[test]
fn an_ec_key_without_its_public_key_loads() {
    // PrivateKeyInfo { 0, { ecPublicKey, prime256v1 }, ECPrivateKey { 1, d } }
    let mut der = vec![
        0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06,
        0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04,
        0x20,
    ];
    der.extend_from_slice(&[0x11; 32]);
    let expected = SigningKey::from_ec(KeyKind::P256, &[0x11; 32]).unwrap();
    let key = SigningKey::from_pkcs8_der(&der).unwrap();
    assert_eq!(key.verifying_key(), expected.verifying_key());
    der[35..].fill(0xff);
    assert_eq!(SigningKey::from_pkcs8_der(&der).unwrap_err(), KeyError::PrivateRange { kind: KeyKind::P256 });
}

#[test]
fn a_curve_that_is_not_used_is_named() {
    let error = load("086/pkcs8.pem").unwrap_err();
    assert_eq!(error, KeyError::WrongCurve { found: "secp256k1".to_owned() });
    assert!(error.to_string().contains("secp256k1") && error.to_string().contains("P-256"));
}

#[test]
fn a_small_rsa_key_is_weak_for_signing_too() {
    let error = load("072/key.pem").unwrap_err();
    assert_eq!(error.code(), codes::KEY_WEAK);
}

#[test]
fn rsa_numbers_that_do_not_belong_together_are_a_mismatch() {
    let der = pem("rs256-a.private.pem");
    let key = SigningKey::from_pkcs8_der(&der).unwrap();
    let super::Secret::Rsa(rsa) = &key.secret else { panic!("RSA key expected") };
    let numbers = rsa.numbers().unwrap();
    let full = RsaParts {
        n: numbers.modulus.as_bytes(),
        e: numbers.public_exponent.as_bytes(),
        d: numbers.private_exponent.as_bytes(),
        primes: Some((numbers.prime1.as_bytes(), numbers.prime2.as_bytes())),
        dp: Some(numbers.exponent1.as_bytes()),
        dq: Some(numbers.exponent2.as_bytes()),
        qi: Some(numbers.coefficient.as_bytes()),
    };
    assert!(SigningKey::from_rsa(&full).is_ok());
    let without_crt = RsaParts { primes: None, dp: None, dq: None, qi: None, ..full };
    assert_eq!(SigningKey::from_rsa(&without_crt).unwrap().verifying_key(), key.verifying_key());
    let swapped = full.primes.map(|(p, q)| (q, p));
    let reordered = RsaParts { primes: swapped, dp: full.dq, dq: full.dp, qi: None, ..full };
    let reordered = SigningKey::from_rsa(&reordered).unwrap();
    let signature = reordered.sign(Algorithm::Rs256, b"m").unwrap();
    assert_eq!(signature, key.sign(Algorithm::Rs256, b"m").unwrap());

    let mismatch = KeyError::PairMismatch { kind: KeyKind::Rsa };
    let mut wrong = full.d.to_vec();
    wrong[10] ^= 1;
    assert_eq!(SigningKey::from_rsa(&RsaParts { d: &wrong, ..full }).unwrap_err(), mismatch);
    assert_eq!(SigningKey::from_rsa(&RsaParts { dp: full.dq, ..full }).unwrap_err(), mismatch);
    assert_eq!(SigningKey::from_rsa(&RsaParts { qi: full.dq, ..full }).unwrap_err(), mismatch);
    let other = SigningKey::from_pkcs8_der(&pem("ps256-a.private.pem")).unwrap();
    let super::Secret::Rsa(other) = &other.secret else { panic!("RSA key expected") };
    let other = other.numbers().unwrap();
    assert_eq!(
        SigningKey::from_rsa(&RsaParts { n: other.modulus.as_bytes(), ..full }).unwrap_err(),
        mismatch
    );
}

#[test]
fn written_keys_read_back_and_private_members_come_last() {
    for (name, _) in ALL {
        let key = load(&format!("{name}.private.pem")).unwrap();
        let text = key.to_pkcs8_pem().unwrap();
        let der = pem_rfc7468::decode_vec(text.as_bytes()).unwrap().1;
        assert_eq!(SigningKey::from_pkcs8_der(&der).unwrap().verifying_key(), key.verifying_key());
        let public = key.verifying_key().to_jwk(Some("k"), None).unwrap();
        let private = key.to_private_jwk(Some("k"), None).unwrap();
        assert!(private.starts_with(public.trim_end_matches('}')));
        assert!(private.contains(r#","d":""#) && private.ends_with("\"}"));
    }
}

#[test]
fn every_generated_key_signs() {
    for algorithm in
        [Algorithm::Es256, Algorithm::Es384, Algorithm::Es512, Algorithm::Ed25519, Algorithm::Ps256]
    {
        let key = SigningKey::generate(algorithm).unwrap();
        let signature = key.sign(algorithm, b"m").unwrap();
        assert!(key.verifying_key().verify(algorithm, b"m", &signature).is_ok());
        if key.kind() == KeyKind::Rsa {
            assert_eq!(key.verifying_key().bits(), 3072);
        }
    }
}

#[test]
fn debug_text_holds_no_private_octets() {
    for (name, _) in ALL {
        let key = load(&format!("{name}.private.pem")).unwrap();
        let jwk = key.to_private_jwk(None, None).unwrap();
        let d = jwk.split(r#""d":""#).nth(1).unwrap().split('"').next().unwrap().to_owned();
        let algorithm = key.default_algorithm();
        let octets = base64url::decode(&d).unwrap();
        let signer = KeySigner::new(key, algorithm).unwrap().with_kid("k");
        let text = format!("{signer:?} {signer:#?}");
        let hex: String = octets.iter().take(8).map(|octet| format!("{octet:02x}")).collect();
        let list: String = octets.iter().take(4).map(|octet| format!("{octet}, ")).collect();
        let d: String = d.chars().take(12).collect();
        for secret in [&d, &hex, &list] {
            assert!(!text.contains(secret));
        }
        assert!(text.contains(&signer.verifying_key().thumbprint().to_string()));
    }
}
