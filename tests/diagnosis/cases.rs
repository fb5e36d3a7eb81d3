//! Cards made from public bug reports.

use countersign::{TrustedKeys, VerifyTerms};

use crate::support::{SIGNED_HOST, diagnosed, told};

/// The card, and what must be told of it.
#[rustfmt::skip]
const CASES: [(&str, &str, &str); 14] = [
    ("001-utf16-key-order",                     "card-codepoint.json",    "code-point-order"),
    ("005-explicit-false-is-signed",            "card-flag-removed.json", "member-changed /capabilities/pushNotifications"),
    ("005-explicit-false-is-signed",            "card-flag-added.json",   "member-changed /capabilities/extendedAgentCard"),
    ("010-oneof-scheme-kept",                   "card-tampered.json",     "content-or-key"),
    ("023-no-unicode-normalization",            "card-nfd.json",          "content-or-key"),
    ("032-attacker-jku",                        "card.json",              "content-or-key"),
    ("033-embedded-jwk-header",                 "card-known-kid.json",    "content-or-key"),
    ("037-ecdsa-der-signature",                 "card.json",              "der-signature"),
    ("045-kid-only-unprotected",                "card-unprotected.json",  "foreign-shape"),
    ("057-ecdsa-zero-signature",                "card-zero.json",         "content-or-key"),
    ("057-ecdsa-zero-signature",                "card-order.json",        "content-or-key"),
    ("057-ecdsa-zero-signature",                "card-r0.json",           "content-or-key"),
    ("061-gateway-rewrote-url",                 "card.json",              "interface-url-rewritten /supportedInterfaces/0/url"),
    ("155-spec-signature-cannot-be-verified",   "sample.json",            "content-or-key"),
];

#[test]
fn each_tampered_case_gets_the_cause_that_is_known() {
    let found = CASES.map(|(folder, card, _)| {
        let causes = of_case(folder, card, &[SIGNED_HOST]);
        (folder, card, causes.join(", "))
    });
    assert_eq!(found, CASES.map(|(folder, card, cause)| (folder, card, cause.to_owned())));
}

#[test]
fn without_the_hint_nobody_can_name_the_host_that_was_signed() {
    assert_eq!(of_case("061-gateway-rewrote-url", "card.json", &[]), ["content-or-key"]);
    assert_eq!(of_case("061-gateway-rewrote-url", "card.json", &["other.example"]), ["content-or-key"]);
}

fn of_case(folder: &str, card: &str, hosts: &[&str]) -> Vec<String> {
    let read = |name: &str| std::fs::read(format!("tests/vectors/cases/{folder}/{name}")).unwrap();
    let keys = TrustedKeys::read(read("trust.jwks.json"), "trust.jwks.json").unwrap();
    let found = diagnosed(&read(card), &keys, &VerifyTerms::default(), hosts).unwrap();
    found.iter().map(told).collect()
}
