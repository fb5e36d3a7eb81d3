//! `pin`: what is remembered of agents, and what people say about single cards.

use std::path::Path;

use countersign::policy::{PinReview, SignedBy};
use countersign::{PinDigest, PinnedAgent, Pins, PinsError, Recorded, UnixTime};
use serde::Serialize;

use crate::args::{Format, PinCommand};
use crate::failure::Stop;
use crate::outcome::Outcome;
use crate::output::Session;
use crate::pinfile;
use crate::render::escape;

const SCHEMA: &str = "countersign.pin/1";

#[derive(Serialize)]
struct AgentJson<'a> {
    schema: &'static str,
    kind: &'static str,
    agent: &'a str,
    digest: Option<String>,
    version: Option<&'a str>,
    issued_at: Option<String>,
    signed: bool,
    review: &'static str,
    since: String,
    changed: String,
}

#[derive(Serialize)]
struct WordJson {
    schema: &'static str,
    kind: &'static str,
    digest: String,
    at: String,
}

pub(crate) fn run(command: &PinCommand, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    match command {
        PinCommand::List(args) => list(&args.pins, session),
        PinCommand::Accept(args) => note("accepted", args.digest, &args.pins, Pins::accept, session),
        PinCommand::Revoke(args) => note("revoked", args.digest, &args.pins, Pins::revoke, session),
    }
}

fn list(path: &Path, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let list = pinfile::open(path, session)?.list().map_err(pinfile::failure)?;
    if list.agents.is_empty() && session.format == Format::Human {
        session.say("no card is remembered")?;
    }
    for agent in &list.agents {
        match session.format {
            Format::Json => session.json(&AgentJson::of(agent))?,
            Format::Short => session.say(&short(agent))?,
            Format::Human => {
                for line in lines(agent) {
                    session.say(&line)?;
                }
            }
        }
    }
    for (kind, digests) in [("accepted", &list.accepted), ("revoked", &list.revoked)] {
        for (digest, at) in digests {
            said(kind, *digest, *at, session)?;
        }
    }
    Ok(Outcome::Yes)
}

/// Writes what a person says about a card.
fn note(
    kind: &'static str,
    digest: PinDigest,
    path: &Path,
    write: fn(&Pins, PinDigest, UnixTime) -> Result<Recorded, PinsError>,
    session: &mut Session<'_>,
) -> Result<Outcome, Stop> {
    let pins = pinfile::open(path, session)?;
    let now = session.now();
    let at = match write(&pins, digest, now).map_err(pinfile::failure)? {
        Recorded::Now => now,
        Recorded::Already(at) => at,
    };
    said(kind, digest, at, session)?;
    Ok(Outcome::Yes)
}

fn said(kind: &'static str, digest: PinDigest, at: UnixTime, session: &mut Session<'_>) -> Result<(), Stop> {
    match session.format {
        Format::Json => session.json(&WordJson {
            schema: SCHEMA,
            kind,
            digest: digest.to_string(),
            at: at.to_string(),
        })?,
        Format::Short => session.say(&format!("{kind} {digest}"))?,
        Format::Human => session.say(&format!("{kind} {digest} at {at}"))?,
    }
    Ok(())
}

fn short(agent: &PinnedAgent) -> String {
    let newest = agent.memory.newest.as_ref();
    let digest = newest.map(|card| card.parts.digest.to_string()).unwrap_or_default();
    let version = newest.and_then(|card| card.version.as_deref()).map(escape).unwrap_or_default();
    format!("agent {} {digest} {version}", escape(&agent.agent)).trim_end().to_owned()
}

fn lines(agent: &PinnedAgent) -> Vec<String> {
    let mut lines = vec![escape(&agent.agent)];
    let member = |name: &str, text: &str| format!("  {name:<11} {text}");
    if let Some(card) = &agent.memory.newest {
        let version = card.version.as_deref().map_or_else(|| "no version".to_owned(), escape);
        let signed = match (card.signed, card.issued_at) {
            (SignedBy::Key, Some(at)) => format!("signed at {at}"),
            (SignedBy::Key, None) => "signed".to_owned(),
            (SignedBy::Nobody, _) => "unsigned".to_owned(),
        };
        lines.push(member("card", &format!("{version}, {signed}, {}", card.parts.digest)));
        match agent.memory.review(card) {
            PinReview::None => {}
            PinReview::Accepted => lines.push(member("review", "a person accepted this card")),
            PinReview::Revoked => lines.push(member("review", "a person revoked this card")),
        }
    }
    lines.push(member("seen", &format!("since {}, changed {}", agent.since, agent.changed)));
    lines
}

impl<'a> AgentJson<'a> {
    fn of(agent: &'a PinnedAgent) -> Self {
        let newest = agent.memory.newest.as_ref();
        Self {
            schema: SCHEMA,
            kind: "agent",
            agent: &agent.agent,
            digest: newest.map(|card| card.parts.digest.to_string()),
            version: newest.and_then(|card| card.version.as_deref()),
            issued_at: newest.and_then(|card| card.issued_at).map(|at| at.to_string()),
            signed: newest.is_some_and(|card| card.signed == SignedBy::Key),
            review: newest.map_or(PinReview::None, |card| agent.memory.review(card)).name(),
            since: agent.since.to_string(),
            changed: agent.changed.to_string(),
        }
    }
}
