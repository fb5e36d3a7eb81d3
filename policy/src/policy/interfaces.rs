//! What a rule demands of interfaces and of authentication.

use std::collections::BTreeMap;

use super::{Grace, Reaction};
use crate::{AllowPattern, Network, Placed, PolicyPlace, Scheme, VersionRequirement};

/// `interfaces`: which interfaces of a card may be used.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InterfaceTerms {
    /// Schemes; https stands for the gRPC `host:port` too. Default: https.
    pub schemes: Placed<Vec<Scheme>>,
    /// Hosts. Default: `*source` alone.
    pub hosts: Hosts,
    /// Paths: one that ends in `/` stands for all below it. Default: any.
    pub paths: Option<Placed<Vec<String>>>,
    /// Protocol versions, any of which fits. Default: 1.0.
    pub versions: Placed<Vec<VersionRequirement>>,
    /// Bindings, exactly as the card spells them. Default: `JSONRPC`, `GRPC`, `HTTP+JSON`.
    pub bindings: Placed<Vec<String>>,
    /// Whether a URL may have a query. Default: no.
    pub query: Queries,
    /// Whether this machine may be called, over http too. Default: [`None`], no.
    pub allow_loopback: Option<PolicyPlace>,
    /// Ranges of addresses that an interface may have as its host. Default: none.
    pub networks: Vec<Placed<Network>>,
    /// Whether any public host will do. Default: no.
    pub any_host: Option<Placed<AnyHost>>,
    /// What a failing interface means. Default: it is dropped.
    pub other: FailedInterfaces,
}

/// `hosts`: any of these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hosts {
    /// Where `*source` is written, if it is: the host that the card came from, on its port or the default one.
    pub source: Option<PolicyPlace>,
    /// Patterns; names of `[hostsets]` are resolved.
    pub listed: Vec<Placed<AllowPattern>>,
}

/// `any-host`: any public name or address.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnyHost {
    /// Why, and until when. Without them it is an error of `lint`, and holds for ever.
    pub grace: Option<Grace>,
}

impl AnyHost {
    /// Any public host, for the reason and time that are given.
    #[must_use]
    pub const fn new(grace: Option<Grace>) -> Self {
        Self { grace }
    }
}

/// `query`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two words of `query`")]
pub enum Queries {
    /// A URL with a query fails.
    Deny,
    /// A URL may have a query.
    Allow,
}

/// `other`: what an interface that fails means for the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two words of `other`")]
pub enum FailedInterfaces {
    /// It is left out; the card is denied if none is left.
    Drop,
    /// The card is denied.
    DenyCard,
}

/// `auth`: what a card may demand of clients.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AuthTerms {
    /// A card that demands nothing, or has an alternative that demands nothing. Default: reported.
    pub anonymous: Placed<AnonymousAccess>,
    /// What the client can satisfy: `http:bearer`, `oauth2:client_credentials`, `mtls` and so on. Default: [`None`], any.
    pub schemes: Option<Placed<Vec<String>>>,
    /// Hosts of token and other credential URLs, beside the hosts of the admitted interfaces. Default: none.
    pub hosts: Vec<Placed<AllowPattern>>,
    /// Our credential by the name that the card gives its scheme; handed on with the decision. Default: none.
    pub credentials: BTreeMap<String, String>,
}

/// `anonymous`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the three words of `anonymous`")]
pub enum AnonymousAccess {
    /// It is allowed.
    Allow,
    /// It is allowed and reported.
    Report,
    /// It is denied.
    Deny,
}

impl AnonymousAccess {
    /// `allow`, `report` or `deny`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Report => "report",
            Self::Deny => "deny",
        }
    }
}

impl AuthTerms {
    /// What is left of a reaction to a card that lets in everybody.
    #[must_use]
    pub fn anonymous_reaction(&self) -> Option<Reaction> {
        match self.anonymous.value {
            AnonymousAccess::Allow => None,
            AnonymousAccess::Report => Some(Reaction::Report),
            AnonymousAccess::Deny => Some(Reaction::Deny),
        }
    }
}
