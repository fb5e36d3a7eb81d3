//! Sign, verify and admit A2A AgentCards, knowing exactly what a signature covers.
//!
//! A card makes one journey, and each stage consumes the one before:
//!
//! | stage | type | what may be believed after it |
//! | --- | --- | --- |
#![cfg_attr(
    feature = "client",
    doc = "| fetched | [`FetchedCard`](fetch::FetchedCard) | which URL answered with these octets, and until when they are fresh |"
)]
#![cfg_attr(
    not(feature = "client"),
    doc = "| fetched (feature `client`) | `FetchedCard` | which URL answered with these octets, and until when they are fresh |"
)]
//! | received | [`UntrustedCard`] | it is strict I-JSON; everything in it is a claim |
//! | canonicalized | [`CanonicalPayload`] | these are the octets that a signer signs under one [`Form`] |
//! | verified | [`VerifiedCard`] | who signed which octets; what the signature does not cover |
//! | decided | [`Decision`] | whether the [`TrustPolicy`] of the client allows the card, and every reason |
//! | admitted | [`AdmittedCard`], [`AdmittedInterface`] | this version, binding, URL and tenant, until then |
#![cfg_attr(
    feature = "cache",
    doc = "| remembered | [`AdmissionCache`](cache::AdmissionCache) | the same, until the first thing that it rests on ends or changes |"
)]
#![cfg_attr(
    not(feature = "cache"),
    doc = "| remembered (feature `cache`) | `AdmissionCache` | the same, until the first thing that it rests on ends or changes |"
)]
//!
//! A client that looks before it calls makes the whole journey in one question (feature `fetch`):
//!
//! ```no_run
//! # #[cfg(feature = "fetch")]
//! # fn example(now: countersign::UnixTime) -> Result<(), Box<dyn std::error::Error>> {
//! use countersign::client::{AdmissionClient, Agent};
//! use countersign::{SelectTerms, fetch::HttpsFetch, load_policy};
//!
//! // Once in a program. The policy says who may be called, and whose signatures count.
//! let client = AdmissionClient::new(load_policy("trust-policy.toml".as_ref())?, HttpsFetch::new()?);
//! let agent = Agent::at("https://agents.maps.example", SelectTerms::accepting(["1.0/JSONRPC".parse()?]))?;
//!
//! // Before each request: fetched, verified, admitted, remembered; or an error with every reason.
//! let interface = client.interface(&agent, now)?;
//! println!("{} {} at {}", interface.binding(), interface.version(), interface.url());
//! # Ok(())
//! # }
//! ```
//!
//! What is left to the program, such as the addresses that it connects to then: [`guide::client_developer`].
//!
//! The two ends of it, signing and verifying, need no feature:
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
//! # Features
//!
//! No feature is on by default. Crates are those that a feature adds to the 120 that are always there and to those of the
//! feature that it includes, on Linux, as locked in the repository.
//!
//! | feature | what it adds | what it costs |
//! | --- | --- | --- |
//! | `schema` | `policy::policy_schema`: the JSON Schema of the policy file | 6 crates |
//! | `cache` | `cache`: admissions remembered in memory | 12 crates, among them `moka`; at most 320 MiB, as estimated, by default |
//! | `client` | `client`, `fetch`: the journey above through an HTTP client that you bring; includes `cache` | 8 crates |
//! | `fetch` | `HttpsFetch`: an HTTP client that is ours; includes `client` | 16 crates, among them `rustls` and `ureq`; connections |
//! | `cache-disk` | `DiskStore`: responses remembered in a folder; includes `client` | 6 crates; files |
//! | `cache-shared` | `cache::shared`: cards shared by instances through Redis or Valkey; includes `cache` | 10 crates, among them `redis`; one round trip, which is given up after 50 ms of silence, by default |
//! | `events` | each decision as an event of `tracing` | 4 crates |
//!
//! # The outside
//!
//! Time is an argument. Clocks are read by `HttpsFetch` alone: for its time limit and for the validity of certificates.
//! Files are read and written by [`load_policy`], which reads those of a policy, by [`Pins`], which remember earlier cards,
//! and by `DiskStore`. Connections are made by `HttpsFetch` and by `cache::shared`, and nothing looks at the environment,
//! which may name a proxy. Everything waits in place: an asynchronous program asks in a thread that may.
//!
//! A verified signature says who signed; it grants nothing until a policy admits the card. The language of policies:
//! [`guide::policy`]. Not here: calling the agent.

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
