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

#[expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "an octet is a place in 256, known when this is built"
)]
const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut octet = 0_u8;
    while octet.is_ascii() {
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
    use super::{ReadUrl, read};
    use crate::url::{StrictUrl, UrlUse, read as slow};

    const USES: [UrlUse; 5] = [
        UrlUse::Interface,
        UrlUse::InterfaceWithQuery,
        UrlUse::GrpcInterface,
        UrlUse::Credential,
        UrlUse::Information,
    ];

    /// Whether it is a usual URL, and so what the slower reader says as well.
    fn is_usual(text: &str) -> bool {
        let Some(usual) = read(text).map(ReadUrl::keep) else { return false };
        for url_use in USES {
            let slow = slow::read_any(text, url_use).unwrap().keep();
            assert_eq!(format!("{usual:?}"), format!("{slow:?}"), "{url_use:?}");
        }
        true
    }

    #[test]
    fn a_usual_url_has_the_parts_that_the_slower_reader_finds() {
        for text in [
            "https://agents.example",
            "https://agents.example/",
            "https://a-b.agents.example/a2a/v1/",
            "https://agents.example/:a=b,(c)*~$&'!;+_A",
        ] {
            assert!(is_usual(text), "{text}");
        }
        let name = |octets: usize| format!("{}.a", "a".repeat(octets - 2));
        assert!(is_usual(&format!("https://{}/", name(63))));
        assert!(!is_usual(&format!("https://{}/", name(64))));
    }

    #[test]
    fn no_octet_makes_a_usual_url_of_one_that_the_slower_reader_refuses() {
        let mut usual = 0;
        for octet in (0..0x80).map(char::from) {
            for text in [
                format!("https://{octet}gents.example/a"),
                format!("https://ag{octet}nts.example/a"),
                format!("https://agents{octet}example/a"),
                format!("https://agents.{octet}xample/a"),
                format!("https://agents.exampl{octet}/a"),
                format!("https://agents.example{octet}"),
                format!("https://agents.example/{octet}"),
                format!("https://agents.example/{octet}a"),
                format!("https://agents.example/a{octet}b/"),
                format!("https://agents.example/a/{octet}"),
            ] {
                usual += usize::from(is_usual(&text));
            }
        }
        assert!(usual > 500, "{usual}");
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
