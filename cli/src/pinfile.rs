//! The file of pins: it is opened or made, and what is wrong with it is told.

use std::path::Path;

use countersign::{Pins, PinsError};

use crate::failure::{Failure, Stop};
use crate::outcome::Outcome;
use crate::output::Session;
use crate::render::escape;

/// Opens the file of pins.
pub(crate) fn open(path: &Path, session: &mut Session<'_>) -> Result<Pins, Stop> {
    tell_torn(Pins::open(path).map_err(failure)?, path, session)
}

/// The same, or a new one where there is none.
pub(crate) fn open_or_make(path: &Path, session: &mut Session<'_>) -> Result<Pins, Stop> {
    let opened = match Pins::open(path) {
        Err(PinsError::Missing { .. }) => match Pins::create(path) {
            Ok(pins) => {
                let name = escape(&path.display().to_string());
                session.note(&format!("note: `{name}` is new: no card is remembered yet"))?;
                return Ok(pins);
            }
            // Somebody else made it in between.
            Err(_) if path.exists() => Pins::open(path),
            Err(error) => Err(error),
        },
        opened => opened,
    };
    tell_torn(opened.map_err(failure)?, path, session)
}

fn tell_torn(pins: Pins, path: &Path, session: &mut Session<'_>) -> Result<Pins, Stop> {
    let torn = pins.torn_octets().map_err(failure)?;
    if torn > 0 {
        let name = escape(&path.display().to_string());
        session.note(&format!(
            "note: `{name}` ends in {torn} octets of a line that was not finished, so nobody was answered what it says; the \
             next writer cuts them off"
        ))?;
    }
    Ok(pins)
}

/// What a failure of the file means for the exit code, and what to do.
pub(crate) fn failure(error: PinsError) -> Failure {
    let (outcome, help) = match &error {
        PinsError::Missing { .. } => {
            (Outcome::CouldNotTell, Some("`countersign admit … --pins FILE` makes a new one"))
        }
        PinsError::Damaged { .. } => (
            Outcome::CouldNotTell,
            Some(
                "take the file from a backup; without it nothing is known of earlier cards, and every agent has to be \
                 reviewed again",
            ),
        ),
        PinsError::Revoked { .. } => (Outcome::No, None),
        PinsError::Unavailable { .. } | PinsError::Replaced { .. } | _ => (Outcome::Environment, None),
    };
    let failure = Failure::coded(outcome, error.code(), error.to_string());
    match help {
        Some(help) => failure.with_help(help),
        None => failure,
    }
}
