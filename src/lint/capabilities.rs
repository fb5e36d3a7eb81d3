//! `capabilities` and the extensions in it.

use std::collections::BTreeSet;

use countersign_keys::Level;
use countersign_keys::json::Kind;

use super::report::{Place, Remark, Report, quoted};
use super::{Family, Lint, Subject};
use crate::card::member;
use crate::card::schema::AGENT_CAPABILITIES;
use crate::codes::capabilities as codes;

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const UNKNOWN: Lint = Lint::new(codes::CARD_CAPABILITY_UNKNOWN, Some(Level::Warning), None);
const URI: Lint = Lint::new(codes::CARD_EXTENSION_URI, Some(Level::Error), Some(Level::Warning));
const REQUIRED: Lint = Lint::new(codes::CARD_EXTENSION_REQUIRED, Some(Level::Info), Some(Level::Info));

static LINTS: [Lint; 3] = [UNKNOWN, URI, REQUIRED];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    unknown(subject, report);
    extensions(subject, report);
}

fn unknown(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(capabilities) = subject.view.member("capabilities") else { return };
    for (name, _) in capabilities.members() {
        let message = &AGENT_CAPABILITIES;
        let known = message.member(name).or_else(|| message.legacy(name));
        if known.or_else(|| message.member_by_snake_case(name)).is_some() {
            continue;
        }
        let remark = Remark::new(format!("{} is no capability of A2A", quoted(name)));
        let remark = match name {
            "supportsAuthenticatedExtendedCard" | "supportsExtendedAgentCard" => {
                remark.help("A2A 1.0 calls it `extendedAgentCard`; in A2A 0.3 it stands in the card itself")
            }
            _ => remark.help("describe what the agent does in `skills`"),
        };
        report.add(&UNKNOWN, Place::Name(capabilities, name), remark);
    }
}

fn extensions(subject: &Subject<'_>, report: &mut Report<'_>) {
    let mut seen = BTreeSet::new();
    for extension in subject.view.extensions() {
        let value = extension.value();
        if value.kind() != Kind::Object {
            // A wrong type, which has a lint of its own.
            continue;
        }
        let place = member(value, "uri").map_or(Place::Missing(value, "uri"), Place::At);
        let Some(uri) = extension.uri() else {
            report.add(
                &URI,
                place,
                Remark::new("the extension has no `uri`, so nobody can tell which one it is"),
            );
            continue;
        };
        if !is_absolute(uri) {
            let remark =
                Remark::new(format!("the extension is called {}, which is no absolute URI", quoted(uri)));
            let remark = if uri.contains(['.', '/']) {
                remark.help("write the scheme too: `https://…`")
            } else {
                remark.help("write the URI that the extension's specification gives")
            };
            report.add(&URI, place, remark);
        } else if !seen.insert(uri) {
            let remark = Remark::new(format!("an extension before this one is {} too", quoted(uri)));
            report.add(&URI, place, remark.help("keep one of the two entries"));
        }
        if extension.is_required() {
            let remark = Remark::new(format!("clients must support the extension {}", quoted(uri)));
            let place = member(value, "required").map_or(Place::At(value), Place::At);
            report.add(&REQUIRED, place, remark);
        }
    }
}

/// Whether `text` is a scheme and something after it, in the characters of RFC 3986 §2. The parts are not looked at.
fn is_absolute(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|octet| octet.is_ascii_alphanumeric() || b"+-.".contains(&octet));
    let is_plain = |octet: u8| octet.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&octet);
    // `https:` alone, and `https://` without a host, name nothing.
    let after = rest.strip_prefix("//").unwrap_or(rest);
    is_scheme && !after.is_empty() && !after.starts_with('/') && rest.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::is_absolute;
    use crate::lint::{LintTerms, Profile};
    use crate::{Limits, UntrustedCard};

    fn found(capabilities: &str) -> Vec<(&'static str, String)> {
        let card = format!(r#"{{"supportedInterfaces":[{{}}],"capabilities":{capabilities}}}"#);
        let card = UntrustedCard::read(card, &Limits::default()).unwrap();
        let terms = LintTerms { profile: Profile::Publish, ..LintTerms::default() };
        let findings = card.lint(&terms).into_iter();
        let own = findings.filter(|finding| super::LINTS.iter().any(|lint| lint.code == finding.code));
        own.map(|finding| (finding.code.name(), finding.pointer.unwrap())).collect()
    }

    #[test]
    fn a_uri_is_absolute_when_it_has_a_scheme_and_something_after_it() {
        for uri in
            ["https://ext.example/a/v1", "urn:example:ext", "did:web:ext.example", "tag:a@b.example,2026:x"]
        {
            assert!(is_absolute(uri), "{uri}");
        }
        for uri in [
            "",
            "ext",
            "/ext",
            "//ext.example",
            "ext.example/a",
            "https:",
            "https://",
            "1a:b",
            "a b:c",
            "a:b c",
            "a:é",
            "https:///x",
        ] {
            assert!(!is_absolute(uri), "{uri}");
        }
    }

    #[test]
    fn flags_of_every_generation_and_spelling_are_known() {
        let known =
            r#"{"streaming":true,"push_notifications":true,"stateTransitionHistory":true,"extensions":[]}"#;
        assert_eq!(found(known), []);
        let unknown = r#"{"streaming":true,"tasks/get":true,"Streaming2":{}}"#;
        let at = |name: &str| ("card.capability-unknown", format!("/capabilities/{name}"));
        assert_eq!(found(unknown), [at("tasks~1get"), at("Streaming2")]);
    }

    #[test]
    fn an_extension_is_named_once() {
        let one = r#"{"uri":"https://e.example/1"}"#;
        let at = |place: &str| ("card.extension-uri", format!("/capabilities/extensions/{place}"));
        assert_eq!(found(&format!(r#"{{"extensions":[{one},{{"uri":"https://e.example/2"}}]}}"#)), []);
        assert_eq!(found(&format!(r#"{{"extensions":[{one},{one}]}}"#)), [at("1/uri")]);
        assert_eq!(found(r#"{"extensions":[{},{"uri":""},7]}"#), [at("0/uri"), at("1/uri")]);
    }

    #[test]
    fn required_extensions_are_listed() {
        let listed =
            found(r#"{"extensions":[{"uri":"a:b","required":true},{"uri":"a:c","required":false}]}"#);
        assert_eq!(listed, [("card.extension-required", "/capabilities/extensions/0/required".to_owned())]);
    }
}
