//! Every lint of policies, and every fault of a policy with a code of its own, has a policy that shows it and one that does
//! not: `tests/lints/CODE/bad.toml` and `good.toml`. Further cases of a code are `bad-*.toml`, and `fixed.toml` is `bad.toml`
//! after its safe fixes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed expectation must stop the test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use countersign_policy::{
    FileFault, FileFaultKind, Files, FixedPolicy, PolicyCoverage, PolicyFile, PolicyFinding, PolicyLintTerms,
    Tool, TrustPolicy, UnixTime, codes, policy_lints,
};

/// 2026-12-01T00:00:00Z
const AT: UnixTime = UnixTime::from_seconds(1_796_083_200);

const TOOL: Tool = Tool { version: "0.1.0", forms: &["a2a-1.0"], default_forms: &["a2a-1.0"] };

struct Folder(PathBuf);

impl Files for Folder {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileFault> {
        let fault = |error: std::io::Error| FileFault::new(FileFaultKind::Unreadable, error.to_string());
        fs::read(self.0.join(path)).map_err(fault)
    }
}

fn folder(code: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lints").join(code)
}

/// What the test cases of the fixtures reach: for `good.toml` everything, for others nothing.
fn coverage(code: &str, file: &str) -> Option<PolicyCoverage> {
    (code == codes::lints::POLICY_RULE_WITHOUT_TEST.name()).then(|| {
        let mut coverage = PolicyCoverage::default();
        if file == "good.toml" {
            coverage.admitting.insert("acme".to_owned());
            coverage.denying.insert("acme".to_owned());
        }
        coverage
    })
}

fn terms(coverage: Option<&PolicyCoverage>) -> PolicyLintTerms<'_> {
    let mut terms = PolicyLintTerms::at(AT);
    terms.coverage = coverage;
    terms
}

/// The codes of the faults, or of the findings.
fn found(code: &str, file: &str) -> Vec<String> {
    let coverage = coverage(code, file);
    match TrustPolicy::load(file, &Folder(folder(code)), &TOOL) {
        Ok(policy) => {
            let findings = policy.lint(&terms(coverage.as_ref())).findings;
            findings.iter().for_each(|finding| points_into(&policy, finding));
            findings.iter().map(|finding| finding.finding.code.name().to_owned()).collect()
        }
        Err(error) => error.faults.iter().map(|fault| fault.code.name().to_owned()).collect(),
    }
}

/// The span lies within the text of its file, and so does every edit.
fn points_into(policy: &TrustPolicy, finding: &PolicyFinding) {
    let file: &PolicyFile =
        policy.files().iter().find(|file| file.name == finding.file).unwrap_or_else(|| panic!("{finding:?}"));
    let span = finding.finding.span.unwrap();
    assert!(file.text.get(span.start..span.end).is_some(), "{finding:?}");
    for edit in finding.finding.fix.iter().flat_map(|fix| &fix.edits) {
        assert!(file.text.get(edit.range.clone()).is_some(), "{finding:?}");
    }
}

fn names(code: &str) -> Vec<String> {
    let entries = fs::read_dir(folder(code)).unwrap_or_else(|error| panic!("{code}: {error}"));
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Codes that a policy can have: of lints, and of faults that are about policies.
fn known() -> BTreeSet<&'static str> {
    let faults = codes::load::ALL.iter().chain(codes::ALL).map(|code| code.name());
    policy_lints()
        .map(|lint| lint.code.name())
        .chain(faults.filter(|name| name.starts_with("policy.")))
        .collect()
}

#[test]
fn every_code_has_bad_policies_and_a_good_one() {
    let mut wrong = Vec::new();
    for code in known() {
        let names = names(code);
        for file in names.iter().filter(|name| name.starts_with("bad") && name.ends_with(".toml")) {
            let found = found(code, file);
            if !found.iter().any(|name| name == code) {
                wrong.push(format!("{code}/{file} shows {found:?}"));
            }
        }
        let found = found(code, "good.toml");
        if !found.is_empty() || !names.iter().any(|name| name == "bad.toml") {
            wrong.push(format!("{code}/good.toml shows {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_folder_belongs_to_a_code() {
    let root = folder("");
    let folders: BTreeSet<String> =
        fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(folders, known().into_iter().map(str::to_owned).collect());
}

#[test]
fn no_code_has_two_lints() {
    let mut seen = BTreeSet::new();
    assert!(policy_lints().all(|lint| seen.insert(lint.code.name())));
}

#[test]
fn safe_fixes_give_the_fixed_policy_and_leave_nothing_to_fix() {
    let mut fixed_codes = Vec::new();
    for code in known() {
        let Ok(policy) = TrustPolicy::load("bad.toml", &Folder(folder(code)), &TOOL) else { continue };
        let FixedPolicy { policy: fixed, changed, fixed: made, .. } =
            policy.fix(&terms(None), &Folder(folder(code)), &TOOL);
        assert_eq!(fixed.digest(), policy.digest(), "{code}");
        let path = folder(code).join("fixed.toml");
        let text = changed.first().map(|file| file.text.to_string());
        if std::env::var_os("UPDATE_LINTS").is_some()
            && let Some(text) = &text
        {
            fs::write(&path, text).unwrap();
        }
        assert_eq!(text, fs::read_to_string(&path).ok(), "{code}");
        if made.iter().any(|finding| finding.finding.code.name() == code) {
            fixed_codes.push(code);
            let left = fixed.fix(&terms(None), &Folder(folder(code)), &TOOL);
            assert!(left.fixed.is_empty(), "{code}");
        }
    }
    assert_eq!(
        fixed_codes,
        ["policy.pattern-not-canonical", "policy.unused-suppression", "policy.version-with-patch"]
    );
}
