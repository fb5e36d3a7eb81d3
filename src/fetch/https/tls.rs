//! Who is believed to be a server, and who the client is.

use std::fmt;
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ClientConfig, RootCertStore};
use zeroize::Zeroize;

use countersign_keys::sha256_of_parts;

use crate::{Code, codes};

/// How TLS is set up. The default: Mozilla's list of authorities, no certificate of the client.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TlsTerms {
    /// Which authorities may issue certificates of servers.
    pub roots: Roots,
    /// The certificate that the client shows when a server asks for one.
    pub client: Option<ClientCertificate>,
}

/// Which authorities may issue certificates of servers.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_enums, reason = "the public list, one's own, or both")]
pub enum Roots {
    /// Mozilla's list, as it was when this was built.
    #[default]
    Public,
    /// Only these certificates, in PEM.
    Only(Vec<u8>),
    /// Mozilla's list and these certificates, in PEM.
    PublicAnd(Vec<u8>),
}

/// A certificate of the client, with its key. [`Debug`](fmt::Debug) does not show the key.
#[derive(Clone)]
pub struct ClientCertificate {
    certified: Arc<CertifiedKey>,
}

/// Why TLS cannot be set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TlsTermsError {
    /// There is no certificate in what was given.
    #[error("there is no certificate in PEM")]
    NoCertificate,
    /// A certificate, counted from 1, cannot be read.
    #[error("certificate {number} cannot be used")]
    BadCertificate {
        /// Which, counted from 1.
        number: usize,
    },
    /// There is no private key in what was given.
    #[error("there is no private key in PEM that is not encrypted: PKCS#8, SEC1 or PKCS#1")]
    NoKey,
    /// The key is of a kind that is not used for TLS.
    #[error("the private key cannot be used: expected RSA, P-256, P-384 or Ed25519")]
    BadKey,
    /// The key belongs to another certificate.
    #[error("the private key does not belong to the first certificate")]
    OtherKey,
    /// The parts cannot be used together.
    #[error("TLS cannot be set up")]
    Unusable,
}

impl TlsTerms {
    /// The same, with other authorities.
    #[must_use]
    pub fn with_roots(mut self, roots: Roots) -> Self {
        self.roots = roots;
        self
    }

    /// The same, with a certificate of the client.
    #[must_use]
    pub fn with_client(mut self, client: ClientCertificate) -> Self {
        self.client = Some(client);
        self
    }

    /// Of what servers are judged by and what they are shown; the key of the client takes no part.
    pub(super) fn digest(&self) -> [u8; 32] {
        let (kind, pem) = match &self.roots {
            Roots::Public => ("public", None),
            Roots::Only(pem) => ("only", Some(pem)),
            Roots::PublicAnd(pem) => ("public and", Some(pem)),
        };
        let chain = self.client.iter().flat_map(|client| &client.certified.cert);
        sha256_of_parts([
            sha256_of_parts([kind.as_bytes()]),
            sha256_of_parts(pem),
            sha256_of_parts(chain.map(|certificate| certificate.as_ref())),
        ])
    }

    pub(super) fn into_config(self) -> Result<ClientConfig, TlsTermsError> {
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|_| TlsTermsError::Unusable)?
            .with_root_certificates(self.roots.store()?);
        let mut config = match self.client {
            None => builder.with_no_client_auth(),
            Some(client) => {
                builder.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(client.certified)))
            }
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        // A resumed session would skip the look at the certificate.
        config.resumption = Resumption::disabled();
        Ok(config)
    }
}

impl Roots {
    fn store(&self) -> Result<RootCertStore, TlsTermsError> {
        let mut store = RootCertStore::empty();
        let own = match self {
            Self::Public => None,
            Self::Only(pem) | Self::PublicAnd(pem) => Some(pem),
        };
        if let Some(pem) = own {
            for (certificate, number) in certificates(pem)?.into_iter().zip(1..) {
                store.add(certificate).map_err(|_| TlsTermsError::BadCertificate { number })?;
            }
        }
        if !matches!(self, Self::Only(_)) {
            store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        }
        Ok(store)
    }
}

impl ClientCertificate {
    /// Reads a chain of certificates, the one of the client first, and its private key, both in PEM. The key must not be
    /// encrypted. The copies of the key that are made on the way are wiped where that can be done; `key` is the caller's.
    ///
    /// # Errors
    ///
    /// [`TlsTermsError`] if there is no certificate or key, or if they do not belong together.
    pub fn from_pem(certificate_chain: &[u8], key: &[u8]) -> Result<Self, TlsTermsError> {
        let chain = certificates(certificate_chain)?;
        let mut der = PrivateKeyDer::from_pem_slice(key).map_err(|_| TlsTermsError::NoKey)?;
        let signing = ring::sign::any_supported_type(&der);
        der.zeroize();
        let certified = CertifiedKey::new(chain, signing.map_err(|_| TlsTermsError::BadKey)?);
        match certified.keys_match() {
            Ok(()) => Ok(Self { certified: Arc::new(certified) }),
            Err(rustls::Error::InconsistentKeys(_)) => Err(TlsTermsError::OtherKey),
            Err(_) => Err(TlsTermsError::BadCertificate { number: 1 }),
        }
    }
}

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCertificate")
            .field("certificates", &self.certified.cert.len())
            .finish_non_exhaustive()
    }
}

impl TlsTermsError {
    /// The public code.
    #[must_use]
    pub const fn code(&self) -> Code {
        codes::fetch::FETCH_CREDENTIALS
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsTermsError> {
    let mut certificates = Vec::new();
    for (certificate, number) in CertificateDer::pem_slice_iter(pem).zip(1..) {
        certificates.push(certificate.map_err(|_| TlsTermsError::BadCertificate { number })?);
    }
    if certificates.is_empty() { Err(TlsTermsError::NoCertificate) } else { Ok(certificates) }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair};

    use super::Roots;

    #[test]
    fn the_public_list_is_believed_only_where_that_is_said() {
        let params = CertificateParams::new(vec!["one.example".to_owned()]).unwrap();
        let pem = params.self_signed(&KeyPair::generate().unwrap()).unwrap().pem().into_bytes();
        let count = |roots: Roots| roots.store().unwrap().len();
        let public = count(Roots::Public);
        assert!(public > 50);
        assert_eq!(count(Roots::Only(pem.clone())), 1);
        assert_eq!(count(Roots::PublicAnd(pem)), public + 1);
    }
}
