//! The SDKs as child processes that answer one JSON line with one JSON line.

use std::fmt;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::repository;

/// A release of an SDK that signs and verifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    Py130,
    Py103,
    Js130,
}

impl Peer {
    pub(crate) const ALL: [Self; 3] = [Self::Py130, Self::Py103, Self::Js130];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Py130 => "a2a-python 1.3.0",
            Self::Py103 => "a2a-python 1.0.3",
            Self::Js130 => "a2a-js 1.3.0",
        }
    }

    /// The form whose octets it signs and verifies.
    pub(crate) const fn form(self) -> &'static str {
        match self {
            Self::Py130 | Self::Js130 => "sdk-1.x",
            Self::Py103 => "sdk-py-1.0",
        }
    }

    fn command(self, folder: &Path) -> Command {
        let python = |environment: &str| {
            let mut command = Command::new(folder.join(environment).join("bin/python"));
            command.arg("-B").arg(repository().join("tests/live/python/peer.py"));
            command
        };
        match self {
            Self::Py130 => python("a2a-sdk-1.3.0"),
            Self::Py103 => python("a2a-sdk-1.0.3"),
            Self::Js130 => {
                let mut command = Command::new("node");
                command.arg(repository().join("tests/live/node/peer.mjs")).arg(folder.join("node"));
                command
            }
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a peer could not do, in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unable(pub(crate) String);

/// A peer that runs. It ends when its standard input is closed.
pub(crate) struct Running {
    process: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Running {
    pub(crate) fn start(peer: Peer, folder: &Path) -> Self {
        Self::of(peer.command(folder), peer.name())
    }

    /// A process that serves agents, and asks them.
    pub(crate) fn agents(folder: &Path) -> Self {
        let mut command = Command::new(folder.join("a2a-sdk-1.3.0/bin/python"));
        command.arg("-B").arg(repository().join("tests/live/python/agent.py"));
        Self::of(command, "the server of a2a-python 1.3.0")
    }

    fn of(mut command: Command, name: &str) -> Self {
        // What an SDK logs on standard error is not part of the answer.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap_or_else(|error| panic!("{name} does not start: {error}"));
        let questions = process.stdin.take();
        let answers = BufReader::new(process.stdout.take().unwrap());
        Self { process, questions, answers }
    }

    pub(crate) fn ask(&mut self, question: &Value) -> Result<Value, Unable> {
        let pipe = self.questions.as_mut().unwrap();
        writeln!(pipe, "{question}").unwrap();
        pipe.flush().unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        let answer: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in the answer `{line}`"));
        match answer.get("error").and_then(Value::as_str) {
            Some(error) => Err(Unable(error.to_owned())),
            None => Ok(answer),
        }
    }

    fn text(&mut self, question: &Value, member: &str) -> Result<String, Unable> {
        Ok(self.ask(question)?.get(member).and_then(Value::as_str).unwrap().to_owned())
    }

    /// The card with a signature of the private JWK.
    pub(crate) fn sign(&mut self, card: &str, key: &Value) -> Result<String, Unable> {
        self.text(&json!({"verb": "sign", "card": card, "key": key}), "card")
    }

    /// Whether its verifier accepts the card with the public JWK.
    pub(crate) fn accepts(&mut self, card: &str, key: &Value) -> Result<bool, Unable> {
        let answer = self.ask(&json!({"verb": "verify", "card": card, "keys": [key]}))?;
        Ok(answer.get("accepted").and_then(Value::as_bool).unwrap())
    }

    /// Where it serves the card from now on, signed for each request when there is a private JWK.
    pub(crate) fn serve(&mut self, card: &str, key: Option<&Value>) -> Result<String, Unable> {
        self.text(&json!({"verb": "serve", "card": card, "key": key}), "url")
    }

    /// The card that is served there.
    pub(crate) fn fetch(&mut self, url: &str) -> Result<String, Unable> {
        self.text(&json!({"verb": "fetch", "url": url}), "card")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.questions.take());
        // It has nothing left to do; whether it says so makes no difference.
        let _ = self.process.wait();
    }
}
