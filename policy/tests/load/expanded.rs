//! The expanded form as a file.

use super::support::{Texts, changed, fixture, good, smallest_and};

const SET: &str = r#"
[[jwks]]
id = "set"
keys = [
    { kty = "OKP", crv = "Ed25519", x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", kid = "one" },
]
origins = ["https://agents.acme.example"]
"#;

/// What is written means the same, and is itself already expanded.
fn round_trips(policy: &countersign_policy::TrustPolicy) -> String {
    let text = policy.to_toml().unwrap();
    let again = good(&text);
    assert_eq!(again.digest(), policy.digest(), "{text}\n{}\n{}", policy.expanded(), again.expanded());
    assert_eq!(again.to_toml().unwrap(), text);
    text
}

#[test]
fn every_fixture_expanded_is_a_policy_with_the_same_digest() {
    for name in ["smallest.toml", "middle.toml", "full.toml"] {
        let text = round_trips(&good(&fixture(name)));
        for member in ["file = ", "include", "extends", "min-tool"] {
            assert!(!text.contains(member), "{member} in\n{text}");
        }
    }
}

#[test]
fn a_changed_policy_expanded_has_another_digest() {
    let one = good(&fixture("full.toml"));
    let other = good(&changed("full.toml", "redirects = 0", "redirects = 1"));
    assert_ne!(other.digest(), one.digest());
    assert_ne!(round_trips(&other), one.to_toml().unwrap());
}

#[test]
fn weak_and_unusual_members_expand_to_what_they_mean() {
    for more in [
        "signatures = { level = \"off\", reason = \"pilot\", until = 2027-01-01 }\ninterfaces.any-host = true",
        "interfaces = { allow-loopback = true, schemes = [\"http\", \"https\"], hosts = [\"localhost:8080\", \"**.a.example:*\"] }",
        "interfaces.versions = [\">=0.3, <2.0\", \"0.3\"]\ninterfaces.query = \"allow\"\ninterfaces.other = \"deny-card\"",
        "uses = [\"a*\"]\nsources = [\"registry:x y\", \"file\"]\nauth.schemes = [\"mtls\"]\npin = { first-use = \"review\" }",
        "auth.credentials = { \"until\" = \"a\\nb\\u202E\", \"k k\" = \"c\" }".replace("\\n", "").as_str(),
        "interfaces.hosts = [\"intranet\"]\n[hostsets]\nintranet = [\"https://intranet\", \"api.acme.example\"]\nother = [\"x.acme.example/a/\"]",
        "[[deny]]\nid = \"x\"\nextensions = [\"https://x.example/\\\"\"]\nwhen = \"required\"\nreason = \"\\\\\"",
        "[lints]\nunused-key = \"error\"\n\"*\" = \"allow\"",
    ] {
        round_trips(&good(&smallest_and(more)));
    }
}

#[test]
fn a_set_may_stand_in_the_policy() {
    let policy = good(&smallest_and(SET).replace("id         = \"acme-release-2026\"", "id = \"other\""));
    let key = policy.keys().iter().find(|key| key.id == "set").unwrap();
    assert!(key.is_set_member);
    assert_eq!(key.trusted.kid(), Some("one"));
    round_trips(&policy);
}

#[test]
fn the_algorithms_of_a_set_and_of_its_keys_are_kept() {
    for (of_key, of_set) in [
        ("", ""),
        (", alg = \"EdDSA\"", ""),
        ("", "algorithms = [\"EdDSA\", \"ES256\"]\n"),
        (", alg = \"EdDSA\"", "algorithms = [\"EdDSA\", \"ES256\"]\n"),
        (", alg = \"EdDSA\"", "algorithms = [\"ES256\"]\n"),
        ("", "algorithms = [\"ES256\"]\n"),
    ] {
        let set = SET.replace(", kid = \"one\"", &format!(", kid = \"one\"{of_key}"));
        round_trips(&good(&smallest_and(&format!("{set}{of_set}"))));
    }
}

#[test]
fn entries_that_stand_for_no_key_are_kept_as_such() {
    let set =
        SET.replace("]\norigins", "    { kty = \"future\", kid = \"two\" }, { kty = \"other\" } ]\norigins");
    let text = round_trips(&good(&smallest_and(&set)));
    assert_eq!(text.matches("kty = \"unusable\"").count(), 2);
}

#[test]
fn a_set_with_a_private_key_in_the_policy_is_refused() {
    let set = SET.replace("kid = \"one\"", "d = \"c2VjcmV0LXNlY3JldA\"");
    let found = super::support::faults(&smallest_and(&set));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].code.name(), "policy.private-key-in-policy");
    assert!(!format!("{found:?}").contains("c2VjcmV0"));
}

#[test]
fn a_set_has_exactly_one_of_url_file_and_keys() {
    for more in ["url = \"https://keys.acme.example/jwks\"\n", "file = \"keys/partner-y.jwks.json\"\n"] {
        assert_eq!(super::support::codes(&smallest_and(&format!("{SET}{more}"))), ["policy.invalid"]);
    }
}

#[test]
fn a_policy_and_what_it_extends_expand_to_one_file() {
    let base = "schema = 1\nname = \"base\"\n[defaults.signatures]\nmax-age = \"90d\"\nalgorithms = [\"ES256\"]\n\
                [[deny]]\nid = \"tunnels\"\nhosts = [\"**.ngrok-free.app\"]\nreason = \"tunnels\"\n";
    let child = smallest_and("signatures.max-age = \"30d\"")
        .replace("schema = 1", "schema = 1\nextends = { path = \"base.toml\" }");
    let policy =
        Texts::default().with("base.toml", base).with("policy.toml", &child).load("policy.toml").unwrap();
    assert!(round_trips(&policy).contains("**.ngrok-free.app"));
}
