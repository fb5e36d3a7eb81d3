//! Why a signature did not verify: known mistakes, tried one after the other until one explains it.
//!
//! A diagnosis is for people. It supposes other octets than the received card has under the accepted forms, so
//! nothing here admits a card, and no type here becomes a [`VerifiedCard`](crate::VerifiedCard).

mod der;
mod foreign;
mod host;
mod key;
mod member;
mod text;
mod trial;

use countersign_keys::json::{Kind, Value};
use countersign_keys::jws::ProtectedHeader;
use countersign_keys::trust::TrustedKeys;
use countersign_keys::{base64url, codes as key_codes};

use crate::canonical::Form;
use crate::card::UntrustedCard;
use crate::signature::entry::SignatureEntry;
use crate::signature::{Refused, SignatureOutcome, SignatureReport, VerificationReport, VerifyTerms};
use trial::{Budget, Fit, Trial, Tried};

/// What explains that a signature did not verify.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// It verifies under a canonical form that is not accepted.
    FormNotAccepted,
    /// Another trusted key made it than the ones that its `kid` names.
    AnotherKey,
    /// It was made over the payload itself, where RFC 7515 wants base64url.
    PayloadNotBase64url,
    /// It was made over text with Python's escapes, which no form of these cards has.
    PythonEscapes,
    /// It was made over members in the order of code points, where RFC 8785 wants UTF-16 code units.
    CodePointOrder,
    /// A number was spelled otherwise after signing, which the forms of Python SDKs notice.
    NumberRespelled,
    /// It was made over the card with its `signatures`.
    SignedWithSignatures,
    /// It is an ECDSA signature in DER, where RFC 7518 wants r and s.
    DerSignature,
    /// Its protected header was written anew after signing.
    HeaderReserialized,
    /// The URL of an interface was rewritten after signing.
    InterfaceUrlRewritten,
    /// One member or element was added, dropped or set after signing.
    MemberChanged,
    /// It is a signature of another kind than A2A §8.4.2 describes.
    ForeignShape,
    /// Nothing that was tried fits: the content was changed otherwise, or another key made it.
    ContentOrKey,
}

impl Cause {
    /// Its public name, in kebab-case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FormNotAccepted => "form-not-accepted",
            Self::AnotherKey => "another-key",
            Self::PayloadNotBase64url => "payload-not-base64url",
            Self::PythonEscapes => "python-escapes",
            Self::CodePointOrder => "code-point-order",
            Self::NumberRespelled => "number-respelled",
            Self::SignedWithSignatures => "signed-with-signatures",
            Self::DerSignature => "der-signature",
            Self::HeaderReserialized => "header-reserialized",
            Self::InterfaceUrlRewritten => "interface-url-rewritten",
            Self::MemberChanged => "member-changed",
            Self::ForeignShape => "foreign-shape",
            Self::ContentOrKey => "content-or-key",
        }
    }

    /// Every cause, in the order in which they are tried.
    pub const ALL: [Self; 13] = [
        Self::ForeignShape,
        Self::FormNotAccepted,
        Self::AnotherKey,
        Self::PayloadNotBase64url,
        Self::PythonEscapes,
        Self::CodePointOrder,
        Self::NumberRespelled,
        Self::SignedWithSignatures,
        Self::DerSignature,
        Self::HeaderReserialized,
        Self::InterfaceUrlRewritten,
        Self::MemberChanged,
        Self::ContentOrKey,
    ];

    /// What happened.
    #[must_use]
    pub const fn what(self) -> &'static str {
        match self {
            Self::FormNotAccepted => "The signature verifies under a canonical form that is not accepted.",
            Self::AnotherKey => "The signature verifies with a trusted key that its `kid` does not name.",
            Self::PayloadNotBase64url => "The payload was signed as it is, not in base64url.",
            Self::PythonEscapes => {
                "Text outside ASCII was signed as `\\u` escapes, the way Python's JSON module writes it."
            }
            Self::CodePointOrder => {
                "Members were signed in the order of code points, not of UTF-16 code units."
            }
            Self::NumberRespelled => "A number was signed in another spelling of the same value.",
            Self::SignedWithSignatures => "The member `signatures` was part of what was signed.",
            Self::DerSignature => "The signature is in DER, where a JWS has r and s.",
            Self::HeaderReserialized => "The protected header was parsed and written anew after signing.",
            Self::InterfaceUrlRewritten => "The host of an interface was rewritten after signing.",
            Self::MemberChanged => {
                "One member came, went or changed to its default after signing. A deleted text, number or list with \
                 elements cannot be guessed."
            }
            Self::ForeignShape => {
                "The entry is a signature of another kind than A2A section 8.4.2 describes."
            }
            Self::ContentOrKey => {
                "Nothing that is known to go wrong explains it: the content was changed, or another key signed."
            }
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn instead(self) -> &'static str {
        match self {
            Self::FormNotAccepted => "Have it signed under an accepted form, or accept this form too.",
            Self::AnotherKey => {
                "Have the publisher sign with the key that the `kid` names, or name the key that signed."
            }
            Self::PayloadNotBase64url => {
                "Sign `protected`, a dot, and the payload in base64url (RFC 7515 section 5.1)."
            }
            Self::PythonEscapes => "Write text as UTF-8 without `\\u` escapes (RFC 8785), then sign again.",
            Self::CodePointOrder => {
                "Sort members by UTF-16 code units (RFC 8785 section 3.2.3), then sign again."
            }
            Self::NumberRespelled => {
                "Pass numbers on as they are written, or have it signed under another form."
            }
            Self::SignedWithSignatures => "Take `signatures` out of the card before signing it.",
            Self::DerSignature => "Write r and s one after the other at fixed length (RFC 7518 section 3.4).",
            Self::HeaderReserialized => "Pass `protected` on as the text it was received as.",
            Self::InterfaceUrlRewritten => {
                "Publish the card as it was signed, or have the one who rewrites URLs sign it again."
            }
            Self::MemberChanged => {
                "Pass the card on as it was signed, or have it signed again after the change."
            }
            Self::ForeignShape => "Write `protected` and `signature` as A2A section 8.4.2 describes them.",
            Self::ContentOrKey => {
                "Get the card as it was signed, and compare the thumbprint of the key with its publisher."
            }
        }
    }
}

/// What explains the no for one signature.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnosis {
    /// The signature's place in `signatures`, counted from 0.
    pub index: usize,
    /// What was found.
    pub cause: Cause,
    /// The form under which it would verify, if it would.
    pub form: Option<Form>,
    /// The finding in words, with pointers, hosts and keys.
    pub message: String,
}

/// What a caller knows that the card does not say.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DiagnosisHints {
    /// Hosts that the interfaces may have had when the card was signed, with port or without. At most 8 are tried.
    pub expected_hosts: Vec<String>,
}

impl Refused {
    /// Tries what is known to go wrong, and names what explains each signature that did not verify.
    ///
    /// At most 256 signature checks for the card, shared among its signatures. Signatures that verified, that are
    /// expired or that leave members uncovered have no diagnosis: their codes say all. Status and validity of keys are
    /// not looked at. A cause other than `content-or-key` and `foreign-shape` is certain: the signature verifies over
    /// the octets that it supposes. Which of two causes with the same octets is meant is not.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{DiagnosisHints, Limits, TrustedKeys, UnixTime, UntrustedCard, VerifyTerms};
    ///
    /// let card = r#"{"name": "Agent", "signatures": [{"jws": "e30.e30.c2ln", "keyId": "k1"}]}"#;
    /// let (keys, terms) = (TrustedKeys::default(), VerifyTerms::default());
    /// let now = UnixTime::from_seconds(1_780_000_000);
    /// let refused = UntrustedCard::read(card, &Limits::default())?.verify(&keys, &terms, now).unwrap_err();
    /// let diagnosis = refused.diagnose(&keys, &terms, &DiagnosisHints::default());
    /// assert_eq!(diagnosis[0].cause.name(), "foreign-shape");
    /// # Ok::<(), countersign::CardError>(())
    /// ```
    #[must_use]
    pub fn diagnose(
        &self,
        keys: &TrustedKeys,
        terms: &VerifyTerms,
        hints: &DiagnosisHints,
    ) -> Vec<Diagnosis> {
        diagnose(self.card(), self.report(), keys, terms, hints, &mut Budget::default())
    }
}

fn diagnose(
    card: &UntrustedCard,
    report: &VerificationReport,
    keys: &TrustedKeys,
    terms: &VerifyTerms,
    hints: &DiagnosisHints,
    budget: &mut Budget,
) -> Vec<Diagnosis> {
    let list = card.root().member("signatures").filter(|list| list.kind() == Kind::Array);
    let entries: Vec<Value<'_>> = list.into_iter().flat_map(Value::elements).collect();
    let waiting =
        report.signatures.iter().filter(|signature| signature.outcome != SignatureOutcome::Verified);
    let mut left = waiting.clone().count();
    let mut found = Vec::new();
    for signature in waiting {
        let share = budget.share(left);
        left = left.saturating_sub(1);
        let Some(entry) = entries.get(signature.index) else { continue };
        let subject = Subject { card, entry: *entry, keys, terms, hints };
        let (fit, unused) = subject.explain(signature, share);
        budget.give_back(unused);
        found.extend(fit.map(|Fit { cause, form, message }| Diagnosis {
            index: signature.index,
            cause,
            form,
            message,
        }));
    }
    found
}

/// One entry of `signatures` that did not verify, and what it may be held against.
#[derive(Clone, Copy)]
struct Subject<'c> {
    card: &'c UntrustedCard,
    entry: Value<'c>,
    keys: &'c TrustedKeys,
    terms: &'c VerifyTerms,
    hints: &'c DiagnosisHints,
}

impl<'c> Subject<'c> {
    fn explain(self, report: &SignatureReport, budget: Budget) -> (Option<Fit>, Budget) {
        let unknown_key = report.codes.contains(&key_codes::SIG_UNKNOWN_KEY);
        let invalid = report.codes.contains(&key_codes::SIG_INVALID);
        if !invalid && !unknown_key && report.outcome != SignatureOutcome::Malformed {
            return (None, budget);
        }
        let Some(mut trial) = self.trial(budget.clone()) else { return (foreign::name(self.entry), budget) };
        let fit = if invalid {
            let otherwise = Fit::content_or_key();
            match self.search(&mut trial) {
                Ok(fit) => Some(fit.unwrap_or(otherwise)),
                Err(_) => Some(otherwise.cut_short()),
            }
        } else if unknown_key {
            key::another(&mut trial, self.keys).unwrap_or_default()
        } else {
            der::converted(&mut trial).unwrap_or_default()
        };
        (fit, trial.into_budget())
    }

    /// What can be tried for an entry whose parts can be read; none for others.
    fn trial(self, budget: Budget) -> Option<Trial<'c>> {
        let parts = SignatureEntry::read(self.entry).ok()?;
        let header = ProtectedHeader::read(parts.protected, parts.header).ok()?;
        let signature = base64url::decode(parts.signature).ok()?;
        Trial::new(self.card, self.keys, &self.terms.forms, parts.protected, &header, signature, budget)
    }

    /// Everything that is known to go wrong, the frequent and the cheap first.
    fn search(self, trial: &mut Trial<'c>) -> Tried<Option<Fit>> {
        if let Some(fit) = text::form_not_accepted(trial)? {
            return Ok(Some(fit));
        }
        if let Some(fit) = key::another(trial, self.keys)? {
            return Ok(Some(fit));
        }
        if let Some(fit) = der::converted(trial)? {
            return Ok(Some(fit));
        }
        if let Some(fit) = text::written_otherwise(trial)? {
            return Ok(Some(fit));
        }
        if let Some(fit) = text::payload_not_base64url(trial)? {
            return Ok(Some(fit));
        }
        if let Some(fit) = text::signed_with_signatures(trial, self.entry)? {
            return Ok(Some(fit));
        }
        if let Some(fit) = text::header_reserialized(trial)? {
            return Ok(Some(fit));
        }
        if let Some(fit) = host::rewritten(trial, self.hints)? {
            return Ok(Some(fit));
        }
        member::changed(trial)
    }
}

#[cfg(test)]
mod tests;
