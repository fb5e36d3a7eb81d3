//! A policy, a source, and facts of cards that it admits.

use countersign_policy::{
    AdmissionRequest, CardFacts, Decision, InterfaceFacts, ProtocolVersion, SignatureFacts, SignatureState,
    Source, Tool, TrustPolicy, UnixTime, VersionFacts, codes,
};

/// 2026-10-01T12:00:00Z.
pub(crate) const NOW: UnixTime = UnixTime::from_seconds(1_790_856_000);

pub(crate) const POLICY: &str = r#"
schema = 1
name   = "maps"

[[key]]
id         = "one"
jwk        = { kty = "EC", crv = "P-256", x = "F4sTcspXnEIzQwpklu8SOpoE_jFF5fgmAZ2mFhMWjC8", y = "aUc6YoQtJpsU77ey_PsSGoAFP87_wE5sxWKlEYRIou8" }
algorithms = ["ES256"]
origins    = ["https://agents.maps.example", "https://maps.example", "https://both.maps.example"]

[[key]]
id         = "two"
jwk        = { kty = "EC", crv = "P-256", x = "LcqvYiVH2EzHvjuG_dWebBXNPms8NfubichdlCadY4g", y = "eh8e3xnEHw2Odji23AysgHQkCda3nPbfX3e2SVw44oY" }
algorithms = ["ES256"]
origins    = ["https://agents.maps.example", "https://both.maps.example", "https://other.example"]

[[deny]]
id     = "tunnels"
hosts  = ["**.tunnel.example"]
reason = "no tunnels"

[[deny]]
id         = "payments"
extensions = ["https://example.com/ext/payments/v1"]
reason     = "under review"

[[allow]]
id   = "maps"
from = ["https://agents.maps.example", "https://maps.example"]
interfaces.hosts = ["agents.maps.example", "grpc.agents.maps.example:443"]
interfaces.paths = ["/a2a/"]
auth.anonymous = "deny"

[[allow]]
id      = "both"
from    = ["https://both.maps.example"]
tenants = ["desk-*"]
uses    = ["routes"]
sources = ["well-known"]
signatures.require = { keys = ["one", "two"], min = 2 }
signatures.max-age = "30d"
signatures.algorithms = ["ES256"]
signatures.stale = "deny"
interfaces.hosts = ["agents.maps.example"]
auth.schemes = ["mtls"]
auth.anonymous = "deny"

[[exception]]
id     = "EX-1"
rule   = "maps"
origin = "https://agents.maps.example"
waives = ["iface.version-not-allowed"]
reason = "migration"
owner  = "maps"
until  = 2026-12-31
"#;

pub(crate) const SOURCE: &str = "https://agents.maps.example/.well-known/agent-card.json";

pub(crate) fn policy(text: &str) -> TrustPolicy {
    let tool = Tool { version: "0.1.0", forms: &["a2a-1.0"], default_forms: &["a2a-1.0"] };
    TrustPolicy::read(text, "policy.toml", &tool).unwrap_or_else(|error| panic!("{error}"))
}

/// A signature that a key of the policy made.
pub(crate) fn signed(policy: &TrustPolicy, key: &str, index: usize) -> SignatureFacts {
    let key = policy.keys().iter().find(|other| other.id == key).unwrap();
    let mut facts = SignatureFacts::new(index, SignatureState::Verified);
    facts.thumbprint = Some(key.trusted.thumbprint());
    facts.algorithm = Some(countersign_keys::Algorithm::Es256);
    facts.issued_at = Some(NOW);
    facts
}

/// A card with one interface, signed by these keys.
pub(crate) fn card<'c>(policy: &TrustPolicy, url: &'c str, keys: &[&str]) -> CardFacts<'c> {
    let pointers = ["/supportedInterfaces/0", "/u", "/b", "/v"].map(Into::into);
    let mut interface = InterfaceFacts::new(0, pointers);
    interface.url = Some(url);
    interface.binding = Some("JSONRPC");
    interface.version = VersionFacts::Known(ProtocolVersion::V1_0);
    let mut facts = CardFacts::default();
    facts.interfaces.push(interface);
    facts.signatures = keys.iter().enumerate().map(|(index, key)| signed(policy, key, index)).collect();
    facts
}

pub(crate) fn request(url: &str) -> AdmissionRequest {
    AdmissionRequest::new(Source::at(url).unwrap())
}

pub(crate) fn decide(policy: &TrustPolicy, facts: &CardFacts<'_>) -> Decision {
    policy.evaluate(&request(SOURCE), facts, NOW)
}

/// The names of all codes of this package and of the keys.
pub(crate) fn known() -> Vec<countersign_keys::Code> {
    let all = [codes::ALL, codes::decision::ALL, countersign_keys::codes::ALL];
    all.into_iter().flatten().copied().collect()
}
