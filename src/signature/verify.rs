//! Verifying: every entry against the trusted keys and the accepted forms, then one answer for the card.

use std::num::NonZeroUsize;

use countersign_keys::json::{Kind, Value};
use countersign_keys::jws::{ProtectedHeader, signing_input};
use countersign_keys::trust::{TrustedKey, TrustedKeys};
use countersign_keys::{Algorithm, Code, Finding, Thumbprint, VerifyError};
use countersign_keys::{base64url, codes as key_codes};
use countersign_policy::UnixTime;

use super::entry::{MAX_SIGNATURES, SignatureEntry};
use super::report::{CardOutcome, SignatureOutcome, SignatureReport};
use crate::canonical::{CanonicalPayload, Form};
use crate::card::UntrustedCard;
use crate::codes;
use crate::coverage::{Coverage, CoverageTerms};

/// What a caller demands of the signatures of a card.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VerifyTerms {
    /// The accepted canonical forms. Default: [`Form::ACCEPTED`].
    pub forms: Vec<Form>,
    /// How many distinct keys must have signed. Default: 1.
    pub min: NonZeroUsize,
    /// What uncovered members may do. Default: members of class `security` are fatal, others are stripped.
    pub coverage: CoverageTerms,
    /// Whether the report names every form that a signature matches. Default: only the first.
    pub matching: Matching,
}

/// Which matching forms a report names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "first or all")]
pub enum Matching {
    /// The first accepted form.
    #[default]
    First,
    /// Every accepted form; costs one canonicalization for each.
    All,
}

impl Default for VerifyTerms {
    fn default() -> Self {
        Self {
            forms: Form::ACCEPTED.to_vec(),
            min: NonZeroUsize::MIN,
            coverage: CoverageTerms::default(),
            matching: Matching::First,
        }
    }
}

/// A signature that verified over one payload of the card, with what that payload covers.
pub(super) struct Proof {
    /// The entry of `signatures`, counted from 0.
    pub(super) entry: usize,
    /// The payload, by its number.
    pub(super) payload: usize,
    pub(super) coverage: Coverage,
    pub(super) thumbprint: Thumbprint,
}

/// What was found out about each signature.
pub(super) struct Examined {
    pub(super) signatures: Vec<SignatureReport>,
    /// The signatures that verified.
    pub(super) proofs: Vec<Proof>,
    /// The payloads that the proofs name by their number.
    pub(super) payloads: Vec<CanonicalPayload>,
    pub(super) findings: Vec<Finding>,
}

/// Looks at every signature of the card; fails with the answer for a card that has none to look at.
pub(super) fn examine(
    card: &UntrustedCard,
    keys: &TrustedKeys,
    terms: &VerifyTerms,
    now: UnixTime,
) -> Result<Examined, (CardOutcome, Code)> {
    let list = list(card)?;
    let mut check = Check { card, keys, terms, now, payloads: Payloads::new(card, &terms.forms) };
    let (mut signatures, mut proofs, mut findings) = (Vec::new(), Vec::new(), Vec::new());
    for (index, entry) in list.elements().enumerate() {
        let (report, proof) = check.entry(index, entry, &mut findings);
        signatures.push(report);
        proofs.extend(proof);
    }
    Ok(Examined { signatures, proofs, payloads: check.payloads.computed, findings })
}

/// The non-empty list of signatures that is to be looked at.
fn list(card: &UntrustedCard) -> Result<Value<'_>, (CardOutcome, Code)> {
    let list = card.root().member("signatures").filter(|list| !list.is_null());
    match list {
        None => Err((CardOutcome::Unsigned, codes::SIG_ABSENT)),
        Some(list) if list.kind() != Kind::Array => Err((CardOutcome::Malformed, key_codes::SIG_MALFORMED)),
        Some(list) if list.is_empty() => Err((CardOutcome::Unsigned, codes::SIG_ABSENT)),
        Some(list) if list.elements().count() > MAX_SIGNATURES => {
            Err((CardOutcome::Malformed, codes::SIG_TOO_MANY))
        }
        Some(list) => Ok(list),
    }
}

/// The payloads of the accepted forms, each computed when it is first needed; equal octets count once.
struct Payloads<'c> {
    card: &'c UntrustedCard,
    waiting: std::vec::IntoIter<Form>,
    computed: Vec<CanonicalPayload>,
    /// For each accepted form that has been computed, its payload.
    matches: Vec<(Form, usize)>,
}

impl<'c> Payloads<'c> {
    fn new(card: &'c UntrustedCard, accepted: &[Form]) -> Self {
        let mut forms = accepted.to_vec();
        forms.sort_unstable();
        forms.dedup();
        Self { card, waiting: forms.into_iter(), computed: Vec::new(), matches: Vec::new() }
    }

    /// The payload number `index`, if so many distinct ones exist.
    fn get(&mut self, index: usize) -> Option<&CanonicalPayload> {
        while self.computed.len() <= index {
            self.compute_next()?;
        }
        self.computed.get(index)
    }

    fn compute_next(&mut self) -> Option<()> {
        let form = self.waiting.next()?;
        if let Ok(payload) = CanonicalPayload::of(self.card, form) {
            let same = self.computed.iter().position(|other| other.octets() == payload.octets());
            let index = same.unwrap_or(self.computed.len());
            if same.is_none() {
                self.computed.push(payload);
            }
            self.matches.push((form, index));
        }
        Some(())
    }

    /// Every accepted form whose payload is number `index`.
    fn forms_of(&mut self, index: usize) -> Vec<Form> {
        while self.compute_next().is_some() {}
        self.matches.iter().filter(|(_, payload)| *payload == index).map(|(form, _)| *form).collect()
    }
}

struct Check<'c> {
    card: &'c UntrustedCard,
    keys: &'c TrustedKeys,
    terms: &'c VerifyTerms,
    now: UnixTime,
    payloads: Payloads<'c>,
}

impl Check<'_> {
    fn entry(
        &mut self,
        index: usize,
        entry: Value<'_>,
        findings: &mut Vec<Finding>,
    ) -> (SignatureReport, Option<Proof>) {
        let report = SignatureReport::new(index);
        let parts = match SignatureEntry::read(entry) {
            Ok(parts) => parts,
            Err(error) => {
                return (report.refuse(SignatureOutcome::Malformed, error.code(), error.to_string()), None);
            }
        };
        let header = match ProtectedHeader::read(parts.protected, parts.header) {
            Ok(header) => header,
            Err(error) => {
                return (report.refuse(SignatureOutcome::Malformed, error.code(), error.to_string()), None);
            }
        };
        let place = format!("/signatures/{index}/protected");
        findings.extend(header.findings.iter().cloned().map(|finding| finding.at(place.clone())));
        let mut report = report;
        report.algorithm = Some(header.alg.clone());
        report.kid = Some(header.kid.clone());
        self.signature(report, &parts, &header)
    }

    fn signature(
        &mut self,
        report: SignatureReport,
        parts: &SignatureEntry<'_>,
        header: &ProtectedHeader,
    ) -> (SignatureReport, Option<Proof>) {
        let signature = match base64url::decode(parts.signature) {
            Ok(signature) => signature,
            Err(error) => {
                let reason = format!("`signature` is not base64url: {error}");
                return (report.refuse(SignatureOutcome::Malformed, key_codes::SIG_MALFORMED, reason), None);
            }
        };
        let Some(algorithm) = header.algorithm() else {
            let reason = format!("algorithm `{}` is not supported", clip(&header.alg));
            let code = key_codes::SIG_ALGORITHM_UNSUPPORTED;
            return (report.refuse(SignatureOutcome::Unverifiable, code, reason), None);
        };
        let candidates = match self.keys.select(&header.kid, algorithm, self.now.seconds()) {
            Ok(candidates) => candidates,
            Err(none) => {
                let outcome = if none.code() == key_codes::SIG_ALGORITHM_KEY_MISMATCH {
                    SignatureOutcome::Invalid
                } else {
                    SignatureOutcome::Unverifiable
                };
                return (report.refuse(outcome, none.code(), none.to_string()), None);
            }
        };
        match self.matching_payload(parts.protected, &signature, algorithm, &candidates) {
            Ok((payload, thumbprint)) => self.matched(report, header, payload, thumbprint),
            Err(VerifyError::Invalid) => {
                let forms: Vec<&str> = self.terms.forms.iter().map(|form| form.name()).collect();
                let forms = forms.join(", ");
                let reason = format!("the signature is not one of this key over this card under {forms}");
                (report.refuse(SignatureOutcome::Invalid, key_codes::SIG_INVALID, reason), None)
            }
            Err(error) => (report.refuse(SignatureOutcome::Malformed, error.code(), error.to_string()), None),
        }
    }

    /// Tries every candidate over every distinct payload.
    fn matching_payload(
        &mut self,
        protected: &str,
        signature: &[u8],
        algorithm: Algorithm,
        candidates: &[&TrustedKey],
    ) -> Result<(usize, Thumbprint), VerifyError> {
        let mut candidates = candidates.to_vec();
        let mut damage = None;
        let mut index = 0;
        while !candidates.is_empty()
            && let Some(payload) = self.payloads.get(index)
        {
            let input = signing_input(protected, payload.octets());
            let mut possible = Vec::new();
            for key in candidates {
                match key.key().verify(algorithm, &input, signature) {
                    Ok(verified) => return Ok((index, verified.thumbprint())),
                    Err(VerifyError::Invalid) => possible.push(key),
                    // No octets can make such a signature one of this key.
                    Err(error) => damage = Some(error),
                }
            }
            candidates = possible;
            index += 1;
        }
        Err(damage.filter(|_| candidates.is_empty()).unwrap_or(VerifyError::Invalid))
    }

    /// A trusted key made the signature over payload number `index`.
    fn matched(
        &mut self,
        mut report: SignatureReport,
        header: &ProtectedHeader,
        index: usize,
        thumbprint: Thumbprint,
    ) -> (SignatureReport, Option<Proof>) {
        let Some(payload) = self.payloads.get(index) else {
            return (report.refuse(SignatureOutcome::Invalid, key_codes::SIG_INVALID, "no payload"), None);
        };
        let coverage = Coverage::of(self.card, &payload.lost, &self.terms.coverage);
        report.form = Some(payload.form());
        report.forms = match self.terms.matching {
            Matching::First => vec![payload.form()],
            Matching::All => self.payloads.forms_of(index),
        };
        report.thumbprint = Some(thumbprint);
        report.uncovered.clone_from(&coverage.members);
        if let Some(exp) = header.exp.filter(|exp| *exp <= self.now.seconds()) {
            let reason = format!("the signature expired at {}", UnixTime::from_seconds(exp));
            report = report.refuse(SignatureOutcome::Invalid, codes::FRESH_EXPIRED, reason);
        }
        if !coverage.holds() {
            let reason = format!("not signed: {}", coverage.fatal_members());
            report = report.refuse(SignatureOutcome::Invalid, codes::SIG_UNCOVERED_MEMBER, reason);
        }
        if report.codes.is_empty() {
            report.outcome = SignatureOutcome::Verified;
            let entry = report.index;
            return (report, Some(Proof { entry, payload: index, coverage, thumbprint }));
        }
        (report, None)
    }
}

fn clip(text: &str) -> String {
    text.chars().take(64).collect()
}
