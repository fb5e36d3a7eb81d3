//! Which interface of a card a client uses (A2A 1.0 section 8.3.2), and why each other one is passed over.
//!
//! Nothing here is permission: an interface that is selected is still a claim of the card until a policy admits it.

mod candidate;
mod order;
mod refusal;
mod terms;

use countersign_keys::{Code, Finding};
use countersign_policy::ProtocolVersion;

use crate::card::{CardView, ClaimedInterface, Unusable};
use crate::codes::interfaces;
use candidate::Candidate;
pub(crate) use candidate::{CORE_BINDINGS, core_in_other_case, default_transport};
use order::Tier;
pub use refusal::{OtherFailure, VersionNotSupported};
pub use terms::{Fallback, Preference, ProtocolChoice, SelectTerms};

/// The answer for one card and one client: an interface, or none, and what is said about every one that is offered.
#[derive(Clone, Debug)]
pub struct Selection<'c> {
    candidates: Vec<Candidate<'c>>,
    terms: SelectTerms,
    /// Set where the card as a whole cannot be used.
    unusable: Option<Code>,
    chosen: Option<(usize, SelectedBecause)>,
    /// Those whose server answered VersionNotSupportedError, in the order of the answers.
    refused: Vec<usize>,
}

/// The interface that a client uses. Its URL is what the card claims; nobody has allowed it yet.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SelectedInterface<'s, 'c> {
    /// Its place among the [claimed interfaces](CardView::claimed_interfaces).
    pub index: usize,
    /// What the card says about it.
    pub claim: &'s ClaimedInterface<'c>,
    /// The version to speak.
    pub version: ProtocolVersion,
    /// The binding to speak, as the client spells it.
    pub binding: &'s str,
    /// Why it is this one.
    pub because: SelectedBecause,
}

/// Why an interface was selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SelectedBecause {
    /// The first that fits, in the order of the card.
    CardOrder,
    /// The newest version that fits; among equals the first in the card.
    Newest,
    /// The first that fits, in the order of what the client accepts.
    ClientOrder,
    /// The fallback is allowed, and the card offers no 1.x interface that the client can use.
    FallbackWithoutV1,
    /// The next one after a VersionNotSupportedError.
    VersionNotSupported,
    /// The fallback is allowed, and every 1.x interface answered VersionNotSupportedError.
    FallbackAfterVersionNotSupported,
}

/// An interface of the card, and the reasons why it is not the one; without reasons it is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OfferedInterface<'s, 'c> {
    /// Its place among the [claimed interfaces](CardView::claimed_interfaces).
    pub index: usize,
    /// What the card says about it.
    pub claim: &'s ClaimedInterface<'c>,
    /// The version that it counts as, where it has one.
    pub version: Option<ProtocolVersion>,
    /// Why it was passed over.
    pub codes: Vec<Code>,
}

impl SelectedBecause {
    /// `card-order`, `newest`, `client-order`, `fallback-without-1.x`, `version-not-supported` or
    /// `fallback-after-version-not-supported`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CardOrder => "card-order",
            Self::Newest => "newest",
            Self::ClientOrder => "client-order",
            Self::FallbackWithoutV1 => "fallback-without-1.x",
            Self::VersionNotSupported => "version-not-supported",
            Self::FallbackAfterVersionNotSupported => "fallback-after-version-not-supported",
        }
    }
}

impl<'c> CardView<'c> {
    /// Selects the interface for a client.
    ///
    /// An interface can be used when it has a URL under the strict profile, a binding and a version that the client
    /// accepts, both. Bindings compare exactly; a core binding in another case fits with a finding. Interfaces of the legacy
    /// members count as 0.3, and only if the card says 0.3. Does not check whether the host is allowed or public.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{Limits, SelectTerms, UntrustedCard};
    ///
    /// let card = r#"{"supportedInterfaces": [
    ///   {"url": "https://a.example/v0", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
    ///   {"url": "https://a.example/v1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}"#;
    /// let card = UntrustedCard::read(card, &Limits::default())?;
    /// let selection = card.view().select(&SelectTerms::accepting(["1.0/JSONRPC".parse()?, "0.3/JSONRPC".parse()?]));
    /// assert_eq!(selection.interface().map(|interface| interface.claim.claimed_url), Some(Some("https://a.example/v1")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn select(self, terms: &SelectTerms) -> Selection<'c> {
        let unusable = Unusable::of(self, terms.assumed).map(Unusable::code);
        let candidates = candidate::of(self, terms);
        let mut selection =
            Selection { candidates, terms: terms.clone(), unusable, chosen: None, refused: Vec::new() };
        selection.chosen = selection.choose();
        selection
    }
}

impl<'c> Selection<'c> {
    /// The interface to use.
    #[must_use]
    pub fn interface(&self) -> Option<SelectedInterface<'_, 'c>> {
        let (index, because) = self.chosen?;
        let candidate = self.candidates.get(index)?;
        let fit = candidate.fit.as_ref().ok()?;
        let binding = self.terms.accept.get(fit.accepted)?.binding();
        Some(SelectedInterface { index, claim: &candidate.claim, version: fit.version, binding, because })
    }

    /// Every interface of the card, with the reasons why it is not the one.
    pub fn offered(&self) -> impl Iterator<Item = OfferedInterface<'_, 'c>> {
        self.candidates.iter().enumerate().map(|(index, candidate)| OfferedInterface {
            index,
            claim: &candidate.claim,
            version: candidate.version,
            codes: self.passed_over(index, candidate),
        })
    }

    /// Why there is no interface; empty when there is one.
    #[must_use]
    pub fn codes(&self) -> Vec<Code> {
        if self.chosen.is_some() {
            return Vec::new();
        }
        let none = if self.refused.is_empty() {
            interfaces::IFACE_NONE_COMPATIBLE
        } else {
            interfaces::IFACE_NONE_LEFT
        };
        self.unusable.into_iter().chain([none]).collect()
    }

    /// What is unusual about the interface that was selected, and still fits.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let chosen = self.chosen.and_then(|(index, _)| self.candidates.get(index));
        chosen.map(Candidate::findings).unwrap_or_default()
    }

    /// The next choice, after the server behind the selected interface answered that it does not support the version.
    ///
    /// No other failure leads here: a time-out, a refused connection or an error of the application is no reason to
    /// speak an older protocol.
    #[must_use]
    pub fn after(mut self, _: VersionNotSupported) -> Self {
        if let Some((index, _)) = self.chosen {
            self.refused.push(index);
            self.chosen = self.choose();
        }
        self
    }

    /// The same without the interfaces that somebody objects to, by their place; each is passed over with the code.
    pub(crate) fn without(mut self, objection: impl Fn(usize) -> Option<Code>) -> Self {
        for (index, candidate) in self.candidates.iter_mut().enumerate() {
            if let Some(code) = objection(index) {
                candidate.fit = Err(code);
            }
        }
        self.chosen = self.choose();
        self
    }

    fn choose(&self) -> Option<(usize, SelectedBecause)> {
        if self.unusable.is_some() {
            return None;
        }
        order::choose(&self.candidates, &self.terms, &self.refused)
    }

    fn passed_over(&self, index: usize, candidate: &Candidate<'c>) -> Vec<Code> {
        if self.chosen.is_some_and(|(chosen, _)| chosen == index) {
            return Vec::new();
        }
        if let Some(unusable) = self.unusable {
            return vec![unusable];
        }
        match &candidate.fit {
            Err(code) => vec![*code],
            Ok(_) if self.refused.contains(&index) => vec![interfaces::IFACE_REFUSED_VERSION],
            Ok(fit)
                if Tier::of(fit, &self.terms) == Tier::Fallback && self.terms.fallback == Fallback::Deny =>
            {
                vec![interfaces::IFACE_FALLBACK_DENIED]
            }
            Ok(_) => vec![interfaces::IFACE_NOT_FIRST],
        }
    }
}

impl SelectedInterface<'_, '_> {
    /// The value of the `A2A-Version` header (A2A 1.0 section 14.2.1), in gRPC of the metadata key of that name. A client
    /// of 0.3 sends none.
    #[must_use]
    pub fn a2a_version(&self) -> Option<String> {
        a2a_version(self.version)
    }

    /// The media type of requests: `application/a2a+json` for HTTP+JSON from 1.0 on, else `application/json`;
    /// `application/grpc` for GRPC, none for other bindings.
    #[must_use]
    pub fn media_type(&self) -> Option<&'static str> {
        media_type(self.binding, self.version)
    }

    /// The tenant that every request has to name (A2A 1.0 section 8.3.2); null and the empty text are none.
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        self.claim.tenant
    }
}

/// The value of the `A2A-Version` header; a client of 0.3 sends none.
pub(crate) fn a2a_version(version: ProtocolVersion) -> Option<String> {
    (version != ProtocolVersion::V0_3).then(|| version.to_string())
}

/// The media type of requests over a binding, where it has one.
pub(crate) fn media_type(binding: &str, version: ProtocolVersion) -> Option<&'static str> {
    match core_in_other_case(binding).unwrap_or(binding) {
        "HTTP+JSON" if version != ProtocolVersion::V0_3 => Some("application/a2a+json"),
        "HTTP+JSON" | "JSONRPC" => Some("application/json"),
        "GRPC" => Some("application/grpc"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
