//! For people: each finding with the line it is about, and the totals at the end.
//!
//! ```text
//! error[json.duplicate-member]: member `name` appears twice in one object
//!  --> agent-card.json:3:3
//!   |
//! 3 |   "name": "Other",
//!   |   ^^^^^^
//!   = at: /name
//!   = help: Keep one of the two members.
//! ```

use std::io::{self, Write};

use countersign::{Finding, Level};
use unicode_width::UnicodeWidthStr as _;

use super::text::{count, plain};
use super::{FileFindings, Quoting, Report, Totals, help, place};
use crate::render::Paint;

pub(super) struct Human {
    paint: Paint,
}

impl Human {
    pub(super) const fn new(paint: Paint) -> Self {
        Self { paint }
    }
}

impl Report for Human {
    fn file(&mut self, file: &FileFindings<'_>, out: &mut dyn Write) -> io::Result<()> {
        let name = plain(file.name);
        file.findings.iter().try_for_each(|finding| self.finding(&name, file, finding, out))
    }

    fn end(&mut self, totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
        let Totals { errors, warnings, infos, .. } = *totals;
        let mut found = Vec::new();
        if errors > 0 {
            found.push(self.paint.bad(&count(errors, "error")));
        }
        if warnings > 0 {
            found.push(self.paint.warn(&count(warnings, "warning")));
        }
        if infos > 0 {
            found.push(self.paint.dim(&count(infos, "info")));
        }
        let found = if found.is_empty() { self.paint.good("nothing found") } else { found.join(", ") };
        writeln!(out, "{}: {found}", count(totals.files, "file"))
    }
}

impl Human {
    fn finding(
        &self,
        name: &str,
        file: &FileFindings<'_>,
        finding: &Finding,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let paint = self.paint;
        let marked = |text: &str| match finding.level {
            Level::Error => paint.bad(text),
            Level::Warning => paint.warn(text),
            Level::Info => paint.bold(text),
        };
        let head = marked(&format!("{}[{}]", finding.level, finding.code));
        writeln!(out, "{head}{} {}", paint.bold(":"), paint.bold(&plain(&finding.message)))?;

        let (arrow, bar) = (paint.dim("-->"), paint.dim("|"));
        let number = finding.span.map(|span| span.line.to_string()).unwrap_or_default();
        let margin = " ".repeat(number.len());
        let place = finding.span.map(|span| format!(":{}:{}", span.line, span.column)).unwrap_or_default();
        writeln!(out, "{margin}{arrow} {name}{place}")?;
        let quoted = finding.span.filter(|_| file.quoting == Quoting::Allowed);
        if let Some(line) = quoted.and_then(|span| place::line(file.octets, span)) {
            let (before, of_span) = line.parts();
            let indent = " ".repeat(before.width());
            let carets = marked(&"^".repeat(of_span.width().max(1)));
            writeln!(out, "{margin} {bar}")?;
            writeln!(out, "{} {bar} {}", paint.dim(&number), line.text)?;
            writeln!(out, "{margin} {bar} {indent}{carets}")?;
        }
        let equals = paint.dim("=");
        if let Some(pointer) = finding.pointer.as_deref().filter(|pointer| !pointer.is_empty()) {
            writeln!(out, "{margin} {equals} at: {}", plain(pointer))?;
        }
        writeln!(out, "{margin} {equals} help: {}\n", plain(help(finding)))
    }
}
