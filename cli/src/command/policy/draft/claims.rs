//! What a card claims, as far as a rule can hold it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use countersign::policy::{AllowPattern, Scheme, StrictUrl, UrlUse, toml_text};
use countersign::{ClaimedInterface, DeclaredVersion, SchemeKind, UntrustedCard};

use super::{comment, list, quoted};

/// Most entries of a list of the draft. A card with more is no card that one rule is drafted for.
const MAX_ENTRIES: usize = 32;

/// Claims that became members of the rule, and those that did not, with the reason.
pub(super) struct Claims {
    pub(super) name: Option<String>,
    pub(super) has_signatures: bool,
    uses_source: bool,
    hosts: BTreeSet<String>,
    versions: BTreeSet<String>,
    bindings: BTreeSet<String>,
    auth_hosts: BTreeSet<String>,
    tenants: BTreeSet<String>,
    anonymous: bool,
    left_out: Vec<String>,
}

impl Claims {
    pub(super) fn of(card: &UntrustedCard, source: &StrictUrl) -> Self {
        let view = card.view();
        let mut claims = Self {
            name: card.claimed_name().map(str::to_owned),
            has_signatures: !card.claimed_signatures().is_empty(),
            uses_source: false,
            hosts: BTreeSet::new(),
            versions: BTreeSet::new(),
            bindings: BTreeSet::new(),
            auth_hosts: BTreeSet::new(),
            tenants: BTreeSet::new(),
            anonymous: view.requirements().allows_anonymous(),
            left_out: Vec::new(),
        };
        let mut called = BTreeSet::new();
        for (index, interface) in view.claimed_interfaces().iter().enumerate() {
            if let Err(reason) = claims.interface(interface, source, &mut called) {
                let url = interface.claimed_url.map_or_else(|| "without URL".to_owned(), quoted);
                claims.left_out.push(format!("interface {index}, {url}: {reason}"));
            }
        }
        for scheme in view.security_schemes() {
            for url in credential_urls(&scheme.kind) {
                if let Err(reason) = claims.credential_url(url, &called) {
                    claims.left_out.push(format!("{} of {}: {reason}", quoted(url), quoted(scheme.name)));
                }
            }
        }
        claims
    }

    fn interface(
        &mut self,
        interface: &ClaimedInterface<'_>,
        source: &StrictUrl,
        called: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        let binding = interface.binding.ok_or("it names no binding")?;
        if binding.trim().is_empty() || binding.contains(char::is_control) {
            return Err("its binding is no word".to_owned());
        }
        let version = match interface.declared_version() {
            DeclaredVersion::Known(known) => known.version.to_string(),
            DeclaredVersion::Absent => return Err("it names no protocol version".to_owned()),
            DeclaredVersion::Unrecognized(_) => return Err("its protocol version is none".to_owned()),
        };
        let url_use =
            if binding.eq_ignore_ascii_case("GRPC") { UrlUse::GrpcInterface } else { UrlUse::Interface };
        let url = usable(interface.claimed_url.ok_or("it has no URL")?, url_use)?;
        let is_source = url.host() == source.host() && [443, source.port()].contains(&url.port());
        if is_source {
            self.uses_source = true;
        } else {
            keep(&mut self.hosts, pattern(&url)?)?;
        }
        keep(&mut self.versions, version)?;
        keep(&mut self.bindings, binding.to_owned())?;
        called.insert(url.host().to_string());
        if let Some(tenant) = interface.tenant.filter(|tenant| !tenant.is_empty()) {
            keep(&mut self.tenants, tenant.to_owned())?;
        }
        Ok(())
    }

    fn credential_url(&mut self, text: &str, called: &BTreeSet<String>) -> Result<(), String> {
        let url = usable(text, UrlUse::Credential)?;
        if called.contains(&url.host().to_string()) && url.port() == Scheme::Https.default_port() {
            return Ok(());
        }
        keep(&mut self.auth_hosts, pattern(&url)?)
    }

    /// The members of the rule, and comments.
    pub(super) fn write(&self, text: &mut String) {
        let hosts =
            self.uses_source.then_some("*source").into_iter().chain(self.hosts.iter().map(String::as_str));
        let members = [
            ("interfaces.hosts", list(hosts)),
            ("interfaces.versions", list(self.versions.iter().map(String::as_str))),
            ("interfaces.bindings", list(self.bindings.iter().map(String::as_str))),
            ("auth.hosts", list(self.auth_hosts.iter().map(String::as_str))),
        ];
        for (name, value) in members.iter().filter(|(_, value)| value != "[]") {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name} = {value}");
        }
        if self.versions.is_empty() {
            comment(text, "no interface of the card can be allowed by a rule: none is in this draft");
        }
        if self.anonymous {
            comment(
                text,
                "the card lets in clients that do not authenticate; auth.anonymous = \"deny\" refuses that",
            );
        }
        if !self.tenants.is_empty() {
            let tenants: Vec<String> = self.tenants.iter().map(|tenant| quoted(tenant)).collect();
            comment(text, &format!("tenants that the interfaces of the card name: {}", tenants.join(", ")));
        }
        comment(text, "for whom the rule is, of your own tenants; without it for all:");
        comment(text, &format!("tenants = [{}]", toml_text("my-tenant")));
        for left_out in self.left_out.iter().take(MAX_ENTRIES) {
            comment(text, &format!("left out: {left_out}"));
        }
        let more = self.left_out.len().saturating_sub(MAX_ENTRIES);
        if more > 0 {
            comment(text, &format!("left out: {more} more"));
        }
    }
}

fn keep(set: &mut BTreeSet<String>, entry: String) -> Result<(), String> {
    if set.len() >= MAX_ENTRIES && !set.contains(&entry) {
        return Err(format!("a draft has at most {MAX_ENTRIES} entries of a kind"));
    }
    set.insert(entry);
    Ok(())
}

/// A URL over TLS of a public host, under the strict profile.
fn usable(text: &str, url_use: UrlUse) -> Result<StrictUrl, String> {
    let url = StrictUrl::read(text, url_use).map_err(|error| error.to_string())?;
    url.require_public().map_err(|error| error.to_string())?;
    if url.is_loopback() {
        return Err("it is this machine".to_owned());
    }
    match url.scheme() {
        Scheme::Https | Scheme::HostPort => Ok(url),
        Scheme::Http | Scheme::Wss | Scheme::Ws | _ => Err("it is not https".to_owned()),
    }
}

/// The pattern of its host and port alone.
fn pattern(url: &StrictUrl) -> Result<String, String> {
    let port = if url.port() == 443 { String::new() } else { format!(":{}", url.port()) };
    let pattern = AllowPattern::read(&format!("{}{port}", url.host())).map_err(|error| error.to_string())?;
    Ok(pattern.to_string())
}

fn credential_urls<'c>(kind: &SchemeKind<'c>) -> Vec<&'c str> {
    match kind {
        SchemeKind::OAuth2 { flows, metadata_url } => {
            let of_flows = flows.iter().flat_map(|flow| flow.claimed_urls()).map(|(_, url)| url);
            of_flows.chain(*metadata_url).collect()
        }
        SchemeKind::OpenIdConnect { url } => url.iter().copied().collect(),
        SchemeKind::ApiKey { .. }
        | SchemeKind::Http { .. }
        | SchemeKind::MutualTls
        | SchemeKind::Unreadable(_)
        | _ => Vec::new(),
    }
}
