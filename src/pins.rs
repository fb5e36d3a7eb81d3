//! Pins: what is remembered of the cards of agents, in a file that several programs may share.
//!
//! A pin is no entry of a cache: it is never evicted, and a file that cannot be used is an error, never "nothing was seen".
//! What is remembered, and of whom: [`AgentMemory`]. What follows from it: the `pin` of a rule
//! ([`PinTerms`](countersign_policy::PinTerms)) and [`RuleChoice::evaluate`](countersign_policy::RuleChoice::evaluate).
//!
//! The file has one JSON object on each line, for each card that was admitted and taught something, and for each digest that
//! a person accepted or revoked. Lines are appended and never changed. Each ends with the SHA-256 of all before it, so a line
//! that was changed, added or lost in between is found. Not found: lines that are missing at the end, as in a file from an old
//! backup, and lines by somebody who may write the file and knows how.
//!
//! A line is on the disk before the admission that it is about is handed out. So a line without its end, left behind by a
//! program that was killed or a disk that was full, is about an admission that nobody was given: readers leave it out, and
//! the next writer cuts it off. Writers hold an exclusive lock on the file.

mod error;
mod line;
mod state;

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use countersign_policy::{
    AdmissionRequest, AgentMemory, Decision, Outcome, PinDigest, PinMemory, Source, TrustPolicy, UnixTime,
};

use crate::admission::{AdmittedCard, Denied};
use crate::card::UntrustedCard;
use crate::endorsement::Endorsement;
use crate::signature::Covered;
pub use error::{PinFault, PinsError};
use line::{Chain, Event, MAX_LINE_OCTETS, What};
use state::State;

/// How many names are tried for a new file.
const MAX_NEW: u32 = 1_000;

/// A file of pins. Several threads and several programs may use one at the same time.
#[derive(Debug)]
pub struct Pins {
    path: PathBuf,
    open: Mutex<Open>,
}

/// Why a card was not admitted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotAdmitted {
    /// The policy denies it.
    #[error(transparent)]
    Denied(Box<Denied>),
    /// Nothing can be said, because nothing is known of earlier cards, or because the card could not be remembered.
    #[error(transparent)]
    Pins(#[from] PinsError),
}

/// Whether a line was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "now, or before")]
pub enum Recorded {
    /// One was.
    Now,
    /// The same was said before.
    Already(UnixTime),
}

/// Everything that a file holds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PinsList {
    /// The agents, in the order of their names.
    pub agents: Vec<PinnedAgent>,
    /// The digests that a person accepted, and when first.
    pub accepted: Vec<(PinDigest, UnixTime)>,
    /// The digests that a person revoked, and when first.
    pub revoked: Vec<(PinDigest, UnixTime)>,
}

/// An agent and what is remembered of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PinnedAgent {
    /// Its name: [`AgentMemory::agent`].
    pub agent: String,
    /// What is remembered; of its origin only what its own cards say.
    pub memory: AgentMemory,
    /// When its first card was admitted.
    pub since: UnixTime,
    /// When something about it was last remembered.
    pub changed: UnixTime,
}

/// The file and what was read of it.
#[derive(Debug)]
struct Open {
    file: File,
    state: State,
    chain: Chain,
    /// Octets of all complete lines.
    end: u64,
    lines: usize,
    /// Octets after them: a line without its end.
    torn: u64,
}

impl UntrustedCard {
    /// The same as [`admit`](Self::admit), beside what is remembered of the agent, see
    /// [`RuleChoice::evaluate`](countersign_policy::RuleChoice::evaluate). A card that is admitted is remembered, and is on
    /// the disk before it is handed out; a card that is denied, enforced or not, changes nothing.
    ///
    /// # Errors
    ///
    /// [`NotAdmitted::Denied`] with every reason, and the card, when the policy denies and enforces it;
    /// [`NotAdmitted::Pins`] if the file of pins cannot be read, or the admission cannot be written.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{AdmissionRequest, Limits, NotAdmitted, Pins, Source, TOOL, TrustPolicy, UnixTime, UntrustedCard};
    ///
    /// let policy = r#"
    ///     schema = 1
    ///     [[key]]
    ///     id = "review"
    ///     jwk = { kty = "OKP", crv = "Ed25519", x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }
    ///     origins = ["https://agents.example"]
    ///     [[allow]]
    ///     id = "pilot"
    ///     from = ["https://agents.example"]
    ///     signatures = { level = "if-present", reason = "pilot", until = 2026-12-31 }
    ///     pin = { rollback = "deny" }
    /// "#;
    /// let policy = TrustPolicy::read(policy, "trust-policy.toml", &TOOL)?;
    /// let request = AdmissionRequest::new(Source::at("https://agents.example/.well-known/agent-card.json")?);
    /// let now = UnixTime::from_seconds(1_790_856_000);
    /// # let folder = std::env::temp_dir().join(format!("countersign-pins-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    ///
    /// let pins = Pins::create(&folder.join("pins.jsonl"))?;
    /// let admit = |version: &str| {
    ///     let card = format!(r#"{{"name": "Echo", "version": "{version}", "supportedInterfaces": [
    ///       {{"url": "https://agents.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}}]}}"#);
    ///     UntrustedCard::read(card, &Limits::default())
    ///         .map(|card| card.admit_remembered(&policy, &request, &[], &pins, now))
    /// };
    /// assert!(admit("1.3.0")?.is_ok());
    /// let Err(NotAdmitted::Denied(denied)) = admit("1.2.0")? else { return Err("an older card".into()) };
    /// assert_eq!(denied.decision().codes()[0].name(), "pin.rollback");
    /// assert!(admit("1.4.0")?.is_ok());
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn admit_remembered(
        self,
        policy: &TrustPolicy,
        request: &AdmissionRequest,
        endorsements: &[Endorsement],
        pins: &Pins,
        now: UnixTime,
    ) -> Result<AdmittedCard, NotAdmitted> {
        let weigh =
            |memory: &AgentMemory| self.weigh(policy, request, endorsements, PinMemory::Kept(memory), now);
        let (decision, covered) = pins.settle(&request.source, now, weigh)?;
        self.conclude(decision, covered, request).map_err(NotAdmitted::Denied)
    }
}

impl Pins {
    /// Opens a file of pins and reads it. One that this program may not write is opened for reading.
    ///
    /// # Errors
    ///
    /// [`PinsError::Missing`] if there is none, [`PinsError::Damaged`] if a line is not as it was written,
    /// [`PinsError::Unavailable`] for what the operating system says.
    pub fn open(path: &Path) -> Result<Self, PinsError> {
        let unavailable = |doing| move |error| PinsError::unavailable(path, doing, error);
        // Opening a pipe would wait for its other end.
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Err(unavailable("open")(io::Error::other("it is no regular file"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(PinsError::Missing { path: path.to_owned() });
            }
            Err(error) => return Err(unavailable("open")(error)),
        }
        let file = match File::options().read(true).write(true).open(path) {
            Err(error) if is_read_only(&error) => File::open(path),
            opened => opened,
        };
        let file = file.map_err(unavailable("open"))?;
        let mut open =
            Open { file, state: State::default(), chain: Chain::start(), end: 0, lines: 0, torn: 0 };
        open.read_new(path)?;
        if open.lines == 0 {
            return Err(open.damaged(path, 1, PinFault::NotPins));
        }
        Ok(Self { path: path.to_owned(), open: Mutex::new(open) })
    }

    /// Makes a new file, for its owner only, in which nothing is remembered, and opens it.
    ///
    /// # Errors
    ///
    /// [`PinsError::Unavailable`], also if there is a file already.
    pub fn create(path: &Path) -> Result<Self, PinsError> {
        let unavailable = |error| PinsError::unavailable(path, "make", error);
        let name = path.file_name().ok_or_else(|| unavailable(io::ErrorKind::InvalidInput.into()))?;
        let (beside, file) = new_beside(path, name).map_err(unavailable)?;
        // The file appears with its first line, so one without it was cut.
        let made = write_header(file).and_then(|()| fs::hard_link(&beside, path));
        let removed = fs::remove_file(&beside);
        made.and(removed).map_err(unavailable)?;
        Self::open(path)
    }

    /// What is remembered of the agent of a source.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open), and [`PinsError::Replaced`].
    pub fn memory(&self, source: &Source) -> Result<AgentMemory, PinsError> {
        Ok(self.refreshed()?.state.memory(source))
    }

    /// Everything that the file holds.
    ///
    /// # Errors
    ///
    /// Those of [`memory`](Self::memory).
    pub fn list(&self) -> Result<PinsList, PinsError> {
        Ok(self.refreshed()?.state.list())
    }

    /// A text that is another one whenever anything was written: the checksum of the last line.
    ///
    /// # Errors
    ///
    /// Those of [`memory`](Self::memory).
    pub fn epoch(&self) -> Result<String, PinsError> {
        Ok(self.refreshed()?.chain.as_str().to_owned())
    }

    /// How many octets stand after the last complete line: what was left of a write that did not finish. The next writer cuts
    /// them off.
    ///
    /// # Errors
    ///
    /// Those of [`memory`](Self::memory).
    pub fn torn_octets(&self) -> Result<u64, PinsError> {
        Ok(self.refreshed()?.torn)
    }

    /// Notes that a person accepted the card with this digest: of its content, or of its octets. It holds for this card alone,
    /// wherever it comes from.
    ///
    /// # Errors
    ///
    /// [`PinsError::Revoked`] for a digest that was revoked, [`PinsError::Unavailable`] if it cannot be written.
    pub fn accept(&self, digest: PinDigest, now: UnixTime) -> Result<Recorded, PinsError> {
        self.exclusively(|open, path| {
            if open.state.is_revoked(digest) {
                return Err(PinsError::Revoked { digest });
            }
            if let Some(at) = open.state.accepted_at(digest) {
                return Ok(Recorded::Already(at));
            }
            open.append(path, Event { at: now, what: What::Accepted(digest) })?;
            Ok(Recorded::Now)
        })
    }

    /// Notes that a person revoked the card with this digest: of its content, of its octets, or of what a signature on it is
    /// over. Of a card that was admitted, the other two are revoked with it.
    ///
    /// # Errors
    ///
    /// [`PinsError::Unavailable`] if it cannot be written.
    pub fn revoke(&self, digest: PinDigest, now: UnixTime) -> Result<Recorded, PinsError> {
        self.exclusively(|open, path| {
            if let Some(at) = open.state.revoked_at(digest) {
                return Ok(Recorded::Already(at));
            }
            let also = open.state.names_beside(digest);
            open.append(path, Event { at: now, what: What::Revoked { digest, also } })?;
            Ok(Recorded::Now)
        })
    }

    /// Decides with what is remembered, and remembers what is admitted before anybody hears of it.
    fn settle(
        &self,
        source: &Source,
        now: UnixTime,
        weigh: impl Fn(&AgentMemory) -> (Decision, Option<Covered>),
    ) -> Result<(Decision, Option<Covered>), PinsError> {
        let memory = self.memory(source)?;
        let weighed = weigh(&memory);
        if lesson(&memory, &weighed.0).is_none() {
            return Ok(weighed);
        }
        self.exclusively(|open, path| {
            let current = open.state.memory(source);
            // Somebody else may have written since.
            let weighed = if current == memory { weighed } else { weigh(&current) };
            if let Some(comparison) = lesson(&current, &weighed.0) {
                let what = What::Seen {
                    agent: comparison.agent.clone(),
                    origin: source.url.origin().to_string(),
                    card: Box::new(comparison.card.clone()),
                };
                open.append(path, Event { at: now, what })?;
            }
            Ok(weighed)
        })
    }

    fn opened(&self) -> MutexGuard<'_, Open> {
        // What is known changes only after a line was read or written whole.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the file says now.
    fn refreshed(&self) -> Result<MutexGuard<'_, Open>, PinsError> {
        let mut open = self.opened();
        open.refresh(&self.path)?;
        Ok(open)
    }

    /// Does something while nobody else writes.
    fn exclusively<T>(
        &self,
        act: impl FnOnce(&mut Open, &Path) -> Result<T, PinsError>,
    ) -> Result<T, PinsError> {
        let mut open = self.opened();
        let locked = open.file.lock();
        locked.map_err(|error| PinsError::unavailable(&self.path, "lock", error))?;
        let acted = open.read_new(&self.path).and_then(|()| act(&mut open, &self.path));
        // The lock goes with the file in any case.
        let unlocked = open.file.unlock();
        let done = acted?;
        unlocked.map_err(|error| PinsError::unavailable(&self.path, "lock", error))?;
        Ok(done)
    }
}

/// What is to be remembered of a decision: only of an admission, and only what is not known.
fn lesson<'d>(memory: &AgentMemory, decision: &'d Decision) -> Option<&'d countersign_policy::PinComparison> {
    let comparison = decision.pins.as_ref().filter(|_| decision.outcome == Outcome::Admit)?;
    memory.learns_from(&comparison.card).then_some(comparison)
}

impl Open {
    /// Reads what was appended, if anything was.
    fn refresh(&mut self, path: &Path) -> Result<(), PinsError> {
        let metadata = self.file.metadata();
        let length = metadata.map_err(|error| PinsError::unavailable(path, "read", error))?.len();
        // What stands after the last line may be another line by now.
        let is_known = self.torn == 0 && length == self.end && is_same(&self.file, path);
        if is_known {
            return Ok(());
        }
        let locked = self.file.lock_shared();
        locked.map_err(|error| PinsError::unavailable(path, "lock", error))?;
        let read = self.read_new(path);
        let unlocked = self.file.unlock();
        read?;
        unlocked.map_err(|error| PinsError::unavailable(path, "lock", error))
    }

    /// Reads the lines after those that are known.
    fn read_new(&mut self, path: &Path) -> Result<(), PinsError> {
        let unavailable = |error| PinsError::unavailable(path, "read", error);
        if !is_same(&self.file, path) {
            return Err(PinsError::Replaced { path: path.to_owned() });
        }
        if self.file.metadata().map_err(unavailable)?.len() < self.end {
            return Err(self.damaged(path, self.lines, PinFault::Shorter));
        }
        self.file.seek(SeekFrom::Start(self.end)).map_err(unavailable)?;
        let file = self.file.try_clone().map_err(unavailable)?;
        let mut reader = BufReader::new(file);
        self.torn = 0;
        loop {
            let mut octets = Vec::new();
            let most = u64::try_from(MAX_LINE_OCTETS).unwrap_or(u64::MAX);
            let read = reader.by_ref().take(most).read_until(b'\n', &mut octets).map_err(unavailable)?;
            let read = u64::try_from(read).unwrap_or(u64::MAX);
            if read == 0 {
                return Ok(());
            }
            if octets.pop() != Some(b'\n') {
                if read == most {
                    let fault = PinFault::TooLong { limit: MAX_LINE_OCTETS };
                    return Err(self.damaged(path, self.lines + 1, fault));
                }
                self.torn = read;
                return Ok(());
            }
            self.line(&octets).map_err(|fault| self.damaged(path, self.lines + 1, fault))?;
            self.end += read;
            self.lines += 1;
        }
    }

    /// Takes in one line.
    fn line(&mut self, octets: &[u8]) -> Result<(), PinFault> {
        let line = std::str::from_utf8(octets).map_err(|_| PinFault::Checksum)?;
        if self.lines == 0 {
            self.chain = line::read_header(line)?;
            return Ok(());
        }
        let (event, chain) = Event::read(line, &self.chain)?;
        self.state.apply(event);
        self.chain = chain;
        Ok(())
    }

    /// Writes one line to the disk. Only who holds the lock may.
    fn append(&mut self, path: &Path, event: Event) -> Result<(), PinsError> {
        let (line, chain) = event.write(&self.chain);
        if let Err(error) = self.write(&line) {
            // A part of a line says nothing, so it does not matter whether this works.
            let _ = self.file.set_len(self.end);
            return Err(PinsError::unavailable(path, "write", error));
        }
        self.end += u64::try_from(line.len()).unwrap_or(u64::MAX);
        self.lines += 1;
        self.torn = 0;
        self.chain = chain;
        self.state.apply(event);
        Ok(())
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        if self.torn > 0 {
            self.file.set_len(self.end)?;
        }
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(line.as_bytes())?;
        self.file.sync_data()
    }

    fn damaged(&self, path: &Path, line: usize, fault: PinFault) -> PinsError {
        PinsError::Damaged { path: path.to_owned(), line, fault }
    }
}

impl PinsError {
    fn unavailable(path: &Path, doing: &'static str, error: io::Error) -> Self {
        Self::Unavailable { path: path.to_owned(), doing, error }
    }
}

/// A new file beside another one, under a name that nothing had: what is there already is never written to.
fn new_beside(path: &Path, name: &std::ffi::OsStr) -> io::Result<(PathBuf, File)> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut number = 0_u32;
    loop {
        let mut beside = std::ffi::OsString::from(".");
        beside.push(name);
        beside.push(format!(".{}.{number}.new", std::process::id()));
        let beside = path.with_file_name(beside);
        match options.open(&beside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < MAX_NEW => number += 1,
            opened => return Ok((beside, opened?)),
        }
    }
}

fn write_header(mut file: File) -> io::Result<()> {
    file.write_all(line::header().as_bytes())?;
    file.sync_all()
}

fn is_read_only(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Whether the path still leads to the open file.
#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => identity(open) == identity(named),
        _ => false,
    }
}

/// Elsewhere the name of an open file cannot be given to another one.
#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    fs::metadata(path).is_ok()
}
