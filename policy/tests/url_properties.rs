//! Rules that hold for every text, and the WHATWG parser of the `url` crate as an oracle.
//!
//! Where the oracle differs, by design: it accepts far more; it writes `/` for an empty path, leaves out a default port,
//! folds scheme and host, and escapes `'` in a query. Nothing else differs for a URL that is accepted here.

use countersign_policy::{AllowPattern, DenyPattern, Host, LoopbackNames, Scheme, StrictUrl, UrlUse};
use proptest::prelude::{
    Just, ProptestConfig, Strategy, TestCaseError, any, prop, prop_assert, prop_assert_eq, prop_oneof,
    proptest,
};
use proptest::sample::select;
use proptest::test_runner::RngSeed;

const USES: [UrlUse; 5] = [
    UrlUse::Interface,
    UrlUse::InterfaceWithQuery,
    UrlUse::GrpcInterface,
    UrlUse::Credential,
    UrlUse::Information,
];

fn config() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => config,
        None => ProptestConfig { cases: 256, rng_seed: RngSeed::Fixed(3986), ..config },
    }
}

/// Texts made of the pieces that parsers disagree about.
fn any_pieces() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "https",
        "HTTP",
        "wss",
        "://",
        ":",
        "/",
        "//",
        "?",
        "#",
        "@",
        "\\",
        "[",
        "]",
        "%",
        "%2e",
        "%2F",
        "%00",
        ".",
        "..",
        ";",
        "a",
        "B",
        "example",
        "xn--",
        "xn--bcher-kva",
        "xn--4db",
        "0",
        "1",
        "0x7f",
        "127.0.0.1",
        "::1",
        "2001:db8::1",
        "443",
        "80",
        "65536",
        "-",
        "_",
        "*",
        " ",
        "\t",
        "é",
        "\u{3002}",
        "'",
        "localhost",
        "metadata",
        "dns",
    ]);
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// Patterns that sometimes match [`any_url`], and pieces of patterns.
fn any_pattern() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        any_pieces(),
        any_host(),
        (
            select(vec!["*.", "**.", "http://", "http://**.", "ws://*."]),
            any_host(),
            select(vec!["", ":*", ":80", "/"])
        )
            .prop_map(|(before, host, after)| format!("{before}{host}{after}")),
    ]
}

fn any_host() -> impl Strategy<Value = String> {
    let label = "[a-zA-Z0-9]([a-zA-Z0-9-]{0,8}[a-zA-Z0-9])?";
    let unicode = prop::collection::vec(any::<char>(), 1..4).prop_map(|characters| {
        let label: String = characters.into_iter().collect();
        idna_label(&label)
    });
    prop_oneof![
        6 => prop::collection::vec(label.prop_map(String::from), 1..5).prop_map(|labels| labels.join(".")),
        2 => (unicode, label).prop_map(|(first, second)| format!("{first}.{second}")),
        1 => any::<[u8; 4]>().prop_map(|octets| std::net::Ipv4Addr::from(octets).to_string()),
        1 => any::<[u16; 8]>().prop_map(|segments| format!("[{}]", std::net::Ipv6Addr::from(segments))),
        1 => prop::array::uniform8(select(vec![0_u16, 1, 0xff, 0x2001]))
            .prop_map(|segments| format!("[{}]", std::net::Ipv6Addr::from(segments))),
    ]
}

/// A label as the oracle would write it, or the label itself.
fn idna_label(label: &str) -> String {
    let oracle = url::Url::parse(&format!("https://{label}/"));
    oracle.ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(|| label.to_owned())
}

/// Texts most of which are accepted.
fn any_url() -> impl Strategy<Value = String> {
    (
        select(vec!["https", "http", "wss", "ws", "HTTPS", "Ws"]),
        any_host(),
        prop_oneof![3 => Just(None), 1 => any::<u16>().prop_map(Some), 1 => select(vec![80, 443]).prop_map(Some)],
        "(/[a-zA-Z0-9._~!$&'()*+,;=:@-]{0,6}|/%[0-9a-fA-F]{2}){0,4}/?",
        prop::option::of("[!$&-;=?-Z_a-z~%]{0,8}"),
        prop::option::of("[!$&-;=?-Z_a-z~%]{0,8}"),
    )
        .prop_map(|(scheme, host, port, path, query, fragment)| {
            let port = port.map(|port: u16| format!(":{port}")).unwrap_or_default();
            let query = query.map(|query| format!("?{query}")).unwrap_or_default();
            let fragment = fragment.map(|fragment| format!("#{fragment}")).unwrap_or_default();
            format!("{scheme}://{host}{port}{path}{query}{fragment}")
        })
}

/// What holds for every text under every use.
fn holds(text: &str) -> Result<(), TestCaseError> {
    for url_use in USES {
        match StrictUrl::read(text, url_use) {
            Ok(url) => accepted(&url, text, url_use)?,
            Err(error) => {
                prop_assert!(error.offset() <= text.len(), "{error:?}");
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }
    Ok(())
}

fn accepted(url: &StrictUrl, text: &str, url_use: UrlUse) -> Result<(), TestCaseError> {
    prop_assert_eq!(url.raw(), text);
    let canonical = StrictUrl::read(&url.canonical_text(), url_use)
        .map_err(|error| TestCaseError::fail(format!("{text:?}: {error}")))?;
    prop_assert_eq!(&canonical, url);
    prop_assert_eq!(canonical.canonical_text(), url.canonical_text());
    prop_assert_eq!(canonical.spellings().count(), 0);
    prop_assert_eq!(url.canonical_text() == text, url.spellings().next().is_none());
    prop_assert_eq!(Host::read(&url.host().to_string()), Ok(url.host().clone()));
    agrees_with_whatwg(url)
}

fn agrees_with_whatwg(url: &StrictUrl) -> Result<(), TestCaseError> {
    // A gRPC address has no WHATWG reading; its host and port do.
    let before = if url.scheme() == Scheme::HostPort { "https://" } else { "" };
    let text = format!("{before}{}", url.raw());
    let oracle = url::Url::parse(&text).map_err(|error| TestCaseError::fail(format!("{text:?}: {error}")))?;
    prop_assert_eq!(oracle.scheme(), url.scheme().name().unwrap_or("https"));
    prop_assert_eq!(oracle.host_str().map(str::to_owned), Some(url.host().to_string()));
    prop_assert_eq!(oracle.port_or_known_default(), Some(url.port()));
    prop_assert_eq!(oracle.path(), url.path());
    prop_assert_eq!(oracle.query().map(str::to_owned), url.query().map(|query| query.replace('\'', "%27")));
    prop_assert_eq!(oracle.fragment(), url.fragment());
    prop_assert_eq!((oracle.username(), oracle.password()), ("", None));
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        holds(&text)?;
    }

    #[test]
    fn pieces_in_any_order_are_read_as_whatwg_reads_them_or_refused(text in any_pieces()) {
        holds(&text)?;
        holds(&format!("https://{text}"))?;
    }

    #[test]
    fn what_is_accepted_is_what_whatwg_reads(text in any_url()) {
        holds(&text)?;
    }

    #[test]
    fn a_pattern_reads_back_from_its_text_and_a_deny_covers_what_it_allows(pattern in any_pattern(), text in any_url()) {
        let Ok(allow) = AllowPattern::read(&pattern) else { return Ok(()) };
        prop_assert_eq!(AllowPattern::read(&allow.to_string()), Ok(allow.clone()));
        let Ok(url) = StrictUrl::read(&text, UrlUse::Information) else { return Ok(()) };
        if allow.matches(&url, LoopbackNames::Allowed).is_ok()
            && let Ok(deny) = DenyPattern::read(&pattern)
        {
            prop_assert!(deny.denies(url.host()), "{pattern} {text}");
        }
    }

    #[test]
    fn the_text_of_a_url_is_a_pattern_that_matches_it(text in any_url()) {
        let Ok(url) = StrictUrl::read(&text, UrlUse::Interface) else { return Ok(()) };
        if let Ok(allow) = AllowPattern::read(&text) {
            prop_assert_eq!(allow.matches(&url, LoopbackNames::Allowed), Ok(()));
            prop_assert_eq!(allow.exact_host(), Some(url.host()));
        }
    }

    #[test]
    fn a_host_is_folded_and_never_otherwise_changed(host in any_host()) {
        if let Ok(read) = Host::read(&host) {
            prop_assert_eq!(read.to_string(), host.to_ascii_lowercase());
        }
    }
}

/// The generators would prove nothing if everything they make were refused.
#[test]
fn most_generated_urls_are_accepted() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let accepted = (0..1000)
        .filter(|_| {
            let text = any_url().new_tree(&mut runner).unwrap().current();
            StrictUrl::read(&text, UrlUse::Information).is_ok()
        })
        .count();
    assert!(accepted > 500, "{accepted} of 1000");
}

/// Each is accepted by the oracle and would be called at another place than its text says.
#[test]
fn what_whatwg_repairs_is_refused() {
    for text in [
        " https://a/",
        "https:a",
        "https:\\\\a",
        "https:///a",
        "https://a\t.b/",
        "https://a%2eb/",
        "https://a./",
        "https://a..b/",
        "https://a_b/",
        "https://0x7f.1/",
        "https://[::FFFF:1.2.3.4]/",
        "https://a:/",
        "https://a:0080/",
        "https://u@a/",
        "https://a/b/../c",
        "https://a/%2e/c",
        "https://b\u{fc}cher.example/",
    ] {
        assert!(url::Url::parse(text).is_ok(), "{text:?}");
        assert!(StrictUrl::read(text, UrlUse::Information).is_err(), "{text:?}");
    }
}
