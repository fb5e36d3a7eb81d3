//! Where the fixed card goes, and what is never changed.

use std::fs;

use crate::support::{data, run, text};

fn folder_with(name: &str) -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let card = folder.path().join("card.json");
    fs::copy(data(name), &card).unwrap();
    let output = folder.path().join("out.json").into_os_string().into_string().unwrap();
    (folder, card.into_os_string().into_string().unwrap(), output)
}

#[test]
fn the_input_is_replaced_only_when_that_is_asked_for() {
    let (_folder, card, output) = folder_with("fixable.json");
    let before = fs::read(&card).unwrap();
    let printed = run(["fix", &card]);
    assert!(printed.status.success());
    assert_ne!(printed.stdout, before);
    for arguments in [["fix", card.as_str(), "--dry-run"].as_slice(), &["fix", &card, "-o", &output]] {
        assert!(run(arguments).status.success());
        assert_eq!(fs::read(&card).unwrap(), before, "{arguments:?}");
    }
    assert_eq!(fs::read(&output).unwrap(), printed.stdout);
    assert_eq!(run(["fix", &card, "-o", &card]).status.code(), Some(2));
    assert_eq!(fs::read(&card).unwrap(), before);
    assert!(run(["fix", &card, "--in-place"]).status.success());
    assert_eq!(fs::read(&card).unwrap(), printed.stdout);
}

#[test]
fn a_signed_card_verifies_after_its_fix() {
    let keys = data("es256.jwks").into_os_string().into_string().unwrap();
    let (_folder, card, output) = folder_with("signed-fixable.json");
    assert_eq!(run(["fix", &card, "-o", &output]).status.code(), Some(1));
    assert!(run(["verify", &output, "--keys", &keys]).status.success());
    assert!(run(["fix", &card, "--drop-signatures", "-o", &output]).status.success());
    let after = run(["verify", &output, "--keys", &keys, "--format", "short"]);
    assert!(text(&after.stdout).contains("unsigned sig.absent"));
}

#[test]
fn a_fixed_and_upgraded_card_can_be_signed_under_one_payload() {
    let key = data("es256.jwk").into_os_string().into_string().unwrap();
    let (_folder, card, output) = folder_with("fixable.json");
    let require = |card: &str| run(["sign", card, "--key", &key, "--require-portable"]).status.code();
    assert_eq!(require(&card), Some(1));
    assert!(run(["fix", &card, "--portable", "-o", &output]).status.success());
    assert_eq!(require(&output), Some(0));
}

#[test]
fn text_of_a_card_reaches_no_terminal_as_it_is() {
    let (_folder, card, _) = folder_with("old.json");
    let hostile = fs::read_to_string(&card).unwrap().replace("Old Agent", "Old \u{202e}Agent");
    fs::write(&card, hostile).unwrap();
    let shown = run(["fix", &card, "--to", "1.0", "--dry-run"]);
    assert!(text(&shown.stdout).contains("\\u{202e}"));
    for stream in [shown.stdout, shown.stderr] {
        assert!(!text(&stream).contains(['\u{202e}', '\u{1b}']));
    }
}

#[test]
fn lint_fixes_files_when_it_is_asked_to_and_tells_what_is_left() {
    let (folder, card, _) = folder_with("fixable.json");
    let before = fs::read(&card).unwrap();
    let fixed = run(["fix", &card]).stdout;
    let lint = |extra: &[&str]| {
        run([&["lint", card.as_str(), "--profile", "publish", "--format", "short"], extra].concat())
    };
    let found = lint(&[]);
    assert_eq!(fs::read(&card).unwrap(), before);
    let left = lint(&["--fix"]);
    assert_eq!(fs::read(&card).unwrap(), fixed);
    assert!(text(&left.stderr).contains("written"), "{}", text(&left.stderr));
    assert!(left.stdout.len() < found.stdout.len(), "{}", text(&left.stdout));
    let again = lint(&["--fix"]);
    assert_eq!((again.stdout, text(&again.stderr)), (left.stdout, String::new()));
    assert_eq!(fs::read(&card).unwrap(), fixed);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(run(["lint", "-", "--fix"]).status.code(), Some(2));
}

#[test]
fn a_document_that_is_no_card_is_not_fixed() {
    let (_folder, document, output) = folder_with("es256.jwks");
    let refused = run(["fix", &document, "-o", &output]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("card.not-an-agent-card"));
    assert!(!fs::exists(&output).unwrap());
}

#[test]
fn a_broken_card_in_a_folder_is_judged_and_another_document_is_not() {
    let (folder, card, _) = folder_with("card.json");
    let misspelt = fs::read_to_string(&card).unwrap().replacen("supportedInterfaces", "interfaces", 1);
    fs::write(&card, misspelt).unwrap();
    fs::copy(data("es256.jwks"), folder.path().join("keys.json")).unwrap();
    let linted = run(["lint", folder.path().to_str().unwrap(), "--format", "short"]);
    assert_eq!(linted.status.code(), Some(1), "{}", text(&linted.stdout));
    assert!(text(&linted.stdout).contains("card.json"));
    assert!(text(&linted.stderr).contains("keys.json: passed over"));
}
