//! Which of the interfaces that fit comes first.

use std::cmp::Reverse;

use countersign_policy::ProtocolVersion;

use super::SelectedBecause;
use super::candidate::{Candidate, Fit};
use super::terms::{Fallback, Preference, ProtocolChoice, SelectTerms};

/// The first that fits and was not refused: every 1.x interface before any fallback.
pub(super) fn choose(
    candidates: &[Candidate<'_>],
    terms: &SelectTerms,
    refused: &[usize],
) -> Option<(usize, SelectedBecause)> {
    let fitting = || {
        let fits = candidates.iter().enumerate();
        fits.filter_map(|(index, candidate)| Some((index, *candidate.fit.as_ref().ok()?)))
    };
    let left = |tier: Tier| {
        fitting()
            .filter(|(index, fit)| Tier::of(fit, terms) == tier && !refused.contains(index))
            .min_by_key(|(index, fit)| rank(*index, fit, terms.prefer))
            .map(|(index, _)| index)
    };
    if let Some(index) = left(Tier::First) {
        let because = match terms.prefer {
            _ if !refused.is_empty() => SelectedBecause::VersionNotSupported,
            Preference::Card => SelectedBecause::CardOrder,
            Preference::Newest => SelectedBecause::Newest,
            Preference::Client => SelectedBecause::ClientOrder,
        };
        return Some((index, because));
    }
    if terms.fallback == Fallback::Deny {
        return None;
    }
    let because = if refused.is_empty() {
        SelectedBecause::FallbackWithoutV1
    } else {
        SelectedBecause::FallbackAfterVersionNotSupported
    };
    Some((left(Tier::Fallback)?, because))
}

/// When an interface is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tier {
    First,
    /// Only when none of the first is left: 0.3, for a client that also speaks 1.0 or newer.
    Fallback,
}

impl Tier {
    pub(super) fn of(fit: &Fit, terms: &SelectTerms) -> Self {
        let speaks_newer = terms.accept.iter().any(|accepted| accepted.version() >= ProtocolVersion::V1_0);
        let is_older = terms.protocol == ProtocolChoice::Auto && fit.version < ProtocolVersion::V1_0;
        if is_older && speaks_newer { Self::Fallback } else { Self::First }
    }
}

/// Smaller comes first.
fn rank(index: usize, fit: &Fit, prefer: Preference) -> (Reverse<Option<ProtocolVersion>>, usize, usize) {
    match prefer {
        Preference::Card => (Reverse(None), 0, index),
        Preference::Newest => (Reverse(Some(fit.version)), 0, index),
        Preference::Client => (Reverse(None), fit.accepted, index),
    }
}
