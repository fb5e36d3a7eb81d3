//! What a card demands of clients, and where they would send credentials.

use std::borrow::Cow;

use countersign_keys::json::{Ancestry, Value};
use countersign_policy::{AlternativeFacts, AuthFacts, CardPointer, SchemeFacts, UrlFacts};

use super::url;
use crate::card::{
    CardView, FLOW_URLS, FlowKind, Requirement, Requirements, SCHEME_MEMBERS, SchemeKind, SecurityScheme,
    members,
};

pub(super) fn of<'c>(ancestry: &'c Ancestry<'c>, view: CardView<'c>) -> AuthFacts<'c> {
    let requirements = view.requirements();
    let mut facts = AuthFacts::default();
    facts.allows_anonymous = requirements.allows_anonymous();
    facts.alternatives = match requirements {
        Requirements::Absent => Vec::new(),
        Requirements::AnyOf(entries) => {
            entries.into_iter().map(|entry| alternative(ancestry, entry)).collect()
        }
        Requirements::Unreadable(list) => {
            vec![AlternativeFacts::unreadable(CardPointer::of(ancestry, list.id()))]
        }
    };
    facts.schemes = view.security_schemes().map(|declared| scheme(ancestry, &declared)).collect();
    facts
}

fn alternative<'c>(ancestry: &'c Ancestry<'c>, entry: Requirement<'c>) -> AlternativeFacts<'c> {
    match entry {
        Requirement::AllOf { value, schemes } => {
            let names = schemes.into_iter().map(|scheme| scheme.name).collect();
            AlternativeFacts::of(CardPointer::of(ancestry, value.id()), names)
        }
        Requirement::Unreadable { value, .. } => {
            AlternativeFacts::unreadable(CardPointer::of(ancestry, value.id()))
        }
    }
}

fn scheme<'c>(ancestry: &'c Ancestry<'c>, declared: &SecurityScheme<'c>) -> SchemeFacts<'c> {
    let pointer = CardPointer::of(ancestry, declared.value.id());
    let mut facts = SchemeFacts::new(declared.name, pointer, kinds(&declared.kind));
    facts.credential_urls = credential_urls(ancestry, declared.value);
    facts
}

/// The words of a policy for what satisfies a scheme, any of which does.
fn kinds(kind: &SchemeKind<'_>) -> Vec<Cow<'static, str>> {
    match kind {
        SchemeKind::ApiKey { location, .. } => {
            location.iter().map(|location| format!("apikey:{location}").into()).collect()
        }
        SchemeKind::Http { scheme } => {
            let word = |scheme: &&str| {
                let mut word = ["http:", scheme].concat();
                word.make_ascii_lowercase();
                word.into()
            };
            scheme.iter().map(word).collect()
        }
        SchemeKind::OAuth2 { flows, .. } => flows.iter().map(|flow| flow_word(flow.kind).into()).collect(),
        SchemeKind::OpenIdConnect { .. } => vec!["openid".into()],
        SchemeKind::MutualTls => vec!["mtls".into()],
        SchemeKind::Unreadable(_) => Vec::new(),
    }
}

/// The word for a flow, with its name in RFC 6749 and RFC 8628, as far as it has one.
const fn flow_word(kind: FlowKind) -> &'static str {
    match kind {
        FlowKind::AuthorizationCode => "oauth2:authorization_code",
        FlowKind::ClientCredentials => "oauth2:client_credentials",
        FlowKind::Implicit => "oauth2:implicit",
        FlowKind::Password => "oauth2:password",
        FlowKind::DeviceCode => "oauth2:device_code",
    }
}

/// Every URL of a scheme that a reader of either generation may find, in a scheme of several kinds too.
fn credential_urls<'c>(ancestry: &'c Ancestry<'c>, scheme: Value<'c>) -> Vec<UrlFacts<'c>> {
    let of_one = |object: Value<'c>| {
        let [flows, open_id, metadata] = members(object, ["flows", "openIdConnectUrl", "oauth2MetadataUrl"]);
        let flows = flows.map(|flows| members(flows, FlowKind::ALL.map(FlowKind::name)));
        let of_flows = flows.into_iter().flatten().flatten().flat_map(|flow| members(flow, FLOW_URLS));
        of_flows.chain([open_id, metadata]).flatten()
    };
    let known = members(scheme, SCHEME_MEMBERS).into_iter().flatten();
    let found = std::iter::once(scheme).chain(known).flat_map(of_one);
    found.filter_map(|value| url(ancestry, value)).collect()
}
