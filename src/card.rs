//! A card as received: nothing in it may be believed yet.

mod required;
pub(crate) mod schema;
mod shape;
pub(crate) mod spelling;
mod view;
pub(crate) mod walk;

use countersign_keys::json::{self, Document, Kind, Limits, Value};
use countersign_keys::{Code, Finding, Level, Span, codes as key_codes};

use crate::codes;
pub use shape::{Hybrid, Shape};
pub(crate) use shape::{Unusable, has_envelope};
pub use view::{
    CardView, ClaimedInterface, DeclaredVersion, Extension, FlowKind, InterfacePlace, OAuthFlow,
    RequiredScheme, Requirement, RequirementFault, Requirements, SchemeFault, SchemeKind, SecurityScheme,
    Skill,
};
pub(crate) use view::{FLOW_URLS, Holder, SCHEME_MEMBERS};

/// A card that was read and is well-formed, and of which nothing is known yet.
#[derive(Debug)]
pub struct UntrustedCard {
    document: Document,
    findings: Vec<Finding>,
}

/// Why octets are no card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CardError {
    /// They are not strict I-JSON.
    #[error(transparent)]
    Json(#[from] json::Error),
    /// The JSON value is no object.
    #[error("the JSON value is {found}, expected an object: an AgentCard")]
    NotAnObject {
        /// What it is.
        found: &'static str,
        /// Where it is.
        span: Span,
    },
    /// Two members that a lenient reader takes for one.
    #[error(
        "line {}, column {}: member `{name}` reads like `{known}`, which its object has too",
        span.line, span.column
    )]
    AmbiguousMember {
        /// The spelling that is not the known one.
        name: String,
        /// The known member.
        known: &'static str,
        /// JSON Pointer of the object that holds both.
        pointer: String,
        /// Where the value of the member is.
        span: Span,
    },
}

impl CardError {
    /// Every code that [`CardError::code`] can give.
    pub const CODES: [Code; 10] = [
        key_codes::JSON_MALFORMED,
        key_codes::JSON_INVALID_UNICODE,
        key_codes::JSON_DUPLICATE_MEMBER,
        codes::JSON_AMBIGUOUS_MEMBER,
        key_codes::JSON_INEXACT_NUMBER,
        key_codes::JSON_NUMBER_OVERFLOW,
        key_codes::JSON_TOO_DEEP,
        key_codes::JSON_TOO_LARGE,
        key_codes::JSON_TRAILING_CONTENT,
        codes::CARD_NOT_AN_AGENT_CARD,
    ];

    /// The public code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Json(error) => error.code(),
            Self::NotAnObject { .. } => codes::CARD_NOT_AN_AGENT_CARD,
            Self::AmbiguousMember { .. } => codes::JSON_AMBIGUOUS_MEMBER,
        }
    }

    /// JSON Pointer of the place; empty for the whole card.
    #[must_use]
    pub fn pointer(&self) -> &str {
        match self {
            Self::Json(error) => error.pointer(),
            Self::NotAnObject { .. } => "",
            Self::AmbiguousMember { pointer, .. } => pointer,
        }
    }

    /// Where it is in the octets. For a document that is too large this is its first octet.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Json(error) => error.span(),
            Self::NotAnObject { span, .. } | Self::AmbiguousMember { span, .. } => *span,
        }
    }

    /// The same as a finding at error level. Its message does not repeat the place.
    #[must_use]
    pub fn finding(&self) -> Finding {
        let message = match self {
            Self::Json(error) => error.kind().to_string(),
            Self::NotAnObject { .. } => self.to_string(),
            Self::AmbiguousMember { name, known, .. } => {
                format!("member `{name}` reads like `{known}`, which its object has too")
            }
        };
        Finding::new(self.code(), Level::Error, message).at(self.pointer()).spanning(self.span())
    }
}

impl UntrustedCard {
    /// Reads a card from octets that are not trusted.
    ///
    /// Checks that they are strict I-JSON, that the value is an object, and that no object holds two members that a
    /// lenient reader takes for one (`url` and `URL`, `supportedInterfaces` and `supported_interfaces`). Does not
    /// check that the card is complete or that any member has the right type.
    ///
    /// # Errors
    ///
    /// [`CardError::Json`] for octets that are not strict I-JSON, [`CardError::NotAnObject`] for another JSON value,
    /// [`CardError::AmbiguousMember`] for a twin.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{Limits, UntrustedCard};
    ///
    /// let card = UntrustedCard::read(r#"{"name": "Agent"}"#, &Limits::default())?;
    /// assert_eq!(card.claimed_name(), Some("Agent"));
    ///
    /// let twins = UntrustedCard::read(r#"{"url": "a", "URL": "b"}"#, &Limits::default()).unwrap_err();
    /// assert_eq!(twins.code().name(), "json.ambiguous-member");
    /// # Ok::<(), countersign::CardError>(())
    /// ```
    pub fn read(octets: impl Into<Vec<u8>>, limits: &Limits) -> Result<Self, CardError> {
        let document = Document::read(octets, limits)?;
        let root = document.root();
        if root.kind() != Kind::Object {
            return Err(CardError::NotAnObject { found: root.kind().name(), span: root.span() });
        }
        let mut findings = document.findings();
        findings.extend(spelling::check(root)?);
        Ok(Self { document, findings })
    }

    /// What the reader remarks on: `json.bom`, and the first 32 each of `json.rounded-number` and `card.snake-case`.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The whole card as a JSON value: claims, for reports and for tools that show a card.
    #[must_use]
    pub fn claims(&self) -> Value<'_> {
        self.document.root()
    }

    /// The name that the card gives itself.
    #[must_use]
    pub fn claimed_name(&self) -> Option<&str> {
        self.root().member("name").and_then(Value::as_text)
    }

    /// The octets as received.
    #[must_use]
    pub fn octets(&self) -> &[u8] {
        self.document.source().as_bytes()
    }

    pub(crate) fn document(&self) -> &Document {
        &self.document
    }

    pub(crate) fn into_document(self) -> Document {
        self.document
    }

    pub(crate) fn root(&self) -> Value<'_> {
        self.document.root()
    }
}

/// The member of a card with this camelCase name, however it is spelled.
pub(crate) fn member<'d>(object: Value<'d>, name: &str) -> Option<Value<'d>> {
    object.member(name).or_else(|| {
        let capitals = name.bytes().filter(u8::is_ascii_uppercase).count();
        // Without a capital both spellings are one; an underscore stands before each.
        let octets = name.len().saturating_add(capitals);
        (capitals > 0)
            .then(|| object.member_of_length(octets, |spelled| schema::is_snake_case_of(spelled, name)))
            .flatten()
    })
}

/// The members of an object with these names, as [`member`] finds them, in one pass.
pub(crate) fn members<'d, const N: usize>(object: Value<'d>, names: [&str; N]) -> [Option<Value<'d>>; N] {
    let mut found = [None; N];
    for (spelled, value) in object.members() {
        let exact = names.iter().position(|name| *name == spelled);
        let by_snake_case = || names.iter().position(|name| schema::is_snake_case_of(spelled, name));
        let place = exact.or_else(|| spelled.contains('_').then(by_snake_case).flatten());
        if let Some(slot) = place.and_then(|place| found.get_mut(place))
            && (exact.is_some() || slot.is_none())
        {
            *slot = Some(value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use countersign_keys::json::{Document, Limits};

    use super::{member, members};

    #[test]
    fn members_are_found_as_one_by_one() {
        const NAMES: [&str; 4] = ["url", "supportedInterfaces", "protocolVersion", "openIdConnectUrl"];
        for text in [
            r#"{"url":1,"supportedInterfaces":2,"protocolVersion":3,"openIdConnectUrl":4}"#,
            r#"{"supported_interfaces":1,"protocol_version":2,"open_id_connect_url":3}"#,
            r#"{"supported_interfaces":1,"supportedInterfaces":2}"#,
            r#"{"supportedInterfaces":1,"supported_interfaces":2}"#,
            r#"{"supported__interfaces":1,"Url":2,"u_rl":3,"protocol_Version":4,"_protocol_version":5,"url_":6}"#,
            r#"{"\u0075rl":1,"protocol\u005fversion":2}"#,
            r#"["url","protocolVersion"]"#,
            r#""url""#,
            "{}",
        ] {
            let document = Document::read(text, &Limits::default()).unwrap();
            let one_by_one = NAMES.map(|name| member(document.root(), name).map(|value| value.id()));
            let found = members(document.root(), NAMES).map(|value| value.map(|value| value.id()));
            assert_eq!(found, one_by_one, "{text}");
        }
    }
}
