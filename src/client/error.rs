//! Why a client has no interface to call.

use std::sync::Arc;

use countersign_policy::UrlError;

use super::Admission;
use crate::Code;
use crate::card::CardError;
use crate::codes::interfaces as codes;
use crate::fetch::FetchError;
use crate::pins::PinsError;

/// Why there is no interface to call.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The card could not be fetched. It says nothing about the agent.
    #[error(transparent)]
    Fetch(Box<FetchError>),
    /// The URL that answered is none that a policy can decide by.
    #[error("the URL of the card: {0}")]
    Url(#[from] UrlError),
    /// What was fetched is no card that can be read.
    #[error("the card cannot be read: {0}")]
    Card(Box<CardError>),
    /// What is remembered of earlier cards cannot be read, or the admission cannot be remembered.
    #[error(transparent)]
    Pins(Arc<PinsError>),
    /// The policy denies the card.
    #[error("the card is denied: {}", codes_of(.0))]
    Denied(Box<Admission>),
    /// The card is admitted, and none of its admitted interfaces fits the client.
    #[error("none of the admitted interfaces of the card fits the client")]
    NoInterface(Box<Admission>),
}

impl ClientError {
    /// The public code; of a denial the first one.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Fetch(error) => error.code(),
            Self::Url(error) => error.code(),
            Self::Card(error) => error.code(),
            Self::Pins(error) => error.code(),
            Self::Denied(admission) => {
                let decision = admission.answer.decision();
                decision.codes().first().copied().unwrap_or(codes::IFACE_NONE_COMPATIBLE)
            }
            Self::NoInterface(_) => codes::IFACE_NONE_COMPATIBLE,
        }
    }
}

impl From<FetchError> for ClientError {
    fn from(error: FetchError) -> Self {
        Self::Fetch(Box::new(error))
    }
}

impl From<CardError> for ClientError {
    fn from(error: CardError) -> Self {
        Self::Card(Box::new(error))
    }
}

impl From<PinsError> for ClientError {
    fn from(error: PinsError) -> Self {
        Self::Pins(Arc::new(error))
    }
}

fn codes_of(admission: &Admission) -> String {
    let codes = admission.answer.decision().codes();
    codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(", ")
}
