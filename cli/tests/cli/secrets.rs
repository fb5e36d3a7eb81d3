//! No command prints a part of a private key, whatever is wrong with the key or the call.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Output;

use crate::support::{countersign, data, run};

/// Shortest part of a private value that must not be seen.
const PART: usize = 12;

/// The private texts of a key file: `d` and its companions, or the lines of a PEM block.
fn secrets(key: &str) -> Vec<String> {
    if key.contains("-----BEGIN ") {
        // The first line of PKCS#8 is structure, the same for every key of a kind.
        let lines = key.lines().filter(|line| !line.starts_with("-----")).map(str::to_owned);
        let mut lines: Vec<_> = lines.collect();
        if lines.len() > 1 {
            lines.remove(0);
        } else {
            // Ed25519: 16 octets of structure, then the value.
            lines = lines.iter().filter_map(|line| line.get(24..)).map(str::to_owned).collect();
        }
        return lines;
    }
    key.split("\"d\":\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

fn assert_hidden(output: &Output, secrets: &[String], what: &str) {
    assert!(!secrets.is_empty(), "{what}");
    for stream in [&output.stdout, &output.stderr] {
        let shown = String::from_utf8_lossy(stream);
        for secret in secrets {
            for part in secret.as_bytes().windows(PART).map(String::from_utf8_lossy) {
                assert!(!shown.contains(part.as_ref()), "{what} shows `{part}`");
            }
        }
    }
    assert_ne!(output.status.code(), Some(101), "{what} panicked");
}

/// Every way to hand a file to the binary.
fn every_command(file: &Path, formats: &[&str]) -> Vec<Vec<OsString>> {
    let (card, file) = (data("card.json").into_os_string(), file.as_os_str().to_owned());
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let mut commands = vec![
        [words(&["sign", "--key"]), vec![file.clone(), card.clone()]].concat(),
        [words(&["sign", "--require-portable", "--alg", "RS512", "--key"]), vec![file.clone(), card.clone()]]
            .concat(),
        [words(&["sign", "--kid", "nothing", "--key"]), vec![file.clone(), card.clone()]].concat(),
        [words(&["sign", "--key"]), vec![file.clone(), file.clone()]].concat(),
        [words(&["verify", "--keys"]), vec![file.clone(), card.clone()]].concat(),
        [words(&["verify", "--keys"]), vec![file.clone(), file.clone()]].concat(),
        [words(&["inspect"]), vec![file.clone()]].concat(),
        [words(&["canonicalize"]), vec![file.clone()]].concat(),
        [words(&["canonicalize", "--compare"]), vec![file.clone()]].concat(),
        [words(&["key", "show"]), vec![file.clone()]].concat(),
        [words(&["key", "generate", "--out"]), vec![file.clone()]].concat(),
    ];
    for form in ["jwks", "jwk", "pem"] {
        commands.push([words(&["key", "public", "--as", form]), vec![file.clone()]].concat());
    }
    let mut all = Vec::new();
    for command in commands {
        for format in formats {
            all.push([words(&["--format", format, "-v"]), command.clone()].concat());
        }
    }
    all
}

/// A key file, and copies of it that are broken in different ways.
fn broken(key: &str) -> Vec<String> {
    let middle = key.len() / 2;
    vec![
        key.to_owned(),
        key.get(..middle).unwrap().to_owned(),
        key.get(..key.len() - 3).unwrap().to_owned(),
        format!("{key}{key}"),
        key.replace("\"d\":\"", "\"d\":\"!"),
        key.replace("\"d\":\"", "\"d\":\"\\x"),
        key.replace("\"d\":\"", "\"d\":\"AAAA"),
        key.replace("\"d\":\"", "\"x\":\""),
        key.replace("\"d\":\"", "\"alg\":\"ES256\",\"alg\":\""),
        key.replace("\"d\":\"", "\"d\":"),
        key.replace("\"kty\":\"EC\"", "\"kty\":\"OKP\""),
        key.replace("\"kty\":\"EC\"", "\"kty\":\"oct\""),
        key.replace("\"use\":\"sig\"", "\"use\":\"enc\""),
        key.replace("-----BEGIN", "----BEGIN"),
        key.replace("PRIVATE KEY", "EC PRIVATE KEY"),
        key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY"),
        key.replace('\n', "\\n"),
        key.replace("M", "*"),
        format!("\u{feff}{key}"),
        format!("[{key}]"),
    ]
}

#[test]
fn no_command_shows_a_part_of_a_private_key() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key.json");
    for name in ["es256.jwk", "ed25519.pem", "two.private.jwks"] {
        let key = fs::read_to_string(data(name)).unwrap();
        let secrets = secrets(&key);
        for (variant, text) in broken(&key).into_iter().enumerate() {
            fs::write(&file, &text).unwrap();
            let formats: &[&str] = if variant == 0 { &["human", "short", "json"] } else { &["human"] };
            for command in every_command(&file, formats) {
                assert_hidden(&run(&command), &secrets, &format!("{name}, variant {variant}, {command:?}"));
            }
        }
    }
}

#[test]
fn rsa_keys_are_hidden_too() {
    let key = fs::read_to_string(data("rsa.pem")).unwrap();
    // The modulus comes first in PKCS#1 and is public; the private numbers fill the second half.
    let secrets: Vec<_> = secrets(&key).into_iter().skip(16).collect();
    for command in every_command(&data("rsa.pem"), &["human", "json"]) {
        assert_hidden(&run(&command), &secrets, &format!("{command:?}"));
    }
}

#[test]
fn a_key_given_as_a_name_is_not_printed_back() {
    for name in ["es256.jwk", "ed25519.pem"] {
        let key = fs::read_to_string(data(name)).unwrap();
        let secrets = secrets(&key);
        let card = data("card.json").into_os_string().into_string().unwrap();
        for command in [
            vec!["sign", &card, "--key", &key],
            vec!["sign", &card, "--key-env", &key],
            vec!["verify", &card, "--keys", &key],
            vec!["key", "show", &key],
            vec!["key", "public", &key],
        ] {
            let output = run(&command);
            assert_eq!(output.status.code(), Some(2));
            assert_hidden(&output, &secrets, command.first().unwrap());
        }
    }
}

#[test]
fn a_broken_key_in_the_environment_is_not_printed() {
    for name in ["es256.jwk", "ed25519.pem"] {
        let key = fs::read_to_string(data(name)).unwrap();
        let secrets = secrets(&key);
        for value in broken(&key) {
            let output = countersign()
                .args(["sign", "-v", "--key-env", "AGENT_KEY"])
                .arg(data("card.json"))
                .env("AGENT_KEY", &value)
                .output()
                .unwrap();
            assert_hidden(&output, &secrets, name);
        }
    }
}

#[test]
fn neither_a_password_nor_the_key_that_it_opens_is_shown() {
    const PASSWORD: &str = "correct horse";
    let mut secrets = secrets(&fs::read_to_string(data("ed25519.pem")).unwrap());
    secrets.push(PASSWORD.to_owned());
    let (card, encrypted) = (data("card.json"), data("encrypted.pem"));
    let (card, encrypted) = (card.to_str().unwrap(), encrypted.to_str().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    let file_name = file.to_str().unwrap();
    let commands = [
        vec!["sign", card, "--key", encrypted],
        vec!["sign", card, "--key", encrypted, "--alg", "RS256"],
        vec!["key", "show", encrypted],
        vec!["key", "public", encrypted],
    ];
    let twice = format!("{PASSWORD}{PASSWORD}");
    let two_lines = format!("{PASSWORD}\n\n");
    let long = PASSWORD.repeat(100);
    for (password, opens) in [(PASSWORD, true), (&twice, false), (&two_lines, false), (&long, false)] {
        fs::write(&file, password).unwrap();
        for command in &commands {
            let verbose = countersign().args(["-v", "--format", "human"]).args(command).output().unwrap();
            assert_hidden(&verbose, &secrets, "no password");
            for source in [["--key-password-file", file_name], ["--key-password-env", "AGENT_PASSWORD"]] {
                let output = countersign()
                    .args(["-v"])
                    .args(command)
                    .args(source)
                    .env("AGENT_PASSWORD", password)
                    .output()
                    .unwrap();
                let expected = if opens && !command.contains(&"RS256") { 0 } else { 2 };
                assert_eq!(output.status.code(), Some(expected), "{command:?} {source:?}");
                assert_hidden(&output, &secrets, &format!("{command:?} {source:?}"));
            }
        }
    }
    for command in &commands {
        for misplaced in [
            vec!["--key-password-file", PASSWORD],
            vec!["--key-password-env", PASSWORD],
            vec!["--key-password-env", "A=B correct horse"],
            vec!["--key-password", PASSWORD],
            vec!["--key-password=correct horse"],
            vec!["--key-password-file", file_name, "--key-password-env", PASSWORD],
        ] {
            let output = countersign().args(command).args(misplaced).output().unwrap();
            assert_eq!(output.status.code(), Some(2));
            assert_hidden(&output, &secrets, &format!("{command:?}"));
        }
    }
}

#[test]
fn one_line_end_is_taken_off_a_password_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    for (text, opens) in [
        ("correct horse", true),
        ("correct horse\n", true),
        ("correct horse\r\n", true),
        ("correct horse\n\n", false),
        ("correct horse\r", false),
        ("correct horse \n", false),
        (" correct horse", false),
        ("\u{feff}correct horse", false),
        ("", false),
    ] {
        fs::write(&file, text).unwrap();
        let mut command = countersign();
        command.args(["key", "show"]).arg(data("encrypted.pem")).arg("--key-password-file").arg(&file);
        assert_eq!(command.output().unwrap().status.success(), opens, "{text:?}");
    }
    for (text, opens) in [("", true), ("\n", true), ("\n\n", false)] {
        fs::write(&file, text).unwrap();
        let mut command = countersign();
        command.args(["key", "show"]).arg(data("encrypted-empty.pem")).arg("--key-password-file").arg(&file);
        assert_eq!(command.output().unwrap().status.success(), opens, "{text:?}");
    }
}

#[test]
fn the_check_itself_sees_a_secret() {
    let key = fs::read_to_string(data("es256.jwk")).unwrap();
    let output = Output { stdout: key.clone().into_bytes(), ..run(["explain", "sig.absent"]) };
    let seen = std::panic::catch_unwind(|| assert_hidden(&output, &secrets(&key), "planted"));
    assert!(seen.is_err());
}
