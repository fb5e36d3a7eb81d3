//! Workflow commands of GitHub Actions, which show findings beside the change; and a summary of the job, where the
//! environment names a file for it.

use std::fs::OpenOptions;
use std::io::{self, Write};

use countersign::{Finding, Level};

use super::text::{count, plain, relative};
use super::{FileFindings, Report, Totals, help};

/// The variable that names the file of the summary.
const SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// Most findings of a summary, which may have 1 MiB.
const MAX_ROWS: usize = 100;

pub(super) struct Github {
    rows: Vec<String>,
}

impl Github {
    pub(super) const fn new() -> Self {
        Self { rows: Vec::new() }
    }
}

impl Report for Github {
    fn file(&mut self, file: &FileFindings<'_>, out: &mut dyn Write) -> io::Result<()> {
        let name = relative(file.name);
        for finding in file.findings {
            writeln!(out, "{}", command(&name, finding))?;
            if self.rows.len() < MAX_ROWS {
                self.rows.push(row(&name, finding));
            }
        }
        Ok(())
    }

    fn end(&mut self, totals: &Totals, _: &mut dyn Write) -> io::Result<()> {
        let Some(path) = std::env::var_os(SUMMARY).filter(|path| !path.is_empty()) else { return Ok(()) };
        let mut summary = OpenOptions::new().append(true).create(true).open(path)?;
        summary.write_all(self.summary(totals).as_bytes())
    }
}

impl Github {
    fn summary(&self, totals: &Totals) -> String {
        let Totals { files, errors, warnings, infos, .. } = *totals;
        let (files, errors) = (count(files, "file"), count(errors, "error"));
        let (warnings, infos) = (count(warnings, "warning"), count(infos, "info"));
        let mut text = format!("### countersign lint\n\n{files}: {errors}, {warnings}, {infos}\n");
        if !self.rows.is_empty() {
            text.push_str("\n| level | code | place | finding |\n| --- | --- | --- | --- |\n");
            text.push_str(&self.rows.concat());
        }
        let all = totals.errors + totals.warnings + totals.infos;
        if all > self.rows.len() {
            text.push_str(&format!("\n{} more\n", all - self.rows.len()));
        }
        text
    }
}

/// `::error file=…,line=…,col=…,title=…::…`
fn command(name: &str, finding: &Finding) -> String {
    let level = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "notice",
    };
    let place = finding.span.map(|span| format!(",line={},col={}", span.line, span.column));
    let (place, file, title) = (place.unwrap_or_default(), property(name), property(finding.code.name()));
    // The line end between them is the only one.
    let (message, help) = (data(&finding.message), data(help(finding)));
    format!("::{level} file={file}{place},title={title}::{message}%0Ahelp: {help}")
}

/// Text of a workflow command.
fn data(text: &str) -> String {
    plain(text).replace('%', "%25")
}

/// A property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

fn row(name: &str, finding: &Finding) -> String {
    let line = finding.span.map(|span| format!(":{}", span.line)).unwrap_or_default();
    let (name, message) = (markdown(name), markdown(&finding.message));
    format!("| {} | `{}` | {name}{line} | {message} |\n", finding.level, finding.code)
}

/// Text without any meaning in Markdown or HTML: punctuation is written as character references.
fn markdown(text: &str) -> String {
    let mut escaped = String::new();
    for character in plain(text).chars() {
        if character.is_ascii_punctuation() {
            escaped.push_str(&format!("&#{};", u32::from(character)));
        } else {
            escaped.push(character);
        }
    }
    escaped
}
