//! The URL vectors: what a card may write, which rule refuses the rest, and what a host pattern matches.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed expectation must stop the test")]

use std::collections::BTreeMap;

use countersign_policy::{AllowPattern, LoopbackNames, Network, StrictUrl, UrlUse};
use serde_json::Value;

const VECTORS: &str = include_str!("../../tests/vectors/url/url-vectors.json");

/// How many vectors end how; a lost vector is a failure.
const COUNTS: [(&str, usize); 4] = [("match", 31), ("no-match", 27), ("pattern-error", 19), ("reject", 79)];

struct Vector {
    id: String,
    pattern: String,
    loopback_names: LoopbackNames,
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
    for Vector { id, url, url_use, expect, .. } in vectors() {
        let Some(rule) = expect.strip_prefix("reject:") else { continue };
        let error = StrictUrl::read(&url, url_use).expect_err(&id);
        assert_eq!(error.code().name(), code_of(rule), "{id}: {url:?}: {error}");
        assert!(error.offset() <= url.len(), "{id}");
        refused += 1;
    }
    assert_eq!(refused, 79);
}

#[test]
fn a_url_that_only_its_pattern_decides_is_read_and_matched() {
    let mut matched = 0;
    for vector @ Vector { id, url, url_use, expect, .. } in &vectors() {
        if !["match", "no-match"].contains(&expect.as_str()) {
            continue;
        }
        let url = StrictUrl::read(url, *url_use).unwrap_or_else(|error| panic!("{id}: {url:?}: {error}"));
        assert_eq!(StrictUrl::read(&url.canonical_text(), *url_use).as_ref(), Ok(&url), "{id}");
        let result = match vector.pattern.strip_prefix("net:") {
            Some(network) => {
                Network::read(network).unwrap().matches(url.host().address().expect("an address"))
            }
            None => AllowPattern::read(&vector.pattern)
                .unwrap_or_else(|error| panic!("{id}: {error}"))
                .matches(&url, vector.loopback_names),
        };
        assert_eq!(result.is_ok(), expect == "match", "{id}: {result:?}");
        matched += 1;
    }
    assert_eq!(matched, 58);
}

#[test]
fn a_pattern_that_matches_strangers_or_nothing_is_refused() {
    let mut refused = 0;
    for Vector { id, pattern, expect, .. } in vectors() {
        let Some(rule) = expect.strip_prefix("pattern-error:") else { continue };
        let error = AllowPattern::read(&pattern).expect_err(&id);
        let code = if rule.starts_with("host-trailing") { code_of(rule) } else { format!("policy.{rule}") };
        assert_eq!(error.code().name(), code, "{id}: {pattern:?}: {error}");
        refused += 1;
    }
    assert_eq!(refused, 19);
}

/// The pattern beside a refused URL is a good one: the URL alone is at fault.
#[test]
fn the_pattern_of_a_refused_url_is_read() {
    for Vector { id, pattern, expect, .. } in vectors() {
        if expect.starts_with("reject:") {
            let read = match pattern.strip_prefix("net:") {
                Some(network) => Network::read(network).map(|_| ()),
                None => AllowPattern::read(&pattern).map(|_| ()),
            };
            assert_eq!(read, Ok(()), "{id}: {pattern}");
        }
    }
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
        pattern: text(vector, "pattern"),
        loopback_names: match vector.get("allow_loopback") {
            Some(_) => LoopbackNames::Allowed,
            None => LoopbackNames::Refused,
        },
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
