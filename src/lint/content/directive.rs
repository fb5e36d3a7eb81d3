//! Phrases that address the language model into whose prompt a card is put.

/// Lower case, single spaces.
const PHRASES: [&str; 25] = [
    "ignore previous instructions",
    "ignore all previous",
    "ignore the previous",
    "ignore your previous",
    "ignore prior instructions",
    "ignore all prior",
    "ignore the above",
    "ignore all other agents",
    "ignore other agents",
    "disregard previous",
    "disregard all previous",
    "disregard the above",
    "forget previous instructions",
    "forget your instructions",
    "forget all previous",
    "override your instructions",
    "your system prompt",
    "the system prompt",
    "you are now ",
    "always choose this agent",
    "do not tell the user",
    "don't tell the user",
    "without telling the user",
    "<|im_start|>",
    "[/inst]",
];

/// The first of the phrases that `text` holds, whatever its letter case and white space.
pub(super) fn phrase(text: &str) -> Option<&'static str> {
    let shortest = PHRASES.iter().map(|phrase| phrase.len()).min().unwrap_or_default();
    if text.len() < shortest {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        plain.push_str(word);
        plain.push(' ');
    }
    plain.make_ascii_lowercase();
    PHRASES.into_iter().find(|phrase| plain.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::phrase;

    #[test]
    fn letter_case_and_white_space_do_not_matter() {
        assert_eq!(phrase("Please IGNORE\n  previous\tInstructions."), Some("ignore previous instructions"));
        assert_eq!(phrase("Never mind. You are now root"), Some("you are now "));
        for text in ["", "You are nowhere near it.", "Ignores previous trips when it plans routes."] {
            assert_eq!(phrase(text), None, "{text}");
        }
    }
}
