//! The lock that several runs take before they replace a file of one folder.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::output;

/// How long another holder is waited for; countersign holds the lock while it merges and writes one file.
const PATIENCE: Duration = Duration::from_secs(10);

const POLL: Duration = Duration::from_millis(5);

/// An advisory lock on a folder, held until it is dropped. It leaves no file behind.
pub(crate) struct FolderLock {
    /// None where folders cannot be locked: on Windows, and on some network file systems.
    _folder: Option<File>,
}

impl FolderLock {
    /// Waits for the lock of the folder in which `path` is, links followed.
    pub(crate) fn around(path: &Path) -> Result<Self, Failure> {
        let target = output::resolve(path)?;
        let Ok(folder) = File::open(output::folder_of(&target)) else {
            return Ok(Self { _folder: None });
        };
        let deadline = Instant::now() + PATIENCE;
        loop {
            match folder.try_lock() {
                Ok(()) => return Ok(Self { _folder: Some(folder) }),
                Err(TryLockError::Error(_)) => return Ok(Self { _folder: None }),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    let message = format!(
                        "cannot write `{}`: another program holds the lock of its folder",
                        path.display()
                    );
                    return Err(Failure::environment(message));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(POLL),
            }
        }
    }
}
