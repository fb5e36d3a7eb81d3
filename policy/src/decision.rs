//! The answer: admit or deny, every reason, and how it came about.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use countersign_keys::{Code, Finding};

use crate::{
    AdmissionRequest, CardPointer, Grace, LazyDigest, PinComparison, PinDigest, PolicyPlace, ProtocolVersion,
    Scheme, SignatureState, SourceKind, StrictUrl, UnixTime,
};

/// What a policy says about one card and one request, at one time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decision {
    /// The answer. Audit does not change it.
    pub outcome: Outcome,
    /// Whether it is enforced. Only a denial can be unenforced.
    pub enforced: bool,
    /// Why not enforced, and until when.
    pub audit: Option<Grace>,
    /// The reasons for a denial, in the order of the evaluation; those that an exception waives are in `waived`.
    pub reasons: Vec<Reason>,
    /// Reasons that exceptions waive.
    pub waived: Vec<Waived>,
    /// `id` of the rule that was held against the card.
    pub rule: Option<String>,
    /// What the card was held against the rule for.
    pub subject: Subject,
    /// Which card.
    pub card: CardIdentity,
    /// How signatures were looked at: `require`, `if-present`, `off`; [`None`] without a rule.
    pub signature_level: Option<&'static str>,
    /// What is said about each signature.
    pub signatures: Vec<SignatureVerdict>,
    /// What is said about each interface.
    pub interfaces: Vec<InterfaceVerdict>,
    /// What no counted signature covers.
    pub uncovered: Vec<crate::UncoveredFacts>,
    /// Our credential by the name of a scheme that the card declares; none if the card is denied.
    pub credentials: BTreeMap<String, String>,
    /// Advice. It changes nothing.
    pub findings: Vec<Finding>,
    /// How the answer came about, step by step.
    pub trace: Vec<TraceStep>,
    /// The card beside what is remembered of its agent; [`None`] where nothing is remembered.
    pub pins: Option<PinComparison>,
    /// What was not looked at.
    pub not_checked: Vec<&'static str>,
    /// `name` and digest of the policy.
    pub policy: PolicyIdentity,
    /// `sha256:` and the digest of the thumbprints of the keys that are usable at `evaluated_at`.
    pub key_epoch: Arc<str>,
    /// The time that the answer is for.
    pub evaluated_at: UnixTime,
    /// From when on it must be asked anew.
    pub expires_at: UnixTime,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "yes or no")]
pub enum Outcome {
    /// Yes.
    Admit,
    /// No.
    Deny,
}

/// One reason for a no.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// What it is.
    pub code: Code,
    /// One sentence, lower case, user text in backticks.
    pub message: String,
    /// JSON Pointer into the card.
    pub pointer: Option<String>,
    /// What was found there.
    pub value: Option<String>,
    /// The demand that is not met.
    pub place: Option<PolicyPlace>,
    /// The pattern that comes nearest.
    pub nearest: Option<NearMiss>,
}

/// A pattern that comes near, and why it does not match.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NearMiss {
    /// The pattern.
    pub pattern: String,
    /// Where it is written.
    pub place: PolicyPlace,
    /// Why it does not match, a sentence without subject.
    pub why: String,
}

/// A reason that an exception waives.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waived {
    /// The reason.
    pub reason: Reason,
    /// `id` of the exception.
    pub exception: String,
}

/// Context of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Subject {
    /// URL of the source, as asked.
    pub url: Arc<str>,
    /// How the card was found.
    pub source: SourceKind,
    /// Tenant.
    pub tenant: Option<String>,
    /// Use.
    pub purpose: Option<String>,
}

/// Which card.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CardIdentity {
    /// SHA-256 of its octets.
    pub sha256: Option<LazyDigest>,
    /// SHA-256 of the payload of the counted signatures.
    pub payload_sha256: Option<LazyDigest>,
    /// `name`; not signed unless a signature counts.
    pub name: Option<String>,
    /// `version`.
    pub version: Option<String>,
}

/// Which policy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyIdentity {
    /// `name`.
    pub name: Option<String>,
    /// `sha256:…`.
    pub digest: Arc<str>,
}

/// What is said about a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignatureVerdict {
    /// The endorsement that it stands in.
    pub endorsement: Option<usize>,
    /// Its place.
    pub index: usize,
    /// `kid`, as written.
    pub kid: Option<String>,
    /// `alg`, as written.
    pub alg: Option<String>,
    /// Its answer under this rule: one that verified with a key out of scope is unverifiable.
    pub outcome: SignatureState,
    /// `id` of the key that made it.
    pub key: Option<String>,
    /// The form that it matches.
    pub form: Option<&'static str>,
    /// Whether it is one of those that the card is handed on by.
    pub counts: bool,
    /// Why it does not count.
    pub reasons: Vec<Reason>,
}

/// What is said about an interface.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InterfaceVerdict {
    /// Its place.
    pub index: usize,
    /// JSON Pointer of the object that describes it.
    pub pointer: CardPointer<'static>,
    /// Its version, if it has one.
    pub version: Option<ProtocolVersion>,
    /// Its binding, as written.
    pub binding: Option<Arc<str>>,
    /// Its URL.
    pub(crate) claimed: ClaimedUrl,
    /// Its tenant.
    pub tenant: Option<Arc<str>>,
    /// The answer for it.
    pub outcome: InterfaceOutcome,
    /// Why it is dropped; waived reasons left out.
    pub reasons: Vec<Reason>,
}

/// The answer for an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the three words of the decision document")]
pub enum InterfaceOutcome {
    /// It may be used if the card is admitted.
    Admitted,
    /// It may not.
    Dropped,
    /// The rule drops it and does not enforce that.
    NotEnforced,
}

/// The URL of an interface, as far as it is one.
#[derive(Clone, Debug)]
pub(crate) enum ClaimedUrl {
    Strict(StrictUrl),
    /// Not one under the strict profile.
    Unreadable(String),
    Absent,
}

/// One step of the evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceStep {
    /// `deny-rules`, `select-rule`, `signatures`, `coverage`, `interfaces`, `auth`, `extensions`, `pins`, `exceptions`
    /// or `mode`.
    pub step: &'static str,
    /// The ids that were looked at.
    pub considered: Vec<String>,
    /// The one that was taken.
    pub picked: Option<String>,
    /// What came of it.
    pub why: Cow<'static, str>,
    /// The place in the policy that decided.
    pub place: Option<PolicyPlace>,
}

impl Decision {
    /// Whether the card may be used: it is admitted, or its denial is not enforced.
    #[must_use]
    pub fn lets_pass(&self) -> bool {
        self.outcome == Outcome::Admit || !self.enforced
    }

    /// The codes of the reasons, without repetition.
    #[must_use]
    pub fn codes(&self) -> Vec<Code> {
        let mut codes = Vec::new();
        for reason in &self.reasons {
            if !codes.contains(&reason.code) {
                codes.push(reason.code);
            }
        }
        codes
    }
}

impl Outcome {
    /// `admit` or `deny`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Admit => "admit",
            Self::Deny => "deny",
        }
    }
}

impl InterfaceOutcome {
    /// `admitted`, `dropped` or `not-enforced`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Admitted => "admitted",
            Self::Dropped => "dropped",
            Self::NotEnforced => "not-enforced",
        }
    }
}

impl InterfaceVerdict {
    /// The host of its URL, where that is one under the strict profile.
    #[must_use]
    pub fn host(&self) -> Option<String> {
        self.claimed_url().map(|url| url.host().to_string())
    }

    /// Its URL, where that is one under the strict profile.
    #[must_use]
    pub const fn claimed_url(&self) -> Option<&StrictUrl> {
        match &self.claimed {
            ClaimedUrl::Strict(url) => Some(url),
            ClaimedUrl::Unreadable(_) | ClaimedUrl::Absent => None,
        }
    }

    /// Its URL, as written: for reports, nothing to connect to.
    #[must_use]
    pub fn claimed_text(&self) -> Option<&str> {
        match &self.claimed {
            ClaimedUrl::Strict(url) => Some(url.raw()),
            ClaimedUrl::Unreadable(text) => Some(text),
            ClaimedUrl::Absent => None,
        }
    }

    /// Whether it has a URL under the strict profile, a binding and a version: without them nobody can call it.
    pub(crate) const fn is_complete(&self) -> bool {
        self.claimed_url().is_some() && self.binding.is_some() && self.version.is_some()
    }

    /// Whether a connection to it is encrypted; no for one without a readable URL.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.claimed_url()
            .is_some_and(|url| matches!(url.scheme(), Scheme::Https | Scheme::Wss | Scheme::HostPort))
    }
}

impl Subject {
    pub(crate) fn of(request: &AdmissionRequest) -> Self {
        Self {
            url: request.source.url.text(),
            source: request.source.kind.clone(),
            tenant: request.tenant.clone(),
            purpose: request.purpose.clone(),
        }
    }
}

impl CardIdentity {
    /// Makes the digests now, so that nothing of the card is kept for them.
    pub fn settle(&self) {
        for digest in [&self.sha256, &self.payload_sha256].into_iter().flatten() {
            let _: PinDigest = digest.get();
        }
    }
}

impl Reason {
    /// A reason without a place.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), pointer: None, value: None, place: None, nearest: None }
    }

    /// The same, at a JSON Pointer of the card, with what was found there.
    #[must_use]
    pub fn found(mut self, pointer: impl Into<String>, value: Option<&str>) -> Self {
        self.pointer = Some(pointer.into());
        self.value = value.map(str::to_owned);
        self
    }

    /// The same, with the demand that is not met.
    #[must_use]
    pub fn demanded(mut self, place: &PolicyPlace) -> Self {
        self.place = Some(place.clone());
        self
    }

    /// The same, with the pattern that comes nearest.
    #[must_use]
    pub fn near(mut self, nearest: Option<NearMiss>) -> Self {
        self.nearest = nearest;
        self
    }
}

impl NearMiss {
    /// A pattern and why it does not match.
    #[must_use]
    pub fn new(pattern: impl Into<String>, place: PolicyPlace, why: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), place, why: why.into() }
    }
}
