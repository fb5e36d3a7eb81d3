//! What an unknown code may have meant.

use countersign::Code;
use countersign::keys::nearest::distance;

/// Most names that are offered for an unknown one.
const MAX_SUGGESTIONS: usize = 3;

/// The codes whose names, or whose names without their area, differ least from `name`.
pub(crate) fn nearest(name: &str, codes: impl Iterator<Item = Code>) -> Vec<Code> {
    let apart = |code: &Code| {
        let short = code.name().split_once('.').map_or(code.name(), |(_, short)| short);
        distance(name, code.name()).min(distance(name, short))
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
