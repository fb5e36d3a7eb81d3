//! What the reader of JSON remarks on.

use countersign_keys::{Level, codes as key_codes};

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
            report.adopt(lint, finding.clone());
        }
    }
}
