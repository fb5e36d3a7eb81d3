//! The code quality report of GitLab: one JSON array.

use std::io::{self, Write};

use countersign::Level;
use serde::Serialize;

use super::text::{Fingerprints, plain, relative};
use super::{FileFindings, Report, Totals};
use crate::json::to_text;

#[derive(Default)]
pub(super) struct Gitlab {
    written: usize,
}

#[derive(Serialize)]
struct Issue<'f> {
    description: String,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    location: Location<'f>,
}

#[derive(Serialize)]
struct Location<'f> {
    path: &'f str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
}

impl Report for Gitlab {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"[")
    }

    fn file(&mut self, file: &FileFindings<'_>, out: &mut dyn Write) -> io::Result<()> {
        let path = plain(&relative(file.name));
        let mut fingerprints = Fingerprints::default();
        for finding in file.findings {
            let severity = match finding.level {
                Level::Error => "major",
                Level::Warning => "minor",
                Level::Info => "info",
            };
            let issue = Issue {
                description: plain(&finding.message),
                check_name: finding.code.name(),
                fingerprint: fingerprints.next(&path, finding),
                severity,
                location: Location {
                    path: &path,
                    lines: Lines { begin: finding.span.map_or(1, |span| span.line) },
                },
            };
            let separator = if self.written == 0 { "\n" } else { ",\n" };
            write!(out, "{separator}{}", to_text(&issue)?)?;
            self.written += 1;
        }
        Ok(())
    }

    fn end(&mut self, _: &Totals, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if self.written == 0 { b"]\n" } else { b"\n]\n" })
    }
}
