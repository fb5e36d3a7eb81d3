//! What is read: cards from files, folders, globs and standard input.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use countersign::{CardError, Code, Limits, UntrustedCard};
use globset::GlobBuilder;
use walkdir::{DirEntry, WalkDir};

use crate::failure::{Failure, Stop};
use crate::keyfile;
use crate::outcome::Outcome;
use crate::output::{FailureJson, Session};
use crate::render::escape;

/// Folders that hold other people's files.
const SKIPPED_FOLDERS: [&str; 2] = ["node_modules", "target"];

/// The one hidden folder that is searched: agents publish their cards there (RFC 8615, A2A 8.2).
const WELL_KNOWN: &str = ".well-known";

/// What the name of a policy ends with.
const POLICY_EXTENSION: &str = "toml";

/// Longest file that is looked at to know whether it is a policy.
const MAX_POLICY_OCTETS: usize = 1024 * 1024;

/// One card, or one policy, that is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) source: Source,
    pub(crate) named: Named,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Standard,
    File(PathBuf),
}

/// How an input came to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// By its own name, or by a glob.
    Itself,
    /// By the folder it was found in; other documents in it are passed over.
    Folder,
}

/// A card that was looked for.
#[derive(Debug)]
pub(crate) enum Found {
    Card(UntrustedCard),
    /// It was read and is no card; with the JSON Pointer of the fault.
    Unreadable {
        failure: Failure,
        pointer: String,
    },
}

impl Input {
    /// A single card, named by the user.
    pub(crate) fn single(path: &Path) -> Self {
        let source = if path == Path::new("-") { Source::Standard } else { Source::File(path.to_owned()) };
        Self { source, named: Named::Itself }
    }

    /// The name for reports; `-` for standard input.
    pub(crate) fn name(&self) -> String {
        match &self.source {
            Source::Standard => "-".to_owned(),
            Source::File(path) => path.display().to_string(),
        }
    }

    /// Whether the name is that of a policy.
    pub(crate) fn has_policy_name(&self) -> bool {
        match &self.source {
            Source::Standard => false,
            Source::File(path) => path.extension().is_some_and(|extension| extension == POLICY_EXTENSION),
        }
    }

    /// All octets, and one more than the limit at most.
    pub(crate) fn octets(&self, limits: &Limits) -> Result<Vec<u8>, Failure> {
        match &self.source {
            Source::Standard => read_at_most(io::stdin().lock(), limits.max_octets)
                .map_err(|error| Failure::reading(Path::new("-"), &error)),
            Source::File(path) => read_file(path, limits.max_octets),
        }
    }

    /// Reads the card.
    ///
    /// A file that is not there or cannot be read is a failure; octets that are no card are an answer.
    pub(crate) fn read(&self, session: &Session<'_>) -> Result<Found, Failure> {
        let limit = session.limits.max_octets;
        let octets = self.octets(&session.limits)?;
        if octets.len() > limit {
            let failure = Failure::coded(
                Outcome::No,
                countersign::keys::codes::JSON_TOO_LARGE,
                format!("the document has more than {limit} octets"),
            )
            .with_help("`--max-octets SIZE` raises the limit");
            return Ok(Found::Unreadable { failure, pointer: String::new() });
        }
        // Reading takes the octets; messages about what was meant as a key quote nothing of it.
        let holds_key = keyfile::holds_key(&octets);
        match UntrustedCard::read(octets, &session.limits) {
            Ok(card) => Ok(Found::Card(card)),
            Err(error) => {
                let message = if let (CardError::Json(error), true) = (&error, holds_key) {
                    keyfile::place(error)
                } else {
                    error.to_string()
                };
                let failure = Failure::coded(Outcome::No, error.code(), message);
                Ok(Found::Unreadable { failure, pointer: error.pointer().to_owned() })
            }
        }
    }

    /// Reads a card without which nothing can be done.
    pub(crate) fn read_card(&self, session: &Session<'_>) -> Result<UntrustedCard, Failure> {
        match self.read(session)? {
            Found::Card(card) => Ok(card),
            Found::Unreadable { failure, .. } => Err(self.about(failure)),
        }
    }

    /// The same failure, with the name of this input before it.
    pub(crate) fn about(&self, mut failure: Failure) -> Failure {
        failure.message = format!("{}: {}", self.name(), failure.message);
        failure
    }

    /// Whether this is one of the other documents that lie in a folder with cards.
    fn is_passed_over(&self, found: &Found) -> bool {
        match found {
            Found::Card(card) => self.passes_over(Ok(card)),
            Found::Unreadable { failure, .. } => self.passes_over(Err(failure.code)),
        }
    }

    /// The same for a card, or for the code of what is none.
    pub(crate) fn passes_over(&self, read: Result<&UntrustedCard, Option<Code>>) -> bool {
        self.named == Named::Folder
            && match read {
                // What is signed was once meant as a card, whatever has become of it.
                Ok(card) => card.other_document().is_some(),
                Err(code) => code == Some(countersign::codes::CARD_NOT_AN_AGENT_CARD),
            }
    }
}

/// Reads each input and hands it to `answer`; gives the worst answer. An input that cannot be read stops only itself.
pub(crate) fn each(
    session: &mut Session<'_>,
    paths: &[PathBuf],
    mut answer: impl FnMut(&mut Session<'_>, &Input, Found) -> Result<Outcome, Stop>,
) -> Result<Outcome, Stop> {
    let mut worst = None;
    for input in expand(paths, Sought::Cards)? {
        let outcome = match input.read(session) {
            Ok(found) if input.is_passed_over(&found) => {
                note_passed_over(&input, session)?;
                continue;
            }
            Ok(found) => answer(session, &input, found)?,
            Err(failure) => {
                session.document(&FailureJson::of(&input.name(), &failure))?;
                session.fail(&failure)?;
                failure.outcome
            }
        };
        worst = worst.max(Some(outcome));
    }
    worst.ok_or_else(|| Failure::usage("no card was found").into())
}

/// Says that a document of a folder is no card.
pub(crate) fn note_passed_over(input: &Input, session: &mut Session<'_>) -> io::Result<()> {
    session.note(&format!("note: {}: passed over, it is no AgentCard", escape(&input.name())))
}

/// Refuses arguments that name standard input more than once: the second reader would find nothing.
pub(crate) fn refuse_second_standard<'p>(
    paths: impl IntoIterator<Item = &'p PathBuf>,
) -> Result<(), Failure> {
    if paths.into_iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
        return Err(Failure::usage("standard input (`-`) can be read only once"));
    }
    Ok(())
}

/// What is looked for in folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sought {
    /// `*.json`
    Cards,
    /// `*.toml` that are meant as policies.
    Policies,
    CardsAndPolicies,
}

/// Every input that the arguments name, each once, in the order of the arguments; within a folder or glob by name.
pub(crate) fn expand(paths: &[PathBuf], sought: Sought) -> Result<Vec<Input>, Failure> {
    let mut inputs = Vec::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        let found = if path == Path::new("-") { vec![Input::single(path)] } else { files(path, sought)? };
        for input in found {
            if let Source::File(file) = &input.source {
                let identity = fs::canonicalize(file).unwrap_or_else(|_| file.clone());
                if !seen.insert(identity) {
                    continue;
                }
            }
            inputs.push(input);
        }
    }
    Ok(inputs)
}

fn files(path: &Path, sought: Sought) -> Result<Vec<Input>, Failure> {
    if path.is_dir() {
        return folder(path, sought);
    }
    match path.to_str().filter(|text| text.contains(['*', '?', '[', '{'])) {
        Some(pattern) if fs::symlink_metadata(path).is_err() => glob(path, pattern, sought),
        _ => Ok(vec![Input::single(path)]),
    }
}

/// The files below a folder that are sought. Links are not followed.
fn folder(path: &Path, sought: Sought) -> Result<Vec<Input>, Failure> {
    let mut found = Vec::new();
    for entry in WalkDir::new(path).sort_by_file_name().into_iter().filter_entry(is_searched) {
        let entry = entry.map_err(|error| walking(path, &error))?;
        if entry.file_type().is_file() && sought.is(entry.path()) {
            found.push(Input { source: Source::File(tidy(entry.path())), named: Named::Folder });
        }
    }
    if found.is_empty() {
        return Err(Failure::usage(format!("no {} below `{}`", sought.name(), path.display())));
    }
    Ok(found)
}

impl Sought {
    fn is(self, path: &Path) -> bool {
        let has = |wanted: &str| path.extension().is_some_and(|extension| extension == wanted);
        let is_policy = || has(POLICY_EXTENSION) && is_policy(path);
        match self {
            Self::Cards => has("json"),
            Self::Policies => is_policy(),
            Self::CardsAndPolicies => has("json") || is_policy(),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Cards => "*.json file",
            Self::Policies => "policy",
            Self::CardsAndPolicies => "*.json file and no policy",
        }
    }
}

/// Whether a file is meant as a policy; one that cannot be read is not.
fn is_policy(path: &Path) -> bool {
    let octets = read_file(path, MAX_POLICY_OCTETS).unwrap_or_default();
    str::from_utf8(&octets).is_ok_and(countersign::policy::is_policy_text)
}

/// The files that match, and what is in the folders that match.
fn glob(path: &Path, pattern: &str, sought: Sought) -> Result<Vec<Input>, Failure> {
    let matcher = GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map_err(|error| {
            Failure::usage(format!("there is no file `{pattern}`, and it is no glob: {}", error.kind()))
        })?
        .compile_matcher();
    let is_literal =
        |component: &Component<'_>| !component.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']);
    let start: PathBuf = path.components().take_while(is_literal).collect();
    let here = start.as_os_str().is_empty();
    let root = if here { Path::new(".") } else { start.as_path() };
    let mut found = Vec::new();
    if root.exists() {
        for entry in WalkDir::new(root).sort_by_file_name().into_iter().filter_entry(is_searched) {
            let entry = entry.map_err(|error| walking(path, &error))?;
            let shown = if here { tidy(entry.path()) } else { entry.path().to_owned() };
            if !matcher.is_match(&shown) {
                continue;
            }
            if entry.file_type().is_dir() {
                found.extend(folder(&shown, sought)?);
            } else {
                found.push(Input { source: Source::File(shown), named: Named::Itself });
            }
        }
    }
    if found.is_empty() {
        return Err(Failure::usage(format!("no file matches `{pattern}`")));
    }
    Ok(found)
}

/// Without the `./` that the search of the current folder puts before each name.
fn tidy(path: &Path) -> PathBuf {
    let tidy = path.strip_prefix(".").unwrap_or(path);
    if tidy.as_os_str().is_empty() { path.to_owned() } else { tidy.to_owned() }
}

fn is_searched(entry: &DirEntry) -> bool {
    if entry.depth() == 0 || !entry.file_type().is_dir() {
        return true;
    }
    let name = entry.file_name().to_string_lossy();
    name == WELL_KNOWN || !(name.starts_with('.') || SKIPPED_FOLDERS.contains(&name.as_ref()))
}

fn walking(path: &Path, error: &walkdir::Error) -> Failure {
    let path = error.path().unwrap_or(path);
    match error.io_error() {
        Some(error) => Failure::reading(path, error),
        None => Failure::usage(format!("cannot search `{}`", path.display())),
    }
}

/// The octets of a file, and one more than `limit` at most.
fn read_file(path: &Path, limit: usize) -> Result<Vec<u8>, Failure> {
    let file = File::open(path).map_err(|error| Failure::reading(path, &error))?;
    read_at_most(file, limit).map_err(|error| Failure::reading(path, &error))
}

/// All octets, and one more than `limit` at most.
fn read_at_most(reader: impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let mut octets = Vec::new();
    reader.take(most).read_to_end(&mut octets)?;
    Ok(octets)
}
