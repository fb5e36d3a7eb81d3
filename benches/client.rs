//! What a client waits for before it calls: nothing while an admission holds, else a server on this machine over TLS.
#![expect(clippy::expect_used, reason = "a benchmark must stop when what it measures fails")]

use std::hint::black_box;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;

use countersign::cache::CacheBounds;
use countersign::client::{AdmissionClient, Agent};
use countersign::fetch::{Fetch, FetchRequest, HttpsFetch, NoStore, Roots, TlsTerms};
use countersign::{Algorithm, Form, SelectTerms, UnixTime};
use countersign_benches::{Fixture, signed};
use criterion::{Criterion, criterion_group, criterion_main};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

const NOW: UnixTime = UnixTime::from_seconds(1_800_000_000);

/// Cards come from this machine.
const LOOPBACK: &str = "[fetch]\nnetworks = [\"127.0.0.0/8\"]\n[defaults.interfaces]\nallow-loopback = true";

fn client(c: &mut Criterion) {
    let fixture = signed(Algorithm::Es256, Form::A2a10);
    let (address, fetch) = serve(&fixture);
    let source = format!("https://127.0.0.1:{}", address.port());
    let policy = fixture.policy(&source, LOOPBACK);
    let terms = SelectTerms::accepting(["1.0/JSONRPC".parse().expect("a version and a binding")]);
    let agent = Agent::at(&source, terms).expect("an address");
    let request = FetchRequest::new(agent.address().url().clone(), policy.fetch());
    let remembering = AdmissionClient::new(policy.clone(), fetch.clone());
    remembering.interface(&agent, NOW).expect("is admitted");

    let mut group = c.benchmark_group("client");
    group.bench_function("hit: the interface that is selected", |b| {
        b.iter(|| remembering.interface(black_box(&agent), NOW).expect("is remembered"));
    });
    group.bench_function("floor of a miss: one GET over TLS on loopback", |b| {
        b.iter(|| fetch.fetch(black_box(&request)).expect("a response"));
    });
    group.bench_function("miss: fetched, verified, decided, selected", |b| {
        b.iter(|| {
            let bounds = CacheBounds::default();
            let client =
                AdmissionClient::with_store(policy.clone(), fetch.clone(), NoStore::default(), &bounds);
            client.interface(black_box(&agent), NOW).expect("is admitted")
        });
    });
    group.finish();
}

/// A server with the card of the fixture, and a client that trusts it.
fn serve(fixture: &Fixture) -> (SocketAddr, HttpsFetch) {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_key = KeyPair::generate().expect("a key");
    let root = authority.self_signed(&authority_key).expect("a certificate");
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(["127.0.0.1".to_owned()]).expect("a name");
    let certificate = params.signed_by(&key, &issuer).expect("a certificate");
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivateKeyDer::try_from(key.serialize_der()).expect("a key"),
        )
        .expect("a certificate with its key");
    let config = Arc::new(config);
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: max-age=600\r\nContent-Length: {}\r\n\r\n",
        fixture.octets.len()
    );
    let response = [head.as_bytes(), &fixture.octets].concat();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let connection = ServerConnection::new(Arc::clone(&config)).expect("a connection");
            let mut stream = StreamOwned::new(connection, stream);
            let mut head = Vec::new();
            let mut octet = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut octet).is_ok_and(|read| read == 1) {
                head.extend_from_slice(&octet);
            }
            // A client that has what it wants may be gone.
            let _ = stream.write_all(&response);
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    });
    let terms = TlsTerms::default().with_roots(Roots::Only(root.pem().into_bytes()));
    (address, HttpsFetch::with_tls(terms).expect("TLS"))
}

criterion_group!(benches, client);
criterion_main!(benches);
