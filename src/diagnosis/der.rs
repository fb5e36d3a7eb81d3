//! An ECDSA signature in DER (RFC 3279 §2.2.3), where RFC 7518 §3.4 wants r and s at fixed length.

use super::Cause;
use super::trial::{Fit, Trial, Tried};
use crate::canonical::Variation;

/// Whether the signature verifies once it is written as r and s.
pub(super) fn converted(trial: &mut Trial<'_>) -> Tried<Option<Fit>> {
    let is_ecdsa = trial.algorithm.key_kind().kty() == "EC";
    let key = trial.keys.first().filter(|_| is_ecdsa);
    let Some(fixed) = key.and_then(|key| key.key().signature_from_der(&trial.signature)) else {
        return Ok(None);
    };
    let received = std::mem::replace(&mut trial.signature, fixed);
    let fit = search(trial);
    trial.signature = received;
    fit
}

fn search(trial: &mut Trial<'_>) -> Tried<Option<Fit>> {
    for form in trial.all_forms() {
        if trial.fits(trial.card, form, &Variation::default())? {
            let message = format!(
                "the signature is in DER; as r and s at fixed length it verifies {}",
                trial.under(form)
            );
            return Ok(Some(Fit::new(Cause::DerSignature, form, message)));
        }
    }
    Ok(None)
}
