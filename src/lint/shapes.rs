//! The generation that a card is of, and whether its parts agree about it.

mod other;

use std::collections::BTreeMap;

use countersign_keys::json::Value;
use countersign_keys::{FixSafety, Level};
use countersign_policy::{ProtocolVersion, codes as policy_codes};

use super::members::LEGACY_SHAPE;
use super::report::{Place, Remark, Report, quoted};
use super::{Family, Lint, Subject, edit};
use crate::card::member;
use crate::codes::shapes as own_codes;
use crate::{ClaimedInterface, DeclaredVersion, InterfacePlace, Profile, Shape, codes};

pub(super) use other::told as what_else;

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const WARNING: Option<Level> = Some(Level::Warning);

const NOT_AN_AGENT_CARD: Lint =
    Lint::new(codes::CARD_NOT_AN_AGENT_CARD, Some(Level::Error), Some(Level::Error));
const UNVERSIONED: Lint = Lint::new(own_codes::CARD_UNVERSIONED, WARNING, WARNING);
const LEGACY_URL_DISAGREES: Lint = Lint::new(own_codes::CARD_LEGACY_URL_DISAGREES, WARNING, WARNING);
const TRANSPORT_CONFLICT: Lint = Lint::new(own_codes::CARD_TRANSPORT_CONFLICT, WARNING, WARNING);
const VERSION_PATCH: Lint = Lint::new(policy_codes::CARD_VERSION_PATCH, WARNING, WARNING);
const VERSION_UNRECOGNIZED: Lint = Lint::new(policy_codes::CARD_VERSION_UNRECOGNIZED, WARNING, WARNING);

static LINTS: [Lint; 6] = [
    NOT_AN_AGENT_CARD,
    UNVERSIONED,
    LEGACY_URL_DISAGREES,
    TRANSPORT_CONFLICT,
    VERSION_PATCH,
    VERSION_UNRECOGNIZED,
];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let card = subject.card.root();
    if subject.shape == Shape::Foreign {
        report.add(&NOT_AN_AGENT_CARD, Place::At(card), other::remark(card));
        return;
    }
    let interfaces = subject.view.claimed_interfaces();
    generation(subject, report);
    versions(subject, &interfaces, report);
    legacy_url(&interfaces, report);
    transports(&interfaces, report);
}

/// What the version of the whole card says about its shape.
fn generation(subject: &Subject<'_>, report: &mut Report<'_>) {
    let card = subject.card.root();
    let declared = member(card, "protocolVersion").filter(|value| !value.is_null() && !value.is_empty());
    match (subject.shape, declared) {
        (Shape::Unversioned, None) => {
            report.add_with(&UNVERSIONED, Place::Missing(card, "protocolVersion"), || {
                Remark::new("a card from A2A 0.3 or before, without `protocolVersion`").help(
                    "write the version that the server speaks, such as `\"protocolVersion\": \"0.3.0\"`",
                )
            });
        }
        (Shape::Unversioned, Some(value)) => {
            let Some(text) = value.as_text().filter(|text| ProtocolVersion::from_card(text).is_ok()) else {
                return;
            };
            report.add_with(&UNVERSIONED, Place::At(value), || {
                Remark::new(format!("{} is no version of A2A that was published", quoted(text)))
                    .help("write the version that the server speaks, such as `0.3.0`")
            });
        }
        (Shape::PreV0_3, Some(value)) => {
            report.add_with(&LEGACY_SHAPE, Place::At(value), || {
                let version = quoted(value.as_text().unwrap_or_default());
                Remark::new(format!("the card is of A2A {version}, from before 0.3"))
                    .help("publish a card of A2A 1.0, or of 0.3 for older clients")
            });
        }
        (Shape::Contradictory, declared) => {
            let place = declared.map_or(Place::Missing(card, "supportedInterfaces"), Place::At);
            report.add_with(&LEGACY_SHAPE, place, || contradiction(subject, declared));
        }
        _ => {}
    }
}

fn contradiction(subject: &Subject<'_>, declared: Option<Value<'_>>) -> Remark {
    let card = subject.card.root();
    let text =
        |name| card.member(name).and_then(Value::as_text).filter(|text| (1..=64).contains(&text.len()));
    let version = declared.and_then(Value::as_text);
    let message = match version {
        Some(version) => format!(
            "`protocolVersion` claims {}, the card has only transport members of 0.3: clients of that version find no interface",
            quoted(version)
        ),
        None => "the card is taken for 1.0 and has only transport members of 0.3".to_owned(),
    };
    let version = version.and_then(|version| Some(ProtocolVersion::from_card(version).ok()?.version));
    let help = format!(
        "write `\"supportedInterfaces\": [{{\"url\": \"{}\", \"protocolBinding\": \"{}\", \"protocolVersion\": \"{}\"}}]` \
         if the server speaks it, else `\"protocolVersion\": \"0.3.0\"`",
        text("url").unwrap_or("URL"),
        text("preferredTransport").unwrap_or("JSONRPC"),
        version.or(subject.terms.assumed).unwrap_or(ProtocolVersion::V1_0),
    );
    Remark::new(message).help(help).level(Level::Error)
}

/// The versions of interfaces, and that of the card where it stands for them.
fn versions(subject: &Subject<'_>, interfaces: &[ClaimedInterface<'_>], report: &mut Report<'_>) {
    let listed = interfaces.iter().filter(|interface| interface.place == InterfacePlace::Listed);
    // Every other interface has the version of the card.
    let legacy = interfaces.iter().find(|interface| interface.place != InterfacePlace::Listed);
    // Whose card no client can use has to know; what others publish is their affair, and `select` says no.
    let unusable = match (subject.shape, subject.terms.profile) {
        (Shape::Unusable, Profile::Publish) => Level::Error,
        _ => Level::Warning,
    };
    for interface in listed.chain(legacy) {
        match interface.declared_version() {
            DeclaredVersion::Unrecognized(value) => {
                let Some(text) = value.as_text() else { continue };
                report.add_with(&VERSION_UNRECOGNIZED, Place::At(value), || {
                    let remark = unrecognized(value, text);
                    remark.level(unusable)
                });
            }
            // The default of A2A 0.3 itself is `0.3.0`.
            DeclaredVersion::Known(known)
                if known.ignored_patch.is_some() && interface.place == InterfacePlace::Listed =>
            {
                let Some(value) = member(interface.object(), "protocolVersion") else { continue };
                report.add_with(&VERSION_PATCH, Place::At(value), || {
                    let (text, version) = (quoted(value.as_text().unwrap_or_default()), known.version);
                    // Clients that compare exactly find one more interface afterwards.
                    let fix = edit::replace(FixSafety::Suggested, value, format!("\"{version}\""));
                    Remark::new(format!("the patch number of {text} is ignored (A2A §3.6)"))
                        .help(format!("write `{version}`"))
                        .fix(fix)
                });
            }
            // Where one interface can be used, another may be of a version to come.
            DeclaredVersion::Known(known) if subject.shape == Shape::Unusable => {
                let Some(value) = member(interface.object(), "protocolVersion") else { continue };
                report.add_with(&VERSION_UNRECOGNIZED, Place::At(value), || {
                    Remark::new(format!("`{}` is no version of A2A that was published", known.version))
                        .help("write the version that the server speaks, such as `1.0`")
                        .level(unusable)
                });
            }
            DeclaredVersion::Known(_) | DeclaredVersion::Absent => {}
        }
    }
}

fn unrecognized(value: Value<'_>, text: &str) -> Remark {
    let remark = Remark::new(format!("{} is no protocol version, no client matches it", quoted(text)));
    let bare = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let meant = [bare.to_owned(), format!("{bare}.0")]
        .into_iter()
        .find_map(|text| ProtocolVersion::from_card(&text).ok())
        .filter(|meant| [ProtocolVersion::V0_3, ProtocolVersion::V1_0].contains(&meant.version));
    let Some(meant) = meant else { return remark.help("write major and minor, such as `1.0`") };
    // Clients that found no interface find one afterwards.
    let fix = edit::replace(FixSafety::Suggested, value, format!("\"{}\"", meant.version));
    remark.help(format!("write `{}`", meant.version)).fix(fix)
}

/// The top-level URL against the interfaces of 0.3 in `supportedInterfaces`.
fn legacy_url(interfaces: &[ClaimedInterface<'_>], report: &mut Report<'_>) {
    let main = interfaces.iter().find(|interface| interface.place == InterfacePlace::Main);
    let Some((main, url)) = main.and_then(|main| Some((main, main.claimed_url?))) else { return };
    let mut listed = interfaces.iter().filter(|interface| {
        interface.place == InterfacePlace::Listed
            && matches!(interface.declared_version(),
                DeclaredVersion::Known(known) if known.version == ProtocolVersion::V0_3)
    });
    let Some(first) = listed.next() else { return };
    let agrees = std::iter::once(first).chain(listed).any(|interface| interface.claimed_url == Some(url));
    let Some(value) = main.object().member("url").filter(|_| !agrees) else { return };
    report.add_with(&LEGACY_URL_DISAGREES, Place::At(value), || {
        Remark::new(format!("{} is none of the interfaces of 0.3 in `supportedInterfaces`", quoted(url)))
            .help(first.claimed_url.map_or_else(
                || "write the same URL in both places".to_owned(),
                |listed| format!("write {}, or list this URL too", quoted(listed)),
            ))
    });
}

/// A2A 0.3 §5.6.4: one URL has one transport. URLs of `supportedInterfaces` may repeat.
fn transports(interfaces: &[ClaimedInterface<'_>], report: &mut Report<'_>) {
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for interface in interfaces.iter().filter(|interface| interface.place != InterfacePlace::Listed) {
        let Some(url) = interface.claimed_url else { continue };
        let transport = match (interface.place, interface.binding) {
            (InterfacePlace::Main, None) => "JSONRPC",
            (_, Some(transport)) => transport,
            (_, None) => continue,
        };
        let first = *known.entry(url).or_insert(transport);
        if first == transport {
            continue;
        }
        let Some(value) = interface.object().member("url") else { continue };
        report.add_with(&TRANSPORT_CONFLICT, Place::At(value), || {
            let message =
                format!("{} is offered with {} and with {}", quoted(url), quoted(first), quoted(transport));
            Remark::new(message).help("give each transport its own URL (A2A 0.3 §5.6.4)")
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::{Finding, Limits, LintTerms, ProtocolVersion, UntrustedCard};

    const CODES: [&str; 7] = [
        "card.not-an-agent-card",
        "card.unversioned",
        "card.legacy-url-disagrees",
        "card.transport-conflict",
        "card.version-patch",
        "card.version-unrecognized",
        "card.legacy-shape",
    ];

    fn lint(members: &str, terms: &LintTerms<'_>) -> Vec<Finding> {
        let card = UntrustedCard::read(format!("{{{members}}}"), &Limits::default()).unwrap();
        let mut findings = card.lint(terms);
        findings.retain(|finding| CODES.contains(&finding.code.name()));
        findings
    }

    fn found(members: &str) -> String {
        let told = |finding: &Finding| {
            format!("{} {} {}", finding.level, finding.code, finding.pointer.as_deref().unwrap_or("?"))
        };
        lint(members, &LintTerms::default()).iter().map(told).collect::<Vec<_>>().join(", ")
    }

    const OLD: &str = r#""url":"https://a.example/v0","capabilities":{},"skills":[]"#;

    #[test]
    fn the_version_of_an_older_card_is_judged_once() {
        for (version, expected) in [
            (r#""0.3.0""#, ""),
            (r#""0.3""#, ""),
            (r#""0.2.6""#, "warning card.legacy-shape /protocolVersion"),
            (r#""1.0""#, "error card.legacy-shape /protocolVersion"),
            (r#""0.4""#, "warning card.unversioned /protocolVersion"),
            (r#""latest""#, "warning card.version-unrecognized /protocolVersion"),
            (r#""""#, "warning card.unversioned /protocolVersion"),
            ("null", "warning card.unversioned /protocolVersion"),
        ] {
            assert_eq!(found(&format!("\"protocolVersion\":{version},{OLD}")), expected, "{version}");
        }
        assert_eq!(found(OLD), "warning card.unversioned /protocolVersion");
        let assumed = |version| LintTerms { assumed: Some(version), ..LintTerms::default() };
        assert_eq!(lint(OLD, &assumed(ProtocolVersion::V0_3)), []);
        let taken = lint(OLD, &assumed(ProtocolVersion::V1_0));
        assert_eq!(
            taken.first().and_then(|finding| finding.pointer.as_deref()),
            Some("/supportedInterfaces")
        );
    }

    #[test]
    fn a_legacy_url_is_held_against_the_listed_interfaces_of_0_3_only() {
        let card = |listed: &str, version: &str| {
            let list = format!(r#"{{"url":"{listed}","protocolVersion":"{version}"}}"#);
            format!(r#""supportedInterfaces":[{list}],"protocolVersion":"0.3.0",{OLD}"#)
        };
        assert_eq!(found(&card("https://b.example", "0.3")), "warning card.legacy-url-disagrees /url");
        assert_eq!(found(&card("https://a.example/v0", "0.3")), "");
        assert_eq!(found(&card("https://b.example", "1.0")), "");
    }

    #[test]
    fn one_url_has_one_transport() {
        let card = |transport: &str, url: &str| {
            let more = format!(r#""additionalInterfaces":[{{"url":"{url}","transport":"{transport}"}}]"#);
            found(&format!(r#""protocolVersion":"0.3.0",{OLD},{more}"#))
        };
        // Without `preferredTransport` the main one is JSONRPC.
        assert_eq!(
            card("GRPC", "https://a.example/v0"),
            "warning card.transport-conflict /additionalInterfaces/0/url"
        );
        assert_eq!(card("JSONRPC", "https://a.example/v0"), "");
        assert_eq!(card("GRPC", "https://a.example/grpc"), "");
    }

    #[test]
    fn a_meant_version_is_suggested_only_when_it_was_published() {
        for (version, help, fixed) in [
            ("v1.0", "write `1.0`", true),
            ("1", "write `1.0`", true),
            ("v0.3.0", "write `0.3`", true),
            ("2025-06-18", "write major and minor, such as `1.0`", false),
            ("7", "write major and minor, such as `1.0`", false),
        ] {
            let card = format!(r#""supportedInterfaces":[{{"protocolVersion":"{version}"}}]"#);
            let findings = lint(&card, &LintTerms::default());
            let [finding] = findings.as_slice() else { panic!("{version}: {findings:?}") };
            assert_eq!((finding.help.as_deref(), finding.fix.is_some()), (Some(help), fixed), "{version}");
        }
    }

    #[test]
    fn another_document_is_called_what_it_looks_like() {
        for (document, look) in [
            (r#""agentCard":{},"attestations":[]"#, "this is a Sigstore envelope around a card"),
            (r#""jsonrpc":"2.0","result":{"skills":[]}"#, "this is a JSON-RPC response with a card"),
            (r#""card":{"supportedInterfaces":[{}]}"#, "this is an envelope around a card"),
            (
                r#""type":"https://eips.ethereum.org/EIPS/eip-8004#registration-v1""#,
                "this is an ERC-8004 registration",
            ),
            (r#""serverInfo":{"name":"x"}"#, "this is a description of an MCP server"),
            (r#""protocol":"mcp","url":"https://a.example""#, "this is a description of an MCP server"),
            (
                r#""$schema":"https://other.example/agent.json""#,
                "this is a document of the schema `https://other.example/agent.json`",
            ),
            (r#""url":"https://a.example","capabilities":[]"#, "(`capabilities` is an array)"),
            (r#""supportedInterfaces":[]"#, "no AgentCard: it has an empty `supportedInterfaces`"),
            (r#""card":"x","result":1"#, "no AgentCard: it has no `supportedInterfaces`"),
        ] {
            let findings = lint(document, &LintTerms::default());
            let [finding] = findings.as_slice() else { panic!("{document}: {findings:?}") };
            assert!(finding.message.contains(look), "{}", finding.message);
            assert_eq!(finding.pointer.as_deref(), Some(""));
        }
    }
}
