//! The URL profile: for every rule a text that keeps it and one that breaks it.
#![expect(clippy::panic, reason = "a failed expectation must stop the test")]

use std::collections::{BTreeSet, HashSet};

use countersign_policy::{AddressClass, Host, Scheme, Spelling, StrictUrl, UrlUse, codes};

fn interface(text: &str) -> StrictUrl {
    StrictUrl::read(text, UrlUse::Interface).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn refusal(text: &str, url_use: UrlUse) -> (&'static str, usize) {
    match StrictUrl::read(text, url_use) {
        Ok(url) => panic!("{text:?} was read as {url:?}"),
        Err(error) => (error.code().name(), error.offset()),
    }
}

/// Each row: the code, where the fault is, the text that breaks the rule, its neighbour that does not.
const RULES: &[(&str, usize, &str, &str)] = &[
    ("url.empty", 0, "", "https://a"),
    ("url.control-or-space", 9, "https://a\u{1}", "https://a"),
    ("url.control-or-space", 11, "https://a/b c", "https://a/b%20c"),
    ("url.non-ascii", 10, "https://a/é", "https://a/%C3%A9"),
    ("url.non-ascii", 9, "https://b\u{fc}cher.example", "https://xn--bcher-kva.example"),
    ("url.backslash", 9, "https://a\\b", "https://a/b"),
    ("url.not-absolute", 0, "https:/a", "https://a"),
    ("url.not-absolute", 0, "://a", "https://a"),
    ("url.not-absolute", 0, "/a?u=https://b", "https://b"),
    ("url.scheme-unsupported", 0, "ftp://a/", "ws://a/"),
    ("url.scheme-unsupported", 0, "httpss://a/", "https://a/"),
    ("url.forbidden-char", 10, "https://a/{b}", "https://a/b"),
    ("url.forbidden-char", 10, "https://a/[b]", "https://[2001:db8::1]/b"),
    ("url.forbidden-char", 8, "https://<a>/", "https://a/"),
    ("url.userinfo", 9, "https://a@b/", "https://a/@b"),
    ("url.userinfo", 8, "https://@a/", "https://a/@"),
    ("url.userinfo", 11, "https://a@b@c/", "https://a/b@c"),
    ("url.bad-authority", 8, "https://2001:db8::1/", "https://[2001:db8::1]/"),
    ("url.bad-authority", 8, "https://[2001:db8::1/", "https://[2001:db8::1]/"),
    ("url.bad-authority", 8, "https://[2001:db8::1]x/", "https://[2001:db8::1]:1/"),
    ("url.bad-authority", 8, "https://a[b]/", "https://a.b/"),
    ("url.bad-authority", 9, "https://[a.b]/", "https://a.b/"),
    ("url.bad-authority", 9, "https://[v1.a]/", "https://v1.a/"),
    ("url.empty-host", 8, "https:///a", "https://a"),
    ("url.empty-host", 8, "https://:443/", "https://a:443/"),
    ("url.host-percent-encoded", 9, "https://a%2eb/", "https://a.b/"),
    ("url.host-trailing-dot", 9, "https://a./", "https://a/"),
    ("url.host-empty-label", 10, "https://a..b/", "https://a.b/"),
    ("url.host-empty-label", 8, "https://.a/", "https://a/"),
    ("url.host-non-ldh", 10, "https://a.b_c/", "https://a.b-c/"),
    ("url.host-non-ldh", 8, "https://a-.b/", "https://a-a.b/"),
    ("url.host-bad-alabel", 8, "https://xn--example-.org/", "https://example.org/"),
    ("url.host-bad-alabel", 10, "https://a.xn--a/", "https://a.xn--bcher-kva/"),
    // Ä, a combining accent and a full-width letter: an A-label stands for what folding and normalization leave.
    ("url.host-bad-alabel", 8, "https://xn--cher-zja.example/", "https://xn--cher-koa.example/"),
    ("url.host-bad-alabel", 8, "https://xn--ea-8tb.example/", "https://xn--a-9fa.example/"),
    ("url.host-bad-alabel", 8, "https://xn--a-6q0i.example/", "https://xn--strae-oqa.example/"),
    // A label from right to left and one that starts with a digit (RFC 5893 section 2).
    ("url.host-bad-alabel", 11, "https://1a.xn--4db/", "https://a1.xn--4db/"),
    ("url.ip-noncanonical", 8, "https://0177.0.0.1/", "https://177.0.0.1/"),
    ("url.ip-noncanonical", 8, "https://1.2.3/", "https://1.2.3.4/"),
    ("url.ip-noncanonical", 8, "https://1.2.3.256/", "https://1.2.3.255/"),
    ("url.ip-noncanonical", 8, "https://a.0X7f/", "https://a.x7f/"),
    ("url.ip-noncanonical", 9, "https://[2001:DB8::1]/", "https://[2001:db8::1]/"),
    ("url.ip-noncanonical", 9, "https://[2001:db8:0:0:1:0:0:0]/", "https://[2001:db8:0:0:1::]/"),
    ("url.ip-noncanonical", 9, "https://[2001:db8::1:1:1:1:1]/", "https://[2001:db8:0:1:1:1:1:1]/"),
    ("url.ipv6-zone", 16, "https://[fe80::1%25eth0]/", "https://[fe80::1]/"),
    ("url.ip-embedded-v4", 9, "https://[::ffff:8.8.8.8]/", "https://8.8.8.8/"),
    ("url.ip-embedded-v4", 9, "https://[2002:7f00:1::]/", "https://[2003:7f00:1::]/"),
    ("url.port-invalid", 10, "https://a:/", "https://a/"),
    ("url.port-invalid", 10, "https://a:0/", "https://a:1/"),
    ("url.port-invalid", 10, "https://a:65536/", "https://a:65535/"),
    ("url.port-invalid", 10, "https://a:080/", "https://a:80/"),
    ("url.port-invalid", 10, "https://a:+80/", "https://a:80/"),
    ("url.path-bad-escape", 11, "https://a/b%2", "https://a/b%2a"),
    ("url.path-bad-escape", 11, "https://a/b%2/c", "https://a/b%2a/c"),
    ("url.path-encoded-delimiter", 11, "https://a/b%2Fc", "https://a/b/c"),
    ("url.path-encoded-delimiter", 11, "https://a/b%5c", "https://a/b%5d"),
    ("url.path-encoded-delimiter", 11, "https://a/b%00", "https://a/b%01"),
    ("url.path-dot-segment", 10, "https://a/./b", "https://a/.b"),
    ("url.path-dot-segment", 12, "https://a/b/..", "https://a/b/..."),
    ("url.path-dot-segment", 10, "https://a/.%2E/b", "https://a/.%2Eb/c"),
    ("url.path-dot-segment", 10, "https://a/..;x/b", "https://a/b;../c"),
    ("url.path-dot-segment", 10, "https://a/%2e%3Bx", "https://a/%2ea%3Bx"),
    ("url.path-empty-segment", 10, "https://a//b", "https://a/b/"),
    ("url.path-empty-segment", 10, "https://a//", "https://a/"),
    ("url.query", 10, "https://a/?b", "https://a/b"),
    ("url.query", 9, "https://a?", "https://a"),
    ("url.fragment", 10, "https://a/#b", "https://a/b"),
    ("url.metadata-address", 8, "https://169.254.169.254/", "https://169.254.169.253/"),
    ("url.metadata-address", 8, "https://METADATA.google.internal/", "https://metadata.google.example/"),
];

#[test]
fn each_rule_refuses_its_text_and_not_the_neighbour() {
    for (code, offset, bad, good) in RULES {
        assert_eq!(refusal(bad, UrlUse::Interface), (*code, *offset), "{bad:?}");
        assert_eq!(interface(good).raw(), *good);
    }
}

#[test]
fn lengths_are_read_up_to_their_limits() {
    let with_path = |octets: usize| format!("https://a/{}", "b".repeat(octets - 10));
    assert_eq!(interface(&with_path(2048)).raw().len(), 2048);
    assert_eq!(refusal(&with_path(2049), UrlUse::Interface), ("url.too-long", 2048));

    let label = |octets: usize| format!("https://a.{}", "b".repeat(octets));
    interface(&label(63));
    assert_eq!(refusal(&label(64), UrlUse::Interface), ("url.host-too-long", 10));

    let host = |octets: usize| format!("https://{}", "a.".repeat(octets / 2) + "b");
    interface(&host(253));
    assert_eq!(refusal(&host(255), UrlUse::Interface), ("url.host-too-long", 8));
}

/// Each text breaks a rule and all that follow it; each fault is then taken away.
#[test]
fn the_first_fault_in_the_order_of_the_profile_is_told() {
    for (text, code) in [
        ("ftp:\\\u{e9} {@/..?#", "url.control-or-space"),
        ("ftp:\\\u{e9}{@/..?#", "url.non-ascii"),
        ("ftp:\\{@/..?#", "url.backslash"),
        ("ftp:{@/..?#", "url.not-absolute"),
        ("ftp://{@/..?#", "url.scheme-unsupported"),
        ("https://x@.{:0/..?#", "url.forbidden-char"),
        ("https://x@.:0/..?#", "url.userinfo"),
        ("https://.:0/..?#", "url.host-trailing-dot"),
        ("https://a:0/..?#", "url.port-invalid"),
        ("https://a/..?#", "url.path-dot-segment"),
        ("https://a/?#", "url.query"),
        ("https://metadata/#", "url.metadata-address"),
        ("https://metadata/", "url.metadata-address"),
    ] {
        assert_eq!(refusal(text, UrlUse::Interface).0, code, "{text:?}");
    }
}

#[test]
fn a_grpc_interface_is_host_and_port_or_a_url() {
    let read = |text| StrictUrl::read(text, UrlUse::GrpcInterface).unwrap();
    for (text, host, port) in [
        ("grpc.example.com:443", "grpc.example.com", 443),
        ("GRPC.example.com:50051", "grpc.example.com", 50051),
        ("192.0.2.7:1", "192.0.2.7", 1),
        ("[2001:db8::1]:65535", "[2001:db8::1]", 65535),
    ] {
        let url = read(text);
        assert_eq!((url.scheme(), url.port(), url.path()), (Scheme::HostPort, port, "/"), "{text}");
        assert_eq!(url.host().to_string(), host);
        // The address alone is no URL.
        assert_eq!(refusal(text, UrlUse::Interface), ("url.not-absolute", 0));
    }
    assert_eq!(read("https://grpc.example.com").scheme(), Scheme::Https);
    for (text, code, offset) in [
        ("grpc.example.com", "url.grpc-port-missing", 16),
        ("[2001:db8::1]", "url.grpc-port-missing", 13),
        ("grpc.example.com:", "url.port-invalid", 17),
        ("grpc.example.com:443/", "url.grpc-address-path", 20),
        ("grpc.example.com:443?x", "url.grpc-address-path", 20),
        ("grpc.example.com:443#x", "url.grpc-address-path", 20),
        ("grpc.example.com:443@evil.test:443", "url.userinfo", 20),
        ("2001:db8::1:443", "url.bad-authority", 0),
        ("dns:grpc.example.com:443", "url.grpc-target-scheme", 0),
        ("DNS:///grpc.example.com:443", "url.grpc-target-scheme", 0),
        ("dns:443", "url.grpc-target-scheme", 0),
        ("unix:agent.sock", "url.grpc-target-scheme", 0),
        ("other:/agent.sock", "url.grpc-target-scheme", 0),
        ("xds:///agent", "url.grpc-target-scheme", 0),
        ("grpc://grpc.example.com:443", "url.grpc-target-scheme", 0),
        ("https://grpc.example.com?x", "url.query", 24),
        ("169.254.169.254:80", "url.metadata-address", 0),
    ] {
        assert_eq!(refusal(text, UrlUse::GrpcInterface), (code, offset), "{text:?}");
    }
}

#[test]
fn query_and_fragment_are_there_where_the_use_allows_them() {
    let uses = [
        (UrlUse::Interface, false, false),
        (UrlUse::InterfaceWithQuery, true, false),
        (UrlUse::GrpcInterface, false, false),
        (UrlUse::Credential, true, false),
        (UrlUse::Information, true, true),
    ];
    for (url_use, query, fragment) in uses {
        assert_eq!(StrictUrl::read("https://a/b?c", url_use).is_ok(), query, "{url_use:?}");
        assert_eq!(StrictUrl::read("https://a/b#c", url_use).is_ok(), fragment, "{url_use:?}");
    }
    let url = StrictUrl::read("https://a/b?c=d?#e?", UrlUse::Information).unwrap();
    assert_eq!((url.path(), url.query(), url.fragment()), ("/b", Some("c=d?"), Some("e?")));
    assert_eq!(interface("https://a/b").query(), None);
}

#[test]
fn the_parts_are_those_of_the_text() {
    let url = interface("WSS://Agents.Example.COM:8443/A2A/v1");
    assert_eq!(url.raw(), "WSS://Agents.Example.COM:8443/A2A/v1");
    assert_eq!(url.to_string(), url.raw());
    assert_eq!(url.scheme(), Scheme::Wss);
    let labels: Vec<&str> = url.host().name().unwrap().labels().collect();
    assert_eq!(labels, ["agents", "example", "com"]);
    assert_eq!((url.explicit_port(), url.port(), url.path()), (Some(8443), 8443, "/A2A/v1"));
    for (text, port) in [("https://a", 443), ("http://a", 80), ("wss://a", 443), ("ws://a", 80)] {
        assert_eq!((interface(text).explicit_port(), interface(text).port()), (None, port), "{text}");
    }
    assert_eq!(interface("https://a").path(), "/");
    assert_eq!(interface("https://192.0.2.7").host().name(), None);
}

#[test]
fn case_and_a_default_port_make_no_other_url_and_the_rest_does() {
    let url = interface("https://a.example/b");
    for same in ["HTTPS://A.Example/b", "https://a.example:443/b"] {
        assert_eq!(interface(same), url, "{same}");
        assert_eq!(interface(same).canonical_text(), "https://a.example/b");
        let both = HashSet::from([interface(same), url.clone()]);
        assert_eq!(both.len(), 1, "{same}");
    }
    for other in [
        "http://a.example/b",
        "wss://a.example/b",
        "https://b.example/b",
        "https://a.example:444/b",
        "https://a.example/B",
        "https://a.example/b/",
        "https://a.example/%62",
    ] {
        assert_ne!(interface(other), url, "{other}");
    }
    assert_eq!(interface("https://a"), interface("https://a/"));
    // A client that appends a path to the URL must find the URL as it was.
    assert_eq!(interface("HTTPS://a").canonical_text(), "https://a");
    let address = StrictUrl::read("A:443", UrlUse::GrpcInterface).unwrap();
    assert_eq!(address.canonical_text(), "a:443");
    assert_ne!(address, interface("https://a:443"));
}

#[test]
fn spellings_are_told_that_a_fix_would_change() {
    let spellings =
        |text, url_use| -> Vec<Spelling> { StrictUrl::read(text, url_use).unwrap().spellings().collect() };
    for (text, expected) in [
        ("https://a.example:8443/B?C", vec![]),
        ("Https://a/", vec![Spelling::SchemeCase]),
        ("https://A/", vec![Spelling::HostCase]),
        ("ws://a:80/", vec![Spelling::DefaultPort]),
        ("ws://a:443/", vec![]),
        ("HTTP://A:80", vec![Spelling::SchemeCase, Spelling::HostCase, Spelling::DefaultPort]),
    ] {
        assert_eq!(spellings(text, UrlUse::InterfaceWithQuery), expected, "{text}");
    }
    assert_eq!(spellings("A:443", UrlUse::GrpcInterface), [Spelling::HostCase]);
    assert_eq!(spellings("a:443", UrlUse::GrpcInterface), []);
}

#[test]
fn an_origin_is_scheme_host_and_port() {
    for (text, origin) in [
        ("HTTPS://A.example:443/b", "https://a.example"),
        ("https://a.example:8443/b", "https://a.example:8443"),
        ("http://[2001:db8::1]:80", "http://[2001:db8::1]"),
        ("ws://192.0.2.7:443", "ws://192.0.2.7:443"),
    ] {
        assert_eq!(interface(text).origin().to_string(), origin);
    }
    let address = StrictUrl::read("a.example:443", UrlUse::GrpcInterface).unwrap();
    assert_eq!(address.origin(), interface("https://a.example").origin());
    assert_ne!(address.origin(), interface("http://a.example:443").origin());
}

#[test]
fn only_public_addresses_and_names_pass_without_an_exception() {
    for text in ["https://8.8.8.8", "https://172.32.0.1", "https://[2606:4700::1]", "https://a.internal"] {
        assert_eq!(interface(text).require_public(), Ok(()), "{text}");
        assert!(!interface(text).is_loopback());
    }
    for (text, class) in [
        ("https://127.0.0.1", AddressClass::Loopback),
        ("https://[::1]", AddressClass::Loopback),
        ("https://LOCALHOST", AddressClass::Loopback),
        ("https://app.localhost", AddressClass::Loopback),
        ("https://0.0.0.0", AddressClass::Unspecified),
        ("https://[::]", AddressClass::Unspecified),
        ("https://10.0.0.5", AddressClass::Private),
        ("https://[fc00::1]", AddressClass::Private),
        ("https://100.64.0.1", AddressClass::Shared),
        ("https://169.254.0.1", AddressClass::LinkLocal),
        ("https://[fe80::1]", AddressClass::LinkLocal),
        ("https://192.0.2.7", AddressClass::Documentation),
    ] {
        let url = interface(text);
        assert_eq!(url.address_class(), class, "{text}");
        assert_eq!(url.is_loopback(), class == AddressClass::Loopback);
        let error = url.require_public().unwrap_err();
        assert_eq!((error.code().name(), error.offset()), ("url.private-address", 8), "{text}");
    }
    for name in ["https://localhost.evil.test", "https://127.0.0.1.nip.test", "https://notlocalhost"] {
        assert_eq!(interface(name).address_class(), AddressClass::Name, "{name}");
    }
}

#[test]
fn a_host_is_read_alone_as_in_a_url() {
    for text in ["a.example", "A.Example", "192.0.2.7", "[2001:db8::1]"] {
        let alone = Host::read(text).unwrap();
        assert_eq!(&alone, interface(&format!("https://{text}/")).host(), "{text}");
        assert_eq!(Host::read(&alone.to_string()), Ok(alone));
    }
    for (text, code) in [
        ("", "url.empty-host"),
        ("a.", "url.host-trailing-dot"),
        ("a:443", "url.host-non-ldh"),
        ("a/b", "url.host-non-ldh"),
        ("b\u{fc}cher", "url.host-non-ldh"),
        ("127.1", "url.ip-noncanonical"),
        ("[::1", "url.bad-authority"),
        ("[::1]:443", "url.bad-authority"),
        ("::1", "url.host-non-ldh"),
        ("a\u{3002}b", "url.host-non-ldh"),
        ("xn--b\u{fc}cher", "url.host-bad-alabel"),
    ] {
        assert_eq!(Host::read(text).unwrap_err().code().name(), code, "{text:?}");
    }
}

#[test]
fn every_url_code_is_returned_by_something() {
    let mut seen: BTreeSet<&str> = RULES.iter().map(|(code, ..)| *code).collect();
    seen.extend([
        "url.too-long",
        "url.host-too-long",
        "url.grpc-port-missing",
        "url.grpc-address-path",
        "url.grpc-target-scheme",
        "url.private-address",
    ]);
    let declared: BTreeSet<&str> =
        codes::ALL.iter().map(|code| code.name()).filter(|name| name.starts_with("url.")).collect();
    assert_eq!(seen, declared);
}

#[test]
fn a_password_before_the_at_sign_is_never_shown() {
    let error = StrictUrl::read("https://user:secret@a.example/", UrlUse::Interface).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("secret"));
    assert_eq!(error.to_string(), "the URL has user information before the `@` at octet 19");
    let address = StrictUrl::read("user:secret@a.example:443", UrlUse::GrpcInterface).unwrap_err();
    assert!(!format!("{address} {address:?}").contains("secret"));
}

#[test]
fn an_error_says_what_was_found_what_was_expected_and_what_to_write() {
    for (text, message) in [
        ("https://[2001:DB8::1]/", "`2001:DB8::1` is not the text of an IP address, expected `2001:db8::1`"),
        ("https://127.1/", "`127.1` is not the text of an IP address"),
        ("https://a:0443/", "`0443` is not a port from 1 to 65535 without leading zeros"),
        ("https://exa\u{ad}mple/", "the URL holds U+00AD at octet 11, only ASCII is read"),
        ("https://::1/", "the authority of the URL has more than one colon outside brackets"),
    ] {
        let error = StrictUrl::read(text, UrlUse::Interface).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(error.help(), error.code().page().instead);
    }
}

#[test]
fn every_address_of_127_is_loopback() {
    for host in ["127.0.0.1", "127.0.0.2", "127.255.255.254"] {
        let url = StrictUrl::read(&format!("https://{host}/"), UrlUse::Interface).unwrap();
        assert!(url.is_loopback() && url.require_public().is_err(), "{host}");
    }
    assert!(!StrictUrl::read("https://128.0.0.1/", UrlUse::Interface).unwrap().is_loopback());
}
