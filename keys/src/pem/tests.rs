use std::fs;

use super::{Error, PemKey, looks_like_pem, read, read_private};
use crate::{KeyError, codes};

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
fn every_other_kind_is_named_with_the_command_that_converts_it() {
    for (name, word, command) in [
        ("079/key.pem", "SEC 1", "openssl pkcs8 -topk8"),
        ("080/ES256-sec1.pem", "SEC 1", "openssl pkcs8 -topk8"),
        ("087/public-pkcs1.pem", "PKCS#1", "openssl rsa -RSAPublicKey_in"),
        ("087/cert.pem", "X.509 certificate", "openssl x509"),
        ("087/openssh-ed25519", "OpenSSH private key", "ssh-keygen"),
        ("087/openssh.pub", "OpenSSH public key", "ssh-keygen"),
    ] {
        let error = refused(name);
        assert_eq!(error.code(), codes::KEY_UNREADABLE, "{name}");
        let text = error.to_string();
        assert!(text.contains(word) && text.contains(command), "{name}: {text}");
        assert!(looks_like_pem(&file(name)), "{name}");
    }
}

#[test]
fn encrypted_keys_are_called_encrypted_in_both_styles() {
    for name in ["083/legacy-encrypted.pem", "083/pkcs8-encrypted.pem"] {
        let error = refused(name);
        assert_eq!(error.code(), codes::KEY_ENCRYPTED);
        assert!(error.to_string().contains("encrypted"));
    }
}

#[test]
fn a_curve_that_is_not_used_is_named_in_both_forms() {
    for name in ["086/pkcs8.pem", "086/sec1.pem"] {
        assert_eq!(
            refused(name),
            Error::Key(KeyError::WrongCurve { found: "secp256k1".to_owned() }),
            "{name}"
        );
    }
}

#[test]
fn damaged_text_is_named_for_what_is_wrong() {
    assert_eq!(refused("085/escaped.pem"), Error::EscapedLineBreaks);
    assert!(refused("085/escaped.pem").to_string().contains("\\n"));
    assert!(matches!(refused("085/four-dashes.pem"), Error::DamagedMarker { .. }));
    assert!(matches!(refused("085/missing-end.pem"), Error::MissingEnd { .. }));
    assert!(matches!(refused("085/label-mismatch.pem"), Error::LabelMismatch { .. }));
    assert_eq!(read(b"").unwrap_err(), Error::NoBlock);
    assert_eq!(read(&[0x30, 0x82]).unwrap_err(), Error::Der);
    let two = [file("es256-a.public.pem"), file("es256-b.public.pem")].concat();
    assert_eq!(read(&two).unwrap_err(), Error::SeveralBlocks { count: 2 });
    let twice = [file("es256-a.public.pem"), file("es256-a.private.pem")].concat();
    assert_eq!(read(&twice).unwrap_err(), Error::SeveralBlocks { count: 2 });
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
