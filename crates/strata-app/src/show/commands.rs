//! Characters that command whoever shows a text, and symbols for them.

use std::borrow::Cow;

/// Controls, but those that end lines and columns, and what changes the direction of text.
pub fn is_command(character: char) -> bool {
    let turns = matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    turns || (character.is_control() && !matches!(character, '\n' | '\t'))
}

/// The text with symbols in the place of such characters.
pub fn without_commands(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_command) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_command(character) {
            shown.push_str(&command_symbol(character));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// What is shown in the place of such a character, such as `␛`.
fn command_symbol(character: char) -> String {
    match character {
        '\u{7f}' => "␡".to_owned(),
        // Control Pictures stand in the order of what they show.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(character)).into_iter().collect(),
        // One character for an escape and the letter behind it.
        '\u{80}'..='\u{9f}' => ['␛'].into_iter().chain(char::from_u32(u32::from(character) - 0x40)).collect(),
        character => character.escape_unicode().to_string(),
    }
}
