//! Why a text is no URL that may be used.

use countersign_keys::Code;

use super::{AddressClass, MAX_HOST_OCTETS, MAX_LABEL_OCTETS, MAX_URL_OCTETS};
use crate::codes;

/// The first fault of a URL, in the order of [`StrictUrl::read`](super::StrictUrl::read).
///
/// Every `offset` is the place in the text that was read, in octets from 0. What stands before an `@` is never shown: it
/// may be a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlError {
    /// The text is empty.
    #[error("the URL is empty")]
    Empty,
    /// The text is too long.
    #[error("the URL has {octets} octets, at most {MAX_URL_OCTETS} are read")]
    TooLong {
        /// Octets found.
        octets: usize,
    },
    /// A control character or a space, which WHATWG parsers delete or trim and others keep.
    #[error("the URL holds the control character or space U+{octet:04X} at octet {offset}")]
    ControlOrSpace {
        /// Where.
        offset: usize,
        /// The character.
        octet: u8,
    },
    /// A character outside ASCII.
    #[error("the URL holds U+{:04X} at octet {offset}, only ASCII is read", u32::from(*.character))]
    NonAscii {
        /// Where.
        offset: usize,
        /// The character.
        character: char,
    },
    /// A backslash, which WHATWG parsers read as `/`.
    #[error("the URL holds a backslash at octet {offset}")]
    Backslash {
        /// Where.
        offset: usize,
    },
    /// No `scheme://` at the start.
    #[error("the URL does not start with a scheme and `://`")]
    NotAbsolute,
    /// A scheme that no interface can have.
    #[error("the scheme `{scheme}` is none of `https`, `http`, `wss`, `ws`")]
    SchemeUnsupported {
        /// What stands before `://`.
        scheme: String,
    },
    /// A gRPC naming target, where the card would choose the resolver or a local socket.
    #[error("`{scheme}:` names a gRPC resolver, expected `host:port`")]
    GrpcTargetScheme {
        /// What stands before the first colon.
        scheme: String,
    },
    /// A character that may not stand there unescaped (RFC 3986 section 2).
    #[error("the URL holds `{character}` at octet {offset}, which may not stand there unescaped")]
    ForbiddenChar {
        /// Where.
        offset: usize,
        /// The character.
        character: char,
    },
    /// Something before an `@`, or an `@` alone.
    #[error("the URL has user information before the `@` at octet {offset}")]
    Userinfo {
        /// Where the last `@` of the authority is.
        offset: usize,
    },
    /// An authority that cannot be split into a host and a port.
    #[error("the authority of the URL {fault}")]
    BadAuthority {
        /// Where the authority starts.
        offset: usize,
        /// What is wrong with it.
        fault: AuthorityFault,
    },
    /// No host.
    #[error("the URL has no host")]
    EmptyHost {
        /// Where it should be.
        offset: usize,
    },
    /// A percent escape in the host.
    #[error("the host `{host}` holds a percent escape")]
    HostPercentEncoded {
        /// Where the percent sign is.
        offset: usize,
        /// The host.
        host: String,
    },
    /// A dot at the end of the host.
    #[error("the host `{host}` ends with a dot")]
    HostTrailingDot {
        /// Where the dot is.
        offset: usize,
        /// The host.
        host: String,
    },
    /// Nothing between two dots, or before the first.
    #[error("the host `{host}` has an empty label")]
    HostEmptyLabel {
        /// Where the label should be.
        offset: usize,
        /// The host.
        host: String,
    },
    /// A host name of more than 253 octets.
    #[error("the host has {octets} octets, at most {MAX_HOST_OCTETS} are possible (RFC 1035 section 2.3.4)")]
    HostTooLong {
        /// Where the host starts.
        offset: usize,
        /// Octets found.
        octets: usize,
    },
    /// A label of more than 63 octets.
    #[error(
        "a label of the host has {octets} octets, at most {MAX_LABEL_OCTETS} are possible (RFC 1035 section 2.3.4)"
    )]
    LabelTooLong {
        /// Where the label starts.
        offset: usize,
        /// Octets found.
        octets: usize,
    },
    /// An `xn--` label that is not the one A-label of a Unicode label.
    #[error("the label `{label}` is not the A-label of any name (UTS 46, non-transitional)")]
    HostBadALabel {
        /// Where the label starts.
        offset: usize,
        /// The label.
        label: String,
    },
    /// A label with a character other than letters, digits and inner hyphens.
    #[error("the label `{label}` is not made of letters, digits and inner hyphens")]
    HostNonLdh {
        /// Where the label starts.
        offset: usize,
        /// The label.
        label: String,
    },
    /// An IP address in another than its one text.
    #[error("`{text}` is not the text of an IP address{}", canonical_hint(.canonical.as_deref()))]
    IpNoncanonical {
        /// Where it starts.
        offset: usize,
        /// The text found.
        text: String,
        /// The text of the same address, where there is no doubt which address is meant.
        canonical: Option<String>,
    },
    /// An IPv6 address with a zone identifier (RFC 6874).
    #[error(
        "the IPv6 address has a zone identifier at octet {offset}, which only means something on one machine"
    )]
    Ipv6Zone {
        /// Where the percent sign is.
        offset: usize,
    },
    /// An IPv6 address that stands for an IPv4 address.
    #[error("`[{text}]` embeds an IPv4 address")]
    IpEmbeddedV4 {
        /// Where the address starts.
        offset: usize,
        /// The address.
        text: String,
    },
    /// A port that is not 1 to 65535 in digits without leading zeros.
    #[error("`{port}` is not a port from 1 to 65535 without leading zeros")]
    PortInvalid {
        /// Where the port should start.
        offset: usize,
        /// The text after the colon.
        port: String,
    },
    /// A gRPC address without a port.
    #[error("the gRPC address has no port, expected `host:port`")]
    GrpcPortMissing {
        /// Where the port should be.
        offset: usize,
    },
    /// A gRPC address followed by a path, a query or a fragment.
    #[error("the gRPC address goes on after the port at octet {offset}, expected `host:port`")]
    GrpcAddressPath {
        /// Where it goes on.
        offset: usize,
    },
    /// A percent sign in the path that two hexadecimal digits do not follow.
    #[error("the path has a percent sign without two hexadecimal digits at octet {offset}")]
    PathBadEscape {
        /// Where the percent sign is.
        offset: usize,
    },
    /// An escaped slash, backslash or NUL in the path.
    #[error("the path has an escaped slash, backslash or NUL at octet {offset}")]
    PathEncodedDelimiter {
        /// Where the percent sign is.
        offset: usize,
    },
    /// A `.` or `..` segment in any spelling.
    #[error("the path segment `{segment}` is `.` or `..` to some readers")]
    PathDotSegment {
        /// Where the segment starts.
        offset: usize,
        /// The segment.
        segment: String,
    },
    /// Two slashes in a row in the path.
    #[error("the path has an empty segment at octet {offset}")]
    PathEmptySegment {
        /// Where the second slash is.
        offset: usize,
    },
    /// A query where none may be.
    #[error("the URL has a query at octet {offset}, none may be here")]
    Query {
        /// Where the question mark is.
        offset: usize,
    },
    /// A fragment where none may be.
    #[error("the URL has a fragment at octet {offset}, none may be here")]
    Fragment {
        /// Where the number sign is.
        offset: usize,
    },
    /// The metadata service of a cloud: nothing allows it.
    #[error("the host `{host}` is the metadata service of a cloud")]
    MetadataAddress {
        /// Where the host starts.
        offset: usize,
        /// The host.
        host: String,
    },
    /// An address outside the public address space, or a name that always means such an address.
    #[error("the host `{host}` is not public: {class}")]
    PrivateAddress {
        /// Where the host starts.
        offset: usize,
        /// The host.
        host: String,
        /// What kind of address it is.
        class: AddressClass,
    },
}

/// Why an authority cannot be split into a host and a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthorityFault {
    /// `[` without `]`.
    #[error("opens a bracket and does not close it")]
    Unclosed,
    /// Brackets that hold something other than an IPv6 address.
    #[error("has brackets around something that is no IPv6 address")]
    NotIpv6,
    /// Something other than a port after `]`.
    #[error("goes on after the closing bracket with something other than a port")]
    AfterBracket,
    /// A bracket that is not at the start.
    #[error("has a bracket inside")]
    InnerBracket,
    /// Several colons: perhaps an IPv6 address without brackets.
    #[error("has more than one colon outside brackets")]
    Colons,
}

impl UrlError {
    /// The code of this error.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Empty => codes::URL_EMPTY,
            Self::TooLong { .. } => codes::URL_TOO_LONG,
            Self::ControlOrSpace { .. } => codes::URL_CONTROL_OR_SPACE,
            Self::NonAscii { .. } => codes::URL_NON_ASCII,
            Self::Backslash { .. } => codes::URL_BACKSLASH,
            Self::NotAbsolute => codes::URL_NOT_ABSOLUTE,
            Self::SchemeUnsupported { .. } => codes::URL_SCHEME_UNSUPPORTED,
            Self::GrpcTargetScheme { .. } => codes::URL_GRPC_TARGET_SCHEME,
            Self::ForbiddenChar { .. } => codes::URL_FORBIDDEN_CHAR,
            Self::Userinfo { .. } => codes::URL_USERINFO,
            Self::BadAuthority { .. } => codes::URL_BAD_AUTHORITY,
            Self::EmptyHost { .. } => codes::URL_EMPTY_HOST,
            Self::HostPercentEncoded { .. } => codes::URL_HOST_PERCENT_ENCODED,
            Self::HostTrailingDot { .. } => codes::URL_HOST_TRAILING_DOT,
            Self::HostEmptyLabel { .. } => codes::URL_HOST_EMPTY_LABEL,
            Self::HostTooLong { .. } | Self::LabelTooLong { .. } => codes::URL_HOST_TOO_LONG,
            Self::HostBadALabel { .. } => codes::URL_HOST_BAD_ALABEL,
            Self::HostNonLdh { .. } => codes::URL_HOST_NON_LDH,
            Self::IpNoncanonical { .. } => codes::URL_IP_NONCANONICAL,
            Self::Ipv6Zone { .. } => codes::URL_IPV6_ZONE,
            Self::IpEmbeddedV4 { .. } => codes::URL_IP_EMBEDDED_V4,
            Self::PortInvalid { .. } => codes::URL_PORT_INVALID,
            Self::GrpcPortMissing { .. } => codes::URL_GRPC_PORT_MISSING,
            Self::GrpcAddressPath { .. } => codes::URL_GRPC_ADDRESS_PATH,
            Self::PathBadEscape { .. } => codes::URL_PATH_BAD_ESCAPE,
            Self::PathEncodedDelimiter { .. } => codes::URL_PATH_ENCODED_DELIMITER,
            Self::PathDotSegment { .. } => codes::URL_PATH_DOT_SEGMENT,
            Self::PathEmptySegment { .. } => codes::URL_PATH_EMPTY_SEGMENT,
            Self::Query { .. } => codes::URL_QUERY,
            Self::Fragment { .. } => codes::URL_FRAGMENT,
            Self::MetadataAddress { .. } => codes::URL_METADATA_ADDRESS,
            Self::PrivateAddress { .. } => codes::URL_PRIVATE_ADDRESS,
        }
    }

    /// Where the fault is: octets from the start of the text.
    #[must_use]
    pub const fn offset(&self) -> usize {
        match self {
            Self::Empty
            | Self::NotAbsolute
            | Self::SchemeUnsupported { .. }
            | Self::GrpcTargetScheme { .. } => 0,
            Self::TooLong { .. } => MAX_URL_OCTETS,
            Self::ControlOrSpace { offset, .. }
            | Self::NonAscii { offset, .. }
            | Self::Backslash { offset }
            | Self::ForbiddenChar { offset, .. }
            | Self::Userinfo { offset }
            | Self::BadAuthority { offset, .. }
            | Self::EmptyHost { offset }
            | Self::HostPercentEncoded { offset, .. }
            | Self::HostTrailingDot { offset, .. }
            | Self::HostEmptyLabel { offset, .. }
            | Self::HostTooLong { offset, .. }
            | Self::LabelTooLong { offset, .. }
            | Self::HostBadALabel { offset, .. }
            | Self::HostNonLdh { offset, .. }
            | Self::IpNoncanonical { offset, .. }
            | Self::Ipv6Zone { offset }
            | Self::IpEmbeddedV4 { offset, .. }
            | Self::PortInvalid { offset, .. }
            | Self::GrpcPortMissing { offset }
            | Self::GrpcAddressPath { offset }
            | Self::PathBadEscape { offset }
            | Self::PathEncodedDelimiter { offset }
            | Self::PathDotSegment { offset, .. }
            | Self::PathEmptySegment { offset }
            | Self::Query { offset }
            | Self::Fragment { offset }
            | Self::MetadataAddress { offset, .. }
            | Self::PrivateAddress { offset, .. } => *offset,
        }
    }

    /// What to write instead, one or two sentences.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        self.code().page().instead
    }
}

fn canonical_hint(canonical: Option<&str>) -> String {
    canonical.map(|text| format!(", expected `{text}`")).unwrap_or_default()
}
