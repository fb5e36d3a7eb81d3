//! URLs: what is accepted has one reading, and its canonical text is the same URL.

use countersign_policy::{AddressClass, Host, HostName, StrictUrl, UrlUse};

/// What became of the octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Outcome {
    /// A URL for at least one use.
    Url,
    /// The `host:port` of a gRPC interface, and no URL.
    GrpcAddress,
    /// Neither.
    Refused,
    /// No UTF-8.
    NotText,
}

const URL_USES: [UrlUse; 4] =
    [UrlUse::Interface, UrlUse::InterfaceWithQuery, UrlUse::Credential, UrlUse::Information];

/// Reads `octets` under every use.
///
/// # Panics
///
/// When a text has several readings, when an accepted URL does not read back as itself, or holds what the profile refuses.
#[must_use]
pub fn run(octets: &[u8]) -> Outcome {
    let Ok(text) = std::str::from_utf8(octets) else { return Outcome::NotText };
    let mut readings = URL_USES.into_iter().filter_map(|url_use| read(text, url_use));
    let url = readings.next();
    if let Some(url) = &url {
        assert!(readings.all(|other| other == *url), "{text:?} has several readings");
    }
    let grpc = read(text, UrlUse::GrpcInterface);
    match (url, grpc) {
        (Some(url), Some(grpc)) => {
            assert_eq!(url, grpc);
            Outcome::Url
        }
        (Some(_), None) => Outcome::Url,
        (None, Some(_)) => Outcome::GrpcAddress,
        (None, None) => Outcome::Refused,
    }
}

fn read(text: &str, url_use: UrlUse) -> Option<StrictUrl> {
    let url = match StrictUrl::read(text, url_use) {
        Ok(url) => url,
        Err(error) => {
            assert!(error.offset() <= text.len(), "{error:?}");
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    assert_eq!(url.raw(), text);
    let canonical = StrictUrl::read(&url.canonical_text(), url_use).expect("the canonical text is a URL");
    assert_eq!(canonical, url);
    assert_eq!(canonical.canonical_text(), url.canonical_text());
    assert_eq!(Host::read(&url.host().to_string()).as_ref(), Ok(url.host()));
    assert!(text.bytes().all(|octet| octet.is_ascii_graphic() && octet != b'\\'));
    assert!(url.host().name().is_none_or(is_host_name), "{text:?}");
    assert!(url.path().split('/').all(|segment| segment != "." && segment != ".."), "{text:?}");
    assert_ne!(url.address_class(), AddressClass::Metadata, "{text:?}");
    assert_ne!(url.address_class(), AddressClass::EmbeddedV4, "{text:?}");
    Some(url)
}

fn is_host_name(name: &HostName) -> bool {
    name.labels().all(|label| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|octet| octet.is_ascii_lowercase() || octet.is_ascii_digit() || octet == b'-')
    })
}
