//! Where answers go: the two streams, JSON lines, and files that are replaced whole.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use countersign::keys::trust::KeyFinding;
use countersign::{Finding, Level, Limits, UnixTime};
use serde::Serialize;

use crate::args::{Format, Global};
use crate::clock;
use crate::endorsement::Unreadable;
use crate::failure::Failure;
use crate::json;
use crate::keyfile;
use crate::render::{Paint, escape};

/// A stream and whether text for people is coloured on it.
pub(crate) struct Stream<'s> {
    pub(crate) writer: &'s mut dyn Write,
    pub(crate) paint: Paint,
}

/// How much is said beside the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    Quiet,
    Normal,
    Verbose,
}

/// What every command works with: the two streams and the global options.
pub(crate) struct Session<'s> {
    pub(crate) out: Stream<'s>,
    pub(crate) err: Stream<'s>,
    pub(crate) format: Format,
    pub(crate) detail: Detail,
    pub(crate) limits: Limits,
    at: Option<UnixTime>,
    /// The documents of the run, if they are kept for a report.
    documents: Option<Vec<String>>,
}

impl<'s> Session<'s> {
    pub(crate) fn new(global: &Global, format: Format, out: Stream<'s>, err: Stream<'s>) -> Self {
        let detail = match (global.quiet, global.verbose) {
            (true, _) => Detail::Quiet,
            (false, true) => Detail::Verbose,
            (false, false) => Detail::Normal,
        };
        let limits = Limits::default().with_max_octets(global.max_octets);
        Self { out, err, format, detail, limits, at: global.at, documents: None }
    }

    /// `--at`, else the clock.
    pub(crate) fn now(&self) -> UnixTime {
        self.at.unwrap_or_else(clock::now)
    }

    /// One JSON object on a line of its own.
    pub(crate) fn json(&mut self, object: &impl Serialize) -> io::Result<()> {
        let line = json::to_text(object)?;
        writeln!(self.out.writer, "{line}")
    }

    /// Keeps every document from now on, whatever the format.
    pub(crate) fn keep_documents(&mut self) {
        self.documents = Some(Vec::new());
    }

    /// Takes a document into the keeping, if there is any.
    pub(crate) fn document(&mut self, document: &impl Serialize) -> io::Result<()> {
        if let Some(documents) = &mut self.documents {
            documents.push(json::to_text(document)?);
        }
        Ok(())
    }

    /// What was kept, one JSON object each.
    pub(crate) fn take_documents(&mut self) -> Vec<String> {
        self.documents.take().unwrap_or_default()
    }

    /// A line of data that was asked for. The caller escapes what is not trusted.
    pub(crate) fn data(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out.writer, "{line}")
    }

    /// A line of a verdict for people; left out by `--quiet`. The caller escapes what is not trusted.
    pub(crate) fn say(&mut self, line: &str) -> io::Result<()> {
        if self.detail == Detail::Quiet { Ok(()) } else { writeln!(self.out.writer, "{line}") }
    }

    /// A line on standard error; left out by `--quiet`. The caller escapes what is not trusted.
    pub(crate) fn note(&mut self, line: &str) -> io::Result<()> {
        if self.detail == Detail::Quiet { Ok(()) } else { writeln!(self.err.writer, "{line}") }
    }

    /// A line on standard error for `--verbose` only.
    pub(crate) fn remark(&mut self, line: &str) -> io::Result<()> {
        if self.detail == Detail::Verbose { writeln!(self.err.writer, "{line}") } else { Ok(()) }
    }

    /// A failure on standard error, at once.
    pub(crate) fn fail(&mut self, failure: &Failure) -> io::Result<()> {
        failure.print(self.err.writer, self.err.paint)
    }
}

/// An agent or a file about which nothing can be said.
#[derive(Serialize)]
pub(crate) struct FailureJson<'f> {
    schema: &'static str,
    input: &'f str,
    code: Option<&'static str>,
    message: &'f str,
    help: Option<&'f str>,
}

impl<'f> FailureJson<'f> {
    pub(crate) fn of(input: &'f str, failure: &'f Failure) -> Self {
        Self {
            schema: "countersign.failure/1",
            input,
            code: failure.code.map(countersign::Code::name),
            message: &failure.message,
            help: failure.help.as_deref(),
        }
    }
}

/// A finding in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct FindingJson<'f> {
    code: &'static str,
    level: &'static str,
    pointer: Option<&'f str>,
    message: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kid: Option<&'f str>,
}

impl<'f> FindingJson<'f> {
    pub(crate) fn about_card(finding: &'f Finding) -> Self {
        Self {
            code: finding.code.name(),
            level: finding.level.name(),
            pointer: finding.pointer.as_deref(),
            message: &finding.message,
            file: None,
            kid: finding.kid.as_deref(),
        }
    }

    pub(crate) fn about_key(finding: &'f KeyFinding) -> Self {
        Self { file: finding.file.as_deref(), ..Self::about_card(&finding.finding) }
    }

    /// A finding in another file than the card.
    pub(crate) fn in_file(finding: &'f Finding, file: &'f str) -> Self {
        Self { file: Some(file), ..Self::about_card(finding) }
    }

    /// Why an endorsement could not be read.
    pub(crate) fn about_endorsement(unreadable: &'f Unreadable) -> Option<Self> {
        let own = Self::unreadable(&unreadable.failure, "")?;
        Some(Self { pointer: None, file: Some(&unreadable.file), ..own })
    }

    /// Why a card could not be read.
    pub(crate) fn unreadable(failure: &'f Failure, pointer: &'f str) -> Option<Self> {
        let code = failure.code?.name();
        let level = Level::Error.name();
        Some(Self { code, level, pointer: Some(pointer), message: &failure.message, file: None, kid: None })
    }
}

/// A finding as a line: `warning[code] at /pointer: message`.
pub(crate) fn finding_line(finding: &Finding, file: Option<&str>, paint: Paint) -> String {
    let head = format!("{}[{}]", finding.level, finding.code);
    let head = match finding.level {
        Level::Error => paint.bad(&head),
        Level::Warning => paint.warn(&head),
        Level::Info => paint.dim(&head),
    };
    let file = file.map(|file| format!(" {}", escape(file))).unwrap_or_default();
    let pointer = finding.pointer.as_deref().filter(|pointer| !pointer.is_empty());
    let pointer = pointer.map(|pointer| format!(" at {}", escape(pointer))).unwrap_or_default();
    format!("{head}{file}{pointer}: {}", escape(&finding.message))
}

/// Whether two paths lead to one file, as far as both exist.
pub(crate) fn is_same(left: &Path, right: &Path) -> bool {
    match (fs::canonicalize(left), fs::canonicalize(right)) {
        (Ok(left), Ok(right)) => left == right,
        _ => left == right,
    }
}

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// The owner only: mode 0600.
    Owner,
    /// Whom the user's umask allows.
    Default,
}

/// What became of a file that was to be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaced {
    Done,
    /// It is not what was read any more, and was left as it is.
    Changed,
}

/// Replaces a file whole: a temporary file beside it is written, then renamed. An existing file keeps its permissions; a
/// link stays and its target is replaced, a link to nowhere is refused; what is no regular file is written to as it is.
pub(crate) fn replace_file(path: &Path, octets: &[u8]) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::writing(path, &error);
    let place = Place::of(path)?;
    if place.is_special() {
        return place.overwrite(octets).map_err(failed);
    }
    let file = place.temporary(octets).map_err(failed)?;
    file.persist(&place.target).map_err(|error| failed(error.error))?;
    Ok(())
}

/// The same for a file that was `read`, or that was not there. Only who holds the lock of its folder can be sure that it
/// does not change between the last look at it and the renaming. What is no regular file is not looked at.
pub(crate) fn replace_unchanged(
    path: &Path,
    read: Option<&[u8]>,
    octets: &[u8],
) -> Result<Replaced, Failure> {
    let failed = |error: io::Error| Failure::writing(path, &error);
    let place = Place::of(path)?;
    if place.is_special() {
        return place.overwrite(octets).map(|()| Replaced::Done).map_err(failed);
    }
    let file = place.temporary(octets).map_err(failed)?;
    let Some(read) = read else {
        return match file.persist_noclobber(&place.target) {
            Ok(_) => Ok(Replaced::Done),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(Replaced::Changed),
            Err(error) => Err(failed(error.error)),
        };
    };
    match keyfile::read_secret_file(&place.target, read.len()) {
        Ok(found) if *found == read => {}
        Ok(_) => return Ok(Replaced::Changed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Replaced::Changed),
        Err(error) => return Err(Failure::reading(path, &error)),
    }
    file.persist(&place.target).map_err(|error| failed(error.error))?;
    Ok(Replaced::Done)
}

/// The file that is meant, links followed; the path itself if there is nothing yet.
pub(crate) fn resolve(path: &Path) -> Result<PathBuf, Failure> {
    match fs::canonicalize(path) {
        Ok(target) => Ok(target),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
                let message = format!("`{}` is a link to a file that is not there", path.display());
                return Err(Failure::usage(message).with_help("name the file itself"));
            }
            Ok(path.to_owned())
        }
        Err(error) => Err(Failure::writing(path, &error)),
    }
}

/// The folder that a file is in.
pub(crate) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Where a file is to be, and what is there.
struct Place {
    target: PathBuf,
    existing: Option<fs::Metadata>,
}

impl Place {
    fn of(path: &Path) -> Result<Self, Failure> {
        let target = resolve(path)?;
        let existing = match fs::metadata(&target) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(Failure::writing(path, &error)),
        };
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(Failure::usage(format!("cannot write `{}`: it is a folder", path.display())));
        }
        Ok(Self { target, existing })
    }

    fn is_special(&self) -> bool {
        self.existing.as_ref().is_some_and(|metadata| !metadata.is_file())
    }

    fn overwrite(&self, octets: &[u8]) -> io::Result<()> {
        fs::OpenOptions::new().write(true).open(&self.target)?.write_all(octets)
    }

    fn temporary(&self, octets: &[u8]) -> io::Result<tempfile::NamedTempFile> {
        let permissions = self.existing.as_ref().map(fs::Metadata::permissions);
        temporary(&self.target, Access::Default, permissions, octets)
    }
}

/// Writes a file that does not exist yet, whole or not at all.
pub(crate) fn create_file(path: &Path, access: Access, octets: &[u8]) -> Result<(), Failure> {
    let failed = |error: io::Error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            exists(path)
        } else {
            Failure::writing(path, &error)
        }
    };
    refuse_existing(path)?;
    let file = temporary(path, access, None, octets).map_err(failed)?;
    file.persist_noclobber(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Refuses a path at which something is, be it a link to nowhere.
pub(crate) fn refuse_existing(path: &Path) -> Result<(), Failure> {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(exists(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Failure::writing(path, &error)),
    }
}

fn exists(path: &Path) -> Failure {
    Failure::usage(format!("`{}` exists; key files are never overwritten", path.display()))
        .with_help("name another file, or remove this one yourself")
}

fn temporary(
    path: &Path,
    access: Access,
    permissions: Option<Permissions>,
    octets: &[u8],
) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".countersign-");
    #[cfg(unix)]
    if access == Access::Default {
        use std::os::unix::fs::PermissionsExt as _;
        // The umask takes away from these.
        builder.permissions(Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = access;
    let mut file = builder.tempfile_in(folder_of(path))?;
    file.write_all(octets)?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    Ok(file)
}
