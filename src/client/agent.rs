//! An agent that a client wants to talk to.

use std::sync::Arc;

use countersign_keys::{sha256, sha256_of_parts};
use countersign_policy::{AdmissionRequest, ProtocolVersion, Source, SourceKind, StrictUrl, UrlError};

use crate::cache::AgentScope;
use crate::endorsement::Endorsement;
use crate::fetch::{AskTerms, CardAddress, CardAddressError, Credential};
use crate::select::SelectTerms;

/// Where the card of an agent is, and who wants it for what.
#[derive(Clone, Debug)]
pub struct Agent {
    address: CardAddress,
    terms: SelectTerms,
    extensions: Option<Vec<String>>,
    registry: Option<String>,
    ask: AskTerms,
    endorsements: Arc<[Endorsement]>,
    scope: AgentScope,
}

impl Agent {
    /// The agent whose card is at an address, see [`CardAddress::read`], for a client that chooses interfaces by `terms`. It
    /// is called by the URL of its card.
    ///
    /// # Errors
    ///
    /// [`CardAddressError`] if the text is no address of a card.
    pub fn at(address: &str, terms: SelectTerms) -> Result<Self, CardAddressError> {
        Ok(Self::new(CardAddress::read(address)?, terms))
    }

    /// The same, with the address read before.
    #[must_use]
    pub fn new(address: CardAddress, terms: SelectTerms) -> Self {
        let scope = AgentScope::new(address.url().raw(), None, None);
        let agent = Self {
            address,
            terms,
            extensions: None,
            registry: None,
            ask: AskTerms::default(),
            endorsements: Arc::new([]),
            scope,
        };
        agent.settled()
    }

    /// The same for a tenant, in the words of the policy.
    #[must_use]
    pub fn with_tenant(mut self, tenant: impl Into<String>) -> Self {
        self.scope =
            AgentScope::new(self.scope.agent(), Some(tenant.into()), self.scope.purpose().map(str::to_owned));
        self.settled()
    }

    /// The same for a use, in the words of the policy.
    #[must_use]
    pub fn for_use(mut self, purpose: impl Into<String>) -> Self {
        self.scope =
            AgentScope::new(self.scope.agent(), self.scope.tenant().map(str::to_owned), Some(purpose.into()));
        self.settled()
    }

    /// The same for a client that supports these extensions, by their URIs, and no others.
    #[must_use]
    pub fn with_extensions(mut self, extensions: impl IntoIterator<Item = String>) -> Self {
        self.extensions = Some(extensions.into_iter().collect());
        self.settled()
    }

    /// The same, named by a registry: its source is [`SourceKind::Registry`].
    #[must_use]
    pub fn from_registry(mut self, name: impl Into<String>) -> Self {
        self.registry = Some(name.into());
        self.settled()
    }

    /// The same, asked for with `A2A-Version`: for servers that have a card for each version.
    #[must_use]
    pub fn asked_with_version(mut self, version: ProtocolVersion) -> Self {
        self.ask = self.ask.with_version(version);
        self.settled()
    }

    /// The same, asked for with `Authorization`: for cards that are not public.
    #[must_use]
    pub fn asked_with_credential(mut self, credential: Credential) -> Self {
        self.ask = self.ask.with_credential(credential);
        self.settled()
    }

    /// The same with signatures that are kept beside the card; several agents may share them.
    #[must_use]
    pub fn with_endorsements(mut self, endorsements: impl Into<Arc<[Endorsement]>>) -> Self {
        self.endorsements = endorsements.into();
        self.settled()
    }

    /// Where its card is.
    #[must_use]
    pub const fn address(&self) -> &CardAddress {
        &self.address
    }

    /// How an interface is chosen.
    #[must_use]
    pub const fn terms(&self) -> &SelectTerms {
        &self.terms
    }

    /// Under which name, tenant and use its interface is remembered.
    #[must_use]
    pub const fn scope(&self) -> &AgentScope {
        &self.scope
    }

    /// What is remembered for this agent is for nobody who asks for it in another way.
    fn settled(mut self) -> Self {
        let fingerprint = self.ask.credential.as_ref().map(Credential::fingerprint);
        let endorsements = self.endorsements.iter().map(|endorsement| sha256(endorsement.octets()));
        let texts = format!(
            "{:?}{:?}{:?}{:?}{:?}",
            self.address, self.terms, self.extensions, self.registry, self.ask.version
        );
        let question = sha256_of_parts([
            sha256_of_parts([texts]),
            sha256_of_parts(fingerprint),
            sha256_of_parts(endorsements),
        ]);
        self.scope = self.scope.asked(question);
        self
    }

    pub(super) const fn ask(&self) -> &AskTerms {
        &self.ask
    }

    /// Signatures that are kept beside its card.
    #[must_use]
    pub fn endorsements(&self) -> &[Endorsement] {
        &self.endorsements
    }

    /// The question about its card, if the first URL of its address answers.
    ///
    /// # Errors
    ///
    /// [`UrlError`] if a policy cannot decide by that URL.
    pub fn request(&self) -> Result<AdmissionRequest, UrlError> {
        self.request_from(self.address.url())
    }

    /// The question about a card that came from `url`.
    pub(super) fn request_from(&self, url: &StrictUrl) -> Result<AdmissionRequest, UrlError> {
        let mut source = Source::at(url.raw())?;
        if let Some(name) = &self.registry {
            source = source.found_in(SourceKind::Registry(name.clone()));
        }
        let mut request = AdmissionRequest::new(source);
        request.tenant = self.scope.tenant().map(str::to_owned);
        request.purpose = self.scope.purpose().map(str::to_owned);
        request.accept = (!self.terms.accept.is_empty()).then(|| self.terms.accept.clone());
        request.extensions.clone_from(&self.extensions);
        request.assumed = self.terms.assumed;
        Ok(request)
    }
}
