//! The files of a policy: the only place where this package touches the disk.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use countersign_policy::{FileFault, FileFaultKind, Files, PolicyError, Tool, TrustPolicy};

use crate::canonical::Form;

/// Longest file of a policy, in octets: 1 MiB. Why: policies of 1,000 rules and sets of 1,000 keys have less.
const MAX_FILE_OCTETS: u64 = 1024 * 1024;

/// The names of [`Form::ALL`].
const FORMS: [&str; 10] = [
    Form::A2a10.name(),
    Form::A2a10Open.name(),
    Form::AsReceived.name(),
    Form::Sdk1x.name(),
    Form::A2a10Filled.name(),
    Form::SdkPy10.name(),
    Form::SdkJsTyped.name(),
    Form::SdkPy03.name(),
    Form::SdkPy0322.name(),
    Form::Zeph.name(),
];

/// The names of [`Form::ACCEPTED`].
const ACCEPTED: [&str; 5] = [
    Form::A2a10.name(),
    Form::A2a10Open.name(),
    Form::AsReceived.name(),
    Form::Sdk1x.name(),
    Form::SdkPy10.name(),
];

/// What this version knows, for policies that are read.
pub const TOOL: Tool = Tool { version: env!("CARGO_PKG_VERSION"), forms: &FORMS, default_forms: &ACCEPTED };

/// Loads a trust policy from a file, with the files that it names.
///
/// They are read from the folder of the policy and below it, each at most 1 MiB; a symbolic link that leads out of the folder
/// is an escape. The policy itself may be a link. Not checked: who may write these files.
///
/// # Errors
///
/// [`PolicyError`] with every fault, a file that cannot be read among them.
///
/// # Examples
///
/// ```
/// let error = countersign::load_policy("nowhere/trust-policy.toml".as_ref()).unwrap_err();
/// assert_eq!(error.faults.len(), 1);
/// ```
pub fn load_policy(path: &Path) -> Result<TrustPolicy, PolicyError> {
    let folder = PolicyFolder::of(path);
    TrustPolicy::load(&folder.name, &folder, &TOOL)
}

/// The folder that a policy is in, as [`Files`].
#[derive(Clone, Debug)]
pub struct PolicyFolder {
    policy: PathBuf,
    /// The path of the policy, with slashes.
    name: String,
}

impl PolicyFolder {
    /// The folder of the policy at `policy`. Nothing is read yet.
    #[must_use]
    pub fn of(policy: &Path) -> Self {
        let name = policy.to_string_lossy();
        let name = if cfg!(windows) { name.replace('\\', "/") } else { name.into_owned() };
        Self { policy: policy.to_owned(), name }
    }

    /// The name of the policy, for [`TrustPolicy::load`].
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where a file is, links followed.
    fn locate(&self, path: &str) -> Result<PathBuf, FileFault> {
        if path == self.name {
            return fs::canonicalize(&self.policy).map_err(|error| unreadable(&error));
        }
        let folder = self.policy.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder =
            fs::canonicalize(folder.unwrap_or(Path::new("."))).map_err(|error| unreadable(&error))?;
        let within = match self.name.rsplit_once('/') {
            Some((prefix, _)) => path.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('/')),
            None => Some(path),
        };
        let target =
            fs::canonicalize(folder.join(within.ok_or_else(escape)?)).map_err(|error| unreadable(&error))?;
        if target.starts_with(&folder) { Ok(target) } else { Err(escape()) }
    }
}

impl Files for PolicyFolder {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileFault> {
        let target = self.locate(path)?;
        // Opening a pipe would wait for its other end.
        if !fs::metadata(&target).map_err(|error| unreadable(&error))?.is_file() {
            return Err(FileFault::new(FileFaultKind::Unreadable, "it is no regular file"));
        }
        let file = File::open(&target).map_err(|error| unreadable(&error))?;
        let mut octets = Vec::new();
        let read = file.take(MAX_FILE_OCTETS + 1).read_to_end(&mut octets);
        read.map_err(|error| unreadable(&error))?;
        if u64::try_from(octets.len()).is_ok_and(|length| length <= MAX_FILE_OCTETS) {
            return Ok(octets);
        }
        let message = format!("it has more than {MAX_FILE_OCTETS} octets");
        Err(FileFault::new(FileFaultKind::Unreadable, message))
    }
}

fn escape() -> FileFault {
    FileFault::new(FileFaultKind::Escape, "it leads out of the folder of the policy")
}

/// What the operating system says, without its number.
fn unreadable(error: &io::Error) -> FileFault {
    let text = error.to_string();
    let reason = text.split(" (os error").next().unwrap_or_default().to_lowercase();
    FileFault::new(FileFaultKind::Unreadable, reason)
}

#[cfg(test)]
mod tests {
    use super::TOOL;
    use crate::Form;

    #[test]
    fn policies_may_name_every_form_and_the_accepted_ones_are_the_default() {
        assert_eq!(TOOL.forms, Form::ALL.map(Form::name));
        assert_eq!(TOOL.default_forms, Form::ACCEPTED.map(Form::name));
    }
}
