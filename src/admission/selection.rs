//! Which of the admitted interfaces a client uses.

use countersign_keys::{Code, Finding};

use super::{AdmittedCard, AdmittedInterface};
use crate::codes::members;
use crate::select::{OfferedInterface, SelectTerms, SelectedBecause, Selection, VersionNotSupported};

/// The answer for one admitted card and one client: an admitted interface, or none, and what is said about every one that
/// the card offers.
#[derive(Clone, Debug)]
pub struct AdmittedSelection<'c> {
    card: &'c AdmittedCard,
    selection: Selection<'c>,
}

impl AdmittedCard {
    /// Selects the interface for a client, as [`CardView::select`](crate::CardView::select) does, among those that are
    /// admitted. Every other one is passed over with its first reason. `terms.assumed` is not looked at: the version that
    /// was assumed for the admission counts.
    #[must_use]
    pub fn select(&self, terms: &SelectTerms) -> AdmittedSelection<'_> {
        let mut terms = terms.clone();
        terms.assumed = self.assumed();
        let selection = self.view().select(&terms).without(|index| self.objection(index));
        AdmittedSelection { card: self, selection }
    }

    /// Why the interface with this index is not admitted, if so.
    fn objection(&self, index: usize) -> Option<Code> {
        if self.interface_at(index).is_some() {
            return None;
        }
        let verdict = self.decision().interfaces.iter().find(|verdict| verdict.index == index);
        let reason = verdict.and_then(|verdict| verdict.reasons.first());
        Some(reason.map_or(members::CARD_INTERFACE_INCOMPLETE, |reason| reason.code))
    }
}

impl<'c> AdmittedSelection<'c> {
    /// The interface to use.
    #[must_use]
    pub fn interface(&self) -> Option<&'c AdmittedInterface> {
        self.card.interface_at(self.selection.interface()?.index)
    }

    /// Why it is this one.
    #[must_use]
    pub fn because(&self) -> Option<SelectedBecause> {
        self.selection.interface().map(|selected| selected.because)
    }

    /// Every interface of the card, with the reasons why it is not the one.
    pub fn offered(&self) -> impl Iterator<Item = OfferedInterface<'_, 'c>> {
        self.selection.offered()
    }

    /// Why there is no interface; empty when there is one.
    #[must_use]
    pub fn codes(&self) -> Vec<Code> {
        self.selection.codes()
    }

    /// What is unusual about the interface that was selected, and still fits.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        self.selection.findings()
    }

    /// The next choice among the admitted interfaces, after the server behind the selected one answered that it does not
    /// support the version. No other failure leads here.
    #[must_use]
    pub fn after(mut self, refusal: VersionNotSupported) -> Self {
        self.selection = self.selection.after(refusal);
        self
    }
}
