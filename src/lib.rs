//! Sign, verify and admit A2A AgentCards, knowing exactly what a signature covers.
//!
//! A card makes one journey, and each stage consumes the one before:
//!
//! | stage | type | what may be believed after it |
//! | --- | --- | --- |
//! | received | [`UntrustedCard`] | it is strict I-JSON; everything in it is a claim |
//! | canonicalized | [`CanonicalPayload`] | these are the octets that a signer signs under one [`Form`] |
//! | verified | [`VerifiedCard`] | who signed which octets; what the signature does not cover |
//! | decided | [`Decision`] | whether the [`TrustPolicy`] of the client allows the card, and every reason |
//! | admitted | [`AdmittedCard`], [`AdmittedInterface`] | this version, binding, URL and tenant, until then |
//!
//! ```
//! use countersign::{Form, KeySigner, Limits, SignTerms, SigningKey, TrustedKey, TrustedKeys, UnixTime};
//! use countersign::{Algorithm, Signer, UntrustedCard, VerifyTerms, keys::trust::KeySource};
//!
//! // The publisher signs the card as it is; only the member `signatures` is added to its text.
//! let card = r#"{
//!   "name": "Echo", "description": "Repeats what it is told.", "version": "1.0.0", "capabilities": {},
//!   "supportedInterfaces": [{"url": "https://echo.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
//!   "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
//!   "skills": [{"id": "echo", "name": "Echo", "description": "Repeats.", "tags": ["text"]}]
//! }"#;
//! let signer = KeySigner::new(SigningKey::generate(Algorithm::Es256)?, Algorithm::Es256)?.with_kid("echo-1");
//! let signed = UntrustedCard::read(card, &Limits::default())?
//!     .sign(&signer, &SignTerms::default(), &TrustedKeys::default())?;
//!
//! // A client verifies what it received, with keys that it trusts already, at a time that it says.
//! let mut keys = TrustedKeys::default();
//! keys.push(TrustedKey::new(signer.verifying_key().clone(), KeySource::Single).with_kid("echo-1"));
//! let now = UnixTime::from_seconds(1_796_000_000);
//! let verified = UntrustedCard::read(signed.octets.clone(), &Limits::default())?
//!     .verify(&keys, &VerifyTerms::default(), now)?;
//! assert_eq!(verified.payload().form(), Form::A2a10);
//! assert_eq!(verified.member("name").and_then(|name| name.as_text()), Some("Echo"));
//!
//! // One octet changed in between.
//! let tampered = String::from_utf8(signed.octets)?.replace("echo.example", "evil.example");
//! let refused = UntrustedCard::read(tampered, &Limits::default())?.verify(&keys, &VerifyTerms::default(), now);
//! assert_eq!(refused.unwrap_err().to_string(), "the card is invalid: sig.invalid");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here reads a clock, and only [`load_policy`], which reads the files of a policy, and [`Pins`], the file in which
//! earlier cards are remembered, do I/O. Not here: fetching cards and keys, and remembering answers. A verified signature says who signed; it grants nothing until a policy
//! admits the card. The language of policies: [`guide::policy`].

mod admission;
mod audit;
#[cfg(feature = "cache")]
pub mod cache;
mod canonical;
mod card;
#[cfg(feature = "client")]
pub mod client;
pub mod codes;
mod coverage;
mod diagnosis;
mod endorsement;
#[cfg(feature = "client")]
pub mod fetch;
mod files;
mod fix;
pub mod guide;
mod lint;
mod pins;
mod select;
mod signature;

pub use admission::{AdmittedCard, AdmittedInterface, AdmittedSelection, Denied};
pub use audit::{AUDIT_TARGET, AuditRecord, CacheState};
pub use canonical::{CanonicalPayload, Form, NoCanonicalForm, UnknownForm};
pub use card::{
    CardError, CardView, ClaimedInterface, DeclaredVersion, Extension, FlowKind, Hybrid, InterfacePlace,
    OAuthFlow, RequiredScheme, Requirement, RequirementFault, Requirements, SchemeFault, SchemeKind,
    SecurityScheme, Shape, Skill, UntrustedCard,
};
pub use countersign_keys as keys;
pub use countersign_keys::json::Limits;
pub use countersign_keys::trust::{TrustedKey, TrustedKeys};
pub use countersign_keys::{Algorithm, KeySigner, Signer, SigningKey, Thumbprint, VerifyingKey};
pub use countersign_keys::{Code, Edit, Finding, Fix, FixSafety, Level, Span};
pub use countersign_policy as policy;
pub use countersign_policy::{Accepted, AcceptedError, ProtocolVersion, UnixTime};
pub use countersign_policy::{
    AdmissionRequest, AgentMemory, Decision, Explanation, InterfaceOutcome, Outcome, PinDigest, PinMemory,
    Reason, Source, SourceKind, TrustPolicy,
};
pub use coverage::{Class, CoverageTerms, Fate, Strictness, UncoveredMember};
pub use diagnosis::{Cause, Diagnosis, DiagnosisHints};
pub use endorsement::{Endorsement, EndorsementError, EndorsementPlace};
pub use files::{PolicyFolder, TOOL, load_policy};
pub use fix::{BreakingChanges, FixTerms, FixedCard, UpgradeError, UpgradeTo, UpgradedCard};
pub use lint::{Lint, LintLevels, LintSetting, LintTerms, Profile, lints};
pub use pins::{NotAdmitted, PinFault, PinnedAgent, Pins, PinsError, PinsList, Recorded};
pub use select::{
    Fallback, OfferedInterface, OtherFailure, Preference, ProtocolChoice, SelectTerms, SelectedBecause,
    SelectedInterface, Selection, VersionNotSupported,
};
pub use signature::{
    CardOutcome, ClaimedSignature, EndorsementReport, Matching, NewEndorsement, NewSignature, Portability,
    Refused, SignCardError, SignTerms, SignatureKind, SignatureOutcome, SignatureReport, SignedCard,
    SigningInput, Stale, VerificationReport, VerifiedCard, VerifyTerms,
};

#[cfg(all(doctest, feature = "fetch"))]
#[doc = include_str!("../README.md")]
struct Readme;
