//! Pieces of sentences.

use strata_model::EventIndex;

/// Names in one sentence; more are counted.
const MAX_LISTED: usize = 4;

/// `12,345`.
pub(super) fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 call`, `12 calls`. The plural adds an `s`.
pub(super) fn count(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", number(n), if n == 1 { "" } else { "s" })
}

/// `once`, `twice`, `3 times`.
pub(super) fn times(n: u64) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{} times", number(n)),
    }
}

/// `a`, `a and b`, `a, b, c, d and 3 more`.
pub(super) fn listed<T: AsRef<str>>(items: &[T]) -> String {
    let shown: Vec<&str> = items.iter().take(MAX_LISTED).map(AsRef::as_ref).collect();
    match (&shown[..], items.len().saturating_sub(MAX_LISTED)) {
        ([], _) => String::new(),
        ([only], _) => (*only).to_owned(),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
        (all, n_more) => format!("{} and {n_more} more", all.join(", ")),
    }
}

/// `E3 and E8`.
pub(super) fn events(events: &[EventIndex]) -> String {
    listed(&events.iter().map(|event| event_name(*event)).collect::<Vec<_>>())
}

pub(super) fn event_name(event: EventIndex) -> String {
    format!("E{}", event.number())
}

/// Each item once, in the order of its first appearance.
pub(super) fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for item in items {
        if !seen.contains(&item) {
            seen.push(item);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas() {
        assert_eq!([0, 999, 1000, 1_234_567].map(number), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([1, 2].map(|n| count(n, "call")), ["1 call", "2 calls"]);
        assert_eq!([1, 2, 1000].map(times), ["once", "twice", "1,000 times"]);
    }

    #[test]
    fn long_lists_are_cut() {
        let items = ["a", "b", "c", "d", "e", "f"];
        assert_eq!(
            [0, 1, 2, 4, 6].map(|n| listed(&items[..n])),
            ["", "a", "a and b", "a, b, c and d", "a, b, c, d and 2 more"]
        );
    }
}
