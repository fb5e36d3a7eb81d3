//! Cards, policies and files of pins.

use std::path::{Path, PathBuf};

use countersign::keys::base64url;
use countersign::keys::jws::signing_input;
use countersign::{
    AdmissionRequest, AdmittedCard, Algorithm, CanonicalPayload, Decision, Endorsement, Form, Limits,
    NotAdmitted, PinDigest, Pins, SigningKey, Source, TOOL, TrustPolicy, UnixTime, UntrustedCard, keys,
};
use serde_json::{Value, json};

/// 2026-10-01T12:00:00Z
pub(crate) const NOW: i64 = 1_790_856_000;
pub(crate) const SOURCE: &str = "https://agents.acme.example/.well-known/agent-card.json";
/// Signatures are verified only where a card has some.
pub(crate) const IF_PRESENT: &str =
    "signatures = { level = \"if-present\", reason = \"pilot\", until = 2026-12-31 }";

pub(crate) fn at(seconds: i64) -> UnixTime {
    UnixTime::from_seconds(seconds)
}

fn key() -> SigningKey {
    SigningKey::from_ed25519(&[1; 32]).unwrap()
}

/// A policy with the key of the source and a rule with these members.
pub(crate) fn policy(members: &str) -> TrustPolicy {
    policy_with(members, "")
}

pub(crate) fn policy_with(members: &str, more: &str) -> TrustPolicy {
    let jwk: Value = serde_json::from_str(&key().verifying_key().to_jwk(None, None).unwrap()).unwrap();
    let x = jwk.get("x").and_then(Value::as_str).unwrap();
    let text = format!(
        "schema = 1\n[[key]]\nid = \"k1\"\nkid = \"k1\"\njwk = {{ kty = \"OKP\", crv = \"Ed25519\", x = \"{x}\" }}\n\
         origins = [\"https://agents.acme.example\"]\n\
         [[allow]]\nid = \"acme\"\nfrom = [\"https://agents.acme.example\"]\n{members}\n{more}"
    );
    TrustPolicy::read(&text, "trust-policy.toml", &TOOL).unwrap()
}

pub(crate) fn request(url: &str) -> AdmissionRequest {
    AdmissionRequest::new(Source::at(url).unwrap())
}

/// A complete card of this version.
pub(crate) fn card(version: &str) -> Value {
    json!({
        "name": "Agent", "description": "Adds numbers.", "version": version,
        "supportedInterfaces": [
            {"url": "https://agents.acme.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        ],
        "capabilities": {"streaming": true, "extensions": [
            {"uri": "https://ext.example/a", "description": "An extension."}
        ]},
        "securitySchemes": {
            "bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer", "description": "A token."}}
        },
        "securityRequirements": [{"schemes": {"bearer": {"list": ["read"]}}}],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "add", "name": "Add", "description": "Adds.", "tags": ["math"]}],
    })
}

/// The card with another value at a JSON Pointer.
pub(crate) fn with(mut card: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = card.pointer_mut(parent).unwrap();
    match parent.as_array_mut() {
        Some(list) => list.insert(name.parse().unwrap(), value),
        None => drop(parent.as_object_mut().unwrap().insert(name.to_owned(), value)),
    }
    card
}

pub(crate) fn read(card: &Value) -> UntrustedCard {
    UntrustedCard::read(card.to_string(), &Limits::default()).unwrap()
}

/// The card, signed by the key of the source, with `iat` or without.
pub(crate) fn signed_at(card: &Value, issued_at: Option<i64>) -> Value {
    let payload = CanonicalPayload::of(&read(card), Form::A2a10).unwrap();
    let iat = issued_at.map(|at| format!(",\"iat\":{at}")).unwrap_or_default();
    let header = format!(r#"{{"alg":"EdDSA","typ":"JOSE","kid":"k1"{iat}}}"#);
    let protected = base64url::encode(header.as_bytes());
    let signature = key().sign(Algorithm::EdDsa, &signing_input(&protected, payload.octets())).unwrap();
    with(
        card.clone(),
        "/signatures",
        json!([{"protected": protected, "signature": base64url::encode(&signature)}]),
    )
}

pub(crate) fn signed(card: &Value) -> Value {
    signed_at(card, None)
}

/// An endorsement of a card by the key of the source.
pub(crate) fn endorsement(card: &Value) -> Endorsement {
    let payload = CanonicalPayload::of(&read(card), Form::A2a10).unwrap();
    let digest = keys::hex(&keys::sha256(payload.octets()));
    let entries = signed(card)["signatures"].clone();
    let text =
        json!({"schema": "countersign.endorsement/1", "payload_sha256": digest, "signatures": entries});
    Endorsement::read(text.to_string(), &Limits::default()).unwrap()
}

/// A folder of its own, gone with it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("countersign-pins-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("pins.jsonl")
    }

    pub(crate) fn pins(&self) -> Pins {
        Pins::create(&self.file()).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a card is admitted under.
pub(crate) struct Desk<'p> {
    pub(crate) policy: TrustPolicy,
    pub(crate) pins: &'p Pins,
}

impl<'p> Desk<'p> {
    pub(crate) fn new(members: &str, pins: &'p Pins) -> Self {
        Self { policy: policy(members), pins }
    }

    pub(crate) fn admit_from(&self, card: &Value, url: &str, now: i64) -> Result<AdmittedCard, NotAdmitted> {
        read(card).admit_remembered(&self.policy, &request(url), &[], self.pins, at(now))
    }

    /// The decision about a card; panics if there is none.
    pub(crate) fn decide(&self, card: &Value) -> Decision {
        decision(self.admit_from(card, SOURCE, NOW))
    }

    /// The codes of a denial; none for an admission.
    pub(crate) fn codes(&self, card: &Value) -> Vec<&'static str> {
        names(&self.decide(card))
    }

    pub(crate) fn codes_at(&self, card: &Value, now: i64) -> Vec<&'static str> {
        names(&decision(self.admit_from(card, SOURCE, now)))
    }

    /// The codes of what is reported about pins.
    pub(crate) fn reported(&self, card: &Value) -> Vec<&'static str> {
        let decision = self.decide(card);
        assert!(decision.reasons.is_empty(), "{:?}", decision.reasons);
        let findings = decision.findings.iter().map(|finding| finding.code.name());
        findings.filter(|name| name.starts_with("pin.")).collect()
    }

    /// The digest that names a card.
    pub(crate) fn digest(&self, card: &Value) -> PinDigest {
        let memory = self.pins.memory(&request(SOURCE).source).unwrap();
        let memory = countersign::PinMemory::Kept(&memory);
        let decision = read(card).decide_remembered(&self.policy, &request(SOURCE), &[], memory, at(NOW));
        decision.pins.unwrap().card.parts.digest
    }
}

pub(crate) fn decision(answer: Result<AdmittedCard, NotAdmitted>) -> Decision {
    match answer {
        Ok(admitted) => admitted.decision().clone(),
        Err(NotAdmitted::Denied(denied)) => denied.decision().clone(),
        Err(other) => panic!("{other}"),
    }
}

fn names(decision: &Decision) -> Vec<&'static str> {
    decision.codes().into_iter().map(|code| code.name()).collect()
}

pub(crate) fn text_of(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}
