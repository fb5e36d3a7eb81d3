//! Folders of this user: what others may do in them.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::Path;

use crate::failure::Failure;

/// What other users may do in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// They may look, and change nothing.
    MayRead,
    /// They may do nothing, and the folder is no link.
    MayDoNothing,
}

/// Makes a folder for this user alone, if there is none.
pub(crate) fn make(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Refuses a folder of another user, and one in which others may do more than that.
pub(crate) fn check(folder: &Path, others: Others) -> Result<(), Failure> {
    if is_fit(folder, others).map_err(|error| Failure::reading(folder, &error))? {
        return Ok(());
    }
    let (message, help) = match others {
        Others::MayRead => {
            ("others may write in it", "it has to be a folder that only its owner may write in")
        }
        Others::MayDoNothing => {
            ("others have rights in it", "it has to be a folder that only its owner may use (mode 0700)")
        }
    };
    let message = format!("the folder `{}` is another user's, or {message}", folder.display());
    Err(Failure::environment(message).with_help(help))
}

#[cfg(unix)]
fn is_fit(folder: &Path, others: Others) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let (found, forbidden) = match others {
        Others::MayRead => (fs::metadata(folder)?, 0o022),
        Others::MayDoNothing => (fs::symlink_metadata(folder)?, 0o077),
    };
    let is_own = found.uid() == rustix::process::geteuid().as_raw();
    Ok(found.is_dir() && is_own && found.mode() & forbidden == 0)
}

/// Elsewhere rights are not looked at.
#[cfg(not(unix))]
fn is_fit(folder: &Path, _: Others) -> io::Result<bool> {
    fs::metadata(folder).map(|found| found.is_dir())
}
