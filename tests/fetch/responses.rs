//! What is sent, and what is taken for a document.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use countersign::fetch::{AskTerms, CardAddress, CardAddressKind, Credential, Fetch, FetchError, FetchedHow};
use countersign::fetch::{Fetcher, MemoryStore, NoStore};
use countersign::{ProtocolVersion, UnixTime};

use crate::server::{Authority, BODY, CARD, HOST, Server, Validity, loopback};
use std::io::Write;

const NOW: UnixTime = UnixTime::from_seconds(1_800_000_000);

fn authority() -> (Authority, crate::server::Identity) {
    let authority = Authority::new("one");
    let identity = authority.server(&[HOST], Validity::Now);
    (authority, identity)
}

/// A fetcher that remembers nothing, and what it says of one answer.
fn answer(octets: &[u8]) -> Result<Vec<u8>, FetchError> {
    let (authority, identity) = authority();
    let server = Server::answering(&identity, octets);
    let fetcher = Fetcher::new(authority.fetch(&["127.0.0.1"]), NoStore::default());
    let got = fetcher.get(&server.url("/card.json"), &AskTerms::default(), &loopback(), NOW);
    got.map(|fetched| fetched.octets.to_vec())
}

fn code(octets: &[u8]) -> &'static str {
    answer(octets).unwrap_err().code().name()
}

#[test]
fn a_document_arrives_whole() {
    let (authority, identity) = authority();
    let server = Server::answering(&identity, CARD);
    let response = authority.fetch(&["127.0.0.1"]).fetch(&server.request()).unwrap();
    assert_eq!((response.status, response.octets.as_slice()), (200, BODY));
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_request_says_what_is_wanted_and_nothing_else() {
    let (authority, identity) = authority();
    let server = Server::answering(&identity, CARD);
    let fetcher = Fetcher::new(authority.fetch(&["127.0.0.1"]), NoStore::default());
    let url = server.url("/agents/7/card.json?lang=en");
    fetcher.get(&url, &AskTerms::default(), &loopback(), NOW).unwrap();
    let ask = AskTerms::default()
        .with_version(ProtocolVersion::V1_0)
        .with_credential(Credential::new("Bearer not-a-real-token"));
    fetcher.get(&url, &ask, &loopback(), NOW).unwrap();

    let requests = server.requests();
    let lines = |index: usize| {
        let mut lines: Vec<String> =
            requests[index].lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
        let first = lines.remove(0);
        lines.iter_mut().for_each(|line| {
            let (name, value) = line.split_once(':').unwrap();
            *line = format!("{}:{value}", name.to_lowercase());
        });
        lines.sort();
        (first, lines)
    };
    let common = [
        "accept-encoding: gzip".to_owned(),
        "accept: application/json, application/a2a+json".to_owned(),
        format!("host: {HOST}:{}", server.address.port()),
        format!("user-agent: countersign/{}", env!("CARGO_PKG_VERSION")),
    ];
    let (first, plain) = lines(0);
    assert_eq!(first, "GET /agents/7/card.json?lang=en HTTP/1.1");
    assert_eq!(plain, common);
    let (_, asked) = lines(1);
    let more = ["a2a-version: 1.0".to_owned(), "authorization: Bearer not-a-real-token".to_owned()];
    let mut expected: Vec<String> = common.into_iter().chain(more).collect();
    expected.sort();
    assert_eq!(asked, expected);
}

#[test]
fn a_credential_with_a_line_break_is_not_sent() {
    let (authority, identity) = authority();
    let server = Server::answering(&identity, CARD);
    let fetcher = Fetcher::new(authority.fetch(&["127.0.0.1"]), NoStore::default());
    let ask = AskTerms::default().with_credential(Credential::new("Bearer a\r\nX-Evil: 1"));
    let error = fetcher.get(&server.url("/card.json"), &ask, &loopback(), NOW).unwrap_err();
    assert_eq!(error.code().name(), "fetch.request");
    assert!(error.to_string().ends_with("the header `authorization` cannot be sent"), "{error}");
    assert!(!format!("{error:?}").contains("Evil"));
    assert_eq!(server.connections(), 0);
}

#[test]
fn limits_of_any_size_are_limits() {
    let (authority, identity) = authority();
    let server = Server::answering(&identity, CARD);
    let mut request = server.request();
    request.timeout = std::time::Duration::MAX;
    (request.max_octets, request.max_header_octets, request.max_headers) =
        (usize::MAX, usize::MAX, usize::MAX);
    assert_eq!(authority.fetch(&["127.0.0.1"]).fetch(&request).unwrap().octets, BODY);
    request.timeout = std::time::Duration::ZERO;
    assert_eq!(authority.fetch(&["127.0.0.1"]).fetch(&request).unwrap_err().code().name(), "fetch.timeout");
    assert_eq!(server.connections(), 1);
}

#[test]
fn only_status_200_is_a_document() {
    for status in [201, 203, 204, 206, 400, 401, 403, 404, 410, 500, 503] {
        let length = if status == 204 { "" } else { "Content-Length: 2\r\n" };
        let body = if status == 204 { "" } else { "{}" };
        let head = format!("HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{length}\r\n{body}");
        let error = answer(head.as_bytes()).unwrap_err();
        assert!(matches!(error, FetchError::Status { status: found, .. } if found == status), "{error}");
        assert_eq!(error.code().name(), "fetch.status");
    }
    let unasked = b"HTTP/1.1 304 Not Modified\r\n\r\n";
    assert!(matches!(answer(unasked).unwrap_err(), FetchError::Status { status: 304, .. }));
}

#[test]
fn only_the_listed_content_types_are_documents() {
    let with =
        |line: &str| format!("HTTP/1.1 200 OK\r\n{line}Content-Length: 15\r\n\r\n{{\"name\":\"Echo\"}}");
    for good in
        ["Content-Type: application/json\r\n", "content-type: application/a2a+json; charset=UTF-8\r\n"]
    {
        assert_eq!(answer(with(good).as_bytes()).unwrap(), BODY, "{good}");
    }
    for bad in [
        "",
        "Content-Type: text/html\r\n",
        "Content-Type: application/json; charset=utf-16\r\n",
        "Content-Type: application/octet-stream\r\n",
    ] {
        assert_eq!(code(with(bad).as_bytes()), "fetch.content-type", "{bad}");
    }
    let error = answer(with("Content-Type: text/html\r\n").as_bytes()).unwrap_err();
    let text = error.to_string();
    let end = "the content type is `text/html`, expected application/json or application/a2a+json";
    assert!(text.starts_with("`https://echo.cards.example:") && text.ends_with(end), "{text}");
}

#[test]
fn a_redirect_names_its_target_and_nobody_goes_there() {
    let (authority, identity) = authority();
    let target = Server::answering(&identity, CARD);
    for (status, location) in [
        (301, target.url("/card.json").raw().to_owned()),
        (302, format!("http://127.0.0.1:{}/", target.address.port())),
        (303, "http://169.254.169.254/latest/meta-data/".to_owned()),
        (307, "/other.json".to_owned()),
        (308, "card.json".to_owned()),
    ] {
        let head = format!("HTTP/1.1 {status} X\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        let server = Server::answering(&identity, head.as_bytes());
        let fetcher = Fetcher::new(authority.fetch(&["127.0.0.1"]), NoStore::default());
        let mut terms = loopback();
        terms.redirects = 3;
        let error = fetcher.get(&server.url("/card.json"), &AskTerms::default(), &terms, NOW).unwrap_err();
        let expected = FetchError::Redirect {
            url: server.url("/card.json").raw().to_owned(),
            status,
            location: Some(location),
        };
        assert_eq!(error, expected);
        assert_eq!((error.code().name(), server.connections()), ("fetch.redirect", 1));
    }
    assert_eq!(target.connections(), 0);
    assert!(
        !answer(b"HTTP/1.1 302 X\r\nLocation: /\xe2\x80\xaex\r\n\r\n")
            .unwrap_err()
            .to_string()
            .contains('\u{202e}')
    );
}

#[test]
fn no_cookie_comes_back() {
    let (authority, identity) = authority();
    let octets = [&b"HTTP/1.1 200 OK\r\nSet-Cookie: id=7; Path=/\r\n"[..], &CARD[17..]].concat();
    let server = Server::answering(&identity, &octets);
    let fetcher = Fetcher::new(authority.fetch(&["127.0.0.1"]), MemoryStore::default());
    for _ in 0..2 {
        fetcher.get(&server.url("/card.json"), &AskTerms::default(), &loopback(), NOW).unwrap();
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(!requests[1].to_lowercase().contains("cookie"));
}

#[test]
fn another_scheme_is_never_connected_to() {
    let (authority, identity) = authority();
    let server = Server::answering(&identity, CARD);
    let plain = crate::server::url(&format!("http://127.0.0.1:{}/card.json", server.address.port()));
    let request = countersign::fetch::FetchRequest::new(plain.clone(), &loopback());
    let fetch = authority.fetch(&["127.0.0.1"]);
    assert_eq!(fetch.fetch(&request).unwrap_err().code().name(), "fetch.url");
    let fetcher = Fetcher::new(fetch, NoStore::default());
    let error = fetcher.get(&plain, &AskTerms::default(), &loopback(), NOW).unwrap_err();
    assert_eq!(error, FetchError::NotHttps { url: plain.raw().to_owned() });
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_proxy_of_the_environment_is_not_used() {
    // A program of its own, as the environment belongs to the whole program.
    let proxy = Server::raw("127.0.0.1", drop);
    let address = format!("http://{}", proxy.address);
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "responses::a_document_arrives_whole"]);
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"] {
        child.env(name, &address);
    }
    child.env_remove("NO_PROXY").env_remove("no_proxy");
    let output = child.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    assert_eq!(proxy.connections(), 0);
}

#[test]
fn a_tag_is_shown_to_the_server_and_304_renews_the_octets() {
    let (authority, identity) = authority();
    let server = Server::new(&identity, |head, connection| {
        let answer: &[u8] = if head.to_lowercase().contains("if-none-match: \"v1\"") {
            b"HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nCache-Control: max-age=10\r\n\r\n"
        } else {
            b"HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"name\":\"Echo\"}"
        };
        let _ = connection.write_all(answer);
    });
    let fetcher = Fetcher::new(authority.fetch(&["127.0.0.1"]), MemoryStore::default());
    let get = |seconds| {
        let now = NOW.saturating_add_seconds(seconds);
        fetcher.get(&server.url("/card.json"), &AskTerms::default(), &loopback(), now).unwrap()
    };
    let first = get(0);
    assert_eq!((first.how, first.fresh_until), (FetchedHow::Network, NOW));
    let second = get(1);
    assert_eq!((second.how, &*second.octets), (FetchedHow::Revalidated, BODY));
    assert_eq!(get(10).how, FetchedHow::Fresh);
    assert_eq!(get(11).how, FetchedHow::Revalidated);
    assert_eq!(server.connections(), 3);
}

#[test]
fn the_path_that_answered_is_reported() {
    let (authority, identity) = authority();
    let asked = std::sync::Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let server = Server::new(&identity, move |head, connection| {
        count.fetch_add(1, Ordering::SeqCst);
        let is_old = head.starts_with("GET /agents/7/.well-known/agent.json ");
        let answer = if is_old { CARD } else { &b"HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n"[..] };
        let _ = connection.write_all(answer);
    });
    let fetcher = Fetcher::new(authority.fetch(&["127.0.0.1"]), NoStore::default());
    let address = CardAddress::read(server.url("/agents/7").raw()).unwrap();
    let card = |address: &CardAddress| fetcher.card(address, &AskTerms::default(), &loopback(), NOW);

    let alone = card(&address).unwrap_err();
    assert!(matches!(alone, FetchError::Status { status: 404, .. }));
    assert_eq!(asked.load(Ordering::SeqCst), 1, "the old path is asked for only where that was said");
    let found = card(&address.with_old_path().unwrap()).unwrap();
    assert_eq!(found.kind, CardAddressKind::OldWellKnown);
    assert_eq!(found.fetched.url, server.url("/agents/7/.well-known/agent.json"));
}
