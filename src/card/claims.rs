//! What a card says about its interfaces: text for reports, nothing that anyone may connect to.

use countersign_keys::json::Value;

use super::{UntrustedCard, member};

/// An interface as the card claims it; every member as written, absent when it is no string or empty.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaimedInterface<'c> {
    /// JSON Pointer of the object that describes it; empty for the top-level members of A2A 0.3.
    pub pointer: String,
    /// `url`. Nobody vouches for it.
    pub claimed_url: Option<&'c str>,
    /// `protocolBinding`; in A2A 0.3 `preferredTransport` or `transport`.
    pub binding: Option<&'c str>,
    /// `protocolVersion`; in A2A 0.3 that of the card.
    pub version: Option<&'c str>,
    /// `tenant`.
    pub tenant: Option<&'c str>,
}

impl UntrustedCard {
    /// The version that the card gives the agent.
    #[must_use]
    pub fn claimed_version(&self) -> Option<&str> {
        text(self.root(), "version")
    }

    /// The interfaces that the card claims: `supportedInterfaces`, then the top-level `url` of A2A 0.3 and
    /// `additionalInterfaces`. Does not check that any of them is complete, or that the card's version allows them.
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
        let card = self.root();
        let declared = listed(card, "supportedInterfaces").map(|(pointer, interface)| ClaimedInterface {
            pointer,
            claimed_url: text(interface, "url"),
            binding: text(interface, "protocolBinding"),
            version: text(interface, "protocolVersion"),
            tenant: text(interface, "tenant"),
        });
        let version = text(card, "protocolVersion");
        let main = text(card, "url").map(|url| ClaimedInterface {
            pointer: String::new(),
            claimed_url: Some(url),
            binding: text(card, "preferredTransport"),
            version,
            tenant: None,
        });
        let additional = listed(card, "additionalInterfaces").map(|(pointer, interface)| ClaimedInterface {
            pointer,
            claimed_url: text(interface, "url"),
            binding: text(interface, "transport"),
            version,
            tenant: None,
        });
        declared.chain(main).chain(additional).collect()
    }
}

/// The elements of a top-level list with their JSON Pointers. `Value::pointer` would look at all elements before each.
fn listed<'c>(card: Value<'c>, name: &str) -> impl Iterator<Item = (String, Value<'c>)> {
    let list = member(card, name);
    let pointer = list.map(Value::pointer).unwrap_or_default();
    let elements = list.into_iter().flat_map(Value::elements).enumerate();
    elements.map(move |(index, element)| (format!("{pointer}/{index}"), element))
}

fn text<'c>(object: Value<'c>, name: &str) -> Option<&'c str> {
    member(object, name).and_then(Value::as_text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::ClaimedInterface;
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
        let claim = |pointer: &str, url, binding, version, tenant| ClaimedInterface {
            pointer: pointer.to_owned(),
            claimed_url: Some(url),
            binding: Some(binding),
            version: Some(version),
            tenant,
        };
        assert_eq!(
            card.claimed_interfaces(),
            [
                claim("/supportedInterfaces/0", "u1", "GRPC", "1.0", Some("t")),
                claim("", "u2", "JSONRPC", "0.3.0", None),
                claim("/additionalInterfaces/0", "u3", "HTTP+JSON", "0.3.0", None),
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
}
