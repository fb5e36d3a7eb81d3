//! Fetching cards and JWK sets over HTTPS, and remembering the responses as RFC 9111 says.
//!
//! [`Fetcher`] asks a [`ResponseStore`] first and a [`Fetch`] then. [`Fetch`] is one GET: `HttpsFetch` with the feature
//! `fetch`, or a client that the embedder brings. [`CardAddress`] says where the card of a host is. [`AddressGuard`] judges
//! the addresses that a name resolves to, also for connections that the embedder makes after admission.
//!
//! What comes back are octets: nothing is read, verified or admitted here. Time is an argument, except that `HttpsFetch`
//! measures how long an answer takes.

mod address;
mod ask;
mod discovery;
mod error;
mod fetcher;
mod freshness;
mod header;
mod memory;
mod request;
mod served;
mod store;

#[cfg(feature = "cache-disk")]
mod disk;
#[cfg(feature = "fetch")]
mod https;

pub use address::{AddressGuard, AddressRefused};
pub use ask::{AskTerms, Credential, ReuseTerms};
pub use discovery::{CardAddress, CardAddressError, CardAddressKind, FetchedCard};
#[cfg(feature = "cache-disk")]
pub use disk::DiskStore;
pub use error::{FetchError, SizeLimit, TlsFault};
pub use fetcher::{Fetched, FetchedHow, Fetcher};
#[cfg(feature = "fetch")]
pub use https::{
    ClientCertificate, HttpsFetch, NotResolved, Resolve, Roots, SystemResolver, TlsTerms, TlsTermsError,
};
pub use memory::MemoryStore;
pub use request::{Fetch, FetchRequest, FetchResponse, Offline};
pub use store::{NoStore, ResponseStore, StoreAction, StoreError, StoreKey, StoreLimits, StoredResponse};
