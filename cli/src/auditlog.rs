//! The file of `--audit-log`: a line of JSON for every decision.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
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
        // Opening a pipe would wait for its other end.
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(Failure::usage(format!("`{}` is no regular file", path.display())));
        }
        let mut options = File::options();
        options.create(true).read(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| Failure::writing(path, &error))?;
        let mut log = Self { path: path.to_owned(), file };
        log.end_line().map_err(|error| Failure::writing(path, &error))?;
        Ok(log)
    }

    /// Ends a line that a run left behind when it was killed.
    fn end_line(&mut self) -> io::Result<()> {
        let mut last = [b'\n'];
        if self.file.metadata()?.len() > 0 {
            self.file.seek(SeekFrom::End(-1))?;
            self.file.read_exact(&mut last)?;
        }
        if last == *b"\n" { Ok(()) } else { self.file.write_all(b"\n") }
    }

    /// Writes one line, whole, before the answer is told.
    pub(crate) fn append(&mut self, record: &AuditRecord) -> Result<(), Failure> {
        let line = format!("{}\n", record.to_json());
        self.file.write_all(line.as_bytes()).map_err(|error| Failure::writing(&self.path, &error))
    }
}
