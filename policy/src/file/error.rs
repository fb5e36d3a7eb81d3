//! Why a policy cannot be had.

use std::fmt;

use countersign_keys::Code;

use super::secret;
use crate::{PolicyFile, PolicyPlace};

/// Why a policy cannot be had: every fault that was found.
///
/// A text that is no TOML, or has a member of a wrong name or type, is not read further: then there is one fault.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyError {
    /// At least one, by file and place.
    pub faults: Vec<PolicyFault>,
    /// The files that were read, the one that was asked for first. Private keys that were found in them are blackened.
    pub files: Vec<PolicyFile>,
}

/// One thing that is wrong with a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyFault {
    /// What is wrong.
    pub code: Code,
    /// One sentence, lower case, user text in backticks.
    pub message: String,
    /// Where.
    pub place: Option<PolicyPlace>,
    /// What to write instead, where the fault knows more than the page of its code.
    pub help: Option<String>,
    /// Other places that take part, and what is there.
    pub related: Vec<(PolicyPlace, String)>,
}

/// One line for each fault: `file:line:column: message [code]`.
impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for PolicyError {}

impl fmt::Display for PolicyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{} [{}]", self.message, self.code)
    }
}

impl PolicyFault {
    pub(super) fn new(code: Code, place: PolicyPlace, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), place: Some(place), help: None, related: Vec::new() }
    }

    /// Takes the text of a private key out of the message, and says where the key is written.
    pub(super) fn withhold_key(&mut self) -> Option<PolicyPlace> {
        if !secret::is_in(&self.message) {
            return None;
        }
        "what stands here may be a private key, and is not repeated".clone_into(&mut self.message);
        self.help = Some(
            "keep private keys out of policies; `countersign key public` writes the public half".to_owned(),
        );
        self.place.clone()
    }

    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(super) fn with_related(mut self, place: PolicyPlace, what: impl Into<String>) -> Self {
        self.related.push((place, what.into()));
        self
    }
}
