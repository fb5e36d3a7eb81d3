//! The page in headless Chromium, looked at through `tests/fleet/drive.mjs`.
//!
//! Where Chromium or Node is missing, a test says that it tested nothing; with `CI=true` it fails. With
//! `COUNTERSIGN_PICTURES=FOLDER` pictures of the page are left there.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{fixture, hostile};

const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

fn runs(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[expect(clippy::print_stdout, reason = "what is skipped is said")]
fn browser() -> Option<&'static str> {
    let browser = BROWSERS.into_iter().find(|program| runs(program)).filter(|_| runs("node"));
    if browser.is_none() {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "Chromium or Node is missing");
        println!("skipped: Chromium or Node is not installed");
    }
    browser
}

fn look(page: &str, kind: &str) {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fleet.html");
    std::fs::write(&file, page).unwrap();
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fleet/drive.mjs");
    let mut command = Command::new("node");
    command.arg(driver).arg(browser).arg(&file).arg(kind);
    command.args(std::env::var_os("COUNTERSIGN_PICTURES").map(PathBuf::from));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout, b"ok\n");
}

#[test]
fn a_reader_filters_sorts_and_opens_what_is_there() {
    look(&fixture(), "fleet");
}

#[test]
fn nothing_of_a_hostile_card_or_policy_runs() {
    look(&hostile(), "hostile");
}
