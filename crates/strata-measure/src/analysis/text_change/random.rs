//! Names that somebody drew: ids, hashes, names of temporary files.

use super::kind::ChangeKind;
use super::texts::{Found, Texts, runs};
use super::words::{Word, is_gap};

/// Letters and digits from which on something looks drawn.
const MIN_LETTERS: usize = 6;
/// Digits without a letter from which on they count nothing.
const MIN_DIGITS: usize = 7;
/// Hexadecimal digits of both kinds from which on they are a hash or a drawn number, however they alternate.
const MIN_HEX: usize = 8;
/// Letters without a digit from which on capitals inside of them say something.
const MIN_WITHOUT_DIGITS: usize = 16;

/// One drawn name in the place of another.
pub(super) fn changed<'t>(texts: &Texts<'t>) -> Option<Found<'t>> {
    let of_word =
        runs(texts, |letter| !is_gap(letter) && !matches!(letter, '/' | ':' | '.' | '@' | '?' | '&'));
    let of_letters = runs(texts, |letter| letter.is_ascii_alphanumeric());
    let (before, after) = [of_word, of_letters].into_iter().flatten().find(|pair| are_drawn(*pair))?;
    Some(Found { kind: ChangeKind::Id, before: before.text, after: after.text, label_end: after.start })
}

fn are_drawn((before, after): (Word<'_>, Word<'_>)) -> bool {
    is_drawn(before.text) && is_drawn(after.text) && !is_next(before.text, after.text)
}

/// `req_8f3a2c91`, `00041bbe`, `7c9e6679-7425-40de-944b-e07fc1f90ae7`, `01JD2K8Q`, `4821973`.
fn is_drawn(text: &str) -> bool {
    let longest =
        text.split(['-', '_', '+', '~', '$', '#']).max_by_key(|piece| piece.len()).unwrap_or_default();
    is_uuid(text) || is_drawn_piece(longest)
}

fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

fn is_drawn_piece(text: &str) -> bool {
    let n_digits = text.bytes().filter(u8::is_ascii_digit).count();
    let n_letters = text.len() - n_digits;
    if !text.bytes().all(|byte| byte.is_ascii_alphanumeric()) || text.len() < MIN_LETTERS {
        return false;
    }
    if n_letters == 0 {
        return n_digits >= MIN_DIGITS;
    }
    let class = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    let changes = text.as_bytes().windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    if n_digits == 0 {
        return text.len() >= MIN_WITHOUT_DIGITS && changes * 4 >= text.len();
    }
    changes >= 2 || (text.len() >= MIN_HEX && text.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Numbers at their ends that are near each other: `order4821972` and `order4821973`.
fn is_next(before: &str, after: &str) -> bool {
    let cut = |text: &str| {
        let stem = text.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let number = text[stem.len()..].parse::<u64>().ok()?;
        Some((stem.len(), number))
    };
    match (cut(before), cut(after)) {
        (Some((a, before_number)), Some((b, after_number))) => {
            a == b && before[..a] == after[..b] && before_number.abs_diff(after_number) < 1_000
        }
        _ => false,
    }
}
