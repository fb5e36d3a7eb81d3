//! The attacks, one point of a card each.

use countersign_keys::codes as key_codes;

use super::Attack;
use super::specimen::{SCHEME, Specimen, algorithms, is_in_scope, read, signed_by};
use crate::{
    AllowRule, AnonymousAccess, FactFault, PolicyKey, ProtocolVersion, Reaction, Scheme, SignatureLevel,
    SignatureState, Source, SourceKind, TrustPolicy, UnixTime, WordPattern,
};

/// What an attack is made for.
pub(super) struct Stage<'p> {
    pub(super) policy: &'p TrustPolicy,
    pub(super) rule: &'p AllowRule,
    pub(super) now: UnixTime,
}

/// Makes the cards of an attack from a harmless one, all of which must be denied; or says why there are none.
pub(super) type Make = fn(&Stage<'_>, &Specimen) -> Result<Vec<Specimen>, String>;

/// A host that no policy allows by name.
const ELSEWHERE: &str = "agents.attacker.example";

macro_rules! attacks {
    ($($name:literal, $what:literal => $make:expr;)+) => {
        pub(super) const ATTACKS: &[(Attack, Make)] = &[$((Attack { name: $name, what: $what }, $make),)+];
    };
}

attacks! {
    "unsigned", "the signatures are removed" => unsigned;
    "tampered", "an octet is changed after signing" => tampered;
    "unknown-key", "a key that the policy does not have signs" => unknown_key;
    "key-out-of-scope", "a key that may speak for other sources only signs" => key_out_of_scope;
    "one-key-twice", "one key signs twice instead of two keys once each" => one_key_twice;
    "algorithm", "a trusted key signs with an algorithm that the rule does not list" => algorithm;
    "too-old", "a signature older than `max-age` is replayed" => too_old;
    "stale-signature", "a signature that no longer verifies stands beside a good one" => stale;
    "other-source", "the card is served by another host" => other_source;
    "other-kind", "the card is found in another way than the rule takes" => other_kind;
    "other-tenant", "another tenant asks" => other_tenant;
    "other-use", "the agent is wanted for another use" => other_use;
    "foreign-interface", "the interface is on a host of the attacker" => foreign_interface;
    "userinfo", "the allowed host stands before an `@`" => |_, harmless| Ok(vec![with_url(harmless, &format!("https://{}@{ELSEWHERE}/", host(harmless)))]);
    "backslash", "a backslash hides the host" => |_, harmless| Ok(vec![with_url(harmless, &format!("https://{}\\@{ELSEWHERE}/", host(harmless)))]);
    "metadata-address", "the interface is the metadata service of a cloud" => |_, harmless| {
        Ok(["http://169.254.169.254/", "https://169.254.169.254/", "https://metadata.google.internal/"].map(|url| with_url(harmless, url)).into())
    };
    "private-address", "the interface is a private address" => private_address;
    "http", "the interface is the same without TLS" => http;
    "version-0.3", "only an interface of version 0.3 is left" => version_0_3;
    "anonymous", "an alternative that demands nothing is added" => anonymous;
    "undefined-scheme", "the card demands a scheme that it does not define" => |_, harmless| {
        Ok(vec![Specimen { alternatives: vec![vec!["other"]], ..harmless.clone() }])
    };
    "unsatisfiable", "the card demands what the client cannot satisfy" => unsatisfiable;
    "token-url", "the token URL is on a host of the attacker" => |_, harmless| {
        let url = format!("https://{ELSEWHERE}/token");
        Ok(vec![Specimen { credential_url: Some(url), ..harmless.clone() }])
    };
    "denied-host", "the card names a host that a deny rule is for" => denied_host;
    "denied-extension", "the card requires an extension that a deny rule is for" => denied_extension;
}

fn unsigned(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    match stage.rule.signatures.level.value.at(stage.now) {
        SignatureLevel::Require => Ok(vec![Specimen { signatures: Vec::new(), ..harmless.clone() }]),
        level @ (SignatureLevel::IfPresent(_) | SignatureLevel::Off(_)) => Err(weaker(level)),
    }
}

fn tampered(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    failing(stage, harmless, SignatureState::Invalid, key_codes::SIG_INVALID)
}

fn unknown_key(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    failing(stage, harmless, SignatureState::Unverifiable, key_codes::SIG_UNKNOWN_KEY)
}

fn key_out_of_scope(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    looks_at_signatures(stage)?;
    let source = &harmless.request.source.url;
    let elsewhere = stage.policy.keys().iter().filter(|key| !is_in_scope(key, source));
    let able = elsewhere.filter_map(|key| Some((key, algorithms(stage.rule, key).next()?)));
    let cards: Vec<_> = able
        .map(|(key, algorithm)| {
            let signature = signed_by(key, algorithm, 0, stage.now);
            Specimen { signatures: vec![signature], ..harmless.clone() }
        })
        .collect();
    some(cards, "every key of the policy may speak for the source")
}

fn one_key_twice(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    looks_at_signatures(stage)?;
    let needed = harmless.signatures.len();
    let Some(first) = harmless.signatures.first().filter(|_| needed > 1) else {
        return Err("the rule needs no more than one key".to_owned());
    };
    Ok(vec![Specimen { signatures: vec![first.clone(); needed], ..harmless.clone() }])
}

fn algorithm(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    looks_at_signatures(stage)?;
    let Some(listed) = &stage.rule.signatures.algorithms else {
        return Err("the rule allows every algorithm".to_owned());
    };
    let is_other = |algorithm: &&countersign_keys::Algorithm| {
        !listed.value.iter().any(|allowed| allowed.agrees_with(**algorithm))
    };
    let other = countersign_keys::Algorithm::ALL.iter().find(is_other);
    let other = other.ok_or_else(|| "the rule lists every algorithm".to_owned())?;
    let mut card = harmless.clone();
    for signature in &mut card.signatures {
        signature.algorithm = Some(*other);
        signature.alg = Some(other.name().to_owned());
    }
    Ok(vec![card])
}

fn too_old(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    looks_at_signatures(stage)?;
    let Some(max_age) = &stage.rule.signatures.max_age_seconds else {
        return Err("the rule has no `max-age`".to_owned());
    };
    let issued_at = stage.now.saturating_add_seconds(max_age.value.saturating_neg().saturating_sub(1));
    let mut card = harmless.clone();
    card.signatures.iter_mut().for_each(|signature| signature.issued_at = Some(issued_at));
    Ok(vec![card])
}

fn stale(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    looks_at_signatures(stage)?;
    if stage.rule.signatures.stale.value == Reaction::Report {
        return Err("the rule reports it: `signatures.stale`".to_owned());
    }
    let mut card = harmless.clone();
    card.signatures.extend(harmless.signatures.iter().cloned().map(|mut signature| {
        fail(&mut signature, SignatureState::Invalid, key_codes::SIG_INVALID);
        signature
    }));
    Ok(vec![card])
}

fn other_source(_: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    let mut card = harmless.clone();
    let source = Source::at(&format!("https://{ELSEWHERE}{}", crate::request::WELL_KNOWN_PATH));
    card.request.source =
        source.map_err(|error| error.to_string())?.found_in(harmless.request.source.kind.clone());
    Ok(vec![card])
}

fn other_kind(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    let Some(kinds) = &stage.rule.sources else {
        return Err("the rule takes cards of every kind".to_owned());
    };
    let all = [
        SourceKind::WellKnown,
        SourceKind::Url,
        SourceKind::File,
        SourceKind::Registry("attacker".to_owned()),
    ];
    let other = all.into_iter().filter(|kind| !kinds.contains(kind));
    let cards = other.map(|kind| {
        let mut card = harmless.clone();
        card.request.source.kind = kind;
        card
    });
    of_no_other_rule(stage, cards, "other rules are for cards that are found in other ways")
}

fn other_tenant(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    let tenants = stage.rule.tenants.as_ref().ok_or_else(|| "the rule is for every tenant".to_owned())?;
    let asked =
        [None, Some("attacker".to_owned())].into_iter().filter(|word| is_foreign(tenants, word.as_deref()));
    let cards = asked.map(|tenant| {
        let mut card = harmless.clone();
        card.request.tenant = tenant;
        card
    });
    of_no_other_rule(stage, cards, "other rules are for other tenants")
}

fn other_use(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    let uses = stage.rule.uses.as_ref().ok_or_else(|| "the rule is for every use".to_owned())?;
    let asked =
        [None, Some("attack".to_owned())].into_iter().filter(|word| is_foreign(uses, word.as_deref()));
    let cards = asked.map(|purpose| {
        let mut card = harmless.clone();
        card.request.purpose = purpose;
        card
    });
    of_no_other_rule(stage, cards, "other rules are for other uses")
}

fn foreign_interface(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    let any = stage.rule.interfaces.any_host.as_ref();
    let holds = any.is_some_and(|any| any.value.grace.as_ref().is_none_or(|grace| grace.holds(stage.now)));
    if holds {
        return Err("the rule allows every public host: `interfaces.any-host`".to_owned());
    }
    Ok(vec![with_url(harmless, &format!("https://{ELSEWHERE}/"))])
}

fn private_address(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    let networks = &stage.rule.interfaces.networks;
    let is_outside = |url: &&str| {
        let address = read(url).and_then(|url| url.host().address());
        address.is_some_and(|address| !networks.iter().any(|network| network.value.matches(address).is_ok()))
    };
    let urls = ["https://10.0.0.1/", "https://192.168.0.1/", "https://[fd00::1]/"];
    let cards = urls.into_iter().filter(is_outside).map(|url| with_url(harmless, url)).collect();
    some(cards, "the rule allows private networks: `interfaces.networks`")
}

fn http(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    let terms = &stage.rule.interfaces;
    if terms.schemes.value.contains(&Scheme::Http) {
        return Err("the rule allows http: `interfaces.schemes`".to_owned());
    }
    let is_here = read(&harmless.url).is_some_and(|url| url.is_loopback());
    if is_here && terms.allow_loopback.is_some() {
        return Err("the rule allows this machine: `interfaces.allow-loopback`".to_owned());
    }
    Ok(vec![with_url(harmless, &format!("http://{}/", host(harmless)))])
}

fn version_0_3(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    if stage.rule.interfaces.versions.value.iter().any(|allowed| allowed.matches(ProtocolVersion::V0_3)) {
        return Err("the rule allows version 0.3: `interfaces.versions`".to_owned());
    }
    Ok(vec![Specimen { version: ProtocolVersion::V0_3, ..harmless.clone() }])
}

fn anonymous(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    match stage.rule.auth.anonymous.value {
        AnonymousAccess::Deny => {
            Ok(vec![Specimen { alternatives: vec![vec![SCHEME], Vec::new()], ..harmless.clone() }])
        }
        word @ (AnonymousAccess::Allow | AnonymousAccess::Report) => {
            Err(format!("the rule says `auth.anonymous = \"{}\"`", word.name()))
        }
    }
}

fn unsatisfiable(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    match &stage.rule.auth.schemes {
        Some(_) => Ok(vec![Specimen { scheme: "http:attack".to_owned(), ..harmless.clone() }]),
        None => Err("the rule does not say what the client can satisfy: `auth.schemes`".to_owned()),
    }
}

fn denied_host(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    let patterns = stage.policy.denies().iter().flat_map(|rule| &rule.hosts);
    let hosts = patterns.map(|pattern| {
        let text = pattern.value.to_string();
        let base = text.trim_start_matches('*').trim_start_matches('.');
        if base.len() == text.len() { text } else { format!("a.{base}") }
    });
    let cards =
        hosts.map(|host| Specimen { information_url: Some(format!("https://{host}/")), ..harmless.clone() });
    some(cards.collect(), "the policy denies no host")
}

fn denied_extension(stage: &Stage<'_>, harmless: &Specimen) -> Result<Vec<Specimen>, String> {
    let uris = stage.policy.denies().iter().flat_map(|rule| &rule.extensions);
    let cards = uris.map(|uri| Specimen { extension: Some(uri.value.clone()), ..harmless.clone() });
    some(cards.collect(), "the policy denies no extension")
}

/// The card with every signature failed.
fn failing(
    stage: &Stage<'_>,
    harmless: &Specimen,
    state: SignatureState,
    code: countersign_keys::Code,
) -> Result<Vec<Specimen>, String> {
    looks_at_signatures(stage)?;
    let mut card = harmless.clone();
    if card.signatures.is_empty() {
        card.signatures.extend(stage.policy.keys().first().and_then(|key| any_signature(stage, key)));
    }
    card.signatures.iter_mut().for_each(|signature| fail(signature, state, code));
    some(if card.signatures.is_empty() { Vec::new() } else { vec![card] }, "the policy has no key")
}

fn any_signature(stage: &Stage<'_>, key: &PolicyKey) -> Option<crate::SignatureFacts> {
    let algorithm = algorithms(stage.rule, key).next()?;
    Some(signed_by(key, algorithm, 0, stage.now))
}

fn fail(signature: &mut crate::SignatureFacts, state: SignatureState, code: countersign_keys::Code) {
    signature.state = state;
    signature.thumbprint = None;
    let message = "the signature is made up to fail".to_owned();
    signature.faults = vec![FactFault { code, message, pointer: None }];
}

fn looks_at_signatures(stage: &Stage<'_>) -> Result<(), String> {
    match stage.rule.signatures.level.value.at(stage.now) {
        level @ SignatureLevel::Off(_) => Err(weaker(level)),
        SignatureLevel::Require | SignatureLevel::IfPresent(_) => Ok(()),
    }
}

fn weaker(level: &SignatureLevel) -> String {
    format!("the rule says `signatures.level = \"{}\"`", level.name())
}

fn some(cards: Vec<Specimen>, otherwise: &str) -> Result<Vec<Specimen>, String> {
    if cards.is_empty() { Err(otherwise.to_owned()) } else { Ok(cards) }
}

/// The cards that are still held against the rule of the stage.
fn of_no_other_rule(
    stage: &Stage<'_>,
    cards: impl Iterator<Item = Specimen>,
    otherwise: &str,
) -> Result<Vec<Specimen>, String> {
    let is_of_rule =
        |card: &Specimen| stage.policy.rule_for(&card.request).is_none_or(|rule| rule.id == stage.rule.id);
    some(cards.filter(is_of_rule).collect(), otherwise)
}

fn is_foreign(patterns: &[WordPattern], word: Option<&str>) -> bool {
    word.is_none_or(|word| !patterns.iter().any(|pattern| pattern.matches(word)))
}

fn with_url(harmless: &Specimen, url: &str) -> Specimen {
    Specimen { url: url.to_owned(), ..harmless.clone() }
}

/// Host of the harmless interface, as text of a URL.
fn host(harmless: &Specimen) -> String {
    read(&harmless.url).map(|url| url.host().to_string()).unwrap_or_default()
}
