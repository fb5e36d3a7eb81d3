//! Signing in two steps: what is to be signed is printed, and the signatures are attached later.

use std::path::Path;

use countersign::keys::jws::ProtectedHeader;
use countersign::keys::{PreparedSigner, base64url, codes, json};
use countersign::{Algorithm, Form, Limits, SignTerms, Signer, UnixTime, UntrustedCard};
use serde::Serialize;

use super::{PUBLIC_HALF, refusal};
use crate::args::SignArgs;
use crate::failure::{Failure, Stop};
use crate::input::Input;
use crate::keyfile;
use crate::outcome::Outcome;
use crate::output::Session;

/// Octets of a line beside its signing input: header, signature and names.
const LINE_RESERVE: usize = 64 * 1024;

const PRINT_AGAIN: &str =
    "print what is to be signed again with `--print-signing-input`, and have that signed";

const ONE_A_LINE: &str = "the file has one JSON object a line: `jq -c . FILE` writes them so, `jq -c '.[]' FILE` those of an array";

#[derive(Serialize)]
struct SigningInputJson<'i> {
    protected: &'i str,
    signing_input: String,
    digest: Option<String>,
    form: &'static str,
}

/// One line of the file, with the signature that was made.
struct Line {
    number: usize,
    protected: String,
    signing_input: Vec<u8>,
    form: Form,
    signature: Vec<u8>,
}

/// Lines of one file, of which there is at least one; they share their protected header.
pub(super) struct Lines {
    name: String,
    lines: Vec<Line>,
    protected: String,
    pub(super) header: ProtectedHeader,
}

/// One JSON line for each signature.
pub(super) fn print(
    input: &Input,
    card: &UntrustedCard,
    signer: &PreparedSigner,
    terms: &SignTerms,
    session: &mut Session<'_>,
) -> Result<Outcome, Stop> {
    let inputs = card.signing_inputs(signer, terms).map_err(|error| refusal(input, &error))?;
    for input in inputs {
        session.json(&SigningInputJson {
            protected: &input.protected,
            signing_input: base64url::encode(&input.octets),
            digest: signer.algorithm().digest(&input.octets).map(|digest| base64url::encode(&digest)),
            form: input.form.name(),
        })?;
    }
    Ok(Outcome::Yes)
}

impl Lines {
    /// Reads the file; `card_limit` is the longest card that is read.
    pub(super) fn read(path: &Path, card_limit: usize) -> Result<Self, Failure> {
        let name = path.display().to_string();
        // A card is encoded twice, which makes 16 octets of 9.
        let line_limit = card_limit.saturating_mul(2).saturating_add(LINE_RESERVE);
        let limit = line_limit.saturating_mul(Form::SIGNABLE.len());
        let octets =
            keyfile::read_secret_file(path, limit).map_err(|error| Failure::reading(path, &error))?;
        if octets.len() > limit {
            let message = format!("{name}: the file has more than {limit} octets");
            return Err(Failure::coded(Outcome::CouldNotTell, codes::JSON_TOO_LARGE, message));
        }
        let limits = Limits::default().with_max_octets(line_limit);
        let mut lines = Vec::new();
        for (number, text) in (1..).zip(octets.split(|octet| *octet == b'\n')) {
            if !text.trim_ascii().is_empty() {
                lines.push(Line::read(text, number, &limits, &name)?);
            }
        }
        let Some(first) = lines.first() else {
            return Err(Failure::usage(format!("{name}: there is no line in it")));
        };
        let protected = first.protected.clone();
        if let Some(other) = lines.iter().find(|line| line.protected != protected) {
            let message = format!("{name}, line {}: `protected` is not that of the first line", other.number);
            return Err(Failure::usage(message).with_help(PRINT_AGAIN));
        }
        let header = ProtectedHeader::read(&protected, None)
            .map_err(|error| keyfile::coded(&name, error.code(), &error))?;
        Ok(Self { name, lines, protected, header })
    }

    /// The algorithm of the printed header.
    pub(super) fn algorithm(&self) -> Result<Algorithm, Failure> {
        self.header.algorithm().ok_or_else(|| {
            let message =
                format!("{}: the printed header has the unknown `alg` `{}`", self.name, self.header.alg);
            Failure::coded(Outcome::CouldNotTell, codes::SIG_ALGORITHM_UNSUPPORTED, message)
        })
    }

    /// Takes what the printed header says into the terms.
    pub(super) fn bind(&self, terms: &mut SignTerms, args: &SignArgs, now: UnixTime) -> Result<(), Failure> {
        let name = &self.name;
        if let Some(asked) = args.kid.as_deref().filter(|asked| *asked != self.header.kid) {
            let message = format!(
                "{name}: the printed header has the kid `{}`, `{asked}` was asked for",
                self.header.kid
            );
            return Err(Failure::usage(message));
        }
        terms.kid = Some(self.header.kid.clone());
        terms.jku.clone_from(&self.header.jku);
        terms.issued_at = self.header.iat.map(UnixTime::from_seconds);
        terms.expires_at = self.header.exp.map(UnixTime::from_seconds);
        match terms.expires_at.filter(|expires| *expires <= now) {
            Some(expires) => {
                let message =
                    format!("{name}: the printed `exp` is {expires}, which is not after now, {now}");
                Err(Failure::usage(message).with_help(PRINT_AGAIN))
            }
            None => Ok(()),
        }
    }

    /// The signer with a signature for everything that is to be signed, each verified with the public key.
    pub(super) fn attach(
        &self,
        input: &Input,
        card: &UntrustedCard,
        mut signer: PreparedSigner,
        terms: &SignTerms,
    ) -> Result<PreparedSigner, Failure> {
        let name = &self.name;
        let inputs = card.signing_inputs(&signer, terms).map_err(|error| refusal(input, &error))?;
        let mut used = Vec::new();
        for wanted in &inputs {
            let form = wanted.form;
            let Some(line) = self.lines.iter().find(|line| line.form == form) else {
                let message = format!("{name}: no line has the form `{form}`, which is to be signed");
                return Err(Failure::usage(message).with_help(
                    "give each `--form` as for `--print-signing-input`, and every line that it printed",
                ));
            };
            if self.protected != wanted.protected {
                let message = format!(
                    "{name}, line {}: `protected` is not as `--print-signing-input` prints it",
                    line.number
                );
                return Err(differs(message));
            }
            if line.signing_input != wanted.octets {
                let message = format!(
                    "{name}, line {}: `signing_input` is not that of the card under `{form}`: the card was changed, \
                     or the line is another card's",
                    line.number
                );
                return Err(differs(message));
            }
            signer = signer.with_signature(&wanted.octets, &line.signature).map_err(|error| {
                keyfile::coded(&format!("{name}, line {}", line.number), error.code(), &error)
                    .with_help(PUBLIC_HALF)
            })?;
            used.push(line.number);
        }
        match self.lines.iter().find(|line| !used.contains(&line.number)) {
            Some(line) => {
                let (number, form) = (line.number, line.form);
                let message = format!("{name}, line {number}: a signature under `{form}` was not asked for");
                Err(Failure::usage(message).with_help("give each `--form` as for `--print-signing-input`"))
            }
            None => Ok(signer),
        }
    }
}

impl Line {
    fn read(text: &[u8], number: usize, limits: &Limits, name: &str) -> Result<Self, Failure> {
        let name = format!("{name}, line {number}");
        let document = json::Document::read(text, limits)
            .map_err(|error| keyfile::not_json(&name, &error).with_help(ONE_A_LINE))?;
        if document.root().kind() == json::Kind::Array {
            return Err(Failure::usage(format!("{name}: an array is no line")).with_help(ONE_A_LINE));
        }
        let member = |member: &str| {
            let text = document.root().member(member).and_then(json::Value::as_text);
            text.ok_or_else(|| {
                Failure::usage(format!("{name}: the text `{member}` is missing")).with_help(
                    "a line has the members that `--print-signing-input` prints, and `signature` in base64url",
                )
            })
        };
        let octets = |name_of: &str| {
            base64url::decode(member(name_of)?)
                .map_err(|error| Failure::usage(format!("{name}: `{name_of}` is not base64url: {error}")))
        };
        let form = member("form")?;
        Ok(Self {
            number,
            protected: member("protected")?.to_owned(),
            signing_input: octets("signing_input")?,
            form: form.parse().map_err(|_| Failure::usage(format!("{name}: `form` names no form")))?,
            signature: octets("signature")?,
        })
    }
}

fn differs(message: String) -> Failure {
    Failure::coded(Outcome::CouldNotTell, codes::SIG_INVALID, message).with_help(PRINT_AGAIN)
}
