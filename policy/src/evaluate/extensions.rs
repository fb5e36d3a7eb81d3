//! Extensions that the card requires and the client does not support.

use super::Notes;
use crate::codes::decision as reasons;
use crate::{AdmissionRequest, CardFacts, Reason};

pub(super) fn look(request: &AdmissionRequest, facts: &CardFacts<'_>, notes: &mut Notes) {
    let Some(supported) = &request.extensions else { return };
    let required = facts.extensions.iter().filter(|extension| extension.is_required);
    for extension in required.filter(|extension| !supported.iter().any(|uri| uri == extension.uri)) {
        let message =
            format!("the card requires the extension `{}`, which the client does not support", extension.uri);
        let reason = Reason::new(reasons::EXT_REQUIRED_UNSUPPORTED, message);
        notes.reasons.push(reason.found(&extension.pointer, Some(extension.uri)));
    }
    notes.step("extensions", format!("{} extensions", facts.extensions.len()));
}
