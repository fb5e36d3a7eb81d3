//! Makes the edits of fixes in the text of a card.

use countersign_keys::{Edit, Finding};

use super::{MAX_ROUNDS, reread};
use crate::card::UntrustedCard;

/// The text after rounds of what `fixes` finds in it, until it finds nothing that can be made.
pub(super) fn rounds(
    mut text: String,
    done: &mut Vec<Finding>,
    fixes: impl Fn(&UntrustedCard) -> Vec<Finding>,
) -> String {
    for _ in 0..MAX_ROUNDS {
        let Ok(card) = reread(text.as_str()) else { break };
        let Some((next, made)) = round(&text, fixes(&card)) else { break };
        done.extend(made.into_iter().map(settled));
        text = next;
    }
    text
}

/// The text with the fixes made that do not overlap, the first of two; and what they were for.
fn round(text: &str, findings: Vec<Finding>) -> Option<(String, Vec<Finding>)> {
    let mut chosen: Vec<Finding> = Vec::new();
    for finding in findings {
        if edits(&finding).iter().all(|edit| chosen.iter().flat_map(edits).all(|other| apart(edit, other))) {
            chosen.push(finding);
        }
    }
    if let Some(next) = spliced(text, &chosen) {
        return (next != text).then_some((next, chosen));
    }
    // One of them gives a text that is no card; the others are made.
    let mut next = text.to_owned();
    let mut made = Vec::new();
    for finding in chosen {
        made.push(finding);
        match spliced(text, &made) {
            Some(good) => next = good,
            None => made.truncate(made.len().saturating_sub(1)),
        }
    }
    (next != text).then_some((next, made))
}

fn edits(finding: &Finding) -> &[Edit] {
    finding.fix.as_ref().map_or(&[], |fix| &fix.edits)
}

fn apart(left: &Edit, right: &Edit) -> bool {
    let (left, right) = (&left.range, &right.range);
    // Two insertions at one place have no order.
    (left.end <= right.start || right.end <= left.start) && left.start != right.start
}

/// The text with all these edits, if it is still a card.
fn spliced(text: &str, findings: &[Finding]) -> Option<String> {
    let mut all: Vec<&Edit> = findings.iter().flat_map(edits).collect();
    all.sort_by_key(|edit| edit.range.start);
    let mut next = String::with_capacity(text.len());
    let mut from = 0;
    for edit in all {
        next.push_str(text.get(from..edit.range.start)?);
        next.push_str(&edit.text);
        from = edit.range.end;
    }
    next.push_str(text.get(from..)?);
    reread(next.as_str()).is_ok().then_some(next)
}

/// What was done: its place in the text is gone.
fn settled(mut finding: Finding) -> Finding {
    finding.span = None;
    finding.fix = None;
    finding.help = None;
    finding
}
