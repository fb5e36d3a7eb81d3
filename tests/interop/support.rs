//! Reading vectors, and the comparison with a table of expected lines.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use countersign::{
    Code, Form, Limits, Refused, TrustedKeys, UnixTime, UntrustedCard, VerifiedCard, VerifyTerms,
};
use serde_json::Value;

/// 2026-11-29T00:00:00Z, the day on which the vectors were made.
pub(crate) const NOW: UnixTime = UnixTime::from_seconds(1_795_910_400);

const FOLDER: &str = "tests/vectors/interop";

pub(crate) fn file(name: &str) -> Value {
    let text = std::fs::read_to_string(format!("{FOLDER}/vectors/{name}.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

pub(crate) fn vectors(name: &str) -> Vec<Value> {
    file(name)["vectors"].as_array().unwrap().clone()
}

pub(crate) fn text<'v>(vector: &'v Value, member: &str) -> &'v str {
    vector[member].as_str().unwrap()
}

pub(crate) fn trusted() -> &'static TrustedKeys {
    static KEYS: LazyLock<TrustedKeys> = LazyLock::new(|| {
        TrustedKeys::read(std::fs::read(format!("{FOLDER}/keys/jwks.json")).unwrap(), "jwks.json").unwrap()
    });
    &KEYS
}

/// Whether the list `member` of a vector names the form.
pub(crate) fn names(vector: &Value, member: &str, form: Form) -> bool {
    vector[member].as_array().unwrap().iter().any(|name| name == crate::profiles::profile(form))
}

pub(crate) fn read(card: &str) -> Result<UntrustedCard, Code> {
    UntrustedCard::read(card, &Limits::default()).map_err(|error| error.code())
}

/// The default terms with only these forms accepted.
pub(crate) fn under(forms: &[Form]) -> VerifyTerms {
    let mut terms = VerifyTerms::default();
    terms.forms = forms.to_vec();
    terms
}

pub(crate) fn verify(
    card: UntrustedCard,
    keys: &TrustedKeys,
    forms: &[Form],
) -> Result<VerifiedCard, Box<Refused>> {
    card.verify(keys, &under(forms), NOW).map_err(Box::new)
}

pub(crate) fn names_of(codes: &[Code]) -> String {
    codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(" ")
}

/// Compares `found` with the lines of a table, in any order; `#` starts a comment line.
pub(crate) fn assert_table(name: &str, found: impl IntoIterator<Item = String>) {
    let path = format!("tests/vectors/expected/{name}.tsv");
    let table = std::fs::read_to_string(&path).unwrap_or_default();
    let expected: BTreeSet<&str> = table.lines().filter(|line| !line.starts_with('#')).collect();
    let found: BTreeSet<String> = found.into_iter().collect();
    let unlisted: Vec<&str> =
        found.iter().map(String::as_str).filter(|line| !expected.contains(line)).collect();
    let absent: Vec<&str> = expected.into_iter().filter(|line| !found.contains(*line)).collect();
    assert!(
        unlisted.is_empty() && absent.is_empty(),
        "{path}\n{} found and not listed:\n{}\n{} listed and not found:\n{}",
        unlisted.len(),
        unlisted.join("\n"),
        absent.len(),
        absent.join("\n")
    );
}
