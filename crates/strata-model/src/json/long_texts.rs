//! Documents that stand in texts, of which each begins as one before it does.
//!
//! Logs keep bodies of requests as text in text, and a body begins with all that was said before. What two such texts
//! begin with is copied rather than read again.

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr2;

use crate::text::common_bytes;

/// Shorter beginnings are as quickly read as found.
const LEAST: usize = 2048;
/// Texts that are kept: as many as conversations that take turns have.
const KEPT: usize = 6;
/// Bytes between places from which on a text can be read.
const STEP: usize = 1024;

/// The texts read last, with where they stand in a file. The one read last is the last.
#[derive(Debug, Default)]
pub(super) struct LongTexts {
    known: Vec<Known>,
    /// Room in which a text is put together.
    room: String,
}

#[derive(Debug)]
struct Known {
    /// What stands between its quotes.
    bytes: Range<usize>,
    text: Arc<str>,
    /// Places behind escapes, among the bytes and in the text.
    marks: Vec<(usize, usize)>,
}

impl LongTexts {
    /// The text whose first byte stands at `start`, and where it ends, quote excluded. `None` where no known one begins as
    /// it does, and where it cannot be read.
    pub(super) fn read(&mut self, file: &[u8], start: usize) -> Option<(Arc<str>, usize)> {
        let own = &file[start..];
        let all = self.known.iter().map(|known| common_bytes(&file[known.bytes.clone()], own));
        let (at, shared) = all.enumerate().max_by_key(|(_, shared)| *shared)?;
        if shared < LEAST {
            return None;
        }
        let known = &self.known[at];
        let mut marks = known.marks.clone();
        marks.truncate(marks.partition_point(|(behind, _)| *behind <= shared));
        let (mut from, n_known) = marks.last().copied().unwrap_or_default();
        self.room.clear();
        self.room.push_str(known.text.get(..n_known)?);
        let end = loop {
            let end = from + memchr2(b'"', b'\\', &own[from..])?;
            let plain = &own[from..end];
            if plain.iter().any(|byte| *byte < b' ') {
                return None;
            }
            self.room.push_str(std::str::from_utf8(plain).ok()?);
            if own[end] == b'"' {
                break end;
            }
            let (letter, width) = escaped(&own[end..])?;
            self.room.push(letter);
            from = end + width;
            if from >= marks.last().map_or(0, |(last, _)| *last) + STEP {
                marks.push((from, self.room.len()));
            }
        };
        let text: Arc<str> = self.room.as_str().into();
        self.known.remove(at);
        self.known.push(Known { bytes: start..start + end, text: text.clone(), marks });
        Some((text, start + end))
    }

    /// Keeps a text that was read otherwise.
    pub(super) fn note(&mut self, bytes: Range<usize>, text: &Arc<str>) {
        // Where nothing is escaped, reading is no more than copying.
        if text.len() < LEAST || text.len() == bytes.len() {
            return;
        }
        if self.known.len() == KEPT {
            self.known.remove(0);
        }
        self.known.push(Known { bytes, text: text.clone(), marks: Vec::new() });
    }
}

/// The letter that an escape stands for, and its bytes.
fn escaped(text: &[u8]) -> Option<(char, usize)> {
    let letter = match text.get(1)? {
        b'n' => '\n',
        b'"' => '"',
        b'\\' => '\\',
        b't' => '\t',
        b'/' => '/',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return escaped_unit(text),
        _ => return None,
    };
    Some((letter, 2))
}

fn escaped_unit(text: &[u8]) -> Option<(char, usize)> {
    let unit = |text: &[u8]| {
        let digits = text.strip_prefix(b"\\u")?.get(..4)?;
        let digits = digits.iter().map(|digit| char::from(*digit).to_digit(16));
        digits.into_iter().try_fold(0, |value, digit| Some(value * 16 + digit?))
    };
    let first = unit(text)?;
    if !(0xD800..0xDC00).contains(&first) {
        return Some((char::from_u32(first)?, 6));
    }
    let second = unit(text.get(6..)?).filter(|second| (0xDC00..0xE000).contains(second))?;
    Some((char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00))?, 12))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Json, parse, to_ascii, to_compact};

    /// Texts in a list; each must be what it is by itself.
    #[track_caller]
    fn check(texts: &[String]) {
        let list = Json::Array(texts.iter().map(|text| Json::from(text.as_str())).collect());
        for file in [to_compact(&list), to_ascii(&list)] {
            let read = parse(file.as_bytes()).unwrap();
            let read: Vec<&str> = read.as_array().unwrap().iter().filter_map(Json::as_str).collect();
            assert_eq!(read, texts);
        }
    }

    fn body(numbers: &[usize], end: &str) -> String {
        let said =
            numbers.iter().map(|n| format!(r#"{{"said":"{n} größe 😀\n{}"}}"#, "x\"\t\\".repeat(n * 90)));
        format!(r#"{{"messages":[{}]{end}"#, said.collect::<Vec<_>>().join(","))
    }

    #[test]
    fn texts_are_what_they_are_alone() {
        let end = r#","tools":[]}"#;
        check(&[
            body(&[9, 8], end),
            body(&[9, 8, 7], end),
            body(&[9, 8, 7, 6], end),
            body(&[5], end),
            body(&[9, 8, 7, 6], end),
            body(&[9, 8], ""),
            body(&[9, 8, 1, 2], "\u{7f}\u{1}"),
            body(&[5, 4, 3], end),
            body(&[], end),
        ]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Each text goes on otherwise from somewhere in the one before it.
        #[test]
        fn texts_that_begin_alike_are_what_they_are_alone(
            pieces in prop::collection::vec("[a-z\"\\\\\n\t/é😀\u{1}]{0,400}", 8..40),
            cuts in prop::collection::vec((0.0..1.0f64, "[a-z\"\\\\\n😀]{0,60}"), 1..12),
        ) {
            let mut texts = vec![format!("{{{}", pieces.concat())];
            for (share, other) in cuts {
                let last = &texts[texts.len() - 1];
                let mut at = 1 + ((last.len() - 1) as f64 * share) as usize;
                while !last.is_char_boundary(at) {
                    at -= 1;
                }
                let next = format!("{}{other}{}", &last[..at], pieces.concat());
                texts.push(next.chars().take(20_000).collect());
            }
            check(&texts);
        }
    }

    #[test]
    fn broken_texts_are_broken_in_the_same_place() {
        let whole = to_compact(&Json::from(body(&[9, 8, 7], "}")));
        let before = [&whole, &whole, &whole].map(String::as_str).join(",");
        let at = whole.len() - 40;
        for broken in ["\n", "\\q", "\\ud800", "\\ud800\\u0041", "\\u12", "\\"] {
            let mut text = whole.clone();
            text.replace_range(at..at, broken);
            let alone = parse(format!("[{text}]").as_bytes());
            let behind = parse(format!("[{before},{text}]").as_bytes());
            let offset = before.len() + 1;
            match (alone, behind) {
                (Err(alone), Err(behind)) => {
                    assert_eq!((alone.message, alone.offset + offset), (behind.message, behind.offset));
                }
                (alone, behind) => assert_eq!(alone.is_ok(), behind.is_ok(), "{broken}"),
            }
        }
    }
}
