//! Exceptions: reasons that one source need not answer for, for a time.

use countersign_keys::Code;

use super::{Notes, is_integrity};
use crate::codes::{self, decision as reasons};
use crate::{AdmissionRequest, AllowRule, Exception, Reason, TraceStep, TrustPolicy, UnixTime, Waived};

/// The exceptions that hold for a request under a rule.
pub(super) struct Exceptions<'p> {
    holding: Vec<&'p Exception>,
}

impl<'p> Exceptions<'p> {
    pub(super) fn of(
        policy: &'p TrustPolicy,
        rule: &AllowRule,
        request: &AdmissionRequest,
        now: UnixTime,
    ) -> Self {
        let origin = request.source.url.origin();
        let holds = |exception: &&Exception| {
            exception.rule.value == rule.id && exception.origin.value == origin && now <= exception.until
        };
        let mut holding: Vec<_> = policy.exceptions().iter().filter(holds).collect();
        holding.sort_by(|left, right| left.id.cmp(&right.id));
        Self { holding }
    }

    /// Moves the reasons that an exception waives.
    pub(super) fn waive(&self, found: &mut Vec<Reason>, waived: &mut Vec<Waived>) {
        found.retain(|reason| match self.waiving(reason) {
            Some(exception) => {
                waived.push(Waived { reason: reason.clone(), exception: exception.id.clone() });
                false
            }
            None => true,
        });
    }

    pub(super) fn note(&self, waived: &[Waived], notes: &mut Notes) {
        if self.holding.is_empty() {
            return;
        }
        let mut used: Vec<&str> = waived.iter().map(|waived| waived.exception.as_str()).collect();
        used.sort_unstable();
        used.dedup();
        notes.trace.push(TraceStep {
            step: "exceptions",
            considered: self.holding.iter().map(|exception| exception.id.clone()).collect(),
            picked: (!used.is_empty()).then(|| used.join(", ")),
            why: format!("{} reasons are waived", waived.len()).into(),
            place: self.holding.first().map(|exception| exception.place.clone()),
        });
    }

    fn waiving(&self, reason: &Reason) -> Option<&'p Exception> {
        if !is_waivable(reason.code) {
            return None;
        }
        self.holding
            .iter()
            .copied()
            .find(|exception| exception.waives.iter().any(|code| code.value == reason.code))
    }
}

/// Whether an exception may waive a reason: never what a deny rule or a person says, that no rule is for the request, that no interface
/// is left, that a URL or interface cannot be read, or damage to what was signed.
pub(crate) fn is_waivable(code: Code) -> bool {
    const FINAL: [Code; 11] = [
        reasons::PIN_REVOKED,
        reasons::ORIGIN_DENIED,
        reasons::EXT_DENIED,
        reasons::ORIGIN_NO_RULE,
        reasons::TENANT_NOT_APPROVED,
        reasons::USE_NOT_APPROVED,
        reasons::IFACE_NONE_LEFT,
        reasons::IFACE_NONE_COMPATIBLE,
        reasons::CARD_INTERFACE_INCOMPLETE,
        reasons::CARD_UNVERSIONED,
        codes::CARD_VERSION_UNRECOGNIZED,
    ];
    let is_unreadable_url = code.name().starts_with("url.") && code != codes::URL_PRIVATE_ADDRESS;
    !is_integrity(code) && !is_unreadable_url && !FINAL.contains(&code)
}
