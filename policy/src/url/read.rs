//! One pass from text to parts, in the fixed order of the profile.

use std::ops::Range;

use super::host::{ReadHost, read_name_or_v4, read_v6};
use super::{AddressClass, AuthorityFault, MAX_URL_OCTETS, Scheme, StrictUrl, UrlError, UrlUse, usual};

/// Resolver schemes of gRPC, where no `://` need follow (gRPC Name Resolution).
const GRPC_TARGET_SCHEMES: &[&str] =
    &["dns", "google-c2p", "ipv4", "ipv6", "passthrough", "unix", "unix-abstract", "vsock", "xds"];

/// The parts of a URL, in the text that they were read from.
pub(super) struct ReadUrl<'t> {
    pub(super) text: &'t str,
    pub(super) scheme: Scheme,
    pub(super) host: ReadHost<'t>,
    pub(super) host_offset: usize,
    pub(super) port: Option<u16>,
    pub(super) path: Range<usize>,
    pub(super) query: Option<Range<usize>>,
    pub(super) fragment: Option<Range<usize>>,
}

impl ReadUrl<'_> {
    pub(super) fn keep(self) -> StrictUrl {
        let text = self.text.into();
        let host = self.host.keep(&text, self.host_offset);
        let Self { scheme, host_offset, port, path, query, fragment, .. } = self;
        StrictUrl { text, scheme, host, host_offset, port, path, query, fragment }
    }
}

pub(super) fn read(text: &str, url_use: UrlUse) -> Result<ReadUrl<'_>, UrlError> {
    usual::read(text).map_or_else(|| read_any(text, url_use), Ok)
}

pub(super) fn read_any(text: &str, url_use: UrlUse) -> Result<ReadUrl<'_>, UrlError> {
    check_length(text)?;
    check_octets(text)?;
    let (scheme, rest) = split_scheme(text, url_use)?;
    let (authority, tail) = split_before(rest, |octet| matches!(octet, b'/' | b'?' | b'#'));
    let tail_offset = text.len().saturating_sub(tail.len());
    let authority_offset = tail_offset.saturating_sub(authority.len());
    check_characters(text, tail_offset)?;
    check_authority(authority, authority_offset)?;
    let (host, port) = split_authority(authority, authority_offset, scheme)?;
    if host.address_class() == AddressClass::Metadata {
        let host = host.keep(&text.into(), authority_offset).to_string();
        return Err(UrlError::MetadataAddress { offset: authority_offset, host });
    }
    if scheme == Scheme::HostPort && !tail.is_empty() {
        return Err(UrlError::GrpcAddressPath { offset: tail_offset });
    }
    let (before_fragment, fragment) = split_before(tail, |octet| octet == b'#');
    let (path, query) = split_before(before_fragment, |octet| octet == b'?');
    check_path(path, tail_offset)?;
    let path_end = tail_offset.saturating_add(path.len());
    if !query.is_empty() && !url_use.allows_query() {
        return Err(UrlError::Query { offset: path_end });
    }
    let query_end = tail_offset.saturating_add(before_fragment.len());
    if !fragment.is_empty() && !url_use.allows_fragment() {
        return Err(UrlError::Fragment { offset: query_end });
    }
    let after_mark = |mark: usize, end| mark.saturating_add(1)..end;
    Ok(ReadUrl {
        text,
        scheme,
        host,
        host_offset: authority_offset,
        port,
        path: tail_offset..path_end,
        query: (!query.is_empty()).then(|| after_mark(path_end, query_end)),
        fragment: (!fragment.is_empty()).then(|| after_mark(query_end, text.len())),
    })
}

fn check_length(text: &str) -> Result<(), UrlError> {
    match text.len() {
        0 => Err(UrlError::Empty),
        octets if octets > MAX_URL_OCTETS => Err(UrlError::TooLong { octets }),
        _ => Ok(()),
    }
}

/// Control characters, non-ASCII, backslash.
fn check_octets(text: &str) -> Result<(), UrlError> {
    if text.bytes().all(|octet| octet.is_ascii_graphic() && octet != b'\\') {
        return Ok(());
    }
    if let Some((offset, octet)) =
        text.bytes().enumerate().find(|(_, octet)| *octet <= b' ' || *octet == 0x7f)
    {
        return Err(UrlError::ControlOrSpace { offset, octet });
    }
    if let Some((offset, character)) = text.char_indices().find(|(_, character)| !character.is_ascii()) {
        return Err(UrlError::NonAscii { offset, character });
    }
    match text.find('\\') {
        Some(offset) => Err(UrlError::Backslash { offset }),
        None => Ok(()),
    }
}

/// The scheme, and what follows `://`.
fn split_scheme(text: &str, url_use: UrlUse) -> Result<(Scheme, &str), UrlError> {
    let is_grpc = url_use == UrlUse::GrpcInterface;
    let (name, rest) = split_before(text, |octet| octet == b':');
    // The first colon is the one, or none is, but for what is refused.
    let split = match rest.strip_prefix("://") {
        Some(after) => Some((name, after)),
        None => text.split_once("://"),
    };
    match split {
        // `/a?u=https://b` is a relative reference with a URL inside.
        Some((name, rest)) if !name.is_empty() && !name.contains(['/', '?', '#']) => {
            match Scheme::of_url(name) {
                Some(scheme) => Ok((scheme, rest)),
                None if is_grpc => Err(UrlError::GrpcTargetScheme { scheme: name.to_owned() }),
                None => Err(UrlError::SchemeUnsupported { scheme: name.to_owned() }),
            }
        }
        _ if !is_grpc => Err(UrlError::NotAbsolute),
        _ => match text.split_once(':') {
            Some((name, rest))
                if rest.starts_with('/')
                    || GRPC_TARGET_SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(name)) =>
            {
                Err(UrlError::GrpcTargetScheme { scheme: name.to_owned() })
            }
            _ => Ok((Scheme::HostPort, text)),
        },
    }
}

/// Characters that RFC 3986 section 2 leaves out; brackets only before `tail_offset`.
fn check_characters(text: &str, tail_offset: usize) -> Result<(), UrlError> {
    let forbidden = |(offset, character): &(usize, char)| match character {
        '"' | '<' | '>' | '^' | '`' | '{' | '|' | '}' => true,
        '[' | ']' => *offset >= tail_offset,
        _ => false,
    };
    match text.char_indices().find(forbidden) {
        Some((offset, character)) => Err(UrlError::ForbiddenChar { offset, character }),
        None => Ok(()),
    }
}

/// User information, and brackets that are not around the host.
fn check_authority(text: &str, offset: usize) -> Result<(), UrlError> {
    if let Some(at) = text.rfind('@') {
        return Err(UrlError::Userinfo { offset: offset.saturating_add(at) });
    }
    if !text.starts_with('[') && text.contains(['[', ']']) {
        return Err(UrlError::BadAuthority { offset, fault: AuthorityFault::InnerBracket });
    }
    Ok(())
}

fn split_authority(
    text: &str,
    offset: usize,
    scheme: Scheme,
) -> Result<(ReadHost<'_>, Option<u16>), UrlError> {
    let bad = |fault| UrlError::BadAuthority { offset, fault };
    let (host, port) = match text.strip_prefix('[') {
        Some(inner) => {
            let (address, after) = inner.split_once(']').ok_or(bad(AuthorityFault::Unclosed))?;
            let port = match after.strip_prefix(':') {
                Some(port) => Some(port),
                None if after.is_empty() => None,
                None => return Err(bad(AuthorityFault::AfterBracket)),
            };
            (read_v6(address, offset.saturating_add(1))?, port)
        }
        None => {
            let (host, port) = split_before(text, |octet| octet == b':');
            let port = port.strip_prefix(':');
            if port.is_some_and(|port| port.contains(':')) {
                return Err(bad(AuthorityFault::Colons));
            }
            (read_name_or_v4(host, offset)?, port)
        }
    };
    match port {
        Some(port) => {
            let port_offset = offset.saturating_add(text.len()).saturating_sub(port.len());
            Ok((host, Some(read_port(port, port_offset)?)))
        }
        None if scheme == Scheme::HostPort => {
            Err(UrlError::GrpcPortMissing { offset: offset.saturating_add(text.len()) })
        }
        None => Ok((host, None)),
    }
}

fn read_port(text: &str, offset: usize) -> Result<u16, UrlError> {
    let is_plain = text.bytes().all(|octet| octet.is_ascii_digit()) && !text.starts_with('0');
    match text.parse() {
        Ok(port) if is_plain => Ok(port),
        _ => Err(UrlError::PortInvalid { offset, port: text.to_owned() }),
    }
}

/// Segment by segment; in each, escapes come first.
pub(crate) fn check_path(path: &str, path_offset: usize) -> Result<(), UrlError> {
    let mut offset = path_offset;
    let mut segments = path.split('/').enumerate().peekable();
    while let Some((index, segment)) = segments.next() {
        check_escapes(segment, offset)?;
        if is_dot_segment(segment) {
            return Err(UrlError::PathDotSegment { offset, segment: segment.to_owned() });
        }
        // Before the first slash and after the last nothing is as good as something.
        if segment.is_empty() && index > 0 && segments.peek().is_some() {
            return Err(UrlError::PathEmptySegment { offset });
        }
        offset = offset.saturating_add(segment.len()).saturating_add(1);
    }
    Ok(())
}

fn check_escapes(segment: &str, segment_offset: usize) -> Result<(), UrlError> {
    for (inner, _) in segment.match_indices('%') {
        let offset = segment_offset.saturating_add(inner);
        let digits = segment.get(inner.saturating_add(1)..inner.saturating_add(3)).map(str::as_bytes);
        match digits {
            Some(digits) if !digits.iter().all(u8::is_ascii_hexdigit) => {
                return Err(UrlError::PathBadEscape { offset });
            }
            Some([b'2', b'f' | b'F'] | [b'5', b'c' | b'C'] | b"00") => {
                return Err(UrlError::PathEncodedDelimiter { offset });
            }
            Some(_) => {}
            None => return Err(UrlError::PathBadEscape { offset }),
        }
    }
    Ok(())
}

/// `.` or `..`, also escaped, also before the path parameters that servlets cut off.
fn is_dot_segment(segment: &str) -> bool {
    if !segment.starts_with(['.', '%']) {
        return false;
    }
    let decoded = segment.to_ascii_lowercase().replace("%2e", ".").replace("%3b", ";");
    matches!(decoded.split(';').next(), Some("." | ".."))
}

/// What stands before the first octet that is a mark, an octet of ASCII, and what from it on.
fn split_before(text: &str, is_mark: impl Fn(u8) -> bool) -> (&str, &str) {
    let end = text.bytes().position(is_mark).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}
