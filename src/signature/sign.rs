//! Signing: one signature for each distinct payload, put into the text of the card, and checked before it is given out.

mod check;
mod endorse;
mod error;
mod existing;

use countersign_keys::json::Limits;
use countersign_keys::jws::{NewHeader, signing_input};
use countersign_keys::trust::TrustedKeys;
use countersign_keys::{Algorithm, Finding, Level, Signer, Thumbprint, base64url};
use countersign_policy::UnixTime;

use super::entry::MAX_SIGNATURES;
use super::portable::{self, Portability};
use super::splice::{self, Entry};
use crate::canonical::{CanonicalPayload, Form};
use crate::card::{Shape, UntrustedCard};
use crate::codes;
use crate::coverage::CoverageTerms;
pub use endorse::NewEndorsement;
pub use error::SignCardError;
use existing::{Existing, Newcomer};

/// How a card is to be signed.
#[derive(Clone, Debug)]
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
    /// Most octets that the result may have. Default: what verifiers read by default, [`Limits::max_octets`].
    pub max_octets: usize,
}

impl Default for SignTerms {
    fn default() -> Self {
        Self {
            forms: Vec::new(),
            kid: None,
            jku: None,
            issued_at: None,
            expires_at: None,
            portability: Portability::default(),
            stale: Stale::default(),
            judged_at: None,
            coverage: CoverageTerms::default(),
            max_octets: Limits::default().max_octets,
        }
    }
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
        let existing = Existing::of_card(self, Newcomer { signer, kid: &kid, terms }, others)?;
        let first = existing.kept.len();
        let (entries, signatures) = add(&existing, signer, &kid, inputs)?;
        let octets = splice::with_signatures(self.document(), &entries).into_bytes();
        let mut findings = self.findings().to_vec();
        findings.extend(check::card(&octets, signer, terms, first)?);
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
        let signed: Vec<_> = payloads.iter().collect();
        let differences = portable::compare(self, &signed, &Form::SIGNABLE)?;
        let portability: Vec<_> = differences.iter().map(ToString::to_string).collect();
        if terms.portability == Portability::Require && !portability.is_empty() {
            return Err(SignCardError::NotPortable { reasons: portability });
        }
        Ok((inputs(signer, terms, &payloads), portability))
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
}

/// What is signed for these payloads.
fn inputs(signer: &dyn Signer, terms: &SignTerms, payloads: &[CanonicalPayload]) -> Vec<SigningInput> {
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
    payloads.iter().map(input).collect()
}

/// Signs each input; gives the entries that are kept with the new ones after them.
fn add<'e>(
    existing: &Existing<'e>,
    signer: &dyn Signer,
    kid: &str,
    inputs: Vec<SigningInput>,
) -> Result<(Vec<Entry<'e>>, Vec<NewSignature>), SignCardError> {
    let found = existing.kept.len() + inputs.len();
    if found > MAX_SIGNATURES {
        return Err(SignCardError::TooMany { found, limit: MAX_SIGNATURES });
    }
    let mut entries: Vec<Entry<'_>> = existing.kept.iter().map(|entry| Entry::Kept(*entry)).collect();
    let mut signatures = Vec::new();
    for input in inputs {
        let signature = signer.sign(&input.octets)?;
        entries.push(Entry::New { protected: input.protected, signature: base64url::encode(&signature) });
        signatures.push(NewSignature {
            algorithm: signer.algorithm(),
            kid: kid.to_owned(),
            form: input.form,
            thumbprint: signer.verifying_key().thumbprint(),
            payload: input.payload,
        });
    }
    Ok((entries, signatures))
}

/// The `kid` of the new signatures.
fn kid(signer: &dyn Signer, terms: &SignTerms) -> String {
    let kid = terms.kid.clone().or_else(|| signer.kid().map(ToOwned::to_owned));
    kid.unwrap_or_else(|| signer.verifying_key().thumbprint().to_string())
}
