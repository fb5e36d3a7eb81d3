//! One card.

use countersign::keys::codes::JSON_TOO_LARGE;
use countersign::{CardError, Finding, FixTerms, Limits, LintTerms, UntrustedCard};

use super::{Looked, LookedFile, Repair};
use crate::failure::Failure;
use crate::input::{Input, Source};
use crate::keyfile;
use crate::output::{self, Replaced};

/// Reads a file and lints what is in it. What was read and is no card is a finding.
pub(super) fn look(input: &Input, limits: &Limits, terms: &LintTerms<'_>, repair: Repair) -> Looked {
    let octets = match input.octets(limits) {
        Ok(octets) => octets,
        Err(failure) => return Looked::Unread(failure),
    };
    let card = match UntrustedCard::read(octets.as_slice(), limits) {
        Ok(card) if input.passes_over(Ok(&card)) => return Looked::PassedOver,
        Ok(card) => card,
        Err(error) if input.passes_over(Err(Some(error.code()))) => return Looked::PassedOver,
        Err(error) => {
            let findings = vec![unreadable(&error, &octets, limits)];
            return read(input, octets, findings, 0);
        }
    };
    let made = match repair {
        Repair::Leave => Ok(0),
        Repair::Write => write_fixes(input, &card, terms),
    };
    match made {
        Ok(0) => read(input, octets, card.lint(terms), 0),
        // What is judged is what stands in the file now.
        Ok(made) => match look(input, limits, terms, Repair::Leave) {
            Looked::Read(files) => {
                Looked::Read(files.into_iter().map(|file| LookedFile { fixed: made, ..file }).collect())
            }
            other @ (Looked::PassedOver | Looked::Unread(_)) => other,
        },
        Err(failure) => Looked::Unread(failure),
    }
}

fn read(input: &Input, octets: Vec<u8>, findings: Vec<Finding>, fixed: usize) -> Looked {
    Looked::Read(vec![LookedFile { name: input.name(), octets, findings, fixed }])
}

/// How many fixes were written into the file.
fn write_fixes(input: &Input, card: &UntrustedCard, terms: &LintTerms<'_>) -> Result<usize, Failure> {
    let Source::File(path) = &input.source else { return Ok(0) };
    let mut fixes = FixTerms::default();
    fixes.assumed = terms.assumed;
    let fixed = card.fix(&fixes);
    if fixed.fixed.is_empty() {
        return Ok(0);
    }
    match output::replace_unchanged(path, Some(card.octets()), &fixed.octets)? {
        Replaced::Done => Ok(fixed.fixed.len()),
        Replaced::Changed => Err(Failure::changed_meanwhile(path)),
    }
}

fn unreadable(error: &CardError, octets: &[u8], limits: &Limits) -> Finding {
    let mut finding = error.finding();
    if finding.code == JSON_TOO_LARGE {
        // Nobody knows how long it is: reading stopped.
        finding.message = format!("the document has more than {} octets", limits.max_octets);
        finding.help = Some("`--max-octets SIZE` raises the limit".to_owned());
    } else if keyfile::holds_key(octets) {
        finding.message = finding.code.page().what.trim_end_matches('.').to_owned();
    }
    finding
}
