use countersign_keys::Level;

use crate::lint::{LintTerms, Profile};
use crate::{
    Algorithm, Finding, Fix, Form, KeySigner, Limits, SignTerms, Signer as _, SigningKey, TrustedKey,
    TrustedKeys, UnixTime, UntrustedCard, keys::trust::KeySource,
};

const ENVELOPE: &str = r#""supportedInterfaces":[{"url":"https://a.example","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]"#;
const LEGACY: &str = r#""url":"https://a.example","protocolVersion":"0.3.0","capabilities":{},"skills":[]"#;
const NOW: UnixTime = UnixTime::from_seconds(1_796_083_200);

fn read(text: &str) -> UntrustedCard {
    UntrustedCard::read(text, &Limits::default().with_max_octets(4 << 20)).unwrap()
}

/// The findings of this family under a profile, in the order of the text.
fn findings(card: &UntrustedCard, profile: Profile) -> Vec<Finding> {
    let terms = LintTerms { profile, ..LintTerms::default() };
    let own = |finding: &Finding| super::LINTS.iter().any(|lint| lint.code == finding.code);
    card.lint(&terms).into_iter().filter(own).collect()
}

/// Of one code, when the card is one's own: places and levels.
fn found(code: &str, text: &str) -> Vec<(String, Level)> {
    let own = findings(&read(text), Profile::Publish).into_iter();
    let own = own.filter(|finding| finding.code.name() == code);
    own.map(|finding| (finding.pointer.unwrap(), finding.level)).collect()
}

fn card(members: &str) -> String {
    format!("{{{ENVELOPE},{members}}}")
}

fn legacy(members: &str) -> String {
    format!("{{{LEGACY},{members}}}")
}

fn at(place: &str, level: Level) -> Vec<(String, Level)> {
    vec![(place.to_owned(), level)]
}

fn apply(text: &str, fix: &Fix) -> String {
    let mut fixed = text.to_owned();
    for edit in fix.edits.iter().rev() {
        fixed.replace_range(edit.range.clone(), &edit.text);
    }
    fixed
}

/// The text after the fix of the only finding of `code`.
fn fixed(code: &str, text: &str) -> String {
    let own = findings(&read(text), Profile::Publish);
    let [finding] = &*own.iter().filter(|finding| finding.code.name() == code).collect::<Vec<_>>() else {
        panic!("one finding of {code}: {own:?}")
    };
    apply(text, finding.fix.as_ref().unwrap())
}

#[test]
fn an_empty_alternative_and_no_demand_at_all_are_anonymous() {
    let schemes = r#""securitySchemes":{"a":{"mtlsSecurityScheme":{}}}"#;
    for (members, place) in [
        (schemes, "/securityRequirements"),
        (r#""securityRequirements":[]"#, "/securityRequirements"),
        (r#""securityRequirements":[{"schemes":{"a":{}}},{"schemes":{}}]"#, "/securityRequirements/1"),
        (r#""securityRequirements":[{}]"#, "/securityRequirements/0"),
    ] {
        assert_eq!(found("auth.anonymous", &card(members)), at(place, Level::Warning), "{members}");
    }
    assert_eq!(found("auth.anonymous", &legacy(schemes)), at("/security", Level::Warning));
    for members in [
        r#""securityRequirements":[{"schemes":{"a":{}}}]"#,
        r#""securityRequirements":[{"a":[]}]"#,
        r#""securityRequirements":7"#,
        r#""security":[{"a":[]}]"#,
    ] {
        assert_eq!(found("auth.anonymous", &card(members)), [], "{members}");
    }
}

#[test]
fn the_declaration_that_is_suggested_is_the_one_that_was_missing() {
    let text = card(r#""securitySchemes":{"a":{"mtlsSecurityScheme":{}}}"#);
    let own = findings(&read(&text), Profile::Publish);
    let help = own.iter().find_map(|finding| finding.help.clone()).unwrap();
    let member = help.split('`').nth(1).unwrap();
    assert_eq!(found("auth.anonymous", &text.replacen('{', &format!("{{{member},"), 1)), []);
}

#[test]
fn a_requirement_names_a_declared_scheme() {
    let text = card(
        r#""securitySchemes":{"myBearer":{"mtlsSecurityScheme":{}}},
           "securityRequirements":[{"schemes":{"my_bearer":{"list":[]}}}],
           "skills":[{"securityRequirements":[{"schemes":{"schemes":{"list":[]}}}]}]"#,
    );
    let own = found("auth.undefined-scheme", &text);
    let places: Vec<_> = own.iter().map(|(place, _)| place.as_str()).collect();
    assert_eq!(
        places,
        ["/securityRequirements/0/schemes/my_bearer", "/skills/0/securityRequirements/0/schemes/schemes"]
    );
    let text = text.replace(r#""schemes":{"schemes":"#, r#""schemes":{"myBearer":"#);
    assert_eq!(found("auth.undefined-scheme", &fixed("auth.undefined-scheme", &text)), []);
    let legacy =
        legacy(r#""securitySchemes":{"schemes":{"type":"mutualTLS"}},"security":[{"schemes":[]},{"x":[]}]"#);
    assert_eq!(found("auth.undefined-scheme", &legacy), at("/security/1/x", Level::Error));
}

#[test]
fn no_fix_gives_a_requirement_the_same_name_twice() {
    let text = card(
        r#""securitySchemes":{"bearer":{"mtlsSecurityScheme":{}}},
           "securityRequirements":[{"schemes":{"Bearer":{"list":[]},"bearer":{"list":[]}}}]"#,
    );
    let own = findings(&read(&text), Profile::Publish);
    let finding = own.iter().find(|finding| finding.code.name() == "auth.undefined-scheme").unwrap();
    assert!(finding.fix.is_none() && finding.help.is_some());
}

#[test]
fn a_scheme_is_used_by_the_card_or_by_a_skill() {
    let schemes = r#""securitySchemes":{"a":{"mtlsSecurityScheme":{}},"b":{"mtlsSecurityScheme":{}}}"#;
    let demand = |name: &str| format!(r#""securityRequirements":[{{"schemes":{{"{name}":{{"list":[]}}}}}}]"#);
    let unused = card(&format!("{schemes},{}", demand("a")));
    assert_eq!(found("auth.unused-scheme", &unused), at("/securitySchemes/b", Level::Info));
    let by_skill = card(&format!(r#"{schemes},{},"skills":[{{{}}}]"#, demand("a"), demand("b")));
    assert_eq!(found("auth.unused-scheme", &by_skill), []);
    assert_eq!(found("auth.unused-scheme", &card(schemes)), [], "nothing is demanded: auth.anonymous");
}

#[test]
fn a_bare_requirement_is_wrapped() {
    let text = card(
        r#""securitySchemes":{"o":{"mtlsSecurityScheme":{}},"p":{"mtlsSecurityScheme":{}}},
           "securityRequirements":[{ "o": ["read"], "p": [] }]"#,
    );
    assert_eq!(found("auth.bare-requirement", &text), at("/securityRequirements/0", Level::Error));
    let fixed = fixed("auth.bare-requirement", &text);
    assert!(fixed.contains(r#"[{"schemes": { "o": {"list": ["read"]}, "p": {"list": []} }}]"#), "{fixed}");
    for code in ["auth.bare-requirement", "auth.undefined-scheme", "auth.unused-scheme", "auth.anonymous"] {
        assert_eq!(found(code, &fixed), [], "{code}");
    }
    let other = card(r#""securityRequirements":[{"o":"read"}]"#);
    assert!(findings(&read(&other), Profile::Publish).iter().all(|finding| finding.fix.is_none()));
}

#[test]
fn security_of_0_3_alone_is_no_demand_for_clients_of_1_0() {
    let schemes = r#""securitySchemes":{"o":{"type":"mutualTLS"}},"security":[{"o":[]}]"#;
    assert_eq!(found("auth.bare-requirement", &card(schemes)), at("/security", Level::Warning));
    let both = format!(r#"{schemes},"securityRequirements":[{{"schemes":{{"o":{{"list":[]}}}}}}]"#);
    assert_eq!(found("auth.bare-requirement", &card(&both)), []);
    assert_eq!(found("auth.bare-requirement", &legacy(schemes)), []);
}

#[test]
fn a_scheme_has_exactly_one_kind() {
    let scheme = |scheme: &str| format!(r#""securitySchemes":{{"s":{scheme}}}"#);
    let place = "/securitySchemes/s";
    for (written, in_1_0, in_0_3) in [
        (r#"{"openIdConnectUrl":"https://a.example"}"#, Some(Level::Error), Some(Level::Error)),
        (r#"{"type":"openIdConnect","openIdConnectUrl":"x"}"#, Some(Level::Warning), None),
        (r#"{"type":"OpenIDConnect"}"#, Some(Level::Error), Some(Level::Error)),
        (r#"{"mtlsSecurityScheme":{},"httpAuthSecurityScheme":{}}"#, Some(Level::Error), Some(Level::Error)),
        (r#"{"mtlsSecurityScheme":{}}"#, None, None),
        (r#"{"mtlsSecurityScheme":{},"type":"mutualTLS"}"#, None, None),
        ("7", None, None),
    ] {
        let expected = |level: Option<Level>| level.map(|level| at(place, level)).unwrap_or_default();
        assert_eq!(found("auth.empty-oneof", &card(&scheme(written))), expected(in_1_0), "{written}");
        assert_eq!(found("auth.empty-oneof", &legacy(&scheme(written))), expected(in_0_3), "{written}");
        let levels: Vec<_> = findings(&read(&card(&scheme(written))), Profile::Consume)
            .into_iter()
            .filter(|finding| finding.code.name() == "auth.empty-oneof")
            .map(|finding| finding.level)
            .collect();
        assert_eq!(levels, Vec::from_iter(in_1_0), "{written}");
    }
}

#[test]
fn one_flow_is_allowed_in_1_0_and_several_in_0_3() {
    let two = r#""flows":{"clientCredentials":{},"deviceCode":{}}"#;
    let wrapped =
        |inside: &str| card(&format!(r#""securitySchemes":{{"s":{{"oauth2SecurityScheme":{{{inside}}}}}}}"#));
    let place = "/securitySchemes/s/oauth2SecurityScheme/flows";
    assert_eq!(found("auth.empty-oneof", &wrapped(two)), at(place, Level::Error));
    assert_eq!(found("auth.empty-oneof", &wrapped(r#""flows":{"other":{}}"#)), at(place, Level::Error));
    assert_eq!(found("auth.empty-oneof", &wrapped(r#""flows":{"deviceCode":{}}"#)), []);
    let tagged = legacy(&format!(r#""securitySchemes":{{"s":{{"type":"oauth2",{two}}}}}"#));
    assert_eq!(found("auth.empty-oneof", &tagged), []);
}

#[test]
fn flows_keys_and_http_schemes_are_judged_in_both_generations() {
    for (code, scheme, place, level) in [
        (
            "auth.deprecated-flow",
            r#"{"type":"oauth2","flows":{"password":{}}}"#,
            "/flows/password",
            Level::Warning,
        ),
        ("auth.api-key-query", r#"{"type":"apiKey","in":"query"}"#, "/in", Level::Warning),
        ("auth.api-key-query", r#"{"type":"apiKey","in":"Header"}"#, "/in", Level::Error),
        ("auth.basic", r#"{"type":"http","scheme":"BASIC"}"#, "/scheme", Level::Warning),
        ("auth.basic", r#"{"type":"http","scheme":"ApiKey"}"#, "/scheme", Level::Info),
    ] {
        let text = legacy(&format!(r#""securitySchemes":{{"s":{scheme}}}"#));
        assert_eq!(found(code, &text), at(&format!("/securitySchemes/s{place}"), level), "{scheme}");
    }
    for scheme in [
        r#"{"type":"http","scheme":"bearer"}"#,
        r#"{"type":"http","scheme":"dpop"}"#,
        r#"{"type":"apiKey","in":"cookie"}"#,
        r#"{"type":"oauth2","flows":{"authorizationCode":{}}}"#,
    ] {
        let text = legacy(&format!(r#""securitySchemes":{{"s":{scheme}}},"security":[{{"s":[]}}]"#));
        assert_eq!(findings(&read(&text), Profile::Publish), [], "{scheme}");
    }
}

#[test]
fn pkce_is_demanded_by_the_fix() {
    let text = |flow: &str| {
        card(&format!(
            r#""securitySchemes":{{"s":{{"oauth2SecurityScheme":{{"flows":{{"authorizationCode":{flow}}}}}}}}}"#
        ))
    };
    for flow in ["{}", r#"{"tokenUrl":"x"}"#, r#"{"pkceRequired":false}"#, r#"{"pkceRequired":null}"#] {
        assert_eq!(found("auth.pkce", &fixed("auth.pkce", &text(flow))), [], "{flow}");
    }
}

#[test]
fn flags_need_a_scheme_that_can_be_used() {
    let flags = r#""capabilities":{"extendedAgentCard":true,"pushNotifications":true}"#;
    let unusable = format!(r#"{flags},"securitySchemes":{{"s":{{}}}}"#);
    let usable = format!(r#"{flags},"securitySchemes":{{"s":{{"mtlsSecurityScheme":{{}}}}}}"#);
    for (members, expected) in [(flags, 1), (&unusable, 1), (&usable, 0), (r#""capabilities":{}"#, 0)] {
        for code in ["card.extended-card-without-auth", "card.push-without-auth"] {
            assert_eq!(found(code, &card(members)).len(), expected, "{code} {members}");
        }
    }
}

/// A complete card that demands a scheme with these scopes.
fn complete(scopes: &str) -> String {
    card(&format!(
        r#""name":"n","description":"d","version":"1","capabilities":{{}},"defaultInputModes":["a/b"],
           "defaultOutputModes":["a/b"],"skills":[{{"id":"s","name":"s","description":"d","tags":["t"]}}],
           "securitySchemes":{{"s":{{"httpAuthSecurityScheme":{{"scheme":"bearer"}}}}}},
           "securityRequirements":[{{"schemes":{{"s":{{"list":{scopes}}}}}}}]"#
    ))
}

#[test]
fn a_demand_without_scopes_is_judged_by_the_signatures() {
    let signer = KeySigner::new(SigningKey::generate(Algorithm::Es256).unwrap(), Algorithm::Es256).unwrap();
    let signer = signer.with_kid("k");
    let mut keys = TrustedKeys::default();
    keys.push(TrustedKey::new(signer.verifying_key().clone(), KeySource::Single).with_kid("k"));
    let levels = |forms: &[Form], keys: Option<&TrustedKeys>, profile| {
        let mut card = read(&complete("[]"));
        if !forms.is_empty() {
            let terms = SignTerms { forms: forms.to_vec(), ..SignTerms::default() };
            card = UntrustedCard::read(
                card.sign(&signer, &terms, &TrustedKeys::default()).unwrap().octets,
                &Limits::default(),
            )
            .unwrap();
        }
        let terms = LintTerms { profile, keys: keys.map(|keys| (keys, NOW)), ..LintTerms::default() };
        let own = card.lint(&terms).into_iter().filter(|finding| finding.code.name() == "auth.not-covered");
        own.map(|finding| finding.level).collect::<Vec<_>>()
    };
    let (publish, consume) = (Profile::Publish, Profile::Consume);
    assert_eq!(levels(&[], None, publish), [Level::Info]);
    assert_eq!(levels(&[], None, consume), []);
    for (forms, without_keys, with_keys) in [
        (&[Form::Sdk1x][..], Level::Error, Some(Level::Error)),
        (&[Form::A2a10], Level::Error, None),
        (&[Form::A2a10, Form::Sdk1x], Level::Warning, None),
    ] {
        assert_eq!(levels(forms, None, publish), [without_keys], "{forms:?}");
        assert_eq!(levels(forms, None, consume), [Level::Warning], "{forms:?}");
        assert_eq!(levels(forms, Some(&keys), publish), Vec::from_iter(with_keys), "{forms:?}");
        assert_eq!(levels(forms, Some(&TrustedKeys::default()), publish), [without_keys], "{forms:?}");
    }
}

#[test]
fn a_demand_with_scopes_is_covered() {
    assert_eq!(found("auth.not-covered", &complete(r#"["read"]"#)), []);
    assert_eq!(
        found("auth.not-covered", &complete("[]")),
        at("/securityRequirements/0/schemes/s", Level::Info)
    );
    assert_eq!(found("auth.not-covered", &complete(r#"[""]"#)).len(), 1);
    for legacy_form in [legacy(r#""security":[{"s":[]}]"#), card(r#""security":[{"s":[]}]"#)] {
        assert_eq!(found("auth.not-covered", &legacy_form), [], "{legacy_form}");
    }
}

#[test]
fn thousands_of_schemes_and_demands_cost_little() {
    let names = |prefix: &str| (0..10_000).map(move |number| format!("{prefix}{number}")).collect::<Vec<_>>();
    let schemes: Vec<_> = names("a").iter().map(|name| format!(r#""{name}":{{}}"#)).collect();
    let demands: Vec<_> = names("b").iter().map(|name| format!(r#""{name}":{{"list":[]}}"#)).collect();
    let bare: Vec<_> = names("c").iter().map(|name| format!(r#"{{"{name}":[]}},{{}}"#)).collect();
    let text = card(&format!(
        r#""securitySchemes":{{{}}},"securityRequirements":[{{"schemes":{{{}}}}},{}]"#,
        schemes.join(","),
        demands.join(","),
        bare.join(",")
    ));
    let own = findings(&read(&text), Profile::Publish);
    let many = ["auth.anonymous", "auth.undefined-scheme", "auth.bare-requirement", "auth.empty-oneof"];
    for code in many.into_iter().chain(["auth.unused-scheme", "auth.not-covered"]) {
        assert_eq!(own.iter().filter(|finding| finding.code.name() == code).count(), 32, "{code}");
    }
}
