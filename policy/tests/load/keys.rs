//! Keys, sets, tombstones, and the groups that name them.

use countersign_keys::Algorithm;
use countersign_keys::trust::NoKey;

use crate::support::{Texts, changed, codes, faults, fixture, good, load, smallest_and};

const FREE: &str = r#"jwk = { kty = "EC", crv = "P-256", x = "JT_UtkVJokqLhTH2LWqV1OwJsZXtIZiKqCiFpxLDAUM", y = "8cVinM4h9KA4XZz4za08vZar9ZWbjCvpjWX91Z8hsFU" }"#;

const FREE_THUMBPRINT: &str = "xRsh26hZMWnrJE0hqCnJJ5b2QbJ6v2pkkiPEFbBPhfo";

const ORIGINS: &str = r#"origins = ["agents.acme.example"]"#;

/// One more key.
fn key(members: &str) -> String {
    smallest_and(&format!("\n[[key]]\nid = \"other\"\n{members}"))
}

/// One more set.
fn set(members: &str) -> String {
    smallest_and(&format!("\n[[jwks]]\nid = \"other\"\n{members}"))
}

/// The rule with other groups.
fn signatures(members: &str) -> String {
    smallest_and(&format!("signatures.{members}\n\n[[key]]\nid = \"other\"\n{FREE}\n{ORIGINS}"))
}

#[test]
fn a_key_is_a_jwk_or_a_file_and_not_both() {
    good(&key(&format!("{FREE}\n{ORIGINS}")));
    good(&key(&format!("file = \"keys/acme-review.pem\"\n{ORIGINS}")));
    assert_eq!(codes(&key(ORIGINS)), ["policy.invalid"]);
    assert_eq!(
        codes(&key(&format!("{FREE}\nfile = \"keys/acme-review.pem\"\n{ORIGINS}"))),
        ["policy.invalid"]
    );
    assert_eq!(codes(&key(&format!("thumbprint = \"{FREE_THUMBPRINT}\"\n{ORIGINS}"))), ["policy.invalid"]);
}

#[test]
fn a_key_file_must_be_there_hold_one_key_and_lie_inside() {
    for (file, code) in [
        ("keys/missing.jwk", "policy.unreadable-file"),
        ("keys/partner-y.jwks.json", "policy.invalid"),
        ("keys/vendor-x.toml", "key.pem-malformed"),
        ("outside.toml", "policy.include-loop-or-escape"),
        ("../keys/acme-review.pem", "policy.include-loop-or-escape"),
        ("/etc/key.pem", "policy.include-loop-or-escape"),
        ("keys//acme-review.pem", "policy.include-loop-or-escape"),
        ("C:/key.pem", "policy.include-loop-or-escape"),
    ] {
        let codes = codes(&key(&format!("file = \"{file}\"\n{ORIGINS}")));
        assert_eq!(codes.len(), 1, "{file}");
        assert!(
            codes[0] == code || (code.starts_with("key.") && codes[0].starts_with("key.")),
            "{file} {codes:?}"
        );
    }
}

#[test]
fn a_key_without_scope_is_refused() {
    assert_eq!(codes(&key(FREE)), ["policy.key-without-scope"]);
    assert_eq!(codes(&set("url = \"https://keys.acme.example/jwks.json\"")), ["policy.key-without-scope"]);
    assert_eq!(codes(&key(&format!("{FREE}\norigins = []"))), ["policy.invalid"]);
}

#[test]
fn algorithms_fit_the_key() {
    good(&key(&format!("{FREE}\n{ORIGINS}\nalgorithms = [\"ES256\"]")));
    let faults = faults(&key(&format!("{FREE}\n{ORIGINS}\nalgorithms = [\"ES256\", \"ES384\"]")));
    assert_eq!(faults[0].code.name(), "policy.alg-key-mismatch");
    assert_eq!(faults[0].help.as_deref(), Some("it can be used with `ES256`"));
    for unknown in ["HS256", "none", "es256", ""] {
        let codes = codes(&key(&format!("{FREE}\n{ORIGINS}\nalgorithms = [\"{unknown}\"]")));
        assert!(codes.iter().all(|code| *code == "policy.invalid"), "{unknown}");
    }
    let bound = FREE.replace("kty", "alg = \"ES256\", kty");
    good(&key(&format!("{bound}\n{ORIGINS}")));
    let wrong = FREE.replace("kty", "alg = \"ES384\", kty");
    assert_eq!(codes(&key(&format!("{wrong}\n{ORIGINS}"))).len(), 1);
}

#[test]
fn one_key_has_one_id() {
    let twice = fixture("smallest.toml");
    let jwk = twice.lines().find(|line| line.starts_with("jwk")).unwrap();
    assert_eq!(codes(&key(&format!("{jwk}\n{ORIGINS}"))), ["policy.same-key-twice"]);
    let tombstone = format!("{jwk}\nrevoked = {{ at = 2026-01-01, reason = \"compromised\" }}");
    let codes = codes(&key(&tombstone));
    assert!(codes.contains(&"policy.same-key-twice"), "{codes:?}");
}

#[test]
fn a_set_that_is_a_file_has_every_key_once() {
    let text = fixture("keys/partner-y.jwks.json");
    let jwk = text.split("    {").nth(1).unwrap().split('}').next().unwrap();
    let twice = text.replacen("\"keys\": [", &format!("\"keys\": [\n{{{jwk}}},"), 1);
    let policy = set(&format!("file = \"set.json\"\n{ORIGINS}"));
    let load =
        |set: &str| Texts::default().with("policy.toml", &policy).with("set.json", set).load("policy.toml");
    assert_eq!(load(&text).unwrap().keys().len(), 3);
    assert_eq!(load(&twice).unwrap_err().faults[0].code.name(), "policy.same-key-twice");
}

#[test]
fn a_private_key_is_refused_and_never_shown() {
    let secret = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I";
    for jwk in [
        FREE.replace("kty", &format!("d = \"{secret}\", kty")),
        format!("jwk = {{ kty = \"oct\", k = \"{secret}\" }}"),
        FREE.replace("kty", &format!("oth = [{{ r = \"{secret}\" }}], kty")),
        format!("file = \"-----BEGIN PRIVATE KEY-----{secret}-----END PRIVATE KEY-----\""),
    ] {
        let error = load(&key(&format!("{jwk}\n{ORIGINS}"))).unwrap_err();
        assert_eq!(error.faults[0].code.name(), "policy.private-key-in-policy", "{jwk}");
        assert!(!format!("{error:?} {error}").contains(secret));
        assert!(error.files.iter().all(|file| !file.text.contains(secret)));
    }
    let secret_file = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    let jwk_file =
        format!("{{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\",\"y\":\"AA\",\"d\":\"{secret}\"}}");
    for file in [secret_file, jwk_file.as_str(), "{\"kty\":\"oct\",\"k\":\"AAAA\"}"] {
        let policy = key(&format!("file = \"private\"\n{ORIGINS}"));
        let files = Texts::default().with("policy.toml", &policy).with("private", file);
        let error = files.load("policy.toml").unwrap_err();
        assert_eq!(error.faults[0].code.name(), "policy.private-key-in-policy");
        assert_eq!(error.faults.len(), 1);
    }
}

#[test]
fn a_key_that_ends_before_it_begins_is_refused() {
    let key = |first: &str, last: &str| {
        key(&format!("{FREE}\n{ORIGINS}\nnot-before = {first}\nnot-after = {last}"))
    };
    good(&key("2026-01-01", "2026-01-01"));
    assert_eq!(codes(&key("2026-01-02", "2026-01-01")), ["policy.invalid"]);
    assert_eq!(codes(&key("2026-01-01", "2026-01-02T00:00:00")), ["policy.invalid"]);
}

#[test]
fn the_kid_of_the_policy_is_that_of_the_jwk() {
    let jwk = FREE.replace("kty", "kid = \"k1\", kty");
    good(&key(&format!("{jwk}\n{ORIGINS}\nkid = \"k1\"")));
    assert_eq!(codes(&key(&format!("{jwk}\n{ORIGINS}\nkid = \"k2\""))), ["policy.invalid"]);
    let policy = good(&key(&format!("{jwk}\n{ORIGINS}")));
    assert_eq!(policy.keys()[1].trusted.kid(), Some("k1"));
}

#[test]
fn a_compromised_key_is_revoked_whatever_its_end() {
    let revoked = |rest: &str| key(&format!("{FREE}\n{ORIGINS}\nkid = \"k1\"\n{rest}"));
    for rest in [
        "revoked = { at = 2026-02-11, reason = \"compromised\" }\nnot-after = 2030-01-01",
        "revoked = { at = 2026-02-11, reason = \"compromised\" }",
        "revoked = { at = 2026-02-11, reason = \"superseded\" }",
    ] {
        let policy = good(&revoked(rest));
        assert_eq!((policy.tombstones().len(), policy.keys().len()), (1, 1), "{rest}");
        assert_eq!(policy.trusted_keys().revoked()[0].thumbprint.to_string(), FREE_THUMBPRINT);
    }
    let policy =
        good(&revoked("revoked = { at = 2026-02-11, reason = \"superseded\" }\nnot-after = 2030-01-01"));
    assert_eq!((policy.tombstones().len(), policy.keys().len()), (0, 2));
    assert!(policy.keys()[1].trusted.not_after().is_some());
}

#[test]
fn a_tombstone_needs_no_key_and_no_scope() {
    let text = changed("smallest.toml", "algorithms", "kid = \"k0\"\nalgorithms")
        + &format!(
            "\n[[key]]\nid = \"old\"\nkid = \"k1\"\nthumbprint = \"{FREE_THUMBPRINT}\"\nrevoked = {{ at = 2026-02-11, reason = \"compromised\" }}\n"
        );
    let policy = good(&text);
    for kid in ["k1", FREE_THUMBPRINT] {
        let refusal = policy.trusted_keys().select(kid, Algorithm::Es256, 0).unwrap_err();
        assert!(matches!(refusal, NoKey::Revoked { .. }), "{kid}");
    }
    let unknown = policy.trusted_keys().select("k2", Algorithm::Es256, 0).unwrap_err();
    assert!(matches!(unknown, NoKey::Unknown { .. }));
    for (from, to) in [
        (FREE_THUMBPRINT, "xRsh26hZMWnrJE0hqCnJJ5b2QbJ6v2pkkiPEFbBPhf"),
        ("compromised", "lost"),
        ("at = 2026-02-11", "at = 12:00:00"),
    ] {
        assert_eq!(codes(&text.replace(from, to)), ["policy.invalid"], "{to}");
    }
}

#[test]
fn a_set_is_a_file_or_a_strict_https_url() {
    good(&set(&format!("url = \"https://keys.acme.example/jwks.json\"\n{ORIGINS}")));
    good(&set(&format!("file = \"keys/partner-y.jwks.json\"\n{ORIGINS}")));
    for (members, code) in [
        ("", "policy.invalid"),
        (
            "url = \"https://keys.acme.example/jwks.json\"\nfile = \"keys/partner-y.jwks.json\"",
            "policy.invalid",
        ),
        ("url = \"http://keys.acme.example/jwks.json\"", "policy.invalid"),
        ("url = \"https://keys.acme.example@evil.test/\"", "url.userinfo"),
        ("url = \"https://169.254.169.254/\"", "url.metadata-address"),
        ("file = \"keys/partner-y.jwks.json\"\nmax-keys = 1", "policy.invalid"),
        ("file = \"keys/partner-y.jwks.json\"\nmax-keys = 0", "policy.invalid"),
        ("file = \"keys/partner-y.jwks.json\"\nrefresh = \"0s\"", "policy.invalid"),
        ("file = \"keys/partner-y.jwks.json\"\npins = [\"x\"]", "policy.invalid"),
    ] {
        assert_eq!(codes(&set(&format!("{members}\n{ORIGINS}"))), [code], "{members}");
    }
}

#[test]
fn pins_and_algorithms_of_a_set_bind_its_keys() {
    let of_set = |members: &str| {
        let policy = good(&set(&format!("file = \"keys/partner-y.jwks.json\"\n{ORIGINS}\n{members}")));
        policy.keys().iter().filter(|key| key.is_set_member).cloned().collect::<Vec<_>>()
    };
    let all = of_set("pins = []");
    assert_eq!(all.len(), 2);
    let pin = all[1].trusted.thumbprint();
    let pinned = of_set(&format!("pins = [\"{pin}\"]"));
    assert_eq!(pinned.iter().map(|key| key.trusted.thumbprint()).collect::<Vec<_>>(), [pin]);
    assert!(of_set("algorithms = [\"ES256\"]").iter().all(|key| key.trusted.allows(Algorithm::Es256)));
    assert!(!of_set("algorithms = [\"EdDSA\"]").iter().any(|key| key.trusted.allows(Algorithm::Es256)));
}

#[test]
fn a_broken_member_of_a_set_is_kept_with_its_reason() {
    let set = "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"broken\",\"x\":\"AA\",\"y\":\"AA\"}]}";
    let text = changed("smallest.toml", "algorithms", "kid = \"k0\"\nalgorithms")
        + &format!("\n[[jwks]]\nid = \"other\"\nfile = \"set.json\"\n{ORIGINS}\n");
    let policy =
        Texts::default().with("policy.toml", &text).with("set.json", set).load("policy.toml").unwrap();
    assert_eq!(policy.keys().len(), 1);
    let refusal = policy.trusted_keys().select("broken", Algorithm::Es256, 0).unwrap_err();
    assert!(matches!(refusal, NoKey::Unusable { .. }));
}

#[test]
fn a_group_names_keys_that_are_there() {
    good(&signatures("require = { keys = \"other\" }"));
    good(&signatures("require = { keys = [\"other\", \"acme-release-2026\"], min = 2 }"));
    let faults = faults(&signatures("require = { keys = \"othr\" }"));
    assert_eq!(faults[0].code.name(), "policy.unknown-key-ref");
    assert_eq!(faults[0].help.as_deref(), Some("did you mean `other`?"));
    let in_set = smallest_and("\n[keysets]\nteam = [\"acme-release-2025\"]");
    assert_eq!(codes(&in_set), ["policy.unknown-key-ref"]);
}

#[test]
fn a_group_demands_no_more_keys_than_there_are() {
    for (members, is_good) in [
        ("require = { keys = \"*origin\", min = 2 }", true),
        ("require = { keys = \"*origin\", min = 3 }", false),
        ("require = { keys = [\"other\"], min = 1 }", true),
        ("require = { keys = [\"other\", \"other\"], min = 2 }", false),
        ("all-of = [{ keys = \"other\" }, { keys = \"*origin\", min = 3 }]", false),
    ] {
        let text = signatures(members);
        if is_good {
            good(&text);
        } else {
            assert_eq!(codes(&text), ["policy.threshold-exceeds-keys"], "{members}");
        }
    }
    let elsewhere = changed("smallest.toml", "origins    = [\"https://agents", "origins = [\"https://others");
    assert_eq!(codes(&elsewhere), ["policy.threshold-exceeds-keys"]);
    let off = "signatures = { level = \"off\", reason = \"pilot\", until = 2026-12-31 }";
    good(&format!("{elsewhere}{off}\n"));
    let revoked = format!(
        "\n[[key]]\nid = \"old\"\nthumbprint = \"{FREE_THUMBPRINT}\"\nrevoked = {{ at = 2026-02-11, reason = \"compromised\" }}"
    );
    let text = smallest_and(&format!("signatures.require = {{ keys = \"old\" }}\n{revoked}"));
    assert_eq!(codes(&text), ["policy.threshold-exceeds-keys"]);
    let fetched = format!(
        "signatures.require = {{ keys = \"other\", min = 2 }}\n\n[[jwks]]\nid = \"other\"\nurl = \"https://keys.acme.example/\"\n{ORIGINS}\n"
    );
    good(&smallest_and(&format!("{fetched}max-keys = 2")));
    assert_eq!(codes(&smallest_and(&format!("{fetched}max-keys = 1"))), ["policy.threshold-exceeds-keys"]);
}

#[test]
fn a_threshold_is_at_least_one() {
    for min in ["0", "-1", "17"] {
        assert_eq!(
            codes(&signatures(&format!("require = {{ keys = \"other\", min = {min} }}"))),
            ["policy.invalid"]
        );
    }
    for members in [
        "require = { keys = [] }",
        "require = { keys = [\"*origin\", \"other\"] }",
        "require = { keys = \"other\" }\nsignatures.all-of = [{ keys = \"other\" }]",
        "all-of = []",
    ] {
        assert_eq!(codes(&signatures(members)), ["policy.invalid"], "{members}");
    }
}
