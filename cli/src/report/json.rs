//! One JSON object for each finding, and a last one with the totals.

use std::io::{self, Write};

use countersign::Span;
use serde::Serialize;

use super::{FileFindings, Report, Totals, help};
use crate::json::to_text;

pub(super) struct Json;

#[derive(Serialize)]
struct FindingJson<'f> {
    schema: &'static str,
    file: &'f str,
    code: &'static str,
    level: &'static str,
    message: &'f str,
    pointer: Option<&'f str>,
    span: Option<SpanJson>,
    help: &'f str,
}

#[derive(Serialize)]
struct SpanJson {
    start: usize,
    end: usize,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct SummaryJson {
    schema: &'static str,
    files: usize,
    errors: usize,
    warnings: usize,
    infos: usize,
}

impl Report for Json {
    fn file(&mut self, file: &FileFindings<'_>, out: &mut dyn Write) -> io::Result<()> {
        for finding in file.findings {
            let object = FindingJson {
                schema: "countersign.finding/1",
                file: file.name,
                code: finding.code.name(),
                level: finding.level.name(),
                message: &finding.message,
                pointer: finding.pointer.as_deref(),
                span: finding.span.map(SpanJson::from),
                help: help(finding),
            };
            writeln!(out, "{}", to_text(&object)?)?;
        }
        Ok(())
    }

    fn end(&mut self, totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
        let Totals { files, errors, warnings, infos, .. } = *totals;
        let object = SummaryJson { schema: "countersign.summary/1", files, errors, warnings, infos };
        writeln!(out, "{}", to_text(&object)?)
    }
}

impl From<Span> for SpanJson {
    fn from(span: Span) -> Self {
        Self { start: span.start, end: span.end, line: span.line, column: span.column }
    }
}
