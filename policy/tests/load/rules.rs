//! Rules, exceptions and everything that they say.

use crate::support::{changed, codes, faults, fixture, good, smallest_and};

/// The rule with more members.
fn rule(members: &str) -> String {
    smallest_and(members)
}

/// One more rule for `from`, with more members.
fn another(from: &str, members: &str) -> String {
    smallest_and(&format!("\n[[allow]]\nid = \"other\"\nfrom = [\"{from}\"]\n{members}"))
        .replace("origins    = [", "origins = [\"**.acme.example:*\", \"http://agents.acme.example\", ")
}

fn exception(members: &str) -> String {
    smallest_and(&format!("\n[[exception]]\n{members}"))
}

const EXCEPTION: &str = "id = \"EX-1\"\nrule = \"acme\"\norigin = \"https://agents.acme.example\"\nwaives = [\"iface.version-not-allowed\"]\nreason = \"migration\"\nowner = \"team\"\nuntil = 2026-12-31";

#[test]
fn every_value_that_a_member_can_have_is_read() {
    for members in [
        "sources = [\"well-known\", \"url\", \"file\", \"registry:main\"]",
        "tenants = [\"a\", \"b*\", \"*\"]",
        "mode = \"enforce\"",
        "mode = { audit = true, reason = \"trial\", until = 2026-12-31 }",
        "signatures = { level = \"if-present\", reason = \"pilot\", until = 2026-12-31T12:00:00+02:00 }",
        "signatures = { level = \"off\", reason = \"pilot\", until = 2026-12-31 }",
        "signatures = { level = \"require\" }",
        "signatures.stale = \"deny\"",
        "signatures.uncovered = \"deny\"",
        "signatures.allow-uncovered = { pointers = [\"/a~1b\", \"/provider\"], reason = \"x\", until = 2026-12-31 }",
        "signatures.max-age = \"180d\"",
        "interfaces.schemes = [\"https\", \"http\", \"wss\", \"ws\"]",
        "interfaces.hosts = \"*source\"",
        "interfaces.hosts = \"a.acme.example\"",
        "interfaces.hosts = [\"*source\", \"a.acme.example\"]",
        "interfaces.versions = [\">=1.0, <2.0\", \"0.3\"]",
        "interfaces.bindings = [\"https://example.com/binding\"]",
        "interfaces.query = \"allow\"",
        "interfaces.allow-loopback = true",
        "interfaces.networks = [\"10.0.0.0/8\"]",
        "interfaces.any-host = true",
        "interfaces.any-host = false",
        "interfaces.any-host = { reason = \"x\", until = 2026-12-31 }",
        "interfaces.other = \"deny-card\"",
        "auth.anonymous = \"allow\"",
        "auth.schemes = [\"http:digest\", \"apikey:header\", \"openid\"]",
        "pin = { first-use = \"review\", text = \"deny\" }",
        "cache = { max-ttl = \"0\", negative = \"30s\", stale-if-error = \"1h\" }",
    ] {
        good(&rule(members));
    }
}

#[test]
fn a_value_that_a_member_cannot_have_is_refused() {
    for members in [
        "sources = [\"wellknown\"]",
        "sources = [\"registry:\"]",
        "sources = []",
        "tenants = []",
        "tenants = [\"a*b\"]",
        "uses = [\"\"]",
        "mode = \"audit\"",
        "mode = { audit = false, reason = \"trial\", until = 2026-12-31 }",
        "signatures.level = \"required\"",
        "signatures = { level = \"require\", reason = \"x\" }",
        "signatures.reason = \"x\"",
        "signatures.algorithms = []",
        "signatures.algorithms = [\"HS256\"]",
        "signatures.forms = [\"a2a-2.0\"]",
        "signatures.stale = \"warn\"",
        "signatures.allow-uncovered = { pointers = [\"provider\"], reason = \"x\", until = 2026-12-31 }",
        "signatures.allow-uncovered = { pointers = [\"\"], reason = \"x\", until = 2026-12-31 }",
        "signatures.allow-uncovered = { pointers = [], reason = \"x\", until = 2026-12-31 }",
        "signatures.max-age = \"0s\"",
        "signatures.max-age = \"180\"",
        "interfaces.schemes = [\"ftp\"]",
        "interfaces.hosts = []",
        "interfaces.paths = [\"/a*\"]",
        "interfaces.bindings = []",
        "interfaces.query = \"\"",
        "interfaces.other = \"deny\"",
        "auth.anonymous = \"warn\"",
        "auth.schemes = [\"bearer\"]",
        "auth.schemes = [\"http:Bearer\"]",
        "auth.credentials = { oauth = \"\" }",
        "pin.first-use = \"deny\"",
        "pin.rollback = \"accept\"",
        "cache.negative = \"31s\"",
        "cache.max-ttl = \"3651d\"",
    ] {
        let codes = codes(&rule(members));
        assert!(
            !codes.is_empty() && codes.iter().all(|code| *code == "policy.invalid"),
            "{members} {codes:?}"
        );
    }
}

#[test]
fn a_near_word_is_offered() {
    let faults = faults(&rule("signatures.uncovered = \"stripp\""));
    assert_eq!(faults[0].help.as_deref(), Some("did you mean `strip`?"));
}

#[test]
fn patterns_networks_and_versions_keep_their_codes() {
    for (members, code) in [
        ("interfaces.hosts = [\"*.github.io\"]", "policy.public-suffix-wildcard"),
        ("interfaces.hosts = [\"*.azurecontainerapps.io\"]", "policy.shared-hosting-wildcard"),
        ("interfaces.hosts = [\"*\"]", "policy.host-any"),
        ("interfaces.hosts = [\"*acme.example\"]", "policy.wildcard-position"),
        ("auth.hosts = [\"{a,b}.example\"]", "policy.pattern-syntax"),
        ("interfaces.networks = [\"10.20.3.4/16\"]", "policy.network-syntax"),
        ("interfaces.versions = [\">=1.1, <1.0\"]", "policy.version-range-empty"),
        ("interfaces.versions = [\"v1\"]", "policy.version-syntax"),
        ("interfaces.paths = [\"/a/../b\"]", "url.path-dot-segment"),
        ("interfaces.any-host = { reason = \"x\" }", "policy.host-any"),
    ] {
        assert_eq!(codes(&rule(members)), [code], "{members}");
    }
    assert_eq!(
        codes(&changed("smallest.toml", "from = [\"https://", "from = [\"https://*.")),
        ["policy.threshold-exceeds-keys"]
    );
    assert_eq!(codes(&another("*.co.uk", "")), ["policy.public-suffix-wildcard"]);
}

#[test]
fn what_weakens_has_a_reason_and_an_end() {
    for (members, code) in [
        ("signatures = { level = \"off\" }", "policy.unsigned-in-enforce"),
        ("signatures = { level = \"if-present\", reason = \"x\" }", "policy.unsigned-in-enforce"),
        ("signatures = { level = \"if-present\", until = 2026-12-31 }", "policy.unsigned-in-enforce"),
        (
            "signatures.allow-uncovered = { pointers = [\"/a\"], reason = \"x\" }",
            "policy.unsigned-in-enforce",
        ),
        ("mode = { audit = true }", "policy.audit-without-end"),
        ("mode = { audit = true, until = 2026-12-31 }", "policy.audit-without-end"),
    ] {
        assert_eq!(codes(&rule(members)), [code], "{members}");
    }
}

#[test]
fn a_rule_is_for_somebody_and_a_deny_denies_something() {
    assert_eq!(codes(&smallest_and("\n[[allow]]\nid = \"other\"")), ["policy.invalid"]);
    let deny = |members: &str| smallest_and(&format!("\n[[deny]]\nid = \"d\"\nreason = \"r\"\n{members}"));
    good(&deny("hosts = [\"**.ngrok-free.app\"]"));
    good(&deny("extensions = [\"https://example.com/ext\"]\nwhen = \"declared\""));
    for members in [
        "",
        "hosts = []",
        "extensions = []",
        "hosts = [\"a.example\"]\nwhen = \"required\"",
        "extensions = [\"x\"]\nwhen = \"always\"",
    ] {
        assert_eq!(codes(&deny(members)), ["policy.invalid"], "{members}");
    }
    assert_eq!(codes(&deny("hosts = [\"a.example/x\"]")), ["policy.pattern-syntax"]);
}

#[test]
fn ids_are_given_once() {
    let deny = "\n[[deny]]\nid = \"acme\"\nreason = \"r\"\nhosts = [\"a.example\"]";
    assert_eq!(codes(&smallest_and(deny)), ["policy.duplicate-id"]);
    good(&smallest_and(&deny.replace("acme", "other")));
    let keysets = "\n[keysets]\nacme-release-2026 = [\"acme-release-2026\"]";
    assert_eq!(codes(&smallest_and(keysets)), ["policy.duplicate-id"]);
    let twice = exception(&format!("{EXCEPTION}\n\n[[exception]]\n{EXCEPTION}"));
    let faults = faults(&twice);
    assert_eq!(faults[0].code.name(), "policy.duplicate-id");
    assert_eq!(faults[0].related[0].1, "first here");
    assert_eq!(codes(&changed("smallest.toml", "id   = \"acme\"", "id = \"\"")), ["policy.invalid"]);
}

#[test]
fn two_rules_for_one_source_and_context_are_refused_with_a_witness() {
    let faults = faults(&another("agents.acme.example", ""));
    assert_eq!(faults[0].code.name(), "policy.overlapping-allow");
    assert_eq!(
        faults[0].message,
        "the rules `acme` and `other` are equally specific for https://agents.acme.example"
    );
    for (from, members) in
        [("agents.acme.example", "tenants = [\"a\"]"), ("agents.acme.example", "sources = [\"file\"]")]
    {
        assert_eq!(codes(&another(from, members)), ["policy.overlapping-allow"], "{members}");
    }
    for from in [
        "*.acme.example",
        "agents.acme.example/a/",
        "agents.acme.example:8443",
        "agents.acme.example:*",
        "other.acme.example",
        "http://agents.acme.example",
    ] {
        good(&another(from, ""));
    }
}

#[test]
fn rules_share_a_source_when_their_contexts_are_disjoint() {
    let both = |one: &str, other: &str| {
        let text = another("agents.acme.example", other);
        text.replacen("id   = \"acme\"", &format!("id = \"acme\"\n{one}"), 1)
    };
    for (one, other) in [
        ("tenants = [\"a\"]", "tenants = [\"b\"]"),
        ("uses = [\"a*\"]", "uses = [\"b*\"]"),
        ("sources = [\"file\"]", "sources = [\"url\"]"),
    ] {
        good(&both(one, other));
    }
    let faults = faults(&both("tenants = [\"a*\"]\nuses = [\"u\"]", "tenants = [\"abc\"]"));
    assert!(faults[0].message.ends_with(", tenant `abc`, use `u`"), "{}", faults[0].message);
}

#[test]
fn a_name_of_a_host_set_stands_for_its_patterns() {
    let sets = "\n[hostsets]\ninternal = [\"a.acme.example\", \"*.b.acme.example\"]";
    good(&rule(&format!("interfaces.hosts = [\"internal\", \"c.acme.example\"]\n{sets}")));
    // What no set is called is a host.
    good(&rule(&format!("interfaces.hosts = [\"intern\"]\n{sets}")));
    let faults = faults(&rule(&format!("interfaces.hosts = [\"inter_nal\"]\n{sets}")));
    assert_eq!(faults[0].help.as_deref(), Some("did you mean `internal`?"));
}

#[test]
fn a_host_set_has_a_plain_name_and_patterns_that_can_be_read() {
    for (name, members, code) in [
        ("\"a.b\"", "[\"a.example\"]", "policy.invalid"),
        ("\"\"", "[\"a.example\"]", "policy.invalid"),
        ("internal", "[]", "policy.invalid"),
    ] {
        assert_eq!(codes(&rule(&format!("\n[hostsets]\n{name} = {members}"))), [code], "{name}");
    }
    let text = rule("interfaces.hosts = [\"internal\"]\n\n[hostsets]\ninternal = [\"*.github.io\"]");
    assert_eq!(codes(&text), ["policy.public-suffix-wildcard"]);
}

#[test]
fn an_exception_says_why_who_and_until_when() {
    good(&exception(EXCEPTION));
    for line in ["reason = \"migration\"\n", "owner = \"team\"\n", "\nuntil = 2026-12-31"] {
        assert_eq!(
            codes(&exception(&EXCEPTION.replace(line, "\n"))),
            ["policy.exception-missing-reason"],
            "{line}"
        );
    }
}

#[test]
fn an_exception_is_for_one_origin_and_no_integrity_code() {
    for (from, to, code) in [
        ("https://agents.acme", "https://*.acme", "policy.exception-too-wide"),
        ("agents.acme.example\"\nwaives", "agents.acme.example/a\"\nwaives", "policy.invalid"),
        ("agents.acme.example\"\nwaives", "agents.acme.example.\"\nwaives", "url.host-trailing-dot"),
        ("iface.version-not-allowed", "sig.invalid", "policy.exception-too-wide"),
        ("iface.version-not-allowed", "sig.revoked-key", "policy.exception-too-wide"),
        ("iface.version-not-allowed", "json.duplicate-member", "policy.exception-too-wide"),
        ("iface.version-not-allowed", "url.metadata-address", "policy.exception-too-wide"),
        ("iface.version-not-allowed", "origin.denied", "policy.exception-too-wide"),
        ("iface.version-not-allowed", "tenant.not-approved", "policy.exception-too-wide"),
        ("iface.version-not-allowed", "iface.none-left", "policy.exception-too-wide"),
        ("iface.version-not-allowed", "url.query", "policy.exception-too-wide"),
        ("iface.version-not-allowed", "card.interface-incomplete", "policy.exception-too-wide"),
        ("iface.version-not-allowed", "iface.version-not-alowed", "policy.invalid"),
        ("[\"iface.version-not-allowed\"]", "[]", "policy.invalid"),
        ("rule = \"acme\"", "rule = \"acmee\"", "policy.unknown-rule-ref"),
        ("until = 2026-12-31", "until = 2026-12-31T00:00:00", "policy.invalid"),
    ] {
        assert_eq!(codes(&exception(&EXCEPTION.replace(from, to))), [code], "{to}");
    }
    let near = faults(&exception(&EXCEPTION.replace("not-allowed", "not-alowed")));
    assert_eq!(near[0].help.as_deref(), Some("did you mean `iface.version-not-allowed`?"));
}

#[test]
fn limits_have_their_ranges() {
    for (from, to) in [
        ("max-signatures = 16", "max-signatures = 17"),
        ("max-signatures = 16", "max-signatures = 0"),
        ("max-card       = \"256KiB\"", "max-card = \"0KiB\""),
        ("timeout   = \"5s\"", "timeout = \"0s\""),
        ("redirects = 0", "redirects = 11"),
        ("max-octets = \"256KiB\"", "max-octets = \"1GiB\""),
        ("addresses = \"public\"", "addresses = \"any\""),
        ("\"application/json\", ", "\"JSON\", "),
        ("negative = \"30s\"", "negative = \"1m\""),
        ("unused-key = \"warn\"", "unused-key = \"deny\""),
    ] {
        assert_eq!(codes(&changed("full.toml", from, to)), ["policy.invalid"], "{to}");
    }
    good(&fixture("full.toml"));
}
