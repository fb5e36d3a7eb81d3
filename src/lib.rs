//! Sign, verify and admit A2A AgentCards, knowing exactly what a signature covers.

mod canonical;
mod card;
pub mod codes;
mod coverage;
mod signature;

pub use canonical::{CanonicalPayload, Form, NoCanonicalForm, UnknownForm};
pub use card::{CardError, Hybrid, Shape, UntrustedCard};
pub use countersign_keys as keys;
pub use countersign_keys::json::Limits;
pub use countersign_keys::trust::{TrustedKey, TrustedKeys};
pub use countersign_keys::{Algorithm, KeySigner, Signer, SigningKey, Thumbprint, VerifyingKey};
pub use countersign_keys::{Code, Finding, Level, Span};
pub use countersign_policy::{ProtocolVersion, UnixTime};
pub use coverage::{Class, CoverageTerms, Fate, Strictness, UncoveredMember};
pub use signature::{
    CardOutcome, Matching, NewSignature, Portability, Refused, SignCardError, SignTerms, SignatureOutcome,
    SignatureReport, SignedCard, Stale, VerificationReport, VerifiedCard, VerifyTerms,
};
