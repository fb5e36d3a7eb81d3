//! `explain`: the page of a code.

use countersign::{Code, codes};
use serde::Serialize;

use crate::args::{ExplainArgs, Format};
use crate::failure::{Failure, Stop};
use crate::outcome::Outcome;
use crate::output::Session;

/// Most names that are offered for an unknown one.
const MAX_SUGGESTIONS: usize = 3;

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
        let nearest: Vec<_> = nearest(name).iter().map(|code| format!("`{code}`")).collect();
        let message = format!("there is no code `{name}`");
        return Err(Failure::usage(message)
            .with_help(format!("the nearest are {}", nearest.join(", ")))
            .into());
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

/// The codes whose names, or whose names without their area, differ least from `name`.
fn nearest(name: &str) -> Vec<Code> {
    // A longer name is near to nothing; the comparison costs the product of the lengths.
    let name: String = name.chars().take(64).collect();
    let apart = |code: &Code| {
        let short = code.name().split_once('.').map_or(code.name(), |(_, short)| short);
        distance(&name, code.name()).min(distance(&name, short))
    };
    let mut codes: Vec<Code> = codes::registry().collect();
    codes.sort_by_key(apart);
    codes.truncate(MAX_SUGGESTIONS);
    codes
}

/// How many characters must be added, removed or changed (Levenshtein).
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, one) in left.chars().enumerate() {
        let mut next = vec![index + 1];
        for ((diagonal, above), other) in row.iter().zip(row.iter().skip(1)).zip(&right) {
            let before = next.last().copied().unwrap_or_default();
            next.push((diagonal + usize::from(one != *other)).min(above + 1).min(before + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distance_counts_changes() {
        for (left, right, changes) in [("", "", 0), ("", "ab", 2), ("kitten", "sitting", 3), ("a", "a", 0)] {
            assert_eq!(distance(left, right), changes);
            assert_eq!(distance(right, left), changes);
        }
    }

    #[test]
    fn a_misspelled_code_finds_the_one_that_was_meant() {
        assert_eq!(nearest("json.duplicate-members")[0].name(), "json.duplicate-member");
        assert_eq!(nearest("uncovered-member")[0].name(), "sig.uncovered-member");
    }
}
