//! `explain`: the page of a code, or what a cause of a diagnosis means.

use countersign::{Cause, Code, codes};
use serde::Serialize;

use crate::args::{ExplainArgs, Format};
use crate::failure::{Failure, Stop};
use crate::nearest::suggestion;
use crate::outcome::Outcome;
use crate::output::Session;

#[derive(Serialize)]
struct CodeJson {
    schema: &'static str,
    code: &'static str,
    what: &'static str,
    why: &'static str,
    example: &'static str,
    instead: &'static str,
}

#[derive(Serialize)]
struct CauseJson {
    schema: &'static str,
    cause: &'static str,
    what: &'static str,
    instead: &'static str,
}

pub(crate) fn run(args: &ExplainArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let Some(name) = &args.code else {
        for code in codes::registry() {
            match session.format {
                Format::Json => session.json(&CodeJson::new(code))?,
                Format::Short => session.data(code.name())?,
                Format::Human => session.data(&format!("{:<28}  {}", code.name(), code.page().what))?,
            }
        }
        return Ok(Outcome::Yes);
    };
    if let Some(cause) = Cause::ALL.into_iter().find(|cause| cause.name() == name) {
        return explain_cause(cause, session);
    }
    let Some(code) = codes::find(name) else {
        let failure = Failure::usage(format!("there is no code `{name}`"));
        return Err(failure.with_help(suggestion(name, codes::registry())).into());
    };
    let page = code.page();
    match session.format {
        Format::Json => session.json(&CodeJson::new(code))?,
        Format::Short => session.data(&format!("{code}: {}", page.what))?,
        Format::Human => {
            let paint = session.out.paint;
            session.data(&paint.bold(code.name()))?;
            let parts = [
                ("what", page.what),
                ("why", page.why),
                ("example", page.example),
                ("instead", page.instead),
            ];
            tell(&parts, session)?;
        }
    }
    Ok(Outcome::Yes)
}

fn explain_cause(cause: Cause, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let (name, what, instead) = (cause.name(), cause.what(), cause.instead());
    match session.format {
        Format::Json => {
            session.json(&CauseJson { schema: "countersign.cause/1", cause: name, what, instead })?
        }
        Format::Short => session.data(&format!("{name}: {what}"))?,
        Format::Human => {
            let paint = session.out.paint;
            session.data(&format!("{}, a cause that a diagnosis names", paint.bold(name)))?;
            tell(&[("what", what), ("instead", instead)], session)?;
        }
    }
    Ok(Outcome::Yes)
}

/// Titles and texts, one a line.
fn tell(parts: &[(&str, &str)], session: &mut Session<'_>) -> Result<(), Stop> {
    let paint = session.out.paint;
    for (title, text) in parts {
        session.data(&format!("  {}{text}", paint.dim(&format!("{title:<9}"))))?;
    }
    Ok(())
}

impl CodeJson {
    fn new(code: Code) -> Self {
        let page = code.page();
        Self {
            schema: "countersign.code/1",
            code: page.name,
            what: page.what,
            why: page.why,
            example: page.example,
            instead: page.instead,
        }
    }
}
