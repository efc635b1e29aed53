//! What JSON text holds by its keys: values as far as they tell what the text is, also where it is cut off.

use strata_model::json::{EnteredValue, JsonError, ValueReader};
use strata_model::{Json, Object, Str};

/// Values that are looked at together.
pub(crate) const FIRST_VALUES: usize = 20;
const MAX_DEPTH: usize = 24;
/// Elements of a list that are looked at; more would not tell more.
const MAX_ELEMENTS: usize = 8;
/// Elements of a list at the top, which are the records of a file.
const MAX_RECORDS: usize = 256;
/// Texts and numbers at this depth are not looked at.
const TELLING_DEPTH: usize = 6;

/// The first values of `text`, the last one as far as it goes. `None` when the text is not JSON from its first byte.
pub(crate) fn first_values(text: &[u8]) -> Option<Vec<Json>> {
    let values: Vec<Json> = Outlines::of(text).take(FIRST_VALUES).collect();
    (!values.is_empty()).then_some(values)
}

/// The values of a text one after the other, the last one as far as it goes. It ends where the text is no JSON.
pub(crate) struct Outlines<'t> {
    reader: ValueReader<'t>,
    length: usize,
    is_over: bool,
    /// The text ends within a value.
    pub(crate) is_cut: bool,
}

impl<'t> Outlines<'t> {
    pub(crate) fn of(text: &'t [u8]) -> Self {
        Self { reader: ValueReader::new(text), length: text.len(), is_over: false, is_cut: false }
    }
}

impl Iterator for Outlines<'_> {
    type Item = Json;

    fn next(&mut self) -> Option<Json> {
        if self.is_over || self.reader.next_offset() >= self.length {
            return None;
        }
        let mut value = Json::Null;
        let Err(error) = read(&mut self.reader, MAX_DEPTH, &mut value) else { return Some(value) };
        self.is_over = true;
        self.is_cut = error.is_truncated;
        holds_something(&value).then_some(value)
    }
}

/// Whether some of a value was read before its text broke off.
fn holds_something(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(_) | Json::Int(_) | Json::BigInt(_) | Json::Float(_) | Json::String(_) => {
            false
        }
        Json::Array(items) => !items.is_empty(),
        Json::Object(object) => !object.is_empty(),
    }
}

/// Reads as much of the next value as there is into `slot`.
fn read(reader: &mut ValueReader<'_>, depth_left: usize, slot: &mut Json) -> Result<(), JsonError> {
    let Some(depth_left) = depth_left.checked_sub(1) else {
        *slot = reader.next_value()?.unwrap_or_default();
        return Ok(());
    };
    match reader.enter()? {
        EnteredValue::Scalar if depth_left < MAX_DEPTH - TELLING_DEPTH => reader.skip_value(),
        EnteredValue::Scalar => {
            *slot = reader.next_value()?.unwrap_or_default();
            Ok(())
        }
        EnteredValue::Array { is_empty } => {
            let mut items = Vec::new();
            let result = if is_empty { Ok(()) } else { elements(reader, depth_left, &mut items) };
            *slot = Json::Array(items);
            result
        }
        EnteredValue::Object(first_key) => {
            let mut object = Object::new();
            let result = members(reader, first_key, depth_left, &mut object);
            *slot = Json::Object(object);
            result
        }
    }
}

fn elements(reader: &mut ValueReader<'_>, depth_left: usize, items: &mut Vec<Json>) -> Result<(), JsonError> {
    let most = if depth_left == MAX_DEPTH - 1 { MAX_RECORDS } else { MAX_ELEMENTS };
    loop {
        if items.len() < most {
            let mut item = Json::Null;
            let result = read(reader, depth_left, &mut item);
            if result.is_ok() || holds_something(&item) {
                items.push(item);
            }
            result?;
        } else {
            reader.skip_value()?;
        }
        if !reader.next_element()? {
            return Ok(());
        }
    }
}

fn members(
    reader: &mut ValueReader<'_>,
    first_key: Option<Str>,
    depth_left: usize,
    object: &mut Object,
) -> Result<(), JsonError> {
    let mut found: Vec<(Str, Json)> = Vec::new();
    let result = each_member(reader, first_key, depth_left, &mut found);
    *object = found.into_iter().collect();
    result
}

fn each_member(
    reader: &mut ValueReader<'_>,
    first_key: Option<Str>,
    depth_left: usize,
    found: &mut Vec<(Str, Json)>,
) -> Result<(), JsonError> {
    let mut next = first_key;
    while let Some(key) = next {
        let mut value = Json::Null;
        let result = read(reader, depth_left, &mut value);
        found.push((key, value));
        result?;
        next = reader.next_key()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_model::json::to_compact;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let values = first_values(text.as_bytes()).unwrap_or_default();
        assert_eq!(values.iter().map(to_compact).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn long_lists_are_passed_over() {
        let list = ["1"; 3 * MAX_ELEMENTS].join(",");
        let outline = format!("[{}]", ["1"; MAX_ELEMENTS].join(","));
        check(&format!(r#"{{"a":[{list}],"b":2}}"#), &[&format!(r#"{{"a":{outline},"b":2}}"#)]);
    }

    #[test]
    fn what_is_there_is_read() {
        check(r#"{"a":1}{"b":[1,{"c":"x"#, &[r#"{"a":1}"#, r#"{"b":[1,{"c":null}]}"#]);
        check(r#"[{"a":{"b":"c","d"#, &[r#"[{"a":{"b":"c"}}]"#]);
        check("plain words", &[]);
        check("[INFO] a log line", &[]);
        check("", &[]);
    }
}
