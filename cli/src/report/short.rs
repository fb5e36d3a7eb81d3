//! One line for each finding: `file:line:column: level[code] message`.

use std::io::{self, Write};

use super::text::plain;
use super::{FileFindings, Report, Totals};

pub(super) struct Short;

impl Report for Short {
    fn file(&mut self, file: &FileFindings<'_>, out: &mut dyn Write) -> io::Result<()> {
        for finding in file.findings {
            write!(out, "{}:", plain(file.name))?;
            if let Some(span) = finding.span {
                write!(out, "{}:{}:", span.line, span.column)?;
            }
            writeln!(out, " {}[{}] {}", finding.level, finding.code, plain(&finding.message))?;
        }
        Ok(())
    }

    fn end(&mut self, _: &Totals, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
