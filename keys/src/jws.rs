//! JSON Web Signature (RFC 7515) with detached payload (appendix F), as far as A2A §8.4.2 uses it.
//!
//! The key decides the algorithm, the header may only agree. `jku`, `jwk`, `x5c` and `x5u` never supply a key and
//! never cause a connection.

mod error;
mod header;

pub use error::HeaderError;
pub use header::{NewHeader, ProtectedHeader};

use crate::base64url;

/// The octets that are signed: `protected`, a dot, and the payload in base64url (RFC 7515 §5.1).
///
/// `protected` is the base64url text as received, never a header written again.
#[must_use]
pub fn signing_input(protected: &str, payload: &[u8]) -> Vec<u8> {
    let mut input = Vec::with_capacity(protected.len() + 1 + base64url::encoded_len(payload.len()));
    input.extend_from_slice(protected.as_bytes());
    input.push(b'.');
    base64url::encode_into(payload, &mut input);
    input
}
