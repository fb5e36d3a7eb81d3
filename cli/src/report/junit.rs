//! JUnit XML: a suite for each file, in it a case for each code that was found, or one case that passes.

use std::io::{self, Write};

use countersign::{Code, Finding, Level};

use super::text::plain;
use super::{FileFindings, Report, Totals, help};
use crate::args::FailOn;
use crate::failure::Failure;

/// The name of the case of a file in which nothing was found.
const CLEAN: &str = "nothing found";

pub(super) struct Junit {
    fail_on: FailOn,
}

impl Junit {
    pub(super) const fn new(fail_on: FailOn) -> Self {
        Self { fail_on }
    }
}

impl Report for Junit {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        // The totals would stand here, before anything was looked at; each suite has its own.
        out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"countersign lint\">\n")
    }

    fn file(&mut self, file: &FileFindings<'_>, out: &mut dyn Write) -> io::Result<()> {
        let name = xml(file.name);
        let mut cases: Vec<(Code, Vec<&Finding>)> = Vec::new();
        for finding in file.findings {
            match cases.iter_mut().find(|(code, _)| *code == finding.code) {
                Some((_, findings)) => findings.push(finding),
                None => cases.push((finding.code, vec![finding])),
            }
        }
        let failing =
            |findings: &[&Finding]| findings.iter().any(|finding| self.fail_on.fails(finding.level));
        let failures = cases.iter().filter(|(_, findings)| failing(findings)).count();
        suite(&name, cases.len().max(1), failures, 0, out)?;
        for (code, findings) in &cases {
            writeln!(out, "    <testcase name=\"{code}\" classname=\"{name}\">")?;
            let text: Vec<_> = findings.iter().map(|finding| paragraph(file.name, finding)).collect();
            let text = xml_lines(&text.join("\n"));
            match findings.iter().find(|finding| self.fail_on.fails(finding.level)) {
                Some(first) => {
                    let (message, level) = (xml(&first.message), worst(findings));
                    writeln!(out, "      <failure message=\"{message}\" type=\"{level}\">{text}</failure>")?;
                }
                None => writeln!(out, "      <system-out>{text}</system-out>")?,
            }
            out.write_all(b"    </testcase>\n")?;
        }
        if cases.is_empty() {
            writeln!(out, "    <testcase name=\"{CLEAN}\" classname=\"{name}\"/>")?;
        }
        out.write_all(b"  </testsuite>\n")
    }

    fn unread(&mut self, name: &str, failure: &Failure, out: &mut dyn Write) -> io::Result<()> {
        let (name, message) = (xml(name), xml(&failure.message));
        suite(&name, 1, 0, 1, out)?;
        writeln!(out, "    <testcase name=\"read\" classname=\"{name}\">")?;
        writeln!(out, "      <error message=\"{message}\"/>\n    </testcase>\n  </testsuite>")
    }

    fn end(&mut self, _: &Totals, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"</testsuites>\n")
    }
}

pub(crate) fn suite(
    name: &str,
    tests: usize,
    failures: usize,
    errors: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" disabled=\"0\" errors=\"{errors}\" failures=\"{failures}\">"
    )
}

fn worst(findings: &[&Finding]) -> Level {
    findings.iter().map(|finding| finding.level).max().unwrap_or(Level::Error)
}

/// `card.json:3:5: message`, and the help on a line of its own.
fn paragraph(name: &str, finding: &Finding) -> String {
    let place = finding.span.map(|span| format!("{}:{}:", span.line, span.column)).unwrap_or_default();
    format!("{}:{place} {}\nhelp: {}", plain(name), plain(&finding.message), plain(help(finding)))
}

/// Text for an attribute or an element. No character is left that XML 1.0 does not have.
pub(crate) fn xml(text: &str) -> String {
    let mut escaped = String::new();
    for character in plain(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The same for text with lines of ours.
pub(crate) fn xml_lines(text: &str) -> String {
    text.split('\n').map(xml).collect::<Vec<_>>().join("\n")
}
