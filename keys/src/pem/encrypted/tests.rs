use std::fs;

use pkcs8::pkcs5::pbes2::{Kdf, Pbkdf2Params, ScryptParams};

use super::{MAX_ITERATIONS, MAX_SCRYPT_OCTETS, Password, check_cost};
use crate::pem::{Error, read, read_private, read_with_password};
use crate::{KeyError, SigningKey, codes};

const LABEL: &str = "ENCRYPTED PRIVATE KEY";

fn file(name: &str) -> Vec<u8> {
    fs::read(format!("{}/tests/data/pem/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn open(octets: &[u8], password: &str) -> Result<SigningKey, Error> {
    read_with_password(octets, &Password::new(password))?.into_private()
}

const READ: [&str; 4] = ["aes256-sha256", "aes192-sha384", "aes128-sha512", "scrypt"];

#[test]
fn the_password_opens_every_scheme_that_is_read_and_another_none() {
    let plain = read_private(&file("openssl/p256.pem")).unwrap();
    for scheme in READ {
        let octets = file(&format!("openssl/encrypted-{scheme}.pem"));
        let key = open(&octets, "correct horse").unwrap();
        assert_eq!(key.verifying_key(), plain.verifying_key(), "{scheme}");
        for wrong in ["Correct horse", "correct horse\n", ""] {
            let error = open(&octets, wrong).unwrap_err();
            assert_eq!(error, Error::WrongPassword { label: LABEL.to_owned() }, "{scheme} {wrong:?}");
            assert_eq!(error.code(), codes::KEY_ENCRYPTED);
        }
        assert_eq!(read(&octets).unwrap_err(), Error::Encrypted { label: LABEL.to_owned() });
    }
    assert!(open(&file("083/pkcs8-encrypted.pem"), "correct horse").is_ok());
}

#[test]
fn many_wrong_passwords_are_all_called_wrong() {
    let octets = file("083/pkcs8-encrypted.pem");
    for number in 0..1_000 {
        let error = open(&octets, &number.to_string()).unwrap_err();
        assert_eq!(error, Error::WrongPassword { label: LABEL.to_owned() }, "{number}");
    }
}

#[test]
fn the_empty_password_is_a_password() {
    let octets = file("openssl/encrypted-empty-password.pem");
    assert!(open(&octets, "").is_ok());
    assert!(matches!(open(&octets, " ").unwrap_err(), Error::WrongPassword { .. }));
    assert!(matches!(read(&octets).unwrap_err(), Error::Encrypted { .. }));
}

#[test]
fn a_key_that_is_not_encrypted_needs_no_password_and_ignores_one() {
    assert!(open(&file("openssl/p256.pem"), "correct horse").is_ok());
    let public = open(&file("es256-a.public.pem"), "correct horse").unwrap_err();
    assert_eq!(public, Error::PublicKey);
}

#[test]
fn a_scheme_that_is_not_read_is_named_with_the_command_whatever_the_password() {
    for (name, scheme) in [
        ("des3-sha256", "3DES"),
        ("aes256-sha1", "HMAC-SHA-1"),
        ("pbes1-pkcs12", "PKCS#12 PBE (SHA-1 and 3DES)"),
    ] {
        let octets = file(&format!("openssl/encrypted-{name}.pem"));
        for error in [read(&octets).unwrap_err(), open(&octets, "correct horse").unwrap_err()] {
            assert_eq!(error, Error::UnsupportedEncryption { scheme: scheme.to_owned() });
            assert_eq!(error.code(), codes::KEY_ENCRYPTED);
            assert!(error.to_string().contains("; use `openssl pkcs8 -topk8 -v2 aes-256-cbc"));
        }
    }
}

#[test]
fn a_file_may_not_ask_for_unbounded_work() {
    for password in ["correct horse", ""] {
        assert_eq!(
            open(&file("openssl/encrypted-iterations-over.pem"), password).unwrap_err(),
            Error::Iterations { found: 10_000_001, max: MAX_ITERATIONS }
        );
        assert_eq!(
            open(&file("openssl/encrypted-scrypt-over.pem"), password).unwrap_err(),
            Error::ScryptOctets { found: 17 << 24, max: MAX_SCRYPT_OCTETS }
        );
    }
}

#[test]
fn the_limits_include_their_own_value_and_senseless_parameters_are_malformed() {
    let malformed = || Err(Error::Key(KeyError::MalformedDer { structure: "EncryptedPrivateKeyInfo" }));
    let pbkdf2 = |count| check_cost(&Kdf::Pbkdf2(Pbkdf2Params::hmac_sha256(count, b"salt").unwrap()));
    assert_eq!((pbkdf2(1), pbkdf2(MAX_ITERATIONS)), (Ok(()), Ok(())));
    assert!(matches!(pbkdf2(MAX_ITERATIONS + 1), Err(Error::Iterations { .. })));
    assert_eq!(pbkdf2(0), malformed());
    let scrypt = |cost_parameter, block_size, parallelization| {
        let salt = b"salt".as_slice().try_into().unwrap();
        check_cost(&Kdf::Scrypt(ScryptParams {
            salt,
            cost_parameter,
            block_size,
            parallelization,
            key_length: None,
        }))
    };
    assert_eq!((scrypt(2, 1, 1), scrypt(1 << 18, 8, 1), scrypt(1 << 14, 8, 16)), (Ok(()), Ok(()), Ok(())));
    for (n, r, p) in [(1 << 19, 8, 1), (1 << 18, 8, 2), (1 << 18, 9, 1), (1 << 63, 65_535, 65_535)] {
        assert!(matches!(scrypt(n, r, p), Err(Error::ScryptOctets { .. })), "{n} {r} {p}");
    }
    for (n, r, p) in [(0, 8, 1), (1, 8, 1), (3, 8, 1), (16_384, 0, 1), (16_384, 8, 0)] {
        assert_eq!(scrypt(n, r, p), malformed(), "{n} {r} {p}");
    }
}

#[test]
fn no_single_changed_octet_of_an_encrypted_file_panics() {
    let octets = file("openssl/encrypted-aes256-sha256.pem");
    let der = pem_rfc7468::decode_vec(&octets).unwrap().1;
    for index in 0..der.len() {
        for value in [0x00, 0x01, 0x7f, 0x80, 0xff] {
            let mut damaged = der.clone();
            damaged[index] = value;
            // Without a password: the parameters are read, and nothing is computed.
            assert!(super::read(&damaged, LABEL, None).is_err());
        }
    }
    for length in 0..der.len() {
        assert!(super::read(&der[..length], LABEL, Some(&Password::new("correct horse"))).is_err());
    }
}

#[test]
fn a_password_is_not_printed() {
    assert_eq!(format!("{:?}", Password::new("correct horse")), "Password(..)");
}
