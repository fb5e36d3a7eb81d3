//! The URL vectors: what a card may write, and which rule refuses the rest.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed expectation must stop the test")]

use std::collections::BTreeMap;

use countersign_policy::{StrictUrl, UrlUse};
use serde_json::Value;

const VECTORS: &str = include_str!("../../tests/vectors/url/url-vectors.json");

/// How many vectors end how; a lost vector is a failure.
const COUNTS: [(&str, usize); 4] = [("match", 31), ("no-match", 27), ("pattern-error", 19), ("reject", 79)];

struct Vector {
    id: String,
    url: String,
    url_use: UrlUse,
    expect: String,
}

#[test]
fn no_vector_is_lost() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for vector in vectors() {
        let outcome = vector.expect.split(':').next().unwrap().to_owned();
        *counts.entry(outcome).or_default() += 1;
    }
    assert_eq!(counts, COUNTS.map(|(outcome, count)| (outcome.to_owned(), count)).into());
}

#[test]
fn the_rule_that_a_url_breaks_first_names_it() {
    let mut refused = 0;
    for Vector { id, url, url_use, expect } in vectors() {
        let Some(rule) = expect.strip_prefix("reject:") else { continue };
        let error = StrictUrl::read(&url, url_use).expect_err(&id);
        assert_eq!(error.code().name(), code_of(rule), "{id}: {url:?}: {error}");
        assert!(error.offset() <= url.len(), "{id}");
        refused += 1;
    }
    assert_eq!(refused, 79);
}

#[test]
fn a_url_that_only_its_pattern_decides_is_read() {
    let mut read = 0;
    for Vector { id, url, url_use, expect } in vectors() {
        if !["match", "no-match"].contains(&expect.as_str()) {
            continue;
        }
        let url = StrictUrl::read(&url, url_use).unwrap_or_else(|error| panic!("{id}: {url:?}: {error}"));
        assert_eq!(StrictUrl::read(&url.canonical_text(), url_use).as_ref(), Ok(&url), "{id}");
        read += 1;
    }
    assert_eq!(read, 58);
}

/// The vectors' name of a rule as a code: two of them are spelled otherwise.
fn code_of(rule: &str) -> String {
    match rule {
        "address-metadata" => "url.metadata-address".to_owned(),
        rule => format!("url.{}", rule.strip_prefix("url-").unwrap_or(rule)),
    }
}

fn vectors() -> Vec<Vector> {
    let document: Value = serde_json::from_str(VECTORS).unwrap();
    let text = |vector: &Value, member: &str| vector[member].as_str().unwrap().to_owned();
    let vector = |vector: &Value| Vector {
        id: text(vector, "id"),
        url: text(vector, "url"),
        url_use: match (vector["binding"].as_str().unwrap(), vector.get("allow_query")) {
            ("GRPC", None) => UrlUse::GrpcInterface,
            (_, None) => UrlUse::Interface,
            (_, Some(_)) => UrlUse::InterfaceWithQuery,
        },
        expect: text(vector, "expect"),
    };
    document["vectors"].as_array().unwrap().iter().map(vector).collect()
}
