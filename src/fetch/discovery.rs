//! Where the card of a host is.

use countersign_policy::{Scheme, StrictUrl, UrlError, UrlUse};

use super::Fetched;
use crate::{Code, codes};

/// Below a host or a prefix (A2A 1.0 section 8.2).
const WELL_KNOWN: &str = "/.well-known/agent-card.json";

/// The same before A2A 0.3.
const OLD_WELL_KNOWN: &str = "/.well-known/agent.json";

/// Where a card is asked for, read from what a person writes. Nothing is tried that is not said.
///
/// | written | asked for |
/// | --- | --- |
/// | `agents.example`, `https://agents.example` | `https://agents.example/.well-known/agent-card.json` |
/// | `https://host.example/agents/7` | `https://host.example/agents/7/.well-known/agent-card.json` |
/// | a URL whose path ends in `.json` or contains `/.well-known/` | the URL itself |
///
/// # Examples
///
/// ```
/// use countersign::fetch::{CardAddress, CardAddressKind};
///
/// let address = CardAddress::read("https://host.example/agents/7/")?;
/// assert_eq!(address.url().raw(), "https://host.example/agents/7/.well-known/agent-card.json");
/// assert_eq!(address.kind(), CardAddressKind::WellKnown);
/// assert_eq!(CardAddress::read("https://host.example/card.json")?.kind(), CardAddressKind::Explicit);
/// assert!(CardAddress::read("http://host.example").is_err());
/// # Ok::<(), countersign::fetch::CardAddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardAddress {
    url: StrictUrl,
    kind: CardAddressKind,
    old_url: Option<StrictUrl>,
}

/// How the URL of a card was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CardAddressKind {
    /// It was written.
    Explicit,
    /// `/.well-known/agent-card.json` below the host or prefix that was written.
    WellKnown,
    /// `/.well-known/agent.json` below it.
    OldWellKnown,
}

/// A card, and which of the paths of its address had it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FetchedCard {
    /// The octets and how they were had.
    pub fetched: Fetched,
    /// How the URL was found.
    pub kind: CardAddressKind,
}

/// Why a text is no address of a card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CardAddressError {
    /// It is no URL of the strict profile.
    #[error("`{text}` is no address of a card: {error}")]
    Url {
        /// The text.
        text: String,
        /// Why.
        error: UrlError,
    },
    /// Another scheme than https.
    #[error("`{text}` is no address of a card: its scheme is not https")]
    NotHttps {
        /// The text.
        text: String,
    },
}

impl CardAddress {
    /// Reads a host, a host with a port or a path, or a URL. Without a scheme it is https.
    ///
    /// # Errors
    ///
    /// [`CardAddressError`] if it is no `https` URL of the strict profile. Only the URL of a card may have a query.
    pub fn read(text: &str) -> Result<Self, CardAddressError> {
        let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
        let url = read(text, &whole, UrlUse::InterfaceWithQuery)?;
        if url.scheme() != Scheme::Https {
            return Err(CardAddressError::NotHttps { text: text.to_owned() });
        }
        if url.path().ends_with(".json") || url.path().contains("/.well-known/") {
            return Ok(Self { url, kind: CardAddressKind::Explicit, old_url: None });
        }
        let prefix = whole.trim_end_matches('/');
        // Only here a query would end up in the middle.
        read(text, prefix, UrlUse::Interface)?;
        let url = read(text, &format!("{prefix}{WELL_KNOWN}"), UrlUse::Interface)?;
        Ok(Self { url, kind: CardAddressKind::WellKnown, old_url: None })
    }

    /// The same, and `/.well-known/agent.json` where the server has nothing at the first path. A written URL stays alone.
    ///
    /// # Errors
    ///
    /// [`CardAddressError`] if the old path makes the URL too long.
    pub fn with_old_path(mut self) -> Result<Self, CardAddressError> {
        if self.kind == CardAddressKind::WellKnown {
            let prefix = self.url.raw().strip_suffix(WELL_KNOWN).unwrap_or_default();
            let whole = format!("{prefix}{OLD_WELL_KNOWN}");
            self.old_url = Some(read(&whole, &whole, UrlUse::Interface)?);
        }
        Ok(self)
    }

    /// The URL that is asked for first.
    #[must_use]
    pub const fn url(&self) -> &StrictUrl {
        &self.url
    }

    /// The URL that is asked for if there is nothing at the first.
    #[must_use]
    pub const fn old_url(&self) -> Option<&StrictUrl> {
        self.old_url.as_ref()
    }

    /// How the first URL was found.
    #[must_use]
    pub const fn kind(&self) -> CardAddressKind {
        self.kind
    }
}

impl CardAddressError {
    /// The public code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Url { error, .. } => error.code(),
            Self::NotHttps { .. } => codes::fetch::FETCH_URL,
        }
    }
}

/// `text` is what the error shows.
fn read(text: &str, whole: &str, url_use: UrlUse) -> Result<StrictUrl, CardAddressError> {
    StrictUrl::read(whole, url_use).map_err(|error| CardAddressError::Url { text: text.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use super::{CardAddress, CardAddressKind};

    fn url(text: &str) -> String {
        CardAddress::read(text).unwrap().url().raw().to_owned()
    }

    fn code(text: &str) -> &'static str {
        CardAddress::read(text).unwrap_err().code().name()
    }

    #[test]
    fn a_host_or_prefix_stands_for_its_well_known_path() {
        let below_host = "https://agents.example/.well-known/agent-card.json";
        for text in ["agents.example", "https://agents.example", "https://agents.example/"] {
            assert_eq!(url(text), below_host, "{text}");
        }
        assert_eq!(url("agents.example:8443"), "https://agents.example:8443/.well-known/agent-card.json");
        assert_eq!(url("[2606:4700::1]:8443"), "https://[2606:4700::1]:8443/.well-known/agent-card.json");
        let below_prefix = "https://host.example/agents/7/.well-known/agent-card.json";
        for text in
            ["host.example/agents/7", "https://host.example/agents/7", "https://host.example/agents/7/"]
        {
            assert_eq!(url(text), below_prefix, "{text}");
        }
    }

    #[test]
    fn a_written_url_wins() {
        for text in [
            "https://host.example/card.json",
            "https://host.example/card.json?id=7",
            "https://host.example/.well-known/agent.json",
            "https://host.example/a/.well-known/other",
        ] {
            let address = CardAddress::read(text).unwrap();
            assert_eq!((address.url().raw(), address.kind()), (text, CardAddressKind::Explicit));
            assert_eq!(address.with_old_path().unwrap().old_url(), None);
        }
    }

    #[test]
    fn the_old_path_is_there_only_when_asked_for() {
        let address = CardAddress::read("host.example/agents/7").unwrap();
        assert_eq!(address.old_url(), None);
        let both = address.with_old_path().unwrap();
        let old = both.old_url().unwrap();
        assert_eq!(old.raw(), "https://host.example/agents/7/.well-known/agent.json");
        assert_eq!(both.url().raw(), "https://host.example/agents/7/.well-known/agent-card.json");
    }

    #[test]
    fn what_is_no_https_url_is_refused() {
        assert_eq!(code("http://host.example"), "fetch.url");
        assert_eq!(code("ws://host.example/card.json"), "fetch.url");
        assert_eq!(code("https://user@host.example"), "url.userinfo");
        assert_eq!(code("https://169.254.169.254"), "url.metadata-address");
        for text in
            ["", "file:///etc/passwd", "https://host.example/agents?id=7", "https://host.example/#card.json"]
        {
            assert!(CardAddress::read(text).is_err(), "{text}");
        }
    }
}
