//! One test for each security claim. Each fails when the check behind it is taken out.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

#[path = "support/agent.rs"]
mod agent;

use std::num::NonZeroUsize;

use countersign::keys::base64url;
use countersign::keys::trust::{KeySource, KeyStatus};
use countersign::{
    Algorithm, CardOutcome, Fate, Form, KeySigner, Limits, Refused, SignTerms, Stale, Strictness, TrustedKey,
    TrustedKeys, UnixTime, UntrustedCard, VerificationReport, VerifiedCard, VerifyTerms, VerifyingKey,
};
use serde_json::{Value, json};

use agent::{card, changed, entry, key, with_entries};

const NOW: i64 = 1_800_000_000;
const HEADER: &str = r#"{"alg":"EdDSA","typ":"JOSE","kid":"k1"}"#;

/// Trusted keys with these names and seeds.
fn trusted(keys: &[(&str, u8)]) -> TrustedKeys {
    let mut trusted = TrustedKeys::default();
    for (kid, seed) in keys {
        trusted
            .push(TrustedKey::new(key(*seed).verifying_key().clone(), KeySource::SetMember).with_kid(*kid));
    }
    trusted
}

fn verify_with(
    card: UntrustedCard,
    keys: &TrustedKeys,
    terms: &VerifyTerms,
) -> Result<VerifiedCard, Box<Refused>> {
    card.verify(keys, terms, UnixTime::from_seconds(NOW)).map_err(Box::new)
}

fn verify(card: UntrustedCard, keys: &TrustedKeys) -> Result<VerifiedCard, Box<Refused>> {
    verify_with(card, keys, &VerifyTerms::default())
}

/// `verified`, or the outcome of the card with its codes.
fn answer(result: &Result<VerifiedCard, Box<Refused>>) -> String {
    let report: &VerificationReport = match result {
        Ok(verified) => verified.report(),
        Err(refused) => refused.report(),
    };
    let codes: Vec<_> = report.codes.iter().map(|code| code.name()).collect();
    format!("{} {}", report.outcome.name(), codes.join(" ")).trim_end().to_owned()
}

/// The answer for the card with one signature under `a2a-1.0` whose protected header is `header`.
fn answer_to_header(header: &str, seed: u8) -> String {
    let card = card();
    answer(&verify(
        with_entries(&card, [entry(&card, Form::A2a10, header, seed)]),
        &trusted(&[("k1", 1), ("k2", 2)]),
    ))
}

/// The card as received, signed under `sdk-1.x` before it was changed.
fn received(received: &Value, original: &Value) -> UntrustedCard {
    with_entries(received, [entry(original, Form::Sdk1x, HEADER, 1)])
}

fn handed_on(verified: &VerifiedCard) -> Value {
    serde_json::from_slice(&verified.to_octets()).unwrap()
}

#[test]
fn an_extension_that_is_not_implemented_is_not_overlooked() {
    assert_eq!(answer_to_header(HEADER, 1), "verified");
    for extension in [r#""crit":["exp"]"#, r#""crit":[]"#, r#""crit":["b64"],"b64":false"#, r#""b64":true"#] {
        let header = format!(r#"{{"alg":"EdDSA","kid":"k1",{extension}}}"#);
        assert_eq!(answer_to_header(&header, 1), "malformed sig.critical-header", "{extension}");
    }
}

#[test]
fn a_header_parameter_that_stands_twice_is_refused() {
    for header in [
        r#"{"alg":"EdDSA","kid":"k2","kid":"k1"}"#,
        r#"{"alg":"EdDSA","kid":"k1","\u006bid":"k2"}"#,
        r#"{"alg":"none","alg":"EdDSA","kid":"k1"}"#,
    ] {
        assert_eq!(answer_to_header(header, 1), "malformed sig.malformed-header", "{header}");
    }
}

#[test]
fn a_key_inside_the_header_is_not_trusted() {
    let jwk = key(9).verifying_key().to_jwk(Some("evil"), None).unwrap();
    let header = |kid: &str| format!(r#"{{"alg":"EdDSA","typ":"JOSE","kid":"{kid}","jwk":{jwk}}}"#);
    assert_eq!(answer_to_header(&header("k1"), 1), "verified");
    assert_eq!(answer_to_header(&header("k1"), 9), "invalid sig.invalid");
    assert_eq!(answer_to_header(&header("evil"), 9), "unverifiable sig.unknown-key");
}

#[test]
fn a_url_of_keys_in_the_header_changes_nothing() {
    let header = |kid: &str| {
        format!(r#"{{"alg":"EdDSA","typ":"JOSE","kid":"{kid}","jku":"https://evil.example/jwks.json"}}"#)
    };
    assert_eq!(answer_to_header(&header("k1"), 1), "verified");
    assert_eq!(answer_to_header(&header("k1"), 9), "invalid sig.invalid");
    assert_eq!(answer_to_header(&header("evil"), 9), "unverifiable sig.unknown-key");
}

#[test]
fn kid_narrows_the_keys_that_are_tried_and_never_widens_them() {
    assert_eq!(answer_to_header(r#"{"alg":"EdDSA","typ":"JOSE","kid":"k2"}"#, 2), "verified");
    assert_eq!(answer_to_header(r#"{"alg":"EdDSA","typ":"JOSE","kid":"k1"}"#, 2), "invalid sig.invalid");
    assert_eq!(
        answer_to_header(r#"{"alg":"EdDSA","typ":"JOSE","kid":"K1"}"#, 1),
        "unverifiable sig.unknown-key"
    );
    assert_eq!(answer_to_header(r#"{"alg":"EdDSA","typ":"JOSE"}"#, 1), "malformed sig.missing-kid");
}

#[test]
fn a_key_of_a_set_without_kid_answers_to_its_thumbprint_only() {
    let mut keys = TrustedKeys::default();
    keys.push(TrustedKey::new(key(1).verifying_key().clone(), KeySource::SetMember));
    let card = card();
    let by =
        |kid: &str| entry(&card, Form::A2a10, &format!(r#"{{"alg":"EdDSA","typ":"JOSE","kid":"{kid}"}}"#), 1);
    let thumbprint = key(1).verifying_key().thumbprint().to_string();
    assert_eq!(answer(&verify(with_entries(&card, [by(&thumbprint)]), &keys)), "verified");
    assert_eq!(answer(&verify(with_entries(&card, [by("k1")]), &keys)), "unverifiable sig.unknown-key");
}

#[test]
fn a_key_of_small_order_under_which_anything_verifies_is_refused() {
    // The neutral element: under it R = neutral, S = 0 is a signature of every message for a lenient verifier.
    let mut neutral = [0; 32];
    neutral[0] = 1;
    assert_eq!(VerifyingKey::from_ed25519(&neutral).unwrap_err().code().name(), "key.weak");

    let jwk =
        json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "k1", "x": base64url::encode(&neutral)}]});
    let keys = TrustedKeys::read(jwk.to_string(), "weak.json").unwrap();
    let signature = [neutral.as_slice(), [0; 32].as_slice()].concat();
    let forged = json!({
        "protected": base64url::encode(HEADER.as_bytes()), "signature": base64url::encode(&signature)
    });
    assert_eq!(answer(&verify(with_entries(&card(), [forged]), &keys)), "unverifiable key.weak");
}

#[test]
fn a_mac_made_with_the_public_key_is_no_signature() {
    let header = r#"{"alg":"HS256","typ":"JOSE","kid":"k1"}"#;
    assert_eq!(answer_to_header(header, 1), "unverifiable sig.algorithm-unsupported");
}

#[test]
fn no_algorithm_is_no_signature() {
    for name in ["none", "None", "NONE"] {
        let header = format!(r#"{{"alg":"{name}","typ":"JOSE","kid":"k1"}}"#);
        assert_eq!(answer_to_header(&header, 1), "unverifiable sig.algorithm-unsupported");
        let unsigned = json!({"protected": base64url::encode(header.as_bytes()), "signature": ""});
        let result = verify(with_entries(&card(), [unsigned]), &trusted(&[("k1", 1)]));
        assert_eq!(answer(&result), "unverifiable sig.algorithm-unsupported");
    }
}

#[test]
fn the_key_decides_the_algorithm() {
    assert_eq!(
        answer_to_header(r#"{"alg":"ES256","typ":"JOSE","kid":"k1"}"#, 1),
        "invalid sig.algorithm-key-mismatch"
    );
}

#[test]
fn an_unprotected_header_decides_nothing() {
    let card = card();
    for header in [
        json!({"kid": "k1"}),
        json!({"alg": "none"}),
        json!({"crit": ["x"]}),
        json!({"exp": 9e9}),
        json!({"typ": "JOSE"}),
    ] {
        let mut entry = entry(&card, Form::A2a10, HEADER, 1);
        entry.as_object_mut().unwrap().insert("header".to_owned(), header.clone());
        let result = verify(with_entries(&card, [entry]), &trusted(&[("k1", 1)]));
        assert_eq!(answer(&result), "malformed sig.malformed-header", "{header}");
    }
}

#[test]
fn a_revoked_key_verifies_nothing() {
    let card = card();
    let signed = || with_entries(&card, [entry(&card, Form::A2a10, HEADER, 1)]);
    let revoked = KeyStatus::Revoked { at: None, reason: None };
    let keys = trusted(&[("k1", 1)]).map(|key| key.with_status(revoked.clone()));
    assert_eq!(answer(&verify(signed(), &keys)), "unverifiable sig.revoked-key");

    // Revoked in one place is revoked in all.
    let mut both = trusted(&[("k1", 1)]);
    both.extend(keys);
    assert_eq!(answer(&verify(signed(), &both)), "unverifiable sig.revoked-key");
}

#[test]
fn at_most_sixteen_entries_are_looked_at() {
    let card = card();
    let good = entry(&card, Form::A2a10, HEADER, 1);
    let bad = json!({"protected": "", "signature": ""});
    let with = |bad_entries: usize| {
        let mut entries = vec![good.clone()];
        entries.extend(std::iter::repeat_n(bad.clone(), bad_entries));
        answer(&verify(with_entries(&card, entries), &trusted(&[("k1", 1)])))
    };
    assert_eq!(with(15), "verified");
    assert_eq!(with(16), "malformed sig.too-many");
}

#[test]
fn a_threshold_counts_keys_not_entries_and_not_names() {
    let card = card();
    let by = |kid: &str, form, seed| entry(&card, form, &format!(r#"{{"alg":"EdDSA","kid":"{kid}"}}"#), seed);
    let mut two = VerifyTerms::default();
    two.min = NonZeroUsize::new(2).unwrap();
    let answer = |entries: [Value; 2], keys| answer(&verify_with(with_entries(&card, entries), &keys, &two));

    let twice = [by("k1", Form::A2a10, 1), by("k1", Form::A2a10, 1)];
    assert_eq!(answer(twice, trusted(&[("k1", 1)])), "invalid sig.threshold");
    let two_names = [by("k1", Form::A2a10, 1), by("k2", Form::A2a10, 1)];
    assert_eq!(answer(two_names, trusted(&[("k1", 1), ("k2", 1)])), "invalid sig.threshold");
    let two_keys = [by("k1", Form::A2a10, 1), by("k2", Form::A2a10, 2)];
    assert_eq!(answer(two_keys, trusted(&[("k1", 1), ("k2", 2)])), "verified");
}

#[test]
fn a_signature_is_no_longer_good_in_the_second_of_its_exp() {
    let at = |exp: i64| answer_to_header(&format!(r#"{{"alg":"EdDSA","kid":"k1","exp":{exp}}}"#), 1);
    assert_eq!(at(NOW + 1), "verified");
    assert_eq!(at(NOW), "invalid fresh.expired");
    assert_eq!(at(NOW - 1), "invalid fresh.expired");
}

#[test]
fn an_interface_that_nobody_signed_makes_the_signature_worthless() {
    let empty_first =
        changed(|card| card["supportedInterfaces"].as_array_mut().unwrap().insert(0, json!({})));
    let result = verify(received(&empty_first, &card()), &trusted(&[("k1", 1)]));
    assert_eq!(answer(&result), "invalid sig.uncovered-member");
    let report = result.unwrap_err().report().clone();
    let fatal: Vec<_> =
        report.signatures[0].uncovered.iter().map(|member| (member.pointer.as_str(), member.fate)).collect();
    assert_eq!(fatal, [("/supportedInterfaces/0", Fate::Fatal)]);
}

#[test]
fn one_more_alternative_beside_signed_requirements_is_not_handed_on() {
    for alternative in [json!({}), json!({"schemes": {}}), json!({"schemes": {"other": {"list": []}}})] {
        let weakened = changed(|card| {
            card["securityRequirements"].as_array_mut().unwrap().insert(0, alternative.clone())
        });
        let verified = verify(received(&weakened, &card()), &trusted(&[("k1", 1)])).unwrap();
        assert_eq!(handed_on(&verified), card(), "{alternative}");
        assert_eq!(verified.report().uncovered[0].fate, Fate::Stripped, "{alternative}");
        assert_eq!(verified.unsigned().count(), 0, "{alternative}");
    }
}

#[test]
fn a_requirement_where_none_is_signed_is_handed_on_marked() {
    let none = changed(|card| card["securityRequirements"] = json!([]));
    let unscoped = json!([{"schemes": {"bearer": {"list": []}}}]);
    let tightened = changed(|card| card["securityRequirements"] = unscoped.clone());
    let verified = verify(received(&tightened, &none), &trusted(&[("k1", 1)])).unwrap();
    assert_eq!(handed_on(&verified), tightened);
    let marked: Vec<_> = verified.unsigned().map(|member| member.pointer.as_str()).collect();
    assert_eq!(marked, ["/securityRequirements"]);
    let codes: Vec<_> = verified.report().findings.iter().map(|finding| finding.code.name()).collect();
    assert_eq!(codes, ["sig.unsigned-requirement"]);
}

#[test]
fn a_card_whose_requirement_may_have_been_deleted_is_warned_about() {
    let deleted = changed(|card| drop(card.as_object_mut().unwrap().remove("securityRequirements")));
    let warns = |card: &Value, form| {
        let card = with_entries(card, [entry(card, form, HEADER, 1)]);
        let verified = verify(card, &trusted(&[("k1", 1)])).unwrap();
        verified.report().findings.iter().any(|finding| finding.code.name() == "auth.not-provable")
    };
    assert!(warns(&deleted, Form::Sdk1x));
    // Under every form whose payload is the same octets, also when they are accepted first.
    assert!(warns(&deleted, Form::A2a10));
    assert!(!warns(&card(), Form::Sdk1x));
    let different = changed(|card| {
        card.as_object_mut().unwrap().remove("securityRequirements");
        card["skills"] = json!([]);
    });
    assert!(!warns(&different, Form::A2a10));
}

#[test]
fn an_alternative_that_demands_nothing_takes_no_requirements_place() {
    let keys = trusted(&[("k1", 1)]);
    let unscoped = json!([{"schemes": {"bearer": {"list": []}}}]);
    let original = changed(|card| card["securityRequirements"] = unscoped.clone());
    let signed = entry(&original, Form::Sdk1x, HEADER, 1);
    for forged in [
        json!([{}]),
        json!([{"schemes": {}}]),
        json!([{"schemes": null}]),
        json!([{"x": 1}]),
        json!([{"bearer": []}]),
        json!([{}, {"schemes": {"bearer": {"list": []}}}]),
    ] {
        let card = changed(|card| card["securityRequirements"] = forged.clone());
        let verified = verify(with_entries(&card, [signed.clone()]), &keys).unwrap();
        assert!(verified.member("securityRequirements").is_none(), "{forged}");
        let codes: Vec<_> = verified.report().findings.iter().map(|finding| finding.code.name()).collect();
        assert!(codes.contains(&"auth.not-provable"), "{forged}: {codes:?}");
    }
    let verified = verify(with_entries(&original, [signed]), &keys).unwrap();
    assert!(verified.member("securityRequirements").is_some());
}

#[test]
fn a_signature_that_a_deletion_left_behind_is_told() {
    let keys = trusted(&[("k1", 1)]);
    let original =
        changed(|card| card["securityRequirements"] = json!([{"schemes": {"bearer": {"list": []}}}]));
    let entries = [Form::A2a10, Form::Sdk1x].map(|form| entry(&original, form, HEADER, 1));
    let stripped = changed(|card| {
        card.as_object_mut().unwrap().remove("securityRequirements");
    });
    let told = |card: &Value, terms: &VerifyTerms| {
        let card = with_entries(card, entries.clone());
        let verified = verify_with(card, &keys, terms).unwrap();
        let stale = verified.report().findings.iter().filter(|finding| finding.code.name() == "sig.stale");
        stale.map(|finding| finding.pointer.clone().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(told(&stripped, &VerifyTerms::default()), ["/signatures/0"]);
    assert_eq!(told(&original, &VerifyTerms::default()), [""; 0]);
    let mut narrow = VerifyTerms::default();
    narrow.forms = vec![Form::A2a10];
    assert_eq!(told(&original, &narrow), [""; 0]);
}

#[test]
fn an_endpoint_of_an_older_version_is_not_handed_on_unsigned() {
    let redirected = changed(|card| {
        card["url"] = json!("https://evil.example/a2a");
        card["preferredTransport"] = json!("JSONRPC");
        card["additionalInterfaces"] = json!([{"url": "https://evil.example", "transport": "GRPC"}]);
    });
    let verified = verify(received(&redirected, &card()), &trusted(&[("k1", 1)])).unwrap();
    assert_eq!(handed_on(&verified), card());
    assert!(verified.member("url").is_none());
    assert!(verified.report().uncovered.iter().all(|member| member.fate == Fate::Stripped));

    // Where no signed interface stands in its place, the endpoint is what matters.
    let old = json!({
        "protocolVersion": "0.3.0", "name": "Agent", "description": "Adds.", "version": "1", "url": "https://a.example",
        "capabilities": {}, "defaultInputModes": [], "defaultOutputModes": [], "skills": [],
    });
    assert_eq!(answer(&verify(received(&old, &old), &trusted(&[("k1", 1)]))), "invalid sig.uncovered-member");
}

#[test]
fn an_older_member_of_a_scheme_is_stripped_only_beside_a_signed_one() {
    for name in ["httpAuthSecurityScheme", "http_auth_security_scheme"] {
        let signed =
            changed(|card| card["securitySchemes"] = json!({"bearer": {name: {"scheme": "Bearer"}}}));
        let mut merged = signed.clone();
        merged["securitySchemes"]["bearer"]["type"] = json!("http");
        let verified = verify(received(&merged, &signed), &trusted(&[("k1", 1)])).unwrap();
        let pointers: Vec<_> =
            verified.report().uncovered.iter().map(|member| member.pointer.as_str()).collect();
        assert_eq!(pointers, ["/securitySchemes/bearer/type"], "{name}");
        assert_eq!(handed_on(&verified)["securitySchemes"], card()["securitySchemes"], "{name}");
    }
    let alone = changed(|card| card["securitySchemes"]["key"] = json!({"type": "http", "scheme": "Bearer"}));
    assert_eq!(
        answer(&verify(received(&alone, &card()), &trusted(&[("k1", 1)]))),
        "invalid sig.uncovered-member"
    );
}

#[test]
fn of_unsigned_schemes_only_an_empty_mutual_tls_one_is_handed_on() {
    let mut terms = VerifyTerms::default();
    terms.forms = vec![Form::SdkJsTyped];
    let with = |schemes: Value| {
        let altered = changed(|card| card["securitySchemes"] = schemes);
        let received = with_entries(&altered, [entry(&card(), Form::SdkJsTyped, HEADER, 1)]);
        answer(&verify_with(received, &trusted(&[("k1", 1)]), &terms))
    };
    assert_eq!(with(json!({"mtls": {"mtlsSecurityScheme": {}}})), "verified");
    for schemes in
        [json!({"mtls": {"mtlsSecurityScheme": {"x": 1}}}), json!([{"any": 1}]), json!("any"), json!(0)]
    {
        assert_eq!(with(schemes.clone()), "invalid sig.uncovered-member", "{schemes}");
    }
}

#[test]
fn an_unknown_member_is_not_handed_on_unsigned() {
    let extended = changed(|card| card["x-note"] = json!({"url": "https://evil.example"}));
    let verified = verify(received(&extended, &card()), &trusted(&[("k1", 1)])).unwrap();
    assert_eq!(handed_on(&verified), card());
}

#[test]
fn an_allowed_place_covers_its_subtree_and_nothing_beside_it() {
    let many = |card: &mut Value| {
        let interface = card["supportedInterfaces"][0].clone();
        card["supportedInterfaces"] = Value::Array(vec![interface; 10]);
    };
    let original = changed(many);
    let altered = changed(|card| {
        many(card);
        card["supportedInterfaces"].as_array_mut().unwrap().push(json!({}));
    });
    let with_allowed = |pointer: &str| {
        let mut terms = VerifyTerms::default();
        terms.coverage.allowed = vec![pointer.to_owned()];
        verify_with(received(&altered, &original), &trusted(&[("k1", 1)]), &terms)
    };
    for pointer in
        ["/supportedInterfaces/1", "/supported", "/supportedInterfaces/100", "/supportedInterfaces/10/url"]
    {
        assert_eq!(answer(&with_allowed(pointer)), "invalid sig.uncovered-member", "{pointer}");
    }
    for pointer in ["/supportedInterfaces/10", "/supportedInterfaces", ""] {
        let verified = with_allowed(pointer).unwrap();
        let marked: Vec<_> = verified.unsigned().map(|member| member.pointer.as_str()).collect();
        assert_eq!(marked, ["/supportedInterfaces/10"], "{pointer}");
        assert_eq!(handed_on(&verified), altered, "{pointer}");
    }
}

#[test]
fn nothing_but_defaults_may_be_uncovered_where_that_is_denied() {
    let mut deny = VerifyTerms::default();
    deny.coverage.strictness = Strictness::Deny;
    let with = |received_card: &Value| {
        answer(&verify_with(received(received_card, &card()), &trusted(&[("k1", 1)]), &deny))
    };
    assert_eq!(with(&card()), "verified");
    assert_eq!(with(&changed(|card| card["iconUrl"] = json!(""))), "verified");
    for altered in [
        changed(|card| card["x-note"] = json!(1)),
        changed(|card| card["url"] = json!("https://agent.example.com/a2a")),
        changed(|card| card["skills"][0]["tags"] = json!(["math", ""])),
        changed(|card| card["securityRequirements"].as_array_mut().unwrap().push(json!({}))),
    ] {
        assert_eq!(with(&altered), "invalid sig.uncovered-member");
    }
}

#[test]
fn with_several_required_only_what_every_counted_signature_covers_is_handed_on() {
    let card = changed(|card| card["x-note"] = json!("kept by one form only"));
    let by = |form, kid: &str, seed| entry(&card, form, &format!(r#"{{"alg":"EdDSA","kid":"{kid}"}}"#), seed);
    let keys = trusted(&[("k1", 1), ("k2", 2)]);
    let signed = || with_entries(&card, [by(Form::A2a10, "k1", 1), by(Form::AsReceived, "k2", 2)]);

    let one = verify(signed(), &keys).unwrap();
    assert_eq!(handed_on(&one), card, "one suffices: the one that covers most counts");
    let mut two = VerifyTerms::default();
    two.min = NonZeroUsize::new(2).unwrap();
    let both = verify_with(signed(), &keys, &two).unwrap();
    assert_eq!(handed_on(&both), self::card());
    assert_eq!(both.report().outcome, CardOutcome::Verified);
}

#[test]
fn signing_replaces_the_entries_of_its_own_key_only() {
    let text = card().to_string();
    let by = |seed: u8| KeySigner::new(key(seed), Algorithm::EdDsa).unwrap().with_kid("shared");
    let sign = |text: &[u8], seed, others: &TrustedKeys| {
        let card = UntrustedCard::read(text, &Limits::default()).unwrap();
        card.sign(&by(seed), &SignTerms::default(), others).unwrap()
    };
    let others = trusted(&[("shared", 1)]);
    let first = sign(text.as_bytes(), 1, &TrustedKeys::default());
    let second = sign(&first.octets, 2, &others);
    assert_eq!(second.replaced, 0, "another key with the same `kid`");
    let again = sign(&second.octets, 2, &others);
    assert_eq!((again.replaced, &again.octets), (1, &second.octets));
}

#[test]
fn an_entry_is_stale_only_if_its_key_signed_other_octets_under_every_form() {
    let stale = |signed: &Value, form: Form| {
        let entry = entry(signed, form, HEADER, 1);
        let mut terms = SignTerms::default();
        terms.stale = Stale::Drop;
        let signer = KeySigner::new(key(2), Algorithm::EdDsa).unwrap();
        with_entries(&card(), [entry]).sign(&signer, &terms, &trusted(&[("k1", 1)])).unwrap().stale
    };
    for form in [Form::A2a10, Form::Sdk1x, Form::SdkJsTyped, Form::Zeph] {
        assert_eq!(stale(&card(), form), Vec::<usize>::new(), "{form}");
        assert_eq!(stale(&changed(|card| card["version"] = json!("0.9.0")), form), [0], "{form}");
    }
}
