//! The page of a run that has one of everything, and of one in which everything is hostile.

mod browser;

use countersign::{TOOL, TrustPolicy, UnixTime};
use serde_json::Value;

use super::head::source_of;
use super::{Fleet, Left, SCRIPT, SECONDS_PER_DAY, STYLE};

/// Recorded with the policy beside it; the last lines are of agents that could not be fetched.
const DOCUMENTS: &str = include_str!("../../tests/data/fleet/documents.jsonl");
const POLICY: &str = include_str!("../../tests/data/fleet/trust-policy.toml");
/// 2026-12-10T12:00:00Z.
const NOW: UnixTime = UnixTime::from_seconds(1_796_904_000);

/// Text that would run as a script, end one, or turn the direction of what follows, were it markup.
const PAYLOADS: [&str; 4] = [
    "</script><script>globalThis.ran = 1</script>",
    "\"><img src=x onerror=\"globalThis.ran = 1\">",
    "' onfocus='globalThis.ran = 1' autofocus='<!--",
    "</title></style></bdi></td></table><svg onload=globalThis.ran=1>\u{202e}\u{0}\u{2028}",
];

/// Names and texts of the recorded policy.
const HOSTILE_NAMES: [&str; 12] = [
    "acme-fleet",
    "agents@acme.example",
    "acme",
    "maps",
    "maps-2025",
    "reviewer-2026",
    "partner",
    "internal",
    "pilot with the weather team",
    "EX-014",
    "A2A 0.3 until the move in December",
    "team-runtime",
];

fn policy() -> TrustPolicy {
    TrustPolicy::read(POLICY, "trust-policy.toml", &TOOL).unwrap()
}

fn page(documents: Vec<String>, policy: &TrustPolicy) -> String {
    Fleet { documents, policy, now: NOW }.page()
}

fn recorded() -> Vec<String> {
    DOCUMENTS.lines().map(str::to_owned).collect()
}

/// The page of the recorded run.
fn fixture() -> String {
    page(recorded(), &policy())
}

/// The page of the recorded run with a payload for every text that another program, a card or a policy may have set.
fn hostile() -> String {
    let mut next = PAYLOADS.iter().cycle();
    let documents = DOCUMENTS.lines().map(|line| {
        let mut document: Value = serde_json::from_str(line).unwrap();
        for (name, member) in document.as_object_mut().unwrap() {
            if !["schema", "outcome"].contains(&name.as_str()) {
                poison(member, &mut next);
            }
        }
        document.to_string()
    });
    let documents = documents.chain(PAYLOADS.map(str::to_owned)).collect();
    page(documents, &hostile_policy())
}

fn poison(value: &mut Value, next: &mut std::iter::Cycle<std::slice::Iter<'_, &str>>) {
    match value {
        Value::String(text) => text.push_str(next.next().unwrap()),
        Value::Array(members) => members.iter_mut().for_each(|member| poison(member, next)),
        Value::Object(members) => members.values_mut().for_each(|member| poison(member, next)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The recorded policy with a payload in every id, `kid` and reason.
fn hostile_policy() -> TrustPolicy {
    let mut text = POLICY.to_owned();
    for (at, name) in HOSTILE_NAMES.into_iter().enumerate() {
        let payload = PAYLOADS[at % PAYLOADS.len()].replace(['\u{0}', '\u{202e}', '\u{2028}'], "");
        // A JSON string is a TOML string.
        text = text
            .replace(&format!("\"{name}\""), &serde_json::to_string(&format!("{name}{payload}")).unwrap());
    }
    TrustPolicy::read(&text, "</script><trust-policy>.toml", &TOOL).unwrap_or_else(|error| {
        panic!("{:?}", error.faults.iter().map(|fault| &fault.message).collect::<Vec<_>>())
    })
}

/// Tags in their order, `</p` for ends; what is between the tags of the style sheet and of the script is left out.
fn tags(page: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        let end = after.find(|character: char| character.is_whitespace() || character == '>').unwrap();
        let (tag, _) = after.split_at(end);
        tags.push(tag);
        rest = match tag {
            "style" | "script" => after.split_once(&format!("</{tag}")).map(|(_, rest)| rest).unwrap(),
            _ => after,
        };
        if ["style", "script"].contains(&tag) {
            tags.push(if tag == "style" { "/style" } else { "/script" });
        }
    }
    tags
}

#[test]
fn every_tag_is_ours_and_is_closed() {
    for page in [fixture(), hostile(), page(Vec::new(), &policy())] {
        let mut open = Vec::new();
        for tag in tags(&page).into_iter().skip(1) {
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name)),
                None if ["meta", "input"].contains(&tag) => {}
                None => open.push(tag),
            }
        }
        assert_eq!(open, [""; 0]);
    }
}

#[test]
fn a_hostile_text_is_text() {
    let page = hostile();
    let tags = tags(&page);
    for tag in ["script", "style", "title"] {
        assert_eq!(tags.iter().filter(|one| **one == tag).count(), 1, "{tag}");
    }
    for tag in ["img", "svg", "!--", "trust-policy"] {
        assert!(!tags.contains(&tag), "{tag}");
    }
    let (head, body) = page.split_once("</style>").unwrap();
    let body = body.split_once("<script>").unwrap().0;
    assert!(!body.contains("=\"globalThis") && !body.contains("<!--") && !head.contains("<svg"));
    assert!(body.contains("&lt;/script&gt;&lt;script&gt;globalThis.ran = 1&lt;/script&gt;"));
    assert!(body.contains("\\u{202e}\\u{0}\\u{2028}"));
    assert!(!page.contains(['\u{202e}', '\u{0}', '\u{2028}', '\r']));
}

#[test]
fn the_page_names_nothing_to_load() {
    for page in [fixture(), hostile()] {
        let markup = page.replace(STYLE, "").replace(SCRIPT, "");
        for attribute in [" src=\"", " style=\"", " action=\"", " href=\"http"] {
            assert!(!markup.contains(attribute), "{attribute}");
        }
    }
    assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    for call in ["innerHTML", "fetch", "eval", "import", "document.write"] {
        assert!(!SCRIPT.contains(call), "{call}");
    }
}

#[test]
fn the_page_allows_its_style_sheet_and_its_script_only() {
    let page = fixture();
    let policy = format!(
        "default-src &#39;none&#39;; style-src &#39;{}&#39;; script-src &#39;{}&#39;; ",
        source_of(STYLE),
        source_of(SCRIPT)
    );
    assert!(page.contains(&policy));
    assert!(!page.contains("unsafe-"));
    // The digest of no octets, as `openssl dgst -sha256 -binary | base64` writes it.
    assert_eq!(source_of(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

#[test]
fn agents_are_counted_by_what_became_of_them() {
    let page = fixture();
    for count in [
        "<dt>Agents</dt><dd>12</dd>",
        "<dt>Admitted</dt><dd>3</dd>",
        "<dt>Denied</dt><dd>6</dd>",
        "<dt>Denied, not enforced</dt><dd>1</dd>",
        "<dt>Not fetched</dt><dd>2</dd>",
        "<dt>From the cache</dt><dd>0</dd>",
    ] {
        assert!(page.contains(count), "{count}");
    }
    let cached =
        recorded().iter().map(|line| line.replace("\"cache\":\"off\"", "\"cache\":\"hit\"")).collect();
    assert!(self::page(cached, &policy()).contains("<dt>From the cache</dt><dd>10</dd>"));
}

#[test]
fn what_cannot_be_read_is_counted_as_not_fetched() {
    let page = page(vec!["{".to_owned()], &policy());
    assert!(page.contains("<dt>Not fetched</dt><dd>1</dd>") && page.contains("<dt>Admitted</dt><dd>0</dd>"));
}

#[test]
fn the_same_run_gives_the_same_page() {
    assert_eq!(fixture(), fixture());
}

#[test]
fn a_column_is_a_code_and_the_heaviest_come_first() {
    let page = fixture();
    let (head, _) = page.split_once("</thead>").unwrap();
    let place = |code: &str| head.find(&format!("<span>{code}</span>"));
    assert!(place("sig.invalid").unwrap() < place("auth.anonymous").unwrap());
    assert!(place("fetch.timeout").is_some() && place("pin.rollback").is_none());
    assert_eq!(head.matches(">sig.invalid</span>").count(), 1);
}

#[test]
fn a_key_says_how_long_it_lasts() {
    let page = fixture();
    let keys = page.split_once("<section id=\"keys\"").unwrap().1.split_once("</section>").unwrap().0;
    let row = |id: &str| {
        let start = format!("<tr><th scope=\"row\"><code><bdi>{id}</bdi>");
        keys.split_once(&start).unwrap().1.split_once("</tr>").unwrap().0.to_owned()
    };
    assert!(row("acme").contains("<td class=\"number soon\" data-order=\"13\">13 d</td>"));
    assert!(row("acme").contains(">284 d</td>") && row("acme").contains("ends soon"));
    assert!(row("maps").contains("<td class=\"number later\" data-order=\"202\">202 d</td>"));
    assert!(row("weather").contains("ended 1 d ago"));
    assert!(row("acme-2027").contains("not yet valid") && row("acme-2027").contains("no end"));
    assert!(row("maps-2025").contains("revoked: compromised"));
    assert!(keys.contains("https://keys.partner.example/jwks.json"));
    // The service desk, the route planner, the old route planner and the inventory.
    assert!(row("acme").contains("<td class=\"number\" data-order=\"4\">4</td>"));
}

#[test]
fn what_ends_first_comes_first() {
    let page = fixture();
    let ends = page.split_once("<section id=\"ends\"").unwrap().1;
    let places =
        ["audit mode", "exception</td>", "signatures if-present"].map(|what| ends.find(what).unwrap());
    assert!(places.is_sorted());
}

#[test]
fn a_grace_of_the_defaults_is_told_once() {
    let text = r#"
        schema = 1
        [defaults]
        mode = { audit = true, reason = "look first", until = 2026-12-31 }
        [[key]]
        id      = "acme"
        jwk     = { kty = "OKP", crv = "Ed25519", x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }
        origins = ["a.example", "b.example"]
        [[allow]]
        id   = "a"
        from = ["a.example"]
        [[allow]]
        id   = "b"
        from = ["b.example"]
    "#;
    let policy = TrustPolicy::read(text, "trust-policy.toml", &TOOL).unwrap();
    let page = page(Vec::new(), &policy);
    assert_eq!(page.matches("<td>audit mode</td>").count(), 1);
    assert!(page.contains("<bdi>a</bdi></code></span><span class=\"line\"><code><bdi>b</bdi>"));
}

#[test]
fn the_last_second_is_not_over() {
    let at = |seconds: i64| UnixTime::from_seconds(seconds);
    assert_eq!(Left::until(at(100), at(100)), Left::Soon { days: 0 });
    assert_eq!(Left::until(at(100), at(101)), Left::Ended { days: 0 });
    assert_eq!(Left::until(at(30 * SECONDS_PER_DAY), at(1)), Left::Soon { days: 29 });
    assert_eq!(Left::until(at(30 * SECONDS_PER_DAY), at(0)), Left::Later { days: 30 });
}
