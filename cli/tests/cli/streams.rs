//! Standard input, closed pipes, full disks, and text that would write to the terminal.

use std::fs::{self, File};
use std::io::Write as _;
use std::process::Stdio;

use crate::support::{countersign, data, run, text};

#[test]
fn a_card_can_come_from_standard_input() {
    for (card, code) in [("signed.json", 0), ("card.json", 1), ("duplicate.json", 1)] {
        let output = countersign()
            .args(["verify", "-", "--format", "short", "--keys"])
            .arg(data("es256.jwks"))
            .stdin(File::open(data(card)).unwrap())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code), "{card}");
        assert!(text(&output.stdout).starts_with("-: "));
    }
}

#[test]
fn a_card_is_signed_from_standard_input_to_standard_output() {
    let output = countersign()
        .args(["sign", "-", "--key"])
        .arg(data("es256.jwk"))
        .stdin(File::open(data("card.json")).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(output.stdout, fs::read(data("signed.json")).unwrap());
    assert_eq!(text(&output.stderr), "-: signed ES256 k1 a2a-1.0\n");
}

#[test]
fn a_key_can_come_from_the_environment() {
    let key = fs::read_to_string(data("ed25519.pem")).unwrap();
    let sign = |value: &str| {
        countersign()
            .args(["sign", "--key-env", "AGENT_KEY"])
            .arg(data("card.json"))
            .env("AGENT_KEY", value)
            .output()
    };
    assert!(sign(&key).unwrap().status.success());
    let escaped = sign(&key.trim_end().replace('\n', "\\n")).unwrap();
    assert_eq!(escaped.status.code(), Some(2));
    assert!(
        text(&escaped.stderr).starts_with("error[key.unreadable]: $AGENT_KEY: there are the two characters")
    );
}

#[test]
fn a_reader_that_went_away_does_not_change_the_answer() {
    for (card, code) in [("signed.json", 0), ("tampered.json", 1)] {
        for format in ["human", "short", "json"] {
            let mut child = countersign()
                .args(["verify", "--format", format, "--keys"])
                .arg(data("es256.jwks"))
                .arg(data(card))
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            drop(child.stdout.take());
            drop(child.stderr.take());
            assert_eq!(child.wait().unwrap().code(), Some(code), "{card} {format}");
        }
    }
}

#[test]
fn a_manual_that_nobody_reads_is_no_error() {
    for command in [vec!["man"], vec!["completions", "bash"], vec!["explain"], vec!["--help"]] {
        let mut child =
            countersign().args(&command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{command:?}");
        assert_eq!(text(&output.stderr), "");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_the_environment() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = countersign()
        .args(["verify", "--keys"])
        .args([data("es256.jwks"), data("signed.json")])
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).starts_with("error: cannot write the answer"));
}

#[test]
fn text_of_a_card_cannot_write_to_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let card = folder.path().join("card.json");
    let hostile = "\\u001b]0;x\\u0007\\u202e\\u2066\\u009b31m\\r\\n";
    let body = format!(
        "{{\"name\":\"{hostile}\",\"{hostile}\":1,\"supportedInterfaces\":[{{\"url\":\"{hostile}\"}}],\"signatures\":[{{\"protected\":\"{hostile}\",\"signature\":\"\"}}]}}"
    );
    fs::write(&card, body).unwrap();
    let key = data("es256.jwks");
    for format in ["human", "short"] {
        for command in [
            vec!["inspect".as_ref(), card.as_os_str(), "-v".as_ref()],
            vec!["canonicalize".as_ref(), card.as_os_str(), "--compare".as_ref()],
            vec!["verify".as_ref(), card.as_os_str(), "-v".as_ref(), "--keys".as_ref(), key.as_os_str()],
        ] {
            let output = countersign().args(command).args(["--format", format]).output().unwrap();
            for shown in [text(&output.stdout), text(&output.stderr)] {
                let harmful = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{2069}').contains(&c);
                assert!(!shown.contains(harmful), "{shown:?}");
            }
        }
    }
    let shown = text(&run(["inspect".as_ref(), card.as_os_str()]).stdout);
    assert!(shown.contains("\\u{1b}]0;x\\u{7}\\u{202e}\\u{2066}\\u{9b}31m\\u{d}\\u{a}"), "{shown}");
}

#[test]
fn colour_is_for_terminals_or_on_demand() {
    let verify = |arguments: &[&str]| {
        let mut command = countersign();
        command.env_remove("NO_COLOR").arg("verify").args(arguments).arg("--keys");
        command.args([data("es256.jwks"), data("signed.json")]);
        command
    };
    let coloured = |output: std::process::Output| output.stdout.contains(&0x1b);
    assert!(!coloured(verify(&[]).output().unwrap()));
    assert!(coloured(verify(&["--color", "always"]).output().unwrap()));
    assert!(coloured(verify(&[]).env("CLICOLOR_FORCE", "1").output().unwrap()));
    assert!(!coloured(verify(&["--color", "never"]).env("CLICOLOR_FORCE", "1").output().unwrap()));
    assert!(!coloured(verify(&[]).env("NO_COLOR", "1").env("CLICOLOR_FORCE", "0").output().unwrap()));
}

#[test]
fn the_format_can_come_from_the_environment() {
    let verify = || {
        let mut command = countersign();
        command.arg("verify").arg("--keys").args([data("es256.jwks"), data("signed.json")]);
        command
    };
    let output = verify().env("COUNTERSIGN_FORMAT", "json").output().unwrap();
    assert!(text(&output.stdout).starts_with("{\"schema\":\"countersign.verification/1\""));
    let refused = verify().env("COUNTERSIGN_FORMAT", "yaml").output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_pipe_in_the_middle_of_a_large_card_is_read_to_its_limit_only() {
    let mut child = countersign()
        .args(["inspect", "-", "--max-octets", "1KiB"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The reader stops before all of it was taken, so writing may fail.
    let _ = child.stdin.take().unwrap().write_all(&vec![b' '; 1 << 20]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("error[json.too-large]"));
}
