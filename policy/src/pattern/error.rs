//! Why a text is no host pattern, and why a pattern does not match a URL.

use core::net::IpAddr;

use countersign_keys::Code;

use crate::codes;
use crate::url::{Scheme, UrlError};

/// Why a text is no pattern or network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// A character that has no meaning in a pattern, at octet `offset`.
    #[error("`{character}` at octet {offset} has no meaning in a host pattern")]
    Character {
        /// Where.
        offset: usize,
        /// The character.
        character: char,
    },
    /// A scheme that no interface can have.
    #[error("the scheme `{scheme}` is none of `https`, `http`, `wss`, `ws`")]
    Scheme {
        /// What stands before `://`.
        scheme: String,
    },
    /// A port that is neither `*` nor 1 to 65535 without leading zeros.
    #[error("`{port}` is neither `*` nor a port from 1 to 65535 without leading zeros")]
    Port {
        /// The text after the colon.
        port: String,
    },
    /// A path in a pattern that denies: it would be escaped from by spelling the path otherwise.
    #[error("a denied host has no path, found `{path}`")]
    DenyPath {
        /// The path.
        path: String,
    },
    /// A `*` or `**` alone.
    #[error("`{text}` would match every host")]
    HostAny {
        /// The pattern.
        text: String,
    },
    /// A wildcard that is not the whole left-most label.
    #[error("`{text}` has a wildcard that is not the whole left-most label before a host name")]
    WildcardPosition {
        /// The host of the pattern.
        text: String,
    },
    /// A wildcard on a public suffix, or on a name with public suffixes below it.
    #[error(
        "a wildcard below `{base}` matches hosts of strangers: it is a public suffix, or one lies below it"
    )]
    PublicSuffixWildcard {
        /// The name below the wildcard.
        base: String,
    },
    /// A wildcard on a hosting service that gives names to anybody.
    #[error("a wildcard below `{base}` matches hosts of strangers: `{hosting}` gives names to anybody")]
    SharedHostingWildcard {
        /// The name below the wildcard.
        base: String,
        /// The name of the hosting service.
        hosting: &'static str,
    },
    /// A label outside ASCII that has no A-label (UTS 46, non-transitional).
    #[error("the label `{label}` has no A-label (UTS 46, non-transitional)")]
    Label {
        /// The label.
        label: String,
    },
    /// A host or path that no URL can have.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// Not `address/length`, or set bits beyond the length.
    #[error("`{text}` is no network: an address without host bits, `/`, and a length is expected (RFC 4632)")]
    Network {
        /// The text.
        text: String,
    },
}

impl PatternError {
    /// The code of this error.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Character { .. }
            | Self::Scheme { .. }
            | Self::Port { .. }
            | Self::DenyPath { .. }
            | Self::Label { .. } => codes::POLICY_PATTERN_SYNTAX,
            Self::HostAny { .. } => codes::POLICY_HOST_ANY,
            Self::WildcardPosition { .. } => codes::POLICY_WILDCARD_POSITION,
            Self::PublicSuffixWildcard { .. } => codes::POLICY_PUBLIC_SUFFIX_WILDCARD,
            Self::SharedHostingWildcard { .. } => codes::POLICY_SHARED_HOSTING_WILDCARD,
            Self::Url(error) => error.code(),
            Self::Network { .. } => codes::POLICY_NETWORK_SYNTAX,
        }
    }
}

/// Why a pattern does not match a URL: the first of host, scheme, port and path that differs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// Another host.
    #[error("`{host}` is another host")]
    Host {
        /// The host of the URL.
        host: String,
    },
    /// The name below the wildcard itself.
    #[error("a wildcard never matches `{base}` itself, list it too")]
    Apex {
        /// The name below the wildcard.
        base: String,
    },
    /// More labels than the wildcard stands for.
    #[error("{labels} labels stand before `{base}`, `*.` allows 1 and `**.` any number")]
    Depth {
        /// Labels found before the name.
        labels: usize,
        /// The name below the wildcard.
        base: String,
    },
    /// `localhost`, or a name below it, where loopback is not allowed.
    #[error("`{host}` is this machine, which is allowed only with `allow-loopback = true`")]
    Loopback {
        /// The host of the URL.
        host: String,
    },
    /// Another scheme.
    #[error("the scheme is {}, the pattern allows {}", scheme_name(*.found), scheme_name(*.expected))]
    Scheme {
        /// Of the pattern.
        expected: Scheme,
        /// Of the URL.
        found: Scheme,
    },
    /// Another port.
    #[error("the port is {found}, the pattern allows {expected}")]
    Port {
        /// Of the pattern.
        expected: u16,
        /// Of the URL.
        found: u16,
    },
    /// Another path.
    #[error("the path is `{found}`, the pattern allows `{expected}`{}", if expected.ends_with('/') { " and what is below" } else { " only" })]
    Path {
        /// Of the pattern.
        expected: String,
        /// Of the URL.
        found: String,
    },
    /// An address outside the network.
    #[error("`{address}` is outside the network")]
    Network {
        /// The address.
        address: IpAddr,
    },
}

const fn scheme_name(scheme: Scheme) -> &'static str {
    match scheme.name() {
        Some(name) => name,
        None => "`host:port`",
    }
}
