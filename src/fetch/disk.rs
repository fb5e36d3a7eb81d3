//! Responses in a folder.

mod frame;

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{ResponseStore, StoreAction, StoreError, StoreKey, StoreLimits, StoredResponse};

/// How the names of files begin that are not finished.
const UNFINISHED: &str = ".new-";

/// The folder is looked through after this share of its entries was written, or an entry of this share of its octets.
const SHRINK_SHARE: usize = 64;

/// Hexadecimal digits of the name of a file that is finished.
const NAME_DIGITS: usize = 64;

/// A file that is not finished, and this much older than the newest one, was left behind by a process that ended.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Remembers responses in a folder, one file each, for all processes of one user.
///
/// A file is written under another name and renamed when it is whole; its name is the SHA-256 of its key. It is believed only
/// if its checksum holds and it is for the key that was asked for: a file that is cut, changed or renamed is a response that
/// was never remembered, and is removed. Other users must have no rights in the folder (mode 0700), as it may hold what only
/// the holder of a credential may read; on systems other than Unix, rights are not looked at. What was written first goes first; the
/// limits are looked at after every 64th part of them, so that they may be passed by that much.
///
/// # Examples
///
/// ```
/// use countersign::fetch::{DiskStore, StoreLimits};
///
/// # let scratch = tempfile::tempdir()?;
/// # let folder = scratch.path().join("responses");
/// let store = DiskStore::open(&folder, StoreLimits::default())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DiskStore {
    folder: PathBuf,
    limits: StoreLimits,
    /// Files that this process wrote.
    written: AtomicUsize,
}

impl DiskStore {
    /// Opens the folder, and makes it if there is none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if it cannot be made or written to, or if it is another user's or others have rights in it
    /// ([`io::ErrorKind::PermissionDenied`]).
    pub fn open(folder: impl AsRef<Path>, limits: StoreLimits) -> Result<Self, StoreError> {
        let folder = folder.as_ref().to_owned();
        prepare(&folder).map_err(|error| StoreError::new(StoreAction::Open, error.kind()))?;
        Ok(Self { folder, limits, written: AtomicUsize::new(0) })
    }

    /// Every response that is whole, in the order of the URLs. Nothing is removed.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the folder cannot be read.
    pub fn list(&self) -> Result<Vec<StoredResponse>, StoreError> {
        let fault = |error: io::Error| StoreError::new(StoreAction::Read, error.kind());
        let mut found = Vec::new();
        for path in self.files().map_err(fault)? {
            let octets = self.read(&path).map_err(fault)?;
            let response = octets.and_then(|octets| frame::read(&octets));
            found.extend(response.filter(|response| self.path(&response.key) == path));
        }
        found.sort_by(|left, right| left.key.cmp(&right.key));
        Ok(found)
    }

    /// Forgets every response; gives how many files there were.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the folder cannot be read or written.
    pub fn clear(&self) -> Result<usize, StoreError> {
        let fault = |error: io::Error| StoreError::new(StoreAction::Write, error.kind());
        let mut cleared: usize = 0;
        for path in self.files().map_err(fault)? {
            remove_if_there(&path).map_err(fault)?;
            cleared = cleared.saturating_add(1);
        }
        Ok(cleared)
    }

    /// The files that are this store's by their names; whatever else is in the folder is left alone.
    fn files(&self) -> io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_own = name.starts_with(UNFINISHED)
                || (name.len() == NAME_DIGITS && name.bytes().all(|octet| octet.is_ascii_hexdigit()));
            // It may have gone in between.
            if is_own && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                files.push(entry.path());
            }
        }
        Ok(files)
    }

    fn path(&self, key: &StoreKey) -> PathBuf {
        self.folder.join(key.digest())
    }

    /// The whole file; nothing if there is none or it is larger than all responses may be together.
    fn read(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        let limit = u64::try_from(self.limits.max_octets).unwrap_or(u64::MAX);
        let file = match fs::File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let mut octets = Vec::new();
        let read = file.take(limit.saturating_add(1)).read_to_end(&mut octets)?;
        // An empty file is read as a damaged one.
        if u64::try_from(read).is_ok_and(|read| read <= limit) {
            Ok(Some(octets))
        } else {
            Ok(Some(Vec::new()))
        }
    }

    fn write(&self, response: &StoredResponse) -> io::Result<()> {
        let octets = frame::write(response);
        if octets.len() > self.limits.max_octets || self.limits.max_entries == 0 {
            return remove_if_there(&self.path(&response.key));
        }
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.folder)?;
        file.write_all(&octets)?;
        file.persist(self.path(&response.key)).map_err(|error| error.error)?;
        // Looking through the whole folder takes longer than writing; the limits may be passed by a few in between.
        let often = self.limits.max_entries.div_ceil(SHRINK_SHARE).max(1);
        let is_time = self.written.fetch_add(1, Ordering::Relaxed).is_multiple_of(often);
        if is_time || octets.len() > self.limits.max_octets / SHRINK_SHARE { self.shrink() } else { Ok(()) }
    }

    /// Removes what was written first until the limits hold. Another process may do the same at the same time.
    fn shrink(&self) -> io::Result<()> {
        let mut files = Vec::new();
        let mut unfinished = Vec::new();
        for path in self.files()? {
            // It may have gone in between.
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            let is_unfinished =
                path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(UNFINISHED));
            let file = (metadata.modified()?, metadata.len(), path);
            if is_unfinished {
                unfinished.push(file);
            } else {
                files.push(file);
            }
        }
        files.sort();
        let newest = files.last().map(|(written, ..)| *written);
        for (written, _, path) in unfinished {
            let age = newest.and_then(|newest| newest.duration_since(written).ok());
            if age.is_some_and(|age| age > ABANDONED) {
                remove_if_there(&path)?;
            }
        }
        let limit = u64::try_from(self.limits.max_octets).unwrap_or(u64::MAX);
        let mut octets = files.iter().fold(0_u64, |sum, (_, length, _)| sum.saturating_add(*length));
        let mut count = files.len();
        for (_, length, path) in files {
            if count <= self.limits.max_entries && octets <= limit {
                break;
            }
            remove_if_there(&path)?;
            octets = octets.saturating_sub(length);
            count = count.saturating_sub(1);
        }
        Ok(())
    }
}

impl ResponseStore for DiskStore {
    fn load(&self, key: &StoreKey) -> Result<Option<StoredResponse>, StoreError> {
        let fault = |error: io::Error| StoreError::new(StoreAction::Read, error.kind());
        let path = self.path(key);
        let Some(octets) = self.read(&path).map_err(fault)? else { return Ok(None) };
        match frame::read(&octets).filter(|response| response.key == *key) {
            Some(response) => Ok(Some(response)),
            None => {
                remove_if_there(&path).map_err(fault)?;
                Ok(None)
            }
        }
    }

    fn save(&self, response: &StoredResponse) -> Result<(), StoreError> {
        self.write(response).map_err(|error| StoreError::new(StoreAction::Write, error.kind()))
    }

    fn remove(&self, key: &StoreKey) -> Result<(), StoreError> {
        remove_if_there(&self.path(key)).map_err(|error| StoreError::new(StoreAction::Write, error.kind()))
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(unix)]
fn prepare(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};

    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // A link leads to a folder that somebody else may have chosen.
    let metadata = fs::symlink_metadata(folder)?;
    if !metadata.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    // A new file is this user's, whoever that is.
    let own = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)?.as_file().metadata()?;
    if metadata.mode() & 0o077 == 0 && metadata.uid() == own.uid() {
        Ok(())
    } else {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}

#[cfg(not(unix))]
fn prepare(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder).map(|_| ())
}
