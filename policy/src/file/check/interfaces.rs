//! `interfaces` and `auth`.

use std::collections::BTreeMap;

use super::super::error::PolicyFault;
use super::super::nearest::suggestion;
use super::super::written::{
    At, Switch, Words, WrittenAnyHost, WrittenAnyHosts, WrittenAuth, WrittenInterfaces,
};
use super::defaults::grace;
use super::desk::Desk;
use crate::codes::load as codes;
use crate::url::check_path;
use crate::{
    AnonymousAccess, AnyHost, AuthTerms, CORE_BINDINGS, FailedInterfaces, Hosts, InterfaceTerms, Placed,
    PolicyPlace, ProtocolVersion, Queries, Scheme, VersionRequirement,
};

const SCHEMES: [(&str, Scheme); 4] =
    [("https", Scheme::Https), ("http", Scheme::Http), ("wss", Scheme::Wss), ("ws", Scheme::Ws)];

/// The words of `auth.schemes`; `http:` is followed by any authentication scheme of HTTP in lower case.
const AUTH_SCHEMES: [&str; 12] = [
    "http:bearer",
    "http:basic",
    "oauth2:authorization_code",
    "oauth2:client_credentials",
    "oauth2:device_code",
    "oauth2:implicit",
    "oauth2:password",
    "openid",
    "apikey:header",
    "apikey:query",
    "apikey:cookie",
    "mtls",
];

/// What holds where nothing is written.
pub(super) fn built_in(place: &PolicyPlace) -> InterfaceTerms {
    let version = VersionRequirement::exactly(ProtocolVersion::V1_0);
    InterfaceTerms {
        schemes: Placed::new(vec![Scheme::Https], place.clone()),
        hosts: Hosts { source: Some(place.clone()), listed: Vec::new() },
        paths: None,
        versions: Placed::new(vec![version], place.clone()),
        bindings: Placed::new(CORE_BINDINGS.map(str::to_owned).to_vec(), place.clone()),
        query: Queries::Deny,
        allow_loopback: None,
        networks: Vec::new(),
        any_host: None,
        other: FailedInterfaces::Drop,
    }
}

/// What holds where nothing is written.
pub(super) fn built_in_auth(place: &PolicyPlace) -> AuthTerms {
    AuthTerms {
        anonymous: Placed::new(AnonymousAccess::Report, place.clone()),
        schemes: None,
        hosts: Vec::new(),
        credentials: BTreeMap::new(),
    }
}

/// The members that are written, over those that are not.
pub(super) fn terms(
    desk: &mut Desk<'_>,
    table: &At<WrittenInterfaces>,
    base: InterfaceTerms,
) -> InterfaceTerms {
    let mut terms = base;
    let written = &table.value;
    if let Some(texts) = &written.schemes {
        let schemes = desk.list(texts).iter().filter_map(|text| desk_scheme(desk, text)).collect();
        terms.schemes = desk.text.placed(texts, schemes);
    }
    if let Some(words) = &written.hosts {
        terms.hosts = hosts(desk, words);
    }
    if let Some(texts) = &written.paths {
        terms.paths = Some(paths(desk, texts));
    }
    if let Some(texts) = &written.versions {
        let mut versions = Vec::new();
        for text in desk.list(texts) {
            match VersionRequirement::read(&text.value) {
                Ok(version) => versions.push(version),
                Err(error) => desk.fault(error.code(), &text.range, error.to_string()),
            }
        }
        terms.versions = desk.text.placed(texts, versions);
    }
    if let Some(texts) = &written.bindings {
        let bindings = desk.list(texts).iter().map(|text| text.value.clone()).collect();
        terms.bindings = desk.text.placed(texts, bindings);
    }
    if let Some(at) = &written.query
        && let Some(query) = desk.word(at, &[("deny", Queries::Deny), ("allow", Queries::Allow)])
    {
        terms.query = query;
    }
    if let Some(at) = &written.allow_loopback {
        terms.allow_loopback = (at.value == Switch::On).then(|| desk.place(&at.range));
    }
    if let Some(texts) = &written.networks {
        terms.networks = desk.networks(texts);
    }
    if let Some(at) = &written.any_host {
        terms.any_host = any_host(desk, at);
    }
    let others = [("drop", FailedInterfaces::Drop), ("deny-card", FailedInterfaces::DenyCard)];
    if let Some(at) = &written.other
        && let Some(other) = desk.word(at, &others)
    {
        terms.other = other;
    }
    terms
}

fn desk_scheme(desk: &mut Desk<'_>, text: &At<String>) -> Option<Scheme> {
    desk.word(text, &SCHEMES)
}

/// `*source` and patterns, in any order.
fn hosts(desk: &mut Desk<'_>, words: &At<Words>) -> Hosts {
    let (source, listed): (Vec<_>, Vec<_>) =
        desk.words(words).into_iter().partition(|(word, _)| word == "*source");
    Hosts {
        source: source.first().map(|(_, range)| desk.place(range)),
        listed: desk.patterns(listed, crate::AllowPattern::read),
    }
}

fn paths(desk: &mut Desk<'_>, texts: &At<Vec<At<String>>>) -> Placed<Vec<String>> {
    let mut paths = Vec::new();
    for text in desk.list(texts) {
        if let Err(error) = check_path(&text.value, 0) {
            desk.fault(error.code(), &text.range, format!("the path `{}`: {error}", text.value));
        } else if !text.value.starts_with('/') || text.value.contains(['?', '#', '*']) {
            let message = format!("`{}` is no path: it starts with `/` and has no wildcard", text.value);
            desk.invalid(&text.range, message);
        }
        paths.push(text.value.clone());
    }
    desk.text.placed(texts, paths)
}

fn any_host(desk: &mut Desk<'_>, at: &At<WrittenAnyHosts>) -> Option<Placed<AnyHost>> {
    let grace = match &at.value {
        WrittenAnyHosts::Plain(Switch::Off) => return None,
        WrittenAnyHosts::Plain(Switch::On) => None,
        WrittenAnyHosts::Until(WrittenAnyHost { reason, until }) => {
            let code = crate::codes::POLICY_HOST_ANY;
            Some(grace(desk, at, code, "any-host", reason.as_ref(), until.as_ref())?)
        }
    };
    Some(desk.text.placed(at, AnyHost::new(grace)))
}

/// The members that are written, over those that are not.
pub(super) fn auth(desk: &mut Desk<'_>, table: &At<WrittenAuth>, base: AuthTerms) -> AuthTerms {
    let mut terms = base;
    let written = &table.value;
    let words = [
        ("allow", AnonymousAccess::Allow),
        ("report", AnonymousAccess::Report),
        ("deny", AnonymousAccess::Deny),
    ];
    if let Some(at) = &written.anonymous
        && let Some(anonymous) = desk.word(at, &words)
    {
        terms.anonymous = desk.text.placed(at, anonymous);
    }
    if let Some(texts) = &written.schemes {
        let mut schemes = Vec::new();
        for text in desk.list(texts) {
            if !is_auth_scheme(&text.value) {
                let message = format!("`{}` is no way to authenticate that is known here", text.value);
                let mut fault = PolicyFault::new(codes::POLICY_INVALID, desk.place(&text.range), message);
                fault.help = suggestion(&text.value, AUTH_SCHEMES);
                desk.faults.push(fault);
            }
            schemes.push(text.value.clone());
        }
        terms.schemes = Some(desk.text.placed(texts, schemes));
    }
    if let Some(words) = &written.hosts {
        terms.hosts = desk.allow_patterns(words);
    }
    if let Some(credentials) = &written.credentials {
        terms.credentials = BTreeMap::new();
        for (scheme, credential) in credentials {
            if scheme.is_empty() {
                desk.invalid(&credential.range, "the name of a scheme is empty");
            }
            terms.credentials.insert(scheme.clone(), desk.text(credential));
        }
    }
    terms
}

fn is_auth_scheme(text: &str) -> bool {
    let is_http = text.strip_prefix("http:").is_some_and(|name| {
        !name.is_empty()
            && name.bytes().all(|octet| {
                octet.is_ascii_lowercase() || octet.is_ascii_digit() || octet == b'-' || octet == b'_'
            })
    });
    is_http || AUTH_SCHEMES.contains(&text)
}
