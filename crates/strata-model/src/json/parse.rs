//! Reading JSON text.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use jiter::{Jiter, JiterError, Peek};

use super::long_texts::LongTexts;
use super::members::{SCAN_LIMIT, set_all};
use super::repeats::Place;
use super::{Interner, Json, MAX_DEPTH, Object, Repeats};

/// Why a text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    pub message: String,
    /// Byte offset into the text that was parsed.
    pub offset: usize,
    /// The text ended before the value did: more bytes could make it valid.
    pub is_truncated: bool,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.offset)
    }
}

impl std::error::Error for JsonError {}

/// Parses a text that holds exactly one JSON value. `NaN` and `Infinity` are accepted, as Python writes them.
pub fn parse(text: &[u8]) -> Result<Json, JsonError> {
    let mut reader = ValueReader::new(text);
    let value = reader.next_value()?.ok_or_else(nothing)?;
    reader.finish().map(|()| value)
}

/// Parses a text that we wrote ourselves: what was read from a file stands some levels deeper in it.
pub fn parse_own(text: &[u8]) -> Result<Json, JsonError> {
    let mut reader = ValueReader::new(text).of_own_text();
    let value = reader.next_value()?.ok_or_else(nothing)?;
    reader.finish().map(|()| value)
}

/// Parses a text as [`parse`] does, taking from documents before it what it repeats of them.
pub fn parse_repeated(
    text: &[u8],
    interner: &mut Interner,
    repeats: &mut Repeats,
) -> Result<Json, JsonError> {
    let mut reader = ValueReader::with_interner(text, std::mem::replace(interner, Interner::forgetful()))
        .with_repeats(std::mem::take(repeats));
    let value = reader.next_value().and_then(|value| {
        reader.end_document(0);
        reader.finish().map(|()| value)
    });
    let (own_interner, own_repeats) = reader.into_shared();
    (*interner, *repeats) = (own_interner, own_repeats.unwrap_or_default());
    value?.ok_or_else(nothing)
}

fn nothing() -> JsonError {
    JsonError { message: "no value in the text".into(), offset: 0, is_truncated: true }
}

/// Reads JSON values one after the other, whatever white space stands between them: JSON lines, lines glued
/// together, pretty-printed objects in a row.
pub struct ValueReader<'t> {
    text: &'t [u8],
    jiter: Jiter<'t>,
    /// Where in `text` what `jiter` reads begins.
    base: usize,
    interner: Interner,
    long_texts: LongTexts,
    repeats: Option<Repeats>,
    /// Inside an element that is kept as a whole.
    is_in_element: bool,
    max_depth: usize,
}

/// Bytes of room that is kept for the next reader.
const MAX_TAPE: usize = 1 << 20;

/// Levels that an event has around what a file says.
const AROUND: usize = 32;

impl<'t> ValueReader<'t> {
    pub fn new(text: &'t [u8]) -> Self {
        Self::with_interner(text, Interner::forgetful())
    }

    /// Shares keys and short texts with what was read with `interner` before.
    pub fn with_interner(text: &'t [u8], mut interner: Interner) -> Self {
        let tape = std::mem::take(&mut interner.tape);
        let jiter = Jiter::with_tape(text, tape).with_allow_inf_nan();
        Self {
            text,
            jiter,
            base: 0,
            interner,
            long_texts: LongTexts::default(),
            repeats: None,
            is_in_element: false,
            max_depth: MAX_DEPTH,
        }
    }

    /// Elements of lists that stand in `repeats` are taken from there.
    pub fn with_repeats(self, repeats: Repeats) -> Self {
        Self { repeats: Some(repeats), ..self }
    }

    /// For texts that may be of our own, such as sessions that were exported.
    pub fn of_own_text(self) -> Self {
        Self { max_depth: MAX_DEPTH + AROUND, ..self }
    }

    /// For the next reader.
    pub fn into_interner(self) -> Interner {
        self.into_shared().0
    }

    /// For the next reader: the interner, and the repeats if there are any.
    pub fn into_shared(self) -> (Interner, Option<Repeats>) {
        let mut interner = self.interner;
        interner.tape = self.jiter.into_tape();
        interner.tape.clear();
        interner.tape.shrink_to(MAX_TAPE);
        (interner, self.repeats)
    }

    /// What was read since `start` is a document; later ones may repeat what is in it.
    pub fn end_document(&mut self, start: usize) {
        let end = self.offset();
        if let Some(repeats) = &mut self.repeats {
            repeats.end_document(start, &self.text[start..end]);
        }
    }

    /// Byte offset just behind the last value read.
    pub fn offset(&self) -> usize {
        self.base + self.jiter.current_index()
    }

    /// Offset of the next byte that is not white space; the end of the text when only white space is left.
    pub fn next_offset(&self) -> usize {
        let rest = &self.text[self.offset()..];
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
        self.offset() + blanks
    }

    /// The next value, or `None` at the end of the text.
    pub fn next_value(&mut self) -> Result<Option<Json>, JsonError> {
        self.next_value_at("")
    }

    /// The next value, which is the member `key` of what was entered: where `Repeats` are kept, by the same key.
    pub fn next_value_at(&mut self, key: &str) -> Result<Option<Json>, JsonError> {
        if self.next_offset() == self.text.len() {
            return Ok(None);
        }
        let peek = self.jiter.peek().map_err(|error| self.error(&error))?;
        self.value(peek, Place::default().member(key), self.max_depth).map(Some).map_err(|failure| {
            if let Some(repeats) = &mut self.repeats {
                repeats.give_up();
            }
            match failure {
                Failure::Json(error) => self.error(&error),
                Failure::Depth(offset) => JsonError {
                    message: format!("values nested deeper than {} levels", self.max_depth),
                    offset,
                    is_truncated: false,
                },
            }
        })
    }

    /// Passes over the next value without making anything of it.
    pub fn skip_value(&mut self) -> Result<(), JsonError> {
        self.jiter.next_skip().map_err(|error| self.error(&error))
    }

    /// Enters the array or object that comes next; its members are then read with [`Self::next_element`] or
    /// [`Self::next_key`]. Lets a huge document be read member by member.
    pub fn enter(&mut self) -> Result<EnteredValue, JsonError> {
        let peek = self.jiter.peek().map_err(|error| self.error(&error))?;
        match peek {
            Peek::Array => self
                .jiter
                .known_array()
                .map(|first| EnteredValue::Array { is_empty: first.is_none() })
                .map_err(|error| self.error(&error)),
            Peek::Object => {
                let key = self.jiter.known_object().map(|key| key.map(|key| self.interner.key(key)));
                key.map(EnteredValue::Object).map_err(|error| self.error(&error))
            }
            _ => Ok(EnteredValue::Scalar),
        }
    }

    /// After the first element of an entered array was read: whether another follows.
    pub fn next_element(&mut self) -> Result<bool, JsonError> {
        self.jiter.array_step().map(|peek| peek.is_some()).map_err(|error| self.error(&error))
    }

    /// After a member of an entered object was read: the key of the next, or `None` at the end of the object.
    pub fn next_key(&mut self) -> Result<Option<Arc<str>>, JsonError> {
        let key = self.jiter.next_key().map(|key| key.map(|key| self.interner.key(key)));
        key.map_err(|error| self.error(&error))
    }

    /// That nothing but white space is left.
    fn finish(&mut self) -> Result<(), JsonError> {
        self.jiter.finish().map_err(|error| self.error(&error))
    }

    fn error(&self, error: &JiterError) -> JsonError {
        let message = error.error_type.to_string();
        let is_truncated = message.starts_with("EOF while parsing");
        JsonError { message, offset: (self.base + error.index).min(self.text.len()), is_truncated }
    }

    fn value(&mut self, peek: Peek, place: Place, depth_left: usize) -> Result<Json, Failure> {
        if depth_left == 0 {
            return Err(Failure::Depth(self.offset()));
        }
        Ok(match peek {
            Peek::Null => {
                self.jiter.known_null()?;
                Json::Null
            }
            Peek::True | Peek::False => Json::Bool(self.jiter.known_bool(peek)?),
            Peek::String => Json::String(self.string()?),
            Peek::Array => {
                let mut items = Vec::new();
                let mut next = self.jiter.known_array()?;
                while let Some(peek) = next {
                    let keeps = self.repeats.is_some() && !self.is_in_element && peek == Peek::Object;
                    items.push(if keeps {
                        self.element(place, items.len(), depth_left - 1)?
                    } else {
                        self.value(peek, place.element(), depth_left - 1)?
                    });
                    next = self.jiter.array_step()?;
                }
                Json::Array(items)
            }
            Peek::Object => {
                let mut members: Vec<(Arc<str>, Json)> = Vec::new();
                let mut seen = Seen::default();
                let mut key = self.jiter.known_object()?.map(|key| self.interner.key(key));
                while let Some(name) = key {
                    seen.add(&name, &members);
                    let inner = if self.is_in_element || self.repeats.is_none() {
                        place
                    } else {
                        place.member(&name)
                    };
                    let peek = self.jiter.peek()?;
                    let value = self.value(peek, inner, depth_left - 1)?;
                    members.push((name, value));
                    key = self.jiter.next_key()?.map(|key| self.interner.key(key));
                }
                Json::Object(Object {
                    members: if seen.has_repeats { set_all(Vec::new(), members) } else { members },
                })
            }
            _ => number(self.jiter.known_number_bytes(peek)?),
        })
    }

    /// The text that comes next.
    fn string(&mut self) -> Result<Arc<str>, JiterError> {
        let start = self.offset() + 1;
        if !matches!(self.text.get(start), Some(b'{' | b'[')) {
            return Ok(self.interner.text(self.jiter.known_str()?));
        }
        if let Some((text, end)) = self.long_texts.read(self.text, start) {
            self.jump(end + 1);
            return Ok(text);
        }
        let text = self.interner.text(self.jiter.known_str()?);
        self.long_texts.note(start..self.offset() - 1, &text);
        Ok(text)
    }

    /// An object in a list, which may be known.
    fn element(&mut self, list: Place, at: usize, depth_left: usize) -> Result<Json, Failure> {
        let start = self.offset();
        let known = self.repeats.as_mut().and_then(|repeats| repeats.take(list, at, &self.text[start..]));
        let json = match known {
            Some((json, n_bytes)) => {
                self.jump(start + n_bytes);
                json
            }
            None => {
                self.is_in_element = true;
                let json = self.value(Peek::Object, list, depth_left);
                self.is_in_element = false;
                json?
            }
        };
        let end = self.offset();
        if let Some(repeats) = &mut self.repeats {
            repeats.note(list, at, start..end, &json);
        }
        Ok(json)
    }

    /// Goes on reading at another offset.
    fn jump(&mut self, offset: usize) {
        let read = std::mem::replace(&mut self.jiter, Jiter::new(&[]));
        self.jiter = Jiter::with_tape(&self.text[offset..], read.into_tape()).with_allow_inf_nan();
        self.base = offset;
    }
}

/// What [`ValueReader::enter`] found.
#[derive(Debug, PartialEq, Eq)]
pub enum EnteredValue {
    Array {
        is_empty: bool,
    },
    /// The first key, or `None` for an empty object.
    Object(Option<Arc<str>>),
    /// Neither; nothing was consumed.
    Scalar,
}

enum Failure {
    Json(JiterError),
    Depth(usize),
}

impl From<JiterError> for Failure {
    fn from(error: JiterError) -> Self {
        Self::Json(error)
    }
}

fn number(digits: &[u8]) -> Json {
    let text = std::str::from_utf8(digits).unwrap_or("0");
    if text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E' | b'N' | b'I')) {
        return Json::Float(match text {
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            _ => text.parse().unwrap_or(f64::NAN),
        });
    }
    match text.parse() {
        Ok(value) => Json::Int(value),
        Err(_) => Json::BigInt(text.into()),
    }
}

/// The keys of an object so far, roughly: what is not in it was not there.
#[derive(Default)]
struct Seen {
    /// A bit for each of 64 kinds of keys.
    kinds: u64,
    /// All of them, once there are many.
    all: Option<HashSet<Arc<str>>>,
    has_repeats: bool,
}

impl Seen {
    fn add(&mut self, key: &Arc<str>, before: &[(Arc<str>, Json)]) {
        if before.len() >= SCAN_LIMIT {
            let all = self.all.get_or_insert_with(|| before.iter().map(|(known, _)| known.clone()).collect());
            self.has_repeats |= !all.insert(key.clone());
            return;
        }
        let bytes = key.as_bytes();
        let ends = [bytes.first(), bytes.last()].map(|end| end.copied().map_or(0, usize::from));
        let kind = 1_u64 << ((key.len() * 7 + ends[0] * 5 + ends[1]) % 64);
        let may_be_there = self.kinds & kind != 0;
        self.has_repeats |= may_be_there && before.iter().any(|(known, _)| known == key);
        self.kinds |= kind;
    }
}

/// Replaces escapes of unpaired surrogates (`\ud83d` without its partner), which no Rust string can hold, by
/// U+FFFD. Returns the text and how many were replaced; the text is borrowed when there were none.
pub fn repair_surrogates(text: &[u8]) -> (Cow<'_, [u8]>, usize) {
    let mut repaired: Option<Vec<u8>> = None;
    let mut n_replaced = 0;
    let mut at = 0;
    while at < text.len() {
        let width = match unpaired_surrogate(&text[at..]) {
            Escape::None => 1,
            Escape::Other(width) => width,
            Escape::Unpaired => {
                let out = repaired.get_or_insert_with(|| text[..at].to_vec());
                out.extend_from_slice(b"\\ufffd");
                n_replaced += 1;
                at += 6;
                continue;
            }
        };
        let width = width.min(text.len() - at);
        if let Some(out) = &mut repaired {
            out.extend_from_slice(&text[at..at + width]);
        }
        at += width;
    }
    (repaired.map_or(Cow::Borrowed(text), Cow::Owned), n_replaced)
}

enum Escape {
    None,
    /// An escape sequence that is fine, with its width in bytes.
    Other(usize),
    Unpaired,
}

fn unpaired_surrogate(text: &[u8]) -> Escape {
    if text.first() != Some(&b'\\') {
        return Escape::None;
    }
    match escaped_unit(text) {
        Some(0xD800..=0xDBFF) => match text.get(6..).and_then(escaped_unit) {
            Some(0xDC00..=0xDFFF) => Escape::Other(12),
            _ => Escape::Unpaired,
        },
        Some(0xDC00..=0xDFFF) => Escape::Unpaired,
        Some(_) => Escape::Other(6),
        None => Escape::Other(2),
    }
}

fn escaped_unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_floats_stay_apart() {
        let value = parse(br#"[1, 1.0, -0, 100000000000000000000, 1e3, NaN]"#).unwrap();
        let Json::Array(items) = value else { panic!("an array") };
        assert!(matches!(items[0], Json::Int(1)));
        assert!(matches!(items[1], Json::Float(1.0)));
        assert!(matches!(items[2], Json::Int(0)));
        assert!(matches!(&items[3], Json::BigInt(digits) if &**digits == "100000000000000000000"));
        assert!(matches!(items[4], Json::Float(1000.0)));
        assert!(matches!(items[5], Json::Float(x) if x.is_nan()));
    }

    #[test]
    fn a_repeated_key_keeps_its_place_and_its_last_value() {
        let value = parse(br#"{"a":1,"b":2,"a":3}"#).unwrap();
        let keys: Vec<_> = value.as_object().unwrap().keys().map(|key| key.to_string()).collect();
        assert_eq!(keys, ["a", "b"]);
        assert_eq!(value.get("a"), Some(&Json::Int(3)));
    }

    #[test]
    fn repeated_keys_are_found_in_objects_of_any_size() {
        for n_keys in [1, 2, 9, 23, 24, 25, 60] {
            for repeated in 0..n_keys {
                let members: Vec<_> = (0..n_keys).map(|at| format!("\"key {at}\":{at}")).collect();
                let text = format!("{{{},\"key {repeated}\":true}}", members.join(","));
                let value = parse(text.as_bytes()).unwrap();
                assert_eq!(value.as_object().unwrap().len(), n_keys, "{text}");
                assert_eq!(value.get(&format!("key {repeated}")), Some(&Json::Bool(true)), "{text}");
            }
        }
    }

    #[test]
    fn values_are_read_one_after_the_other() {
        let mut reader = ValueReader::new(b"{\"a\":1}{\"b\":2}\n\n[3]\n{\"c\":");
        assert!(reader.next_value().unwrap().unwrap().get("a").is_some());
        assert_eq!(reader.offset(), 7);
        assert!(reader.next_value().unwrap().unwrap().get("b").is_some());
        assert!(reader.next_value().unwrap().unwrap().as_array().is_some());
        assert!(reader.next_value().unwrap_err().is_truncated);
    }

    #[test]
    fn deep_nesting_is_refused_and_named() {
        let error = parse("[".repeat(100_000).as_bytes()).unwrap_err();
        assert!(error.message.contains("nested deeper"), "{error}");
    }

    #[test]
    fn unpaired_surrogates_are_repaired_and_pairs_kept() {
        let (text, n_replaced) = repair_surrogates(br#"{"a":"\ud83d\ude00 \ud83d \\ud83d"}"#);
        assert_eq!(n_replaced, 1);
        let value = parse(&text).unwrap();
        assert_eq!(value.get("a").unwrap().as_str().unwrap(), "\u{1f600} \u{fffd} \\ud83d");
    }
}
