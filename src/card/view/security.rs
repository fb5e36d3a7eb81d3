//! How a card says that a client must authenticate, in both generations, read so that doubt never means "not at all".

use countersign_keys::json::{Kind, Value};

use super::{CardView, Generation, non_empty, text};
use crate::card::schema;
use crate::card::{member, members};

/// The members of a flow that are URLs.
pub(crate) const FLOW_URLS: [&str; 4] =
    ["authorizationUrl", "deviceAuthorizationUrl", "tokenUrl", "refreshUrl"];

/// The members of a scheme of A2A 1.0; it has one of them.
pub(crate) const SCHEME_MEMBERS: [&str; 5] = [
    "apiKeySecurityScheme",
    "httpAuthSecurityScheme",
    "oauth2SecurityScheme",
    "openIdConnectSecurityScheme",
    "mtlsSecurityScheme",
];

/// One entry of `securitySchemes`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SecurityScheme<'c> {
    /// The name that requirements use.
    pub name: &'c str,
    /// The entry.
    pub value: Value<'c>,
    /// What it says.
    pub kind: SchemeKind<'c>,
}

/// What a security scheme says. Texts are absent when they are no string or empty.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SchemeKind<'c> {
    /// `apiKeySecurityScheme`, or `type` `apiKey`.
    ApiKey {
        /// `location`, in A2A 0.3 `in`.
        location: Option<&'c str>,
        /// `name` of the parameter, header or cookie.
        name: Option<&'c str>,
    },
    /// `httpAuthSecurityScheme`, or `type` `http`.
    Http {
        /// `scheme`, a name of the IANA registry of HTTP authentication schemes.
        scheme: Option<&'c str>,
    },
    /// `oauth2SecurityScheme`, or `type` `oauth2`.
    OAuth2 {
        /// `flows`; A2A 1.0 has one, A2A 0.3 may have several.
        flows: Vec<OAuthFlow<'c>>,
        /// `oauth2MetadataUrl`.
        metadata_url: Option<&'c str>,
    },
    /// `openIdConnectSecurityScheme`, or `type` `openIdConnect`.
    OpenIdConnect {
        /// `openIdConnectUrl`.
        url: Option<&'c str>,
    },
    /// `mtlsSecurityScheme`, or `type` `mutualTLS`.
    MutualTls,
    /// Nothing that a client can satisfy.
    Unreadable(SchemeFault),
}

/// Why a security scheme cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemeFault {
    /// The entry, or what is inside its known member, is no object.
    NotAnObject,
    /// It has none of the five members of A2A 1.0, and no `type` of A2A 0.3.
    NoKind,
    /// It has more than one of the five members of A2A 1.0.
    SeveralKinds,
    /// Its `type` is none of A2A 0.3.
    UnknownType,
}

/// One OAuth 2.0 flow.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct OAuthFlow<'c> {
    /// Which flow.
    pub kind: FlowKind,
    /// The object.
    pub value: Value<'c>,
}

/// The OAuth 2.0 flows that A2A names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FlowKind {
    /// `authorizationCode`
    AuthorizationCode,
    /// `clientCredentials`
    ClientCredentials,
    /// `implicit`, deprecated
    Implicit,
    /// `password`, deprecated
    Password,
    /// `deviceCode`, from A2A 1.0 on
    DeviceCode,
}

/// What a card or a skill demands.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "nothing, alternatives, or something that is no list")]
pub enum Requirements<'c> {
    /// Neither generation's member is there, or it is null or empty.
    Absent,
    /// Any one of these is enough.
    AnyOf(Vec<Requirement<'c>>),
    /// The member is no list.
    Unreadable(Value<'c>),
}

/// One alternative.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "an alternative is readable or it is not")]
pub enum Requirement<'c> {
    /// All of these schemes together; none at all is access without authentication.
    AllOf {
        /// The entry.
        value: Value<'c>,
        /// The schemes.
        schemes: Vec<RequiredScheme<'c>>,
    },
    /// Nobody can tell what is demanded.
    Unreadable {
        /// The entry.
        value: Value<'c>,
        /// Why.
        fault: RequirementFault,
    },
}

/// A scheme that a requirement names.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RequiredScheme<'c> {
    /// The name in `securitySchemes`.
    pub name: &'c str,
    /// What stands under the name.
    pub value: Value<'c>,
    list: Option<Value<'c>>,
}

/// Why a requirement cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequirementFault {
    /// The entry is no object, or `schemes` in it is none.
    NotAnObject,
    /// Scheme names stand where A2A 1.0 has the member `schemes`: `{"bearer": []}`.
    Bare,
}

impl FlowKind {
    /// The name of the member of `flows`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AuthorizationCode => "authorizationCode",
            Self::ClientCredentials => "clientCredentials",
            Self::Implicit => "implicit",
            Self::Password => "password",
            Self::DeviceCode => "deviceCode",
        }
    }

    /// Every flow.
    pub(crate) const ALL: [Self; 5] =
        [Self::AuthorizationCode, Self::ClientCredentials, Self::Implicit, Self::Password, Self::DeviceCode];
}

impl<'c> CardView<'c> {
    /// `securitySchemes`, in the order of the text.
    pub fn security_schemes(self) -> impl Iterator<Item = SecurityScheme<'c>> {
        let schemes = self.top.schemes.into_iter().flat_map(Value::members);
        schemes.map(|(name, value)| SecurityScheme { name, value, kind: SchemeKind::of(value) })
    }

    /// What the card demands of every client: `securityRequirements`, or `security` of A2A 0.3.
    ///
    /// The member of the card's own generation counts; where it is absent or empty the other is read, because leaving a
    /// demand out would read as access without authentication.
    #[must_use]
    pub fn requirements(self) -> Requirements<'c> {
        Requirements::among((self.top.requirements, self.top.legacy_requirements), self.generation())
    }
}

impl<'c> SchemeKind<'c> {
    /// Exactly one known member of A2A 1.0 decides; without any, the `type` of A2A 0.3.
    fn of(value: Value<'c>) -> Self {
        if value.kind() != Kind::Object {
            return Self::Unreadable(SchemeFault::NotAnObject);
        }
        let known = SCHEME_MEMBERS.into_iter().zip(members(value, SCHEME_MEMBERS));
        let mut known =
            known.filter_map(|(name, found)| Some((name, found.filter(|found| !found.is_null())?)));
        match (known.next(), known.next()) {
            (None, _) => Self::tagged(value),
            (Some((name, inside)), None) if inside.kind() == Kind::Object => Self::named(name, inside),
            (Some(_), None) => Self::Unreadable(SchemeFault::NotAnObject),
            (Some(_), Some(_)) => Self::Unreadable(SchemeFault::SeveralKinds),
        }
    }

    fn named(name: &str, inside: Value<'c>) -> Self {
        match name {
            "apiKeySecurityScheme" => {
                Self::ApiKey { location: text(inside, "location"), name: text(inside, "name") }
            }
            "httpAuthSecurityScheme" => Self::Http { scheme: text(inside, "scheme") },
            "oauth2SecurityScheme" => Self::oauth2(inside),
            "openIdConnectSecurityScheme" => Self::OpenIdConnect { url: text(inside, "openIdConnectUrl") },
            "mtlsSecurityScheme" => Self::MutualTls,
            _ => Self::Unreadable(SchemeFault::NoKind),
        }
    }

    fn tagged(value: Value<'c>) -> Self {
        let Some(tag) = text(value, "type") else { return Self::Unreadable(SchemeFault::NoKind) };
        if schema::tagged_scheme(tag).is_none() {
            return Self::Unreadable(SchemeFault::UnknownType);
        }
        match tag {
            "apiKey" => Self::ApiKey { location: text(value, "in"), name: text(value, "name") },
            "http" => Self::Http { scheme: text(value, "scheme") },
            "oauth2" => Self::oauth2(value),
            "openIdConnect" => Self::OpenIdConnect { url: text(value, "openIdConnectUrl") },
            "mutualTLS" => Self::MutualTls,
            _ => Self::Unreadable(SchemeFault::UnknownType),
        }
    }

    fn oauth2(inside: Value<'c>) -> Self {
        let [flows, metadata_url] = members(inside, ["flows", "oauth2MetadataUrl"]);
        Self::OAuth2 { flows: OAuthFlow::all_of(flows).collect(), metadata_url: non_empty(metadata_url) }
    }
}

impl<'c> OAuthFlow<'c> {
    /// Those of the `flows` of a scheme, in the order of [`FlowKind::ALL`].
    fn all_of(flows: Option<Value<'c>>) -> impl Iterator<Item = Self> {
        let found = flows.map(|flows| members(flows, FlowKind::ALL.map(FlowKind::name)));
        let found = FlowKind::ALL.into_iter().zip(found.into_iter().flatten());
        let flow = |(kind, value): (FlowKind, Option<Value<'c>>)| {
            Some(Self { kind, value: value.filter(|value| !value.is_null())? })
        };
        found.filter_map(flow)
    }

    /// Names and texts of its URL members, as far as they are strings that are not empty.
    pub fn claimed_urls(self) -> impl Iterator<Item = (&'static str, &'c str)> {
        let found = FLOW_URLS.into_iter().zip(members(self.value, FLOW_URLS));
        found.filter_map(|(name, url)| Some((name, non_empty(url)?)))
    }

    /// `pkceRequired`.
    #[must_use]
    pub fn requires_pkce(self) -> bool {
        member(self.value, "pkceRequired").and_then(Value::as_bool).unwrap_or(false)
    }
}

impl<'c> Requirements<'c> {
    pub(super) fn of(object: Value<'c>, generation: Generation) -> Self {
        let [current, legacy] = members(object, ["securityRequirements", "security"]);
        Self::among((current, legacy), generation)
    }

    /// Those of the two members of an object that its generation reads first, and else the others.
    pub(super) fn among(
        (current, legacy): (Option<Value<'c>>, Option<Value<'c>>),
        generation: Generation,
    ) -> Self {
        let current = declared(current).map(|list| (list, Generation::V1));
        let legacy = declared(legacy).map(|list| (list, Generation::V0_3));
        let own = match generation {
            Generation::V1 => current.or(legacy),
            Generation::V0_3 => legacy.or(current),
        };
        match own {
            None => Self::Absent,
            Some((list, _)) if list.kind() != Kind::Array => Self::Unreadable(list),
            Some((list, Generation::V1)) => Self::AnyOf(list.elements().map(Requirement::of).collect()),
            Some((list, Generation::V0_3)) => Self::AnyOf(list.elements().map(Requirement::legacy).collect()),
        }
    }

    /// Whether the card lets in clients that do not authenticate: it demands nothing, or an alternative demands nothing.
    /// What cannot be read is a demand.
    #[must_use]
    pub fn allows_anonymous(&self) -> bool {
        match self {
            Self::Absent => true,
            Self::AnyOf(entries) => entries
                .iter()
                .any(|entry| matches!(entry, Requirement::AllOf { schemes, .. } if schemes.is_empty())),
            Self::Unreadable(_) => false,
        }
    }

    /// The alternatives; none where nothing is demanded or nothing can be read.
    #[must_use]
    pub fn entries(&self) -> &[Requirement<'c>] {
        match self {
            Self::AnyOf(entries) => entries,
            Self::Absent | Self::Unreadable(_) => &[],
        }
    }
}

/// A member that is neither null nor an empty list: what has another type is a demand that nobody can read.
fn declared(member: Option<Value<'_>>) -> Option<Value<'_>> {
    let is_empty_list = |value: Value<'_>| value.kind() == Kind::Array && value.is_empty();
    member.filter(|value| !value.is_null() && !is_empty_list(*value))
}

impl<'c> RequiredScheme<'c> {
    /// Scopes, strings only.
    pub fn scopes(&self) -> impl Iterator<Item = &'c str> + use<'c> {
        self.list.into_iter().flat_map(Value::elements).filter_map(Value::as_text)
    }
}

impl<'c> Requirement<'c> {
    /// An entry of `securityRequirements`: `{"schemes": {"oauth": {"list": ["read"]}}}`.
    fn of(value: Value<'c>) -> Self {
        let unreadable = |fault| Self::Unreadable { value, fault };
        if value.kind() != Kind::Object {
            return unreadable(RequirementFault::NotAnObject);
        }
        let schemes = member(value, "schemes").filter(|schemes| !schemes.is_null());
        match schemes {
            Some(schemes) if schemes.kind() != Kind::Object => unreadable(RequirementFault::NotAnObject),
            // Names beside an empty `schemes` are demands of the older generation.
            Some(schemes) if schemes.is_empty() && value.members().nth(1).is_some() => {
                unreadable(RequirementFault::Bare)
            }
            Some(schemes) => {
                let scopes = |scheme| member(scheme, "list");
                Self::AllOf { value, schemes: required(schemes, scopes) }
            }
            None if value.is_empty() => Self::AllOf { value, schemes: Vec::new() },
            None => unreadable(RequirementFault::Bare),
        }
    }

    /// An entry of `security`: `{"oauth": ["read"]}`.
    fn legacy(value: Value<'c>) -> Self {
        if value.kind() != Kind::Object {
            return Self::Unreadable { value, fault: RequirementFault::NotAnObject };
        }
        Self::AllOf { value, schemes: required(value, Some) }
    }
}

fn required<'c>(
    schemes: Value<'c>,
    scopes: impl Fn(Value<'c>) -> Option<Value<'c>>,
) -> Vec<RequiredScheme<'c>> {
    let scheme = |(name, value)| RequiredScheme { name, value, list: scopes(value) };
    schemes.members().map(scheme).collect()
}

#[cfg(test)]
mod tests {
    use super::{Requirement, RequirementFault, Requirements, SCHEME_MEMBERS, SchemeFault, SchemeKind};
    use crate::card::schema::SECURITY_SCHEME;
    use crate::{Limits, UntrustedCard};

    fn card(members: &str) -> UntrustedCard {
        UntrustedCard::read(format!("{{{members}}}"), &Limits::default()).unwrap()
    }

    #[test]
    fn the_kinds_of_scheme_are_those_of_the_schema() {
        let members: Vec<_> = SECURITY_SCHEME.members.iter().map(|member| member.name).collect();
        assert_eq!(members, SCHEME_MEMBERS);
    }

    const ENVELOPE: &str = r#""supportedInterfaces":[{}]"#;

    #[test]
    fn only_an_empty_demand_is_no_authentication() {
        for (requirements, anonymous) in [
            (r#""securityRequirements":[]"#, true),
            (r#""securityRequirements":null"#, true),
            (r#""name":"x""#, true),
            (r#""securityRequirements":[{}]"#, true),
            (r#""securityRequirements":[{"schemes":{}}]"#, true),
            (r#""securityRequirements":[{"schemes":{"a":{}}},{}]"#, true),
            (r#""securityRequirements":[{"schemes":{"a":{}}}]"#, false),
            (r#""securityRequirements":[{"bearer":[]}]"#, false),
            (r#""securityRequirements":[7]"#, false),
            (r#""securityRequirements":[{"schemes":[]}]"#, false),
            (r#""securityRequirements":{"schemes":{"a":{}}}"#, false),
            (r#""security":[{"a":[]}]"#, false),
            (r#""securityRequirements":[],"security":[{"a":[]}]"#, false),
            (r#""security":"bearer""#, false),
            (r#""security":"""#, false),
            (r#""security":{}"#, false),
            (r#""securityRequirements":{}"#, false),
            (r#""securityRequirements":[{"schemes":{},"bearer":[]}]"#, false),
            (r#""securityRequirements":[{"schemes":null}]"#, false),
        ] {
            let card = card(&format!("{requirements},{ENVELOPE}"));
            assert_eq!(card.view().requirements().allows_anonymous(), anonymous, "{requirements}");
        }
    }

    #[test]
    fn a_legacy_card_is_read_by_its_own_member_first() {
        let both = r#""security":[{"a":["s"]}],"securityRequirements":[{}]"#;
        let legacy = card(both);
        let Requirements::AnyOf(entries) = legacy.view().requirements() else { panic!("a list") };
        let [Requirement::AllOf { schemes, .. }] = entries.as_slice() else { panic!("one entry") };
        assert_eq!(
            schemes.iter().map(|scheme| (scheme.name, scheme.scopes().collect::<Vec<_>>())).next(),
            Some(("a", vec!["s"]))
        );
        assert!(card(&format!("{both},{ENVELOPE}")).view().requirements().allows_anonymous());
    }

    #[test]
    fn names_without_schemes_are_a_bare_requirement() {
        let card = card(&format!(r#""securityRequirements":[{{"bearer":[]}}],{ENVELOPE}"#));
        let requirements = card.view().requirements();
        assert!(matches!(
            requirements.entries(),
            [Requirement::Unreadable { fault: RequirementFault::Bare, .. }]
        ));
    }

    #[test]
    fn a_scheme_is_readable_in_either_generation_and_only_with_one_kind() {
        let kind = |scheme: &str| {
            let card = card(&format!(r#""securitySchemes":{{"s":{scheme}}}"#));
            let kind = card.view().security_schemes().next().unwrap().kind;
            format!("{kind:?}").split([' ', '(']).next().unwrap_or_default().to_owned()
        };
        for (scheme, expected) in [
            (r#"{"httpAuthSecurityScheme":{"scheme":"bearer"}}"#, "Http"),
            (r#"{"http_auth_security_scheme":{"scheme":"bearer"}}"#, "Http"),
            (r#"{"type":"http","scheme":"bearer"}"#, "Http"),
            (r#"{"httpAuthSecurityScheme":{"scheme":"bearer"},"type":"http"}"#, "Http"),
            (r#"{"mtlsSecurityScheme":{}}"#, "MutualTls"),
            (r#"{"type":"mutualTLS"}"#, "MutualTls"),
            (r#"{"type":"apiKey","in":"header","name":"X"}"#, "ApiKey"),
            (r#"{"type":"oauth2","flows":{}}"#, "OAuth2"),
            (r#"{"type":"openIdConnect"}"#, "OpenIdConnect"),
        ] {
            assert_eq!(kind(scheme), expected, "{scheme}");
        }
        let fault = |scheme: &str| {
            let card = card(&format!(r#""securitySchemes":{{"s":{scheme}}}"#));
            let scheme = card.view().security_schemes().next().unwrap();
            if let SchemeKind::Unreadable(fault) = scheme.kind { Some(fault) } else { None }
        };
        for (scheme, expected) in [
            ("7", SchemeFault::NotAnObject),
            (r#"{"mtlsSecurityScheme":true}"#, SchemeFault::NotAnObject),
            ("{}", SchemeFault::NoKind),
            (r#"{"scheme":"bearer"}"#, SchemeFault::NoKind),
            (r#"{"type":"Http","scheme":"bearer"}"#, SchemeFault::UnknownType),
            (r#"{"mtlsSecurityScheme":{},"oauth2SecurityScheme":{}}"#, SchemeFault::SeveralKinds),
        ] {
            assert_eq!(fault(scheme), Some(expected), "{scheme}");
        }
    }
}
