//! Admission: what a policy lets through, what is handed on, and that nothing else is. Each test has its bad twin.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

use countersign::keys::base64url;
use countersign::keys::jws::signing_input;
use countersign::{
    AdmissionRequest, AdmittedCard, AdmittedInterface, Algorithm, CanonicalPayload, Denied, Endorsement,
    Fallback, Form, InterfaceOutcome, Limits, SelectTerms, SigningKey, Source, TOOL, TrustPolicy, UnixTime,
    UntrustedCard, VersionNotSupported, keys,
};
use serde_json::{Value, json};

/// 2026-10-01T12:00:00Z
const NOW: i64 = 1_790_856_000;
const SOURCE: &str = "https://agents.acme.example/.well-known/agent-card.json";
/// The last second of 2026-12-31, UTC.
const LAST_SECOND: i64 = 1_798_761_599;

fn key(seed: u8) -> SigningKey {
    SigningKey::from_ed25519(&[seed; 32]).unwrap()
}

/// `[[key]]` with the id and `kid` `k1` for the seed 1, and so on.
fn key_table(seed: u8, origins: &str) -> String {
    let key = key(seed);
    let jwk: Value = serde_json::from_str(&key.verifying_key().to_jwk(None, None).unwrap()).unwrap();
    let x = jwk.get("x").and_then(Value::as_str).unwrap();
    format!(
        "[[key]]\nid = \"k{seed}\"\nkid = \"k{seed}\"\njwk = {{ kty = \"OKP\", crv = \"Ed25519\", x = \"{x}\" }}\norigins = [{origins}]\n"
    )
}

/// A policy with keys `k1` and `k2` of the source, `k3` of somebody else, and a rule with these members.
fn policy(members: &str) -> TrustPolicy {
    policy_with("", members)
}

fn policy_with(head: &str, members: &str) -> TrustPolicy {
    let acme = "\"https://agents.acme.example\"";
    let keys = [key_table(1, acme), key_table(2, acme), key_table(3, "\"https://agents.other.example\"")];
    let text = format!(
        "schema = 1\n{head}\n{}\n[[allow]]\nid = \"acme\"\nfrom = [{acme}]\n{members}\n",
        keys.join("\n")
    );
    TrustPolicy::read(&text, "trust-policy.toml", &TOOL).unwrap()
}

fn request() -> AdmissionRequest {
    AdmissionRequest::new(Source::at(SOURCE).unwrap())
}

/// A complete card whose two interfaces are on the host of the source and on another one.
fn card() -> Value {
    json!({
        "name": "Agent", "description": "Adds numbers.", "version": "1.0.0",
        "supportedInterfaces": [
            {"url": "https://other.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": "https://agents.acme.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "t1"}
        ],
        "capabilities": {"streaming": true},
        "securitySchemes": {"bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}},
        "securityRequirements": [{"schemes": {"bearer": {"list": ["read"]}}}],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "add", "name": "Add", "description": "Adds.", "tags": ["math"]}],
    })
}

fn changed(mut card: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = card.pointer_mut(parent).unwrap();
    match parent.as_array_mut() {
        Some(list) => list.insert(name.parse().unwrap(), value),
        None => drop(parent.as_object_mut().unwrap().insert(name.to_owned(), value)),
    }
    card
}

fn read(card: &Value) -> UntrustedCard {
    UntrustedCard::read(card.to_string(), &Limits::default()).unwrap()
}

fn entry(card: &Value, form: Form, seed: u8) -> Value {
    let payload = CanonicalPayload::of(&read(card), form).unwrap();
    let header = format!(r#"{{"alg":"EdDSA","typ":"JOSE","kid":"k{seed}"}}"#);
    let protected = base64url::encode(header.as_bytes());
    let signature = key(seed).sign(Algorithm::EdDsa, &signing_input(&protected, payload.octets())).unwrap();
    json!({"protected": protected, "signature": base64url::encode(&signature)})
}

fn with_entries(card: &Value, entries: impl Into<Vec<Value>>) -> Value {
    changed(card.clone(), "/signatures", Value::Array(entries.into()))
}

fn signed(card: &Value, seed: u8) -> Value {
    with_entries(card, [entry(card, Form::A2a10, seed)])
}

fn endorsement(card: &Value, seed: u8) -> Endorsement {
    let payload = CanonicalPayload::of(&read(card), Form::A2a10).unwrap();
    let digest = keys::hex(&keys::sha256(payload.octets()));
    let text = json!({
        "schema": "countersign.endorsement/1", "payload_sha256": digest,
        "signatures": [entry(card, Form::A2a10, seed)],
    });
    Endorsement::read(text.to_string(), &Limits::default()).unwrap()
}

fn admit(card: &Value, policy: &TrustPolicy) -> Result<AdmittedCard, Box<Denied>> {
    admit_at(card, policy, &[], NOW)
}

fn admit_at(
    card: &Value,
    policy: &TrustPolicy,
    endorsements: &[Endorsement],
    now: i64,
) -> Result<AdmittedCard, Box<Denied>> {
    read(card).admit(policy, &request(), endorsements, UnixTime::from_seconds(now))
}

fn codes(answer: Result<AdmittedCard, Box<Denied>>) -> Vec<&'static str> {
    answer.unwrap_err().decision().codes().into_iter().map(|code| code.name()).collect()
}

fn urls(card: &AdmittedCard) -> Vec<&str> {
    card.interfaces().map(AdmittedInterface::url).collect()
}

fn accepting(accept: &[&str]) -> SelectTerms {
    SelectTerms::accepting(accept.iter().map(|text| text.parse().unwrap()))
}

const GRACE: &str = "reason = \"pilot\", until = 2026-12-31";

#[test]
fn a_card_of_a_key_in_scope_gives_the_interfaces_that_the_rule_allows() {
    let admitted = admit(&signed(&card(), 1), &policy("")).unwrap();
    assert!(admitted.enforced());
    let interfaces: Vec<_> = admitted.interfaces().collect();
    let [interface] = interfaces.as_slice() else { panic!("one interface: {interfaces:?}") };
    assert_eq!(interface.url(), "https://agents.acme.example/a2a");
    assert_eq!((interface.binding(), interface.version().to_string().as_str()), ("JSONRPC", "1.0"));
    assert_eq!((interface.tenant(), interface.index()), (Some("t1"), 1));
    assert_eq!(interface.a2a_version().as_deref(), Some("1.0"));
    assert_eq!(interface.media_type(), Some("application/json"));
    assert_eq!(interface.expires_at(), admitted.decision().expires_at);
    assert!(interface.expires_at() > UnixTime::from_seconds(NOW));
}

#[test]
fn a_denied_card_says_why_and_is_handed_back() {
    let tampered =
        changed(signed(&card(), 1), "/supportedInterfaces/1/url", json!("https://evil.example/a2a"));
    let denied = admit(&tampered, &policy("")).unwrap_err();
    assert!(
        denied.to_string().starts_with("the card is denied: sig.invalid: the signature is not one"),
        "{denied}"
    );
    assert!(denied.to_string().contains("; iface.none-left: "), "{denied}");
    assert_eq!(denied.card().claimed_name(), Some("Agent"));
    assert_eq!(denied.into_card().octets(), tampered.to_string().as_bytes());
}

#[test]
fn a_signature_of_a_key_for_another_source_does_not_count() {
    assert_eq!(codes(admit(&signed(&card(), 3), &policy(""))), ["sig.key-out-of-scope"]);
    assert_eq!(codes(admit(&signed(&card(), 4), &policy(""))), ["sig.unknown-key"]);
    assert_eq!(codes(admit(&card(), &policy(""))), ["sig.absent"]);
}

#[test]
fn selection_stays_among_the_admitted_interfaces() {
    let admitted = admit(&signed(&card(), 1), &policy("")).unwrap();
    let selection = admitted.select(&accepting(&["1.0/JSONRPC"]));
    assert_eq!(selection.interface().map(AdmittedInterface::index), Some(1));
    assert_eq!(selection.because().map(|because| because.name()), Some("card-order"));
    let passed_over = selection.offered().next().unwrap();
    assert_eq!(passed_over.codes.first().map(|code| code.name()), Some("iface.off-origin"));
    let none = admitted.select(&accepting(&["1.0/GRPC"]));
    assert!(none.interface().is_none());
    assert_eq!(none.codes().first().map(|code| code.name()), Some("iface.none-compatible"));
}

#[test]
fn a_refused_version_leads_to_admitted_interfaces_only() {
    let refused = || {
        let body = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32009,"message":"not supported"}}"#;
        VersionNotSupported::from_json_rpc(body).unwrap()
    };
    let old = json!({"url": "https://agents.acme.example/v0", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"});
    let card = signed(&changed(card(), "/supportedInterfaces/2", old), 1);
    let mut terms = accepting(&["1.0/JSONRPC", "0.3/JSONRPC"]);
    terms.fallback = Fallback::Allow;
    for (rule, after) in
        [("", None), ("interfaces.versions = [\"1.0\", \"0.3\"]", Some("https://agents.acme.example/v0"))]
    {
        let admitted = admit(&card, &policy(rule)).unwrap();
        let selection = admitted.select(&terms);
        assert_eq!(
            selection.interface().map(AdmittedInterface::url),
            Some("https://agents.acme.example/a2a")
        );
        let selection = selection.after(refused());
        assert_eq!(selection.interface().map(AdmittedInterface::url), after, "{rule}");
    }
}

#[test]
fn what_no_counted_signature_covers_is_not_handed_on() {
    let card = changed(card(), "/x-note", json!("unsigned"));
    let admitted = admit(&signed(&card, 1), &policy("")).unwrap();
    assert!(admitted.view().member("x-note").is_none());
    assert_eq!(admitted.decision().uncovered.first().map(|member| member.pointer.as_str()), Some("/x-note"));
    let octets = String::from_utf8(admitted.to_octets()).unwrap();
    assert!(!octets.contains("x-note") && !octets.contains("signatures"), "{octets}");

    let whole = with_entries(&card, [entry(&card, Form::AsReceived, 1)]);
    assert!(admit(&whole, &policy("")).unwrap().view().member("x-note").is_some());
}

#[test]
fn several_counted_signatures_hand_on_what_all_of_them_cover() {
    let card = changed(card(), "/x-note", json!("signed by k1 only"));
    let both = with_entries(&card, [entry(&card, Form::AsReceived, 1), entry(&card, Form::A2a10, 2)]);
    let all_of = "signatures.all-of = [ { keys = [\"k1\"], min = 1 }, { keys = [\"k2\"], min = 1 } ]";
    assert!(admit(&both, &policy(all_of)).unwrap().view().member("x-note").is_none());
    let one = "signatures.require = { keys = [\"k1\"], min = 1 }";
    assert!(admit(&both, &policy(one)).unwrap().view().member("x-note").is_some());
    assert_eq!(codes(admit(&signed(&card, 1), &policy(all_of))), ["sig.threshold"]);
}

#[test]
fn a_key_counts_once_however_often_it_signs() {
    let two = "signatures.require = { keys = \"*origin\", min = 2 }";
    let twice = with_entries(&card(), [entry(&card(), Form::A2a10, 1), entry(&card(), Form::Sdk1x, 1)]);
    assert_eq!(codes(admit(&twice, &policy(two))), ["sig.threshold"]);
    let both = with_entries(&card(), [entry(&card(), Form::A2a10, 1), entry(&card(), Form::Sdk1x, 2)]);
    assert!(admit(&both, &policy(two)).is_ok());
}

#[test]
fn an_endorsement_counts_for_its_card_and_decides_nothing_for_another() {
    let all_of = policy("signatures.all-of = [ { keys = [\"k1\"], min = 1 }, { keys = [\"k2\"], min = 1 } ]");
    let published = signed(&card(), 1);
    let other = changed(card(), "/name", json!("Other"));
    let (fitting, unfit) = (endorsement(&card(), 2), endorsement(&other, 2));
    // The unfit one comes first: the numbers of signatures must not shift.
    let given = [endorsement(&other, 2), fitting];
    let admitted = admit_at(&published, &all_of, &given, NOW).unwrap();
    let counted = admitted.decision().signatures.iter().filter(|verdict| verdict.counts);
    assert_eq!(
        counted.map(|verdict| (verdict.endorsement, verdict.key.as_deref())).collect::<Vec<_>>(),
        [(None, Some("k1")), (Some(1), Some("k2"))]
    );
    assert_eq!(codes(admit_at(&published, &all_of, &[unfit], NOW)), ["sig.threshold"]);
    // Beside an unsigned card it makes no signature that is present.
    let if_present = policy(&format!("signatures = {{ level = \"if-present\", {GRACE} }}"));
    let admitted = admit_at(&card(), &if_present, &[endorsement(&other, 2)], NOW).unwrap();
    let told = admitted.decision().findings.iter().map(|finding| finding.code.name()).collect::<Vec<_>>();
    assert!(told.contains(&"endorsement.payload-mismatch"), "{told:?}");
    assert_eq!(codes(admit_at(&card(), &if_present, &[endorsement(&card(), 4)], NOW)), ["sig.unknown-key"]);
}

#[test]
fn with_signatures_off_none_is_looked_at_until_the_last_second() {
    let off = policy(&format!("signatures = {{ level = \"off\", {GRACE} }}"));
    let card = changed(card(), "/x-note", json!("claimed"));
    let damaged = with_entries(&card, [json!({"protected": "?", "signature": "?"})]);
    let admitted = admit_at(&damaged, &off, &[], LAST_SECOND).unwrap();
    assert!(admitted.view().member("x-note").is_some());
    assert!(admitted.decision().signatures.is_empty());
    assert!(admitted.decision().findings.iter().any(|finding| finding.code.name() == "sig.not-checked"));
    assert_eq!(codes(admit_at(&damaged, &off, &[], LAST_SECOND + 1)), ["sig.malformed-header"]);
}

#[test]
fn only_a_card_without_signatures_is_unsigned() {
    let if_present = policy(&format!("signatures = {{ level = \"if-present\", {GRACE} }}"));
    for unsigned in
        [card(), changed(card(), "/signatures", json!([])), changed(card(), "/signatures", json!(null))]
    {
        let admitted = admit(&unsigned, &if_present).unwrap();
        assert_eq!(urls(&admitted), ["https://agents.acme.example/a2a"]);
        assert_eq!(codes(admit_at(&unsigned, &if_present, &[], LAST_SECOND + 1)), ["sig.absent"]);
    }
    for (present, code) in [
        (changed(card(), "/signatures", json!({})), "sig.malformed"),
        (changed(card(), "/signatures", json!("")), "sig.malformed"),
        (signed(&card(), 4), "sig.unknown-key"),
        (changed(signed(&card(), 1), "/name", json!("Other")), "sig.invalid"),
    ] {
        assert_eq!(codes(admit(&present, &if_present)), [code]);
    }
    assert!(admit(&signed(&card(), 1), &if_present).is_ok());
}

#[test]
fn members_that_may_be_unsigned_are_handed_on_until_the_last_second() {
    // The empty interface is no part of what this form signs.
    let widened = changed(card(), "/supportedInterfaces/2", json!({}));
    let widened = with_entries(&widened, [entry(&card(), Form::Sdk1x, 1)]);
    let allowed = policy(&format!(
        "signatures.allow-uncovered = {{ pointers = [\"/supportedInterfaces/2\"], {GRACE} }}"
    ));
    let admitted = admit_at(&widened, &allowed, &[], LAST_SECOND).unwrap();
    assert_eq!(admitted.view().claimed_interfaces().len(), 3);
    assert_eq!(urls(&admitted), ["https://agents.acme.example/a2a"]);
    assert_eq!(codes(admit_at(&widened, &allowed, &[], LAST_SECOND + 1)), ["sig.uncovered-member"]);
    assert_eq!(codes(admit(&widened, &policy(""))), ["sig.uncovered-member"]);
}

#[test]
fn a_policy_may_demand_that_every_member_is_signed() {
    let strict = policy("signatures.uncovered = \"deny\"");
    let card_with_note = signed(&changed(card(), "/x-note", json!("unsigned")), 1);
    assert_eq!(codes(admit(&card_with_note, &strict)), ["sig.uncovered-member"]);
    assert!(admit(&signed(&card(), 1), &strict).is_ok());
}

#[test]
fn a_form_that_the_rule_does_not_list_does_not_count() {
    let narrow = policy("signatures.forms = [\"as-received\"]");
    let card = changed(card(), "/x-note", json!("unsigned"));
    assert_eq!(codes(admit(&signed(&card, 1), &narrow)), ["sig.invalid"]);
    let whole = with_entries(&card, [entry(&card, Form::AsReceived, 1)]);
    assert!(admit(&whole, &narrow).is_ok());
}

#[test]
fn a_denial_that_is_not_enforced_gives_interfaces_that_say_so() {
    let audit = policy(&format!("mode = {{ audit = true, {GRACE} }}"));
    let admitted = admit(&card(), &audit).unwrap();
    assert!(!admitted.enforced());
    let outcomes: Vec<_> = admitted.decision().interfaces.iter().map(|verdict| verdict.outcome).collect();
    assert_eq!(outcomes, [InterfaceOutcome::NotEnforced, InterfaceOutcome::Admitted]);
    assert_eq!(urls(&admitted), ["https://other.example/a2a", "https://agents.acme.example/a2a"]);
    assert_eq!(codes(admit_at(&card(), &audit, &[], LAST_SECOND + 1)), ["sig.absent"]);
}

#[test]
fn audit_gives_no_url_that_nobody_reads_alike_and_forgives_no_tampering() {
    let audit = policy(&format!("mode = {{ audit = true, {GRACE} }}"));
    let confusing =
        changed(card(), "/supportedInterfaces/0/url", json!("https://agents.acme.example@evil.example/"));
    assert_eq!(urls(&admit(&confusing, &audit).unwrap()), ["https://agents.acme.example/a2a"]);
    let tampered = changed(signed(&card(), 1), "/name", json!("Other"));
    assert!(codes(admit(&tampered, &audit)).contains(&"sig.invalid"));
}

#[test]
fn limits_of_the_policy_hold() {
    let entries: Vec<_> = (1..=3).map(|_| entry(&card(), Form::A2a10, 1)).collect();
    let three = with_entries(&card(), entries);
    assert!(admit(&three, &policy_with("[defaults]\nmax-signatures = 3", "")).is_ok());
    assert_eq!(codes(admit(&three, &policy_with("[defaults]\nmax-signatures = 2", ""))), ["sig.too-many"]);
    let long = changed(card(), "/description", json!("a".repeat(2048)));
    assert!(admit(&signed(&long, 1), &policy("")).is_ok());
    let small = policy_with("[defaults]\nmax-card = \"1KiB\"", "");
    assert_eq!(codes(admit(&signed(&long, 1), &small)), ["json.too-large"]);
}

#[test]
fn what_nobody_can_use_is_denied_as_what_it_is() {
    let off = policy(&format!("signatures = {{ level = \"off\", {GRACE} }}"));
    let foreign = json!({"keys": []});
    assert_eq!(codes(admit(&foreign, &off)).first(), Some(&"card.not-an-agent-card"));
    let legacy = |version: &str| {
        json!({
            "name": "Agent", "url": "https://agents.acme.example/v0", "protocolVersion": version,
            "capabilities": {}, "skills": [],
        })
    };
    assert_eq!(codes(admit(&legacy("1.0"), &off)).first(), Some(&"card.legacy-shape"));
    let old =
        policy(&format!("signatures = {{ level = \"off\", {GRACE} }}\ninterfaces.versions = [\"0.3\"]"));
    let admitted = admit(&legacy("0.3.0"), &old).unwrap();
    let interface = admitted.interfaces().next().unwrap();
    assert_eq!((interface.binding(), interface.a2a_version()), ("JSONRPC", None));
}

#[test]
fn members_of_the_older_protocol_are_never_an_interface_of_the_newer() {
    let off = policy(&format!(
        "signatures = {{ level = \"off\", {GRACE} }}\ninterfaces.versions = [\"0.3\", \"1.0\"]"
    ));
    let hybrid = |version: &str| {
        let card = changed(card(), "/url", json!("https://agents.acme.example/v0"));
        changed(card, "/protocolVersion", json!(version))
    };
    let new = "https://agents.acme.example/a2a";
    assert_eq!(urls(&admit(&hybrid("1.0"), &off).unwrap()), [new]);
    assert_eq!(urls(&admit(&hybrid("0.3.0"), &off).unwrap()), [new, "https://agents.acme.example/v0"]);
}

#[test]
fn an_interface_without_a_version_is_of_the_assumed_one_or_none() {
    let card = changed(card(), "/supportedInterfaces/1/protocolVersion", json!(""));
    let card = signed(&card, 1);
    assert!(codes(admit(&card, &policy(""))).contains(&"iface.none-left"));
    let mut assuming = request();
    assuming.assumed = Some(countersign::ProtocolVersion::V1_0);
    let admitted = read(&card).admit(&policy(""), &assuming, &[], UnixTime::from_seconds(NOW)).unwrap();
    assert_eq!(urls(&admitted), ["https://agents.acme.example/a2a"]);
    let selection = admitted.select(&accepting(&["1.0/JSONRPC"]));
    assert_eq!(selection.interface().map(AdmittedInterface::index), Some(1));
}

#[test]
fn schemes_are_told_in_the_words_of_policies() {
    for (scheme, words) in [
        (json!({"httpAuthSecurityScheme": {"scheme": "Bearer"}}), "http:bearer"),
        (json!({"type": "http", "scheme": "BASIC"}), "http:basic"),
        (json!({"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}), "apikey:header"),
        (json!({"mtlsSecurityScheme": {}}), "mtls"),
        (
            json!({"openIdConnectSecurityScheme": {"openIdConnectUrl": "https://agents.acme.example/id"}}),
            "openid",
        ),
        (
            json!({"oauth2SecurityScheme": {"flows": {"clientCredentials": {"tokenUrl": "https://agents.acme.example/t"}}}}),
            "oauth2:client_credentials",
        ),
    ] {
        let card = changed(card(), "/securitySchemes/bearer", scheme);
        let card = with_entries(&card, [entry(&card, Form::AsReceived, 1)]);
        let can = |words: &str| policy(&format!("auth.schemes = [\"{words}\"]"));
        assert!(admit(&card, &can(words)).is_ok(), "{words}");
        let other = if words == "mtls" { "openid" } else { "mtls" };
        assert_eq!(codes(admit(&card, &can(other))), ["auth.unsatisfiable"], "{words}");
    }
}

#[test]
fn every_url_that_gets_credentials_is_held_against_the_policy() {
    let flow = |name: &str, url: &str| {
        let mut flow = json!({"tokenUrl": "https://agents.acme.example/t"});
        flow[name] = json!(url);
        flow
    };
    let evil = "https://login.evil.example/t";
    let scheme = |evil: &str, name: &str| match name {
        "openIdConnectUrl" => json!({"openIdConnectSecurityScheme": {"openIdConnectUrl": evil}}),
        "oauth2MetadataUrl" => json!({"oauth2SecurityScheme": {"flows": {}, "oauth2MetadataUrl": evil}}),
        "legacy" => json!({"type": "oauth2", "flows": {"implicit": flow("authorizationUrl", evil)}}),
        name => json!({"oauth2SecurityScheme": {"flows": {"authorizationCode": flow(name, evil)}}}),
    };
    let names = [
        "tokenUrl",
        "authorizationUrl",
        "refreshUrl",
        "deviceAuthorizationUrl",
        "openIdConnectUrl",
        "oauth2MetadataUrl",
        "legacy",
    ];
    for name in names {
        // Whether a requirement names the scheme makes no difference.
        for place in ["/securitySchemes/bearer", "/securitySchemes/unused"] {
            let with = |url: &str| {
                let card = changed(card(), place, scheme(url, name));
                with_entries(&card, [entry(&card, Form::AsReceived, 1)])
            };
            let denied = admit(&with(evil), &policy("")).unwrap_err();
            let reasons = &denied.decision().reasons;
            assert_eq!(
                reasons.first().map(|reason| reason.code.name()),
                Some("auth.host-not-allowed"),
                "{name}"
            );
            let pointer = reasons.first().and_then(|reason| reason.pointer.clone()).unwrap();
            assert_eq!(with(evil).pointer(&pointer), Some(&json!(evil)), "{pointer}");
            assert!(admit(&with("https://agents.acme.example/t"), &policy("")).is_ok(), "{name}");
        }
    }
}

#[test]
fn deny_rules_see_every_url_and_extension() {
    let denying = policy(
        "[[deny]]\nid = \"evil\"\nhosts = [\"**.evil.example\"]\nreason = \"bad\"\n\
         [[deny]]\nid = \"pay\"\nextensions = [\"https://ext.example/pay\"]\nwhen = \"required\"\nreason = \"bad\"",
    );
    let evil = json!("https://www.evil.example/x");
    for (pointer, value) in [
        ("/provider", json!({"organization": "Evil", "url": evil})),
        ("/iconUrl", evil.clone()),
        ("/documentationUrl", evil.clone()),
        ("/supportedInterfaces/0/url", evil.clone()),
    ] {
        let card = signed(&changed(card(), pointer, value), 1);
        assert_eq!(codes(admit(&card, &denying)).first(), Some(&"origin.denied"), "{pointer}");
        assert!(admit(&card, &policy("")).is_ok(), "{pointer}");
    }
    let extended = |required: bool| {
        let list = json!([{"uri": "https://ext.example/pay", "required": required}]);
        signed(&changed(card(), "/capabilities/extensions", list), 1)
    };
    assert_eq!(codes(admit(&extended(true), &denying)), ["ext.denied"]);
    assert!(admit(&extended(false), &denying).is_ok());
}

#[test]
fn a_demand_that_may_have_been_deleted_counts_as_none() {
    let closed = policy("auth.anonymous = \"deny\"");
    let told = |card: &Value| {
        let denied = admit(&signed(card, 1), &closed).unwrap_err();
        let reasons = &denied.decision().reasons;
        assert_eq!(reasons.iter().map(|reason| reason.code.name()).collect::<Vec<_>>(), ["auth.anonymous"]);
        reasons.first().unwrap().message.contains("may have been deleted")
    };
    let mut silent = card();
    silent.as_object_mut().unwrap().remove("securityRequirements");
    assert!(told(&silent));
    silent.as_object_mut().unwrap().remove("securitySchemes");
    assert!(!told(&silent));
    assert!(admit(&signed(&card(), 1), &closed).is_ok());
}
