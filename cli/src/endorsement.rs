//! Endorsement files: read for verifying, and for adding a signature.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use countersign::keys::codes as key_codes;
use countersign::{Endorsement, EndorsementError, EndorsementReport, Limits};

use crate::failure::{Failure, Stop};
use crate::keyfile;
use crate::outcome::Outcome;
use crate::output::{self, Session};

/// The endorsements that are given for the cards of one run.
pub(crate) struct Endorsements {
    given: usize,
    /// The files of `read`, by their place.
    names: Vec<String>,
    pub(crate) read: Arc<[Endorsement]>,
    /// What became of the other files, with the JSON Pointer of the fault.
    unreadable: Vec<Unreadable>,
    /// Whether the endorsement is for one of the cards that were seen.
    used: Vec<bool>,
}

/// A file that is no endorsement.
pub(crate) struct Unreadable {
    pub(crate) file: String,
    pub(crate) failure: Failure,
}

impl Endorsements {
    /// Reads the files. One that is there and is no endorsement stops only itself.
    pub(crate) fn read(files: &[PathBuf], session: &mut Session<'_>) -> Result<Self, Stop> {
        let limit = Endorsement::MAX_GIVEN;
        if files.len() > limit {
            return Err(Failure::usage(format!("at most {limit} endorsements can be given")).into());
        }
        let mut endorsements = Self {
            given: files.len(),
            names: Vec::new(),
            read: Arc::new([]),
            unreadable: Vec::new(),
            used: Vec::new(),
        };
        let mut all = Vec::new();
        for path in files {
            let file = path.display().to_string();
            match read(path) {
                Ok(endorsement) => {
                    all.push(endorsement);
                    endorsements.names.push(file);
                    endorsements.used.push(false);
                }
                Err(failure) if failure.code.is_none() => return Err(failure.into()),
                Err(failure) => {
                    session.fail(&failure)?;
                    endorsements.unreadable.push(Unreadable { file, failure });
                }
            }
        }
        endorsements.read = all.into();
        Ok(endorsements)
    }

    /// Whether any file was named.
    pub(crate) fn is_given(&self) -> bool {
        self.given > 0
    }

    pub(crate) fn name(&self, report: &EndorsementReport) -> &str {
        self.name_at(report.index)
    }

    /// The file of the endorsement with this place among those that were read.
    pub(crate) fn name_at(&self, index: usize) -> &str {
        self.names.get(index).map_or("", String::as_str)
    }

    pub(crate) fn unreadable(&self) -> &[Unreadable] {
        &self.unreadable
    }

    /// Notes which endorsements are for a card.
    pub(crate) fn note_use(&mut self, reports: &[EndorsementReport]) {
        for (used, report) in self.used.iter_mut().zip(reports) {
            *used |= report.form.is_some();
        }
    }

    /// The files that are for none of the cards that were seen.
    pub(crate) fn unused(&self) -> impl Iterator<Item = &str> {
        self.names.iter().zip(&self.used).filter(|(_, used)| !**used).map(|(name, _)| name.as_str())
    }

    /// The answer for the run: what could not be read may have said anything.
    pub(crate) fn outcome(&self, of_cards: Outcome) -> Outcome {
        if self.unreadable.is_empty() { of_cards } else { of_cards.max(Outcome::CouldNotTell) }
    }
}

/// The endorsement that a signature is to be added to, if there is one. Another file is never one.
pub(crate) fn existing(path: &Path) -> Result<Option<Endorsement>, Failure> {
    output::resolve(path)?;
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {
            let help =
                "only an endorsement is added to, and other files are never overwritten: name another file";
            read(path).map(Some).map_err(|failure| failure.with_help(help))
        }
        Ok(_) => Err(Failure::usage(format!("`{}` is no regular file", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::reading(path, &error)),
    }
}

/// Reads one file; `-` is standard input. It may be a key by mistake, so it is read and quoted like one.
pub(crate) fn read(path: &Path) -> Result<Endorsement, Failure> {
    let name = path.display().to_string();
    let limits = Limits::default();
    let limit = limits.max_octets;
    let mut octets =
        keyfile::read_secret_file(path, limit).map_err(|error| Failure::reading(path, &error))?;
    if octets.len() > limit {
        let message = format!("{name}: the endorsement has more than {limit} octets");
        return Err(Failure::coded(Outcome::CouldNotTell, key_codes::JSON_TOO_LARGE, message));
    }
    Endorsement::read(std::mem::take(&mut *octets), &limits).map_err(|error| {
        if let EndorsementError::Json(error) = &error {
            return keyfile::not_json(&name, error);
        }
        keyfile::coded(&name, error.code(), &error).with_help(error.code().page().instead)
    })
}
