//! Both sides of what the schema decides.

use std::fmt::Write as _;

use super::{as_semver, is_semver};
use crate::card::member;
use crate::{Finding, FixSafety, Level, Limits, LintTerms, Profile, UntrustedCard};

const INTERFACE: &str =
    r#"{"url":"https://a.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}"#;

/// A card of A2A 1.0 that lacks nothing, with these members instead of or beside its own.
fn card(members: &str) -> String {
    let own = [
        ("name", r#""A""#.to_owned()),
        ("description", r#""Does.""#.to_owned()),
        ("version", r#""1.0.0""#.to_owned()),
        ("supportedInterfaces", format!("[{INTERFACE}]")),
        ("capabilities", "{}".to_owned()),
        ("defaultInputModes", r#"["text/plain"]"#.to_owned()),
        ("defaultOutputModes", r#"["text/plain"]"#.to_owned()),
        ("skills", r#"[{"id":"s","name":"S","description":"S.","tags":["t"]}]"#.to_owned()),
    ];
    with(&own, members)
}

/// A card of A2A 0.3 that lacks nothing.
fn legacy(members: &str) -> String {
    let own = [
        ("protocolVersion", r#""0.3.0""#.to_owned()),
        ("name", r#""A""#.to_owned()),
        ("description", r#""Does.""#.to_owned()),
        ("version", r#""1.0.0""#.to_owned()),
        ("url", r#""https://a.example/a2a""#.to_owned()),
        ("capabilities", "{}".to_owned()),
        ("defaultInputModes", r#"["text/plain"]"#.to_owned()),
        ("defaultOutputModes", r#"["text/plain"]"#.to_owned()),
        ("skills", r#"[{"id":"s","name":"S","description":"S.","tags":["t"]}]"#.to_owned()),
    ];
    with(&own, members)
}

fn with(own: &[(&str, String)], members: &str) -> String {
    let given = UntrustedCard::read(format!("{{{members}}}"), &Limits::default()).unwrap();
    let mut text = String::new();
    for (name, value) in own.iter().filter(|(name, _)| member(given.root(), name).is_none()) {
        write!(text, "\"{name}\":{value},").unwrap();
    }
    format!("{{{}}}", format!("{text}{members}").trim_end_matches(','))
}

fn lint(card: &str, profile: Profile) -> Vec<Finding> {
    let terms = LintTerms { profile, ..LintTerms::default() };
    let of_other_families = ["auth.", "iface.", "sig.", "skill."];
    let mut findings = UntrustedCard::read(card, &Limits::default()).unwrap().lint(&terms);
    findings.retain(|finding| of_other_families.iter().all(|area| !finding.code.name().starts_with(area)));
    findings
}

/// Codes and pointers, as `CODE POINTER`.
fn found(card: &str) -> Vec<String> {
    let told = |finding: &Finding| format!("{} {}", finding.code, finding.pointer.as_deref().unwrap_or("?"));
    lint(card, Profile::Publish).iter().map(told).collect()
}

fn only(card: &str) -> Finding {
    let findings = lint(card, Profile::Publish);
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    finding.clone()
}

#[test]
fn a_complete_card_of_either_generation_has_no_findings() {
    for text in [
        card(""),
        legacy(""),
        legacy(
            r#""securitySchemes":{"s":{"type":"http","scheme":"bearer"}},"security":[{"s":[]}],"signatures":[{}]"#,
        ),
        card(
            r#""securitySchemes":{"x-any.name":{"mtlsSecurityScheme":{}}},"securityRequirements":[{"schemes":{"x-any.name":{"list":[]}}}]"#,
        ),
        card(
            r#""capabilities":{"extensions":[{"uri":"https://e.example/1","params":{"Url":null,"any":""}}]}"#,
        ),
        card(
            r#""url":"https://a.example/v0","protocolVersion":"0.3.0","preferredTransport":"JSONRPC","supportsAuthenticatedExtendedCard":false"#,
        ),
    ] {
        assert_eq!(found(&text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_member_of_the_other_generation_is_told_by_its_code() {
    for (text, expected) in [
        (card(r#""security":[]"#), "card.legacy-shape /security"),
        (card(r#""url":"https://a.example""#), "card.legacy-shape /url"),
        (
            card(r#""capabilities":{"stateTransitionHistory":false}"#),
            "card.legacy-shape /capabilities/stateTransitionHistory",
        ),
        (
            card(r#""securitySchemes":{"s":{"mtlsSecurityScheme":{},"type":"mutualTLS","description":"d"}}"#),
            "card.legacy-shape /securitySchemes/s/type",
        ),
        (legacy(r#""authentication":{"schemes":["bearer"]}"#), "card.legacy-shape /authentication"),
        (legacy(r#""supportedInterfaces":[]"#), "card.unknown-member /supportedInterfaces"),
        (
            legacy(r#""capabilities":{"extendedAgentCard":false}"#),
            "card.unknown-member /capabilities/extendedAgentCard",
        ),
        (
            legacy(r#""securitySchemes":{"s":{"type":"http","scheme":"b","pkceRequired":true}}"#),
            "card.unknown-member /securitySchemes/s/pkceRequired",
        ),
        (legacy(r#""preferred_transport":"JSONRPC""#), "card.snake-case /preferred_transport"),
    ] {
        assert_eq!(found(&text), [expected], "{text}");
    }
}

#[test]
fn what_an_older_card_lacks_is_a_warning() {
    let old = legacy(r#""protocolVersion":"0.2.5","skills":[{"id":"s","name":"S","description":"S."}]"#);
    let levels = |text: &str| {
        let findings = lint(text, Profile::Consume);
        let missing = findings.iter().find(|finding| finding.code.name() == "card.required-missing").unwrap();
        (missing.level, missing.pointer.clone().unwrap())
    };
    assert_eq!(levels(&old), (Level::Warning, "/skills/0/tags".to_owned()));
    assert_eq!(levels(&old.replace("0.2.5", "0.3.0")), (Level::Error, "/skills/0/tags".to_owned()));
}

#[test]
fn the_scheme_that_a_type_names_is_held_against_its_own_table() {
    let text = legacy(r#""securitySchemes":{"k":{"type":"apiKey","in":"header"},"o":{"type":"nothing"}}"#);
    assert_eq!(found(&text), ["card.required-missing /securitySchemes/k/name"]);
}

#[test]
fn an_empty_member_is_judged_by_what_it_is_for() {
    for (text, expected) in [
        (card(r#""description":"""#), "card.required-string-empty /description"),
        (card(r#""skills":[]"#), "card.required-array-empty /skills"),
        (card(r#""securitySchemes":{}"#), "card.explicit-default /securitySchemes"),
        (card(r#""iconUrl":"""#), ""),
        (card(r#""capabilities":{"streaming":false}"#), ""),
        (legacy(r#""skills":[]"#), ""),
        (legacy(r#""description":"""#), "card.required-string-empty /description"),
        (
            legacy(r#""additionalInterfaces":[{"url":"https://a.example/g","transport":""}]"#),
            "card.interface-incomplete /additionalInterfaces/0/transport",
        ),
    ] {
        assert_eq!(found(&text).join(","), expected, "{text}");
    }
}

#[test]
fn a_name_is_suggested_for_a_slip_and_for_a_word_that_cards_use() {
    for (text, help, fixed) in [
        (card(r#""iconURI":"https://a.example/i.png""#), "did you mean `iconUrl`?", true),
        (card(r#""iconUrl":"https://a.example/i.png","iconURI":"x""#), "did you mean `iconUrl`?", false),
        (
            card(r#""provider":{"organization":"A","url":"https://a.example","name":"A"}"#),
            "did you mean `organization`?",
            false,
        ),
        (
            card(r#""pricing":{}"#),
            "remove it, or declare an extension and put it into the `params` of that",
            false,
        ),
    ] {
        let finding = only(&text);
        assert_eq!((finding.code.name(), finding.help.as_deref()), ("card.unknown-member", Some(help)));
        assert_eq!(finding.fix.is_some(), fixed, "{text}");
    }
}

#[test]
fn only_what_no_reader_notices_is_changed_unasked() {
    let signed = r#","signatures":[{"protected":"e30","signature":"AA"}]"#;
    for (members, safety) in [
        (r#""iconUrl":null"#, FixSafety::Safe),
        (r#""securitySchemes":{}"#, FixSafety::Safe),
        (r#""icon_url":"https://a.example/i.png""#, FixSafety::Safe),
        (r#""IconUrl":"https://a.example/i.png""#, FixSafety::Suggested),
        (r#""version":"1.0""#, FixSafety::Suggested),
    ] {
        let safety_of = |text: &str| only(text).fix.map(|fix| fix.safety);
        assert_eq!(safety_of(&card(members)), Some(safety), "{members}");
        let text = card(&format!("{members}{signed}"));
        assert_eq!(safety_of(&text), Some(FixSafety::Suggested), "{text}");
    }
    let dual = r#""url":"https://a.example/v0","protocolVersion":"0.3.0","#;
    assert_eq!(
        only(&card(&format!(r#"{dual}"securitySchemes":{{}}"#))).fix.unwrap().safety,
        FixSafety::Suggested
    );
    assert_eq!(
        only(&legacy(r#""icon_url":"https://a.example/i.png""#)).fix.unwrap().safety,
        FixSafety::Suggested
    );
}

#[test]
fn a_fix_removes_what_was_found_and_nothing_else() {
    for members in [
        r#""iconUrl":null,"documentationUrl":"x""#,
        r#""documentationUrl":"x","iconUrl":null"#,
        r#""skills":[{"id":"s","name":"S","description":"S.","tags":["t"],"examples":[]}]"#,
        r#""default_input_modes":["text/plain"],"defaultInputModesX":1"#,
    ] {
        let mut text = card(members);
        let before = lint(&text, Profile::Publish);
        let finding = before.iter().find(|finding| finding.fix.is_some()).unwrap();
        for edit in finding.fix.as_ref().unwrap().edits.iter().rev() {
            text.replace_range(edit.range.clone(), &edit.text);
        }
        let after = lint(&text, Profile::Publish);
        assert_eq!(after.len() + 1, before.len(), "{text}: {after:?}");
        assert!(after.iter().all(|left| left.code != finding.code || left.pointer != finding.pointer));
    }
}

#[test]
fn a_document_that_is_no_card_gets_only_what_it_lacks() {
    let record = r#"{"type":"https://eips.ethereum.org/EIPS/eip-8004#registration-v1","name":"A","description":null,"services":[],"Url":1}"#;
    let findings = lint(record, Profile::Consume);
    assert!(findings.iter().all(|finding| {
        ["card.not-an-agent-card", "card.required-missing"].contains(&finding.code.name())
    }));
    assert_eq!(findings.len(), 8);
    // One that comes near is told more.
    let near = card(r#""supportedInterface":[]"#).replace("supportedInterfaces", "x");
    assert!(found(&near).contains(&"card.unknown-member /supportedInterface".to_owned()));
}

#[test]
fn ten_thousand_members_are_told_as_thirty_two() {
    let many: Vec<String> = (0..10_000).map(|number| format!("\"suportedIface{number}\":0")).collect();
    let text = card(&many.join(","));
    let findings = lint(&text, Profile::Publish);
    assert_eq!(findings.len(), 32);
    assert!(findings.last().unwrap().message.ends_with("; 9968 more of this kind"));
    let bare: Vec<String> = (0..10_000).map(|number| format!("\"scheme{number}\":[]")).collect();
    assert_eq!(
        found(&card(&format!("\"securityRequirements\":[{{{}}}]", bare.join(",")))),
        Vec::<String>::new()
    );
    let skills = vec!["{}"; 10_000].join(",");
    let card = UntrustedCard::read(card(&format!("\"skills\":[{skills}]")), &Limits::default()).unwrap();
    assert_eq!(card.missing_members().len(), 40_000);
}

#[test]
fn a_version_is_of_semantic_versioning_or_is_not() {
    for version in ["0.0.1", "1.2.3", "10.20.30-rc.1+build.007", "1.0.0-0a.1", "1.0.0+01"] {
        assert!(is_semver(version), "{version}");
    }
    for version in
        ["", "1", "1.2", "v1.2.3", "1.2.3.4", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3-a..b", "1.2.ü"]
    {
        assert!(!is_semver(version), "{version}");
    }
    for (text, meant) in [
        ("v1.2.3", Some("1.2.3")),
        ("1.2", Some("1.2.0")),
        ("2", Some("2.0.0")),
        ("latest", None),
        ("1.2.3.4", None),
    ] {
        assert_eq!(as_semver(text).as_deref(), meant);
    }
}
