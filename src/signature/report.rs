//! What a verification says: about the card, about each signature, about what no signature covers.

use countersign_keys::{Code, Finding, Thumbprint};
use countersign_policy::UnixTime;

use crate::canonical::Form;
use crate::coverage::UncoveredMember;

/// The answer for one signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "the four answers of the JSON output; a new one must be faced")]
pub enum SignatureOutcome {
    /// It is no signature entry of A2A §8.4.2, or its header or signature is damaged.
    Malformed,
    /// Nothing can be said: the key is not trusted, the algorithm is not supported or not allowed, or the endorsement
    /// that it stands in is for another payload.
    Unverifiable,
    /// A trusted key is named and did not make this signature over an accepted form of this card, or it is expired,
    /// or it leaves a security member uncovered.
    Invalid,
    /// A trusted key made it over an accepted form of this card.
    Verified,
}

impl SignatureOutcome {
    /// `malformed`, `unverifiable`, `invalid` or `verified`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Unverifiable => "unverifiable",
            Self::Invalid => "invalid",
            Self::Verified => "verified",
        }
    }
}

/// The answer for a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the answers of the JSON output; a new one must be faced")]
pub enum CardOutcome {
    /// At least as many distinct keys as demanded signed what is handed on.
    Verified,
    /// A signature is invalid, or too few keys signed.
    Invalid,
    /// No signature is invalid, and none could be checked.
    Unverifiable,
    /// No entry is a signature.
    Malformed,
    /// There is no signature.
    Unsigned,
}

impl CardOutcome {
    /// `verified`, `invalid`, `unverifiable`, `malformed` or `unsigned`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Invalid => "invalid",
            Self::Unverifiable => "unverifiable",
            Self::Malformed => "malformed",
            Self::Unsigned => "unsigned",
        }
    }
}

/// What was found out about one entry of the `signatures` of a card or of an endorsement.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SignatureReport {
    /// Its place in `signatures`, counted from 0.
    pub index: usize,
    /// The answer.
    pub outcome: SignatureOutcome,
    /// `alg` of the protected header, as written.
    pub algorithm: Option<String>,
    /// `kid` of the protected header, as written.
    pub kid: Option<String>,
    /// `iat` of the protected header: when it was made, as it says itself.
    pub issued_at: Option<UnixTime>,
    /// `exp` of the protected header: from when on it counts no more.
    pub expires_at: Option<UnixTime>,
    /// The first accepted form that the signature matches.
    pub form: Option<Form>,
    /// Every accepted form that it matches, if [`Matching::All`](super::Matching) was asked for; else the first.
    pub forms: Vec<Form>,
    /// The trusted key that made it.
    pub thumbprint: Option<Thumbprint>,
    /// The reasons for a no.
    pub codes: Vec<Code>,
    /// The reasons in words.
    pub reasons: Vec<String>,
    /// What the signature does not cover, if it matches a form.
    pub uncovered: Vec<UncoveredMember>,
}

impl SignatureReport {
    pub(super) fn new(index: usize) -> Self {
        Self {
            index,
            outcome: SignatureOutcome::Malformed,
            algorithm: None,
            kid: None,
            issued_at: None,
            expires_at: None,
            form: None,
            forms: Vec::new(),
            thumbprint: None,
            codes: Vec::new(),
            reasons: Vec::new(),
            uncovered: Vec::new(),
        }
    }

    pub(super) fn refuse(mut self, outcome: SignatureOutcome, code: Code, reason: impl Into<String>) -> Self {
        self.outcome = outcome;
        self.codes.push(code);
        self.reasons.push(reason.into());
        self
    }
}

/// What was found out about one endorsement.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EndorsementReport {
    /// Its place among the endorsements that were given, counted from 0.
    pub index: usize,
    /// The first accepted form whose payload it is for. None: it is for another card, for this card before it was
    /// changed, or for a form that is not accepted; it says nothing about this card.
    pub form: Option<Form>,
    /// One report for each of its signatures, in their order.
    pub signatures: Vec<SignatureReport>,
    /// Advice; pointers are into the endorsement.
    pub findings: Vec<Finding>,
}

impl EndorsementReport {
    pub(super) fn new(index: usize, findings: Vec<Finding>) -> Self {
        Self { index, form: None, signatures: Vec::new(), findings }
    }
}

/// What was found out about a card.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VerificationReport {
    /// The answer.
    pub outcome: CardOutcome,
    /// The reasons for a no: those of the signatures that decide the outcome, without repetition, then those of
    /// endorsements that say nothing about this card.
    pub codes: Vec<Code>,
    /// One report for each entry of `signatures`, in their order; none if there are too many.
    pub signatures: Vec<SignatureReport>,
    /// One report for each endorsement that was given, in their order.
    pub endorsements: Vec<EndorsementReport>,
    /// What no counted signature covers, in the order of the form; pointers are into the received card. When none
    /// counts: what the first signature that matches a form does not cover.
    pub uncovered: Vec<UncoveredMember>,
    /// Advice. Nothing here changes the answer.
    pub findings: Vec<Finding>,
}

impl VerificationReport {
    /// The same report for a card whose signed octets do not read back: nothing is handed on.
    pub(super) fn unfit(mut self) -> Self {
        self.outcome = CardOutcome::Invalid;
        self.codes = vec![countersign_keys::codes::SIG_INVALID];
        self.uncovered.clear();
        self
    }
}

/// The signatures that say something about this card: its own, and those of endorsements that are for it.
pub(super) fn for_card<'r>(
    own: &'r [SignatureReport],
    endorsements: &'r [EndorsementReport],
) -> impl Iterator<Item = &'r SignatureReport> + Clone {
    let fitting = endorsements.iter().filter(|endorsement| endorsement.form.is_some());
    own.iter().chain(fitting.flat_map(|endorsement| &endorsement.signatures))
}
