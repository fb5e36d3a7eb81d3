//! From the text of a pattern to its parts.

use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};

use super::{HostPattern, Parts, PatternError, PortPattern};
use crate::url::{Host, HostName, Scheme, check_path};

/// Reads scheme, host, port and path, without a judgement on how wide the host is.
pub(super) fn read(text: &str) -> Result<Parts, PatternError> {
    let (scheme, rest) = match text.split_once("://") {
        Some((name, rest)) => {
            let scheme = Scheme::of_url(name).ok_or(PatternError::Scheme { scheme: name.to_owned() })?;
            (scheme, rest)
        }
        None => (Scheme::Https, text),
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let path_offset = text.len().saturating_sub(path.len());
    check_characters(text, path_offset)?;
    let (host_text, port) = split_port(authority);
    let port = match port {
        Some(port) => read_port(port, scheme)?,
        None => PortPattern::Default,
    };
    let host = read_host(host_text, text)?;
    check_path(path, path_offset)?;
    Ok(Parts { scheme, host, port, path: (!path.is_empty()).then(|| path.to_owned()) })
}

/// Letters outside ASCII are only left to the host, `*` to host and port, and brackets to an IPv6 address.
fn check_characters(text: &str, path_offset: usize) -> Result<(), PatternError> {
    let after_scheme = text.find("://").map_or(0, |end| end.saturating_add(3));
    let is_address = text.split_at_checked(after_scheme).is_some_and(|(_, rest)| {
        let inside = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        inside.is_some_and(|(address, _)| address.contains(':'))
    });
    let has_no_meaning = |(offset, character): &(usize, char)| match character {
        '*' => *offset >= path_offset,
        '@' => *offset < path_offset,
        '[' | ']' => !is_address || *offset >= path_offset,
        '"' | '<' | '>' | '^' | '`' | '{' | '|' | '}' | '\\' | '?' | '#' | '!' => true,
        character if character.is_ascii() => !character.is_ascii_graphic(),
        character => *offset >= path_offset || character.is_whitespace() || character.is_control(),
    };
    match text.char_indices().find(has_no_meaning) {
        Some((offset, character)) => Err(PatternError::Character { offset, character }),
        None => Ok(()),
    }
}

/// The host, and what follows its colon; the colons of an IPv6 address are inside brackets.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    let inside_brackets = authority.find(']').unwrap_or(0);
    match authority.rfind(':').filter(|colon| *colon > inside_brackets || inside_brackets == 0) {
        Some(colon) => {
            let (host, port) = authority.split_at(colon);
            (host, port.strip_prefix(':'))
        }
        None => (authority, None),
    }
}

fn read_port(text: &str, scheme: Scheme) -> Result<PortPattern, PatternError> {
    if text == "*" {
        return Ok(PortPattern::Any);
    }
    let is_plain = text.bytes().all(|octet| octet.is_ascii_digit()) && !text.starts_with('0');
    match text.parse() {
        Ok(port) if is_plain && port == scheme.default_port() => Ok(PortPattern::Default),
        Ok(port) if is_plain => Ok(PortPattern::Exact(port)),
        _ => Err(PatternError::Port { port: text.to_owned() }),
    }
}

fn read_host(text: &str, pattern: &str) -> Result<HostPattern, PatternError> {
    if matches!(text, "*" | "**") {
        return Err(PatternError::HostAny { text: pattern.to_owned() });
    }
    let misplaced = || PatternError::WildcardPosition { text: text.to_owned() };
    let below = |base: &str| -> Result<HostName, PatternError> {
        if base.contains('*') {
            return Err(misplaced());
        }
        match Host::read(&to_ascii(base)?)? {
            Host::Name(name) => Ok(name),
            Host::V4(_) | Host::V6(_) => Err(misplaced()),
        }
    };
    if let Some(base) = text.strip_prefix("**.") {
        return Ok(HostPattern::AnyDepth(below(base)?));
    }
    if let Some(base) = text.strip_prefix("*.") {
        return Ok(HostPattern::OneLabel(below(base)?));
    }
    if text.contains('*') {
        return Err(misplaced());
    }
    Ok(HostPattern::Exact(Host::read(&to_ascii(text)?)?))
}

/// Each label outside ASCII as its A-label. A label that stands for an ASCII one, or for several, is refused.
fn to_ascii(host: &str) -> Result<String, PatternError> {
    if host.is_ascii() {
        return Ok(host.to_owned());
    }
    let labels: Result<Vec<String>, PatternError> = host.split('.').map(label_to_ascii).collect();
    Ok(labels?.join("."))
}

fn label_to_ascii(label: &str) -> Result<String, PatternError> {
    if label.is_ascii() {
        return Ok(label.to_owned());
    }
    Uts46::new()
        .to_ascii(label.as_bytes(), AsciiDenyList::STD3, Hyphens::Check, DnsLength::Verify)
        .ok()
        .filter(|ascii| ascii.starts_with("xn--") && !ascii.contains('.'))
        .map(|ascii| ascii.into_owned())
        .ok_or_else(|| PatternError::Label { label: label.to_owned() })
}
