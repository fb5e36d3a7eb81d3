//! Attacks on admission, one test each: the policy or its default that stops it, and the same card without the attack,
//! which is admitted. Each fails when the check behind it is taken out.
//!
//! What needs a network, a remote key set, a memory of earlier cards or a cache is not here.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

#[path = "support/agent.rs"]
mod agent;
#[path = "support/policies.rs"]
mod policies;

use agent::{card, changed, entry, key, with_entries};
use countersign::{
    AdmissionRequest, AdmittedCard, Denied, Form, InterfaceOutcome, Limits, Source, TOOL, TrustPolicy,
    UnixTime, UntrustedCard,
};
use policies::{keys, policy_with};
use serde_json::{Value, json};

const NOW: i64 = 1_800_000_000;
const SOURCE: &str = "https://agent.example.com/.well-known/agent-card.json";
const K1: &str = r#"{"alg":"EdDSA","typ":"JOSE","kid":"k1"}"#;
const K2: &str = r#"{"alg":"EdDSA","typ":"JOSE","kid":"k2"}"#;

fn policy() -> TrustPolicy {
    policy_with("", "")
}

fn admit_at(
    policy: &TrustPolicy,
    card: UntrustedCard,
    source: &str,
    now: i64,
) -> Result<AdmittedCard, Box<Denied>> {
    let request = AdmissionRequest::new(Source::at(source).unwrap());
    card.admit(policy, &request, &[], UnixTime::from_seconds(now))
}

fn admit(policy: &TrustPolicy, card: UntrustedCard) -> Result<AdmittedCard, Box<Denied>> {
    admit_at(policy, card, SOURCE, NOW)
}

/// `admit`, or `deny` with the codes.
fn answer(result: &Result<AdmittedCard, Box<Denied>>) -> String {
    match result {
        Ok(admitted) => format!(
            "{}{}",
            admitted.decision().outcome.name(),
            if admitted.enforced() { "" } else { " not enforced" }
        ),
        Err(denied) => {
            let codes: Vec<_> = denied.decision().codes().into_iter().map(|code| code.name()).collect();
            format!("deny {}", codes.join(" "))
        }
    }
}

fn signed(card: &Value) -> UntrustedCard {
    with_entries(card, [entry(card, Form::A2a10, K1, 1)])
}

/// The usable interfaces, by URL.
fn usable(result: &Result<AdmittedCard, Box<Denied>>) -> Vec<&str> {
    result.iter().flat_map(AdmittedCard::interfaces).map(|interface| interface.url()).collect()
}

fn with_interface(url: &str, version: &str) -> Value {
    changed(|card| {
        let list = card.get_mut("supportedInterfaces").and_then(Value::as_array_mut).unwrap();
        list.push(json!({"url": url, "protocolBinding": "JSONRPC", "protocolVersion": version}));
    })
}

#[test]
fn the_card_without_an_attack_is_admitted() {
    let result = admit(&policy(), signed(&card()));
    assert_eq!(answer(&result), "admit");
    assert_eq!(usable(&result), ["https://agent.example.com/a2a"]);
}

/// 1, 2: a signer names its own trust root.
#[test]
fn keys_that_a_header_names_or_holds_are_no_keys() {
    let jwk = key(9).verifying_key().to_jwk(Some("evil"), None).unwrap();
    for extra in [
        r#""jku":"https://evil.test/keys""#.to_owned(),
        format!(r#""jwk":{jwk}"#),
        r#""x5u":"https://evil.test/c""#.to_owned(),
    ] {
        for (kid, code) in [("k1", "sig.invalid"), ("evil", "sig.unknown-key")] {
            let header = format!(r#"{{"alg":"EdDSA","typ":"JOSE","kid":"{kid}",{extra}}}"#);
            let result = admit(&policy(), with_entries(&card(), [entry(&card(), Form::A2a10, &header, 9)]));
            assert_eq!(answer(&result), format!("deny {code}"), "{header}");
        }
    }
}

/// 3, 4: one `kid` for two keys, and a `kid` that is a path.
#[test]
fn a_kid_narrows_and_is_never_looked_up_elsewhere() {
    let result = admit(&policy(), with_entries(&card(), [entry(&card(), Form::A2a10, K2, 1)]));
    assert_eq!(answer(&result), "deny sig.invalid");
    for kid in ["../../dev/null", "https://evil.test/k", "k1' OR '1'='1"] {
        let header = format!(r#"{{"alg":"EdDSA","typ":"JOSE","kid":"{kid}"}}"#);
        let result = admit(&policy(), with_entries(&card(), [entry(&card(), Form::A2a10, &header, 1)]));
        assert_eq!(answer(&result), "deny sig.unknown-key", "{kid}");
    }
}

/// 5, 6: another algorithm than the key's, none at all.
#[test]
fn an_algorithm_that_is_not_the_keys_is_refused() {
    for (alg, code) in [
        ("HS256", "sig.algorithm-unsupported"),
        ("none", "sig.algorithm-unsupported"),
        ("nOnE", "sig.algorithm-unsupported"),
        ("ES256", "sig.algorithm-key-mismatch"),
    ] {
        let header = format!(r#"{{"alg":"{alg}","typ":"JOSE","kid":"k1"}}"#);
        let result = admit(&policy(), with_entries(&card(), [entry(&card(), Form::A2a10, &header, 1)]));
        assert_eq!(answer(&result), format!("deny {code}"), "{alg}");
    }
    let only_es256 = policy_with("", "signatures.algorithms = [\"ES256\"]");
    assert_eq!(answer(&admit(&only_es256, signed(&card()))), "deny sig.algorithm-not-allowed");
}

/// 7: signatures that are no numbers of the curve, or stand in another encoding.
#[test]
fn a_damaged_signature_is_refused() {
    let good = entry(&card(), Form::A2a10, K1, 1);
    let signature = good.get("signature").and_then(Value::as_str).unwrap();
    for damaged in
        [String::new(), format!("{signature}="), format!("{signature}AA"), "A".repeat(signature.len())]
    {
        let mut bad = good.clone();
        bad.as_object_mut().unwrap().insert("signature".to_owned(), json!(damaged));
        let result = admit(&policy(), with_entries(&card(), [bad]));
        assert!(
            ["deny sig.malformed", "deny sig.invalid"].contains(&answer(&result).as_str()),
            "{damaged}: {}",
            answer(&result)
        );
    }
}

/// 8, 9: one key signs twice; a threshold of nothing.
#[test]
fn a_threshold_counts_distinct_keys() {
    let two = policy_with("", "signatures.require = { keys = \"*origin\", min = 2 }");
    let again = [entry(&card(), Form::A2a10, K1, 1), entry(&card(), Form::AsReceived, K1, 1)];
    assert_eq!(answer(&admit(&two, with_entries(&card(), again))), "deny sig.threshold");
    let both = [entry(&card(), Form::A2a10, K1, 1), entry(&card(), Form::A2a10, K2, 2)];
    assert_eq!(answer(&admit(&two, with_entries(&card(), both))), "admit");
    let none =
        format!("schema = 1\n{}[defaults.signatures]\nrequire = {{ keys = \"*origin\", min = 0 }}\n", keys());
    assert!(TrustPolicy::read(&none, "policy.toml", &TOOL).is_err());
}

/// 8: one key under two names.
#[test]
fn a_key_under_two_names_is_no_policy() {
    let twice = format!("schema = 1\n{}{}", keys(), keys().replace("id = \"", "id = \"x"));
    let error = TrustPolicy::read(&twice, "policy.toml", &TOOL).unwrap_err();
    assert!(error.faults.iter().any(|fault| fault.code.name() == "policy.same-key-twice"), "{error}");
}

/// 10: many signatures.
#[test]
fn more_signatures_than_allowed_deny() {
    let many = |count: usize| with_entries(&card(), vec![entry(&card(), Form::A2a10, K1, 1); count]);
    assert_eq!(answer(&admit(&policy(), many(16))), "admit");
    assert_eq!(answer(&admit(&policy(), many(17))), "deny sig.too-many");
    let three = policy_with("[defaults]\nmax-signatures = 3", "");
    assert_eq!(answer(&admit(&three, many(3))), "admit");
    assert_eq!(answer(&admit(&three, many(4))), "deny sig.too-many");
}

/// 11: signatures are removed.
#[test]
fn an_unsigned_card_is_denied_by_default() {
    for signatures in [json!([]), Value::Null] {
        let card = changed(|card| card["signatures"] = signatures);
        assert_eq!(answer(&admit(&policy(), agent::read(&card))), "deny sig.absent");
    }
    let if_present =
        policy_with("", "signatures = { level = \"if-present\", reason = \"r\", until = 2099-01-01 }");
    assert_eq!(answer(&admit(&if_present, agent::read(&card()))), "admit");
    // Something stands there that is no signature: it is not absent.
    for entries in [json!([{}]), json!("none"), json!([null])] {
        let card = changed(|card| card["signatures"] = entries);
        assert!(answer(&admit(&if_present, agent::read(&card))).starts_with("deny sig.malformed"), "{card}");
    }
}

/// 12: the newer interface is dropped.
#[test]
fn an_older_protocol_is_admitted_only_if_the_policy_says_so() {
    let old = changed(|card| card["supportedInterfaces"][0]["protocolVersion"] = json!("0.3"));
    assert_eq!(answer(&admit(&policy(), signed(&old))), "deny iface.none-left iface.version-not-allowed");
    let both = policy_with("", "interfaces.versions = [\"0.3\", \"1.0\"]");
    assert_eq!(answer(&admit(&both, signed(&old))), "admit");
}

/// 13: a card of one host is served by another.
#[test]
fn a_card_is_bound_to_the_host_that_it_came_from() {
    let elsewhere = "https://agent.elsewhere.example/.well-known/agent-card.json";
    assert_eq!(answer(&admit_at(&policy(), signed(&card()), elsewhere, NOW)), "deny origin.no-rule");
    let both = policy_with("", "").with(&countersign::policy::PolicyChange::AddSource {
        rule: "agent".to_owned(),
        pattern: countersign::policy::AllowPattern::read("agent.elsewhere.example").unwrap(),
    });
    let result = admit_at(&both, signed(&card()), elsewhere, NOW);
    assert_eq!(answer(&result), "deny sig.key-out-of-scope iface.none-left iface.off-origin");
    // The key of the other host may not sign for this one.
    let header = r#"{"alg":"EdDSA","typ":"JOSE","kid":"other"}"#;
    let result = admit(&policy(), with_entries(&card(), [entry(&card(), Form::A2a10, header, 3)]));
    assert_eq!(answer(&result), "deny sig.key-out-of-scope");
}

/// 15, 35: an old card is served for ever.
#[test]
fn an_old_signature_no_longer_counts() {
    let header = |times: &str| format!(r#"{{"alg":"EdDSA","typ":"JOSE","kid":"k1"{times}}}"#);
    let card_of = |times: &str| with_entries(&card(), [entry(&card(), Form::A2a10, &header(times), 1)]);
    let exp = format!(r#","exp":{NOW}"#);
    assert_eq!(answer(&admit_at(&policy(), card_of(&exp), SOURCE, NOW - 1)), "admit");
    assert_eq!(answer(&admit_at(&policy(), card_of(&exp), SOURCE, NOW)), "deny fresh.expired");
    let ten_days = policy_with("", "signatures.max-age = \"10d\"");
    let iat = format!(r#","iat":{}"#, NOW - 864_000);
    assert_eq!(answer(&admit_at(&ten_days, card_of(&iat), SOURCE, NOW)), "admit");
    assert_eq!(answer(&admit_at(&ten_days, card_of(&iat), SOURCE, NOW + 1)), "deny fresh.too-old");
    assert_eq!(answer(&admit_at(&ten_days, card_of(""), SOURCE, NOW)), "deny fresh.too-old");
    let ahead = |seconds: i64| format!(r#","iat":{}"#, NOW + seconds);
    assert_eq!(answer(&admit_at(&ten_days, card_of(&ahead(60)), SOURCE, NOW)), "admit");
    assert_eq!(answer(&admit_at(&ten_days, card_of(&ahead(61)), SOURCE, NOW)), "deny fresh.not-yet");
}

/// 16: members that no signature covers.
#[test]
fn what_is_not_signed_is_not_handed_on() {
    let original = card();
    let sdk = |received: &Value| with_entries(received, [entry(&original, Form::Sdk1x, K1, 1)]);
    let with_unknown = changed(|card| card["x-route"] = json!("https://evil.test/"));
    let admitted = admit(&policy(), sdk(&with_unknown)).unwrap();
    assert!(admitted.view().member("x-route").is_none());
    assert_eq!(
        admitted.decision().uncovered.iter().map(|member| member.pointer.as_str()).collect::<Vec<_>>(),
        ["/x-route"]
    );
    let with_empty = changed(|card| card["supportedInterfaces"].as_array_mut().unwrap().push(json!({})));
    assert_eq!(answer(&admit(&policy(), sdk(&with_empty))), "deny sig.uncovered-member");
    let strict = policy_with("", "signatures.uncovered = \"deny\"");
    assert_eq!(answer(&admit(&strict, sdk(&with_unknown))), "deny sig.uncovered-member");
    assert_eq!(answer(&admit(&strict, sdk(&original))), "admit");
}

/// 17, 18, 19: two readers see two cards.
#[test]
fn a_card_that_two_readers_read_differently_is_not_read() {
    let text = card().to_string();
    let with = |member: &str| format!("{{{member},{}", text.strip_prefix('{').unwrap());
    for (member, code) in [
        (r#""Name":"x""#, "json.ambiguous-member"),
        (r#""supported_interfaces":[]"#, "json.ambiguous-member"),
        (r#""name":"x""#, "json.duplicate-member"),
        (r#""x":1e400"#, "json.number-overflow"),
        (r#""x":9007199254740993"#, "json.inexact-number"),
        (r#""x":"\ud800""#, "json.invalid-unicode"),
        (r#""x":NaN"#, "json.malformed"),
    ] {
        let error = UntrustedCard::read(with(member), &Limits::default()).unwrap_err();
        assert_eq!(error.code().name(), code, "{member}");
    }
}

/// 22, 23: header parameters that are not understood, or not protected.
#[test]
fn only_the_protected_header_counts_and_crit_is_refused() {
    let crit = r#"{"alg":"EdDSA","typ":"JOSE","kid":"k1","crit":["exp"],"exp":9999999999}"#;
    let result = admit(&policy(), with_entries(&card(), [entry(&card(), Form::A2a10, crit, 1)]));
    assert_eq!(answer(&result), "deny sig.critical-header");
    let mut bad = entry(&card(), Form::A2a10, r#"{"alg":"EdDSA","typ":"JOSE","kid":"k2"}"#, 1);
    bad["header"] = json!({"kid": "k1"});
    assert!(answer(&admit(&policy(), with_entries(&card(), [bad]))).starts_with("deny sig."));
}

/// 24: a key that leaked.
#[test]
fn a_revoked_key_signs_nothing_whatever_time_it_names() {
    let thumbprint = key(1).verifying_key().thumbprint();
    let tombstone = |reason: &str| {
        let others = keys().split("[[key]]").skip(2).map(|key| format!("[[key]]{key}")).collect::<String>();
        let text = format!(
            "schema = 1\n{others}[[key]]\nid = \"k1\"\nkid = \"k1\"\nthumbprint = \"{thumbprint}\"\n\
             revoked = {{ at = 2026-02-11T09:00:00Z, reason = \"{reason}\" }}\n\
             [[allow]]\nid = \"agent\"\nfrom = [\"agent.example.com\"]\n"
        );
        TrustPolicy::read(&text, "policy.toml", &TOOL).unwrap()
    };
    let old = r#"{"alg":"EdDSA","typ":"JOSE","kid":"k1","iat":1700000000}"#;
    for reason in ["compromised", "superseded"] {
        let result = admit(&tombstone(reason), with_entries(&card(), [entry(&card(), Form::A2a10, old, 1)]));
        assert_eq!(answer(&result), "deny sig.revoked-key", "{reason}");
    }
    let audited = tombstone("compromised")
        .with(&countersign::policy::PolicyChange::DropMaxAge { rule: "agent".to_owned() });
    assert_eq!(answer(&admit(&audited, signed(&card()))), "deny sig.revoked-key");
}

/// 25: a key before and after its time.
#[test]
fn a_key_counts_from_its_first_to_its_last_second() {
    let text = |member: &str| {
        let keys = keys().replacen("id = \"k1\"\n", &format!("id = \"k1\"\n{member}\n"), 1);
        let text = format!("schema = 1\n{keys}[[allow]]\nid = \"agent\"\nfrom = [\"agent.example.com\"]\n");
        TrustPolicy::read(&text, "policy.toml", &TOOL).unwrap()
    };
    let until = text("not-after = 2027-01-15T08:00:00Z");
    assert_eq!(answer(&admit_at(&until, signed(&card()), SOURCE, NOW)), "admit");
    assert_eq!(answer(&admit_at(&until, signed(&card()), SOURCE, NOW + 1)), "deny sig.expired-key");
    // `clock-skew` is 60 seconds.
    let from = text("not-before = 2027-01-15T08:00:00Z");
    assert_eq!(answer(&admit_at(&from, signed(&card()), SOURCE, NOW - 60)), "admit");
    assert_eq!(answer(&admit_at(&from, signed(&card()), SOURCE, NOW - 61)), "deny sig.not-yet-valid-key");
}

/// 27: an old signature stays beside a new one.
#[test]
fn a_stale_signature_is_told_and_can_be_denied() {
    let old = changed(|card| card["version"] = json!("0.9.0"));
    let both =
        || with_entries(&card(), [entry(&old, Form::A2a10, K2, 2), entry(&card(), Form::A2a10, K1, 1)]);
    let admitted = admit(&policy(), both()).unwrap();
    assert!(admitted.decision().findings.iter().any(|finding| finding.code.name() == "sig.stale"));
    let strict = policy_with("", "signatures.stale = \"deny\"");
    assert_eq!(answer(&admit(&strict, both())), "deny sig.stale");
    assert_eq!(answer(&admit(&strict, signed(&card()))), "admit");
}

/// 30: the interface is fine, the token endpoint is not.
#[test]
fn credentials_go_only_where_the_policy_says() {
    let card_with = |url: &str| {
        changed(|card| {
            card["securitySchemes"] = json!({"oauth": {"oauth2SecurityScheme": {"flows": {"clientCredentials": {"tokenUrl": url, "scopes": {"a": "b"}}}}}});
            card["securityRequirements"] = json!([{"schemes": {"oauth": {"list": ["a"]}}}]);
        })
    };
    for (url, expected) in [
        ("https://agent.example.com/token", "admit"),
        ("https://login.evil.test/token", "deny auth.host-not-allowed"),
        ("http://agent.example.com/token", "deny auth.host-not-allowed"),
        ("https://agent.example.com@evil.test/token", "deny url.userinfo"),
    ] {
        assert_eq!(answer(&admit(&policy(), signed(&card_with(url)))), expected, "{url}");
    }
    let listed = policy_with("", "auth.hosts = [\"login.example.com\"]");
    assert_eq!(answer(&admit(&listed, signed(&card_with("https://login.example.com/token")))), "admit");
}

/// 31: the demand for authentication is weakened.
#[test]
fn a_card_that_lets_in_everybody_is_told_or_denied() {
    let strict = policy_with("", "auth.anonymous = \"deny\"");
    assert_eq!(answer(&admit(&strict, signed(&card()))), "admit");
    let open = changed(|card| card["securityRequirements"].as_array_mut().unwrap().push(json!({})));
    assert_eq!(answer(&admit(&strict, signed(&open))), "deny auth.anonymous");
    let reported = admit(&policy(), signed(&open)).unwrap();
    assert!(reported.decision().findings.iter().any(|finding| finding.code.name() == "auth.anonymous"));
    let undefined =
        changed(|card| card["securityRequirements"] = json!([{"schemes": {"nobody": {"list": []}}}]));
    assert_eq!(answer(&admit(&policy(), signed(&undefined))), "deny auth.undefined-scheme");
    let bearer_only = policy_with("", "auth.schemes = [\"oauth2:client_credentials\"]");
    assert_eq!(answer(&admit(&bearer_only, signed(&card()))), "deny auth.unsatisfiable");
}

/// 31: an attacker deletes a demand that the form of the SDKs does not cover.
#[test]
fn a_demand_that_may_have_been_deleted_counts_as_open() {
    let scopeless =
        changed(|card| card["securityRequirements"] = json!([{"schemes": {"bearer": {"list": []}}}]));
    let mut stripped = scopeless.clone();
    stripped.as_object_mut().unwrap().remove("securityRequirements");
    let received = with_entries(&stripped, [entry(&scopeless, Form::Sdk1x, K1, 1)]);
    assert_eq!(
        answer(&admit(&policy_with("", "auth.anonymous = \"deny\""), received)),
        "deny auth.anonymous"
    );
}

/// 33: what was judged is what is used.
#[test]
fn the_urls_that_may_be_called_come_from_the_judged_card() {
    let swapped =
        changed(|card| card["supportedInterfaces"][0]["url"] = json!("https://agent.example.com/evil"));
    let received = with_entries(&swapped, [entry(&card(), Form::A2a10, K1, 1)]);
    assert_eq!(answer(&admit(&policy(), received)), "deny sig.invalid");
}

/// 34: nothing of the required kind counts as enough.
#[test]
fn signatures_of_the_wrong_keys_are_not_enough() {
    let review =
        policy_with("", "signatures.all-of = [{ keys = [\"k1\"], min = 1 }, { keys = [\"k2\"], min = 1 }]");
    assert_eq!(answer(&admit(&review, signed(&card()))), "deny sig.threshold");
    let both = [entry(&card(), Form::A2a10, K1, 1), entry(&card(), Form::A2a10, K2, 2)];
    assert_eq!(answer(&admit(&review, with_entries(&card(), both))), "admit");
    let none = changed(|card| card["supportedInterfaces"] = json!([]));
    assert!(answer(&admit(&policy(), signed(&none))).starts_with("deny "));
}

/// 36: a name that looks like another.
#[test]
fn hosts_are_compared_as_ascii() {
    for url in ["https://аgent.example.com/", "https://agent.example.com\u{3002}evil.test/"] {
        let result = admit(&policy(), signed(&with_interface(url, "1.0")));
        assert_eq!(usable(&result), ["https://agent.example.com/a2a"]);
    }
}

/// 38: credentials are bound to the rule, not to a name that the card chose.
#[test]
fn credentials_are_those_that_the_rule_names() {
    let bound = policy_with("", "auth.credentials = { bearer = \"acme/agent\" }");
    let admitted = admit(&bound, signed(&card())).unwrap();
    assert_eq!(admitted.decision().credentials.get("bearer").map(String::as_str), Some("acme/agent"));
    assert_eq!(admit(&policy(), signed(&card())).unwrap().decision().credentials.len(), 0);
    // Neither for a scheme that the card does not declare, nor for a card that is denied.
    let other = policy_with("", "auth.credentials = { google = \"acme/google\" }");
    assert_eq!(admit(&other, signed(&card())).unwrap().decision().credentials.len(), 0);
    let denied = admit(&bound, agent::read(&card())).unwrap_err();
    assert_eq!(denied.decision().credentials.len(), 0);
}

/// Interfaces that are hidden behind good ones.
#[test]
fn every_interface_is_judged() {
    for url in [
        "https://evil.test/",
        "http://agent.example.com/",
        "https://agent.example.com:8443/",
        "https://169.254.169.254/",
        "https://10.0.0.1/",
    ] {
        let result = admit(&policy(), signed(&with_interface(url, "1.0")));
        assert_eq!(usable(&result), ["https://agent.example.com/a2a"], "{url}");
        let strict = policy_with("", "interfaces.other = \"deny-card\"");
        assert!(answer(&admit(&strict, signed(&with_interface(url, "1.0")))).starts_with("deny "), "{url}");
    }
}

/// A metadata service is called in no mode, and a deny rule holds in audit mode.
#[test]
fn audit_reports_and_still_enforces_integrity() {
    let audit = "mode = { audit = true, reason = \"r\", until = 2099-01-01 }";
    let audited = policy_with("[[deny]]\nid = \"evil\"\nhosts = [\"evil.test\"]\nreason = \"r\"", audit);
    let result = admit(&audited, agent::read(&card()));
    assert_eq!(answer(&result), "deny not enforced");
    assert_eq!(usable(&result), ["https://agent.example.com/a2a"]);
    let tampered = changed(|card| card["version"] = json!("9.9.9"));
    let received = with_entries(&tampered, [entry(&card(), Form::A2a10, K1, 1)]);
    assert_eq!(answer(&admit(&audited, received)), "deny sig.invalid");
    assert_eq!(
        answer(&admit(&audited, signed(&with_interface("https://evil.test/", "1.0")))),
        "deny origin.denied"
    );
    let result = admit(&audited, agent::read(&with_interface("https://169.254.169.254/", "1.0")));
    assert_eq!(usable(&result), ["https://agent.example.com/a2a"]);
    let ended = admit_at(&audited, agent::read(&card()), SOURCE, 4_100_000_000);
    assert_eq!(answer(&ended), "deny sig.absent");
}

/// An exception waives what it names, for its source and its time.
#[test]
fn an_exception_waives_no_more_than_it_says() {
    let exception = "[[exception]]\nid = \"e\"\nrule = \"agent\"\norigin = \"https://agent.example.com\"\n\
                     waives = [\"iface.version-not-allowed\"]\nreason = \"r\"\nowner = \"o\"\nuntil = 2027-01-15T08:00:00Z";
    let policy = policy_with(exception, "");
    let old = changed(|card| card["supportedInterfaces"][0]["protocolVersion"] = json!("0.3"));
    let admitted = admit(&policy, signed(&old)).unwrap();
    assert_eq!(admitted.decision().waived.len(), 1);
    assert!(
        admitted
            .decision()
            .interfaces
            .iter()
            .all(|interface| interface.outcome == InterfaceOutcome::Admitted)
    );
    assert_eq!(admitted.decision().expires_at, UnixTime::from_seconds(NOW + 1));
    assert_eq!(
        answer(&admit_at(&policy, signed(&old), SOURCE, NOW + 1)),
        "deny iface.none-left iface.version-not-allowed"
    );
    let elsewhere = changed(|card| card["supportedInterfaces"][0]["url"] = json!("https://evil.test/"));
    assert_eq!(answer(&admit(&policy, signed(&elsewhere))), "deny iface.none-left iface.off-origin");
}

/// A query or fragment hides whose a URL is.
#[test]
fn a_fragment_hides_neither_a_metadata_service_nor_a_denied_host() {
    let audit = "mode = { audit = true, reason = \"r\", until = 2099-01-01 }";
    let audited = policy_with("[[deny]]\nid = \"evil\"\nhosts = [\"evil.test\"]\nreason = \"r\"", audit);
    let with_token_url = |url: &str| {
        changed(
            |card| card["securitySchemes"]["oauth"] = json!({"oauth2SecurityScheme": {"flows": {"clientCredentials": {"tokenUrl": url, "scopes": {}}}}}),
        )
    };
    for (url, code) in [
        ("https://169.254.169.254/t", "url.metadata-address"),
        ("https://169.254.169.254/t#x", "url.metadata-address"),
        ("https://169.254.169.254/../t#x", "url.metadata-address"),
        ("https://evil.test/t#x", "origin.denied"),
    ] {
        let answer = answer(&admit(&audited, signed(&with_token_url(url))));
        assert!(
            answer.starts_with("deny ") && answer.contains(code) && !answer.contains("not enforced"),
            "{url}: {answer}"
        );
    }
    let interface = admit(&audited, signed(&with_interface("https://evil.test/?x=1#y", "1.0")));
    assert!(answer(&interface).contains("origin.denied"), "{}", answer(&interface));
}

/// An exception for one part of a URL.
#[test]
fn a_waived_scheme_leaves_port_and_path_judged() {
    let exception = "[[exception]]\nid = \"e\"\nrule = \"agent\"\norigin = \"https://agent.example.com\"\n\
                     waives = [\"iface.scheme-not-allowed\"]\nreason = \"r\"\nowner = \"o\"\nuntil = 2099-01-01";
    let policy = policy_with(exception, "interfaces.hosts = [\"agent.example.com/a2a/\"]");
    let at = |url: &str| changed(|card| card["supportedInterfaces"][0]["url"] = json!(url));
    assert_eq!(answer(&admit(&policy, signed(&at("http://agent.example.com/a2a/x")))), "admit");
    for url in [
        "http://agent.example.com:6379/a2a/x",
        "http://agent.example.com/admin",
        "wss://agent.example.com:6379/admin",
    ] {
        assert!(answer(&admit(&policy, signed(&at(url)))).starts_with("deny "), "{url}");
    }
}

/// Names that only an inner network knows.
#[test]
fn any_host_is_any_public_host() {
    let any = policy_with("", "interfaces.any-host = { reason = \"r\", until = 2099-01-01 }");
    let at = |host: &str| {
        signed(&changed(|card| card["supportedInterfaces"][0]["url"] = json!(format!("https://{host}/"))))
    };
    for host in ["a.example.org", "agent.vendor.co.uk", "8.8.8.8"] {
        assert_eq!(answer(&admit(&any, at(host))), "admit", "{host}");
    }
    for host in [
        "router",
        "db.internal",
        "kubernetes.default.svc",
        "a.local",
        "home.arpa",
        "ip6-localhost",
        "10.0.0.1",
        "co.uk",
    ] {
        assert!(answer(&admit(&any, at(host))).starts_with("deny "), "{host}");
    }
}

/// A worse signature beside one that says less.
#[test]
fn an_integrity_code_is_not_hidden_behind_another_signature() {
    let audit = policy_with("", "mode = { audit = true, reason = \"r\", until = 2099-01-01 }");
    let crit = r#"{"alg":"EdDSA","typ":"JOSE","kid":"k1","crit":["exp"],"exp":9999999999}"#;
    let unknown = r#"{"alg":"EdDSA","typ":"JOSE","kid":"nobody"}"#;
    let entries = [entry(&card(), Form::A2a10, crit, 1), entry(&card(), Form::A2a10, unknown, 1)];
    assert_eq!(
        answer(&admit(&audit, with_entries(&card(), entries))),
        "deny sig.unknown-key sig.critical-header"
    );
}

/// A path that is spelled otherwise picks another rule.
#[test]
fn an_escaped_letter_of_a_path_is_the_letter() {
    let strict = "[[allow]]\nid = \"team\"\nfrom = [\"agent.example.com/team/\"]\nauth.anonymous = \"deny\"";
    let policy = policy_with(strict, "");
    for path in ["team/c.json", "%74eam/c.json", "te%61m/c.json"] {
        let request =
            AdmissionRequest::new(Source::at(&format!("https://agent.example.com/{path}")).unwrap());
        assert_eq!(policy.rule_for(&request).map(|rule| rule.id.as_str()), Some("team"), "{path}");
    }
}

/// One object where the list of extensions should be.
#[test]
fn an_extension_outside_a_list_is_an_extension() {
    let denied = policy_with("[[deny]]\nid = \"e\"\nextensions = [\"urn:x\"]\nreason = \"r\"", "");
    let card = changed(|card| card["capabilities"]["extensions"] = json!({"uri": "urn:x", "required": true}));
    assert_eq!(answer(&admit(&denied, signed(&card))), "deny ext.denied");
}

/// An exception for another rule, or another source of the same rule.
#[test]
fn an_exception_is_for_its_rule_and_its_source() {
    let with = |rule: &str, origin: &str| {
        let exception = format!(
            "[[exception]]\nid = \"e\"\nrule = \"{rule}\"\norigin = \"{origin}\"\nwaives = [\"iface.version-not-allowed\"]\n\
             reason = \"r\"\nowner = \"o\"\nuntil = 2099-01-01\n[[allow]]\nid = \"wide\"\nfrom = [\"*.example.com\"]\n"
        );
        policy_with(&exception, "")
    };
    let old = changed(|card| card["supportedInterfaces"][0]["protocolVersion"] = json!("0.3"));
    assert_eq!(answer(&admit(&with("agent", "https://agent.example.com"), signed(&old))), "admit");
    for (rule, origin) in [
        ("wide", "https://agent.example.com"),
        ("agent", "https://agent.example.com:8443"),
        ("agent", "https://other.example.com"),
        ("agent", "http://agent.example.com"),
    ] {
        let answer = answer(&admit(&with(rule, origin), signed(&old)));
        assert_eq!(answer, "deny iface.none-left iface.version-not-allowed", "{rule} {origin}");
    }
}

/// Audit mode is that of a rule for the request, not of a rule for somebody else's.
#[test]
fn audit_lets_in_no_other_tenant_and_no_other_use() {
    let rule = "mode = { audit = true, reason = \"r\", until = 2099-01-01 }\ntenants = [\"t\"]\nuses = [\"u\"]\nsources = [\"well-known\"]";
    let audited = policy_with("", rule);
    let ask = |source: &str, tenant: &str, purpose: &str| {
        let mut request = AdmissionRequest::new(Source::at(source).unwrap());
        request.tenant = Some(tenant.to_owned());
        request.purpose = Some(purpose.to_owned());
        answer(&agent::read(&card()).admit(&audited, &request, &[], UnixTime::from_seconds(NOW)))
    };
    assert_eq!(ask(SOURCE, "t", "u"), "deny not enforced");
    assert!(ask(SOURCE, "other", "u").starts_with("deny tenant.not-approved"));
    assert!(ask(SOURCE, "t", "other").starts_with("deny use.not-approved"));
    assert!(ask("https://agent.example.com/card.json", "t", "u").starts_with("deny origin.no-rule"));
}

/// An answer is remembered for longer than what it rests on.
#[test]
fn an_answer_ends_with_what_it_rests_on() {
    let ends = |result: &Result<AdmittedCard, Box<Denied>>| match result {
        Ok(admitted) => admitted.decision().expires_at.seconds() - NOW,
        Err(denied) => denied.decision().expires_at.seconds() - NOW,
    };
    let card_of = |times: &str| {
        let header = format!(r#"{{"alg":"EdDSA","typ":"JOSE","kid":"k1"{times}}}"#);
        with_entries(&card(), [entry(&card(), Form::A2a10, &header, 1)])
    };
    assert_eq!(ends(&admit(&policy(), card_of(""))), 3_600);
    assert_eq!(ends(&admit(&policy(), agent::read(&card()))), 30);
    assert_eq!(ends(&admit(&policy(), card_of(&format!(r#","exp":{}"#, NOW + 100)))), 100);
    let ten_days = policy_with("", "signatures.max-age = \"10d\"");
    let iat = format!(r#","iat":{}"#, NOW - 864_000 + 50);
    assert_eq!(ends(&admit(&ten_days, card_of(&iat))), 51);
    // 2027-01-15T08:01:00Z is a minute from now.
    for rule in [
        "signatures = { level = \"if-present\", reason = \"r\", until = 2027-01-15T08:01:00Z }",
        "mode = { audit = true, reason = \"r\", until = 2027-01-15T08:01:00Z }",
        "interfaces.any-host = { reason = \"r\", until = 2027-01-15T08:01:00Z }",
        "signatures.allow-uncovered = { pointers = [\"/provider\"], reason = \"r\", until = 2027-01-15T08:01:00Z }",
    ] {
        assert_eq!(ends(&admit(&policy_with("", rule), card_of(""))), 61, "{rule}");
    }
    let keys = keys().replacen("id = \"k1\"\n", "id = \"k1\"\nnot-after = 2027-01-15T08:01:00Z\n", 1);
    let text = format!("schema = 1\n{keys}[[allow]]\nid = \"agent\"\nfrom = [\"agent.example.com\"]\n");
    let ending_key = TrustPolicy::read(&text, "policy.toml", &TOOL).unwrap();
    assert_eq!(ends(&admit(&ending_key, card_of(""))), 61);
    let short = policy_with("", "cache.max-ttl = \"15m\"");
    assert_eq!(ends(&admit(&short, card_of(""))), 900);
}

/// This machine over http, where only the address is allowed.
#[test]
fn loopback_is_no_excuse_for_http_without_allow_loopback() {
    let with_token_url = |interface: &str, url: &str| {
        changed(|card| {
            card["supportedInterfaces"][0]["url"] = json!(interface);
            card["securitySchemes"] = json!({"oauth": {"oauth2SecurityScheme": {"flows": {"clientCredentials": {"tokenUrl": url, "scopes": {"a": "b"}}}}}});
            card["securityRequirements"] = json!([{"schemes": {"oauth": {"list": ["a"]}}}]);
        })
    };
    let hosts = "interfaces.hosts = [\"127.0.0.1:9443\", \"http://127.0.0.1:9080\"]";
    let policy = policy_with("", hosts);
    let token = |scheme: &str| format!("{scheme}://127.0.0.1/token");
    let good = with_token_url("https://127.0.0.1:9443/", &token("https"));
    assert_eq!(answer(&admit(&policy, signed(&good))), "admit");
    let plain = with_token_url("https://127.0.0.1:9443/", &token("http"));
    assert_eq!(answer(&admit(&policy, signed(&plain))), "deny auth.host-not-allowed");
    let http = with_token_url("http://127.0.0.1:9080/", &token("https"));
    assert!(answer(&admit(&policy, signed(&http))).contains("iface.scheme-not-allowed"));
    let development = policy_with("", &format!("{hosts}\ninterfaces.allow-loopback = true"));
    assert_eq!(answer(&admit(&development, signed(&http))), "admit");
    assert_eq!(answer(&admit(&development, signed(&plain))), "admit");
}

/// The host of an interface that is dropped is no host for credentials.
#[test]
fn a_dropped_interface_vouches_for_no_token_url() {
    let card = changed(|card| {
        card["supportedInterfaces"].as_array_mut().unwrap().push(
            json!({"url": "https://evil.test/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}),
        );
        card["securitySchemes"] = json!({"oauth": {"oauth2SecurityScheme": {"flows": {"clientCredentials": {"tokenUrl": "https://evil.test/token", "scopes": {"a": "b"}}}}}});
        card["securityRequirements"] = json!([{"schemes": {"oauth": {"list": ["a"]}}}]);
    });
    assert_eq!(answer(&admit(&policy(), signed(&card))), "deny auth.host-not-allowed");
}
