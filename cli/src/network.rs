//! The client of commands that fetch: TLS, what is remembered in a folder, what is remembered of agents.

use std::fs;
use std::path::Path;

use countersign::cache::CacheBounds;
use countersign::client::AdmissionClient;
use countersign::fetch::{
    ClientCertificate, DiskStore, Fetch, HttpsFetch, MemoryStore, Offline, ResponseStore, Roots, StoreLimits,
    TlsTerms, TlsTermsError,
};
use countersign::{Pins, TrustPolicy};
use zeroize::Zeroizing;

use crate::args::NetworkArgs;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::private::{self, Others};

/// The folder of responses, below the one of `--cache`.
pub(crate) const RESPONSES: &str = "responses";

/// A client as the arguments want it.
pub(crate) fn client(
    args: &NetworkArgs,
    policy: TrustPolicy,
    pins: Option<Pins>,
) -> Result<AdmissionClient, Failure> {
    let store: Box<dyn ResponseStore> = match &args.cache {
        Some(folder) => {
            private::make(folder).map_err(|error| Failure::writing(folder, &error))?;
            Box::new(responses(folder)?)
        }
        None => Box::new(MemoryStore::default()),
    };
    let client = AdmissionClient::with_store(policy, fetch(args)?, store, &CacheBounds::default());
    Ok(match pins {
        Some(pins) => client.with_pins(pins),
        None => client,
    })
}

/// The responses that are remembered in a folder.
pub(crate) fn responses(folder: &Path) -> Result<DiskStore, Failure> {
    private::check(folder, Others::MayRead)?;
    DiskStore::open(folder.join(RESPONSES), StoreLimits::default()).map_err(|error| {
        let message = format!("the folder `{}` cannot be used: {error}", folder.display());
        Failure::coded(Outcome::Environment, error.code(), message)
            .with_help("it has to be a folder that only its owner may use (mode 0700)")
    })
}

fn fetch(args: &NetworkArgs) -> Result<Box<dyn Fetch>, Failure> {
    let mut terms = TlsTerms::default();
    if let Some(path) = &args.ca {
        terms = terms.with_roots(Roots::PublicAnd(read(path)?));
    }
    if let (Some(chain), Some(key)) = (&args.client_certificate, &args.client_key) {
        let key_octets = Zeroizing::new(read(key)?);
        let certificate = ClientCertificate::from_pem(&read(chain)?, &key_octets);
        terms = terms.with_client(certificate.map_err(|error| unusable(&[chain, key], error))?);
    }
    let files: Vec<&Path> = args.ca.iter().map(AsRef::as_ref).collect();
    match HttpsFetch::with_tls(terms) {
        Ok(fetch) if args.offline => Ok(Box::new(Offline::like(&fetch))),
        Ok(fetch) => Ok(Box::new(fetch)),
        Err(error) => Err(unusable(&files, error)),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure::reading(path, &error))
}

fn unusable(files: &[impl AsRef<Path>], error: TlsTermsError) -> Failure {
    let files: Vec<String> = files.iter().map(|file| format!("`{}`", file.as_ref().display())).collect();
    Failure::coded(Outcome::CouldNotTell, error.code(), format!("{}: {error}", files.join(", ")))
}
