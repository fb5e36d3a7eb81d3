//! What is known about one card. Whoever reads cards fills it in; nothing here is believed beyond what it says.

use std::borrow::Cow;

use countersign_keys::{Algorithm, Code, Thumbprint};

use crate::{CardParts, CardPointer, LazyDigest, PinDigest, ProtocolVersion, UnixTime};

/// What is known about one card, borrowed from it.
///
/// Interfaces, authentication and extensions are those of the card that would be handed on: what the counted signatures
/// cover, or the card as received where the policy looks at no signature.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CardFacts<'c> {
    /// SHA-256 of the octets of the card.
    pub sha256: Option<LazyDigest>,
    /// SHA-256 of the payload of the counted signatures.
    pub payload_sha256: Option<LazyDigest>,
    /// `name`.
    pub name: Option<&'c str>,
    /// `version`.
    pub version: Option<&'c str>,
    /// Why nobody can use the card, if so: it is none, or it contradicts itself.
    pub unusable: Option<FactFault>,
    /// Why none of the signatures was looked at, if so: there are too many, or they are no list.
    pub signatures_fault: Option<FactFault>,
    /// The parts of the card that would be handed on. Needed only where cards are remembered.
    pub parts: Option<CardParts>,
    /// How many signatures the card itself carries, looked at or not.
    pub claimed_signatures: usize,
    /// Every signature of the card, then those of its endorsements.
    pub signatures: Vec<SignatureFacts>,
    /// What no counted signature covers.
    pub uncovered: Vec<UncoveredFacts>,
    /// Why the counted signatures do not cover enough, if so.
    pub coverage_fault: Option<FactFault>,
    /// The interfaces, in the order of the card.
    pub interfaces: Vec<InterfaceFacts<'c>>,
    /// What it demands.
    pub auth: AuthFacts<'c>,
    /// The extensions that it names.
    pub extensions: Vec<ExtensionFacts<'c>>,
    /// Other URLs: of the provider, of the icon, of documentation.
    pub information_urls: Vec<UrlFacts<'c>>,
}

/// A reason that was found before the policy was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a code, a sentence and a place")]
pub struct FactFault {
    /// What was found.
    pub code: Code,
    /// One sentence, lower case, user text in backticks.
    pub message: String,
    /// JSON Pointer into the card.
    pub pointer: Option<String>,
}

/// What is known about one signature.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignatureFacts {
    /// The endorsement that it stands in, counted from 0; [`None`] for the card.
    pub endorsement: Option<usize>,
    /// Its place in `signatures`, counted from 0.
    pub index: usize,
    /// `kid`, as written.
    pub kid: Option<String>,
    /// `alg`, as written.
    pub alg: Option<String>,
    /// Whether it verified, under any key of the policy and a form that the rule accepts.
    pub state: SignatureState,
    /// Why it did not.
    pub faults: Vec<FactFault>,
    /// The key that made it, if it verified.
    pub thumbprint: Option<Thumbprint>,
    /// The algorithm that made it, if it is known.
    pub algorithm: Option<Algorithm>,
    /// Name of the first accepted form that it matches.
    pub form: Option<&'static str>,
    /// Digest of the payload that it verified over. Needed only where cards are remembered.
    pub payload: Option<PinDigest>,
    /// `iat`.
    pub issued_at: Option<UnixTime>,
    /// `exp`.
    pub expires_at: Option<UnixTime>,
    /// How much of the card it leaves out, in octets: the best is the one that leaves out least.
    pub uncovered_octets: usize,
}

/// Whether a signature verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "the four answers for a signature")]
pub enum SignatureState {
    /// It is damaged.
    Malformed,
    /// Nothing can be said about it.
    Unverifiable,
    /// It is wrong.
    Invalid,
    /// It is right.
    Verified,
}

/// A member that no counted signature covers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the three members of the decision document")]
pub struct UncoveredFacts {
    /// JSON Pointer into the received card.
    pub pointer: String,
    /// `default`, `text`, `unknown`, `legacy` or `security`.
    pub class: &'static str,
    /// What becomes of it: handed on as received, left out, handed on and marked, or fatal.
    pub fate: &'static str,
}

/// What is known about one interface.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InterfaceFacts<'c> {
    /// Its place among the interfaces of the card, counted from 0.
    pub index: usize,
    /// JSON Pointer of the object that describes it.
    pub pointer: CardPointer<'c>,
    /// JSON Pointer of its URL.
    pub url_pointer: CardPointer<'c>,
    /// JSON Pointer of its binding.
    pub binding_pointer: CardPointer<'c>,
    /// JSON Pointer of its version.
    pub version_pointer: CardPointer<'c>,
    /// `url`.
    pub url: Option<&'c str>,
    /// `protocolBinding`.
    pub binding: Option<&'c str>,
    /// `protocolVersion`.
    pub version: VersionFacts<'c>,
    /// `tenant`.
    pub tenant: Option<&'c str>,
}

/// What an interface says about its protocol version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "absent, readable, or not")]
pub enum VersionFacts<'c> {
    /// Nothing.
    Absent,
    /// This version.
    Known(ProtocolVersion),
    /// Something else; its text where it is one.
    Unrecognized(Option<&'c str>),
}

/// What a card demands of clients.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AuthFacts<'c> {
    /// Whether it lets in clients that do not authenticate.
    pub allows_anonymous: bool,
    /// Why a demand may have been deleted although the card verifies, if so (`auth.not-provable`).
    pub not_provable: Option<FactFault>,
    /// The alternatives: one of them must be met.
    pub alternatives: Vec<AlternativeFacts<'c>>,
    /// The schemes that it declares, in its order, whether an alternative names them or not.
    pub schemes: Vec<SchemeFacts<'c>>,
}

/// One alternative: all of its schemes must be satisfied.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AlternativeFacts<'c> {
    /// JSON Pointer of the entry.
    pub pointer: CardPointer<'c>,
    /// Names of schemes; none where the entry demands nothing.
    pub schemes: Vec<&'c str>,
    /// Whether it can be read. One that cannot is met by nobody.
    pub is_readable: bool,
}

/// A security scheme.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SchemeFacts<'c> {
    /// Its name in the card.
    pub name: &'c str,
    /// JSON Pointer of the scheme.
    pub pointer: CardPointer<'c>,
    /// The words of `auth.schemes` that stand for it, any of which satisfies it: `http:bearer`, `oauth2:client_credentials`,
    /// `openid`, `apikey:header`, `mtls`. None for one that cannot be read.
    pub kinds: Vec<Cow<'static, str>>,
    /// Where clients would send credentials.
    pub credential_urls: Vec<UrlFacts<'c>>,
}

/// A URL and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a text and its place")]
pub struct UrlFacts<'c> {
    /// JSON Pointer of the member.
    pub pointer: CardPointer<'c>,
    /// Its text.
    pub url: &'c str,
}

/// An extension.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the members of an extension that a policy can name")]
pub struct ExtensionFacts<'c> {
    /// JSON Pointer of the extension.
    pub pointer: CardPointer<'c>,
    /// `uri`.
    pub uri: &'c str,
    /// Whether a client must support it.
    pub is_required: bool,
}

impl SignatureState {
    /// `malformed`, `unverifiable`, `invalid` or `verified`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Unverifiable => "unverifiable",
            Self::Invalid => "invalid",
            Self::Verified => "verified",
        }
    }
}

impl SignatureFacts {
    /// A signature of the card of which nothing else is known yet.
    #[must_use]
    pub const fn new(index: usize, state: SignatureState) -> Self {
        Self {
            endorsement: None,
            index,
            kid: None,
            alg: None,
            state,
            faults: Vec::new(),
            thumbprint: None,
            algorithm: None,
            form: None,
            payload: None,
            issued_at: None,
            expires_at: None,
            uncovered_octets: 0,
        }
    }
}

impl<'c> InterfaceFacts<'c> {
    /// An interface that says nothing, with the JSON Pointers of its object, URL, binding and version.
    #[must_use]
    pub fn new(index: usize, [pointer, url, binding, version]: [CardPointer<'c>; 4]) -> Self {
        Self {
            index,
            pointer,
            url_pointer: url,
            binding_pointer: binding,
            version_pointer: version,
            url: None,
            binding: None,
            version: VersionFacts::Absent,
            tenant: None,
        }
    }
}

impl<'c> AlternativeFacts<'c> {
    /// An alternative that demands these schemes.
    #[must_use]
    pub const fn of(pointer: CardPointer<'c>, schemes: Vec<&'c str>) -> Self {
        Self { pointer, schemes, is_readable: true }
    }

    /// An alternative that nobody can read.
    #[must_use]
    pub const fn unreadable(pointer: CardPointer<'c>) -> Self {
        Self { pointer, schemes: Vec::new(), is_readable: false }
    }
}

impl<'c> SchemeFacts<'c> {
    /// A scheme with the words that stand for it.
    #[must_use]
    pub const fn new(name: &'c str, pointer: CardPointer<'c>, kinds: Vec<Cow<'static, str>>) -> Self {
        Self { name, pointer, kinds, credential_urls: Vec::new() }
    }
}
