//! What the reader of JSON remarks on.

use countersign_keys::{Edit, Fix, FixSafety, Level, codes as key_codes};

use super::report::Report;
use super::{Family, Lint, Subject};

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

static LINTS: [Lint; 2] = [
    Lint::new(key_codes::JSON_BOM, Some(Level::Warning), Some(Level::Warning)),
    Lint::new(key_codes::JSON_ROUNDED_NUMBER, Some(Level::Warning), Some(Level::Warning)),
];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for finding in subject.card.findings() {
        if let Some(lint) = LINTS.iter().find(|lint| lint.code == finding.code) {
            let mut finding = finding.clone();
            if finding.code == key_codes::JSON_BOM {
                // No canonical form sees the mark, so this holds for signed cards too.
                let mark = finding.span.map(|span| Edit { range: span.start..span.end, text: String::new() });
                finding.fix = mark.map(|mark| Fix::new(FixSafety::Safe, vec![mark]));
            }
            report.adopt(lint, finding);
        }
    }
}
