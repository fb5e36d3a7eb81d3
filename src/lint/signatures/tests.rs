use countersign_keys::{Edit, Level, base64url};

use crate::keys::trust::KeySource;
use crate::lint::{LintTerms, Profile};
use crate::{
    Algorithm, Finding, FixSafety, Form, KeySigner, Limits, SignTerms, Signer as _, SigningKey, TrustedKey,
    TrustedKeys, UnixTime, UntrustedCard,
};

const NOW: UnixTime = UnixTime::from_seconds(1_796_083_200);

/// The same octets under every form.
const CARD: &str = r#"{"name":"A","description":"B","version":"1.0.0","capabilities":{"streaming":true},
"supportedInterfaces":[{"url":"https://a.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
"skills":[{"id":"s","name":"S","description":"D","tags":["t"]}]}"#;

/// A header and a signature of the right length, which nobody made.
const ENTRY: &str = r#"{"protected":"eyJhbGciOiJFUzI1NiIsInR5cCI6IkpPU0UiLCJraWQiOiJrMSIsImlhdCI6MX0","signature":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#;

fn read(text: &str) -> UntrustedCard {
    UntrustedCard::read(text, &Limits::default()).unwrap()
}

fn findings(text: &str, profile: Profile, keys: Option<&TrustedKeys>) -> Vec<Finding> {
    let terms = LintTerms { profile, keys: keys.map(|keys| (keys, NOW)), ..LintTerms::default() };
    let own = |finding: &Finding| super::LINTS.iter().any(|lint| lint.code == finding.code);
    read(text).lint(&terms).into_iter().filter(own).collect()
}

/// Codes, places and levels in the profile for one's own cards.
fn found(text: &str, keys: Option<&TrustedKeys>) -> Vec<(&'static str, String, Level)> {
    told(&findings(text, Profile::Publish, keys))
}

fn told(findings: &[Finding]) -> Vec<(&'static str, String, Level)> {
    findings.iter().map(|f| (f.code.name(), f.pointer.clone().unwrap(), f.level)).collect()
}

fn at(code: &'static str, place: &str, level: Level) -> Vec<(&'static str, String, Level)> {
    vec![(code, place.to_owned(), level)]
}

fn with(members: &str) -> String {
    CARD.replacen('{', &format!("{{{members},"), 1)
}

fn with_header(header: &str) -> String {
    let protected = base64url::encode(header.as_bytes());
    let signature = base64url::encode(&[1; 64]);
    with(&format!(r#""signatures":[{{"protected":"{protected}","signature":"{signature}"}}]"#))
}

fn signer(kid: &str) -> KeySigner {
    KeySigner::new(SigningKey::generate(Algorithm::Es256).unwrap(), Algorithm::Es256).unwrap().with_kid(kid)
}

fn trust(signers: &[&KeySigner]) -> TrustedKeys {
    let mut keys = TrustedKeys::new();
    for signer in signers {
        let key = TrustedKey::new(signer.verifying_key().clone(), KeySource::SetMember);
        keys.push(key.with_kid(signer.kid().unwrap()));
    }
    keys
}

fn sign(text: &str, signer: &KeySigner, change: impl FnOnce(&mut SignTerms)) -> String {
    let mut terms = SignTerms { issued_at: Some(UnixTime::from_seconds(1)), ..SignTerms::default() };
    change(&mut terms);
    String::from_utf8(read(text).sign(signer, &terms, &TrustedKeys::new()).unwrap().octets).unwrap()
}

fn apply(text: &str, finding: &Finding) -> String {
    let mut fixed = text.to_owned();
    for Edit { range, text } in finding.fix.as_ref().unwrap().edits.iter().rev() {
        fixed.replace_range(range.clone(), text);
    }
    fixed
}

#[test]
fn a_card_without_signatures_is_told_and_another_document_is_not() {
    for text in [CARD, &with(r#""signatures":[]"#)] {
        assert_eq!(found(text, None), at("sig.absent", "/signatures", Level::Warning));
    }
    let null = with(r#""signatures":null"#);
    assert_eq!(told(&findings(&null, Profile::Consume, None)), at("sig.absent", "/signatures", Level::Info));
    assert_eq!(found(r#"{"name":"server","tools":[]}"#, None), []);
    assert_eq!(found(&with(&format!(r#""signatures":[{ENTRY}]"#)), None), []);
}

#[test]
fn what_no_verification_looks_at_is_an_error_for_everybody() {
    let list = |count: usize| with(&format!(r#""signatures":[{}]"#, vec!["5"; count].join(",")));
    for profile in [Profile::Publish, Profile::Consume] {
        let of = |text: &str| told(&findings(text, profile, None));
        let object = with(r#""signatures":{"0":1}"#);
        assert_eq!(of(&object), at("sig.malformed", "/signatures", Level::Error));
        assert_eq!(of(&list(17)), at("sig.too-many", "/signatures", Level::Error));
        assert_eq!(of(&list(16)).len(), 16);
    }
}

#[test]
fn a_signature_value_has_one_text_and_one_length() {
    let value = |text: &str| {
        let entry = ENTRY.replacen(
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            text,
            1,
        );
        findings(&with(&format!(r#""signatures":[{entry}]"#)), Profile::Publish, None)
    };
    let good = base64url::encode(&[1; 64]);
    let der = [[0x30, 68, 2, 32].as_slice(), &[1; 32], &[2, 32], &[1; 32]].concat();
    assert_eq!(told(&value(&good)), []);
    for (bad, words, has_help) in [
        (format!("{good}=="), "padding", Some(())),
        (good.replacen('A', "+", 1), "plain base64", Some(())),
        (format!("{}R", good.strip_suffix('Q').unwrap()), "unused bits", None),
        (base64url::encode(&[1; 63]), "63 octets, ES256 needs exactly 64", None),
        (base64url::encode(&der), "DER", Some(())),
        (String::new(), "0 octets", None),
    ] {
        let found = value(&bad);
        assert_eq!(told(&found), at("sig.malformed", "/signatures/0/signature", Level::Error), "{bad}");
        assert!(found[0].message.contains(words), "{}", found[0].message);
        assert_eq!(found[0].help.as_ref().map(|_| ()), has_help, "{bad}");
    }
    // The length of an RSA signature is the key's.
    let rsa = with_header(r#"{"alg":"PS256","typ":"JOSE","kid":"k","iat":1}"#);
    assert_eq!(found(&rsa, None), []);
}

#[test]
fn keys_are_fetched_from_the_https_origin_of_an_interface_only() {
    let dangerous = |interface: &str, jku: &str| {
        let header = format!(r#"{{"alg":"ES256","typ":"JOSE","kid":"k","iat":1,"jku":"{jku}"}}"#);
        let text = with_header(&header).replace(
            r#""url":"https://a.example/a2a","protocolBinding":"JSONRPC""#,
            &format!(r#""url":"{interface}","protocolBinding":"GRPC""#),
        );
        found(&text, None).iter().any(|(code, ..)| *code == "sig.header-dangerous")
    };
    for (interface, jku) in [
        ("https://a.example/a2a", "https://a.example/jwks.json"),
        ("https://a.example/a2a", "https://A.example:443/jwks.json?v=1"),
        ("https://a.example:8443/a2a", "https://a.example:8443/jwks.json"),
        ("wss://a.example/a2a", "https://a.example/jwks.json"),
        ("a.example:443", "https://a.example/jwks.json"),
    ] {
        assert!(!dangerous(interface, jku), "{interface} {jku}");
    }
    for (interface, jku) in [
        ("https://a.example/a2a", "https://b.example/jwks.json"),
        ("https://a.example/a2a", "https://a.example:8443/jwks.json"),
        ("https://a.example/a2a", "http://a.example/jwks.json"),
        ("http://a.example:8443/a2a", "https://a.example:8443/jwks.json"),
        ("https://a.example/a2a", "https://a.example@b.example/jwks.json"),
        ("https://a.example/a2a", "https://a.example/jwks.json#k"),
        ("https://a.example/a2a", "/jwks.json"),
        ("", "https://a.example/jwks.json"),
    ] {
        assert!(dangerous(interface, jku), "{interface} {jku}");
    }
}

#[test]
fn a_key_in_the_header_is_dangerous_and_beside_it_malformed() {
    let text = with_header(r#"{"alg":"ES256","typ":"JOSE","kid":"k","iat":1,"jwk":{},"x5c":[]}"#);
    let dangerous = findings(&text, Profile::Consume, None);
    assert_eq!(told(&dangerous), at("sig.header-dangerous", "/signatures/0/protected", Level::Warning));
    assert!(dangerous[0].message.contains("(`jwk`, `x5c`)"));
    let beside = with(&format!(r#""signatures":[{}]"#, ENTRY.replacen('{', r#"{"header":{"jwk":{}},"#, 1)));
    assert_eq!(found(&beside, None), at("sig.malformed-header", "/signatures/0", Level::Error));
}

#[test]
fn an_algorithm_that_proves_nothing_is_told_with_what_to_use() {
    for (alg, help) in [
        ("none", Some("signs nothing")),
        ("HS256", Some("HMAC")),
        ("es256", Some("`ES256`")),
        ("ES256K", None),
        ("é", None),
    ] {
        let text = with_header(&format!(r#"{{"alg":"{alg}","typ":"JOSE","kid":"k","iat":1}}"#));
        let found = findings(&text, Profile::Publish, None);
        let place = "/signatures/0/protected";
        assert_eq!(told(&found), at("sig.algorithm-unsupported", place, Level::Error), "{alg}");
        let told = found[0].help.as_deref();
        assert_eq!(told.is_some(), help.is_some(), "{alg}");
        assert!(help.is_none_or(|words| told.unwrap().contains(words)), "{alg}: {told:?}");
    }
}

#[test]
fn an_exact_repeat_goes_unasked_and_another_one_by_a_person() {
    let list = |entries: &str| with(&format!(r#""signatures":[{entries}]"#));
    let safety = |text: &str| {
        let found = findings(text, Profile::Publish, None);
        found.iter().map(|finding| finding.fix.as_ref().unwrap().safety).collect::<Vec<_>>()
    };
    let text = list(&[ENTRY, ENTRY, ENTRY].join(" ,\n"));
    assert_eq!(safety(&text), [FixSafety::Safe, FixSafety::Safe]);
    assert!(findings(&text, Profile::Consume, None).is_empty());
    let mut fixed = text.clone();
    for finding in findings(&text, Profile::Publish, None).iter().rev() {
        fixed = apply(&fixed, finding);
    }
    assert_eq!(fixed, list(ENTRY));
    let noted = ENTRY.replacen('{', r#"{"note":1,"#, 1);
    assert_eq!(safety(&list(&format!("{ENTRY},{noted}"))), [FixSafety::Suggested]);
    let unprotected = ENTRY.replacen('{', r#"{"header":{"note":1},"#, 1);
    assert_eq!(found(&list(&format!("{ENTRY},{unprotected}")), None), []);
}

#[test]
fn one_key_over_the_same_octets_repeats_itself_and_over_others_does_not() {
    let (one, card) = (signer("k1"), CARD.replace(r#"["t"]"#, "[]"));
    let keys = trust(&[&one]);
    let forms = |terms: &mut SignTerms| terms.forms = vec![Form::A2a10, Form::Sdk1x];
    assert_eq!(found(&sign(&card, &one, forms), Some(&keys)), []);
    // The same octets under two headers: countersign itself would replace the first.
    let (first, second) = (
        sign(CARD, &one, |_| ()),
        sign(CARD, &one, |terms| terms.issued_at = Some(UnixTime::from_seconds(2))),
    );
    let (first_list, second_list) = (list_of(&first), list_of(&second));
    assert_ne!(first_list, second_list);
    let both = first.replace(&first_list, &format!("{first_list},{second_list}"));
    assert_eq!(found(&both, None), []);
    let repeated = findings(&both, Profile::Publish, Some(&keys));
    assert_eq!(told(&repeated), at("sig.duplicate-key", "/signatures/1", Level::Warning));
    assert_eq!(repeated[0].fix.as_ref().unwrap().safety, FixSafety::Suggested);
    assert_eq!(apply(&both, &repeated[0]), first);
}

/// The text between the brackets of `signatures`.
fn list_of(text: &str) -> String {
    let card = read(text);
    let list = card.root().member("signatures").unwrap().raw();
    list.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap().trim().to_owned()
}

#[test]
fn a_stale_signature_is_an_error_unless_another_one_counts() {
    let (one, two) = (signer("k1"), signer("k2"));
    let old = list_of(&sign(&CARD.replace("1.0.0", "0.9.0"), &one, |_| ()));
    let new = sign(CARD, &two, |_| ());
    let both = new.replace(&list_of(&new), &format!("{old},{}", list_of(&new)));
    let stale = |profile, keys: &[&KeySigner]| {
        let found = findings(&both, profile, Some(&trust(keys)));
        found.into_iter().find(|finding| finding.code.name() == "sig.stale")
    };
    let known = stale(Profile::Publish, &[&one, &two]).unwrap();
    assert_eq!((known.level, known.pointer.as_deref()), (Level::Error, Some("/signatures/0")));
    assert_eq!(list_of(&apply(&both, &known)), list_of(&new));
    assert_eq!(stale(Profile::Consume, &[&one, &two]).unwrap().level, Level::Warning);
    // Without the second key nothing would be left.
    let alone = stale(Profile::Consume, &[&one]).unwrap();
    assert_eq!((alone.level, alone.fix), (Level::Error, None));
    // An unknown signer beside a known one is usual.
    let unknown = |keys: &[&KeySigner]| told(&findings(&both, Profile::Publish, Some(&trust(keys))));
    let place = "/signatures/0/protected";
    assert_eq!(unknown(&[&two]), at("sig.unknown-key", place, Level::Info));
    assert_eq!(unknown(&[])[0], ("sig.unknown-key", place.to_owned(), Level::Warning));
}

#[test]
fn a_signature_is_expired_from_its_second_on() {
    let one = signer("k1");
    let ending = |exp| sign(CARD, &one, |terms| terms.expires_at = Some(UnixTime::from_seconds(exp)));
    let keys = trust(&[&one]);
    let expired = at("fresh.expired", "/signatures/0/protected", Level::Error);
    assert_eq!(found(&ending(NOW.seconds()), Some(&keys)), expired);
    assert_eq!(found(&ending(NOW.seconds() + 1), Some(&keys)), []);
    assert_eq!(found(&ending(NOW.seconds()), None), []);
}

#[test]
fn what_a_signature_leaves_out_is_told_at_its_place() {
    let one = signer("k1");
    let keys = trust(&[&one]);
    let signed = sign(CARD, &one, |_| ());
    let uncovered = |text: &str, profile| {
        let found = findings(text, profile, Some(&keys)).into_iter();
        told(&found.filter(|finding| finding.code.name() == "sig.uncovered-member").collect::<Vec<_>>())
    };
    assert_eq!(uncovered(&signed, Profile::Publish), []);
    let added = signed.replacen('{', r#"{"x-note":1,"#, 1);
    let stripped = at("sig.uncovered-member", "/x-note", Level::Warning);
    assert_eq!(uncovered(&added, Profile::Publish), stripped);
    assert_eq!(uncovered(&added, Profile::Consume), stripped);
    let sdk = sign(CARD, &one, |terms| terms.forms = vec![Form::Sdk1x]);
    let interface = sdk.replace(r#""supportedInterfaces":["#, r#""supportedInterfaces":[{},"#);
    let fatal = at("sig.uncovered-member", "/supportedInterfaces/0", Level::Error);
    assert_eq!(uncovered(&interface, Profile::Consume), fatal);
}

#[test]
fn what_no_signature_covers_is_told_a_few_times_only() {
    let one = signer("k1");
    let many: String = (0..10_000).map(|index| format!(r#""x{index}":1,"#)).collect();
    let text = sign(CARD, &one, |_| ()).replacen('{', &format!("{{{many}"), 1);
    let found = findings(&text, Profile::Publish, Some(&trust(&[&one])));
    let uncovered = found.iter().filter(|finding| finding.code.name() == "sig.uncovered-member");
    assert_eq!(uncovered.count(), 32);
}

#[test]
fn forms_that_differ_are_told_with_who_rejects_the_card_and_why() {
    let one = signer("k1");
    let keys = trust(&[&one]);
    let unstable = |text: &str, keys: Option<&TrustedKeys>| {
        let found = findings(text, Profile::Publish, keys).into_iter();
        let mut found = found.filter(|finding| finding.code.name() == "sig.form-unstable");
        found.next().map(|finding| (finding.pointer.unwrap(), finding.level, finding.message))
    };
    assert_eq!(unstable(CARD, None), None);
    let card = CARD.replace(r#"["t"]"#, "[]");
    let (place, level, message) = unstable(&card, None).unwrap();
    assert_eq!((place.as_str(), level), ("/skills/0/tags", Level::Warning));
    assert_eq!(
        message,
        "signed under `a2a-1.0` the card is rejected by a2a-python from 1.1.4, a2a-js from 1.0.1 (`sdk-1.x`) and \
         a2a-python 1.0.0 to 1.1.3 (`sdk-py-1.0`): that form leaves out `/skills/0/tags`"
    );
    let sdk = sign(&card, &one, |terms| terms.forms = vec![Form::Sdk1x]);
    let (_, _, message) = unstable(&sdk, Some(&keys)).unwrap();
    assert!(message.starts_with("as it is signed, under `sdk-1.x` the card is rejected by the A2A 1.0"));
    let twice = sign(&card, &one, |terms| terms.forms = vec![Form::A2a10, Form::Sdk1x]);
    assert_eq!(unstable(&twice, Some(&keys)), None);
    assert_eq!(unstable(&twice, None).unwrap().1, Level::Info);
    // Only the Python SDK before 1.1.4 escapes it.
    assert_eq!(unstable(&CARD.replace(r#""B""#, r#""é""#), None).unwrap().1, Level::Info);
    let legacy =
        r#"{"name":"A","url":"https://a.example","protocolVersion":"0.3.0","capabilities":{},"skills":[]}"#;
    assert_eq!(unstable(legacy, None), None);
}
