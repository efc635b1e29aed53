//! Writing JSON text in the spellings ADK uses.

use std::fmt::Write as _;

use super::{Json, Object};
use crate::float::{float_repr, pydantic_float};

/// Compact JSON with raw Unicode, as pydantic dumps it: stored events, size comparisons, fingerprints.
pub fn to_compact(value: &Json) -> String {
    let mut out = String::new();
    write_compact(&mut out, value);
    out
}

/// [`to_compact`] of an object that stands by itself.
pub fn object_to_compact(object: &Object) -> String {
    let mut out = String::new();
    write_compact_object(&mut out, object);
    out
}

/// How many bytes [`to_compact`] makes.
pub fn compact_len(value: &Json) -> usize {
    match value {
        Json::Null | Json::Bool(true) => 4,
        Json::Bool(false) => 5,
        Json::Int(_) | Json::Float(_) => to_compact(value).len(),
        Json::BigInt(digits) => digits.len(),
        Json::String(text) => string_len(text),
        Json::Array(items) => {
            2 + items.len().saturating_sub(1) + items.iter().map(compact_len).sum::<usize>()
        }
        Json::Object(object) => object_compact_len(object),
    }
}

/// How many bytes [`object_to_compact`] makes.
pub fn object_compact_len(object: &Object) -> usize {
    let members = object.iter().map(|(key, value)| string_len(key) + 1 + compact_len(value));
    2 + object.len().saturating_sub(1) + members.sum::<usize>()
}

fn string_len(text: &str) -> usize {
    // Counted in blocks so small that a byte holds the sum, which the compiler turns into wide instructions.
    let escapes = text.as_bytes().chunks(48).map(|block| {
        let added = block.iter().map(|byte| {
            let is_control = u8::from(*byte < 0x20);
            let is_short = u8::from(matches!(byte, 0x8..=0xa | 0xc | 0xd));
            u8::from(*byte == b'"') + u8::from(*byte == b'\\') + 5 * is_control - 4 * is_short
        });
        usize::from(added.sum::<u8>())
    });
    2 + text.len() + escapes.sum::<usize>()
}

/// Appends `value` as [`to_compact`] spells it, for callers that write many.
pub fn write_compact(out: &mut String, value: &Json) {
    Writer { out, style: COMPACT }.value(value);
}

/// Appends `object` as [`object_to_compact`] spells it.
pub fn write_compact_object(out: &mut String, object: &Object) {
    Writer { out, style: COMPACT }.object(object);
}

/// `json.dumps(value)`: `", "` and `": "` between items, everything outside ASCII escaped.
pub fn to_ascii(value: &Json) -> String {
    let mut out = String::new();
    Writer { out: &mut out, style: Style { is_ascii: true, ..SPACED } }.value(value);
    out
}

/// `json.dumps(value, ensure_ascii=False)`: as [`to_ascii`] with raw Unicode.
pub fn to_spaced(value: &Json) -> String {
    let mut out = String::new();
    Writer { out: &mut out, style: SPACED }.value(value);
    out
}

/// Indented by two spaces, for people.
pub fn to_pretty(value: &Json) -> String {
    let mut out = String::new();
    pretty(&mut out, value, 0);
    out
}

/// Appends `text` as a compact JSON string literal.
pub fn write_compact_string(out: &mut String, text: &str) {
    Writer { out, style: COMPACT }.string(text);
}

/// `json.dumps(value, ensure_ascii=False, separators=(",", ":"))`: compact, with Python's floats.
pub fn to_compact_python(value: &Json) -> String {
    let mut out = String::new();
    Writer { out: &mut out, style: Style { item: ",", key: ":", ..SPACED } }.value(value);
    out
}

const COMPACT: Style = Style { item: ",", key: ":", is_ascii: false, is_pydantic: true };
const SPACED: Style = Style { item: ", ", key: ": ", is_ascii: false, is_pydantic: false };

#[derive(Clone, Copy)]
struct Style {
    item: &'static str,
    key: &'static str,
    is_ascii: bool,
    /// Floats as pydantic spells them; `NaN` and infinities, which it cannot, as null.
    is_pydantic: bool,
}

struct Writer<'o> {
    out: &'o mut String,
    style: Style,
}

impl Writer<'_> {
    fn value(&mut self, value: &Json) {
        match value {
            Json::Null => self.out.push_str("null"),
            Json::Bool(true) => self.out.push_str("true"),
            Json::Bool(false) => self.out.push_str("false"),
            Json::Int(value) => {
                let _ = write!(self.out, "{value}");
            }
            Json::BigInt(digits) => self.out.push_str(digits),
            Json::Float(value) => self.float(*value),
            Json::String(text) => self.string(text),
            Json::Array(items) => {
                self.out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        self.out.push_str(self.style.item);
                    }
                    self.value(item);
                }
                self.out.push(']');
            }
            Json::Object(object) => self.object(object),
        }
    }

    fn float(&mut self, value: f64) {
        match (value.is_finite(), self.style.is_pydantic) {
            (true, true) => self.out.push_str(&pydantic_float(value)),
            (true, false) => self.out.push_str(&float_repr(value)),
            (false, true) => self.out.push_str("null"),
            (false, false) if value.is_nan() => self.out.push_str("NaN"),
            (false, false) => self.out.push_str(if value > 0.0 { "Infinity" } else { "-Infinity" }),
        }
    }

    fn object(&mut self, object: &Object) {
        self.out.push('{');
        for (at, (key, value)) in object.iter().enumerate() {
            if at > 0 {
                self.out.push_str(self.style.item);
            }
            self.string(key);
            self.out.push_str(self.style.key);
            self.value(value);
        }
        self.out.push('}');
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        let mut rest = text;
        loop {
            let (clean, behind) = rest.split_at(clean_prefix(rest.as_bytes(), self.style.is_ascii));
            self.out.push_str(clean);
            let mut chars = behind.chars();
            let Some(c) = chars.next() else { break };
            self.escape(c);
            rest = chars.as_str();
        }
        self.out.push('"');
    }

    fn escape(&mut self, c: char) {
        match c {
            '"' => self.out.push_str("\\\""),
            '\\' => self.out.push_str("\\\\"),
            '\n' => self.out.push_str("\\n"),
            '\r' => self.out.push_str("\\r"),
            '\t' => self.out.push_str("\\t"),
            '\u{8}' => self.out.push_str("\\b"),
            '\u{c}' => self.out.push_str("\\f"),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(self.out, "\\u{unit:04x}");
                }
            }
        }
    }
}

/// How many bytes are written as they are. What stops is the first byte of a character, since a character is either kept
/// with all its bytes or escaped.
fn clean_prefix(text: &[u8], is_ascii: bool) -> usize {
    let is_escaped = |byte: u8| matches!(byte, 0..0x20 | b'"' | b'\\') || (is_ascii && byte > 0x7e);
    let mut at = 0;
    // Blocks are tested without leaving early, which the compiler turns into a few wide instructions.
    for block in text.chunks(64) {
        if block.iter().fold(false, |found, byte| found | is_escaped(*byte)) {
            return at + block.iter().position(|byte| is_escaped(*byte)).unwrap_or(0);
        }
        at += block.len();
    }
    at
}

fn pretty(out: &mut String, value: &Json, indent: usize) {
    match value {
        Json::Array(items) if !items.is_empty() => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                line_break(out, at, indent + 1);
                pretty(out, item, indent + 1);
            }
            out.push('\n');
            out.push_str(&"  ".repeat(indent));
            out.push(']');
        }
        Json::Object(object) if !object.is_empty() => {
            out.push('{');
            for (at, (key, value)) in object.iter().enumerate() {
                line_break(out, at, indent + 1);
                write_compact_string(out, key);
                out.push_str(": ");
                pretty(out, value, indent + 1);
            }
            out.push('\n');
            out.push_str(&"  ".repeat(indent));
            out.push('}');
        }
        _ => Writer { out, style: COMPACT }.value(value),
    }
}

fn line_break(out: &mut String, at: usize, indent: usize) {
    out.push_str(if at == 0 { "\n" } else { ",\n" });
    out.push_str(&"  ".repeat(indent));
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn lengths_are_known_without_writing() {
        let control: String = (0..0x80_u8).map(char::from).collect();
        let value = Json::Array(vec![
            Json::from(control),
            Json::from("Größe \u{1f600}"),
            Json::Object(Object::from_iter([("a\"", Json::Float(1.50)), ("b", Json::Int(-7))])),
            Json::Object(Object::new()),
            Json::Array(Vec::new()),
            Json::Bool(false),
            Json::Null,
        ]);
        assert_eq!(compact_len(&value), to_compact(&value).len());
    }

    #[test]
    fn each_spelling() {
        let value = parse(r#"{"é": [1, 1.0, 1e22, 1e-7, null, "😀\u0001\n"], "o": {}}"#.as_bytes()).unwrap();
        assert_eq!(to_compact(&value), "{\"é\":[1,1.0,1e+22,1e-7,null,\"😀\\u0001\\n\"],\"o\":{}}");
        assert_eq!(
            to_ascii(&value),
            "{\"\\u00e9\": [1, 1.0, 1e+22, 1e-07, null, \"\\ud83d\\ude00\\u0001\\n\"], \"o\": {}}"
        );
        assert_eq!(to_spaced(&value), "{\"é\": [1, 1.0, 1e+22, 1e-07, null, \"😀\\u0001\\n\"], \"o\": {}}");
    }
}
