use super::{VerifyingKey, bit_length, looks_like_der};
use crate::{Algorithm, KeyError, KeyKind, SigningKey, VerifyError, to_jwk_set};

fn key(kind: KeyKind) -> SigningKey {
    let d = match kind {
        KeyKind::P521 => [&[0][..], &[0x11; 65]].concat(),
        KeyKind::P384 => vec![0x11; 48],
        KeyKind::P256 | KeyKind::Ed25519 | KeyKind::Rsa => vec![0x11; 32],
    };
    if kind == KeyKind::Ed25519 { SigningKey::from_ed25519(&d) } else { SigningKey::from_ec(kind, &d) }
        .unwrap()
}

#[test]
fn coordinates_have_exactly_the_length_of_the_curve() {
    for kind in [KeyKind::P256, KeyKind::P384, KeyKind::P521] {
        let key = key(kind);
        let (x, y) = super::coordinates(key.verifying_key().point().unwrap());
        assert_eq!(VerifyingKey::from_ec(kind, x, y).as_ref(), Ok(key.verifying_key()));
        let short = VerifyingKey::from_ec(kind, &x[1..], y);
        assert_eq!(
            short,
            Err(KeyError::CoordinateLength { kind, member: "x", found: x.len() - 1, expected: x.len() })
        );
        let long = [&[0], y].concat();
        assert_eq!(
            VerifyingKey::from_ec(kind, x, &long),
            Err(KeyError::CoordinateLength { kind, member: "y", found: y.len() + 1, expected: y.len() })
        );
    }
}

#[test]
fn a_point_off_the_curve_is_refused() {
    for kind in [KeyKind::P256, KeyKind::P384, KeyKind::P521] {
        let key = key(kind);
        let (x, y) = super::coordinates(key.verifying_key().point().unwrap());
        let mut wrong = y.to_vec();
        *wrong.last_mut().unwrap() ^= 1;
        assert_eq!(VerifyingKey::from_ec(kind, x, &wrong), Err(KeyError::OffCurve { kind }));
        assert_eq!(
            VerifyingKey::from_ec(kind, &vec![0; x.len()], &vec![0; x.len()]),
            Err(KeyError::OffCurve { kind })
        );
        assert_eq!(VerifyingKey::from_ec(kind, &vec![0xff; x.len()], y), Err(KeyError::OffCurve { kind }));
    }
}

#[test]
fn rsa_numbers_out_of_bounds_are_refused_with_their_own_reason() {
    let modulus = |bits: usize| {
        let mut n = vec![0xff; bits / 8];
        n[0] = 0x80;
        n
    };
    let refused = |n: &[u8], e: &[u8]| VerifyingKey::from_rsa(n, e).unwrap_err();
    let e = [1, 0, 1];
    assert!(VerifyingKey::from_rsa(&modulus(2048), &e).is_ok());
    assert!(VerifyingKey::from_rsa(&modulus(8192), &e).is_ok());
    let mut n2047 = modulus(2048);
    n2047[0] = 0x7f;
    assert_eq!(refused(&n2047, &e), KeyError::RsaTooSmall { bits: 2047 });
    assert_eq!(refused(&modulus(1024), &e).code(), crate::codes::KEY_WEAK);
    assert_eq!(refused(&[], &e), KeyError::RsaTooSmall { bits: 0 });
    let n8193 = [&[1][..], &modulus(8192)].concat();
    assert_eq!(refused(&n8193, &e), KeyError::RsaTooLarge { bits: 8193, max: 8192 });
    let mut even = modulus(2048);
    even[255] = 0xfe;
    assert_eq!(refused(&even, &e), KeyError::RsaModulusEven);
    assert_eq!(refused(&modulus(2048), &[1]), KeyError::RsaExponentOne);
    assert_eq!(refused(&modulus(2048), &[0, 0, 1]), KeyError::RsaExponentOne);
    assert_eq!(refused(&modulus(2048), &[]), KeyError::RsaExponentEven);
    assert_eq!(refused(&modulus(2048), &[1, 0, 0]), KeyError::RsaExponentEven);
    assert_eq!(refused(&modulus(2048), &[2, 0, 0, 0, 1]), KeyError::RsaExponentTooLarge { bits: 34 });
    assert!(VerifyingKey::from_rsa(&modulus(2048), &[3]).is_ok());
}

#[test]
fn leading_zeros_of_rsa_numbers_change_neither_thumbprint_nor_length() {
    let mut n = vec![0xff; 256];
    n[0] = 0x80;
    let plain = VerifyingKey::from_rsa(&n, &[1, 0, 1]).unwrap();
    let padded = VerifyingKey::from_rsa(&[&[0, 0], &n[..]].concat(), &[0, 1, 0, 1]).unwrap();
    assert_eq!(plain.thumbprint(), padded.thumbprint());
    assert_eq!(padded.signature_octets(), 256);
    assert_eq!(padded.bits(), 2048);
}

#[test]
fn bits_are_counted_from_the_highest_set_bit() {
    for (octets, bits) in
        [(&[][..], 0), (&[1], 1), (&[3], 2), (&[0x80], 8), (&[1, 0], 9), (&[0x7f, 0xff], 15)]
    {
        assert_eq!(bit_length(octets), bits);
    }
}

#[test]
fn one_flipped_bit_in_message_or_signature_is_refused() {
    for kind in [KeyKind::P256, KeyKind::P384, KeyKind::P521, KeyKind::Ed25519] {
        let key = key(kind);
        let algorithm = key.default_algorithm();
        let signature = key.sign(algorithm, b"message").unwrap();
        let verified = key.verifying_key().verify(algorithm, b"message", &signature).unwrap();
        assert_eq!(verified.thumbprint(), key.verifying_key().thumbprint());
        assert_eq!(verified.algorithm(), algorithm);
        assert_eq!(key.verifying_key().verify(algorithm, b"messagf", &signature), Err(VerifyError::Invalid));
        for index in (0..signature.len()).step_by(7) {
            let mut flipped = signature.clone();
            flipped[index] ^= 1;
            assert_eq!(
                key.verifying_key().verify(algorithm, b"message", &flipped),
                Err(VerifyError::Invalid)
            );
        }
    }
}

#[test]
fn zero_and_out_of_range_ecdsa_values_are_refused() {
    for kind in [KeyKind::P256, KeyKind::P384, KeyKind::P521] {
        let key = key(kind);
        let algorithm = key.default_algorithm();
        let octets = key.verifying_key().signature_octets();
        for value in [vec![0; octets], vec![0xff; octets]] {
            assert_eq!(key.verifying_key().verify(algorithm, b"m", &value), Err(VerifyError::Invalid));
        }
    }
}

#[test]
fn a_signature_of_another_length_is_named_with_both_lengths() {
    let key = key(KeyKind::P521);
    let signature = key.sign(Algorithm::Es512, b"m").unwrap();
    assert_eq!(
        key.verifying_key().verify(Algorithm::Es512, b"m", &signature[2..]),
        Err(VerifyError::SignatureLength { algorithm: Algorithm::Es512, found: 130, expected: 132 })
    );
    assert_eq!(
        key.verifying_key().verify(Algorithm::Es512, b"m", &[]),
        Err(VerifyError::SignatureLength { algorithm: Algorithm::Es512, found: 0, expected: 132 })
    );
}

#[test]
fn a_der_signature_is_named_for_what_it_is() {
    let key = SigningKey::from_ec(KeyKind::P256, &[0x11; 32]).unwrap();
    let signature = key.sign(Algorithm::Es256, b"m").unwrap();
    let der = p256::ecdsa::Signature::from_slice(&signature).unwrap().to_der();
    let found = der.as_bytes().len();
    assert_eq!(
        key.verifying_key().verify(Algorithm::Es256, b"m", der.as_bytes()),
        Err(VerifyError::DerSignature { algorithm: Algorithm::Es256, found, expected: 64 })
    );
    assert!(!looks_like_der(&signature));
}

#[test]
fn an_algorithm_for_another_kind_of_key_is_refused_before_the_mathematics() {
    for kind in [KeyKind::P256, KeyKind::P384, KeyKind::P521, KeyKind::Ed25519] {
        let key = key(kind);
        for &algorithm in Algorithm::ALL {
            let answer = key.verifying_key().verify(algorithm, b"m", &[]);
            if algorithm.key_kind() == kind {
                assert!(matches!(answer, Err(VerifyError::SignatureLength { .. })));
            } else {
                assert_eq!(answer, Err(VerifyError::AlgorithmKeyMismatch { algorithm, kind }));
            }
        }
    }
}

#[test]
fn both_names_of_ed25519_verify_the_same_signature() {
    let key = key(KeyKind::Ed25519);
    let signature = key.sign(Algorithm::EdDsa, b"m").unwrap();
    assert!(key.verifying_key().verify(Algorithm::Ed25519, b"m", &signature).is_ok());
}

#[test]
fn spki_reads_back_as_the_same_key() {
    for kind in [KeyKind::P256, KeyKind::P384, KeyKind::P521, KeyKind::Ed25519] {
        let key = key(kind);
        let der = key.verifying_key().to_spki_der().unwrap();
        assert_eq!(VerifyingKey::from_spki_der(&der).as_ref(), Ok(key.verifying_key()));
        let trailing = [&der[..], &[0]].concat();
        assert_eq!(
            VerifyingKey::from_spki_der(&trailing),
            Err(KeyError::MalformedDer { structure: "SubjectPublicKeyInfo" })
        );
    }
}

#[test]
fn a_compressed_point_is_refused_with_its_reason() {
    let key = key(KeyKind::P256);
    let der = key.verifying_key().to_spki_der().unwrap();
    let point = key.verifying_key().point().unwrap();
    let compressed = [&[2 + point[64] % 2], &point[1..33]].concat();
    let mut spki = der[..der.len() - 65].to_vec();
    spki.extend_from_slice(&compressed);
    spki[1] -= 32;
    let bits = spki.len() - 33 - 2;
    spki[bits] -= 32;
    assert_eq!(VerifyingKey::from_spki_der(&spki), Err(KeyError::PointForm { kind: KeyKind::P256 }));
}

#[test]
fn a_written_jwk_has_a_fixed_member_order_and_nothing_private() {
    let key = key(KeyKind::Ed25519);
    let text = key.verifying_key().to_jwk(Some("a\"b"), Some(Algorithm::EdDsa)).unwrap();
    let der = key.verifying_key().to_spki_der().unwrap();
    let x = crate::base64url::encode(&der[der.len() - 32..]);
    assert_eq!(
        text,
        format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{x}","use":"sig","alg":"EdDSA","kid":"a\"b"}}"#)
    );
    assert_eq!(
        to_jwk_set([(key.verifying_key(), Some("a\"b"), Some(Algorithm::EdDsa))]).unwrap(),
        format!(r#"{{"keys":[{text}]}}"#)
    );
    assert!(key.verifying_key().to_jwk(None, Some(Algorithm::Es256)).is_err());
}
