//! What two policies mean differently.

use crate::support::{POLICY, policy};

fn differences(newer: &str) -> Vec<String> {
    policy(POLICY).differences(&policy(newer)).iter().map(ToString::to_string).collect()
}

#[test]
fn the_same_meaning_differs_in_nothing() {
    let reordered = POLICY
        .replace(
            "[\"agents.maps.example\", \"grpc.agents.maps.example:443\"]",
            "[\"grpc.agents.maps.example\", \"AGENTS.maps.example:443\"]",
        )
        .replace("name   = \"maps\"", "# a comment\nname = \"maps\"");
    assert_ne!(reordered, POLICY);
    assert_eq!(differences(&reordered), [""; 0]);
}

#[test]
fn each_change_is_one_sentence() {
    for (from, to, expected) in [
        ("name   = \"maps\"", "name = \"world\"", "the policy: `name` is `world` instead of `maps`"),
        ("name   = \"maps\"", "", "the policy: `name` is nothing instead of `maps`"),
        (
            "interfaces.paths = [\"/a2a/\"]",
            "interfaces.paths = [\"/a2a/\", \"/v2/\"]",
            "rule `maps`: `interfaces.paths` gains `/v2/`",
        ),
        (
            "\"grpc.agents.maps.example:443\"",
            "\"*.agents.maps.example\"",
            "rule `maps`: `interfaces.hosts` gains `*.agents.maps.example` and loses `grpc.agents.maps.example`",
        ),
        (
            "signatures.max-age = \"30d\"",
            "signatures.max-age = \"60d\"",
            "rule `both`: `signatures.max-age-seconds` is `5184000` instead of `2592000`",
        ),
        (
            "signatures.max-age = \"30d\"",
            "",
            "rule `both`: `signatures.max-age-seconds` is nothing instead of `2592000`",
        ),
        (
            "min = 2",
            "min = 1",
            "rule `both`: `signatures.all-of` gains `{\"keys\":[\"one\",\"two\"],\"min\":1}` and loses `{\"keys\":[\"one\",\"two\"],\"min\":2}`",
        ),
        (
            "reason = \"no tunnels\"",
            "reason = \"none\"",
            "deny rule `tunnels`: `reason` is `none` instead of `no tunnels`",
        ),
        (
            "until  = 2026-12-31",
            "until = 2027-12-31",
            "exception `EX-1`: `until` is `2027-12-31T23:59:59Z` instead of `2026-12-31T23:59:59Z`",
        ),
        (
            "\"https://other.example\"",
            "\"https://third.example\"",
            "key `two`: `origins` gains `third.example` and loses `other.example`",
        ),
    ] {
        assert!(POLICY.contains(from), "{from}");
        assert_eq!(differences(&POLICY.replacen(from, to, 1)), [expected], "{to}");
    }
}

#[test]
fn parts_that_come_and_go_are_told_by_their_ids() {
    let without = POLICY.replace("id     = \"tunnels\"", "id     = \"relays\"");
    assert_eq!(differences(&without), ["deny rule `relays` is new", "deny rule `tunnels` is gone"]);
    let without = POLICY.split("[[exception]]").next().unwrap();
    assert_eq!(differences(without), ["exception `EX-1` is gone"]);
}

#[test]
fn a_default_is_told_for_every_rule_that_it_holds_for() {
    let newer = POLICY.replace("name   = \"maps\"", "[defaults.signatures]\nuncovered = \"deny\"\n");
    let found = differences(&newer);
    for subject in ["rule `both`", "rule `maps`", "`[defaults]`"] {
        let expected = format!("{subject}: `signatures.uncovered` is `deny` instead of `strip`");
        assert!(found.contains(&expected), "{subject}: {found:#?}");
    }
}
