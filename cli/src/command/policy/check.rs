//! `policy check`: what is wrong or unwise in policies. The same as `lint` of policies only.

use countersign::LintTerms;

use crate::args::{PolicyCheckArgs, ReportFormat};
use crate::command::lint::{self, Linting, Repair};
use crate::failure::Stop;
use crate::input::Sought;
use crate::outcome::Outcome;
use crate::output::Session;

pub(crate) fn run(
    args: &PolicyCheckArgs,
    format: ReportFormat,
    session: &mut Session<'_>,
) -> Result<Outcome, Stop> {
    let linting = Linting {
        sought: Sought::Policies,
        levels: lint::policy_levels(&args.levels.0)?,
        cards: LintTerms::default(),
        fail_on: args.fail_on,
        repair: if args.fix { Repair::Write } else { Repair::Leave },
        now: session.now(),
    };
    linting.run(&args.paths, format, session)
}
