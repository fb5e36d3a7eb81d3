//! Whether the interfaces of a card can be told apart, and are named as clients compare them.

use std::collections::{BTreeMap, BTreeSet};

use countersign_keys::{FixSafety, Level};
use countersign_policy::{Host, registrable_domain};

use super::report::{Place, Remark, Report, quoted};
use super::{Family, Lint, Subject, edit};
use crate::card::member;
use crate::codes::interfaces as own_codes;
use crate::select::{CORE_BINDINGS, core_in_other_case};
use crate::{ClaimedInterface, DeclaredVersion, InterfacePlace, ProtocolVersion, Shape};
use countersign_keys::nearest::nearest;

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const WARNING: Option<Level> = Some(Level::Warning);
const INFO: Option<Level> = Some(Level::Info);

const BINDING_UNKNOWN: Lint = Lint::new(own_codes::IFACE_BINDING_UNKNOWN, WARNING, WARNING);
const BINDING_CASE: Lint = Lint::new(own_codes::IFACE_BINDING_CASE, WARNING, WARNING);
const DEFAULT_TRANSPORT: Lint = Lint::new(own_codes::IFACE_DEFAULT_TRANSPORT, WARNING, INFO);
const DUPLICATE: Lint = Lint::new(own_codes::IFACE_DUPLICATE, WARNING, WARNING);
const MIXED_ORIGINS: Lint = Lint::new(own_codes::IFACE_MIXED_ORIGINS, WARNING, WARNING);
const ORDER: Lint = Lint::new(own_codes::IFACE_ORDER, INFO, None);

static LINTS: [Lint; 6] = [BINDING_UNKNOWN, BINDING_CASE, DEFAULT_TRANSPORT, DUPLICATE, MIXED_ORIGINS, ORDER];

/// Names that are found in cards for core bindings, and are none.
const ALIASES: [(&str, &str); 6] = [
    ("json-rpc", "JSONRPC"),
    ("jsonrpc2.0", "JSONRPC"),
    ("rest", "HTTP+JSON"),
    ("http", "HTTP+JSON"),
    ("https", "HTTP+JSON"),
    ("http+json/rest", "HTTP+JSON"),
];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let interfaces = subject.view.claimed_interfaces();
    for interface in &interfaces {
        binding(subject, interface, report);
    }
    duplicates(&interfaces, report);
    domains(&interfaces, report);
    order(&interfaces, report);
}

fn binding(subject: &Subject<'_>, claim: &ClaimedInterface<'_>, report: &mut Report<'_>) {
    let name = match claim.place {
        InterfacePlace::Listed => "protocolBinding",
        InterfacePlace::Main => "preferredTransport",
        InterfacePlace::Additional => "transport",
    };
    let value = member(claim.object(), name);
    let (Some(binding), Some(value)) = (claim.binding, value) else {
        let is_unset = value.is_none_or(|value| value.is_null() || value.is_empty());
        if claim.place == InterfacePlace::Main && is_unset && is_offered_to_0_3(subject.shape) {
            report.add_with(&DEFAULT_TRANSPORT, Place::Missing(claim.object(), name), || {
                Remark::new("the card does not say what is spoken at `url`; clients take it for JSONRPC")
                    .help("write `\"preferredTransport\": \"JSONRPC\"`")
            });
        }
        return;
    };
    if let Some(core) = core_in_other_case(binding) {
        report.add_with(&BINDING_CASE, Place::At(value), || {
            // Clients that compare exactly find one more interface afterwards.
            let fix = edit::replace(FixSafety::Suggested, value, format!("\"{core}\""));
            Remark::new(format!("{} is spelled `{core}`", quoted(binding)))
                .help(format!("write `{core}`"))
                .fix(fix)
        });
    } else if !CORE_BINDINGS.contains(&binding) && !is_uri(binding) {
        report.add_with(&BINDING_UNKNOWN, Place::At(value), || {
            let known = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(binding));
            let meant = known.map(|(_, core)| *core).or_else(|| nearest(binding, CORE_BINDINGS));
            let help = meant.map_or_else(
                || "write a core binding, or the URI of a binding of your own (A2A §5.8)".to_owned(),
                |core| format!("write `{core}`"),
            );
            Remark::new(format!("{} is no binding of A2A, and no URI", quoted(binding))).help(help)
        });
    }
}

/// Whether the legacy members of the card are an interface to anyone.
fn is_offered_to_0_3(shape: Shape) -> bool {
    matches!(shape, Shape::V0_3 | Shape::Dual | Shape::PreV0_3 | Shape::Unversioned)
}

/// A scheme, a colon and something behind it (RFC 3986 section 3).
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let mut letters = scheme.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
        && !rest.is_empty()
}

/// Entries of one list that say the same. A repeated main interface is what A2A 0.3 §5.6.2 recommends.
fn duplicates(interfaces: &[ClaimedInterface<'_>], report: &mut Report<'_>) {
    let mut seen = BTreeMap::new();
    for (index, claim) in interfaces.iter().enumerate() {
        if claim.place == InterfacePlace::Main {
            continue;
        }
        let Some(url) = claim.claimed_url else { continue };
        let key = (claim.place == InterfacePlace::Listed, url, claim.binding, version(claim), claim.tenant);
        match seen.entry(key) {
            std::collections::btree_map::Entry::Vacant(free) => {
                free.insert(index);
            }
            std::collections::btree_map::Entry::Occupied(first) => {
                let first = interfaces.get(*first.get()).map(|first| first.pointer()).unwrap_or_default();
                report.add_with(&DUPLICATE, Place::At(claim.object()), || {
                    Remark::new(format!("the interface repeats `{first}`")).help("keep one of the two")
                });
            }
        }
    }
}

/// Interfaces of one agent that belong to different owners of names.
fn domains(interfaces: &[ClaimedInterface<'_>], report: &mut Report<'_>) {
    let owners = interfaces.iter().filter_map(|claim| Some((claim, owner(claim)?)));
    let mut seen = BTreeSet::new();
    for (claim, owner) in owners {
        if !seen.insert(owner.clone()) || seen.len() == 1 {
            continue;
        }
        let Some(value) = member(claim.object(), "url") else { continue };
        report.add_with(&MIXED_ORIGINS, Place::At(value), || {
            let first = seen.iter().find(|other| **other != owner).cloned().unwrap_or_default();
            Remark::new(format!("the interface is below `{owner}`, another is below `{first}`"))
                .help("check that both belong to the publisher; a policy has to allow both")
        });
    }
}

/// The registered name that the host is or stands below; the host itself where it is no name or nobody registered it.
fn owner(claim: &ClaimedInterface<'_>) -> Option<String> {
    let url = claim.strict_url()?.ok()?;
    Some(match url.host() {
        Host::Name(name) => registrable_domain(name).unwrap_or(name.as_str()).to_owned(),
        host @ (Host::V4(_) | Host::V6(_)) => host.to_string(),
    })
}

/// An interface of an older version before one of a newer: clients that take the first get the older.
fn order(interfaces: &[ClaimedInterface<'_>], report: &mut Report<'_>) {
    let listed = interfaces.iter().filter(|claim| claim.place == InterfacePlace::Listed);
    let versions: Vec<_> = listed.filter_map(|claim| Some((claim, version(claim)?))).collect();
    let Some(newest) = versions.iter().map(|(_, version)| *version).max() else { return };
    let Some(last) = versions.iter().rposition(|(_, version)| *version == newest) else { return };
    if let Some((claim, older)) = versions.iter().take(last).find(|(_, version)| *version < newest) {
        report.add_with(&ORDER, Place::At(claim.object()), || {
            Remark::new(format!("the interface of version {older} stands before one of version {newest}"))
                .help("list the interface that clients should prefer first (A2A §8.3.1)")
        });
    }
}

fn version(claim: &ClaimedInterface<'_>) -> Option<ProtocolVersion> {
    match claim.declared_version() {
        DeclaredVersion::Known(declared) => Some(declared.version),
        DeclaredVersion::Absent | DeclaredVersion::Unrecognized(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Limits, LintTerms, Profile, UntrustedCard};

    /// Codes of this family that the card shows, with their places.
    fn found(card: &str) -> Vec<String> {
        let card = UntrustedCard::read(card, &Limits::default()).unwrap();
        let findings = card.lint(&LintTerms { profile: Profile::Publish, ..LintTerms::default() });
        findings
            .iter()
            .filter(|finding| super::LINTS.iter().any(|lint| lint.code == finding.code))
            .map(|finding| format!("{} {}", finding.code, finding.pointer.as_deref().unwrap_or_default()))
            .collect()
    }

    fn entry(url: &str, binding: &str, version: &str) -> String {
        format!(r#"{{"url":"{url}","protocolBinding":"{binding}","protocolVersion":"{version}"}}"#)
    }

    fn listed(entries: &[String]) -> String {
        format!(r#"{{"supportedInterfaces":[{}]}}"#, entries.join(","))
    }

    #[test]
    fn a_binding_is_a_core_binding_or_a_uri() {
        for (binding, expected) in [
            ("JSONRPC", None),
            ("https://b.example/ws/v1", None),
            ("urn:example:ws", None),
            ("jsonrpc", Some("iface.binding-case")),
            ("http+json", Some("iface.binding-case")),
            ("JSON-RPC", Some("iface.binding-unknown")),
            ("websocket", Some("iface.binding-unknown")),
            (":x", Some("iface.binding-unknown")),
        ] {
            let card = listed(&[entry("https://a.example/x", binding, "1.0")]);
            let expected: Vec<_> = expected
                .map(|code| format!("{code} /supportedInterfaces/0/protocolBinding"))
                .into_iter()
                .collect();
            assert_eq!(found(&card), expected, "{binding}");
        }
    }

    #[test]
    fn the_same_interface_twice_is_a_duplicate_and_another_version_is_not() {
        let one = entry("https://a.example/x", "JSONRPC", "1.0");
        let other = entry("https://a.example/x", "JSONRPC", "1.1");
        assert_eq!(found(&listed(&[other, one.clone()])), [""; 0]);
        assert_eq!(found(&listed(&[one.clone(), one])), ["iface.duplicate /supportedInterfaces/1"]);
    }

    #[test]
    fn interfaces_below_one_registered_name_are_of_one_owner() {
        let at = |host: &str| entry(&format!("https://{host}/x"), "JSONRPC", "1.0");
        assert_eq!(found(&listed(&[at("a.example.co.uk"), at("b.example.co.uk")])), [""; 0]);
        let mixed = [at("a.github.io"), at("b.github.io")];
        assert_eq!(found(&listed(&mixed)), ["iface.mixed-origins /supportedInterfaces/1/url"]);
    }

    #[test]
    fn an_older_version_first_is_told_once() {
        let at = |version: &str| entry(&format!("https://a.example/{version}"), "JSONRPC", version);
        assert_eq!(
            found(&listed(&[at("0.3"), at("1.0"), at("1.1")])),
            ["iface.order /supportedInterfaces/0"]
        );
        assert_eq!(found(&listed(&[at("1.1"), at("1.0"), at("0.3")])), [""; 0]);
    }

    #[test]
    fn a_legacy_card_without_a_transport_is_taken_for_jsonrpc() {
        let card = |member: &str| {
            format!(
                r#"{{{member}"url":"https://a.example","capabilities":{{}},"skills":[],"protocolVersion":"0.3.0"}}"#
            )
        };
        assert_eq!(found(&card("")), ["iface.default-transport /preferredTransport"]);
        assert_eq!(found(&card(r#""preferredTransport":"JSONRPC","#)), [""; 0]);
    }
}
