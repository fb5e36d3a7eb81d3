//! Findings in the formats of people, CI systems and code scanners. A report takes file names, octets and findings, one file
//! after the other, and keeps none of them.

mod github;
mod gitlab;
mod human;
mod json;
pub(crate) mod junit;
mod place;
mod sarif;
mod short;
mod text;

use std::io::{self, Write};

use countersign::{Code, Finding, Level, LintSetting};

use crate::args::{FailOn, ReportFormat};
use crate::failure::Failure;
use crate::render::Paint;

/// What was found in one file.
pub(crate) struct FileFindings<'f> {
    /// The name as it was given.
    pub(crate) name: &'f str,
    /// The octets that the spans of the findings count in.
    pub(crate) octets: &'f [u8],
    pub(crate) quoting: Quoting,
    pub(crate) findings: &'f [Finding],
}

/// Whether a report may show lines of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoting {
    Allowed,
    /// It may hold a private key or another secret.
    Withheld,
}

/// One code that a report can hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) code: Code,
    /// Its level when nobody set another; none when it is off.
    pub(crate) level: Option<Level>,
    /// What was set instead.
    pub(crate) set: Option<LintSetting>,
}

/// How much was found in all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) files: usize,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) infos: usize,
    /// Files that could not be read at all; they are not among `files`.
    pub(crate) unread: usize,
}

/// One format. Text of the files is hostile: none of it may leave its place in the output.
pub(crate) trait Report {
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn file(&mut self, file: &FileFindings<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// A file that could not be read; standard error says so in any case.
    fn unread(&mut self, _name: &str, _failure: &Failure, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, totals: &Totals, out: &mut dyn Write) -> io::Result<()>;
}

/// What a report has to know before the first file.
pub(crate) struct ReportTerms {
    pub(crate) rules: Vec<Rule>,
    pub(crate) fail_on: FailOn,
    pub(crate) paint: Paint,
}

/// The report in a format.
pub(crate) fn report(format: ReportFormat, terms: ReportTerms) -> Box<dyn Report> {
    match format {
        ReportFormat::Human => Box::new(human::Human::new(terms.paint)),
        ReportFormat::Short => Box::new(short::Short),
        ReportFormat::Json => Box::new(json::Json),
        ReportFormat::Sarif => Box::new(sarif::Sarif::new(terms.rules, terms.fail_on)),
        ReportFormat::Junit => Box::new(junit::Junit::new(terms.fail_on)),
        ReportFormat::Github => Box::new(github::Github::new()),
        ReportFormat::Gitlab => Box::new(gitlab::Gitlab::default()),
    }
}

impl Totals {
    pub(crate) fn count(&mut self, findings: &[Finding]) {
        self.files += 1;
        for finding in findings {
            match finding.level {
                Level::Error => self.errors += 1,
                Level::Warning => self.warnings += 1,
                Level::Info => self.infos += 1,
            }
        }
    }
}

impl FailOn {
    /// Whether a finding of this level is a no.
    pub(crate) const fn fails(self, level: Level) -> bool {
        match (self, level) {
            (Self::Error | Self::Warning, Level::Error) | (Self::Warning, Level::Warning) => true,
            (Self::Never, _) | (Self::Error, Level::Warning) | (_, Level::Info) => false,
        }
    }
}

/// What to write or do instead: what the finding says, else the page of its code.
fn help(finding: &Finding) -> &str {
    finding.help.as_deref().unwrap_or(finding.code.page().instead)
}
