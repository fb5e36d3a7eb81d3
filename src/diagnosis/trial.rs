//! One signature held against supposed octets; everything that is tried is counted.

use std::collections::BTreeSet;

use countersign_keys::jws::{ProtectedHeader, signing_input};
use countersign_keys::trust::{Candidates, TrustedKey, TrustedKeys};
use countersign_keys::{Algorithm, Thumbprint, sha256};

use super::Cause;
use crate::Limits;
use crate::canonical::{self, Form, Variation};
use crate::card::UntrustedCard;

/// Most signature checks for one card.
pub(super) const MAX_CHECKS: usize = 256;

/// Most octets of cards that are read or canonicalized for one card: 256 times the largest card of the default limits.
pub(super) const MAX_OCTETS: usize = 256 * 256 * 1024;

/// What walking over one value or name costs, in octets: a card of many small values takes longer than a card of one text.
const NODE_OCTETS: usize = 16;

/// What may still be spent on one card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Budget {
    checks: usize,
    octets: usize,
}

/// The budget is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spent;

pub(super) type Tried<T> = Result<T, Spent>;

impl Default for Budget {
    fn default() -> Self {
        Self { checks: MAX_CHECKS, octets: MAX_OCTETS }
    }
}

impl Budget {
    /// Takes out an equal share for one of `among`.
    pub(super) fn share(&mut self, among: usize) -> Self {
        let among = among.max(1);
        let share = Self { checks: self.checks / among, octets: self.octets / among };
        self.checks -= share.checks;
        self.octets -= share.octets;
        share
    }

    pub(super) fn give_back(&mut self, unused: Self) {
        self.checks = self.checks.saturating_add(unused.checks);
        self.octets = self.octets.saturating_add(unused.octets);
    }

    fn check(&mut self) -> Tried<()> {
        self.checks = self.checks.checked_sub(1).ok_or(Spent)?;
        Ok(())
    }

    fn work(&mut self, octets: usize) -> Tried<()> {
        self.octets = self.octets.checked_sub(octets).ok_or(Spent)?;
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn left(&self) -> (usize, usize) {
        (self.checks, self.octets)
    }
}

/// What explains a signature.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) cause: Cause,
    pub(super) form: Option<Form>,
    pub(super) message: String,
}

impl Fit {
    pub(super) fn new(cause: Cause, form: Form, message: impl Into<String>) -> Self {
        Self { cause, form: Some(form), message: message.into() }
    }

    pub(super) fn content_or_key() -> Self {
        let message =
            "nothing that is known to go wrong explains it: the content was changed, or another key signed";
        Self { cause: Cause::ContentOrKey, form: None, message: message.to_owned() }
    }

    pub(super) fn cut_short(mut self) -> Self {
        self.message.push_str("; not everything was tried: the bound on signature checks came first, with fewer accepted forms it reaches further");
        self
    }
}

/// One signature with the keys that its `kid` names.
pub(super) struct Trial<'c> {
    pub(super) card: &'c UntrustedCard,
    pub(super) protected: &'c str,
    pub(super) algorithm: Algorithm,
    /// The accepted forms, then all others.
    pub(super) forms: [Vec<Form>; 2],
    pub(super) signature: Vec<u8>,
    pub(super) keys: Vec<&'c TrustedKey>,
    budget: Budget,
    /// Digests of the signing inputs that were checked with `keys`.
    seen: BTreeSet<[u8; 32]>,
}

impl<'c> Trial<'c> {
    /// Searches with half of what is left; what is found, if anything is before the half is spent.
    pub(super) fn with_half<T>(&mut self, search: impl FnOnce(&mut Self) -> Tried<Option<T>>) -> Option<T> {
        let half = self.budget.share(2);
        let rest = std::mem::replace(&mut self.budget, half);
        let found = search(self);
        let unused = std::mem::replace(&mut self.budget, rest);
        self.budget.give_back(unused);
        found.unwrap_or(None)
    }

    /// None if the algorithm is not known.
    pub(super) fn new(
        card: &'c UntrustedCard,
        keys: &'c TrustedKeys,
        accepted: &[Form],
        protected: &'c str,
        header: &ProtectedHeader,
        signature: Vec<u8>,
        budget: Budget,
    ) -> Option<Self> {
        let algorithm = header.algorithm()?;
        let mut named: Vec<&TrustedKey> = Vec::new();
        if let Candidates::Some(candidates) = keys.candidates(&header.kid) {
            for key in candidates.into_iter().filter(|key| key.allows(algorithm)) {
                if !is_among(&named, key.thumbprint()) {
                    named.push(key);
                }
            }
        }
        let (accepted, others) = Form::ALL.into_iter().partition(|form| accepted.contains(form));
        Some(Self {
            card,
            protected,
            algorithm,
            forms: [accepted, others],
            signature,
            keys: named,
            budget,
            seen: BTreeSet::new(),
        })
    }

    pub(super) fn into_budget(self) -> Budget {
        self.budget
    }

    /// Every form, the accepted ones first.
    pub(super) fn all_forms(&self) -> Vec<Form> {
        self.forms.concat()
    }

    /// Whether the signature was made over `card` under `form`, varied.
    pub(super) fn fits(&mut self, card: &UntrustedCard, form: Form, variation: &Variation) -> Tried<bool> {
        let Some(payload) = self.payload(card, form, variation)? else { return Ok(false) };
        self.fits_input(&signing_input(self.protected, &payload))
    }

    /// The octets of `card` under `form`, varied; none where the form has none.
    pub(super) fn payload(
        &mut self,
        card: &UntrustedCard,
        form: Form,
        variation: &Variation,
    ) -> Tried<Option<Vec<u8>>> {
        self.budget.work(cost(card, card.octets().len()))?;
        Ok(canonical::varied(card, form, variation))
    }

    /// Whether the signature was made over these octets, which already hold the protected header.
    pub(super) fn fits_input(&mut self, input: &[u8]) -> Tried<bool> {
        if !self.seen.insert(sha256(input)) {
            return Ok(false);
        }
        for key in self.keys.clone() {
            if self.verifies(key, input)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// One signature check.
    pub(super) fn verifies(&mut self, key: &TrustedKey, input: &[u8]) -> Tried<bool> {
        self.budget.check()?;
        #[cfg(test)]
        super::tests::MADE.with(|made| made.set(made.get() + 1));
        Ok(key.key().verify(self.algorithm, input, &self.signature).is_ok())
    }

    /// Reads a changed text of the card; none if it is no card.
    pub(super) fn read(&mut self, text: &str) -> Tried<Option<UntrustedCard>> {
        // The changed text has about as many values as the card.
        self.budget.work(cost(self.card, text.len()))?;
        let limits = Limits::default().with_max_octets(text.len());
        Ok(UntrustedCard::read(text, &limits).ok())
    }

    /// Runs one search with at most `checks` signature checks; running out of these alone means that nothing fits.
    pub(super) fn within(
        &mut self,
        checks: usize,
        search: impl FnOnce(&mut Self) -> Tried<Option<Fit>>,
    ) -> Tried<Option<Fit>> {
        let reserved = self.budget.checks.saturating_sub(checks);
        self.budget.checks -= reserved;
        let result = search(self);
        self.budget.checks += reserved;
        match result {
            Err(Spent) if reserved > 0 && self.budget.octets > 0 => Ok(None),
            result => result,
        }
    }

    /// `under `sdk-1.x`, which is not accepted`, for messages.
    pub(super) fn under(&self, form: Form) -> String {
        let [accepted, _] = &self.forms;
        let but = if accepted.contains(&form) { "" } else { ", which is not accepted" };
        format!("under `{form}`{but}")
    }
}

fn cost(card: &UntrustedCard, octets: usize) -> usize {
    octets.saturating_add(card.document().node_count().saturating_mul(NODE_OCTETS))
}

pub(super) fn is_among(keys: &[&TrustedKey], thumbprint: Thumbprint) -> bool {
    keys.iter().any(|key| key.thumbprint() == thumbprint)
}

#[cfg(test)]
mod tests {
    use super::{Budget, MAX_CHECKS, MAX_OCTETS, Spent};

    #[test]
    fn the_last_check_is_number_256() {
        let mut budget = Budget::default();
        for _ in 0..MAX_CHECKS {
            assert_eq!(budget.check(), Ok(()));
        }
        assert_eq!(budget.check(), Err(Spent));
        assert_eq!(budget.left(), (0, MAX_OCTETS));
    }

    #[test]
    fn octets_are_counted_and_a_refusal_costs_nothing() {
        let mut budget = Budget::default();
        assert_eq!(budget.work(MAX_OCTETS - 1), Ok(()));
        assert_eq!(budget.work(2), Err(Spent));
        assert_eq!(budget.work(1), Ok(()));
    }

    #[test]
    fn shares_add_up_to_the_whole() {
        let mut budget = Budget::default();
        let mut shares: Vec<Budget> = (1..=16).rev().map(|left| budget.share(left)).collect();
        assert_eq!(budget.left(), (0, 0));
        assert!(shares.iter().all(|share| share.left().0 == 16));
        budget.give_back(shares.remove(0));
        assert_eq!(budget.left(), (16, MAX_OCTETS / 16));
        assert_eq!(Budget::default().share(0), Budget::default());
    }
}
