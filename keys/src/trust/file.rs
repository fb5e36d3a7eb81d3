//! A key file as trusted keys: JWK, JWK set or PEM, told apart by its octets.

use zeroize::{Zeroize as _, Zeroizing};

use super::{KeyFileError, KeyFinding, KeySource, TrustedKey, TrustedKeys, UnusableKey};
use crate::json::{Document, Limits};
use crate::pem::{self, PemKey};
use crate::{Finding, Level, codes, jwk};

pub(super) fn read(octets: Vec<u8>, name: &str) -> Result<TrustedKeys, KeyFileError> {
    if pem::looks_like_pem(&octets) {
        return read_pem(&Zeroizing::new(octets), name);
    }
    let mut document = Document::read(octets, &Limits::default())?;
    let read = read_json(&document, name);
    document.zeroize();
    read
}

fn read_pem(octets: &[u8], name: &str) -> Result<TrustedKeys, KeyFileError> {
    let mut keys = TrustedKeys::new();
    let key = match pem::read_for_verifying(octets)? {
        PemKey::Public(key) => key,
        PemKey::Private(key) => {
            let message = "the file holds a private key where only a public one belongs; whoever read it can sign with it";
            let finding = Finding::new(codes::KEY_PRIVATE_IN_PUBLIC_SET, Level::Warning, message);
            keys.findings.push(KeyFinding { file: Some(name.to_owned()), finding });
            key.verifying_key().clone()
        }
    };
    keys.push(TrustedKey::new(key, KeySource::Single));
    Ok(keys)
}

fn read_json(document: &Document, name: &str) -> Result<TrustedKeys, KeyFileError> {
    let jwks = jwk::read_public(document)?;
    let source = match jwks.shape {
        jwk::Shape::Single => KeySource::Single,
        jwk::Shape::Set => KeySource::SetMember,
    };
    let mut keys = TrustedKeys::new();
    let file = |finding| KeyFinding { file: Some(name.to_owned()), finding };
    keys.findings.extend(document.findings().into_iter().map(file));
    for entry in jwks.entries {
        keys.findings.extend(entry.findings.into_iter().map(file));
        match entry.key {
            Ok(jwk) => keys.push(TrustedKey {
                kid: entry.kid,
                algorithms: jwk.algorithm.map(|algorithm| vec![algorithm]),
                ..TrustedKey::new(jwk.key, source)
            }),
            Err(reason) => keys.unusable.push(UnusableKey {
                file: name.to_owned(),
                pointer: entry.pointer,
                kid: entry.kid,
                source,
                reason,
            }),
        }
    }
    Ok(keys)
}

/// One finding for each `kid` that two different keys of one kind share.
pub(super) fn ambiguous(keys: &TrustedKeys) -> Vec<KeyFinding> {
    let mut findings: Vec<KeyFinding> = Vec::new();
    for (index, key) in keys.keys.iter().enumerate() {
        let Some(kid) = key.kid() else { continue };
        let shared = keys.keys.iter().take(index).any(|earlier| {
            earlier.kid() == Some(kid) && earlier.key.kind() == key.key.kind() && earlier.key != key.key
        });
        if shared && !findings.iter().any(|finding| finding.finding.kid.as_deref() == Some(kid)) {
            let message =
                format!("several different {} keys share the `kid` `{kid}`; each is tried", key.key.kind());
            let finding = Finding::new(codes::KEY_AMBIGUOUS, Level::Warning, message).about_key(kid);
            findings.push(KeyFinding { file: None, finding });
        }
    }
    findings
}
