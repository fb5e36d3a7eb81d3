//! What the owner of a client allows, and the words it is said in: protocol versions, times, URLs and
//! host patterns.
//!
//! This package knows no AgentCard and no socket, and it reads no clock: the time is always an argument.

pub mod codes;
mod pattern;
mod time;
mod url;
mod version;

pub use pattern::{
    AllowPattern, DenyPattern, LoopbackNames, Mismatch, Network, PatternError, Specificity,
    registrable_domain,
};
pub use time::UnixTime;
pub use url::{
    AddressClass, AuthorityFault, Host, HostName, Origin, Scheme, Spelling, StrictUrl, UrlError, UrlUse,
};
pub use version::{CardVersion, ProtocolVersion, VersionError, VersionFault};
