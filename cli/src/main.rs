//! The command line of countersign. It reads arguments and files, asks the library, and reports.

mod args;
mod auditlog;
mod clock;
mod command;
mod endorsement;
mod failure;
mod fleet;
mod input;
mod json;
mod keyfile;
mod lock;
mod nearest;
mod network;
mod outcome;
mod output;
mod password;
mod pinfile;
mod policyfile;
mod policytest;
mod private;
mod progress;
mod remembered;
mod render;
mod report;
mod time;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use clap::Parser as _;

use args::{Cli, Command, Format, When};
use failure::{Failure, Stop};
use outcome::Outcome;
use output::{Session, Stream};
use render::Paint;

fn main() -> ExitCode {
    // Every later message may quote an argument.
    if std::env::args_os().any(|argument| keyfile::holds_key(argument.as_encoded_bytes())) {
        let failure = Failure::usage("a key was given where the name of a file or variable is expected")
            .with_help(
                "put the key into a file (`--key FILE`) or an environment variable (`--key-env NAME`)",
            );
        let _ = failure.print(&mut io::stderr(), Paint::Plain);
        return ExitCode::from(failure.outcome.exit_code());
    }
    let args = match Cli::try_parse() {
        Ok(args) => args,
        Err(message) => {
            // A reader that went away does not change the answer.
            let _ = message.print();
            let code = if message.use_stderr() { Outcome::CouldNotTell } else { Outcome::Yes };
            return ExitCode::from(code.exit_code());
        }
    };
    let (stdout, stderr) = (io::stdout(), io::stderr());
    let (out_paint, err_paint) = (paint(args.global.color, &stdout), paint(args.global.color, &stderr));
    let mut out = OpenEnded::new(BufWriter::new(stdout.lock()));
    let mut err = OpenEnded::new(stderr.lock());
    let answer = {
        let out = Stream { writer: &mut out, paint: out_paint };
        let err = Stream { writer: &mut err, paint: err_paint };
        run(&args, out, err)
    };
    let outcome = answer.and_then(|outcome| out.flush().map(|()| outcome)).unwrap_or_else(|error| {
        // Nothing is left to tell it to if this fails as well.
        let _ = writeln!(err, "error: cannot write the answer: {error}");
        Outcome::Environment
    });
    ExitCode::from(outcome.exit_code())
}

/// Runs one command; an error means that a stream cannot be written.
fn run<'s>(args: &Cli, out: Stream<'s>, err: Stream<'s>) -> io::Result<Outcome> {
    let format = args.global.format;
    // `lint` writes its reports itself, and everything else as lines for people.
    let common = format.common().unwrap_or(Format::Human);
    let mut session = Session::new(&args.global, common, out, err);
    let answer = match &args.command {
        Command::Lint(args) => command::lint::run(args, format, &mut session),
        Command::Policy(command) => command::policy::run(command, format, &mut session),
        _ if format.common().is_none() => Err(Failure::for_lint_only(format).into()),
        Command::Key(command) => command::key::run(command, &mut session),
        Command::Sign(args) => command::sign::run(args, &mut session),
        Command::Verify(args) => command::verify::run(args, &mut session),
        Command::Canonicalize(args) => command::canonicalize::run(args, &mut session),
        Command::Inspect(args) => command::inspect::run(args, &mut session),
        Command::Fix(args) => command::fix::run(args, &mut session),
        Command::Select(args) => command::select::run(args, &mut session),
        Command::Pin(command) => command::pin::run(command, &mut session),
        Command::Cache(command) => command::cache::run(command, &mut session),
        Command::Admit(args) => command::admit::run(args, &mut session),
        Command::Explain(args) => command::explain::run(args, &mut session),
        Command::Completions(args) => command::shell::completions(args, &mut session),
        Command::Man => command::shell::man(&mut session),
    };
    match answer {
        Ok(outcome) => Ok(outcome),
        Err(Stop::Output(error)) => Err(error),
        Err(Stop::Failure(failure)) => {
            session.out.writer.flush()?;
            session.fail(&failure)?;
            Ok(failure.outcome)
        }
    }
}

fn paint(when: When, stream: &impl RawStream) -> Paint {
    let colour = match when {
        When::Always => true,
        When::Never => false,
        When::Auto => AutoStream::choice(stream) != ColorChoice::Never,
    };
    if colour { Paint::Colour } else { Paint::Plain }
}

/// A stream whose reader may go away: what is written after that is dropped, and the command still gives its answer.
struct OpenEnded<W> {
    writer: W,
    reader: Reader,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    There,
    Gone,
}

impl<W: Write> OpenEnded<W> {
    fn new(writer: W) -> Self {
        Self { writer, reader: Reader::There }
    }

    fn tolerate<T>(&mut self, written: io::Result<T>, instead: T) -> io::Result<T> {
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.reader = Reader::Gone;
                Ok(instead)
            }
            other => other,
        }
    }
}

impl<W: Write> Write for OpenEnded<W> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        if self.reader == Reader::Gone {
            return Ok(octets.len());
        }
        let written = self.writer.write(octets);
        self.tolerate(written, octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.reader == Reader::Gone {
            return Ok(());
        }
        let flushed = self.writer.flush();
        self.tolerate(flushed, ())
    }
}

#[cfg(test)]
mod tests {
    use super::OpenEnded;
    use std::io::{self, Write};

    struct Fails(io::ErrorKind);

    impl Write for Fails {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    #[test]
    fn a_reader_that_went_away_is_no_error() {
        let mut stream = OpenEnded::new(Fails(io::ErrorKind::BrokenPipe));
        stream.write_all(b"answer").unwrap();
        stream.flush().unwrap();
        assert!(OpenEnded::new(Fails(io::ErrorKind::BrokenPipe)).flush().is_ok());
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let mut stream = OpenEnded::new(Fails(io::ErrorKind::StorageFull));
        assert!(stream.write_all(b"answer").is_err());
        assert!(stream.flush().is_err());
    }
}
