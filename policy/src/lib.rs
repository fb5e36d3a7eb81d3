//! What the owner of a client allows: the trust policy, its evaluation, and the words it is said in.
//!
//! This package knows no AgentCard and no socket, and it reads no clock: the time is always an argument.

mod accepted;
mod change;
pub mod codes;
mod decision;
mod difference;
mod digest;
mod evaluate;
mod explain;
mod facts;
mod file;
mod lint;
mod pattern;
mod pin;
mod place;
mod pointer;
mod policy;
mod recognize;
mod request;
mod testing;
mod time;
mod url;
mod version;

pub use accepted::{Accepted, AcceptedError, CORE_BINDINGS};
pub use change::PolicyChange;
pub use decision::{
    CardIdentity, Decision, InterfaceOutcome, InterfaceVerdict, NearMiss, Outcome, PolicyIdentity, Reason,
    SignatureVerdict, Subject, TraceStep, Waived,
};
pub use difference::{PartChange, PolicyDifference};
pub use digest::LazyDigest;
pub use evaluate::{RuleChoice, is_integrity};
pub use explain::{Explanation, WhyNot};
pub use facts::{
    AlternativeFacts, AuthFacts, CardFacts, ExtensionFacts, FactFault, InterfaceFacts, SchemeFacts,
    SignatureFacts, SignatureState, UncoveredFacts, UrlFacts, VersionFacts,
};
#[cfg(feature = "schema")]
pub use file::policy_schema;
pub use file::{ExpandedPolicy, FileFault, FileFaultKind, Files, PolicyError, PolicyFault, Tool, toml_text};
pub use lint::{
    FixedPolicy, LintLevels, LintSetting, PolicyFinding, PolicyLint, PolicyLintReport, PolicyLintTerms,
    policy_lints,
};
pub use pattern::{
    AllowPattern, DenyPattern, LoopbackNames, Mismatch, Network, PUBLIC_SUFFIX_LIST, PatternError,
    Specificity, registrable_domain,
};
pub use pin::{
    AgentMemory, CardParts, PinComparison, PinDigest, PinDigestError, PinMemory, PinOrder, PinReview,
    PinnedCard, SignedBy,
};
pub use place::{Placed, PolicyPlace};
pub use pointer::CardPointer;
pub use policy::{
    AllowRule, Allowance, AnonymousAccess, AnyHost, AuthTerms, CacheTerms, DenyRule, Exception, ExtensionUse,
    FailedInterfaces, FetchTerms, FetchedKeys, FetchedKeysError, FirstUse, Grace, Hosts, InterfaceTerms,
    KeyGroup, KeySelector, KeySet, LintLevel, Mode, PinTerms, PolicyFile, PolicyKey, PolicyLimits, Queries,
    Reaction, SignatureLevel, SignatureTerms, Tombstone, TombstoneReason, TrustPolicy, Uncovered,
    WordPattern,
};
pub use recognize::is_policy_text;
pub use request::{AdmissionRequest, Source, SourceKind};
pub use testing::{
    Attack, AttackAnswer, AttackTrial, CoverageGap, Difference, Expectation, ExpectedCodes, GapKind,
    HeldByProgram, Mutant, PolicyCase, PolicyCoverage, PolicyTests, RuleAttacks, usable_interfaces,
};
pub use time::UnixTime;
pub use url::{
    AddressClass, AuthorityFault, Host, HostName, Origin, Scheme, Spelling, StrictUrl, UrlError, UrlUse,
};
pub use version::{
    CardVersion, ProtocolVersion, RequirementError, VersionError, VersionFault, VersionRequirement,
};
