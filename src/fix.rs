//! Fixes: what is changed in the text of a card without asking, what a person has to decide, and the upgrade of an old
//! card to A2A 1.0.
//!
//! A fix changes octets that a signature may be over, so a card with signatures stays as it is unless the caller says
//! that they go.

mod apply;
mod portable;
mod upgrade;

use countersign_keys::json::Limits;
use countersign_keys::{Finding, FixSafety};
use countersign_policy::ProtocolVersion;

use crate::canonical::{CanonicalPayload, Form};
use crate::card::{CardError, UntrustedCard};
use crate::lint::edit::is_signed;
use crate::signature::{ClaimedSignature, Portability, without_signatures};
use crate::{LintTerms, Profile};
pub use upgrade::{UpgradeError, UpgradeTo, UpgradedCard};

/// How a card is fixed.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FixTerms {
    /// What becomes of changes that break the signatures of the card. Default [`BreakingChanges::HoldBack`].
    pub breaking: BreakingChanges,
    /// [`Portability::Require`] also removes the members that only some forms leave out and that mean the same when
    /// they are absent, and lists what keeps the forms apart. Default [`Portability::Report`].
    pub portability: Portability,
    /// Protocol version of cards and interfaces that name none.
    pub assumed: Option<ProtocolVersion>,
}

/// What becomes of changes that break the signatures of a card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "made or not")]
pub enum BreakingChanges {
    /// They are listed, not made.
    #[default]
    HoldBack,
    /// They are made, and all signatures are removed: none is left that does not verify any more.
    DropSignatures,
}

/// A card after its fixes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FixedCard {
    /// The card's text; what was not fixed is as it was, octet for octet.
    pub octets: Vec<u8>,
    /// What was fixed, in the order in which it was done.
    pub fixed: Vec<Finding>,
    /// What would be fixed if the card had no signatures.
    pub held_back: Vec<Finding>,
    /// What is left to a person: findings with a suggested fix.
    pub remaining: Vec<Finding>,
    /// The signatures that the fixes break, where there are any: removed with the fixes, or kept while the fixes are held
    /// back.
    pub broken: Vec<ClaimedSignature>,
    /// The forms under which the card has other octets than before, without its signatures.
    pub changed_forms: Vec<Form>,
    /// With [`Portability::Require`], why the signable forms still give different octets; at most 64 findings.
    pub differences: Vec<Finding>,
}

/// Most rounds of fixes: one fix may uncover another, and lints tell at most 32 findings of a code at once.
const MAX_ROUNDS: usize = 64;

impl UntrustedCard {
    /// The card with every fix made that keeps its meaning for every reader: the safe fixes of the lints of
    /// [`Profile::Publish`].
    ///
    /// Nothing is changed by guess: suggestions are listed. The card is not verified, and a fixed card is as untrusted
    /// as before; endorsements of it that are kept elsewhere are over its old payload.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{FixTerms, Limits, UntrustedCard};
    ///
    /// let card = r#"{"name": "Agent", "supportedInterfaces": [{}], "iconUrl": null}"#;
    /// let fixed = UntrustedCard::read(card, &Limits::default())?.fix(&FixTerms::default());
    /// assert_eq!(fixed.octets, br#"{"name": "Agent", "supportedInterfaces": [{}]}"#);
    /// assert_eq!(fixed.fixed[0].code.name(), "card.null-member");
    /// # Ok::<(), countersign::CardError>(())
    /// ```
    #[must_use]
    pub fn fix(&self, terms: &FixTerms) -> FixedCard {
        let mut fixed = Vec::new();
        let card = self.document().source().to_owned();
        // Where there are signatures, the lints call only that safe which no form sees.
        let safe = apply::rounds(card, &mut fixed, |card| safe_fixes(card, terms));
        let mut outcome = FixedCard {
            octets: safe.into_bytes(),
            fixed,
            held_back: Vec::new(),
            remaining: Vec::new(),
            broken: Vec::new(),
            changed_forms: Vec::new(),
            differences: Vec::new(),
        };
        self.fix_payload(&mut outcome, terms);
        self.judge(&mut outcome, terms);
        outcome
    }

    /// The fixes that a card with signatures gets only without them, and those that portability asks for.
    fn fix_payload(&self, outcome: &mut FixedCard, terms: &FixTerms) {
        let Ok(card) = reread(outcome.octets.clone()) else { return };
        let text = if is_signed(&card) {
            without_signatures(card.document())
        } else {
            card.document().source().to_owned()
        };
        let mut more = Vec::new();
        let text = apply::rounds(text, &mut more, |card| {
            let mut fixes = safe_fixes(card, terms);
            if terms.portability == Portability::Require {
                fixes.extend(portable::removals(card));
            }
            fixes
        });
        if more.is_empty() {
            return;
        }
        if is_signed(&card) {
            outcome.broken = self.claimed_signatures();
            if terms.breaking == BreakingChanges::HoldBack {
                outcome.held_back = more;
                return;
            }
        }
        outcome.octets = text.into_bytes();
        outcome.fixed.extend(more);
    }

    /// What is said about the result.
    fn judge(&self, outcome: &mut FixedCard, terms: &FixTerms) {
        let Ok(card) = reread(outcome.octets.clone()) else { return };
        outcome.changed_forms = changed_forms(self, &card);
        let is_held_back = |finding: &Finding| {
            let same = |held: &Finding| held.code == finding.code && held.pointer == finding.pointer;
            outcome.held_back.iter().any(same)
        };
        let remaining = findings(&card, terms).into_iter();
        outcome.remaining =
            remaining.filter(|finding| finding.fix.is_some() && !is_held_back(finding)).collect();
        if terms.portability == Portability::Require {
            outcome.differences = portable::differences(&card);
        }
    }
}

fn findings(card: &UntrustedCard, terms: &FixTerms) -> Vec<Finding> {
    card.lint(&LintTerms { profile: Profile::Publish, assumed: terms.assumed, ..LintTerms::default() })
}

fn safe_fixes(card: &UntrustedCard, terms: &FixTerms) -> Vec<Finding> {
    let is_safe = |finding: &Finding| finding.fix.as_ref().is_some_and(|fix| fix.safety == FixSafety::Safe);
    findings(card, terms).into_iter().filter(is_safe).collect()
}

/// The forms under which the two cards have different octets, or only one has any.
fn changed_forms(before: &UntrustedCard, after: &UntrustedCard) -> Vec<Form> {
    let octets = |card, form| CanonicalPayload::of(card, form).ok().map(|payload| payload.octets().to_vec());
    Form::ALL.into_iter().filter(|form| octets(before, *form) != octets(after, *form)).collect()
}

/// A card of ours: it was read before, so its size was judged then.
fn reread(octets: impl Into<Vec<u8>>) -> Result<UntrustedCard, CardError> {
    UntrustedCard::read(octets, &Limits::default().with_max_octets(usize::MAX))
}

#[cfg(test)]
mod tests;
