//! Signing with keys that never leave a PKCS#11 token, through the script that users copy.
//!
//! The token is SoftHSM2, reached with OpenSC's `pkcs11-tool`. Where they are missing, each test says that it tested
//! nothing; with `CI=true` it fails.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use countersign::keys::base64url;
use serde_json::{Value, json};

use crate::support::{countersign, data, example, text};

/// Where distributions install the module.
const MODULES: [&str; 4] = [
    "/usr/lib/softhsm/libsofthsm2.so",
    "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
    "/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so",
    "/usr/lib64/pkcs11/libsofthsm2.so",
];
const PIN: &str = "sesame-4711";

/// A token of its own in a folder of its own.
struct Token {
    folder: tempfile::TempDir,
    module: &'static str,
}

impl Token {
    fn new() -> Option<Self> {
        let module = MODULES.into_iter().find(|module| Path::new(module).exists())?;
        Command::new("pkcs11-tool").stderr(Stdio::null()).output().ok()?;
        let token = Self { folder: tempfile::tempdir().unwrap(), module };
        let tokens = token.path("tokens");
        fs::create_dir(&tokens).unwrap();
        fs::write(token.path("softhsm2.conf"), format!("directories.tokendir = {}\n", tokens.display()))
            .unwrap();
        let new = ["--init-token", "--free", "--label", "cards", "--so-pin", "sesame-4712", "--pin", PIN];
        token.done(token.command("softhsm2-util").args(new));
        Some(token)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).into_os_string().into_string().unwrap()
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("SOFTHSM2_CONF", self.path("softhsm2.conf")).env("CARD_PIN", PIN);
        command
    }

    fn done(&self, command: &mut Command) -> Vec<u8> {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        output.stdout
    }

    fn pkcs11_tool(&self) -> Command {
        let mut tool = self.command("pkcs11-tool");
        tool.args(["--module", self.module, "--token-label", "cards", "--login", "--pin", "env:CARD_PIN"]);
        tool
    }

    /// Generates a key in the token; the file with its public half.
    fn generate(&self, id: &str, kind: &str) -> String {
        self.done(self.pkcs11_tool().args(["--keypairgen", "--id", id, "--key-type", kind]));
        // DER, or PEM for Ed25519; `openssl` tells them apart.
        let read = self.name("read");
        self.done(self.pkcs11_tool().args([
            "--read-object",
            "--type",
            "pubkey",
            "--id",
            id,
            "--output-file",
            &read,
        ]));
        let pem = self.name(&format!("{id}.pem"));
        self.done(Command::new("openssl").args(["pkey", "-pubin", "-in", &read, "-out", &pem]));
        pem
    }

    /// `countersign sign` of the test card with this public key; the PIN is in none of its texts.
    fn sign(&self, public: &str, arguments: &[&str]) -> Output {
        let mut command = countersign();
        command.env("SOFTHSM2_CONF", self.path("softhsm2.conf")).env("CARD_PIN", PIN);
        command.arg("sign").arg(data("bearer.json")).args(["--public", public]).args(arguments);
        let output = command.output().unwrap();
        assert!(![&output.stdout, &output.stderr].iter().any(|said| text(said).contains(PIN)));
        output
    }

    /// The command line of the script for a key.
    fn signer(&self, key: &str) -> String {
        let script = example("signers/pkcs11-sign.sh").into_os_string().into_string().unwrap();
        format!("sh '{script}' '{}' cards {key}", self.module)
    }

    fn signs(&self, public: &str, arguments: &[&str]) {
        let signed = self.name("signed.json");
        let output = self.sign(public, &[arguments, &["-o", &signed]].concat());
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        let verified = countersign().args(["verify", &signed, "--keys", public]).output().unwrap();
        assert!(verified.status.success(), "{arguments:?}: {}", text(&verified.stdout));
        fs::remove_file(signed).unwrap();
    }

    fn refuses(&self, public: &str, arguments: &[&str], exit: i32, code: &str) {
        let signed = self.name("signed.json");
        let output = self.sign(public, &[arguments, &["-o", &signed]].concat());
        assert_eq!(output.status.code(), Some(exit), "{}", text(&output.stderr));
        assert!(text(&output.stderr).starts_with(&format!("error[{code}]")), "{}", text(&output.stderr));
        assert!(output.stdout.is_empty() && !Path::new(&signed).exists());
    }
}

/// A token, unless there is none here and need not be one.
#[expect(clippy::print_stdout, reason = "a test that was skipped says so")]
fn token() -> Option<Token> {
    let token = Token::new();
    if token.is_none() {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "SoftHSM2 or pkcs11-tool is missing");
        println!("skipped: SoftHSM2 or pkcs11-tool is not installed");
    }
    token
}

#[test]
fn a_token_signs_with_an_ec_an_rsa_and_an_ed25519_key() {
    let Some(token) = token() else { return };
    for (id, kind, algorithms) in [
        ("01", "EC:prime256v1", &["ES256"][..]),
        ("02", "rsa:2048", &["PS256", "RS256"]),
        ("03", "EC:edwards25519", &["EdDSA"]),
    ] {
        let public = token.generate(id, kind);
        for algorithm in algorithms {
            let forms = ["--form", "a2a-1.0", "--form", "as-received"];
            let arguments = ["--alg", algorithm, "--signer", &token.signer(id)];
            token.signs(&public, &[&arguments[..], &forms].concat());
        }
    }
}

#[test]
fn a_token_signs_in_either_format_of_ecdsa() {
    let Some(token) = token() else { return };
    let public = token.generate("01", "EC:prime256v1");
    for key in ["01", "01 rs", "01 openssl"] {
        token.signs(&public, &["--signer", &token.signer(key)]);
    }
}

#[test]
fn the_signature_of_another_key_of_the_token_is_refused() {
    let Some(token) = token() else { return };
    let public = token.generate("01", "EC:prime256v1");
    let other = token.generate("02", "EC:prime256v1");
    token.signs(&public, &["--signer", &token.signer("01")]);
    token.refuses(&public, &["--signer", &token.signer("02")], 2, "sig.invalid");
    token.refuses(&other, &["--signer", &token.signer("01 openssl")], 2, "sig.invalid");
    token.refuses(&public, &["--signer", &token.signer("03")], 2, "key.unusable");
}

#[test]
fn a_wrong_pin_signs_nothing_and_is_not_shown() {
    let Some(token) = token() else { return };
    let public = token.generate("01", "EC:prime256v1");
    for pin in ["sesame-0815", ""] {
        let mut command = countersign();
        command.env("SOFTHSM2_CONF", token.path("softhsm2.conf")).env("CARD_PIN", pin);
        command.arg("sign").arg(data("bearer.json")).args(["--public", &public, "--verbose"]);
        let output = command.args(["--signer", &token.signer("01")]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        assert!(text(&output.stderr).contains("error[key.unusable]"), "{}", text(&output.stderr));
        assert!(!text(&output.stderr).contains("sesame-"), "{}", text(&output.stderr));
    }
}

/// The two steps, with `pkcs11-tool` alone between them.
#[test]
fn a_signature_of_a_token_is_attached() {
    let Some(token) = token() else { return };
    let public = token.generate("01", "EC:prime256v1");
    token.generate("02", "EC:prime256v1");
    let printed = token.sign(&public, &["--print-signing-input"]);
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    let unsigned: Value = serde_json::from_slice(&printed.stdout).unwrap();
    let digest = base64url::decode(unsigned.get("digest").and_then(Value::as_str).unwrap()).unwrap();
    fs::write(token.path("digest"), digest).unwrap();
    let attach = |id: &str, format: &str| {
        let (digest, answer) = (token.name("digest"), token.name("answer"));
        let mut tool = token.pkcs11_tool();
        tool.args(["--sign", "--mechanism", "ECDSA", "--id", id, "--signature-format", format]);
        token.done(tool.args(["--input-file", &digest, "--output-file", &answer]));
        let mut line = unsigned.clone();
        let signature = json!(base64url::encode(&fs::read(answer).unwrap()));
        line.as_object_mut().unwrap().insert("signature".to_owned(), signature);
        let file = token.name("lines");
        fs::write(&file, format!("{line}\n")).unwrap();
        file
    };
    for format in ["rs", "openssl"] {
        token.signs(&public, &["--attach", &attach("01", format)]);
        token.refuses(&public, &["--attach", &attach("02", format)], 2, "sig.invalid");
    }
}
