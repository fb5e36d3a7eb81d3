//! Verifying: every entry of the card and of its endorsements against the trusted keys and the accepted forms.

use std::num::NonZeroUsize;

use countersign_keys::codes as key_codes;
use countersign_keys::json::{Kind, Value};
use countersign_keys::jws::ProtectedHeader;
use countersign_keys::trust::{TrustedKey, TrustedKeys};
use countersign_keys::{Algorithm, Code, Finding, Thumbprint, VerifyError};
use countersign_policy::UnixTime;

use super::entry::{MAX_SIGNATURES, SignatureEntry};
use super::payloads::Payloads;
use super::report::{EndorsementReport, SignatureOutcome, SignatureReport};
use crate::canonical::{CanonicalPayload, Form};
use crate::card::UntrustedCard;
use crate::codes;
use crate::coverage::{Coverage, CoverageTerms};
use crate::endorsement::Endorsement;

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

/// Where a signature stands. Those of the card come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Card {
        index: usize,
    },
    Endorsement {
        /// The endorsement, counted from 0 in the order in which they were given.
        file: usize,
        index: usize,
    },
}

impl Place {
    /// The place in the list it stands in, counted from 0.
    pub(super) fn index(self) -> usize {
        match self {
            Self::Card { index } | Self::Endorsement { index, .. } => index,
        }
    }
}

/// A signature that verified over one payload of the card, with what that payload covers.
pub(crate) struct Proof {
    pub(super) place: Place,
    /// The payload, by its number.
    pub(crate) payload: usize,
    pub(crate) coverage: Coverage,
    pub(super) thumbprint: Thumbprint,
}

impl Proof {
    /// The least is the one that covers most; the earlier place wins a tie.
    pub(super) fn rank(&self) -> (usize, Place) {
        (self.coverage.uncovered_octets, self.place)
    }
}

/// What was found out about each signature.
pub(crate) struct Examined {
    /// Why none of the card's own signatures was looked at, and nothing else counts.
    pub(crate) malformed: Option<Code>,
    pub(crate) signatures: Vec<SignatureReport>,
    pub(crate) endorsements: Vec<EndorsementReport>,
    /// The signatures that verified.
    pub(crate) proofs: Vec<Proof>,
    /// The payloads that the proofs name by their number.
    pub(crate) payloads: Vec<CanonicalPayload>,
    pub(crate) findings: Vec<Finding>,
}

impl Examined {
    /// The signature that counts when one is enough.
    pub(crate) fn best(&self) -> Option<&Proof> {
        self.proofs.iter().min_by_key(|proof| proof.rank())
    }

    /// The signatures that say something about this card, in the order in which they are numbered: its own, then those
    /// of the endorsements that are for it.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (Place, &SignatureReport)> {
        let own = self.signatures.iter().map(|report| (Place::Card { index: report.index }, report));
        let fitting = self.endorsements.iter().filter(|endorsement| endorsement.form.is_some());
        let endorsed = fitting.flat_map(|endorsement| {
            let file = endorsement.index;
            let place = move |index| Place::Endorsement { file, index };
            endorsement.signatures.iter().map(move |report| (place(report.index), report))
        });
        own.chain(endorsed)
    }

    /// How much of the card a signature that verified leaves out, in octets; of another signature 0.
    pub(crate) fn uncovered_octets(&self, place: Place) -> usize {
        let proof = self.proofs.iter().find(|proof| proof.place == place);
        proof.map_or(0, |proof| proof.coverage.uncovered_octets)
    }

    /// The octets that a signature verified over.
    pub(crate) fn proven_at(&self, place: Place) -> Option<&[u8]> {
        let proof = self.proofs.iter().find(|proof| proof.place == place)?;
        self.payloads.get(proof.payload).map(CanonicalPayload::octets)
    }

    /// The payload of each signature that verified.
    pub(crate) fn proven_payloads(&self) -> impl Iterator<Item = &CanonicalPayload> {
        self.proofs.iter().filter_map(|proof| self.payloads.get(proof.payload))
    }

    /// Entries by one key over one payload: the places in `signatures` of the later ones, which add nothing.
    pub(crate) fn repeated(&self) -> impl Iterator<Item = usize> {
        repeated(&self.proofs).map(|proof| proof.place.index())
    }
}

/// Proofs by the key and over the payload of an earlier one.
pub(super) fn repeated(proofs: &[Proof]) -> impl Iterator<Item = &Proof> {
    let is_same =
        |left: &Proof, right: &Proof| left.thumbprint == right.thumbprint && left.payload == right.payload;
    let again = proofs.iter().enumerate();
    let again = again.filter(move |(index, proof)| proofs.iter().take(*index).any(|p| is_same(p, proof)));
    again.map(|(_, proof)| proof)
}

/// Looks at every signature of the card and of the endorsements.
pub(crate) fn examine(
    card: &UntrustedCard,
    endorsements: &[Endorsement],
    keys: &TrustedKeys,
    terms: &VerifyTerms,
    now: UnixTime,
) -> Examined {
    let mut check =
        Check { card, keys, terms, now, payloads: Payloads::new(card, &terms.forms), proofs: Vec::new() };
    let mut findings = Vec::new();
    let list = list(card);
    let own = list.into_iter().flatten().flat_map(Value::elements).enumerate();
    let signatures = own
        .map(|(index, entry)| check.entry(Place::Card { index }, entry, Over::Every, &mut findings))
        .collect();
    let too_many = endorsements.len() > Endorsement::MAX_GIVEN;
    let endorsements = endorsements.iter().enumerate().map(|(file, endorsement)| {
        if too_many {
            let reason = format!("more than {} endorsements were given", Endorsement::MAX_GIVEN);
            return set_aside(file, endorsement, codes::ENDORSEMENT_TOO_MANY, &reason);
        }
        check.endorsement(file, endorsement)
    });
    Examined {
        malformed: list.err(),
        signatures,
        endorsements: endorsements.collect(),
        proofs: check.proofs,
        payloads: check.payloads.into_computed(),
        findings,
    }
}

/// The card's own list of signatures; none if it is absent or empty. Fails if it is not to be looked at.
pub(crate) fn list(card: &UntrustedCard) -> Result<Option<Value<'_>>, Code> {
    let list = card.root().member("signatures").filter(|list| !list.is_null());
    match list {
        Some(list) if list.kind() != Kind::Array => Err(key_codes::SIG_MALFORMED),
        Some(list) if list.elements().count() > MAX_SIGNATURES => Err(codes::SIG_TOO_MANY),
        list => Ok(list),
    }
}

/// The report for an endorsement whose signatures are not looked at.
fn set_aside(file: usize, endorsement: &Endorsement, code: Code, reason: &str) -> EndorsementReport {
    let mut report = EndorsementReport::new(file, endorsement.findings());
    let unseen =
        |(index, _)| SignatureReport::new(index).refuse(SignatureOutcome::Unverifiable, code, reason);
    report.signatures = endorsement.entries().enumerate().map(unseen).collect();
    report
}

/// Which payloads a signature is tried over.
#[derive(Clone, Copy)]
enum Over {
    Every,
    /// The one with this number.
    Only(usize),
}

struct Check<'c> {
    card: &'c UntrustedCard,
    keys: &'c TrustedKeys,
    terms: &'c VerifyTerms,
    now: UnixTime,
    payloads: Payloads<'c>,
    proofs: Vec<Proof>,
}

impl Check<'_> {
    /// The signatures of an endorsement, tried over the payload that it names and no other.
    fn endorsement(&mut self, file: usize, endorsement: &Endorsement) -> EndorsementReport {
        let Some(payload) = self.payloads.with_digest(endorsement.claimed_payload_sha256()) else {
            let reason = "the endorsement is for another card, for this card before it was changed, or for a form that \
                          is not accepted: no payload of this card has its digest";
            return set_aside(file, endorsement, codes::ENDORSEMENT_PAYLOAD_MISMATCH, reason);
        };
        let mut report = EndorsementReport::new(file, endorsement.findings());
        report.form = self.payloads.get(payload).map(CanonicalPayload::form);
        for (index, entry) in endorsement.entries().enumerate() {
            let place = Place::Endorsement { file, index };
            report.signatures.push(self.entry(place, entry, Over::Only(payload), &mut report.findings));
        }
        report
    }

    /// One entry; notes the proof if it verifies. Findings have pointers into the document that the entry stands in.
    fn entry(
        &mut self,
        place: Place,
        entry: Value<'_>,
        over: Over,
        findings: &mut Vec<Finding>,
    ) -> SignatureReport {
        let index = place.index();
        let report = SignatureReport::new(index);
        let parts = match SignatureEntry::read(entry) {
            Ok(parts) => parts,
            Err(error) => {
                return report.refuse(SignatureOutcome::Malformed, error.code(), error.to_string());
            }
        };
        let header = match ProtectedHeader::read(parts.protected, parts.header) {
            Ok(header) => header,
            Err(error) => {
                return report.refuse(SignatureOutcome::Malformed, error.code(), error.to_string());
            }
        };
        let pointer = format!("/signatures/{index}/protected");
        findings.extend(header.findings.iter().cloned().map(|finding| finding.at(pointer.clone())));
        let mut report = report;
        report.algorithm = Some(header.alg.clone());
        report.kid = Some(header.kid.clone());
        report.issued_at = header.iat.map(UnixTime::from_seconds);
        report.expires_at = header.exp.map(UnixTime::from_seconds);
        self.signature(report, place, (&parts, &header), over)
    }

    fn signature(
        &mut self,
        report: SignatureReport,
        place: Place,
        (parts, header): (&SignatureEntry<'_>, &ProtectedHeader),
        over: Over,
    ) -> SignatureReport {
        let signature = match parts.signature_octets() {
            Ok(signature) => signature,
            Err(error) => {
                return report.refuse(SignatureOutcome::Malformed, error.code(), error.to_string());
            }
        };
        let Some(algorithm) = header.algorithm() else {
            let reason = format!("algorithm `{}` is not supported", clip(&header.alg));
            let code = key_codes::SIG_ALGORITHM_UNSUPPORTED;
            return report.refuse(SignatureOutcome::Unverifiable, code, reason);
        };
        let candidates = match self.keys.select(&header.kid, algorithm, self.now.seconds()) {
            Ok(candidates) => candidates,
            Err(none) => {
                let outcome = if none.code() == key_codes::SIG_ALGORITHM_KEY_MISMATCH {
                    SignatureOutcome::Invalid
                } else {
                    SignatureOutcome::Unverifiable
                };
                return report.refuse(outcome, none.code(), none.to_string());
            }
        };
        match self.matching_payload(parts.protected, &signature, algorithm, &candidates, over) {
            Ok((payload, thumbprint)) => self.matched(report, place, header, payload, thumbprint),
            Err(VerifyError::Invalid) => {
                let forms = match over {
                    Over::Every => self.terms.forms.clone(),
                    Over::Only(payload) => self.payloads.forms_of(payload),
                };
                let forms = forms.iter().map(|form| form.name()).collect::<Vec<_>>().join(", ");
                let reason = format!("the signature is not one of this key over this card under {forms}");
                report.refuse(SignatureOutcome::Invalid, key_codes::SIG_INVALID, reason)
            }
            Err(error) => report.refuse(SignatureOutcome::Malformed, error.code(), error.to_string()),
        }
    }

    /// Tries every candidate over every distinct payload that the signature may be over.
    fn matching_payload(
        &mut self,
        protected: &str,
        signature: &[u8],
        algorithm: Algorithm,
        candidates: &[&TrustedKey],
        over: Over,
    ) -> Result<(usize, Thumbprint), VerifyError> {
        let mut candidates = candidates.to_vec();
        let mut damage = None;
        let (mut index, last) = match over {
            Over::Every => (0, usize::MAX),
            Over::Only(payload) => (payload, payload),
        };
        while !candidates.is_empty()
            && index <= last
            && let Some(input) = self.payloads.signing_input(index, protected)
        {
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
        place: Place,
        header: &ProtectedHeader,
        index: usize,
        thumbprint: Thumbprint,
    ) -> SignatureReport {
        let Some(payload) = self.payloads.get(index) else {
            return report.refuse(SignatureOutcome::Invalid, key_codes::SIG_INVALID, "no payload");
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
            self.proofs.push(Proof { place, payload: index, coverage, thumbprint });
        }
        report
    }
}

fn clip(text: &str) -> String {
    text.chars().take(64).collect()
}
