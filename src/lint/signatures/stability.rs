//! Whether those who follow the specification and those who use the official SDKs sign the same octets.

use countersign_keys::Level;

use super::FORM_UNSTABLE;
use crate::canonical::{CanonicalPayload, Form};
use crate::lint::Subject;
use crate::lint::report::{Place, Remark, Report};
use crate::signature::{Difference, Examined, compare};

/// The SDKs that read cards of A2A 1.0.
const SDKS: [Form; 2] = [Form::Sdk1x, Form::SdkPy10];

/// These and the specification.
const ALL: [Form; 3] = [Form::A2a10, Form::Sdk1x, Form::SdkPy10];

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    // For cards of A2A 0.3 the specification names no octets.
    if !report.wants(&FORM_UNSTABLE) || !subject.is_for_1_0 {
        return;
    }
    let card = subject.card;
    let signed: Vec<_> = subject.examined.iter().flat_map(Examined::proven_payloads).collect();
    let is_proven = !signed.is_empty();
    let Ok(specified) = CanonicalPayload::of(card, Form::A2a10) else { return };
    let (reference, others) =
        if is_proven { (signed, ALL.as_slice()) } else { (vec![&specified], SDKS.as_slice()) };
    let (Ok(differences), Some(first)) = (compare(card, &reference, others), reference.first()) else {
        return;
    };
    let Some(difference) = differences.first() else { return };
    let place = Place::At(difference.first.map_or(card.root(), |id| card.document().value(id)));
    let tense = if is_proven { "as it is signed," } else { "signed" };
    let message =
        format!("{tense} under `{}` the card is rejected by {}", first.form(), rejecters(&differences));
    let help = "sign under every form: `--form a2a-1.0 --form sdk-1.x`; `fix --portable` says what could be written otherwise";
    let remark = Remark::new(message).help(help);
    let only_old = differences.iter().all(|difference| difference.form == Form::SdkPy10);
    let is_minor = only_old || (!is_proven && has_several_signatures(subject));
    report.add(&FORM_UNSTABLE, place, if is_minor { remark.level(Level::Info) } else { remark });
}

/// Whether the card may be signed under every form already.
fn has_several_signatures(subject: &Subject<'_>) -> bool {
    subject.card.root().member("signatures").is_some_and(|list| list.elements().nth(1).is_some())
}

/// Who rejects the card and why; those with the same cause together.
fn rejecters(differences: &[Difference]) -> String {
    let groups = differences.chunk_by(|left, right| left.cause == right.cause);
    let group = |group: &[Difference]| {
        let who = |difference: &Difference| format!("{} (`{}`)", difference.form.signers(), difference.form);
        let who = group.iter().map(who).collect::<Vec<_>>().join(" and ");
        let cause = group.first().map(|difference| difference.cause.as_str()).unwrap_or_default();
        format!("{who}: {cause}")
    };
    groups.map(group).collect::<Vec<_>>().join("; by ")
}
