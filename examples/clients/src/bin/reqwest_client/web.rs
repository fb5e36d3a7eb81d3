//! `reqwest` behind [`Fetch`].

use std::error::Error;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use countersign::fetch::{
    AddressGuard, AddressRefused, Fetch, FetchError, FetchRequest, FetchResponse, NotResolved, Resolve,
    SizeLimit, TlsFault,
};
use countersign_examples::checked::{CheckedResolver, judge_literal};
use countersign_examples::message::Message;
use countersign_examples::{Failure, cause};
use reqwest::blocking::{Client, Response};
use reqwest::redirect::Policy;

/// The HTTP client of the program.
#[derive(Clone)]
pub(crate) struct Web {
    tls: rustls::ClientConfig,
    resolver: Arc<dyn Resolve>,
}

impl Web {
    pub(crate) fn new(tls: rustls::ClientConfig, resolver: impl Resolve + 'static) -> Self {
        Self { tls, resolver: Arc::new(resolver) }
    }

    fn client(&self, guard: &AddressGuard, timeout: Duration) -> Result<Client, reqwest::Error> {
        Client::builder()
            .tls_backend_preconfigured(self.tls.clone())
            .dns_resolver(Arc::new(CheckedResolver::new(Arc::clone(&self.resolver), guard.clone())))
            .https_only(true)
            .redirect(Policy::none())
            .no_proxy()
            .timeout(timeout)
            .build()
    }

    /// Calls an interface; the status of the answer.
    pub(crate) fn call(&self, guard: &AddressGuard, message: &Message) -> Result<u16, Failure> {
        let url = message.url.parse()?;
        judge_literal(guard, &url)?;
        let mut request = self.client(guard, Duration::from_secs(30))?.post(url).body(message.body.clone());
        for (name, value) in &message.headers {
            request = request.header(*name, value);
        }
        Ok(request.send()?.status().as_u16())
    }
}

impl Fetch for Web {
    fn fetch(&self, request: &FetchRequest) -> Result<FetchResponse, FetchError> {
        let text = request.url.canonical_text();
        let not_sendable = || FetchError::Request { url: request.url.raw().to_owned(), header: None };
        let url = text.parse().map_err(|_| not_sendable())?;
        judge_literal(&request.guard, &url).map_err(|refused| fault(request, &refused))?;
        let client = self.client(&request.guard, request.timeout).map_err(|_| not_sendable())?;
        let mut sent = client.get(url);
        for (name, value) in &request.headers {
            sent = sent.header(name, value);
        }
        read(request, sent.send().map_err(|error| fault(request, &error))?)
    }
}

/// The response, within the limits of the request.
fn read(request: &FetchRequest, response: Response) -> Result<FetchResponse, FetchError> {
    let too_large = |what, most| Err(FetchError::Size { url: request.url.raw().to_owned(), most, what });
    let headers: Vec<(String, String)> = response
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    if headers.len() > request.max_headers {
        return too_large(SizeLimit::HeaderLines, request.max_headers);
    }
    if headers.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>() > request.max_header_octets
    {
        return too_large(SizeLimit::HeaderOctets, request.max_header_octets);
    }
    let (status, mut octets) = (response.status().as_u16(), Vec::new());
    let most = u64::try_from(request.max_octets).unwrap_or(u64::MAX);
    response.take(most.saturating_add(1)).read_to_end(&mut octets).map_err(|error| fault(request, &error))?;
    if octets.len() > request.max_octets {
        return too_large(SizeLimit::BodyOctets, request.max_octets);
    }
    Ok(FetchResponse::new(status, headers, octets))
}

/// Why there is no response. A server that is refused is no outage: an old answer must not stand in for it.
fn fault(request: &FetchRequest, error: &(dyn Error + 'static)) -> FetchError {
    let url = request.url.raw().to_owned();
    if let Some(refused) = cause::<AddressRefused>(error) {
        return FetchError::refused(url, *refused, request.guard.networks().len());
    }
    if cause::<NotResolved>(error).is_some() {
        return FetchError::Dns { url };
    }
    if cause::<rustls::Error>(error).is_some() {
        return FetchError::Tls { url, fault: TlsFault::Handshake };
    }
    let error_of_reqwest = cause::<reqwest::Error>(error);
    if error_of_reqwest.is_some_and(reqwest::Error::is_timeout) {
        return FetchError::Timeout { url, limit: request.timeout };
    }
    let connected = !error_of_reqwest.is_some_and(reqwest::Error::is_connect);
    FetchError::Unreachable {
        url,
        connected,
        kind: cause::<io::Error>(error).map_or(io::ErrorKind::Other, io::Error::kind),
    }
}
