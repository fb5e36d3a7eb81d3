//! Key files: trusted keys for verifying, one private key for signing. No message here holds text of a key file that
//! could be part of a secret.

use std::env::{self, VarError};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use countersign::keys::jwk::{self, PrivateEntry};
use countersign::keys::pem::{Password, PemKey};
use countersign::keys::trust::{KeyFileError, KeySource};
use countersign::keys::{PreparedSigner, json, pem};
use countersign::{Algorithm, Code, KeySigner, Limits, SigningKey, TrustedKey, TrustedKeys};
use zeroize::Zeroizing;

use crate::failure::Failure;
use crate::outcome::Outcome;

/// Octets that may be secret, and the name of where they came from.
pub(crate) struct KeyText {
    pub(crate) octets: Zeroizing<Vec<u8>>,
    pub(crate) name: String,
    pub(crate) place: Place,
}

/// Where key text came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    File,
    Variable,
}

/// A private key as it was found, before an algorithm is chosen.
struct Found {
    key: SigningKey,
    algorithm: Option<Algorithm>,
    kid: Option<String>,
}

/// The keys of all files together.
pub(crate) fn trusted(files: &[PathBuf]) -> Result<TrustedKeys, Failure> {
    let mut keys = TrustedKeys::new();
    for file in files {
        let KeyText { mut octets, name, .. } = KeyText::of_file(file)?;
        let read = TrustedKeys::read(std::mem::take(&mut *octets), &name);
        keys.extend(read.map_err(|error| unusable(&name, &error))?);
    }
    Ok(keys)
}

/// The private key of a file or variable, bound to its algorithm.
pub(crate) fn signer(
    text: KeyText,
    password: Option<&Password>,
    kid: Option<&str>,
    algorithm: Option<Algorithm>,
) -> Result<KeySigner, Failure> {
    let name = text.name.clone();
    let found = if pem::looks_like_pem(&text.octets) {
        let key = read_pem(&text, password)?.into_private();
        let key = key.map_err(|error| coded(&name, error.code(), &error))?;
        Found { key, algorithm: None, kid: None }
    } else {
        private_jwk(text, kid)?
    };
    let bound = found.algorithm;
    let chosen = algorithm.or(bound).unwrap_or_else(|| found.key.default_algorithm());
    if let Some(bound) = bound.filter(|bound| !bound.agrees_with(chosen)) {
        return Err(bound_otherwise(&name, bound, chosen));
    }
    let signer = KeySigner::new(found.key, chosen).map_err(|error| coded(&name, error.code(), &error))?;
    Ok(match found.kid {
        Some(kid) => signer.with_kid(kid),
        None => signer,
    })
}

/// The public key of a file, for signatures that are made elsewhere: the one with the `kid` of a JWK set, else the only
/// one.
pub(crate) fn public_signer(
    keys: &TrustedKeys,
    name: &str,
    kid: Option<&str>,
    algorithm: Option<Algorithm>,
) -> Result<PreparedSigner, Failure> {
    let known: Vec<String> = keys.keys().iter().map(|key| key.kid().unwrap_or("no kid").to_owned()).collect();
    // A key that is alone needs no choice if it has no `kid` or is no set: `kid` then names the signature.
    let alone =
        |key: &TrustedKey| known.len() == 1 && (key.kid().is_none() || key.source() == KeySource::Single);
    let fits = |key: &TrustedKey, kid: &str| key.kid() == Some(kid) || key.thumbprint().to_string() == kid;
    let mut matching = keys.keys().iter().filter(|key| alone(key) || kid.is_none_or(|kid| fits(key, kid)));
    let key = match (matching.next(), matching.next()) {
        (Some(key), None) => key,
        (Some(_), Some(_)) => {
            let message = format!("{name}: several public keys fit; the kids are {}", quoted(&known));
            let code = countersign::keys::codes::KEY_AMBIGUOUS;
            return Err(
                Failure::coded(Outcome::CouldNotTell, code, message).with_help("choose one with `--kid KID`")
            );
        }
        (None, _) => {
            let broken =
                keys.unusable().iter().find(|key| kid.is_none_or(|kid| key.kid.as_deref() == Some(kid)));
            return Err(match (broken, kid) {
                (Some(key), _) => coded(name, key.reason.code(), &key.reason),
                (None, Some(kid)) => {
                    let known = quoted(&known);
                    Failure::usage(format!("{name}: no public key has the kid `{kid}`; there are {known}"))
                }
                (None, None) => Failure::usage(format!("{name}: there is no public key in it")),
            });
        }
    };
    let bound = key.algorithms().and_then(|bound| bound.first()).copied();
    let chosen = algorithm.or(bound).unwrap_or_else(|| key.key().kind().default_algorithm());
    if let Some(bound) = bound.filter(|_| !key.allows(chosen)) {
        return Err(bound_otherwise(name, bound, chosen));
    }
    let signer = PreparedSigner::new(key.key().clone(), chosen);
    let signer = signer.map_err(|error| coded(name, error.code(), &error))?;
    Ok(match key.kid() {
        Some(kid) => signer.with_kid(kid),
        None => signer,
    })
}

fn bound_otherwise(name: &str, bound: Algorithm, chosen: Algorithm) -> Failure {
    let message = format!("{name}: the key is bound to `{bound}` by its `alg`, `{chosen}` was asked for");
    let code = countersign::keys::codes::SIG_ALGORITHM_KEY_MISMATCH;
    Failure::coded(Outcome::CouldNotTell, code, message).with_help("leave `--alg` out")
}

impl KeyText {
    /// Reads a key file; `-` is standard input.
    pub(crate) fn of_file(path: &Path) -> Result<Self, Failure> {
        let limit = Limits::default().max_octets;
        let name = path.display().to_string();
        let octets = read_secret_file(path, limit).map_err(|error| Failure::reading(path, &error))?;
        if octets.len() > limit {
            let message = format!("{name}: the key file has more than {limit} octets");
            return Err(Failure::coded(
                Outcome::CouldNotTell,
                countersign::keys::codes::JSON_TOO_LARGE,
                message,
            ));
        }
        Self { octets, name, place: Place::File }.refuse_empty()
    }

    /// Takes key text from an environment variable.
    pub(crate) fn of_variable(name: &str) -> Result<Self, Failure> {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(Failure::usage("`--key-env` takes the name of an environment variable"));
        }
        match env::var(name) {
            Ok(text) => {
                let octets = Zeroizing::new(text.into_bytes());
                Self { octets, name: format!("${name}"), place: Place::Variable }.refuse_empty()
            }
            Err(VarError::NotPresent) => {
                Err(Failure::usage(format!("the environment variable `{name}` is not set")))
            }
            Err(VarError::NotUnicode(_)) => {
                Err(Failure::usage(format!("the environment variable `{name}` is not UTF-8")))
            }
        }
    }

    /// Refuses text that holds nothing: mostly a secret that the job was not given.
    fn refuse_empty(self) -> Result<Self, Failure> {
        if !self.octets.trim_ascii().is_empty() {
            return Ok(self);
        }
        let code = countersign::keys::codes::KEY_UNREADABLE;
        let (what, help) = match self.place {
            Place::File => {
                ("the file is empty", "check how it was written; a key was never in it, or was lost")
            }
            Place::Variable => (
                "the variable is empty",
                "check that the secret exists and that this job is given it; jobs of forks mostly are not",
            ),
        };
        let message = format!("{}: {what}", self.name);
        Err(Failure::coded(Outcome::CouldNotTell, code, message).with_help(help))
    }
}

/// The key of a PEM file, opened with the password if it is encrypted.
pub(crate) fn read_pem(text: &KeyText, password: Option<&Password>) -> Result<PemKey, Failure> {
    let read = match password {
        Some(password) => pem::read_with_password(&text.octets, password),
        None => pem::read(&text.octets),
    };
    read.map_err(|error| {
        let failure = coded(&text.name, error.code(), &error);
        if matches!(error, pem::Error::Encrypted { .. }) {
            return failure.with_help("give it with `--key-password-file FILE` or `--key-password-env NAME`");
        }
        match repair(&error, text) {
            Some(help) => failure.with_help(help),
            None => failure,
        }
    })
}

/// How damaged key text is made good, where it came from. What is written is readable for its owner only.
fn repair(error: &pem::Error, text: &KeyText) -> Option<String> {
    let name = text.name.trim_start_matches('$');
    let quoted = shell_words::quote(name);
    Some(match (error, text.place) {
        (pem::Error::EscapedLineBreaks, Place::Variable) => {
            format!("`export {name}=\"$(printf '%b' \"${name}\")\"`, or store the key with its line breaks")
        }
        (pem::Error::EscapedLineBreaks, Place::File) => {
            format!("`(umask 077; printf '%b' \"$(cat {quoted})\" > new-key.pem)`")
        }
        (pem::Error::OneLine, Place::Variable) => {
            format!(
                "store the key again with its line breaks, and write `\"${name}\"` where a shell passes it on"
            )
        }
        (pem::Error::OneLine, Place::File) => {
            "write the file again from the original, with quotation marks around the variable".to_owned()
        }
        (pem::Error::Base64 { .. }, Place::Variable) => {
            format!("`export {name}=\"$(printf '%s' \"${name}\" | openssl base64 -d -A)\"`")
        }
        (pem::Error::Base64 { .. }, Place::File) => {
            format!("`(umask 077; tr -d '\\n' < {quoted} | openssl base64 -d -A > new-key)`")
        }
        _ => return None,
    })
}

/// The octets of a file that may be secret, `limit` and one more at most; `-` is standard input.
pub(crate) fn read_secret_file(path: &Path, limit: usize) -> io::Result<Zeroizing<Vec<u8>>> {
    if path == Path::new("-") {
        return read_secret(io::stdin().lock(), limit, limit);
    }
    let file = File::open(path)?;
    let octets = usize::try_from(file.metadata()?.len()).unwrap_or(limit).min(limit);
    read_secret(file, octets, limit)
}

/// All octets, and one more than `limit` at most. The allocation is made for `expected` octets, so that growing leaves
/// no copy behind.
fn read_secret(reader: impl Read, expected: usize, limit: usize) -> io::Result<Zeroizing<Vec<u8>>> {
    // One octet more, and the small probe that `read_to_end` makes at the end of a file.
    let mut secret = Zeroizing::new(Vec::with_capacity(expected.saturating_add(64)));
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    reader.take(most).read_to_end(&mut secret)?;
    Ok(secret)
}

/// Whether text is a key, or holds one: then no message may quote it.
pub(crate) fn holds_key(text: &[u8]) -> bool {
    let holds = |part: &[u8]| text.windows(part.len()).any(|window| window == part);
    holds(b"-BEGIN ") || holds(br#""kty""#) || holds(br#""d""#)
}

fn private_jwk(text: KeyText, kid: Option<&str>) -> Result<Found, Failure> {
    let KeyText { mut octets, name, .. } = text;
    let read = jwk::read_private(std::mem::take(&mut *octets), &Limits::default());
    let entries = read.map_err(|error| {
        if let jwk::Error::Json(error) = &error {
            not_json(&name, error)
        } else {
            coded(&name, error.code(), &error)
        }
    })?;
    let PrivateEntry { kid, key, .. } = choose(entries.entries, entries.shape, kid, &name)?;
    let jwk = key.map_err(|error| coded(&name, error.code(), &error))?;
    Ok(Found { key: jwk.key, algorithm: jwk.algorithm, kid })
}

/// The one entry that is meant: by `kid` if one is given, else the only one that can sign.
fn choose(
    entries: Vec<PrivateEntry>,
    shape: jwk::Shape,
    kid: Option<&str>,
    name: &str,
) -> Result<PrivateEntry, Failure> {
    let total = entries.len();
    let (usable, broken): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.key.is_ok());
    let known: Vec<String> =
        usable.iter().map(|entry| entry.kid.as_deref().unwrap_or("no kid").to_owned()).collect();
    // The `kid` of a file with one JWK is no choice: `--kid` then names the signature.
    let wanted = kid.filter(|_| shape == jwk::Shape::Set);
    let is_wanted = |entry: &PrivateEntry| wanted.is_none_or(|kid| entry.kid.as_deref() == Some(kid));
    let alone = usable.len() == 1 && usable.iter().all(|entry| entry.kid.is_none());
    let mut matching: Vec<_> = usable.into_iter().filter(|entry| alone || is_wanted(entry)).collect();
    let count = matching.len();
    let code = countersign::keys::codes::KEY_AMBIGUOUS;
    match (matching.pop(), count) {
        (Some(entry), 1) => Ok(entry),
        (Some(_), _) => {
            let message = format!("{name}: {count} private keys fit; their kids are {}", quoted(&known));
            Err(Failure::coded(Outcome::CouldNotTell, code, message).with_help("choose one with `--kid KID`"))
        }
        (None, _) => match broken.into_iter().find(is_wanted) {
            Some(entry) => Ok(entry),
            None if total == 0 => Err(Failure::coded(
                Outcome::CouldNotTell,
                countersign::keys::codes::KEY_NOT_A_KEY_SET,
                format!("{name}: the JWK set is empty"),
            )),
            None => {
                let kid = wanted.unwrap_or_default();
                let message =
                    format!("{name}: no private key has the kid `{kid}`; there are {}", quoted(&known));
                Err(Failure::usage(message))
            }
        },
    }
}

fn quoted(kids: &[String]) -> String {
    kids.iter().map(|kid| format!("`{kid}`")).collect::<Vec<_>>().join(", ")
}

/// A key file that gives no keys.
pub(crate) fn unusable(name: &str, error: &KeyFileError) -> Failure {
    if let KeyFileError::Json(error) = error {
        return not_json(name, error);
    }
    let failure = coded(name, error.code(), error);
    if error.code() == countersign::keys::codes::KEY_ENCRYPTED {
        failure.with_help(
            "verifying needs the public half only: `countersign key public KEY --key-password-file FILE`",
        )
    } else {
        failure
    }
}

/// Says where a key file stops being JSON, and nothing of what stands there.
pub(crate) fn not_json(name: &str, error: &json::Error) -> Failure {
    Failure::coded(Outcome::CouldNotTell, error.code(), format!("{name}: {}", place(error)))
}

/// What is wrong in general, and where.
pub(crate) fn place(error: &json::Error) -> String {
    let (span, what) = (error.span(), error.code().page().what);
    format!("{} (line {}, column {})", what.trim_end_matches('.'), span.line, span.column)
}

pub(crate) fn coded(name: &str, code: Code, error: &dyn std::error::Error) -> Failure {
    Failure::coded(Outcome::CouldNotTell, code, format!("{name}: {error}"))
}
