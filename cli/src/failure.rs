//! Why a command stopped: what standard error says, and the exit code.

use std::io::{self, Write};
use std::path::Path;

use clap::ValueEnum as _;
use countersign::Code;

use crate::args::ReportFormat;
use crate::outcome::Outcome;
use crate::render::{Paint, escape};

/// A command, or one of its inputs, that gave no answer.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) outcome: Outcome,
    pub(crate) code: Option<Code>,
    /// One sentence; may hold text of the input, so it is escaped when it is printed.
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// What ends a command early.
#[derive(Debug)]
pub(crate) enum Stop {
    Failure(Failure),
    /// Standard output or standard error cannot be written.
    Output(io::Error),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl Failure {
    /// A failure that is not about a code: usage, or an input that is not there.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { outcome: Outcome::CouldNotTell, code: None, message: message.into(), help: None }
    }

    /// A format that the command at hand does not have.
    pub(crate) fn for_lint_only(format: ReportFormat) -> Self {
        let name = format.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        Self::usage(format!(
            "`{name}` is a format of `lint` and `policy check` only, and `junit` of `policy test`"
        ))
        .with_help("this command has the formats `human`, `short` and `json`")
    }

    /// A format that this command does not have.
    pub(crate) fn no_format(format: ReportFormat, command: &str, formats: &str) -> Self {
        let name = format.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        Self::usage(format!("`{name}` is no format of {command}"))
            .with_help(format!("it has the formats {formats}"))
    }

    /// Something outside gets in the way; the same command may do later.
    pub(crate) fn environment(message: impl Into<String>) -> Self {
        Self { outcome: Outcome::Environment, code: None, message: message.into(), help: None }
    }

    pub(crate) fn coded(outcome: Outcome, code: Code, message: impl Into<String>) -> Self {
        Self { outcome, code: Some(code), message: message.into(), help: None }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// A file that cannot be read: what is not there or not allowed is no answer, the rest is the environment.
    pub(crate) fn reading(path: &Path, error: &io::Error) -> Self {
        Self::reading_what(&format!("`{}`", path.display()), error)
    }

    /// The same for a file whose name is not to be shown.
    pub(crate) fn reading_what(what: &str, error: &io::Error) -> Self {
        use io::ErrorKind::{
            InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound, PermissionDenied,
        };
        let named = matches!(
            error.kind(),
            NotFound | PermissionDenied | IsADirectory | NotADirectory | InvalidFilename | InvalidInput
        );
        let outcome = if named { Outcome::CouldNotTell } else { Outcome::Environment };
        let message = format!("cannot read {what}: {}", reason(error));
        Self { outcome, code: None, message, help: None }
    }

    /// A file that somebody else changed between reading and writing.
    pub(crate) fn changed_meanwhile(path: &Path) -> Self {
        let message =
            format!("`{}` was changed while it was being fixed; nothing was written", path.display());
        Self::environment(message)
    }

    /// A file that cannot be written.
    pub(crate) fn writing(path: &Path, error: &io::Error) -> Self {
        let message = format!("cannot write `{}`: {}", path.display(), reason(error));
        Self { outcome: Outcome::Environment, code: None, message, help: None }
    }

    /// `error[code]: message`, then the help on a line of its own.
    pub(crate) fn print(&self, err: &mut dyn Write, paint: Paint) -> io::Result<()> {
        let code = self.code.map(|code| format!("[{code}]")).unwrap_or_default();
        let head = paint.bad(&format!("error{code}:"));
        writeln!(err, "{head} {}", escape(&self.message))?;
        match &self.help {
            Some(help) => writeln!(err, "  help: {}", escape(help)),
            None => Ok(()),
        }
    }
}

/// What the operating system says, without its number.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((text, _)) => text.to_lowercase(),
        None => text,
    }
}
