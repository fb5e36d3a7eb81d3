//! Every `countersign` command of the README and of the guides, with its output, and those of the CI recipes.
//!
//! `TRYCMD=overwrite UPDATE_README=1 cargo test -p countersign-cli --test documents` writes the output anew.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SESSIONS: [&str; 6] = [
    "README.md",
    "src/guide/release_engineer.md",
    "src/guide/client_developer.md",
    "src/guide/security_engineer.md",
    "src/guide/operator.md",
    "src/guide/policy.md",
];

/// Each recipe, and how many commands of ours it has.
const RECIPES: [(&str, usize); 6] = [
    ("examples/ci/github.yml", 2),
    ("examples/ci/gitlab.yml", 2),
    ("examples/ci/github-lint.yml", 0),
    ("examples/ci/gitlab-lint.yml", 1),
    ("examples/ci/github-policy.yml", 2),
    ("examples/ci/gitlab-policy.yml", 2),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Copies the folder of examples, which the commands read and write next to.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A folder with the examples, as a reader of the document has it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&root().join("examples"), &folder.path().join("examples"));
    folder
}

fn demo_key() -> String {
    fs::read_to_string(root().join("examples/keys/demo.jwk")).unwrap()
}

#[test]
fn the_commands_of_the_documents_print_what_they_say() {
    for document in SESSIONS {
        let folder = folder();
        let copied = folder.path().join(Path::new(document).file_name().unwrap());
        fs::copy(root().join(document), &copied).unwrap();
        // The only test of this process that relies on the current folder.
        std::env::set_current_dir(folder.path()).unwrap();
        trycmd::TestCases::new().env("CARD_KEY", demo_key()).case(&copied).run();
        if std::env::var_os("UPDATE_README").is_some() {
            fs::copy(&copied, root().join(document)).unwrap();
        }
    }
}

/// What stands after `run:` or as an element of a `script`.
fn commands(recipe: &str) -> Vec<&str> {
    let text = recipe.lines().map(str::trim_start).filter_map(|line| line.strip_prefix("- "));
    text.map(|line| line.strip_prefix("run: ").unwrap_or(line)).collect()
}

#[test]
fn the_commands_of_the_recipes_succeed() {
    for (recipe, expected) in RECIPES {
        let text = fs::read_to_string(root().join(recipe)).unwrap();
        let commands = commands(&text);
        // `.ci/run` runs this one.
        assert!(commands.contains(&"cargo install --locked --path cli"), "{recipe}");
        let ours: Vec<&str> =
            commands.into_iter().filter_map(|line| line.strip_prefix("countersign ")).collect();
        assert_eq!(ours.len(), expected, "{recipe}");
        let folder = tempfile::tempdir().unwrap();
        copy(&root().join("examples"), folder.path());
        let examples = [("cards/route-planner.json", "agent-card.json"), ("keys/demo.jwks", "release.jwks")];
        for (from, to) in examples {
            fs::copy(root().join("examples").join(from), folder.path().join(to)).unwrap();
        }
        for line in ours {
            // What is redirected is for the report of the job.
            let line = line.split(" > ").next().unwrap();
            let status = run(folder.path().to_owned(), line);
            assert!(status.success(), "{recipe}: {line}");
        }
    }
}

#[cfg(unix)]
#[test]
fn the_script_of_the_action_annotates_and_fails_as_it_is_told() {
    let script = root().join(".github/actions/lint/lint.sh");
    let folder = folder();
    let binaries = Path::new(env!("CARGO_BIN_EXE_countersign")).parent().unwrap();
    let path = format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap());
    let lint = |paths: &str, fail_on: &str| {
        let output = Command::new(&script)
            .current_dir(folder.path())
            .env("PATH", &path)
            .env("LINT_PATHS", paths)
            .env("LINT_PROFILE", "consume")
            .env("LINT_FAIL_ON", fail_on)
            .env("LINT_KEYS", "examples/keys/demo.jwks\n")
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let tampered = "examples/cards/route-planner.json\nexamples/cards/tampered.json\n";
    let (status, told) = lint(tampered, "error");
    assert_eq!(status, Some(1), "{told}");
    assert!(told.contains("::error file=examples/cards/tampered.json,"), "{told}");
    assert_eq!(lint(tampered, "never").0, Some(0));
    // A path is a path, whatever it looks like.
    assert_eq!(lint("--help\n", "error").0, Some(2));
    assert_eq!(lint("$(touch made)\n", "error").0, Some(2));
    assert!(!folder.path().join("made").exists());
}

fn run(folder: PathBuf, line: &str) -> std::process::ExitStatus {
    Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(shell_words::split(line).unwrap())
        .current_dir(folder)
        .env("CARD_KEY", demo_key())
        .output()
        .unwrap()
        .status
}
