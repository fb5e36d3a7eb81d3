//! Cards found in public, which may not be copied: read only where `COUNTERSIGN_CORPUS` names their folder.
//!
//! Keys and the payloads of other implementations stand in the folder `corpus-keys` beside it.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::path::{Path, PathBuf};

use countersign::{
    BreakingChanges, CanonicalPayload, CardOutcome, Fate, FixTerms, Form, Limits, LintTerms, Portability,
    Profile, ProtocolVersion, Shape, TrustedKeys, UnixTime, UntrustedCard, UpgradeTo, VerificationReport,
    VerifyTerms,
};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// 2026-11-29T00:00:00Z.
const NOW: UnixTime = UnixTime::from_seconds(1_795_910_400);

fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("COUNTERSIGN_CORPUS").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: COUNTERSIGN_CORPUS is not set");
    }
    folder
}

fn files(corpus: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    files
}

/// The card whose file name starts with `number`.
fn card(corpus: &Path, number: &str) -> UntrustedCard {
    let is_it = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(number);
    let path = files(corpus).into_iter().find(is_it).unwrap();
    UntrustedCard::read(std::fs::read(path).unwrap(), &Limits::default()).unwrap()
}

fn key_file(corpus: &Path, name: &str) -> Vec<u8> {
    std::fs::read(corpus.join("../corpus-keys").join(name)).unwrap()
}

/// A trusted key as a bare JWK, from a file that holds it as a member.
fn member_key(corpus: &Path, file: &str, member: &str) -> TrustedKeys {
    let file: Value = serde_json::from_slice(&key_file(corpus, file)).unwrap();
    TrustedKeys::read(file.get(member).unwrap().to_string(), member).unwrap()
}

fn verify(card: UntrustedCard, keys: &TrustedKeys) -> VerificationReport {
    match card.verify(keys, &VerifyTerms::default(), NOW) {
        Ok(verified) => verified.report().clone(),
        Err(refused) => refused.report().clone(),
    }
}

#[test]
fn every_card_is_read_or_refused_with_a_code() {
    let Some(corpus) = corpus() else { return };
    let mut refused = Vec::new();
    for path in files(&corpus) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match UntrustedCard::read(std::fs::read(path).unwrap(), &Limits::default()) {
            Ok(card) => {
                let _ = (card.shape(None), card.missing_members());
                for form in Form::ALL {
                    let payload = CanonicalPayload::of(&card, form);
                    assert!(
                        payload.is_ok() || matches!(form, Form::SdkPy03 | Form::SdkPy0322),
                        "{name} {form}"
                    );
                }
                let outcome = verify(card, &TrustedKeys::default()).outcome;
                assert_ne!(outcome, CardOutcome::Verified, "{name}");
            }
            Err(error) => refused.push(format!("{name} {}", error.code())),
        }
    }
    assert_eq!(files(&corpus).len(), 63);
    assert_eq!(refused, Vec::<String>::new());
}

/// What the list of the corpus calls a shape, and what it is here. The list has one word for cards whose interfaces are
/// incomplete, which is a finding here and not a shape.
const SHAPES: [(&str, &str); 14] = [
    ("0.2", "pre-0.3"),
    ("0.3", "0.3"),
    ("0.3-in-1.0-envelope", "0.3"),
    ("1.0", "1.0"),
    ("1.0-invalid(interface)", "unusable"),
    ("dual", "dual"),
    ("hybrid-dual", "dual"),
    ("hybrid-invalid(interface)", "unusable"),
    ("invalid(1.0-claim, legacy transport)", "contradictory"),
    ("invalid(envelope)", "foreign"),
    ("invalid(no interface)", "foreign"),
    ("invalid(not a card)", "foreign"),
    ("invalid(version)", "unusable"),
    ("pre-0.3/0.3-no-version", "unversioned"),
];

#[test]
fn every_card_has_the_shape_of_the_list() {
    let Some(corpus) = corpus() else { return };
    let list = std::fs::read_to_string(corpus.join("index.tsv")).unwrap();
    let (mut differing, mut compared) = (Vec::new(), 0);
    for line in list.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let octets = std::fs::read(corpus.join(fields[0])).unwrap();
        let shape = UntrustedCard::read(octets, &Limits::default()).unwrap().shape(None).name();
        let known = SHAPES.iter().find(|(word, _)| *word == fields[2]);
        let expected = known.unwrap_or_else(|| panic!("no such shape: {}", fields[2])).1;
        if shape != expected {
            differing.push(format!("{} {shape}, not {expected}", fields[0]));
        }
        compared += 1;
    }
    assert_eq!((compared, differing), (63, Vec::new()));
}

#[test]
fn every_finding_about_a_card_has_a_place() {
    let Some(corpus) = corpus() else { return };
    for path in files(&corpus) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let card = UntrustedCard::read(std::fs::read(&path).unwrap(), &Limits::default()).unwrap();
        for profile in [Profile::Publish, Profile::Consume] {
            let mut terms = LintTerms::default();
            terms.profile = profile;
            for finding in card.lint(&terms) {
                assert!(finding.span.is_some() && finding.pointer.is_some(), "{name}: {finding:?}");
            }
        }
    }
}

/// The table was made with a list of scopes as if it were `{}`, where a message should stand; a value of the wrong type is
/// kept as it is.
const REPLACED: [&str; 2] = ["011-go-1.0-roundtrip.json a2a-1.0", "011-go-1.0-roundtrip.json sdk-1.x"];

#[test]
fn payloads_are_those_of_other_implementations() {
    let Some(corpus) = corpus() else { return };
    let table = String::from_utf8(key_file(&corpus, "canonical-profiles.tsv")).unwrap();
    let (mut compared, mut differing) = (0, Vec::new());
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let card =
            UntrustedCard::read(std::fs::read(corpus.join(fields[0])).unwrap(), &Limits::default()).unwrap();
        for (form, place) in [(Form::A2a10, 1), (Form::AsReceived, 3), (Form::Sdk1x, 5)] {
            let payload = CanonicalPayload::of(&card, form).unwrap();
            let hash: String =
                Sha256::digest(payload.octets()).iter().map(|octet| format!("{octet:02x}")).collect();
            let found = (payload.octets().len().to_string(), hash.get(..16).unwrap().to_owned());
            if found != (fields[place].to_owned(), fields[place + 1].to_owned()) {
                differing.push(format!("{} {form}", fields[0]));
            }
            compared += 1;
        }
    }
    assert_eq!(differing, REPLACED);
    assert_eq!(compared, 26 * 3);
}

#[test]
fn cards_with_a_published_key_verify_and_not_under_another_key() {
    let Some(corpus) = corpus() else { return };
    for (number, file) in [("015", "nucleus-signed.json"), ("016", "nucleus-plain-signed.json")] {
        let report = verify(card(&corpus, number), &member_key(&corpus, file, "resolved_jwk"));
        assert_eq!(report.outcome, CardOutcome::Verified, "{number}: {report:?}");
        let report = verify(card(&corpus, number), &member_key(&corpus, file, "wrong_jwk"));
        let codes: Vec<_> = report.codes.iter().map(|code| code.name()).collect();
        assert_eq!(codes, ["sig.invalid"], "{number}");
    }
}

#[test]
fn a_hybrid_of_the_python_sdk_verifies_for_its_1_0_part_only() {
    let Some(corpus) = corpus() else { return };
    let keys = TrustedKeys::read(key_file(&corpus, "py-sdk-hybrid.jwk.json"), "py-sdk-hybrid").unwrap();
    let refused = card(&corpus, "014").verify(&keys, &VerifyTerms::default(), NOW).unwrap_err();
    let signature = refused.report().signatures.first().unwrap();
    let codes: Vec<_> = signature.codes.iter().map(|code| code.name()).collect();
    // The form of the SDK leaves out empty values inside `params`.
    assert_eq!((signature.form, codes.as_slice()), (Some(Form::Sdk1x), ["sig.uncovered-member"].as_slice()));

    let mut terms = VerifyTerms::default();
    terms.coverage.allowed = vec!["/capabilities/extensions/0/params".to_owned()];
    let verified = card(&corpus, "014").verify(&keys, &terms, NOW).unwrap();
    let report = verified.report();
    assert_eq!(report.signatures.first().unwrap().form, Some(Form::Sdk1x));
    for name in ["url", "preferredTransport", "protocolVersion", "supportsAuthenticatedExtendedCard"] {
        let pointer = format!("/{name}");
        let uncovered = report.uncovered.iter().find(|member| member.pointer == pointer).unwrap();
        assert_ne!(uncovered.fate, Fate::Fatal);
        assert!(uncovered.fate == Fate::Silent || verified.member(name).is_none(), "{name}");
    }
}

#[test]
fn an_embedded_key_proves_nothing() {
    let Some(corpus) = corpus() else { return };
    let report = verify(card(&corpus, "017"), &TrustedKeys::default());
    let codes: Vec<_> = report.codes.iter().map(|code| code.name()).collect();
    assert_eq!((report.outcome, codes.as_slice()), (CardOutcome::Malformed, ["sig.missing-kid"].as_slice()));
}

#[test]
fn the_samples_of_the_specification_name_a_key_that_nobody_published() {
    let Some(corpus) = corpus() else { return };
    let keys = TrustedKeys::read(key_file(&corpus, "py-sdk-hybrid.jwk.json"), "py-sdk-hybrid").unwrap();
    for number in ["001", "002", "003"] {
        let report = verify(card(&corpus, number), &keys);
        let codes: Vec<_> = report.codes.iter().map(|code| code.name()).collect();
        assert_eq!(
            (report.outcome, codes.as_slice()),
            (CardOutcome::Unverifiable, ["sig.unknown-key"].as_slice())
        );
    }
}

#[test]
fn every_card_is_fixed_and_legacy_cards_are_upgraded() {
    let Some(corpus) = corpus() else { return };
    let mut upgraded = 0;
    for path in files(&corpus) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(card) = UntrustedCard::read(std::fs::read(path).unwrap(), &Limits::default()) else {
            continue;
        };
        let mut terms = FixTerms::default();
        terms.portability = Portability::Require;
        terms.breaking = BreakingChanges::DropSignatures;
        let fixed = UntrustedCard::read(card.fix(&terms).octets, &Limits::default()).unwrap();
        assert!(fixed.fix(&terms).fixed.is_empty(), "{name}");
        for (to, shape) in [(UpgradeTo::V1_0, Shape::V1_0), (UpgradeTo::Dual, Shape::Dual)] {
            let Ok(new) = card.upgrade(to, Some(ProtocolVersion::V0_3)) else { continue };
            upgraded += 1;
            let new = UntrustedCard::read(new.octets, &Limits::default()).unwrap();
            assert_eq!(new.shape(None), shape, "{name}");
            let anonymous = |card: &UntrustedCard| card.view().requirements().allows_anonymous();
            assert_eq!(anonymous(&new), anonymous(&card), "{name}");
        }
    }
    assert!(upgraded > 10, "{upgraded}");
}
