//! Why a card was not signed or endorsed.

use countersign_keys::{Code, SignError, codes as key_codes};

use crate::canonical::{Form, NoCanonicalForm};
use crate::card::CardError;
use crate::codes;
use crate::endorsement::EndorsementError;

/// Why a card was not signed or endorsed.
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
    /// The card or the endorsement would have more entries than a verifier looks at.
    #[error("there would be {found} signatures, at most {limit} are looked at")]
    TooMany {
        /// How many.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// The card or the endorsement would be longer than the terms allow.
    #[error("with the new signature there would be {found} octets, at most {limit} are read")]
    TooLarge {
        /// Octets it would have.
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
    /// An endorsement is for one payload, and the forms that the terms name have several.
    #[error("an endorsement is for one payload, and {} have different payloads of this card", forms.iter().map(|form| form.name()).collect::<Vec<_>>().join(", "))]
    SeveralPayloads {
        /// Forms with different payloads.
        forms: Vec<Form>,
    },
    /// The endorsement that is to be added to is for another payload.
    #[error("the endorsement is not for the payload of this card under `{form}`{}", for_which(.is_for.as_ref()))]
    OtherPayload {
        /// The form that is to be signed under.
        form: Form,
        /// The form of this card that the endorsement is for, if it is for this card.
        is_for: Option<Form>,
    },
    /// The new endorsement could not be read again.
    #[error("the endorsement cannot be read again: {0}")]
    EndorsementUnreadable(#[from] EndorsementError),
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
            Self::TooLarge { .. } => key_codes::JSON_TOO_LARGE,
            Self::FormNotSignable { .. } | Self::FormUnfit { .. } | Self::NoForm(_) => {
                codes::SIG_FORM_NOT_ACCEPTED
            }
            Self::NotPortable { .. } => codes::SIG_NOT_PORTABLE,
            Self::Uncovered { .. } => codes::SIG_UNCOVERED_MEMBER,
            Self::Signer(error) => error.code(),
            Self::SelfCheck => key_codes::KEY_PAIR_MISMATCH,
            Self::SeveralPayloads { .. } => codes::ENDORSEMENT_SEVERAL_PAYLOADS,
            Self::OtherPayload { .. } => codes::ENDORSEMENT_PAYLOAD_MISMATCH,
            Self::EndorsementUnreadable(error) => error.code(),
            Self::Unreadable(error) => error.code(),
        }
    }
}

fn quoted(pointers: &[String]) -> String {
    pointers.iter().map(|pointer| format!("`{pointer}`")).collect::<Vec<_>>().join(", ")
}

fn for_which(form: Option<&Form>) -> String {
    match form {
        Some(form) => format!(", but for that under `{form}`"),
        None => ": it is for another card, or for this card before it was changed".to_owned(),
    }
}
