//! URLs as cards write them, under one strict profile.

mod address;
mod error;
mod host;
mod read;
mod usual;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

pub use address::AddressClass;
pub use error::{AuthorityFault, UrlError};
pub use host::{Host, HostName};
pub(crate) use read::check_path;

/// Most octets of a URL.
const MAX_URL_OCTETS: usize = 2048;

/// Most octets of a host name (RFC 1035 section 2.3.4, without the length octets).
const MAX_HOST_OCTETS: usize = 253;

/// Most octets of a label (RFC 1035 section 2.3.4).
const MAX_LABEL_OCTETS: usize = 63;

/// A URL that every client reads alike, or the `host:port` of a gRPC interface (A2A 1.0 section 4.4.6).
///
/// What RFC 3986 and the WHATWG URL standard read differently is refused, not repaired, so the host that is judged is the
/// host that is called. Two are equal when scheme, host, effective port, path, query and fragment are; the text they were
/// read from takes no part. A metadata service of a cloud is never the host. Not checked: what the host name resolves to,
/// whether anything answers, and whether the address is public (see [`require_public`](Self::require_public)).
///
/// # Examples
///
/// ```
/// use countersign_policy::{Scheme, StrictUrl, UrlUse};
///
/// let url = StrictUrl::read("HTTPS://Agents.example.com:443/a2a", UrlUse::Interface)?;
/// assert_eq!(url.scheme(), Scheme::Https);
/// assert_eq!(url.host().to_string(), "agents.example.com");
/// assert_eq!(url.canonical_text(), "https://agents.example.com/a2a");
/// let error = StrictUrl::read("https://agents.example.com@evil.test/", UrlUse::Interface).unwrap_err();
/// assert_eq!((error.code().name(), error.offset()), ("url.userinfo", 26));
/// # Ok::<(), countersign_policy::UrlError>(())
/// ```
#[derive(Clone, Debug)]
pub struct StrictUrl {
    text: Arc<str>,
    scheme: Scheme,
    host: Host,
    host_offset: usize,
    port: Option<u16>,
    /// Path, query and fragment stand in the text.
    path: Range<usize>,
    query: Option<Range<usize>>,
    fragment: Option<Range<usize>>,
}

/// What a URL is for: it decides which parts the URL may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UrlUse {
    /// An interface of any binding but GRPC: no query, no fragment.
    Interface,
    /// The same, where the trust policy says `query = "allow"`: no fragment.
    InterfaceWithQuery,
    /// An interface of the binding GRPC: `host:port`, or a URL without query and fragment.
    GrpcInterface,
    /// Where a client sends credentials or gets keys: the URLs of OAuth and OpenID Connect, `jku`. No fragment.
    Credential,
    /// A URL for people: icon, documentation, provider. Query and fragment are allowed.
    Information,
}

/// How an interface is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// `https`, port 443.
    Https,
    /// `http`, port 80.
    Http,
    /// `wss`, port 443 (RFC 6455).
    Wss,
    /// `ws`, port 80 (RFC 6455).
    Ws,
    /// No scheme: `host:port` of a gRPC interface, over TLS; its default port is 443 and must be written all the same.
    HostPort,
}

/// A scheme, host and port (RFC 6454). The origin of a gRPC `host:port` is that of https.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Origin {
    /// The scheme, never [`Scheme::HostPort`].
    pub scheme: Scheme,
    /// The host.
    pub host: Host,
    /// The port, whether written or not.
    pub port: u16,
}

/// A spelling that clients fold and string comparisons do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Spelling {
    /// Upper-case letters in the scheme.
    #[error("the scheme is not in lower case")]
    SchemeCase,
    /// Upper-case letters in the host.
    #[error("the host is not in lower case")]
    HostCase,
    /// The default port of the scheme, written.
    #[error("the port is the default of the scheme and need not be written")]
    DefaultPort,
}

impl StrictUrl {
    /// Reads `text`, exactly as the card has it.
    ///
    /// # Errors
    ///
    /// The first fault in this order: length, control characters and spaces, characters outside ASCII, backslash, `://`,
    /// scheme, forbidden characters, user information, host, port, metadata address, path, query, fragment.
    pub fn read(text: &str, url_use: UrlUse) -> Result<Self, UrlError> {
        read::read(text, url_use).map(read::ReadUrl::keep)
    }

    /// Whether `text` is a URL for this use; nothing is kept of it.
    pub(crate) fn check(text: &str, url_use: UrlUse) -> Result<(), UrlError> {
        read::read(text, url_use).map(|_| ())
    }

    /// The text of [`raw`](Self::raw), shared.
    pub(crate) fn text(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// The text, as it was read.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.text
    }

    /// The scheme.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host, names in lower case.
    #[must_use]
    pub const fn host(&self) -> &Host {
        &self.host
    }

    /// The port, where one is written.
    #[must_use]
    pub const fn explicit_port(&self) -> Option<u16> {
        self.port
    }

    /// The port that is called: the written one, or the default of the scheme.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(self.scheme.default_port())
    }

    /// The path, as written; `/` where there is none (RFC 3986 section 6.2.3).
    #[must_use]
    pub fn path(&self) -> &str {
        if self.path.is_empty() { "/" } else { self.part(&self.path) }
    }

    /// What follows the question mark, where there is one.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.query.as_ref().map(|query| self.part(query))
    }

    /// What follows the number sign, where there is one.
    #[must_use]
    pub fn fragment(&self) -> Option<&str> {
        self.fragment.as_ref().map(|fragment| self.part(fragment))
    }

    /// Scheme, host and port, by which keys and rules are scoped.
    #[must_use]
    pub fn origin(&self) -> Origin {
        let scheme = if self.scheme == Scheme::HostPort { Scheme::Https } else { self.scheme };
        Origin { scheme, host: self.host.clone(), port: self.port() }
    }

    /// The kind of address that the host is, by its text alone.
    #[must_use]
    pub fn address_class(&self) -> AddressClass {
        self.host.address_class()
    }

    /// Whether the host is a loopback address, `localhost`, or a name below it.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.address_class() == AddressClass::Loopback
    }

    /// Judges the address as a policy without exceptions does: a public address, or a name.
    ///
    /// Names other than `localhost` and those below it are not resolved and pass.
    ///
    /// # Errors
    ///
    /// [`UrlError::PrivateAddress`] for every other class.
    pub fn require_public(&self) -> Result<(), UrlError> {
        let class = self.address_class();
        if matches!(class, AddressClass::Name | AddressClass::Public) {
            return Ok(());
        }
        Err(UrlError::PrivateAddress { offset: self.host_offset, host: self.host.to_string(), class })
    }

    /// The spellings that [`canonical_text`](Self::canonical_text) changes.
    pub fn spellings(&self) -> impl Iterator<Item = Spelling> + use<> {
        let upper_case = |octets: &str| octets.bytes().any(|octet| octet.is_ascii_uppercase());
        let (before_host, after) = self.text.split_at_checked(self.host_offset).unwrap_or((&self.text, ""));
        let authority = after.split(['/', '?', '#']).next();
        let is_default = self.scheme != Scheme::HostPort && self.port == Some(self.scheme.default_port());
        [
            upper_case(before_host).then_some(Spelling::SchemeCase),
            authority.is_some_and(upper_case).then_some(Spelling::HostCase),
            is_default.then_some(Spelling::DefaultPort),
        ]
        .into_iter()
        .flatten()
    }

    /// The same URL with scheme and host in lower case and without a default port. Path, query and fragment stay as written.
    #[must_use]
    pub fn canonical_text(&self) -> String {
        let mut text = String::with_capacity(self.text.len());
        if let Some(name) = self.scheme.name() {
            text.push_str(name);
            text.push_str("://");
        }
        text.push_str(&self.host.to_string());
        if let Some(port) = self.port
            && (self.scheme == Scheme::HostPort || port != self.scheme.default_port())
        {
            text.push(':');
            text.push_str(&port.to_string());
        }
        text.push_str(self.text.get(self.path.start..).unwrap_or_default());
        text
    }

    fn part(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// What equality compares.
    fn identity(&self) -> (Scheme, &Host, u16, &str, Option<&str>, Option<&str>) {
        (self.scheme, &self.host, self.port(), self.path(), self.query(), self.fragment())
    }
}

impl PartialEq for StrictUrl {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for StrictUrl {}

impl Hash for StrictUrl {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

/// The text, as it was read.
impl fmt::Display for StrictUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl UrlUse {
    /// Whether a query may be there.
    const fn allows_query(self) -> bool {
        match self {
            Self::InterfaceWithQuery | Self::Credential | Self::Information => true,
            Self::Interface | Self::GrpcInterface => false,
        }
    }

    /// Whether a fragment may be there.
    const fn allows_fragment(self) -> bool {
        match self {
            Self::Information => true,
            Self::Interface | Self::InterfaceWithQuery | Self::GrpcInterface | Self::Credential => false,
        }
    }
}

impl Scheme {
    /// The schemes that stand before `://`.
    const OF_URLS: [Self; 4] = [Self::Https, Self::Http, Self::Wss, Self::Ws];

    /// The name in lower case, where there is one.
    #[must_use]
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Https => Some("https"),
            Self::Http => Some("http"),
            Self::Wss => Some("wss"),
            Self::Ws => Some("ws"),
            Self::HostPort => None,
        }
    }

    /// The port that is called where none is written.
    #[must_use]
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Https | Self::Wss | Self::HostPort => 443,
            Self::Http | Self::Ws => 80,
        }
    }

    /// The scheme with this name, letters folded.
    pub(crate) fn of_url(name: &str) -> Option<Self> {
        Self::OF_URLS
            .into_iter()
            .find(|scheme| scheme.name().is_some_and(|known| known.eq_ignore_ascii_case(name)))
    }
}

/// `https://host`, with the port where it is not the default (RFC 6454 section 6.2).
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.scheme.name() {
            write!(f, "{name}://")?;
        }
        self.host.fmt(f)?;
        if self.port == self.scheme.default_port() { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}
