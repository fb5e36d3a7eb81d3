//! How a card says that clients must authenticate, in words and as JSON.

use std::collections::BTreeMap;

use countersign::{CardView, FlowKind, Requirement, Requirements, SchemeKind};
use serde::Serialize;

use crate::render::escape;

/// What the card demands of every client.
#[derive(Serialize)]
pub(crate) struct SecurityJson<'c> {
    /// Whether it lets in clients that do not authenticate.
    anonymous: bool,
    /// Any one of these is enough; null where the demand cannot be read.
    any_of: Option<Vec<AlternativeJson<'c>>>,
}

#[derive(Serialize)]
struct AlternativeJson<'c> {
    readable: bool,
    all_of: Vec<SchemeJson<'c>>,
}

#[derive(Serialize)]
struct SchemeJson<'c> {
    scheme: &'c str,
    kind: Option<&'static str>,
    scopes: Vec<&'c str>,
}

/// The kinds of the declared schemes, by name.
type Schemes<'c> = BTreeMap<&'c str, SchemeKind<'c>>;

fn schemes(view: CardView<'_>) -> Schemes<'_> {
    view.security_schemes().map(|scheme| (scheme.name, scheme.kind)).collect()
}

pub(crate) fn json(view: CardView<'_>) -> SecurityJson<'_> {
    let (schemes, requirements) = (schemes(view), view.requirements());
    let anonymous = requirements.allows_anonymous();
    let any_of = match requirements {
        Requirements::Unreadable(_) => None,
        Requirements::Absent => Some(Vec::new()),
        Requirements::AnyOf(entries) => {
            Some(entries.into_iter().map(|entry| alternative(entry, &schemes)).collect())
        }
    };
    SecurityJson { anonymous, any_of }
}

fn alternative<'c>(entry: Requirement<'c>, declared: &Schemes<'c>) -> AlternativeJson<'c> {
    match entry {
        Requirement::Unreadable { .. } => AlternativeJson { readable: false, all_of: Vec::new() },
        Requirement::AllOf { schemes, .. } => {
            let scheme = |required: countersign::RequiredScheme<'c>| SchemeJson {
                scheme: required.name,
                kind: declared.get(required.name).map(kind),
                scopes: required.scopes().collect(),
            };
            AlternativeJson { readable: true, all_of: schemes.into_iter().map(scheme).collect() }
        }
    }
}

/// One line for each alternative.
pub(crate) fn words(view: CardView<'_>) -> Vec<String> {
    let (schemes, requirements) = (schemes(view), view.requirements());
    match &requirements {
        Requirements::Absent => vec!["the card demands none".to_owned()],
        Requirements::Unreadable(_) => vec!["demanded, in a way that cannot be read".to_owned()],
        Requirements::AnyOf(entries) => {
            let lines = entries.iter().enumerate();
            lines
                .map(|(index, entry)| {
                    format!("{}{}", if index == 0 { "" } else { "or " }, told(entry, &schemes))
                })
                .collect()
        }
    }
}

fn told(entry: &Requirement<'_>, declared: &Schemes<'_>) -> String {
    let Requirement::AllOf { schemes, .. } = entry else { return "something that cannot be read".to_owned() };
    if schemes.is_empty() {
        return "no authentication".to_owned();
    }
    let schemes = schemes.iter().map(|required| {
        let scopes: Vec<&str> = required.scopes().collect();
        let scopes =
            if scopes.is_empty() { String::new() } else { format!(", scopes {}", escape(&scopes.join(" "))) };
        let described = declared.get(required.name).map_or_else(|| "not declared".to_owned(), describe);
        format!("{} ({described}{scopes})", escape(required.name))
    });
    schemes.collect::<Vec<_>>().join(" and ")
}

/// `api-key`, `http`, `oauth2`, `openid-connect`, `mutual-tls` or `unreadable`.
fn kind(scheme: &SchemeKind<'_>) -> &'static str {
    match scheme {
        SchemeKind::ApiKey { .. } => "api-key",
        SchemeKind::Http { .. } => "http",
        SchemeKind::OAuth2 { .. } => "oauth2",
        SchemeKind::OpenIdConnect { .. } => "openid-connect",
        SchemeKind::MutualTls => "mutual-tls",
        SchemeKind::Unreadable(_) | _ => "unreadable",
    }
}

fn describe(scheme: &SchemeKind<'_>) -> String {
    let or_unnamed = |text: Option<&str>| text.map_or_else(|| "unnamed".to_owned(), escape);
    match scheme {
        SchemeKind::ApiKey { location, name } => {
            format!("API key `{}` in the {}", or_unnamed(*name), or_unnamed(*location))
        }
        SchemeKind::Http { scheme } => format!("HTTP {}", or_unnamed(*scheme)),
        SchemeKind::OAuth2 { flows, .. } => {
            let flows: Vec<_> = flows.iter().map(|flow| flow_words(flow.kind)).collect();
            format!(
                "OAuth 2.0 {}",
                if flows.is_empty() { "without a flow".to_owned() } else { flows.join(" or ") }
            )
        }
        SchemeKind::OpenIdConnect { .. } => "OpenID Connect".to_owned(),
        SchemeKind::MutualTls => "mutual TLS".to_owned(),
        SchemeKind::Unreadable(_) | _ => "cannot be read".to_owned(),
    }
}

fn flow_words(kind: FlowKind) -> &'static str {
    match kind {
        FlowKind::AuthorizationCode => "authorization code",
        FlowKind::ClientCredentials => "client credentials",
        FlowKind::DeviceCode => "device code",
        FlowKind::Implicit => "implicit",
        FlowKind::Password => "password",
        _ => "unknown flow",
    }
}
