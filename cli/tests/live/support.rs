//! The command, the cards and the keys of the matrix.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// The forms that can be signed, in the order in which `verify` names them.
pub(crate) const FORMS: [&str; 5] = ["a2a-1.0", "a2a-1.0-open", "as-received", "sdk-1.x", "sdk-py-1.0"];

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn keys(file: &str) -> PathBuf {
    repository().join("tests/vectors/interop/keys").join(file)
}

fn read_json(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// The JWK with this `kid` in a file of the vectors' keys.
pub(crate) fn jwk(file: &str, kid: &str) -> Value {
    let set = read_json(&keys(file));
    let mut entries = set.get("keys").and_then(Value::as_array).unwrap().iter();
    entries.find(|entry| entry.get("kid").and_then(Value::as_str) == Some(kid)).unwrap().clone()
}

/// An unsigned card.
#[derive(Clone)]
pub(crate) struct Card {
    pub(crate) id: String,
    pub(crate) text: String,
}

/// The base cards of the vectors that have members of A2A 1.0, and the card of the README.
pub(crate) fn cards() -> Vec<Card> {
    let root = repository();
    let vectors = read_json(&root.join("tests/vectors/interop/vectors/base-canonical.json"));
    let member = |vector: &Value, name: &str| vector.get(name).and_then(Value::as_str).unwrap().to_owned();
    let vectors = vectors.get("vectors").and_then(Value::as_array).unwrap();
    let base = vectors.iter().filter(|vector| member(vector, "shape") != "v03");
    let mut cards: Vec<Card> =
        base.map(|vector| Card { id: member(vector, "id"), text: member(vector, "card_text") }).collect();
    let text = fs::read_to_string(root.join("examples/cards/route-planner.json")).unwrap();
    cards.push(Card { id: "route-planner".to_owned(), text });
    cards
}

/// The same card with one octet changed, in the member `version`, which every form covers.
pub(crate) fn tampered(card: &str) -> String {
    let (before, version) = card.split_once(r#""version":"#).unwrap();
    let twin = format!(r#"{before}"version":{}"#, version.replacen("0\"", "1\"", 1));
    let differing = card.bytes().zip(twin.bytes()).filter(|(one, other)| one != other).count();
    assert_eq!((card.len(), differing), (twin.len(), 1), "{twin}");
    twin
}

/// What the command answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) exit: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the command on a card that comes through standard input.
fn countersign(card: &str, arguments: &[&str]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command.env_remove("COUNTERSIGN_FORMAT").env("NO_COLOR", "1").args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    process.stdin.take().unwrap().write_all(card.as_bytes()).unwrap();
    let output = process.wait_with_output().unwrap();
    Answer {
        exit: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A card that was signed, and the forms whose implementations would reject it according to the warnings.
#[derive(Debug)]
pub(crate) struct Signed {
    pub(crate) card: String,
    pub(crate) warned: Vec<&'static str>,
}

/// The card signed with the private key of this `kid` under each form, or the answer that refuses.
pub(crate) fn sign(card: &str, kid: &str, forms: &[&str]) -> Result<Signed, Answer> {
    let file = keys("jwks.private.json");
    let mut arguments = vec!["sign", "-", "--key", file.to_str().unwrap(), "--kid", kid];
    arguments.extend(forms.iter().flat_map(|form| ["--form", form]));
    let answer = countersign(card, &arguments);
    if answer.exit != Some(0) {
        return Err(answer);
    }
    let warns = |form: &str| answer.stderr.contains(&format!("warning[sig.not-portable]: {form} ("));
    let warned = FORMS.into_iter().filter(|form| warns(form)).collect();
    Ok(Signed { card: answer.stdout, warned })
}

/// The canonical payload of a card.
pub(crate) fn canonical(card: &str, form: &str) -> String {
    let answer = countersign(card, &["canonicalize", "-", "--form", form]);
    assert_eq!(answer.exit, Some(0), "{}", answer.stderr);
    answer.stdout
}

/// What `verify` says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) exit: Option<i32>,
    pub(crate) codes: Vec<String>,
    /// The form that matched, for each signature.
    pub(crate) forms: Vec<Option<String>>,
}

pub(crate) fn verify(card: &str, keys_file: &str, forms: &[&str]) -> Verdict {
    let file = keys(keys_file);
    let mut arguments = vec!["verify", "-", "--keys", file.to_str().unwrap(), "--format", "json"];
    arguments.extend(forms.iter().flat_map(|form| ["--form", form]));
    let answer = countersign(card, &arguments);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|error| {
        panic!("{error}: {answer:?}");
    });
    let list = |member: &str| report.get(member).and_then(Value::as_array).unwrap().clone();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Verdict {
        exit: answer.exit,
        codes: list("codes").iter().filter_map(text).collect(),
        forms: list("signatures").iter().map(|signature| signature.get("form").and_then(text)).collect(),
    }
}

/// The form that `verify` has to name for a payload: the first with these octets.
pub(crate) fn first_form(card: &str, payload: &str) -> Option<String> {
    FORMS.iter().find(|form| canonical(card, form) == payload).map(|form| (*form).to_owned())
}
