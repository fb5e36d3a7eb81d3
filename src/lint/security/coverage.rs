//! Requirements that the form of the official SDKs leaves unsigned.

use countersign_keys::Level;
use countersign_keys::json::{Kind, NodeId, Value};

use super::NOT_COVERED;
use crate::canonical::{CanonicalPayload, Form, Lost};
use crate::lint::Subject;
use crate::lint::report::{Place, Remark, Report, quoted};
use crate::{Profile, RequiredScheme, Requirement, Requirements};

/// What is known about the forms under which the card was signed.
enum Signed {
    /// Not at all.
    No,
    /// So many entries, none of which a known key made.
    Unknown { entries: usize },
    /// Payloads over which a trusted key signed: for each the values that it does not hold.
    Over(Vec<Absent>),
}

/// The values that a payload does not hold, by id; none of them stands inside another.
struct Absent(Vec<NodeId>);

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    // The SDKs of A2A 0.3 sign another payload, and countersign signs their cards as received.
    if !subject.is_for_1_0 || !report.wants(&NOT_COVERED) {
        return;
    }
    let card = std::iter::once(subject.view.requirements());
    let demands: Vec<_> = card.chain(subject.view.skills().map(|skill| skill.requirements())).collect();
    let without_scopes = || demands.iter().flat_map(unscoped);
    if without_scopes().next().is_none() {
        return;
    }
    let Ok(payload) = CanonicalPayload::of(subject.card, Form::Sdk1x) else { return };
    let absent = Absent::of(&payload.lost);
    let signed = signed(subject);
    for scheme in without_scopes().filter(|scheme| !absent.holds(subject, scheme.value)) {
        if let Some(remark) = judge(subject, &signed, scheme) {
            report.add(&NOT_COVERED, Place::At(scheme.value), remark);
        }
    }
}

/// The schemes that are demanded without scopes, in the form of A2A 1.0.
fn unscoped<'a, 'c>(demands: &'a Requirements<'c>) -> impl Iterator<Item = &'a RequiredScheme<'c>> {
    let schemes = demands.entries().iter().flat_map(|entry| match entry {
        Requirement::AllOf { schemes, .. } => schemes.as_slice(),
        Requirement::Unreadable { .. } => &[],
    });
    schemes.filter(|scheme| scheme.value.kind() == Kind::Object && scheme.scopes().all(str::is_empty))
}

fn signed(subject: &Subject<'_>) -> Signed {
    let list = subject.view.member("signatures");
    let entries = list.map_or(0, |list| list.elements().count());
    if entries == 0 {
        return Signed::No;
    }
    match &subject.examined {
        Some(examined) if !examined.proofs.is_empty() => {
            Signed::Over(examined.proven_payloads().map(|payload| Absent::of(&payload.lost)).collect())
        }
        Some(_) | None => Signed::Unknown { entries },
    }
}

/// What is said about a demand that the payload of the SDKs does not hold.
fn judge(subject: &Subject<'_>, signed: &Signed, scheme: &RequiredScheme<'_>) -> Option<Remark> {
    let name = quoted(scheme.name);
    let help =
        "sign twice: `--form a2a-1.0 --form sdk-1.x`; or give it a scope, if it is a scheme with scopes";
    let remark = match signed {
        Signed::Over(payloads) if payloads.iter().any(|absent| absent.holds(subject, scheme.value)) => {
            return None;
        }
        Signed::Over(_) => {
            Remark::new(format!("no signature covers the demand for scheme {name}: it has no scopes"))
        }
        // One signature is either under a form that covers the demand or one that the SDKs accept.
        Signed::Unknown { entries: 1 } => Remark::new(format!(
            "one signature cannot both cover the demand for scheme {name}, which has no scopes, and verify in the \
             official SDKs"
        )),
        Signed::Unknown { .. } => Remark::new(format!(
            "signatures of the official SDKs do not cover the demand for scheme {name}: it has no scopes"
        ))
        .level(Level::Warning),
        // A foreign card without signatures has worse to worry about.
        Signed::No if subject.terms.profile == Profile::Consume => return None,
        Signed::No => Remark::new(format!(
            "a signature of the official SDKs would not cover the demand for scheme {name}: it has no scopes"
        ))
        .level(Level::Info),
    };
    Some(remark.help(help))
}

impl Absent {
    fn of(lost: &[Lost]) -> Self {
        let mut absent: Vec<_> = lost.iter().map(|lost| lost.value).collect();
        absent.sort_unstable();
        Self(absent)
    }

    /// Whether the payload holds `value`.
    fn holds(&self, subject: &Subject<'_>, value: Value<'_>) -> bool {
        let after = self.0.partition_point(|absent| *absent <= value.id());
        let nearest = after.checked_sub(1).and_then(|index| self.0.get(index));
        nearest.is_none_or(|absent| !subject.card.document().value(*absent).contains(value.id()))
    }
}
