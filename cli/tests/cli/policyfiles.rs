//! `policy init`, `policy show` and `policy schema`.

use std::fs;
use std::path::{Path, PathBuf};

use countersign::{TOOL, TrustPolicy, load_policy};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{data, example, run, text};

const NOW: &str = "2026-10-01T12:00:00Z";

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Every policy of the repository, the bad ones too.
fn policies() -> Vec<PathBuf> {
    let mut folders =
        ["policy/tests/policies", "policy/tests/lints", "examples", "tests/cases/policies", "cli/tests/data"]
            .map(repository)
            .to_vec();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                let text = fs::read_to_string(&path).unwrap();
                if text.lines().any(|line| line.starts_with("schema")) {
                    found.push(path);
                }
            }
        }
    }
    found
}

fn read(text: &str) -> TrustPolicy {
    TrustPolicy::read(text, "policy.toml", &TOOL).map_err(|error| format!("{error}\n{text}")).unwrap()
}

/// TOML as the schema sees it: dates are texts.
fn json_of(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => json!(text),
        toml::Value::Integer(number) => json!(number),
        toml::Value::Float(number) => json!(number),
        toml::Value::Boolean(value) => json!(value),
        toml::Value::Datetime(date) => json!(date.to_string()),
        toml::Value::Array(list) => list.iter().map(json_of).collect(),
        toml::Value::Table(table) => {
            Value::Object(table.iter().map(|(name, value)| (name.clone(), json_of(value))).collect())
        }
    }
}

fn validator() -> jsonschema::Validator {
    let answer = run(["policy", "schema"]);
    assert_eq!(answer.status.code(), Some(0));
    let schema: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(schema.get("$schema").unwrap(), "https://json-schema.org/draft/2020-12/schema");
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap()
}

/// Whether the schema takes this text.
fn is_valid(validator: &jsonschema::Validator, text: &str) -> bool {
    let table: toml::Table = text.parse().unwrap();
    validator.is_valid(&json_of(&toml::Value::Table(table)))
}

#[test]
fn the_schema_takes_every_policy_that_loads_and_none_with_unknown_members() {
    let validator = validator();
    let (mut good, mut bad) = (0, 0);
    for path in policies() {
        let text = fs::read_to_string(&path).unwrap();
        match load_policy(&path) {
            Ok(_) => {
                assert!(is_valid(&validator, &text), "{}", path.display());
                good += 1;
            }
            Err(error) if error.faults.iter().any(|fault| fault.code.name() == "policy.unknown-field") => {
                assert!(!is_valid(&validator, &text), "{}", path.display());
                bad += 1;
            }
            Err(_) => {}
        }
    }
    assert!(good >= 40 && bad >= 2, "{good} {bad}");
}

#[test]
fn the_schema_refuses_misspelt_members_wrong_types_and_wrong_words_of_each_section() {
    let validator = validator();
    let full = fs::read_to_string(repository("policy/tests/policies/full.toml")).unwrap();
    assert!(is_valid(&validator, &full));
    for (from, to) in [
        ("owner    =", "ownr ="),
        ("schema   = 1", "schema = \"1\""),
        ("include  = [\"keys/vendor-x.toml\"]", "include = \"keys/vendor-x.toml\""),
        ("clock-skew     =", "clock-scew ="),
        ("max-signatures = 16", "max-signatures = \"16\""),
        ("clock-skew     = \"60s\"", "clock-skew = \"60 seconds\""),
        ("max-card       = \"256KiB\"", "max-card = \"256kB\""),
        ("mode           = { audit = true,", "mode = { audi = true,"),
        ("mode    = \"enforce\"", "mode = \"enforced\""),
        ("level      =", "lavel ="),
        ("level      = \"if-present\"", "level = \"maybe\""),
        ("level      = \"if-present\"", "level = true"),
        ("until      = 2026-10-31", "until = \"soon\""),
        ("until      = 2026-10-31", "until = 5"),
        ("require    = { keys = \"*origin\", min = 1 }", "require = { keys = \"*origin\", mim = 1 }"),
        ("require    = { keys = \"*origin\", min = 1 }", "require = { min = 1 }"),
        ("algorithms = [\"ES256\", \"EdDSA\"]", "algorithms = [\"ES256\", \"HS256\"]"),
        ("stale      = \"report\"", "stale = \"ignore\""),
        ("uncovered  = \"strip\"", "uncovered = \"allow\""),
        ("max-age    = \"180d\"", "max-age = 180"),
        ("pointers =", "pointer ="),
        ("other    =", "othr ="),
        ("other    = \"drop\"", "other = \"deny\""),
        ("query    = \"deny\"", "query = \"no\""),
        ("schemes  = [\"https\"]", "schemes = [\"ftp\"]"),
        ("allow-loopback = false", "allow-loopback = \"false\""),
        ("any-host = {", "any-host = 1 #"),
        ("anonymous = \"report\"", "anonymos = \"report\""),
        ("anonymous = \"report\"", "anonymous = \"warn\""),
        ("hosts     = [\"login.acme.example\"]", "hosts = 1"),
        ("redirects = 0", "redirect = 0"),
        ("redirects = 0", "redirects = \"0\""),
        ("addresses = \"public\"", "addresses = \"any\""),
        ("negative = \"30s\"", "negativ = \"30s\""),
        ("max-ttl = \"1h\"", "max-ttl = 3600"),
        ("negative = \"30s\"", "negative = \"30 s\""),
        ("kid = \"acme-2026-1\"", "kidd = \"acme-2026-1\""),
        ("kid = \"acme-2026-1\"", "kid = 1"),
        ("algorithms = [\"ES256\"]\norigins    =", "algorithms = [\"es256\"]\norigins    ="),
        ("reason = \"compromised\"", "reason = \"stolen\""),
        ("reason = \"compromised\"", "why = \"compromised\""),
        ("refresh = \"10m\"", "refesh = \"10m\""),
        ("max-keys = 8", "max-keys = \"8\""),
        ("refresh = \"10m\"", "refresh = \"often\""),
        ("internal = [", "internal = 1 # ["),
        ("when = \"required\"", "wen = \"required\""),
        ("when = \"required\"", "when = \"always\""),
        ("reason = \"legal review pending\"", "reason = 1"),
        ("sources = [", "source = ["),
        ("from = [\"https://*.agents.acme.example\"]", "from = 1"),
        ("rollback = \"deny\"", "rollback = \"no\""),
        ("rollback = \"deny\"", "rolback = \"deny\""),
        ("waives = [", "waive = ["),
        ("waives = [\"iface.version-not-allowed\"]", "waives = \"iface.version-not-allowed\""),
        ("unused-key = \"warn\"", "unused-key = \"loud\""),
        ("unused-key = \"warn\"", "unused-key = 1"),
    ] {
        assert!(full.contains(from), "{from}");
        let changed = full.replacen(from, to, 1);
        assert!(!is_valid(&validator, &changed), "{from} -> {to}");
    }
}

#[test]
fn every_policy_expanded_has_the_same_digest() {
    let mut count = 0;
    for policy in policies().iter().filter_map(|path| load_policy(path).ok()) {
        let expanded = policy.to_toml().unwrap();
        assert_eq!(read(&expanded).digest(), policy.digest(), "{expanded}");
        count += 1;
    }
    assert!(count >= 40, "{count}");
}

#[test]
fn what_is_shown_expanded_is_a_policy_and_says_its_digest() {
    let policy = repository("policy/tests/policies/full.toml");
    let digest = load_policy(&policy).unwrap().digest().to_owned();
    let path = policy.to_str().unwrap();
    let shown = text(&run(["policy", "show", path, "--expanded"]).stdout);
    assert!(shown.lines().next().unwrap().ends_with(&digest));
    assert_eq!(read(&shown).digest(), digest);
    let shown = run(["policy", "show", path, "--expanded", "--format", "json"]).stdout;
    let shown: Value = serde_json::from_slice(&shown).unwrap();
    assert_eq!(shown.get("digest").unwrap(), &digest);
    assert_eq!(
        shown.get("expanded").unwrap(),
        &serde_json::to_value(load_policy(&policy).unwrap().expanded()).unwrap()
    );
}

#[test]
fn the_policy_to_start_from_admits_nothing_and_its_examples_load() {
    let template = text(&run(["policy", "init"]).stdout);
    let policy = read(&template);
    assert!(policy.allows().is_empty() && policy.keys().is_empty());
    assert!(template.contains("As it stands it admits nothing"));
    let taken_in: Vec<&str> = template
        .lines()
        .filter(|line| !line.starts_with("#extends") && !line.starts_with("#include"))
        .map(|line| match line.strip_prefix('#') {
            Some(example) if !example.starts_with(' ') => example,
            _ => line,
        })
        .collect();
    let policy = read(&taken_in.join("\n"));
    assert_eq!((policy.allows().len(), policy.denies().len(), policy.exceptions().len()), (1, 1, 1));
    assert_eq!((policy.keys().len(), policy.key_sets().len(), policy.lint_levels().len()), (1, 1, 1));
    // What the comments give as defaults are the defaults.
    let defaults = policy.expanded().to_string();
    assert!(
        defaults.contains(r#""mode":"enforce","signatures":{"all-of":[{"keys":"*origin","min":1}]"#),
        "{defaults}"
    );
}

#[test]
fn a_file_is_written_once_and_never_over_another() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("trust-policy.toml");
    let path = file.to_str().unwrap();
    assert_eq!(run(["policy", "init", "-o", path]).status.code(), Some(0));
    assert_eq!(fs::read(&file).unwrap(), run(["policy", "init"]).stdout);
    fs::write(&file, "mine").unwrap();
    let refused = run(["policy", "init", "-o", path]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("not overwritten"));
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_draft_holds_what_its_card_offers() {
    let url = "https://agents.maps.example/.well-known/agent-card.json";
    let folder = TempDir::new().unwrap();
    let draft = folder.path().join("draft.toml");
    // What the gateway made of its card verifies no more: with the key there is no rule for it.
    for (card, keys) in [
        ("cards/signed.json", Some("keys/demo.jwks")),
        ("cards/signed.json", None),
        ("cards/gateway.json", None),
        ("cards/route-planner.json", None),
        ("cards/ledger-0.3.json", None),
    ] {
        let card = example(card);
        let card = card.to_str().unwrap();
        let _ = fs::remove_file(&draft);
        let mut arguments = vec!["policy", "init", "--from", card, "--as", url, "--at", NOW];
        arguments.extend(["-o", draft.to_str().unwrap()]);
        let keys = keys.map(example);
        arguments.extend(keys.iter().flat_map(|keys| ["--keys", keys.to_str().unwrap()]));
        let written = run(arguments);
        assert_eq!(written.status.code(), Some(0), "{}", text(&written.stderr));
        let admitted = run([
            "admit",
            card,
            "--as",
            url,
            "--policy",
            draft.to_str().unwrap(),
            "--at",
            NOW,
            "--format",
            "json",
        ]);
        let decision: Value = serde_json::from_slice(&admitted.stdout).unwrap();
        assert_eq!(decision.get("codes").unwrap(), &json!([]), "{}", fs::read_to_string(&draft).unwrap());
        assert_eq!(decision.get("outcome").unwrap(), "admit");
        let interfaces = decision.get("interfaces").unwrap().as_array().unwrap();
        assert!(!interfaces.is_empty());
        assert!(
            interfaces.iter().all(|interface| interface.get("outcome").unwrap() == "admitted"),
            "{interfaces:?}"
        );
    }
}

#[test]
fn no_text_of_a_card_leaves_its_string_or_its_comment() {
    let evil = "x\"\n]]\r\n[[allow]]\nid = \"evil\"\nfrom = [\"evil.example\"]\n\"\"\"\u{2028}\u{202e}\u{85}\u{0}\u{7f}'''\\";
    let header = |kid: &str| {
        let header = json!({ "alg": "ES256", "kid": kid, "typ": "JOSE" }).to_string();
        let alphabet: Vec<char> = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['-', '_']).collect();
        header
            .as_bytes()
            .chunks(3)
            .flat_map(|chunk| {
                let number = chunk.iter().fold(0_usize, |number, octet| number * 256 + usize::from(*octet));
                let number = number << (8 * (3 - chunk.len()));
                let digits: Vec<char> = [18, 12, 6, 0].map(|shift| alphabet[(number >> shift) & 63]).to_vec();
                digits[..=chunk.len()].to_vec()
            })
            .collect::<String>()
    };
    let card = json!({
        "name": evil, "description": evil, "version": evil, "capabilities": {}, "defaultInputModes": [],
        "defaultOutputModes": [], "skills": [],
        "supportedInterfaces": [
            { "url": "https://agents.example/a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": evil },
            { "url": "https://agents.example/b", "protocolBinding": "\"] ]]\u{202e}", "protocolVersion": "1.0" },
            { "url": "https://agents.example/c", "protocolBinding": evil, "protocolVersion": evil },
            { "url": format!("https://{evil}/"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
            { "url": "https://user@evil.example/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
            { "url": "http://plain.example/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
            { "url": "https://169.254.169.254/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
            { "url": "https://10.0.0.1/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        ],
        "securitySchemes": { evil: { "openIdConnectSecurityScheme": { "openIdConnectUrl": format!("https://login.example/{evil}") } },
            "good": { "openIdConnectSecurityScheme": { "openIdConnectUrl": "https://login.example/" } } },
        "signatures": [{ "protected": header(evil), "signature": "A".repeat(86) }],
    });
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("a\n[[allow]]\u{202e}.json");
    fs::write(&file, card.to_string()).unwrap();
    let answer = run([
        "policy",
        "init",
        "--from",
        file.to_str().unwrap(),
        "--as",
        "https://agents.example/card",
        "--at",
        NOW,
    ]);
    let draft = text(&answer.stdout);
    assert_eq!(answer.status.code(), Some(0), "{}", text(&answer.stderr));
    let policy = read(&draft);
    assert_eq!(policy.allows().len(), 1, "{draft}");
    let rule = policy.allows().first().unwrap();
    assert_eq!(rule.id, "agents-example");
    assert!(rule.interfaces.hosts.listed.is_empty() && rule.interfaces.hosts.source.is_some(), "{draft}");
    assert_eq!(rule.auth.hosts.len(), 1, "{draft}");
    assert!(policy.keys().is_empty());
    assert!(!draft.contains(|character: char| {
        (character.is_control() && character != '\n') || "\u{202e}\u{2028}\u{85}".contains(character)
    }));
    assert_eq!(draft.lines().filter(|line| line.starts_with('[')).count(), 1, "{draft}");
    assert!(draft.contains("get the key from the publisher over another channel"), "{draft}");
    assert_eq!(draft.matches("# left out: ").count(), 7, "{draft}");
}

#[test]
fn no_key_of_a_card_becomes_a_key_of_the_draft() {
    let card = data("signed.json");
    let draft = run([
        "policy",
        "init",
        "--from",
        card.to_str().unwrap(),
        "--as",
        "https://agents.example/",
        "--at",
        NOW,
    ]);
    let draft = text(&draft.stdout);
    assert!(read(&draft).keys().is_empty());
    assert!(
        draft.contains(
            "# kid \"k1\": get the key from the publisher over another channel, never from the card"
        )
    );
}

#[test]
fn a_card_that_was_changed_gets_no_rule() {
    let (card, keys) = (data("tampered.json"), data("es256.jwks"));
    let draft = run([
        "policy",
        "init",
        "--from",
        card.to_str().unwrap(),
        "--as",
        "https://agents.example/",
        "--keys",
        keys.to_str().unwrap(),
        "--at",
        NOW,
    ]);
    let draft = text(&draft.stdout);
    assert!(read(&draft).allows().is_empty());
    assert!(draft.contains("# no rule: a signature of the card does not verify"), "{draft}");
}
