//! What an unknown code may have meant.

use countersign::Code;

/// Most names that are offered for an unknown one.
const MAX_SUGGESTIONS: usize = 3;

/// The codes whose names, or whose names without their area, differ least from `name`.
pub(crate) fn nearest(name: &str, codes: impl Iterator<Item = Code>) -> Vec<Code> {
    // A longer name is near to nothing; the comparison costs the product of the lengths.
    let name: String = name.chars().take(64).collect();
    let apart = |code: &Code| {
        let short = code.name().split_once('.').map_or(code.name(), |(_, short)| short);
        distance(&name, code.name()).min(distance(&name, short))
    };
    let mut codes: Vec<Code> = codes.collect();
    codes.sort_by_key(apart);
    codes.truncate(MAX_SUGGESTIONS);
    codes
}

/// The same as a sentence.
pub(crate) fn suggestion(name: &str, codes: impl Iterator<Item = Code>) -> String {
    let nearest: Vec<_> = nearest(name, codes).iter().map(|code| format!("`{code}`")).collect();
    format!("the nearest are {}", nearest.join(", "))
}

/// How many characters must be added, removed or changed (Levenshtein).
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, one) in left.chars().enumerate() {
        let mut next = vec![index + 1];
        for ((diagonal, above), other) in row.iter().zip(row.iter().skip(1)).zip(&right) {
            let before = next.last().copied().unwrap_or_default();
            next.push((diagonal + usize::from(one != *other)).min(above + 1).min(before + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};
    use countersign::codes;

    #[test]
    fn distance_counts_changes() {
        for (left, right, changes) in [("", "", 0), ("", "ab", 2), ("kitten", "sitting", 3), ("a", "a", 0)] {
            assert_eq!(distance(left, right), changes);
            assert_eq!(distance(right, left), changes);
        }
    }

    #[test]
    fn a_misspelled_code_finds_the_one_that_was_meant() {
        let first = |name| nearest(name, codes::registry())[0].name();
        assert_eq!(first("json.duplicate-members"), "json.duplicate-member");
        assert_eq!(first("uncovered-member"), "sig.uncovered-member");
    }
}
