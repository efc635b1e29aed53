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

/// Words within which two lines have to go on alike.
const MAX_WORDS: usize = 64;
/// Words that have to be the same for two lines to go on alike.
const ALIKE: usize = 2;

/// What differs first in two texts that begin with the same bytes: whole words, up to where their lines go on alike.
pub(super) fn differing<'t>(before: &'t str, after: &'t str, at: usize) -> (Word<'t>, Word<'t>) {
    let start = value_start(after, at);
    let (was, is) = (words_of_line(before, start), words_of_line(after, start));
    let (n_was, n_is) = alike_again(&was, &is);
    let piece = |text: &'t str, words: &[Word<'t>]| {
        let end = words.last().map_or(start, |word| word.end());
        let start = words.first().map_or(start, |word| word.start);
        Word { text: &text[start..end.max(start)], start }
    };
    let whole = (piece(before, &was[..n_was]), piece(after, &is[..n_is]));
    let bare = (without_end(whole.0), without_end(whole.1));
    // The difference may be the punctuation behind a word, or between words.
    match () {
        () if bare.0.text != bare.1.text => bare,
        () if whole.0.text != whole.1.text => whole,
        () => (line_from(before, start), line_from(after, start)),
    }
}

/// The beginning of the word that a byte lies in; of the value, where its label stands in the same word.
fn value_start(text: &str, at: usize) -> usize {
    let word = run_around(text, at, |letter| !is_gap(letter));
    let shared = &text[word.start..at];
    let label = shared.rfind(':').filter(|colon| !text[word.start + colon..].starts_with("://"));
    label.map_or(word.start, |colon| word.start + colon + 1)
}

/// From a byte to the end of its line.
fn line_from(text: &str, start: usize) -> Word<'_> {
    Word { text: text[start..].split('\n').next().unwrap_or_default(), start }
}

/// The words from a byte to the end of its line.
fn words_of_line(text: &str, start: usize) -> Vec<Word<'_>> {
    let end = line_from(text, start).end();
    let mut words = Vec::new();
    let mut at = start;
    while words.len() < MAX_WORDS
        && let Some(gap) = text[at..end].find(|letter| !is_gap(letter))
    {
        at += gap;
        let length = text[at..end].find(is_gap).unwrap_or(end - at);
        words.push(Word { text: &text[at..at + length], start: at });
        at += length;
    }
    words
}

/// How many words of each differ before both go on alike; all of them where they do not.
fn alike_again(was: &[Word<'_>], is: &[Word<'_>]) -> (usize, usize) {
    let goes_on = |n_was: usize, n_is: usize| {
        let (was, is) = (&was[n_was..], &is[n_is..]);
        let n = ALIKE.min(was.len().max(is.len()));
        was.len() >= n && is.len() >= n && was[..n].iter().zip(&is[..n]).all(|(a, b)| a.text == b.text)
    };
    // The fewest words on the longer side; as many on both is the likeliest, a value in the place of another.
    let splits = (1..=was.len().max(is.len())).flat_map(|most| {
        let fewer = (0..most).rev().flat_map(move |few| [(few, most), (most, few)]);
        [(most, most)].into_iter().chain(fewer)
    });
    let mut within = splits.filter(|(n_was, n_is)| *n_was <= was.len() && *n_is <= is.len());
    within.find(|(n_was, n_is)| goes_on(*n_was, *n_is)).unwrap_or((was.len(), is.len()))
}

fn without_end(word: Word<'_>) -> Word<'_> {
    Word { text: word.text.trim_end_matches(['.', ':', '!', '?']), ..word }
}

/// The lines from the one on that a byte stands in.
pub(super) fn lines_from(text: &str, at: usize) -> std::str::Split<'_, char> {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..].split('\n')
}
