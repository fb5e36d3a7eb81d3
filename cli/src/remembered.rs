//! Answers of earlier runs: when each was given, and until when it holds. One small file for each agent, tenant and use.
//!
//! Nothing of it is believed: an answer is always decided from the card. A file that is damaged, or for another policy, card or
//! question, is none.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use countersign::cache::{AgentScope, DecisionKey};
use countersign::keys::{hex, sha256};
use countersign::{AdmissionRequest, UnixTime};

use crate::failure::Failure;
use crate::private::{self, Others};

/// The folder of answers, below the one of `--cache`.
const ANSWERS: &str = "answers";

/// How a file begins.
const FIRST_WORD: &str = "countersign-answer-1";

/// Hexadecimal digits of the name of an answer.
const NAME_DIGITS: usize = 64;

/// How the names of files begin that are not finished.
const UNFINISHED: &str = ".new-";

/// Longest file that is looked at.
const MAX_OCTETS: u64 = 512;

/// A folder of answers.
pub(crate) struct Answers {
    folder: PathBuf,
}

/// When an answer was given, and until when it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) at: UnixTime,
    pub(crate) until: UnixTime,
}

impl Answers {
    /// Opens the folder below the one of `--cache`, and makes it if there is none.
    pub(crate) fn open(cache: &Path) -> Result<Self, Failure> {
        let folder = cache.join(ANSWERS);
        private::make(&folder).map_err(|error| Failure::writing(&folder, &error))?;
        private::check(&folder, Others::MayDoNothing)?;
        Ok(Self { folder })
    }

    /// The answer to this question about this card, if it holds at `now`.
    pub(crate) fn recall(
        &self,
        scope: &AgentScope,
        request: &AdmissionRequest,
        key: &DecisionKey,
        now: UnixTime,
    ) -> Option<Given> {
        let path = self.path(scope, request);
        if fs::metadata(&path).ok()?.len() > MAX_OCTETS {
            return None;
        }
        let text = fs::read_to_string(path).ok()?;
        let given = read(text.trim_end(), key)?;
        (given.at <= now && now < given.until).then_some(given)
    }

    /// Remembers an answer in place of an older one. One that ends at once is none.
    pub(crate) fn note(
        &self,
        scope: &AgentScope,
        request: &AdmissionRequest,
        key: &DecisionKey,
        given: Given,
    ) -> io::Result<()> {
        let path = self.path(scope, request);
        if given.until <= given.at {
            return match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                Ok(()) | Err(_) => Ok(()),
            };
        }
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.folder)?;
        writeln!(file, "{}", line(key, given))?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    fn path(&self, scope: &AgentScope, request: &AdmissionRequest) -> PathBuf {
        let source = &request.source;
        let parts = [
            scope.agent(),
            source.url.raw(),
            &source.kind.to_string(),
            scope.tenant().unwrap_or_default(),
            if scope.tenant().is_some() { "tenant" } else { "" },
            scope.purpose().unwrap_or_default(),
            if scope.purpose().is_some() { "use" } else { "" },
        ];
        let digests: String = parts.iter().map(|part| hex(&sha256(part.as_bytes()))).collect();
        self.folder.join(hex(&sha256(digests.as_bytes())))
    }
}

/// How many answers are remembered below a folder of `--cache`.
pub(crate) fn count(cache: &Path) -> usize {
    files(cache).map_or(0, |files| files.len())
}

/// Forgets all answers below a folder of `--cache`; gives how many there were. Whatever else is in the folder is left alone.
pub(crate) fn clear(cache: &Path) -> io::Result<usize> {
    let files = files(cache)?;
    for file in &files {
        fs::remove_file(file)?;
    }
    Ok(files.len())
}

/// The files that are answers by their names.
fn files(cache: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = cache.join(ANSWERS);
    // A link leads to a folder of somebody else's choice.
    match fs::symlink_metadata(&folder) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Ok(Vec::new()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_answer = name.len() == NAME_DIGITS && name.bytes().all(|octet| octet.is_ascii_hexdigit());
        if (is_answer || name.starts_with(UNFINISHED)) && entry.file_type()?.is_file() {
            files.push(entry.path());
        }
    }
    Ok(files)
}

/// `countersign-answer-1 KEY FROM UNTIL CHECKSUM`
fn line(key: &DecisionKey, given: Given) -> String {
    let body = format!("{FIRST_WORD} {} {} {}", hex(key.octets()), given.at.seconds(), given.until.seconds());
    format!("{body} {}", hex(&sha256(body.as_bytes())))
}

fn read(text: &str, key: &DecisionKey) -> Option<Given> {
    let (body, _) = text.rsplit_once(' ')?;
    let mut words = body.split(' ').skip(2);
    let mut time = || words.next()?.parse().ok().map(UnixTime::from_seconds);
    let given = Given { at: time()?, until: time()? };
    (line(key, given) == text).then_some(given)
}
