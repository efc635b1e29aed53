//! Words and lines of a text around one of its bytes.

/// A piece of a text.
#[derive(Clone, Copy)]
pub(super) struct Word<'t> {
    pub text: &'t str,
    /// Its first byte in the whole text.
    pub start: usize,
}

impl Word<'_> {
    pub(super) fn end(self) -> usize {
        self.start + self.text.len()
    }
}

/// Whether words of prose and of data end here.
pub(super) fn is_gap(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(
            letter,
            '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ',' | ';' | '=' | '|' | '*'
        )
}

/// The longest run of such letters with the byte in it or at one of its ends.
pub(super) fn run_around(text: &str, at: usize, is: impl Fn(char) -> bool) -> Word<'_> {
    let start = text[..at].char_indices().rev().take_while(|(_, letter)| is(*letter)).last();
    let start = start.map_or(at, |(start, _)| start);
    let end =
        text[at..].char_indices().find(|(_, letter)| !is(*letter)).map_or(text.len(), |(end, _)| at + end);
    Word { text: &text[start..end], start }
}

/// The word at a byte, without the punctuation behind it.
pub(super) fn word_at(text: &str, at: usize) -> Word<'_> {
    let word = run_around(text, at, |letter| !is_gap(letter));
    let trimmed = word.text.trim_end_matches(['.', ':', '!', '?']);
    // The difference may be the punctuation itself.
    if word.start + trimmed.len() < at { word } else { Word { text: trimmed, ..word } }
}

/// The lines from the one on that a byte stands in.
pub(super) fn lines_from(text: &str, at: usize) -> std::str::Split<'_, char> {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..].split('\n')
}
