//! One GET over HTTPS.

mod resolve;
mod tls;
mod transport;

use core::net::{IpAddr, SocketAddr};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use countersign_policy::{Host, Scheme, StrictUrl};
use rustls::ClientConfig;
use ureq::Agent;
use ureq::http::{HeaderName, HeaderValue, Request, Response};

use super::{Fetch, FetchError, FetchRequest, FetchResponse, SizeLimit};
pub use resolve::{NotResolved, Resolve, SystemResolver};
pub use tls::{ClientCertificate, Roots, TlsTerms, TlsTermsError};
use transport::{Deadline, Dial, Judged, Lost};

/// Most header lines that can be counted.
const MAX_HEADER_LINES: usize = 128;

/// Most octets of header that can be asked for.
const MAX_HEADER_OCTETS: usize = 1024 * 1024;

/// The longest time limit.
const MAX_TIMEOUT: Duration = Duration::from_secs(86_400);

/// How the parser says that there are more. Its error type is not public; the test of header floods notices a change.
const TOO_MANY_HEADERS: &str = "http parse resulted in too many headers";

/// One GET over HTTP/1.1 and TLS 1.2 or 1.3.
///
/// The name is resolved once, every address is judged, and one of exactly these is dialled; certificate and `Host` are those
/// of the name. No proxy is used, whatever the environment says. No redirect is followed, no cookie is sent or kept, no
/// connection is kept. `gzip` is asked for and undone, and the limit is on what comes out. The time limit is for everything
/// together, from the look-up of the name to the last octet. The body is read only where the status is 200.
///
/// Certificates are judged by the clock of the system. Whether a certificate was revoked is not checked.
///
/// # Examples
///
/// ```no_run
/// use countersign::fetch::{Fetcher, HttpsFetch, MemoryStore};
///
/// let fetcher = Fetcher::new(HttpsFetch::new()?, MemoryStore::default());
/// # Ok::<(), countersign::fetch::TlsTermsError>(())
/// ```
#[derive(Clone)]
pub struct HttpsFetch {
    connects: [u8; 32],
    tls: Arc<ClientConfig>,
    resolver: Arc<dyn Resolve>,
}

impl HttpsFetch {
    /// Servers are judged by the authorities of Mozilla's list, names are resolved by the system.
    ///
    /// # Errors
    ///
    /// [`TlsTermsError::Unusable`] if TLS cannot be set up.
    pub fn new() -> Result<Self, TlsTermsError> {
        Self::with_tls(TlsTerms::default())
    }

    /// The same, with other authorities, or with a certificate of the client.
    ///
    /// # Errors
    ///
    /// [`TlsTermsError`] if a certificate or the key cannot be used.
    pub fn with_tls(terms: TlsTerms) -> Result<Self, TlsTermsError> {
        let (connects, resolver) = (terms.digest(), Arc::new(SystemResolver::default()));
        Ok(Self { connects, tls: Arc::new(terms.into_config()?), resolver })
    }

    /// The same, with names resolved by `resolver`. Its answers are judged like those of the system.
    #[must_use]
    pub fn with_resolver(mut self, resolver: impl Resolve + 'static) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }
}

impl fmt::Debug for HttpsFetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpsFetch").finish_non_exhaustive()
    }
}

impl Fetch for HttpsFetch {
    fn connects(&self) -> Option<[u8; 32]> {
        Some(self.connects)
    }

    fn fetch(&self, request: &FetchRequest) -> Result<FetchResponse, FetchError> {
        if request.url.scheme() != Scheme::Https {
            return Err(FetchError::NotHttps { url: request.url.raw().to_owned() });
        }
        let limit = request.timeout.min(MAX_TIMEOUT);
        let header_octets = request.max_header_octets.min(MAX_HEADER_OCTETS);
        let call = Call { request, limit, header_octets, deadline: Deadline::after(limit) };
        let message = call.message()?;
        let addresses = call.addresses(&self.resolver)?;
        call.send(message, &self.tls, addresses)
    }
}

/// One call of [`HttpsFetch::fetch`].
struct Call<'a> {
    request: &'a FetchRequest,
    limit: Duration,
    header_octets: usize,
    deadline: Deadline,
}

impl Call<'_> {
    fn url(&self) -> String {
        self.request.url.raw().to_owned()
    }

    /// Every address of the host, all of them judged.
    fn addresses(&self, resolver: &Arc<dyn Resolve>) -> Result<Vec<IpAddr>, FetchError> {
        let addresses = match self.request.url.host() {
            Host::V4(address) => vec![IpAddr::V4(*address)],
            Host::V6(address) => vec![IpAddr::V6(*address)],
            Host::Name(name) => match resolve::resolve_within(resolver, name, self.deadline.remaining()) {
                None => return Err(self.timeout()),
                Some(Err(NotResolved)) => return Err(FetchError::Dns { url: self.url() }),
                Some(Ok(addresses)) => addresses,
            },
        };
        if addresses.is_empty() {
            return Err(FetchError::Dns { url: self.url() });
        }
        let guard = &self.request.guard;
        match guard.judge_all(addresses.iter().copied()) {
            Ok(()) => Ok(addresses),
            Err(refused) => Err(FetchError::refused(self.url(), refused, guard.networks().len())),
        }
    }

    fn send(
        &self,
        message: Request<()>,
        tls: &Arc<ClientConfig>,
        addresses: Vec<IpAddr>,
    ) -> Result<FetchResponse, FetchError> {
        let url = &self.request.url;
        let addresses: Vec<SocketAddr> =
            addresses.into_iter().map(|address| SocketAddr::new(address, url.port())).collect();
        let config = Agent::config_builder()
            .https_only(true)
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")))
            .max_response_header_size(self.header_octets)
            .max_idle_connections(0)
            .timeout_global(Some(self.limit))
            .build();
        let dial = Dial {
            tls: tls.clone(),
            server_name: server_name(url).ok_or_else(|| self.not_sendable(None))?,
            deadline: self.deadline,
            buffer_octets: self.header_octets.saturating_add(16 * 1024),
        };
        let agent = Agent::with_parts(config, dial, Judged { addresses });
        let response = agent.run(message).map_err(|error| self.fault(error))?;
        self.read(response)
    }

    fn message(&self) -> Result<Request<()>, FetchError> {
        let fault = |header: Option<&str>| self.not_sendable(header);
        let mut message = Request::new(());
        *message.uri_mut() = self.request.url.canonical_text().parse().map_err(|_| fault(None))?;
        for (name, value) in &self.request.headers {
            let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| fault(Some(name)))?;
            let mut value = HeaderValue::from_str(value).map_err(|_| fault(Some(name)))?;
            value.set_sensitive(name == "authorization");
            message.headers_mut().append(known, value);
        }
        Ok(message)
    }

    fn not_sendable(&self, header: Option<&str>) -> FetchError {
        FetchError::Request { url: self.url(), header: header.map(str::to_owned) }
    }

    fn read(&self, response: Response<ureq::Body>) -> Result<FetchResponse, FetchError> {
        let (parts, body) = response.into_parts();
        if parts.headers.len() > self.request.max_headers {
            return Err(self.too_large(self.request.max_headers, SizeLimit::HeaderLines));
        }
        let headers = parts
            .headers
            .iter()
            .map(|(name, value)| {
                (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
            })
            .collect();
        let octets = if parts.status.as_u16() == 200 {
            // One octet more than allowed is an error, never the end of a document.
            let limit = u64::try_from(self.request.max_octets).unwrap_or(u64::MAX);
            let read = body.into_with_config().limit(limit).read_to_vec();
            read.map_err(|error| self.fault(error))?
        } else {
            Vec::new()
        };
        Ok(FetchResponse::new(parts.status.as_u16(), headers, octets))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other kinds are faults of what was received")]
    fn fault(&self, error: ureq::Error) -> FetchError {
        let url = self.url();
        match error {
            ureq::Error::Timeout(_) => self.timeout(),
            ureq::Error::BodyExceedsLimit(_) => {
                self.too_large(self.request.max_octets, SizeLimit::BodyOctets)
            }
            ureq::Error::LargeResponseHeader(..) => {
                self.too_large(self.header_octets, SizeLimit::HeaderOctets)
            }
            ureq::Error::Protocol(error) if error.to_string() == TOO_MANY_HEADERS => {
                self.too_large(MAX_HEADER_LINES, SizeLimit::HeaderLines)
            }
            ureq::Error::Io(error) => FetchError::Unreachable { url, connected: true, kind: error.kind() },
            ureq::Error::Other(error) => match error.downcast::<Lost>().map(|lost| *lost) {
                Ok(Lost::Late) => self.timeout(),
                Ok(Lost::NotConnected(kind)) => FetchError::Unreachable { url, connected: false, kind },
                Ok(Lost::Closed(kind)) => FetchError::Unreachable { url, connected: true, kind },
                Ok(Lost::Tls(fault)) => FetchError::Tls { url, fault },
                Err(_) => FetchError::Protocol { url },
            },
            _ => FetchError::Protocol { url },
        }
    }

    fn timeout(&self) -> FetchError {
        FetchError::Timeout { url: self.url(), limit: self.limit }
    }

    fn too_large(&self, most: usize, what: SizeLimit) -> FetchError {
        FetchError::Size { url: self.url(), most, what }
    }
}

fn server_name(url: &StrictUrl) -> Option<rustls::pki_types::ServerName<'static>> {
    match url.host() {
        Host::V4(address) => Some(IpAddr::V4(*address).into()),
        Host::V6(address) => Some(IpAddr::V6(*address).into()),
        Host::Name(name) => name.as_str().to_owned().try_into().ok(),
    }
}
