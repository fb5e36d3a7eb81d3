//! What may be used of a card that was admitted.

use std::sync::Arc;

use countersign_keys::json::Document;
use countersign_policy::{
    Decision, InterfaceOutcome, InterfaceVerdict, ProtocolVersion, StrictUrl, UnixTime,
};

use crate::card::CardView;
use crate::select;
use crate::signature::octets_of;

/// A card that a policy admits for one request, or whose denial it does not enforce.
///
/// Made only by [`UntrustedCard::admit`](crate::UntrustedCard::admit). What it may be used for are its
/// [interfaces](Self::interfaces), until [`Decision::expires_at`]; its texts are as far to be believed as the decision says.
#[derive(Debug)]
pub struct AdmittedCard {
    document: Document,
    decision: Decision,
    interfaces: Vec<AdmittedInterface>,
    assumed: Option<ProtocolVersion>,
}

/// An interface that may be called: the only thing with a URL to connect to.
///
/// Had from an [`AdmittedCard`]. It does not say what its host name resolves to, or who answers there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdmittedInterface {
    index: usize,
    url: StrictUrl,
    version: ProtocolVersion,
    binding: Arc<str>,
    tenant: Option<Arc<str>>,
    expires_at: UnixTime,
}

impl AdmittedCard {
    /// The card that is handed on, and what was decided about it.
    pub(super) fn new(document: Document, decision: Decision, assumed: Option<ProtocolVersion>) -> Self {
        let usable = decision.interfaces.iter();
        let interfaces =
            usable.filter_map(|verdict| AdmittedInterface::of(verdict, decision.expires_at)).collect();
        Self { document, decision, interfaces, assumed }
    }

    /// What was decided, and how it came about.
    #[must_use]
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// Whether the policy says yes. No: it says no and does not enforce that, see
    /// [`Decision::audit`].
    #[must_use]
    pub fn enforced(&self) -> bool {
        self.decision.enforced
    }

    /// What is handed on: what the counted signatures cover; the card as received where none was demanded.
    #[must_use]
    pub fn view(&self) -> CardView<'_> {
        CardView::of(self.document.root())
    }

    /// The same in the form of RFC 8785, without `signatures`.
    #[must_use]
    pub fn to_octets(&self) -> Vec<u8> {
        octets_of(&self.document)
    }

    /// The interfaces that may be called, in the order of the card. Those without a URL under the strict profile, a
    /// binding and a version are never among them.
    pub fn interfaces(&self) -> impl Iterator<Item = &AdmittedInterface> {
        self.interfaces.iter()
    }

    pub(super) fn interface_at(&self, index: usize) -> Option<&AdmittedInterface> {
        self.interfaces.iter().find(|interface| interface.index == index)
    }

    pub(super) const fn assumed(&self) -> Option<ProtocolVersion> {
        self.assumed
    }
}

impl AdmittedInterface {
    fn of(verdict: &InterfaceVerdict, expires_at: UnixTime) -> Option<Self> {
        match verdict.outcome {
            InterfaceOutcome::Admitted | InterfaceOutcome::NotEnforced => {}
            InterfaceOutcome::Dropped => return None,
        }
        let (binding, url) = (verdict.binding.clone()?, verdict.claimed_url()?.clone());
        let (version, tenant) = (verdict.version?, verdict.tenant.clone());
        Some(Self { index: verdict.index, url, version, binding, tenant, expires_at })
    }

    /// Where to connect, as the card writes it; for GRPC it may be `host:port`.
    #[must_use]
    pub fn url(&self) -> &str {
        self.url.raw()
    }

    /// The protocol version to speak.
    #[must_use]
    pub const fn version(&self) -> ProtocolVersion {
        self.version
    }

    /// The binding to speak, as the card writes it.
    #[must_use]
    pub fn binding(&self) -> &str {
        &self.binding
    }

    /// The tenant that every request has to name (A2A 1.0 section 8.3.2).
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        self.tenant.as_deref()
    }

    /// The value of the `A2A-Version` header (A2A 1.0 section 14.2.1), in gRPC of the metadata key of that name. A client
    /// of 0.3 sends none.
    #[must_use]
    pub fn a2a_version(&self) -> Option<String> {
        select::a2a_version(self.version)
    }

    /// The media type of requests: `application/a2a+json` for HTTP+JSON from 1.0 on, else `application/json`;
    /// `application/grpc` for GRPC, none for other bindings.
    #[must_use]
    pub fn media_type(&self) -> Option<&'static str> {
        select::media_type(&self.binding, self.version)
    }

    /// From when on the card must be admitted anew.
    #[must_use]
    pub const fn expires_at(&self) -> UnixTime {
        self.expires_at
    }

    /// Its place among the [claimed interfaces](CardView::claimed_interfaces) of the card that is handed on.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }
}
