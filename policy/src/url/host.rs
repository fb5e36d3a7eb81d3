//! Hosts: names in letters, digits and hyphens, and IP addresses in their one text.

use core::cmp::Ordering;
use core::hash::{Hash, Hasher};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::ops::Range;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};

use super::{AddressClass, AuthorityFault, MAX_HOST_OCTETS, MAX_LABEL_OCTETS, MAX_URL_OCTETS, UrlError};

/// The host of a URL: a name, or an address (RFC 3986 section 3.2.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "RFC 3986 has these three kinds of host")]
pub enum Host {
    /// A host name.
    Name(HostName),
    /// An IPv4 address.
    V4(Ipv4Addr),
    /// An IPv6 address; no IPv4 address is embedded in it, unless it was built rather than read.
    V6(Ipv6Addr),
}

/// A host name in ASCII, in lower case, without a dot at the end.
///
/// 1 to 253 octets; labels of 1 to 63 letters, digits and inner hyphens (RFC 1123 section 2.1). The last label is no
/// number, so no reader takes the name for an IPv4 address. An `xn--` label is the one A-label of a valid Unicode label
/// (UTS 46, non-transitional). Whether the name exists is not checked.
#[derive(Clone)]
pub struct HostName {
    /// The name, or the URL that it stands in.
    text: Arc<str>,
    place: Range<u16>,
}

/// A host as it was read, before it is known whether anybody keeps it.
pub(super) enum ReadHost<'t> {
    /// Borrowed where it [has plain labels](has_plain_labels).
    Name(Cow<'t, str>),
    V4(Ipv4Addr),
    V6(Ipv6Addr),
}

impl HostName {
    /// The name, in lower case.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.text.get(usize::from(self.place.start)..usize::from(self.place.end)).unwrap_or_default()
    }

    /// The labels, from left to right; at least one.
    #[must_use]
    pub fn labels(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        self.as_str().split('.')
    }

    pub(crate) fn label_count(&self) -> usize {
        self.octets().iter().filter(|octet| **octet == b'.').count().saturating_add(1)
    }

    fn octets(&self) -> &[u8] {
        let place = usize::from(self.place.start)..usize::from(self.place.end);
        self.text.as_bytes().get(place).unwrap_or_default()
    }

    fn new(text: Arc<str>, start: usize, octets: usize) -> Self {
        // No URL has more octets than fit, see below.
        let place = |octet: usize| u16::try_from(octet).unwrap_or(u16::MAX);
        Self { text, place: place(start)..place(start.saturating_add(octets)) }
    }
}

/// A name that is cut off would be another host.
const _: () = assert!(MAX_URL_OCTETS <= 0xFFFF, "places in a URL fit into `HostName`");

impl fmt::Debug for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HostName").field(&self.as_str()).finish()
    }
}

impl PartialEq for HostName {
    fn eq(&self, other: &Self) -> bool {
        self.octets() == other.octets()
    }
}

impl Eq for HostName {}

impl PartialOrd for HostName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for HostName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for HostName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl ReadHost<'_> {
    pub(super) fn address_class(&self) -> AddressClass {
        match self {
            Self::Name(name) => AddressClass::of_name(name),
            Self::V4(address) => AddressClass::of_address(IpAddr::V4(*address)),
            Self::V6(address) => AddressClass::of_address(IpAddr::V6(*address)),
        }
    }

    /// The host for keeping: of `url`, where it stands at `offset`.
    pub(super) fn keep(self, url: &Arc<str>, offset: usize) -> Host {
        match self {
            Self::Name(Cow::Borrowed(name)) => Host::Name(HostName::new(Arc::clone(url), offset, name.len())),
            Self::Name(Cow::Owned(name)) => Host::Name(HostName::new(name.as_str().into(), 0, name.len())),
            Self::V4(address) => Host::V4(address),
            Self::V6(address) => Host::V6(address),
        }
    }
}

impl Host {
    /// Reads a host alone: a name, an IPv4 address, or an IPv6 address in brackets. Letters are folded to lower case.
    ///
    /// # Errors
    ///
    /// The host variants of [`UrlError`], with offsets into `text`. Private and metadata addresses are no error here.
    pub fn read(text: &str) -> Result<Self, UrlError> {
        let read = match text.strip_prefix('[') {
            Some(inner) => {
                let address = inner.strip_suffix(']');
                read_v6(
                    address.ok_or(UrlError::BadAuthority { offset: 0, fault: AuthorityFault::Unclosed })?,
                    1,
                )
            }
            None => read_name_or_v4(text, 0),
        };
        Ok(read?.keep(&text.into(), 0))
    }

    /// The host name, where the host is one.
    #[must_use]
    pub const fn name(&self) -> Option<&HostName> {
        match self {
            Self::Name(name) => Some(name),
            Self::V4(_) | Self::V6(_) => None,
        }
    }

    /// The address, where the host is one.
    #[must_use]
    pub const fn address(&self) -> Option<IpAddr> {
        match self {
            Self::Name(_) => None,
            Self::V4(address) => Some(IpAddr::V4(*address)),
            Self::V6(address) => Some(IpAddr::V6(*address)),
        }
    }

    /// The kind of address that the host is, by its text alone.
    #[must_use]
    pub fn address_class(&self) -> AddressClass {
        AddressClass::of_host(self)
    }
}

/// As in a URL: an IPv6 address stands in brackets.
impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => name.fmt(f),
            Self::V4(address) => address.fmt(f),
            Self::V6(address) => write!(f, "[{address}]"),
        }
    }
}

/// Reads what stands between the brackets; `offset` is where that starts.
pub(super) fn read_v6(text: &str, offset: usize) -> Result<ReadHost<'_>, UrlError> {
    if let Some(percent) = text.find('%') {
        return Err(UrlError::Ipv6Zone { offset: offset.saturating_add(percent) });
    }
    let address: Ipv6Addr =
        text.parse().map_err(|_| UrlError::BadAuthority { offset, fault: AuthorityFault::NotIpv6 })?;
    if AddressClass::of_address(address.into()) == AddressClass::EmbeddedV4 {
        return Err(UrlError::IpEmbeddedV4 { offset, text: text.to_owned() });
    }
    // The standard library writes the text of RFC 5952 section 4.
    let canonical = address.to_string();
    if canonical == text {
        Ok(ReadHost::V6(address))
    } else {
        Err(UrlError::IpNoncanonical { offset, text: text.to_owned(), canonical: Some(canonical) })
    }
}

/// Reads a host without brackets; `offset` is where it starts.
pub(super) fn read_name_or_v4(text: &str, offset: usize) -> Result<ReadHost<'_>, UrlError> {
    if text.bytes().all(is_plain) && has_plain_labels(text) {
        return Ok(ReadHost::Name(Cow::Borrowed(text)));
    }
    let at = |inner: usize| offset.saturating_add(inner);
    if text.is_empty() {
        return Err(UrlError::EmptyHost { offset });
    }
    if let Some(percent) = text.find('%') {
        return Err(UrlError::HostPercentEncoded { offset: at(percent), host: text.to_owned() });
    }
    if let Some(without_dot) = text.strip_suffix('.') {
        return Err(UrlError::HostTrailingDot { offset: at(without_dot.len()), host: text.to_owned() });
    }
    if let Some((label_offset, _)) = labels_with_offsets(text).find(|(_, label)| label.is_empty()) {
        return Err(UrlError::HostEmptyLabel { offset: at(label_offset), host: text.to_owned() });
    }
    if text.len() > MAX_HOST_OCTETS {
        return Err(UrlError::HostTooLong { offset, octets: text.len() });
    }
    // WHATWG URL, "ends in a number": readers that know short, octal or hexadecimal IPv4 would take it for an address.
    if text.rsplit('.').next().is_some_and(is_number) {
        return match text.parse() {
            Ok(address) => Ok(ReadHost::V4(address)),
            Err(_) => Err(UrlError::IpNoncanonical { offset, text: text.to_owned(), canonical: None }),
        };
    }
    let name = text.to_ascii_lowercase();
    let is_alabel = |label: &str| label.starts_with("xn--");
    for (label_offset, label) in labels_with_offsets(&name) {
        let offset = at(label_offset);
        if label.len() > MAX_LABEL_OCTETS {
            return Err(UrlError::LabelTooLong { offset, octets: label.len() });
        }
        if is_alabel(label) {
            if !is_the_alabel_of_a_name(label) {
                return Err(UrlError::HostBadALabel { offset, label: label.to_owned() });
            }
        } else if !is_ldh(label) {
            return Err(UrlError::HostNonLdh { offset, label: label.to_owned() });
        }
    }
    // RFC 5893 section 2: one right-to-left label puts every label of the name under the bidi rule.
    if let Some((label_offset, label)) = labels_with_offsets(&name).find(|(_, label)| is_alabel(label))
        && !is_unchanged_by_uts46(&name, Hyphens::Allow)
    {
        return Err(UrlError::HostBadALabel { offset: at(label_offset), label: label.to_owned() });
    }
    Ok(ReadHost::Name(Cow::Owned(name)))
}

/// Whether it may stand in a name in lower case.
pub(super) const fn is_plain(octet: u8) -> bool {
    matches!(octet, b'-' | b'.' | b'0'..=b'9' | b'a'..=b'z')
}

/// Whether a text of lower-case letters, digits, hyphens and dots is clearly a host name: labels with single inner hyphens,
/// the last one with a letter first. Most names are; whatever is not may be a host all the same. An A-label has two hyphens
/// in a row.
pub(super) fn has_plain_labels(text: &str) -> bool {
    let octets = text.as_bytes();
    let is_mark = |octet: u8| (octet == b'-') | (octet == b'.');
    // Looking at every octet is faster than stopping at the first.
    let side_by_side = octets.iter().zip(octets.iter().skip(1));
    let lone_marks = side_by_side.fold(true, |all, (&one, &next)| all & !(is_mark(one) & is_mark(next)));
    let last_label = octets.rsplit(|&octet| octet == b'.').next().and_then(<[u8]>::first);
    lone_marks
        // Then no label is too long either; others are looked at one by one.
        && octets.len() <= MAX_LABEL_OCTETS
        && !octets.first().is_some_and(|&first| is_mark(first))
        && !octets.last().is_some_and(|&last| is_mark(last))
        && last_label.is_some_and(u8::is_ascii_lowercase)
}

fn labels_with_offsets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split('.').scan(0_usize, |next, label| {
        let offset = *next;
        *next = offset.saturating_add(label.len()).saturating_add(1);
        Some((offset, label))
    })
}

/// All digits, or anything that starts like a hexadecimal number.
fn is_number(label: &str) -> bool {
    label.bytes().all(|octet| octet.is_ascii_digit()) || label.starts_with("0x") || label.starts_with("0X")
}

fn is_ldh(label: &str) -> bool {
    label.bytes().all(|octet| octet.is_ascii_alphanumeric() || octet == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Whether a lower-case `xn--` label decodes to a label outside ASCII that encodes to the same octets.
fn is_the_alabel_of_a_name(label: &str) -> bool {
    let (unicode, valid) = Uts46::new().to_unicode(label.as_bytes(), AsciiDenyList::STD3, Hyphens::Check);
    if valid.is_err() || unicode.is_ascii() || unicode.contains('.') {
        return false;
    }
    let encoded =
        Uts46::new().to_ascii(unicode.as_bytes(), AsciiDenyList::STD3, Hyphens::Check, DnsLength::Verify);
    encoded.is_ok_and(|encoded| encoded == label)
}

fn is_unchanged_by_uts46(name: &str, hyphens: Hyphens) -> bool {
    Uts46::new()
        .to_ascii(name.as_bytes(), AsciiDenyList::STD3, hyphens, DnsLength::Verify)
        .is_ok_and(|ascii| ascii == name)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Host;
    use crate::url::{StrictUrl, UrlUse};

    #[test]
    fn a_name_is_the_same_wherever_it_was_read() {
        let of_url = |text: &str| StrictUrl::read(text, UrlUse::Information).unwrap().host().clone();
        let hosts = [
            Host::read("agents.example").unwrap(),
            Host::read("AGENTS.example").unwrap(),
            of_url("https://agents.example/a"),
            of_url("https://Agents.Example:8443/"),
            of_url("wss://agents.example"),
        ];
        assert_eq!(hosts.iter().collect::<HashSet<_>>().len(), 1);
        for host in &hosts {
            let name = host.name().unwrap();
            assert_eq!((name.as_str(), name.label_count()), ("agents.example", name.labels().count()));
            assert_eq!(name.cmp(hosts[0].name().unwrap()), std::cmp::Ordering::Equal);
            assert_eq!(format!("{name:?}"), r#"HostName("agents.example")"#);
        }
        assert!(Host::read("agents.exampl").unwrap().name() < hosts[0].name());
    }
}
