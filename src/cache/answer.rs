//! What the cache answers.

use std::sync::Arc;

use countersign_policy::{Decision, UnixTime};

use crate::admission::{AdmittedCard, AdmittedInterface, Denied};

/// An admission or a denial, shared by all who asked the same.
#[derive(Clone, Debug)]
pub struct Answer {
    verdict: Result<Arc<AdmittedCard>, Arc<Denied>>,
    until: UnixTime,
    provenance: Provenance,
}

/// How an answer came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "remembered, decided here, or decided by another thread")]
pub enum Provenance {
    /// It was remembered.
    Remembered,
    /// It was decided for this question.
    Decided,
    /// Another thread asked the same and decided it in the meantime.
    Awaited,
}

/// The answer about the card of an agent, and the interface that was selected for it.
#[derive(Clone, Debug)]
pub struct Registered {
    answer: Answer,
    interface: Option<Arc<AdmittedInterface>>,
}

impl Answer {
    pub(super) const fn new(
        verdict: Result<Arc<AdmittedCard>, Arc<Denied>>,
        until: UnixTime,
        provenance: Provenance,
    ) -> Self {
        Self { verdict, until, provenance }
    }

    /// The admitted card, or the denial.
    ///
    /// # Errors
    ///
    /// [`Denied`] with every reason.
    pub fn verdict(&self) -> Result<&Arc<AdmittedCard>, &Arc<Denied>> {
        self.verdict.as_ref()
    }

    /// The admitted card.
    #[must_use]
    pub fn admitted(&self) -> Option<&Arc<AdmittedCard>> {
        self.verdict.as_ref().ok()
    }

    /// What was decided, and how it came about.
    #[must_use]
    pub fn decision(&self) -> &Decision {
        match &self.verdict {
            Ok(admitted) => admitted.decision(),
            Err(denied) => denied.decision(),
        }
    }

    /// From when on it must be asked anew: the earlier of [`Decision::expires_at`] and the end of the freshness of the card.
    #[must_use]
    pub const fn until(&self) -> UnixTime {
        self.until
    }

    /// How it came about.
    #[must_use]
    pub const fn provenance(&self) -> Provenance {
        self.provenance
    }
}

impl Provenance {
    /// `remembered`, `decided` or `awaited`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Remembered => "remembered",
            Self::Decided => "decided",
            Self::Awaited => "awaited",
        }
    }
}

impl Registered {
    pub(super) const fn new(answer: Answer, interface: Option<Arc<AdmittedInterface>>) -> Self {
        Self { answer, interface }
    }

    /// The answer about the card.
    #[must_use]
    pub const fn answer(&self) -> &Answer {
        &self.answer
    }

    /// The interface that was selected; where the answer ends at once it is for this once. [`None`]: the card is denied, no
    /// admitted interface fits the client ([`AdmittedCard::select`] says why), or the registration was overtaken by a later
    /// one or by [`forget`](super::AdmissionCache::forget).
    #[must_use]
    pub const fn interface(&self) -> Option<&Arc<AdmittedInterface>> {
        self.interface.as_ref()
    }
}
