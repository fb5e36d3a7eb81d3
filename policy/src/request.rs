//! What somebody asks: may this client, for this tenant and use, talk to the agent whose card came from there?

use crate::{Accepted, ProtocolVersion, StrictUrl, UrlError, UrlUse};

/// Path of the card of a host (A2A 1.0 section 14.3).
pub(crate) const WELL_KNOWN_PATH: &str = "/.well-known/agent-card.json";

/// The question, without the card.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AdmissionRequest {
    /// Where the card came from.
    pub source: Source,
    /// The tenant of the client, in the words of the policy.
    pub tenant: Option<String>,
    /// What the agent is wanted for, in the words of the policy.
    pub purpose: Option<String>,
    /// What the client speaks. Default: [`None`], not looked at.
    pub accept: Option<Vec<Accepted>>,
    /// URIs of the extensions that the client supports. Default: [`None`], not looked at.
    pub extensions: Option<Vec<String>>,
    /// Protocol version of interfaces that name none. Default: [`None`], they fail.
    pub assumed: Option<ProtocolVersion>,
}

/// Where a card came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// How it was found.
    pub kind: SourceKind,
    /// Its URL; of a file, the URL that it stands for.
    pub url: StrictUrl,
}

/// How a card was found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the four words of `sources`")]
pub enum SourceKind {
    /// At `/.well-known/agent-card.json` of its host.
    WellKnown,
    /// At another URL.
    Url,
    /// In a file.
    File,
    /// In the registry with this name.
    Registry(String),
}

impl AdmissionRequest {
    /// A question about a card from `source`, for no tenant and no use, by a client of which nothing is known.
    #[must_use]
    pub const fn new(source: Source) -> Self {
        Self { source, tenant: None, purpose: None, accept: None, extensions: None, assumed: None }
    }
}

impl Source {
    /// A source at a URL; its kind is [`SourceKind::WellKnown`] if the path is that of A2A 1.0 section 14.3, else
    /// [`SourceKind::Url`].
    ///
    /// # Errors
    ///
    /// [`UrlError`] if the URL is none under the strict profile. A query is allowed.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign_policy::{Source, SourceKind};
    ///
    /// let source = Source::at("https://agents.acme.example/.well-known/agent-card.json")?;
    /// assert_eq!(source.kind, SourceKind::WellKnown);
    /// assert!(Source::at("https://agents.acme.example@evil.test/").is_err());
    /// # Ok::<(), countersign_policy::UrlError>(())
    /// ```
    pub fn at(url: &str) -> Result<Self, UrlError> {
        let url = StrictUrl::read(url, UrlUse::InterfaceWithQuery)?;
        let kind = if url.path() == WELL_KNOWN_PATH { SourceKind::WellKnown } else { SourceKind::Url };
        Ok(Self { kind, url })
    }

    /// The same source, found in another way.
    #[must_use]
    pub fn found_in(mut self, kind: SourceKind) -> Self {
        self.kind = kind;
        self
    }
}

impl SourceKind {
    /// Reads `well-known`, `url`, `file` or `registry:NAME`; [`None`] for anything else.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        match text {
            "well-known" => Some(Self::WellKnown),
            "url" => Some(Self::Url),
            "file" => Some(Self::File),
            _ => text
                .strip_prefix("registry:")
                .filter(|name| !name.is_empty())
                .map(|name| Self::Registry(name.to_owned())),
        }
    }
}

/// `well-known`, `url`, `file` or `registry:NAME`.
impl std::fmt::Display for SourceKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::WellKnown => f.write_str("well-known"),
            Self::Url => f.write_str("url"),
            Self::File => f.write_str("file"),
            Self::Registry(name) => write!(f, "registry:{name}"),
        }
    }
}
