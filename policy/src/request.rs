//! What somebody asks: may this client, for this tenant and use, talk to the agent whose card came from there?

use countersign_keys::sha256_of_parts;

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

    /// SHA-256 of everything that is asked, for those who remember answers: questions that differ in anything, be it the
    /// spelling of the URL or the order of what the client speaks, have different digests.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        // Every member by its name: a new one does not compile until it takes part.
        let Self { source: Source { kind, url }, tenant, purpose, accept, extensions, assumed } = self;
        let accept = accept.as_ref().map(|accept| sha256_of_parts(accept.iter().map(ToString::to_string)));
        let extensions = extensions.as_ref().map(sha256_of_parts);
        let assumed = assumed.map(|version| version.to_string());
        let digests = [
            sha256_of_parts([kind.to_string().as_str(), url.raw()]),
            sha256_of_parts(tenant),
            sha256_of_parts(purpose),
            sha256_of_parts(accept),
            sha256_of_parts(extensions),
            sha256_of_parts(assumed),
        ];
        sha256_of_parts(digests)
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

#[cfg(test)]
mod tests {
    use super::{AdmissionRequest, Source, SourceKind};
    use crate::ProtocolVersion;

    #[test]
    fn questions_that_differ_in_one_member_have_different_digests() {
        let source = |url: &str| Source::at(url).unwrap();
        let base = AdmissionRequest::new(source("https://agent.example/card.json"));
        let with = |change: &dyn Fn(&mut AdmissionRequest)| {
            let mut request = base.clone();
            change(&mut request);
            request.digest()
        };
        let accept = |texts: &[&str]| Some(texts.iter().map(|text| text.parse().unwrap()).collect());
        let digests = [
            base.digest(),
            with(&|request| request.source = source("https://agent.example/other.json")),
            with(&|request| request.source = source("https://agent.example:443/card.json")),
            with(&|request| request.source.kind = SourceKind::File),
            with(&|request| request.source.kind = SourceKind::Registry("file".to_owned())),
            with(&|request| request.tenant = Some(String::new())),
            with(&|request| request.tenant = Some("a".to_owned())),
            with(&|request| request.purpose = Some("a".to_owned())),
            with(&|request| request.accept = Some(Vec::new())),
            with(&|request| request.accept = accept(&["1.0/JSONRPC", "1.0/GRPC"])),
            with(&|request| request.accept = accept(&["1.0/GRPC", "1.0/JSONRPC"])),
            with(&|request| request.extensions = Some(Vec::new())),
            with(&|request| request.extensions = Some(vec!["a".to_owned(), "b".to_owned()])),
            with(&|request| request.extensions = Some(vec!["ab".to_owned()])),
            with(&|request| request.assumed = Some(ProtocolVersion::V0_3)),
        ];
        for (place, digest) in digests.iter().enumerate() {
            assert!(!digests[..place].contains(digest), "number {place} has the digest of an earlier one");
        }
        assert_eq!(base.digest(), base.clone().digest());
    }
}
