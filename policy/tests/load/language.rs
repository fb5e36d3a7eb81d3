//! The language as a whole: what is read, and where a fault is.

use countersign_keys::trust::NoKey;
use countersign_keys::{Algorithm, Thumbprint};
use countersign_policy::{
    AnonymousAccess, FailedInterfaces, Mode, Queries, Reaction, SignatureLevel, Uncovered,
};

use crate::support::{changed, codes, faults, fixture, good, load, smallest_and};

#[test]
fn the_smallest_policy_is_read_with_every_default() {
    let policy = good(&fixture("smallest.toml"));
    let rule = policy.allow("acme").unwrap();
    assert_eq!(rule.signatures.level.value, SignatureLevel::Require);
    assert_eq!(rule.signatures.groups.len(), 1);
    assert_eq!(rule.signatures.stale.value, Reaction::Report);
    assert_eq!(rule.signatures.uncovered.value, Uncovered::Strip);
    assert_eq!(rule.signatures.forms.value.len(), 5);
    assert!(rule.signatures.algorithms.is_none() && rule.signatures.max_age_seconds.is_none());
    assert!(rule.interfaces.hosts.source.is_some() && rule.interfaces.hosts.listed.is_empty());
    assert_eq!(rule.interfaces.versions.value[0].to_string(), "1.0");
    assert_eq!(rule.interfaces.bindings.value, ["JSONRPC", "GRPC", "HTTP+JSON"]);
    assert_eq!((rule.interfaces.query, rule.interfaces.other), (Queries::Deny, FailedInterfaces::Drop));
    assert_eq!(rule.auth.anonymous.value, AnonymousAccess::Report);
    assert_eq!(rule.mode.value, Mode::Enforce);
    assert!(rule.pin.is_none());
    assert_eq!((rule.cache.max_ttl_seconds, rule.cache.negative_seconds), (3600, 30));
    assert_eq!(policy.limits().max_card_octets, 262_144);
    assert_eq!(policy.fetch().timeout_seconds, 5);
    assert_eq!(policy.trusted_keys().keys().len(), 1);
}

#[test]
fn every_member_of_the_language_is_read() {
    let policy = good(&fixture("full.toml"));
    assert_eq!((policy.name(), policy.allows().len(), policy.denies().len()), (Some("acme-agents"), 2, 2));
    let vendor = policy.allow("vendor-x-security-specialist").unwrap();
    let hosts = &vendor.interfaces.hosts.listed;
    let hosts: Vec<String> = hosts.iter().map(|host| host.value.to_string()).collect();
    assert_eq!(hosts, ["a2a.vendor-x.example", "api.servicedesk.internal", "*.agents.acme.example"]);
    assert_eq!(vendor.signatures.groups.len(), 2);
    assert_eq!(vendor.signatures.level.value, SignatureLevel::Require);
    assert_eq!(vendor.mode.value, Mode::Enforce);
    assert_eq!(vendor.cache.max_ttl_seconds, 900);
    assert!(
        matches!(&policy.allow("internal").unwrap().mode.value, Mode::Audit(grace) if grace.until.to_string() == "2026-12-31T23:59:59Z")
    );
    let ids: Vec<&str> = policy.keys().iter().map(|key| key.id.as_str()).collect();
    assert_eq!(
        ids,
        ["acme-release-2026", "acme-review", "partner-z", "partner-z", "vendor-x-2025", "vendor-x-2026"]
    );
    assert_eq!(policy.tombstones().len(), 1);
    assert_eq!(policy.files().len(), 2);
    assert_eq!(policy.exceptions()[0].until.to_string(), "2026-12-31T23:59:59Z");
}

#[test]
fn a_policy_of_middle_size_is_read() {
    let policy = good(&fixture("middle.toml"));
    assert_eq!((policy.allows().len(), policy.keys().len()), (2, 3));
    assert_eq!(policy.allow("partner-y").unwrap().auth.anonymous.value, AnonymousAccess::Deny);
    assert!(policy.allow("partner-y").unwrap().pin.is_some());
}

#[test]
fn places_are_lines_and_columns_of_the_file() {
    let policy = good(&fixture("smallest.toml"));
    let rule = policy.allow("acme").unwrap();
    assert_eq!(rule.place.to_string(), "policy.toml:9:1");
    assert_eq!(rule.from[0].place.to_string(), "policy.toml:11:9");
    assert_eq!(rule.place.line_in(&policy), Some("[[allow]]"));
}

#[test]
fn a_fault_says_where_what_and_what_instead() {
    let error = load(&changed("smallest.toml", "origins ", "origns ")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "policy.toml:7:1: the member `origns` is not known here [policy.unknown-field]"
    );
    assert_eq!(error.faults[0].help.as_deref(), Some("did you mean `origins`?"));
}

#[test]
fn every_table_refuses_members_that_it_does_not_have() {
    for (from, to) in [
        ("schema   = 1", "schema = 1\ncolour = 1"),
        ("clock-skew ", "clock_skew = \"1s\"\nclock-skew "),
        ("stale  ", "origins = []\nstale  "),
        ("query  ", "paths-deny = []\nquery  "),
        ("anonymous ", "x = 1\nanonymous "),
        ("redirects ", "proxy = 1\nredirects "),
        ("negative ", "ttl = 1\nnegative "),
        ("kid = \"acme-2026-1\"", "keyid = \"acme-2026-1\""),
        ("refresh ", "every = 1\nrefresh "),
        ("when = ", "if = 1\nwhen = "),
        ("uses    =", "use     ="),
        ("first-use", "first-usage"),
        ("owner  = \"team-runtime\"", "who = \"team-runtime\""),
        ("min = 1 }, {", "minimum = 1 }, {"),
        ("reason = \"compromised\"", "reason = \"compromised\", why = 1"),
        ("reason = \"roll-out\"", "why = \"roll-out\""),
        ("reason = \"pilot\"", "because = \"pilot\""),
    ] {
        assert_eq!(codes(&changed("full.toml", from, to)), ["policy.unknown-field"], "{to}");
    }
}

#[test]
fn a_wrong_type_is_told_without_the_value() {
    let text = changed("smallest.toml", "[\"ES256\"]", "\"sesame\"");
    let faults = faults(&text);
    assert_eq!(faults[0].code.name(), "policy.invalid");
    assert_eq!(faults[0].place.as_ref().unwrap().span.line, 6);
    assert!(faults[0].message.contains("a string") && !faults[0].message.contains("sesame"));
}

#[test]
fn what_is_no_toml_is_told_with_its_place() {
    for text in ["schema = ", "schema = 1\nschema = 1", "[[allow]\n", "schema = 1 # \u{0}"] {
        let faults = faults(text);
        assert_eq!(faults.len(), 1, "{text}");
        assert!(["policy.syntax", "policy.invalid"].contains(&faults[0].code.name()), "{text}");
    }
}

#[test]
fn a_newer_schema_or_tool_is_told_before_unknown_members() {
    let text = "schema = 2\nfuture = true\n";
    assert_eq!(codes(text), ["policy.unsupported-schema"]);
    let text = "schema = 1\nmin-tool = \"0.2.0\"\nfuture = true\n";
    assert_eq!(codes(text), ["policy.unsupported-schema"]);
    for version in ["0.1.0", "0.0.9"] {
        good(&changed("smallest.toml", "schema = 1", &format!("schema = 1\nmin-tool = \"{version}\"")));
    }
    for version in ["1", "0.1", "v0.1.0", "+1.0.0"] {
        let text = changed("smallest.toml", "schema = 1", &format!("schema = 1\nmin-tool = \"{version}\""));
        assert_eq!(codes(&text), ["policy.invalid"], "{version}");
    }
}

#[test]
fn semantic_faults_are_all_told_in_the_order_of_the_file() {
    let text = smallest_and(
        "signatures.uncovered = \"ignore\"\ninterfaces.query = \"maybe\"\ncache.max-ttl = \"1w\"\n[fetch]\nredirects = -1",
    );
    let faults = faults(&text);
    assert_eq!(faults.len(), 4);
    let lines: Vec<usize> = faults.iter().map(|fault| fault.place.as_ref().unwrap().span.line).collect();
    assert_eq!(lines, [12, 13, 14, 16]);
}

#[test]
fn clock_skew_moves_the_beginning_of_a_key() {
    let text = changed("smallest.toml", "algorithms", "not-before = 2026-01-01T00:00:00Z\nalgorithms");
    let policy = good(&text);
    assert_eq!(policy.keys()[0].trusted.not_before(), Some(1_767_225_600 - 60));
    let at = |now| policy.trusted_keys().select("any", Algorithm::Es256, now);
    assert!(at(1_767_225_540).is_ok());
    assert!(matches!(at(1_767_225_539), Err(NoKey::NotYetValid { .. })));
}

#[test]
fn a_tombstone_gives_the_reason_of_its_signatures() {
    // A key without `kid` would be tried for every `kid`.
    let policy =
        good(&changed("full.toml", "id = \"acme-review\"", "id = \"acme-review\"\nkid = \"review\""));
    let thumbprint: Thumbprint = policy.tombstones()[0].thumbprint;
    let revoked = policy.trusted_keys().select("acme-2025-1", Algorithm::Es256, 0).unwrap_err();
    assert!(matches!(revoked, NoKey::Revoked { thumbprint: found, .. } if found == thumbprint));
}
