//! Names in texts: words by which something is known again where it is said later.

/// Bytes from which on a word is one that can be recognised.
const MIN_WORD: usize = 5;

/// Names, paths and numbers: what has a digit or a sign in it that prose has not.
pub(crate) fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@');
    let is_name = |c: char| c.is_ascii_digit() || matches!(c, '_' | '/' | '@');
    let words = text.split(move |c: char| !is_part(c)).map(|word| word.trim_matches(['.', '-', '/']));
    words.filter(move |word| word.len() >= MIN_WORD && word.chars().any(is_name))
}
