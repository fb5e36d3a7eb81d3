//! Host patterns: what they match, what they do not, and which are refused.
#![expect(clippy::panic, reason = "a failed expectation must stop the test")]

use countersign_policy::{
    AllowPattern, DenyPattern, Host, LoopbackNames, Mismatch, Network, PatternError, StrictUrl, UrlUse,
};

fn allow(text: &str) -> AllowPattern {
    AllowPattern::read(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn url(text: &str) -> StrictUrl {
    let url_use = if text.contains("://") { UrlUse::Interface } else { UrlUse::GrpcInterface };
    StrictUrl::read(text, url_use).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn matches(pattern: &str, text: &str) -> Result<(), Mismatch> {
    allow(pattern).matches(&url(text), LoopbackNames::Refused)
}

fn refusal(text: &str) -> &'static str {
    match AllowPattern::read(text) {
        Ok(pattern) => panic!("{text:?} was read as {pattern}"),
        Err(error) => error.code().name(),
    }
}

#[test]
fn a_pattern_matches_its_url_and_a_mismatch_says_why_not() {
    for (pattern, good, bad, message) in [
        (
            "a.example.com",
            "https://A.example.com:443/x",
            "https://b.example.com/",
            "`b.example.com` is another host",
        ),
        (
            "*.example.com",
            "https://a.example.com",
            "https://example.com",
            "a wildcard never matches `example.com` itself, list it too",
        ),
        (
            "*.example.com",
            "https://a.example.com",
            "https://a.b.c.example.com",
            "3 labels stand before `example.com`, `*.` allows 1 and `**.` any number",
        ),
        (
            "**.example.com",
            "https://a.b.example.com",
            "https://aexample.com",
            "`aexample.com` is another host",
        ),
        ("**.example.com", "https://a.example.com", "https://192.0.2.7", "`192.0.2.7` is another host"),
        ("https://a.example", "a.example:443", "a.example:444", "the port is 444, the pattern allows 443"),
        (
            "a.example",
            "https://a.example",
            "http://a.example",
            "the scheme is http, the pattern allows https",
        ),
        (
            "ws://a.example",
            "ws://a.example:80",
            "a.example:80",
            "the scheme is `host:port`, the pattern allows ws",
        ),
        (
            "a.example:8443",
            "https://a.example:8443",
            "https://a.example",
            "the port is 443, the pattern allows 8443",
        ),
        (
            "http://a.example:443",
            "http://a.example:443",
            "http://a.example",
            "the port is 80, the pattern allows 443",
        ),
        (
            "a.example:*/x/",
            "https://a.example:1/x/y",
            "https://a.example/x",
            "the path is `/x`, the pattern allows `/x/` and what is below",
        ),
        (
            "a.example/x",
            "https://a.example/x",
            "https://a.example/x/",
            "the path is `/x/`, the pattern allows `/x` only",
        ),
        ("a.example/", "https://a.example", "https://b.example", "`b.example` is another host"),
        (
            "[2001:db8::1]",
            "https://[2001:db8::1]",
            "https://[2001:db8::2]",
            "`[2001:db8::2]` is another host",
        ),
        (
            "b\u{fc}cher.example",
            "https://xn--bcher-kva.example",
            "https://bucher.example",
            "`bucher.example` is another host",
        ),
    ] {
        assert_eq!(matches(pattern, good), Ok(()), "{pattern} {good}");
        match matches(pattern, bad) {
            Ok(()) => panic!("{pattern} matches {bad}"),
            Err(mismatch) => assert_eq!(mismatch.to_string(), message, "{pattern} {bad}"),
        }
    }
}

#[test]
fn localhost_is_matched_only_where_loopback_is_allowed() {
    for (pattern, text) in [
        ("localhost", "https://localhost"),
        ("*.localhost", "https://a.localhost"),
        ("http://localhost:*", "http://localhost:8080"),
    ] {
        let refused = allow(pattern).matches(&url(text), LoopbackNames::Refused);
        assert!(matches!(refused, Err(Mismatch::Loopback { .. })), "{pattern}: {refused:?}");
        assert_eq!(allow(pattern).matches(&url(text), LoopbackNames::Allowed), Ok(()), "{pattern}");
        assert!(allow(pattern).matches(&url("https://localhost.example"), LoopbackNames::Allowed).is_err());
    }
    // An address is named exactly, so it was meant.
    assert_eq!(matches("127.0.0.1", "https://127.0.0.1"), Ok(()));
}

#[test]
fn a_pattern_that_is_half_understood_is_refused() {
    for (text, code) in [
        ("", "url.empty-host"),
        ("*", "policy.host-any"),
        ("**", "policy.host-any"),
        ("*:8443", "policy.host-any"),
        ("https://*", "policy.host-any"),
        ("***.example.com", "policy.wildcard-position"),
        ("**.*.example.com", "policy.wildcard-position"),
        ("*.192.0.2.7", "policy.wildcard-position"),
        ("a.**.example.com", "policy.wildcard-position"),
        ("*.", "url.empty-host"),
        ("**.example.com.", "url.host-trailing-dot"),
        ("a..example.com", "url.host-empty-label"),
        ("127.1", "url.ip-noncanonical"),
        ("[::ffff:1.2.3.4]", "url.ip-embedded-v4"),
        ("[2001:db8::1", "policy.pattern-syntax"),
        ("a_b.example.com", "url.host-non-ldh"),
        ("example.com:0", "policy.pattern-syntax"),
        ("example.com:", "policy.pattern-syntax"),
        ("example.com:0443", "policy.pattern-syntax"),
        ("example.com:65536", "policy.pattern-syntax"),
        ("example.com:44*", "policy.pattern-syntax"),
        ("ftp://example.com", "policy.pattern-syntax"),
        ("grpc://example.com:443", "policy.pattern-syntax"),
        ("user@example.com", "policy.pattern-syntax"),
        ("!example.com", "policy.pattern-syntax"),
        (" example.com", "policy.pattern-syntax"),
        ("example.com/a?b", "policy.pattern-syntax"),
        ("example.com/a/*", "policy.pattern-syntax"),
        ("example.com/\u{e9}", "policy.pattern-syntax"),
        ("example.com/a/../b", "url.path-dot-segment"),
        ("example.com//", "url.path-empty-segment"),
        ("example.com/%2f", "url.path-encoded-delimiter"),
        // Full-width letters and the ideographic full stop would become other labels.
        ("\u{ff45}xample.com", "policy.pattern-syntax"),
        ("a\u{3002}b.example.com", "policy.pattern-syntax"),
        ("a\u{200b}.example.com", "policy.pattern-syntax"),
    ] {
        assert_eq!(refusal(text), code, "{text:?}");
    }
}

#[test]
fn a_wildcard_that_strangers_can_get_under_is_refused_and_the_one_below_is_not() {
    for (base, code) in [
        // Public suffixes, of registries and of hosters.
        ("com", "policy.public-suffix-wildcard"),
        ("co.uk", "policy.public-suffix-wildcard"),
        ("x.kawasaki.jp", "policy.public-suffix-wildcard"),
        ("xn--55qx5d.cn", "policy.public-suffix-wildcard"),
        ("workers.dev", "policy.public-suffix-wildcard"),
        ("execute-api.us-east-1.amazonaws.com", "policy.public-suffix-wildcard"),
        // A suffix lies below, at any depth.
        ("kawasaki.jp", "policy.public-suffix-wildcard"),
        ("run.app", "policy.public-suffix-wildcard"),
        ("amazonaws.com", "policy.public-suffix-wildcard"),
        ("us-east-1.amazonaws.com", "policy.public-suffix-wildcard"),
        ("on.aws", "policy.public-suffix-wildcard"),
        ("railway.app", "policy.public-suffix-wildcard"),
        // A label alone, known or not.
        ("internal", "policy.public-suffix-wildcard"),
        ("corp", "policy.public-suffix-wildcard"),
        // The table of this package; a region belongs to nobody.
        ("azurecontainerapps.io", "policy.shared-hosting-wildcard"),
        ("westeurope.azurecontainerapps.io", "policy.shared-hosting-wildcard"),
        ("cloudapp.azure.com", "policy.shared-hosting-wildcard"),
        ("azure.com", "policy.shared-hosting-wildcard"),
    ] {
        for wildcard in ["*", "**"] {
            assert_eq!(refusal(&format!("{wildcard}.{base}")), code, "{wildcard}.{base}");
            // A deny may be as wide as that.
            assert!(DenyPattern::read(&format!("{wildcard}.{base}")).is_ok(), "{wildcard}.{base}");
        }
        allow(&format!("host.{base}"));
    }
    for good in [
        "*.example.com",
        "**.acme.github.io",
        "*.acme.co.uk",
        "*.city.kawasaki.jp",
        "*.acme.a.run.app",
        "*.foo.amazonaws.com",
        "*.acme.internal",
        "*.happyhill-1.westeurope.azurecontainerapps.io",
        "*.myazure.com",
        "*.localhost",
    ] {
        allow(good);
    }
}

#[test]
fn a_deny_reads_wider_than_an_allow() {
    let deny = |text: &str| DenyPattern::read(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    for (pattern, host, denied) in [
        ("evil.example", "evil.example", true),
        ("evil.example", "a.evil.example", false),
        ("**.evil.example", "evil.example", true),
        ("**.evil.example", "a.b.evil.example", true),
        ("**.evil.example", "notevil.example", false),
        ("*.evil.example", "a.evil.example", true),
        ("*.evil.example", "evil.example", false),
        ("**.github.io", "acme.github.io", true),
        ("https://evil.example:8443", "evil.example", true),
        ("192.0.2.7", "192.0.2.7", true),
        ("**.example", "192.0.2.7", false),
        ("**.example", "a.b.example", true),
    ] {
        let host = Host::read(host).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(deny(pattern).denies(&host), denied, "{pattern} {host}");
    }
    assert_eq!(deny("https://EVIL.example:8443").to_string(), "evil.example");
    assert_eq!(
        DenyPattern::read("evil.example/admin"),
        Err(PatternError::DenyPath { path: "/admin".to_owned() })
    );
    assert!(matches!(DenyPattern::read("**"), Err(PatternError::HostAny { .. })));
}

#[test]
fn the_narrower_pattern_is_the_more_specific_one() {
    let from_narrow_to_wide = [
        "a.b.example.com:8443/x/",
        "a.b.example.com:8443",
        "a.b.example.com/x/yz",
        "a.b.example.com/x/",
        "a.b.example.com",
        "a.b.example.com:*/x/yz",
        "a.b.example.com:*",
        "b.example.com:8443/x/",
        "*.b.example.com:8443",
        "*.b.example.com",
        "*.example.com:8443/x",
        "**.b.example.com",
        "**.example.com:8443",
        "**.example.com:*",
    ];
    for pair in from_narrow_to_wide.windows(2) {
        let [narrow, wide] = pair else { panic!("two at a time") };
        assert!(allow(narrow).specificity() > allow(wide).specificity(), "{narrow} {wide}");
    }
    // The default port is the default port, written or not.
    assert_eq!(allow("a.example:443").specificity(), allow("A.example").specificity());
}

#[test]
fn the_text_of_a_pattern_is_canonical_and_reads_back_as_it() {
    for (text, canonical) in [
        ("HTTPS://*.Example.COM:443/A/", "*.example.com/A/"),
        ("http://a.example:80", "http://a.example"),
        ("ws://a.example:443", "ws://a.example:443"),
        ("**.b\u{dc}cher.example:*", "**.xn--bcher-kva.example:*"),
        ("[2001:db8::1]:50051", "[2001:db8::1]:50051"),
    ] {
        assert_eq!(allow(text).to_string(), canonical);
        assert_eq!(allow(canonical), allow(text));
    }
}

#[test]
fn a_network_holds_the_addresses_of_its_prefix() {
    for (network, inside, outside) in [
        ("10.20.0.0/16", ["10.20.0.0", "10.20.255.255"], ["10.19.255.255", "10.21.0.0"]),
        ("192.0.2.7/32", ["192.0.2.7", "192.0.2.7"], ["192.0.2.6", "192.0.2.8"]),
        ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255"], ["::", "::ffff:1.2.3.4"]),
        ("2001:db8::/32", ["2001:db8::", "2001:db8:ffff::1"], ["2001:db7:ffff::", "2001:db9::"]),
        ("::/0", ["::1", "ffff::"], ["0.0.0.0", "10.0.0.1"]),
        ("::1/128", ["::1", "::1"], ["::", "::2"]),
    ] {
        let read = Network::read(network).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(read.to_string(), network);
        for (address, expected) in
            inside.map(|text| (text, true)).into_iter().chain(outside.map(|text| (text, false)))
        {
            let address = address.parse().unwrap_or_else(|error| panic!("{address}: {error}"));
            assert_eq!(read.matches(address).is_ok(), expected, "{network} {address}");
        }
    }
    for text in [
        "",
        "10.0.0.0",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.1/8",
        "10.0.0.0/08",
        "10.0.0.0/+8",
        "10.0.0.0/8/8",
        "10.0/8",
        "2001:DB8::/32",
        "2001:db8::/129",
        "2001:db8::1/64",
        "[2001:db8::]/32",
        "a.example/8",
    ] {
        let error = Network::read(text);
        assert_eq!(error.map_err(|error| error.code().name()), Err("policy.network-syntax"), "{text:?}");
    }
}

#[test]
fn the_public_suffix_list_is_the_one_that_is_built_in() {
    let lock = include_str!("../../Cargo.lock");
    let (name, version) = countersign_policy::PUBLIC_SUFFIX_LIST.split_once(' ').unwrap();
    assert!(lock.contains(&format!("name = \"{name}\"\nversion = \"{version}\"")));
}

#[test]
fn an_exact_host_is_narrower_than_one_label_and_one_label_than_any_depth() {
    let specificity = |pattern| AllowPattern::read(pattern).unwrap().specificity();
    let from_wide_to_narrow = [
        "**.example.com",
        "**.b.example.com",
        "*.example.com",
        "*.b.example.com",
        "example.com:*",
        "example.com",
        "example.com:8443",
        "a.example.com",
        "a.example.com/a2a/",
    ];
    for (wide, narrow) in from_wide_to_narrow.iter().zip(from_wide_to_narrow.iter().skip(1)) {
        assert!(specificity(wide) < specificity(narrow), "{wide} {narrow}");
    }
}
