//! Agents on the server of a2a-sdk 1.3.0, over TLS with an authority of the test: `admit URL` looks, then the client of the SDK
//! calls what was selected.
#![expect(clippy::indexing_slicing, reason = "a failed expectation must stop the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::peer::Running;
use crate::server::{Authority, Validity};
use crate::support::{cards, jwk, sign};

/// How many of these tests there are.
pub(crate) const AGENTS: usize = 4;

const KID: &str = "es256-a";

/// The SDK writes the card anew: with these every reader finds its form.
const FORMS: [&str; 4] = ["a2a-1.0", "as-received", "sdk-1.x", "sdk-py-1.0"];

/// A minute is how long a card is fresh whose server does not say it.
const TIMES: [&str; 2] = ["2026-10-01T12:00:00Z", "2026-10-01T12:01:01Z"];

pub(crate) fn trials(folder: &Path) -> Vec<Trial> {
    let trial = |name: &str, run: fn(&Scene)| {
        let folder = folder.to_owned();
        Trial::test(name, move || {
            run(&Scene::new(&folder));
            Ok(())
        })
    };
    vec![
        trial("an agent is admitted and answers at the interface that was selected", admitted_and_called),
        trial("an answer about an agent is remembered until something changes", remembered),
        trial("behind a gateway that writes its own host the cause is named", rewritten_outward),
        trial("behind a gateway that writes an inner host the cause is named", rewritten_inward),
    ]
}

/// A process with servers, and a folder with what they and the command need.
struct Scene {
    running: std::sync::Mutex<Running>,
    scratch: tempfile::TempDir,
}

impl Scene {
    fn new(folder: &Path) -> Self {
        let scene = Self {
            running: std::sync::Mutex::new(Running::agents(folder)),
            scratch: tempfile::tempdir().unwrap(),
        };
        let authority = Authority::new("agents");
        let identity = authority.server(&["localhost"], Validity::Now);
        fs::write(scene.path("ca.pem"), &authority.pem).unwrap();
        fs::write(scene.path("chain.pem"), &identity.pem).unwrap();
        fs::write(scene.path("key.pem"), identity.key.serialize_pem()).unwrap();
        fs::write(scene.path("keys.jwks"), json!({"keys": [jwk("jwks.json", KID)]}).to_string()).unwrap();
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    fn ask(&self, question: &Value) -> Value {
        self.running.lock().unwrap().ask(question).unwrap()
    }

    fn port(&self) -> u64 {
        self.ask(&json!({"verb": "listen"}))["port"].as_u64().unwrap()
    }

    /// The card of the README, with its interface on this port and this version, signed.
    fn card(port: u64, version: &str) -> String {
        let mut card: Value = serde_json::from_str(&cards().pop().unwrap().text).unwrap();
        card["version"] = version.into();
        card["supportedInterfaces"] = json!([{
            "url": format!("https://localhost:{port}/a2a"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0",
        }]);
        sign(&card.to_string(), KID, &FORMS).unwrap().card
    }

    fn serve(&self, port: u64, card: &str) {
        let (chain, key) = (self.path("chain.pem"), self.path("key.pem"));
        self.ask(&json!({"verb": "serve", "port": port, "card": card, "chain": chain, "key": key}));
    }

    /// A gateway before the server on `inner` that replaces one port of this host by another.
    fn gateway(&self, port: u64, inner: u64, (from, to): (u64, u64)) {
        self.ask(&json!({
            "verb": "gateway", "port": port, "chain": self.path("chain.pem"), "key": self.path("key.pem"),
            "from": format!("localhost:{from}"), "to": format!("localhost:{to}"),
            "upstream": format!("https://localhost:{inner}"), "ca": self.path("ca.pem"),
        }));
    }

    /// A policy for the agent of this port; `rule` is more of its rule.
    fn write_policy(&self, port: u64, rule: &str) {
        let policy = format!(
            r#"schema = 1

[fetch]
networks = ["127.0.0.0/8", "::1/128"]

[[jwks]]
id = "agent"
file = "keys.jwks"
origins = ["https://localhost:{port}"]

[[allow]]
id = "agent"
from = ["https://localhost:{port}"]
auth.hosts = ["login.maps.example"]
interfaces.allow-loopback = true
{rule}
"#
        );
        fs::write(self.path("policy.toml"), policy).unwrap();
    }

    /// `admit` of the agent on this port; exit code and the answer.
    fn admit(&self, port: u64, at: &str) -> (Option<i32>, Value) {
        let output = self.command(port, at).args(["--format", "json"]).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let answer =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"));
        (output.status.code(), answer)
    }

    /// What was fetched is forgotten, the answers are not.
    fn forget_card(&self, port: u64) {
        let url = format!("https://localhost:{port}/.well-known/agent-card.json");
        let output = self.countersign().args(["cache", "clear", &url, "--cache", "cache"]).output().unwrap();
        assert!(output.status.success());
    }

    fn countersign(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
        command.env_remove("COUNTERSIGN_FORMAT").env("NO_COLOR", "1").current_dir(self.scratch.path());
        command
    }

    fn command(&self, port: u64, at: &str) -> Command {
        let mut command = self.countersign();
        command.args(["admit", &format!("https://localhost:{port}"), "--policy", "policy.toml"]);
        command.args(["--ca", "ca.pem", "--cache", "cache", "--accept", "1.0/JSONRPC", "--at", at]);
        command
    }
}

fn admitted_and_called(scene: &Scene) {
    let port = scene.port();
    scene.serve(port, &Scene::card(port, "2.4.0"));
    scene.write_policy(port, "");
    let (exit, answer) = scene.admit(port, TIMES[0]);
    assert_eq!(
        (exit, &answer["outcome"], &answer["cache"]),
        (Some(0), &json!("admit"), &json!("miss")),
        "{answer}"
    );
    let selected = &answer["selected"];
    assert_eq!(selected["url"], format!("https://localhost:{port}/a2a"));
    let said = scene.ask(&json!({
        "verb": "ask", "url": selected["url"], "binding": selected["binding"], "version": selected["version"],
        "ca": scene.path("ca.pem"), "text": "from A to B",
    }));
    assert_eq!(said["text"], "echo: from A to B");
}

fn remembered(scene: &Scene) {
    let port = scene.port();
    scene.serve(port, &Scene::card(port, "2.4.0"));
    scene.write_policy(port, "");
    let ask = |at: &str| {
        let (exit, answer) = scene.admit(port, at);
        assert_eq!((exit, &answer["outcome"]), (Some(0), &json!("admit")), "{answer}");
        (answer["cache"].as_str().unwrap().to_owned(), answer["fetched"]["how"].as_str().unwrap().to_owned())
    };
    let told = |cache: &str, how: &str| (cache.to_owned(), how.to_owned());
    assert_eq!(ask(TIMES[0]), told("miss", "network"));
    assert_eq!(ask(TIMES[0]), told("hit", "fresh"));
    let human = scene.command(port, TIMES[0]).output().unwrap();
    assert!(String::from_utf8(human.stdout).unwrap().contains("(cache hit)"));
    // The same card, fetched again.
    scene.forget_card(port);
    assert_eq!(ask(TIMES[0]), told("hit", "network"));
    // An answer holds as long as the card is fresh. The server says that it is still the same.
    assert_eq!(ask(TIMES[1]), told("miss", "revalidated"));
    scene.write_policy(port, "# A comment.");
    assert_eq!(ask(TIMES[1]), told("hit", "fresh"));
    scene.write_policy(port, "cache.max-ttl = \"30m\"");
    assert_eq!(ask(TIMES[1]), told("miss", "fresh"));
    scene.serve(port, &Scene::card(port, "2.5.0"));
    assert_eq!(ask(TIMES[1]), told("hit", "fresh"), "nobody looks");
    scene.forget_card(port);
    assert_eq!(ask(TIMES[1]), told("miss", "network"));
}

/// The interface was signed at the host behind the gateway, which the rule names.
fn rewritten_outward(scene: &Scene) {
    let (inner, port) = (scene.port(), scene.port());
    scene.serve(inner, &Scene::card(inner, "2.4.0"));
    scene.gateway(port, inner, (inner, port));
    scene.write_policy(port, &format!("interfaces.hosts = [\"*source\", \"localhost:{inner}\"]"));
    denied_as_rewritten(scene, port, inner);
}

/// The interface was signed at the gateway, which writes the host behind it.
fn rewritten_inward(scene: &Scene) {
    let (inner, port) = (scene.port(), scene.port());
    scene.serve(inner, &Scene::card(port, "2.4.0"));
    scene.gateway(port, inner, (port, inner));
    scene.write_policy(port, "");
    denied_as_rewritten(scene, port, port);
}

fn denied_as_rewritten(scene: &Scene, port: u64, signed: u64) {
    let (exit, answer) = scene.admit(port, TIMES[0]);
    assert_eq!((exit, &answer["outcome"]), (Some(1), &json!("deny")), "{answer}");
    assert!(answer["codes"].as_array().unwrap().contains(&json!("sig.invalid")), "{answer}");
    let diagnosis = answer["diagnosis"].as_array().unwrap();
    assert!(diagnosis.iter().any(|found| found["cause"] == "interface-url-rewritten"), "{answer}");
    let human = scene.command(port, TIMES[0]).output().unwrap();
    let human = String::from_utf8(human.stdout).unwrap();
    let cause = "interface-url-rewritten: rewritten after signing: `/supportedInterfaces/0/url`; with";
    assert!(human.contains(&format!("{cause} `https://localhost:{signed}/a2a`")), "{human}");
}
