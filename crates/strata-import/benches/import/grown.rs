//! Committed samples made long: their records again and again, in one conversation, with ids, times and words of
//! their own.

use std::collections::HashSet;

use serde_json::Value;

use crate::words::{minutes_later, words, words_of};

/// Members that name what all rounds belong to.
const SAME_IN_EVERY_ROUND: [&str; 13] = [
    "sessionId",
    "session_id",
    "sessionID",
    "projectID",
    "project_id",
    "thread_id",
    "trace_id",
    "traceId",
    "agentId",
    "userId",
    "parent_thread_id",
    "modelID",
    "providerID",
];

/// Members that hold what is said.
const SAID: [&str; 11] = [
    "text",
    "content",
    "output",
    "thinking",
    "observation",
    "response",
    "result",
    "stdout",
    "thought",
    "message",
    "description",
];

/// Members that hold times, in seconds or milliseconds.
const TIMES: [&str; 6] = ["timestamp", "ts", "created", "completed", "start", "end"];

/// A sample and how it grows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) file: &'static str,
    /// Lists of the document that grow, as JSON pointers; none when the file has a record a line.
    pub(crate) lists: &'static [&'static str],
    /// Values of `type` that a file has once.
    pub(crate) once: &'static [&'static str],
}

/// The sample with as many rounds as make it `n_bytes` long.
pub(crate) fn grown(sample: Sample, text: &str, n_bytes: usize) -> Vec<u8> {
    if sample.lists.is_empty() { lines(sample, text, n_bytes) } else { document(sample, text, n_bytes) }
}

fn lines(sample: Sample, text: &str, n_bytes: usize) -> Vec<u8> {
    let records: Vec<Value> = values(text);
    let ids = ids_of(&records);
    let mut bytes = Vec::new();
    // Where the parent of a record is the record before it, rounds are linked too.
    let mut last: Option<String> = None;
    for number in 0.. {
        let round = Round { number, ids: &ids };
        let mut next = last.clone();
        for record in &records {
            let kind = record.get("type").and_then(Value::as_str).unwrap_or_default();
            if number > 0 && sample.once.contains(&kind) {
                continue;
            }
            let mut record = round.value("", record, false);
            link(&mut record, last.as_deref(), &mut next);
            bytes.extend(record.to_string().into_bytes());
            bytes.push(b'\n');
        }
        last = next;
        if bytes.len() >= n_bytes {
            return bytes;
        }
    }
    bytes
}

fn link(record: &mut Value, last: Option<&str>, next: &mut Option<String>) {
    if record.get("isSidechain").and_then(Value::as_bool) == Some(true) {
        return;
    }
    let own = ["uuid", "id"].iter().find_map(|key| record.get(*key)?.as_str()).map(str::to_owned);
    for key in ["parentUuid", "parentId"] {
        let Some(parent) = record.get_mut(key) else { continue };
        if parent.is_null()
            && let Some(last) = last
        {
            *parent = last.into();
        }
        next.clone_from(&own);
    }
}

fn document(sample: Sample, text: &str, n_bytes: usize) -> Vec<u8> {
    let template: Value = values(text).swap_remove(0);
    let ids = ids_of(std::slice::from_ref(&template));
    let mut whole = template.clone();
    let mut size = 0;
    for number in 1.. {
        let round = Round { number, ids: &ids };
        for list in sample.lists {
            let Some(Value::Array(items)) = template.pointer(list) else {
                panic!("{} has no {list}", sample.file)
            };
            let fresh: Vec<Value> = items.iter().map(|item| round.value("", item, false)).collect();
            size += fresh.iter().map(|item| item.to_string().len()).sum::<usize>();
            if let Some(Value::Array(items)) = whole.pointer_mut(list) {
                items.extend(fresh);
            }
        }
        if size >= n_bytes {
            break;
        }
    }
    whole.to_string().into_bytes()
}

fn values(text: &str) -> Vec<Value> {
    serde_json::Deserializer::from_str(text).into_iter().collect::<Result<_, _>>().unwrap()
}

fn ids_of(values: &[Value]) -> HashSet<String> {
    fn gather(key: &str, value: &Value, ids: &mut HashSet<String>) {
        let lower = key.to_ascii_lowercase();
        let is_id = lower.ends_with("id") && !SAME_IN_EVERY_ROUND.contains(&key);
        match value {
            Value::String(id) if is_id && !id.is_empty() => {
                ids.insert(id.clone());
            }
            Value::Array(items) => items.iter().for_each(|item| gather(key, item, ids)),
            Value::Object(object) => object.iter().for_each(|(key, value)| gather(key, value, ids)),
            _ => {}
        }
    }
    let mut ids = HashSet::new();
    for value in values {
        gather("", value, &mut ids);
    }
    ids
}

struct Round<'i> {
    number: usize,
    ids: &'i HashSet<String>,
}

impl Round<'_> {
    /// The value as it is said in this round. What is typed is short; what tools return need not be.
    fn value(&self, key: &str, value: &Value, is_typed: bool) -> Value {
        match value {
            Value::String(text) => self.text(key, text, is_typed || key == "message").into(),
            Value::Array(items) => items.iter().map(|item| self.value(key, item, is_typed)).collect(),
            Value::Object(object) => {
                let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
                let is_typed = (is_typed || text("role") == "user") && !text("type").contains("result");
                let members = object.iter();
                members.map(|(key, value)| (key.clone(), self.value(key, value, is_typed))).collect()
            }
            Value::Number(time) if TIMES.contains(&key) => self.time(time),
            other => other.clone(),
        }
    }

    fn text(&self, key: &str, text: &str, is_typed: bool) -> String {
        if self.number > 0 && self.ids.contains(text) {
            return format!("{text}-{}", self.number);
        }
        if let Some(later) = minutes_later(text, self.number) {
            return later;
        }
        let is_packed = text.starts_with(['{', '[']) || text.starts_with("data:") || text.contains("://");
        if !SAID.contains(&key) || text.len() < 2 || is_packed {
            return text.to_owned();
        }
        let salt = self.number * 31 + text.len();
        format!("{text}\n{}", if is_typed { words_of(salt, 300) } else { words(salt) })
    }

    fn time(&self, time: &serde_json::Number) -> Value {
        let minutes = self.number as f64 * 60.0;
        match time.as_f64() {
            Some(millis) if millis > 1e11 => Value::from((millis + minutes * 1e3) as u64),
            Some(seconds) if seconds > 1e9 => Value::from(seconds + minutes),
            _ => Value::Number(time.clone()),
        }
    }
}
