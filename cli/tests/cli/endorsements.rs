//! Endorsement files: made, added to, and never written over anything else.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::support::{data, run, text};

/// A folder with a card, and the endorsement beside it.
struct Desk {
    folder: tempfile::TempDir,
    card: PathBuf,
    endorsement: PathBuf,
}

impl Desk {
    fn with(card: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (copy, endorsement) = (folder.path().join("card.json"), folder.path().join("review.json"));
        fs::copy(data(card), &copy).unwrap();
        Self { folder, card: copy, endorsement }
    }

    fn names(&self) -> usize {
        fs::read_dir(self.folder.path()).unwrap().count()
    }

    fn endorse(&self, key: &str, arguments: &[&str]) -> Output {
        self.sign(&["--key", data(key).to_str().unwrap()], arguments)
    }

    fn sign(&self, key: &[&str], arguments: &[&str]) -> Output {
        let fixed = [
            OsStr::new("sign"),
            self.card.as_os_str(),
            "--endorsement".as_ref(),
            self.endorsement.as_os_str(),
        ];
        run(fixed.into_iter().chain(key.iter().chain(arguments).map(AsRef::as_ref)))
    }

    fn verify(&self, keys: &[&str], arguments: &[&str]) -> Output {
        let keys: Vec<PathBuf> = keys.iter().map(|key| data(key)).collect();
        let keys = keys.iter().flat_map(|key| ["--keys".as_ref(), key.as_os_str()]);
        let fixed = [
            OsStr::new("verify"),
            self.card.as_os_str(),
            "--endorsement".as_ref(),
            self.endorsement.as_os_str(),
        ];
        run(fixed.into_iter().chain(keys).chain(arguments.iter().map(AsRef::as_ref)))
    }

    fn entries(&self) -> Vec<Value> {
        let file: Value = serde_json::from_slice(&fs::read(&self.endorsement).unwrap()).unwrap();
        file.get("signatures").and_then(Value::as_array).unwrap().clone()
    }
}

fn ok(output: &Output) {
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn an_endorsement_is_written_beside_the_card_and_the_card_stays_as_it_is() {
    let desk = Desk::with("signed.json");
    let made = desk.endorse("ed25519.pem", &["--kid", "review-1"]);
    ok(&made);
    assert!(made.stdout.is_empty(), "the card is not printed");
    assert_eq!(fs::read(&desk.card).unwrap(), fs::read(data("signed.json")).unwrap());
    assert_eq!(desk.names(), 2, "no temporary file is left");
    // The signatures of the card are no part of its payload.
    assert_eq!(fs::read(&desk.endorsement).unwrap(), fs::read(data("endorsement.json")).unwrap());
    ok(&desk.verify(&["es256.jwks", "ed25519.public.pem"], &["--min", "2"]));
    assert_eq!(desk.verify(&["es256.jwks"], &["--min", "2"]).status.code(), Some(1));
}

#[test]
fn the_report_in_json_names_the_endorsement() {
    let desk = Desk::with("card.json");
    let made = desk.endorse("ed25519.pem", &["--format", "json"]);
    ok(&made);
    let report: Value = serde_json::from_slice(&made.stdout).unwrap();
    assert_eq!(report.get("endorsement").and_then(Value::as_str), desk.endorsement.to_str());
    let digest = report.pointer("/signatures/0/payload_sha256").cloned();
    let file: Value = serde_json::from_slice(&fs::read(&desk.endorsement).unwrap()).unwrap();
    assert_eq!(digest.as_ref(), file.get("payload_sha256"));
}

#[test]
fn each_signer_has_one_entry_whatever_it_is_called() {
    let desk = Desk::with("card.json");
    // Two keys that are both called `k1`.
    for (key, entries) in
        [("es256.jwk", 1), ("other.jwk", 2), ("es256.jwk", 2), ("ed25519.pem", 3), ("other.jwk", 3)]
    {
        ok(&desk.endorse(key, &[]));
        assert_eq!(desk.entries().len(), entries, "{key}");
    }
    ok(&desk.verify(&["es256.jwks", "other.jwks", "ed25519.public.pem"], &["--min", "3"]));
    assert_eq!(desk.verify(&["es256.jwks", "other.jwks"], &["--min", "3"]).status.code(), Some(1));
    ok(&desk.endorse("es256.jwk", &["--issued-at", "2026-01-01T00:00:00Z"]));
    assert_eq!(desk.entries().len(), 3);
}

#[test]
fn nothing_but_an_endorsement_of_the_same_payload_is_written_to() {
    let desk = Desk::with("card.json");
    for (contents, code) in [
        (fs::read(data("list.json")).unwrap(), "endorsement.malformed"),
        (fs::read(data("signed.json")).unwrap(), "endorsement.malformed"),
        (fs::read(data("es256.jwk")).unwrap(), "endorsement.malformed"),
        (fs::read(data("endorsement-2.json")).unwrap(), "endorsement.unknown-schema"),
        (fs::read(data("endorsement-bearer.json")).unwrap(), "endorsement.payload-mismatch"),
        (b"notes".to_vec(), "json.malformed"),
        (Vec::new(), "json.malformed"),
        (vec![b' '; 300_000], "json.too-large"),
    ] {
        fs::write(&desk.endorsement, &contents).unwrap();
        let refused = desk.endorse("ed25519.pem", &[]);
        assert_eq!(refused.status.code(), Some(2), "{code}");
        assert!(text(&refused.stderr).contains(&format!("[{code}]")), "{}", text(&refused.stderr));
        assert_eq!(fs::read(&desk.endorsement).unwrap(), contents, "{code}");
        assert_eq!(desk.names(), 2, "no temporary file is left");
    }
    fs::remove_file(&desk.endorsement).unwrap();
    fs::create_dir(&desk.endorsement).unwrap();
    assert_eq!(desk.endorse("ed25519.pem", &[]).status.code(), Some(2));
}

#[test]
fn no_text_of_a_key_that_is_named_by_mistake_is_shown() {
    let desk = Desk::with("card.json");
    fs::copy(data("other.jwk"), &desk.endorsement).unwrap();
    let secret: Value = serde_json::from_slice(&fs::read(data("other.jwk")).unwrap()).unwrap();
    let secret = secret.get("d").and_then(Value::as_str).unwrap();
    for output in [desk.endorse("ed25519.pem", &[]), desk.verify(&["es256.jwks"], &[])] {
        assert_eq!(output.status.code(), Some(2));
        assert!(!text(&output.stderr).contains(secret) && !text(&output.stdout).contains(secret));
    }
    assert!(text(&fs::read(&desk.endorsement).unwrap()).contains(secret), "it is still there");
}

#[test]
fn signatures_made_elsewhere_can_be_endorsements() {
    let desk = Desk::with("card.json");
    let public = data("es256.jwks").into_os_string().into_string().unwrap();
    let lines = data("attach.jsonl").into_os_string().into_string().unwrap();
    ok(&desk.sign(&["--public", &public, "--attach", &lines], &[]));
    let attached = desk.entries();
    fs::remove_file(&desk.endorsement).unwrap();
    ok(&desk.endorse("es256.jwk", &[]));
    assert_eq!(desk.entries(), attached);
    fs::remove_file(&desk.endorsement).unwrap();
    // A card that was changed since is not endorsed.
    fs::copy(data("tampered.json"), &desk.card).unwrap();
    assert_eq!(desk.sign(&["--public", &public, "--attach", &lines], &[]).status.code(), Some(2));
    assert!(!desk.endorsement.exists());
}

#[test]
fn a_card_that_is_refused_leaves_no_endorsement() {
    let desk = Desk::with("duplicate.json");
    assert_eq!(desk.endorse("es256.jwk", &[]).status.code(), Some(1));
    assert!(!desk.endorsement.exists());
}

#[test]
fn at_most_sixty_four_endorsements_can_be_given() {
    let with = |count: usize| {
        let (card, keys, file) = (data("card.json"), data("ed25519.public.pem"), data("endorsement.json"));
        let fixed: [&Path; 4] = ["verify".as_ref(), &card, "--keys".as_ref(), &keys];
        let given = std::iter::repeat_n(["--endorsement".as_ref(), file.as_path()], count).flatten();
        run(fixed.into_iter().chain(given)).status.code()
    };
    assert_eq!((with(64), with(65)), (Some(0), Some(2)));
}
