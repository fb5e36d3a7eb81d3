//! What an unknown word may have meant.

use countersign_keys::nearest::nearest;

/// The nearest word in a sentence; without a near one, all of them.
pub(super) fn suggestion<'w>(word: &str, known: impl IntoIterator<Item = &'w str> + Clone) -> Option<String> {
    if let Some(near) = nearest(word, known.clone()) {
        return Some(format!("did you mean `{near}`?"));
    }
    let known: Vec<String> = known.into_iter().map(|known| format!("`{known}`")).collect();
    (!known.is_empty()).then(|| format!("known: {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn a_near_word_is_offered_and_a_far_one_is_not() {
        let known = ["origins", "algorithms", "id"];
        assert_eq!(suggestion("origin", known).unwrap(), "did you mean `origins`?");
        assert_eq!(suggestion("colour", known).unwrap(), "known: `origins`, `algorithms`, `id`");
    }
}
