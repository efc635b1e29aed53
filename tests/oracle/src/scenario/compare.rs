//! Compares what happened with what is expected: ids by their order of appearance, times and wording of validation
//! errors left aside.

use std::collections::HashMap;

use strata_model::{Json, Object, Str};

use crate::diff::diff;

/// Where generated ids are numbered, in this order.
const WALK: [&str; 8] =
    ["turns", "requests", "tool_calls", "node_runs", "hooks", "state", "artifacts", "memory"];

/// Members whose values are data: a null in them is a value.
const DATA: [&str; 11] = [
    "args",
    "response",
    "stateDelta",
    "output",
    "payload",
    "state",
    "route",
    "agentState",
    "input",
    "customMetadata",
    "artifacts",
];

/// Lists whose order means nothing.
const SETS: [&str; 3] = ["longRunningToolIds", "resume", "interrupts"];

pub(super) fn differences(expected: &Json, found: &Json) -> Vec<String> {
    diff("", &plain(expected, false), &plain(&renamed(found), false))
}

/// A result with its generated ids by their order of appearance.
pub(super) fn renamed(result: &Json) -> Json {
    Renaming::default().result(result)
}

#[derive(Default)]
struct Renaming {
    names: HashMap<String, usize>,
}

impl Renaming {
    fn result(&mut self, found: &Json) -> Json {
        let mut out = Object::new();
        let found = found.as_object().cloned().unwrap_or_default();
        for key in WALK {
            if let Some(value) = found.get(key) {
                out.push(key, self.value(value));
            }
        }
        out.push_some("build_error", found.get("build_error").cloned());
        out.into()
    }

    fn value(&mut self, value: &Json) -> Json {
        match value {
            Json::String(text) => self.text(text).into(),
            Json::Array(items) => items.iter().map(|item| self.value(item)).collect::<Vec<_>>().into(),
            Json::Object(object) => {
                let has_ids = object.keys().any(|key| id_at(key).is_some());
                let object = if has_ids { object.clone() } else { object.sorted() };
                let renamed = object.iter().map(|(key, value)| {
                    let key: Str = self.text(key).into();
                    (key, self.value(value))
                });
                renamed.collect::<Object>().into()
            }
            other => other.clone(),
        }
    }

    fn text(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((at, id)) = id_at(rest) {
            let next = self.names.len() + 1;
            let name = *self.names.entry(id.to_owned()).or_insert(next);
            out += &format!("{}#{name}", &rest[..at]);
            rest = &rest[at + id.len()..];
        }
        out + rest
    }
}

/// The first generated id in a text.
fn id_at(text: &str) -> Option<(usize, &str)> {
    const DIGITS: usize = 5;
    text.match_indices("id").find_map(|(at, _)| {
        let id = text.get(at..at + 2 + DIGITS)?;
        id[2..].bytes().all(|byte| byte.is_ascii_digit()).then_some((at, id))
    })
}

/// Without what is not compared. `is_data`: a null is a value here.
fn plain(value: &Json, is_data: bool) -> Json {
    const NULL: &str = "(null)";
    match value {
        Json::Null if is_data => NULL.into(),
        Json::String(text) => wording(text).into(),
        Json::Array(items) => items.iter().map(|item| plain(item, is_data)).collect::<Vec<_>>().into(),
        Json::Object(object) => {
            let mut out = Object::new();
            for (key, value) in object.iter() {
                let value = if value.is_null() && !is_data {
                    continue;
                } else {
                    plain(value, is_data || DATA.contains(&&**key))
                };
                let is_set = SETS.contains(&&**key);
                out.push(key.clone(), if is_set { sorted(&value) } else { value });
            }
            without_wording(out).into()
        }
        other => other.clone(),
    }
}

fn sorted(set: &Json) -> Json {
    let mut items = set.as_array().unwrap_or_default().to_vec();
    items.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    items.into()
}

/// The text of a validation error is pydantic's own.
fn without_wording(mut object: Object) -> Object {
    for (kind, message) in [("type", "message"), ("errorCode", "errorMessage")] {
        if object.get(kind).and_then(Json::as_str) == Some("ValidationError") {
            object.remove(message);
        }
    }
    object
}

fn wording(text: &str) -> String {
    let text = without_times(text);
    let Some(at) = text.find("validation error") else { return text };
    let before = text[..at].trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
    format!("{before}$validation")
}

/// ISO times read `$time`.
fn without_times(text: &str) -> String {
    const PATTERN: &[u8] = b"0000-00-00T00:00:00";
    let bytes = text.as_bytes();
    let fits = |at: usize| {
        let Some(window) = bytes.get(at..at + PATTERN.len()) else { return false };
        window.iter().zip(PATTERN).all(|(byte, pattern)| match pattern {
            b'0' => byte.is_ascii_digit(),
            sign => byte == sign,
        })
    };
    let Some(at) = (0..bytes.len()).find(|at| fits(*at)) else { return text.to_owned() };
    let mut end = at + PATTERN.len();
    let digits = |mut end: usize| {
        while bytes.get(end).is_some_and(u8::is_ascii_digit) {
            end += 1;
        }
        end
    };
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    match bytes.get(end) {
        Some(b'Z') => end += 1,
        Some(b'+' | b'-') if bytes.get(end + 3) == Some(&b':') => end += 6,
        _ => {}
    }
    format!("{}$time{}", &text[..at], without_times(&text[end..]))
}
