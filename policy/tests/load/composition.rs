//! `include` and `extends`.

use countersign_keys::{hex, sha256};
use countersign_policy::{PolicyFault, TrustPolicy};

use crate::support::{Texts, changed, fixture};

const KEY: &str = "jwk = { kty = \"EC\", crv = \"P-256\", x = \"JT_UtkVJokqLhTH2LWqV1OwJsZXtIZiKqCiFpxLDAUM\", y = \"8cVinM4h9KA4XZz4za08vZar9ZWbjCvpjWX91Z8hsFU\" }\norigins = [\"agents.acme.example\"]";

const CHILD: &str = "schema = 1\nextends = { path = \"base.toml\" }\n";

/// The base, with more at its end.
fn base(more: &str) -> String {
    format!("{}{more}\n", fixture("smallest.toml"))
}

/// A child with a rule for the same source.
fn child(members: &str) -> String {
    format!("{CHILD}[[allow]]\nid = \"mine\"\nfrom = [\"agents.acme.example\"]\n{members}\n")
}

fn load(base: &str, child: &str) -> Result<TrustPolicy, Vec<PolicyFault>> {
    let files = Texts::default().with("base.toml", base).with("policy.toml", child);
    files.load("policy.toml").map_err(|error| error.faults)
}

fn codes(base: &str, child: &str) -> Vec<&'static str> {
    load(base, child).unwrap_err().iter().map(|fault| fault.code.name()).collect()
}

/// Codes of the faults of `policy.toml` beside these files.
fn included(policy: &str, files: &[(&str, &str)]) -> Vec<&'static str> {
    let texts = files.iter().fold(Texts::default(), |texts, (name, text)| texts.with(name, text));
    let error = texts.with("policy.toml", policy).load("policy.toml").map(drop).err();
    error.into_iter().flat_map(|error| error.faults).map(|fault| fault.code.name()).collect()
}

fn with_include(list: &str) -> String {
    changed("smallest.toml", "schema = 1", &format!("schema = 1\ninclude = {list}"))
}

#[test]
fn definitions_are_included_each_file_once() {
    let more = format!("[[key]]\nid = \"more\"\n{KEY}\n");
    let both = "include = [\"more.toml\"]\n";
    let none: [&str; 0] = [];
    assert_eq!(included(&with_include("[\"more.toml\"]"), &[("more.toml", &more)]), none);
    let files = [("more.toml", more.as_str()), ("one.toml", both), ("two.toml", both)];
    assert_eq!(included(&with_include("[\"one.toml\", \"two.toml\", \"more.toml\"]"), &files), none);
    assert_eq!(included(&with_include("[\"one.toml\"]"), &[("one.toml", both)]), ["policy.unreadable-file"]);
}

#[test]
fn an_included_file_holds_definitions_only() {
    for text in ["[defaults]\n", "[[allow]]\nid = \"x\"\nfrom = [\"a.example\"]\n", "[fetch]\n", "[[deny]]\n"]
    {
        assert_eq!(
            included(&with_include("[\"more.toml\"]"), &[("more.toml", text)]),
            ["policy.unknown-field"],
            "{text}"
        );
    }
}

#[test]
fn a_loop_and_an_escape_are_refused() {
    let code = ["policy.include-loop-or-escape"];
    let myself = "include = [\"more.toml\"]\n";
    assert_eq!(included(&with_include("[\"more.toml\"]"), &[("more.toml", myself)]), code);
    assert_eq!(included(&with_include("[\"policy.toml\"]"), &[]), code);
    let (one, two) = ("include = [\"two.toml\"]\n", "include = [\"one.toml\"]\n");
    assert_eq!(included(&with_include("[\"one.toml\"]"), &[("one.toml", one), ("two.toml", two)]), code);
    for path in ["../a.toml", "/a.toml", "a/../../b.toml", "a\\\\b.toml", "", "outside.toml"] {
        assert_eq!(included(&with_include(&format!("[\"{path}\"]")), &[]), code, "{path}");
    }
    let (base, child) = (CHILD.replace("base.toml", "policy.toml"), CHILD);
    assert_eq!(codes(&base, child), code);
}

#[test]
fn the_base_is_the_one_that_was_reviewed() {
    let base = base("");
    let digest = hex(&sha256(base.as_bytes()));
    let extends =
        |digest: &str| format!("schema = 1\nextends = {{ path = \"base.toml\", sha256 = \"{digest}\" }}\n");
    assert!(load(&base, &extends(&digest)).is_ok());
    assert_eq!(codes(&format!("{base}\n"), &extends(&digest)), ["policy.include-loop-or-escape"]);
}

#[test]
fn a_child_without_rules_has_those_of_the_base() {
    let policy = load(&base(""), CHILD).unwrap();
    assert_eq!(policy.allows().len(), 1);
    assert_eq!(policy.keys().len(), 1);
    assert_eq!(policy.files().len(), 2);
}

#[test]
fn what_the_base_denies_and_defines_holds_in_the_child() {
    let base = base(
        "[[deny]]\nid = \"d\"\nhosts = [\"a.example\"]\nreason = \"r\"\n\n[hostsets]\nown = [\"agents.acme.example\"]\n\n[defaults.interfaces]\nhosts = \"own\"",
    );
    let policy = load(
        &base,
        &child(
            "interfaces.hosts = [\"own\"]\n\n[[deny]]\nid = \"e\"\nhosts = [\"b.example\"]\nreason = \"r\"",
        ),
    )
    .unwrap();
    assert_eq!(policy.denies().len(), 2);
    assert_eq!(
        codes(&base, &child("\n[[deny]]\nid = \"d\"\nhosts = [\"b.example\"]\nreason = \"r\"")),
        ["policy.duplicate-id"]
    );
}

#[test]
fn the_defaults_of_the_base_are_those_of_the_child() {
    let base = changed("smallest.toml", "[[key]]", "[defaults.signatures]\nstale = \"deny\"\n\n[[key]]");
    let policy = load(&base, &child("")).unwrap();
    assert_eq!(policy.allow("mine").unwrap().signatures.stale.value.name(), "deny");
}

#[test]
fn groups_of_the_base_are_added() {
    let base = base(&format!(
        "signatures.require = {{ keys = \"acme-release-2026\" }}\n\n[[key]]\nid = \"second\"\n{KEY}"
    ));
    let policy = load(&base, &child("signatures.require = { keys = \"second\" }")).unwrap();
    assert_eq!(policy.allow("mine").unwrap().signatures.groups.len(), 2);
    let policy = load(&base, &child("signatures.require = { keys = \"acme-release-2026\" }")).unwrap();
    assert_eq!(policy.allow("mine").unwrap().signatures.groups.len(), 1);
}

#[test]
fn a_child_is_for_no_source_that_the_base_is_not_for() {
    let other = child("").replace("agents.acme.example", "agents.other.example");
    let base_keys = base("").replace("origins    = [", "origins = [\"agents.other.example\", ");
    assert_eq!(codes(&base_keys, &other), ["policy.extends-loosened"]);
    let narrow = base("").replace("from = [", "tenants = [\"a*\"]\nfrom = [");
    assert!(load(&narrow, &child("tenants = [\"abc\"]")).is_ok());
    assert!(load(&narrow, &child("")).is_err());
    assert!(load(&narrow, &child("tenants = [\"b\"]")).is_err());
}

#[test]
fn a_child_tightens_and_never_loosens() {
    let strict = "[defaults]\nclock-skew = \"60s\"\n[fetch]\nnetworks = [\"10.0.0.0/8\"]\n";
    for (of_base, tighter, looser) in [
        ("", "mode = \"enforce\"", "mode = { audit = true, reason = \"x\", until = 2026-12-31 }"),
        (
            "signatures = { level = \"if-present\", reason = \"x\", until = 2026-12-31 }",
            "signatures = { level = \"if-present\", reason = \"x\", until = 2026-12-30 }",
            "signatures = { level = \"if-present\", reason = \"x\", until = 2027-01-01 }",
        ),
        (
            "",
            "signatures.level = \"require\"",
            "signatures = { level = \"off\", reason = \"x\", until = 2026-12-31 }",
        ),
        (
            "signatures.algorithms = [\"ES256\", \"EdDSA\"]",
            "signatures.algorithms = [\"ES256\"]",
            "signatures.algorithms = [\"ES256\", \"RS256\"]",
        ),
        ("signatures.algorithms = [\"ES256\"]", "signatures.algorithms = [\"ES256\"]", ""),
        ("signatures.forms = [\"a2a-1.0\", \"sdk-1.x\"]", "signatures.forms = [\"a2a-1.0\"]", ""),
        ("signatures.stale = \"deny\"", "signatures.stale = \"deny\"", ""),
        ("signatures.uncovered = \"deny\"", "signatures.uncovered = \"deny\"", ""),
        (
            "signatures.allow-uncovered = { pointers = [\"/provider\"], reason = \"x\", until = 2026-12-31 }",
            "signatures.allow-uncovered = { pointers = [\"/provider/url\"], reason = \"x\", until = 2026-12-31 }",
            "signatures.allow-uncovered = { pointers = [\"/providers\"], reason = \"x\", until = 2026-12-31 }",
        ),
        ("signatures.max-age = \"2d\"", "signatures.max-age = \"1d\"", "signatures.max-age = \"3d\""),
        ("", "interfaces.schemes = [\"https\"]", "interfaces.schemes = [\"https\", \"http\"]"),
        ("", "interfaces.hosts = \"*source\"", "interfaces.hosts = [\"agents.acme.example\"]"),
        (
            "interfaces.hosts = [\"*source\", \"*.acme.example\"]",
            "interfaces.hosts = [\"*source\"]",
            "interfaces.hosts = [\"*source\", \"a.example\"]",
        ),
        (
            "interfaces.hosts = [\"*.acme.example\"]",
            "interfaces.hosts = [\"a.acme.example\"]",
            "interfaces.hosts = [\"**.acme.example\"]",
        ),
        ("interfaces.hosts = [\"agents.acme.example\"]", "interfaces.hosts = [\"agents.acme.example\"]", ""),
        ("interfaces.paths = [\"/a/\"]", "interfaces.paths = [\"/a/b\"]", "interfaces.paths = [\"/ab\"]"),
        (
            "interfaces.versions = [\">=1.0, <2.0\"]",
            "interfaces.versions = [\"1.1\"]",
            "interfaces.versions = [\">=1.0\"]",
        ),
        (
            "",
            "interfaces.bindings = [\"GRPC\"]",
            "interfaces.bindings = [\"GRPC\", \"https://example.com/b\"]",
        ),
        ("", "interfaces.query = \"deny\"", "interfaces.query = \"allow\""),
        ("", "interfaces.allow-loopback = false", "interfaces.allow-loopback = true"),
        (
            "interfaces.networks = [\"10.0.0.0/8\"]",
            "interfaces.networks = [\"10.1.0.0/16\"]",
            "interfaces.networks = [\"10.0.0.0/7\"]",
        ),
        ("", "interfaces.any-host = false", "interfaces.any-host = true"),
        ("interfaces.other = \"deny-card\"", "interfaces.other = \"deny-card\"", ""),
        ("", "auth.anonymous = \"deny\"", "auth.anonymous = \"allow\""),
        ("auth.schemes = [\"mtls\", \"openid\"]", "auth.schemes = [\"mtls\"]", ""),
        (
            "auth.hosts = [\"*.acme.example\"]",
            "auth.hosts = [\"a.acme.example\"]",
            "auth.hosts = [\"b.example\"]",
        ),
        (
            "pin = { text = \"deny\" }",
            "pin = { text = \"deny\", first-use = \"review\" }",
            "pin = { text = \"report\" }",
        ),
        ("pin = {}", "pin = {}", ""),
        ("cache.max-ttl = \"1m\"", "cache.max-ttl = \"59s\"", ""),
        ("", "\n[defaults]\nclock-skew = \"59s\"", "\n[defaults]\nclock-skew = \"61s\""),
        ("", "\n[defaults]\nmax-card = \"128KiB\"", "\n[defaults]\nmax-card = \"257KiB\""),
        ("", "\n[fetch]\ntimeout = \"4s\"", "\n[fetch]\ntimeout = \"6s\""),
        ("", "\n[fetch]\nredirects = 0", "\n[fetch]\nredirects = 1"),
        (
            "",
            "\n[fetch]\ncontent-types = [\"application/json\"]",
            "\n[fetch]\ncontent-types = [\"text/html\"]",
        ),
        ("", "\n[fetch]\nnetworks = [\"10.1.0.0/16\"]", "\n[fetch]\nnetworks = [\"192.168.0.0/16\"]"),
    ] {
        let base = format!("{}\n{strict}", base(of_base));
        if let Err(faults) = load(&base, &child(tighter)) {
            panic!("{tighter}: {faults:?}");
        }
        let faults = load(&base, &child(looser)).unwrap_err();
        assert!(
            faults.iter().all(|fault| fault.code.name() == "policy.extends-loosened"),
            "{looser} {faults:?}"
        );
        assert_eq!(faults[0].related[0].0.file.as_ref(), "base.toml", "{looser}");
        assert_eq!(faults[0].place.as_ref().unwrap().file.as_ref(), "policy.toml", "{looser}");
    }
}

#[test]
fn a_base_without_rules_is_a_floor_by_its_defaults() {
    let base = "schema = 1\n[defaults.interfaces]\nother = \"deny-card\"\n".to_owned()
        + &format!("[[key]]\nid = \"k\"\n{KEY}\n");
    assert!(load(&base, &child("")).is_ok());
    assert_eq!(codes(&base, &child("interfaces.other = \"drop\"")), ["policy.extends-loosened"]);
}

#[test]
fn the_more_specific_rule_of_the_base_is_the_floor_of_its_sources() {
    let base = base("\n[[allow]]\nid = \"wide\"\nfrom = [\"**.acme.example\"]\nauth.anonymous = \"deny\"")
        .replace("origins    = [", "origins = [\"**.acme.example\", ");
    // The exact rule decides about its source, though the wide one is stricter.
    assert!(load(&base, &child("")).is_ok());
    let wide = child("").replace("agents.acme.example", "**.acme.example");
    assert_eq!(codes(&base, &wide), ["policy.extends-loosened"]);
    assert!(load(&base, &wide.replace("id = \"mine\"", "id = \"mine\"\nauth.anonymous = \"deny\"")).is_ok());
}

#[test]
fn an_exception_of_a_child_loosens() {
    let exception = "[[exception]]\nid = \"EX-1\"\nrule = \"mine\"\norigin = \"https://agents.acme.example\"\nwaives = [\"iface.version-not-allowed\"]\nreason = \"r\"\nowner = \"o\"\nuntil = 2026-12-31";
    assert_eq!(codes(&base(""), &child(exception)), ["policy.extends-loosened"]);
    let of_base = base(&exception.replace("\"mine\"", "\"acme\""));
    assert_eq!(load(&of_base, CHILD).unwrap().exceptions().len(), 1);
    assert_eq!(load(&of_base, &child("")).unwrap().exceptions().len(), 0);
}

#[test]
fn what_a_base_leaves_out_binds_nobody_but_for_mode_and_level() {
    let base =
        format!("schema = 1\n[defaults.interfaces]\nversions = [\"1.0\"]\n[[key]]\nid = \"k\"\n{KEY}\n");
    // The base says nothing about hosts.
    load(&base, &child("interfaces.hosts = [\"b.example.com\"]\nauth.hosts = [\"login.example.com\"]"))
        .unwrap();
    for looser in [
        "interfaces.versions = [\"0.3\", \"1.0\"]",
        "mode = { audit = true, reason = \"r\", until = 2099-12-31 }",
        "signatures = { level = \"off\", reason = \"r\", until = 2099-12-31 }",
    ] {
        assert_eq!(codes(&base, &child(looser)), ["policy.extends-loosened"], "{looser}");
    }
}

#[test]
fn a_private_key_in_a_file_that_is_not_read_further_is_not_kept() {
    let text =
        "schema = 1\n[[key]]\nid = \"k\"\norigin = [\"a\"]\njwk = { kty = \"EC\", d = \"c2VjcmV0\" }\n";
    let error = Texts::default().with("policy.toml", text).load("policy.toml").unwrap_err();
    assert_eq!(error.faults[0].code.name(), "policy.unknown-field");
    assert!(error.files.iter().all(|file| !file.text.contains("c2VjcmV0")));
}

#[test]
fn a_file_between_loosens_nothing_for_those_below_it() {
    let base = "schema = 1\n[defaults.signatures]\nlevel = \"require\"\n[defaults.interfaces]\nhosts = [\"*source\"]\n";
    let middle = |defaults: &str| format!("schema = 1\nextends = {{ path = \"base.toml\" }}\n{defaults}\n");
    let leaf = format!(
        "schema = 1\nextends = {{ path = \"middle.toml\" }}\n[[key]]\nid = \"k\"\n{KEY}\n[[allow]]\nid = \"a\"\nfrom = [\"agents.acme.example\"]\n"
    );
    let load = |defaults: &str| {
        let files = Texts::default().with("base.toml", base).with("middle.toml", &middle(defaults));
        files.with("policy.toml", &leaf).load("policy.toml").map(drop).map_err(|error| error.faults)
    };
    load("[defaults.interfaces]\nversions = [\"1.0\"]").unwrap();
    for looser in [
        "[defaults]\nmode = { audit = true, reason = \"r\", until = 2099-12-31 }",
        "[defaults.signatures]\nlevel = \"off\"\nreason = \"r\"\nuntil = 2099-12-31",
        "[defaults.interfaces]\nhosts = [\"evil.example\"]",
        "[defaults.interfaces]\nany-host = { reason = \"r\", until = 2099-12-31 }",
        "[defaults.interfaces]\nnetworks = [\"10.0.0.0/8\"]",
        "[defaults.interfaces]\nschemes = [\"http\", \"https\"]",
        "[defaults.interfaces]\nallow-loopback = true",
    ] {
        let faults = load(looser).unwrap_err();
        assert!(faults.iter().all(|fault| fault.code.name() == "policy.extends-loosened"), "{looser}");
    }
}

#[test]
fn a_child_adds_no_key_for_the_sources_of_the_base() {
    let other =
        "jwk = { kty = \"OKP\", crv = \"Ed25519\", x = \"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\" }";
    let key = |origin: &str| format!("{CHILD}[[key]]\nid = \"mine\"\n{other}\norigins = [\"{origin}\"]\n");
    load(&base(""), &key("agents.partner.example")).unwrap();
    assert_eq!(codes(&base(""), &key("agents.acme.example")), ["policy.extends-loosened"]);
    assert_eq!(codes(&base(""), &key("**.acme.example")), ["policy.extends-loosened"]);
}

#[test]
fn an_exception_of_a_base_is_for_the_rule_of_the_base_only() {
    let exception = "[[exception]]\nid = \"e\"\nrule = \"acme\"\norigin = \"https://agents.acme.example\"\n\
                     waives = [\"iface.off-origin\"]\nreason = \"r\"\nowner = \"o\"\nuntil = 2099-12-31\n";
    let base = base(exception);
    assert_eq!(load(&base, CHILD).unwrap().exceptions().len(), 1);
    let namesake = format!("{CHILD}[[allow]]\nid = \"acme\"\nfrom = [\"agents.acme.example\"]\n");
    assert_eq!(load(&base, &namesake).unwrap().exceptions().len(), 0);
}
