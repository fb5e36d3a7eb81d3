//! JWK sets of the policy: when they are fetched, when they are not, and for whom they count.

use countersign::cache::CacheBounds;
use countersign::client::{AdmissionClient, Agent};
use countersign::fetch::MemoryStore;
use countersign::{Outcome, TOOL, TrustPolicy};

use crate::agent::card;
use crate::web::{AGENT, CARD, SET, Web, answer, at, client, jwks, policy, signed, terms, the_agent};

#[test]
fn a_set_is_fetched_once_in_its_refresh_interval() {
    let (client, web) = client(policy("refresh = \"10m\"", ""));
    assert_eq!(answer(&client, 0), "admit");
    assert_eq!(answer(&client, 599), "admit");
    assert_eq!(web.count(SET), 1);
    assert_eq!(answer(&client, 600), "admit");
    assert_eq!(web.count(SET), 2);
}

#[test]
fn a_key_that_left_the_set_counts_no_second_longer_than_the_interval() {
    let (client, web) = client(policy("refresh = \"10m\"", ""));
    assert_eq!(answer(&client, 0), "admit");
    web.put(SET, jwks(&[2]), "");
    assert_eq!(answer(&client, 599), "admit");
    assert_eq!(answer(&client, 600), "deny sig.unknown-key");
}

#[test]
fn no_interface_outlives_the_keys_that_admitted_it() {
    let (client, web) = client(policy("refresh = \"10m\"", ""));
    let interface = client.interface(&the_agent(), at(0)).unwrap();
    assert!(interface.expires_at() <= at(600));
    web.close();
    assert!(client.interface(&the_agent(), at(299)).is_ok(), "within the freshness of the card");
    assert!(client.cache().selected(the_agent().scope(), at(600)).is_none());
    assert!(client.interface(&the_agent(), at(600)).is_err());
}

#[test]
fn an_unknown_key_has_the_set_asked_again_once_in_the_interval() {
    let (client, web) = client(policy("refresh = \"10m\"", ""));
    assert_eq!(answer(&client, 0), "admit");
    // The publisher rotates: the card is signed by a key that the set has had for a moment.
    web.put(CARD, signed(&card(), 2), "no-cache");
    web.put(SET, jwks(&[1, 2]), "");
    assert_eq!(answer(&client, 301), "admit");
    assert_eq!(web.count(SET), 2);
    // Cards by keys that never come do not have it asked for each of them.
    for (seconds, seed) in [(302, 3), (320, 4), (400, 5)] {
        web.put(CARD, signed(&card(), seed), "no-cache");
        assert_eq!(answer(&client, seconds), "deny sig.unknown-key");
    }
    assert_eq!(web.count(SET), 2);
    web.put(CARD, signed(&card(), 6), "no-cache");
    assert_eq!(answer(&client, 901), "deny sig.unknown-key");
    assert_eq!(web.count(SET), 3, "the interval is over: fetched once, and not again for the unknown key");
}

#[test]
fn a_set_that_was_just_fetched_is_not_asked_again() {
    let (client, web) = client(policy("refresh = \"10m\"", ""));
    web.put(CARD, signed(&card(), 7), "no-cache");
    assert_eq!(answer(&client, 0), "deny sig.unknown-key");
    assert_eq!(answer(&client, 9), "deny sig.unknown-key");
    assert_eq!(web.count(SET), 1);
    assert_eq!(answer(&client, 10), "deny sig.unknown-key");
    assert_eq!(web.count(SET), 2);
}

#[test]
fn a_failure_is_not_repeated_for_thirty_seconds() {
    let (client, web) = client(policy("refresh = \"10m\"", ""));
    web.fail(SET, 503);
    for seconds in [0, 5, 29] {
        assert_eq!(answer(&client, seconds), "deny sig.unknown-key");
    }
    // One more for the key that is not known, ten seconds after the first at the earliest.
    assert_eq!(web.count(SET), 2);
    let admission = client.admit(&the_agent(), at(31)).unwrap();
    let finding = admission.findings.first().unwrap();
    assert_eq!(finding.code.name(), "key.set-unavailable");
    assert!(finding.message.contains("`partner`") && finding.message.contains("503"), "{}", finding.message);
    web.put(SET, jwks(&[1]), "");
    assert_eq!(answer(&client, 70), "admit");
}

#[test]
fn while_the_server_is_away_old_keys_count_as_long_as_the_policy_says() {
    let rule = "cache = { stale-if-error = \"5m\" }";
    let (client, web) = client(policy("refresh = \"10m\"", rule));
    assert_eq!(answer(&client, 0), "admit");
    web.fail(SET, 503);
    assert_eq!(answer(&client, 600), "admit");
    let admission = client.admit(&the_agent(), at(899)).unwrap();
    assert_eq!(admission.answer.decision().outcome, Outcome::Admit);
    assert!(admission.findings[0].message.contains("are those of"));
    assert_eq!(answer(&client, 900), "deny sig.unknown-key");
    let (strict, web) = self::client(policy("refresh = \"10m\"", ""));
    assert_eq!(answer(&strict, 0), "admit");
    web.fail(SET, 503);
    assert_eq!(answer(&strict, 600), "deny sig.unknown-key");
}

#[test]
fn a_set_that_turned_into_something_else_gives_no_keys() {
    for (document, code) in [
        (jwks(&[1, 2, 3]), "max-keys"),
        ("<html>".to_owned(), "is no"),
        (r#"{"keys":[{"kty":"oct","kid":"k1","k":"AyM1"}]}"#.to_owned(), "private or shared"),
    ] {
        let (client, web) = client(policy("max-keys = 2", ""));
        web.put(SET, document, "");
        let admission = client.admit(&the_agent(), at(0)).unwrap();
        assert_eq!(admission.answer.decision().outcome, Outcome::Deny, "{code}");
        assert!(!admission.findings.is_empty(), "{code}");
    }
}

#[test]
fn the_media_type_of_jwk_sets_is_accepted() {
    let (client, web) = client(policy("", ""));
    web.put_with(SET, jwks(&[1]), &[("content-type", "application/jwk-set+json")]);
    assert_eq!(answer(&client, 0), "admit");
    web.put_with(SET, jwks(&[1]), &[("content-type", "text/html")]);
    let (client, _) = (AdmissionClient::new(policy("", ""), web.clone()), ());
    assert_eq!(answer(&client, 0), "deny sig.unknown-key");
}

#[test]
fn pinned_keys_alone_count() {
    let pin = crate::agent::key(2).verifying_key().thumbprint();
    let (client, web) = client(policy(&format!("pins = [\"{pin}\"]"), ""));
    web.put(SET, jwks(&[1, 2]), "");
    assert_eq!(answer(&client, 0), "deny sig.unknown-key");
    web.put(CARD, signed(&card(), 2), "");
    assert_eq!(answer(&client, 400), "admit");
}

/// A partner adds the key of somebody else, or signs for somebody else: the scope is the owner's.
#[test]
fn one_set_never_lends_keys_to_another_scope() {
    let text = format!(
        "schema = 1\n\
         [[jwks]]\nid = \"own\"\nurl = \"{SET}\"\norigins = [\"{AGENT}\"]\n\
         [[jwks]]\nid = \"other\"\nurl = \"https://keys.other.example/jwks.json\"\norigins = [\"https://other.example\"]\n\
         [[allow]]\nid = \"agent\"\nfrom = [\"{AGENT}\", \"https://other.example\"]\ninterfaces.hosts = [\"agent.example.com\"]\n"
    );
    let policy = TrustPolicy::read(&text, "policy.toml", &TOOL).unwrap();
    let (client, web) = client(policy);
    web.put("https://keys.other.example/jwks.json", jwks(&[2]), "");
    web.put("https://other.example/.well-known/agent-card.json", signed(&card(), 2), "");
    let other = Agent::at("other.example", terms()).unwrap();
    let admission = client.admit(&other, at(0)).unwrap();
    assert_eq!(admission.answer.decision().outcome, Outcome::Admit);
    assert_eq!(web.count(SET), 0, "only the sets for the source are fetched");
    // The other partner signs the card of the agent.
    web.put(CARD, signed(&card(), 2), "");
    assert_eq!(answer(&client, 0), "deny sig.key-out-of-scope");
}

/// POLICY of the client alone names what is fetched: nothing that a card or a header says.
#[test]
fn nothing_that_a_card_or_header_names_is_fetched() {
    let (client, web) = client(policy("", ""));
    let card = card();
    let header = r#"{"alg":"EdDSA","typ":"JOSE","kid":"k1","jku":"https://evil.example/jwks.json","x5u":"https://evil.example/x5u"}"#;
    let mut signed = card.clone();
    let signature = crate::agent::entry(&card, countersign::Form::A2a10, header, 1);
    signed["signatures"] = serde_json::Value::Array(vec![signature]);
    web.put(CARD, signed.to_string(), "");
    answer(&client, 0);
    assert!(web.asked().iter().all(|url| url == CARD || url == SET), "{:?}", web.asked());
}

#[test]
fn a_clock_that_was_set_back_does_not_keep_old_keys() {
    let (client, web) = client(policy("refresh = \"10m\"", ""));
    assert_eq!(answer(&client, 1_000), "admit");
    web.put(SET, jwks(&[2]), "");
    assert_eq!(answer(&client, 0), "deny sig.unknown-key");
}

#[test]
fn a_policy_without_remote_sets_fetches_cards_only() {
    let web = Web::default();
    web.put(CARD, signed(&card(), 1), "");
    let off = r#"signatures = { level = "off", reason = "pilot", until = 2026-12-31 }"#;
    let text = format!("schema = 1\n[[allow]]\nid = \"agent\"\nfrom = [\"{AGENT}\"]\n{off}\n");
    let client = AdmissionClient::new(TrustPolicy::read(&text, "policy.toml", &TOOL).unwrap(), web.clone());
    assert_eq!(answer(&client, 0), "admit");
    assert_eq!(web.asked(), [CARD]);
}

/// One set, one rule that lets keys stand in and one that does not: the set has one end, the stricter one.
#[test]
fn a_lenient_rule_lends_no_old_keys_to_a_strict_one() {
    let text = format!(
        "schema = 1\n[[jwks]]\nid = \"own\"\nurl = \"{SET}\"\norigins = [\"{AGENT}\", \"https://lenient.example\"]\n\
         [[allow]]\nid = \"agent\"\nfrom = [\"{AGENT}\"]\n\
         [[allow]]\nid = \"lenient\"\nfrom = [\"https://lenient.example\"]\ncache.stale-if-error = \"1h\"\n\
         interfaces.hosts = [\"agent.example.com\"]\n"
    );
    let (client, web) = client(TrustPolicy::read(&text, "policy.toml", &TOOL).unwrap());
    web.put("https://lenient.example/.well-known/agent-card.json", signed(&card(), 1), "max-age=7200");
    let lenient = Agent::at("lenient.example", terms()).unwrap();
    assert_eq!(client.admit(&lenient, at(0)).unwrap().answer.decision().outcome, Outcome::Admit);
    assert_eq!(answer(&client, 0), "admit");
    web.fail(SET, 503);
    client.admit(&lenient, at(700)).unwrap();
    assert_eq!(answer(&client, 700), "deny sig.unknown-key");
}

#[test]
fn keys_stand_in_only_for_a_server_that_cannot_be_asked() {
    let rule = "cache = { stale-if-error = \"5m\" }";
    for (status, expected) in [(503, "admit"), (404, "deny sig.unknown-key"), (301, "deny sig.unknown-key")] {
        let (client, web) = client(policy("refresh = \"10m\"", rule));
        assert_eq!(answer(&client, 0), "admit");
        web.fail(SET, status);
        assert_eq!(answer(&client, 600), expected, "{status}");
    }
    for (directive, expected) in
        [("max-age=60", "admit"), ("max-age=60, must-revalidate", "deny sig.unknown-key")]
    {
        let (client, web) = client(policy("refresh = \"10m\"", rule));
        web.put(SET, jwks(&[1]), directive);
        assert_eq!(answer(&client, 0), "admit");
        web.fail(SET, 503);
        assert_eq!(answer(&client, 600), expected, "{directive}");
    }
}

#[test]
fn a_set_with_a_private_key_ends_its_old_keys_at_once() {
    let (client, web) = client(policy("refresh = \"10m\"", "cache = { stale-if-error = \"1h\" }"));
    assert_eq!(answer(&client, 0), "admit");
    let private = crate::agent::key(1).to_private_jwk(Some("k1"), None).unwrap();
    web.put(SET, format!("{{\"keys\":[{}]}}", private.as_str()), "");
    assert_eq!(answer(&client, 600), "deny sig.unknown-key");
    // Also before their time: a key that is not known has the set looked at.
    let (client, web) = self::client(policy("refresh = \"10m\"", ""));
    assert_eq!(answer(&client, 0), "admit");
    web.put(SET, format!("{{\"keys\":[{}]}}", private.as_str()), "");
    web.put(CARD, signed(&card(), 2), "no-cache");
    assert_eq!(answer(&client, 301), "deny sig.unknown-key");
    web.put(CARD, signed(&card(), 1), "no-cache");
    assert_eq!(answer(&client, 302), "deny sig.unknown-key");
}

/// A partner publishes the key of somebody else: that key goes on to speak for its own sources.
#[test]
fn nobody_switches_off_the_key_of_another_by_publishing_it() {
    let text = format!(
        "schema = 1\n\
         [[jwks]]\nid = \"other\"\nurl = \"https://keys.other.example/jwks.json\"\norigins = [\"https://other.example\"]\n\
         [[jwks]]\nid = \"own\"\nurl = \"{SET}\"\norigins = [\"{AGENT}\"]\n\
         [[allow]]\nid = \"agent\"\nfrom = [\"{AGENT}\", \"https://other.example\"]\ninterfaces.hosts = [\"agent.example.com\"]\n"
    );
    let (client, web) = client(TrustPolicy::read(&text, "policy.toml", &TOOL).unwrap());
    web.put("https://keys.other.example/jwks.json", jwks(&[1, 2]), "");
    web.put("https://other.example/.well-known/agent-card.json", signed(&card(), 2), "");
    let other = Agent::at("other.example", terms()).unwrap();
    assert_eq!(client.admit(&other, at(0)).unwrap().answer.decision().outcome, Outcome::Admit);
    let admission = client.admit(&the_agent(), at(0)).unwrap();
    let decision = admission.answer.decision();
    assert_eq!((decision.outcome, decision.signatures[0].key.as_deref()), (Outcome::Admit, Some("own")));
}

/// Another run finds a set that was remembered, and a card by a key that came since.
#[test]
fn a_remembered_set_is_asked_again_for_an_unknown_key() {
    let web = Web::default();
    let store = std::sync::Arc::new(MemoryStore::default());
    web.put(CARD, signed(&card(), 1), "no-cache");
    web.put(SET, jwks(&[1]), "max-age=600");
    let run =
        || AdmissionClient::with_store(policy("", ""), web.clone(), store.clone(), &CacheBounds::default());
    assert_eq!(answer(&run(), 0), "admit");
    web.put(CARD, signed(&card(), 2), "no-cache");
    web.put(SET, jwks(&[2]), "max-age=600");
    assert_eq!(answer(&run(), 5), "deny sig.unknown-key", "it was fetched a moment ago");
    assert_eq!(answer(&run(), 90), "admit");
    assert_eq!(web.count(SET), 2);
}

#[test]
fn the_key_epoch_of_a_decision_is_that_of_the_fetched_keys() {
    let (client, web) = client(policy("", ""));
    let epoch =
        |seconds| client.admit(&the_agent(), at(seconds)).unwrap().answer.decision().key_epoch.clone();
    let first = epoch(0);
    assert_ne!(first, policy("", "").key_epoch(at(0)));
    web.put(SET, jwks(&[1, 2]), "");
    assert_ne!(epoch(600), first);
}
