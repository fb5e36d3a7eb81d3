//! JWK sets of the policy: when they are fetched, when they are not, and for whom they count.

use countersign::client::{AdmissionClient, Agent};
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
