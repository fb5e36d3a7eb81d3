//! `lint`: what is wrong or unwise in cards.

use std::io::{self, Write};

use countersign::{
    CardError, Finding, FixTerms, Level, Limits, LintLevels, LintSetting, LintTerms, Profile, UntrustedCard,
    codes, keys::codes::JSON_TOO_LARGE, lints,
};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use crate::args::{FailOn, LintArgs, ReportFormat, Whose};
use crate::failure::{Failure, Stop};
use crate::input::{self, Input, Source};
use crate::keyfile;
use crate::nearest::suggestion;
use crate::outcome::Outcome;
use crate::output::{self, Detail, Replaced, Session, finding_line};
use crate::progress::Progress;
use crate::render::escape;
use crate::report::{self, FileFindings, Quoting, Report, ReportTerms, Rule, Totals};

/// Files that are looked at before anything is written about them: what is held at one time.
const CHUNK: usize = 128;

/// A file with this finding is not quoted: what the finding is about must not reach a log.
const SECRET: &str = "card.secret-in-card";

/// Every code that is not named.
const ALL_OTHERS: &str = "*";

/// What came of one file.
enum Looked {
    PassedOver,
    Unread(Failure),
    Read { octets: Vec<u8>, findings: Vec<Finding>, fixed: usize },
}

/// Whether files are fixed before they are judged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repair {
    Leave,
    Write,
}

pub(crate) fn run(args: &LintArgs, format: ReportFormat, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    input::refuse_second_standard(args.keys.iter().chain(&args.paths))?;
    let levels = levels(&args.levels.0)?;
    let keys = keyfile::trusted(&args.keys)?;
    for finding in &keys.findings() {
        let line = finding_line(&finding.finding, finding.file.as_deref(), session.err.paint);
        session.note(&line)?;
    }
    let mut terms = LintTerms::default();
    terms.profile = match args.profile {
        Whose::Publish => Profile::Publish,
        Whose::Consume => Profile::Consume,
    };
    terms.levels = levels;
    terms.assumed = args.assume_version;
    terms.keys = (!args.keys.is_empty()).then(|| (&keys, session.now()));

    let repair = if args.fix { Repair::Write } else { Repair::Leave };
    let inputs = input::expand(&args.paths)?;
    if repair == Repair::Write && inputs.iter().any(|input| input.source == Source::Standard) {
        return Err(Failure::usage("`--fix` writes files and cannot fix standard input").into());
    }
    let is_prose = matches!(format, ReportFormat::Human | ReportFormat::Short);
    let mut run = Run {
        report: report::report(
            format,
            ReportTerms { rules: rules(&terms), fail_on: args.fail_on, paint: session.out.paint },
        ),
        fail_on: args.fail_on,
        is_silent: is_prose && session.detail == Detail::Quiet,
        totals: Totals::default(),
        worst: None,
    };
    let has_bar = format == ReportFormat::Human && session.detail != Detail::Quiet && inputs.len() > CHUNK;
    let progress = if has_bar { Progress::on_terminal(inputs.len()) } else { Progress::none() };
    run.write(session, |report, out| report.begin(out))?;
    for chunk in inputs.chunks(CHUNK) {
        let limits = session.limits;
        let looked: Vec<Looked> =
            chunk.par_iter().map(|input| look(input, &limits, &terms, repair)).collect();
        progress.aside(|| {
            chunk.iter().zip(looked).try_for_each(|(input, looked)| run.take(input, looked, session))?;
            session.out.writer.flush()
        })?;
        progress.advance(chunk.len());
    }
    drop(progress);
    run.end(session)
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
        let name = input.name();
        match looked {
            Looked::PassedOver => input::note_passed_over(input, session),
            Looked::Unread(failure) => {
                self.totals.unread += 1;
                self.worst = self.worst.max(Some(failure.outcome));
                session.fail(&failure)?;
                self.write(session, |report, out| report.unread(&name, &failure, out))
            }
            Looked::Read { octets, findings, fixed } => {
                if fixed > 0 {
                    let plural = if fixed == 1 { "" } else { "es" };
                    session.note(&format!("{}: {fixed} fix{plural} written", escape(&name)))?;
                }
                self.totals.count(&findings);
                let fails = findings.iter().any(|finding| self.fail_on.fails(finding.level));
                self.worst = self.worst.max(Some(if fails { Outcome::No } else { Outcome::Yes }));
                let (octets, findings) = (octets.as_slice(), findings.as_slice());
                let file = FileFindings { name: &name, octets, quoting: quoting(octets, findings), findings };
                self.write(session, |report, out| report.file(&file, out))
            }
        }
    }

    fn end(mut self, session: &mut Session<'_>) -> Result<Outcome, Stop> {
        let totals = self.totals;
        self.write(session, |report, out| report.end(&totals, out))?;
        self.worst.ok_or_else(|| Failure::usage("no card was found").into())
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

/// Reads a file and lints what is in it. What was read and is no card is a finding.
fn look(input: &Input, limits: &Limits, terms: &LintTerms<'_>, repair: Repair) -> Looked {
    let octets = match input.octets(limits) {
        Ok(octets) => octets,
        Err(failure) => return Looked::Unread(failure),
    };
    let card = match UntrustedCard::read(octets.as_slice(), limits) {
        Ok(card) if input.passes_over(Ok(&card)) => return Looked::PassedOver,
        Ok(card) => card,
        Err(error) if input.passes_over(Err(Some(error.code()))) => return Looked::PassedOver,
        Err(error) => {
            let findings = vec![unreadable(&error, &octets, limits)];
            return Looked::Read { octets, findings, fixed: 0 };
        }
    };
    let made = match repair {
        Repair::Leave => Ok(0),
        Repair::Write => write_fixes(input, &card, terms),
    };
    match made {
        Ok(0) => Looked::Read { findings: card.lint(terms), octets, fixed: 0 },
        // What is judged is what stands in the file now.
        Ok(made) => match look(input, limits, terms, Repair::Leave) {
            Looked::Read { octets, findings, .. } => Looked::Read { octets, findings, fixed: made },
            other @ (Looked::PassedOver | Looked::Unread(_)) => other,
        },
        Err(failure) => Looked::Unread(failure),
    }
}

/// How many fixes were written into the file.
fn write_fixes(input: &Input, card: &UntrustedCard, terms: &LintTerms<'_>) -> Result<usize, Failure> {
    let Source::File(path) = &input.source else { return Ok(0) };
    let mut fixes = FixTerms::default();
    fixes.assumed = terms.assumed;
    let fixed = card.fix(&fixes);
    if fixed.fixed.is_empty() {
        return Ok(0);
    }
    match output::replace_unchanged(path, Some(card.octets()), &fixed.octets)? {
        Replaced::Done => Ok(fixed.fixed.len()),
        Replaced::Changed => Err(Failure::changed_meanwhile(path)),
    }
}

fn unreadable(error: &CardError, octets: &[u8], limits: &Limits) -> Finding {
    let mut finding = error.finding();
    if finding.code == JSON_TOO_LARGE {
        // Nobody knows how long it is: reading stopped.
        finding.message = format!("the document has more than {} octets", limits.max_octets);
        finding.help = Some("`--max-octets SIZE` raises the limit".to_owned());
    } else if keyfile::holds_key(octets) {
        finding.message = finding.code.page().what.trim_end_matches('.').to_owned();
    }
    finding
}

/// The settings of the command line; a code that is none of a lint is refused.
fn levels(settings: &[(String, LintSetting)]) -> Result<LintLevels, Failure> {
    let mut levels = LintLevels::default();
    for (name, setting) in settings {
        if name == ALL_OTHERS {
            levels.set_all(*setting);
        } else if lints().any(|lint| lint.code.name() == name) {
            levels.set(name, *setting);
        } else {
            return Err(no_lint(name));
        }
    }
    Ok(levels)
}

fn no_lint(name: &str) -> Failure {
    if CardError::CODES.iter().any(|code| code.name() == name) {
        return Failure::usage(format!("`{name}` is always an error: the card cannot be read"));
    }
    let what = if codes::find(name).is_some() { "is no code of a lint" } else { "is no code" };
    Failure::usage(format!("`{name}` {what}")).with_help(suggestion(name, lints().map(|lint| lint.code)))
}

/// Every code that a finding can have, with its levels.
fn rules(terms: &LintTerms<'_>) -> Vec<Rule> {
    let lints = lints().map(|lint| Rule {
        code: lint.code,
        level: lint.level(terms.profile),
        set: terms.levels.of(lint.code),
    });
    let mut rules: Vec<Rule> = lints.collect();
    for code in CardError::CODES {
        if rules.iter().all(|rule| rule.code != code) {
            rules.push(Rule { code, level: Some(Level::Error), set: None });
        }
    }
    rules
}
