//! Cutting requests where their messages end.

use std::collections::HashMap;
use std::fmt::Write as _;

use strata_model::{Fingerprint, Json, json};

/// Values from this length on, in bytes of JSON, are pieces of their own.
const LONG: usize = 256;

/// Numbers of the pieces of a recording, from 1, by what they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownPieces {
    numbers: HashMap<Fingerprint, u32>,
    /// Of all pieces: two that were masked later may be the same.
    count: u32,
}

impl KnownPieces {
    /// The number of a piece, and whether it is new.
    pub(crate) fn number(&mut self, piece: &str) -> (u32, bool) {
        let next = self.count + 1;
        let number = *self.numbers.entry(Fingerprint::of(piece.as_bytes())).or_insert(next);
        self.count = self.count.max(number);
        (number, number == next)
    }

    /// Those of a recording, in the order of their numbers.
    pub(crate) fn of<'p>(pieces: impl IntoIterator<Item = &'p str>) -> Self {
        let mut known = Self::default();
        for piece in pieces {
            known.count += 1;
            known.numbers.entry(Fingerprint::of(piece.as_bytes())).or_insert(known.count);
        }
        known
    }

    pub(crate) fn len(&self) -> usize {
        self.count as usize
    }

    /// Forgets the pieces behind the first `n`, when the transaction that wrote them failed.
    pub(crate) fn roll_back(&mut self, n: usize) {
        if n < self.len() {
            self.numbers.retain(|_, number| *number as usize <= n);
            self.count = n as u32;
        }
    }
}

/// Pieces that add up to the value as compact JSON: each item of a list in it, each long member, and what is between.
/// Long objects are cut where their members are.
pub(crate) fn cut(body: &Json) -> Vec<String> {
    let mut cut = Cut::default();
    cut.add(body);
    cut.pieces.push(cut.between);
    cut.pieces
}

#[derive(Default)]
struct Cut {
    pieces: Vec<String>,
    /// What follows the last piece.
    between: String,
}

impl Cut {
    fn add(&mut self, value: &Json) {
        let Json::Object(members) = value else { return json::write_compact(&mut self.between, value) };
        self.between.push('{');
        for (at, (key, value)) in members.iter().enumerate() {
            if at > 0 {
                self.between.push(',');
            }
            json::write_compact_string(&mut self.between, key);
            self.between.push(':');
            self.add_member(value);
        }
        self.between.push('}');
    }

    fn add_member(&mut self, value: &Json) {
        if let Json::Array(items) = value
            && !items.is_empty()
        {
            self.between.push('[');
            self.pieces.push(std::mem::take(&mut self.between));
            for (at, item) in items.iter().enumerate() {
                let mut piece = String::from(if at == 0 { "" } else { "," });
                json::write_compact(&mut piece, item);
                self.pieces.push(piece);
            }
            self.between.push(']');
            return;
        }
        let text = json::to_compact(value);
        if text.len() < LONG {
            self.between.push_str(&text);
        } else if matches!(value, Json::Object(_)) {
            self.add(value);
        } else {
            self.pieces.push(std::mem::take(&mut self.between));
            self.pieces.push(text);
        }
    }
}

/// `1-40,57`: numbers that follow one another as their first and last.
pub(crate) fn runs(numbers: &[u32]) -> String {
    let mut text = String::new();
    let mut rest = numbers;
    while let Some(first) = rest.first() {
        let n = rest.iter().zip(*first..).take_while(|(number, expected)| **number == *expected).count();
        if !text.is_empty() {
            text.push(',');
        }
        let last = first + n as u32 - 1;
        let _ = if n == 1 { write!(text, "{first}") } else { write!(text, "{first}-{last}") };
        rest = &rest[n..];
    }
    text
}

/// The other way round. `None` for what [`runs`] did not write.
pub(crate) fn numbers(runs: &str) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for run in runs.split(',') {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        numbers.extend(first.parse::<u32>().ok()?..=last.parse().ok()?);
    }
    Some(numbers)
}

/// The largest of the numbers. `None` for what [`runs`] did not write.
pub(crate) fn last_number(runs: &str) -> Option<u32> {
    let last = |run: &str| run.rsplit('-').next()?.parse().ok();
    runs.split(',').map(last).try_fold(0, |largest: u32, last| Some(largest.max(last?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_add_up() {
        let long = "x".repeat(LONG);
        for body in [
            "{}".to_owned(),
            r#"{"messages":[]}"#.to_owned(),
            r#"{"model":"m","messages":[{"role":"user"},"b"],"stream":true}"#.to_owned(),
            format!(r#"{{"system":"{long}","messages":[1],"tools":[2,3]}}"#),
            format!(r#"{{"recorded":{{"id":"1","state":[{{"key":"a"}},2],"note":"{long}"}},"model":"m"}}"#),
            "[1,2]".to_owned(),
        ] {
            let value = json::parse(body.as_bytes()).expect("valid JSON");
            assert_eq!(cut(&value).concat(), body);
        }
    }

    #[test]
    fn pieces_keep_their_numbers_where_two_are_the_same() {
        let mut known = KnownPieces::of(["a", "masked", "masked", "b"]);
        assert_eq!(
            [known.number("masked"), known.number("b"), known.number("c")],
            [(2, false), (4, false), (5, true)]
        );
        known.roll_back(3);
        assert_eq!([known.number("b"), known.number("masked")], [(4, true), (2, false)]);
    }

    #[test]
    fn a_longer_conversation_has_the_pieces_of_a_shorter_one() {
        let of = |text: &str| cut(&json::parse(text.as_bytes()).expect("valid JSON"));
        let (short, long) = (of(r#"{"messages":[1,2]}"#), of(r#"{"messages":[1,2,3]}"#));
        assert_eq!(short[..3], long[..3]);
    }

    #[test]
    fn what_is_deep_in_a_body_is_shared_too() {
        let file = "x".repeat(LONG);
        let of = |id: u32| {
            let body =
                format!(r#"{{"recorded":{{"id":{id},"files":[{{"part":"{file}"}}],"note":"{file}"}}}}"#);
            cut(&json::parse(body.as_bytes()).expect("valid JSON"))
        };
        let (first, second) = (of(1), of(2));
        let (shared, own): (Vec<&String>, Vec<&String>) =
            first.iter().partition(|piece| second.contains(piece));
        assert!(shared.iter().map(|piece| piece.len()).sum::<usize>() > 2 * LONG);
        assert!(own.iter().map(|piece| piece.len()).sum::<usize>() < 60);
    }

    #[test]
    fn runs_are_read_back() {
        for list in [vec![7], vec![1, 2, 3, 5], vec![3, 3, 4, 1]] {
            assert_eq!(last_number(&runs(&list)), list.iter().copied().max());
            assert_eq!(numbers(&runs(&list)), Some(list));
        }
        assert_eq!(runs(&[1, 2, 3, 5]), "1-3,5");
        assert_eq!(numbers("1-x"), None);
    }
}
