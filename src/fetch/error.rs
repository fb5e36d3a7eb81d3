//! Why nothing was fetched.

use core::net::IpAddr;
use std::fmt;
use std::io;
use std::time::Duration;

use countersign_policy::AddressClass;

use super::AddressRefused;
use crate::{Code, codes};

/// Why there is no response that can be used. It says nothing about the card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The client was told not to use the network.
    #[error("`{url}` is not remembered, or no longer fresh, and nothing may be fetched")]
    Offline {
        /// The URL.
        url: String,
    },
    /// Another scheme than https.
    #[error("`{url}` cannot be fetched: its scheme is not https")]
    NotHttps {
        /// The URL.
        url: String,
    },
    /// The request cannot be sent. Nothing was connected.
    #[error("`{url}`: {} cannot be sent", header.as_ref().map_or_else(|| "the request".to_owned(), |name| format!("the header `{name}`")))]
    Request {
        /// The URL.
        url: String,
        /// The name of the header that cannot be sent, where it is one. Its value may be a credential.
        header: Option<String>,
    },
    /// The host is or resolves to an address that must not be reached. Nothing was connected.
    #[error("`{url}`: the host is at {address}, {class}, and may be at a public address{} only", listed(*networks))]
    Address {
        /// The URL.
        url: String,
        /// The first address that must not be reached.
        address: IpAddr,
        /// Its class.
        class: AddressClass,
        /// How many networks are listed beside public addresses.
        networks: usize,
    },
    /// The host name does not resolve.
    #[error("`{url}`: the host name does not resolve to an address")]
    Dns {
        /// The URL.
        url: String,
    },
    /// There is no connection, or it ended too early.
    #[error("`{url}`: {}: {kind}", if *connected { "the connection ended before the response did" } else { "no connection" })]
    Unreachable {
        /// The URL.
        url: String,
        /// Whether a connection was made.
        connected: bool,
        /// What the system said.
        kind: io::ErrorKind,
    },
    /// TLS was refused by either side.
    #[error("`{url}`: no TLS connection: {fault}")]
    Tls {
        /// The URL.
        url: String,
        /// Why.
        fault: TlsFault,
    },
    /// The whole response did not arrive in time.
    #[error("`{url}`: no whole response within {} ms", limit.as_millis())]
    Timeout {
        /// The URL.
        url: String,
        /// The limit.
        limit: Duration,
    },
    /// The response is too large.
    #[error("`{url}`: the response has more than {most} {what}")]
    Size {
        /// The URL.
        url: String,
        /// The limit.
        most: usize,
        /// What was counted.
        what: SizeLimit,
    },
    /// The response is not HTTP, or its compression is damaged.
    #[error("`{url}`: the response is not HTTP/1.1 that can be read")]
    Protocol {
        /// The URL.
        url: String,
    },
    /// Another status than 200.
    #[error("`{url}`: status {status}, expected 200")]
    Status {
        /// The URL.
        url: String,
        /// The status.
        status: u16,
    },
    /// Another URL is named. It was not fetched.
    #[error("`{url}`: status {status} leads to {}, which was not fetched", target(location.as_deref()))]
    Redirect {
        /// The URL.
        url: String,
        /// The status.
        status: u16,
        /// The `Location` as written, at most 256 characters and without hidden ones; nothing if there is none.
        location: Option<String>,
    },
    /// The content type is not one that is accepted.
    #[error("`{url}`: the content type is {}, expected {}", found(content_type.as_deref()), expected.join(" or "))]
    ContentType {
        /// The URL.
        url: String,
        /// As written, at most 256 characters and without hidden ones; nothing if there is none.
        content_type: Option<String>,
        /// The types that are accepted.
        expected: Vec<String>,
    },
}

/// Why there is no TLS connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TlsFault {
    /// The certificate is for other names.
    #[error("the certificate is not for this host")]
    WrongName,
    /// The certificate's time is over.
    #[error("the certificate has expired")]
    Expired,
    /// The certificate's time has not begun.
    #[error("the certificate is not valid yet")]
    NotYetValid,
    /// No authority that is trusted issued it.
    #[error("the certificate is of an unknown authority")]
    UnknownIssuer,
    /// The authority took it back.
    #[error("the certificate is revoked")]
    Revoked,
    /// It is malformed, or must not be used for a server.
    #[error("the certificate cannot be used")]
    BadCertificate,
    /// The server refused, with the number of RFC 8446 section 6.
    #[error("the server refused with alert {number}")]
    Alert {
        /// The number of the alert.
        number: u8,
    },
    /// The two sides share no version or cipher, or what came is not TLS.
    #[error("the handshake failed")]
    Handshake,
}

/// What a size limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "what a response is made of")]
pub enum SizeLimit {
    /// Octets of the body, after decompression.
    BodyOctets,
    /// Octets of the header.
    HeaderOctets,
    /// Lines of the header.
    HeaderLines,
}

impl FetchError {
    /// An address of the host of `url` was refused, where `networks` are listed.
    #[must_use]
    pub fn refused(url: impl Into<String>, refused: AddressRefused, networks: usize) -> Self {
        Self::Address { url: url.into(), address: refused.address, class: refused.class, networks }
    }

    /// The public code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Offline { .. } => codes::fetch::FETCH_OFFLINE,
            Self::NotHttps { .. } => codes::fetch::FETCH_URL,
            Self::Request { .. } => codes::fetch::FETCH_REQUEST,
            Self::Address { .. } => codes::fetch::FETCH_ADDRESS,
            Self::Dns { .. } => codes::fetch::FETCH_DNS,
            Self::Unreachable { .. } => codes::fetch::FETCH_UNREACHABLE,
            Self::Tls { .. } => codes::fetch::FETCH_TLS,
            Self::Timeout { .. } => codes::fetch::FETCH_TIMEOUT,
            Self::Size { .. } => codes::fetch::FETCH_SIZE,
            Self::Protocol { .. } => codes::fetch::FETCH_PROTOCOL,
            Self::Status { .. } => codes::fetch::FETCH_STATUS,
            Self::Redirect { .. } => codes::fetch::FETCH_REDIRECT,
            Self::ContentType { .. } => codes::fetch::FETCH_CONTENT_TYPE,
        }
    }

    /// The URL that was asked for.
    #[must_use]
    pub fn url(&self) -> &str {
        match self {
            Self::Offline { url }
            | Self::NotHttps { url }
            | Self::Request { url, .. }
            | Self::Address { url, .. }
            | Self::Dns { url }
            | Self::Unreachable { url, .. }
            | Self::Tls { url, .. }
            | Self::Timeout { url, .. }
            | Self::Size { url, .. }
            | Self::Protocol { url }
            | Self::Status { url, .. }
            | Self::Redirect { url, .. }
            | Self::ContentType { url, .. } => url,
        }
    }

    /// Whether the source could not be asked, so that an older answer may stand in where the policy says so (RFC 5861
    /// section 4): no name, no connection, no answer in time, or status 500, 502, 503 or 504. An answer that is refused is
    /// none of these.
    #[must_use]
    pub const fn is_outage(&self) -> bool {
        match self {
            Self::Dns { .. } | Self::Unreachable { .. } | Self::Timeout { .. } => true,
            Self::Status { status, .. } => matches!(*status, 500 | 502..=504),
            Self::Offline { .. }
            | Self::NotHttps { .. }
            | Self::Request { .. }
            | Self::Address { .. }
            | Self::Tls { .. }
            | Self::Size { .. }
            | Self::Protocol { .. }
            | Self::Redirect { .. }
            | Self::ContentType { .. } => false,
        }
    }
}

impl fmt::Display for SizeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BodyOctets => "octets",
            Self::HeaderOctets => "octets of header",
            Self::HeaderLines => "header lines",
        })
    }
}

fn listed(networks: usize) -> &'static str {
    if networks == 0 { "" } else { " or one of the listed networks" }
}

fn target(location: Option<&str>) -> String {
    location.map_or_else(|| "no URL".to_owned(), |location| format!("`{location}`"))
}

fn found(content_type: Option<&str>) -> String {
    content_type.map_or_else(|| "absent".to_owned(), |content_type| format!("`{content_type}`"))
}
