//! `policy init`: a policy to start from.

use std::path::Path;

use countersign::{TOOL, TrustPolicy};

use super::draft::Draft;
use crate::args::PolicyInitArgs;
use crate::failure::{Failure, Stop};
use crate::input::{self, Found, Input};
use crate::keyfile;
use crate::outcome::Outcome;
use crate::output::{self, Replaced, Session};
use crate::render::escape;

/// The policy without cards. A line that begins with `#` and no space is one to use.
const TEMPLATE: &str = include_str!("template.toml");

pub(crate) fn run(args: &PolicyInitArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let text = if args.cards.is_empty() { TEMPLATE.to_owned() } else { draft(args, session)? };
    // What is written here is read first: nobody gets a file that does not load.
    let policy = TrustPolicy::read(&text, "draft", &TOOL).map_err(|error| {
        let fault = error.faults.first().map(|fault| fault.message.clone()).unwrap_or_default();
        Failure::usage(format!("no policy can be drafted from this: {fault}"))
    })?;
    let Some(path) = args.output.as_deref().filter(|path| *path != Path::new("-")) else {
        session.out.writer.write_all(text.as_bytes())?;
        return Ok(Outcome::Yes);
    };
    if output::replace_unchanged(path, None, text.as_bytes())? == Replaced::Changed {
        let message = format!("`{}` exists; policies are not overwritten", path.display());
        return Err(Failure::usage(message)
            .with_help("name another file, or remove this one yourself")
            .into());
    }
    let (rules, keys) = (policy.allows().len(), policy.keys().len());
    session.note(&format!("{}: written, {rules} rules, {keys} keys", escape(&path.display().to_string())))?;
    Ok(Outcome::Yes)
}

fn draft(args: &PolicyInitArgs, session: &Session<'_>) -> Result<String, Failure> {
    if args.cards.len() != args.urls.len() {
        let (cards, urls) = (args.cards.len(), args.urls.len());
        let message = format!("{cards} `--from` and {urls} `--as`: every card has its URL");
        return Err(Failure::usage(message)
            .with_help("give them in pairs: `--from one.json --as https://one.example`"));
    }
    input::refuse_second_standard(args.cards.iter().chain(&args.keys))?;
    let mut draft = Draft::new(keyfile::trusted(&args.keys)?, session.now());
    for (card, url) in args.cards.iter().zip(&args.urls) {
        let input = Input::single(card);
        let card = match input.read(session)? {
            Found::Card(card) => card,
            Found::Unreadable { mut failure, .. } => {
                failure.outcome = Outcome::CouldNotTell;
                return Err(input.about(failure));
            }
        };
        if let Some(other) = card.other_document() {
            return Err(input.about(Failure::coded(Outcome::CouldNotTell, other.code, other.message)));
        }
        draft.add(card, &input.name(), url)?;
    }
    draft.text()
}
