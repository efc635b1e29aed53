//! How CPython 3.11 prints and classifies values.
//!
//! ADK builds prompts with `str()`, `repr()`, `str.strip()` and Python regular expressions, so the bytes of a
//! request depend on these rules (`ADK.md` sections 0.2 and 0.3).

mod pydantic;
mod time;
mod unicode14;

use std::fmt::Write as _;

use unicode_general_category::{GeneralCategory, get_general_category};

pub use pydantic::{pydantic_bool, pydantic_integer};
pub use time::iso_timestamp;

pub use crate::float::{float_repr, pydantic_float};
use crate::json::{Json, Object};

/// `str(value)`: a string is itself, anything else prints as [`repr`].
pub fn str(value: &Json) -> String {
    match value {
        Json::String(text) => text.to_string(),
        other => repr(other),
    }
}

/// `type(value).__name__`.
pub fn type_name(value: &Json) -> &'static str {
    match value {
        Json::Null => "NoneType",
        Json::Bool(_) => "bool",
        Json::Int(_) | Json::BigInt(_) => "int",
        Json::Float(_) => "float",
        Json::String(_) => "str",
        Json::Array(_) => "list",
        Json::Object(_) => "dict",
    }
}

/// `repr(value)`.
pub fn repr(value: &Json) -> String {
    let mut out = String::new();
    write_repr(&mut out, value);
    out
}

/// `repr` of a `dict`.
pub fn repr_object(object: &Object) -> String {
    let mut out = String::new();
    write_object(&mut out, object);
    out
}

/// `repr` of a string: single quotes unless only double quotes avoid escaping.
pub fn repr_str(text: &str) -> String {
    let mut out = String::new();
    write_str(&mut out, text);
    out
}

fn write_repr(out: &mut String, value: &Json) {
    match value {
        Json::Null => out.push_str("None"),
        Json::Bool(true) => out.push_str("True"),
        Json::Bool(false) => out.push_str("False"),
        Json::Int(value) => {
            let _ = write!(out, "{value}");
        }
        Json::BigInt(digits) => out.push_str(digits),
        Json::Float(value) => out.push_str(&float_repr(*value)),
        Json::String(text) => write_str(out, text),
        Json::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_repr(out, item);
            }
            out.push(']');
        }
        Json::Object(object) => write_object(out, object),
    }
}

fn write_object(out: &mut String, object: &Object) {
    out.push('{');
    for (at, (key, value)) in object.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        write_str(out, key);
        out.push_str(": ");
        write_repr(out, value);
    }
    out.push('}');
}

fn write_str(out: &mut String, text: &str) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    // Most of a text is written as it is.
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != b'\\' && *byte != quote as u8;
    let mut rest = text;
    while let Some(at) = rest.as_bytes().iter().position(|byte| !is_plain(byte)) {
        let (plain, special) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = special.chars();
        if let Some(c) = chars.next() {
            write_char(out, c, quote);
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push(quote);
}

fn write_char(out: &mut String, c: char, quote: char) {
    match c {
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        _ if c == quote => {
            out.push('\\');
            out.push(c);
        }
        _ if is_printable(c) => out.push(c),
        _ => {
            let code = c as u32;
            let _ = match code {
                0..=0xff => write!(out, "\\x{code:02x}"),
                0x100..=0xffff => write!(out, "\\u{code:04x}"),
                _ => write!(out, "\\U{code:08x}"),
            };
        }
    }
}

/// `str.isprintable()` for one character: what `repr` leaves as it is.
pub fn is_printable(c: char) -> bool {
    use GeneralCategory as G;
    c == ' '
        || !matches!(
            category(c),
            G::Control
                | G::Format
                | G::Surrogate
                | G::PrivateUse
                | G::Unassigned
                | G::LineSeparator
                | G::ParagraphSeparator
                | G::SpaceSeparator
        )
}

/// `str.isspace()` for one character: Unicode white space plus the four information separators.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// `str.strip()`.
pub fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// `\w` of Python's `re`: letters, numbers of every kind and the underscore; not combining marks.
pub fn is_word(c: char) -> bool {
    use GeneralCategory as G;
    c == '_'
        || matches!(
            category(c),
            G::UppercaseLetter
                | G::LowercaseLetter
                | G::TitlecaseLetter
                | G::ModifierLetter
                | G::OtherLetter
                | G::DecimalNumber
                | G::LetterNumber
                | G::OtherNumber
        )
}

/// `str.isidentifier()`. Keywords count as identifiers.
pub fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    // The two tables are of different versions of Unicode, both later than Python's.
    let is_known = |c: char| category(c) != GeneralCategory::Unassigned;
    let is_later = |c: char| matches!(c, '\u{200c}' | '\u{200d}' | '\u{30fb}' | '\u{ff65}');
    chars.next().is_some_and(|c| (c == '_' || unicode_ident::is_xid_start(c)) && is_known(c))
        && chars.all(|c| unicode_ident::is_xid_continue(c) && is_known(c) && !is_later(c))
}

/// The category in Unicode 14, which CPython 3.11 carries.
fn category(c: char) -> GeneralCategory {
    if unicode14::has(c) { get_general_category(c) } else { GeneralCategory::Unassigned }
}

/// `len(text)`: code points.
pub fn len(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        assert_eq!(repr(&parse(json.as_bytes()).unwrap()), expected);
    }

    #[test]
    fn containers_and_constants() {
        check(r#"{"a": 1, "b": null, "q": "x\"y'"}"#, r#"{'a': 1, 'b': None, 'q': 'x"y\''}"#);
        check(r#"[1, "a", true, null, 1.0, 1e20]"#, "[1, 'a', True, None, 1.0, 1e+20]");
        check("{}", "{}");
        check("100000000000000000000", "100000000000000000000");
    }

    #[test]
    fn quotes() {
        check(r#"{"s": "it's"}"#, r#"{'s': "it's"}"#);
        check(r#"{"s": "say \"hi\""}"#, r#"{'s': 'say "hi"'}"#);
        check(r#"{"s": "both ' and \""}"#, r#"{'s': 'both \' and "'}"#);
    }

    #[test]
    fn unprintable_characters_are_escaped_and_letters_kept() {
        check(r#""\u0000\u007f\u00a0\u200b\u2028\ue000""#, r"'\x00\x7f\xa0\u200b\u2028\ue000'");
        check("\"é😀e\u{301}\u{10ffff}\"", "'é😀e\u{301}\\U0010ffff'");
        assert!(!is_printable('\u{1fae8}'), "assigned in Unicode 15, unknown to CPython 3.11");
    }

    #[test]
    fn floats() {
        for (value, repr, pydantic) in [
            (1e22, "1e+22", "1e+22"),
            (1e16, "1e+16", "1e+16"),
            (1e15, "1000000000000000.0", "1000000000000000.0"),
            (0.0001, "0.0001", "0.0001"),
            (0.000_015, "1.5e-05", "0.000015"),
            (1e-6, "1e-06", "1e-6"),
            (1.25e-7, "1.25e-07", "1.25e-7"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17", "1.2345678901234568e+17"),
            (-0.0, "-0.0", "-0.0"),
            (1_795_207_948.231_342_6, "1795207948.2313426", "1795207948.2313426"),
            (5e-324, "5e-324", "5e-324"),
            (934_713_782_202_007.2, "934713782202007.2", "934713782202007.2"),
            (0.1, "0.1", "0.1"),
            (-123.0, "-123.0", "-123.0"),
            (1e-5, "1e-05", "0.00001"),
        ] {
            assert_eq!(float_repr(value), repr);
            assert_eq!(pydantic_float(value), pydantic);
        }
    }

    #[test]
    fn words_and_identifiers() {
        assert!("हनद²Ⅷ_é9".chars().all(is_word));
        assert!(!is_word('\u{93f}'), "combining marks are no word characters");
        for name in ["a", "_p", "é", "class", "x9"] {
            assert!(is_identifier(name), "{name}");
        }
        for name in ["", "9x", "a-b", "a.b", "a b", "²", "\u{1256d}", "x\u{191aa}", "x\u{30fb}"] {
            assert!(!is_identifier(name), "{name}");
        }
        assert_eq!(strip("\u{1f} \u{2003}x\u{200b}\n"), "x\u{200b}");
    }
}
