//! The JOSE layer of countersign: strict I-JSON, RFC 8785, JWK and JWS. It knows no AgentCard.

pub mod codes;
mod finding;
pub mod jcs;
pub mod json;

pub use finding::{Code, Finding, Level, Page, Span};
