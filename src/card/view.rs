//! A typed, borrowed view of a card, in both generations of the protocol. It is for reading: nothing is printed
//! from it, and what it says is no more than the card that it views may be believed.

mod interface;
mod security;

use countersign_keys::json::Value;

use super::shape::is_envelope;
use super::{UntrustedCard, member, members};
use crate::VerifiedCard;
pub(crate) use interface::Holder;
pub use interface::{ClaimedInterface, DeclaredVersion, InterfacePlace};
pub(crate) use security::{FLOW_URLS, SCHEME_MEMBERS};
pub use security::{
    FlowKind, OAuthFlow, RequiredScheme, Requirement, RequirementFault, Requirements, SchemeFault,
    SchemeKind, SecurityScheme,
};

/// A card to read from.
///
/// The view of an [`UntrustedCard`] shows claims; the view of a [`VerifiedCard`] shows what was signed, with the members
/// that [`VerifiedCard::unsigned`] names. Members are found in camelCase and in the spelling of the proto file. A member of
/// another type than the schema's counts as absent here, except where that would read as less authentication.
#[derive(Clone, Copy, Debug)]
pub struct CardView<'c> {
    root: Value<'c>,
    top: Top<'c>,
}

/// The members at the top of a card that decisions are made by, found in one pass.
#[derive(Clone, Copy, Debug)]
struct Top<'c> {
    name: Option<Value<'c>>,
    version: Option<Value<'c>>,
    interfaces: Option<Value<'c>>,
    capabilities: Option<Value<'c>>,
    schemes: Option<Value<'c>>,
    requirements: Option<Value<'c>>,
    provider: Option<Value<'c>>,
    documentation_url: Option<Value<'c>>,
    icon_url: Option<Value<'c>>,
    legacy_url: Option<Value<'c>>,
    legacy_version: Option<Value<'c>>,
    legacy_interfaces: Option<Value<'c>>,
    legacy_requirements: Option<Value<'c>>,
}

/// An extension that the card declares.
#[derive(Clone, Copy, Debug)]
pub struct Extension<'c> {
    value: Value<'c>,
}

/// A skill that the card declares.
#[derive(Clone, Copy, Debug)]
pub struct Skill<'c> {
    value: Value<'c>,
    generation: Generation,
}

/// Whose members come first where a card has those of both.
#[derive(Clone, Copy, Debug)]
enum Generation {
    V1,
    V0_3,
}

impl UntrustedCard {
    /// What the card claims.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{Limits, Requirements, UntrustedCard};
    ///
    /// let card = r#"{"name": "Agent", "securityRequirements": [{"bearer": []}], "supportedInterfaces": [{}]}"#;
    /// let card = UntrustedCard::read(card, &Limits::default())?;
    /// assert_eq!(card.view().name(), Some("Agent"));
    /// // Not a requirement of A2A 1.0, and never "no authentication".
    /// assert!(!card.view().requirements().allows_anonymous());
    /// # Ok::<(), countersign::CardError>(())
    /// ```
    #[must_use]
    pub fn view(&self) -> CardView<'_> {
        CardView::of(self.root())
    }
}

impl VerifiedCard {
    /// What was signed, and the members that [`unsigned`](Self::unsigned) names.
    #[must_use]
    pub fn view(&self) -> CardView<'_> {
        CardView::of(self.root())
    }
}

impl<'c> CardView<'c> {
    pub(crate) fn of(root: Value<'c>) -> Self {
        Self { root, top: Top::of(root) }
    }

    /// The whole card.
    #[must_use]
    pub fn value(self) -> Value<'c> {
        self.root
    }

    /// The member of the card with this camelCase name, of any type.
    #[must_use]
    pub fn member(self, name: &str) -> Option<Value<'c>> {
        member(self.root, name)
    }

    /// `name`.
    #[must_use]
    pub fn name(self) -> Option<&'c str> {
        non_empty(self.top.name)
    }

    /// `description`.
    #[must_use]
    pub fn description(self) -> Option<&'c str> {
        text(self.root, "description")
    }

    /// `version`: the agent's own, never that of the protocol.
    #[must_use]
    pub fn version(self) -> Option<&'c str> {
        non_empty(self.top.version)
    }

    /// `provider`, where it is an object.
    #[must_use]
    pub fn provider(self) -> Option<Value<'c>> {
        self.top.provider.filter(|provider| provider.members().next().is_some())
    }

    /// A flag of `capabilities`, such as `streaming`; absent when it is no boolean.
    #[must_use]
    pub fn capability(self, name: &str) -> Option<bool> {
        member(self.top.capabilities?, name)?.as_bool()
    }

    /// Whether the card says that a longer card can be had after authentication: `capabilities.extendedAgentCard`, or
    /// `supportsAuthenticatedExtendedCard` of A2A 0.3.
    #[must_use]
    pub fn offers_extended_card(self) -> bool {
        let legacy = || member(self.root, "supportsAuthenticatedExtendedCard").and_then(Value::as_bool);
        self.capability("extendedAgentCard").or_else(legacy).unwrap_or(false)
    }

    /// `capabilities.extensions`, objects only.
    pub fn extensions(self) -> impl Iterator<Item = Extension<'c>> {
        let list = self.top.capabilities.and_then(|capabilities| member(capabilities, "extensions"));
        list.into_iter().flat_map(Value::elements).map(|value| Extension { value })
    }

    /// `capabilities.extensions`, where it is an object and no list.
    pub(crate) fn extension_outside_a_list(self) -> Option<Extension<'c>> {
        let extensions = member(self.top.capabilities?, "extensions")?;
        (extensions.kind() == countersign_keys::json::Kind::Object).then_some(Extension { value: extensions })
    }

    /// `skills`.
    pub fn skills(self) -> impl Iterator<Item = Skill<'c>> {
        let list = member(self.root, "skills");
        let generation = self.generation();
        list.into_iter().flat_map(Value::elements).map(move |value| Skill { value, generation })
    }

    /// Whether the card has a `supportedInterfaces` that is not empty: the envelope of A2A 1.0.
    #[must_use]
    pub fn has_envelope(self) -> bool {
        self.top.interfaces.is_some_and(is_envelope)
    }

    /// `supportedInterfaces`, whatever it is.
    pub(crate) fn listed_interfaces(self) -> Option<Value<'c>> {
        self.top.interfaces
    }

    /// The URLs for people: of the provider, of the icon, of the documentation.
    pub(crate) fn information_urls(self) -> impl Iterator<Item = Value<'c>> {
        let provider = self.top.provider.and_then(|provider| member(provider, "url"));
        [provider, self.top.icon_url, self.top.documentation_url].into_iter().flatten()
    }

    fn generation(self) -> Generation {
        if self.has_envelope() { Generation::V1 } else { Generation::V0_3 }
    }
}

impl<'c> Top<'c> {
    fn of(card: Value<'c>) -> Self {
        let names = [
            "name",
            "version",
            "supportedInterfaces",
            "capabilities",
            "securitySchemes",
            "securityRequirements",
            "provider",
            "documentationUrl",
            "iconUrl",
            "url",
            "protocolVersion",
            "additionalInterfaces",
            "security",
        ];
        let [
            name,
            version,
            interfaces,
            capabilities,
            schemes,
            requirements,
            provider,
            documentation_url,
            icon_url,
            legacy_url,
            legacy_version,
            legacy_interfaces,
            legacy_requirements,
        ] = members(card, names);
        Self {
            name,
            version,
            interfaces,
            capabilities,
            schemes,
            requirements,
            provider,
            documentation_url,
            icon_url,
            legacy_url,
            legacy_version,
            legacy_interfaces,
            legacy_requirements,
        }
    }
}

impl<'c> Extension<'c> {
    /// The object.
    #[must_use]
    pub fn value(self) -> Value<'c> {
        self.value
    }

    /// `uri`.
    #[must_use]
    pub fn uri(self) -> Option<&'c str> {
        text(self.value, "uri")
    }

    /// Whether a client must support it. A `required` that is no boolean counts as yes.
    #[must_use]
    pub fn is_required(self) -> bool {
        member(self.value, "required")
            .filter(|required| !required.is_null())
            .is_some_and(|required| required.as_bool().unwrap_or(true))
    }
}

impl<'c> Skill<'c> {
    /// The object.
    #[must_use]
    pub fn value(self) -> Value<'c> {
        self.value
    }

    /// `id`.
    #[must_use]
    pub fn id(self) -> Option<&'c str> {
        text(self.value, "id")
    }

    /// `name`.
    #[must_use]
    pub fn name(self) -> Option<&'c str> {
        text(self.value, "name")
    }

    /// `description`.
    #[must_use]
    pub fn description(self) -> Option<&'c str> {
        text(self.value, "description")
    }

    /// `tags`, strings only.
    pub fn tags(self) -> impl Iterator<Item = &'c str> {
        member(self.value, "tags").into_iter().flat_map(Value::elements).filter_map(Value::as_text)
    }

    /// What the skill demands beside the card.
    #[must_use]
    pub fn requirements(self) -> Requirements<'c> {
        Requirements::of(self.value, self.generation)
    }
}

/// A member that is a string and not empty.
fn text<'c>(object: Value<'c>, name: &str) -> Option<&'c str> {
    non_empty(member(object, name))
}

fn non_empty(value: Option<Value<'_>>) -> Option<&str> {
    value.and_then(Value::as_text).filter(|text| !text.is_empty())
}
