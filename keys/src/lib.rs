//! The JOSE layer of countersign: strict I-JSON, RFC 8785, JWK and JWS. It knows no AgentCard.

mod algorithm;
pub mod base64url;
pub mod codes;
mod digest;
mod error;
mod finding;
mod hidden;
pub mod jcs;
pub mod json;
pub mod jwk;
pub mod jws;
pub mod nearest;
pub mod pem;
mod private;
mod public;
mod thumbprint;
pub mod trust;

pub use algorithm::{Algorithm, KeyKind};
pub use digest::{hex, sha256, sha256_of_parts};
pub use error::{KeyError, SignError, VerifyError};
pub use finding::{Code, Edit, Finding, Fix, FixSafety, Level, Page, Span};
pub use hidden::is_hidden;
pub use private::{KeySigner, PreparedSigner, RsaParts, Signer, SigningKey, accepted_signature};
pub use public::encode::to_jwk_set;
pub use public::{VerifiedSignature, VerifyingKey};
pub use thumbprint::Thumbprint;
