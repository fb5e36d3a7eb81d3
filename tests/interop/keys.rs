//! One good card under published keys that say more or other things about themselves.

use countersign::TrustedKeys;

use crate::support::{NOW, names_of, read, text, under, vectors};

/// The vector, the card's outcome and codes, and the codes of what is found about the keys.
#[rustfmt::skip]
const KEYS: [(&str, &str, &str); 14] = [
    ("j00-as-published",                   "verified",                  ""),
    ("j01-no-alg",                         "verified",                  ""),
    ("j02-no-alg-no-use",                  "verified",                  ""),
    ("j03-use-enc",                        "unverifiable key.unusable", "key.unusable"),
    ("j04-key_ops-sign-only",              "unverifiable key.unusable", "key.unusable"),
    ("j05-key_ops-verify",                 "verified",                  ""),
    ("j06-alg-es384-on-p256",              "unverifiable key.unusable", "key.unusable"),
    ("j07-alg-rs256-on-p256",              "unverifiable key.unusable", "key.unusable"),
    ("j08-private-d-present",              "verified",                  "key.private-in-public-set"),
    ("j09-exp-past",                       "verified",                  ""),
    ("j10-ed25519-name-no-jwk-alg",        "verified",                  ""),
    ("j11-ed25519-name-jwk-alg-ed25519",   "verified",                  ""),
    ("j12-eddsa-name-jwk-alg-ed25519",     "verified",                  ""),
    ("j13-wrong-key-same-kid",             "invalid sig.invalid",       ""),
];

#[test]
fn a_key_is_used_as_far_as_it_allows_itself() {
    let found: Vec<_> = vectors("jwk-metadata")
        .iter()
        .map(|vector| {
            let keys = TrustedKeys::read(text(vector, "jwks"), "jwks.json").unwrap();
            let terms = under(&countersign::Form::ACCEPTED);
            let report = match read(text(vector, "card_text")).unwrap().verify(&keys, &terms, NOW) {
                Ok(verified) => verified.report().clone(),
                Err(refused) => refused.report().clone(),
            };
            let outcome = format!("{} {}", report.outcome.name(), names_of(&report.codes));
            let findings: Vec<_> = keys.findings().iter().map(|found| found.finding.code).collect();
            (text(vector, "id").to_owned(), outcome.trim_end().to_owned(), names_of(&findings))
        })
        .collect();
    let expected =
        KEYS.map(|(id, outcome, findings)| (id.to_owned(), outcome.to_owned(), findings.to_owned()));
    assert_eq!(found, expected);
}
