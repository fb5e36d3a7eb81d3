//! What is handed on of a card, once it is known which of its signatures count.

use countersign_keys::json::{self, Document, Limits, NodeId};
use countersign_keys::{Code, Finding, Level, codes as key_codes};

use super::verify::{Examined, Place, Proof};
use crate::canonical::{self, CanonicalPayload, Form, Lost, Respelled};
use crate::card::{CardView, UntrustedCard};
use crate::codes;
use crate::coverage::{Coverage, CoverageTerms, UncoveredMember};

/// The payload whose members are handed on.
pub(super) struct HandedOn {
    pub(super) payload: CanonicalPayload,
    /// Values of the received card that are handed on although the payload does not hold them.
    pub(super) kept: Vec<NodeId>,
    /// Values that the payload holds and another counted signature does not cover.
    pub(super) withheld: Vec<NodeId>,
}

/// What the signatures that somebody counts cover together.
pub(crate) struct Covered {
    /// What is handed on; none where it is what was received.
    pub(crate) document: Option<Document>,
    /// What they do not cover; pointers are into the received card.
    pub(crate) uncovered: Vec<UncoveredMember>,
    pub(crate) findings: Vec<Finding>,
}

/// Why nothing is handed on although signatures verified.
pub(crate) struct NotCovered {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) uncovered: Vec<UncoveredMember>,
}

impl Examined {
    /// What the signatures with these [numbers](Self::numbered) cover together. Who counts them decides how many are
    /// enough; here every one of them must have verified.
    pub(crate) fn covered(
        self,
        card: &UntrustedCard,
        counted: &[usize],
        terms: &CoverageTerms,
    ) -> Result<(Covered, CanonicalPayload), NotCovered> {
        let places: Vec<Place> = self.numbered().map(|(place, _)| place).collect();
        let is_counted = |proof: &Proof| {
            let number = places.iter().position(|place| *place == proof.place);
            number.is_some_and(|number| counted.contains(&number))
        };
        let Self { proofs, payloads, .. } = self;
        let mut proven: Vec<Proof> = proofs.into_iter().filter(is_counted).collect();
        if proven.len() != counted.len() {
            return Err(NotCovered::invalid("a signature that did not verify was counted"));
        }
        proven.sort_by_key(Proof::rank);
        let (coverage, handed_on) = agree(card, terms, payloads, proven).map_err(NotCovered::fatal)?;
        let document = read_back(card, &handed_on)
            .map_err(|_| NotCovered::invalid("what was signed does not read back as a card"))?;
        let Coverage { members: uncovered, findings, .. } = coverage;
        Ok((Covered { document, uncovered, findings }, handed_on.payload))
    }
}

impl NotCovered {
    fn invalid(message: &str) -> Self {
        Self { code: key_codes::SIG_INVALID, message: message.to_owned(), uncovered: Vec::new() }
    }

    fn fatal(coverage: Coverage) -> Self {
        let message = format!("not signed by every signature that counts: {}", coverage.fatal_members());
        Self { code: codes::SIG_UNCOVERED_MEMBER, message, uncovered: coverage.members }
    }
}

/// What every counted signature covers. Fails if what is left out is too grave to hand on the rest.
pub(super) fn agree(
    card: &UntrustedCard,
    terms: &CoverageTerms,
    mut payloads: Vec<CanonicalPayload>,
    counted: Vec<Proof>,
) -> Result<(Coverage, HandedOn), Coverage> {
    // One signature alone, the usual case, has its coverage already.
    let union = (counted.len() > 1).then(|| {
        let payloads = counted.iter().filter_map(|proof| payloads.get(proof.payload));
        highest(card, payloads.flat_map(|payload| payload.lost.iter().copied()).collect())
    });
    let nothing = || Coverage::of(card, &[], terms);
    let Some(mut best) = counted.into_iter().next() else { return Err(nothing()) };
    if best.payload >= payloads.len() {
        return Err(nothing());
    }
    let payload = payloads.swap_remove(best.payload);
    let Some(union) = union else {
        let kept = std::mem::take(&mut best.coverage.kept);
        return Ok((best.coverage, HandedOn { payload, kept, withheld: Vec::new() }));
    };
    let mut coverage = Coverage::of(card, &union, terms);
    if !coverage.holds() {
        return Err(coverage);
    }
    let mut kept = std::mem::take(&mut coverage.kept);
    kept.sort_unstable();
    let is_kept = |value: &NodeId| kept.binary_search(value).is_ok();
    let withheld = union.iter().map(|lost| lost.value).filter(|value| !is_kept(value)).collect();
    Ok((coverage, HandedOn { payload, kept, withheld }))
}

/// The lost values that stand inside no other.
fn highest(card: &UntrustedCard, mut lost: Vec<Lost>) -> Vec<Lost> {
    lost.sort_by_key(|lost| lost.value);
    let mut highest: Vec<Lost> = Vec::new();
    for lost in lost {
        let inside =
            highest.last().is_some_and(|outer| card.document().value(outer.value).contains(lost.value));
        if !inside {
            highest.push(lost);
        }
    }
    highest
}

/// What is handed on, read anew where it differs from what was received; `None` where it does not.
pub(super) fn read_back(card: &UntrustedCard, handed_on: &HandedOn) -> Result<Option<Document>, json::Error> {
    let HandedOn { payload, kept, withheld } = handed_on;
    // Every kept value of one payload is one of its lost values.
    let all_kept = withheld.is_empty() && kept.len() == payload.lost.len();
    if all_kept && payload.respelled == Respelled::No {
        return Ok(None);
    }
    let octets = canonical::handed_on(card, payload.form(), kept, withheld);
    let limits = Limits::default().with_max_octets(octets.len());
    Document::read(octets, &limits).map(Some)
}

/// Says so where the card may have had a requirement when it was signed that nobody can see any more: what is handed on
/// declares schemes and lets in clients that do not authenticate, and what was signed is what a form signs that drops
/// requirements without scopes.
pub(crate) fn authentication_is_not_provable(
    card: &UntrustedCard,
    handed_on: CardView<'_>,
    signed: &CanonicalPayload,
) -> Option<Finding> {
    let is_silent =
        handed_on.security_schemes().next().is_some() && handed_on.requirements().allows_anonymous();
    is_silent.then(|| silence_is_not_provable(card, signed)).flatten()
}

/// The same of a card that declares security schemes and lets in whoever does not authenticate.
pub(crate) fn silence_is_not_provable(card: &UntrustedCard, signed: &CanonicalPayload) -> Option<Finding> {
    let drops_requirements = matches!(
        signed.form(),
        Form::Sdk1x | Form::SdkPy10 | Form::SdkJsTyped | Form::SdkPy03 | Form::SdkPy0322
    );
    let sdk = || CanonicalPayload::of(card, Form::Sdk1x);
    let may_be_deleted = drops_requirements || sdk().is_ok_and(|payload| payload.octets() == signed.octets());
    may_be_deleted.then(|| {
        let message = "the card declares security schemes and no requirement, and the form of the official SDKs \
                       would have left a requirement without scopes unsigned: one may have been deleted";
        Finding::new(codes::AUTH_NOT_PROVABLE, Level::Warning, message).at("/securitySchemes")
    })
}
