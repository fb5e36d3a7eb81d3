//! A message to an agent, in the protocol version and binding of an admitted interface.

use countersign::{AdmittedInterface, ProtocolVersion};
use serde_json::{Map, Value, json};

/// A request to an admitted interface.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Message {
    /// Where to.
    pub url: String,
    /// The headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
}

impl Message {
    /// A text to the agent at an interface, over JSONRPC or HTTP+JSON.
    #[must_use]
    pub fn new(interface: &AdmittedInterface, text: &str) -> Self {
        let is_old = interface.version() == ProtocolVersion::V0_3;
        let message = if is_old {
            json!({"kind": "message", "messageId": "1", "role": "user", "parts": [{"kind": "text", "text": text}]})
        } else {
            json!({"messageId": "1", "role": "ROLE_USER", "parts": [{"text": text}]})
        };
        let mut params = Map::from_iter([("message".to_owned(), message)]);
        let (url, body) = if interface.binding() == "HTTP+JSON" {
            // The tenant is a part of the path (A2A 1.0 section 11.3).
            let tenant = interface.tenant().map(|tenant| format!("/{tenant}")).unwrap_or_default();
            (format!("{}{tenant}/message:send", interface.url()), Value::Object(params))
        } else {
            params.extend(interface.tenant().map(|tenant| ("tenant".to_owned(), tenant.into())));
            let method = if is_old { "message/send" } else { "SendMessage" };
            let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            (interface.url().to_owned(), body)
        };
        let version = interface.a2a_version().map(|version| ("a2a-version", version));
        let media_type = interface.media_type().map(|media_type| ("content-type", media_type.to_owned()));
        Self { url, headers: version.into_iter().chain(media_type).collect(), body: body.to_string() }
    }
}
