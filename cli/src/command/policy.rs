//! `policy`: what is done with trust policies.

mod check;
mod diff;
mod draft;
mod init;
mod schema;
mod show;
mod test;

use crate::args::{PolicyCommand, ReportFormat};
use crate::failure::{Failure, Stop};
use crate::outcome::Outcome;
use crate::output::Session;

pub(crate) fn run(
    command: &PolicyCommand,
    format: ReportFormat,
    session: &mut Session<'_>,
) -> Result<Outcome, Stop> {
    match command {
        PolicyCommand::Check(args) => check::run(args, format, session),
        PolicyCommand::Test(args) => test::run(args, format, session),
        _ if format.common().is_none() => Err(Failure::for_lint_only(format).into()),
        PolicyCommand::Diff(args) => diff::run(args, session),
        PolicyCommand::Init(args) => init::run(args, session),
        PolicyCommand::Show(args) => show::run(args, session),
        PolicyCommand::Schema => schema::run(session),
    }
}
