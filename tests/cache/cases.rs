//! The four cases about caches that were made from public bug reports, step by step.

use std::path::PathBuf;
use std::sync::Arc;

use countersign::cache::AdmissionCache;
use countersign::policy::{FileFault, Files};
use countersign::{TOOL, TrustPolicy};

use crate::fixture::{admit, cache_under, register, shown};

/// The folder of a case.
struct Case(PathBuf);

impl Case {
    fn of(slug: &str) -> Self {
        Self(PathBuf::from("tests/vectors/cases").join(slug))
    }

    fn octets(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }

    /// A policy for the agent of the case, with its keys in `keys`, and members of its rule.
    fn policy(&self, keys: &str, rule: &str) -> Arc<TrustPolicy> {
        let text = format!(
            "schema = 1\n[[jwks]]\nid = \"trusted\"\nfile = \"{keys}\"\norigins = [\"agent.example.com\"]\n\
             [[allow]]\nid = \"agent\"\nfrom = [\"agent.example.com\"]\n{rule}\n"
        );
        let files = OnePolicy { text, case: self };
        Arc::new(TrustPolicy::load("policy.toml", &files, &TOOL).unwrap())
    }

    fn admit(&self, cache: &AdmissionCache, name: &str) -> String {
        shown(&admit(cache, &self.octets(name), 0))
    }
}

/// A policy, with the files of a case beside it.
struct OnePolicy<'c> {
    text: String,
    case: &'c Case,
}

impl Files for OnePolicy<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileFault> {
        if path == "policy.toml" { Ok(self.text.clone().into_bytes()) } else { Ok(self.case.octets(path)) }
    }
}

const KEYS: &str = "trust.jwks.json";

#[test]
fn case_140_a_refused_card_leaves_nothing_behind() {
    let case = Case::of("140-refused-card-is-not-cached");
    // With denials remembered for a while, as by default, and without.
    for (negative, again) in [("30s", "remembered"), ("0s", "decided")] {
        let cache = cache_under(case.policy(KEYS, &format!("cache.negative = \"{negative}\"")));
        assert_eq!(case.admit(&cache, "bad.json"), "deny sig.invalid decided");
        assert_eq!(case.admit(&cache, "bad.json"), format!("deny sig.invalid {again}"));
        assert_eq!(case.admit(&cache, "good.json"), "admit decided");
        assert_eq!(case.admit(&cache, "bad.json"), format!("deny sig.invalid {again}"));
        assert_eq!(case.admit(&cache, "good.json"), "admit remembered");
        for round in ["decided", again] {
            let answer = case.admit(&cache, "cleartext.json");
            assert!(answer.starts_with("deny sig.absent iface.") && answer.ends_with(round), "{answer}");
        }
        // Nor is a refused card registered.
        assert!(register(&cache, &case.octets("bad.json"), 0).unwrap().interface().is_none());
    }
}

#[test]
fn case_141_an_answer_belongs_to_the_octets_of_the_card() {
    let case = Case::of("141-cache-keyed-by-content");
    let cache = cache_under(case.policy(KEYS, ""));
    assert_eq!(case.admit(&cache, "card.json"), "admit decided");
    assert_eq!(case.admit(&cache, "card.json"), "admit remembered");
    assert_eq!(case.admit(&cache, "card-mutated.json"), "deny sig.invalid decided");
    let reformatted: serde_json::Value = serde_json::from_slice(&case.octets("card.json")).unwrap();
    assert_eq!(shown(&admit(&cache, reformatted.to_string().as_bytes(), 0)), "admit decided");
}

#[test]
fn case_142_an_answer_belongs_to_its_policy() {
    let case = Case::of("142-cache-bound-to-policy");
    let optional = "signatures = { level = \"if-present\", reason = \"pilot\", until = 2099-12-31 }";
    let first = case.policy(KEYS, optional);
    let cache = cache_under(Arc::clone(&first));
    assert_eq!(case.admit(&cache, "card.json"), "admit decided");
    cache.replace_policy(case.policy(KEYS, ""));
    assert_eq!(case.admit(&cache, "card.json"), "deny sig.absent decided");
    cache.replace_policy(case.policy(KEYS, "interfaces.hosts = [\"other.test\"]"));
    let answer = case.admit(&cache, "signed.json");
    assert!(answer.starts_with("deny iface.") && answer.ends_with("decided"), "{answer}");
    cache.replace_policy(first);
    assert_eq!(case.admit(&cache, "card.json"), "admit remembered");
}

#[test]
fn case_145_an_unknown_key_is_not_remembered_over_a_new_key() {
    let case = Case::of("145-negative-results-and-rotation");
    let (before, after) =
        (case.policy("trust-before.jwks.json", ""), case.policy("trust-after.jwks.json", ""));
    let cache = cache_under(Arc::clone(&before));
    assert_eq!(case.admit(&cache, "card.json"), "deny sig.unknown-key decided");
    cache.replace_policy(after);
    assert_eq!(case.admit(&cache, "card.json"), "admit decided");
    cache.replace_policy(before);
    assert_eq!(case.admit(&cache, "card.json"), "deny sig.unknown-key remembered");
}
