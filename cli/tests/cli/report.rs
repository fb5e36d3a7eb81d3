//! The formats of `lint`, read by others than us: the schema of SARIF, a JUnit reader, a JSON reader; and cards that want to
//! leave their place in them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};

use crate::support::{countersign, data, text};

const FORMATS: [&str; 7] = ["human", "short", "json", "sarif", "junit", "github", "gitlab"];

/// A folder with cards: one that is fine, one with findings, one that cannot be read.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/lints");
        fs::create_dir(folder.path().join("cards")).unwrap();
        let fine = fs::read(data("card.json")).unwrap();
        fs::write(folder.path().join("cards/fine.json"), &fine).unwrap();
        fs::write(folder.path().join("cards/bom.json"), [b"\xef\xbb\xbf", &fine[..]].concat()).unwrap();
        fs::copy(fixtures.join("json.duplicate-member/bad.json"), folder.path().join("cards/twice.json"))
            .unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn lint(&self, format: &str, arguments: &[&str]) -> Output {
        let mut command = countersign();
        command.current_dir(self.0.path());
        command.args(["lint", "--format", format]).args(arguments).output().unwrap()
    }

    fn json(&self, format: &str, arguments: &[&str]) -> Value {
        serde_json::from_slice(&self.lint(format, arguments).stdout).unwrap()
    }
}

/// The members of a SARIF log that its schema refuses.
pub(crate) fn refused(log: &Value) -> Vec<String> {
    let schema = fs::read_to_string(data("sarif/sarif-schema-2.1.0.json")).unwrap();
    let mut schema: Value = serde_json::from_str(&schema).unwrap();
    // Their pattern is no regular expression of ECMA-262 with the flag `u`, and we write no `language`.
    for owner in ["run", "toolComponent"] {
        let language = schema.pointer_mut(&format!("/definitions/{owner}/properties/language")).unwrap();
        language.as_object_mut().unwrap().remove("pattern");
    }
    let validator = jsonschema::draft7::new(&schema).unwrap();
    validator.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn strings<'v>(values: &'v Value, pointer: &str) -> Vec<&'v str> {
    let values = values.as_array().unwrap().iter();
    values.map(|value| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()).collect()
}

#[test]
fn sarif_is_valid_under_its_schema() {
    let desk = Desk::new();
    for arguments in [
        &["cards"][..],
        &["cards/fine.json"],
        &["cards", "--profile", "publish", "--fail-on", "warning"],
        &["cards", "-A", "*", "-D", "json.bom"],
        &["cards", "missing.json"],
    ] {
        assert_eq!(refused(&desk.json("sarif", arguments)), Vec::<String>::new(), "{arguments:?}");
    }
    // The schema is one that refuses something.
    let mut log = desk.json("sarif", &["cards"]);
    *log.pointer_mut("/runs/0/results/0/level").unwrap() = json!("fatal");
    assert_ne!(refused(&log), Vec::<String>::new());
}

#[test]
fn every_result_of_sarif_has_a_place_a_sentence_a_level_and_its_rule() {
    let desk = Desk::new();
    let log = desk.json("sarif", &["cards"]);
    let run = log.pointer("/runs/0").unwrap();
    let results = run.pointer("/results").unwrap();
    let files = strings(results, "/locations/0/physicalLocation/artifactLocation/uri");
    assert!(files.contains(&"cards/bom.json") && files.contains(&"cards/twice.json"), "{files:?}");
    let rules = run.pointer("/tool/driver/rules").unwrap().as_array().unwrap();
    let mut fingerprints = Vec::new();
    for result in results.as_array().unwrap() {
        let index = result.pointer("/ruleIndex").unwrap().as_u64().unwrap();
        assert_eq!(result.pointer("/ruleId"), rules[usize::try_from(index).unwrap()].pointer("/id"));
        let base = "/locations/0/physicalLocation/artifactLocation/uriBaseId";
        assert_eq!(result.pointer(base), Some(&json!("%SRCROOT%")));
        let message = result.pointer("/message/text").unwrap().as_str().unwrap();
        assert!(message.contains(' ') && message.ends_with('.'), "{message}");
        assert!(result.pointer("/level").is_some_and(Value::is_string));
        assert!(result.pointer("/locations/0/physicalLocation/region/startLine").is_some());
        fingerprints.push(result.pointer("/partialFingerprints/countersign~1v1").unwrap().as_str().unwrap());
    }
    assert!(fingerprints.iter().all(|fingerprint| fingerprint.len() == 64));
    for rule in rules {
        for member in
            ["/shortDescription/text", "/fullDescription/text", "/help/text", "/defaultConfiguration/level"]
        {
            assert!(rule.pointer(member).and_then(Value::as_str).is_some_and(|text| !text.is_empty()));
        }
    }
    let known: Vec<_> = countersign::lints()
        .map(|lint| lint.code.name())
        .chain(countersign::CardError::CODES.iter().map(|code| code.name()))
        .collect();
    assert!(known.iter().all(|code| rules.iter().any(|rule| rule.pointer("/id") == Some(&json!(code)))));
    assert_eq!(run.pointer("/invocations/0/executionSuccessful"), Some(&json!(true)));
    let twice = results
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one.pointer("/ruleId") == Some(&json!("json.duplicate-member")));
    let region = twice.unwrap().pointer("/locations/0/physicalLocation/region").unwrap();
    assert_eq!(region.pointer("/startLine"), region.pointer("/endLine"));
    assert!(
        region.pointer("/endColumn").unwrap().as_u64() > region.pointer("/startColumn").unwrap().as_u64()
    );
}

#[test]
fn what_is_a_no_is_an_error_in_sarif_and_in_junit() {
    let desk = Desk::new();
    for (fail_on, code, level) in [("error", 0, "warning"), ("warning", 1, "error"), ("never", 0, "warning")]
    {
        let arguments = ["cards/bom.json", "--fail-on", fail_on, "-A", "*", "-W", "json.bom"];
        assert_eq!(desk.lint("sarif", &arguments).status.code(), Some(code), "{fail_on}");
        let log = desk.json("sarif", &arguments);
        assert_eq!(strings(log.pointer("/runs/0/results").unwrap(), "/level"), [level], "{fail_on}");
        let junit = text(&desk.lint("junit", &arguments).stdout);
        assert_eq!(junit.contains("<failure"), level == "error", "{fail_on}: {junit}");
    }
    let never = desk.lint("sarif", &["cards/twice.json", "--fail-on", "never"]);
    assert_eq!(never.status.code(), Some(0));
    let log = desk.json("sarif", &["cards/twice.json", "--fail-on", "never"]);
    assert_eq!(strings(log.pointer("/runs/0/results").unwrap(), "/level"), ["warning"]);
}

#[test]
fn changed_levels_are_overrides_in_sarif() {
    let desk = Desk::new();
    let overrides = "/runs/0/invocations/0/ruleConfigurationOverrides";
    assert_eq!(desk.json("sarif", &["cards"]).pointer(overrides), None);
    let log = desk.json("sarif", &["cards", "-D", "json.bom", "-A", "card.snake-case"]);
    let overrides = log.pointer(overrides).unwrap();
    let mut ids = strings(overrides, "/descriptor/id");
    ids.sort_unstable();
    assert_eq!(ids, ["card.snake-case", "json.bom"]);
    for one in overrides.as_array().unwrap() {
        let rule = one.pointer("/descriptor/index").unwrap();
        assert_eq!(
            log.pointer(&format!("/runs/0/tool/driver/rules/{rule}/id")),
            one.pointer("/descriptor/id")
        );
        let is_bom = one.pointer("/descriptor/id") == Some(&json!("json.bom"));
        assert_eq!(one.pointer("/configuration/enabled"), Some(&json!(is_bom)));
    }
}

#[test]
fn a_file_that_is_not_there_is_told_in_sarif_and_junit() {
    let desk = Desk::new();
    let output = desk.lint("sarif", &["cards/fine.json", "missing.json"]);
    assert_eq!(output.status.code(), Some(2));
    let log = desk.json("sarif", &["cards/fine.json", "missing.json"]);
    assert_eq!(log.pointer("/runs/0/invocations/0/executionSuccessful"), Some(&json!(false)));
    let notified = log.pointer("/runs/0/invocations/0/toolExecutionNotifications/0/message/text").unwrap();
    assert!(notified.as_str().unwrap().starts_with("missing.json: "));
    let report = junit(&desk.lint("junit", &["cards/fine.json", "missing.json"]));
    assert_eq!(report.test_suites.iter().map(|suite| suite.errors).collect::<Vec<_>>(), [0, 1]);
}

fn junit(output: &Output) -> quick_junit::Report {
    quick_junit::Report::deserialize_from_str(&text(&output.stdout)).unwrap()
}

#[test]
fn junit_has_a_case_for_each_card_and_code() {
    let desk = Desk::new();
    let report = junit(&desk.lint("junit", &["cards", "-A", "*", "-W", "json.bom"]));
    let cases = |index: usize| {
        let suite = &report.test_suites[index];
        let names: Vec<_> = suite.test_cases.iter().map(|case| case.name.as_str().to_owned()).collect();
        (suite.name.as_str().to_owned(), suite.failures, names)
    };
    let of = |file: &str, failures, case: &str| (format!("cards/{file}"), failures, vec![case.to_owned()]);
    assert_eq!(cases(0), of("bom.json", 0, "json.bom"));
    assert_eq!(cases(1), of("fine.json", 0, "nothing found"));
    assert_eq!(cases(2), of("twice.json", 1, "json.duplicate-member"));
}

#[test]
fn gitlab_gets_one_array_with_distinct_fingerprints() {
    let desk = Desk::new();
    assert_eq!(desk.json("gitlab", &["cards/fine.json", "-A", "*"]), json!([]));
    let issues = desk.json("gitlab", &["cards", "-A", "*", "-W", "json.bom"]);
    assert_eq!(strings(&issues, "/location/path"), ["cards/bom.json", "cards/twice.json"]);
    assert_eq!(strings(&issues, "/severity"), ["minor", "major"]);
    assert_eq!(strings(&issues, "/check_name"), ["json.bom", "json.duplicate-member"]);
    let fingerprints = strings(&issues, "/fingerprint");
    assert_ne!(fingerprints[0], fingerprints[1]);
    assert!(issues.as_array().unwrap().iter().all(|issue| issue.pointer("/location/lines/begin").is_some()));
}

#[test]
fn github_gets_commands_and_a_summary_that_is_appended() {
    let desk = Desk::new();
    let summary = desk.path("summary.md");
    fs::write(&summary, "before\n").unwrap();
    let mut command = countersign();
    command.current_dir(desk.0.path()).env("GITHUB_STEP_SUMMARY", &summary);
    let output =
        command.args(["lint", "cards", "--format", "github", "-A", "*", "-W", "json.bom"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stdout);
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines.len(), 2, "{shown}");
    assert!(lines[0].starts_with("::warning file=cards/bom.json,line=1,col=1,title=json.bom::"), "{shown}");
    assert!(lines[1].starts_with("::error file=cards/twice.json,line="), "{shown}");
    let summary = fs::read_to_string(&summary).unwrap();
    assert!(
        summary.starts_with("before\n### countersign lint\n\n3 files: 1 error, 1 warning, 0 infos\n"),
        "{summary}"
    );
    assert_eq!(summary.lines().filter(|line| line.starts_with("| ")).count(), 4);
}

/// Text that would end a string, an element, a command, a table cell or a link, move the cursor or hide something.
const HOSTILE: &str =
    "\u{9b}31m\u{202e}\u{2066}\u{200b}\u{7f}%0A::error file=a::b</testcase>]]><x a='|`[l](http://e.example)";

/// The same as JSON escapes of what must be escaped in JSON.
const HOSTILE_ESCAPES: &str = "\\u001b]0;x\\u0007\\r\\n\\\"";

fn is_harmful(character: char) -> bool {
    character.is_control() && character != '\n'
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Cards whose findings quote hostile text: in a message, in a pointer, on the line that is shown, in the file name.
fn hostile() -> Desk {
    let desk = Desk(tempfile::tempdir().unwrap());
    let name = format!("{HOSTILE_ESCAPES}{HOSTILE}");
    let twice = format!("{{\"{name}\": 1,\t\"{name}\": 2}}");
    let schemes = format!("{{\"securitySchemes\": {{\"{name}\": {{\"http_auth_security_scheme\": {{}}}}}},");
    let pointer = fs::read_to_string(data("card.json")).unwrap().replacen('{', &schemes, 1);
    let malformed = format!("{{\"name\": \"日本{name}\", \"x\": \"\u{202e}\n\"}}");
    fs::write(desk.path("a.json"), &twice).unwrap();
    fs::write(desk.path("b.json"), pointer).unwrap();
    fs::write(desk.path("c.json"), malformed).unwrap();
    fs::write(desk.path("d.json"), [b"{\"a\": \"\x1b[31m", &[0xff][..], b"\"}"].concat()).unwrap();
    if cfg!(unix) {
        fs::write(desk.path("e,%0A::error x::\u{202e}&<\"\n.json"), twice).unwrap();
    }
    desk
}

/// How many findings there are, by the one format that is exact.
fn findings(desk: &Desk) -> Vec<Value> {
    let lines = text(&desk.lint("json", &["*.json"]).stdout);
    let mut lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.pop().unwrap().pointer("/schema"), Some(&json!("countersign.summary/1")));
    lines
}

#[test]
fn hostile_text_stays_in_its_place_in_every_format() {
    let desk = hostile();
    let found = findings(&desk);
    assert!(found.len() >= if cfg!(unix) { 5 } else { 4 });
    for format in FORMATS {
        let output = desk.lint(format, &["*.json"]);
        assert_eq!(output.status.code(), Some(1), "{format}");
        for shown in [text(&output.stdout), text(&output.stderr)] {
            assert!(!shown.contains(is_harmful), "{format}: {shown:?}");
        }
    }
    let short = text(&desk.lint("short", &["*.json"]).stdout);
    assert_eq!(short.lines().count(), found.len(), "{short}");

    let github = text(&desk.lint("github", &["*.json"]).stdout);
    assert_eq!(github.lines().count(), found.len(), "{github}");
    let is_command = |line: &str| {
        ["::error file=", "::warning file=", "::notice file="].iter().any(|start| line.starts_with(start))
    };
    assert!(github.lines().all(is_command), "{github}");
    // The line end before the help is the only one.
    assert!(github.lines().all(|line| line.matches("%0A").count() == 1), "{github}");
    assert!(github.contains("%250A::error file=a::b"), "{github}");

    let log = desk.json("sarif", &["*.json"]);
    assert_eq!(refused(&log), Vec::<String>::new());
    assert_eq!(log.pointer("/runs/0/results").unwrap().as_array().unwrap().len(), found.len());
    assert_eq!(desk.json("gitlab", &["*.json"]).as_array().unwrap().len(), found.len());

    let report = junit(&desk.lint("junit", &["*.json"]));
    assert_eq!(report.test_suites.len(), fs::read_dir(desk.0.path()).unwrap().count());
    assert!(report.test_suites.iter().all(|suite| {
        suite.test_cases.iter().all(|case| countersign::codes::find(case.name.as_str()).is_some())
    }));
}

#[test]
fn json_gives_hostile_text_exactly() {
    let found = findings(&hostile());
    let exact = format!("\u{1b}]0;x\u{7}\r\n\"{HOSTILE}");
    let pointers = found.iter().filter(|finding| finding.pointer("/file") == Some(&json!("b.json")));
    let pointers = pointers.filter_map(|finding| finding.pointer("/pointer").and_then(Value::as_str));
    let token = exact.replace('~', "~0").replace('/', "~1");
    assert!(pointers.into_iter().any(|pointer| pointer.contains(&token)), "{found:?}");
}

#[test]
fn hostile_text_is_no_markdown() {
    let desk = hostile();
    let summary = desk.path("summary");
    let mut command = countersign();
    command.current_dir(desk.0.path()).env("GITHUB_STEP_SUMMARY", &summary);
    command.args(["lint", "*.json", "--format", "github"]).output().unwrap();
    let summary = fs::read_to_string(&summary).unwrap();
    assert!(!summary.contains(is_harmful) && !summary.contains("](") && !summary.contains('<'), "{summary}");
    for row in summary.lines().filter(|line| line.starts_with("| ")) {
        assert_eq!(row.matches('|').count(), 5, "{row}");
    }
}

#[test]
fn a_long_line_is_cut_and_its_columns_are_right() {
    let desk = Desk(tempfile::tempdir().unwrap());
    let long = "x".repeat(50_000);
    fs::write(
        desk.path("card.json"),
        format!("{{\"a\": \"{long}\", \"日本\": 1, \"日本\": 2, \"b\": \"{long}\"}}"),
    )
    .unwrap();
    let shown = text(&desk.lint("human", &["card.json"]).stdout);
    let lines: Vec<_> = shown.lines().collect();
    assert!(lines.iter().all(|line| line.chars().count() < 160), "{shown}");
    let quoted = lines.iter().position(|line| line.starts_with("1 | ")).unwrap();
    let columns = |text: &str| unicode_width::UnicodeWidthStr::width(text);
    let (before, _) = lines[quoted].rsplit_once("\"日本\"").unwrap();
    let (indent, carets) = lines[quoted + 1].split_once('^').unwrap();
    assert_eq!((columns(before), carets.len() + 1), (columns(indent), columns("\"日本\"")), "{shown}");
}

#[test]
fn no_line_of_a_file_with_a_key_is_shown() {
    let desk = Desk(tempfile::tempdir().unwrap());
    let key = fs::read_to_string(data("es256.jwk")).unwrap();
    let secret = key.split_once("\"d\":").unwrap().1.split('"').nth(1).unwrap();
    for (name, card) in [
        ("member.json", format!("{{\"name\": \"A\", \"extra\": {key}, \"supported_interfaces\": []}}")),
        ("twice.json", format!("{{\"extra\": {key}, \"extra\": 1}}")),
    ] {
        fs::write(desk.path(name), card.replace('\n', " ")).unwrap();
    }
    for format in FORMATS {
        let output = desk.lint(format, &["*.json", "--profile", "publish"]);
        let shown = text(&output.stdout) + &text(&output.stderr);
        assert!(
            shown.contains("json.duplicate-member") && shown.contains("card.secret-in-card"),
            "{format}: {shown}"
        );
        assert!(!shown.contains(secret), "{format}: {shown}");
    }
}

/// On one line with everything else, where any finding would show it.
#[test]
fn no_line_of_a_file_with_a_password_is_shown() {
    let desk = Desk(tempfile::tempdir().unwrap());
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/lints/card.secret-in-card/bad.json");
    let card: Value = serde_json::from_slice(&fs::read(fixture).unwrap()).unwrap();
    let url = card.pointer("/documentationUrl").unwrap().as_str().unwrap();
    let (_, password) = url.split_once('@').unwrap().0.rsplit_once(':').unwrap();
    fs::write(desk.path("card.json"), card.to_string()).unwrap();
    for format in FORMATS {
        let shown = text(&desk.lint(format, &["card.json", "--profile", "publish"]).stdout);
        assert!(shown.contains("card.secret-in-card") && !shown.contains(password), "{format}: {shown}");
    }
}

#[test]
fn the_order_of_files_is_that_of_their_names() {
    let desk = Desk(tempfile::tempdir().unwrap());
    for number in 0..400 {
        fs::write(desk.path(&format!("{number:03}.json")), "[").unwrap();
    }
    let shown = text(&desk.lint("short", &["."]).stdout);
    let files: Vec<_> = shown.lines().filter_map(|line| line.split_once(':')).map(|(file, _)| file).collect();
    let expected: Vec<_> = (0..400).map(|number| format!("{number:03}.json")).collect();
    assert_eq!(files, expected);
}

#[test]
fn other_commands_refuse_the_formats_of_findings() {
    let (card, keys) = (data("signed.json"), data("es256.jwks"));
    for format in ["sarif", "junit", "github", "gitlab"] {
        for arguments in [
            vec!["verify".as_ref(), card.as_os_str(), "--keys".as_ref(), keys.as_os_str()],
            vec!["inspect".as_ref(), card.as_os_str()],
            vec!["explain".as_ref()],
        ] {
            let output = countersign().args(arguments).env("COUNTERSIGN_FORMAT", format).output().unwrap();
            assert_eq!(output.status.code(), Some(2));
            assert!(output.stdout.is_empty());
            let said = text(&output.stderr);
            assert!(
                said.contains(&format!("`{format}` is a format of `lint` and `policy check` only")),
                "{said}"
            );
            assert!(said.contains("`human`, `short` and `json`"), "{said}");
        }
    }
}

#[test]
fn quiet_leaves_data_and_the_exit_code() {
    let desk = Desk::new();
    for format in FORMATS {
        let output = desk.lint(format, &["cards", "-q"]);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(output.stdout.is_empty(), format == "human" || format == "short", "{format}");
    }
}
