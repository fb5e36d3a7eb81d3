//! The trust policy of a run: loaded whole, or refused with every fault in it.

use std::io;
use std::path::Path;

use countersign::policy::{PolicyError, PolicyFault, PolicyKey, PolicyPlace};
use countersign::{Finding, Level, TrustPolicy, UnixTime};

use crate::args::{FailOn, Format, ReportFormat};
use crate::failure::{Failure, Stop};
use crate::keyfile;
use crate::output::Session;
use crate::render::escape;
use crate::report::{FileFindings, Quoting, Report, ReportTerms, report};

/// Most faults that are told where a policy was needed for something else.
const MAX_TOLD: usize = 50;

/// Loads a policy. One with a fault is none: all faults are told on standard error, each with the line it is on.
pub(crate) fn load(path: &Path, session: &mut Session<'_>) -> Result<TrustPolicy, Stop> {
    match countersign::load_policy(path) {
        Ok(policy) => Ok(policy),
        Err(error) => {
            tell(&error, path, session)?;
            let message = format!("`{}` is no policy to decide by: {}", path.display(), faults(&error));
            Err(Failure::usage(message).into())
        }
    }
}

/// From when on a key counts, without the clock skew that is allowed for.
pub(crate) fn first_second(policy: &TrustPolicy, key: &PolicyKey) -> Option<UnixTime> {
    let skew = policy.limits().clock_skew_seconds;
    key.trusted.not_before().map(|first| UnixTime::from_seconds(first).saturating_add_seconds(skew))
}

/// A fault as a finding, with the other places that take part in its message.
pub(crate) fn finding(fault: &PolicyFault) -> Finding {
    let mut message = fault.message.clone();
    for (place, what) in &fault.related {
        message.push_str(&format!("; {what}: {place}"));
    }
    let mut finding = Finding::new(fault.code, Level::Error, message);
    finding.help.clone_from(&fault.help);
    match &fault.place {
        Some(place) => finding.spanning(place.span),
        None => finding,
    }
}

/// How many faults there are.
pub(crate) fn faults(error: &PolicyError) -> String {
    match error.faults.len() {
        1 => "1 fault".to_owned(),
        number => format!("{number} faults"),
    }
}

/// Tells all faults on standard error.
pub(crate) fn tell(error: &PolicyError, path: &Path, session: &mut Session<'_>) -> io::Result<()> {
    let paint = session.err.paint;
    let format = match session.format {
        Format::Short => ReportFormat::Short,
        Format::Human | Format::Json => ReportFormat::Human,
    };
    let mut report = report(format, ReportTerms { rules: Vec::new(), fail_on: FailOn::Error, paint });
    let name = path.display().to_string();
    for fault in error.faults.iter().take(MAX_TOLD) {
        let finding = Finding::new(fault.code, Level::Error, fault.message.clone());
        let finding = match &fault.help {
            Some(help) => finding.with_help(help.clone()),
            None => finding,
        };
        one(error, fault.place.as_ref(), (finding, &name), &mut *report, session)?;
        for (place, what) in &fault.related {
            writeln!(session.err.writer, "note: {}: {}", escape(&place.to_string()), escape(what))?;
        }
    }
    let more = error.faults.len().saturating_sub(MAX_TOLD);
    if more > 0 {
        writeln!(session.err.writer, "note: {more} more; `countersign policy check` tells all of them")?;
    }
    Ok(())
}

/// One place, with its line unless it may hold a key.
fn one(
    error: &PolicyError,
    place: Option<&PolicyPlace>,
    (finding, path): (Finding, &str),
    report: &mut dyn Report,
    session: &mut Session<'_>,
) -> io::Result<()> {
    let file = place.and_then(|place| error.files.iter().find(|file| file.name == place.file));
    let octets = file.map(|file| file.text.as_bytes()).unwrap_or_default();
    let quoting = if keyfile::holds_key(octets) { Quoting::Withheld } else { Quoting::Allowed };
    // A file that could not be read has no lines.
    let finding = match place.filter(|_| !octets.is_empty()) {
        Some(place) => finding.spanning(place.span),
        None => finding,
    };
    let name = place.map_or(path, |place| &*place.file);
    let findings = std::slice::from_ref(&finding);
    report.file(&FileFindings { name, octets, quoting, findings }, session.err.writer)
}
