//! The cases of kind `cli` that were made from public bug reports, with their files, through the binary.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::support::{countersign, run, text};

fn folder(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/cases").join(case)
}

/// Runs the binary inside the folder of a case.
fn run_in(case: &str, arguments: &[&str]) -> Output {
    countersign().current_dir(folder(case)).args(arguments).output().unwrap()
}

fn checks(case: &str) -> Vec<Value> {
    let file = std::fs::read_to_string(folder(case).join("expect.json")).unwrap();
    let case: Value = serde_json::from_str(&file).unwrap();
    case.get("checks").and_then(Value::as_array).unwrap().clone()
}

fn member<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The protected header of the only signature on a signed card.
fn header(signed: &Output) -> Value {
    let card: Value = serde_json::from_slice(&signed.stdout).unwrap();
    let protected = card.pointer("/signatures/0/protected").and_then(Value::as_str).unwrap();
    let octets = countersign::keys::base64url::decode(protected).unwrap();
    serde_json::from_slice(&octets).unwrap()
}

/// Cases 149 and 150: each command gives its kind of exit code, in every format.
#[test]
fn exit_codes_tell_no_from_could_not_tell() {
    let mut ran = 0;
    for case in ["149-exit-codes", "150-many-files-one-bad"] {
        for check in checks(case) {
            let command = member(&check, "command").replace(" (no inputs)", "");
            let expected = match member(&check, "outcome") {
                "exit-0" => 0,
                "exit-nonzero" => 1,
                "exit-usage-or-io" => 2,
                other => panic!("unknown outcome {other}"),
            };
            for format in ["human", "short", "json"] {
                let words = command.split(' ').chain(["--keys", "trust.jwks.json", "--format", format]);
                let output = run_in(case, &words.collect::<Vec<_>>());
                assert_eq!(output.status.code(), Some(expected), "{command} --format {format}");
                ran += 1;
            }
        }
    }
    assert_eq!(ran, 30);
}

/// Case 152: the header always has a `kid`, the thumbprint where nothing else is known.
#[test]
fn kid_is_never_left_out() {
    let case = "152-kid-is-never-left-out";
    let pem = header(&run_in(case, &["sign", "card.json", "--key", "key.pem"]));
    let thumbprint = std::fs::read_to_string(folder(case).join("thumbprint.txt")).unwrap();
    assert_eq!(member(&pem, "kid"), thumbprint.trim());
    let jwk = header(&run_in(case, &["sign", "card.json", "--key", "key.jwk.json"]));
    assert_eq!(member(&jwk, "kid"), "acme-2026");
    assert_eq!(checks(case).len(), 2);
}

/// Case 153: the key decides the algorithm; RSA signs PS256; an option that contradicts the key fails.
#[test]
fn the_algorithm_follows_the_key() {
    let case = "153-alg-follows-the-key";
    let keys = [("p256", "ES256"), ("p384", "ES384"), ("p521", "ES512"), ("ed", "EdDSA"), ("rsa", "PS256")];
    for (key, algorithm) in keys {
        let signed = run_in(case, &["sign", "card.json", "--key", &format!("{key}.pem")]);
        assert_eq!(member(&header(&signed), "alg"), algorithm);
    }
    let contradicted = run_in(case, &["sign", "card.json", "--key", "p384.pem", "--alg", "ES256"]);
    assert_ne!(contradicted.status.code(), Some(0));
    assert!(contradicted.stdout.is_empty());
    assert!(text(&contradicted.stderr).contains("[sig.algorithm-key-mismatch]"));
    assert_eq!(checks(case).len(), keys.len() + 1);
}

/// Case 075: the export holds no private member, and a symmetric key has no public half.
#[test]
fn exporting_strips_what_is_private() {
    let case = "075-export-strips-private";
    let exported = run_in(case, &["key", "public", "private.jwks.json", "--as", "jwks"]);
    let expected = std::fs::read(folder(case).join("public.jwks.json")).unwrap();
    let read = |octets: &[u8]| serde_json::from_slice::<Value>(octets).unwrap();
    assert_eq!(read(&exported.stdout), read(&expected));
    let refused = run_in(case, &["key", "public", "oct.jwk.json"]);
    assert_ne!(refused.status.code(), Some(0));
    assert!(refused.stdout.is_empty());
    assert_eq!(checks(case).len(), 2);
}

/// The cases above are all there are of this kind.
#[test]
fn no_case_of_kind_cli_is_left_out() {
    let index = std::fs::read_to_string(folder("index.tsv")).unwrap();
    let of_kind = index.lines().filter(|line| line.split('\t').nth(1) == Some("cli"));
    let ids: Vec<_> = of_kind.filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(ids, ["075", "149", "150", "152", "153"]);
    assert_eq!(run(["--version"]).status.code(), Some(0));
}
