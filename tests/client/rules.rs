//! The rules for clients that the field agreed on, each by the number that it has in the list of our protocol notes.

use countersign::client::{Agent, ClientError};
use countersign::{
    AdmissionRequest, Fallback, ProtocolChoice, ProtocolVersion, SelectTerms, Source, VersionNotSupported,
};
use serde_json::{Value, json};

use crate::agent::{card, changed};
use crate::interface::refusal;
use crate::web::{AGENT, CARD, at, client, policy, signed, the_agent};

const BOTH: &str = "interfaces.versions = [\"0.3\", \"1.0\"]";

fn accepting(protocol: ProtocolChoice, fallback: Fallback) -> Agent {
    let accept = ["1.0/JSONRPC", "0.3/JSONRPC"].map(|text| text.parse().unwrap());
    let mut terms = SelectTerms::accepting(accept);
    terms.protocol = protocol;
    terms.fallback = fallback;
    Agent::at(AGENT, terms).unwrap()
}

fn interface(path: &str, version: &str) -> Value {
    json!({"url": format!("https://agent.example.com{path}"), "protocolBinding": "JSONRPC", "protocolVersion": version})
}

fn offering(interfaces: &[Value]) -> Value {
    changed(|card| card["supportedInterfaces"] = interfaces.to_vec().into())
}

/// The version that is selected of a card that offers these, or the code of the error.
fn selected(agent: &Agent, interfaces: &[Value]) -> String {
    let (client, web) = client(policy("", BOTH));
    web.put(CARD, signed(&offering(interfaces), 1), "");
    match client.interface(agent, at(0)) {
        Ok(interface) => format!("{} {}", interface.version(), interface.url()),
        Err(error) => error.code().name().to_owned(),
    }
}

#[test]
fn rule_02_the_choice_is_auto_and_the_fallback_is_another_switch() {
    let terms = SelectTerms::default();
    assert_eq!((terms.protocol, terms.fallback), (ProtocolChoice::Auto, Fallback::Deny));
    let old_only = [interface("/v1", "0.3")];
    assert_eq!(
        selected(&accepting(ProtocolChoice::Auto, Fallback::Deny), &old_only),
        "iface.none-compatible"
    );
    assert_eq!(
        selected(&accepting(ProtocolChoice::Auto, Fallback::Allow), &old_only),
        "0.3 https://agent.example.com/v1"
    );
    assert_eq!(
        selected(&accepting(ProtocolChoice::V0_3, Fallback::Deny), &old_only),
        "0.3 https://agent.example.com/v1"
    );
}

#[test]
fn rule_03_auto_prefers_1_0_in_the_order_of_the_card() {
    let interfaces = [interface("/old", "0.3"), interface("/first", "1.0"), interface("/second", "1.0")];
    let agent = accepting(ProtocolChoice::Auto, Fallback::Allow);
    assert_eq!(selected(&agent, &interfaces), "1.0 https://agent.example.com/first");
}

#[test]
fn rule_04_only_version_not_supported_downgrades_and_only_if_allowed() {
    let interfaces = [interface("/new", "1.0"), interface("/old", "0.3")];
    let (client, web) = client(policy("", BOTH));
    web.put(CARD, signed(&offering(&interfaces), 1), "max-age=300");
    let allowed = accepting(ProtocolChoice::Auto, Fallback::Allow);
    let first = client.interface(&allowed, at(0)).unwrap();
    assert_eq!(first.version(), ProtocolVersion::V1_0);
    let second = client.fall_back(&allowed, refusal(), at(1)).unwrap();
    assert_eq!(second.url(), "https://agent.example.com/old");
    let next = client.interface(&allowed, at(2)).unwrap();
    assert_eq!(next.url(), second.url(), "it stays selected");
    let denied = accepting(ProtocolChoice::Auto, Fallback::Deny);
    let error = client.fall_back(&denied, refusal(), at(1)).unwrap_err();
    assert_eq!(error.code().name(), "iface.none-compatible");
    // Anything else than that error is no evidence of it.
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"task not found"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ] {
        assert!(VersionNotSupported::from_json_rpc(body).is_err(), "{body}");
    }
    for status in [401, 403, 404, 408, 500, 503] {
        assert!(VersionNotSupported::from_http(status, "{}").is_err(), "{status}");
    }
}

#[test]
fn rule_05_strict_1_0_never_selects_0_3() {
    let agent = accepting(ProtocolChoice::V1, Fallback::Allow);
    assert_eq!(selected(&agent, &[interface("/v1", "0.3")]), "iface.none-compatible");
    let (client, web) = client(policy("", BOTH));
    web.put(CARD, signed(&offering(&[interface("/new", "1.0"), interface("/old", "0.3")]), 1), "");
    client.interface(&agent, at(0)).unwrap();
    let error = client.fall_back(&agent, refusal(), at(0)).unwrap_err();
    assert_eq!(error.code().name(), "iface.none-compatible");
}

#[test]
fn rule_06_each_interface_declares_its_own_url_binding_and_version() {
    let agent = accepting(ProtocolChoice::Auto, Fallback::Deny);
    let mut silent = interface("/silent", "1.0");
    silent.as_object_mut().unwrap().remove("protocolVersion");
    assert_eq!(
        selected(&agent, &[silent.clone(), interface("/a2a", "1.0")]),
        "1.0 https://agent.example.com/a2a"
    );
    assert_ne!(selected(&agent, &[silent]), "1.0 https://agent.example.com/silent");
}

#[test]
fn rule_07_a_1_0_claim_with_only_the_members_of_0_3_is_refused() {
    let (client, web) = client(policy("", BOTH));
    let contradictory = changed(|card| {
        let card = card.as_object_mut().unwrap();
        card.remove("supportedInterfaces");
        card.insert("protocolVersion".to_owned(), "1.0".into());
        card.insert("url".to_owned(), "https://agent.example.com/a2a".into());
        card.insert("preferredTransport".to_owned(), "JSONRPC".into());
    });
    web.put(CARD, contradictory.to_string(), "");
    let error = client.interface(&the_agent(), at(0)).unwrap_err();
    let ClientError::Denied(admission) = error else { panic!("{error}") };
    let codes: Vec<_> = admission.answer.decision().codes().iter().map(|code| code.name()).collect();
    assert!(codes.contains(&"card.legacy-shape"), "{codes:?}");
}

#[test]
fn rule_08_interfaces_are_kept_by_version_binding_and_url_and_registration_clears_the_selected_one() {
    let interfaces = [interface("/a2a", "1.0"), interface("/a2a", "0.3")];
    let (client, web) = client(policy("", BOTH));
    web.put(CARD, signed(&offering(&interfaces), 1), "max-age=300");
    let agent = accepting(ProtocolChoice::Auto, Fallback::Deny);
    client.interface(&agent, at(0)).unwrap();
    let find = |version, binding, url: &str| {
        client.cache().interface(agent.scope(), version, binding, url, at(0)).map(|found| found.version())
    };
    let url = "https://agent.example.com/a2a";
    assert_eq!(find(ProtocolVersion::V1_0, "JSONRPC", url), Some(ProtocolVersion::V1_0));
    let old = ProtocolVersion::V0_3;
    assert_eq!(find(old, "JSONRPC", url), Some(old));
    assert_eq!(find(ProtocolVersion::V1_0, "GRPC", url), None);
    assert_eq!(find(ProtocolVersion::V1_0, "JSONRPC", "https://agent.example.com/"), None);
    // The agent is registered again, and its card cannot be had.
    web.close();
    assert!(client.admit(&agent, at(300)).is_err());
    assert!(client.cache().selected(agent.scope(), at(0)).is_none());
}

#[test]
fn rule_09_the_inventory_names_rule_version_binding_and_url() {
    let (client, _web) = client(policy("", ""));
    client.interface(&the_agent(), at(0)).unwrap();
    let entries: Vec<_> = client.cache().entries(at(0)).collect();
    let [entry] = entries.as_slice() else { panic!("one agent") };
    assert_eq!(entry.rule.as_deref(), Some("agent"));
    assert_eq!(entry.interface.version(), ProtocolVersion::V1_0);
    assert_eq!(entry.interface.binding(), "JSONRPC");
    assert_eq!(entry.interface.url(), "https://agent.example.com/a2a");
    assert_eq!(client.cache().entries(at(10_000)).count(), 0);
}

#[test]
fn rule_14_a_card_below_a_prefix_and_a_version_for_each_url() {
    let (client, web) = client(policy("", BOTH));
    let prefixed = "https://agent.example.com/agents/7/.well-known/agent-card.json";
    let interfaces = [interface("/agents/7", "1.0"), interface("/agents/7/v1", "0.3")];
    web.put(prefixed, signed(&offering(&interfaces), 1), "max-age=300");
    let agent = Agent::at("https://agent.example.com/agents/7", crate::web::terms()).unwrap();
    let interface = client.interface(&agent, at(0)).unwrap();
    assert_eq!(interface.url(), "https://agent.example.com/agents/7");
    // A 1.0 request on the address of 0.3: `/v1` in a URL is no evidence of a version.
    let alias = client.cache().interface(
        agent.scope(),
        ProtocolVersion::V1_0,
        "JSONRPC",
        "https://agent.example.com/agents/7/v1",
        at(0),
    );
    assert_eq!(alias, None);
}

#[test]
fn rule_15_the_header_is_exactly_major_and_minor() {
    let (client, web) = client(policy("", ""));
    client.admit(&the_agent(), at(0)).unwrap();
    assert!(!web.last_headers().iter().any(|(name, _)| name == "a2a-version"), "absent means 0.3");
    client.admit(&the_agent().asked_with_version(ProtocolVersion::V1_0), at(0)).unwrap();
    let version = web.last_headers().into_iter().find(|(name, _)| name == "a2a-version");
    assert_eq!(version.map(|(_, value)| value).as_deref(), Some("1.0"));
    for text in ["1", "1.0.0", "v1.0", " 1.0", "01.0", ""] {
        assert!(ProtocolVersion::from_header(text).is_err(), "{text:?}");
    }
    let interface = client.interface(&the_agent(), at(0)).unwrap();
    assert_eq!(interface.a2a_version().as_deref(), Some("1.0"));
}

#[test]
fn rule_16_cards_for_different_versions_are_not_mixed() {
    let (client, web) = client(policy("", BOTH));
    let headers = [
        ("content-type", "application/json"),
        ("cache-control", "max-age=300"),
        ("vary", "A2A-Version, Accept"),
    ];
    web.put_with(CARD, signed(&card(), 1), &headers);
    client.admit(&the_agent(), at(0)).unwrap();
    client.admit(&the_agent().asked_with_version(ProtocolVersion::V1_0), at(0)).unwrap();
    assert_eq!(web.count(CARD), 2);
    client.admit(&the_agent().asked_with_version(ProtocolVersion::V1_0), at(1)).unwrap();
    client.admit(&the_agent(), at(1)).unwrap();
    assert_eq!(web.count(CARD), 2);
}

#[test]
fn rule_19_verify_then_select_the_advertised_1_0_then_keep_0_3_as_rollback() {
    let interfaces = [interface("/new", "1.0"), interface("/old", "0.3")];
    let (client, web) = client(policy("", BOTH));
    // Unsigned, it is never selected from.
    web.put(CARD, offering(&interfaces).to_string(), "no-cache");
    let agent = accepting(ProtocolChoice::Auto, Fallback::Allow);
    assert_eq!(client.interface(&agent, at(0)).unwrap_err().code().name(), "sig.absent");
    web.put(CARD, signed(&offering(&interfaces), 1), "max-age=300");
    assert_eq!(client.interface(&agent, at(1)).unwrap().a2a_version().as_deref(), Some("1.0"));
    let rollback = accepting(ProtocolChoice::V0_3, Fallback::Deny).with_tenant("rollback");
    assert_eq!(client.interface(&rollback, at(1)).unwrap().url(), "https://agent.example.com/old");
}

/// A question is about one source: the URL that answered.
#[test]
fn the_source_is_the_url_that_answered() {
    let (client, _web) = client(policy("", ""));
    let admission = client.admit(&the_agent(), at(0)).unwrap();
    let expected = AdmissionRequest::new(Source::at(CARD).unwrap());
    assert_eq!(admission.request.source, expected.source);
}
