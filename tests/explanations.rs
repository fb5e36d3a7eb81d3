//! What an explanation proposes admits the card, every part of it is needed, and nothing answers what was not signed.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed expectation must stop the test")]

#[path = "support/agent.rs"]
mod agent;
#[path = "support/policies.rs"]
mod policies;

use agent::{card, changed, entry, read, with_entries};
use countersign::policy::WhyNot;
use countersign::{AdmissionRequest, Form, Outcome, Source, TrustPolicy, UnixTime, UntrustedCard};
use policies::policy_with;
use serde_json::{Value, json};

const NOW: UnixTime = UnixTime::from_seconds(1_800_000_000);
const SOURCE: &str = "https://agent.example.com/.well-known/agent-card.json";
const K1: &str = r#"{"alg":"EdDSA","typ":"JOSE","kid":"k1"}"#;

fn signed(card: &Value) -> UntrustedCard {
    with_entries(card, [entry(card, Form::A2a10, K1, 1)])
}

fn request(source: &str) -> AdmissionRequest {
    AdmissionRequest::new(Source::at(source).unwrap())
}

/// The proposed changes in words, after each was taken out once to see that it is needed.
fn changes(policy: &TrustPolicy, request: &AdmissionRequest, card: &UntrustedCard) -> Vec<String> {
    let explanation = card.explain(policy, request, &[], NOW);
    let with = |left_out: usize| {
        let changes = explanation.changes.iter().enumerate().filter(|(index, _)| *index != left_out);
        changes.fold(policy.clone(), |policy, (_, change)| policy.with(change))
    };
    let count = explanation.changes.len();
    if count > 0 {
        assert_eq!(card.decide(&with(count), request, &[], NOW).outcome, Outcome::Admit);
        for left_out in 0..count {
            let decision = card.decide(&with(left_out), request, &[], NOW);
            assert_eq!(decision.outcome, Outcome::Deny, "{} is not needed", explanation.changes[left_out]);
        }
    }
    explanation.changes.iter().map(ToString::to_string).collect()
}

fn with_url(url: &str) -> Value {
    changed(|card| card["supportedInterfaces"][0]["url"] = json!(url))
}

#[test]
fn one_reason_has_one_change() {
    let version = changed(|card| card["supportedInterfaces"][0]["protocolVersion"] = json!("0.3"));
    let binding = changed(|card| card["supportedInterfaces"][0]["protocolBinding"] = json!("GRPC"));
    let open = changed(|card| card["securityRequirements"] = json!([]));
    let oauth = changed(|card| {
        card["securitySchemes"] = json!({"o": {"oauth2SecurityScheme": {"flows": {"clientCredentials":
            {"tokenUrl": "https://login.example.com/t", "scopes": {"a": "b"}}}}}});
        card["securityRequirements"] = json!([{"schemes": {"o": {"list": ["a"]}}}]);
    });
    for (rule, card, expected) in [
        (
            "",
            with_url("https://b.example.com/"),
            "add `\"b.example.com\"` to `interfaces.hosts` of rule `agent`",
        ),
        (
            "",
            with_url("https://agent.example.com:8443/"),
            "add `\"agent.example.com:8443\"` to `interfaces.hosts` of rule `agent`",
        ),
        ("", with_url("https://10.0.0.7/"), "add `\"10.0.0.7\"` to `interfaces.hosts` of rule `agent`"),
        ("", with_url("http://agent.example.com/"), "add `\"http\"` to `interfaces.schemes` of rule `agent`"),
        ("interfaces.paths = [\"/v1/\"]", card(), "add `\"/a2a\"` to `interfaces.paths` of rule `agent`"),
        ("", version, "add `\"0.3\"` to `interfaces.versions` of rule `agent`"),
        (
            "interfaces.bindings = [\"JSONRPC\"]",
            binding,
            "add `\"GRPC\"` to `interfaces.bindings` of rule `agent`",
        ),
        (
            "signatures.algorithms = [\"ES256\"]",
            card(),
            "add `\"EdDSA\"` to `signatures.algorithms` of rule `agent`",
        ),
        ("signatures.max-age = \"1d\"", card(), "remove `signatures.max-age` from rule `agent`"),
        ("auth.anonymous = \"deny\"", open, "set `auth.anonymous = \"report\"` in rule `agent`"),
        ("", oauth, "add `\"login.example.com\"` to `auth.hosts` of rule `agent`"),
        (
            "signatures.require = { keys = \"*origin\", min = 2 }",
            card(),
            "set `min = 1` in group 0 of the keys that rule `agent` needs",
        ),
    ] {
        let policy = policy_with("", rule);
        assert_eq!(changes(&policy, &request(SOURCE), &signed(&card)), [expected], "{rule}");
    }
}

#[test]
fn context_and_deny_rules_have_changes_too() {
    let mut for_sales = request(SOURCE);
    for_sales.tenant = Some("sales".to_owned());
    for_sales.purpose = Some("forecasts".to_owned());
    let tenants = policy_with("", "tenants = [\"finance\"]");
    let card = signed(&card());
    assert_eq!(changes(&tenants, &for_sales, &card), ["add `\"sales\"` to `tenants` of rule `agent`"]);
    let uses = policy_with("", "uses = [\"travel\"]");
    assert_eq!(changes(&uses, &for_sales, &card), ["add `\"forecasts\"` to `uses` of rule `agent`"]);
    let denied = policy_with("[[deny]]\nid = \"d\"\nhosts = [\"**.example.com\"]\nreason = \"r\"", "");
    assert_eq!(changes(&denied, &request(SOURCE), &card), ["remove the deny rule `d`"]);
    let unsigned = read(&agent::card());
    assert_eq!(
        changes(&policy_with("", ""), &request(SOURCE), &unsigned),
        ["set `signatures.level = \"if-present\"` in rule `agent`, with `reason` and `until`"]
    );
}

#[test]
fn an_interface_that_the_client_speaks_may_be_the_one_that_was_dropped() {
    let two = changed(|card| {
        let list = card["supportedInterfaces"].as_array_mut().unwrap();
        list.push(
            json!({"url": "grpc.example.com:443", "protocolBinding": "GRPC", "protocolVersion": "1.0"}),
        );
    });
    let mut grpc = request(SOURCE);
    grpc.accept = Some(vec!["1.0/GRPC".parse().unwrap()]);
    let expected = ["add `\"grpc.example.com\"` to `interfaces.hosts` of rule `agent`"];
    assert_eq!(changes(&policy_with("", ""), &grpc, &signed(&two)), expected);
}

#[test]
fn several_reasons_need_several_changes_and_one_interface_is_enough() {
    let two = changed(|card| {
        card["supportedInterfaces"] = json!([
            {"url": "https://b.example.com/", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
            {"url": "https://c.example.com/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
        ]);
    });
    let proposed = changes(&policy_with("", "signatures.max-age = \"1d\""), &request(SOURCE), &signed(&two));
    assert_eq!(proposed.len(), 2, "{proposed:?}");
    assert!(proposed.iter().all(|change| !change.contains("b.example.com")), "{proposed:?}");
}

#[test]
fn nothing_answers_what_was_not_signed_or_cannot_be_read() {
    let tampered =
        with_entries(&with_url("https://agent.example.com/b"), [entry(&card(), Form::A2a10, K1, 1)]);
    let unreadable = signed(&with_url("https://agent.example.com@evil.test/"));
    for (card, code) in [(tampered, "sig.invalid"), (unreadable, "url.userinfo")] {
        let explanation = card.explain(&policy_with("", ""), &request(SOURCE), &[], NOW);
        assert!(explanation.changes.is_empty());
        let codes: Vec<_> = explanation.beyond_policy.iter().map(|reason| reason.code.name()).collect();
        assert_eq!(codes, [code]);
    }
}

#[test]
fn a_rule_that_was_not_picked_says_why() {
    let more = "[[allow]]\nid = \"wide\"\nfrom = [\"*.example.com\"]\n\
                [[allow]]\nid = \"elsewhere\"\nfrom = [\"agents.example.com\"]\n\
                signatures = { level = \"off\", reason = \"r\", until = 2099-12-31 }\n\
                [[allow]]\nid = \"tenant\"\nfrom = [\"**.example.com\"]\ntenants = [\"t*\"]\n\
                [[allow]]\nid = \"registry\"\nfrom = [\"agent.example.com\"]\nsources = [\"registry:r\"]\n";
    let policy = policy_with(more, "sources = [\"well-known\"]");
    let why = |id| policy.why_not(id, &request(SOURCE));
    assert_eq!(why("agent"), Some(WhyNot::Picked));
    assert_eq!(why("wide"), Some(WhyNot::LessSpecific { picked: "agent".to_owned() }));
    assert!(matches!(why("elsewhere"), Some(WhyNot::Source(Some(_)))));
    assert_eq!(why("tenant"), Some(WhyNot::Tenant(vec!["t*".to_owned()])));
    assert_eq!(why("registry"), Some(WhyNot::Kind(vec!["registry:r".to_owned()])));
    assert_eq!(why("nobody"), None);
}
