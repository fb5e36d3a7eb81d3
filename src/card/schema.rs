//! The members of an AgentCard: the one table that every schema-directed canonical form, the coverage classes and
//! the views read.
//!
//! The first part is A2A 1.0 (`a2a.proto`, §4.4 and §4.5), row for row in the order of the specification. The second
//! part is A2A 0.3.0 (`a2a.json`), which two of the forms need, and from which legacy members are known.

/// A message type and its members.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) members: &'static [Member],
    /// Members of older cards that stand at this place; no part of A2A 1.0.
    pub(crate) legacy: &'static [Member],
}

/// One member of a message.
#[derive(Debug)]
pub(crate) struct Member {
    /// The JSON name.
    pub(crate) name: &'static str,
    /// The first eight octets of the name: most comparisons end here.
    head: u64,
    pub(crate) kind: Type,
    pub(crate) presence: Presence,
    /// What it weighs when a signature does not cover it.
    pub(crate) weight: Weight,
}

/// The type of a member or of what is inside it.
#[derive(Debug)]
pub(crate) enum Type {
    Text,
    Flag,
    Message(&'static Message),
    List(&'static Type),
    Map(&'static Type),
    /// `google.protobuf.Struct`: any JSON object.
    Struct,
    /// An A2A 0.3 security scheme: the message depends on its `type`.
    TaggedScheme,
}

/// When a member of A2A 1.0 is present (§8.4.1 rule 1). For A2A 0.3 only `Required`, `Optional` and `Default` occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// `field_behavior = REQUIRED`: kept when present, also at its default.
    Required,
    /// `optional`, or a message, which always has explicit presence: kept when present.
    Optional,
    /// No presence of its own, also repeated members and maps: absent is the same as its default.
    Implicit,
    /// One alternative of a `oneof`: kept when present, also as `{}`.
    OneOf,
    /// A member of A2A 0.3 with this default in its schema.
    Default(&'static str),
}

/// What an uncovered member weighs (the class it counts as, unless it is at its default).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// For people.
    Text,
    /// Where to connect, how to authenticate, what the agent can do.
    Security,
}

use countersign_keys::json::{Kind, Value};

use Presence::{Implicit, OneOf, Optional, Required};
use Type::{Flag, List, Map, Struct, TaggedScheme};

const TEXT: Type = Type::Text;

/// The first eight octets, padded with zeros.
const fn head(name: &str) -> u64 {
    match name.as_bytes().first_chunk::<8>() {
        Some(octets) => u64::from_be_bytes(*octets),
        None => short_head(name.as_bytes()),
    }
}

const fn short_head(mut octets: &[u8]) -> u64 {
    let mut head = [0; 8];
    let mut rest: &mut [u8] = &mut head;
    while let ([octet, after @ ..], [place, places @ ..]) = (octets, rest) {
        *place = *octet;
        (octets, rest) = (after, places);
    }
    u64::from_be_bytes(head)
}

const fn text(name: &'static str, kind: Type, presence: Presence) -> Member {
    Member { name, head: head(name), kind, presence, weight: Weight::Text }
}

const fn security(name: &'static str, kind: Type, presence: Presence) -> Member {
    Member { name, head: head(name), kind, presence, weight: Weight::Security }
}

const fn message(members: &'static [Member]) -> Message {
    Message { members, legacy: &[] }
}

const fn with_legacy(members: &'static [Member], legacy: &'static [Member]) -> Message {
    Message { members, legacy }
}

// A2A 1.0 ---------------------------------------------------------------------------------------------------------

#[rustfmt::skip]
pub(crate) static AGENT_CARD: Message = with_legacy(&[
    text    ("name",                 TEXT,                                         Required),
    text    ("description",          TEXT,                                         Required),
    security("supportedInterfaces",  List(&Type::Message(&AGENT_INTERFACE)),       Required),
    security("provider",             Type::Message(&AGENT_PROVIDER),               Optional),
    text    ("version",              TEXT,                                         Required),
    text    ("documentationUrl",     TEXT,                                         Optional),
    security("capabilities",         Type::Message(&AGENT_CAPABILITIES),           Required),
    security("securitySchemes",      Map(&Type::Message(&SECURITY_SCHEME)),        Implicit),
    security("securityRequirements", List(&Type::Message(&SECURITY_REQUIREMENT)),  Implicit),
    text    ("defaultInputModes",    List(&TEXT),                                  Required),
    text    ("defaultOutputModes",   List(&TEXT),                                  Required),
    text    ("skills",               List(&Type::Message(&AGENT_SKILL)),           Required),
    // Part of no payload: every form leaves it out before the table is looked at.
    text    ("signatures",           List(&Struct),                                Implicit),
    text    ("iconUrl",              TEXT,                                         Optional),
], &[
    security("url",                               TEXT,                                      Optional),
    security("preferredTransport",                TEXT,                                      Optional),
    security("additionalInterfaces",              List(&Type::Message(&AGENT_INTERFACE_03)), Optional),
    security("protocolVersion",                   TEXT,                                      Optional),
    security("supportsAuthenticatedExtendedCard", Flag,                                      Optional),
    security("security",                          List(&Map(&List(&TEXT))),                  Optional),
    security("authentication",                    Struct,                                    Optional),
]);

#[rustfmt::skip]
pub(crate) static AGENT_INTERFACE: Message = message(&[
    security("url",             TEXT, Required),
    security("protocolBinding", TEXT, Required),
    security("tenant",          TEXT, Implicit),
    security("protocolVersion", TEXT, Required),
]);

#[rustfmt::skip]
pub(crate) static AGENT_PROVIDER: Message = message(&[
    security("url",          TEXT, Required),
    security("organization", TEXT, Required),
]);

#[rustfmt::skip]
pub(crate) static AGENT_CAPABILITIES: Message = with_legacy(&[
    security("streaming",         Flag,                                   Optional),
    security("pushNotifications", Flag,                                   Optional),
    security("extensions",        List(&Type::Message(&AGENT_EXTENSION)), Implicit),
    security("extendedAgentCard", Flag,                                   Optional),
], &[
    security("stateTransitionHistory", Flag, Optional),
]);

#[rustfmt::skip]
static AGENT_EXTENSION: Message = message(&[
    security("uri",         TEXT,   Implicit),
    security("description", TEXT,   Implicit),
    security("required",    Flag,   Implicit),
    security("params",      Struct, Optional),
]);

#[rustfmt::skip]
static AGENT_SKILL: Message = with_legacy(&[
    text    ("id",                   TEXT,                                        Required),
    text    ("name",                 TEXT,                                        Required),
    text    ("description",          TEXT,                                        Required),
    text    ("tags",                 List(&TEXT),                                 Required),
    text    ("examples",             List(&TEXT),                                 Implicit),
    text    ("inputModes",           List(&TEXT),                                 Implicit),
    text    ("outputModes",          List(&TEXT),                                 Implicit),
    security("securityRequirements", List(&Type::Message(&SECURITY_REQUIREMENT)), Implicit),
], &[
    security("security",       List(&Map(&List(&TEXT))), Optional),
    security("authentication", Struct,                   Optional),
]);

#[rustfmt::skip]
pub(crate) static SECURITY_REQUIREMENT: Message = message(&[
    security("schemes", Map(&Type::Message(&STRING_LIST)), Implicit),
]);

#[rustfmt::skip]
static STRING_LIST: Message = message(&[
    security("list", List(&TEXT), Implicit),
]);

#[rustfmt::skip]
pub(crate) static SECURITY_SCHEME: Message = with_legacy(&[
    security("apiKeySecurityScheme",        Type::Message(&API_KEY_SCHEME),        OneOf),
    security("httpAuthSecurityScheme",      Type::Message(&HTTP_AUTH_SCHEME),      OneOf),
    security("oauth2SecurityScheme",        Type::Message(&OAUTH2_SCHEME),         OneOf),
    security("openIdConnectSecurityScheme", Type::Message(&OPEN_ID_SCHEME),        OneOf),
    security("mtlsSecurityScheme",          Type::Message(&MTLS_SCHEME),           OneOf),
], &[
    security("type",              TEXT,                           Optional),
    security("in",                TEXT,                           Optional),
    security("name",              TEXT,                           Optional),
    security("scheme",            TEXT,                           Optional),
    security("bearerFormat",      TEXT,                           Optional),
    security("flows",             Type::Message(&OAUTH_FLOWS_03), Optional),
    security("openIdConnectUrl",  TEXT,                           Optional),
    security("oauth2MetadataUrl", TEXT,                           Optional),
    security("description",       TEXT,                           Optional),
]);

#[rustfmt::skip]
static API_KEY_SCHEME: Message = message(&[
    security("description", TEXT, Implicit),
    security("location",    TEXT, Required),
    security("name",        TEXT, Required),
]);

#[rustfmt::skip]
static HTTP_AUTH_SCHEME: Message = message(&[
    security("description",  TEXT, Implicit),
    security("scheme",       TEXT, Required),
    security("bearerFormat", TEXT, Implicit),
]);

#[rustfmt::skip]
static OAUTH2_SCHEME: Message = message(&[
    security("description",       TEXT,                         Implicit),
    security("flows",             Type::Message(&OAUTH_FLOWS),  Required),
    security("oauth2MetadataUrl", TEXT,                         Implicit),
]);

#[rustfmt::skip]
static OPEN_ID_SCHEME: Message = message(&[
    security("description",      TEXT, Implicit),
    security("openIdConnectUrl", TEXT, Required),
]);

#[rustfmt::skip]
static MTLS_SCHEME: Message = message(&[
    security("description", TEXT, Implicit),
]);

#[rustfmt::skip]
static OAUTH_FLOWS: Message = message(&[
    security("authorizationCode", Type::Message(&AUTHORIZATION_CODE_FLOW), OneOf),
    security("clientCredentials", Type::Message(&CLIENT_CREDENTIALS_FLOW), OneOf),
    security("implicit",          Type::Message(&IMPLICIT_FLOW),           OneOf),
    security("password",          Type::Message(&PASSWORD_FLOW),           OneOf),
    security("deviceCode",        Type::Message(&DEVICE_CODE_FLOW),        OneOf),
]);

#[rustfmt::skip]
static AUTHORIZATION_CODE_FLOW: Message = message(&[
    security("authorizationUrl", TEXT,       Required),
    security("tokenUrl",         TEXT,       Required),
    security("refreshUrl",       TEXT,       Implicit),
    security("scopes",           Map(&TEXT), Required),
    security("pkceRequired",     Flag,       Implicit),
]);

#[rustfmt::skip]
static CLIENT_CREDENTIALS_FLOW: Message = message(&[
    security("tokenUrl",   TEXT,       Required),
    security("refreshUrl", TEXT,       Implicit),
    security("scopes",     Map(&TEXT), Required),
]);

#[rustfmt::skip]
static IMPLICIT_FLOW: Message = message(&[
    security("authorizationUrl", TEXT,       Implicit),
    security("refreshUrl",       TEXT,       Implicit),
    security("scopes",           Map(&TEXT), Implicit),
]);

#[rustfmt::skip]
static PASSWORD_FLOW: Message = message(&[
    security("tokenUrl",   TEXT,       Implicit),
    security("refreshUrl", TEXT,       Implicit),
    security("scopes",     Map(&TEXT), Implicit),
]);

#[rustfmt::skip]
static DEVICE_CODE_FLOW: Message = message(&[
    security("deviceAuthorizationUrl", TEXT,       Required),
    security("tokenUrl",               TEXT,       Required),
    security("refreshUrl",             TEXT,       Implicit),
    security("scopes",                 Map(&TEXT), Required),
]);

// A2A 0.3.0 -------------------------------------------------------------------------------------------------------

#[rustfmt::skip]
pub(crate) static AGENT_CARD_03: Message = message(&[
    security("protocolVersion",      TEXT,                                        Presence::Default("0.3.0")),
    text    ("name",                 TEXT,                                        Required),
    text    ("description",          TEXT,                                        Required),
    text    ("version",              TEXT,                                        Required),
    security("url",                  TEXT,                                        Required),
    security("preferredTransport",   TEXT,                                        Presence::Default("JSONRPC")),
    security("additionalInterfaces", List(&Type::Message(&AGENT_INTERFACE_03)),   Optional),
    text    ("iconUrl",              TEXT,                                        Optional),
    text    ("documentationUrl",     TEXT,                                        Optional),
    security("provider",             Type::Message(&AGENT_PROVIDER),              Optional),
    security("capabilities",         Type::Message(&AGENT_CAPABILITIES_03),       Required),
    security("securitySchemes",      Map(&TaggedScheme),                          Optional),
    security("security",             List(&Map(&List(&TEXT))),                    Optional),
    text    ("defaultInputModes",    List(&TEXT),                                 Required),
    text    ("defaultOutputModes",   List(&TEXT),                                 Required),
    text    ("skills",               List(&Type::Message(&AGENT_SKILL_03)),       Required),
    security("supportsAuthenticatedExtendedCard", Flag,                           Optional),
]);

#[rustfmt::skip]
pub(crate) static AGENT_INTERFACE_03: Message = message(&[
    security("url",       TEXT, Required),
    security("transport", TEXT, Required),
]);

#[rustfmt::skip]
pub(crate) static AGENT_CAPABILITIES_03: Message = message(&[
    security("streaming",              Flag,                                      Optional),
    security("pushNotifications",      Flag,                                      Optional),
    security("stateTransitionHistory", Flag,                                      Optional),
    security("extensions",             List(&Type::Message(&AGENT_EXTENSION_03)), Optional),
]);

#[rustfmt::skip]
static AGENT_EXTENSION_03: Message = message(&[
    security("uri",         TEXT,   Required),
    security("description", TEXT,   Optional),
    security("required",    Flag,   Optional),
    security("params",      Struct, Optional),
]);

#[rustfmt::skip]
static AGENT_SKILL_03: Message = message(&[
    text    ("id",          TEXT,                     Required),
    text    ("name",        TEXT,                     Required),
    text    ("description", TEXT,                     Required),
    text    ("tags",        List(&TEXT),              Required),
    text    ("examples",    List(&TEXT),              Optional),
    text    ("inputModes",  List(&TEXT),              Optional),
    text    ("outputModes", List(&TEXT),              Optional),
    security("security",    List(&Map(&List(&TEXT))), Optional),
]);

/// The messages that `type` chooses between in a security scheme of A2A 0.3.
#[rustfmt::skip]
static TAGGED_SCHEMES: [(&str, Message); 5] = [
    ("apiKey", message(&[
        security("type",        TEXT, Presence::Default("apiKey")),
        security("description", TEXT, Optional),
        security("in",          TEXT, Required),
        security("name",        TEXT, Required),
    ])),
    ("http", message(&[
        security("type",         TEXT, Presence::Default("http")),
        security("description",  TEXT, Optional),
        security("scheme",       TEXT, Required),
        security("bearerFormat", TEXT, Optional),
    ])),
    ("oauth2", message(&[
        security("type",              TEXT,                           Presence::Default("oauth2")),
        security("description",       TEXT,                           Optional),
        security("flows",             Type::Message(&OAUTH_FLOWS_03), Required),
        security("oauth2MetadataUrl", TEXT,                           Optional),
    ])),
    ("openIdConnect", message(&[
        security("type",             TEXT, Presence::Default("openIdConnect")),
        security("description",      TEXT, Optional),
        security("openIdConnectUrl", TEXT, Required),
    ])),
    ("mutualTLS", message(&[
        security("type",        TEXT, Presence::Default("mutualTLS")),
        security("description", TEXT, Optional),
    ])),
];

#[rustfmt::skip]
static OAUTH_FLOWS_03: Message = message(&[
    security("authorizationCode", Type::Message(&AUTHORIZATION_CODE_FLOW_03), Optional),
    security("clientCredentials", Type::Message(&TOKEN_FLOW_03),              Optional),
    security("implicit",          Type::Message(&IMPLICIT_FLOW_03),           Optional),
    security("password",          Type::Message(&TOKEN_FLOW_03),              Optional),
]);

#[rustfmt::skip]
static AUTHORIZATION_CODE_FLOW_03: Message = message(&[
    security("authorizationUrl", TEXT,       Required),
    security("tokenUrl",         TEXT,       Required),
    security("refreshUrl",       TEXT,       Optional),
    security("scopes",           Map(&TEXT), Required),
]);

#[rustfmt::skip]
static TOKEN_FLOW_03: Message = message(&[
    security("tokenUrl",   TEXT,       Required),
    security("refreshUrl", TEXT,       Optional),
    security("scopes",     Map(&TEXT), Required),
]);

#[rustfmt::skip]
static IMPLICIT_FLOW_03: Message = message(&[
    security("authorizationUrl", TEXT,       Required),
    security("refreshUrl",       TEXT,       Optional),
    security("scopes",           Map(&TEXT), Required),
]);

impl Message {
    /// The member with this JSON name.
    pub(crate) fn member(&self, name: &str) -> Option<&'static Member> {
        self.find(name).map(|(_, member)| member)
    }

    /// The member with this JSON name, and its place in the table.
    pub(crate) fn find(&self, name: &str) -> Option<(usize, &'static Member)> {
        find(self.members, name)
    }

    /// The legacy member with this JSON name.
    pub(crate) fn legacy(&self, name: &str) -> Option<&'static Member> {
        find(self.legacy, name).map(|(_, member)| member)
    }

    /// The member whose original name in `a2a.proto` is `name`: a ProtoJSON reader takes that spelling too.
    pub(crate) fn member_by_snake_case(&self, name: &str) -> Option<&'static Member> {
        self.find_by_snake_case(name).map(|(_, member)| member)
    }

    /// The member with this original name, and its place in the table.
    pub(crate) fn find_by_snake_case(&self, name: &str) -> Option<(usize, &'static Member)> {
        let plausible = name.contains('_');
        let mut members = self.members.iter().enumerate();
        plausible.then(|| members.find(|(_, member)| is_snake_case_of(name, member.name))).flatten()
    }
}

fn find(members: &'static [Member], name: &str) -> Option<(usize, &'static Member)> {
    let head = head(name);
    members.iter().enumerate().find(|(_, member)| member.head == head && member.name == name)
}

/// Whether `value` is the default of this type: `""`, `false`, `[]` or `{}`. Messages have no default but absence.
pub(crate) fn is_default(kind: &Type, value: Value<'_>) -> bool {
    match kind {
        Type::Text => value.as_text() == Some(""),
        Flag => value.as_bool() == Some(false),
        List(_) => value.kind() == Kind::Array && value.is_empty(),
        Map(_) => value.kind() == Kind::Object && value.is_empty(),
        Type::Message(_) | Struct | TaggedScheme => false,
    }
}

/// The message of a security scheme of A2A 0.3 with this `type`.
pub(crate) fn tagged_scheme(tag: &str) -> Option<&'static Message> {
    TAGGED_SCHEMES.iter().find(|(known, _)| *known == tag).map(|(_, message)| message)
}

/// Whether `snake` is the proto spelling of the camelCase name `camel`.
pub(crate) fn is_snake_case_of(snake: &str, camel: &str) -> bool {
    let mut rest = snake.bytes();
    let spelled = camel.bytes().all(|letter| {
        if letter.is_ascii_uppercase() {
            rest.next() == Some(b'_') && rest.next() == Some(letter.to_ascii_lowercase())
        } else {
            rest.next() == Some(letter)
        }
    });
    spelled && rest.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::{AGENT_CARD, SECURITY_SCHEME};

    #[test]
    fn proto_names_are_found_by_their_exact_spelling_only() {
        let found = |name| AGENT_CARD.member_by_snake_case(name).map(|member| member.name);
        assert_eq!(found("supported_interfaces"), Some("supportedInterfaces"));
        for name in [
            "supportedInterfaces",
            "supported__interfaces",
            "Supported_interfaces",
            "supported_interface",
            "name",
        ] {
            assert_eq!(found(name), None, "{name}");
        }
        assert!(SECURITY_SCHEME.member_by_snake_case("open_id_connect_security_scheme").is_some());
    }
}
