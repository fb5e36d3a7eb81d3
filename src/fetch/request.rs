//! One GET.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use countersign_policy::{FetchTerms, StrictUrl};

use super::{AddressGuard, FetchError};

/// A client for one GET. `HttpsFetch` is ours; an embedder may bring another.
///
/// A client keeps to the limits of the request, follows no redirect, sends and keeps no cookies, remembers nothing, and
/// speaks HTTPS only. It resolves the name once, judges every address with [`FetchRequest::guard`], and dials one of these.
/// A response of any status is a response.
pub trait Fetch: Send + Sync {
    /// Sends the request and waits for the whole response.
    ///
    /// # Errors
    ///
    /// [`FetchError`] if there is no whole response within the limits.
    fn fetch(&self, request: &FetchRequest) -> Result<FetchResponse, FetchError>;

    /// A digest of what is trusted and shown when connections are made: authorities, a certificate of the client. Responses are
    /// not shared between clients that differ in it. Default: [`None`], nothing that differs.
    fn connects(&self) -> Option<[u8; 32]> {
        None
    }
}

/// A client that fetches nothing: what another one fetched, and is fresh, is all there is.
#[derive(Clone, Copy, Debug)]
pub struct Offline {
    connects: Option<[u8; 32]>,
}

impl Offline {
    /// In place of `client`, whose responses are the ones that may be used.
    #[must_use]
    pub fn like(client: &(impl Fetch + ?Sized)) -> Self {
        Self { connects: client.connects() }
    }
}

impl Fetch for Offline {
    fn fetch(&self, request: &FetchRequest) -> Result<FetchResponse, FetchError> {
        Err(FetchError::Offline { url: request.url.raw().to_owned() })
    }

    fn connects(&self) -> Option<[u8; 32]> {
        self.connects
    }
}

impl<F: Fetch + ?Sized> Fetch for &F {
    fn fetch(&self, request: &FetchRequest) -> Result<FetchResponse, FetchError> {
        (**self).fetch(request)
    }

    fn connects(&self) -> Option<[u8; 32]> {
        (**self).connects()
    }
}

impl<F: Fetch + ?Sized> Fetch for Arc<F> {
    fn fetch(&self, request: &FetchRequest) -> Result<FetchResponse, FetchError> {
        (**self).fetch(request)
    }

    fn connects(&self) -> Option<[u8; 32]> {
        (**self).connects()
    }
}

impl<F: Fetch + ?Sized> Fetch for Box<F> {
    fn fetch(&self, request: &FetchRequest) -> Result<FetchResponse, FetchError> {
        (**self).fetch(request)
    }

    fn connects(&self) -> Option<[u8; 32]> {
        (**self).connects()
    }
}

/// What is asked for, and the limits. The values of headers are not shown by [`Debug`](fmt::Debug): they may hold a credential.
#[derive(Clone)]
#[non_exhaustive]
pub struct FetchRequest {
    /// The URL; its scheme is https.
    pub url: StrictUrl,
    /// Headers beside those that the client itself needs, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Longest time for the whole response, name look-up and handshake included. Default: 5 s. `HttpsFetch` waits a day at
    /// most.
    pub timeout: Duration,
    /// Most octets of the body, after decompression. Default: 256 KiB.
    pub max_octets: usize,
    /// Most octets of the header of the response. Default: 16 KiB; `HttpsFetch` takes 1 MiB at most.
    pub max_header_octets: usize,
    /// Most header lines of the response. Default: 64.
    pub max_headers: usize,
    /// Judges the addresses that the host resolves to.
    pub guard: AddressGuard,
}

/// A response: any status, the header, the octets of the body after decompression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FetchResponse {
    /// The status.
    pub status: u16,
    /// The header lines in their order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body. May be empty where the status is not 200.
    pub octets: Vec<u8>,
}

impl FetchRequest {
    /// A request under the limits of `[fetch]`, without headers.
    #[must_use]
    pub fn new(url: StrictUrl, terms: &FetchTerms) -> Self {
        Self {
            url,
            headers: Vec::new(),
            timeout: Duration::from_secs(u64::try_from(terms.timeout_seconds).unwrap_or(0)),
            max_octets: terms.max_octets,
            max_header_octets: 16 * 1024,
            max_headers: 64,
            guard: AddressGuard::of(terms),
        }
    }

    /// The same request with one more header.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let mut name = name.into();
        name.make_ascii_lowercase();
        self.headers.push((name, value.into()));
        self
    }
}

impl fmt::Debug for FetchRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("FetchRequest")
            .field("url", &self.url.raw())
            .field("headers", &names)
            .field("timeout", &self.timeout)
            .field("max_octets", &self.max_octets)
            .field("max_header_octets", &self.max_header_octets)
            .field("max_headers", &self.max_headers)
            .field("guard", &self.guard)
            .finish()
    }
}

impl FetchResponse {
    /// A response. Names of headers are folded to lower case.
    #[must_use]
    pub fn new(status: u16, mut headers: Vec<(String, String)>, octets: Vec<u8>) -> Self {
        headers.iter_mut().for_each(|(name, _)| name.make_ascii_lowercase());
        Self { status, headers, octets }
    }

    /// The first header with this name, given in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}
