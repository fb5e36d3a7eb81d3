//! Which generation of the protocol a card claims to be of.

use countersign_keys::json::{Kind, Value};
use countersign_keys::{Code, Finding, Level};
use countersign_policy::{CardVersion, ProtocolVersion};

use super::{CardView, UntrustedCard, member};
use crate::endorsement::Endorsement;
use crate::{codes, lint};

/// What a card claims to be, judged by the set of versions that it offers, never by counting entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// A non-empty `supportedInterfaces` that offers 1.x and nothing of 0.3.
    V1_0,
    /// 0.3 only, in the old members or in a `supportedInterfaces` of its own.
    V0_3,
    /// 1.x and 0.3 both offered; legacy members count as an offer of 0.3 when `protocolVersion` is 0.3.
    Dual,
    /// A non-empty `supportedInterfaces` without any version of 1.x or 0.3.
    Unusable,
    /// Neither a non-empty `supportedInterfaces` nor `url`, `capabilities` and `skills`: some other document.
    Foreign,
    /// A legacy card without a version that can be read.
    Unversioned,
    /// A legacy card of a version before 0.3.
    PreV0_3,
    /// A legacy card that claims 1.0 or later: no client of that version can use it.
    Contradictory,
}

impl Shape {
    /// `1.0`, `0.3`, `dual`, `unusable`, `foreign`, `unversioned`, `pre-0.3` or `contradictory`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1_0 => "1.0",
            Self::V0_3 => "0.3",
            Self::Dual => "dual",
            Self::Unusable => "unusable",
            Self::Foreign => "foreign",
            Self::Unversioned => "unversioned",
            Self::PreV0_3 => "pre-0.3",
            Self::Contradictory => "contradictory",
        }
    }
}

/// Whether a card with a 1.0 envelope also carries the top-level transport members of 0.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the two values of `hybrid` in the JSON output")]
pub enum Hybrid {
    /// It does not, or it has no envelope.
    No,
    /// It does.
    Yes,
}

/// The top-level members that 0.3 clients connect by.
const LEGACY_TRANSPORT: [&str; 4] = ["url", "preferredTransport", "additionalInterfaces", "protocolVersion"];

impl UntrustedCard {
    /// What the card claims to be. `assumed` is the version of a legacy card, and of interfaces, that name none.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{Limits, Shape, UntrustedCard};
    ///
    /// let card = r#"{"supportedInterfaces": [{"url": "https://a.example", "protocolVersion": "1.0"}]}"#;
    /// assert_eq!(UntrustedCard::read(card, &Limits::default())?.shape(None), Shape::V1_0);
    /// # Ok::<(), countersign::CardError>(())
    /// ```
    #[must_use]
    pub fn shape(&self, assumed: Option<ProtocolVersion>) -> Shape {
        shape_of(self.view(), assumed)
    }

    /// For a document of [`Shape::Foreign`] the finding `card.not-an-agent-card`, which says what it looks like: a JWK set,
    /// an envelope around a card, an endorsement. A foreign document with `signatures`, or with a name and skills, was once
    /// meant as a card and has none, except an endorsement.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{Limits, UntrustedCard};
    ///
    /// let keys = UntrustedCard::read(r#"{"keys": []}"#, &Limits::default())?;
    /// let finding = keys.other_document().ok_or("a finding")?;
    /// assert_eq!(finding.message, "this is a JWK set, not an AgentCard");
    ///
    /// let card = UntrustedCard::read(include_str!("../../examples/cards/signed.json"), &Limits::default())?;
    /// assert!(card.other_document().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn other_document(&self) -> Option<Finding> {
        let document = self.root();
        let has = |name, kind| document.member(name).is_some_and(|value| value.kind() == kind);
        // Signed, or with skills: it was once meant as a card, whatever is wrong with it.
        let is_meant =
            document.member("signatures").is_some() || has("name", Kind::Text) && has("skills", Kind::Array);
        let is_other = !is_meant || Endorsement::is_meant(document);
        (self.shape(None) == Shape::Foreign && is_other).then(|| {
            Finding::new(codes::CARD_NOT_AN_AGENT_CARD, Level::Warning, lint::what_else(document)).at("")
        })
    }

    /// Whether a 1.0 envelope and top-level transport members of 0.3 stand side by side.
    #[must_use]
    pub fn hybrid(&self) -> Hybrid {
        let legacy = LEGACY_TRANSPORT.iter().any(|name| self.root().member(name).is_some());
        if legacy && has_envelope(self.root()) { Hybrid::Yes } else { Hybrid::No }
    }
}

/// What the viewed card claims to be.
pub(crate) fn shape_of(view: CardView<'_>, assumed: Option<ProtocolVersion>) -> Shape {
    let card = view.value();
    if !view.has_envelope() {
        return legacy_shape(card, assumed);
    }
    let listed = view.listed_interfaces().into_iter().flat_map(Value::elements);
    let versions =
        listed.filter_map(|interface| declared_version(interface, assumed)).chain(legacy_offer(card));
    let (mut offers_1, mut offers_0_3) = (false, false);
    for version in versions {
        offers_1 |= version.major() == 1;
        offers_0_3 |= version == ProtocolVersion::V0_3;
    }
    match (offers_1, offers_0_3) {
        (true, true) => Shape::Dual,
        (true, false) => Shape::V1_0,
        (false, true) => Shape::V0_3,
        (false, false) => Shape::Unusable,
    }
}

/// Why nobody can use a card, whatever its interfaces are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// It is no card.
    Foreign,
    /// It claims 1.0 or later in the shape of 0.3.
    Contradictory,
}

impl Unusable {
    /// What is wrong with a card, if so. One with a `supportedInterfaces` that is not empty is never that.
    pub(crate) fn of(view: CardView<'_>, assumed: Option<ProtocolVersion>) -> Option<Self> {
        if view.has_envelope() {
            return None;
        }
        match legacy_shape(view.value(), assumed) {
            Shape::Foreign => Some(Self::Foreign),
            Shape::Contradictory => Some(Self::Contradictory),
            Shape::V1_0
            | Shape::V0_3
            | Shape::Dual
            | Shape::Unusable
            | Shape::Unversioned
            | Shape::PreV0_3 => None,
        }
    }

    pub(crate) const fn code(self) -> Code {
        match self {
            Self::Foreign => codes::CARD_NOT_AN_AGENT_CARD,
            Self::Contradictory => codes::members::CARD_LEGACY_SHAPE,
        }
    }
}

/// Whether the card has a `supportedInterfaces` that is not empty.
pub(crate) fn has_envelope(card: Value<'_>) -> bool {
    member(card, "supportedInterfaces").is_some_and(is_envelope)
}

/// Whether a `supportedInterfaces` is one.
pub(crate) fn is_envelope(list: Value<'_>) -> bool {
    list.elements().next().is_some()
}

/// The version that an interface, or a legacy card, declares.
fn declared_version(object: Value<'_>, assumed: Option<ProtocolVersion>) -> Option<ProtocolVersion> {
    match member(object, "protocolVersion") {
        None => assumed,
        Some(version) if version.is_null() || version.as_text() == Some("") => assumed,
        Some(version) => read_version(version),
    }
}

fn read_version(version: Value<'_>) -> Option<ProtocolVersion> {
    let CardVersion { version, .. } = ProtocolVersion::from_card(version.as_text()?).ok()?;
    Some(version)
}

/// What the legacy members of an envelope offer: 0.3, if they say so themselves.
fn legacy_offer(card: Value<'_>) -> Option<ProtocolVersion> {
    card.member("url")?.as_text()?;
    read_version(card.member("protocolVersion")?).filter(|version| *version == ProtocolVersion::V0_3)
}

fn legacy_shape(card: Value<'_>, assumed: Option<ProtocolVersion>) -> Shape {
    let is = |name, kind| member(card, name).is_some_and(|value| value.kind() == kind);
    if !(is("url", Kind::Text) && is("capabilities", Kind::Object) && is("skills", Kind::Array)) {
        return Shape::Foreign;
    }
    match declared_version(card, assumed) {
        None => Shape::Unversioned,
        Some(version) if version >= ProtocolVersion::V1_0 => Shape::Contradictory,
        Some(version) if version == ProtocolVersion::V0_3 => Shape::V0_3,
        Some(version) if version < ProtocolVersion::V0_3 => Shape::PreV0_3,
        // 0.4 and its like were never published.
        Some(_) => Shape::Unversioned,
    }
}

#[cfg(test)]
mod tests {
    use super::{Hybrid, Shape, Unusable};
    use crate::{Limits, UntrustedCard};

    fn card(text: &str) -> UntrustedCard {
        UntrustedCard::read(text, &Limits::default()).unwrap()
    }

    #[test]
    fn the_set_of_versions_decides_not_the_number_of_entries() {
        let legacy = r#""url":"https://a.example","capabilities":{},"skills":[]"#;
        for (text, shape) in [
            (
                r#"{"supportedInterfaces":[{"protocolVersion":"1.0"},{"protocolVersion":"1.1"}]}"#.to_owned(),
                Shape::V1_0,
            ),
            (r#"{"supportedInterfaces":[{"protocolVersion":"1.0.0"}]}"#.to_owned(), Shape::V1_0),
            (
                r#"{"supportedInterfaces":[{"protocolVersion":"1.0"},{"protocolVersion":"0.3.0"}]}"#
                    .to_owned(),
                Shape::Dual,
            ),
            (
                format!(
                    r#"{{"supportedInterfaces":[{{"protocolVersion":"1.0"}}],"protocolVersion":"0.3.0",{legacy}}}"#
                ),
                Shape::Dual,
            ),
            (
                format!(
                    r#"{{"supportedInterfaces":[{{"protocolVersion":"1.0"}}],"protocolVersion":"0.2.5",{legacy}}}"#
                ),
                Shape::V1_0,
            ),
            (r#"{"supportedInterfaces":[{"protocolVersion":"0.3"}]}"#.to_owned(), Shape::V0_3),
            (r#"{"supportedInterfaces":[{"protocolVersion":"2025-06-18"},{}]}"#.to_owned(), Shape::Unusable),
            (format!(r#"{{"supportedInterfaces":[],"protocolVersion":"0.3.0",{legacy}}}"#), Shape::V0_3),
            (format!(r#"{{"protocolVersion":"0.3",{legacy}}}"#), Shape::V0_3),
            (format!(r#"{{"protocolVersion":"0.2.9",{legacy}}}"#), Shape::PreV0_3),
            (format!(r#"{{"protocolVersion":"1.0",{legacy}}}"#), Shape::Contradictory),
            (format!(r#"{{{legacy}}}"#), Shape::Unversioned),
            (format!(r#"{{"protocolVersion":"latest",{legacy}}}"#), Shape::Unversioned),
            (r#"{"url":"https://a.example","skills":[]}"#.to_owned(), Shape::Foreign),
            ("{}".to_owned(), Shape::Foreign),
        ] {
            let card = card(&text);
            assert_eq!(card.shape(None), shape, "{text}");
            let unusable =
                [(Shape::Foreign, Unusable::Foreign), (Shape::Contradictory, Unusable::Contradictory)];
            let unusable = unusable.into_iter().find(|(its, _)| *its == shape).map(|(_, unusable)| unusable);
            assert_eq!(Unusable::of(card.view(), None), unusable, "{text}");
        }
    }

    #[test]
    fn a_card_with_both_generations_of_transport_members_is_hybrid() {
        assert_eq!(card(r#"{"supportedInterfaces":[{}],"url":"x"}"#).hybrid(), Hybrid::Yes);
        assert_eq!(card(r#"{"supportedInterfaces":[{}]}"#).hybrid(), Hybrid::No);
        assert_eq!(card(r#"{"url":"x"}"#).hybrid(), Hybrid::No);
    }
}
