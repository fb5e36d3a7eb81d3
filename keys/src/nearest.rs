//! The name that was probably meant: for messages, never for decisions.

/// Longest names that are compared, in characters: the cost grows with the square.
const MAX_LENGTH: usize = 64;

/// Most names that are compared with.
const MAX_NAMES: usize = 256;

/// The first of `names` that differs from `written` in letter case, `-` and `_` only; else the one that takes the fewest
/// changed characters, at most a third of them. None where nothing is so near.
///
/// # Examples
///
/// ```
/// assert_eq!(countersign_keys::nearest::nearest("origin", ["id", "origins"]), Some("origins"));
/// ```
#[must_use]
pub fn nearest<'n>(written: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let folded: Vec<char> = folded(written)?;
    let limit = folded.len() / 3;
    let distances = names.into_iter().take(MAX_NAMES).filter_map(|name| {
        let other = self::folded(name)?;
        let is_near = other.len().abs_diff(folded.len()) <= limit;
        let distance = is_near.then(|| changes(&folded, &other))?;
        (distance <= limit).then_some((distance, name))
    });
    distances.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// Lower case, without `-` and `_`; none for names that are too long to compare.
fn folded(name: &str) -> Option<Vec<char>> {
    let folded: Vec<char> = name
        .chars()
        .filter(|character| !matches!(character, '-' | '_'))
        .map(|character| character.to_ascii_lowercase())
        .take(MAX_LENGTH + 1)
        .collect();
    (!folded.is_empty() && folded.len() <= MAX_LENGTH).then_some(folded)
}

/// How many characters have to be added, deleted or replaced (Levenshtein). Of longer texts only the first 64 characters
/// are compared.
///
/// # Examples
///
/// ```
/// assert_eq!(countersign_keys::nearest::distance("agents.map.example", "agents.maps.example"), 1);
/// ```
#[must_use]
pub fn distance(left: &str, right: &str) -> usize {
    let [left, right] = [left, right].map(|text| text.chars().take(MAX_LENGTH).collect::<Vec<_>>());
    changes(&left, &right)
}

fn changes(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (deleted, character) in left.iter().enumerate() {
        let mut before = deleted;
        let mut here = deleted + 1;
        for (above, other) in row.iter_mut().zip(std::iter::once(None).chain(right.iter().map(Some))) {
            let Some(other) = other else {
                *above = here;
                continue;
            };
            let replaced = before + usize::from(character != other);
            before = *above;
            here = replaced.min(here + 1).min(*above + 1);
            *above = here;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn a_distance_counts_added_deleted_and_replaced_characters() {
        for (left, right, expected) in
            [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3), ("same", "same", 0), ("ab", "ba", 2)]
        {
            assert_eq!(distance(left, right), expected, "{left} {right}");
        }
    }

    #[test]
    fn a_name_is_suggested_only_when_it_is_near() {
        let names = ["bearer", "apiKey", "oauth"];
        for (written, expected) in [
            ("Bearer", Some("bearer")),
            ("api_key", Some("apiKey")),
            ("oath", Some("oauth")),
            ("baerer", Some("bearer")),
            ("mtls", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, names), expected, "{written}");
        }
        assert_eq!(nearest(&"b".repeat(65), [&*"b".repeat(65)]), None);
    }
}
