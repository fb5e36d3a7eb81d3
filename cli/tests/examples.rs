//! Every policy of the examples is clean, has tests, and its tests hold and notice every change.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Within the exceptions and audits of the examples.
const NOW: &str = "2026-11-16T12:00:00Z";

/// Every policy of the examples, by its path without `.toml`.
const POLICIES: [&str; 6] = [
    "trust-policy",
    "company/trust-policy",
    "company/travel-team",
    "migration/1-audit",
    "migration/2-if-present",
    "migration/3-require",
];

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples")
}

fn countersign(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(arguments)
        .current_dir(examples())
        .env_remove("COUNTERSIGN_FORMAT")
        .output()
        .unwrap()
}

/// Files below `folder` that end in `.toml`, relative to the examples, without that ending.
fn toml_files(folder: &Path, found: &mut Vec<String>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            toml_files(&path, found);
            continue;
        }
        // A manifest is no policy.
        if path.file_name().is_some_and(|name| name == "Cargo.toml") {
            continue;
        }
        let path = path.strip_prefix(examples()).unwrap().to_str().unwrap().replace('\\', "/");
        found.extend(path.strip_suffix(".toml").map(str::to_owned));
    }
}

#[test]
fn each_policy_of_the_examples_has_a_test_file() {
    let mut found = Vec::new();
    toml_files(&examples(), &mut found);
    found.sort();
    let mut expected: Vec<String> =
        POLICIES.iter().flat_map(|policy| [(*policy).to_owned(), format!("{policy}.test")]).collect();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn nothing_is_found_in_the_policies_of_the_examples() {
    for policy in POLICIES {
        let output =
            countersign(&["policy", "check", &format!("{policy}.toml"), "--at", NOW, "--fail-on", "warning"]);
        assert_eq!(output.status.code(), Some(0), "{policy}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn the_tests_of_the_policies_hold_and_leave_nothing_out() {
    for policy in POLICIES {
        let file = format!("{policy}.test.toml");
        let options = ["--coverage", "--mutants", "--builtin", "--format", "json"];
        let output = countersign(&[&["policy", "test", &file], &options[..]].concat());
        let told = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{policy}: {told}");
        let summary = told.lines().last().unwrap();
        for member in ["\"failed\":0", "\"gaps\":0", "\"survivors\":0", "\"admitted\":0"] {
            assert!(summary.contains(member), "{policy}: {summary}");
        }
    }
}
