//! Cards made to cost more than they weigh. Work that grows with the square of the card would keep these tests busy for
//! minutes; memory that does would end them.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

use countersign::keys::trust::KeySource;
use countersign::{
    Algorithm, CanonicalPayload, CardOutcome, Form, KeySigner, Limits, SignTerms, Signer, SigningKey,
    TrustedKey, TrustedKeys, UnixTime, UntrustedCard, VerificationReport, VerifyTerms,
};

fn read(text: &str) -> UntrustedCard {
    UntrustedCard::read(text, &Limits::default().with_max_octets(1 << 20)).unwrap()
}

fn signer() -> KeySigner {
    KeySigner::new(SigningKey::generate(Algorithm::EdDsa).unwrap(), Algorithm::EdDsa).unwrap().with_kid("k")
}

fn card(members: &str) -> String {
    format!(
        r#"{{"name":"A","description":"B","version":"1","capabilities":{{"streaming":true}},"supportedInterfaces":[{{"url":"https://a.example","protocolBinding":"JSONRPC","protocolVersion":"1.0"}}],"defaultInputModes":["t"],"defaultOutputModes":["t"],"skills":[{{"id":"a","name":"b","description":"c","tags":["d"]}}],{members}}}"#
    )
}

fn signed(text: &str, form: Form, signer: &KeySigner) -> String {
    let mut terms = SignTerms::default();
    terms.forms = vec![form];
    let signed = read(text).sign(signer, &terms, &TrustedKeys::default()).unwrap();
    String::from_utf8(signed.octets).unwrap()
}

fn verify(text: &str, signer: &KeySigner) -> VerificationReport {
    let mut keys = TrustedKeys::default();
    keys.push(TrustedKey::new(signer.verifying_key().clone(), KeySource::Single));
    match read(text).verify(&keys, &VerifyTerms::default(), UnixTime::from_seconds(0)) {
        Ok(verified) => verified.report().clone(),
        Err(refused) => refused.report().clone(),
    }
}

#[test]
fn many_alternatives_beside_a_signed_requirement_are_judged_once_each() {
    let signer = signer();
    let covered = r#""securityRequirements":[{"schemes":{"m":{"list":["s"]}}}"#;
    let original = signed(&card(&format!("{covered}]")), Form::Sdk1x, &signer);
    let with = |count: usize| original.replace(covered, &format!("{covered}{}", ",{}".repeat(count)));
    let report = verify(&with(8_000), &signer);
    assert_eq!((report.outcome, report.uncovered.len()), (CardOutcome::Verified, 8_000));
    // More than can be listed within the size of the card.
    assert_eq!(verify(&with(60_000), &signer).outcome, CardOutcome::Invalid);
}

#[test]
fn many_scheme_names_in_a_signed_requirement_are_judged_once_each() {
    let signer = signer();
    let covered = r#"{"m":{"list":["s"]}"#;
    let original = signed(
        &card(&format!(r#""securityRequirements":[{{"schemes":{covered}}}}}]"#)),
        Form::Sdk1x,
        &signer,
    );
    let with = |count: usize| {
        let names: String = (0..count).map(|number| format!(r#","x{number}":{{}}"#)).collect();
        original.replace(covered, &format!("{covered}{names}"))
    };
    let report = verify(&with(5_000), &signer);
    assert_eq!((report.outcome, report.uncovered.len()), (CardOutcome::Verified, 5_000));
    assert_eq!(verify(&with(20_000), &signer).outcome, CardOutcome::Invalid);
}

#[test]
fn many_interfaces_and_many_spellings_are_read_in_one_pass() {
    let interfaces = vec!["0"; 120_000].join(",");
    let claims = read(&format!(r#"{{"supportedInterfaces":[{interfaces}]}}"#));
    assert_eq!(claims.claimed_interfaces().len(), 120_000);
    let skills = vec![r#"{"input_modes":0}"#; 14_000].join(",");
    assert_eq!(read(&format!(r#"{{"skills":[{skills}]}}"#)).findings().len(), 32);
}

#[test]
fn a_long_name_above_many_uncovered_values_is_not_repeated_for_each() {
    let signer = signer();
    let long = "L".repeat(20_000);
    let place = r#""capabilities":{"streaming":true}"#;
    let with = |values: &str| {
        format!(
            r#""capabilities":{{"streaming":true,"extensions":[{{"uri":"u","params":{{"{long}":[1{values}]}}}}]}}"#
        )
    };
    let original = signed(&card(r#""iconUrl":"i""#).replace(place, &with("")), Form::Sdk1x, &signer);
    let altered = original.replace(&with(""), &with(&r#","""#.repeat(5_000)));
    let report = verify(&altered, &signer);
    assert_eq!(report.outcome, CardOutcome::Invalid);
    let listed: usize = report.uncovered.iter().map(|member| member.pointer.len()).sum();
    assert!(listed <= 256 * 1024, "{listed}");
    let card = read(&altered);
    let left_out = CanonicalPayload::of(&card, Form::Sdk1x).unwrap().left_out(&card);
    assert!(left_out.iter().map(String::len).sum::<usize>() <= 256 * 1024);
}

#[test]
fn a_scheme_cannot_be_exchanged_for_one_of_another_type() {
    let signer = signer();
    let card = r#"{"protocolVersion":"0.3.0","name":"A","description":"B","version":"1","url":"https://a.example","capabilities":{"streaming":true},"defaultInputModes":["t"],"defaultOutputModes":["t"],"skills":[{"id":"a","name":"b","description":"c","tags":["d"]}],"securitySchemes":{"m":{"type":"mutualTLS","description":"Client certificate"}},"security":[{"m":["s"]}]}"#;
    let payload = CanonicalPayload::of(&read(card), Form::SdkPy03).unwrap();
    let header = countersign::keys::jws::NewHeader {
        algorithm: Algorithm::EdDsa,
        kid: "k",
        jku: None,
        iat: None,
        exp: None,
    };
    let protected = header.to_protected();
    let input = countersign::keys::jws::signing_input(&protected, payload.octets());
    let signature = countersign::keys::base64url::encode(&signer.sign(&input).unwrap());
    let entry = format!(r#","signatures":[{{"protected":"{protected}","signature":"{signature}"}}]}}"#);
    let signed = format!("{}{entry}", card.strip_suffix('}').unwrap());
    let mut keys = TrustedKeys::default();
    keys.push(TrustedKey::new(signer.verifying_key().clone(), KeySource::Single));
    let mut terms = VerifyTerms::default();
    terms.forms = vec![Form::SdkPy03];
    let verified = read(&signed).verify(&keys, &terms, UnixTime::from_seconds(0)).unwrap();
    let unsigned: Vec<_> = verified.unsigned().map(|member| member.pointer.as_str()).collect();
    assert_eq!(unsigned, ["/securitySchemes/m/type"]);
    for other in [
        r#""type":"http""#,
        r#""type":"http","scheme":"""#,
        r#""type":"apiKey","in":"","name":"""#,
        r#""type":"oauth2","flows":{}"#,
    ] {
        let exchanged = read(&signed.replace(r#""type":"mutualTLS""#, other));
        assert_eq!(CanonicalPayload::of(&exchanged, Form::SdkPy03).unwrap().octets(), payload.octets());
        let refused = exchanged.verify(&keys, &terms, UnixTime::from_seconds(0)).unwrap_err();
        assert_eq!(
            refused.report().codes.first().map(|code| code.name()),
            Some("sig.uncovered-member"),
            "{other}"
        );
    }
}
