//! The interface to call now: how often the card is looked at, and what ends an admission.

use std::sync::Arc;
use std::thread;

use countersign::cache::Provenance;
use countersign::client::{Agent, ClientError};
use countersign::fetch::{Credential, FetchedHow};
use countersign::{Pins, SelectTerms, VersionNotSupported};

use crate::agent::{card, changed, key};
use crate::web::{AGENT, CARD, SET, answer, at, client, jwks, policy, signed, terms, the_agent};

#[test]
fn the_second_question_is_answered_without_the_network() {
    let (client, web) = client(policy("", ""));
    let first = client.interface(&the_agent(), at(0)).unwrap();
    let second = client.interface(&the_agent(), at(1)).unwrap();
    assert!(Arc::ptr_eq(&first, &second));
    assert_eq!((web.count(CARD), web.count(SET)), (1, 1));
}

#[test]
fn an_admission_ends_with_the_freshness_of_the_card() {
    let (client, web) = client(policy("", ""));
    client.interface(&the_agent(), at(0)).unwrap();
    client.interface(&the_agent(), at(299)).unwrap();
    assert_eq!(web.count(CARD), 1);
    client.interface(&the_agent(), at(300)).unwrap();
    assert_eq!(web.count(CARD), 2);
}

#[test]
fn a_card_of_which_nobody_says_how_long_it_is_fresh_is_fresh_for_a_minute() {
    let (client, web) = client(policy("", ""));
    web.put(CARD, signed(&card(), 1), "");
    client.interface(&the_agent(), at(0)).unwrap();
    client.interface(&the_agent(), at(59)).unwrap();
    assert_eq!(web.count(CARD), 1);
    client.interface(&the_agent(), at(60)).unwrap();
    assert_eq!(web.count(CARD), 2);
}

#[test]
fn max_ttl_zero_remembers_nothing() {
    let (client, web) = client(policy("", "cache = { max-ttl = \"0s\" }"));
    client.interface(&the_agent(), at(0)).unwrap();
    client.interface(&the_agent(), at(0)).unwrap();
    assert_eq!(web.count(CARD), 2);
}

#[test]
fn another_policy_ends_every_admission_at_once() {
    let (client, _web) = client(policy("", ""));
    client.interface(&the_agent(), at(0)).unwrap();
    client.replace_policy(policy("", "interfaces.versions = [\"0.3\"]"));
    assert!(client.cache().selected(the_agent().scope(), at(0)).is_none());
    let error = client.interface(&the_agent(), at(0)).unwrap_err();
    assert_eq!(error.code().name(), "iface.none-left");
}

/// An agent with a key of the policy beside one with a key of a set.
#[test]
fn the_same_keys_again_end_nothing_and_other_keys_end_everything() {
    let static_agent = "https://static.example";
    let jwk = key(2).verifying_key().to_jwk(Some("k2"), None).unwrap().replace("\":", "\" = ");
    let more = format!(
        "interfaces.hosts = [\"*source\"]\n[[key]]\nid = \"own\"\njwk = {jwk}\norigins = [\"{static_agent}\"]\n\
         [[allow]]\nid = \"static\"\nfrom = [\"{static_agent}\"]\ninterfaces.hosts = [\"agent.example.com\"]\n"
    );
    let (client, web) = client(policy("refresh = \"1m\"", &more));
    let static_card = format!("{static_agent}/.well-known/agent-card.json");
    web.put(&static_card, signed(&card(), 2), "max-age=300");
    let other = Agent::at(static_agent, terms()).unwrap();
    client.admit(&the_agent(), at(0)).unwrap();
    client.interface(&other, at(0)).unwrap();
    client.admit(&the_agent(), at(60)).unwrap();
    assert_eq!(web.count(SET), 2);
    assert!(client.cache().selected(other.scope(), at(61)).is_some());
    web.put(SET, jwks(&[1, 3]), "");
    client.admit(&the_agent(), at(120)).unwrap();
    assert!(client.cache().selected(other.scope(), at(121)).is_none());
}

#[test]
fn a_card_that_changed_is_looked_at_and_its_old_interface_is_gone() {
    let (client, web) = client(policy("", ""));
    let old = client.interface(&the_agent(), at(0)).unwrap();
    let moved = changed(|card| {
        card["supportedInterfaces"][0]["url"] = "https://agent.example.com/v2".into();
    });
    web.put(CARD, signed(&moved, 1), "max-age=300");
    let new = client.interface(&the_agent(), at(300)).unwrap();
    assert_eq!(new.url(), "https://agent.example.com/v2");
    let find =
        |url: &str| client.cache().interface(the_agent().scope(), old.version(), "JSONRPC", url, at(300));
    assert!(find(old.url()).is_none());
    assert!(find(new.url()).is_some());
}

/// A refused card takes the place of nothing: what was selected is dropped first and stays dropped.
#[test]
fn a_denied_card_leaves_nothing_selected() {
    let (client, web) = client(policy("", ""));
    client.interface(&the_agent(), at(0)).unwrap();
    web.put(CARD, signed(&card(), 9), "no-cache");
    let error = client.interface(&the_agent(), at(300)).unwrap_err();
    assert!(matches!(error, ClientError::Denied(_)), "{error}");
    assert!(client.cache().selected(the_agent().scope(), at(300)).is_none());
    web.put(CARD, signed(&card(), 1), "no-cache");
    assert!(client.interface(&the_agent(), at(301)).is_ok(), "and the good one is admitted at once");
}

#[test]
fn a_card_that_cannot_be_fetched_is_an_error_with_its_cause() {
    let (client, web) = client(policy("", ""));
    web.fail(CARD, 404);
    let error = client.interface(&the_agent(), at(0)).unwrap_err();
    assert_eq!(error.code().name(), "fetch.status");
    web.put(CARD, "{", "");
    assert_eq!(client.interface(&the_agent(), at(0)).unwrap_err().code().name(), "json.malformed");
    web.put(CARD, signed(&card(), 1), "");
    assert!(client.interface(&the_agent(), at(0)).is_ok(), "errors are not remembered");
}

#[test]
fn threads_that_ask_together_look_once() {
    let (client, web) = client(policy("", ""));
    web.shut_gate();
    thread::scope(|scope| {
        let ask = || scope.spawn(|| client.interface(&the_agent(), at(0)).unwrap().url().to_owned());
        let threads: Vec<_> = (0..8).map(|_| ask()).collect();
        // The first one waits at the gate; whoever comes later waits for it or finds what it found.
        while web.count(CARD) == 0 {
            thread::yield_now();
        }
        web.open_gate();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), "https://agent.example.com/a2a");
        }
    });
    assert_eq!((web.count(CARD), web.count(SET)), (1, 1));
}

#[test]
fn an_answer_says_how_it_came_about() {
    let (client, _web) = client(policy("", ""));
    let first = client.admit(&the_agent(), at(0)).unwrap();
    assert_eq!(first.card.fetched.how, FetchedHow::Network);
    assert_eq!(first.answer.provenance(), Provenance::Decided);
    let second = client.admit(&the_agent(), at(1)).unwrap();
    assert_eq!(second.card.fetched.how, FetchedHow::Fresh);
    assert_eq!(second.answer.provenance(), Provenance::Remembered);
}

/// 304 renews octets; the verdict is given anew once it has ended.
#[test]
fn a_renewed_card_is_decided_anew_when_its_verdict_ended() {
    let (client, web) = client(policy("", "cache = { max-ttl = \"5m\" }"));
    let headers = [("content-type", "application/json"), ("cache-control", "max-age=300"), ("etag", "\"1\"")];
    web.put_with(CARD, signed(&card(), 1), &headers);
    client.admit(&the_agent(), at(0)).unwrap();
    web.unchanged(CARD, "\"1\"");
    let later = client.admit(&the_agent(), at(300)).unwrap();
    assert_eq!(later.card.fetched.how, FetchedHow::Revalidated);
    assert_eq!(later.answer.provenance(), Provenance::Decided);
    assert_eq!(later.answer.decision().evaluated_at, at(300));
}

#[test]
fn tenants_and_uses_do_not_share_interfaces() {
    let rule = "tenants = [\"desk\"]\nuses = [\"support\"]";
    let (client, _web) = client(policy("", rule));
    let desk = the_agent().with_tenant("desk").for_use("support");
    assert!(client.interface(&desk, at(0)).is_ok());
    for other in [
        the_agent().with_tenant("sales").for_use("support"),
        the_agent().with_tenant("desk").for_use("sales"),
        the_agent(),
    ] {
        assert!(client.cache().selected(other.scope(), at(0)).is_none());
        assert!(client.interface(&other, at(0)).is_err());
    }
}

#[test]
fn no_fitting_interface_is_told_as_such() {
    let (client, _web) = client(policy("", ""));
    let grpc = Agent::at(AGENT, SelectTerms::accepting(["1.0/GRPC".parse().unwrap()])).unwrap();
    let error = client.interface(&grpc, at(0)).unwrap_err();
    assert_eq!(error.code().name(), "iface.none-compatible");
}

/// What a server answers in JSON-RPC (A2A 1.0 section 5.4).
pub(crate) fn refusal() -> VersionNotSupported {
    let body = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32009,"message":"version not supported"}}"#;
    VersionNotSupported::from_json_rpc(body).unwrap()
}

/// An older card is denied where earlier ones are remembered, and only there.
#[test]
fn a_client_with_pins_denies_an_older_card() {
    let folder = std::env::temp_dir().join(format!("countersign-client-pins-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("pins.jsonl");
    let (client, web) = client(policy("", "pin = { rollback = \"deny\" }"));
    let client = client.with_pins(Pins::create(&path).unwrap());
    let version = |version: &str| signed(&changed(|card| card["version"] = version.into()), 1);
    for (seconds, published, expected) in
        [(0, "1.1.0", "admit"), (1, "1.0.0", "deny pin.rollback"), (2, "1.2.0", "admit")]
    {
        web.put(CARD, version(published), "no-cache");
        assert_eq!(answer(&client, seconds), expected, "{published}");
    }
    assert_eq!(Pins::open(&path).unwrap().list().unwrap().agents.len(), 1);
    std::fs::write(&path, "damaged\n").unwrap();
    let error = client.interface(&the_agent(), at(400)).unwrap_err();
    assert_eq!(error.code().name(), "pin.damaged", "what was remembered is never taken for nothing");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What was admitted for one question is not given to who asks another about the same agent.
#[test]
fn an_interface_is_given_only_for_the_question_that_it_was_admitted_for() {
    let (client, _web) = client(policy("", "sources = [\"registry:corp\"]"));
    let listed = the_agent().from_registry("corp");
    assert!(client.interface(&listed, at(0)).is_ok());
    assert!(client.interface(&listed, at(0)).is_ok(), "and it is remembered");
    assert_eq!(client.interface(&the_agent(), at(0)).unwrap_err().code().name(), "origin.no-rule");
    let other = the_agent().from_registry("other");
    assert!(client.interface(&other, at(0)).is_err());
    let (client, web) = self::client(policy("", ""));
    client.interface(&the_agent(), at(0)).unwrap();
    let grpc = Agent::at(AGENT, SelectTerms::accepting(["1.0/GRPC".parse().unwrap()])).unwrap();
    assert!(client.interface(&grpc, at(0)).is_err(), "a binding that the client does not speak");
    let before = web.count(CARD);
    let secret = the_agent().asked_with_credential(Credential::new("Bearer secret"));
    client.interface(&secret, at(0)).unwrap();
    assert_eq!(web.count(CARD), before + 1, "a card for one credential is not one for another");
}

#[test]
fn a_revoked_card_is_given_out_no_more() {
    let folder = std::env::temp_dir().join(format!("countersign-client-revoked-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("pins.jsonl");
    let (client, web) = client(policy("", "pin = { rollback = \"deny\" }"));
    let client = client.with_pins(Pins::create(&path).unwrap());
    client.interface(&the_agent(), at(0)).unwrap();
    client.interface(&the_agent(), at(1)).unwrap();
    let fetched = web.count(CARD);
    client.interface(&the_agent(), at(2)).unwrap();
    assert_eq!(web.count(CARD), fetched, "nothing was said about cards");
    // Another program revokes it.
    let pins = Pins::open(&path).unwrap();
    let agents = pins.list().unwrap().agents;
    let digest = agents[0].memory.newest.as_ref().unwrap().octets;
    pins.revoke(digest, at(3)).unwrap();
    assert_eq!(client.interface(&the_agent(), at(4)).unwrap_err().code().name(), "pin.revoked");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn an_answer_about_a_card_that_stands_in_ends_soon_and_not_before_it_was_given() {
    let (client, web) = client(policy("refresh = \"1h\"", "cache = { stale-if-error = \"10m\" }"));
    client.admit(&the_agent(), at(0)).unwrap();
    web.close();
    let admission = client.admit(&the_agent(), at(400)).unwrap();
    assert!(matches!(admission.card.fetched.how, FetchedHow::Stale(_)));
    assert_eq!(admission.answer.until(), at(430));
    assert!(client.admit(&the_agent(), at(900)).is_err(), "no longer than the policy says");
}
