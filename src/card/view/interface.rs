//! What a card says about its interfaces: text for reports, nothing that anyone may connect to.

use std::sync::Arc;

use countersign_keys::json::Value;
use countersign_policy::{CardPointer, CardVersion, ProtocolVersion, StrictUrl, UrlError, UrlUse};

use super::{CardView, non_empty};
use crate::UntrustedCard;
use crate::card::members;

/// An interface as the card claims it; every text as written, absent when it is no string or empty.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClaimedInterface<'c> {
    /// Which members describe it.
    pub place: InterfacePlace,
    /// `url`. Nobody vouches for it.
    pub claimed_url: Option<&'c str>,
    /// `protocolBinding`; in A2A 0.3 `preferredTransport` or `transport`.
    pub binding: Option<&'c str>,
    /// `protocolVersion`; in A2A 0.3 that of the card.
    pub version: Option<&'c str>,
    /// `tenant`.
    pub tenant: Option<&'c str>,
    object: Value<'c>,
    declared: Option<Value<'c>>,
    /// Its list, as a JSON Pointer, and its place in it; none for the top-level members of A2A 0.3.
    element: Option<(Arc<str>, usize)>,
}

/// Which members describe an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "A2A 1.0 has one place and A2A 0.3 has two")]
pub enum InterfacePlace {
    /// An element of `supportedInterfaces`.
    Listed,
    /// `url` and `preferredTransport` of A2A 0.3.
    Main,
    /// An element of `additionalInterfaces` of A2A 0.3.
    Additional,
}

/// The object that a member of an interface stands in.
pub(crate) enum Holder {
    /// The one that describes the interface.
    Interface,
    /// The card.
    Card,
}

/// What stands where an interface names its protocol version.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "absent, readable, or not")]
pub enum DeclaredVersion<'c> {
    /// Nothing, null or the empty string.
    Absent,
    /// A version.
    Known(CardVersion),
    /// Something else: a text that is no version, a number.
    Unrecognized(Value<'c>),
}

impl<'c> DeclaredVersion<'c> {
    fn of(declared: Option<Value<'c>>) -> Self {
        match declared {
            None => Self::Absent,
            Some(value) if value.is_null() || value.as_text() == Some("") => Self::Absent,
            Some(value) => match value.as_text().map(ProtocolVersion::from_card) {
                Some(Ok(version)) => Self::Known(version),
                Some(Err(_)) | None => Self::Unrecognized(value),
            },
        }
    }
}

impl<'c> ClaimedInterface<'c> {
    /// The object that describes it; the card for the main interface of A2A 0.3.
    #[must_use]
    pub fn object(&self) -> Value<'c> {
        self.object
    }

    /// The version that it declares; in A2A 0.3 that of the card.
    #[must_use]
    pub fn declared_version(&self) -> DeclaredVersion<'c> {
        DeclaredVersion::of(self.declared)
    }

    /// Whether members of A2A 0.3 describe it.
    pub(crate) fn is_legacy(&self) -> bool {
        self.place != InterfacePlace::Listed
    }

    /// Whether its binding is GRPC, in whatever case.
    pub(crate) fn is_grpc(&self) -> bool {
        self.binding.is_some_and(is_grpc)
    }

    /// `claimed_url` under the strict profile for its binding; none where there is no text.
    pub(crate) fn strict_url(&self) -> Option<Result<StrictUrl, UrlError>> {
        let url_use = if self.is_grpc() { UrlUse::GrpcInterface } else { UrlUse::Interface };
        Some(StrictUrl::read(self.claimed_url?, url_use))
    }

    /// JSON Pointer of the object that describes it; empty for the top-level members of A2A 0.3.
    #[must_use]
    pub fn pointer(&self) -> String {
        String::from(&self.card_pointer())
    }

    /// The same, not yet written.
    pub(crate) fn card_pointer(&self) -> CardPointer<'static> {
        match &self.element {
            Some((list, index)) => CardPointer::of_element(Arc::clone(list), *index),
            None => CardPointer::from(""),
        }
    }

    /// JSON Pointer of one of its members, named as in A2A 1.0: `url`, `protocolBinding`, `protocolVersion`, `tenant`.
    #[must_use]
    pub fn pointer_to(&self, name: &str) -> String {
        let (holder, name) = self.spelled(name);
        let pointer = match holder {
            Holder::Interface => self.pointer(),
            Holder::Card => String::new(),
        };
        format!("{pointer}/{name}")
    }

    /// Which object has, or could have, a member that is named as in A2A 1.0, and its name there.
    pub(crate) fn spelled<'n>(&self, name: &'n str) -> (Holder, &'n str) {
        match (self.place, name) {
            (InterfacePlace::Main, "protocolBinding") => (Holder::Interface, "preferredTransport"),
            (InterfacePlace::Additional, "protocolBinding") => (Holder::Interface, "transport"),
            (InterfacePlace::Main | InterfacePlace::Additional, "protocolVersion") => (Holder::Card, name),
            (InterfacePlace::Listed | InterfacePlace::Main | InterfacePlace::Additional, _) => {
                (Holder::Interface, name)
            }
        }
    }
}

impl<'c> CardView<'c> {
    /// The interfaces that the card claims: `supportedInterfaces`, then the top-level `url` of A2A 0.3 and
    /// `additionalInterfaces`. Does not check that any of them is complete, or that the card's version allows them.
    #[must_use]
    pub fn claimed_interfaces(self) -> Vec<ClaimedInterface<'c>> {
        self.claims().collect()
    }

    pub(crate) fn claims(self) -> impl Iterator<Item = ClaimedInterface<'c>> {
        let listed = elements(self.top.interfaces).map(|(element, object)| {
            let [url, binding, declared, tenant] =
                members(object, ["url", "protocolBinding", "protocolVersion", "tenant"]);
            ClaimedInterface {
                place: InterfacePlace::Listed,
                claimed_url: non_empty(url),
                binding: non_empty(binding),
                version: non_empty(declared),
                tenant: non_empty(tenant),
                object,
                declared,
                element: Some(element),
            }
        });
        let declared = self.top.legacy_version;
        let legacy = move |element, place, object, binding| {
            let [url, binding] = members(object, ["url", binding]);
            ClaimedInterface {
                place,
                claimed_url: non_empty(url),
                binding: non_empty(binding),
                version: non_empty(declared),
                tenant: None,
                object,
                declared,
                element,
            }
        };
        let main = non_empty(self.top.legacy_url).is_some();
        let main = main.then(|| legacy(None, InterfacePlace::Main, self.root, "preferredTransport"));
        let additional = elements(self.top.legacy_interfaces).map(move |(element, object)| {
            legacy(Some(element), InterfacePlace::Additional, object, "transport")
        });
        listed.chain(main).chain(additional)
    }
}

impl UntrustedCard {
    /// The version that the card gives the agent.
    #[must_use]
    pub fn claimed_version(&self) -> Option<&str> {
        self.view().version()
    }

    /// The interfaces that the card claims, see [`CardView::claimed_interfaces`].
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{Limits, UntrustedCard};
    ///
    /// let card = r#"{"supportedInterfaces": [{"url": "https://a.example", "protocolBinding": "JSONRPC"}]}"#;
    /// let card = UntrustedCard::read(card, &Limits::default())?;
    /// let interfaces = card.claimed_interfaces();
    /// assert_eq!(interfaces[0].claimed_url, Some("https://a.example"));
    /// assert_eq!(interfaces[0].version, None);
    /// # Ok::<(), countersign::CardError>(())
    /// ```
    #[must_use]
    pub fn claimed_interfaces(&self) -> Vec<ClaimedInterface<'_>> {
        self.view().claimed_interfaces()
    }
}

/// Whether a binding is GRPC, in whatever case.
fn is_grpc(binding: &str) -> bool {
    binding.eq_ignore_ascii_case("GRPC")
}

/// The elements of a top-level list with their JSON Pointers. `Value::pointer` would look at all elements before each.
fn elements<'c>(list: Option<Value<'c>>) -> impl Iterator<Item = ((Arc<str>, usize), Value<'c>)> {
    let list = list.map(|list| (Arc::<str>::from(list.pointer()), list.elements().enumerate()));
    list.into_iter().flat_map(|(pointer, elements)| {
        elements.map(move |(index, element)| ((Arc::clone(&pointer), index), element))
    })
}

#[cfg(test)]
mod tests {
    use super::{DeclaredVersion, InterfacePlace};
    use crate::{Limits, UntrustedCard};

    fn card(text: &str) -> UntrustedCard {
        UntrustedCard::read(text, &Limits::default()).unwrap()
    }

    #[test]
    fn both_generations_of_interfaces_are_claims() {
        let card = card(
            r#"{"supportedInterfaces":[{"url":"u1","protocolBinding":"GRPC","protocolVersion":"1.0","tenant":"t"}],
                "url":"u2","protocolVersion":"0.3.0","preferredTransport":"JSONRPC",
                "additionalInterfaces":[{"url":"u3","transport":"HTTP+JSON"}]}"#,
        );
        let claims: Vec<_> = card
            .claimed_interfaces()
            .into_iter()
            .map(|claim| {
                (claim.pointer(), claim.place, claim.claimed_url, claim.binding, claim.version, claim.tenant)
            })
            .collect();
        let claim = |pointer: &str, place, url, binding, version, tenant| {
            (pointer.to_owned(), place, Some(url), Some(binding), Some(version), tenant)
        };
        assert_eq!(
            claims,
            [
                claim("/supportedInterfaces/0", InterfacePlace::Listed, "u1", "GRPC", "1.0", Some("t")),
                claim("", InterfacePlace::Main, "u2", "JSONRPC", "0.3.0", None),
                claim(
                    "/additionalInterfaces/0",
                    InterfacePlace::Additional,
                    "u3",
                    "HTTP+JSON",
                    "0.3.0",
                    None
                ),
            ]
        );
    }

    #[test]
    fn what_is_no_text_is_no_claim() {
        let card = card(r#"{"supportedInterfaces":[{"url":1,"tenant":""},7],"url":null,"version":2}"#);
        let claims = card.claimed_interfaces();
        assert_eq!(claims.len(), 2);
        assert!(claims.iter().all(|claim| claim.claimed_url.is_none() && claim.tenant.is_none()));
        assert_eq!(card.claimed_version(), None);
    }

    #[test]
    fn a_version_that_is_no_text_is_unrecognized_and_not_absent() {
        for (version, is_absent) in [("null", true), (r#""""#, true), ("1.0", false), (r#""v1""#, false)] {
            let card = card(&format!(r#"{{"supportedInterfaces":[{{"protocolVersion":{version}}}]}}"#));
            let declared = card.claimed_interfaces().first().unwrap().declared_version();
            assert!(!matches!(declared, DeclaredVersion::Known(_)), "{version}");
            assert_eq!(matches!(declared, DeclaredVersion::Absent), is_absent, "{version}");
        }
    }

    #[test]
    fn the_members_of_an_interface_are_pointed_at_where_they_stand() {
        let card =
            card(r#"{"supportedInterfaces":[{"url":"a"}],"url":"b","additionalInterfaces":[{"url":"c"}]}"#);
        let pointers: Vec<_> = card
            .claimed_interfaces()
            .iter()
            .map(|claim| ["url", "protocolBinding", "protocolVersion"].map(|name| claim.pointer_to(name)))
            .collect();
        assert_eq!(
            pointers,
            [
                [
                    "/supportedInterfaces/0/url",
                    "/supportedInterfaces/0/protocolBinding",
                    "/supportedInterfaces/0/protocolVersion"
                ],
                ["/url", "/preferredTransport", "/protocolVersion"],
                ["/additionalInterfaces/0/url", "/additionalInterfaces/0/transport", "/protocolVersion"],
            ]
        );
    }
}
