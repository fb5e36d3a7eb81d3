//! Interfaces: for whom, which, and what takes one away.

use std::sync::Arc;

use countersign::cache::{AdmissionCache, AgentScope, CacheBounds, ReceivedCard, Registered};
use countersign::{
    AdmissionRequest, CardError, ProtocolVersion, SelectTerms, SelectedBecause, UntrustedCard,
};
use serde_json::{Value, json};

use crate::agent::{changed, read};
use crate::fixture::{
    at, cache, cache_under, good, newer, policy, register, request, set, signed_by, terms, unsigned,
};

const URL: &str = "https://agent.example.com/a2a";
const NEXT: &str = "https://agent.example.com/next";

const V1: ProtocolVersion = ProtocolVersion::V1_0;

fn scope() -> AgentScope {
    AgentScope::of(&request(), "agent")
}

fn selected(cache: &AdmissionCache, seconds: i64) -> Option<String> {
    cache.selected(&scope(), at(seconds)).map(|interface| interface.url().to_owned())
}

fn refresh(cache: &AdmissionCache, octets: &[u8], seconds: i64) -> Result<Registered, CardError> {
    cache.refresh("agent", &request(), &ReceivedCard::new(octets), &terms(), at(seconds))
}

/// A card with these interfaces, signed.
fn offering(interfaces: Value) -> UntrustedCard {
    signed_by(&changed(|card| *card.pointer_mut("/supportedInterfaces").unwrap() = interfaces), 1)
}

fn interface(url: &str, binding: &str, version: &str) -> Value {
    json!({"url": url, "protocolBinding": binding, "protocolVersion": version})
}

fn within(tenant: Option<&str>, purpose: Option<&str>) -> AdmissionRequest {
    let mut request = request();
    (request.tenant, request.purpose) = (tenant.map(str::to_owned), purpose.map(str::to_owned));
    request
}

#[test]
fn an_admitted_interface_is_selected_until_its_admission_ends() {
    let cache = cache_under(policy("cache.max-ttl = \"10m\""));
    assert_eq!(selected(&cache, 0), None);
    let registered = register(&cache, &good(), 0).unwrap();
    assert_eq!(registered.interface().unwrap().url(), URL);
    assert_eq!(selected(&cache, 599).as_deref(), Some(URL));
    assert_eq!(selected(&cache, 600), None);
    // Nor does it come back when the clock is set back.
    assert_eq!(selected(&cache, 0), None);
}

#[test]
fn an_interface_is_not_selected_longer_than_its_card_is_fresh() {
    let (cache, good) = (cache(), good());
    let put = |fresh_until| {
        let received = ReceivedCard::new(&good).fresh_until(at(fresh_until));
        cache.register("agent", &request(), &received, &terms(), at(0)).unwrap()
    };
    put(60);
    assert_eq!(selected(&cache, 59).as_deref(), Some(URL));
    assert_eq!(selected(&cache, 60), None);
    let stale = cache_under(policy(""));
    let received = ReceivedCard::new(&good).fresh_until(at(0));
    stale.register("agent", &request(), &received, &terms(), at(0)).unwrap();
    assert_eq!(selected(&stale, 0), None);
}

#[test]
fn tenant_use_and_agent_are_never_mixed() {
    let (cache, good) = (cache(), good());
    let scopes = [(None, None), (Some("t1"), None), (None, Some("t1")), (Some("t1"), Some("u1"))];
    let other = AgentScope::of(&request(), "other");
    for (place, (tenant, purpose)) in scopes.into_iter().enumerate() {
        let request = within(tenant, purpose);
        let scope = AgentScope::of(&request, "agent");
        assert_eq!((scope.agent(), scope.tenant(), scope.purpose()), ("agent", tenant, purpose));
        assert!(cache.selected(&scope, at(0)).is_none());
        cache.register("agent", &request, &ReceivedCard::new(&good), &terms(), at(0)).unwrap();
        assert!(cache.selected(&scope, at(0)).is_some());
        assert_eq!(cache.entries(at(0)).count(), place + 1);
        assert!(cache.selected(&other, at(0)).is_none());
    }
}

#[test]
fn two_versions_at_one_url_are_two_interfaces() {
    let card = offering(json!([
        interface(URL, "JSONRPC", "0.3.0"),
        interface(URL, "JSONRPC", "1.0"),
        interface(URL, "HTTP+JSON", "1.0"),
        interface("https://elsewhere.example/a2a", "JSONRPC", "1.0"),
    ]));
    let cache = cache_under(policy("interfaces.versions = [\"0.3\", \"1.0\"]"));
    register(&cache, card.octets(), 0).unwrap();
    let find = |version, binding, url| cache.interface(&scope(), version, binding, url, at(0));
    for (version, binding, index) in
        [(ProtocolVersion::V0_3, "JSONRPC", 0), (V1, "JSONRPC", 1), (V1, "HTTP+JSON", 2)]
    {
        let found = find(version, binding, URL).unwrap();
        assert_eq!((found.version(), found.binding(), found.index()), (version, binding, index));
    }
    assert_eq!(cache.selected(&scope(), at(0)).unwrap().index(), 1);
    // What the policy drops is not there, nor is what the card does not offer.
    assert!(find(V1, "JSONRPC", "https://elsewhere.example/a2a").is_none());
    assert!(find(ProtocolVersion::V0_3, "HTTP+JSON", URL).is_none());
    assert!(find(V1, "jsonrpc", URL).is_none());
    assert!(cache.interface(&scope(), V1, "JSONRPC", URL, at(100_000)).is_none());
}

#[test]
fn a_registration_that_fails_leaves_nothing_selected() {
    let cache = cache();
    for bad in
        [unsigned(), b"{".to_vec(), offering(json!([interface(URL, "GRPC2", "1.0")])).octets().to_vec()]
    {
        register(&cache, &good(), 0).unwrap();
        assert_eq!(selected(&cache, 0).as_deref(), Some(URL));
        let answer = register(&cache, &bad, 0);
        assert!(answer.is_err() || answer.unwrap().interface().is_none());
        assert_eq!(selected(&cache, 0), None);
    }
    register(&cache, &newer(), 0).unwrap();
    assert_eq!(selected(&cache, 0).as_deref(), Some(NEXT));
}

#[test]
fn a_refused_card_takes_nothing_from_an_admitted_one() {
    let cache = cache();
    register(&cache, &good(), 0).unwrap();
    for bad in [unsigned(), b"{".to_vec()] {
        let answer = refresh(&cache, &bad, 0);
        assert!(answer.is_err() || answer.unwrap().interface().is_none());
        assert_eq!(selected(&cache, 0).as_deref(), Some(URL));
    }
    assert_eq!(refresh(&cache, &newer(), 0).unwrap().interface().unwrap().url(), NEXT);
    assert_eq!(selected(&cache, 0).as_deref(), Some(NEXT));
    // It still ends when its own admission does.
    refresh(&cache, &unsigned(), 3_599).unwrap();
    assert_eq!(selected(&cache, 3_599).as_deref(), Some(NEXT));
    assert_eq!(selected(&cache, 3_600), None);
}

#[test]
fn an_agent_that_is_unknown_can_be_refreshed() {
    let cache = cache();
    assert!(refresh(&cache, &unsigned(), 0).unwrap().interface().is_none());
    assert_eq!(selected(&cache, 0), None);
    refresh(&cache, &good(), 0).unwrap();
    assert_eq!(selected(&cache, 0).as_deref(), Some(URL));
}

#[test]
fn another_policy_takes_every_interface_at_once() {
    let cache = cache();
    for other in [policy("cache.max-ttl = \"2h\""), policy("")] {
        register(&cache, &good(), 0).unwrap();
        assert_eq!(selected(&cache, 0).as_deref(), Some(URL));
        cache.replace_policy(Arc::clone(&other));
        assert_eq!(cache.policy().digest(), other.digest());
        assert_eq!(selected(&cache, 0), None);
        assert!(cache.interface(&scope(), V1, "JSONRPC", URL, at(0)).is_none());
        assert_eq!(cache.entries(at(0)).count(), 0);
    }
}

#[test]
fn a_key_that_ends_takes_every_interface_at_once() {
    let keys = crate::policies::keys();
    // `k2` ends; the card is signed by `k1`.
    let keys = keys.replacen("kid = \"k2\"", &format!("kid = \"k2\"\nnot-after = {}", at(100)), 1);
    let text = format!("schema = 1\n{keys}\n[[allow]]\nid = \"agent\"\nfrom = [\"agent.example.com\"]\n");
    let policy = countersign::TrustPolicy::read(&text, "policy.toml", &countersign::TOOL).unwrap();
    let cache = cache_under(Arc::new(policy));
    register(&cache, &good(), 0).unwrap();
    assert_eq!(selected(&cache, 100).as_deref(), Some(URL));
    assert_eq!(selected(&cache, 101), None);
    register(&cache, &good(), 101).unwrap();
    assert_eq!(selected(&cache, 101).as_deref(), Some(URL));
}

#[test]
fn forget_takes_an_agent_for_every_tenant_and_no_other_agent() {
    let (cache, good) = (cache(), good());
    let requests = [within(None, None), within(Some("t1"), None), within(None, Some("u1"))];
    for request in &requests {
        for agent in ["agent", "agent-2"] {
            cache.register(agent, request, &ReceivedCard::new(&good), &terms(), at(0)).unwrap();
        }
    }
    cache.forget("agent");
    let names: Vec<_> = cache.entries(at(0)).map(|entry| entry.scope.agent().to_owned()).collect();
    assert_eq!(names, ["agent-2"; 3]);
    for request in &requests {
        assert!(cache.selected(&AgentScope::of(request, "agent"), at(0)).is_none());
        assert!(cache.selected(&AgentScope::of(request, "agent-2"), at(0)).is_some());
    }
    cache.clear();
    assert!(cache.selected(&AgentScope::of(&request(), "agent-2"), at(0)).is_none());
}

#[test]
fn only_an_interface_that_is_remembered_is_switched_to() {
    let card = offering(json!([interface(URL, "JSONRPC", "1.0"), interface(NEXT, "JSONRPC", "1.0")]));
    let cache = cache();
    let registered = register(&cache, card.octets(), 0).unwrap();
    let admitted = registered.answer().admitted().unwrap();
    let second = admitted.interfaces().nth(1).unwrap();
    let because = SelectedBecause::VersionNotSupported;
    assert_eq!(cache.switch_to(&scope(), second, because, at(0)).unwrap().url(), NEXT);
    assert_eq!(selected(&cache, 0).as_deref(), Some(NEXT));
    assert_eq!(cache.entries(at(0)).next().unwrap().because, because);

    // One that was admitted for a card that is not there any more.
    let foreign = register(&cache_under(policy("")), &newer(), 0).unwrap();
    register(&cache, &good(), 0).unwrap();
    for gone in [second, foreign.interface().unwrap()] {
        assert!(cache.switch_to(&scope(), gone, because, at(0)).is_none());
        assert_eq!(selected(&cache, 0).as_deref(), Some(URL));
    }
    let first = registered.interface().unwrap();
    assert!(cache.switch_to(&AgentScope::of(&request(), "other"), first, because, at(0)).is_none());
    assert!(cache.switch_to(&scope(), first, because, at(3_600)).is_none());
}

#[test]
fn the_inventory_names_rule_version_binding_and_url() {
    let (cache, good) = (cache_under(policy("cache.max-ttl = \"10m\"")), good());
    let request = within(Some("t1"), None);
    cache.register("agent", &request, &ReceivedCard::new(&good), &terms(), at(0)).unwrap();
    // Denied, so not listed.
    cache.register("other", &request, &ReceivedCard::new(&unsigned()), &terms(), at(0)).unwrap();
    let entries: Vec<_> = cache.entries(at(0)).collect();
    assert_eq!(entries.len(), 1);
    let entry = entries.first().unwrap();
    assert_eq!((entry.scope.agent(), entry.scope.tenant()), ("agent", Some("t1")));
    assert_eq!(entry.rule.as_deref(), Some("agent"));
    let interface = &entry.interface;
    assert_eq!((interface.version(), interface.binding(), interface.url()), (V1, "JSONRPC", URL));
    assert_eq!((entry.because, entry.until), (SelectedBecause::CardOrder, at(600)));
    assert_eq!(cache.entries(at(600)).count(), 0);
}

#[test]
fn agents_are_bounded_by_number_and_by_octets() {
    let off = "signatures = { level = \"off\", reason = \"test\", until = 2099-12-31 }";
    let card = read(&changed(|card| set(card, "/name", "Many"))).octets().to_vec();
    let kept = |bounds: &CacheBounds, name: &dyn Fn(usize) -> String| {
        let cache = AdmissionCache::new(policy(off), bounds);
        for number in 0..2_000 {
            cache.register(&name(number), &request(), &ReceivedCard::new(&card), &terms(), at(0)).unwrap();
        }
        // The newest are there.
        let kept =
            |number: &usize| cache.selected(&AgentScope::of(&request(), name(*number)), at(0)).is_some();
        (0..2_000).rev().take_while(kept).count()
    };
    let mut bounds = CacheBounds::default();
    let short: &dyn Fn(usize) -> String = &|number| number.to_string();
    assert_eq!(kept(&bounds, short), 2_000);
    bounds.max_agents = 100;
    let few = kept(&bounds, short);
    // And those that were put in since the bound was looked at.
    assert!((50..=100 + 64).contains(&few), "{few} agents");
    bounds.max_agents = 10_000;
    bounds.max_agent_octets = 1024 * 1024;
    let few = kept(&bounds, &|number| format!("{number:010000}"));
    assert!((50..=100 + 64).contains(&few), "{few} agents of 10,000 octets each");
}

#[test]
fn nothing_fits_a_client_that_speaks_nothing() {
    let cache = cache();
    let good = good();
    let registered = cache
        .register("agent", &request(), &ReceivedCard::new(&good), &SelectTerms::default(), at(0))
        .unwrap();
    assert!(registered.answer().admitted().is_some() && registered.interface().is_none());
    assert_eq!(selected(&cache, 0), None);
    // The interfaces that were admitted are there all the same.
    assert!(cache.interface(&scope(), V1, "JSONRPC", URL, at(0)).is_some());
}
