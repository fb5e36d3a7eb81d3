//! `cache`: what `admit --cache` remembers of responses and answers.

use std::io::{self, IsTerminal as _};
use std::path::Path;

use countersign::fetch::{CardAddress, DiskStore, ResponseStore as _, StoredResponse};
use countersign::keys::{hex, sha256};
use serde::Serialize;

use crate::args::{CacheCommand, Format};
use crate::failure::{Failure, Stop};
use crate::network;
use crate::outcome::Outcome;
use crate::output::Session;
use crate::remembered;
use crate::render::escape;

#[derive(Serialize)]
struct ResponseJson<'r> {
    schema: &'static str,
    url: &'r str,
    a2a_version: Option<&'r str>,
    credential: Option<&'r str>,
    received_at: String,
    cache_control: Option<&'r str>,
    etag: Option<&'r str>,
    content_type: Option<&'r str>,
    octets: usize,
    sha256: String,
}

pub(crate) fn run(command: &CacheCommand, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    match command {
        CacheCommand::List(args) => list(&args.cache, session),
        CacheCommand::Show(args) => show(&args.url, &args.folder.cache, session),
        CacheCommand::Clear(args) => clear(args.url.as_deref(), &args.folder.cache, session),
    }
}

fn list(folder: &Path, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let responses = responses(&open(folder)?, folder)?;
    for response in &responses {
        match session.format {
            Format::Json => session.json(&ResponseJson::of(response))?,
            Format::Short => session.say(&escape(&response.key.url))?,
            Format::Human => {
                for line in lines(response) {
                    session.say(&line)?;
                }
            }
        }
    }
    if session.format == Format::Human {
        let answers = remembered::count(folder);
        session.say(&format!("{} responses, {answers} answers", responses.len()))?;
    }
    Ok(Outcome::Yes)
}

fn show(url: &str, folder: &Path, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let url = &url_of(url);
    let responses = responses(&open(folder)?, folder)?;
    let mut of_url = responses.iter().filter(|response| response.key.url == *url);
    let Some(response) = of_url.next() else { return Err(unknown(url).into()) };
    let more = of_url.count();
    if more > 0 {
        session.note(&format!("note: {more} more are remembered for other versions or credentials"))?;
    }
    match session.format {
        Format::Json => session.json(&ResponseJson::of(response))?,
        Format::Human | Format::Short => {
            // A terminal obeys what a server may have written into a document.
            if io::stdout().is_terminal() {
                for line in String::from_utf8_lossy(&response.octets).lines() {
                    session.data(&escape(line))?;
                }
            } else {
                session.out.writer.write_all(&response.octets)?;
            }
        }
    }
    Ok(Outcome::Yes)
}

fn clear(url: Option<&str>, folder: &Path, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let store = open(folder)?;
    let Some(url) = url else {
        let responses = store.clear().map_err(|error| failed(folder, &error.to_string()))?;
        let answers = remembered::clear(folder).map_err(|error| Failure::writing(folder, &error))?;
        session.note(&format!("forgot {responses} responses and {answers} answers"))?;
        return Ok(Outcome::Yes);
    };
    let url = &url_of(url);
    let responses = responses(&store, folder)?;
    let of_url: Vec<_> = responses.iter().filter(|response| response.key.url == *url).collect();
    if of_url.is_empty() {
        return Err(unknown(url).into());
    }
    for response in &of_url {
        store.remove(&response.key).map_err(|error| failed(folder, &error.to_string()))?;
    }
    session.note(&format!("forgot {} responses", of_url.len()))?;
    Ok(Outcome::Yes)
}

/// The URL of a card, from what `admit` takes; else the text itself.
fn url_of(text: &str) -> String {
    CardAddress::read(text).map_or_else(|_| text.to_owned(), |address| address.url().canonical_text())
}

/// A folder that is not there is not made here.
fn open(folder: &Path) -> Result<DiskStore, Failure> {
    if !folder.is_dir() {
        return Err(Failure::usage(format!("there is no folder `{}`", folder.display()))
            .with_help("`countersign admit URL --cache DIR` makes one"));
    }
    if !folder.join(network::RESPONSES).is_dir() {
        return Err(Failure::usage(format!("`{}` is no folder of `admit --cache`", folder.display()))
            .with_help("name the folder that was given to `admit --cache`"));
    }
    network::responses(folder)
}

fn responses(store: &DiskStore, folder: &Path) -> Result<Vec<StoredResponse>, Failure> {
    store.list().map_err(|error| failed(folder, &error.to_string()))
}

fn failed(folder: &Path, error: &str) -> Failure {
    Failure::environment(format!("`{}`: {error}", folder.display()))
}

fn unknown(url: &str) -> Failure {
    Failure::usage(format!("nothing is remembered of `{url}`")).with_help("`cache list` shows what is")
}

fn lines(response: &StoredResponse) -> Vec<String> {
    let mut lines = vec![escape(&response.key.url)];
    let mut member = |name: &str, text: &str| lines.push(format!("  {name:<13} {}", escape(text)));
    member("received", &response.received_at.to_string());
    if let Some(version) = &response.key.version {
        member("a2a-version", version);
    }
    for name in ["cache-control", "etag", "content-type"] {
        if let Some(value) = response.header(name) {
            member(name, value);
        }
    }
    member("octets", &response.octets.len().to_string());
    lines
}

impl<'r> ResponseJson<'r> {
    fn of(response: &'r StoredResponse) -> Self {
        Self {
            schema: "countersign.response/1",
            url: &response.key.url,
            a2a_version: response.key.version.as_deref(),
            credential: response.key.credential.as_deref(),
            received_at: response.received_at.to_string(),
            cache_control: response.header("cache-control"),
            etag: response.header("etag"),
            content_type: response.header("content-type"),
            octets: response.octets.len(),
            sha256: hex(&sha256(&response.octets)),
        }
    }
}
