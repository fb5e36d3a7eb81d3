//! `admit --report`. What the page shows is tested with the module that makes it, and in a browser.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{countersign, data, example, run, text};

const AT: &str = "2026-12-10T12:00:00Z";

/// Each recorded document: the card, where it comes from, and the other arguments.
const RECORDED: [(&str, &str, &[&str]); 10] = [
    ("examples/company/cards/servicedesk.json", "servicedesk.acme.example", &[]),
    ("examples/company/cards/route-planner.json", "agents.maps.example", &["--accept", "1.0/JSONRPC"]),
    (
        "examples/company/cards/route-planner-2025.json",
        "agents.maps.example",
        &["--tenant", "service-desk", "--use", "travel", "--explain"],
    ),
    ("examples/company/cards/inventory-0.3.json", "legacy.agents.acme.example", &[]),
    ("examples/company/cards/servicedesk.json", "abc.ngrok-free.app", &[]),
    ("examples/cards/tampered.json", "servicedesk.acme.example", &[]),
    ("cli/tests/data/signed.json", "pilot.example", &[]),
    ("cli/tests/data/signed-bearer.json", "eu.agents.partner.example", &[]),
    ("cli/tests/data/hostile.json", "weather.agents.acme.example", &[]),
    ("cli/tests/data/duplicate.json", "dup.agents.acme.example", &[]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn document(card: &str, host: &str, others: &[&str]) -> String {
    let url = format!("https://{host}/.well-known/agent-card.json");
    let mut command = countersign();
    command.current_dir(root()).args(["admit", card, "--as", &url, "--at", AT, "--format", "json"]);
    let output = command.args(["--policy", "cli/tests/data/fleet/trust-policy.toml"]).args(others).output();
    text(&output.unwrap().stdout)
}

/// The list of public suffixes is another one with every update.
fn without_list(line: &str) -> Value {
    let mut document: Value = serde_json::from_str(line).unwrap();
    document.as_object_mut().unwrap().remove("psl");
    document
}

/// `UPDATE_FLEET=1` writes them anew.
#[test]
fn the_recorded_documents_are_what_the_binary_says() {
    let file = data("fleet/documents.jsonl");
    let recorded = fs::read_to_string(&file).unwrap();
    let now: String = RECORDED.iter().map(|(card, host, others)| document(card, host, others)).collect();
    if std::env::var_os("UPDATE_FLEET").is_some() {
        let failures = recorded.lines().skip(RECORDED.len()).map(|line| format!("{line}\n"));
        fs::write(&file, now + &failures.collect::<String>()).unwrap();
        return;
    }
    assert_eq!(now.lines().count(), RECORDED.len());
    for (now, recorded) in now.lines().zip(recorded.lines()) {
        assert_eq!(without_list(now), without_list(recorded));
    }
}

/// A card that is admitted and one that is not, with a report to `page`.
fn report(page: &Path) -> std::process::Output {
    let cards = [example("company/cards/servicedesk.json"), example("cards/tampered.json")];
    let mut command = countersign();
    command.arg("admit").args(cards).arg("--policy").arg(data("fleet/trust-policy.toml"));
    command.args(["--as", "https://servicedesk.acme.example/card.json", "--at", AT, "--report"]).arg(page);
    command.output().unwrap()
}

#[test]
fn a_report_has_every_card_and_leaves_the_answer_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("fleet.html");
    fs::write(&page, "yesterday's").unwrap();
    let output = report(&page);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).matches(": DENY").count(), 1);
    let html = fs::read_to_string(&page).unwrap();
    for count in [
        "<dt>Agents</dt><dd>2</dd>",
        "<dt>Admitted</dt><dd>1</dd>",
        "<dt>Denied</dt><dd>1</dd>",
        "sha256:",
        "Service Desk",
    ] {
        assert!(html.contains(count), "{count}");
    }
    assert!(html.starts_with("<!doctype html>") && html.ends_with("</html>\n"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a temporary file is left");
}

#[test]
fn an_agent_that_cannot_be_fetched_is_in_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("fleet.html");
    let mut command = countersign();
    // An address of this machine, which is refused before anything is sent.
    command.args(["admit", "https://127.0.0.1/agent-card.json", "--at", AT, "--policy"]);
    let output = command.arg(data("fleet/trust-policy.toml")).arg("--report").arg(&page).output().unwrap();
    assert_ne!(output.status.code(), Some(0));
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("<dt>Not fetched</dt><dd>1</dd>") && html.contains("fetch.address"), "{html}");
}

#[test]
fn a_report_that_cannot_be_written_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let output = report(&folder.path().join("none/fleet.html"));
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("cannot write"), "{}", text(&output.stderr));
    let output = report(folder.path());
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_report_does_not_take_the_place_of_what_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let card = folder.path().join("card.json");
    let octets = fs::read(example("cards/signed.json")).unwrap();
    fs::write(&card, &octets).unwrap();
    let mut arguments = vec![PathBuf::from("admit"), card.clone(), "--policy".into()];
    arguments.extend([data("fleet/trust-policy.toml"), "--as".into(), "https://a.example".into()]);
    let output = run(arguments.into_iter().chain(["--report".into(), card.clone()]));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read(&card).unwrap(), octets);
}

#[test]
fn a_report_of_a_policy_with_a_fault_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("fleet.html");
    let mut arguments = vec![PathBuf::from("admit"), example("cards/signed.json"), "--policy".into()];
    arguments.extend([data("policy/misspelled.toml"), "--as".into(), "https://a.example".into()]);
    let output = run(arguments.into_iter().chain(["--report".into(), page.clone()]));
    assert_eq!(output.status.code(), Some(2));
    assert!(!page.exists());
}
