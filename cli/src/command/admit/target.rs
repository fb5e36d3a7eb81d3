//! Agents whose cards are fetched: what is typed, and lists on standard input.

use std::io::{self, Read as _};
use std::path::Path;

use countersign::client::Agent;
use countersign::fetch::CardAddress;
use countersign::{SelectTerms, SourceKind};
use serde::Deserialize;

use crate::args::AdmitArgs;
use crate::endorsement::Endorsements;
use crate::failure::Failure;
use crate::outcome::Outcome;

/// Longest list that is read, in octets.
const MAX_LIST_OCTETS: u64 = 64 * 1024 * 1024;

/// Most agents of one run.
const MAX_AGENTS: usize = 100_000;

/// An agent, by the name that was given.
pub(super) struct Target {
    pub(super) name: String,
    pub(super) agent: Agent,
}

/// A line of a list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    url: String,
    tenant: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
}

/// Whether the arguments name agents to fetch rather than files.
pub(super) fn are_given(args: &AdmitArgs) -> Result<bool, Failure> {
    let is_list = |card: &Path| card == Path::new("-") && args.url.is_none();
    let fetched = args.cards.iter().filter(|card| is_url(card) || is_list(card)).count();
    if fetched == 0 {
        return Ok(false);
    }
    if fetched < args.cards.len() {
        let message = "URLs and files are not mixed in one run";
        return Err(Failure::usage(message)
            .with_help("run once with the URLs, and once with the files and `--as URL`"));
    }
    if args.url.is_some() {
        let message = "`--as` is for files: a card that is fetched comes from its own URL";
        return Err(Failure::usage(message));
    }
    Ok(true)
}

/// Every agent of the arguments, each list in its place.
pub(super) fn read(args: &AdmitArgs, endorsements: &Endorsements) -> Result<Vec<Target>, Failure> {
    let mut targets = Vec::new();
    for card in &args.cards {
        if card == Path::new("-") {
            for (line, number) in list()?.lines().zip(1_usize..) {
                let line = line.trim();
                if !line.is_empty() && !line.starts_with('#') {
                    refuse_more(&targets)?;
                    targets.push(of_line(line, number, args, endorsements)?);
                }
            }
        } else {
            refuse_more(&targets)?;
            let url = card.to_string_lossy().into_owned();
            targets.push(target(Entry { url, tenant: None, purpose: None }, args, endorsements)?);
        }
    }
    if targets.is_empty() {
        return Err(Failure::usage("the list on standard input names no agent"));
    }
    Ok(targets)
}

fn refuse_more(targets: &[Target]) -> Result<(), Failure> {
    if targets.len() < MAX_AGENTS {
        return Ok(());
    }
    Err(Failure::usage(format!("at most {MAX_AGENTS} agents can be asked in one run")))
}

fn list() -> Result<String, Failure> {
    let mut octets = Vec::new();
    io::stdin()
        .lock()
        .take(MAX_LIST_OCTETS.saturating_add(1))
        .read_to_end(&mut octets)
        .map_err(|error| Failure::reading(Path::new("-"), &error))?;
    if u64::try_from(octets.len()).unwrap_or(u64::MAX) > MAX_LIST_OCTETS {
        return Err(Failure::usage("the list on standard input has more than 64 MiB"));
    }
    String::from_utf8(octets).map_err(|_| Failure::usage("the list on standard input is not UTF-8"))
}

fn of_line(
    line: &str,
    number: usize,
    args: &AdmitArgs,
    endorsements: &Endorsements,
) -> Result<Target, Failure> {
    let entry = if line.starts_with('{') {
        serde_json::from_str(line).map_err(|error| error.to_string())
    } else {
        Ok(Entry { url: line.to_owned(), tenant: None, purpose: None })
    };
    let entry = entry.map_err(|error| {
        Failure::usage(format!("line {number} of the list: {error}")).with_help(
            "a line is a URL, a host, or an object such as {\"url\": …, \"tenant\": …, \"use\": …}",
        )
    })?;
    target(entry, args, endorsements).map_err(|mut failure| {
        failure.message = format!("line {number} of the list: {}", failure.message);
        failure
    })
}

fn target(entry: Entry, args: &AdmitArgs, endorsements: &Endorsements) -> Result<Target, Failure> {
    let address = CardAddress::read(&entry.url)
        .and_then(|address| if args.network.old_path { address.with_old_path() } else { Ok(address) });
    let address = address.map_err(|error| {
        Failure::coded(Outcome::CouldNotTell, error.code(), error.to_string())
            .with_help(error.code().page().instead)
    })?;
    let mut terms = SelectTerms::accepting(args.accept.iter().cloned());
    terms.assumed = args.assume_version;
    let mut agent = Agent::new(address, terms).with_endorsements(endorsements.read.clone());
    if let Some(tenant) = entry.tenant.or_else(|| args.tenant.clone()) {
        agent = agent.with_tenant(tenant);
    }
    if let Some(purpose) = entry.purpose.or_else(|| args.purpose.clone()) {
        agent = agent.for_use(purpose);
    }
    if !args.extensions.is_empty() {
        agent = agent.with_extensions(args.extensions.clone());
    }
    match &args.source {
        None | Some(SourceKind::WellKnown | SourceKind::Url) => {}
        Some(SourceKind::Registry(name)) => agent = agent.from_registry(name),
        Some(SourceKind::File) => {
            return Err(Failure::usage("a card that is fetched is not found in a file")
                .with_help("the source of a URL follows from it, or is `registry:NAME`"));
        }
    }
    if let Some(version) = args.network.a2a_version {
        agent = agent.asked_with_version(version);
    }
    Ok(Target { name: entry.url, agent })
}

fn is_url(card: &Path) -> bool {
    card.to_string_lossy().contains("://")
}
