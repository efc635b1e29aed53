//! Taking an object apart, so that what nobody took can be counted.

use crate::json::{self, JsonError};
use crate::{Json, Object, Str};

/// Takes a text; a value of another kind is left where it is.
pub fn take_text(object: &mut Object, key: &str) -> Option<Str> {
    match object.remove_if(key, |value| matches!(value, Json::String(_)))? {
        Json::String(text) => Some(text),
        _ => None,
    }
}

/// Takes a text that is not empty under the first of `keys` that has one.
pub fn take_first_text(object: &mut Object, keys: &[&str]) -> Option<Str> {
    keys.iter().find_map(|key| take_text(object, key).filter(|text| !text.is_empty()))
}

/// Takes an object; a value of another kind is left where it is.
pub fn take_object(object: &mut Object, key: &str) -> Option<Object> {
    match object.remove_if(key, |value| matches!(value, Json::Object(_)))? {
        Json::Object(inner) => Some(inner),
        _ => None,
    }
}

/// Takes a list; a value of another kind is left where it is.
pub fn take_list(object: &mut Object, key: &str) -> Option<Vec<Json>> {
    match object.remove_if(key, |value| matches!(value, Json::Array(_)))? {
        Json::Array(items) => Some(items),
        _ => None,
    }
}

/// What stands in a list, or alone where a list may stand; null and an empty object are nothing.
pub fn listed(value: Json) -> Vec<Json> {
    match value {
        Json::Array(items) => items,
        Json::Null => Vec::new(),
        Json::Object(fields) if fields.is_empty() => Vec::new(),
        other => vec![other],
    }
}

/// Takes the first of `keys` that has a value other than null.
pub fn take_any(object: &mut Object, keys: &[&str]) -> Option<Json> {
    keys.iter().find_map(|key| object.remove(key).filter(|value| !value.is_null()))
}

/// Takes a count; a value that is none is left where it is.
pub fn take_count(object: &mut Object, key: &str) -> Option<u64> {
    let count = count_of(object.get(key)?)?;
    object.remove(key);
    Some(count)
}

/// A count, also when it is written as text or with a decimal point.
pub fn count_of(value: &Json) -> Option<u64> {
    match value {
        Json::String(text) => text.parse().ok(),
        Json::Float(number) if *number >= 0.0 => Some(*number as u64),
        other => u64::try_from(other.as_i64()?).ok(),
    }
}

/// The value that stands in a text as JSON, through up to three levels of text in text; else the value itself.
pub fn unpacked(value: Json) -> Json {
    unpacked_by(value, json::parse)
}

/// The same, with another way to parse a text.
pub fn unpacked_by(value: Json, mut parse: impl FnMut(&[u8]) -> Result<Json, JsonError>) -> Json {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_text_is_unpacked() {
        assert_eq!(unpacked(Json::from(r#""{\"a\":[1]}""#)).get("a").map(Json::kind), Some("an array"));
        assert_eq!(unpacked(Json::from("{broken")).as_str(), Some("{broken"));
    }

    #[test]
    fn what_is_of_another_kind_stays() {
        let Ok(Json::Object(mut object)) = json::parse(br#"{"a":1,"b":"x","c":"","d":null,"e":"7"}"#) else {
            panic!("an object")
        };
        assert_eq!((take_text(&mut object, "a"), take_list(&mut object, "b")), (None, None));
        assert_eq!(take_first_text(&mut object, &["c", "b"]).as_deref(), Some("x"));
        assert_eq!(take_any(&mut object, &["d", "a"]), Some(Json::Int(1)));
        assert_eq!(take_count(&mut object, "e"), Some(7));
        assert!(object.is_empty());
    }
}
