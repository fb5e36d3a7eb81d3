//! Policies for the agent: its keys, and one rule for it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a fixture that is no policy must stop the test")]

use countersign::{TOOL, TrustPolicy};
use serde_json::Value;

use crate::agent::key;

/// `k1` speaks for example.com, `k2` for example.com too, `other` for elsewhere.
pub(crate) fn keys() -> String {
    let one = |id: &str, seed: u8, origin: &str| {
        let jwk = key(seed).verifying_key().to_jwk(None, None).unwrap();
        let members: serde_json::Map<String, Value> = serde_json::from_str(&jwk).unwrap();
        let members: Vec<_> = members.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        format!(
            "[[key]]\nid = \"{id}\"\nkid = \"{id}\"\njwk = {{ {} }}\norigins = [\"{origin}\"]\n",
            members.join(", ")
        )
    };
    [
        one("k1", 1, "agent.example.com"),
        one("k2", 2, "agent.example.com"),
        one("other", 3, "agent.elsewhere.example"),
    ]
    .concat()
}

/// A policy with these keys, what stands before the rule, and what stands in it.
pub(crate) fn policy_with(before: &str, rule: &str) -> TrustPolicy {
    let text = format!(
        "schema = 1\n{before}\n{}\n[[allow]]\nid = \"agent\"\nfrom = [\"agent.example.com\"]\n{rule}\n",
        keys()
    );
    TrustPolicy::read(&text, "policy.toml", &TOOL).unwrap_or_else(|error| panic!("{error}\n{text}"))
}
