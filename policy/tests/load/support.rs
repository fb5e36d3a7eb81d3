//! Policies from texts and from `tests/policies`.

use std::collections::BTreeMap;
use std::fs;

use countersign_policy::{FileFault, FileFaultKind, Files, PolicyError, PolicyFault, Tool, TrustPolicy};

pub(crate) const TOOL: Tool = Tool {
    version: "0.1.0",
    forms: &["a2a-1.0", "a2a-1.0-open", "as-received", "sdk-1.x", "sdk-py-1.0"],
    default_forms: &["a2a-1.0", "a2a-1.0-open", "as-received", "sdk-1.x", "sdk-py-1.0"],
};

/// Files by name; what is not there is read from `tests/policies`.
#[derive(Default)]
pub(crate) struct Texts {
    texts: BTreeMap<String, String>,
}

impl Texts {
    pub(crate) fn with(mut self, name: &str, text: &str) -> Self {
        self.texts.insert(name.to_owned(), text.to_owned());
        self
    }

    pub(crate) fn load(&self, name: &str) -> Result<TrustPolicy, PolicyError> {
        TrustPolicy::load(name, self, &TOOL)
    }
}

impl Files for Texts {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileFault> {
        if let Some(text) = self.texts.get(path) {
            return Ok(text.clone().into_bytes());
        }
        if path == "outside.toml" {
            return Err(FileFault::new(FileFaultKind::Escape, "a link leads out of the folder"));
        }
        fs::read(format!("{}/tests/policies/{path}", env!("CARGO_MANIFEST_DIR")))
            .map_err(|error| FileFault::new(FileFaultKind::Unreadable, error.to_string()))
    }
}

/// The text of a fixture.
pub(crate) fn fixture(name: &str) -> String {
    fs::read_to_string(format!("{}/tests/policies/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The policy that `text` is, beside the files of `tests/policies`.
pub(crate) fn load(text: &str) -> Result<TrustPolicy, PolicyError> {
    Texts::default().with("policy.toml", text).load("policy.toml")
}

/// A policy of which every fault would fail the test.
pub(crate) fn good(text: &str) -> TrustPolicy {
    load(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The faults of a policy that cannot be had.
pub(crate) fn faults(text: &str) -> Vec<PolicyFault> {
    load(text).map_or_else(|error| error.faults, |_| panic!("no fault in\n{text}"))
}

/// The codes of the faults.
pub(crate) fn codes(text: &str) -> Vec<&'static str> {
    faults(text).iter().map(|fault| fault.code.name()).collect()
}

/// `smallest.toml` with something at its end.
pub(crate) fn smallest_and(more: &str) -> String {
    format!("{}{more}\n", fixture("smallest.toml"))
}

/// A fixture in which `from`, which occurs, is `to`.
pub(crate) fn changed(name: &str, from: &str, to: &str) -> String {
    let text = fixture(name);
    assert!(text.contains(from), "`{from}` is not in {name}");
    text.replacen(from, to, 1)
}
