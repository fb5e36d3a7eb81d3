//! `select`: which interface of a card a client uses, and why not the others.

use countersign::{Code, Finding, OfferedInterface, SelectTerms, SelectedInterface, Selection};
use serde::Serialize;

use crate::args::{Format, SelectArgs};
use crate::failure::{Failure, Stop};
use crate::input::{self, Found, Input};
use crate::outcome::Outcome;
use crate::output::{FindingJson, Session, finding_line};
use crate::render::escape;

const SCHEMA: &str = "countersign.selection/1";

#[derive(Serialize)]
struct SelectionJson<'s> {
    schema: &'static str,
    card: &'s str,
    outcome: &'static str,
    interface: Option<InterfaceJson<'s>>,
    selected_because: Option<&'static str>,
    offered: Vec<OfferedJson<'s>>,
    codes: Vec<&'static str>,
    findings: Vec<FindingJson<'s>>,
}

#[derive(Serialize)]
struct InterfaceJson<'s> {
    index: usize,
    version: String,
    declared_version: Option<&'s str>,
    binding: &'s str,
    url: Option<&'s str>,
    tenant: Option<&'s str>,
    a2a_version: Option<String>,
    media_type: Option<&'static str>,
}

#[derive(Serialize)]
struct OfferedJson<'s> {
    index: usize,
    version: Option<String>,
    binding: Option<&'s str>,
    url: Option<&'s str>,
    codes: Vec<&'static str>,
}

pub(crate) fn run(args: &SelectArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let mut terms = SelectTerms::accepting(args.accept.iter().cloned());
    terms.protocol = args.protocol.into();
    terms.prefer = args.prefer.into();
    terms.fallback = args.fallback.into();
    terms.assumed = args.assume_version;
    let cards = std::slice::from_ref(&args.card);
    input::each(session, cards, |session, input, found| match found {
        Found::Unreadable { failure, pointer } => {
            unreadable(input, failure, &pointer, session)?;
            Ok(Outcome::No)
        }
        Found::Card(card) => {
            let selection = card.view().select(&terms);
            print(&input.name(), &selection, session)?;
            Ok(if selection.interface().is_some() { Outcome::Yes } else { Outcome::No })
        }
    })
}

fn unreadable(input: &Input, failure: Failure, pointer: &str, session: &mut Session<'_>) -> Result<(), Stop> {
    if session.format == Format::Json {
        session.json(&SelectionJson {
            schema: SCHEMA,
            card: &input.name(),
            outcome: "none",
            interface: None,
            selected_because: None,
            offered: Vec::new(),
            codes: failure.code.map(Code::name).into_iter().collect(),
            findings: FindingJson::unreadable(&failure, pointer).into_iter().collect(),
        })?;
    } else {
        session.fail(&input.about(failure))?;
    }
    Ok(())
}

fn print(name: &str, selection: &Selection<'_>, session: &mut Session<'_>) -> Result<(), Stop> {
    let findings = selection.findings();
    match session.format {
        Format::Json => session.json(&json(name, selection, &findings))?,
        Format::Short => {
            let answer = match selection.interface() {
                Some(selected) => format!("selected {}", told(&selected)),
                None => format!("none {}", names(&selection.codes())),
            };
            session.say(&format!("{}: {answer}", escape(name)))?;
        }
        Format::Human => describe(name, selection, &findings, session)?,
    }
    Ok(())
}

fn json<'s>(name: &'s str, selection: &'s Selection<'_>, findings: &'s [Finding]) -> SelectionJson<'s> {
    let selected = selection.interface();
    SelectionJson {
        schema: SCHEMA,
        card: name,
        outcome: if selected.is_some() { "selected" } else { "none" },
        selected_because: selected.as_ref().map(|selected| selected.because.name()),
        interface: selected.map(|selected| InterfaceJson {
            index: selected.index,
            version: selected.version.to_string(),
            declared_version: selected.claim.version,
            binding: selected.binding,
            url: selected.claim.claimed_url,
            tenant: selected.claim.tenant,
            a2a_version: selected.a2a_version(),
            media_type: selected.media_type(),
        }),
        offered: selection
            .offered()
            .map(|offer| OfferedJson {
                index: offer.index,
                version: offer.version.map(|version| version.to_string()),
                binding: offer.claim.binding,
                url: offer.claim.claimed_url,
                codes: offer.codes.into_iter().map(Code::name).collect(),
            })
            .collect(),
        codes: selection.codes().into_iter().map(Code::name).collect(),
        findings: findings.iter().map(FindingJson::about_card).collect(),
    }
}

fn describe(
    name: &str,
    selection: &Selection<'_>,
    findings: &[Finding],
    session: &mut Session<'_>,
) -> Result<(), Stop> {
    let paint = session.out.paint;
    match selection.interface() {
        Some(selected) => {
            session.say(&format!("{}: {}", escape(name), paint.good(&told(&selected))))?;
            session.say(&format!("  because     {}", selected.because.name()))?;
            if let Some(version) = selected.a2a_version() {
                session.say(&format!("  A2A-Version {version}"))?;
            }
            if let Some(media_type) = selected.media_type() {
                session.say(&format!("  media type  {media_type}"))?;
            }
            if let Some(tenant) = selected.tenant() {
                session.say(&format!("  tenant      {}", escape(tenant)))?;
            }
            session.say("  the URL is what the card claims: nothing has verified or admitted it")?;
        }
        None => {
            session.say(&format!("{}: {}", escape(name), paint.bad(&codes(&selection.codes()))))?;
        }
    }
    for offer in selection.offered().filter(|offer| !offer.codes.is_empty()) {
        session.say(&format!("  passed over {}", passed_over(&offer)))?;
    }
    for finding in findings {
        session.say(&format!("  {}", finding_line(finding, None, paint)))?;
    }
    Ok(())
}

/// `1.0 JSONRPC https://…`
fn told(selected: &SelectedInterface<'_, '_>) -> String {
    let url = selected.claim.claimed_url.unwrap_or_default();
    format!("{} {} {}", selected.version, escape(selected.binding), escape(url))
}

fn passed_over(offer: &OfferedInterface<'_, '_>) -> String {
    let or_none = |text: Option<&str>| text.map_or_else(|| "none".to_owned(), escape);
    format!(
        "{} {} {} {} {}",
        offer.index,
        or_none(offer.claim.version),
        or_none(offer.claim.binding),
        or_none(offer.claim.claimed_url),
        codes(&offer.codes)
    )
}

/// `[iface.none-compatible]`
fn codes(codes: &[Code]) -> String {
    format!("[{}]", names(codes))
}

fn names(codes: &[Code]) -> String {
    codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(", ")
}
