//! What the card demands of clients, and where they would send credentials.

use std::collections::BTreeMap;

use countersign_keys::Level;

use super::hosts::nearest;
use super::{Notes, tally};
use crate::codes::decision as reasons;
use crate::{
    AllowRule, AlternativeFacts, AuthFacts, CardFacts, InterfaceOutcome, InterfaceVerdict, LoopbackNames,
    Reaction, Reason, Scheme, SchemeFacts, StrictUrl, UrlFacts, UrlUse,
};

/// The schemes of a card by name.
enum Schemes<'f> {
    Few(&'f [SchemeFacts<'f>]),
    /// A card chooses how many it has, and how often it names them.
    Many(BTreeMap<&'f str, &'f SchemeFacts<'f>>),
}

impl<'f> Schemes<'f> {
    const FEW: usize = 8;

    fn of(schemes: &'f [SchemeFacts<'f>]) -> Self {
        if schemes.len() <= Self::FEW {
            return Self::Few(schemes);
        }
        Self::Many(schemes.iter().map(|scheme| (scheme.name, scheme)).collect())
    }

    fn get(&self, name: &str) -> Option<&'f SchemeFacts<'f>> {
        match self {
            // Of several with one name the last, as in the map.
            Self::Few(schemes) => schemes.iter().rfind(|scheme| scheme.name == name),
            Self::Many(schemes) => schemes.get(name).copied(),
        }
    }
}

pub(super) fn look(
    rule: &AllowRule,
    facts: &CardFacts<'_>,
    interfaces: &[InterfaceVerdict],
    notes: &mut Notes,
) {
    let auth = &facts.auth;
    let schemes = Schemes::of(&auth.schemes);
    anonymous(rule, auth, notes);
    undefined(auth, &schemes, notes);
    satisfiable(rule, auth, &schemes, notes);
    for url in auth.schemes.iter().flat_map(|scheme| &scheme.credential_urls) {
        credential_url(rule, url, interfaces, notes);
    }
    notes.step(
        "auth",
        tally([(auth.alternatives.len(), " alternatives, "), (auth.schemes.len(), " schemes")]),
    );
}

/// Our credentials for the schemes that the card declares, by their names there.
pub(super) fn credentials(rule: &AllowRule, facts: &CardFacts<'_>) -> BTreeMap<String, String> {
    let is_declared = |name: &str| facts.auth.schemes.iter().any(|scheme| scheme.name == name);
    let ours = rule.auth.credentials.iter().filter(|(name, _)| is_declared(name));
    ours.map(|(name, credential)| (name.clone(), credential.clone())).collect()
}

/// A card that lets in everybody, or may have lost its demand on the way.
fn anonymous(rule: &AllowRule, auth: &AuthFacts<'_>, notes: &mut Notes) {
    let message = match &auth.not_provable {
        Some(fault) => fault.message.clone(),
        None if auth.allows_anonymous => "the card lets in clients that do not authenticate".to_owned(),
        None => return,
    };
    match rule.auth.anonymous_reaction() {
        None => {}
        Some(Reaction::Report) => notes.advise(reasons::AUTH_ANONYMOUS, Level::Warning, message, None),
        Some(Reaction::Deny) => {
            let reason = Reason::new(reasons::AUTH_ANONYMOUS, message).found("/securityRequirements", None);
            notes.reasons.push(reason.demanded(&rule.auth.anonymous.place));
        }
    }
}

fn undefined(auth: &AuthFacts<'_>, schemes: &Schemes<'_>, notes: &mut Notes) {
    for alternative in &auth.alternatives {
        for name in alternative.schemes.iter().filter(|name| schemes.get(name).is_none()) {
            let message = format!("the card demands the scheme `{name}`, which it does not define");
            let reason = Reason::new(reasons::AUTH_UNDEFINED_SCHEME, message);
            notes.reasons.push(reason.found(&alternative.pointer, Some(name)));
        }
    }
}

/// Whether the client can meet one alternative. Unreadable alternatives are met by nobody.
fn satisfiable(rule: &AllowRule, auth: &AuthFacts<'_>, schemes: &Schemes<'_>, notes: &mut Notes) {
    let Some(ours) = &rule.auth.schemes else { return };
    let can = |name: &&str| {
        schemes
            .get(name)
            .is_some_and(|scheme| scheme.kinds.iter().any(|kind| ours.value.iter().any(|ours| ours == kind)))
    };
    let is_met =
        |alternative: &AlternativeFacts<'_>| alternative.is_readable && alternative.schemes.iter().all(can);
    if auth.allows_anonymous || auth.alternatives.iter().any(is_met) {
        return;
    }
    let wanted = |alternative: &AlternativeFacts<'_>| {
        let kinds = alternative
            .schemes
            .iter()
            .filter_map(|name| schemes.get(name))
            .map(|scheme| scheme.kinds.join("|"));
        kinds.collect::<Vec<_>>().join(" + ")
    };
    let wanted =
        auth.alternatives.iter().map(wanted).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" or ");
    let wanted = if wanted.is_empty() { "something that cannot be read".to_owned() } else { wanted };
    let message = format!("the card demands {wanted}; the client can satisfy {}", ours.value.join(", "));
    let reason = Reason::new(reasons::AUTH_UNSATISFIABLE, message).found("/securityRequirements", None);
    notes.reasons.push(reason.demanded(&ours.place));
}

/// Whether credentials may be sent there: the host of an admitted interface over https, or `auth.hosts`.
fn credential_url(
    rule: &AllowRule,
    facts: &UrlFacts<'_>,
    interfaces: &[InterfaceVerdict],
    notes: &mut Notes,
) {
    let url = match StrictUrl::read(facts.url, UrlUse::Credential) {
        Ok(url) => url,
        Err(error) => {
            let reason = Reason::new(error.code(), error.to_string());
            notes.reasons.push(reason.found(&facts.pointer, Some(facts.url)));
            return;
        }
    };
    let is_development = rule.interfaces.allow_loopback.is_some() && url.is_loopback();
    let is_safe = is_development || url.scheme() == Scheme::Https;
    let is_host_of = |interface: &&InterfaceVerdict| {
        interface.outcome == InterfaceOutcome::Admitted
            && interface.claimed_url().is_some_and(|interface| interface.host() == url.host())
    };
    let is_listed = || rule.auth.hosts.iter().any(|host| host.value.allows(&url, LoopbackNames::Refused));
    if is_listed() || (is_safe && interfaces.iter().any(|interface| is_host_of(&interface))) {
        return;
    }
    let message = format!(
        "credentials would go to `{}`, which is neither an https URL on the host of an admitted interface nor in `auth.hosts`",
        url.raw()
    );
    let reason = Reason::new(reasons::AUTH_HOST_NOT_ALLOWED, message).found(&facts.pointer, Some(facts.url));
    notes.reasons.push(reason.demanded(&rule.place).near(nearest(&url, &rule.auth.hosts)));
}

#[cfg(test)]
mod tests {
    use super::Schemes;
    use crate::SchemeFacts;

    #[test]
    fn few_schemes_and_many_are_found_alike() {
        const NAMES: [&str; 9] = ["a", "b", "c", "d", "e", "f", "g", "a", "h"];
        let scheme = |(index, name): (usize, &&'static str)| {
            SchemeFacts::new(name, index.to_string().into(), Vec::new())
        };
        let schemes: Vec<_> = NAMES.iter().enumerate().map(scheme).collect();
        for count in [0, 1, 8, 9] {
            let (few, many) = (Schemes::of(&schemes[..count]), &schemes[..count]);
            assert_eq!(matches!(few, Schemes::Few(_)), count <= Schemes::FEW);
            for name in ["a", "h", "x"] {
                let last = many.iter().rfind(|scheme| scheme.name == name);
                assert_eq!(few.get(name).map(|scheme| &scheme.pointer), last.map(|scheme| &scheme.pointer));
            }
        }
    }
}
