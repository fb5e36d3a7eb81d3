//! `policy check` and `lint` of policies: formats, files that are fixed, what is searched.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::report::refused;
use crate::support::{countersign, data, text};

const AT: &str = "2026-12-01T00:00:00Z";

/// The policy of two files, to be changed.
fn desk() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("keys")).unwrap();
    for file in ["trust-policy.toml", "keys/vendor.toml"] {
        fs::copy(data("policy/lint").join(file), folder.path().join(file)).unwrap();
    }
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    countersign().current_dir(folder).args(arguments).args(["--at", AT]).output().unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn places(output: &Output) -> Vec<(String, String)> {
    let member = |finding: &Value, name: &str| finding[name].as_str().unwrap_or_default().to_owned();
    let found = lines(output).into_iter().filter(|line| line["schema"] == "countersign.finding/1");
    found.map(|finding| (member(&finding, "file"), member(&finding, "code"))).collect()
}

#[test]
fn sarif_of_every_bad_policy_is_valid_and_every_result_has_its_rule() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policy/tests/lints");
    let log = run(&fixtures, &["policy", "check", "*/bad*.toml", "--format", "sarif"]);
    let log: Value = serde_json::from_slice(&log.stdout).unwrap();
    assert_eq!(refused(&log), [""; 0]);
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(results.len() > 50, "{}", results.len());
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(rules[index]["help"]["text"].as_str().is_some_and(|help| help.len() > 20));
        assert!(result["locations"][0]["physicalLocation"]["region"].is_object(), "{result}");
    }
}

#[test]
fn a_finding_is_told_in_the_file_that_it_is_in() {
    let folder = desk();
    let found = run(folder.path(), &["policy", "check", "trust-policy.toml", "--format", "json"]);
    assert_eq!(found.status.code(), Some(1));
    let places = places(&found);
    for (file, code) in [
        ("trust-policy.toml", "policy.pattern-not-canonical"),
        ("trust-policy.toml", "policy.version-with-patch"),
        ("trust-policy.toml", "policy.unused-suppression"),
        ("keys/vendor.toml", "policy.unused-key"),
    ] {
        assert!(places.contains(&(file.to_owned(), code.to_owned())), "{file} {code} {places:?}");
    }
    assert_eq!(places.len(), 4, "{places:?}");
}

#[test]
fn lint_and_policy_check_say_the_same_about_a_policy() {
    let folder = desk();
    for format in ["human", "short", "json", "junit", "github", "gitlab"] {
        let [lint, check] = [["lint"].as_slice(), &["policy", "check"]].map(|command| {
            run(folder.path(), &[command, &["trust-policy.toml", "--format", format]].concat())
        });
        assert_eq!(text(&lint.stdout), text(&check.stdout), "{format}");
        assert_eq!(lint.status.code(), check.status.code());
    }
}

#[test]
fn fixes_are_written_into_the_policy_and_its_digest_stays() {
    let folder = desk();
    let before = fs::read(folder.path().join("keys/vendor.toml")).unwrap();
    let load = || countersign::load_policy(&folder.path().join("trust-policy.toml")).unwrap();
    let digest = load().digest().to_owned();
    let fixed = run(folder.path(), &["policy", "check", "--fix", "trust-policy.toml", "--format", "json"]);
    assert!(text(&fixed.stderr).contains("trust-policy.toml: 3 fixes written"), "{}", text(&fixed.stderr));
    let expected = ("keys/vendor.toml".to_owned(), "policy.unused-key".to_owned());
    assert_eq!(places(&fixed), [expected]);
    assert_eq!(load().digest(), digest);
    assert_eq!(fs::read(folder.path().join("keys/vendor.toml")).unwrap(), before);
    let policy = fs::read_to_string(folder.path().join("trust-policy.toml")).unwrap();
    assert!(policy.contains("https://agents.example") && policy.contains("versions = [\"1.0\"]"), "{policy}");
    assert!(!policy.contains("all of their hosts are agents"), "{policy}");
}

#[test]
fn a_base_whose_digest_is_fixed_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let base = "schema = 1\n[[deny]]\nid = \"d\"\nhosts = [\"**.Tunnels.example\"]\nreason = \"r\"\n";
    fs::write(folder.path().join("base.toml"), base).unwrap();
    let digest = countersign::keys::hex(&countersign::keys::sha256(base.as_bytes()));
    let policy = format!("schema = 1\nextends = {{ path = \"base.toml\", sha256 = \"{digest}\" }}\n");
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    let fixed = run(folder.path(), &["policy", "check", "--fix", "policy.toml", "--format", "json"]);
    let expected = ("base.toml".to_owned(), "policy.pattern-not-canonical".to_owned());
    assert!(places(&fixed).contains(&expected), "{}", text(&fixed.stdout));
    assert_eq!(fs::read_to_string(folder.path().join("base.toml")).unwrap(), base);
}

#[test]
fn folders_are_searched_for_policies_and_nothing_else_that_is_toml() {
    let folder = desk();
    fs::write(folder.path().join("Cargo.toml"), "[package]\nname = \"x\"\n").unwrap();
    fs::write(folder.path().join("broken.toml"), "schema = 1\n[[allow]]\nid = \"x\n").unwrap();
    fs::copy(data("card.json"), folder.path().join("card.json")).unwrap();
    let found = |command: &[&str]| {
        let output = run(folder.path(), &[command, &[".", "--format", "json"]].concat());
        let summary = lines(&output).pop().unwrap();
        let files: std::collections::BTreeSet<String> =
            places(&output).into_iter().map(|(file, _)| file).collect();
        (files, summary["files"].as_u64().unwrap())
    };
    let (files, number) = found(&["policy", "check"]);
    assert!(files.contains("broken.toml") && files.contains("trust-policy.toml"), "{files:?}");
    assert!(!files.contains("Cargo.toml") && !files.contains("card.json"));
    let (_, with_cards) = found(&["lint"]);
    assert_eq!(with_cards, number + 1);
}

#[test]
fn a_file_that_a_policy_of_the_folder_includes_is_no_policy_of_its_own() {
    let folder = desk();
    let vendor = folder.path().join("keys/vendor.toml");
    let text = fs::read_to_string(&vendor).unwrap();
    fs::write(&vendor, format!("schema = 1\n{text}")).unwrap();
    let part = ("keys/vendor.toml".to_owned(), "policy.empty-allow-set".to_owned());
    for command in [["lint"].as_slice(), &["policy", "check"]] {
        let found = places(&run(folder.path(), &[command, &[".", "--format", "json"]].concat()));
        assert!(
            found.iter().any(|(file, _)| file == "keys/vendor.toml") && !found.contains(&part),
            "{found:?}"
        );
    }
    let named = run(folder.path(), &["policy", "check", "keys/vendor.toml", "--format", "json"]);
    assert!(places(&named).contains(&part));
}

#[test]
fn a_policy_is_read_from_standard_input_without_other_files() {
    let check = |path: PathBuf| {
        let mut command = countersign();
        command.args(["policy", "check", "-", "--at", AT, "--format", "short"]);
        command.stdin(Stdio::from(fs::File::open(path).unwrap())).output().unwrap()
    };
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../policy/tests/lints/policy.unused-key/bad.toml");
    assert!(text(&check(fixture).stdout).starts_with("-:8:1: warning[policy.unused-key]"));
    let refused = check(data("policy/lint/trust-policy.toml"));
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stdout).contains("policy.unreadable-file"), "{}", text(&refused.stdout));
}

#[test]
fn text_of_a_policy_reaches_no_terminal_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let policy = "schema = 1\n[[allow]]\nid = \"a\\u001b[31m\\u202e\"\nfrom = [\"https://a.example\"]\n";
    fs::write(folder.path().join("p.toml"), policy).unwrap();
    for format in ["human", "short", "sarif", "junit", "github", "gitlab"] {
        let output = run(folder.path(), &["policy", "check", "p.toml", "--format", format]);
        let printed = text(&output.stdout);
        assert!(!printed.contains(['\u{1b}', '\u{202e}']), "{format}: {printed:?}");
    }
}
