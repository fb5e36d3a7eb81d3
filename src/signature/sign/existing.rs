//! What becomes of the signatures that a card or an endorsement has already.

use countersign_keys::json::{Kind, Value};
use countersign_keys::jws::ProtectedHeader;
use countersign_keys::trust::{KeySource, TrustedKey, TrustedKeys};
use countersign_keys::{Finding, KeyKind, Level, Signer, Thumbprint, codes as key_codes};

use super::error::SignCardError;
use super::{BEFORE_ANY_EXPIRY, SignTerms, Stale};
use crate::canonical::Form;
use crate::card::UntrustedCard;
use crate::codes;
use crate::endorsement::Endorsement;
use crate::signature::entry::SignatureEntry;
use crate::signature::report::{SignatureOutcome, SignatureReport};
use crate::signature::verify::{Examined, VerifyTerms, examine};

/// The entries that are there already.
#[derive(Default)]
pub(super) struct Existing<'e> {
    pub(super) kept: Vec<Value<'e>>,
    pub(super) replaced: usize,
    pub(super) stale: Vec<usize>,
    pub(super) findings: Vec<Finding>,
}

/// Where the entries stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Card,
    /// Its payload is the one that is signed now, so what was made over it still holds.
    Endorsement,
}

/// Whose signature is to be added.
#[derive(Clone, Copy)]
pub(super) struct Newcomer<'s> {
    pub(super) signer: &'s dyn Signer,
    pub(super) kid: &'s str,
    pub(super) terms: &'s SignTerms,
}

impl<'e> Existing<'e> {
    /// Those of the card.
    pub(super) fn of_card(
        card: &'e UntrustedCard,
        new: Newcomer<'_>,
        others: &TrustedKeys,
    ) -> Result<Self, SignCardError> {
        let Some(list) = card.root().member("signatures").filter(|list| !list.is_null()) else {
            return Ok(Self::default());
        };
        if list.kind() != Kind::Array {
            return Err(SignCardError::SignaturesNotAList { found: list.kind().name() });
        }
        let reports = new.examine(card, &[], others).signatures;
        // Over another payload nobody can tell the signer's own entries from their signatures.
        let is_own = |index: usize, entry| {
            let made_by = reports.get(index).and_then(|report| report.thumbprint);
            new.is_named_by(entry) && made_by.is_none_or(|key| key == new.thumbprint())
        };
        Ok(Self::judge(list.elements(), is_own, &reports, new.terms.stale, Where::Card))
    }

    /// Those of an endorsement of this card.
    pub(super) fn of_endorsement(
        endorsement: &'e Endorsement,
        card: &UntrustedCard,
        new: Newcomer<'_>,
        others: &TrustedKeys,
    ) -> Self {
        let reports = |keys| {
            let examined = new.examine(card, std::slice::from_ref(endorsement), keys);
            examined.endorsements.into_iter().flat_map(|report| report.signatures).collect::<Vec<_>>()
        };
        // Every entry is over the payload that is signed now, so its key is the one that made it, whatever its `kid`.
        let mut own_key = TrustedKeys::new();
        own_key.push(TrustedKey::new(new.signer.verifying_key().clone(), KeySource::Single));
        let own = reports(&own_key);
        let is_own = |index: usize, _| own.get(index).is_some_and(|report| report.thumbprint.is_some());
        let reports = reports(others);
        Self::judge(endorsement.entries(), is_own, &reports, new.terms.stale, Where::Endorsement)
    }

    fn judge(
        entries: impl Iterator<Item = Value<'e>>,
        is_own: impl Fn(usize, Value<'e>) -> bool,
        reports: &[SignatureReport],
        stale: Stale,
        place: Where,
    ) -> Self {
        let mut existing = Self::default();
        for (index, entry) in entries.enumerate() {
            let report = reports.get(index);
            if is_own(index, entry) {
                existing.replaced += 1;
                continue;
            }
            let thumbprint = report.and_then(|report| report.thumbprint);
            let outcome = report.map(|report| report.outcome);
            let has_expired = report.is_some_and(|report| report.codes.contains(&codes::FRESH_EXPIRED));
            let (is_stale, remark) = match outcome {
                Some(SignatureOutcome::Verified) => (false, None),
                Some(SignatureOutcome::Invalid) if has_expired => {
                    (true, Some((codes::SIG_STALE, Level::Warning, "has expired")))
                }
                // It covers too little for a verifier, but what it covers is unchanged.
                Some(SignatureOutcome::Invalid) if thumbprint.is_some() => (false, None),
                Some(outcome) if place == Where::Endorsement && may_be_by_another(outcome, entry) => {
                    let what =
                        "was not made by the key given for its `kid`: another key made it, or it is damaged";
                    (false, Some((key_codes::SIG_INVALID, Level::Warning, what)))
                }
                Some(SignatureOutcome::Invalid) => {
                    (true, Some((codes::SIG_STALE, Level::Warning, "no longer verifies over this card")))
                }
                Some(SignatureOutcome::Malformed) => {
                    (true, Some((codes::SIG_STALE, Level::Warning, "is damaged: no verifier can use it")))
                }
                Some(SignatureOutcome::Unverifiable) | None => {
                    let what = "was not checked: its key is not among the keys given for other signatures";
                    (false, Some((key_codes::SIG_UNKNOWN_KEY, Level::Info, what)))
                }
            };
            if let Some((code, level, what)) = remark {
                let message = format!("signature {index}, already {}, {what}", place.name());
                existing.findings.push(Finding::new(code, level, message).at(format!("/signatures/{index}")));
            }
            if is_stale {
                existing.stale.push(index);
            }
            if !is_stale || stale == Stale::Keep {
                existing.kept.push(entry);
            }
        }
        existing
    }
}

impl Where {
    fn name(self) -> &'static str {
        match self {
            Self::Card => "on the card",
            Self::Endorsement => "in the endorsement",
        }
    }
}

/// Whether an entry over the right payload may be good with another key than the one that has its `kid` here.
fn may_be_by_another(outcome: SignatureOutcome, entry: Value<'_>) -> bool {
    match outcome {
        SignatureOutcome::Invalid => true,
        SignatureOutcome::Malformed => is_rsa_signature(entry).unwrap_or(false),
        SignatureOutcome::Verified | SignatureOutcome::Unverifiable => false,
    }
}

/// The length of such a signature is that of its key. `None` is damage that no key mends.
fn is_rsa_signature(entry: Value<'_>) -> Option<bool> {
    let parts = SignatureEntry::read(entry).ok()?;
    let header = ProtectedHeader::read(parts.protected, parts.header).ok()?;
    parts.signature_octets().ok()?;
    Some(header.algorithm()?.key_kind() == KeyKind::Rsa)
}

impl Newcomer<'_> {
    fn thumbprint(self) -> Thumbprint {
        self.signer.verifying_key().thumbprint()
    }

    /// Judges what is there with the keys that others are known by.
    fn examine(self, card: &UntrustedCard, endorsements: &[Endorsement], others: &TrustedKeys) -> Examined {
        let every_form = VerifyTerms { forms: Form::ALL.to_vec(), ..VerifyTerms::default() };
        let now = self.terms.judged_at.unwrap_or(BEFORE_ANY_EXPIRY);
        examine(card, endorsements, others, &every_form, now)
    }

    /// Whether an entry names the signer's key: its `kid`, or its thumbprint, under an algorithm of its kind.
    fn is_named_by(self, entry: Value<'_>) -> bool {
        let header = SignatureEntry::read(entry)
            .ok()
            .and_then(|parts| ProtectedHeader::read(parts.protected, None).ok());
        header.is_some_and(|header| {
            let same_key = header.kid == self.kid || header.kid == self.thumbprint().to_string();
            let kind = self.signer.verifying_key().kind();
            let same_kind = header.algorithm().is_some_and(|algorithm| algorithm.key_kind() == kind);
            same_key && same_kind
        })
    }
}
