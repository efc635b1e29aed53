//! Texts as sequences of words, so that what is spelled in another case or with other marks is found all the same.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use strata_model::{Fingerprint, Json, Part};

/// A value as the words it is made of. `ORD-4411`, `ord 4411` and `Ord/4411` are the same one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Phrase(Vec<u64>);

impl Phrase {
    /// `None` where a text has no word.
    pub(super) fn of(text: &str) -> Option<Self> {
        let words = keys(text);
        (!words.is_empty()).then_some(Self(words))
    }

    /// Several texts, one behind the other.
    pub(super) fn joined<'t>(texts: impl IntoIterator<Item = &'t str>) -> Option<Self> {
        let words: Vec<u64> = texts.into_iter().flat_map(keys).collect();
        (!words.is_empty()).then_some(Self(words))
    }
}

/// The words of a text, to look for single phrases in it.
pub(super) struct Words(Vec<u64>);

impl Words {
    pub(super) fn of(text: &str) -> Self {
        Self(keys(text))
    }

    pub(super) fn hold(&self, Phrase(phrase): &Phrase) -> bool {
        self.0.windows(phrase.len().max(1)).any(|words| words == phrase)
    }
}

/// Finds many phrases in a text at once, in time that grows with the text and not with their number.
#[derive(Debug, Default)]
pub(super) struct Finder {
    /// A bit for each of some words, by which most of those that begin no phrase are known.
    begins: Vec<u64>,
    /// The words that phrases go on with, by what there is of these so far: nothing is 0.
    next: HashMap<(u32, u64), u32, BuildHasherDefault<WordHasher>>,
    /// The phrases that are whole then.
    whole: Vec<Vec<u32>>,
}

/// Bits for each phrase.
const BITS: usize = 16;

impl Finder {
    /// Phrases are known by their place among these.
    pub(super) fn new<'p>(phrases: impl IntoIterator<Item = &'p Phrase>) -> Self {
        let mut finder = Self { whole: vec![Vec::new()], ..Self::default() };
        for (at, Phrase(words)) in phrases.into_iter().enumerate() {
            let mut so_far = 0;
            for word in words {
                so_far = *finder.next.entry((so_far, *word)).or_insert_with(|| {
                    finder.whole.push(Vec::new());
                    finder.whole.len() as u32 - 1
                });
            }
            finder.whole[so_far as usize].push(at as u32);
        }
        let firsts = || finder.next.keys().filter(|(so_far, _)| *so_far == 0).map(|(_, word)| *word);
        let mut begins = vec![0; (firsts().count() * BITS).next_power_of_two().max(64) / 64];
        firsts().for_each(|word| {
            let (at, bit) = place(&begins, word);
            begins[at] |= bit;
        });
        Self { begins, ..finder }
    }

    /// Tells `found` of each phrase that stands in the text, each time it does.
    pub(super) fn find(&self, text: &str, found: &mut dyn FnMut(u32)) {
        let words = keys(text);
        let mut here = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let (bits, bit) = place(&self.begins, *word);
            if self.begins.get(bits).is_none_or(|bits| bits & bit == 0) {
                continue;
            }
            let mut so_far = 0;
            for word in &words[at..] {
                let Some(next) = self.next.get(&(so_far, *word)) else { break };
                so_far = *next;
                here.extend_from_slice(&self.whole[so_far as usize]);
            }
            here.sort_unstable();
            here.drain(..).for_each(&mut *found);
        }
    }
}

/// The bit of a word.
fn place(bits: &[u64], word: u64) -> (usize, u64) {
    let at = (word >> 16) as usize & (bits.len() * 64).saturating_sub(1);
    (at / 64, 1 << (at % 64))
}

/// Words are hashes already.
#[derive(Debug, Default)]
struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64((*byte).into());
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(ODD);
    }
}

/// Tells `each` of every text of a part that a model reads: what is said, arguments and results with their keys.
pub(super) fn each_text(part: &Part, each: &mut dyn FnMut(&str)) {
    if let Some(text) = part.text.as_deref().filter(|_| !part.is_thought()) {
        each(text);
    }
    for object in [
        part.function_call.as_ref().and_then(|call| call.args.as_deref()),
        part.function_response.as_ref().and_then(|response| response.response.as_deref()),
    ]
    .into_iter()
    .flatten()
    {
        for (key, value) in object.iter() {
            each(key);
            each_leaf(value, true, each);
        }
    }
}

/// Tells `each` of every text and number in a value, and of keys if these count.
pub(super) fn each_leaf(value: &Json, with_keys: bool, each: &mut dyn FnMut(&str)) {
    match value {
        Json::Null | Json::Bool(_) => {}
        Json::String(text) => each(text),
        Json::Int(_) | Json::BigInt(_) | Json::Float(_) => each(&strata_model::json::to_compact(value)),
        Json::Array(items) => items.iter().for_each(|item| each_leaf(item, with_keys, each)),
        Json::Object(object) => {
            for (key, value) in object.iter() {
                if with_keys {
                    each(key);
                }
                each_leaf(value, with_keys, each);
            }
        }
    }
}

/// The words of a text: runs of letters, digits and underscores in lower case. A number is one word, with its decimals
/// and without the commas of its thousands: `1,203.50` and `1203.5` are the same one.
fn keys(text: &str) -> Vec<u64> {
    let mut keys = Vec::new();
    let mut word = String::new();
    let mut start = 0;
    while start < text.len() {
        let (is_part, width) = letter_at(text, start);
        if !is_part {
            start += width;
            continue;
        }
        let mut end = start + width;
        while end < text.len() {
            let (is_part, width) = letter_at(text, end);
            if !is_part {
                break;
            }
            end += width;
        }
        if is_digits(&text[start..end]) {
            end = start + number_end(&text[start..], end - start);
        }
        let own = &text[start..end];
        start = end;
        // Most words are as they are compared.
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'.';
        let own = if own.bytes().all(is_plain) {
            own
        } else {
            word.clear();
            word.extend(own.chars().filter(|letter| *letter != ',').flat_map(char::to_lowercase));
            &word
        };
        keys.push(key(canonical(own)));
    }
    keys
}

/// Whether the letter that begins at a place is part of a word, and its bytes.
fn letter_at(text: &str, at: usize) -> (bool, usize) {
    let byte = text.as_bytes()[at];
    if byte.is_ascii() {
        return (byte.is_ascii_alphanumeric() || byte == b'_', 1);
    }
    text[at..].chars().next().map_or((false, 1), |letter| (letter.is_alphanumeric(), letter.len_utf8()))
}

fn key(word: &str) -> u64 {
    Fingerprint::of(word.as_bytes()).0 as u64
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Where a number ends that begins with the digits up to `end`: behind groups of thousands, and behind decimals.
fn number_end(text: &str, mut end: usize) -> usize {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let is_free =
        |at: usize| text[at..].chars().next().is_none_or(|letter| !letter.is_alphanumeric() && letter != '_');
    if end <= 3 {
        while text[end..].starts_with(',') && digits(end + 1) == 3 && is_free(end + 4) {
            end += 4;
        }
    }
    while text[end..].starts_with('.') && digits(end + 1) > 0 && is_free(end + 1 + digits(end + 1)) {
        end += 1 + digits(end + 1);
    }
    end
}

/// A number without zeros behind its decimals; anything else as it is.
fn canonical(word: &str) -> &str {
    match word.split_once('.') {
        Some((whole, decimals)) if !decimals.contains('.') => {
            let decimals = decimals.trim_end_matches('0');
            if decimals.is_empty() { whole } else { &word[..whole.len() + 1 + decimals.len()] }
        }
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::{Finder, Phrase};

    #[track_caller]
    fn is_in(value: &str, text: &str) -> bool {
        let phrase = Phrase::of(value).unwrap();
        let mut is_found = false;
        Finder::new([&phrase]).find(text, &mut |_| is_found = true);
        is_found
    }

    #[test]
    fn a_value_is_found_in_other_spellings_and_not_inside_of_another() {
        assert!(is_in("ORD-4411", "Both of ord 4411."));
        assert!(is_in("1203.5", "comes to €1,203.50, or so"));
        assert!(is_in("1203", "[7,1203,44]"));
        assert!(is_in("Acme Tools GmbH", "(ACME Tools  GmbH)"));
        assert!(is_in("10.0.0.12", "at 10.0.0.12."));
        assert!(!is_in("ORD-4411", "ORD-44110 and ORD-441"));
        assert!(!is_in("1203", "1203.5"));
        assert!(!is_in("203", "1,203"));
        assert!(!is_in("tools gmbh", "tools of a gmbh"));
    }
}
