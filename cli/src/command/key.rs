//! `key generate`, `key public`, `key show`.

use std::path::Path;

use countersign::keys::{self, json, jwk, pem};
use countersign::{Algorithm, Finding, Level, Limits, SigningKey, VerifyingKey};
use serde::Serialize;
use zeroize::{Zeroize as _, Zeroizing};

use crate::args::{Format, GenerateArgs, KeyCommand, PublicArgs, PublicForm, ShowArgs};
use crate::failure::{Failure, Stop};
use crate::input;
use crate::keyfile::{self, KeyText};
use crate::outcome::Outcome;
use crate::output::{self, Access, Session, finding_line};
use crate::password;
use crate::render::escape;

pub(crate) fn run(command: &KeyCommand, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    match command {
        KeyCommand::Generate(args) => generate(args, session),
        KeyCommand::Public(args) => public(args, session),
        KeyCommand::Show(args) => show(args, session),
    }
}

/// What is written about one key.
#[derive(Serialize)]
struct KeyJson<'k> {
    schema: &'static str,
    file: &'k str,
    kty: &'static str,
    crv: Option<&'static str>,
    alg: Option<&'static str>,
    bits: usize,
    kid: Option<&'k str>,
    thumbprint: String,
    private: bool,
}

/// The half of a key that is public, and what is known beside it.
struct Shown {
    key: VerifyingKey,
    kid: Option<String>,
    /// The algorithm the key is bound to, if it is to one.
    algorithm: Option<Algorithm>,
    half: Half,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Public,
    Private,
}

fn generate(args: &GenerateArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let private_form = args.out.as_deref().map(private_form).transpose()?;
    let public_form = args.public.as_deref().map(public_form).transpose()?;
    for file in args.out.iter().chain(&args.public) {
        output::refuse_existing(file)?;
    }
    if args.out.is_some() && args.out == args.public {
        return Err(Failure::usage("`--out` and `--public` name the same file").into());
    }
    let key = SigningKey::generate(args.alg).map_err(|error| Failure {
        outcome: Outcome::Environment,
        ..keyfile::coded("key generate", error.code(), &error)
    })?;
    let public = key.verifying_key().clone();
    let kid = args.kid.clone().unwrap_or_else(|| public.thumbprint().to_string());
    let private = match private_form {
        Some(PrivateForm::Pem) => key.to_pkcs8_pem(),
        Some(PrivateForm::Jwk) | None => key.to_private_jwk(Some(&kid), Some(args.alg)).map(with_line_end),
    };
    let private = private.map_err(encoding)?;
    match &args.out {
        Some(file) => output::create_file(file, Access::Owner, private.as_bytes())?,
        None => session.out.writer.write_all(private.as_bytes())?,
    }
    let shown = Shown { key: public, kid: Some(kid), algorithm: Some(args.alg), half: Half::Private };
    if let (Some(file), Some(form)) = (&args.public, public_form) {
        let text = written(std::slice::from_ref(&shown), form)?;
        output::create_file(file, Access::Default, text.as_bytes())?;
    }
    if let Some(file) = &args.out {
        print(&shown, &file.display().to_string(), session)?;
        if private_form == Some(PrivateForm::Pem) && args.kid.is_some() {
            session.note("note: PEM holds no kid; give it to `sign` with `--kid`")?;
        }
    }
    Ok(Outcome::Yes)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PrivateForm {
    Pem,
    Jwk,
}

fn private_form(path: &Path) -> Result<PrivateForm, Failure> {
    match extension(path).as_str() {
        "pem" => Ok(PrivateForm::Pem),
        "jwk" | "json" => Ok(PrivateForm::Jwk),
        _ => Err(Failure::usage("the private key goes into a .pem, .jwk or .json file")),
    }
}

fn public_form(path: &Path) -> Result<PublicForm, Failure> {
    match extension(path).as_str() {
        "pem" => Ok(PublicForm::Pem),
        "jwk" => Ok(PublicForm::Jwk),
        "jwks" | "json" => Ok(PublicForm::Jwks),
        _ => Err(Failure::usage("the public key goes into a .jwks, .json, .jwk or .pem file")),
    }
}

fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

fn public(args: &PublicArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    input::refuse_second_standard(args.files.iter().chain(&args.password.key_password_file))?;
    let password = password::read(&args.password)?;
    let mut keys = Vec::new();
    for file in &args.files {
        keys.extend(read(file, password.as_ref(), session)?);
    }
    let text = written(&keys, args.form)?;
    session.out.writer.write_all(text.as_bytes())?;
    Ok(Outcome::Yes)
}

fn show(args: &ShowArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    input::refuse_second_standard(args.files.iter().chain(&args.password.key_password_file))?;
    let password = password::read(&args.password)?;
    for file in &args.files {
        for key in read(file, password.as_ref(), session)? {
            print(&key, &file.display().to_string(), session)?;
        }
    }
    Ok(Outcome::Yes)
}

/// The keys of a file that can be used; the others are told on standard error.
fn read(
    file: &Path,
    password: Option<&pem::Password>,
    session: &mut Session<'_>,
) -> Result<Vec<Shown>, Stop> {
    let text = KeyText::of_file(file)?;
    if pem::looks_like_pem(&text.octets) {
        return Ok(vec![match keyfile::read_pem(&text, password)? {
            pem::PemKey::Private(key) => Shown::bare(key.verifying_key().clone(), Half::Private),
            pem::PemKey::Public(key) => Shown::bare(key, Half::Public),
            _ => {
                return Err(
                    Failure::usage(format!("{}: the kind of key is not known here", text.name)).into()
                );
            }
        }]);
    }
    let KeyText { mut octets, name, .. } = text;
    let mut document = json::Document::read(std::mem::take(&mut *octets), &Limits::default())
        .map_err(|error| keyfile::not_json(&name, &error))?;
    let entries = jwk::read_public(&document);
    document.zeroize();
    let entries = entries.map_err(|error| keyfile::coded(&name, error.code(), &error))?.entries;
    let mut shown = Vec::new();
    let (mut refused, mut remarks) = (None, Vec::new());
    for entry in entries {
        let is_private = |finding: &Finding| finding.code == keys::codes::KEY_PRIVATE_IN_PUBLIC_SET;
        let half = if entry.findings.iter().any(is_private) { Half::Private } else { Half::Public };
        // Private members are no surprise here: `key show` says so itself.
        remarks.extend(
            entry.findings.into_iter().filter(|finding| !is_private(finding) && finding.level > Level::Info),
        );
        match entry.key {
            Ok(jwk) => shown.push(Shown { key: jwk.key, kid: entry.kid, algorithm: jwk.algorithm, half }),
            Err(error) => refused = refused.or(Some(keyfile::coded(&name, error.code(), &error))),
        }
    }
    if shown.is_empty() {
        let empty = || {
            let message = format!("{name}: the JWK set is empty");
            Failure::coded(Outcome::CouldNotTell, keys::codes::KEY_NOT_A_KEY_SET, message)
        };
        return Err(refused.unwrap_or_else(empty).into());
    }
    for finding in &remarks {
        let line = finding_line(finding, Some(&name), session.err.paint);
        session.note(&line)?;
    }
    Ok(shown)
}

impl Shown {
    fn bare(key: VerifyingKey, half: Half) -> Self {
        Self { key, kid: None, algorithm: None, half }
    }

    /// Its `kid`, else the thumbprint.
    fn public_kid(&self) -> String {
        self.kid.clone().unwrap_or_else(|| self.key.thumbprint().to_string())
    }
}

/// The public halves as text that ends with a line break.
fn written(keys: &[Shown], form: PublicForm) -> Result<String, Failure> {
    let kids: Vec<String> = keys.iter().map(Shown::public_kid).collect();
    if form == PublicForm::Jwks {
        let entries = keys.iter().zip(&kids).map(|(key, kid)| (&key.key, Some(kid.as_str()), key.algorithm));
        return keys::to_jwk_set(entries).map(|text| text + "\n").map_err(encoding);
    }
    let ([key], [kid]) = (keys, kids.as_slice()) else {
        let message = format!("there are {} keys; a JWK or PEM file holds one", keys.len());
        return Err(Failure::usage(message).with_help("use `--as jwks`"));
    };
    let text = match form {
        PublicForm::Pem => key.key.to_spki_pem(),
        PublicForm::Jwk | PublicForm::Jwks => {
            key.key.to_jwk(Some(kid), key.algorithm).map(|text| text + "\n")
        }
    };
    text.map_err(encoding)
}

fn print(shown: &Shown, file: &str, session: &mut Session<'_>) -> Result<(), Stop> {
    let kind = shown.key.kind();
    let algorithm = shown.algorithm.map(Algorithm::name);
    let thumbprint = shown.key.thumbprint().to_string();
    let half = if shown.half == Half::Private { "private" } else { "public" };
    let usable: Vec<_> = match shown.algorithm {
        Some(algorithm) => vec![algorithm.name()],
        None => kind.algorithms().iter().map(|algorithm| algorithm.name()).collect(),
    };
    match session.format {
        Format::Json => session.json(&KeyJson {
            schema: "countersign.key/1",
            file,
            kty: kind.kty(),
            crv: kind.crv(),
            alg: algorithm,
            bits: shown.key.bits(),
            kid: shown.kid.as_deref(),
            thumbprint,
            private: shown.half == Half::Private,
        })?,
        Format::Short => {
            let kid = escape(&shown.public_kid());
            session.data(&format!("{}: {half} {kind} {} {kid}", escape(file), usable.join(",")))?;
        }
        Format::Human => {
            let paint = session.out.paint;
            session.data(&format!("{}: {half} {} key", paint.bold(&escape(file)), kind.kty()))?;
            let curve = kind.crv().map(|crv| format!(" on {crv}")).unwrap_or_default();
            session.data(&format!("  size        {} bits{curve}", shown.key.bits()))?;
            session.data(&format!("  algorithm   {}", usable.join(", ")))?;
            let kid = shown.kid.as_deref().map_or_else(|| "none".to_owned(), escape);
            session.data(&format!("  kid         {kid}"))?;
            session.data(&format!("  thumbprint  {thumbprint}"))?;
        }
    }
    Ok(())
}

fn with_line_end(mut text: Zeroizing<String>) -> Zeroizing<String> {
    // Room for the line end was not reserved: the text moves into an allocation of its own size, the old one is wiped.
    let mut line = Zeroizing::new(String::with_capacity(text.len() + 1));
    line.push_str(&text);
    line.push('\n');
    text.zeroize();
    line
}

fn encoding(error: keys::KeyError) -> Failure {
    keyfile::coded("the key", error.code(), &error)
}
