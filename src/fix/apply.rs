//! Makes the edits of fixes in the text of a card.

use countersign_keys::{Edit, Finding};

use super::{MAX_ROUNDS, reread};
use crate::card::{CardView, UntrustedCard};

/// The text after rounds of what `fixes` finds in it, until it finds nothing that can be made.
pub(super) fn rounds(
    mut text: String,
    done: &mut Vec<Finding>,
    fixes: impl Fn(&UntrustedCard) -> Vec<Finding>,
) -> String {
    for _ in 0..MAX_ROUNDS {
        let Ok(card) = reread(text.as_str()) else { break };
        let Some((next, made)) = round(&card, &text, fixes(&card)) else { break };
        done.extend(made.into_iter().map(settled));
        text = next;
    }
    text
}

/// The text with the fixes made that do not overlap, the first of two; and what they were for.
fn round(card: &UntrustedCard, text: &str, findings: Vec<Finding>) -> Option<(String, Vec<Finding>)> {
    let mut chosen: Vec<Finding> = Vec::new();
    for finding in findings {
        if edits(&finding).iter().all(|edit| chosen.iter().flat_map(edits).all(|other| apart(edit, other))) {
            chosen.push(finding);
        }
    }
    if let Some(next) = spliced(card, text, &chosen) {
        return (next != text).then_some((next, chosen));
    }
    // One of them gives a text that is no card, or takes a demand out of it; the others are made.
    let mut next = text.to_owned();
    let mut made = Vec::new();
    for finding in chosen {
        made.push(finding);
        match spliced(card, text, &made) {
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

/// The text with all these edits, if it is still a card and lets in nobody whom `card` did not.
fn spliced(card: &UntrustedCard, text: &str, findings: &[Finding]) -> Option<String> {
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
    let after = reread(next.as_str()).ok()?;
    (!opens(card.view(), after.view())).then_some(next)
}

/// Whether a demand of the card or of a skill, also one that cannot be read, became none.
fn opens(before: CardView<'_>, after: CardView<'_>) -> bool {
    let demands = |view: CardView<'_>| {
        let card = std::iter::once(view.requirements().allows_anonymous());
        card.chain(view.skills().map(|skill| skill.requirements().allows_anonymous())).collect::<Vec<_>>()
    };
    demands(before).into_iter().zip(demands(after)).any(|(before, after)| !before && after)
}

/// What was done: its place in the text is gone.
fn settled(mut finding: Finding) -> Finding {
    finding.span = None;
    finding.fix = None;
    finding.help = None;
    finding
}
