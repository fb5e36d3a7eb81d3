//! `verify`: which trusted keys signed a card, and what no signature covers.

use countersign::keys::trust::KeyFinding;
use countersign::{
    CardOutcome, Class, Code, Diagnosis, DiagnosisHints, EndorsementReport, Fate, Finding, Level, Matching,
    SignatureOutcome, SignatureReport, TrustedKeys, UncoveredMember, UnixTime, VerificationReport,
    VerifyTerms, codes, keys,
};
use serde::Serialize;

use crate::args::{Format, VerifyArgs};
use crate::endorsement::Endorsements;
use crate::failure::{Failure, Stop};
use crate::input::{self, Found, Input};
use crate::keyfile;
use crate::outcome::Outcome;
use crate::output::{Detail, FindingJson, Session, finding_line};
use crate::render::{Paint, escape, hex};

const SCHEMA: &str = "countersign.verification/1";

#[derive(Serialize)]
struct VerificationJson<'r> {
    schema: &'static str,
    card: &'r str,
    outcome: &'static str,
    codes: Vec<&'static str>,
    signatures: Vec<SignatureJson<'r>>,
    uncovered: Vec<UncoveredJson<'r>>,
    findings: Vec<FindingJson<'r>>,
    diagnosis: Vec<DiagnosisJson<'r>>,
    payload_sha256: Option<String>,
    /// Only when endorsements were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    endorsements: Option<Vec<EndorsementJson<'r>>>,
}

/// One signature of an endorsement.
#[derive(Serialize)]
struct EndorsementJson<'r> {
    file: &'r str,
    #[serde(flatten)]
    signature: SignatureJson<'r>,
}

#[derive(Serialize)]
struct SignatureJson<'r> {
    index: usize,
    outcome: &'static str,
    alg: Option<&'r str>,
    kid: Option<&'r str>,
    form: Option<&'static str>,
    forms: Vec<&'static str>,
    key: Option<&'r str>,
    thumbprint: Option<String>,
    codes: Vec<&'static str>,
    iat: Option<i64>,
    exp: Option<i64>,
}

#[derive(Serialize)]
struct UncoveredJson<'r> {
    pointer: &'r str,
    class: &'static str,
}

#[derive(Serialize)]
pub(super) struct DiagnosisJson<'r> {
    index: usize,
    cause: &'static str,
    form: Option<&'static str>,
    message: &'r str,
}

/// The answer for one card.
struct Answer<'a> {
    name: String,
    keys: &'a TrustedKeys,
    key_findings: &'a [KeyFinding],
    endorsements: &'a Endorsements,
    report: VerificationReport,
    /// After a no: what explains it, for each signature.
    diagnosis: Vec<Diagnosis>,
    payload_sha256: Option<String>,
}

pub(crate) fn run(args: &VerifyArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    input::refuse_second_standard(args.keys.iter().chain(&args.endorsements).chain(&args.cards))?;
    let keys = keyfile::trusted(&args.keys)?;
    let key_findings = keys.findings();
    if session.format != Format::Json {
        for finding in &key_findings {
            let line = finding_line(&finding.finding, finding.file.as_deref(), session.err.paint);
            session.note(&line)?;
        }
    }
    let mut terms = VerifyTerms::default();
    if !args.forms.is_empty() {
        terms.forms.clone_from(&args.forms);
    }
    terms.min = args.min;
    terms.matching = Matching::All;
    terms.coverage.allowed.clone_from(&args.allow_uncovered);
    let mut hints = DiagnosisHints::default();
    hints.expected_hosts.clone_from(&args.expected_hosts);
    let now = session.now();
    let mut endorsements = Endorsements::read(&args.endorsements, session)?;
    let outcome = input::each(session, &args.cards, |session, input, found| match found {
        Found::Unreadable { failure, pointer } => {
            unreadable(input, failure, &pointer, (&key_findings, &endorsements), session)?;
            Ok(Outcome::No)
        }
        Found::Card(card) => {
            let other = card.other_document();
            let (mut report, diagnosis, payload_sha256) =
                match card.verify_with_endorsements(&endorsements.read, &keys, &terms, now) {
                    Ok(verified) => {
                        let digest = hex(&keys::sha256(verified.payload().octets()));
                        (verified.report().clone(), Vec::new(), Some(digest))
                    }
                    Err(refused) => {
                        // One line for each card has no room for it.
                        let is_told = session.format != Format::Short;
                        let diagnosis =
                            if is_told { refused.diagnose(&keys, &terms, &hints) } else { Vec::new() };
                        (refused.report().clone(), diagnosis, None)
                    }
                };
            report.findings.extend(other);
            endorsements.note_use(&report.endorsements);
            let answer = Answer {
                name: input.name(),
                keys: &keys,
                key_findings: &key_findings,
                endorsements: &endorsements,
                report,
                diagnosis,
                payload_sha256,
            };
            answer.print(session)?;
            Ok(answer.outcome())
        }
    })?;
    if session.format != Format::Json {
        for file in endorsements.unused() {
            let message = "the endorsement is for none of these cards";
            let finding = Finding::new(codes::ENDORSEMENT_PAYLOAD_MISMATCH, Level::Warning, message);
            session.note(&finding_line(&finding, Some(file), session.err.paint))?;
        }
    }
    Ok(endorsements.outcome(outcome))
}

fn unreadable(
    input: &Input,
    failure: Failure,
    pointer: &str,
    (key_findings, endorsements): (&[KeyFinding], &Endorsements),
    session: &mut Session<'_>,
) -> Result<(), Stop> {
    let name = input.name();
    let code = failure.code.map(Code::name).unwrap_or_default();
    match session.format {
        Format::Json => {
            let own = FindingJson::unreadable(&failure, pointer);
            let findings = own.into_iter().chain(findings_of_files(key_findings, endorsements)).collect();
            session.json(&VerificationJson {
                schema: SCHEMA,
                card: &name,
                outcome: "unreadable",
                codes: vec![code],
                signatures: Vec::new(),
                uncovered: Vec::new(),
                findings,
                diagnosis: Vec::new(),
                payload_sha256: None,
                endorsements: endorsements.is_given().then(Vec::new),
            })?;
        }
        Format::Short => session.say(&format!("{}: unreadable {code}", escape(&name)))?,
        Format::Human => {
            let paint = session.out.paint;
            let head = format!("{}: {}", paint.bold(&escape(&name)), paint.bad("unreadable"));
            session.say(&format!("{head} [{code}]"))?;
            session.say(&format!("  {}", escape(&failure.message)))?;
            if let Some(code) = failure.code {
                session
                    .say(&format!("  help: {}", failure.help.as_deref().unwrap_or(code.page().instead)))?;
            }
        }
    }
    Ok(())
}

/// What is to be said about the files beside the cards.
fn findings_of_files<'f>(
    key_findings: &'f [KeyFinding],
    endorsements: &'f Endorsements,
) -> impl Iterator<Item = FindingJson<'f>> {
    let unreadable = endorsements.unreadable().iter().filter_map(FindingJson::about_endorsement);
    key_findings.iter().map(FindingJson::about_key).chain(unreadable)
}

impl Answer<'_> {
    fn outcome(&self) -> Outcome {
        match self.report.outcome {
            CardOutcome::Verified => Outcome::Yes,
            CardOutcome::Invalid
            | CardOutcome::Unverifiable
            | CardOutcome::Malformed
            | CardOutcome::Unsigned => Outcome::No,
        }
    }

    fn print(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        match session.format {
            Format::Json => session.json(&self.json())?,
            Format::Short => session.say(&self.line())?,
            Format::Human => {
                for line in self.tree(session.out.paint, session.detail) {
                    session.say(&line)?;
                }
            }
        }
        Ok(())
    }

    /// The `kid` of the trusted key that made the signature; of several entries for one key the one that is named.
    fn key_name(&self, signature: &SignatureReport) -> Option<&str> {
        let thumbprint = signature.thumbprint?;
        let same = || self.keys.keys().iter().filter(|key| key.thumbprint() == thumbprint);
        let named = same().find(|key| key.kid().is_some() && key.kid() == signature.kid.as_deref());
        named.or_else(|| same().next()).and_then(|key| key.kid())
    }

    fn json(&self) -> VerificationJson<'_> {
        let report = &self.report;
        let own = report.findings.iter().map(FindingJson::about_card);
        let in_endorsements = report.endorsements.iter().flat_map(|endorsement| {
            let file = self.endorsements.name(endorsement);
            endorsement.findings.iter().map(move |finding| FindingJson::in_file(finding, file))
        });
        let endorsed = report.endorsements.iter().flat_map(|endorsement| {
            let file = self.endorsements.name(endorsement);
            let json = move |signature| EndorsementJson { file, signature: self.signature_json(signature) };
            endorsement.signatures.iter().map(json)
        });
        VerificationJson {
            schema: SCHEMA,
            card: &self.name,
            outcome: report.outcome.name(),
            codes: names(&report.codes),
            signatures: report.signatures.iter().map(|signature| self.signature_json(signature)).collect(),
            uncovered: report.uncovered.iter().map(UncoveredJson::new).collect(),
            findings: own
                .chain(in_endorsements)
                .chain(findings_of_files(self.key_findings, self.endorsements))
                .collect(),
            diagnosis: self.diagnosis.iter().map(DiagnosisJson::new).collect(),
            payload_sha256: self.payload_sha256.clone(),
            endorsements: self.endorsements.is_given().then(|| endorsed.collect()),
        }
    }

    fn signature_json<'r>(&'r self, signature: &'r SignatureReport) -> SignatureJson<'r> {
        SignatureJson {
            index: signature.index,
            outcome: signature.outcome.name(),
            alg: signature.algorithm.as_deref(),
            kid: signature.kid.as_deref(),
            form: signature.form.map(countersign::Form::name),
            forms: signature.forms.iter().map(|form| form.name()).collect(),
            key: self.key_name(signature),
            thumbprint: signature.thumbprint.map(|thumbprint| thumbprint.to_string()),
            codes: names(&signature.codes),
            iat: signature.issued_at.map(UnixTime::seconds),
            exp: signature.expires_at.map(UnixTime::seconds),
        }
    }

    /// `card.json: verified ES256 k1 a2a-1.0`, with the codes of warnings, or the outcome with its codes.
    fn line(&self) -> String {
        let report = &self.report;
        let mut line = format!("{}: {}", escape(&self.name), report.outcome.name());
        if report.outcome != CardOutcome::Verified {
            for code in &report.codes {
                line.push(' ');
                line.push_str(code.name());
            }
            return line;
        }
        let is_verified = |one: &&SignatureReport| one.outcome == SignatureOutcome::Verified;
        let mut signers: Vec<String> = report.signatures.iter().filter(is_verified).map(signer).collect();
        for endorsement in &report.endorsements {
            let file = escape(self.endorsements.name(endorsement));
            let verified = endorsement.signatures.iter().filter(is_verified);
            signers.extend(verified.map(|signature| format!("{} ({file})", signer(signature))));
        }
        let in_endorsements = report.endorsements.iter().flat_map(|endorsement| &endorsement.findings);
        let findings = report.findings.iter().chain(in_endorsements);
        let mut warnings: Vec<&str> = Vec::new();
        for finding in findings.filter(|finding| finding.level == Level::Warning) {
            if !warnings.contains(&finding.code.name()) {
                warnings.push(finding.code.name());
            }
        }
        let warnings =
            if warnings.is_empty() { String::new() } else { format!(" (warning {})", warnings.join(" ")) };
        format!("{line} {}{warnings}", signers.join(", "))
    }

    fn tree(&self, paint: Paint, detail: Detail) -> Vec<String> {
        let report = &self.report;
        let outcome = match self.outcome() {
            Outcome::Yes => paint.good(report.outcome.name()),
            Outcome::No | Outcome::CouldNotTell | Outcome::Environment => paint.bad(report.outcome.name()),
        };
        let codes = if report.codes.is_empty() {
            String::new()
        } else {
            format!(" [{}]", names(&report.codes).join(", "))
        };
        let mut lines = vec![format!("{}: {outcome}{codes}", paint.bold(&escape(&self.name)))];
        for signature in &report.signatures {
            let title = format!("signature {}", signature.index);
            self.signature_lines(&title, signature, paint, &mut lines);
            lines.extend(diagnosis_lines(&self.diagnosis, signature.index, paint, "    "));
        }
        for endorsement in &report.endorsements {
            self.endorsement_lines(endorsement, paint, detail, &mut lines);
        }
        if report.outcome == CardOutcome::Verified {
            // A no has them with the signature they belong to.
            lines.extend(uncovered_lines(&report.uncovered, detail, paint, "  "));
        }
        // An uncovered member has its own line above.
        let is_told = |finding: &&Finding| {
            finding.code == codes::SIG_UNCOVERED_MEMBER
                && report.uncovered.iter().any(|member| Some(&member.pointer) == finding.pointer.as_ref())
        };
        let findings = report.findings.iter().filter(|finding| !is_told(finding));
        lines.extend(findings.map(|finding| format!("  {}", finding_line(finding, None, paint))));
        if let Some(digest) = self.payload_sha256.as_deref().filter(|_| detail == Detail::Verbose) {
            lines.push(format!("  payload sha256 {digest}"));
        }
        lines.extend(report.codes.iter().map(|code| format!("  help[{code}]: {}", code.page().instead)));
        lines
    }

    /// An endorsement that is not for this card is told when the answer is no.
    fn endorsement_lines(
        &self,
        endorsement: &EndorsementReport,
        paint: Paint,
        detail: Detail,
        lines: &mut Vec<String>,
    ) {
        let name = self.endorsements.name(endorsement);
        if endorsement.form.is_some() {
            for signature in &endorsement.signatures {
                let title = format!("endorsement {}, signature {}", escape(name), signature.index);
                self.signature_lines(&title, signature, paint, lines);
            }
            let file = Some(name);
            let findings = endorsement.findings.iter();
            lines.extend(findings.map(|finding| format!("  {}", finding_line(finding, file, paint))));
        } else if self.report.outcome != CardOutcome::Verified || detail == Detail::Verbose {
            lines.push(format!("  endorsement {}: {}", escape(name), paint.bad("not for this card")));
            lines.extend(
                endorsement.signatures.first().into_iter().flat_map(|first| reason_lines(first, paint)),
            );
        }
    }

    fn signature_lines(
        &self,
        title: &str,
        signature: &SignatureReport,
        paint: Paint,
        lines: &mut Vec<String>,
    ) {
        let outcome = match signature.outcome {
            SignatureOutcome::Verified => paint.good("verified"),
            other @ (SignatureOutcome::Invalid
            | SignatureOutcome::Unverifiable
            | SignatureOutcome::Malformed) => paint.bad(other.name()),
        };
        let algorithm = signature.algorithm.as_deref().map(|name| format!(", {}", escape(name)));
        let kid = signature.kid.as_deref().map(|kid| format!(", kid `{}`", escape(kid)));
        lines.push(format!(
            "  {title}: {outcome}{}{}",
            algorithm.unwrap_or_default(),
            kid.unwrap_or_default()
        ));
        if let Some(form) = signature.form {
            let others = signature.forms.iter().filter(|other| **other != form).map(|other| other.name());
            let others: Vec<_> = others.collect();
            let also =
                if others.is_empty() { String::new() } else { format!(" (also {})", others.join(", ")) };
            lines.push(format!("    form {form}{also}"));
        }
        if let Some(thumbprint) = signature.thumbprint {
            let name = self.key_name(signature).map(|kid| format!("`{}`, ", escape(kid))).unwrap_or_default();
            lines.push(format!("    key {name}thumbprint {thumbprint}"));
        }
        lines.extend(signature.issued_at.map(|issued| format!("    iat {issued}")));
        lines.extend(signature.expires_at.map(|expires| format!("    exp {expires}")));
        lines.extend(reason_lines(signature, paint));
        if signature.outcome != SignatureOutcome::Verified {
            lines.extend(uncovered_lines(&signature.uncovered, Detail::Normal, paint, "    "));
        }
    }
}

/// What explains the no for the signature with this index.
pub(super) fn diagnosis_lines(
    diagnosis: &[Diagnosis],
    index: usize,
    paint: Paint,
    indent: &str,
) -> impl Iterator<Item = String> {
    diagnosis.iter().filter(move |diagnosis| diagnosis.index == index).flat_map(move |diagnosis| {
        let cause = paint.warn(diagnosis.cause.name());
        [
            format!("{indent}{cause}: {}", escape(&diagnosis.message)),
            format!("{indent}  help: {}", diagnosis.cause.instead()),
        ]
    })
}

fn reason_lines(signature: &SignatureReport, paint: Paint) -> impl Iterator<Item = String> {
    let reasons = signature.codes.iter().zip(&signature.reasons);
    reasons.map(move |(code, reason)| format!("    {} {}", paint.bad(&format!("[{code}]")), escape(reason)))
}

/// `ES256 k1 a2a-1.0`
fn signer(signature: &SignatureReport) -> String {
    let form = signature.form.map(countersign::Form::name);
    let parts = [signature.algorithm.as_deref(), signature.kid.as_deref(), form];
    parts.into_iter().flatten().map(escape).collect::<Vec<_>>().join(" ")
}

/// Members that no signature covers; those at their default are silent unless everything is asked for.
fn uncovered_lines(members: &[UncoveredMember], detail: Detail, paint: Paint, indent: &str) -> Vec<String> {
    let shown = members.iter().filter(|member| member.class != Class::Default || detail == Detail::Verbose);
    shown
        .map(|member| {
            let fate = match member.fate {
                Fate::Silent => paint.dim("handed on, it is at its default"),
                Fate::Stripped => paint.warn("not handed on"),
                Fate::Marked => paint.warn("handed on, marked as not signed"),
                Fate::Fatal => paint.bad("makes the signature worthless"),
            };
            let pointer = escape(&member.pointer);
            format!("{indent}not signed: {pointer} ({}): {fate}", member.class.name())
        })
        .collect()
}

impl<'r> UncoveredJson<'r> {
    fn new(member: &'r UncoveredMember) -> Self {
        Self { pointer: &member.pointer, class: member.class.name() }
    }
}

impl<'r> DiagnosisJson<'r> {
    pub(super) fn new(diagnosis: &'r Diagnosis) -> Self {
        Self {
            index: diagnosis.index,
            cause: diagnosis.cause.name(),
            form: diagnosis.form.map(countersign::Form::name),
            message: &diagnosis.message,
        }
    }
}

fn names(codes: &[Code]) -> Vec<&'static str> {
    codes.iter().map(|code| code.name()).collect()
}
