//! Entries that add nothing to an earlier one.

use countersign_keys::FixSafety;
use countersign_keys::json::Value;

use super::{DUPLICATE_KEY, Entry};
use crate::lint::report::{Place, Remark, Report};
use crate::lint::{Subject, edit};

pub(super) fn check(subject: &Subject<'_>, list: Value<'_>, entries: &[Entry<'_>], report: &mut Report<'_>) {
    let by_key: Vec<usize> = subject.examined.iter().flat_map(|examined| examined.repeated()).collect();
    for (index, entry) in entries.iter().enumerate() {
        let earlier = entries.iter().take(index).find(|earlier| is_same(earlier, entry));
        let (message, safety) = match earlier {
            // No key and no octets come from the second, and damage is damage once or twice: no answer changes.
            Some(earlier) if earlier.value.raw() == entry.value.raw() => {
                (format!("the entry repeats entry {} exactly", earlier.claim.index), FixSafety::Safe)
            }
            Some(earlier) => (
                format!("the entry has the signature of entry {}", earlier.claim.index),
                FixSafety::Suggested,
            ),
            None if by_key.contains(&index) => {
                ("an earlier entry is by the same key over the same octets".to_owned(), FixSafety::Suggested)
            }
            None => continue,
        };
        let mut remark = Remark::new(message);
        if let Some(fix) = edit::remove_element(safety, list, index) {
            remark = remark.fix(fix);
        }
        report.add(&DUPLICATE_KEY, Place::At(entry.value), remark);
    }
}

fn is_same(left: &Entry<'_>, right: &Entry<'_>) -> bool {
    let parts = left.parts.zip(right.parts);
    parts.is_some_and(|(left, right)| {
        left.signature == right.signature
            && left.protected == right.protected
            && left.header.map(Value::raw) == right.header.map(Value::raw)
    })
}
