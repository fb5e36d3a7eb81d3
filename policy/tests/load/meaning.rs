//! The expanded form and the digest over it.

use countersign_keys::{hex, sha256};

use crate::support::{fixture, good};

/// Every member of `full.toml` with another value.
const CHANGES: &[(&str, &str)] = &[
    ("\"acme-agents\"", "\"acme\""),
    ("\"platform-security@acme.example\"", "\"security@acme.example\""),
    ("\"roll-out\"", "\"trial\""),
    ("until = 2026-12-31 }", "until = 2026-12-30 }"),
    ("{ audit = true, reason = \"roll-out\", until = 2026-12-31 }", "\"enforce\""),
    ("clock-skew     = \"60s\"", "clock-skew = \"61s\""),
    ("max-card       = \"256KiB\"", "max-card = \"255KiB\""),
    ("max-signatures = 16", "max-signatures = 15"),
    ("level      = \"if-present\"", "level = \"off\""),
    ("\"publishers sign from October on\"", "\"x\""),
    ("until      = 2026-10-31", "until = 2026-11-01"),
    ("require    = { keys = \"*origin\"", "require = { keys = \"acme-release-2026\""),
    ("algorithms = [\"ES256\", \"EdDSA\"]", "algorithms = [\"ES256\"]"),
    ("[\"a2a-1.0\", \"as-received\"]", "[\"a2a-1.0\"]"),
    ("stale      = \"report\"", "stale = \"deny\""),
    ("uncovered  = \"strip\"", "uncovered = \"deny\""),
    ("pointers = [\"/provider\"]", "pointers = [\"/skills\"]"),
    ("\"filled in by the gateway\"", "\"x\""),
    ("until = 2027-06-30", "until = 2027-06-29"),
    ("max-age    = \"180d\"", "max-age = \"181d\""),
    ("schemes  = [\"https\"]", "schemes = [\"https\", \"http\"]"),
    ("hosts    = \"*source\"", "hosts = \"internal\""),
    ("paths    = [\"/a2a/\"]", "paths = [\"/b/\"]"),
    ("versions = [\"1.0\"]", "versions = [\"1.1\"]"),
    ("bindings = [\"JSONRPC\", \"GRPC\", ", "bindings = [\"JSONRPC\", "),
    ("query    = \"deny\"", "query = \"allow\""),
    ("allow-loopback = false", "allow-loopback = true"),
    ("networks = [\"10.20.0.0/16\"]\nany", "networks = [\"10.21.0.0/16\"]\nany"),
    ("reason = \"pilot\"", "reason = \"trial\""),
    ("reason = \"pilot\", until = 2026-12-31 }", "reason = \"pilot\", until = 2026-12-30 }"),
    ("other    = \"drop\"", "other = \"deny-card\""),
    ("anonymous = \"report\"", "anonymous = \"deny\""),
    ("schemes   = [\"http:bearer\", ", "schemes = ["),
    ("hosts     = [\"login.acme.example\"]", "hosts = [\"login2.acme.example\"]"),
    ("redirects = 0", "redirects = 1"),
    ("timeout   = \"5s\"", "timeout = \"6s\""),
    ("max-octets = \"256KiB\"", "max-octets = \"255KiB\""),
    ("content-types = [\"application/json\", ", "content-types = ["),
    ("networks  = [\"10.20.0.0/16\"]", "networks = [\"10.21.0.0/16\"]"),
    ("max-ttl = \"1h\"", "max-ttl = \"2h\""),
    ("negative = \"30s\"", "negative = \"29s\""),
    ("stale-if-error = \"0s\"", "stale-if-error = \"1s\""),
    ("id = \"acme-release-2026\"", "id = \"acme-release\""),
    ("kid = \"acme-2026-1\"", "kid = \"acme-2026-2\""),
    (
        "x = \"IdqmHfetm-m3bq5ib0K__j6zRYfD-2LeuvGqZs12QCQ\", y = \"VaPPXJH2Vl4gKfoF-9jXYnZAW72HXWdvh6zxia8cd5o\"",
        "x = \"JT_UtkVJokqLhTH2LWqV1OwJsZXtIZiKqCiFpxLDAUM\", y = \"8cVinM4h9KA4XZz4za08vZar9ZWbjCvpjWX91Z8hsFU\"",
    ),
    ("algorithms = [\"ES256\"]\norigins    = [\"https://*.agents", "origins = [\"https://*.agents"),
    ("origins    = [\"https://*.agents.acme.example\"]", "origins = [\"https://**.agents.acme.example\"]"),
    ("not-before = 2026-01-01T00:00:00Z", "not-before = 2026-01-01T00:00:01Z"),
    ("not-after  = 2027-02-01T00:00:00Z", "not-after = 2027-02-01T00:00:01Z"),
    (
        "file = \"keys/acme-review.pem\"",
        "jwk = { kty = \"EC\", crv = \"P-256\", x = \"JT_UtkVJokqLhTH2LWqV1OwJsZXtIZiKqCiFpxLDAUM\", y = \"8cVinM4h9KA4XZz4za08vZar9ZWbjCvpjWX91Z8hsFU\" }",
    ),
    (
        "origins = [\"https://security-specialist.vendor-x.example\"]",
        "origins = [\"https://**.vendor-x.example\"]",
    ),
    ("id = \"acme-release-2025\"", "id = \"acme-2025\""),
    ("kid = \"acme-2025-1\"", "kid = \"acme-2025-2\""),
    ("thumbprint = \"", "thumbprint = \"xRsh26hZMWnrJE0hqCnJJ5b2QbJ6v2pkkiPEFbBPhfo\" # "),
    ("at = 2026-02-11T09:00:00Z", "at = 2026-02-11T09:00:01Z"),
    ("reason = \"compromised\"", "reason = \"superseded\""),
    ("id = \"partner-y\"", "id = \"partner\""),
    ("a2a/jwks.json", "a2a/keys.json"),
    ("origins = [\"https://agents.partner-y.example\"]", "origins = [\"https://*.partner-y.example\"]"),
    ("algorithms = [\"ES256\"]\nrefresh", "algorithms = [\"ES384\"]\nrefresh"),
    ("refresh = \"10m\"", "refresh = \"11m\""),
    ("max-keys = 8", "max-keys = 9"),
    ("pins = [\"", "pins = [] # "),
    ("id = \"partner-z\"", "id = \"other\""),
    ("file = \"keys/partner-y.jwks.json\"", "file = \"keys/partner-z.jwks.json\""),
    ("origins = [\"https://agents.partner-z.example\"]", "origins = [\"https://*.partner-z.example\"]"),
    ("internal = [\"api.servicedesk.internal\", ", "internal = ["),
    ("id = \"tunnels\"", "id = \"tunnel\""),
    ("hosts = [\"**.ngrok-free.app\", ", "hosts = ["),
    ("\"developer tunnels are not agent endpoints\"", "\"tunnels\""),
    ("id = \"payments-extension\"", "id = \"payments\""),
    ("ext/payments/v1", "ext/payments/v2"),
    ("when = \"required\"", "when = \"declared\""),
    ("\"legal review pending\"", "\"review\""),
    ("id = \"internal\"", "id = \"inside\""),
    ("from = [\"https://*.agents", "from = [\"https://a.agents"),
    ("from = [\"https://security-specialist", "from = [\"https://specialist"),
    ("sources = [\"well-known\"]", "sources = [\"url\"]"),
    ("tenants = [\"service-desk\"]", "tenants = [\"service-desk*\"]"),
    ("uses    = [\"certificates\"]", "uses = [\"certificate\"]"),
    ("mode    = \"enforce\"", "mode = { audit = true, reason = \"x\", until = 2026-12-31 }"),
    (
        "signatures.level = \"require\"",
        "signatures = { level = \"off\", reason = \"x\", until = 2026-12-31 }",
    ),
    ("keys = \"vendor-x\", min = 1", "keys = \"vendor-x\", min = 2"),
    ("{ keys = [\"acme-review\"], min = 1 }", "{ keys = [\"vendor-x-2025\"], min = 1 }"),
    ("interfaces.hosts = [\"a2a.vendor-x.example\", ", "interfaces.hosts = ["),
    ("interfaces.paths = [\"/a2a/\"]", "interfaces.paths = [\"/a2a\"]"),
    ("auth.hosts = [\"login.vendor-x.example\"]", "auth.hosts = [\"log-in.vendor-x.example\"]"),
    ("vendorx-oauth =", "vendory-oauth ="),
    ("\"vendor-x/service-desk\"", "\"vendor-x/desk\""),
    ("first-use = \"accept\"", "first-use = \"review\""),
    ("rollback = \"deny\"", "rollback = \"report\""),
    ("structure = \"deny\"", "structure = \"report\""),
    ("text = \"report\"", "text = \"deny\""),
    ("cache.max-ttl = \"15m\"", "cache.max-ttl = \"16m\""),
    ("id = \"EX-014\"", "id = \"EX-015\""),
    ("rule = \"vendor-x-security-specialist\"", "rule = \"internal\""),
    ("origin = \"https://legacy.", "origin = \"https://old."),
    ("waives = [\"iface.version-not-allowed\"]", "waives = [\"iface.binding-not-allowed\"]"),
    ("\"0.3 executor until migration\"", "\"x\""),
    ("\"team-runtime\"", "\"team\""),
    ("until  = 2026-12-31", "until = 2026-12-30"),
    ("unused-key = \"warn\"", "unused-key = \"error\""),
];

/// What says how the rest is read, `addresses`, which has one value, and ids that other members name.
const WITHOUT_MEANING: [&str; 6] = [
    "schema ",
    "min-tool ",
    "include ",
    "addresses ",
    "id = \"acme-review\"",
    "id = \"vendor-x-security-specialist\"",
];

#[test]
fn every_member_is_part_of_the_digest() {
    let text = fixture("full.toml");
    let digest = good(&text).digest().to_owned();
    for (from, to) in CHANGES {
        assert!(text.contains(from), "{from}");
        let changed = text.replacen(from, to, 1);
        // One table cannot be written in two places.
        if *from == "signatures.level = \"require\"" {
            let changed = changed.replace("signatures.all-of", "# signatures.all-of");
            assert_ne!(good(&changed).digest(), digest, "{to}");
            continue;
        }
        assert_ne!(good(&changed).digest(), digest, "{to}");
    }
}

#[test]
fn no_member_of_the_full_policy_is_forgotten() {
    let text = fixture("full.toml");
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let lines = offset..offset + line.len();
        offset = lines.end;
        let is_exempt = WITHOUT_MEANING.iter().any(|start| line.starts_with(start));
        if line.starts_with(['#', '[']) || line.trim().is_empty() || is_exempt {
            continue;
        }
        let touches = |from: &str| {
            text.find(from).is_some_and(|start| start < lines.end && lines.start < start + from.len())
                || line.contains(from)
        };
        assert!(CHANGES.iter().any(|(from, _)| touches(from)), "{line}");
    }
}

#[test]
fn comments_order_and_written_defaults_are_no_part_of_the_digest() {
    let text = fixture("smallest.toml");
    let policy = good(&text);
    let (head, rest) = text.split_once("[[key]]").unwrap();
    let (key, allow) = rest.split_once("[[allow]]").unwrap();
    for same in [
        format!("# a comment\n{text}"),
        format!("{head}[[allow]]{allow}\n[[key]]{key}"),
        text.replace("https://agents", "agents"),
        text.replace("agents.acme", "AGENTS.acme"),
        format!("{text}signatures.stale = \"report\"\ninterfaces.versions = [\"1.0\"]\nmode = \"enforce\"\n"),
        format!("{text}signatures.require = {{ keys = \"*origin\" }}\ncache.max-ttl = \"60m\"\n"),
        format!("{text}interfaces.bindings = [\"HTTP+JSON\", \"JSONRPC\", \"GRPC\", \"GRPC\"]\n"),
        format!("{text}\n[fetch]\n[cache]\nmax-ttl = \"3600s\"\n[defaults]\nclock-skew = \"1m\"\n"),
    ] {
        assert_eq!(good(&same).digest(), policy.digest(), "{same}");
    }
}

#[test]
fn the_digest_is_the_sha_256_of_the_expanded_form() {
    let policy = good(&fixture("full.toml"));
    let expanded = policy.expanded().to_string();
    assert_eq!(policy.digest(), format!("sha256:{}", hex(&sha256(expanded.as_bytes()))));
    let value: serde_json::Value = serde_json::from_str(&expanded).unwrap();
    assert_eq!(serde_json::to_value(policy.expanded()).unwrap(), value);
    assert_eq!(value["allow"].as_array().unwrap().len(), 2);
    assert!(!expanded.contains("toml"));
}

#[cfg(feature = "schema")]
#[test]
fn the_schema_names_every_table() {
    let schema: serde_json::Value = serde_json::from_str(&countersign_policy::policy_schema()).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["title"], "countersign trust policy");
    assert_eq!(schema["additionalProperties"], false);
    for member in [
        "schema",
        "min-tool",
        "extends",
        "include",
        "defaults",
        "fetch",
        "cache",
        "key",
        "jwks",
        "keysets",
        "hostsets",
        "deny",
        "allow",
        "exception",
        "lints",
    ] {
        let member = &schema["properties"][member];
        assert!(member["description"].is_string(), "{member}");
    }
}
