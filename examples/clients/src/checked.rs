//! Connections of `reqwest` to addresses that were judged, and to no others.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use countersign::AdmittedInterface;
use countersign::fetch::{AddressGuard, AddressRefused, Resolve};
use countersign::policy::Host;
use reqwest::dns::{Addrs, Name, Resolving};
use reqwest::redirect::Policy;
use rustls::pki_types::{CertificateDer, pem::PemObject};
use rustls::{ClientConfig, RootCertStore};

use crate::Failure;
use crate::message::Message;

/// Most octets of an answer.
const MAX_BODY_OCTETS: usize = 1024 * 1024;

/// A resolver for `reqwest`: every address of a name is judged, and `reqwest` dials what comes back.
///
/// It is not asked about addresses that stand in a URL: see [`judge_literal`].
pub struct CheckedResolver {
    resolver: Arc<dyn Resolve>,
    guard: AddressGuard,
}

impl CheckedResolver {
    /// Judges the answers of `resolver`; outside of examples that is `SystemResolver`.
    #[must_use]
    pub fn new(resolver: Arc<dyn Resolve>, guard: AddressGuard) -> Self {
        Self { resolver, guard }
    }
}

impl reqwest::dns::Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolver, guard) = (Arc::clone(&self.resolver), self.guard.clone());
        // A look-up waits for the network.
        let looked_up = tokio::task::spawn_blocking(move || {
            let Host::Name(name) = Host::read(name.as_str())? else { return Err("not a name".into()) };
            let addresses = resolver.resolve(&name)?;
            guard.judge_all(addresses.iter().copied())?;
            // The port is that of the URL.
            Ok::<Addrs, Failure>(Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0))))
        });
        Box::pin(async move { looked_up.await? })
    }
}

/// Judges the address that stands in a URL in place of a name: `reqwest` dials it without asking its resolver.
///
/// # Errors
///
/// [`AddressRefused`] if it must not be reached.
pub fn judge_literal(guard: &AddressGuard, url: &reqwest::Url) -> Result<(), AddressRefused> {
    match url.host() {
        Some(url::Host::Ipv4(address)) => guard.judge(IpAddr::V4(address)),
        Some(url::Host::Ipv6(address)) => guard.judge(IpAddr::V6(address)),
        Some(url::Host::Domain(_)) | None => Ok(()),
    }
}

/// A client for calls to admitted interfaces, and to nothing else: https, no redirect, no proxy, judged addresses.
#[derive(Clone, Debug)]
pub struct Caller {
    http: reqwest::Client,
    guard: AddressGuard,
}

impl Caller {
    /// Calls at the addresses that `guard` allows, of names that `resolver` resolves.
    ///
    /// # Errors
    ///
    /// What `reqwest` says.
    pub fn new(
        tls: ClientConfig,
        resolver: Arc<dyn Resolve>,
        guard: AddressGuard,
    ) -> Result<Self, reqwest::Error> {
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .dns_resolver(Arc::new(CheckedResolver::new(resolver, guard.clone())))
            .https_only(true)
            .redirect(Policy::none())
            .no_proxy()
            .timeout(Duration::from_secs(30))
            .build()?;
        Ok(Self { http, guard })
    }

    /// Sends a text to the agent at an admitted interface: status and body of the answer.
    ///
    /// # Errors
    ///
    /// An address that must not be reached, no answer, or more than 1 MiB.
    pub async fn call(&self, interface: &AdmittedInterface, text: &str) -> Result<(u16, Vec<u8>), Failure> {
        let message = Message::new(interface, text);
        let url = message.url.parse()?;
        judge_literal(&self.guard, &url)?;
        let mut request = self.http.post(url).body(message.body);
        for (name, value) in message.headers {
            request = request.header(name, value);
        }
        let (mut response, mut body) = (request.send().await?, Vec::new());
        while let Some(chunk) = response.chunk().await? {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_BODY_OCTETS {
                return Err("the answer is too large".into());
            }
        }
        Ok((response.status().as_u16(), body))
    }
}

/// TLS with ring, for servers with a certificate of `authority`, in PEM.
///
/// # Errors
///
/// A certificate that cannot be read.
pub fn tls(authority: &str) -> Result<ClientConfig, Failure> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.as_bytes())?)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(versions.with_root_certificates(roots).with_no_client_auth())
}
