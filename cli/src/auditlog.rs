//! The file of `--audit-log`: a line of JSON for every decision.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use countersign::AuditRecord;

use crate::failure::Failure;

/// A file that lines are appended to; several runs may share it.
pub(crate) struct AuditLog {
    path: PathBuf,
    file: File,
}

impl AuditLog {
    /// Opens the file, and makes it for this user alone if there is none.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let mut options = File::options();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| Failure::writing(path, &error))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes one line, whole, before the answer is told.
    pub(crate) fn append(&mut self, record: &AuditRecord) -> Result<(), Failure> {
        let line = format!("{}\n", record.to_json());
        self.file.write_all(line.as_bytes()).map_err(|error| Failure::writing(&self.path, &error))
    }
}
