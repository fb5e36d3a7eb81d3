//! The arguments of `select`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use countersign::{Accepted, Fallback, Preference, ProtocolChoice, ProtocolVersion};

use super::assumed_version;

#[derive(Args, Debug)]
pub(crate) struct SelectArgs {
    /// The card; `-` is standard input
    #[arg(value_name = "CARD")]
    pub(crate) card: PathBuf,
    /// What the client speaks, best first, repeatable: a protocol version and a binding, such as 1.0/JSONRPC,
    /// 1.0/HTTP+JSON, 1.0/GRPC, 0.3/JSONRPC, or 1.0/ and the URI of another binding
    #[arg(long, required = true, value_name = "VERSION/BINDING")]
    pub(crate) accept: Vec<Accepted>,
    /// Protocol versions that may be used: auto looks at every 1.x interface before any of 0.3
    #[arg(long, value_enum, default_value_t = Protocol::Auto)]
    pub(crate) protocol: Protocol,
    /// Which interface comes first of those that fit: in the order of the card, of the versions, or of --accept
    #[arg(long, value_enum, default_value_t = Prefer::Card)]
    pub(crate) prefer: Prefer,
    /// Whether a client that accepts 1.x and 0.3 may use 0.3 when the card offers no 1.x interface that fits
    #[arg(long, value_enum, default_value_t = Allowed::Deny)]
    pub(crate) fallback: Allowed,
    /// Protocol version of cards and interfaces that name none: 0.3 or 1.0
    #[arg(long, value_name = "VERSION", value_parser = assumed_version)]
    pub(crate) assume_version: Option<ProtocolVersion>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Protocol {
    #[value(name = "1.0")]
    V1,
    #[value(name = "0.3")]
    V0_3,
    Auto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Prefer {
    Card,
    Newest,
    Client,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Allowed {
    Allow,
    Deny,
}

impl From<Protocol> for ProtocolChoice {
    fn from(protocol: Protocol) -> Self {
        match protocol {
            Protocol::V1 => Self::V1,
            Protocol::V0_3 => Self::V0_3,
            Protocol::Auto => Self::Auto,
        }
    }
}

impl From<Prefer> for Preference {
    fn from(prefer: Prefer) -> Self {
        match prefer {
            Prefer::Card => Self::Card,
            Prefer::Newest => Self::Newest,
            Prefer::Client => Self::Client,
        }
    }
}

impl From<Allowed> for Fallback {
    fn from(allowed: Allowed) -> Self {
        match allowed {
            Allowed::Allow => Self::Allow,
            Allowed::Deny => Self::Deny,
        }
    }
}
