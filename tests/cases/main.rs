//! Every case made from a public bug report, each check a named test.
//!
//! `cache` and `cli` have their own tests; their checks are counted, so that none is lost silently.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed expectation must stop the test")]

mod admit;
mod labels;
mod select;
mod sign;
mod validate;
mod verify;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use countersign::{CanonicalPayload, Code, Form, Limits, UntrustedCard};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// How many checks of each operation there are, and whether they are run here.
const CHECKS: [(&str, usize, Run); 10] = [
    ("admit", 103, Run::Here),
    ("cache", 4, Run::NotYet),
    ("canonicalize", 25, Run::Here),
    ("cli", 18, Run::NotYet),
    ("export-public", 2, Run::Here),
    ("load-policy", 8, Run::Here),
    ("select", 33, Run::Here),
    ("sign", 28, Run::Here),
    ("validate", 37, Run::Here),
    ("verify", 119, Run::Here),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Here,
    /// Its stage has no public functions here, or its own tests.
    NotYet,
}

/// One check of a case.
#[derive(Clone)]
struct Check {
    /// The folder of the case.
    folder: PathBuf,
    what: Value,
}

impl Check {
    fn text(&self, member: &str) -> &str {
        self.what.get(member).and_then(Value::as_str).unwrap_or_default()
    }

    fn texts(&self, member: &str) -> Vec<&str> {
        self.what
            .get(member)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    fn octets(&self, member: &str) -> Vec<u8> {
        std::fs::read(self.folder.join(self.text(member))).unwrap()
    }

    /// The first three digits of the folder's name.
    fn case(&self) -> String {
        self.folder.file_name().unwrap().to_string_lossy().chars().take(3).collect()
    }

    fn name(&self, place: usize) -> String {
        let folder = self.folder.file_name().unwrap().to_string_lossy();
        let subject = ["card", "input", "command"].map(|member| self.text(member)).concat();
        let with = ["trust", "key"].map(|member| self.text(member)).concat();
        format!("{folder}/{place} {} {subject} {with}", self.text("op")).trim_end().to_owned()
    }
}

fn main() -> ExitCode {
    let mut trials = Vec::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for folder in folders(Path::new("tests/vectors/cases")) {
        let expect: Value =
            serde_json::from_slice(&std::fs::read(folder.join("expect.json")).unwrap()).unwrap();
        for (place, what) in expect.get("checks").and_then(Value::as_array).unwrap().iter().enumerate() {
            let check = Check { folder: folder.clone(), what: what.clone() };
            *counts.entry(check.text("op").to_owned()).or_default() += 1;
            if CHECKS.iter().any(|(op, _, run)| *op == check.text("op") && *run == Run::Here) {
                trials.push(Trial::test(check.name(place), move || run(&check)));
            }
        }
    }
    trials.push(Trial::test("every check is run or counted", move || {
        let expected: BTreeMap<String, usize> = CHECKS.map(|(op, count, _)| (op.to_owned(), count)).into();
        same(&counts, &expected)
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn folders(cases: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(cases).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn run(check: &Check) -> Result<(), Failed> {
    match check.text("op") {
        "admit" => admit::run(check),
        "canonicalize" => canonicalize(check),
        "load-policy" => admit::load(check),
        "verify" => verify::run(check),
        "select" => select::run(check),
        "sign" => sign::run(check),
        "export-public" => sign::export_public(check),
        "validate" => validate::run(check),
        other => Err(format!("no such operation: {other}").into()),
    }
}

fn canonicalize(check: &Check) -> Result<(), Failed> {
    let card = match UntrustedCard::read(check.octets("card"), &Limits::default()) {
        Ok(card) => card,
        Err(error) => return refused(check, error.code()),
    };
    let payload = CanonicalPayload::of(&card, Form::A2a10)?;
    match check.text("outcome") {
        "bytes" => same(&payload.octets(), &check.octets("expect").as_slice()),
        "accept" => Ok(()),
        "warn" => {
            let found: Vec<_> = card.findings().iter().map(|finding| finding.code.name()).collect();
            let expected = labels::codes(check.text("reason"));
            if found.iter().any(|code| expected.contains(code)) {
                Ok(())
            } else {
                Err(format!("expected one of {expected:?}, found {found:?}").into())
            }
        }
        outcome => Err(format!("accepted, expected {outcome} ({})", check.text("reason")).into()),
    }
}

/// Whether a no with this code is what the check expects.
fn refused(check: &Check, code: Code) -> Result<(), Failed> {
    let labels = std::iter::once(check.text("reason")).chain(check.texts("alt"));
    let expected: Vec<_> = labels.flat_map(labels::codes).copied().collect();
    let may_refuse = ["reject", "accept-or-reject"].contains(&check.text("outcome"));
    if may_refuse && expected.contains(&code.name()) {
        Ok(())
    } else {
        Err(format!("refused as {code}, expected {} {expected:?}", check.text("outcome")).into())
    }
}

fn accepted(check: &Check) -> Result<(), Failed> {
    if ["accept", "accept-or-reject"].contains(&check.text("outcome")) {
        Ok(())
    } else {
        Err(format!("accepted, expected {} ({})", check.text("outcome"), check.text("reason")).into())
    }
}

fn same<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), Failed> {
    if found == expected { Ok(()) } else { Err(format!("expected {expected:?}\nfound    {found:?}").into()) }
}
