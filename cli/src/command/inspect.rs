//! `inspect`: what a card claims to be. Needs no keys, verifies nothing.

use countersign::keys::json::Kind;
use countersign::keys::{self, codes as key_codes};
use countersign::{
    CanonicalPayload, ClaimedInterface, ClaimedSignature, Finding, Form, Hybrid, Level, Shape, UnixTime,
    UntrustedCard, codes,
};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::args::{Format, InspectArgs};
use crate::command::security::{self, SecurityJson};
use crate::failure::{Failure, Stop};
use crate::input::{self, Found, Input};
use crate::outcome::Outcome;
use crate::output::{FindingJson, Session, finding_line};
use crate::render::escape;

#[derive(serde::Serialize)]
struct CardJson<'c> {
    schema: &'static str,
    card: &'c str,
    shape: Option<&'static str>,
    hybrid: Option<bool>,
    name: Option<&'c str>,
    version: Option<&'c str>,
    interfaces: Vec<InterfaceJson<'c>>,
    signatures: Vec<SignatureJson<'c>>,
    forms: Option<Digests>,
    portable: Option<bool>,
    findings: Vec<FindingJson<'c>>,
    security: Option<SecurityJson<'c>>,
    skills: Option<usize>,
}

#[derive(serde::Serialize)]
struct InterfaceJson<'c> {
    index: usize,
    url: Option<&'c str>,
    binding: Option<&'c str>,
    version: Option<&'c str>,
    tenant: Option<&'c str>,
    pointer: String,
}

#[derive(serde::Serialize)]
struct SignatureJson<'c> {
    index: usize,
    alg: Option<&'c str>,
    kid: Option<&'c str>,
    typ: Option<&'c str>,
    jku: Option<&'c str>,
    kind: &'static str,
    iat: Option<i64>,
    exp: Option<i64>,
}

/// The payload of each form, none where the card has no octets under it.
struct Digests(Vec<(Form, Option<CanonicalPayload>)>);

/// What was found out about one card.
struct Inspection<'c> {
    card: &'c UntrustedCard,
    name: String,
    shape: &'static str,
    interfaces: Vec<ClaimedInterface<'c>>,
    signatures: Vec<ClaimedSignature>,
    findings: Vec<Finding>,
}

pub(crate) fn run(args: &InspectArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    input::refuse_second_standard(&args.cards)?;
    input::each(session, &args.cards, |session, input, found| match found {
        Found::Unreadable { failure, pointer } => unreadable(input, failure, &pointer, session),
        Found::Card(card) => {
            let shape = card.shape(args.assume_version).name();
            Inspection::of(&card, input.name(), shape).print(session)?;
            Ok(Outcome::Yes)
        }
    })
}

/// There is no card to describe: not a no, but no answer.
fn unreadable(
    input: &Input,
    failure: Failure,
    pointer: &str,
    session: &mut Session<'_>,
) -> Result<Outcome, Stop> {
    if session.format == Format::Json {
        session.json(&CardJson {
            schema: "countersign.card/1",
            card: &input.name(),
            shape: None,
            hybrid: None,
            name: None,
            version: None,
            interfaces: Vec::new(),
            signatures: Vec::new(),
            forms: None,
            portable: None,
            findings: FindingJson::unreadable(&failure, pointer).into_iter().collect(),
            security: None,
            skills: None,
        })?;
    }
    session.fail(&input.about(failure))?;
    Ok(Outcome::CouldNotTell)
}

impl<'c> Inspection<'c> {
    fn of(card: &'c UntrustedCard, name: String, shape: &'static str) -> Self {
        let signatures = card.claimed_signatures();
        let mut findings: Vec<_> = card.other_document().into_iter().collect();
        findings.extend_from_slice(card.findings());
        findings.extend(card.missing_members().into_iter().map(|pointer| {
            Finding::new(codes::CARD_REQUIRED_MISSING, Level::Warning, "the member is absent").at(pointer)
        }));
        let list = card.claims().member("signatures").filter(|list| !list.is_null());
        if let Some(list) = list.filter(|list| list.kind() != Kind::Array) {
            let message = format!("`signatures` is {}, expected a list", list.kind().name());
            findings.push(Finding::new(key_codes::SIG_MALFORMED, Level::Warning, message).at("/signatures"));
        }
        findings.extend(signatures.iter().flat_map(|signature| signature.findings.clone()));
        Self { card, name, shape, interfaces: card.claimed_interfaces(), signatures, findings }
    }

    fn print(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        match session.format {
            Format::Json => session.json(&self.json())?,
            Format::Short => {
                let name = self.card.claimed_name().unwrap_or("-");
                let signatures = counted(self.signatures.len(), "signature");
                let interfaces = counted(self.interfaces.len(), "interface");
                session.data(&format!(
                    "{}: {} {interfaces}, {signatures}, {}",
                    escape(&self.name),
                    self.shape,
                    escape(name)
                ))?;
            }
            Format::Human => self.describe(session)?,
        }
        Ok(())
    }

    fn json(&self) -> CardJson<'_> {
        let digests = Digests::of(self.card);
        let interfaces = self.interfaces.iter().enumerate().map(|(index, claim)| InterfaceJson {
            index,
            url: claim.claimed_url,
            binding: claim.binding,
            version: claim.version,
            tenant: claim.tenant,
            pointer: claim.pointer(),
        });
        let signatures = self.signatures.iter().map(|claim| {
            let header = claim.header.as_ref();
            SignatureJson {
                index: claim.index,
                alg: header.map(|header| header.alg.as_str()),
                kid: header.map(|header| header.kid.as_str()),
                typ: header.and_then(|header| header.typ.as_deref()),
                jku: header.and_then(|header| header.jku.as_deref()),
                kind: claim.kind.name(),
                iat: header.and_then(|header| header.iat),
                exp: header.and_then(|header| header.exp),
            }
        });
        CardJson {
            schema: "countersign.card/1",
            card: &self.name,
            shape: Some(self.shape),
            hybrid: Some(self.card.hybrid() == Hybrid::Yes),
            name: self.card.claimed_name(),
            version: self.card.claimed_version(),
            interfaces: interfaces.collect(),
            signatures: signatures.collect(),
            portable: Some(digests.are_portable()),
            forms: Some(digests),
            findings: self.findings.iter().map(FindingJson::about_card).collect(),
            security: Some(security::json(self.card.view())),
            skills: Some(self.card.view().skills().count()),
        }
    }

    fn describe(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        let paint = session.out.paint;
        let or_none = |text: Option<&str>| text.map_or_else(|| "none".to_owned(), escape);
        session.data(&paint.bold(&escape(&self.name)))?;
        session.data("  everything below is what the card claims; nothing is verified")?;
        session.data(&format!("  name        {}", or_none(self.card.claimed_name())))?;
        session.data(&format!("  version     {}", or_none(self.card.claimed_version())))?;
        let hybrid = match self.card.hybrid() {
            Hybrid::Yes => ", with the top-level transport members of 0.3",
            Hybrid::No => "",
        };
        session.data(&format!("  shape       {}{hybrid}", self.shape))?;
        for (index, claim) in self.interfaces.iter().enumerate() {
            let tenant =
                claim.tenant.map(|tenant| format!(", tenant {}", escape(tenant))).unwrap_or_default();
            session.data(&format!(
                "  interface {index} {} {} {}{tenant}",
                or_none(claim.version),
                or_none(claim.binding),
                or_none(claim.claimed_url)
            ))?;
        }
        if self.shape != Shape::Foreign.name() {
            for (index, line) in security::words(self.card.view()).into_iter().enumerate() {
                let label = if index == 0 { "auth" } else { "" };
                session.data(&format!("  {label:<11} {line}"))?;
            }
            session.data(&format!("  skills      {}", self.card.view().skills().count()))?;
        }
        for claim in &self.signatures {
            let described = claim.header.as_ref().map(|header| {
                let jku =
                    header.jku.as_deref().map(|jku| format!(", jku {}", escape(jku))).unwrap_or_default();
                let time = |name: &str, seconds: Option<i64>| {
                    seconds.map(|at| format!(", {name} {}", UnixTime::from_seconds(at))).unwrap_or_default()
                };
                let (issued, expires) = (time("issued", header.iat), time("expires", header.exp));
                format!(" {}, kid `{}`{jku}{issued}{expires}", escape(&header.alg), escape(&header.kid))
            });
            session.data(&format!(
                "  signature {} {}{}",
                claim.index,
                claim.kind.name(),
                described.unwrap_or_default()
            ))?;
        }
        let digests = Digests::of(self.card);
        let portable = if digests.are_portable() {
            "yes: every form that is signed here gives the same octets"
        } else {
            "no: see `canonicalize --compare`"
        };
        session.data(&format!("  portable    {portable}"))?;
        for (forms, digest) in digests.groups() {
            session.data(&format!("  {digest} {}", forms.join(", ")))?;
        }
        for finding in &self.findings {
            session.data(&format!("  {}", finding_line(finding, None, paint)))?;
        }
        Ok(())
    }
}

/// `1 signature`, `2 signatures`
fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

impl Digests {
    fn of(card: &UntrustedCard) -> Self {
        Self(Form::ALL.into_iter().map(|form| (form, CanonicalPayload::of(card, form).ok())).collect())
    }

    /// `sha256:` and the digest of the payload.
    fn digest(&self, form: Form) -> Option<String> {
        let payload = self.0.iter().find(|(other, _)| *other == form)?.1.as_ref()?;
        Some(format!("sha256:{}", keys::hex(&keys::sha256(payload.octets()))))
    }

    /// The forms that give the same octets, in the order of the forms, and the digest of the octets.
    fn groups(&self) -> Vec<(Vec<&'static str>, String)> {
        let mut groups: Vec<(Vec<&'static str>, String)> = Vec::new();
        for (form, digest) in self.0.iter().filter_map(|(form, _)| Some((form, self.digest(*form)?))) {
            match groups.iter_mut().find(|(_, other)| *other == digest) {
                Some((forms, _)) => forms.push(form.name()),
                None => groups.push((vec![form.name()], digest)),
            }
        }
        groups
    }

    /// Whether every form that countersign signs under gives the same octets.
    fn are_portable(&self) -> bool {
        let mut signable =
            self.0.iter().filter(|(form, _)| form.is_signable()).map(|(_, payload)| payload.as_ref());
        let Some(Some(first)) = signable.next() else { return false };
        signable.all(|payload| payload.is_some_and(|payload| payload.octets() == first.octets()))
    }
}

impl Serialize for Digests {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (form, _) in &self.0 {
            map.serialize_entry(form.name(), &self.digest(*form))?;
        }
        map.end()
    }
}
