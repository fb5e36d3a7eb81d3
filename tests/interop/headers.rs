//! Variants of the protected header, of the encoding and of the `signatures` member, each with its exact answer.

use std::collections::BTreeSet;

use countersign::{Form, VerificationReport};
use serde_json::Value;

use crate::support::{names_of, read, text, trusted, vectors, verify};

/// The vector, the card's outcome and codes, the outcome of each signature, the codes of findings, and the reason
/// where the vectors leave the answer to a policy.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const HEADERS: [Row; 42] = [
    ("h00-baseline",               "verified",                               "v", "", ""),
    ("h01-no-typ",                 "verified",                               "v", "sig.typ-missing", "`typ` is recommended only: a finding"),
    ("h02-typ-jwt",                "verified",                               "v", "sig.typ-unusual", ""),
    ("h03-typ-other",              "verified",                               "v", "", ""),
    ("h04-no-kid",                 "malformed sig.missing-kid",              "m", "", ""),
    ("h05-kid-number",             "malformed sig.malformed-header",         "m", "", ""),
    ("h06-alg-lower",              "unverifiable sig.algorithm-unsupported", "u", "", ""),
    ("h07-alg-none",               "unverifiable sig.algorithm-unsupported", "u", "", ""),
    ("h08-no-alg",                 "malformed sig.malformed-header",         "m", "", ""),
    ("h09-crit-b64-false",         "malformed sig.critical-header",          "m", "", "RFC 7797 is not implemented: no `crit` is"),
    ("h10-crit-unknown",           "malformed sig.critical-header",          "m", "", ""),
    ("h11-crit-empty",             "malformed sig.critical-header",          "m", "", ""),
    ("h12-exp-past",               "invalid fresh.expired",                  "i", "", "a protected `exp` is a promise of the signer"),
    ("h13-jku",                    "verified",                               "v", "", ""),
    ("h14-embedded-jwk",           "invalid sig.invalid",                    "i", "", ""),
    ("h15-unprot-note",            "verified",                               "v", "", ""),
    ("h16-unprot-dup-alg",         "malformed sig.malformed-header",         "m", "", ""),
    ("h17-unprot-conflicting-kid", "malformed sig.malformed-header",         "m", "", ""),
    ("h18-kid-only-unprotected",   "malformed sig.missing-kid",              "m", "", ""),
    ("h19-unprot-crit",            "malformed sig.malformed-header",         "m", "", ""),
    ("h20-dup-alg-last-good",      "malformed sig.malformed-header",         "m", "", ""),
    ("h21-dup-alg-first-good",     "malformed sig.malformed-header",         "m", "", ""),
    ("h22-protected-padding",      "malformed sig.malformed-header",         "m", "", ""),
    ("h23-signature-padding",      "malformed sig.malformed",                "m", "", ""),
    ("h24-protected-std-alphabet", "malformed sig.malformed-header",         "m", "", ""),
    ("h25-protected-pretty",       "verified",                               "v", "", ""),
    ("h26-protected-not-utf8",     "malformed sig.malformed-header",         "m", "", ""),
    ("h27-protected-not-json",     "malformed sig.malformed-header",         "m", "", ""),
    ("h28-protected-array",        "malformed sig.malformed-header",         "m", "", ""),
    ("h29-protected-bom",          "malformed sig.malformed-header",         "m", "", ""),
    ("h30-der-signature",          "malformed sig.malformed",                "m", "", ""),
    ("h31-high-s",                 "verified",                               "v", "", ""),
    ("h32-sig-noncanonical-tail",  "malformed sig.malformed",                "m", "", ""),
    ("h33-sig-empty",              "malformed sig.malformed",                "m", "", ""),
    ("h34-sig-truncated",          "malformed sig.malformed",                "m", "", ""),
    ("h35-sig-newline",            "malformed sig.malformed",                "m", "", ""),
    ("h36-wrong-key",              "invalid sig.invalid",                    "i", "", ""),
    ("h37-alg-key-mismatch",       "invalid sig.algorithm-key-mismatch",     "i", "", ""),
    ("h38-hs256-public-pem",       "unverifiable sig.algorithm-unsupported", "u", "", ""),
    ("h39-alg-ed25519",            "verified",                               "v", "", "RFC 9864 names the same algorithm for an Ed25519 key"),
    ("h40-ed-key-es-alg",          "invalid sig.algorithm-key-mismatch",     "i", "", ""),
    ("h41-empty-protected",        "malformed sig.malformed-header",         "m", "", ""),
];

#[rustfmt::skip]
const LISTS: [Row; 30] = [
    ("s00-one-good",                    "verified",                       "v",  "", ""),
    ("s01-two-good-two-keys",           "verified",                       "vv", "", ""),
    ("s02-bad-then-good",               "verified",                       "iv", "sig.stale", ""),
    ("s03-good-then-bad",               "verified",                       "vi", "sig.stale", ""),
    ("s04-only-bad",                    "invalid sig.invalid",            "i",  "", ""),
    ("s05-unknown-kid-then-good",       "verified",                       "uv", "", ""),
    ("s06-only-unknown-kid",            "unverifiable sig.unknown-key",   "u",  "", ""),
    ("s07-garbage-b64-then-good",       "verified",                       "mv", "", ""),
    ("s08-notjson-then-good",           "verified",                       "mv", "", ""),
    ("s09-array-header-then-good",      "verified",                       "mv", "", ""),
    ("s10-null-then-good",              "verified",                       "mv", "", "one bad entry never hides a good one"),
    ("s11-string-then-good",            "verified",                       "mv", "", "one bad entry never hides a good one"),
    ("s12-emptyobj-then-good",          "verified",                       "mv", "", "one bad entry never hides a good one"),
    ("s13-missing-signature-then-good", "verified",                       "mv", "", "one bad entry never hides a good one"),
    ("s14-number-protected-then-good",  "verified",                       "mv", "", "one bad entry never hides a good one"),
    ("s15-empty-list",                  "unsigned sig.absent",            "",   "", ""),
    ("s16-null",                        "unsigned sig.absent",            "",   "", ""),
    ("s17-object-instead-of-list",      "malformed sig.malformed",        "",   "", ""),
    ("s18-string",                      "malformed sig.malformed",        "",   "", ""),
    ("s19-same-twice",                  "verified",                       "vv", "sig.duplicate-key", ""),
    ("s20-good-among-unsupported-alg",  "verified",                       "uv", "", ""),
    ("s21-extra-entry-member",          "verified",                       "v",  "", "other members of an entry decide nothing"),
    ("s22-payload-member",              "verified",                       "v",  "", "the payload is computed, never read from the entry"),
    ("s23-header-not-object",           "malformed sig.malformed",        "m",  "", ""),
    ("s24-header-null",                 "verified",                       "v",  "", ""),
    ("s25-header-empty",                "verified",                       "v",  "", ""),
    ("s26-64-bad-then-good",            "malformed sig.too-many",         "",   "", "more than 16 entries are not looked at"),
    ("s27-es-and-ed",                   "verified",                       "vv", "", ""),
    ("s28-none-then-good",              "verified",                       "uv", "", ""),
    ("s29-absent",                      "unsigned sig.absent",            "",   "", ""),
];

#[test]
fn every_header_variant_has_its_exact_answer() {
    compare("protected-header", &HEADERS, 130);
}

#[test]
fn every_shape_of_the_signatures_member_has_its_exact_answer() {
    compare("signature-list", &LISTS, 95);
}

fn compare(name: &str, rows: &[Row], count: usize) {
    let (mut differing, mut seen) = (Vec::new(), BTreeSet::new());
    let vectors = vectors(name);
    for vector in &vectors {
        let id = text(vector, "id");
        let variant = id.split(':').next().unwrap();
        let row = rows.iter().find(|row| row.0 == variant).unwrap_or_else(|| panic!("{id} has no row"));
        seen.insert(variant);
        agree_with_the_strict_answer(vector, row);
        let found = answer(text(vector, "card_text"));
        let expected = [row.1, row.2, row.3].map(ToOwned::to_owned);
        if found != expected {
            differing.push(format!("{id}: expected {expected:?}, found {found:?}"));
        }
    }
    assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing.join("\n"));
    assert_eq!(seen.len(), rows.len());
    assert_eq!(vectors.len(), count);
}

/// A row may not contradict a vector, and needs a reason exactly where the vector leaves the answer open.
fn agree_with_the_strict_answer(vector: &Value, row: &Row) {
    let is_open = vector["strict_expected"] == "policy";
    assert_eq!(is_open, !row.4.is_empty(), "{}", row.0);
    if !is_open {
        assert_eq!(vector["strict_expected"], row.1 == "verified", "{}", row.0);
    }
}

/// The outcome with its codes, the first letter of each signature's outcome, and the codes of the findings.
fn answer(card: &str) -> [String; 3] {
    let report: VerificationReport = match verify(read(card).unwrap(), trusted(), &Form::ACCEPTED) {
        Ok(verified) => verified.report().clone(),
        Err(refused) => refused.report().clone(),
    };
    let outcome = format!("{} {}", report.outcome.name(), names_of(&report.codes));
    let signatures = report.signatures.iter().filter_map(|signature| signature.outcome.name().chars().next());
    let findings: Vec<_> = report.findings.iter().map(|finding| finding.code).collect();
    [outcome.trim_end().to_owned(), signatures.collect(), names_of(&findings)]
}
