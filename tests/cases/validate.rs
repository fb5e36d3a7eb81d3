//! `validate`: what the lints say about a card of somebody else, or why it cannot be read.

use countersign::{Finding, Level, Limits, LintTerms, UntrustedCard};
use libtest_mimic::Failed;

use crate::{Check, labels, refused, same};

pub(crate) fn run(check: &Check) -> Result<(), Failed> {
    let card = match UntrustedCard::read(check.octets("card"), &Limits::default()) {
        Ok(card) => card,
        Err(error) => return refused(check, error.code()),
    };
    let findings = card.lint(&LintTerms::default());
    let of_level =
        |level| findings.iter().filter(move |finding: &&Finding| finding.level == level).collect::<Vec<_>>();
    let (errors, warnings) = (of_level(Level::Error), of_level(Level::Warning));
    let outcome = check.text("outcome");
    if outcome != "reject" && !errors.is_empty() {
        return Err(format!("refused: {errors:?}").into());
    }
    let detected = check.text("detected");
    if !detected.is_empty() {
        same(&card.shape(None).name(), &detected)?;
    }
    match outcome {
        "accept" => Ok(()),
        "warn" => found(check, &warnings),
        "reject" => found(check, &errors),
        other => Err(format!("no such outcome: {other}").into()),
    }
}

/// Whether the reason of the check is among the findings, at exactly the paths that it names.
fn found(check: &Check, findings: &[&Finding]) -> Result<(), Failed> {
    let codes = labels::codes(check.text("reason"));
    let matching = findings.iter().filter(|finding| codes.contains(&finding.code.name()));
    let mut pointers: Vec<_> = matching.filter_map(|finding| finding.pointer.clone()).collect();
    if pointers.is_empty() {
        return Err(format!("expected one of {codes:?}, found {findings:?}").into());
    }
    let mut paths: Vec<_> = check.texts("paths").into_iter().map(pointer).collect();
    if paths.is_empty() {
        return Ok(());
    }
    pointers.sort();
    paths.sort();
    same(&pointers, &paths)
}

/// `skills[0].tags` as a JSON Pointer.
fn pointer(path: &str) -> String {
    format!("/{}", path.replace('[', "/").replace(']', "").replace('.', "/"))
}
