//! Cards that are signed here in a known wrong way.

use countersign::keys::base64url;
use countersign::keys::trust::{KeySource, TrustedKey};
use countersign::{
    Algorithm, CanonicalPayload, Form, KeySigner, Limits, Signer as _, SigningKey, TrustedKeys,
    UntrustedCard, VerifyTerms,
};

use crate::support::{diagnosed, told};

const CARD: &str = r#"{"name":"Zoë","version":"1","x-note":1,"supportedInterfaces":[{"url":"https://a.example/x","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"provider":{"url":"https://b.example","organization":"B"}}"#;
const HEADER: &str = r#"{"alg":"ES256","typ":"JOSE","kid":"k1"}"#;

fn key(octet: u8, kid: &str) -> KeySigner {
    let key = SigningKey::from_ec(Algorithm::Es256.key_kind(), &[octet; 32]).unwrap();
    KeySigner::new(key, Algorithm::Es256).unwrap().with_kid(kid)
}

fn trusted(signers: &[&KeySigner]) -> TrustedKeys {
    let mut keys = TrustedKeys::default();
    for signer in signers {
        let key = TrustedKey::new(signer.verifying_key().clone(), KeySource::SetMember);
        keys.push(key.with_kid(signer.kid().unwrap()));
    }
    keys
}

/// An entry with `header`, signed over exactly `input`.
fn entry(header: &str, input: &[u8]) -> String {
    let signature = base64url::encode(&key(7, "k1").sign(input).unwrap());
    format!(r#"{{"protected":"{}","signature":"{signature}"}}"#, base64url::encode(header.as_bytes()))
}

fn with_signatures(card: &str, entries: &[String]) -> String {
    format!("{},\"signatures\":[{}]}}", card.strip_suffix('}').unwrap(), entries.join(","))
}

fn payload(card: &str, form: Form) -> Vec<u8> {
    let card = UntrustedCard::read(card, &Limits::default()).unwrap();
    CanonicalPayload::of(&card, form).unwrap().octets().to_vec()
}

fn input(header: &str, payload: &[u8]) -> Vec<u8> {
    format!("{}.{}", base64url::encode(header.as_bytes()), base64url::encode(payload)).into_bytes()
}

/// What is told of a card with these entries.
fn causes(card: &str, entries: &[String]) -> Vec<String> {
    let keys = trusted(&[&key(7, "k1")]);
    let found = diagnosed(with_signatures(card, entries).as_bytes(), &keys, &VerifyTerms::default(), &[]);
    found.unwrap().iter().map(told).collect()
}

#[test]
fn a_payload_that_was_not_encoded_is_named() {
    for form in [Form::A2a10, Form::AsReceived, Form::Zeph] {
        let raw = [base64url::encode(HEADER.as_bytes()).as_bytes(), b".", &payload(CARD, form)].concat();
        assert_eq!(causes(CARD, &[entry(HEADER, &raw)]), ["payload-not-base64url"], "{form}");
    }
}

#[test]
fn python_escapes_are_named_where_no_form_has_them() {
    let escaped = String::from_utf8(payload(CARD, Form::AsReceived)).unwrap().replace('ë', "\\u00eb");
    assert_eq!(causes(CARD, &[entry(HEADER, &input(HEADER, escaped.as_bytes()))]), ["python-escapes"]);
}

#[test]
fn a_card_that_was_signed_with_its_signatures_is_named() {
    let other = r#"{"protected":"e30","signature":"AA"}"#.to_owned();
    let signed_over = |card: &str| {
        // The form leaves `signatures` out; under another name it stands where the signer had it.
        let octets =
            String::from_utf8(payload(&card.replace("\"signatures\"", "\"signaturez\""), Form::AsReceived));
        let octets = octets.unwrap().replace("\"signaturez\"", "\"signatures\"");
        entry(HEADER, &input(HEADER, octets.as_bytes()))
    };
    let empty = signed_over(&with_signatures(CARD, &[]));
    assert_eq!(causes(CARD, std::slice::from_ref(&empty)), ["signed-with-signatures"]);
    let mut both = causes(CARD, &[other.clone(), empty]);
    assert_eq!(both.pop().as_deref(), Some("signed-with-signatures"));
    let after_other = signed_over(&with_signatures(CARD, std::slice::from_ref(&other)));
    let mut before = causes(CARD, &[other.clone(), after_other.clone()]);
    assert_eq!(before.pop().as_deref(), Some("signed-with-signatures"));
    assert_eq!(
        causes(CARD, &[after_other, other]).first().map(String::as_str),
        Some("signed-with-signatures")
    );
}

#[test]
fn a_header_that_was_written_anew_is_named() {
    for signed in [
        r#"{"alg": "ES256", "typ": "JOSE", "kid": "k1"}"#,
        r#"{"alg":"ES256","kid":"k1","typ":"JOSE"}"#,
        r#"{"kid": "k1", "alg": "ES256", "typ": "JOSE"}"#,
    ] {
        let over = input(signed, &payload(CARD, Form::A2a10));
        assert_eq!(causes(CARD, &[entry(HEADER, &over)]), ["header-reserialized"], "{signed}");
    }
    // Another header is no other text of the same one.
    let over = input(r#"{"alg":"ES256","typ":"JWT","kid":"k1"}"#, &payload(CARD, Form::A2a10));
    assert_eq!(causes(CARD, &[entry(HEADER, &over)]), ["content-or-key"]);
}

#[test]
fn a_host_that_stands_elsewhere_in_the_card_is_found_without_a_hint() {
    let rewritten = CARD.replace("https://a.example/x", "https://b.example/x");
    let also = rewritten
        .replace("\"organization\":\"B\"", "\"organization\":\"B\",\"docs\":\"https://a.example/y\"");
    let signed_with_docs = also.replace("https://b.example/x", "https://a.example/x");
    let made = entry(HEADER, &input(HEADER, &payload(&signed_with_docs, Form::AsReceived)));
    assert_eq!(causes(&also, &[made]), ["interface-url-rewritten /supportedInterfaces/0/url"]);
    let made = entry(HEADER, &input(HEADER, &payload(CARD, Form::AsReceived)));
    assert_eq!(causes(&rewritten, &[made]), ["content-or-key"]);
}

#[test]
fn another_trusted_key_is_named_with_kid_and_thumbprint() {
    let (named, maker) = (key(8, "k1"), key(7, "k2"));
    let made = entry(HEADER, &input(HEADER, &payload(CARD, Form::A2a10)));
    let card = with_signatures(CARD, &[made]);
    let terms = VerifyTerms::default();
    let found = diagnosed(card.as_bytes(), &trusted(&[&named, &maker]), &terms, &[]).unwrap();
    assert_eq!(found[0].cause.name(), "another-key");
    assert_eq!(found[0].form, Some(Form::A2a10));
    let thumbprint = maker.verifying_key().thumbprint().to_string();
    assert!(found[0].message.contains("`k2`") && found[0].message.contains(&thumbprint));
    let found = diagnosed(card.as_bytes(), &trusted(&[&named]), &terms, &[]).unwrap();
    assert_eq!(found[0].cause.name(), "content-or-key");
    let found = diagnosed(card.as_bytes(), &trusted(&[&maker]), &terms, &[]).unwrap();
    assert_eq!(found[0].cause.name(), "another-key", "also where no key has the `kid`");
    let stranger = key(9, "k3");
    assert!(diagnosed(card.as_bytes(), &trusted(&[&stranger]), &terms, &[]).unwrap().is_empty());
}

#[test]
fn a_form_that_is_not_accepted_is_named() {
    let made = entry(HEADER, &input(HEADER, &payload(CARD, Form::AsReceived)));
    let card = with_signatures(CARD, &[made]);
    let mut terms = VerifyTerms::default();
    terms.forms = vec![Form::A2a10];
    let keys = trusted(&[&key(7, "k1")]);
    let found = diagnosed(card.as_bytes(), &keys, &terms, &[]).unwrap();
    // `a2a-1.0-open` has the same octets and comes first.
    assert_eq!((found[0].cause.name(), found[0].form), ("form-not-accepted", Some(Form::A2a10Open)));
}

#[test]
fn a_signature_of_another_kind_is_named_for_what_it_is() {
    for (entry, what) in [
        (r#""eyJhbGciOiJFUzI1NiJ9.e30.c2ln""#, "compact"),
        (r#"{"signature":"eyJhbGciOiJFUzI1NiJ9.e30.c2ln"}"#, "compact"),
        (r#"{"jws":"e30.e30.c2ln","keyId":"k1"}"#, "{jws, keyId}"),
        (r#"{"kid":"k1","alg":"ES256","typ":"JOSE","jws":"e30..c2ln"}"#, "`jws`"),
        (r#"{"header":{"kid":"k1"},"signature":"AA"}"#, "unprotected header"),
        (r#"{"verificationMaterial":{},"dsseEnvelope":{}}"#, "Sigstore"),
        (r#""sha256=9f86d081884c7d659a2feaa0c55ad015""#, "HMAC"),
        (r#"{"algorithm":"HMAC-SHA256","value":"9f86d081"}"#, "HMAC"),
        (r#"{"publicKey":"k1","signature":"9f86d081"}"#, "without a protected header"),
    ] {
        let card = with_signatures(CARD, &[entry.to_owned()]);
        let found =
            diagnosed(card.as_bytes(), &TrustedKeys::default(), &VerifyTerms::default(), &[]).unwrap();
        assert_eq!(found.len(), 1, "{entry}");
        assert_eq!(found[0].cause.name(), "foreign-shape", "{entry}");
        assert!(found[0].message.contains(what), "{entry}: {}", found[0].message);
    }
    // Damage is no other kind.
    for entry in ["null", "{}", "5", r#"{"protected":"!","signature":"AA"}"#] {
        let card = with_signatures(CARD, &[entry.to_owned()]);
        let found =
            diagnosed(card.as_bytes(), &TrustedKeys::default(), &VerifyTerms::default(), &[]).unwrap();
        assert!(found.is_empty(), "{entry}: {found:?}");
    }
}

#[test]
fn a_signature_that_verified_has_no_diagnosis() {
    let good = entry(HEADER, &input(HEADER, &payload(CARD, Form::AsReceived)));
    let bad = entry(HEADER, b"other octets");
    let keys = trusted(&[&key(7, "k1")]);
    let mut terms = VerifyTerms::default();
    let card = with_signatures(CARD, &[bad, good]);
    assert!(
        diagnosed(card.as_bytes(), &keys, &terms, &[]).is_none(),
        "the card verifies: there is nothing to ask"
    );
    terms.min = 2.try_into().unwrap();
    let found = diagnosed(card.as_bytes(), &keys, &terms, &[]).unwrap();
    assert_eq!(found.iter().map(|diagnosis| diagnosis.index).collect::<Vec<_>>(), [0]);
}

#[test]
fn an_unsigned_card_has_no_diagnosis() {
    assert!(
        diagnosed(CARD.as_bytes(), &TrustedKeys::default(), &VerifyTerms::default(), &[]).unwrap().is_empty()
    );
}

#[test]
fn a_member_of_a_card_of_the_usual_size_is_named_within_the_bound() {
    let keys = std::fs::read("examples/keys/demo.jwks").unwrap();
    let keys = TrustedKeys::read(keys, "demo.jwks").unwrap();
    let card = std::fs::read_to_string("examples/cards/signed.json").unwrap();
    let altered = card.replacen("\"pushNotifications\": false,", "", 1);
    assert_ne!(altered, card);
    let found = diagnosed(altered.as_bytes(), &keys, &VerifyTerms::default(), &[]).unwrap();
    let told: Vec<_> = found.iter().map(told).collect();
    assert_eq!(told, ["member-changed /capabilities/pushNotifications"]);
}
