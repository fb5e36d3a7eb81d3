//! From a host to an interface, over real connections: the card and the key set of the policy are fetched, and the same
//! octets decide in the next program.

use std::io::Write;
use std::path::Path;

use countersign::cache::CacheBounds;
use countersign::client::{AdmissionClient, Agent, ClientError};
use countersign::fetch::{DiskStore, FetchedHow, StoreLimits};
use countersign::{Form, SelectTerms, TOOL, TrustPolicy, UnixTime};

use crate::agent::{changed, entry, key, with_entries};
use crate::server::{Authority, HOST, Server, Validity};

const NOW: i64 = 1_790_856_000;

/// A server with the card of an agent, signed by key 1, and the key set that it is in.
fn publisher(authority: &Authority) -> Server {
    let identity = authority.server(&[HOST], Validity::Now);
    Server::new(&identity, |head, connection| {
        let port = head.lines().find_map(|line| line.strip_prefix("host: ")?.rsplit(':').next()).unwrap();
        let body = if head.starts_with("GET /keys/jwks.json ") {
            let jwk = key(1).verifying_key().to_jwk(Some("k1"), None).unwrap();
            format!("{{\"keys\":[{jwk}]}}").into_bytes()
        } else if head.starts_with("GET /.well-known/agent-card.json ") {
            let card = changed(|card| {
                *card.pointer_mut("/supportedInterfaces/0/url").unwrap() =
                    format!("https://{HOST}:{port}/a2a").into();
            });
            let header = r#"{"alg":"EdDSA","typ":"JOSE","kid":"k1"}"#;
            with_entries(&card, [entry(&card, Form::A2a10, header, 1)]).octets().to_vec()
        } else {
            let _ = connection.write_all(b"HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n");
            return;
        };
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: max-age=300\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let _ = connection.write_all(&[head.as_bytes(), &body].concat());
    })
}

fn policy(server: &Server, fetch: &str) -> TrustPolicy {
    let origin = format!("https://{HOST}:{}", server.address.port());
    let text = format!(
        "schema = 1\n[fetch]\n{fetch}\n[[jwks]]\nid = \"partner\"\nurl = \"{origin}/keys/jwks.json\"\n\
         origins = [\"{origin}\"]\n[[allow]]\nid = \"agent\"\nfrom = [\"{origin}\"]\n"
    );
    TrustPolicy::read(&text, "policy.toml", &TOOL).unwrap()
}

fn client(authority: &Authority, policy: TrustPolicy, folder: &Path) -> AdmissionClient {
    let store = DiskStore::open(folder, StoreLimits::default()).unwrap();
    AdmissionClient::with_store(policy, authority.fetch(&["127.0.0.1"]), store, &CacheBounds::default())
}

fn agent(server: &Server) -> Agent {
    let terms = SelectTerms::accepting(["1.0/JSONRPC".parse().unwrap()]);
    Agent::at(&format!("{HOST}:{}", server.address.port()), terms).unwrap()
}

#[test]
fn a_card_and_its_keys_are_fetched_and_the_next_program_needs_no_connection() {
    let (authority, scratch) = (Authority::new("one"), tempfile::tempdir().unwrap());
    let folder = scratch.path().join("responses");
    let server = publisher(&authority);
    let policy = || policy(&server, "networks = [\"127.0.0.0/8\"]");
    let first = client(&authority, policy(), &folder);
    let interface = first.interface(&agent(&server), UnixTime::from_seconds(NOW)).unwrap();
    assert_eq!(interface.url(), format!("https://{HOST}:{}/a2a", server.address.port()));
    assert_eq!(server.connections(), 2);

    let second = client(&authority, policy(), &folder);
    let admission = second.admit(&agent(&server), UnixTime::from_seconds(NOW + 299)).unwrap();
    assert_eq!(admission.card.fetched.how, FetchedHow::Fresh);
    assert_eq!(admission.interface.unwrap().url(), interface.url());
    assert_eq!(server.connections(), 2);
    // Remembered octets are no verdict: one octet of the folder changed, and they are fetched again.
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let mut octets = std::fs::read(&path).unwrap();
        *octets.last_mut().unwrap() ^= 1;
        std::fs::write(&path, octets).unwrap();
    }
    let third = client(&authority, policy(), &folder);
    assert!(third.interface(&agent(&server), UnixTime::from_seconds(NOW + 299)).is_ok());
    assert_eq!(server.connections(), 4);
}

#[test]
fn a_policy_without_the_network_lets_nobody_connect_to_it() {
    let (authority, scratch) = (Authority::new("one"), tempfile::tempdir().unwrap());
    let server = publisher(&authority);
    let client = client(&authority, policy(&server, ""), &scratch.path().join("responses"));
    let error = client.interface(&agent(&server), UnixTime::from_seconds(NOW)).unwrap_err();
    assert!(matches!(error, ClientError::Fetch(_)));
    assert_eq!((error.code().name(), server.connections()), ("fetch.address", 0));
}
