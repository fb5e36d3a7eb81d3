//! Every safe fix of a lint: `tests/lints/CODE/bad.json` after it is `fixed.json` there. `UPDATE_FIXES=1` records it.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

use std::fs;
use std::path::{Path, PathBuf};

use countersign::{
    BreakingChanges, FixSafety, FixTerms, FixedCard, Limits, LintTerms, Portability, Profile, Shape,
    UntrustedCard, UpgradeTo, lints,
};

fn read(octets: impl Into<Vec<u8>>) -> Option<UntrustedCard> {
    UntrustedCard::read(octets, &Limits::default()).ok()
}

/// Whether a lint of one's own cards finds something with this code that it would fix unasked.
fn has_safe(card: &UntrustedCard, code: &str) -> bool {
    let mut terms = LintTerms::default();
    terms.profile = Profile::Publish;
    let mut findings = card.lint(&terms).into_iter();
    findings
        .any(|found| found.code.name() == code && found.fix.is_some_and(|fix| fix.safety == FixSafety::Safe))
}

/// Every card of the lints' folder that can be read.
fn cards() -> Vec<(PathBuf, UntrustedCard)> {
    let mut cards = Vec::new();
    for folder in fs::read_dir("tests/lints").unwrap() {
        for file in fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|end| end == "json")
                && let Some(card) = read(fs::read(&path).unwrap())
            {
                cards.push((path, card));
            }
        }
    }
    assert!(cards.len() > 50);
    cards
}

fn all_terms() -> Vec<FixTerms> {
    let mut all = Vec::new();
    for portability in [Portability::Report, Portability::Require] {
        for breaking in [BreakingChanges::HoldBack, BreakingChanges::DropSignatures] {
            let mut terms = FixTerms::default();
            (terms.portability, terms.breaking) = (portability, breaking);
            all.push(terms);
        }
    }
    all
}

#[test]
fn every_safe_fix_removes_what_was_found_and_gives_the_recorded_text() {
    let mut fixed_codes = 0;
    for lint in lints() {
        let code = lint.code.name();
        let folder = Path::new("tests/lints").join(code);
        let bad = read(fs::read(folder.join("bad.json")).unwrap()).unwrap();
        if !has_safe(&bad, code) {
            assert!(!folder.join("fixed.json").exists(), "{code}: has a fixed.json and no safe fix");
            continue;
        }
        fixed_codes += 1;
        let FixedCard { octets, fixed, .. } = bad.fix(&FixTerms::default());
        assert!(fixed.iter().any(|found| found.code.name() == code), "{code}");
        assert!(!has_safe(&read(octets.clone()).unwrap(), code), "{code}: still found");
        let recorded = folder.join("fixed.json");
        if std::env::var_os("UPDATE_FIXES").is_some() {
            fs::write(&recorded, &octets).unwrap();
        }
        let expected = fs::read(&recorded).unwrap_or_else(|error| panic!("{code}/fixed.json: {error}"));
        assert_eq!(String::from_utf8(octets), String::from_utf8(expected), "{code}");
    }
    assert!(fixed_codes >= 5, "{fixed_codes}");
}

#[test]
fn a_fixed_card_is_read_again_and_has_nothing_more_to_fix() {
    for (path, card) in cards() {
        for terms in all_terms() {
            let once = card.fix(&terms);
            let again = read(once.octets.clone()).unwrap().fix(&terms);
            assert!(again.fixed.is_empty(), "{}: {:?}", path.display(), again.fixed);
            assert_eq!(again.octets, once.octets, "{}", path.display());
            assert_eq!(once.fixed.is_empty(), once.octets == card.octets(), "{}", path.display());
        }
    }
}

#[test]
fn no_signature_is_broken_and_left_in_the_card() {
    let mut cards = cards();
    cards.retain(|(_, card)| !card.claimed_signatures().is_empty());
    assert!(!cards.is_empty());
    for (path, card) in cards {
        for terms in all_terms() {
            let fixed = card.fix(&terms);
            let after = read(fixed.octets.clone()).unwrap();
            let is_kept = !after.claimed_signatures().is_empty();
            assert_eq!(is_kept, fixed.changed_forms.is_empty(), "{}", path.display());
        }
    }
}

#[test]
fn an_upgraded_card_is_of_the_shape_that_was_asked_for() {
    let mut upgraded = 0;
    for (path, card) in cards() {
        for (to, shape) in [(UpgradeTo::V1_0, Shape::V1_0), (UpgradeTo::Dual, Shape::Dual)] {
            let Ok(new) = card.upgrade(to, None) else { continue };
            upgraded += 1;
            let new = read(new.octets).unwrap();
            assert_eq!(new.shape(None), shape, "{}", path.display());
            assert_eq!(
                new.view().requirements().allows_anonymous(),
                card.view().requirements().allows_anonymous(),
                "{}",
                path.display()
            );
        }
    }
    assert!(upgraded > 0);
}

#[test]
fn the_example_card_of_0_3_is_upgraded_without_loss() {
    let card = read(fs::read("examples/cards/ledger-0.3.json").unwrap()).unwrap();
    let upgraded = card.upgrade(UpgradeTo::V1_0, None).unwrap();
    assert!(upgraded.losses.is_empty(), "{:?}", upgraded.losses);
    let new = read(upgraded.octets).unwrap();
    assert_eq!(new.claimed_interfaces().len(), 2);
    let mut terms = LintTerms::default();
    terms.profile = Profile::Publish;
    let errors = new.lint(&terms).into_iter().filter(|found| found.level == countersign::Level::Error);
    assert_eq!(errors.map(|found| found.code.name()).collect::<Vec<_>>(), [""; 0]);
}
