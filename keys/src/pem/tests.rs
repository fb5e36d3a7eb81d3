use std::fs;

use super::{Error, PemKey, looks_like_pem, read, read_private};
use crate::{KeyError, KeyKind, codes};

fn file(name: &str) -> Vec<u8> {
    fs::read(format!("{}/tests/data/pem/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn refused(name: &str) -> Error {
    read(&file(name)).unwrap_err()
}

#[test]
fn text_variants_of_one_file_are_one_key() {
    let variants =
        ["crlf", "bom", "preamble", "trailing-blanks", "no-final-newline", "wide", "one-line-body"];
    let keys: Vec<_> = variants
        .map(|name| read_private(&file(&format!("084/{name}.pem"))).unwrap().verifying_key().thumbprint())
        .to_vec();
    assert!(keys.iter().all(|key| *key == keys[0]));
}

#[test]
fn public_and_private_file_of_a_pair_hold_the_same_key() {
    for name in ["es256-a", "es384-a", "es512-a", "eddsa-a", "rs256-a", "ps256-a"] {
        let PemKey::Public(public) = read(&file(&format!("{name}.public.pem"))).unwrap() else {
            panic!("public key expected")
        };
        let private = read_private(&file(&format!("{name}.private.pem"))).unwrap();
        assert_eq!(private.verifying_key(), &public);
        let PemKey::Public(again) = read(public.to_spki_pem().unwrap().as_bytes()).unwrap() else {
            panic!("public key expected")
        };
        assert_eq!(again, public);
        assert_eq!(read_private(&file(&format!("{name}.public.pem"))).unwrap_err(), Error::PublicKey);
    }
}

#[test]
fn every_form_of_one_key_gives_the_same_key() {
    let public = |name: &str| match read(&file(name)).unwrap() {
        PemKey::Public(key) => key,
        PemKey::Private(key) => key.verifying_key().clone(),
    };
    for (one, other) in [
        ("079/key.pem", "079/pub.pem"),
        ("080/ES256-sec1.pem", "080/ES256-pkcs8.pem"),
        ("080/ES384-sec1.pem", "080/ES384-pkcs8.pem"),
        ("080/ES512-sec1.pem", "080/ES512-pkcs8.pem"),
        ("087/public-pkcs1.pem", "087/public-spki.pem"),
        ("087/private.pem", "087/public-spki.pem"),
        ("openssl/sec1-no-public-p256.pem", "openssl/p256.pem"),
        ("openssl/rsa-pss-converted.pem", "openssl/rsa-pss-pub-converted.pem"),
    ] {
        assert_eq!(public(one), public(other), "{one}");
    }
    assert_eq!(public("openssl/sec1-no-public-p384.pem").kind(), KeyKind::P384);
    assert_eq!(public("openssl/sec1-no-public-p521.pem").kind(), KeyKind::P521);
    assert_ne!(public("080/ES256-sec1.pem"), public("openssl/p256.pem"));
}

#[test]
fn an_older_form_is_read_in_every_variant_of_the_text() {
    let text = String::from_utf8(file("080/ES384-sec1.pem")).unwrap();
    let expected = read_private(text.as_bytes()).unwrap();
    let parameters = "-----BEGIN EC PARAMETERS-----\nBgUrgQQAIg==\n-----END EC PARAMETERS-----\n";
    let mut lines = text.lines();
    let (begin, body) = (lines.next().unwrap(), lines.clone().filter(|line| !line.starts_with('-')));
    let one_line = format!("{begin}\n{}\n{}", body.collect::<String>(), lines.next_back().unwrap());
    for variant in [
        text.replace('\n', "\r\n"),
        format!("\u{feff}{text}"),
        format!("a key\n\n{text}"),
        format!("{parameters}{text}"),
        one_line,
    ] {
        let key = read_private(variant.as_bytes()).unwrap();
        assert_eq!(key.verifying_key(), expected.verifying_key(), "{variant}");
    }
}

#[test]
fn a_label_that_does_not_fit_its_block_gives_no_key() {
    for (name, label, structure) in [
        ("080/ES256-sec1.pem", "PRIVATE KEY", "PrivateKeyInfo"),
        ("080/ES256-sec1.pem", "RSA PRIVATE KEY", "RSAPrivateKey"),
        ("080/ES256-sec1.pem", "ENCRYPTED PRIVATE KEY", "EncryptedPrivateKeyInfo"),
        ("080/ES256-pkcs8.pem", "EC PRIVATE KEY", "ECPrivateKey"),
        ("087/public-spki.pem", "RSA PUBLIC KEY", "RSAPublicKey"),
        ("087/public-pkcs1.pem", "PUBLIC KEY", "SubjectPublicKeyInfo"),
    ] {
        let text = String::from_utf8(file(name)).unwrap();
        let own = text.split("-----BEGIN ").nth(1).unwrap().split("-----").next().unwrap();
        let error = read(text.replace(own, label).as_bytes()).unwrap_err();
        assert_eq!(error, Error::Key(KeyError::MalformedDer { structure }), "{name} as {label}");
    }
}

#[test]
fn every_other_kind_is_named_with_the_command_that_helps() {
    for (name, word, command) in [
        ("087/cert.pem", "X.509 certificate", "openssl x509"),
        ("087/openssh-ed25519", "OpenSSH private key on Ed25519", "openssl genpkey"),
        ("087/openssh.pub", "OpenSSH public key", "key.pub"),
        ("086/pkcs8.pem", "secp256k1", "openssl genpkey"),
        ("086/sec1.pem", "secp256k1", "openssl genpkey"),
        ("openssl/explicit-sec1.pem", "explicit parameters", "openssl ec -in key.pem"),
        ("openssl/explicit-pkcs8.pem", "explicit parameters", "openssl ec -in key.pem"),
        ("openssl/explicit-pub.pem", "explicit parameters", "openssl ec -pubin"),
        ("openssl/rsa-pss.pem", "RSASSA-PSS", "openssl rsa -in key.pem -traditional"),
        ("openssl/rsa-pss-pub.pem", "RSASSA-PSS", "openssl rsa -pubin"),
        ("openssl/rsa-pss-traditional.pem", "RSASSA-PSS", "sed s/RSA-PSS/RSA/"),
        ("openssl/dsa.pem", "DSA", "openssl genpkey -algorithm ed25519"),
    ] {
        let text = refused(name).to_string();
        assert!(text.contains(word) && text.contains(command), "{name}: {text}");
        assert_eq!(text.matches("; use `").count(), 1, "{name}: {text}");
        assert!(looks_like_pem(&file(name)), "{name}");
    }
}

#[test]
fn encrypted_keys_are_called_encrypted_in_both_styles() {
    let error = refused("083/pkcs8-encrypted.pem");
    assert_eq!(error, Error::Encrypted { label: "ENCRYPTED PRIVATE KEY".to_owned() });
    let legacy = refused("083/legacy-encrypted.pem");
    assert!(matches!(legacy, Error::LegacyEncryption { .. }));
    assert!(legacy.to_string().contains("`openssl pkcs8 -topk8"));
    for error in [error, legacy] {
        assert_eq!(error.code(), codes::KEY_ENCRYPTED);
        assert!(error.to_string().contains("encrypted"));
    }
}

#[test]
fn a_curve_that_is_not_used_keeps_its_code_in_both_forms() {
    for name in ["086/pkcs8.pem", "086/sec1.pem"] {
        assert_eq!(refused(name).code(), codes::KEY_WRONG_CURVE, "{name}");
    }
}

#[test]
fn damaged_text_is_named_for_what_is_wrong() {
    assert_eq!(refused("085/escaped.pem"), Error::EscapedLineBreaks);
    assert!(refused("085/escaped.pem").to_string().contains("\\n"));
    assert!(matches!(refused("085/four-dashes.pem"), Error::DamagedMarker { .. }));
    assert!(matches!(refused("085/missing-end.pem"), Error::MissingEnd { .. }));
    assert!(matches!(refused("085/label-mismatch.pem"), Error::LabelMismatch { .. }));
    assert!(matches!(read(&[0x30, 0x82]).unwrap_err(), Error::Der { .. }));
    let two = [file("es256-a.public.pem"), file("es256-b.public.pem")].concat();
    assert!(matches!(read(&two).unwrap_err(), Error::SeveralBlocks { count: 2, .. }));
    let twice = [file("es256-a.public.pem"), file("es256-a.private.pem")].concat();
    let labels = vec!["PUBLIC KEY".to_owned(), "PRIVATE KEY".to_owned()];
    let several = read(&twice).unwrap_err();
    assert!(several.to_string().contains("2 PEM blocks (`PUBLIC KEY`, `PRIVATE KEY`)"), "{several}");
    assert_eq!(several, Error::SeveralBlocks { count: 2, labels });
    assert_eq!(
        read(b"-----BEGIN PUBLIC KEY-----\nAA=A\n-----END PUBLIC KEY-----").unwrap_err(),
        Error::Body { label: "PUBLIC KEY".to_owned() }
    );
    assert_eq!(
        read(b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----").unwrap_err().code(),
        codes::KEY_UNREADABLE
    );
    assert_eq!(
        read(b"-----BEGIN NEWSLETTER-----\nAAAA\n-----END NEWSLETTER-----").unwrap_err(),
        Error::UnknownLabel { label: "NEWSLETTER".to_owned() }
    );
    assert!(matches!(
        read(&vec![b' '; 65_537]).unwrap_err(),
        Error::TooLarge { octets: 65_537, max: 65_536 }
    ));
}

#[test]
fn a_label_holds_single_hyphens_only() {
    let block =
        |label: &str| read(format!("-----BEGIN {label}-----\nAAAA\n-----END {label}-----").as_bytes());
    assert_eq!(block("NEWS-LETTER").unwrap_err(), Error::UnknownLabel { label: "NEWS-LETTER".to_owned() });
    for damaged in ["NEWS--LETTER", "NEWSLETTER-", "-"] {
        assert_eq!(block(damaged).unwrap_err(), Error::DamagedMarker { line: 1 }, "{damaged}");
    }
}

#[test]
fn a_file_cut_short_anywhere_never_gives_a_key() {
    let whole = file("eddsa-a.private.pem");
    let end = whole.trim_ascii_end().len();
    for length in 0..end {
        assert!(read(&whole[..length]).is_err(), "{length}");
    }
    assert!(read(&whole[..end]).is_ok());
}

#[test]
fn json_is_not_taken_for_pem() {
    assert!(!looks_like_pem(br#"{"k1": "-----BEGIN PUBLIC KEY-----"}"#));
    assert!(!looks_like_pem(br#"["-----BEGIN PUBLIC KEY-----"]"#));
    assert!(!looks_like_pem(b""));
    assert!(looks_like_pem(&file("084/bom.pem")));
    assert!(looks_like_pem(&file("084/preamble.pem")));
}

#[test]
fn text_that_is_no_key_is_named_for_what_it_is() {
    let pem = file("eddsa-a.private.pem");
    let one_line = String::from_utf8(pem.clone()).unwrap().replace('\n', " ");
    assert_eq!(read(one_line.as_bytes()).unwrap_err(), Error::OneLine);
    assert_eq!(
        read(one_line.replace(' ', "").replace("PRIVATE", " PRIVATE ").as_bytes()).unwrap_err(),
        Error::OneLine
    );
    let utf16: Vec<u8> = pem.iter().flat_map(|octet| [*octet, 0]).collect();
    for octets in [utf16.clone(), [vec![0xff, 0xfe], utf16].concat(), b"\0{\0}".to_vec()] {
        assert_eq!(read(&octets).unwrap_err(), Error::Utf16);
        assert!(looks_like_pem(&octets));
    }
    for empty in ["", " \r\n", "\u{feff}"] {
        assert_eq!(read(empty.as_bytes()).unwrap_err(), Error::Empty, "{empty:?}");
    }
    for (octets, of) in [(pem.as_slice(), "PEM"), (br#"{"kty":"EC"}"#, "a JWK"), (br#"{ "kty":"EC"}"#, "")] {
        let text = base64::Engine::encode(&super::STANDARD, octets);
        let expected = if of.is_empty() { Error::NoBlock } else { Error::Base64 { of } };
        assert_eq!(read(text.as_bytes()).unwrap_err(), expected);
        assert!(looks_like_pem(text.as_bytes()));
    }
    for text in ["secret", "5", "0123", "eyJhbGciOiJFUzI1NiJ9.e30.AAAA"] {
        assert_eq!(read(text.as_bytes()).unwrap_err(), Error::NoBlock, "{text}");
    }
}

#[test]
fn who_verifies_is_never_told_to_make_a_private_key() {
    for name in [
        "086/pkcs8.pem",
        "086/sec1.pem",
        "087/openssh-ed25519",
        "087/openssh.pub",
        "openssl/dsa.pem",
        "openssl/explicit-pkcs8.pem",
        "openssl/rsa-pss.pem",
        "openssl/rsa-pss-traditional.pem",
    ] {
        let text = super::read_for_verifying(&file(name)).unwrap_err().to_string();
        assert!(!text.contains("genpkey") && !text.contains("new-key"), "{name}: {text}");
    }
}

#[test]
fn no_command_writes_over_the_key_that_it_reads() {
    for name in [
        "openssl/explicit-sec1.pem",
        "openssl/rsa-pss.pem",
        "openssl/rsa-pss-traditional.pem",
        "openssl/dsa.pem",
    ] {
        let text = refused(name).to_string();
        assert!(text.contains("new-key.pem") && !text.contains("-out key.pem"), "{name}: {text}");
    }
}
