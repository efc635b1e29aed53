//! What a terminal is given: text that it shows and never obeys.
//!
//! Sessions hold whatever agents, tools and models wrote, and that may be commands to a terminal: to rename its window, to
//! clear it, to write text backwards. Emphasis is put into texts as characters that no text has use for, and becomes
//! commands here, after everything else that would be one was made visible.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use strata_app::{is_command, without_commands};

/// How text is emphasised, as a character in front of it. Unicode sets these aside for the inner use of programs.
pub(crate) const STRONG: char = '\u{fdd0}';
pub(crate) const QUIET: char = '\u{fdd1}';
pub(crate) const ERROR: char = '\u{fdd2}';
pub(crate) const WARNING: char = '\u{fdd3}';
/// Ends what is emphasised.
pub(crate) const PLAIN: char = '\u{fdd4}';

/// The text as a terminal may have it: commands become symbols, such as `␛`, and emphasis becomes a command.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let text = without_commands(text);
    if !text.chars().any(is_emphasis) {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            STRONG => shown.push_str("\x1b[1m"),
            QUIET => shown.push_str("\x1b[2m"),
            ERROR => shown.push_str("\x1b[1;31m"),
            WARNING => shown.push_str("\x1b[1;33m"),
            PLAIN => shown.push_str("\x1b[0m"),
            character => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// JSON as a terminal may have it: what would be a command is written as an escape of JSON, which says the same.
fn visible_json(json: &str) -> Cow<'_, str> {
    if !json.chars().any(is_command) {
        return Cow::Borrowed(json);
    }
    let escaped = |character: char| match character {
        character if is_command(character) => format!("\\u{:04x}", u32::from(character)),
        character => character.to_string(),
    };
    Cow::Owned(json.chars().map(escaped).collect())
}

fn is_emphasis(character: char) -> bool {
    matches!(character, STRONG | QUIET | ERROR | WARNING | PLAIN)
}

/// Writes text to whoever looks at `out`, as far as somebody does.
pub(crate) fn write(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(visible(text).as_bytes())
}

/// Writes JSON: to a program as it is, to a terminal so that it says the same and commands nothing.
pub(crate) fn write_json(out: &mut (impl Write + IsTerminal), json: &str) -> io::Result<()> {
    let json = if out.is_terminal() { visible_json(json) } else { Cow::Borrowed(json) };
    out.write_all(json.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_seen_and_not_obeyed() {
        let shown = |text| visible(text).into_owned();
        assert_eq!(shown("a\x1b[31mred\x1b[0m\x07"), "a␛[31mred␛[0m␇");
        assert_eq!(shown("\u{9b}2J \x7f \r\n\ttab"), "␛[2J ␡ ␍\n\ttab");
        assert_eq!(shown("abc\u{202e}def"), "abc\\u{202e}def");
        assert_eq!(shown("naïve 🙂 日本"), "naïve 🙂 日本");
    }

    #[test]
    fn emphasis_is_a_command_and_nothing_more() {
        assert_eq!(visible(&format!("{ERROR}wrong{PLAIN} right")), "\x1b[1;31mwrong\x1b[0m right");
    }

    #[test]
    fn json_says_the_same() {
        let json = serde_json::to_string("\u{9b}2J \x1b[1m \u{202e}").unwrap_or_default();
        let shown = visible_json(&json);
        assert!(!shown.chars().any(is_command), "{shown}");
        assert_eq!(serde_json::from_str::<String>(&shown).ok().as_deref(), Some("\u{9b}2J \x1b[1m \u{202e}"));
    }
}
