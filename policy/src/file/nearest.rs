//! What an unknown word may have meant.

/// The word that differs least from `word`, if it is near: at most a third of its characters changed.
pub(super) fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    // A longer word is near to nothing; the comparison costs the product of the lengths.
    let word: String = word.chars().take(64).collect();
    let most = (word.chars().count() / 3).max(1);
    let near = known.into_iter().map(|known| (distance(&word, known), known));
    near.filter(|(changes, _)| *changes <= most).min_by_key(|(changes, _)| *changes).map(|(_, known)| known)
}

/// The same as a sentence; without a near word, all of them.
pub(super) fn suggestion<'w>(word: &str, known: impl IntoIterator<Item = &'w str> + Clone) -> Option<String> {
    if let Some(near) = nearest(word, known.clone()) {
        return Some(format!("did you mean `{near}`?"));
    }
    let known: Vec<String> = known.into_iter().map(|known| format!("`{known}`")).collect();
    (!known.is_empty()).then(|| format!("known: {}", known.join(", ")))
}

/// How many characters must be added, removed or changed; none for case and for `_` instead of `-`.
fn distance(left: &str, right: &str) -> usize {
    let fold = |text: &str| text.to_ascii_lowercase().replace('_', "-");
    if fold(left) == fold(right) {
        return 0;
    }
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (one, first) in left.chars().zip(1..) {
        let mut next: Vec<usize> = vec![first];
        for ((diagonal, above), other) in row.iter().zip(row.iter().skip(1)).zip(&right) {
            let before = next.last().copied().unwrap_or_default();
            let changed = diagonal.saturating_add(usize::from(one != *other));
            next.push(changed.min(above.saturating_add(1)).min(before.saturating_add(1)));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest, suggestion};

    #[test]
    fn distance_counts_changes() {
        for (left, right, changes) in
            [("", "", 0), ("", "ab", 2), ("kitten", "sitting", 3), ("A_b", "a-b", 0)]
        {
            assert_eq!(distance(left, right), changes, "{left} {right}");
        }
    }

    #[test]
    fn a_near_word_is_offered_and_a_far_one_is_not() {
        let known = ["origins", "algorithms", "id"];
        assert_eq!(nearest("origin", known), Some("origins"));
        assert_eq!(nearest("algorithm", known), Some("algorithms"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(suggestion("colour", known).unwrap(), "known: `origins`, `algorithms`, `id`");
    }
}
