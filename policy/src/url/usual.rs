//! The URLs of almost every card: https, a name in lower case, no port, a path without escapes. One look at their octets tells
//! them; what is not among them may be a URL all the same.

use super::host::{ReadHost, has_plain_labels, is_plain};
use super::read::ReadUrl;
use super::{AddressClass, MAX_URL_OCTETS, Scheme};

const PREFIX: &str = "https://";

/// May stand in a name in lower case.
const HOST: u8 = 1;
/// May stand in a path, but for `%`: `pchar` and `/` of RFC 3986 section 3.3, without `@`.
const PATH: u8 = 1 << 1;

const CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut octet = 0_u8;
    while octet < 0x80 {
        classes[octet as usize] = match octet {
            plain if is_plain(plain) => HOST | PATH,
            b'!' | b'$' | b'&'..=b',' | b'/' | b':' | b';' | b'=' | b'A'..=b'Z' | b'_' | b'~' => PATH,
            _ => 0,
        };
        octet += 1;
    }
    classes
}

fn class(octet: u8) -> u8 {
    CLASSES.get(usize::from(octet)).copied().unwrap_or_default()
}

/// The parts of a text that is one of these URLs.
pub(super) fn read(text: &str) -> Option<ReadUrl<'_>> {
    let rest = text.strip_prefix(PREFIX)?;
    let name_octets = rest.bytes().position(|octet| class(octet) & HOST == 0).unwrap_or(rest.len());
    let (name, path) = rest.split_at_checked(name_octets)?;
    let is_one = text.len() <= MAX_URL_OCTETS && has_plain_labels(name) && is_plain_path(path);
    if !is_one || AddressClass::of_name(name) == AddressClass::Metadata {
        return None;
    }
    let path_offset = text.len().saturating_sub(path.len());
    Some(ReadUrl {
        text,
        scheme: Scheme::Https,
        host: ReadHost::Name(name.into()),
        host_offset: PREFIX.len(),
        port: None,
        path: path_offset..text.len(),
        query: None,
        fragment: None,
    })
}

/// Whether it is nothing, or a slash and plain octets with neither an empty segment nor one that starts with a dot.
fn is_plain_path(path: &str) -> bool {
    let octets = path.as_bytes();
    // Looking at every octet is faster than stopping at the first.
    let all = octets.iter().fold(PATH, |all, &octet| all & class(octet));
    let pairs = octets.iter().zip(octets.iter().skip(1));
    let doubtful = pairs
        .fold(false, |any, (&before, &octet)| any | ((before == b'/') & ((octet == b'/') | (octet == b'.'))));
    all == PATH && !doubtful && (octets.is_empty() || octets.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::url::{StrictUrl, UrlUse, read as slow};

    #[test]
    fn a_usual_url_has_the_parts_that_the_slower_reader_finds() {
        for text in [
            "https://agents.example",
            "https://agents.example/",
            "https://a-b.agents.example/a2a/v1/",
            "https://agents.example/:a=b,(c)*~$&'!;+_A",
        ] {
            let usual = read(text).unwrap().keep();
            let slow = slow::read_any(text, UrlUse::Interface).unwrap().keep();
            assert_eq!(format!("{usual:?}"), format!("{slow:?}"));
        }
    }

    #[test]
    fn what_needs_a_closer_look_is_left_to_the_slower_reader() {
        for text in [
            "https:/agents.example",
            "http://agents.example",
            "https://",
            "https://Agents.example",
            "https://agents.example.",
            "https://.agents.example",
            "https://agents..example",
            "https://-agents.example",
            "https://agents-.example",
            "https://xn--mnchen-3ya.example",
            "https://127.0.0.1/",
            "https://agents.0x7f",
            "https://metadata.google.internal/",
            "https://agents.example:443/",
            "https://user@agents.example/",
            "https://agents.example/a%2fb",
            "https://agents.example/a//b",
            "https://agents.example//",
            "https://agents.example/../a",
            "https://agents.example/.a",
            "https://agents.example?a",
            "https://agents.example/a?b",
            "https://agents.example/a#b",
            "https://agents.example\\a",
            "https://agents.example/a b",
            "https://agents.example/\u{e4}",
            "https://agents.example/[a]",
        ] {
            assert!(read(text).is_none(), "{text}");
        }
        let long = format!("https://agents.example/{}", "a".repeat(2048));
        assert!(read(&long).is_none() && StrictUrl::read(&long, UrlUse::Interface).is_err());
    }
}
