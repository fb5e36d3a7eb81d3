//! An agent with a card, and keys that sign it.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

use countersign::keys::base64url;
use countersign::keys::jws::signing_input;
use countersign::{Algorithm, CanonicalPayload, Form, Limits, SigningKey, UntrustedCard};
use serde_json::{Value, json};

pub(crate) fn key(seed: u8) -> SigningKey {
    SigningKey::from_ed25519(&[seed; 32]).unwrap()
}

/// A complete card of A2A 1.0.
pub(crate) fn card() -> Value {
    json!({
        "name": "Agent", "description": "Adds numbers.", "version": "1.0.0",
        "supportedInterfaces": [
            {"url": "https://agent.example.com/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        ],
        "provider": {"organization": "Example", "url": "https://example.com"},
        "capabilities": {"streaming": true},
        "securitySchemes": {"bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}},
        "securityRequirements": [{"schemes": {"bearer": {"list": ["read"]}}}],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "add", "name": "Add", "description": "Adds.", "tags": ["math"]}],
    })
}

/// The card after `change`.
pub(crate) fn changed(change: impl FnOnce(&mut Value)) -> Value {
    let mut card = card();
    change(&mut card);
    card
}

pub(crate) fn read(card: &Value) -> UntrustedCard {
    UntrustedCard::read(card.to_string(), &Limits::default()).unwrap()
}

/// An entry of `signatures` with any protected header, by the key with this seed.
pub(crate) fn entry(card: &Value, form: Form, header: &str, seed: u8) -> Value {
    let payload = CanonicalPayload::of(&read(card), form).unwrap();
    let protected = base64url::encode(header.as_bytes());
    let signature = key(seed).sign(Algorithm::EdDsa, &signing_input(&protected, payload.octets())).unwrap();
    json!({"protected": protected, "signature": base64url::encode(&signature)})
}

pub(crate) fn with_entries(card: &Value, entries: impl Into<Vec<Value>>) -> UntrustedCard {
    let mut card = card.clone();
    card.as_object_mut().unwrap().insert("signatures".to_owned(), Value::Array(entries.into()));
    read(&card)
}
