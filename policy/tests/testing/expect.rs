//! Expectations against decisions: for every member one that is met and one that is not.

use countersign_policy::{Decision, PolicyTests, TrustPolicy, UncoveredFacts};

use crate::support::{POLICY, card, decide, known, policy};

const URL: &str = "https://agents.maps.example/a2a/v1";

/// What differs from an expectation.
fn differences(expect: &str, decision: &Decision) -> Vec<String> {
    let text = format!(
        "policy = \"p.toml\"\nnow = 2026-10-01T12:00:00Z\n[[case]]\nname = \"c\"\ncard = \"c.json\"\nfrom = {{ url = \"https://a.example\" }}\nexpect = {{ {expect} }}\n"
    );
    let tests = PolicyTests::read(&text, "t.toml", &known()).unwrap_or_else(|error| panic!("{error}"));
    let differences = tests.cases.first().unwrap().expect.matches(decision);
    assert!(differences.iter().all(|difference| difference.place.span.line == 7));
    differences.iter().map(ToString::to_string).collect()
}

fn admitted(policy: &TrustPolicy) -> Decision {
    let mut facts = card(policy, URL, &["one"]);
    facts.uncovered = ["/url", "/a"]
        .map(|pointer| UncoveredFacts { pointer: pointer.to_owned(), class: "legacy", fate: "stripped" })
        .into();
    decide(policy, &facts)
}

#[test]
fn what_is_met_differs_in_nothing() {
    let policy = policy(POLICY);
    let admitted = admitted(&policy);
    for expect in [
        "outcome = \"admit\"",
        "outcome = \"admit\", enforced = true",
        "outcome = \"admit\", codes = []",
        "outcome = \"admit\", rule = \"maps\"",
        "outcome = \"admit\", interfaces = [\"https://agents.maps.example/a2a/v1\"]",
        "outcome = \"admit\", ttl-at-most = \"1h\"",
        "outcome = \"admit\", uncovered = [\"/a\", \"/url\"]",
    ] {
        assert_eq!(differences(expect, &admitted), [""; 0], "{expect}");
    }
    let denied = decide(&policy, &card(&policy, "https://evil.example/", &[]));
    for expect in [
        "outcome = \"deny\"",
        "outcome = \"deny\", codes = [\"iface.path-not-allowed\", \"sig.absent\", \"iface.none-left\", \"iface.host-not-allowed\"]",
        "outcome = \"deny\", codes-any = [\"sig.invalid\", \"sig.absent\"]",
        "outcome = \"deny\", interfaces = []",
    ] {
        assert_eq!(differences(expect, &denied), [""; 0], "{expect}");
    }
}

#[test]
fn what_is_not_met_is_told_with_what_was_found() {
    let policy = policy(POLICY);
    let admitted = admitted(&policy);
    let denied = decide(&policy, &card(&policy, URL, &[]));
    for (expect, decision, expected) in [
        ("outcome = \"deny\"", &admitted, "`outcome`: expected `deny`, found `admit`"),
        ("outcome = \"deny\", enforced = false", &denied, "`enforced`: expected `false`, found `true`"),
        (
            "outcome = \"deny\", codes = [\"sig.invalid\"]",
            &denied,
            "`codes`: expected `sig.invalid`, found `sig.absent`",
        ),
        ("outcome = \"deny\", codes = []", &denied, "`codes`: expected none, found `sig.absent`"),
        (
            "outcome = \"deny\", codes = [\"sig.absent\", \"sig.invalid\"]",
            &denied,
            "`codes`: expected `sig.absent`, `sig.invalid`, found `sig.absent`",
        ),
        (
            "outcome = \"deny\", codes-any = [\"sig.invalid\"]",
            &denied,
            "`codes-any`: expected one of `sig.invalid`, found `sig.absent`",
        ),
        ("outcome = \"admit\", rule = \"both\"", &admitted, "`rule`: expected `both`, found `maps`"),
        (
            "outcome = \"admit\", interfaces = []",
            &admitted,
            "`interfaces`: expected none, found `https://agents.maps.example/a2a/v1`",
        ),
        (
            "outcome = \"admit\", ttl-at-most = \"59m\"",
            &admitted,
            "`ttl-at-most`: expected at most 3540 s, found 3600 s",
        ),
        (
            "outcome = \"admit\", uncovered = [\"/url\"]",
            &admitted,
            "`uncovered`: expected `/url`, found `/a`, `/url`",
        ),
    ] {
        assert_eq!(differences(expect, decision), [expected], "{expect}");
    }
}

#[test]
fn a_denied_card_has_no_interface_that_may_be_used() {
    let policy = policy(POLICY);
    let denied = decide(&policy, &card(&policy, URL, &[]));
    assert!(denied.interfaces.iter().any(|interface| interface.reasons.is_empty()));
    assert_eq!(differences("outcome = \"deny\", interfaces = []", &denied), [""; 0]);
}

#[test]
fn without_a_rule_none_is_named() {
    let policy = policy(POLICY);
    let request = crate::support::request("https://nowhere.example/");
    let decision = policy.evaluate(&request, &card(&policy, URL, &["one"]), crate::support::NOW);
    let expected = "`rule`: expected `maps`, found no rule";
    assert_eq!(differences("outcome = \"deny\", rule = \"maps\"", &decision), [expected]);
}
