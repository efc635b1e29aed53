//! Recorded texts and numbers as the page says them.

use std::borrow::Cow;

use strata_model::secret;

use crate::api::common::Basis;
use crate::show::numbers;
pub(super) use crate::show::numbers::{count, tokens};
use crate::show::words;

/// Says recorded texts: without secrets, unless they are wanted; on one line; cut, with what was cut.
pub(super) struct Texts {
    masks_secrets: bool,
}

impl Texts {
    pub(super) fn new(masks_secrets: bool) -> Self {
        Self { masks_secrets }
    }

    /// At most `max` characters of a recorded text.
    pub(super) fn line(&self, text: &str, max: usize) -> String {
        let whole = if self.masks_secrets { words::masked(text, max) } else { Cow::Borrowed(text) };
        let n = whole.chars().count();
        let shown: String = whole.chars().take(max).map(plain).collect();
        if n > max {
            format!("{shown}… (cut: {} more characters)", words::whole((n - max) as i64))
        } else {
            shown
        }
    }

    /// Masks in a page.
    pub(super) fn masked_in(&self, page: &str) -> usize {
        let label = secret::label("");
        if self.masks_secrets { page.matches(label.trim_end_matches('›')).count() } else { 0 }
    }
}

/// A character that neither breaks the line nor turns around what is beside it.
fn plain(c: char) -> char {
    match c {
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => '\u{FFFD}',
        '\u{FFFE}' | '\u{FFFF}' => '\u{FFFD}',
        c if c.is_whitespace() => ' ',
        c if c.is_control() => '\u{FFFD}',
        c => c,
    }
}

/// What a number rests on, in a word.
pub(super) fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Reported => "reported",
        Basis::Exact => "exact",
        Basis::Calibrated => "calibrated",
        Basis::Estimated => "estimated",
    }
}

/// `$1.23`; of a page nobody can ask what a dash means.
pub(super) fn dollars(amount: Option<f64>) -> String {
    if amount.is_none() { "no price known".to_owned() } else { numbers::dollars(amount) }
}

/// A name for a file.
pub(super) fn file_stem(title: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let stem: String = title.chars().map(plain).take(60).collect();
    let stem = stem.trim_matches('_');
    if stem.is_empty() { "report".to_owned() } else { stem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_neither_breaks_nor_turns_around() {
        let texts = Texts::new(true);
        assert_eq!(texts.line("a\nb\u{202E}c\0", 10), "a b\u{FFFD}c\u{FFFD}");
    }

    #[test]
    fn what_is_cut_is_said() {
        let long = "x".repeat(200_000);
        assert_eq!(Texts::new(true).line(&long, 3), "xxx… (cut: 199,997 more characters)");
    }
}
