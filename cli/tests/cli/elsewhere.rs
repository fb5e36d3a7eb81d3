//! Signing with a key that is elsewhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use countersign::keys::{base64url, jwk};
use countersign::{Algorithm, Limits, SigningKey};
use serde_json::{Value, json};

use crate::support::{data, example, run, text};

/// A folder with a copy of a card, and what is asked of it.
struct Desk {
    folder: tempfile::TempDir,
    card: PathBuf,
}

impl Desk {
    fn with(card: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("card.json");
        fs::copy(data(card), &copy).unwrap();
        Self { folder, card: copy }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn sign(&self, public: &Path, arguments: &[&str]) -> Output {
        let card = self.card.as_os_str();
        let fixed = ["sign".as_ref(), card, "--public".as_ref(), public.as_os_str()];
        run(fixed.into_iter().chain(arguments.iter().map(AsRef::as_ref)))
    }

    fn printed(&self, public: &Path, arguments: &[&str]) -> Vec<Value> {
        let printed = self.sign(public, &[&["--print-signing-input"], arguments].concat());
        assert!(printed.status.success(), "{}", text(&printed.stderr));
        text(&printed.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Attaches the lines; the answer and the card that was written.
    fn attached(&self, public: &Path, lines: &[Value], arguments: &[&str]) -> (Output, Option<String>) {
        let (file, signed) = (self.path("lines"), self.path("signed.json"));
        fs::write(&file, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        let (file, output) = (file.to_str().unwrap(), signed.to_str().unwrap());
        let output = self.sign(public, &[&["--attach", file, "-o", output], arguments].concat());
        (output, fs::read_to_string(signed).ok())
    }

    /// The lines are refused with this text, exit code 2, and nothing is written.
    fn refuses(&self, public: &Path, lines: &[Value], arguments: &[&str], expected: &str) {
        let (output, written) = self.attached(public, lines, arguments);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
        assert!(output.stdout.is_empty() && written.is_none(), "{expected}");
    }
}

fn private(name: &str) -> SigningKey {
    let mut read = jwk::read_private(fs::read(data(name)).unwrap(), &Limits::default()).unwrap();
    read.entries.remove(0).key.unwrap().key
}

fn octets(line: &Value, member: &str) -> Vec<u8> {
    base64url::decode(line.get(member).and_then(Value::as_str).unwrap()).unwrap()
}

fn set(line: &Value, member: &str, value: Value) -> Value {
    let mut line = line.clone();
    line.as_object_mut().unwrap().insert(member.to_owned(), value);
    line
}

/// The lines with the signatures of a key.
fn signed_by(key: &SigningKey, algorithm: Algorithm, lines: &[Value]) -> Vec<Value> {
    let signed = lines.iter().map(|line| {
        let signature = key.sign(algorithm, &octets(line, "signing_input")).unwrap();
        set(line, "signature", json!(base64url::encode(&signature)))
    });
    signed.collect()
}

#[test]
fn attached_signatures_give_the_card_that_the_key_gives() {
    let desk = Desk::with("bearer.json");
    let options = ["--form", "a2a-1.0", "--form", "as-received", "--form", "sdk-1.x"];
    let bound = ["--jku", "https://agents.example/jwks", "--issued-at", "2026-01-01T00:00:00Z", "--expires"];
    let bound = [&bound[..], &["2126-01-01T00:00:00Z"]].concat();
    let lines = desk.printed(&data("es256.jwks"), &[&options[..], &bound].concat());
    assert_eq!(lines.len(), 3);
    let lines = signed_by(&private("es256.jwk"), Algorithm::Es256, &lines);
    let (output, written) = desk.attached(&data("es256.jwks"), &lines, &options);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let (card, key) = (desk.card.to_str().unwrap(), data("es256.jwk"));
    let arguments = ["sign", card, "--key", key.to_str().unwrap()];
    let by_key = run(arguments.iter().chain(&options).chain(&bound));
    assert_eq!(written.unwrap(), text(&by_key.stdout));
}

#[test]
fn the_digest_is_the_hash_of_the_signing_input() {
    let desk = Desk::with("card.json");
    let lines = desk.printed(&data("es256.jwks"), &[]);
    for line in &lines {
        let input = octets(line, "signing_input");
        assert_eq!(octets(line, "digest"), countersign::keys::sha256(&input));
        let protected = line.get("protected").and_then(Value::as_str).unwrap();
        assert!(text(&input).starts_with(&format!("{protected}.")));
        assert_eq!(line.get("form"), Some(&json!("a2a-1.0")));
    }
    let lines = desk.printed(&data("ed25519.public.pem"), &[]);
    assert_eq!(lines.first().and_then(|line| line.get("digest")), Some(&Value::Null));
}

#[test]
fn lines_that_do_not_fit_are_refused_and_nothing_is_written() {
    let desk = Desk::with("bearer.json");
    let public = data("es256.jwks");
    let (key, other) = (private("es256.jwk"), private("other.jwk"));
    let forms = ["--form", "a2a-1.0", "--form", "as-received"];
    let lines = signed_by(&key, Algorithm::Es256, &desk.printed(&public, &forms));
    let [first, second] = lines.as_slice() else { panic!("{lines:?}") };
    let (output, written) = desk.attached(&public, &lines, &forms);
    assert!(output.status.success() && written.is_some(), "{}", text(&output.stderr));
    fs::remove_file(desk.path("signed.json")).unwrap();

    let refuses = |lines: &[Value], expected: &str| desk.refuses(&public, lines, &forms, expected);
    refuses(&[], "there is no line in it");
    refuses(std::slice::from_ref(first), "no line has the form `as-received`");
    refuses(
        &[first.clone(), second.clone(), first.clone()],
        "line 3: a signature under `a2a-1.0` was not asked for",
    );
    refuses(&[first.clone(), set(second, "form", json!("none"))], "line 2: `form` names no form");
    refuses(
        &[first.clone(), set(second, "signature", Value::Null)],
        "line 2: the text `signature` is missing",
    );
    refuses(&[first.clone(), set(second, "signature", json!("A="))], "line 2: `signature` is not base64url");
    refuses(&[first.clone(), set(second, "signature", json!("AAAA"))], "error[sig.malformed]");
    refuses(&[first.clone(), json!("text")], "line 2: the text `form` is missing");
    let swapped = set(second, "signature", first.get("signature").unwrap().clone());
    refuses(&[first.clone(), swapped], "error[sig.invalid]");
    let by_other = signed_by(&other, Algorithm::Es256, &lines);
    refuses(&by_other, "error[sig.invalid]");
    desk.refuses(&data("other.jwks"), &lines, &forms, "error[sig.invalid]");
    desk.refuses(&data("ed25519.public.pem"), &lines, &forms, "error[sig.algorithm-key-mismatch]");
    desk.refuses(&public, &lines, &[], "line 2: a signature under `as-received` was not asked for");
    desk.refuses(
        &public,
        &lines,
        &[&forms[..], &["--kid", "k2"]].concat(),
        "has the kid `k1`, `k2` was asked for",
    );

    let card = fs::read_to_string(&desk.card).unwrap();
    fs::write(&desk.card, card.replacen("https://", "https://evil.", 1)).unwrap();
    refuses(&lines, "the card was changed");
}

#[test]
fn a_header_that_was_not_printed_is_refused() {
    let desk = Desk::with("card.json");
    let (public, key) = (data("es256.jwks"), private("es256.jwk"));
    let printed = desk.printed(&public, &[]);
    let line = printed.first().unwrap();
    let payload = text(&octets(line, "signing_input")).split_once('.').unwrap().1.to_owned();
    let with = |header: &str| {
        let protected = base64url::encode(header.as_bytes());
        let input = base64url::encode(format!("{protected}.{payload}").as_bytes());
        let line = set(&set(line, "protected", json!(protected)), "signing_input", json!(input));
        signed_by(&key, Algorithm::Es256, &[line])
    };
    let (output, written) = desk.attached(&public, &with(r#"{"alg":"ES256","typ":"JOSE","kid":"k1"}"#), &[]);
    assert!(output.status.success() && written.is_some(), "{}", text(&output.stderr));
    fs::remove_file(desk.path("signed.json")).unwrap();
    for (header, expected) in [
        (r#"{"alg":"ES256","kid":"k1"}"#, "`protected` is not as `--print-signing-input` prints it"),
        (r#"{"alg":"ES256","typ":"JOSE","kid":"k1","more":1}"#, "`protected` is not as"),
        (r#"{"alg":"ES256","typ":"JOSE","kid":"k1","crit":["b64"]}"#, "error[sig.critical-header]"),
        (r#"{"alg":"none","typ":"JOSE","kid":"k1"}"#, "error[sig.algorithm-unsupported]"),
        (r#"{"alg":"ES384","typ":"JOSE","kid":"k1"}"#, "error[sig.algorithm-key-mismatch]"),
        (r#"{"alg":"ES256","typ":"JOSE","kid":"k1","exp":1}"#, "which is not after now"),
    ] {
        desk.refuses(&public, &with(header), &[], expected);
    }
}

/// DER as OpenSSL writes it. Without the command `openssl` this says that it tested nothing.
#[test]
#[expect(clippy::print_stdout, reason = "a test that was skipped says so")]
fn a_signature_of_openssl_is_attached() {
    if Command::new("openssl").arg("version").output().is_err() {
        println!("skipped: there is no command `openssl`");
        return;
    }
    let desk = Desk::with("card.json");
    let public = desk.path("public.pem");
    let made = run([
        "key".as_ref(),
        "public".as_ref(),
        data("sec1.pem").as_os_str(),
        "--as".as_ref(),
        "pem".as_ref(),
    ]);
    fs::write(&public, made.stdout).unwrap();
    let mut lines = desk.printed(&public, &["--kid", "hsm"]);
    for line in &mut lines {
        fs::write(desk.path("input"), octets(line, "signing_input")).unwrap();
        let mut openssl = Command::new("openssl");
        openssl.args(["dgst", "-sha256", "-sign"]).arg(data("sec1.pem")).arg(desk.path("input"));
        let signature = openssl.output().unwrap().stdout;
        assert_eq!(signature.first(), Some(&0x30));
        *line = set(line, "signature", json!(base64url::encode(&signature)));
    }
    let (output, written) = desk.attached(&public, &lines, &[]);
    assert!(output.status.success() && written.is_some(), "{}", text(&output.stderr));
    let verified =
        run(["verify".as_ref(), desk.path("signed.json").as_os_str(), "--keys".as_ref(), public.as_os_str()]);
    assert!(verified.status.success(), "{}", text(&verified.stdout));
}

/// The same through a command. Without the command `openssl` this says that it tested nothing.
#[cfg(unix)]
#[test]
#[expect(clippy::print_stdout, reason = "a test that was skipped says so")]
fn a_command_signs_with_openssl() {
    if Command::new("openssl").arg("version").output().is_err() {
        println!("skipped: there is no command `openssl`");
        return;
    }
    let desk = Desk::with("bearer.json");
    let (public, signed) = (desk.path("public.pem"), desk.path("signed.json"));
    let sec1 = data("sec1.pem").into_os_string().into_string().unwrap();
    fs::write(&public, run(["key", "public", &sec1, "--as", "pem"]).stdout).unwrap();
    let script = example("signers/openssl-sign.sh").into_os_string().into_string().unwrap();
    let command = format!("sh '{script}' '{sec1}'");
    let forms = ["--form", "a2a-1.0", "--form", "as-received", "-o", signed.to_str().unwrap()];
    let made = desk.sign(&public, &[&["--signer", &command][..], &forms].concat());
    assert!(made.status.success(), "{}", text(&made.stderr));
    let verified = run(["verify", signed.to_str().unwrap(), "--keys", public.to_str().unwrap()]);
    assert!(verified.status.success(), "{}", text(&verified.stdout));

    fs::remove_file(&signed).unwrap();
    let other = desk.sign(&data("es256.jwks"), &[&["--signer", &command][..], &forms].concat());
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("error[sig.invalid]"), "{}", text(&other.stderr));
    assert!(other.stdout.is_empty() && !signed.exists());
}

/// Makes a private key with openssl; its public half is in `public.pem`. Without `openssl` there is none.
#[cfg(unix)]
#[expect(clippy::print_stdout, reason = "a test that was skipped says so")]
fn openssl_key(desk: &Desk, algorithm: &[&str]) -> Option<(PathBuf, PathBuf)> {
    let (key, public) = (desk.path("key.pem"), desk.path("public.pem"));
    let mut openssl = Command::new("openssl");
    openssl.arg("genpkey").args(algorithm).arg("-out").arg(&key);
    let Ok(made) = openssl.output() else {
        println!("skipped: there is no command `openssl`");
        return None;
    };
    assert!(made.status.success(), "{}", text(&made.stderr));
    let half = run(["key", "public", key.to_str().unwrap(), "--as", "pem"]);
    fs::write(&public, half.stdout).unwrap();
    Some((key, public))
}

#[cfg(unix)]
fn openssl_signer(key: &Path) -> String {
    format!("sh '{}' '{}'", example("signers/openssl-sign.sh").display(), key.display())
}

#[cfg(unix)]
#[test]
fn the_openssl_script_signs_with_every_kind_of_key() {
    for (generate, algorithms) in [
        (&["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"][..], &["ES256"][..]),
        (&["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"], &["ES384"]),
        (&["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"], &["ES512"]),
        (&["-algorithm", "RSA"], &["PS256", "PS384", "PS512", "RS256", "RS384", "RS512"]),
        (&["-algorithm", "ed25519"], &["EdDSA", "Ed25519"]),
    ] {
        let desk = Desk::with("card.json");
        let Some((key, public)) = openssl_key(&desk, generate) else { return };
        for algorithm in algorithms {
            let signed = desk.path("signed.json");
            let made = desk.sign(
                &public,
                &["--signer", &openssl_signer(&key), "--alg", algorithm, "-o", signed.to_str().unwrap()],
            );
            assert!(made.status.success(), "{algorithm}: {}", text(&made.stderr));
            assert!(text(&made.stderr).contains(&format!("signed {algorithm} ")), "{}", text(&made.stderr));
        }
    }
}

#[cfg(unix)]
#[test]
fn the_openssl_script_fails_with_what_openssl_says() {
    let desk = Desk::with("card.json");
    if openssl_key(&desk, &["-algorithm", "ed25519"]).is_none() {
        return;
    }
    let missing = openssl_signer(&desk.path("missing.pem"));
    let refused = desk.sign(&data("es256.jwks"), &["--signer", &missing]);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("`sh` failed (exit status: 1): ") && said.contains("missing.pem"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_refused_signature_of_a_command_is_explained() {
    let desk = Desk::with("card.json");
    let rsa = "echo '{\"signature\":\"AAAA\"}'; echo \"used the old \x1b[31mkey\" >&2";
    let refused = |public: &str, more: &[&str]| {
        let command = format!("sh -c {}", shell_words::quote(rsa));
        let refused = desk.sign(&data(public), &[&["--signer", &command][..], more].concat());
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
        text(&refused.stderr)
    };
    let said = refused("es256.jwks", &[]);
    assert!(said.contains("`sh` said: used the old \\u{1b}[31mkey"), "{said}");
    assert!(said.contains("help: give the public half of the key that signed"), "{said}");
    assert!(said.contains("another hash than SHA-256") && !said.contains("--alg"), "{said}");
    let said = refused("rsa.pem", &[]);
    assert!(said.contains("PS256 was asked for") && said.contains("`--alg RS256`"), "{said}");
    let said = refused("ed25519.public.pem", &[]);
    assert!(said.contains("hashed before it signed"), "{said}");
}

#[test]
fn only_a_signer_that_cannot_be_started_is_the_environment() {
    let desk = Desk::with("card.json");
    let code = |signer: &str| {
        let refused = desk.sign(&data("es256.jwks"), &["--signer", signer]);
        (refused.status.code(), text(&refused.stderr))
    };
    let (exit, said) = code("/nowhere/countersign-signer");
    assert_eq!(exit, Some(3));
    assert!(said.contains("the command `/nowhere/countersign-signer` cannot be started"), "{said}");
    let binary = env!("CARGO_BIN_EXE_countersign");
    let (exit, said) = code(&format!("'{binary}' --version"));
    assert_eq!(exit, Some(2), "{said}");
    assert!(said.contains("the answer is not one JSON object"), "{said}");
}

#[test]
fn lines_that_were_rewritten_by_a_tool_are_told_how_they_are_needed() {
    let desk = Desk::with("card.json");
    let public = data("es256.jwks");
    let lines = signed_by(&private("es256.jwk"), Algorithm::Es256, &desk.printed(&public, &[]));
    let file = desk.path("lines");
    for written in [serde_json::to_string_pretty(&lines[0]), serde_json::to_string(&lines)] {
        fs::write(&file, written.unwrap()).unwrap();
        let refused = desk.sign(&public, &["--attach", file.to_str().unwrap()]);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("one JSON object a line: `jq -c . FILE`"), "{said}");
    }
}

#[test]
fn an_endorsement_of_a_key_elsewhere_is_attached_and_not_printed() {
    let desk = Desk::with("card.json");
    let (public, review) = (data("es256.jwks"), desk.path("review.json"));
    let review = review.to_str().unwrap();
    let refused = desk.sign(&public, &["--print-signing-input", "--endorsement", review]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("`--attach SIGNED --endorsement FILE`"),
        "{}",
        text(&refused.stderr)
    );
    let lines = signed_by(&private("es256.jwk"), Algorithm::Es256, &desk.printed(&public, &[]));
    let file = desk.path("lines");
    fs::write(&file, format!("{}\n", lines[0])).unwrap();
    let made = desk.sign(&public, &["--attach", file.to_str().unwrap(), "--endorsement", review]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let (card, keys) = (desk.card.to_str().unwrap(), public.to_str().unwrap());
    assert!(run(["verify", card, "--keys", keys, "--endorsement", review]).status.success());
}
