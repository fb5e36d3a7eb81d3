//! `explain`: the page of a code.

use countersign::{Code, codes};
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
            for (title, text) in
                [("what", page.what), ("why", page.why), ("example", page.example), ("instead", page.instead)]
            {
                session.data(&format!("  {}{text}", paint.dim(&format!("{title:<9}"))))?;
            }
        }
    }
    Ok(Outcome::Yes)
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
