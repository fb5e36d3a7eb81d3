//! Reads trust policies: TOML files to a [`TrustPolicy`], or to everything that is wrong with them.

mod cases;
mod check;
mod compose;
mod error;
mod expanded;
mod floor;
mod nearest;
mod parse;
mod path;
mod quote;
mod scalar;
#[cfg(feature = "schema")]
mod schema;
mod secret;
mod stated;
mod text;
mod written;

pub use error::{PolicyError, PolicyFault};
pub use expanded::ExpandedPolicy;
pub use quote::toml_text;
#[cfg(feature = "schema")]
pub use schema::policy_schema;

use crate::TrustPolicy;

/// Gives the files that a policy consists of.
pub trait Files {
    /// The octets of a file.
    ///
    /// `path` is the one that [`TrustPolicy::load`] was given, or one that a file of the policy names, relative to the same
    /// folder. Its parts are separated by `/`; a path that a file names has no part that is empty, `.` or `..`. What a
    /// symbolic link leads to is for the implementation to judge: outside the folder it is an escape.
    ///
    /// # Errors
    ///
    /// [`FileFault`] if there is no such file, it cannot be read, or it is outside the folder.
    fn read(&self, path: &str) -> Result<Vec<u8>, FileFault>;
}

/// Why a file of a policy is not given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct FileFault {
    /// Why, lower case.
    pub message: String,
    /// What kind of fault it is.
    pub kind: FileFaultKind,
}

/// Kinds of [`FileFault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "outside the folder, or anything else")]
pub enum FileFaultKind {
    /// The file is outside the folder of the policy.
    Escape,
    /// It is not there, or cannot be read.
    Unreadable,
}

impl FileFault {
    /// A fault of this kind.
    #[must_use]
    pub fn new(kind: FileFaultKind, message: impl Into<String>) -> Self {
        Self { message: message.into(), kind }
    }
}

/// What the program that reads a policy knows.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "written by the program that reads policies")]
pub struct Tool {
    /// Its version, `X.Y.Z`, against which `min-tool` is held.
    pub version: &'static str,
    /// The names of the canonical forms that it can verify.
    pub forms: &'static [&'static str],
    /// The names of those that count where a policy does not say.
    pub default_forms: &'static [&'static str],
}

/// A policy of one file.
struct NoFiles<'t> {
    name: &'t str,
    text: &'t str,
}

impl Files for NoFiles<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileFault> {
        if path == self.name {
            return Ok(self.text.as_bytes().to_vec());
        }
        Err(FileFault::new(FileFaultKind::Unreadable, "the policy was read from a text alone"))
    }
}

impl TrustPolicy {
    /// Reads a policy from its file `path` and from the files that it names.
    ///
    /// Not checked: whether a rule can ever apply, whether keys have expired and exceptions have ended (there is no clock
    /// here), and what a JWK set with a `url` holds: it is not fetched.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] with every fault; a text that is no TOML, and a member of an unknown name or of a wrong type, is
    /// the only fault.
    pub fn load(path: &str, files: &dyn Files, tool: &Tool) -> Result<Self, PolicyError> {
        compose::load(path, files, tool)
    }

    /// Reads a policy that names no other file from `text`; `name` is used in places.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load); a reference to a file is a fault.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign_policy::{Tool, TrustPolicy};
    ///
    /// let text = r#"
    /// schema = 1
    ///
    /// [[key]]
    /// id = "acme"
    /// jwk = { kty = "OKP", crv = "Ed25519", x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }
    /// origins = ["https://agents.acme.example"]
    ///
    /// [[allow]]
    /// id = "acme"
    /// from = ["https://agents.acme.example"]
    /// "#;
    /// let tool = Tool { version: "0.1.0", forms: &["a2a-1.0"], default_forms: &["a2a-1.0"] };
    /// let policy = TrustPolicy::read(text, "trust-policy.toml", &tool)?;
    /// assert_eq!(policy.allows()[0].id, "acme");
    ///
    /// let error = TrustPolicy::read(&text.replace("origins", "origin"), "trust-policy.toml", &tool).unwrap_err();
    /// assert_eq!(error.faults[0].help.as_deref(), Some("did you mean `origins`?"));
    /// # Ok::<(), countersign_policy::PolicyError>(())
    /// ```
    pub fn read(text: &str, name: &str, tool: &Tool) -> Result<Self, PolicyError> {
        compose::load(name, &NoFiles { name, text }, tool)
    }
}

/// Whether version `needed` is after `own`, both `X.Y.Z`; [`None`] for anything else.
fn version_order(needed: &str, own: &str) -> Option<core::cmp::Ordering> {
    let numbers = |text: &str| {
        let release = text.split(['-', '+']).next().unwrap_or_default();
        let numbers: Option<Vec<u64>> = release
            .split('.')
            .map(|part| part.parse().ok().filter(|_| part.bytes().all(|octet| octet.is_ascii_digit())))
            .collect();
        numbers.filter(|numbers| numbers.len() == 3)
    };
    Some(numbers(needed)?.cmp(&numbers(own)?))
}
