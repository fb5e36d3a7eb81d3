//! What is said about the bad card or policy of every code: `bad.txt` for people and `bad.jsonl`, beside
//! `tests/lints/CODE/bad.json` and `policy/tests/lints/CODE/bad.toml`. Further bad policies, `bad-*.toml`, have their own.
//!
//! `UPDATE_LINTS=1 cargo test -p countersign-cli --test cli lints` writes them anew.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{countersign, text};

/// The time that counts as now for the signatures on the cards.
const AT: &str = "2026-12-01T00:00:00Z";

/// The lint that only test cases can show.
const NEEDS_TESTS: &str = "policy.rule-without-test";

/// Every card but the one that is too large.
const MAX_OCTETS: &str = "4096";

/// The folders of cards or of policies.
fn folders(root: &str) -> Vec<PathBuf> {
    let lints = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(root);
    let mut folders: Vec<_> = fs::read_dir(lints).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

/// What is printed about the bad card, under the profile that has the lint; a lint that is off in both is switched on.
fn printed(folder: &Path, code: &str, format: &str) -> String {
    let mut command = countersign();
    command.current_dir(folder).args(["lint", "bad.json", "--at", AT]);
    command.args(["--max-octets", MAX_OCTETS, "--format", format]);
    match countersign::lints().find(|lint| lint.code.name() == code) {
        Some(lint) if lint.publish.is_none() && lint.consume.is_some() => &mut command,
        Some(lint) if lint.publish.is_none() => command.args(["--profile", "publish", "-W", code]),
        _ => command.args(["--profile", "publish"]),
    };
    if folder.join("keys.jwks").exists() {
        command.args(["--keys", "keys.jwks"]);
    }
    text(&command.output().unwrap().stdout)
}

/// The findings of one code for people. Others come and go with other lints.
fn for_people(printed: &str, code: &str) -> String {
    let is_of_code = |block: &&str| {
        let head = block.lines().next().unwrap_or_default();
        head.split_once('[').is_some_and(|(_, rest)| rest.starts_with(&format!("{code}]: ")))
    };
    let blocks: Vec<_> = printed.split("\n\n").filter(is_of_code).collect();
    format!("{}\n", blocks.join("\n\n"))
}

/// The same as JSON lines.
fn as_json(printed: &str, code: &str) -> String {
    let is_of_code = |line: &&str| line.contains(&format!(r#","code":"{code}","#));
    printed.lines().filter(is_of_code).map(|line| format!("{line}\n")).collect()
}

/// What is printed about a bad policy.
fn printed_about_policy(folder: &Path, file: &str, format: &str) -> String {
    let mut command = countersign();
    command.current_dir(folder).args(["policy", "check", file, "--at", AT, "--format", format]);
    text(&command.output().unwrap().stdout)
}

#[test]
fn every_code_says_what_is_recorded_about_its_bad_card() {
    let mut records = Records::default();
    for folder in folders("tests/lints") {
        let code = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let [human, json] = ["human", "json"].map(|format| printed(&folder, &code, format));
        let lines = as_json(&json, &code);
        lines.lines().for_each(|line| says_where_and_what_instead(line, Pointer::Wanted));
        records.hold(&folder, "bad.txt", &for_people(&human, &code));
        records.hold(&folder, "bad.jsonl", &lines);
    }
    records.end();
}

#[test]
fn every_code_says_what_is_recorded_about_its_bad_policies() {
    let mut records = Records::default();
    for folder in folders("policy/tests/lints") {
        let code = folder.file_name().unwrap().to_str().unwrap().to_owned();
        if code == NEEDS_TESTS {
            continue;
        }
        let names =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> =
            names.filter(|name| name.starts_with("bad") && name.ends_with(".toml")).collect();
        names.sort();
        for name in names {
            let [human, json] = ["human", "json"].map(|format| printed_about_policy(&folder, &name, format));
            let lines = as_json(&json, &code);
            lines.lines().for_each(|line| says_where_and_what_instead(line, Pointer::None));
            records.hold(&folder, &name.replace(".toml", ".txt"), &for_people(&human, &code));
            records.hold(&folder, &name.replace(".toml", ".jsonl"), &lines);
        }
    }
    records.end();
}

/// What is recorded, and where it differs.
#[derive(Default)]
struct Records {
    different: Vec<String>,
}

impl Records {
    fn hold(&mut self, folder: &Path, name: &str, made: &str) {
        let file = folder.join(name);
        assert!(made.len() > 1, "nothing is said about {}", file.display());
        if std::env::var_os("UPDATE_LINTS").is_some() {
            fs::write(&file, made).unwrap();
        } else if fs::read_to_string(&file).ok().as_deref() != Some(made) {
            self.different.push(format!("{} should be\n{made}", file.display()));
        }
    }

    fn end(self) {
        assert!(
            self.different.is_empty(),
            "{}\nUPDATE_LINTS=1 writes them anew; read the difference before you commit it",
            self.different.join("\n")
        );
    }
}

/// Whether a finding is in a document that JSON Pointers lead into.
#[derive(PartialEq)]
enum Pointer {
    Wanted,
    None,
}

fn says_where_and_what_instead(line: &str, pointer: Pointer) {
    let finding: serde_json::Value = serde_json::from_str(line).unwrap();
    let member = |pointer: &str| finding.pointer(pointer).unwrap_or(&serde_json::Value::Null);
    for name in ["/schema", "/file", "/code", "/level", "/message", "/help"] {
        assert!(member(name).as_str().is_some_and(|text| !text.is_empty()), "{name}: {line}");
    }
    assert_eq!(member("/pointer").is_string(), pointer == Pointer::Wanted, "{line}");
    for name in ["/span/start", "/span/end", "/span/line", "/span/column"] {
        assert!(member(name).is_u64(), "{name}: {line}");
    }
}
