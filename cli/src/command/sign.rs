//! `sign`: a card in, the same card with signatures out, or an endorsement beside it.

mod attach;
mod external;
mod merge;
mod process;

use std::fs;
use std::path::{Path, PathBuf};

use countersign::keys::{self, PreparedSigner, SignError};
use countersign::{Algorithm, Finding, KeySigner, NewEndorsement, NewSignature, Portability, SignCardError};
use countersign::{Shape, SignTerms, SignedCard, Signer, Stale, TrustedKeys, UnixTime, UntrustedCard};
use serde::Serialize;

use crate::args::{Format, SignArgs};
use crate::failure::{Failure, Stop};
use crate::input::{self, Found, Input, Source};
use crate::keyfile::{self, KeyText};
use crate::outcome::Outcome;
use crate::output::{self, Detail, FindingJson, Session, finding_line};
use crate::password;
use crate::render::{escape, hex};
use attach::Lines;
use external::{CommandSigner, NoSignature};

/// What is mostly wrong when a signature that was made elsewhere does not verify.
const PUBLIC_HALF: &str = "give the public half of the key that signed, and its signature unchanged";

#[derive(Serialize)]
struct SigningJson<'s> {
    schema: &'static str,
    card: &'s str,
    signatures: Vec<NewSignatureJson<'s>>,
    replaced: usize,
    stale: &'s [usize],
    findings: Vec<FindingJson<'s>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    endorsement: Option<String>,
}

#[derive(Serialize)]
struct NewSignatureJson<'s> {
    alg: &'static str,
    kid: &'s str,
    form: &'static str,
    thumbprint: String,
    payload_sha256: String,
}

/// Where the signed card goes, or what is made instead.
enum Target<'a> {
    Standard,
    File(&'a Path),
    /// The file of the card.
    InPlace(&'a Path),
    Endorsement(&'a Path),
}

/// What was made, for the report.
struct Made {
    signatures: Vec<NewSignature>,
    replaced: usize,
    stale: Vec<usize>,
    findings: Vec<Finding>,
}

pub(crate) fn run(args: &SignArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    input::refuse_second_standard(key_files(args).chain([&args.card]))?;
    if args.elsewhere.print_signing_input && args.endorsement.is_some() {
        let message =
            "`--print-signing-input` writes no endorsement: what is signed is the same as for the card";
        let help = "print without `--endorsement`, have it signed, then `--attach SIGNED --endorsement FILE`";
        return Err(Failure::usage(message).with_help(help).into());
    }
    let input = Input::single(&args.card);
    let target = target(args, &input, session)?;
    let now = session.now();
    let mut terms = terms(args, now)?;
    // Endorsements are read under the default limit, whatever is demanded of cards.
    if !matches!(target, Target::Endorsement(_)) {
        terms.max_octets = session.limits.max_octets;
    }
    let Some(public) = &args.public else {
        let signer = private_signer(args)?;
        let card = input.read_card(session)?;
        return sign(args, (&input, &card), &target, (&signer, &terms), session);
    };
    if let Some(file) = &args.elsewhere.attach {
        let lines = Lines::read(file, session.limits.max_octets)?;
        lines.bind(&mut terms, args, now)?;
        let signer = public_signer(public, Some(&lines.header.kid), Some(lines.algorithm()?), session)?;
        let card = input.read_card(session)?;
        let signer = lines.attach(&input, &card, signer, &terms)?;
        return sign(args, (&input, &card), &target, (&signer, &terms), session);
    }
    let signer = public_signer(public, args.kid.as_deref(), args.alg, session)?;
    let card = input.read_card(session)?;
    let Some(command) = &args.elsewhere.signer else {
        return attach::print(&input, &card, &signer, &terms, session);
    };
    let signer = CommandSigner::new(command, signer, args.kid.as_deref(), external::TIME_OUT)?;
    sign(args, (&input, &card), &target, (&signer, &terms), session).map_err(|stop| signer.explain(stop))
}

fn private_signer(args: &SignArgs) -> Result<KeySigner, Failure> {
    let text = match (&args.key, &args.key_env) {
        (Some(file), _) => KeyText::of_file(file)?,
        (None, Some(name)) => KeyText::of_variable(name)?,
        (None, None) => return Err(Failure::usage("no key: give `--key`, `--key-env` or `--public`")),
    };
    let password = password::read(&args.password)?;
    keyfile::signer(text, password.as_ref(), args.kid.as_deref(), args.alg)
}

/// The public key of a signer that is elsewhere.
fn public_signer(
    file: &Path,
    kid: Option<&str>,
    algorithm: Option<Algorithm>,
    session: &mut Session<'_>,
) -> Result<PreparedSigner, Stop> {
    let keys = keyfile::trusted(&[file.to_owned()])?;
    note_findings(&keys, session)?;
    Ok(keyfile::public_signer(&keys, &file.display().to_string(), kid, algorithm)?)
}

fn note_findings(keys: &TrustedKeys, session: &mut Session<'_>) -> Result<(), Stop> {
    for finding in keys.findings() {
        let line = finding_line(&finding.finding, finding.file.as_deref(), session.err.paint);
        session.note(&line)?;
    }
    Ok(())
}

/// Signs the card and writes it.
fn sign(
    args: &SignArgs,
    (input, card): (&Input, &UntrustedCard),
    target: &Target<'_>,
    (signer, terms): (&dyn Signer, &SignTerms),
    session: &mut Session<'_>,
) -> Result<Outcome, Stop> {
    let others = keyfile::trusted(&args.keys)?;
    note_findings(&others, session)?;
    if args.drop_stale && args.keys.is_empty() {
        session.note("note: without `--keys` only damaged signatures can be told from good ones")?;
    }
    if let (Some(asked), Some(own)) = (terms.kid.as_deref(), signer.kid())
        && asked != own
    {
        let (asked, own) = (escape(asked), escape(own));
        session.note(&format!(
            "note: the key's own kid is `{own}`; verifiers find a signature with kid `{asked}` only if their JWK says so"
        ))?;
    }
    let refused = |error: SignCardError| refusal(input, &error);
    let made = match target {
        Target::Standard => {
            let signed = card.sign(signer, terms, &others).map_err(refused)?;
            session.out.writer.write_all(&signed.octets)?;
            Made::from(signed)
        }
        Target::File(path) => {
            let signed = card.sign(signer, terms, &others).map_err(refused)?;
            output::replace_file(path, &signed.octets)?;
            Made::from(signed)
        }
        Target::InPlace(path) => {
            let signed = card.sign(signer, terms, &others).map_err(refused)?;
            merge::in_place(card, path, &signed.octets)?;
            Made::from(signed)
        }
        Target::Endorsement(path) => {
            Made::from(merge::endorse(card, path, (signer, terms), &others, refused)?)
        }
    };
    report(input, target, &made, session)?;
    Ok(Outcome::Yes)
}

impl From<SignedCard> for Made {
    fn from(SignedCard { signatures, replaced, stale, findings, .. }: SignedCard) -> Self {
        Self { signatures, replaced, stale, findings }
    }
}

impl From<NewEndorsement> for Made {
    fn from(NewEndorsement { signature, replaced, stale, findings, .. }: NewEndorsement) -> Self {
        Self { signatures: vec![signature], replaced, stale, findings }
    }
}

/// Every file that is read beside the card; some are secret.
fn key_files(args: &SignArgs) -> impl Iterator<Item = &PathBuf> {
    let elsewhere = args.public.iter().chain(&args.elsewhere.attach);
    args.key.iter().chain(&args.password.key_password_file).chain(&args.keys).chain(elsewhere)
}

/// Where the card goes; never silently over something that is read.
fn target<'a>(args: &'a SignArgs, input: &'a Input, session: &Session<'_>) -> Result<Target<'a>, Failure> {
    if input.source != Source::Standard && args.card.is_dir() {
        let message = format!("`{}` is a folder; `sign` takes one card", args.card.display());
        return Err(Failure::usage(message));
    }
    if args.in_place {
        return match &input.source {
            Source::File(path) => Ok(Target::InPlace(path)),
            Source::Standard => Err(Failure::usage("`--in-place` needs a card file, not standard input")),
        };
    }
    let is_standard = |path: &&Path| *path == Path::new("-");
    if let Some(file) = args.endorsement.as_deref() {
        if is_standard(&file) {
            return Err(Failure::usage("`--endorsement` needs a file, not standard output"));
        }
        refuse_input(args, file, "an endorsement is a file of its own, beside the card")?;
        return Ok(Target::Endorsement(file));
    }
    let Some(output) = args.output.as_deref().filter(|path| !is_standard(path)) else {
        return Ok(Target::Standard);
    };
    refuse_input(args, output, "use `--in-place` to replace it")?;
    refuse_other_document(output, session)?;
    Ok(Target::File(output))
}

/// Refuses to write over a file that is neither empty nor a card: it may be the only copy of a key.
fn refuse_other_document(output: &Path, session: &Session<'_>) -> Result<(), Failure> {
    match fs::metadata(output) {
        Ok(metadata) if metadata.is_file() && metadata.len() > 0 => {}
        // What is there is no document, or nothing is; writing tells what else is wrong.
        _ => return Ok(()),
    }
    let is_card = match Input::single(output).read(session)? {
        Found::Card(card) => card.shape(None) != Shape::Foreign,
        Found::Unreadable { .. } => false,
    };
    if is_card {
        return Ok(());
    }
    let message = format!("`{}` exists and is no AgentCard; it is not overwritten", output.display());
    Err(Failure::usage(message).with_help("name another file, or remove this one yourself"))
}

/// Refuses to write over something that is read, or to a link to nowhere; `help` is for the card.
fn refuse_input(args: &SignArgs, file: &Path, help: &str) -> Result<(), Failure> {
    output::resolve(file)?;
    if output::is_same(file, &args.card) {
        let message = format!("`{}` is the card that is read", file.display());
        return Err(Failure::usage(message).with_help(help));
    }
    if key_files(args).any(|path| output::is_same(file, path)) {
        return Err(Failure::usage(format!("`{}` is a key file that is read", file.display())));
    }
    Ok(())
}

fn terms(args: &SignArgs, now: UnixTime) -> Result<SignTerms, Failure> {
    let mut terms = SignTerms::default();
    terms.forms.clone_from(&args.forms);
    terms.kid.clone_from(&args.kid);
    terms.jku.clone_from(&args.jku);
    terms.issued_at = args.issued_at.map(|issued| issued.resolve(now));
    terms.expires_at = args.expires.map(|expires| expires.resolve(now));
    if let Some(expires) = terms.expires_at.filter(|expires| *expires <= now) {
        return Err(Failure::usage(format!("`--expires` is {expires}, which is not after now, {now}")));
    }
    if let (Some(issued), Some(expires)) = (terms.issued_at, terms.expires_at)
        && expires <= issued
    {
        return Err(Failure::usage(format!(
            "`--expires` is {expires}, which is not after `--issued-at`, {issued}"
        )));
    }
    terms.portability = if args.require_portable { Portability::Require } else { Portability::Report };
    terms.judged_at = Some(now);
    terms.stale = if args.drop_stale { Stale::Drop } else { Stale::Keep };
    terms.coverage.allowed.clone_from(&args.allow_uncovered);
    Ok(terms)
}

/// A card that is refused is a no; a form or key that cannot be used is no answer.
fn refusal(input: &Input, error: &SignCardError) -> Failure {
    let is_about_the_call = matches!(
        error,
        SignCardError::FormNotSignable { .. }
            | SignCardError::SelfCheck
            | SignCardError::SeveralPayloads { .. }
            | SignCardError::OtherPayload { .. }
            | SignCardError::Signer(
                SignError::AlgorithmKeyMismatch { .. } | SignError::NotPrepared | SignError::Refused(_)
            )
    );
    let outcome = if is_about_the_call {
        Outcome::CouldNotTell
    } else if let SignCardError::Signer(SignError::External { source }) = error {
        source.downcast_ref::<NoSignature>().map_or(Outcome::CouldNotTell, |error| error.outcome)
    } else if matches!(error, SignCardError::Signer(_)) {
        Outcome::Environment
    } else {
        Outcome::No
    };
    if let SignCardError::Signer(SignError::External { source }) = error {
        let message = format!("{error}: {source}");
        return input.about(Failure::coded(outcome, error.code(), message));
    }
    let help = if let SignCardError::OtherPayload { is_for, .. } = error {
        match is_for {
            Some(form) => {
                format!("`--form {form}` adds to it; an endorsement under another form needs another file")
            }
            None => "name another file, or remove this one yourself".to_owned(),
        }
    } else {
        error.code().page().instead.to_owned()
    };
    input.about(Failure::coded(outcome, error.code(), error.to_string()).with_help(help))
}

fn report(input: &Input, target: &Target<'_>, made: &Made, session: &mut Session<'_>) -> Result<(), Stop> {
    let name = input.name();
    let path = match target {
        Target::Standard => None,
        Target::File(path) | Target::InPlace(path) | Target::Endorsement(path) => {
            Some(path.display().to_string())
        }
    };
    let is_endorsement = matches!(target, Target::Endorsement(_));
    if path.is_some() && session.format == Format::Json {
        let signatures = made.signatures.iter().map(|signature| NewSignatureJson {
            alg: signature.algorithm.name(),
            kid: &signature.kid,
            form: signature.form.name(),
            thumbprint: signature.thumbprint.to_string(),
            payload_sha256: hex(&keys::sha256(&signature.payload)),
        });
        session.json(&SigningJson {
            schema: "countersign.signing/1",
            card: &name,
            signatures: signatures.collect(),
            replaced: made.replaced,
            stale: &made.stale,
            findings: made.findings.iter().map(FindingJson::about_card).collect(),
            endorsement: path.filter(|_| is_endorsement),
        })?;
        return Ok(());
    }
    for finding in &made.findings {
        let line = finding_line(finding, None, session.err.paint);
        session.note(&line)?;
    }
    let to = path.map(|path| format!(" -> {}", escape(&path))).unwrap_or_default();
    let verdict = session.err.paint.good(if is_endorsement { "endorsed" } else { "signed" });
    for signature in &made.signatures {
        let (algorithm, form) = (signature.algorithm, signature.form);
        let kid = escape(&signature.kid);
        session.note(&format!("{}: {verdict} {algorithm} {kid} {form}{to}", escape(&name)))?;
        if session.detail == Detail::Verbose {
            session.remark(&format!("  thumbprint {}", signature.thumbprint))?;
            session.remark(&format!("  payload sha256 {}", hex(&keys::sha256(&signature.payload))))?;
        }
    }
    if made.replaced > 0 {
        session.note(&format!("  replaced {} earlier of this key", made.replaced))?;
    }
    Ok(())
}
