//! Key files and variables that are no key: what is said, and whether the commands that are named work.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{countersign, data, run, text};

fn in_variable(key: &str) -> String {
    let refused = countersign()
        .args(["sign".as_ref(), data("card.json").as_os_str(), "--key-env".as_ref(), "CARD_KEY".as_ref()])
        .env("CARD_KEY", key)
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(refused.stdout.is_empty());
    text(&refused.stderr)
}

fn in_file(key: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key.pem");
    fs::write(&file, key).unwrap();
    let refused = run(["sign".as_ref(), data("card.json").as_os_str(), "--key".as_ref(), file.as_os_str()]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    text(&refused.stderr)
}

#[test]
fn what_is_wrong_with_a_variable_is_said_of_the_variable() {
    let pem = fs::read_to_string(data("ed25519.pem")).unwrap();
    let encoded = |key: &str| {
        let url = countersign::keys::base64url::encode(key.as_bytes());
        url.replace('-', "+").replace('_', "/")
    };
    let jwk = fs::read_to_string(data("es256.jwk")).unwrap();
    for (key, expected, help) in [
        (String::new(), "$CARD_KEY: the variable is empty", "the secret exists"),
        ("\n ".to_owned(), "$CARD_KEY: the variable is empty", "the secret exists"),
        (pem.replace('\n', " "), "stands on one line", "\"$CARD_KEY\""),
        (pem.replace('\n', "\\n"), "the two characters", "export CARD_KEY="),
        (encoded(&pem), "the base64 of PEM", "export CARD_KEY="),
        (encoded(jwk.trim()), "the base64 of a JWK", "export CARD_KEY="),
        ("hunter2".to_owned(), "neither a JWK nor PEM", ""),
    ] {
        let said = in_variable(&key);
        assert!(said.starts_with("error[key.unreadable]: $CARD_KEY: "), "{said}");
        assert!(said.contains(expected) && said.contains(help), "{said}");
        assert!(!said.contains("file") && !said.contains("hunter2"), "{said}");
    }
}

#[test]
fn what_is_wrong_with_a_file_is_said_of_the_file() {
    let pem = fs::read_to_string(data("ed25519.pem")).unwrap();
    assert!(in_file(b"").contains("the file is empty"));
    let said = in_file(pem.replace('\n', "\\n").as_bytes());
    assert!(said.contains("(umask 077; printf '%b'") && !said.contains("> key.pem"), "{said}");
    let utf16: Vec<u8> = pem.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(in_file(&utf16).contains("this is UTF-16"));
    assert!(in_file(b"\xff\xfe{\0}\0").contains("this is UTF-16"));
    // What begins as JSON is told where it ends being JSON.
    assert!(in_file(b"{").contains("error[json.malformed]"));
}

/// Runs a command of a message in the folder; the passwords are `abc`.
fn shell(folder: &Path, command: &str) -> Output {
    let output = Command::new("sh").args(["-c", command]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{command}: {}", text(&output.stderr));
    output
}

/// The command that the message of a file names.
fn named_command(file: &Path, arguments: &[&str], what: &str) -> String {
    let refused = run(arguments.iter().map(AsRef::as_ref).chain([file.as_os_str()]));
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains(what), "{what}: {said}");
    let (_, command) = said.split_once("; use `").unwrap();
    command.split('`').next().unwrap().to_owned()
}

fn thumbprint(key: &Path) -> String {
    let shown = countersign()
        .args(["key", "show", key.to_str().unwrap(), "--format", "json", "--key-password-env", "PW"])
        .env("PW", "abc")
        .output()
        .unwrap();
    assert!(shown.status.success(), "{}", text(&shown.stderr));
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
    shown.get("thumbprint").and_then(serde_json::Value::as_str).unwrap().to_owned()
}

/// Whether a command is there; a test without it says that it tested nothing.
#[expect(clippy::print_stdout, reason = "a test that was skipped says so")]
fn is_there(command: &str, argument: &str) -> bool {
    let there = Command::new(command).arg(argument).output().is_ok();
    if !there {
        println!("skipped: there is no command `{command}`");
    }
    there
}

/// Makes a file with each command, and runs the command that its message names.
#[test]
fn the_commands_for_openssl_files_give_the_same_key() {
    if !is_there("openssl", "version") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    shell(
        folder.path(),
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out own.pem && \
         openssl req -x509 -key own.pem -subj /CN=x -out own.crt && \
         openssl pkcs12 -export -in own.crt -inkey own.pem -passout pass:abc -out key.p12 && \
         openssl x509 -in own.crt -outform DER -out certificate.der && \
         openssl req -new -key own.pem -subj /CN=x -outform DER -out request.der && \
         openssl pkcs8 -topk8 -in own.pem -outform DER -passout pass:abc -out encrypted.der && \
         openssl pkcs8 -topk8 -nocrypt -in own.pem -outform DER -out private.der && \
         openssl pkey -in own.pem -pubout -outform DER -out public.der && \
         cat own.pem own.crt > both.pem",
    );
    let expected = thumbprint(&path("own.pem"));
    let show = ["key", "show"];
    let verify = ["verify", data("card.json").to_str().unwrap(), "--keys"].map(str::to_owned);
    let verify: Vec<&str> = verify.iter().map(String::as_str).collect();
    for (file, read_as, what, made) in [
        ("key.p12", "key.p12", "a PKCS#12 file", "new-key.pem"),
        ("certificate.der", "certificate.der", "an X.509 certificate", "public.pem"),
        ("request.der", "request.der", "a certificate request", "public.pem"),
        ("encrypted.der", "key.der", "an encrypted private key", "new-key.pem"),
        ("private.der", "key.der", "a private key", "new-key.pem"),
        ("public.der", "key.der", "a public key", "public.pem"),
    ] {
        for (arguments, made) in [(show.as_slice(), made), (verify.as_slice(), "public.pem")] {
            let command = named_command(&path(file), arguments, what);
            // Passwords are asked for at the terminal, which a test has not.
            let quiet = if command.contains("-nocerts") || command.contains("-aes256") {
                " -passin pass:abc -passout pass:abc"
            } else {
                " -passin pass:abc"
            };
            let command = command
                .replacen("openssl pkcs12", &format!("openssl pkcs12{quiet}"), 1)
                .replacen("openssl pkey -inform", &format!("openssl pkey{quiet} -inform"), 1)
                .replace(read_as, file);
            shell(folder.path(), &command);
            assert_eq!(thumbprint(&path(made)), expected, "{command}");
            fs::remove_file(path(made)).unwrap();
        }
    }
    let both = run(["key", "show", path("both.pem").to_str().unwrap()]);
    assert!(text(&both.stderr).contains("2 PEM blocks (`PRIVATE KEY`, `CERTIFICATE`)"));
}

/// The key of OpenSSH itself is never changed.
#[test]
fn the_commands_for_openssh_files_work_on_a_copy() {
    if !is_there("openssl", "version") || !is_there("ssh-keygen", "-?") {
        return;
    }
    for kind in ["ecdsa", "rsa", "ed25519"] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| -> PathBuf { folder.path().join(name) };
        shell(folder.path(), &format!("ssh-keygen -q -t {kind} -N 'abcde' -f key"));
        let before = fs::read(path("key")).unwrap();
        let public = named_command(&path("key.pub"), &["key", "show"], "an OpenSSH public key");
        shell(folder.path(), &public);
        let command = named_command(&path("key"), &["key", "show"], "an OpenSSH private key");
        if kind == "ed25519" {
            assert_eq!(command, "openssl genpkey -algorithm ed25519 -out new-key.pem");
            shell(folder.path(), &command);
            thumbprint(&path("new-key.pem"));
            thumbprint(&path("public.pem"));
        } else {
            shell(folder.path(), &command.replace("ssh-keygen -p", "ssh-keygen -p -P abcde -N ''"));
            assert_eq!(thumbprint(&path("key.copy")), thumbprint(&path("public.pem")));
        }
        assert_eq!(fs::read(path("key")).unwrap(), before);
    }
}
