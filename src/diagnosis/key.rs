//! A signature that names one key and was made by another.

use countersign_keys::jws::signing_input;
use countersign_keys::trust::{TrustedKey, TrustedKeys};

use super::Cause;
use super::trial::{Fit, Trial, Tried, is_among};
use crate::canonical::Variation;

/// Most other keys that are tried.
const MAX_KEYS: usize = 16;

/// Most signature checks of this search.
const MAX_CHECKS: usize = 48;

/// The trusted key that made the signature although its `kid` does not name it.
pub(super) fn another(trial: &mut Trial<'_>, keys: &TrustedKeys) -> Tried<Option<Fit>> {
    let mut others: Vec<&TrustedKey> = Vec::new();
    for key in keys.keys().iter().filter(|key| key.key().kind() == trial.algorithm.key_kind()) {
        let known = is_among(&trial.keys, key.thumbprint()) || is_among(&others, key.thumbprint());
        if !known && others.len() < MAX_KEYS {
            others.push(key);
        }
    }
    if others.is_empty() {
        return Ok(None);
    }
    trial.within(MAX_CHECKS, |trial| made_by(trial, &others))
}

fn made_by(trial: &mut Trial<'_>, others: &[&TrustedKey]) -> Tried<Option<Fit>> {
    let mut seen: Vec<Vec<u8>> = Vec::new();
    for form in trial.all_forms() {
        let Some(payload) = trial.payload(trial.card, form, &Variation::default())? else { continue };
        if seen.contains(&payload) {
            continue;
        }
        let input = signing_input(trial.protected, &payload);
        for key in others {
            if trial.verifies(key, &input)? {
                let kid = key.kid().map(|kid| format!("`{kid}`, ")).unwrap_or_default();
                let again =
                    key.kid().map(|kid| format!("; sign again with `--kid {kid}`")).unwrap_or_default();
                let message = format!(
                    "another trusted key made it than its `kid` names: {kid}thumbprint {}; it verifies {}{again}",
                    key.thumbprint(),
                    trial.under(form)
                );
                return Ok(Some(Fit::new(Cause::AnotherKey, form, message)));
            }
        }
        seen.push(payload);
    }
    Ok(None)
}
