//! What is structure, what is text, and what becomes of a change that is blocked.

use serde_json::{Value, json};

use crate::support::{Desk, Folder, NOW, SOURCE, at, card, request, signed, with};

const STRICT: &str = "pin = { structure = \"deny\", text = \"deny\" }";

/// Changes of a card, and where they are found.
fn changes() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    let skills = |skill: Value| json!([skill]);
    let skill = card("1.0.0")["skills"][0].clone();
    vec![
        ("/supportedInterfaces/0/tenant", json!("t1"), "pin.structure", "/supportedInterfaces"),
        ("/capabilities/streaming", json!(false), "pin.structure", "/capabilities"),
        ("/capabilities/extensions/0/required", json!(true), "pin.structure", "/capabilities"),
        ("/capabilities/extensions/0/params", json!({"description": 1}), "pin.structure", "/capabilities"),
        (
            "/securitySchemes/bearer/httpAuthSecurityScheme/scheme",
            json!("Basic"),
            "pin.structure",
            "/securitySchemes",
        ),
        // A scheme whose name is the name of a text.
        (
            "/securitySchemes/description",
            json!({"mtlsSecurityScheme": {}}),
            "pin.structure",
            "/securitySchemes",
        ),
        ("/securityRequirements", json!([]), "pin.structure", "/securityRequirements"),
        (
            "/provider",
            json!({"url": "https://acme.example", "organization": "Acme"}),
            "pin.structure",
            "/provider",
        ),
        (
            "/skills",
            skills(with(
                skill.clone(),
                "/securityRequirements",
                json!([{"schemes": {"bearer": {"list": []}}}]),
            )),
            "pin.structure",
            "/skills",
        ),
        ("/name", json!("Agent 2"), "pin.text", "/name"),
        ("/description", json!("Adds."), "pin.text", "/description"),
        ("/iconUrl", json!("https://agents.acme.example/icon.png"), "pin.text", "/iconUrl"),
        ("/documentationUrl", json!("https://agents.acme.example/"), "pin.text", "/documentationUrl"),
        ("/defaultInputModes", json!(["text/html"]), "pin.text", "/defaultInputModes"),
        ("/skills", json!([]), "pin.text", "/skills"),
        ("/skills", skills(with(skill.clone(), "/tags", json!(["math", "sums"]))), "pin.text", "/skills"),
        ("/skills", skills(with(skill, "/examples", json!(["1 + 1"]))), "pin.text", "/skills"),
        ("/capabilities/extensions/0/description", json!("Another."), "pin.text", "/capabilities"),
        (
            "/securitySchemes/bearer/httpAuthSecurityScheme/description",
            json!("Another."),
            "pin.text",
            "/securitySchemes",
        ),
    ]
}

#[test]
fn every_member_belongs_to_the_structure_or_to_the_texts() {
    let folder = Folder::new("parts");
    let pins = folder.pins();
    let desk = Desk::new(STRICT, &pins);
    assert!(desk.codes(&signed(&card("1.0.0"))).is_empty());
    for (pointer, value, code, place) in changes() {
        let changed = with(card("1.0.0"), pointer, value.clone());
        let decision = desk.decide(&signed(&changed));
        let codes: Vec<_> = decision.codes().iter().map(|code| code.name()).collect();
        assert_eq!(codes, [code], "{pointer} {value}");
        let pins = decision.pins.unwrap();
        let found = if code == "pin.structure" { &pins.structure } else { &pins.text };
        assert_eq!(found, &[place], "{pointer} {value}");
        assert!(decision.reasons[0].message.contains(place), "{pointer}");
        // With a newer version the same change is a release.
        let memory = desk.pins.memory(&request(SOURCE).source).unwrap();
        let memory = countersign::PinMemory::Kept(&memory);
        let release = crate::support::read(&signed(&with(changed, "/version", json!("1.0.1"))));
        let release = release.decide_remembered(&desk.policy, &request(SOURCE), &[], memory, at(NOW));
        assert!(release.reasons.is_empty(), "{pointer}: {:?}", release.reasons);
    }
}

#[test]
fn by_default_structure_is_denied_and_wording_is_reported() {
    let folder = Folder::new("defaults");
    let pins = folder.pins();
    let desk = Desk::new("pin = {}", &pins);
    assert!(desk.codes(&signed(&card("1.0.0"))).is_empty());
    assert_eq!(
        desk.codes(&signed(&with(
            card("1.0.0"),
            "/provider",
            json!({"url": "https://a.example", "organization": "A"})
        ))),
        ["pin.structure"]
    );
    let reworded = signed(&with(card("1.0.0"), "/description", json!("Adds.")));
    assert_eq!(desk.reported(&reworded), ["pin.text"]);
    // It was admitted, so it is the card that the next one is compared with.
    assert!(desk.reported(&reworded).is_empty());
    assert_eq!(desk.reported(&signed(&card("1.0.0"))), ["pin.text"]);
}

#[test]
fn a_change_that_is_blocked_is_never_remembered() {
    let folder = Folder::new("blocked");
    let pins = folder.pins();
    let desk = Desk::new(STRICT, &pins);
    let (good, bad) = (signed(&card("1.0.0")), signed(&with(card("1.0.0"), "/description", json!("Adds."))));
    assert!(desk.codes(&good).is_empty());
    let epoch = pins.epoch().unwrap();
    for _ in 0..3 {
        assert_eq!(desk.codes(&bad), ["pin.text"]);
        assert_eq!(pins.epoch().unwrap(), epoch);
    }
    // Also where the denial is not enforced.
    let audit =
        Desk::new(&format!("{STRICT}\nmode = {{ audit = true, reason = \"r\", until = 2026-12-31 }}"), &pins);
    let decision = audit.decide(&bad);
    assert!(!decision.enforced && decision.lets_pass());
    assert_eq!(pins.epoch().unwrap(), epoch);
    assert_eq!(desk.codes(&bad), ["pin.text"]);
    assert!(desk.codes(&good).is_empty());
}

#[test]
fn what_is_only_written_in_another_way_is_the_same_card() {
    let folder = Folder::new("respelled");
    let pins = folder.pins();
    let desk = Desk::new(STRICT, &pins);
    let unsigned = card("1.0.0");
    let desk =
        Desk { policy: crate::support::policy(&format!("{}\n{STRICT}", crate::support::IF_PRESENT)), ..desk };
    assert!(desk.codes(&unsigned).is_empty());
    let epoch = pins.epoch().unwrap();
    for (pointer, value) in [
        ("/iconUrl", json!(null)),
        ("/supportedInterfaces/0/tenant", json!("")),
        ("/capabilities/extensions/0/required", json!(false)),
        ("/signatures", json!([])),
    ] {
        assert!(desk.codes(&with(unsigned.clone(), pointer, value)).is_empty(), "{pointer}");
    }
    assert_eq!(pins.epoch().unwrap(), epoch);
    // A member that nobody knows may mean something to somebody.
    assert_eq!(desk.codes(&with(unsigned, "/x-note", json!(1))), ["pin.structure"]);
}

#[test]
fn agents_of_one_host_are_remembered_apart() {
    let folder = Folder::new("agents");
    let pins = folder.pins();
    let desk = Desk::new(STRICT, &pins);
    let (one, other) = (signed(&card("2.0.0")), signed(&with(card("1.0.0"), "/name", json!("B"))));
    let from = |card: &Value, path: &str| {
        let url = format!("https://agents.acme.example{path}");
        crate::support::decision(desk.admit_from(card, &url, NOW)).codes()
    };
    assert!(from(&one, "/a.json").is_empty());
    assert!(from(&other, "/b.json").is_empty());
    assert!(from(&other, "/a.json?id=2").is_empty());
    assert_eq!(from(&other, "/a.json")[0].name(), "pin.rollback");
    let shouted = desk.admit_from(&other, "https://AGENTS.acme.example:443/a.json", NOW);
    assert_eq!(crate::support::decision(shouted).codes()[0].name(), "pin.rollback");
    assert_eq!(pins.list().unwrap().agents.len(), 3);
}

#[test]
fn a_memory_has_another_digest_when_a_decision_may_be_another_one() {
    let folder = Folder::new("digest");
    let pins = folder.pins();
    let desk = Desk::new(STRICT, &pins);
    let digest = || {
        let memory = pins.memory(&request(SOURCE).source).unwrap();
        countersign::PinMemory::Kept(&memory).digest()
    };
    let mut seen = vec![countersign::PinMemory::NotKept.digest(), digest()];
    let good = signed(&card("1.0.0"));
    desk.codes(&good);
    seen.push(digest());
    desk.codes(&good);
    assert_eq!(seen.last(), Some(&digest()));
    pins.accept(countersign::PinDigest::of(b"another card"), at(NOW)).unwrap();
    seen.push(digest());
    pins.revoke(countersign::PinDigest::of(b"another card"), at(NOW)).unwrap();
    seen.push(digest());
    let count = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), count);
}
