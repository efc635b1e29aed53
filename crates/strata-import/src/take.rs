//! Taking an object apart, so that what nobody took can be counted.

use strata_model::json::{self, Interner, JsonError, Repeats};
use strata_model::{Json, Object, Str};

use crate::time::epoch_seconds;

/// Takes a text; a value of another kind is left where it is.
pub(crate) fn take_text(object: &mut Object, key: &str) -> Option<Str> {
    let text = match object.get(key)? {
        Json::String(text) => text.clone(),
        _ => return None,
    };
    object.remove(key);
    Some(text)
}

/// Takes a text that is not empty under the first of `keys` that has one.
pub(crate) fn take_first_text(object: &mut Object, keys: &[&str]) -> Option<Str> {
    keys.iter().find_map(|key| take_text(object, key).filter(|text| !text.is_empty()))
}

/// Takes an object; a value of another kind is left where it is.
pub(crate) fn take_object(object: &mut Object, key: &str) -> Option<Object> {
    object.get(key)?.as_object()?;
    match object.remove(key)? {
        Json::Object(inner) => Some(inner),
        _ => None,
    }
}

/// Takes a list; a value of another kind is left where it is.
pub(crate) fn take_list(object: &mut Object, key: &str) -> Option<Vec<Json>> {
    object.get(key)?.as_array()?;
    match object.remove(key)? {
        Json::Array(items) => Some(items),
        _ => None,
    }
}

/// What stands in a list, or alone where a list may stand; null and an empty object are nothing.
pub(crate) fn listed(value: Json) -> Vec<Json> {
    match value {
        Json::Array(items) => items,
        Json::Null => Vec::new(),
        Json::Object(fields) if fields.is_empty() => Vec::new(),
        other => vec![other],
    }
}

/// Takes the first of `keys` that has a value other than null.
pub(crate) fn take_any(object: &mut Object, keys: &[&str]) -> Option<Json> {
    keys.iter().find_map(|key| object.remove(key).filter(|value| !value.is_null()))
}

/// Takes a count; a value that is none is left where it is.
pub(crate) fn take_count(object: &mut Object, key: &str) -> Option<u64> {
    let count = count_of(object.get(key)?)?;
    object.remove(key);
    Some(count)
}

/// A count, also when it is written as text or with a decimal point.
pub(crate) fn count_of(value: &Json) -> Option<u64> {
    match value {
        Json::String(text) => text.parse().ok(),
        Json::Float(number) if *number >= 0.0 => Some(*number as u64),
        other => u64::try_from(other.as_i64()?).ok(),
    }
}

/// Takes a time, in epoch seconds, from any spelling: ISO 8601 text, seconds, milliseconds, nanoseconds.
pub(crate) fn take_time(object: &mut Object, key: &str) -> Option<f64> {
    let seconds = time_of(object.get(key)?)?;
    object.remove(key);
    Some(seconds)
}

pub(crate) fn time_of(value: &Json) -> Option<f64> {
    let number = match value {
        Json::String(text) => match epoch_seconds(text) {
            Some(seconds) => return Some(seconds),
            None => text.parse().ok().filter(|number: &f64| number.is_finite())?,
        },
        other => other.as_f64()?,
    };
    // No clock has shown a second that is as large as a millisecond of 1973.
    Some(match number {
        n if n >= 1e17 => n / 1e9,
        n if n >= 1e14 => n / 1e6,
        n if n >= 1e11 => n / 1e3,
        n => n,
    })
}

/// The value that stands in a text as JSON, through up to three levels of text in text; else the value itself.
pub(crate) fn unpacked(value: Json) -> Json {
    unpacked_by(value, json::parse)
}

/// Bodies of requests that stand in texts, one after the other: each repeats most of one before it.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    interner: Interner,
    repeats: Repeats,
}

impl Bodies {
    pub(crate) fn parse(&mut self, text: &str) -> Result<Json, JsonError> {
        json::parse_repeated(text.as_bytes(), &mut self.interner, &mut self.repeats)
    }

    /// The value that stands in a text as JSON, as [`unpacked`] gives it.
    pub(crate) fn unpacked(&mut self, value: Json) -> Json {
        unpacked_by(value, |text| json::parse_repeated(text, &mut self.interner, &mut self.repeats))
    }
}

fn unpacked_by(value: Json, mut parse: impl FnMut(&[u8]) -> Result<Json, JsonError>) -> Json {
    let mut value = value;
    for _ in 0..3 {
        let Json::String(text) = &value else { return value };
        if !text.trim_start().starts_with(['{', '[', '"']) {
            return value;
        }
        match parse(text.as_bytes()) {
            Ok(inner) => value = inner,
            Err(_) => return value,
        }
    }
    value
}

/// Arguments of a call as an object: parsed when they are text, wrapped when they are something else.
pub(crate) fn arguments(value: Option<Json>) -> Option<Object> {
    match unpacked(value?) {
        Json::Object(args) => Some(args),
        Json::Null => None,
        Json::String(text) if text.trim().is_empty() => None,
        other => Some(Object::from_iter([("input", other)])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_every_unit() {
        let parse = |text: &str| time_of(&json::parse(text.as_bytes()).unwrap());
        for text in ["1795208682.5", "1795208682500", "1795208682500000000", "\"1795208682500000000\""] {
            assert_eq!(parse(text), Some(1_795_208_682.5), "{text}");
        }
        assert_eq!(parse("\"2026-11-20T21:04:42.5Z\""), Some(1_795_208_682.5));
        assert_eq!(parse("\"soon\""), None);
    }

    #[test]
    fn text_in_text_is_unpacked() {
        assert_eq!(unpacked(Json::from(r#""{\"a\":[1]}""#)).get("a").map(Json::kind), Some("an array"));
        assert_eq!(unpacked(Json::from("{broken")).as_str(), Some("{broken"));
        assert_eq!(
            arguments(Some(Json::from("ls -la"))).and_then(|it| it.get("input").cloned()),
            Some("ls -la".into())
        );
    }
}
