use std::sync::Arc;

use countersign_policy::{TrustPolicy, UnixTime};

use super::{Standing, turns_after};
use crate::files::TOOL;

/// A policy with two keys, the first valid from 1970-01-01T00:01:40Z to 00:05:00Z; clocks may differ by 60 s before it.
fn policy() -> Arc<TrustPolicy> {
    let key = |id: &str, x: &str, window: &str| {
        format!(
            "[[key]]\nid = \"{id}\"\njwk = {{ kty = \"OKP\", crv = \"Ed25519\", x = \"{x}\" }}\n{window}\norigins = [\"a.example\"]\n"
        )
    };
    let window = "not-before = 1970-01-01T00:01:40Z\nnot-after = 1970-01-01T00:05:00Z";
    let text = format!(
        "schema = 1\n{}{}",
        key("k1", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", window),
        key("k2", "PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw", ""),
    );
    Arc::new(TrustPolicy::read(&text, "policy.toml", &TOOL).unwrap())
}

fn at(seconds: i64) -> UnixTime {
    UnixTime::from_seconds(seconds)
}

#[test]
fn a_policy_turns_when_a_key_begins_and_the_second_after_it_ends() {
    let policy = policy();
    assert_eq!(turns_after(&policy, at(0)), 40);
    assert_eq!(turns_after(&policy, at(39)), 40);
    assert_eq!(turns_after(&policy, at(40)), 301);
    assert_eq!(turns_after(&policy, at(300)), 301);
    assert_eq!(turns_after(&policy, at(301)), i64::MAX);
}

#[test]
fn the_generation_changes_with_the_usable_keys_and_at_no_other_time() {
    let standing = Standing::new(policy());
    let generation = |seconds| standing.moment(at(seconds)).generation;
    let first = generation(0);
    assert_eq!(generation(39), first);
    let second = generation(40);
    assert_ne!(second, first);
    assert_eq!(generation(300), second);
    assert_ne!(generation(301), second);
    // Both ways of asking agree.
    assert_eq!(standing.at(at(301)).moment.generation, generation(301));
}

#[test]
fn time_never_falls() {
    let standing = Standing::new(policy());
    assert_eq!(standing.moment(at(200)).now, at(200));
    assert_eq!(standing.moment(at(50)).now, at(200));
    assert_eq!(standing.at(at(50)).moment.now, at(200));
    assert_eq!(standing.at(at(201)).moment.now, at(201));
    assert_eq!(standing.moment(at(i64::MIN)).now, at(201));
}

#[test]
fn the_same_keys_and_meaning_have_the_same_digest() {
    let standing = Standing::new(policy());
    let first = standing.at(at(200)).digest;
    standing.replace(policy());
    assert_eq!(standing.at(at(200)).digest, first);
    assert_ne!(standing.at(at(301)).digest, first);
}

#[test]
fn a_replacement_and_a_turn_end_the_generation() {
    let standing = Standing::new(policy());
    let first = standing.moment(at(0)).generation;
    standing.replace(policy());
    assert_eq!(standing.moment(at(0)).generation, first, "the same policy");
    standing.replace(Arc::new(TrustPolicy::read("schema = 1", "other.toml", &TOOL).unwrap()));
    let second = standing.moment(at(0)).generation;
    standing.turn();
    let third = standing.moment(at(0)).generation;
    assert!(first < second && second < third);
}
