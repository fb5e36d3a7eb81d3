//! What a card demands of clients, and where they would send credentials.

use countersign_keys::json::{Ancestry, Document, Value};
use countersign_policy::{AlternativeFacts, AuthFacts, SchemeFacts, UrlFacts};

use super::url;
use crate::card::schema::SECURITY_SCHEME;
use crate::card::{CardView, FlowKind, Requirement, Requirements, SchemeKind, SecurityScheme, member};

/// URL members of a scheme, of a flow.
const OF_SCHEME: [&str; 2] = ["openIdConnectUrl", "oauth2MetadataUrl"];
const OF_FLOW: [&str; 4] = ["authorizationUrl", "deviceAuthorizationUrl", "tokenUrl", "refreshUrl"];

pub(super) fn of<'c>(document: &'c Document, view: CardView<'c>) -> AuthFacts<'c> {
    let requirements = view.requirements();
    let questions = requirements.entries().len() + view.security_schemes().count();
    let ancestry = Ancestry::of(document, questions);
    let mut facts = AuthFacts::default();
    facts.allows_anonymous = requirements.allows_anonymous();
    facts.alternatives = match &requirements {
        Requirements::Absent => Vec::new(),
        Requirements::AnyOf(entries) => entries.iter().map(|entry| alternative(&ancestry, entry)).collect(),
        Requirements::Unreadable(list) => vec![AlternativeFacts::unreadable(ancestry.pointer(list.id()))],
    };
    facts.schemes = view.security_schemes().map(|declared| scheme(&ancestry, &declared)).collect();
    facts
}

fn alternative<'c>(ancestry: &Ancestry<'c>, entry: &Requirement<'c>) -> AlternativeFacts<'c> {
    match entry {
        Requirement::AllOf { value, schemes } => {
            let names = schemes.iter().map(|scheme| scheme.name).collect();
            AlternativeFacts::of(ancestry.pointer(value.id()), names)
        }
        Requirement::Unreadable { value, .. } => AlternativeFacts::unreadable(ancestry.pointer(value.id())),
    }
}

fn scheme<'c>(ancestry: &Ancestry<'c>, declared: &SecurityScheme<'c>) -> SchemeFacts<'c> {
    let pointer = ancestry.pointer(declared.value.id());
    let mut facts = SchemeFacts::new(declared.name, pointer, kinds(&declared.kind));
    facts.credential_urls = credential_urls(ancestry, declared.value);
    facts
}

/// The words of a policy for what satisfies a scheme, any of which does.
fn kinds(kind: &SchemeKind<'_>) -> Vec<String> {
    match kind {
        SchemeKind::ApiKey { location, .. } => {
            location.iter().map(|location| format!("apikey:{location}")).collect()
        }
        SchemeKind::Http { scheme } => {
            scheme.iter().map(|scheme| format!("http:{}", scheme.to_ascii_lowercase())).collect()
        }
        SchemeKind::OAuth2 { flows, .. } => {
            flows.iter().map(|flow| format!("oauth2:{}", flow_word(flow.kind))).collect()
        }
        SchemeKind::OpenIdConnect { .. } => vec!["openid".to_owned()],
        SchemeKind::MutualTls => vec!["mtls".to_owned()],
        SchemeKind::Unreadable(_) => Vec::new(),
    }
}

/// The name of a flow in RFC 6749 and RFC 8628, as far as it has one.
const fn flow_word(kind: FlowKind) -> &'static str {
    match kind {
        FlowKind::AuthorizationCode => "authorization_code",
        FlowKind::ClientCredentials => "client_credentials",
        FlowKind::Implicit => "implicit",
        FlowKind::Password => "password",
        FlowKind::DeviceCode => "device_code",
    }
}

/// Every URL of a scheme that a reader of either generation may find, in a scheme of several kinds too.
fn credential_urls<'c>(ancestry: &Ancestry<'c>, scheme: Value<'c>) -> Vec<UrlFacts<'c>> {
    let known = SECURITY_SCHEME.members.iter().filter_map(|known| member(scheme, known.name));
    let of_one = |object: Value<'c>| {
        let flows = member(object, "flows");
        let flows = FlowKind::ALL.into_iter().filter_map(move |kind| member(flows?, kind.name()));
        let of_flows = flows.flat_map(|flow| OF_FLOW.into_iter().filter_map(move |name| member(flow, name)));
        of_flows.chain(OF_SCHEME.into_iter().filter_map(move |name| member(object, name)))
    };
    let found = std::iter::once(scheme).chain(known).flat_map(of_one);
    found.filter_map(|value| url(ancestry, value)).collect()
}
