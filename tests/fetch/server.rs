//! Authorities, and servers that answer as a test wants.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use countersign::Span;
use countersign::fetch::{
    AddressGuard, Fetch, FetchError, FetchRequest, FetchResponse, HttpsFetch, NotResolved, Resolve, Roots,
    TlsTerms,
};
use countersign::policy::{FetchTerms, HostName, Network, Placed, PolicyPlace, StrictUrl, UrlUse};
use rcgen::{
    BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};

/// The host of most tests. Only the resolver of the test knows it.
pub(crate) const HOST: &str = "echo.cards.example";

/// A response that everything accepts.
pub(crate) const CARD: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"name\":\"Echo\"}";

pub(crate) const BODY: &[u8] = b"{\"name\":\"Echo\"}";

/// When a certificate is valid.
#[derive(Clone, Copy)]
pub(crate) enum Validity {
    Now,
    Past,
    Future,
}

/// An authority that issues certificates.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: CertificateDer<'static>,
    pub(crate) pem: String,
}

/// A certificate with its key.
pub(crate) struct Identity {
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: KeyPair,
    pub(crate) pem: String,
}

/// A server on a loopback address, until the end of the program.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    /// Connections that were accepted.
    pub(crate) connections: Arc<AtomicUsize>,
    /// Heads of the requests that were read.
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = valid(CertificateParams::default(), Validity::Now);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self {
            pem: certificate.pem(),
            certificate: certificate.der().clone(),
            issuer: Issuer::new(params, key),
        }
    }

    /// A certificate of a server with these names or addresses.
    pub(crate) fn server(&self, names: &[&str], validity: Validity) -> Identity {
        self.issue(names, validity, ExtendedKeyUsagePurpose::ServerAuth)
    }

    pub(crate) fn client(&self) -> Identity {
        self.issue(&["client.example"], Validity::Now, ExtendedKeyUsagePurpose::ClientAuth)
    }

    fn issue(&self, names: &[&str], validity: Validity, usage: ExtendedKeyUsagePurpose) -> Identity {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = valid(CertificateParams::new(names).unwrap(), validity);
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Identity { pem: certificate.pem(), chain: vec![certificate.der().clone()], key }
    }

    /// A client that trusts this authority alone, and whose names all resolve to `addresses`.
    pub(crate) fn fetch(&self, addresses: &[&str]) -> HttpsFetch {
        self.fetch_as(TlsTerms::default(), addresses)
    }

    pub(crate) fn fetch_as(&self, terms: TlsTerms, addresses: &[&str]) -> HttpsFetch {
        let terms = terms.with_roots(Roots::Only(self.pem.clone().into_bytes()));
        HttpsFetch::with_tls(terms).unwrap().with_resolver(Fixed::new(addresses))
    }
}

fn valid(mut params: CertificateParams, validity: Validity) -> CertificateParams {
    let (from, to) = match validity {
        Validity::Now => (1975, 4096),
        Validity::Past => (1975, 1980),
        Validity::Future => (4000, 4096),
    };
    params.not_before = date_time_ymd(from, 1, 1);
    params.not_after = date_time_ymd(to, 1, 1);
    params
}

impl Identity {
    fn config(&self) -> ServerConfig {
        builder().with_no_client_auth().with_single_cert(self.chain.clone(), self.der()).unwrap()
    }

    fn der(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::try_from(self.key.serialize_der()).unwrap()
    }
}

fn builder() -> rustls::ConfigBuilder<ServerConfig, rustls::WantsVerifier> {
    ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
}

/// What a handler writes to: TLS, over a socket that can be made to drip.
pub(crate) type Connection = StreamOwned<ServerConnection, Dripping>;

/// A socket that writes one octet at a time once it is told to.
pub(crate) struct Dripping {
    stream: TcpStream,
    pub(crate) pause: Option<Duration>,
}

impl Dripping {
    /// Ends the connection without a word.
    pub(crate) fn cut(&self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}

impl Read for Dripping {
    fn read(&mut self, octets: &mut [u8]) -> io::Result<usize> {
        self.stream.read(octets)
    }
}

impl Write for Dripping {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        let Some(pause) = self.pause else { return self.stream.write(octets) };
        thread::sleep(pause);
        self.stream.write(octets.get(..1).unwrap_or_default())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Server {
    /// A server with this certificate that answers every request with `handler`, then says goodbye as TLS does.
    pub(crate) fn new(
        identity: &Identity,
        handler: impl Fn(&str, &mut Connection) + Send + Sync + 'static,
    ) -> Self {
        Self::new_at("127.0.0.1", identity, handler)
    }

    /// The same at another address of this machine.
    pub(crate) fn new_at(
        address: &str,
        identity: &Identity,
        handler: impl Fn(&str, &mut Connection) + Send + Sync + 'static,
    ) -> Self {
        Self::at(address, identity.config(), handler)
    }

    /// The same, with fixed octets as the answer.
    pub(crate) fn answering(identity: &Identity, octets: &[u8]) -> Self {
        let octets = octets.to_vec();
        Self::new(identity, move |_, connection| {
            let _ = connection.write_all(&octets);
        })
    }

    /// The same for clients with a certificate of `authority` only.
    pub(crate) fn for_clients_of(authority: &Authority, identity: &Identity) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add(authority.certificate.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
        let config = builder()
            .with_client_cert_verifier(verifier)
            .with_single_cert(identity.chain.clone(), identity.der())
            .unwrap();
        Self::at("127.0.0.1", config, |_, connection| {
            let _ = connection.write_all(CARD);
        })
    }

    pub(crate) fn on(address: &str, identity: &Identity) -> Self {
        Self::at(address, identity.config(), |_, connection| {
            let _ = connection.write_all(CARD);
        })
    }

    fn at(
        address: &str,
        config: ServerConfig,
        handler: impl Fn(&str, &mut Connection) + Send + Sync + 'static,
    ) -> Self {
        let config = Arc::new(config);
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = requests.clone();
        let mut server = Self::raw(address, move |stream| {
            let connection = ServerConnection::new(config.clone()).unwrap();
            let mut connection = StreamOwned::new(connection, Dripping { stream, pause: None });
            let Some(head) = read_head(&mut connection) else { return };
            seen.lock().unwrap().push(head.clone());
            handler(&head, &mut connection);
            connection.conn.send_close_notify();
            let _ = connection.flush();
            // What the client still sends must not reset what it has not read yet.
            let _ = connection.sock.stream.shutdown(std::net::Shutdown::Write);
            let _ = io::copy(&mut connection.sock.stream, &mut io::sink());
        });
        server.requests = requests;
        server
    }

    /// A server that does with each connection what it likes.
    pub(crate) fn raw(address: &str, handler: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((address, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let connections: Arc<AtomicUsize> = Arc::default();
        let (count, handler) = (connections.clone(), Arc::new(handler));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                count.fetch_add(1, Ordering::SeqCst);
                // No server outlives its test for long.
                stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
                stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
                let handler = handler.clone();
                thread::spawn(move || handler(stream));
            }
        });
        Self { address, connections, requests: Arc::default() }
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// The URL of a path of [`HOST`] at this server's port.
    pub(crate) fn url(&self, path: &str) -> StrictUrl {
        self.url_of(HOST, path)
    }

    pub(crate) fn url_of(&self, host: &str, path: &str) -> StrictUrl {
        url(&format!("https://{host}:{}{path}", self.address.port()))
    }

    /// A request with five seconds.
    pub(crate) fn request(&self) -> FetchRequest {
        FetchRequest::new(self.url("/card.json"), &loopback())
    }
}

fn read_head(connection: &mut Connection) -> Option<String> {
    let mut head = Vec::new();
    let mut octet = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match connection.read(&mut octet) {
            Ok(1) => head.extend_from_slice(&octet),
            _ => return None,
        }
    }
    Some(String::from_utf8(head).unwrap())
}

pub(crate) fn url(text: &str) -> StrictUrl {
    StrictUrl::read(text, UrlUse::InterfaceWithQuery).unwrap()
}

/// `[fetch]` with these networks.
pub(crate) fn terms(networks: &[&str]) -> FetchTerms {
    let mut terms = FetchTerms::default();
    let span = Span { start: 0, end: 1, line: 1, column: 1 };
    terms.networks = networks
        .iter()
        .map(|text| Placed {
            value: Network::read(text).unwrap(),
            place: PolicyPlace::new(Arc::from("trust-policy.toml"), span),
        })
        .collect();
    terms
}

/// `networks = ["127.0.0.0/8"]`, which every test that connects needs.
pub(crate) fn loopback() -> FetchTerms {
    terms(&["127.0.0.0/8"])
}

pub(crate) fn guard(networks: &[&str]) -> AddressGuard {
    AddressGuard::of(&terms(networks))
}

/// Resolves every name to the same addresses.
pub(crate) struct Fixed {
    addresses: Vec<IpAddr>,
}

impl Fixed {
    pub(crate) fn new(addresses: &[&str]) -> Self {
        Self { addresses: addresses.iter().map(|text| text.parse().unwrap()).collect() }
    }
}

impl Resolve for Fixed {
    fn resolve(&self, _name: &HostName) -> Result<Vec<IpAddr>, NotResolved> {
        Ok(self.addresses.clone())
    }
}

/// A client that plays answers and keeps what it was asked.
#[derive(Default)]
pub(crate) struct Script {
    answers: Mutex<Vec<Result<FetchResponse, FetchError>>>,
    asked: Mutex<Vec<FetchRequest>>,
}

impl Script {
    /// The next answer after all that were given.
    pub(crate) fn will(&self, answer: Result<FetchResponse, FetchError>) {
        self.answers.lock().unwrap().push(answer);
    }

    /// The headers of the last request.
    pub(crate) fn last(&self) -> BTreeMap<String, String> {
        self.asked.lock().unwrap().last().unwrap().headers.iter().cloned().collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Fetch for Script {
    fn fetch(&self, request: &FetchRequest) -> Result<FetchResponse, FetchError> {
        self.asked.lock().unwrap().push(request.clone());
        let mut answers = self.answers.lock().unwrap();
        assert!(!answers.is_empty(), "nothing was to be asked: {request:?}");
        answers.remove(0)
    }
}
