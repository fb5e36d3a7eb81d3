//! The test file: what is read, and what is refused where.

use countersign_policy::{ExpectedCodes, Outcome, PolicyError, PolicyTests, SourceKind};

use crate::support::known;

const TESTS: &str = r#"
policy = "policy.toml"
now    = 2026-10-01T12:00:00Z

[[case]]
name         = "everything"
card         = "cards/a.json"
patch        = [
  { op = "add", path = "/a/-", value = [1, 2.5, true, "x", { b = 0 }] },
  { op = "replace", path = "/b", json = "null" },
  { op = "remove", path = "/c" },
  { op = "move", from = "/d", path = "/e" },
  { op = "copy", from = "", path = "/f" },
  { op = "test", path = "/g", value = "" },
]
from         = { url = "https://a.example/card.json", source = "registry:main" }
tenant       = "desk"
use          = "routes"
accept       = ["1.0/JSONRPC", "1.0/GRPC"]
extensions   = ["https://example.com/ext/v1"]
endorsements = ["a.endorsement.json"]
assume-version = "0.3"
now          = 2026-11-01T14:00:00+02:00
expect       = { outcome = "deny", enforced = false, codes = ["sig.absent"], rule = "maps", interfaces = ["https://a.example/"], ttl-at-most = "15m", uncovered = ["/url"] }

[[case]]
name   = "little"
card   = "cards/a.json"
from   = { url = "https://a.example/.well-known/agent-card.json" }
expect = { outcome = "admit" }
"#;

fn read(text: &str) -> Result<PolicyTests, PolicyError> {
    PolicyTests::read(text, "t.toml", &known())
}

#[test]
fn every_member_is_read() {
    let tests = read(TESTS).unwrap();
    assert_eq!((tests.policy.value.as_str(), tests.cases.len()), ("policy.toml", 2));
    let [all, little] = <[_; 2]>::try_from(tests.cases).unwrap();
    assert_eq!((all.name.as_str(), all.card.value.as_str()), ("everything", "cards/a.json"));
    let patch: serde_json::Value = serde_json::from_str(&all.patch.unwrap().value).unwrap();
    let expected = serde_json::json!([
        {"op": "add", "path": "/a/-", "value": [1, 2.5, true, "x", {"b": 0}]},
        {"op": "replace", "path": "/b", "value": null},
        {"op": "remove", "path": "/c"},
        {"op": "move", "from": "/d", "path": "/e"},
        {"op": "copy", "from": "", "path": "/f"},
        {"op": "test", "path": "/g", "value": ""},
    ]);
    assert_eq!(patch, expected);
    assert_eq!(all.request.source.kind, SourceKind::Registry("main".to_owned()));
    assert_eq!(
        (all.request.tenant.as_deref(), all.request.purpose.as_deref()),
        (Some("desk"), Some("routes"))
    );
    let accept: Vec<String> = all.request.accept.unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(accept, ["1.0/JSONRPC", "1.0/GRPC"]);
    assert_eq!(all.request.extensions.unwrap(), ["https://example.com/ext/v1"]);
    assert_eq!(all.request.assumed.unwrap().to_string(), "0.3");
    assert_eq!(
        all.endorsements.iter().map(|file| file.value.as_str()).collect::<Vec<_>>(),
        ["a.endorsement.json"]
    );
    assert_eq!(all.now.to_string(), "2026-11-01T12:00:00Z");
    assert_eq!((all.expect.outcome.value, all.expect.enforced.unwrap().value), (Outcome::Deny, false));
    assert!(matches!(all.expect.codes.unwrap(), ExpectedCodes::Exactly(codes) if codes.value.len() == 1));
    assert_eq!(all.expect.rule.unwrap().value, "maps");
    assert_eq!(all.expect.interfaces.unwrap().value, ["https://a.example/"]);
    assert_eq!(all.expect.ttl_at_most_seconds.unwrap().value, 900);
    assert_eq!(all.expect.uncovered.unwrap().value, ["/url"]);
    assert_eq!(little.request.source.kind, SourceKind::WellKnown);
    assert_eq!((little.now, little.now.to_string().as_str()), (tests.now, "2026-10-01T12:00:00Z"));
    assert!(little.patch.is_none() && little.expect.codes.is_none() && little.request.accept.is_none());
}

/// The line and column where `part` begins.
fn place(text: &str, part: &str) -> String {
    let before = text.split(part).next().unwrap();
    let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
    format!("{}:{column}", before.matches('\n').count() + 1)
}

/// Text of the file, text in its place, text at the fault, what is told.
const FAULTS: &[[&str; 4]] = &[
    ["now    = 2026-10-01T12:00:00Z", "", "", "the member `now` is missing [policy.invalid]"],
    [
        "= 2026-10-01T12:00:00Z",
        "= 2026-10-01",
        "2026-10-01",
        "the date has no time, such as `2026-10-01T12:00:00Z` [policy.invalid]",
    ],
    [
        "tenant       =",
        "tenants =",
        "tenants",
        "the member `tenants` is not known here [policy.unknown-field]",
    ],
    [
        "\"little\"",
        "\"everything\" #",
        "\"everything\" #",
        "two cases have the name `everything` [policy.duplicate-id]",
    ],
    ["\"admit\"", "\"allow\"", "\"allow\"", "`allow` is not known here [policy.invalid]"],
    [
        "{ outcome = \"admit\" }",
        "{ rule = \"x\" }",
        "{ rule = \"x\"",
        "the case does not say which `outcome` it expects, `admit` or `deny` [policy.invalid]",
    ],
    ["\"sig.absent\"", "\"sig.absnt\"", "\"sig.absnt\"", "`sig.absnt` is no code [policy.invalid]"],
    [
        "\"sig.absent\"",
        "\"sig.absent\", 'sig.absent'",
        "'sig.absent'",
        "`sig.absent` stands twice [policy.invalid]",
    ],
    [
        "codes = [",
        "codes-any = ['sig.absent'], codes = [",
        "['sig.absent']",
        "of `codes` and `codes-any` only one can hold [policy.invalid]",
    ],
    ["codes = [\"sig.absent\"]", "codes-any = []", "[], rule", "the list is empty [policy.invalid]"],
    [
        "\"admit\" }",
        "\"admit\", codes = ['sig.absent'] }",
        "['sig.absent']",
        "a card that is admitted has no reasons for a denial [policy.invalid]",
    ],
    [
        "\"admit\" }",
        "\"admit\", enforced = false }",
        "false }",
        "only a denial can be unenforced [policy.invalid]",
    ],
    [
        "enforced = false, ",
        "",
        "[\"https://a.example/\"]",
        "a card that is denied has no interface that may be used [policy.invalid]",
    ],
    ["\"15m\"", "\"15\"", "\"15\"", "`15` is no duration"],
    ["op = \"remove\"", "op = \"delete\"", "\"delete\"", "`delete` is not known here [policy.invalid]"],
    ["path = \"/c\"", "path = \"c\"", "\"c\"", "`c` is no JSON Pointer"],
    ["path = \"/c\"", "path = \"/c~2\"", "\"/c~2\"", "`/c~2` is no JSON Pointer"],
    ["path = \"/c\"", "path = \"/c\", value = 17", "17 }", "`remove` has no value [policy.invalid]"],
    [", json = \"null\"", "", "{ op = \"replace\"", "`replace` needs `value`, or `json` [policy.invalid]"],
    ["json = \"null\"", "json = \"nil\"", "\"nil\"", "`nil` is no JSON [policy.invalid]"],
    [
        "json = \"null\"",
        "json = \"null\", value = 1",
        "{ op = \"replace\"",
        "of `value` and `json` only one can hold [policy.invalid]",
    ],
    ["from = \"/d\", ", "", "{ op = \"move\"", "`move` needs `from` [policy.invalid]"],
    ["path = \"/g\"", "from = \"/h\", path = \"/g\"", "\"/h\"", "`test` has no `from` [policy.invalid]"],
    [
        "value = \"\"",
        "value = 2026-01-01",
        "2026-01-01",
        "`2026-01-01` has no value in JSON; write it as text [policy.invalid]",
    ],
    [
        "value = \"\"",
        "value = [nan]",
        "[nan]",
        "`NaN` has no value in JSON; write it as text [policy.invalid]",
    ],
    [
        "a.example/card.json",
        "a@a.example/card.json",
        "\"https://a@a.example/card.json\"",
        "`https://a@a.example/card.json` is no URL of a source",
    ],
    ["\"registry:main\"", "\"registry\"", "\"registry\"", "`registry` is not known here [policy.invalid]"],
    ["\"1.0/GRPC\"", "\"GRPC\"", "\"GRPC\"", "`GRPC` names no binding"],
    ["version = \"0.3\"", "version = \"0.4\"", "\"0.4\"", "`0.4` is not known here [policy.invalid]"],
    ["= \"desk\"", "= ' '", "' '", "the text is empty [policy.invalid]"],
    ["[\"a.endorsement.json\"]", "[ ]", "[ ]", "the list is empty [policy.invalid]"],
];

#[test]
fn each_fault_is_told_with_its_place() {
    let mut wrong = Vec::new();
    for [from, to, at, message] in FAULTS {
        let text = TESTS.replacen(from, to, 1);
        assert!(TESTS.contains(from) && text.contains(at), "{from} {at}");
        let expected = format!("t.toml:{}: {message}", place(&text, at));
        let found = read(&text).unwrap_err().to_string();
        if !found.lines().next().unwrap().starts_with(&expected) {
            wrong.push(format!("{to}\nexpected {expected}\nfound    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_file_without_a_case_is_refused() {
    let error = read("policy = \"p.toml\"\nnow = 2026-10-01T12:00:00Z\n").unwrap_err();
    assert_eq!(error.to_string(), "t.toml:1:1: the file has no `[[case]]` [policy.invalid]");
}

#[test]
fn all_faults_are_told_at_once_and_in_order() {
    let text =
        TESTS.replace("sig.absent", "sig.absnt").replace("\"admit\"", "\"allow\"").replace("/c\"", "c\"");
    let error = read(&text).unwrap_err();
    let lines: Vec<_> = error.faults.iter().map(|fault| fault.place.as_ref().unwrap().span.line).collect();
    assert_eq!(lines, [11, 24, 30]);
    assert_eq!(error.faults[1].help.as_deref(), Some("did you mean `sig.absent`?"));
}
