//! Recorded texts and numbers as the page says them.

use strata_model::secret;

use crate::api::common::Basis;
use crate::show::words;

/// Characters behind the shown ones that may tell that a shown one is part of a secret.
const LOOKED_AT: usize = 400;

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
        let end = text.char_indices().nth(max + LOOKED_AT).map_or(text.len(), |(end, _)| end);
        let masked = self.masks_secrets.then(|| secret::mask(&text[..end])).flatten();
        let whole: String = match masked {
            Some(masked) => masked.text + &text[end..],
            None => text.to_owned(),
        };
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

/// `12,345`.
pub(super) fn count(number: impl TryInto<i64>) -> String {
    words::whole(number.try_into().unwrap_or(i64::MAX))
}

/// `12,345`, or `≈12,345` where it is an estimate.
pub(super) fn tokens(number: impl TryInto<i64>, basis: Basis) -> String {
    format!("{}{}", basis.mark(), count(number))
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

/// `$1.23`, with as many digits as tell something.
pub(super) fn dollars(amount: Option<f64>) -> String {
    match amount {
        None => "no price known".to_owned(),
        Some(0.0) => "$0".to_owned(),
        Some(amount) if amount < 0.0 => format!("−{}", dollars(Some(-amount))),
        Some(amount) if amount < 0.000_1 => "<$0.0001".to_owned(),
        Some(amount) if amount < 0.1 => format!("${amount:.4}"),
        Some(amount) => format!("${amount:.2}"),
    }
}

/// `42 %`; `<1 %` for what is there but little, `>99 %` where little is missing.
pub(super) fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    let half = u128::from(whole) / 2;
    match (u128::from(part) * 100 + half) / u128::from(whole) {
        0 if part > 0 => "<1 %".to_owned(),
        100 if part < whole => ">99 %".to_owned(),
        percent => format!("{percent} %"),
    }
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

    #[test]
    fn numbers_say_what_they_rest_on() {
        assert_eq!(tokens(12_345, Basis::Estimated), "≈12,345");
        assert_eq!([share(1, 1000), share(999, 1000), share(0, 0)], ["<1 %", ">99 %", "–"]);
        assert_eq!(dollars(Some(-0.5)), "−$0.50");
    }
}
