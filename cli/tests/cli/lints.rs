//! What `lint` says about the bad card of every code: `bad.txt` for people and `bad.jsonl`, beside `tests/lints/CODE/bad.json`.
//!
//! `UPDATE_LINTS=1 cargo test -p countersign-cli --test cli lints` writes them anew.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{countersign, text};

/// The time that counts as now for the signatures on the cards.
const AT: &str = "2026-12-01T00:00:00Z";

/// Every card but the one that is too large.
const MAX_OCTETS: &str = "4096";

fn folders() -> Vec<PathBuf> {
    let lints = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/lints");
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

#[test]
fn every_code_says_what_is_recorded_about_its_bad_card() {
    let mut different = Vec::new();
    for folder in folders() {
        let code = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let made = [
            ("bad.txt", for_people(&printed(&folder, &code, "human"), &code)),
            ("bad.jsonl", as_json(&printed(&folder, &code, "json"), &code)),
        ];
        for (name, made) in made {
            assert!(made.len() > 1, "{code}: nothing is said about bad.json");
            if name == "bad.jsonl" {
                made.lines().for_each(says_where_and_what_instead);
            }
            let file = folder.join(name);
            if std::env::var_os("UPDATE_LINTS").is_some() {
                fs::write(&file, &made).unwrap();
            } else if fs::read_to_string(&file).ok().as_deref() != Some(&made) {
                different.push(format!("{code}/{name} should be\n{made}"));
            }
        }
    }
    assert!(
        different.is_empty(),
        "{}\nUPDATE_LINTS=1 writes them anew; read the difference before you commit it",
        different.join("\n")
    );
}

fn says_where_and_what_instead(line: &str) {
    let finding: serde_json::Value = serde_json::from_str(line).unwrap();
    let member = |pointer: &str| finding.pointer(pointer).unwrap_or(&serde_json::Value::Null);
    for name in ["/schema", "/file", "/code", "/level", "/message", "/help"] {
        assert!(member(name).as_str().is_some_and(|text| !text.is_empty()), "{name}: {line}");
    }
    assert!(member("/pointer").is_string(), "{line}");
    for name in ["/span/start", "/span/end", "/span/line", "/span/column"] {
        assert!(member(name).is_u64(), "{name}: {line}");
    }
}
