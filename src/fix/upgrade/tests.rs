//! What an upgrade carries over, and what it names as lost.

use super::{UpgradeError, UpgradeTo, UpgradedCard};
use crate::{Limits, ProtocolVersion, Requirement, Requirements, SchemeKind, Shape, UntrustedCard};

const REST: &str = r#""name":"A","description":"d","version":"1.0.0","defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"]"#;
const SKILLS: &str = r#""skills":[{"id":"s","name":"S","description":"d","tags":["t"]}]"#;
const TRANSPORT: &str =
    r#""protocolVersion":"0.3.0","url":"https://a.example/a2a","preferredTransport":"JSONRPC""#;

fn read(text: impl Into<Vec<u8>>) -> UntrustedCard {
    UntrustedCard::read(text, &Limits::default()).unwrap()
}

fn legacy(more: &str) -> UntrustedCard {
    read(format!(r#"{{{REST},{TRANSPORT},"capabilities":{{}},{SKILLS}{more}}}"#))
}

fn upgraded(card: &UntrustedCard, to: UpgradeTo) -> (UpgradedCard, UntrustedCard) {
    let upgraded = card.upgrade(to, None).unwrap();
    let new = read(upgraded.octets.clone());
    (upgraded, new)
}

fn lost(upgraded: &UpgradedCard) -> Vec<&str> {
    upgraded.losses.iter().filter_map(|loss| loss.pointer.as_deref()).collect()
}

/// URL, binding and version of what is offered.
fn interfaces(card: &UntrustedCard) -> Vec<(String, String, String)> {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let claims = card.claimed_interfaces().into_iter();
    claims.map(|claim| (text(claim.claimed_url), text(claim.binding), text(claim.version))).collect()
}

/// The alternatives of a card, each as scheme names with scopes.
fn demands(requirements: &Requirements<'_>) -> Vec<Vec<(String, Vec<String>)>> {
    let entries = requirements.entries().iter().filter_map(|entry| match entry {
        Requirement::AllOf { schemes, .. } => Some(
            schemes
                .iter()
                .map(|scheme| {
                    let scopes = scheme.scopes().map(str::to_owned).collect();
                    (scheme.name.to_owned(), scopes)
                })
                .collect(),
        ),
        Requirement::Unreadable { .. } => None,
    });
    entries.collect()
}

/// A scheme as text, without what only one generation has.
fn scheme_facts(card: &UntrustedCard) -> Vec<String> {
    let fact = |kind: &SchemeKind<'_>| {
        let SchemeKind::OAuth2 { flows, metadata_url } = kind else { return format!("{kind:?}") };
        let text = |flow: &crate::OAuthFlow<'_>| flow.value.raw().split_whitespace().collect::<String>();
        let flows: Vec<_> = flows.iter().map(|flow| (flow.kind, text(flow))).collect();
        format!("{flows:?} {metadata_url:?}")
    };
    card.view().security_schemes().map(|scheme| format!("{} {}", scheme.name, fact(&scheme.kind))).collect()
}

const SCHEMES: &str = r#","securitySchemes":{
    "key":{"type":"apiKey","in":"header","name":"X-Key","description":"k"},
    "http":{"type":"http","scheme":"Bearer","bearerFormat":"JWT"},
    "oauth":{"type":"oauth2","flows":{"clientCredentials":{"tokenUrl":"https://t.example","scopes":{"read":"r"}}},"oauth2MetadataUrl":"https://m.example"},
    "oidc":{"type":"openIdConnect","openIdConnectUrl":"https://o.example"},
    "mtls":{"type":"mutualTLS"}},
    "security":[{"key":[],"mtls":[]},{"oauth":["read"]},{}]"#;

#[test]
fn interfaces_schemes_and_requirements_are_the_same_facts_before_and_after() {
    for to in [UpgradeTo::V1_0, UpgradeTo::Dual] {
        let old = legacy(SCHEMES);
        let (upgraded, new) = upgraded(&old, to);
        assert_eq!(lost(&upgraded), [""; 0]);
        assert_eq!(scheme_facts(&new), scheme_facts(&old));
        assert_eq!(demands(&new.view().requirements()), demands(&old.view().requirements()));
        assert_eq!(demands(&old.view().requirements()).len(), 3);
        assert!(new.view().requirements().allows_anonymous());
        assert_eq!(new.shape(None), if to == UpgradeTo::Dual { Shape::Dual } else { Shape::V1_0 });
        assert!(new.missing_members().is_empty());
    }
}

#[test]
fn the_main_interface_comes_first_and_each_comes_once() {
    let old = legacy(
        r#","additionalInterfaces":[{"url":"https://a.example/a2a","transport":"JSONRPC"},{"url":"https://a.example/rest","transport":"HTTP+JSON"},{"transport":"GRPC"},7]"#,
    );
    let entry =
        |url: &str, binding: &str, version: &str| (url.to_owned(), binding.to_owned(), version.to_owned());
    let (upgraded_card, new) = upgraded(&old, UpgradeTo::V1_0);
    assert_eq!(
        interfaces(&new),
        [
            entry("https://a.example/a2a", "JSONRPC", "1.0"),
            entry("https://a.example/rest", "HTTP+JSON", "1.0")
        ]
    );
    assert_eq!(lost(&upgraded_card), ["/additionalInterfaces/2", "/additionalInterfaces/3"]);
    let (_, dual) = upgraded(&old, UpgradeTo::Dual);
    let listed: Vec<_> = interfaces(&dual).into_iter().take(4).map(|(.., version)| version).collect();
    assert_eq!(listed, ["1.0", "1.0", "0.3", "0.3"]);
    assert_eq!(dual.claims().member("url").and_then(|url| url.as_text()), Some("https://a.example/a2a"));
}

#[test]
fn a_scheme_with_several_flows_becomes_alternatives() {
    let flow = r#"{"tokenUrl":"https://t.example","scopes":{}}"#;
    let old = legacy(&format!(
        r#","securitySchemes":{{"o":{{"type":"oauth2","flows":{{"password":{flow},"clientCredentials":{flow}}}}},"o-clientCredentials":{{"type":"mutualTLS"}}}},"security":[{{"o":["r"],"k":[]}}]"#
    ));
    let (upgraded, new) = upgraded(&old, UpgradeTo::V1_0);
    assert_eq!(lost(&upgraded), [""; 0]);
    assert!(upgraded.choices.iter().any(|choice| choice.pointer.as_deref() == Some("/securitySchemes/o")));
    let names: Vec<_> = new.view().security_schemes().map(|scheme| scheme.name.to_owned()).collect();
    assert_eq!(names, ["o", "o-clientCredentials-2", "o-clientCredentials"]);
    let flows: Vec<_> = new
        .view()
        .security_schemes()
        .filter_map(|scheme| {
            let SchemeKind::OAuth2 { flows, .. } = scheme.kind else { return None };
            Some(flows.len())
        })
        .collect();
    assert_eq!(flows, [1, 1]);
    let requirements = new.view().requirements();
    let first: Vec<_> =
        demands(&requirements).into_iter().map(|entry| entry.first().unwrap().0.clone()).collect();
    assert_eq!(first, ["o", "o-clientCredentials-2"]);
    assert!(demands(&requirements).iter().all(|entry| entry.len() == 2));
}

#[test]
fn every_loss_is_named_with_its_place() {
    for (more, pointer) in [
        (
            r#","securitySchemes":{"k":{"type":"apiKey","in":"header","name":"X","x-note":1}}"#,
            "/securitySchemes/k/x-note",
        ),
        (r#","securitySchemes":{"k":{"type":"magic"}}"#, "/securitySchemes/k"),
        (r#","securitySchemes":{"k":"Bearer"}"#, "/securitySchemes/k"),
        (r#","securitySchemes":["k"]"#, "/securitySchemes"),
        (
            r#","securitySchemes":{"o":{"type":"oauth2","flows":{"device":{}}}}"#,
            "/securitySchemes/o/flows/device",
        ),
        (r#","security":"bearer""#, "/security"),
        (r#","security":["bearer"]"#, "/security/0"),
        (r#","security":[{"k":"read"}]"#, "/security/0/k"),
        (r#","authentication":{"schemes":["Bearer"]}"#, "/authentication"),
        (r#","supportsAuthenticatedExtendedCard":"yes""#, "/supportsAuthenticatedExtendedCard"),
        (r#","additionalInterfaces":{}"#, "/additionalInterfaces"),
        (
            r#","additionalInterfaces":[{"url":"https://b.example","transport":"GRPC","tenant":"t"}]"#,
            "/additionalInterfaces/0/tenant",
        ),
    ] {
        let (upgraded, new) = upgraded(&legacy(more), UpgradeTo::V1_0);
        assert_eq!(lost(&upgraded), [pointer], "{more}");
        // What cannot be read never becomes access without authentication.
        if more.contains("security\":") {
            assert!(!new.view().requirements().allows_anonymous(), "{more}");
        }
    }
}

#[test]
fn a_flag_that_has_no_place_is_a_loss_only_when_it_is_set() {
    for (flag, losses) in [("true", 1), ("false", 0), ("null", 0)] {
        let card = format!(
            r#"{{{REST},{TRANSPORT},"capabilities":{{"streaming":true,"stateTransitionHistory":{flag}}},{SKILLS}}}"#
        );
        let (one, new) = upgraded(&read(card.clone()), UpgradeTo::V1_0);
        assert_eq!(one.losses.len(), losses, "{flag}");
        assert_eq!(new.view().capability("streaming"), Some(true));
        assert_eq!(new.view().capability("stateTransitionHistory"), None);
        assert!(upgraded(&read(card), UpgradeTo::Dual).0.losses.is_empty());
    }
}

#[test]
fn the_extended_card_and_the_demands_of_skills_are_carried_over() {
    let skill = r#""skills":[{"id":"s","name":"S","description":"d","tags":[],"security":[{"k":["a"]}]}]"#;
    let old = read(format!(
        r#"{{{REST},{TRANSPORT},"capabilities":{{}},{skill},"supportsAuthenticatedExtendedCard":true}}"#
    ));
    let (_, new) = upgraded(&old, UpgradeTo::V1_0);
    assert_eq!(new.view().capability("extendedAgentCard"), Some(true));
    assert!(new.claims().member("supportsAuthenticatedExtendedCard").is_none());
    let demands_of = |card: &UntrustedCard| demands(&card.view().skills().next().unwrap().requirements());
    assert_eq!(demands_of(&new), demands_of(&old));
    assert_eq!(demands_of(&new).len(), 1);
}

#[test]
fn texts_and_numbers_keep_their_octets_and_unknown_members_stay() {
    let old = legacy(r#","x-rate":1.50e2,"x-note":"\u0041b""#);
    let (upgraded, _) = upgraded(&old, UpgradeTo::V1_0);
    let text = String::from_utf8(upgraded.octets).unwrap();
    assert!(text.contains("\n  \"x-rate\": 1.50e2,\n  \"x-note\": \"\\u0041b\"\n}\n"), "{text}");
}

#[test]
fn signatures_are_removed_and_named() {
    let old = legacy(r#","signatures":[{"protected":"e30","signature":"c2ln"},{}]"#);
    let (upgraded, new) = upgraded(&old, UpgradeTo::V1_0);
    assert_eq!(upgraded.removed.len(), 2);
    assert!(new.claims().member("signatures").is_none());
}

#[test]
fn only_legacy_cards_are_upgraded() {
    let refused = |text: &str, to, assumed| read(text).upgrade(to, assumed).unwrap_err();
    let card = |version: &str| {
        format!(r#"{{{REST},{version}"url":"https://a.example","capabilities":{{}},{SKILLS}}}"#)
    };
    let shape = |found| UpgradeError::OtherShape { found };
    assert_eq!(refused(&card(""), UpgradeTo::V1_0, None), shape(Shape::Unversioned));
    assert_eq!(
        refused(&card(r#""protocolVersion":"1.0","#), UpgradeTo::V1_0, None),
        shape(Shape::Contradictory)
    );
    assert_eq!(refused("{}", UpgradeTo::V1_0, None), shape(Shape::Foreign));
    let old = card(r#""protocolVersion":"0.2.5","#);
    assert_eq!(refused(&old, UpgradeTo::Dual, None), UpgradeError::TooOldForDual);
    assert!(read(old).upgrade(UpgradeTo::V1_0, None).is_ok());
    let envelope = r#"{"supportedInterfaces":[{"url":"https://a.example","protocolVersion":"0.3"}]}"#;
    assert_eq!(refused(envelope, UpgradeTo::V1_0, None), UpgradeError::HasInterfaces);
    let empty = card(r#""protocolVersion":"0.3.0","#).replace("https://a.example", "");
    assert_eq!(refused(&empty, UpgradeTo::V1_0, None), UpgradeError::NoInterface);
    let twin = legacy(r#","SecurityRequirements":1,"security":[{"k":[]}]"#);
    assert!(matches!(twin.upgrade(UpgradeTo::V1_0, None), Err(UpgradeError::NoPlace { .. })));
    let assumed = read(card("")).upgrade(UpgradeTo::Dual, Some(ProtocolVersion::V0_3)).unwrap();
    assert_eq!(read(assumed.octets).shape(None), Shape::Dual);
}

#[test]
fn combinations_of_flows_are_bounded() {
    let flow = r#"{"tokenUrl":"https://t.example","scopes":{}}"#;
    let scheme = format!(r#"{{"type":"oauth2","flows":{{"password":{flow},"clientCredentials":{flow}}}}}"#);
    let schemes: Vec<_> = (0..40).map(|index| format!("\"s{index}\":{scheme}")).collect();
    let names: Vec<_> = (0..40).map(|index| format!("\"s{index}\":[]")).collect();
    let old = legacy(&format!(
        r#","securitySchemes":{{{}}},"security":[{{{}}}]"#,
        schemes.join(","),
        names.join(",")
    ));
    let (upgraded, new) = upgraded(&old, UpgradeTo::V1_0);
    assert!(lost(&upgraded).contains(&"/security/0"));
    let demands = demands(&new.view().requirements());
    assert!(demands.len() <= 16 && demands.iter().all(|entry| entry.len() == 40));
}
