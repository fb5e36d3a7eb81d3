//! Test files of policies, as build servers and scripts see them.

use std::fs;

use quick_junit::{Report, TestCaseStatus};

use crate::support::{countersign, data, run, text};

fn junit(file: &str, options: &[&str]) -> (Option<i32>, Report) {
    let file = data(&format!("policytest/{file}"));
    let output =
        countersign().args(["policy", "test", "--format", "junit"]).arg(file).args(options).output().unwrap();
    let xml = text(&output.stdout);
    (output.status.code(), Report::deserialize_from_str(&xml).unwrap())
}

#[test]
fn junit_has_a_case_for_each_case_and_a_failure_for_each_that_fails() {
    let (code, report) = junit("failing.test.toml", &[]);
    assert_eq!((code, report.test_suites.len()), (Some(1), 1));
    let suite = &report.test_suites[0];
    assert_eq!((suite.tests, suite.failures), (5, 4));
    let failed = |status: &TestCaseStatus| matches!(status, TestCaseStatus::NonSuccess { .. });
    assert_eq!(suite.test_cases.iter().filter(|case| failed(&case.status)).count(), 4);
    assert!(!failed(&suite.test_cases[4].status));
    let (code, report) = junit("good.test.toml", &[]);
    assert_eq!((code, report.test_suites[0].failures), (Some(0), 0));
}

#[test]
fn junit_tells_gaps_and_unnoticed_changes_without_failing() {
    let (code, report) = junit("weak.test.toml", &["--coverage", "--mutants", "--builtin"]);
    let suites: Vec<_> = report.test_suites.iter().map(|suite| (suite.tests, suite.failures)).collect();
    assert_eq!((code, suites), (Some(0), vec![(1, 0), (3, 0), (2, 0), (15, 0)]));
}

#[test]
fn an_attack_that_is_admitted_fails() {
    let (code, report) = junit("infiltrated.test.toml", &["--builtin"]);
    assert_eq!((code, report.test_suites[1].failures), (Some(1), 1));
    let (code, _) = junit("infiltrated.test.toml", &[]);
    assert_eq!(code, Some(0));
}

#[test]
fn a_card_without_a_patch_is_used_octet_for_octet() {
    let folder = tempfile::tempdir().unwrap();
    let policy = fs::read_to_string(data("policytest/trust-policy.toml")).unwrap();
    fs::write(folder.path().join("trust-policy.toml"), policy).unwrap();
    let case = |card: &str, patch: &str, expect: &str| {
        fs::write(folder.path().join("card.json"), card).unwrap();
        let from = "{ url = \"https://agents.maps.example/.well-known/agent-card.json\" }";
        let test = format!(
            "policy = \"trust-policy.toml\"\nnow = 2026-10-01T12:00:00Z\n[[case]]\nname = \"c\"\ncard = \"card.json\"\n{patch}from = {from}\nexpect = {expect}\n"
        );
        let file = folder.path().join("c.test.toml");
        fs::write(&file, test).unwrap();
        run(["policy".as_ref(), "test".as_ref(), file.as_os_str()]).status.code()
    };
    for (octets, code) in [
        ("{\"name\":\"a\",\"name\":\"b\"}", "json.duplicate-member"),
        ("{\"n\":1e400}", "json.number-overflow"),
        ("{\"n\":9007199254740993}", "json.inexact-number"),
        ("{\"n\":1} x", "json.trailing-content"),
    ] {
        assert_eq!(
            case(octets, "", &format!("{{ outcome = \"deny\", codes = [\"{code}\"] }}")),
            Some(0),
            "{octets}"
        );
        let patch = "patch = [{ op = \"add\", path = \"/a\", value = 1 }]\n";
        assert_eq!(case(octets, patch, "{ outcome = \"deny\" }"), Some(2), "{octets}");
    }
}

#[test]
fn paths_are_relative_to_the_test_file_wherever_the_run_starts() {
    let elsewhere = tempfile::tempdir().unwrap();
    let file = data("policytest/good.test.toml");
    let output = countersign().current_dir(&elsewhere).args(["policy", "test"]).arg(file).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let output = countersign()
        .current_dir(data("policytest"))
        .args(["policy", "test", "good.test.toml"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn several_test_files_cover_one_policy_together() {
    let [weak, good] = ["policytest/weak.test.toml", "policytest/good.test.toml"].map(data);
    let output = countersign()
        .args(["policy", "test", "--coverage", "--mutants"])
        .args([weak, good])
        .output()
        .unwrap();
    let answer = text(&output.stdout);
    assert!(answer.contains("every rule, key, deny rule and exception"), "{answer}");
    assert!(answer.contains("4 of 4 changes are noticed"), "{answer}");
}
