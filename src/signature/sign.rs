//! Signing: one signature for each distinct payload, put into the text of the card, and checked before it is given out.

use countersign_keys::json::{Limits, Value};
use countersign_keys::jws::{NewHeader, ProtectedHeader, signing_input};
use countersign_keys::trust::{KeySource, TrustedKey, TrustedKeys};
use countersign_keys::{
    Algorithm, Code, Finding, Level, SignError, Signer, Thumbprint, base64url, codes as key_codes,
};
use countersign_policy::UnixTime;

use super::entry::{MAX_SIGNATURES, SignatureEntry};
use super::portable::{self, Portability};
use super::report::{SignatureOutcome, SignatureReport, VerificationReport};
use super::splice::{self, Entry};
use super::verify::{Matching, VerifyTerms};
use crate::canonical::{CanonicalPayload, Form, NoCanonicalForm};
use crate::card::{CardError, Shape, UntrustedCard};
use crate::codes;
use crate::coverage::{Class, CoverageTerms, Fate};

/// How a card is to be signed.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SignTerms {
    /// The forms to sign under; one signature for each distinct payload. Default: none, which means `a2a-1.0`, or
    /// `as-received` for a card that offers 0.3 only.
    pub forms: Vec<Form>,
    /// `kid`. Default: the signer's, else the thumbprint of its key.
    pub kid: Option<String>,
    /// `jku`, written into the protected header. Default: none.
    pub jku: Option<String>,
    /// `iat`, written into the protected header. Default: none.
    pub issued_at: Option<UnixTime>,
    /// `exp`, written into the protected header. Default: none.
    pub expires_at: Option<UnixTime>,
    /// Whether every implementation must verify the result. Default: no.
    pub portability: Portability,
    /// What becomes of other signatures that no longer verify. Default: they stay.
    pub stale: Stale,
    /// The time at which other signatures are judged. Default: none, which leaves an `exp` out of the judgement.
    pub judged_at: Option<UnixTime>,
    /// Uncovered members that the check of the result lets pass.
    pub coverage: CoverageTerms,
}

/// Signing asks whether signatures hold, not whether they are still fresh.
const BEFORE_ANY_EXPIRY: UnixTime = UnixTime::from_seconds(i64::MIN);

/// What becomes of signatures by other keys that do not verify over the card as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "keep or drop")]
pub enum Stale {
    /// They stay, with a warning.
    #[default]
    Keep,
    /// They are removed.
    Drop,
}

/// One signature that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewSignature {
    /// `alg`.
    pub algorithm: Algorithm,
    /// `kid`.
    pub kid: String,
    /// The form it was made under; other forms may have the same payload.
    pub form: Form,
    /// The key.
    pub thumbprint: Thumbprint,
    /// The canonical payload.
    pub payload: Vec<u8>,
}

/// What one new signature is made over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SigningInput {
    /// The base64url text of the protected header.
    pub protected: String,
    /// The form; other forms may have the same payload.
    pub form: Form,
    /// The octets that are signed (RFC 7515 5.1 step 5).
    pub octets: Vec<u8>,
    /// The canonical payload.
    pub payload: Vec<u8>,
}

/// A card with its new signatures.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SignedCard {
    /// The octets of the card: as received but for `signatures`.
    pub octets: Vec<u8>,
    /// The new signatures, in the order of their forms.
    pub signatures: Vec<NewSignature>,
    /// How many earlier entries of the same key were replaced.
    pub replaced: usize,
    /// Entries of other keys that no longer verify, by their place in the received `signatures`.
    pub stale: Vec<usize>,
    /// Advice.
    pub findings: Vec<Finding>,
}

/// Why a card was not signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignCardError {
    /// The JSON object is no AgentCard.
    #[error(
        "the object is no AgentCard: it has neither `supportedInterfaces` nor `url`, `capabilities` and `skills`"
    )]
    NotAnAgentCard,
    /// REQUIRED members are absent.
    #[error("the card lacks {}", quoted(pointers))]
    RequiredMissing {
        /// JSON Pointers of what is absent.
        pointers: Vec<String>,
    },
    /// `signatures` holds something that is no list.
    #[error("`signatures` is {found}, expected a list")]
    SignaturesNotAList {
        /// What it is.
        found: &'static str,
    },
    /// The card would have more entries than a verifier looks at.
    #[error("the card would have {found} signatures, at most {limit} are looked at")]
    TooMany {
        /// How many.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// countersign does not sign under this form.
    #[error("countersign does not sign under `{form}`, only under {}", Form::SIGNABLE.map(Form::name).join(", "))]
    FormNotSignable {
        /// The form.
        form: Form,
    },
    /// A 0.3 card is signed as it is: the other forms drop its endpoint.
    #[error("a card that offers 0.3 only is signed under `as-received`: `{form}` drops its endpoint")]
    FormUnfit {
        /// The form.
        form: Form,
    },
    /// The card has no octets under a form.
    #[error(transparent)]
    NoForm(#[from] NoCanonicalForm),
    /// The card is not portable, which was demanded.
    #[error("not every implementation would verify the card: {}", reasons.join("; "))]
    NotPortable {
        /// Who would not, and why.
        reasons: Vec<String>,
    },
    /// The signature would leave security members unsigned.
    #[error("a signature under `{form}` would leave {} unsigned", quoted(pointers))]
    Uncovered {
        /// The form.
        form: Form,
        /// JSON Pointers of the members.
        pointers: Vec<String>,
    },
    /// The signer failed.
    #[error(transparent)]
    Signer(#[from] SignError),
    /// The result did not verify with the signer's own public key.
    #[error("the new signature does not verify with the public key of its signer; nothing was signed")]
    SelfCheck,
    /// The result could not be read again.
    #[error("the signed card cannot be read again: {0}")]
    Unreadable(#[from] CardError),
}

impl SignCardError {
    /// The public code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::NotAnAgentCard => codes::CARD_NOT_AN_AGENT_CARD,
            Self::RequiredMissing { .. } => codes::CARD_REQUIRED_MISSING,
            Self::SignaturesNotAList { .. } => key_codes::SIG_MALFORMED,
            Self::TooMany { .. } => codes::SIG_TOO_MANY,
            Self::FormNotSignable { .. } | Self::FormUnfit { .. } | Self::NoForm(_) => {
                codes::SIG_FORM_NOT_ACCEPTED
            }
            Self::NotPortable { .. } => codes::SIG_NOT_PORTABLE,
            Self::Uncovered { .. } => codes::SIG_UNCOVERED_MEMBER,
            Self::Signer(error) => error.code(),
            Self::SelfCheck => key_codes::KEY_PAIR_MISMATCH,
            Self::Unreadable(error) => error.code(),
        }
    }
}

impl UntrustedCard {
    /// Signs the card. The text stays octet for octet but for `signatures`; nothing is pruned or reordered.
    ///
    /// Entries whose `kid` and kind of key are the signer's are replaced, unless another key in `others` made them.
    /// Entries by keys in `others` that do not verify any more are reported, and removed if the terms say so; entries
    /// by unknown keys cannot be judged. The result is verified with the signer's public key before it is given out.
    ///
    /// # Errors
    ///
    /// [`SignCardError`], see its variants.
    pub fn sign(
        &self,
        signer: &dyn Signer,
        terms: &SignTerms,
        others: &TrustedKeys,
    ) -> Result<SignedCard, SignCardError> {
        let (inputs, portability) = self.portable_inputs(signer, terms)?;
        let kid = kid(signer, terms);
        let existing = self.existing_entries(signer, &kid, terms, others)?;
        let mut entries: Vec<Entry<'_>> = existing.kept.iter().map(|entry| Entry::Kept(*entry)).collect();
        let mut signatures = Vec::new();
        for input in inputs {
            let signature = signer.sign(&input.octets)?;
            entries.push(Entry::New { protected: input.protected, signature: base64url::encode(&signature) });
            signatures.push(NewSignature {
                algorithm: signer.algorithm(),
                kid: kid.clone(),
                form: input.form,
                thumbprint: signer.verifying_key().thumbprint(),
                payload: input.payload,
            });
        }
        if entries.len() > MAX_SIGNATURES {
            return Err(SignCardError::TooMany { found: entries.len(), limit: MAX_SIGNATURES });
        }
        let octets = splice::with_signatures(self.document(), &entries).into_bytes();
        let report = check(&octets, signer, terms, existing.kept.len())?;
        let mut findings = self.findings().to_vec();
        findings.extend(report.signatures.iter().skip(existing.kept.len()).flat_map(left_open));
        findings.extend(existing.findings);
        findings.extend(
            portability
                .into_iter()
                .map(|reason| Finding::new(codes::SIG_NOT_PORTABLE, Level::Warning, reason)),
        );
        Ok(SignedCard { octets, signatures, replaced: existing.replaced, stale: existing.stale, findings })
    }

    /// What [`sign`](Self::sign) with the same signer and terms has signed: one input for each distinct payload, in the
    /// order of their forms. For keys that sign elsewhere and later: hand the signatures back in a
    /// [`PreparedSigner`](countersign_keys::PreparedSigner).
    ///
    /// Asks the signer for no signature. Does not judge the entries that the card has already, and does not check that
    /// the signatures will cover the card; `sign` does.
    ///
    /// # Errors
    ///
    /// [`SignCardError`], those variants that are about the card and its forms.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::keys::PreparedSigner;
    /// use countersign::{Algorithm, Limits, SignTerms, SigningKey, TrustedKeys, UntrustedCard};
    ///
    /// let card = r#"{
    ///   "name": "Echo", "description": "Repeats what it is told.", "version": "1.0.0", "capabilities": {},
    ///   "supportedInterfaces": [{"url": "https://echo.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
    ///   "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
    ///   "skills": [{"id": "echo", "name": "Echo", "description": "Says it again.", "tags": ["echo"]}]
    /// }"#;
    /// let card = UntrustedCard::read(card, &Limits::default())?;
    /// let elsewhere = SigningKey::generate(Algorithm::Es256)?;
    ///
    /// let mut signer = PreparedSigner::new(elsewhere.verifying_key().clone(), Algorithm::Es256)?;
    /// let terms = SignTerms::default();
    /// for input in card.signing_inputs(&signer, &terms)? {
    ///     let signature = elsewhere.sign(Algorithm::Es256, &input.octets)?;
    ///     signer = signer.with_signature(&input.octets, &signature)?;
    /// }
    /// assert_eq!(card.sign(&signer, &terms, &TrustedKeys::new())?.signatures.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn signing_inputs(
        &self,
        signer: &dyn Signer,
        terms: &SignTerms,
    ) -> Result<Vec<SigningInput>, SignCardError> {
        self.portable_inputs(signer, terms).map(|(inputs, _)| inputs)
    }

    /// The form that the card is signed under when none is named: `as-received` without a non-empty
    /// `supportedInterfaces`, else `a2a-1.0`.
    #[must_use]
    pub fn default_form(&self) -> Form {
        if crate::card::has_envelope(self.root()) { Form::A2a10 } else { Form::AsReceived }
    }

    /// What is to be signed, and who would not verify it.
    fn portable_inputs(
        &self,
        signer: &dyn Signer,
        terms: &SignTerms,
    ) -> Result<(Vec<SigningInput>, Vec<String>), SignCardError> {
        let payloads = self.payloads_to_sign(terms)?;
        let portability = portable::compare(self, &payloads)?;
        if terms.portability == Portability::Require && !portability.is_empty() {
            return Err(SignCardError::NotPortable { reasons: portability });
        }
        let header = NewHeader {
            algorithm: signer.algorithm(),
            kid: &kid(signer, terms),
            jku: terms.jku.as_deref(),
            iat: terms.issued_at.map(UnixTime::seconds),
            exp: terms.expires_at.map(UnixTime::seconds),
        };
        let protected = header.to_protected();
        let input = |payload: &CanonicalPayload| SigningInput {
            protected: protected.clone(),
            form: payload.form(),
            octets: signing_input(&protected, payload.octets()),
            payload: payload.octets().to_vec(),
        };
        Ok((payloads.iter().map(input).collect(), portability))
    }

    /// The distinct payloads of the forms that the terms name, in the order in which forms are tried.
    fn payloads_to_sign(&self, terms: &SignTerms) -> Result<Vec<CanonicalPayload>, SignCardError> {
        let shape = self.shape(None);
        if shape == Shape::Foreign {
            return Err(SignCardError::NotAnAgentCard);
        }
        let pointers = self.missing_members();
        if !pointers.is_empty() {
            return Err(SignCardError::RequiredMissing { pointers });
        }
        let is_0_3 = self.default_form() == Form::AsReceived;
        let mut forms = terms.forms.clone();
        if forms.is_empty() {
            forms.push(self.default_form());
        }
        forms.sort_unstable();
        let mut payloads: Vec<CanonicalPayload> = Vec::new();
        for form in forms {
            if !form.is_signable() {
                return Err(SignCardError::FormNotSignable { form });
            }
            if is_0_3 && form != Form::AsReceived {
                return Err(SignCardError::FormUnfit { form });
            }
            let payload = CanonicalPayload::of(self, form)?;
            if payloads.iter().all(|other| other.octets() != payload.octets()) {
                payloads.push(payload);
            }
        }
        Ok(payloads)
    }

    /// What becomes of the entries that the card has already.
    fn existing_entries(
        &self,
        signer: &dyn Signer,
        kid: &str,
        terms: &SignTerms,
        others: &TrustedKeys,
    ) -> Result<Existing<'_>, SignCardError> {
        let mut existing = Existing::default();
        let Some(list) = self.root().member("signatures").filter(|list| !list.is_null()) else {
            return Ok(existing);
        };
        if list.kind() != countersign_keys::json::Kind::Array {
            return Err(SignCardError::SignaturesNotAList { found: list.kind().name() });
        }
        let every_form = VerifyTerms { forms: Form::ALL.to_vec(), ..VerifyTerms::default() };
        let now = terms.judged_at.unwrap_or(BEFORE_ANY_EXPIRY);
        let reports = super::verify::examine(self, others, &every_form, now)
            .map(|examined| examined.signatures)
            .unwrap_or_default();
        for (index, entry) in list.elements().enumerate() {
            let report = reports.get(index);
            let thumbprint = report.and_then(|report| report.thumbprint);
            let is_by_another =
                thumbprint.is_some_and(|made_by| made_by != signer.verifying_key().thumbprint());
            if is_by(entry, signer, kid) && !is_by_another {
                existing.replaced += 1;
                continue;
            }
            let outcome = report.map(|report| report.outcome);
            let has_expired = report.is_some_and(|report| report.codes.contains(&codes::FRESH_EXPIRED));
            let (is_stale, remark) = match outcome {
                Some(SignatureOutcome::Verified) => (false, None),
                Some(SignatureOutcome::Invalid) if has_expired => {
                    (true, Some((codes::SIG_STALE, Level::Warning, "has expired")))
                }
                // It covers too little for a verifier, but what it covers is unchanged.
                Some(SignatureOutcome::Invalid) if thumbprint.is_some() => (false, None),
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
                let message = format!("signature {index}, already on the card, {what}");
                existing.findings.push(Finding::new(code, level, message).at(format!("/signatures/{index}")));
            }
            if is_stale {
                existing.stale.push(index);
            }
            if !is_stale || terms.stale == Stale::Keep {
                existing.kept.push(entry);
            }
        }
        Ok(existing)
    }
}

/// The `kid` of the new signatures.
fn kid(signer: &dyn Signer, terms: &SignTerms) -> String {
    let kid = terms.kid.clone().or_else(|| signer.kid().map(ToOwned::to_owned));
    kid.unwrap_or_else(|| signer.verifying_key().thumbprint().to_string())
}

/// The entries that the card has already.
#[derive(Default)]
struct Existing<'c> {
    kept: Vec<Value<'c>>,
    replaced: usize,
    stale: Vec<usize>,
    findings: Vec<Finding>,
}

/// Whether an entry names the signer's key: its `kid`, or its thumbprint, under an algorithm of its kind.
fn is_by(entry: Value<'_>, signer: &dyn Signer, kid: &str) -> bool {
    let header =
        SignatureEntry::read(entry).ok().and_then(|parts| ProtectedHeader::read(parts.protected, None).ok());
    header.is_some_and(|header| {
        let same_key = header.kid == kid || header.kid == signer.verifying_key().thumbprint().to_string();
        let same_kind =
            header.algorithm().is_some_and(|algorithm| algorithm.key_kind() == signer.verifying_key().kind());
        same_key && same_kind
    })
}

/// Verifies every new entry as a stranger would. `first` is the place of the first new one.
fn check(
    octets: &[u8],
    signer: &dyn Signer,
    terms: &SignTerms,
    first: usize,
) -> Result<VerificationReport, SignCardError> {
    let limits = Limits::default().with_max_octets(octets.len());
    let card = UntrustedCard::read(octets, &limits)?;
    let mut keys = TrustedKeys::default();
    keys.push(TrustedKey::new(signer.verifying_key().clone(), KeySource::Single));
    let verify_terms = VerifyTerms {
        forms: Form::SIGNABLE.to_vec(),
        coverage: terms.coverage.clone(),
        matching: Matching::First,
        ..VerifyTerms::default()
    };
    let report = match card.verify(&keys, &verify_terms, BEFORE_ANY_EXPIRY) {
        Ok(verified) => verified.report().clone(),
        Err(refused) => refused.report().clone(),
    };
    for signature in report.signatures.iter().skip(first) {
        if signature.outcome == SignatureOutcome::Verified {
            continue;
        }
        return Err(match signature.form {
            Some(form) if signature.codes.contains(&codes::SIG_UNCOVERED_MEMBER) => {
                let fatal = signature.uncovered.iter().filter(|member| member.fate == Fate::Fatal);
                SignCardError::Uncovered {
                    form,
                    pointers: fatal.map(|member| member.pointer.clone()).collect(),
                }
            }
            _ => SignCardError::SelfCheck,
        });
    }
    Ok(report)
}

/// What a new signature does not cover, members at their default left out.
fn left_open(signature: &SignatureReport) -> Vec<Finding> {
    let form = signature.form.map_or("", Form::name);
    let open = signature.uncovered.iter().filter(|member| member.class != Class::Default);
    open.map(|member| {
        let pointer = &member.pointer;
        let code = match member.fate {
            Fate::Marked if member.class == Class::Security => codes::SIG_UNSIGNED_REQUIREMENT,
            Fate::Silent | Fate::Stripped | Fate::Marked | Fate::Fatal => codes::SIG_UNCOVERED_MEMBER,
        };
        let message = format!(
            "the signature under `{form}` does not cover `{pointer}`: nobody notices when it is changed or deleted"
        );
        Finding::new(code, Level::Warning, message).at(pointer.clone())
    })
    .collect()
}

fn quoted(pointers: &[String]) -> String {
    pointers.iter().map(|pointer| format!("`{pointer}`")).collect::<Vec<_>>().join(", ")
}
