//! Every example runs to its end and does what it says.

#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a failed expectation must stop the test")]

use std::process::Command;

/// What a program prints, without the port of its server.
fn printed(program: &str) -> Vec<String> {
    // A proxy that does not exist: nothing may ask for it.
    let output = Command::new(program).env("HTTPS_PROXY", "http://127.0.0.1:9").output().expect("a program");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    assert_eq!(errors, "");
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(without_port).collect()
}

fn without_port(line: &str) -> String {
    let Some((before, after)) = line.split_once("agents.maps.example:") else { return line.to_owned() };
    format!(
        "{before}agents.maps.example{}",
        after.trim_start_matches(|character: char| character.is_ascii_digit())
    )
}

#[test]
fn tasks_that_ask_at_once_have_the_card_fetched_once() {
    assert_eq!(
        printed(env!("CARGO_BIN_EXE_tokio_client")),
        [
            "8 answers, the card was fetched 1 time(s)",
            "status 200: \"SendMessage for tenant maps, A2A-Version 1.0, application/json\"",
            "remembered: JSONRPC 1.0 at https://agents.maps.example/a2a/v1",
        ]
    );
}

#[test]
fn a_client_that_is_brought_reaches_judged_addresses_only() {
    assert_eq!(
        printed(env!("CARGO_BIN_EXE_reqwest_client")),
        [
            "called https://agents.maps.example/a2a/v1: status 200",
            "not called: 169.254.169.254 is the metadata service of a cloud",
            "not fetched: [fetch.address] `https://10.0.0.1/card.json`: the host is at 10.0.0.1, a private address, \
             and may be at a public address or one of the listed networks only",
            "not fetched: [fetch.tls] `https://agents.maps.example/card.json`: no TLS connection: the handshake failed",
        ]
    );
}

#[test]
fn only_the_refusal_of_the_version_leads_to_an_older_one() {
    assert_eq!(
        printed(env!("CARGO_BIN_EXE_fallback")),
        [
            "JSON-RPC error -32009: ended at 0.3 with status 200",
            "JSON-RPC error -32601: ended at 1.0 with status 200",
            "status 400, VERSION_NOT_SUPPORTED: ended at 0.3 with status 200",
            "status 400, TASK_NOT_FOUND: ended at 1.0 with status 400",
            "status 401: ended at 1.0 with status 401",
            "status 404: ended at 1.0 with status 404",
        ]
    );
}
