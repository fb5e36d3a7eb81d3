//! Host patterns of a trust policy: what is allowed, what is denied, and networks.

mod compare;
mod error;
mod network;
mod read;
mod shared;
mod wider;

use std::borrow::Cow;
use std::fmt;

pub use error::{Mismatch, PatternError};
pub use network::Network;
pub(crate) use shared::is_below_public_suffix;
pub use shared::{PUBLIC_SUFFIX_LIST, registrable_domain};
pub(crate) use wider::{Wildcard, names_from};

use crate::url::{Host, HostName, Scheme, StrictUrl};

/// A pattern of URLs that are allowed: `[scheme "://"] host [":" port] [path]`.
///
/// Without a scheme, https and the gRPC `host:port`. A host name matches itself; `*.` stands for exactly one label, as in
/// TLS certificates, `**.` for one or more, and neither for none. An address matches itself, in its one text; names never
/// match addresses. Without a port, the default port of the scheme; `:*` is any. A path that ends in `/` matches what is
/// below it, any other only itself, in the same case; without a path, every path matches. A label outside ASCII is read as
/// its A-label (UTS 46, non-transitional).
///
/// # Examples
///
/// ```
/// use countersign_policy::{AllowPattern, LoopbackNames, Mismatch, StrictUrl, UrlUse};
///
/// let pattern = AllowPattern::read("*.example.com/a2a/")?;
/// let url = |text| StrictUrl::read(text, UrlUse::Interface);
/// assert_eq!(pattern.matches(&url("https://agents.example.com/a2a/v1")?, LoopbackNames::Refused), Ok(()));
/// let mismatch = pattern.matches(&url("https://a.b.example.com/a2a/v1")?, LoopbackNames::Refused);
/// assert_eq!(mismatch, Err(Mismatch::Depth { labels: 2, base: "example.com".to_owned() }));
/// assert_eq!(AllowPattern::read("*.github.io").unwrap_err().code().name(), "policy.public-suffix-wildcard");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AllowPattern {
    parts: Parts,
}

/// A pattern of hosts that are denied. It reads wider than [`AllowPattern`], since a gap in it is a hole.
///
/// A scheme and a port may be written and are not looked at; a path may not be written. `**.` also matches the name below
/// it, and a wildcard may stand below a public suffix.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DenyPattern {
    host: HostPattern,
}

/// Whether `localhost` and the names below it may be matched (`allow-loopback`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LoopbackNames {
    /// They match no pattern.
    Refused,
    /// They match like other names.
    Allowed,
}

/// How narrow a pattern is: the greatest is the most specific.
///
/// An exact host before `*.` before `**.`; then more labels; then a written port before the default one before `:*`; then
/// the longer path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Specificity {
    host: HostRank,
    labels: usize,
    port: PortRank,
    path_octets: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum HostRank {
    AnyDepth,
    OneLabel,
    Exact,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum PortRank {
    Any,
    Default,
    Exact,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Parts {
    scheme: Scheme,
    host: HostPattern,
    port: PortPattern,
    path: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum HostPattern {
    Exact(Host),
    OneLabel(HostName),
    AnyDepth(HostName),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum PortPattern {
    Default,
    Exact(u16),
    Any,
}

/// How many labels stand before the name below a wildcard.
enum Depth {
    Elsewhere,
    Apex,
    Below(usize),
}

impl AllowPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// [`PatternError`]: the fault, the first of characters, port, host, path, width.
    pub fn read(text: &str) -> Result<Self, PatternError> {
        let parts = read::read(text)?;
        match &parts.host {
            HostPattern::Exact(_) => {}
            HostPattern::OneLabel(base) | HostPattern::AnyDepth(base) => shared::refuse_shared(base)?,
        }
        Ok(Self { parts })
    }

    /// Whether `url` is allowed by this pattern.
    ///
    /// The kind of address is not judged beyond `loopback_names`: an exact pattern allows a private address.
    ///
    /// # Errors
    ///
    /// [`Mismatch`]: the first of host, scheme, port and path that differs.
    pub fn matches(&self, url: &StrictUrl, loopback_names: LoopbackNames) -> Result<(), Mismatch> {
        self.mismatches(url, loopback_names).into_iter().next().map_or(Ok(()), Err)
    }

    /// Whether `url` is allowed by this pattern, see [`matches`](Self::matches), which says why not.
    #[must_use]
    pub fn allows(&self, url: &StrictUrl, loopback_names: LoopbackNames) -> bool {
        self.parts.host.holds(url.host()) && self.beside_host(url, loopback_names).is_empty()
    }

    /// Everything about `url` that differs from the pattern: the host alone, or else scheme, port and path.
    pub(crate) fn mismatches(&self, url: &StrictUrl, loopback_names: LoopbackNames) -> Vec<Mismatch> {
        match self.parts.host.matches(url.host()) {
            Err(mismatch) => vec![mismatch],
            Ok(()) => self.beside_host(url, loopback_names),
        }
    }

    /// Everything else that differs, of a URL whose host fits.
    fn beside_host(&self, url: &StrictUrl, loopback_names: LoopbackNames) -> Vec<Mismatch> {
        let Parts { scheme, host: _, port, path } = &self.parts;
        if loopback_names == LoopbackNames::Refused && url.host().name().is_some() && url.is_loopback() {
            return vec![Mismatch::Loopback { host: url.host().to_string() }];
        }
        let mut found = Vec::new();
        let is_tls_address = *scheme == Scheme::Https && url.scheme() == Scheme::HostPort;
        if *scheme != url.scheme() && !is_tls_address {
            found.push(Mismatch::Scheme { expected: *scheme, found: url.scheme() });
        }
        let expected = match port {
            PortPattern::Any => url.port(),
            PortPattern::Default => scheme.default_port(),
            PortPattern::Exact(port) => *port,
        };
        // The default port of another scheme goes with the scheme.
        let is_default = *port == PortPattern::Default && url.port() == url.scheme().default_port();
        if (!is_default || found.is_empty()) && expected != url.port() {
            found.push(Mismatch::Port { expected, found: url.port() });
        }
        if let Some(path) = path.as_ref().filter(|path| !path_matches(path, url.path())) {
            found.push(Mismatch::Path { expected: path.clone(), found: url.path().to_owned() });
        }
        found
    }

    /// How narrow the pattern is.
    #[must_use]
    pub fn specificity(&self) -> Specificity {
        let (host, labels) = match &self.parts.host {
            HostPattern::Exact(host) => (HostRank::Exact, host.name().map_or(0, HostName::label_count)),
            HostPattern::OneLabel(base) => (HostRank::OneLabel, base.label_count()),
            HostPattern::AnyDepth(base) => (HostRank::AnyDepth, base.label_count()),
        };
        let port = match self.parts.port {
            PortPattern::Any => PortRank::Any,
            PortPattern::Default => PortRank::Default,
            PortPattern::Exact(_) => PortRank::Exact,
        };
        Specificity { host, labels, port, path_octets: self.parts.path.as_ref().map_or(0, String::len) }
    }

    /// The scheme that is allowed; https stands for the gRPC `host:port` too.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        self.parts.scheme
    }

    /// The host, where the pattern has no wildcard.
    #[must_use]
    pub const fn exact_host(&self) -> Option<&Host> {
        match &self.parts.host {
            HostPattern::Exact(host) => Some(host),
            HostPattern::OneLabel(_) | HostPattern::AnyDepth(_) => None,
        }
    }

    /// Whether every port is allowed.
    #[must_use]
    pub const fn allows_any_port(&self) -> bool {
        matches!(self.parts.port, PortPattern::Any)
    }
}

/// The pattern in lower case, in A-labels, without `https://` and without a default port.
impl fmt::Display for AllowPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { scheme, host, port, path } = &self.parts;
        if let Some(name) = scheme.name().filter(|_| *scheme != Scheme::Https) {
            write!(f, "{name}://")?;
        }
        host.fmt(f)?;
        match port {
            PortPattern::Default => {}
            PortPattern::Exact(port) => write!(f, ":{port}")?,
            PortPattern::Any => f.write_str(":*")?,
        }
        f.write_str(path.as_deref().unwrap_or_default())
    }
}

impl DenyPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// [`PatternError`]: the fault, the first of characters, port, host, path.
    pub fn read(text: &str) -> Result<Self, PatternError> {
        let Parts { host, path, .. } = read::read(text)?;
        match path {
            Some(path) => Err(PatternError::DenyPath { path }),
            None => Ok(Self { host }),
        }
    }

    /// Whether the host is denied by this pattern.
    #[must_use]
    pub fn denies(&self, host: &Host) -> bool {
        let is_apex = || match &self.host {
            HostPattern::AnyDepth(base) => matches!(depth(host, base), Depth::Apex),
            HostPattern::Exact(_) | HostPattern::OneLabel(_) => false,
        };
        self.host.holds(host) || is_apex()
    }
}

/// The host in lower case and in A-labels.
impl fmt::Display for DenyPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.host.fmt(f)
    }
}

impl HostPattern {
    fn holds(&self, host: &Host) -> bool {
        match self {
            Self::Exact(expected) => expected == host,
            Self::OneLabel(base) => matches!(depth(host, base), Depth::Below(1)),
            Self::AnyDepth(base) => matches!(depth(host, base), Depth::Below(_)),
        }
    }

    fn matches(&self, host: &Host) -> Result<(), Mismatch> {
        if self.holds(host) {
            return Ok(());
        }
        let elsewhere = || Mismatch::Host { host: host.to_string() };
        Err(match self {
            Self::Exact(_) => elsewhere(),
            Self::OneLabel(base) | Self::AnyDepth(base) => match depth(host, base) {
                Depth::Elsewhere => elsewhere(),
                Depth::Apex => Mismatch::Apex { base: base.to_string() },
                Depth::Below(labels) => Mismatch::Depth { labels, base: base.to_string() },
            },
        })
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(host) => host.fmt(f),
            Self::OneLabel(base) => write!(f, "*.{base}"),
            Self::AnyDepth(base) => write!(f, "**.{base}"),
        }
    }
}

fn depth(host: &Host, base: &HostName) -> Depth {
    let above = host.name().and_then(|name| name.as_str().strip_suffix(base.as_str()));
    match above.map(str::as_bytes) {
        Some([]) => Depth::Apex,
        // Every label above the base ends with a dot.
        Some(labels @ [.., b'.']) => Depth::Below(labels.iter().filter(|octet| **octet == b'.').count()),
        Some(_) | None => Depth::Elsewhere,
    }
}

/// Whether a path is the one of a pattern, or below it. Escapes of unreserved characters are read as the characters (RFC
/// 3986 section 6.2.2.2): servers do not tell them apart.
pub(crate) fn path_matches(pattern: &str, path: &str) -> bool {
    let (pattern, path) = (unescaped(pattern), unescaped(path));
    if pattern.ends_with('/') { path.starts_with(&*pattern) } else { path == pattern }
}

fn unescaped(path: &str) -> Cow<'_, str> {
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let mut text = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        let octet = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (octet.map(char::from), after.get(2..)) {
            (Some(character @ ('A'..='Z' | 'a'..='z' | '0'..='9' | '-' | '.' | '_' | '~')), Some(left)) => {
                text.push(character);
                rest = left;
            }
            _ => {
                text.push('%');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}
