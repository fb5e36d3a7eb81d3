//! `sign` with PEM keys, and `export-public`.

use countersign::keys::{Algorithm, jwk, pem, to_jwk_set};
use countersign::{
    KeySigner, Limits, SignTerms, Signer as _, TrustedKey, TrustedKeys, UntrustedCard, VerifyTerms,
};
use countersign::{UnixTime, keys};
use libtest_mimic::Failed;
use serde_json::Value;

use crate::{Check, accepted, refused, same};

pub(crate) fn run(check: &Check) -> Result<(), Failed> {
    let key = match pem::read_private(&check.octets("key")) {
        Ok(key) => key,
        Err(error) => {
            let message = error.to_string();
            if !message.contains(check.text("hint")) {
                return Err(format!("no hint {:?} in: {message}", check.text("hint")).into());
            }
            return refused(check, error.code());
        }
    };
    let algorithm = Algorithm::from_name(check.text("alg")).unwrap();
    let mut signer = match KeySigner::new(key, algorithm) {
        Ok(signer) => signer,
        Err(error) => return refused(check, error.code()),
    };
    if !check.text("kid").is_empty() {
        signer = signer.with_kid(check.text("kid"));
    }
    let card = UntrustedCard::read(check.octets("card"), &Limits::default())?;
    let signed = card.sign(&signer, &SignTerms::default(), &TrustedKeys::default())?;
    accepted(check)?;
    let mut keys = TrustedKeys::default();
    keys.push(TrustedKey::new(signer.verifying_key().clone(), keys::trust::KeySource::Single));
    let public = std::fs::read(check.folder.join("pub.pem"));
    if let Ok(public) = &public {
        keys = TrustedKeys::read(public.clone(), "pub.pem")?;
    }
    let then = check.text("then");
    if then.contains("pub.pem") && public.is_err() {
        return Err("there is no pub.pem".into());
    }
    let again = UntrustedCard::read(signed.octets.clone(), &Limits::default())?;
    again.verify(&keys, &VerifyTerms::default(), UnixTime::from_seconds(0))?;
    if then.contains("expected-signature.txt") {
        let expected = std::fs::read_to_string(check.folder.join("expected-signature.txt"))?;
        let signed: Value = serde_json::from_slice(&signed.octets)?;
        let signature = signed.pointer("/signatures/0/signature").and_then(Value::as_str).unwrap_or_default();
        return same(&signature, &expected.trim());
    }
    Ok(())
}

/// The public keys of a file with private ones.
pub(crate) fn export_public(check: &Check) -> Result<(), Failed> {
    let read = match jwk::read_private(check.octets("input"), &Limits::default()) {
        Ok(read) => read,
        Err(error) => return refused(check, error.code()),
    };
    let mut public = Vec::new();
    for entry in &read.entries {
        match &entry.key {
            Ok(jwk) => public.push((jwk.key.verifying_key(), entry.kid.as_deref(), jwk.algorithm)),
            Err(error) => return refused(check, error.code()),
        }
    }
    let found: Value = serde_json::from_str(&to_jwk_set(public)?)?;
    same(&check.text("outcome"), &"bytes-json-equal")?;
    let expected: Value = serde_json::from_slice(&check.octets("expect"))?;
    same(&found, &expected)
}
