//! What single security schemes say.

use countersign_keys::json::{Kind, Value};
use countersign_keys::{Edit, Fix, FixSafety, Level};

use super::{API_KEY_QUERY, BASIC, DEPRECATED_FLOW, EMPTY_ONEOF, PKCE};
use crate::card::member;
use crate::card::schema::SECURITY_SCHEME;
use crate::lint::Subject;
use crate::lint::report::{Place, Remark, Report, quoted};
use crate::{FlowKind, OAuthFlow, SchemeFault, SchemeKind, SecurityScheme};
use countersign_keys::nearest::nearest;

/// Values of `location`.
const LOCATIONS: [&str; 3] = ["header", "query", "cookie"];

/// Values of `type` in A2A 0.3.
const TYPES: [&str; 5] = ["apiKey", "http", "oauth2", "openIdConnect", "mutualTLS"];

/// <https://www.iana.org/assignments/http-authschemes>, names as registered.
const REGISTERED: [&str; 14] = [
    "Basic",
    "Bearer",
    "Concealed",
    "Digest",
    "DPoP",
    "GNAP",
    "HOBA",
    "Mutual",
    "Negotiate",
    "OAuth",
    "PrivateToken",
    "SCRAM-SHA-1",
    "SCRAM-SHA-256",
    "vapid",
];

/// Members by which a scheme without its wrapper shows what it is.
const TELLING: [(&str, &str); 6] = [
    ("openIdConnectUrl", "openIdConnectSecurityScheme"),
    ("flows", "oauth2SecurityScheme"),
    ("oauth2MetadataUrl", "oauth2SecurityScheme"),
    ("scheme", "httpAuthSecurityScheme"),
    ("bearerFormat", "httpAuthSecurityScheme"),
    ("location", "apiKeySecurityScheme"),
];

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let is_for_1_0 = subject.is_for_1_0;
    for scheme in subject.view.security_schemes() {
        let inside = wrapped(scheme.value);
        match &scheme.kind {
            SchemeKind::Unreadable(fault) => unreadable(subject, &scheme, *fault, report),
            kind if inside.is_none() && is_for_1_0 => tagged(&scheme, kind, report),
            SchemeKind::ApiKey { .. }
            | SchemeKind::Http { .. }
            | SchemeKind::OAuth2 { .. }
            | SchemeKind::OpenIdConnect { .. }
            | SchemeKind::MutualTls => {}
        }
        match &scheme.kind {
            SchemeKind::ApiKey { location: Some(location), .. } => {
                let place =
                    inside.map_or_else(|| member(scheme.value, "in"), |inside| member(inside, "location"));
                api_key(&scheme, location, place, report);
            }
            SchemeKind::Http { scheme: Some(name) } => {
                http(&scheme, name, member(inside.unwrap_or(scheme.value), "scheme"), report);
            }
            SchemeKind::OAuth2 { flows, .. } => oauth2(&scheme, flows, inside, report),
            SchemeKind::ApiKey { location: None, .. }
            | SchemeKind::Http { scheme: None }
            | SchemeKind::OpenIdConnect { .. }
            | SchemeKind::MutualTls
            | SchemeKind::Unreadable(_) => {}
        }
    }
}

/// The object inside the first known member of A2A 1.0; none in a scheme of A2A 0.3.
fn wrapped(scheme: Value<'_>) -> Option<Value<'_>> {
    kinds(scheme).next().map(|(_, inside)| inside)
}

/// The known members of A2A 1.0 that are there.
fn kinds(scheme: Value<'_>) -> impl Iterator<Item = (&'static str, Value<'_>)> {
    SECURITY_SCHEME.members.iter().filter_map(move |known| {
        let found = member(scheme, known.name).filter(|found| !found.is_null())?;
        Some((known.name, found))
    })
}

fn unreadable(
    subject: &Subject<'_>,
    scheme: &SecurityScheme<'_>,
    fault: SchemeFault,
    report: &mut Report<'_>,
) {
    let name = quoted(scheme.name);
    let remark = match fault {
        // A wrong type, which has a lint of its own.
        SchemeFault::NotAnObject => return,
        SchemeFault::NoKind if subject.is_for_1_0 => {
            let remark = Remark::new(format!("scheme {name} has none of the members that say what it is"));
            let telling = TELLING.iter().find(|(told, _)| member(scheme.value, told).is_some());
            match telling {
                Some((told, wrapper)) => {
                    remark.help(format!("put `{told}` and its siblings into an object `{wrapper}`"))
                }
                None => remark,
            }
        }
        SchemeFault::NoKind => Remark::new(format!("scheme {name} has no `type`"))
            .help(format!("give it one of the types of A2A 0.3: {}", listed(&TYPES))),
        SchemeFault::SeveralKinds => {
            let kinds: Vec<_> = kinds(scheme.value).map(|(kind, _)| kind).collect();
            Remark::new(format!("scheme {name} has several kinds at once: {}", listed(&kinds)))
                .help("declare one scheme for each kind")
        }
        SchemeFault::UnknownType => {
            let written = member(scheme.value, "type").and_then(Value::as_text).unwrap_or_default();
            let remark = format!("scheme {name} has the unknown type {}", quoted(written));
            let help = match nearest(written, TYPES) {
                Some(kind) => format!("write `{kind}`"),
                None => format!("A2A 0.3 has the types {}", listed(&TYPES)),
            };
            Remark::new(remark).help(help)
        }
    };
    report.add(&EMPTY_ONEOF, Place::At(scheme.value), remark);
}

/// A scheme that A2A 0.3 describes, in a card for clients of A2A 1.0.
fn tagged(scheme: &SecurityScheme<'_>, kind: &SchemeKind<'_>, report: &mut Report<'_>) {
    let wrapper = match kind {
        SchemeKind::ApiKey { .. } => "apiKeySecurityScheme",
        SchemeKind::Http { .. } => "httpAuthSecurityScheme",
        SchemeKind::OAuth2 { .. } => "oauth2SecurityScheme",
        SchemeKind::OpenIdConnect { .. } => "openIdConnectSecurityScheme",
        SchemeKind::MutualTls => "mtlsSecurityScheme",
        SchemeKind::Unreadable(_) => return,
    };
    let name = quoted(scheme.name);
    let remark = format!("scheme {name} is written as in A2A 0.3; clients of A2A 1.0 see nothing in it");
    let renamed = if wrapper == "apiKeySecurityScheme" { ", with `location` for `in`" } else { "" };
    let remark = Remark::new(remark)
        .help(format!("put its members but `type` into an object `{wrapper}`{renamed}"))
        .level(Level::Warning);
    report.add(&EMPTY_ONEOF, Place::At(scheme.value), remark);
}

fn api_key(scheme: &SecurityScheme<'_>, location: &str, place: Option<Value<'_>>, report: &mut Report<'_>) {
    let place = place.unwrap_or(scheme.value);
    let name = quoted(scheme.name);
    if location == "query" {
        let remark = Remark::new(format!("the API key of scheme {name} travels in the URL"))
            .help("take it from a header: write `header`, and the name of the header in `name`");
        report.add(&API_KEY_QUERY, Place::At(place), remark);
    } else if !LOCATIONS.contains(&location) {
        let remark = format!("the API key of scheme {name} has the unknown location {}", quoted(location));
        let remark = Remark::new(remark).level(Level::Error);
        let remark = match nearest(location, LOCATIONS) {
            Some(known) => {
                remark.help(format!("write `{known}`")).fix(replacement(place, format!("\"{known}\"")))
            }
            None => remark.help(format!("write one of {}", listed(&LOCATIONS))),
        };
        report.add(&API_KEY_QUERY, Place::At(place), remark);
    }
}

fn http(scheme: &SecurityScheme<'_>, written: &str, place: Option<Value<'_>>, report: &mut Report<'_>) {
    let place = Place::At(place.unwrap_or(scheme.value));
    let name = quoted(scheme.name);
    if written.eq_ignore_ascii_case("Basic") {
        let remark = Remark::new(format!("scheme {name} has clients send a password with every request"));
        report.add(&BASIC, place, remark);
    } else if !REGISTERED.iter().any(|known| known.eq_ignore_ascii_case(written)) {
        let remark = format!("scheme {name} uses {}, which is no registered HTTP scheme", quoted(written));
        let help = nearest(written, REGISTERED).map_or_else(
            || {
                "write a registered scheme such as `Bearer`; a key in a header is an API key scheme"
                    .to_owned()
            },
            |known| format!("write `{known}`"),
        );
        report.add(&BASIC, place, Remark::new(remark).help(help).level(Level::Info));
    }
}

/// `inside` is the object in `oauth2SecurityScheme`; none for A2A 0.3, where several flows are allowed.
fn oauth2(
    scheme: &SecurityScheme<'_>,
    flows: &[OAuthFlow<'_>],
    inside: Option<Value<'_>>,
    report: &mut Report<'_>,
) {
    let name = quoted(scheme.name);
    let object = member(inside.unwrap_or(scheme.value), "flows").filter(|flows| flows.kind() == Kind::Object);
    match (flows, object) {
        ([], Some(object)) => {
            let names = [FlowKind::AuthorizationCode, FlowKind::ClientCredentials, FlowKind::DeviceCode];
            let remark = Remark::new(format!("`flows` of scheme {name} has no flow that A2A knows"))
                .help(format!("add one of {}", listed(&names.map(FlowKind::name))));
            report.add(&EMPTY_ONEOF, Place::At(object), remark);
        }
        ([_, _, ..], Some(object)) if inside.is_some() => {
            let names: Vec<_> = flows.iter().map(|flow| flow.kind.name()).collect();
            let remark =
                format!("`flows` of scheme {name} has several flows, one is allowed: {}", listed(&names));
            let remark =
                Remark::new(remark).help("declare one scheme for each flow, and a requirement for each");
            report.add(&EMPTY_ONEOF, Place::At(object), remark);
        }
        _ => {}
    }
    for flow in flows {
        match flow.kind {
            FlowKind::Implicit | FlowKind::Password => {
                let remark = format!("scheme {name} uses the deprecated flow `{}`", flow.kind.name());
                let help = "use `authorizationCode` with `pkceRequired`, `deviceCode` or `clientCredentials`";
                report.add(&DEPRECATED_FLOW, Place::At(flow.value), Remark::new(remark).help(help));
            }
            FlowKind::AuthorizationCode if inside.is_some() && !flow.requires_pkce() => {
                pkce(&name, *flow, report);
            }
            FlowKind::AuthorizationCode | FlowKind::ClientCredentials | FlowKind::DeviceCode => {}
        }
    }
}

fn pkce(scheme: &str, flow: OAuthFlow<'_>, report: &mut Report<'_>) {
    let written = member(flow.value, "pkceRequired");
    let remark = Remark::new(format!("the authorization code flow of scheme {scheme} does not demand PKCE"))
        .help("write `\"pkceRequired\": true`, and enforce it at the authorization server");
    let (place, fix) = match written {
        Some(written) => (Place::At(written), Some(replacement(written, "true".to_owned()))),
        None => {
            (Place::Missing(flow.value, "pkceRequired"), first_member(flow.value, "\"pkceRequired\": true"))
        }
    };
    let remark = match fix {
        Some(fix) => remark.fix(fix),
        None => remark,
    };
    report.add(&PKCE, place, remark);
}

fn replacement(value: Value<'_>, text: String) -> Fix {
    Fix::new(FixSafety::Suggested, vec![Edit { range: value.range(), text }])
}

/// Puts a member before the others of an object.
fn first_member(object: Value<'_>, text: &str) -> Option<Fix> {
    let inside = object.range().start + 1;
    let text = if object.is_empty() { text.to_owned() } else { format!("{text}, ") };
    let is_object = object.kind() == Kind::Object;
    is_object.then(|| Fix::new(FixSafety::Suggested, vec![Edit { range: inside..inside, text }]))
}

/// Our own words in backticks, with commas.
fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
