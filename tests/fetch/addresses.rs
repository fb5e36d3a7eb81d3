//! Which addresses are dialled.

use std::net::{IpAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use countersign::fetch::{Fetch, FetchError, FetchRequest, NotResolved, Resolve};
use countersign::policy::{AddressClass, HostName};

use crate::server::{Authority, BODY, CARD, HOST, Identity, Server, Validity, guard, loopback};

fn authority() -> (Authority, Identity) {
    let authority = Authority::new("one");
    let identity = authority.server(&[HOST, "127.0.0.1", "::1"], Validity::Now);
    (authority, identity)
}

/// Asks a server on 127.0.0.1 under a name with these addresses.
fn ask(addresses: &[&str], networks: &[&str]) -> (Result<Vec<u8>, FetchError>, usize) {
    let (authority, identity) = authority();
    let server = Server::answering(&identity, CARD);
    let mut request = server.request();
    request.guard = guard(networks);
    let response = authority.fetch(addresses).fetch(&request);
    (response.map(|response| response.octets), server.connections())
}

fn refused(addresses: &[&str], networks: &[&str]) -> Option<AddressClass> {
    let (answer, connections) = ask(addresses, networks);
    assert_eq!(connections, 0, "nothing is connected");
    if let FetchError::Address { class, .. } = answer.unwrap_err() { Some(class) } else { None }
}

#[test]
fn a_private_address_is_reached_only_where_it_is_listed() {
    let (answer, connections) = ask(&["127.0.0.1"], &["127.0.0.0/8"]);
    assert_eq!((answer.unwrap(), connections), (BODY.to_vec(), 1));
    assert_eq!(refused(&["127.0.0.1"], &[]), Some(AddressClass::Loopback));
    assert_eq!(refused(&["127.0.0.1"], &["10.0.0.0/8"]), Some(AddressClass::Loopback));
    let error = ask(&["127.0.0.1"], &[]).0.unwrap_err();
    assert_eq!(error.code().name(), "fetch.address");
    let text = error.to_string();
    let end = "the host is at 127.0.0.1, a loopback address, and may be at a public address only";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn one_bad_address_among_good_ones_refuses_all() {
    assert_eq!(refused(&["127.0.0.1", "10.0.0.1"], &["127.0.0.0/8"]), Some(AddressClass::Private));
    assert_eq!(refused(&["127.0.0.1", "127.0.0.2", "::1"], &["127.0.0.0/8"]), Some(AddressClass::Loopback));
    assert_eq!(refused(&["127.0.0.1", "169.254.169.254"], &["127.0.0.0/8"]), Some(AddressClass::Metadata));
    // Also beyond the addresses that would be tried.
    let mut many = vec!["127.0.0.1"; 40];
    many.push("192.168.0.1");
    assert_eq!(refused(&many, &["127.0.0.0/8"]), Some(AddressClass::Private));
}

#[test]
fn other_forms_of_an_address_are_not_the_address() {
    for address in ["::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"] {
        assert_eq!(refused(&[address], &["127.0.0.0/8"]), Some(AddressClass::EmbeddedV4), "{address}");
    }
}

#[test]
fn a_metadata_service_is_never_reached() {
    for address in ["169.254.169.254", "fd00:ec2::254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe"] {
        assert_eq!(refused(&[address], &["0.0.0.0/0", "::/0"]), Some(AddressClass::Metadata), "{address}");
    }
}

#[test]
fn an_address_in_the_url_is_judged_too() {
    let (authority, identity) = authority();
    let server = Server::answering(&identity, CARD);
    // The resolver would have another answer.
    let fetch = authority.fetch(&["10.0.0.1"]);
    let mut request = FetchRequest::new(server.url_of("127.0.0.1", "/card.json"), &loopback());
    assert_eq!(fetch.fetch(&request).unwrap().octets, BODY);
    request.guard = guard(&[]);
    assert_eq!(fetch.fetch(&request).unwrap_err().code().name(), "fetch.address");
    assert_eq!(server.connections(), 1);
}

#[test]
fn ipv6_is_reached_only_where_it_is_listed() {
    if TcpListener::bind("[::1]:0").is_err() {
        print_skipped("this machine has no IPv6 loopback address");
        return;
    }
    let (authority, identity) = authority();
    let server = Server::on("::1", &identity);
    let mut request = FetchRequest::new(server.url_of("[::1]", "/card.json"), &loopback());
    let fetch = authority.fetch(&["::1"]);
    assert_eq!(fetch.fetch(&request).unwrap_err().code().name(), "fetch.address");
    request.guard = guard(&["::1/128"]);
    assert_eq!(fetch.fetch(&request).unwrap().octets, BODY);
    let mut by_name = server.request();
    by_name.guard = guard(&["::1/128"]);
    assert_eq!(fetch.fetch(&by_name).unwrap().octets, BODY);
    assert_eq!(server.connections(), 2);
}

#[expect(clippy::print_stderr, reason = "a test that did not run says so")]
fn print_skipped(why: &str) {
    eprintln!("skipped: {why}");
}

/// The first answer is good, every later one is not.
struct Rebinding {
    calls: Arc<AtomicUsize>,
}

impl Resolve for Rebinding {
    fn resolve(&self, _name: &HostName) -> Result<Vec<IpAddr>, NotResolved> {
        let first = self.calls.fetch_add(1, Ordering::SeqCst) == 0;
        let address = if first { "127.0.0.1" } else { "169.254.169.254" };
        Ok(vec![address.parse().unwrap()])
    }
}

#[test]
fn a_name_is_resolved_once_and_the_judged_address_is_dialled() {
    let (authority, identity) = authority();
    let server = Server::answering(&identity, CARD);
    let calls: Arc<AtomicUsize> = Arc::default();
    let fetch = authority.fetch(&[]).with_resolver(Rebinding { calls: calls.clone() });
    assert_eq!(fetch.fetch(&server.request()).unwrap().octets, BODY);
    assert_eq!((calls.load(Ordering::SeqCst), server.connections()), (1, 1));
    // A second fetch resolves and judges again, and no connection was kept.
    let error = fetch.fetch(&server.request()).unwrap_err();
    assert!(matches!(error, FetchError::Address { class: AddressClass::Metadata, .. }), "{error}");
    assert_eq!((calls.load(Ordering::SeqCst), server.connections()), (2, 1));
}

#[test]
fn the_next_address_is_tried_where_nobody_listens() {
    let (answer, connections) = ask(&["127.0.0.77", "127.0.0.1"], &["127.0.0.0/8"]);
    assert_eq!((answer.unwrap(), connections), (BODY.to_vec(), 1));
    let (answer, _) = ask(&["127.0.0.77"], &["127.0.0.0/8"]);
    let error = answer.unwrap_err();
    assert!(matches!(error, FetchError::Unreachable { connected: false, .. }), "{error}");
    assert_eq!(error.code().name(), "fetch.unreachable");
}

struct Nowhere;

impl Resolve for Nowhere {
    fn resolve(&self, _name: &HostName) -> Result<Vec<IpAddr>, NotResolved> {
        Err(NotResolved)
    }
}

struct Slow;

impl Resolve for Slow {
    fn resolve(&self, _name: &HostName) -> Result<Vec<IpAddr>, NotResolved> {
        std::thread::sleep(Duration::from_secs(10));
        Err(NotResolved)
    }
}

#[test]
fn a_name_that_does_not_resolve_is_an_error_and_so_is_one_that_takes_too_long() {
    let (authority, identity) = authority();
    let server = Server::answering(&identity, CARD);
    let mut request = server.request();
    let nowhere = authority.fetch(&[]).with_resolver(Nowhere);
    assert_eq!(nowhere.fetch(&request).unwrap_err().code().name(), "fetch.dns");
    assert_eq!(authority.fetch(&[]).fetch(&request).unwrap_err().code().name(), "fetch.dns");
    request.timeout = Duration::from_millis(200);
    let begun = Instant::now();
    let error = authority.fetch(&[]).with_resolver(Slow).fetch(&request).unwrap_err();
    assert_eq!(error.code().name(), "fetch.timeout");
    assert!(begun.elapsed() < Duration::from_secs(5));
}
