//! What is found before the policy is asked is never overlooked.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

use countersign_keys::{Algorithm, Finding, SigningKey, codes as key_codes};
use countersign_policy::codes::decision as codes;
use countersign_policy::{
    AdmissionRequest, AgentMemory, CardFacts, CardParts, Decision, FactFault, InterfaceFacts, LazyDigest,
    Outcome, PinDigest, PinMemory, ProtocolVersion, SignatureFacts, SignatureState, Source, Tool,
    TrustPolicy, UnixTime, UrlFacts, VersionFacts,
};

const TOOL: Tool = Tool { version: "0.1.0", forms: &["a2a-1.0"], default_forms: &["a2a-1.0"] };

const POLICY: &str = "schema = 1\n[[allow]]\nid = \"a\"\nfrom = [\"agents.example.com\"]\n\
                      signatures = { level = \"off\", reason = \"r\", until = 2099-12-31 }\n";

/// The codes of the decision about a card that is admitted but for `change`.
fn codes_with(policy: &str, change: impl FnOnce(&mut CardFacts<'_>)) -> Vec<&'static str> {
    names(&decided(policy, PinMemory::NotKept, change))
}

fn names(decision: &Decision) -> Vec<&'static str> {
    decision.codes().into_iter().map(|code| code.name()).collect()
}

/// One that every policy here allows.
fn interface(facts: &mut CardFacts<'_>) {
    let pointers = ["", "/url", "/protocolBinding", "/protocolVersion"];
    let mut interface =
        InterfaceFacts::new(0, pointers.map(|end| format!("/supportedInterfaces/0{end}").into()));
    interface.url = Some("https://agents.example.com/a2a");
    interface.binding = Some("JSONRPC");
    interface.version = VersionFacts::Known(ProtocolVersion::V1_0);
    facts.interfaces.push(interface);
}

fn decided(policy: &str, memory: PinMemory<'_>, change: impl FnOnce(&mut CardFacts<'_>)) -> Decision {
    let mut facts = CardFacts::default();
    interface(&mut facts);
    facts.auth.allows_anonymous = true;
    change(&mut facts);
    let policy = TrustPolicy::read(policy, "policy.toml", &TOOL).unwrap();
    let request = AdmissionRequest::new(Source::at("https://agents.example.com/card.json").unwrap());
    let now = UnixTime::from_seconds(1_800_000_000);
    let decision = policy.choose(&request).evaluate(facts, memory, now);
    assert_eq!(decision.outcome == Outcome::Admit, decision.codes().is_empty());
    decision
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

/// A card of which everything is known that is compared.
fn compared(facts: &mut CardFacts<'_>) {
    let digest = PinDigest::of(b"card");
    facts.sha256 = Some(LazyDigest::of(b"card".to_vec()));
    facts.parts = Some(CardParts { digest, structure: [].into(), text: [].into() });
}

#[test]
fn the_rule_of_a_choice_is_that_of_the_request_and_its_decision_that_of_the_policy() {
    let policy = TrustPolicy::read(POLICY, "policy.toml", &TOOL).unwrap();
    let now = UnixTime::from_seconds(1_800_000_000);
    for url in ["https://agents.example.com/card.json", "https://elsewhere.example/card.json"] {
        let request = AdmissionRequest::new(Source::at(url).unwrap());
        let id = |rule: &countersign_policy::AllowRule| rule.id.clone();
        assert_eq!(policy.choose(&request).rule().map(id), policy.rule_for(&request).map(id), "{url}");
        let facts = CardFacts::default();
        let whole = policy.evaluate(&request, &facts, now);
        let chosen = policy.choose(&request).evaluate(facts, PinMemory::NotKept, now);
        assert_eq!(format!("{whole:?}"), format!("{chosen:?}"), "{url}");
    }
}

#[test]
fn a_card_that_cannot_be_compared_is_denied_where_cards_are_remembered() {
    let memory = AgentMemory::default();
    let kept = PinMemory::Kept(&memory);
    let pinned = format!("{POLICY}pin = {{}}\n");
    for policy in [POLICY, pinned.as_str()] {
        assert!(names(&decided(policy, kept, compared)).is_empty());
        assert_eq!(names(&decided(policy, kept, |_| {})), ["pin.structure"]);
        let without_digest = |facts: &mut CardFacts<'_>| {
            compared(facts);
            facts.sha256 = None;
        };
        assert_eq!(names(&decided(policy, kept, without_digest)), ["pin.structure"]);
        assert!(names(&decided(policy, PinMemory::NotKept, |_| {})).is_empty());
    }
}

#[test]
fn a_decision_says_whether_earlier_cards_were_looked_at() {
    let memory = AgentMemory::default();
    let pinned = format!("{POLICY}pin = {{}}\n");
    let kept = decided(&pinned, PinMemory::Kept(&memory), compared);
    assert!(kept.pins.is_some() && !kept.not_checked.contains(&"pins"));
    let not_kept = decided(&pinned, PinMemory::NotKept, compared);
    assert!(not_kept.pins.is_none() && not_kept.not_checked.contains(&"pins"));
    let codes: Vec<_> = not_kept.findings.iter().map(|finding| finding.code.name()).collect();
    assert!(codes.contains(&"pin.not-kept"), "{codes:?}");
    // A rule without `pin` asks for none of it.
    let plain = decided(POLICY, PinMemory::NotKept, compared);
    assert!(!plain.not_checked.contains(&"pins"));
}

#[test]
fn a_version_that_is_too_long_to_be_remembered_has_no_place_in_any_order() {
    let pinned = format!("{POLICY}pin = {{}}\n");
    let mut memory = AgentMemory::default();
    let with_version = |facts: &mut CardFacts<'_>, version: &'static str| {
        compared(facts);
        facts.version = Some(version);
    };
    let first = decided(&pinned, PinMemory::Kept(&memory), |facts| with_version(facts, "1.0.0"));
    memory.remember(first.pins.unwrap().card, UnixTime::from_seconds(1_800_000_000));
    let long: &'static str = format!("2.0.0-{}", "a".repeat(251)).leak();
    let shorter: &'static str = format!("2.0.0-{}", "a".repeat(250)).leak();
    for (version, codes) in [(long, vec!["pin.rollback"]), (shorter, vec![])] {
        let other = decided(&pinned, PinMemory::Kept(&memory), |facts| {
            with_version(facts, version);
            facts.parts.as_mut().unwrap().digest = PinDigest::of(b"other");
        });
        assert_eq!(names(&other), codes, "{}", version.len());
    }
}

/// A policy with a key for each id, two of which must have signed.
fn two_of(ids: &[&str]) -> TrustPolicy {
    let key = |id: &&str| {
        let key = SigningKey::generate(Algorithm::EdDsa).unwrap();
        let jwk = key.verifying_key().to_jwk(None, None).unwrap().replace("\":", "\" = ");
        format!("[[key]]\nid = \"{id}\"\njwk = {jwk}\norigins = [\"agents.example.com\"]\n")
    };
    let keys: String = ids.iter().map(key).collect();
    let rule = "[[allow]]\nid = \"a\"\nfrom = [\"agents.example.com\"]\n\
                signatures.require = { keys = \"*origin\", min = 2 }\ncache.max-ttl = \"1h\"\n";
    TrustPolicy::read(&format!("schema = 1\n{keys}{rule}"), "policy.toml", &TOOL).unwrap()
}

/// A good signature by the key with this id that leaves so much of the card uncovered.
fn signature(policy: &TrustPolicy, index: usize, id: &str, uncovered_octets: usize) -> SignatureFacts {
    let key = policy.keys().iter().find(|key| key.id == id).unwrap();
    let mut facts = SignatureFacts::new(index, SignatureState::Verified);
    facts.thumbprint = Some(key.trusted.thumbprint());
    facts.algorithm = Some(Algorithm::EdDsa);
    facts.uncovered_octets = uncovered_octets;
    facts
}

#[test]
fn as_many_signatures_count_as_are_needed_each_of_another_key_those_that_cover_most() {
    let policy = two_of(&["a", "b", "c"]);
    let request = AdmissionRequest::new(Source::at("https://agents.example.com/card.json").unwrap());
    let counted = |signatures: &[(&str, usize)]| {
        let signatures: Vec<_> = signatures
            .iter()
            .enumerate()
            .map(|(index, (id, uncovered))| signature(&policy, index, id, *uncovered))
            .collect();
        policy.choose(&request).count(&signatures, PinMemory::NotKept, UnixTime::from_seconds(1_800_000_000))
    };
    assert_eq!(counted(&[("a", 9), ("b", 1), ("c", 2)]), [1, 2]);
    assert_eq!(counted(&[("a", 1), ("b", 1), ("c", 1)]), [0, 1]);
    assert_eq!(counted(&[("a", 1), ("a", 0), ("c", 5)]), [1, 2]);
    assert_eq!(counted(&[("a", 1), ("a", 0)]), [1]);
    assert!(counted(&[]).is_empty());
}

#[test]
fn an_answer_ends_with_the_signatures_that_it_rests_on() {
    let policy = two_of(&["a", "b", "c"]);
    let request = AdmissionRequest::new(Source::at("https://agents.example.com/card.json").unwrap());
    let now = UnixTime::from_seconds(1_800_000_000);
    let mut facts = CardFacts::default();
    facts.signatures =
        vec![signature(&policy, 0, "a", 0), signature(&policy, 1, "b", 0), signature(&policy, 2, "c", 9)];
    let until = |facts: &CardFacts<'_>| {
        let mut facts = facts.clone();
        interface(&mut facts);
        policy.evaluate(&request, &facts, now).expires_at.seconds() - now.seconds()
    };
    assert_eq!(until(&facts), 3_600);
    facts.signatures[1].expires_at = Some(UnixTime::from_seconds(now.seconds() + 60));
    assert_eq!(until(&facts), 60);
    // The third is not counted.
    facts.signatures[1].expires_at = None;
    facts.signatures[2].expires_at = Some(UnixTime::from_seconds(now.seconds() + 60));
    assert_eq!(until(&facts), 3_600);
}

#[test]
fn a_url_for_people_that_cannot_be_read_is_told_with_and_without_deny_rules() {
    let denying = format!("{POLICY}[[deny]]\nid = \"d\"\nhosts = [\"evil.example\"]\nreason = \"r\"\n");
    for policy in [POLICY, denying.as_str()] {
        let told = |url: &'static str| {
            let decision = decided(policy, PinMemory::NotKept, |facts| {
                facts.information_urls.push(UrlFacts { pointer: "/iconUrl".into(), url });
            });
            let is_it = |finding: &&Finding| finding.pointer.as_deref() == Some("/iconUrl");
            let findings = decision.findings.iter().filter(is_it).map(|finding| finding.code.name());
            (decision.outcome, findings.collect::<Vec<_>>())
        };
        assert_eq!(told("https://agents.example.com/icon.png?a#b"), (Outcome::Admit, vec![]));
        assert_eq!(told("javascript:alert(1)"), (Outcome::Admit, vec!["url.not-absolute"]));
    }
}
