//! One pass from text to parts, in the fixed order of the profile.

use super::host::{read_name_or_v4, read_v6};
use super::{AddressClass, AuthorityFault, Host, MAX_URL_OCTETS, Scheme, StrictUrl, UrlError, UrlUse};

/// Resolver schemes of gRPC, where no `://` need follow (gRPC Name Resolution).
const GRPC_TARGET_SCHEMES: &[&str] =
    &["dns", "google-c2p", "ipv4", "ipv6", "passthrough", "unix", "unix-abstract", "vsock", "xds"];

pub(super) fn read(text: &str, url_use: UrlUse) -> Result<StrictUrl, UrlError> {
    check_octets(text)?;
    let (scheme, rest) = split_scheme(text, url_use)?;
    let (authority, tail) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let tail_offset = text.len().saturating_sub(tail.len());
    let authority_offset = tail_offset.saturating_sub(authority.len());
    check_characters(text, tail_offset)?;
    let (host, port) = split_authority(authority, authority_offset, scheme)?;
    if host.address_class() == AddressClass::Metadata {
        return Err(UrlError::MetadataAddress { offset: authority_offset, host: host.to_string() });
    }
    if scheme == Scheme::HostPort && !tail.is_empty() {
        return Err(UrlError::GrpcAddressPath { offset: tail_offset });
    }
    let (before_fragment, fragment) = split_before(tail, '#');
    let (path, query) = split_before(before_fragment, '?');
    check_path(path, tail_offset)?;
    if query.is_some() && !url_use.allows_query() {
        return Err(UrlError::Query { offset: tail_offset.saturating_add(path.len()) });
    }
    if fragment.is_some() && !url_use.allows_fragment() {
        return Err(UrlError::Fragment { offset: tail_offset.saturating_add(before_fragment.len()) });
    }
    Ok(StrictUrl {
        text: text.to_owned(),
        scheme,
        host,
        host_offset: authority_offset,
        port,
        path: path.to_owned(),
        query: query.map(str::to_owned),
        fragment: fragment.map(str::to_owned),
    })
}

/// Length, control characters, non-ASCII, backslash.
fn check_octets(text: &str) -> Result<(), UrlError> {
    if text.is_empty() {
        return Err(UrlError::Empty);
    }
    if text.len() > MAX_URL_OCTETS {
        return Err(UrlError::TooLong { octets: text.len() });
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
    match text.split_once("://") {
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

fn split_authority(text: &str, offset: usize, scheme: Scheme) -> Result<(Host, Option<u16>), UrlError> {
    let bad = |fault| UrlError::BadAuthority { offset, fault };
    if let Some(at) = text.rfind('@') {
        return Err(UrlError::Userinfo { offset: offset.saturating_add(at) });
    }
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
        None if text.contains(['[', ']']) => return Err(bad(AuthorityFault::InnerBracket)),
        None => match text.split_once(':') {
            Some((_, port)) if port.contains(':') => return Err(bad(AuthorityFault::Colons)),
            Some((host, port)) => (read_name_or_v4(host, offset)?, Some(port)),
            None => (read_name_or_v4(text, offset)?, None),
        },
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

/// What stands before the first `mark`, and what after it.
fn split_before(text: &str, mark: char) -> (&str, Option<&str>) {
    match text.split_once(mark) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}
