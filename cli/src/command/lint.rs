//! `lint`: what is wrong or unwise in cards and in policies.

mod card;
mod levels;
mod policy;

use std::io::{self, Write};
use std::path::PathBuf;

use countersign::{Finding, Limits, LintLevels, LintTerms, Profile, UnixTime};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use crate::args::{FailOn, LintArgs, ReportFormat, Whose};
use crate::failure::{Failure, Stop};
use crate::input::{self, Input, Sought, Source};
use crate::keyfile;
use crate::outcome::Outcome;
use crate::output::{Detail, Session, finding_line};
use crate::policyfile;
use crate::progress::Progress;
use crate::render::escape;
use crate::report::{self, FileFindings, Quoting, Report, ReportTerms, Totals};
pub(crate) use levels::policy_levels;

/// Files that are looked at before anything is written about them: what is held at one time.
const CHUNK: usize = 128;

/// A file with this finding is not quoted: what the finding is about must not reach a log.
const SECRET: &str = "card.secret-in-card";

/// How cards and policies are linted.
pub(crate) struct Linting<'k> {
    pub(crate) sought: Sought,
    /// The levels of the command line.
    pub(crate) levels: LintLevels,
    pub(crate) cards: LintTerms<'k>,
    pub(crate) fail_on: FailOn,
    pub(crate) repair: Repair,
    pub(crate) now: UnixTime,
}

/// Whether files are fixed before they are judged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repair {
    Leave,
    Write,
}

/// What came of one input.
enum Looked {
    PassedOver,
    Unread(Failure),
    /// One file, or of a policy all that have findings, the one that was named first.
    Read(Vec<LookedFile>),
}

struct LookedFile {
    name: String,
    octets: Vec<u8>,
    findings: Vec<Finding>,
    /// How many fixes were written.
    fixed: usize,
}

pub(crate) fn run(args: &LintArgs, format: ReportFormat, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    input::refuse_second_standard(args.keys.iter().chain(&args.paths))?;
    let levels = levels::levels(&args.levels.0)?;
    let keys = keyfile::trusted(&args.keys)?;
    for finding in &keys.findings() {
        let line = finding_line(&finding.finding, finding.file.as_deref(), session.err.paint);
        session.note(&line)?;
    }
    let mut cards = LintTerms::default();
    cards.profile = match args.profile {
        Whose::Publish => Profile::Publish,
        Whose::Consume => Profile::Consume,
    };
    cards.levels = match &args.policy {
        Some(path) => levels.over(&policyfile::load(path, session)?.levels()),
        None => levels.clone(),
    };
    cards.assumed = args.assume_version;
    let now = session.now();
    cards.keys = (!args.keys.is_empty()).then_some((&keys, now));
    let linting = Linting {
        sought: Sought::CardsAndPolicies,
        levels,
        cards,
        fail_on: args.fail_on,
        repair: if args.fix { Repair::Write } else { Repair::Leave },
        now,
    };
    linting.run(&args.paths, format, session)
}

impl Linting<'_> {
    pub(crate) fn run(
        &self,
        paths: &[PathBuf],
        format: ReportFormat,
        session: &mut Session<'_>,
    ) -> Result<Outcome, Stop> {
        let mut inputs = input::expand(paths, self.sought)?;
        policy::leave_out_parts(&mut inputs);
        if self.repair == Repair::Write && inputs.iter().any(|input| input.source == Source::Standard) {
            return Err(Failure::usage("`--fix` writes files and cannot fix standard input").into());
        }
        let is_prose = matches!(format, ReportFormat::Human | ReportFormat::Short);
        let rules = self.rules(&inputs);
        let terms = ReportTerms { rules, fail_on: self.fail_on, paint: session.out.paint };
        let mut run = Run {
            report: report::report(format, terms),
            fail_on: self.fail_on,
            is_silent: is_prose && session.detail == Detail::Quiet,
            totals: Totals::default(),
            worst: None,
        };
        let has_bar =
            format == ReportFormat::Human && session.detail != Detail::Quiet && inputs.len() > CHUNK;
        let progress = if has_bar { Progress::on_terminal(inputs.len(), "files") } else { Progress::none() };
        run.write(session, |report, out| report.begin(out))?;
        for chunk in inputs.chunks(CHUNK) {
            let limits = session.limits;
            let looked: Vec<Looked> = chunk.par_iter().map(|input| self.look(input, &limits)).collect();
            progress.aside(|| {
                chunk.iter().zip(looked).try_for_each(|(input, looked)| run.take(input, looked, session))?;
                session.out.writer.flush()
            })?;
            progress.advance(chunk.len());
        }
        drop(progress);
        let nothing =
            if self.sought == Sought::Policies { "no policy was found" } else { "no card was found" };
        run.end(nothing, session)
    }

    fn look(&self, input: &Input, limits: &Limits) -> Looked {
        if self.is_policy(input) {
            policy::look(self, input)
        } else {
            card::look(input, limits, &self.cards, self.repair)
        }
    }

    fn is_policy(&self, input: &Input) -> bool {
        match self.sought {
            Sought::Cards => false,
            Sought::Policies => true,
            Sought::CardsAndPolicies => input.has_policy_name(),
        }
    }

    /// Every code that a finding about these inputs can have, with its levels.
    fn rules(&self, inputs: &[Input]) -> Vec<report::Rule> {
        let mut rules = Vec::new();
        if self.sought != Sought::Policies {
            levels::add_card_rules(&self.cards, &mut rules);
        }
        if inputs.iter().any(|input| self.is_policy(input)) {
            levels::add_policy_rules(&self.levels, &mut rules);
        }
        rules
    }
}

/// The answer so far, and where it goes.
struct Run {
    report: Box<dyn Report>,
    fail_on: FailOn,
    /// Whether the exit code is all that is asked for.
    is_silent: bool,
    totals: Totals,
    worst: Option<Outcome>,
}

impl Run {
    fn take(&mut self, input: &Input, looked: Looked, session: &mut Session<'_>) -> io::Result<()> {
        match looked {
            Looked::PassedOver => input::note_passed_over(input, session),
            Looked::Unread(failure) => {
                self.totals.unread += 1;
                self.worst = self.worst.max(Some(failure.outcome));
                session.fail(&failure)?;
                self.write(session, |report, out| report.unread(&input.name(), &failure, out))
            }
            Looked::Read(files) => files.iter().try_for_each(|file| self.file(file, session)),
        }
    }

    fn file(&mut self, file: &LookedFile, session: &mut Session<'_>) -> io::Result<()> {
        let LookedFile { name, octets, findings, fixed } = file;
        if *fixed > 0 {
            let plural = if *fixed == 1 { "" } else { "es" };
            session.note(&format!("{}: {fixed} fix{plural} written", escape(name)))?;
        }
        self.totals.count(findings);
        let fails = findings.iter().any(|finding| self.fail_on.fails(finding.level));
        self.worst = self.worst.max(Some(if fails { Outcome::No } else { Outcome::Yes }));
        let file = FileFindings { name, octets, quoting: quoting(octets, findings), findings };
        self.write(session, |report, out| report.file(&file, out))
    }

    fn end(mut self, nothing: &str, session: &mut Session<'_>) -> Result<Outcome, Stop> {
        let totals = self.totals;
        self.write(session, |report, out| report.end(&totals, out))?;
        self.worst.ok_or_else(|| Failure::usage(nothing).into())
    }

    fn write(
        &mut self,
        session: &mut Session<'_>,
        write: impl FnOnce(&mut dyn Report, &mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.is_silent { Ok(()) } else { write(self.report.as_mut(), session.out.writer) }
    }
}

fn quoting(octets: &[u8], findings: &[Finding]) -> Quoting {
    let is_secret = |finding: &Finding| finding.code.name() == SECRET;
    let holds_secret = findings.iter().any(is_secret) || !findings.is_empty() && keyfile::holds_key(octets);
    if holds_secret { Quoting::Withheld } else { Quoting::Allowed }
}
