//! What the owner of a client allows, and the words it is said in: protocol versions and times.
//!
//! This package knows no AgentCard and no socket, and it reads no clock: the time is always an argument.

pub mod codes;
mod time;
mod version;

pub use time::UnixTime;
pub use version::{CardVersion, ProtocolVersion, VersionError, VersionFault};
