//! Every lint, and every reason why a card cannot be read, has a card that shows it and one that does not:
//! `tests/lints/CODE/bad.json` and `good.json`; with `keys.jwks` the signatures are judged by these keys, at the time of
//! `AT`.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed expectation must stop the test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use countersign::{
    CardError, Finding, Level, Limits, Lint, LintSetting, LintTerms, Profile, TrustedKeys, UnixTime,
    UntrustedCard, lints,
};

/// 2026-12-01T00:00:00Z
const AT: UnixTime = UnixTime::from_seconds(1_796_083_200);

/// Every card here but the one that is too large.
const MAX_OCTETS: usize = 4096;

/// Codes of cards that cannot be read, so that no lint looks at them.
const UNREADABLE: [&str; 9] = [
    "json.malformed",
    "json.invalid-unicode",
    "json.duplicate-member",
    "json.ambiguous-member",
    "json.inexact-number",
    "json.number-overflow",
    "json.too-deep",
    "json.too-large",
    "json.trailing-content",
];

fn folder(code: &str) -> PathBuf {
    Path::new("tests/lints").join(code)
}

fn read(code: &str, file: &str) -> Result<UntrustedCard, CardError> {
    let octets = fs::read(folder(code).join(file)).unwrap_or_else(|error| panic!("{code}/{file}: {error}"));
    UntrustedCard::read(octets, &Limits::default().with_max_octets(MAX_OCTETS))
}

/// The findings of one lint, under the profile that has it; a lint that is off in both is switched on.
fn found(lint: &Lint, file: &str) -> Vec<Finding> {
    let code = lint.code.name();
    let keys = fs::read(folder(code).join("keys.jwks")).ok();
    let keys = keys.map(|keys| TrustedKeys::read(keys, "keys.jwks").unwrap());
    let mut terms = LintTerms::default();
    terms.profile = if lint.publish.is_some() { Profile::Publish } else { Profile::Consume };
    if lint.level(terms.profile).is_none() {
        terms.levels.set(code, LintSetting::At(Level::Info));
    }
    terms.keys = keys.as_ref().map(|keys| (keys, AT));
    let findings = read(code, file).unwrap_or_else(|error| panic!("{code}/{file}: {error}")).lint(&terms);
    findings.into_iter().filter(|finding| finding.code.name() == code).collect()
}

#[test]
fn every_lint_has_a_bad_card_and_a_good_one() {
    for lint in lints() {
        let code = lint.code.name();
        let bad = found(lint, "bad.json");
        assert!(!bad.is_empty(), "{code}: bad.json does not show it");
        for finding in bad {
            assert!(finding.span.is_some() && finding.pointer.is_some(), "{code}: {finding:?}");
        }
        assert_eq!(found(lint, "good.json"), [], "{code}: good.json shows it");
    }
}

#[test]
fn every_reason_why_a_card_cannot_be_read_has_a_bad_card_and_a_good_one() {
    for code in UNREADABLE {
        let finding = read(code, "bad.json").map_err(|error| error.finding()).unwrap_err();
        assert_eq!(finding.code.name(), code);
        assert!(finding.level == Level::Error && finding.span.is_some() && finding.pointer.is_some());
        assert!(read(code, "good.json").is_ok(), "{code}");
    }
    let known: Vec<_> = CardError::CODES.iter().map(|code| code.name()).collect();
    assert!(UNREADABLE.iter().all(|code| known.contains(code)));
    // This one also has a lint, for objects.
    assert_eq!(known.len(), UNREADABLE.len() + usize::from(known.contains(&"card.not-an-agent-card")));
}

#[test]
fn every_folder_belongs_to_a_code() {
    let known: BTreeSet<String> =
        lints().map(|lint| lint.code.name()).chain(UNREADABLE).map(str::to_owned).collect();
    let folders: BTreeSet<String> = fs::read_dir("tests/lints")
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(folders, known);
}

#[test]
fn no_code_has_two_lints() {
    let mut seen = BTreeSet::new();
    for lint in lints() {
        assert!(seen.insert(lint.code.name()), "{}", lint.code);
        assert!(lint.publish >= lint.consume, "{}: stricter about the cards of others", lint.code);
    }
}
