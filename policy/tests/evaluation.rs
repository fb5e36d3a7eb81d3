//! What is found before the policy is asked is never overlooked.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

use countersign_keys::codes as key_codes;
use countersign_policy::codes::decision as codes;
use countersign_policy::{
    AdmissionRequest, CardFacts, FactFault, InterfaceFacts, Outcome, ProtocolVersion, Source, Tool,
    TrustPolicy, UnixTime, VersionFacts,
};

const TOOL: Tool = Tool { version: "0.1.0", forms: &["a2a-1.0"], default_forms: &["a2a-1.0"] };

const POLICY: &str = "schema = 1\n[[allow]]\nid = \"a\"\nfrom = [\"agents.example.com\"]\n\
                      signatures = { level = \"off\", reason = \"r\", until = 2099-12-31 }\n";

/// The codes of the decision about a card that is admitted but for `change`.
fn codes_with(policy: &str, change: impl FnOnce(&mut CardFacts<'_>)) -> Vec<&'static str> {
    let pointers = ["", "/url", "/protocolBinding", "/protocolVersion"];
    let mut interface = InterfaceFacts::new(0, pointers.map(|end| format!("/supportedInterfaces/0{end}")));
    interface.url = Some("https://agents.example.com/a2a");
    interface.binding = Some("JSONRPC");
    interface.version = VersionFacts::Known(ProtocolVersion::V1_0);
    let mut facts = CardFacts::default();
    facts.interfaces.push(interface);
    facts.auth.allows_anonymous = true;
    change(&mut facts);
    let policy = TrustPolicy::read(policy, "policy.toml", &TOOL).unwrap();
    let request = AdmissionRequest::new(Source::at("https://agents.example.com/card.json").unwrap());
    let decision = policy.evaluate(&request, &facts, UnixTime::from_seconds(1_800_000_000));
    assert_eq!(decision.outcome == Outcome::Admit, decision.codes().is_empty());
    decision.codes().into_iter().map(|code| code.name()).collect()
}

fn fault(code: countersign_keys::Code) -> FactFault {
    FactFault { code, message: "it is so".to_owned(), pointer: None }
}

#[test]
fn a_card_without_a_fault_is_admitted() {
    assert!(codes_with(POLICY, |_| {}).is_empty());
}

#[test]
fn a_card_that_nobody_can_use_is_denied() {
    let unusable = |facts: &mut CardFacts<'_>| facts.unusable = Some(fault(key_codes::JSON_TOO_LARGE));
    assert_eq!(codes_with(POLICY, unusable), ["json.too-large"]);
}

#[test]
fn a_card_whose_signatures_cover_too_little_together_is_denied() {
    let uncovered =
        |facts: &mut CardFacts<'_>| facts.coverage_fault = Some(fault(codes::SIG_UNCOVERED_MEMBER));
    assert_eq!(codes_with(POLICY, uncovered), ["sig.uncovered-member"]);
}

#[test]
fn signatures_that_were_not_looked_at_are_not_absent() {
    let policy = POLICY.replace("off", "if-present");
    let policy = policy.replace(
        "[[allow]]",
        "[[key]]\nid = \"k\"\njwk = { kty = \"OKP\", crv = \"Ed25519\", x = \"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\" }\n\
         origins = [\"agents.example.com\"]\n[[allow]]",
    );
    assert!(codes_with(&policy, |_| {}).is_empty());
    let unseen = |facts: &mut CardFacts<'_>| facts.signatures_fault = Some(fault(key_codes::SIG_MALFORMED));
    assert_eq!(codes_with(&policy, unseen), ["sig.malformed"]);
}
