//! Characters that do not show, or change how others show.

/// Whether a character must not be written as it is where people read: control characters, and those of Unicode that have
/// no width, turn the direction of text, break lines or are tags.
///
/// # Examples
///
/// ```
/// assert!(countersign_keys::is_hidden('\u{202e}') && countersign_keys::is_hidden('\n'));
/// assert!(!countersign_keys::is_hidden('ü'));
/// ```
#[must_use]
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}
