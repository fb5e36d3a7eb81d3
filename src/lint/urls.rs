//! Every URL of a card, held against the strict profile: interfaces, the URLs of OAuth and OpenID Connect, and those for
//! people.

use countersign_keys::json::Value;
use countersign_keys::{Code, Level};
use countersign_policy::{AddressClass, Scheme, StrictUrl, UrlError, UrlUse, codes as policy_codes};

use super::report::{Place, Remark, Report, quoted};
use super::{Family, Lint, Subject, edit};
use crate::card::member;
use crate::codes::urls as own_codes;
use crate::{ClaimedInterface, SchemeKind};

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const ERROR: Option<Level> = Some(Level::Error);
const WARNING: Option<Level> = Some(Level::Warning);

const NOT_HTTPS: Lint = Lint::new(own_codes::IFACE_NOT_HTTPS, ERROR, ERROR);
const GRPC_FORM: Lint = Lint::new(own_codes::IFACE_GRPC_FORM, WARNING, WARNING);
const AUTH_NOT_HTTPS: Lint = Lint::new(own_codes::AUTH_NOT_HTTPS, ERROR, ERROR);
const INFORMATION: Lint = Lint::new(own_codes::CARD_INFO_URL_PROFILE, WARNING, None);
const SPELLING: Lint = Lint::new(own_codes::IFACE_URL_SPELLING, Some(Level::Info), None);
const PRIVATE_NAME: Lint = Lint::new(own_codes::CARD_PRIVATE_ENDPOINT, WARNING, WARNING);
const SUSPICIOUS: Lint = Lint::new(own_codes::CARD_SUSPICIOUS_URL, WARNING, WARNING);
const PRIVATE_ADDRESS: Lint = Lint::new(policy_codes::URL_PRIVATE_ADDRESS, WARNING, WARNING);

/// A fault of the profile: no client connects there.
const fn fault(code: Code) -> Lint {
    Lint::new(code, ERROR, ERROR)
}

static LINTS: [Lint; 37] = [
    NOT_HTTPS,
    GRPC_FORM,
    AUTH_NOT_HTTPS,
    INFORMATION,
    SPELLING,
    PRIVATE_NAME,
    SUSPICIOUS,
    PRIVATE_ADDRESS,
    fault(policy_codes::URL_TOO_LONG),
    fault(policy_codes::URL_CONTROL_OR_SPACE),
    fault(policy_codes::URL_NON_ASCII),
    fault(policy_codes::URL_BACKSLASH),
    fault(policy_codes::URL_NOT_ABSOLUTE),
    fault(policy_codes::URL_SCHEME_UNSUPPORTED),
    fault(policy_codes::URL_GRPC_TARGET_SCHEME),
    fault(policy_codes::URL_FORBIDDEN_CHAR),
    fault(policy_codes::URL_USERINFO),
    fault(policy_codes::URL_BAD_AUTHORITY),
    fault(policy_codes::URL_EMPTY_HOST),
    fault(policy_codes::URL_HOST_PERCENT_ENCODED),
    fault(policy_codes::URL_HOST_TRAILING_DOT),
    fault(policy_codes::URL_HOST_EMPTY_LABEL),
    fault(policy_codes::URL_HOST_TOO_LONG),
    fault(policy_codes::URL_HOST_BAD_ALABEL),
    fault(policy_codes::URL_HOST_NON_LDH),
    fault(policy_codes::URL_IP_NONCANONICAL),
    fault(policy_codes::URL_IPV6_ZONE),
    fault(policy_codes::URL_IP_EMBEDDED_V4),
    fault(policy_codes::URL_PORT_INVALID),
    fault(policy_codes::URL_GRPC_ADDRESS_PATH),
    fault(policy_codes::URL_PATH_BAD_ESCAPE),
    fault(policy_codes::URL_PATH_ENCODED_DELIMITER),
    fault(policy_codes::URL_PATH_DOT_SEGMENT),
    fault(policy_codes::URL_PATH_EMPTY_SEGMENT),
    fault(policy_codes::URL_QUERY),
    fault(policy_codes::URL_FRAGMENT),
    fault(policy_codes::URL_METADATA_ADDRESS),
];

/// The ends of names that only a private network resolves (RFC 6762, RFC 8375, and what ICANN reserved).
const PRIVATE_SUFFIXES: [&str; 7] =
    ["internal", "local", "localdomain", "home.arpa", "corp", "lan", "intranet"];

/// What stands at the end of the URL of a card or an operation, and never of an interface.
const OTHER_ENDS: [&str; 6] = [
    "/.well-known/agent-card.json",
    "/.well-known/agent.json",
    "/message:send",
    "/message:stream",
    "/v1/card",
    "/extendedAgentCard",
];

/// Members that are shown to people or opened by them.
const INFORMATION_MEMBERS: [&str; 2] = ["documentationUrl", "iconUrl"];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for interface in subject.view.claimed_interfaces() {
        if let Some((value, url)) =
            member(interface.object(), "url").and_then(|value| Some((value, interface.claimed_url?)))
        {
            self::interface(subject, &interface, value, url, report);
        }
    }
    credentials(subject, report);
    let provider = subject.view.provider().and_then(|provider| member(provider, "url"));
    let for_people = INFORMATION_MEMBERS.into_iter().filter_map(|name| subject.view.member(name));
    for value in for_people.chain(provider) {
        if let Some(url) = value.as_text().filter(|url| !url.is_empty()) {
            information(value, url, report);
        }
    }
}

fn interface(
    subject: &Subject<'_>,
    claim: &ClaimedInterface<'_>,
    value: Value<'_>,
    text: &str,
    report: &mut Report<'_>,
) {
    let url = match claim.strict_url() {
        None => return,
        Some(Ok(url)) => url,
        Some(Err(UrlError::GrpcPortMissing { .. })) => {
            let remark = Remark::new(format!("{} has no port", quoted(text)));
            report.add(
                &GRPC_FORM,
                Place::At(value),
                remark.help("write `host:port`, such as `agent.example:443`"),
            );
            return;
        }
        Some(Err(error)) => return refuse(value, text, &error, report),
    };
    if claim.is_grpc() && url.scheme() != Scheme::HostPort {
        let host = format!("{}:{}", url.host(), url.port());
        report.add_with(&GRPC_FORM, Place::At(value), || {
            Remark::new(format!("{} is a URL; a gRPC channel is opened to `host:port`", quoted(text)))
                .help(format!("write `{host}`"))
        });
    }
    if matches!(url.scheme(), Scheme::Http | Scheme::Ws) {
        report.add_with(&NOT_HTTPS, Place::At(value), || {
            let remark =
                Remark::new(format!("{} is not encrypted", quoted(text))).help("write `https` or `wss`");
            if url.is_loopback() { remark.level(Level::Warning) } else { remark }
        });
    }
    address(&url, value, report);
    if url.spellings().next().is_some() {
        report.add_with(&SPELLING, Place::At(value), || {
            let canonical = url.canonical_text();
            let what: Vec<_> = url.spellings().map(|spelling| spelling.to_string()).collect();
            Remark::new(what.join(", and ")).help(format!("write `{canonical}`")).fix(edit::replace(
                edit::safety(subject.card),
                value,
                format!("\"{canonical}\""),
            ))
        });
    }
    if let Some(end) = OTHER_ENDS.iter().find(|end| url.path().ends_with(*end)) {
        report.add_with(&SUSPICIOUS, Place::At(value), || {
            Remark::new(format!("`{end}` is the path of a card or of one operation, not of an interface"))
                .help("write the URL that operations are sent to")
        });
    }
}

/// An address or a name that only some networks reach.
fn address(url: &StrictUrl, value: Value<'_>, report: &mut Report<'_>) {
    if let Err(error) = url.require_public() {
        report.add_with(&PRIVATE_ADDRESS, Place::At(value), || {
            Remark::new(error.to_string()).help(error.help())
        });
    }
    let name = url.host().name().map(|name| name.as_str());
    let is_private = name.is_some_and(|name| {
        let below = |suffix: &&str| {
            name.strip_suffix(*suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        !name.contains('.') || PRIVATE_SUFFIXES.iter().any(below)
    });
    if is_private && url.address_class() == AddressClass::Name {
        report.add_with(&PRIVATE_NAME, Place::At(value), || {
            Remark::new(format!("`{}` is a name of a private network", url.host()))
                .help("publish a card with names that its readers can resolve")
        });
    }
}

fn credentials(subject: &Subject<'_>, report: &mut Report<'_>) {
    for scheme in subject.view.security_schemes() {
        match scheme.kind {
            SchemeKind::OAuth2 { ref flows, .. } => {
                for flow in flows {
                    for (name, url) in flow.claimed_urls() {
                        credential(member(flow.value, name), url, report);
                    }
                }
                credential_member(scheme.value, "oauth2SecurityScheme", "oauth2MetadataUrl", report);
            }
            SchemeKind::OpenIdConnect { .. } => {
                credential_member(scheme.value, "openIdConnectSecurityScheme", "openIdConnectUrl", report);
            }
            SchemeKind::ApiKey { .. }
            | SchemeKind::Http { .. }
            | SchemeKind::MutualTls
            | SchemeKind::Unreadable(_) => {}
        }
    }
}

/// The member of a scheme of A2A 1.0, or of 0.3, where it stands one level higher.
fn credential_member(scheme: Value<'_>, kind: &str, name: &str, report: &mut Report<'_>) {
    let value = member(member(scheme, kind).unwrap_or(scheme), name);
    if let Some(url) = value.and_then(Value::as_text).filter(|url| !url.is_empty()) {
        credential(value, url, report);
    }
}

fn credential(value: Option<Value<'_>>, text: &str, report: &mut Report<'_>) {
    let Some(value) = value else { return };
    match StrictUrl::read(text, UrlUse::Credential) {
        Ok(url) => {
            if url.scheme() != Scheme::Https {
                report.add_with(&AUTH_NOT_HTTPS, Place::At(value), || {
                    Remark::new(format!("{} is not https, and clients send credentials there", quoted(text)))
                        .help("write `https`")
                });
            }
            address(&url, value, report);
        }
        Err(error) => refuse(value, text, &error, report),
    }
}

/// A fault of the profile, at the level of its own lint.
fn refuse(value: Value<'_>, text: &str, error: &UrlError, report: &mut Report<'_>) {
    let Some(lint) = LINTS.iter().find(|lint| lint.code == error.code()) else { return };
    report.add_with(lint, Place::At(value), || {
        let help = if text.contains('{') {
            "a URL has no templates: write the URL itself, and a tenant in `tenant`"
        } else {
            error.help()
        };
        Remark::new(error.to_string()).help(help)
    });
}

/// Icons are embedded as `data:` by some; a script is never for people.
fn information(value: Value<'_>, text: &str, report: &mut Report<'_>) {
    let scheme = text.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let remark = match scheme.as_str() {
        "javascript" | "vbscript" => {
            Remark::new(format!("{} runs a script where it is opened", quoted(text))).level(Level::Error)
        }
        "data" => Remark::new("the URL carries its own content"),
        _ => match StrictUrl::read(text, UrlUse::Information) {
            Ok(url) if url.scheme() == Scheme::Https => return,
            Ok(_) => Remark::new(format!("{} is not https", quoted(text))),
            Err(error) => Remark::new(error.to_string()),
        },
    };
    report.add(&INFORMATION, Place::At(value), remark.help("write an https URL"));
}

#[cfg(test)]
mod tests;
