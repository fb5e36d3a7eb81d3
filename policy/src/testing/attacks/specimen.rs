//! Cards that are made up from a rule, as facts.

use countersign_keys::Algorithm;

use crate::{
    AdmissionRequest, AllowPattern, AllowRule, AlternativeFacts, AuthFacts, CardFacts, Decision,
    ExtensionFacts, InterfaceFacts, KeyGroup, KeySelector, LoopbackNames, PolicyKey, ProtocolVersion,
    SchemeFacts, SignatureFacts, SignatureState, Source, SourceKind, StrictUrl, TrustPolicy, UnixTime,
    UrlFacts, UrlUse, VersionFacts, WordPattern,
};

/// The facts of a card with one interface, and where it is said to come from.
#[derive(Clone, Debug)]
pub(super) struct Specimen {
    pub(super) request: AdmissionRequest,
    pub(super) url: String,
    pub(super) binding: String,
    pub(super) version: ProtocolVersion,
    pub(super) signatures: Vec<SignatureFacts>,
    /// The names of the schemes that each alternative demands.
    pub(super) alternatives: Vec<Vec<&'static str>>,
    /// The word of `auth.schemes` that the one scheme of the card is.
    pub(super) scheme: String,
    pub(super) credential_url: Option<String>,
    pub(super) extension: Option<String>,
    pub(super) information_url: Option<String>,
}

/// The name of the scheme that the card defines.
pub(super) const SCHEME: &str = "main";

impl Specimen {
    /// Harmless cards for a rule: one for each source, host and path that may do.
    pub(super) fn all(policy: &TrustPolicy, rule: &AllowRule, now: UnixTime) -> Vec<Self> {
        let requests = rule.from.iter().filter_map(|from| request(rule, &from.value));
        let fitting =
            requests.filter(|request| policy.rule_for(request).is_some_and(|picked| picked.id == rule.id));
        let specimens = fitting.flat_map(|request| {
            let signatures = signatures(policy, rule, &request, now);
            let urls = interface_urls(rule, &request.source);
            urls.into_iter().filter_map(move |(url, binding)| {
                Some(Self {
                    request: request.clone(),
                    url,
                    binding,
                    version: version(rule)?,
                    signatures: signatures.clone(),
                    alternatives: vec![vec![SCHEME]],
                    scheme: scheme(rule),
                    credential_url: None,
                    extension: None,
                    information_url: None,
                })
            })
        });
        specimens.collect()
    }

    pub(super) fn decide(&self, policy: &TrustPolicy, now: UnixTime) -> Decision {
        policy.evaluate(&self.request, &self.facts(), now)
    }

    fn facts(&self) -> CardFacts<'_> {
        let interface = InterfaceFacts {
            index: 0,
            pointer: "/supportedInterfaces/0".into(),
            url_pointer: "/supportedInterfaces/0/url".into(),
            binding_pointer: "/supportedInterfaces/0/protocolBinding".into(),
            version_pointer: "/supportedInterfaces/0/protocolVersion".into(),
            url: Some(&self.url),
            binding: Some(&self.binding),
            version: VersionFacts::Known(self.version),
            tenant: None,
        };
        let alternatives = self.alternatives.iter().zip(0..).map(|(schemes, place)| AlternativeFacts {
            pointer: format!("/securityRequirements/{place}").into(),
            schemes: schemes.clone(),
            is_readable: true,
        });
        let scheme = SchemeFacts {
            name: SCHEME,
            pointer: format!("/securitySchemes/{SCHEME}").into(),
            kinds: vec![self.scheme.clone().into()],
            credential_urls: urls(self.credential_url.as_deref(), "/securitySchemes/main/tokenUrl"),
        };
        CardFacts {
            name: Some("specimen"),
            version: Some("1.0.0"),
            signatures: self.signatures.clone(),
            interfaces: vec![interface],
            auth: AuthFacts {
                allows_anonymous: self.alternatives.iter().any(Vec::is_empty),
                not_provable: None,
                alternatives: alternatives.collect(),
                schemes: vec![scheme],
            },
            extensions: self.extension.iter().map(|uri| extension(uri)).collect(),
            information_urls: urls(self.information_url.as_deref(), "/documentationUrl"),
            ..CardFacts::default()
        }
    }
}

/// A signature as the reader of cards describes it when it verified.
pub(super) fn signed_by(
    key: &PolicyKey,
    algorithm: Algorithm,
    index: usize,
    now: UnixTime,
) -> SignatureFacts {
    SignatureFacts {
        endorsement: None,
        index,
        kid: Some(key.trusted.kid().unwrap_or(&key.id).to_owned()),
        alg: Some(algorithm.name().to_owned()),
        state: SignatureState::Verified,
        faults: Vec::new(),
        thumbprint: Some(key.trusted.thumbprint()),
        algorithm: Some(algorithm),
        form: None,
        payload: None,
        issued_at: Some(now),
        expires_at: None,
        uncovered_octets: 0,
    }
}

/// The algorithms that a key may use under a rule.
pub(super) fn algorithms<'r>(
    rule: &'r AllowRule,
    key: &'r PolicyKey,
) -> impl Iterator<Item = Algorithm> + 'r {
    let listed = rule.signatures.algorithms.as_ref().map(|listed| &listed.value);
    let is_allowed = move |algorithm: &Algorithm| {
        key.trusted.allows(*algorithm)
            && listed.is_none_or(|listed| listed.iter().any(|allowed| allowed.agrees_with(*algorithm)))
    };
    Algorithm::ALL.iter().copied().filter(is_allowed)
}

/// Whether the origins of a key cover a source.
pub(super) fn is_in_scope(key: &PolicyKey, source: &StrictUrl) -> bool {
    key.origins.iter().any(|origin| origin.value.allows(source, LoopbackNames::Allowed))
}

/// A text that a pattern stands for.
pub(super) fn word(pattern: &WordPattern) -> String {
    match pattern {
        WordPattern::Exact(word) => word.clone(),
        WordPattern::Prefix(start) => format!("{start}specimen"),
    }
}

fn request(rule: &AllowRule, from: &AllowPattern) -> Option<AdmissionRequest> {
    let text = from.overlap(from)?;
    let kinds = rule.sources.as_deref();
    let may_be_well_known = kinds.is_none_or(|kinds| kinds.contains(&SourceKind::WellKnown));
    let well_known =
        || Source::at(&format!("{}{}", text.trim_end_matches('/'), crate::request::WELL_KNOWN_PATH)).ok();
    let well_known = well_known().filter(|source| may_be_well_known && fits(from, source));
    let source = match well_known {
        Some(source) => source,
        None => Source::at(&text).ok().filter(|source| fits(from, source))?,
    };
    let source = match kinds {
        Some(kinds) if !kinds.contains(&source.kind) => source.found_in(kinds.first()?.clone()),
        Some(_) | None => source,
    };
    let mut request = AdmissionRequest::new(source);
    request.tenant = rule.tenants.as_ref().and_then(|tenants| tenants.first()).map(word);
    request.purpose = rule.uses.as_ref().and_then(|uses| uses.first()).map(word);
    Some(request)
}

fn fits(from: &AllowPattern, source: &Source) -> bool {
    from.allows(&source.url, LoopbackNames::Allowed)
}

/// Enough signatures for every group, as far as the policy has keys for them.
fn signatures(
    policy: &TrustPolicy,
    rule: &AllowRule,
    request: &AdmissionRequest,
    now: UnixTime,
) -> Vec<SignatureFacts> {
    let usable = |key: &&PolicyKey| {
        is_in_scope(key, &request.source.url) && key.trusted.check_at(now.seconds()).is_ok()
    };
    let mut signers: Vec<(&PolicyKey, Algorithm)> = Vec::new();
    for group in &rule.signatures.groups {
        let of_group = policy.keys().iter().filter(usable).filter(|key| is_in(group, key));
        let able = of_group.filter_map(|key| Some((key, algorithms(rule, key).next()?)));
        for signer in able.take(group.min.get()) {
            if !signers.iter().any(|(key, _)| key.trusted.thumbprint() == signer.0.trusted.thumbprint()) {
                signers.push(signer);
            }
        }
    }
    signers
        .iter()
        .enumerate()
        .map(|(index, (key, algorithm))| signed_by(key, *algorithm, index, now))
        .collect()
}

fn is_in(group: &KeyGroup, key: &PolicyKey) -> bool {
    match &group.keys {
        KeySelector::Origin => true,
        KeySelector::Named { ids, .. } => ids.contains(&key.id),
    }
}

/// URL and binding of interfaces that the rule may admit.
fn interface_urls(rule: &AllowRule, source: &Source) -> Vec<(String, String)> {
    let terms = &rule.interfaces;
    let is_grpc = |binding: &&String| binding.eq_ignore_ascii_case("GRPC");
    let bindings = &terms.bindings.value;
    let Some(binding) = bindings.iter().find(|binding| !is_grpc(binding)).or(bindings.first()) else {
        return Vec::new();
    };
    let scheme = terms.schemes.value.iter().find_map(|scheme| scheme.name()).unwrap_or("https");
    let at_source = terms.hosts.source.as_ref().map(|_| format!("{scheme}://{}", source.url.host()));
    let listed = terms.hosts.listed.iter().filter_map(|host| host.value.overlap(&host.value));
    let anywhere = terms.any_host.as_ref().map(|_| format!("{scheme}://agents.specimen.example"));
    let networks = terms
        .networks
        .iter()
        .filter_map(|network| Some(format!("{scheme}://{}", network.value.to_string().split('/').next()?)));
    let paths: Vec<&str> = terms.paths.iter().flat_map(|paths| &paths.value).map(String::as_str).collect();
    let bases = at_source.into_iter().chain(listed).chain(anywhere).chain(networks);
    let urls = bases.flat_map(|base| {
        let whole = paths.iter().map(|path| format!("{}{path}", without_path(&base))).collect::<Vec<_>>();
        std::iter::once(base.clone()).chain(whole)
    });
    urls.map(|url| (url, binding.clone())).collect()
}

fn without_path(url: &str) -> &str {
    let host = url.find("://").map_or(0, |end| end.saturating_add(3));
    let end =
        url.get(host..).and_then(|rest| rest.find('/')).map_or(url.len(), |end| host.saturating_add(end));
    url.get(..end).unwrap_or(url)
}

/// A version that the rule allows; 1.0 if it is one.
fn version(rule: &AllowRule) -> Option<ProtocolVersion> {
    let numbered = (0..4).flat_map(|major| (0..10).map(move |minor| format!("{major}.{minor}")));
    let numbered = numbered.filter_map(|text| ProtocolVersion::from_header(&text).ok());
    let mut versions = std::iter::once(ProtocolVersion::V1_0).chain(numbered);
    versions.find(|version| rule.interfaces.versions.value.iter().any(|allowed| allowed.matches(*version)))
}

fn scheme(rule: &AllowRule) -> String {
    let ours = rule.auth.schemes.as_ref().and_then(|schemes| schemes.value.first());
    ours.cloned().unwrap_or_else(|| "http:bearer".to_owned())
}

fn extension(uri: &str) -> ExtensionFacts<'_> {
    ExtensionFacts { pointer: "/capabilities/extensions/0".into(), uri, is_required: true }
}

fn urls<'c>(url: Option<&'c str>, pointer: &'c str) -> Vec<UrlFacts<'c>> {
    url.map(|url| UrlFacts { pointer: pointer.into(), url }).into_iter().collect()
}

/// The URL of an interface, as the evaluation reads it.
pub(super) fn read(url: &str) -> Option<StrictUrl> {
    StrictUrl::read(url, UrlUse::InterfaceWithQuery).ok()
}
