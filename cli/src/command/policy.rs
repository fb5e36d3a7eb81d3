//! `policy`: what is done with trust policies.

mod check;

use crate::args::{PolicyCommand, ReportFormat};
use crate::failure::Stop;
use crate::outcome::Outcome;
use crate::output::Session;

pub(crate) fn run(
    command: &PolicyCommand,
    format: ReportFormat,
    session: &mut Session<'_>,
) -> Result<Outcome, Stop> {
    match command {
        PolicyCommand::Check(args) => check::run(args, format, session),
    }
}
