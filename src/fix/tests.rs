//! What `fix` changes, and what it leaves alone.

use super::{BreakingChanges, FixTerms, FixedCard};
use crate::{Form, Limits, Portability, UntrustedCard, UpgradeTo};

const REST: &str = r#""name":"A","description":"d","version":"1.0.0","capabilities":{"streaming":false},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"s","name":"S","description":"d","tags":["t"]}]"#;
const ENVELOPE: &str = r#""supportedInterfaces":[{"url":"https://a.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]"#;
const SIGNATURES: &str =
    r#""signatures":[{"protected":"eyJhbGciOiJFUzI1NiIsImtpZCI6ImsxIn0","signature":"c2ln"}]"#;

fn terms(portability: Portability, breaking: BreakingChanges) -> FixTerms {
    FixTerms { portability, breaking, assumed: None }
}

fn fixed(text: &str, terms: &FixTerms) -> FixedCard {
    UntrustedCard::read(text, &Limits::default()).unwrap().fix(terms)
}

fn text(card: FixedCard) -> String {
    String::from_utf8(card.octets).unwrap()
}

fn codes(findings: &[crate::Finding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.code.name()).collect()
}

#[test]
fn what_is_not_fixed_keeps_its_octets() {
    let before = format!("{{ {REST} ,\n\t\"iconUrl\" : null,{ENVELOPE}  ,\"x\":1e2 }}\r\n");
    let after = before.replace("\"iconUrl\" : null,", "");
    let card = fixed(&before, &FixTerms::default());
    assert_eq!(codes(&card.fixed), ["card.null-member"]);
    assert_eq!(card.changed_forms, [Form::AsReceived, Form::Zeph]);
    assert_eq!(text(card), after);
    let nothing = fixed(&after, &FixTerms::default());
    assert!(nothing.fixed.is_empty() && nothing.changed_forms.is_empty());
    assert_eq!(text(nothing), after);
}

#[test]
fn fixes_that_share_a_comma_are_made_one_after_the_other() {
    let before = format!(r#"{{{REST},{ENVELOPE},"iconUrl":null,"provider":null,"securitySchemes":{{}}}}"#);
    let card = fixed(&before, &FixTerms::default());
    assert_eq!(card.fixed.len(), 3);
    assert_eq!(text(card), format!("{{{REST},{ENVELOPE}}}"));
}

#[test]
fn more_members_than_one_round_tells_are_all_fixed() {
    let skill = r#"{"id":"s","name":"S","description":"d","tags":["t"],"examples":null}"#;
    let skills = vec![skill; 200].join(",");
    let before = format!(r#"{{"name":"A","skills":[{skills}],{ENVELOPE}}}"#);
    let card = fixed(&before, &FixTerms::default());
    assert_eq!(card.fixed.len(), 200);
    assert_eq!(text(card), before.replace(",\"examples\":null", ""));
}

#[test]
fn a_guess_is_listed_and_not_made() {
    let before = format!(r#"{{{},{ENVELOPE}}}"#, REST.replace("1.0.0", "1.0"));
    let card = fixed(&before, &FixTerms::default());
    assert_eq!(codes(&card.remaining), ["card.version-not-semver"]);
    assert_eq!(text(card), before);
}

#[test]
fn a_signed_card_keeps_its_payload_unless_its_signatures_may_go() {
    let before = format!(r#"{{{REST},{ENVELOPE},"iconUrl":null,{SIGNATURES}}}"#);
    let held = fixed(&before, &FixTerms::default());
    assert_eq!(codes(&held.held_back), ["card.null-member"]);
    assert!(held.fixed.is_empty() && held.changed_forms.is_empty() && held.remaining.is_empty());
    assert_eq!(held.broken.len(), 1);
    assert_eq!(text(held), before);

    let dropped = fixed(&before, &terms(Portability::Report, BreakingChanges::DropSignatures));
    assert_eq!(codes(&dropped.fixed), ["card.null-member"]);
    assert!(dropped.held_back.is_empty());
    assert_eq!(dropped.broken.len(), 1);
    assert_eq!(text(dropped), format!("{{{REST},{ENVELOPE}}}"));
}

#[test]
fn signatures_stay_where_nothing_has_to_be_fixed() {
    let before = format!(r#"{{{REST},{ENVELOPE},{SIGNATURES}}}"#);
    let card = fixed(&before, &terms(Portability::Report, BreakingChanges::DropSignatures));
    assert!(card.broken.is_empty() && card.fixed.is_empty());
    assert_eq!(text(card), before);
}

#[test]
fn a_byte_order_mark_goes_from_a_signed_card_too() {
    let before = format!("\u{feff}{{{REST},{ENVELOPE},{SIGNATURES}}}");
    let card = fixed(&before, &FixTerms::default());
    assert_eq!(codes(&card.fixed), ["json.bom"]);
    assert!(card.changed_forms.is_empty() && card.broken.is_empty());
    assert_eq!(text(card), before.trim_start_matches('\u{feff}'));
}

#[test]
fn a_portable_card_has_one_payload_under_all_signable_forms() {
    let require = terms(Portability::Require, BreakingChanges::HoldBack);
    let before = format!(
        r#"{{{REST},"documentationUrl":"","iconUrl":null,"provider":{{}},"supportedInterfaces":[{{"url":"https://a.example/a2a","tenant":"","protocolBinding":"JSONRPC","protocolVersion":"1.0"}}]}}"#
    );
    let card = fixed(&before, &require);
    assert!(card.differences.is_empty(), "{:?}", card.differences);
    let after = text(card);
    assert_eq!(after, format!("{{{REST},{ENVELOPE}}}"));
    let card = UntrustedCard::read(after, &Limits::default()).unwrap();
    let mut payloads =
        Form::SIGNABLE.map(|form| crate::CanonicalPayload::of(&card, form).unwrap().octets().to_vec());
    payloads.sort();
    assert_eq!(payloads.first(), payloads.last());
}

#[test]
fn what_has_a_meaning_is_listed_with_its_place_and_stays() {
    let require = terms(Portability::Require, BreakingChanges::HoldBack);
    for (member, pointer) in [
        (r#""securityRequirements":[{"schemes":{"b":{"list":[]}}}]"#, "/securityRequirements"),
        (r#""securitySchemes":{"m":{"mtlsSecurityScheme":{}}}"#, "/securitySchemes"),
        (r#""x-team":"a""#, "/x-team"),
        (r#""url":"https://a.example/a2a""#, "/url"),
        (r#""iconUrl":"https://a.example/ü""#, "/iconUrl"),
    ] {
        let before = format!("{{{REST},{ENVELOPE},{member}}}");
        let card = fixed(&before, &require);
        let pointers: Vec<_> = card.differences.iter().filter_map(|found| found.pointer.as_deref()).collect();
        assert_eq!(pointers, [pointer], "{member}");
        assert_eq!(text(card), before);
    }
    let required = format!("{{{},{ENVELOPE}}}", REST.replace("{\"streaming\":false}", "{}"));
    let card = fixed(&required, &require);
    assert_eq!(card.differences.first().unwrap().pointer.as_deref(), Some("/capabilities"));
    assert_eq!(text(card), required);
}

#[test]
fn numbers_and_empty_values_inside_params_are_never_removed() {
    let require = terms(Portability::Require, BreakingChanges::HoldBack);
    let params =
        r#"{"streaming":false,"extensions":[{"uri":"https://x.example","params":{"a":null,"b":"","c":1}}]}"#;
    let before = format!("{{{},{ENVELOPE}}}", REST.replace("{\"streaming\":false}", params));
    let card = fixed(&before, &require);
    let pointers: Vec<_> = card.differences.iter().filter_map(|found| found.pointer.as_deref()).collect();
    let place = "/capabilities/extensions/0/params";
    assert_eq!(pointers, [format!("{place}/a"), format!("{place}/b"), format!("{place}/c")]);
    assert_eq!(text(card), before);
}

#[test]
fn a_legacy_card_is_not_portable() {
    let legacy = format!(r#"{{{REST},"url":"https://a.example/a2a","protocolVersion":"0.3.0"}}"#);
    let card = fixed(&legacy, &terms(Portability::Require, BreakingChanges::HoldBack));
    assert_eq!(codes(&card.differences), ["sig.not-portable"]);
    assert_eq!(text(card), legacy);
}

#[test]
fn a_hostile_card_is_fixed_within_bounds() {
    let members: Vec<String> = (0..3_000).map(|index| format!("\"m{index}\":\"ü\"")).collect();
    let before = format!("{{{REST},{ENVELOPE},{}}}", members.join(","));
    let card = fixed(&before, &terms(Portability::Require, BreakingChanges::HoldBack));
    assert!(card.differences.len() <= 64);
    assert!(card.differences.iter().any(|found| found.message.contains("more of this kind")));
}

#[test]
fn no_safe_fix_lets_in_clients_that_were_not_let_in() {
    for requirements in [r#"[{"schemes":null}]"#, r#"[{"schemes":{"a":{}}},{"schemes":null}]"#] {
        let text = format!(
            r#"{{"supportedInterfaces":[{{"url":"https://a.example","protocolBinding":"JSONRPC","protocolVersion":"1.0"}}],"iconUrl":null,"securityRequirements":{requirements}}}"#
        );
        let card = UntrustedCard::read(text, &Limits::default()).unwrap();
        assert!(!card.view().requirements().allows_anonymous(), "{requirements}");
        let fixed = UntrustedCard::read(card.fix(&FixTerms::default()).octets, &Limits::default()).unwrap();
        assert!(fixed.view().member("iconUrl").is_none(), "the other fixes are made");
        assert!(!fixed.view().requirements().allows_anonymous(), "{requirements}");
    }
}

#[test]
fn an_upgrade_lets_in_nobody_new_and_names_what_it_cannot_carry_over() {
    let legacy = |members: &str| {
        let text = format!(
            r#"{{"protocolVersion":"0.3.0","url":"https://a.example","preferredTransport":"JSONRPC","capabilities":{{}},"skills":[],{members}}}"#
        );
        UntrustedCard::read(text, &Limits::default()).unwrap()
    };
    for members in [
        r#""security":[{"bearer":[],"schemes":{}}]"#,
        r#""security":[{"schemes":{}}]"#,
        r#""security":{}"#,
        r#""security":"""#,
    ] {
        let card = legacy(members);
        assert!(!card.view().requirements().allows_anonymous(), "{members}");
        for to in [UpgradeTo::V1_0, UpgradeTo::Dual] {
            let upgraded = card.upgrade(to, None).unwrap();
            let after = UntrustedCard::read(upgraded.octets, &Limits::default()).unwrap();
            assert!(!after.view().requirements().allows_anonymous(), "{members}");
        }
    }
    let spelled = legacy(
        r#""securitySchemes":{"o":{"type":"openIdConnect","open_id_connect_url":"https://i.example"},"a":{"type":"oauth2","flows":{"client_credentials":{"tokenUrl":"https://t.example","scopes":{}}}}}"#,
    );
    let upgraded = spelled.upgrade(UpgradeTo::Dual, None).unwrap();
    let text = String::from_utf8(upgraded.octets).unwrap();
    assert!(text.contains("https://i.example") && text.contains("clientCredentials"), "{text}");
    let demanded = legacy(r#""authentication":{"schemes":["bearer"]}"#);
    assert!(!demanded.upgrade(UpgradeTo::Dual, None).unwrap().losses.is_empty());
}
