//! Numbers, and those that count.

use super::kind::ChangeKind;
use super::texts::{Found, Texts, runs};
use super::words::Word;

/// How much a counter goes up between two calls.
const MAX_STEP: u64 = 16;

/// A number in the place of another.
pub(super) fn changed<'t>(texts: &Texts<'t>) -> Option<Found<'t>> {
    let (before, after) = runs(texts, |letter| letter.is_ascii_digit() || matches!(letter, '.' | ','))?;
    let trimmed = |text: &'t str| text.trim_end_matches(['.', ',']);
    let (was, is) = (trimmed(before.text), trimmed(after.text));
    // The same number, behind which something came in.
    if was == is {
        return None;
    }
    let number = |text: &str| text.replace(',', "").parse::<f64>().ok();
    number(was).zip(number(is))?;
    // A number goes on with its unit, which stays; other letters are of a word that holds digits.
    let unit = |text: &'t str, number: Word<'t>, shown: &str| {
        let behind = &text[number.start + shown.len()..];
        let end = behind.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(behind.len());
        &behind[..end]
    };
    if unit(texts.before, before, was) != unit(texts.after, after, is) {
        return None;
    }
    let whole = |text: &str| text.replace(',', "").parse::<u64>().ok();
    let is_step = whole(was).zip(whole(is)).is_some_and(|(was, is)| is > was && is - was <= MAX_STEP);
    let behind = texts.after[after.start + is.len()..].trim_start_matches(' ');
    // Degrees and percents go up and down; money is no counter either.
    let is_measure =
        behind.starts_with(['°', '%', '€']) || texts.after[..after.start].ends_with(['$', '€', '£']);
    let is_counter = is_step && !is_measure;
    let kind = if is_counter { ChangeKind::Counter } else { ChangeKind::Number };
    Some(Found { kind, before: was, after: is, label_end: after.start })
}
