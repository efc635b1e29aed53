//! What differs from run to run, and from computer to computer, taken out of answers and put back into parameters.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Number, Value, json};

/// Stands for every moment of a run: 2026-01-05T12:00:00Z, in milliseconds.
const NOW_MS: i64 = 1_767_614_400_000;
/// Stands for the folder of the database and of the files.
const FOLDER: &str = "/strata";
/// Stand for servers of models.
const SERVERS: [&str; 2] = ["http://127.0.0.1:8001", "http://127.0.0.1:8002"];
/// Stand for the address of a gateway and for its log.
const GATEWAY: [&str; 2] =
    ["http://127.0.0.1:8003/t/0123456789abcdef", "/strata/strata.captures/capture.jsonl"];
/// A field, and what is written for what it holds.
type Replaced = (&'static str, fn() -> Value);
/// Fields that say how, where and on which day an answer came about: how long it took, and what had been compiled
/// before. With what is written.
const OF_THIS_RUN: [Replaced; 9] = [
    ("milliseconds", || json!(0)),
    ("seconds", || json!(1)),
    ("secondsElapsed", || json!(0)),
    ("firstTokenS", || json!(0.1)),
    ("tokensPerS", || json!(50)),
    ("stagesRun", || json!(0)),
    ("isReused", || json!(false)),
    ("timezone", || json!("Etc/UTC")),
    ("today", || json!("2026-01-05")),
];
/// Parameters that name a session.
const SESSION_KEYS: [&str; 4] = ["session", "experiment", "a", "b"];

pub(crate) struct Plain {
    started_ms: i64,
    /// What is written for a text that holds something of this run.
    texts: Vec<(String, String)>,
    /// Ids of sessions, and what they are called here.
    sessions: BTreeMap<String, String>,
}

impl Plain {
    pub(crate) fn new(folder: &Path, servers: &[&str; 2]) -> Self {
        let folder = (folder.display().to_string(), FOLDER.to_owned());
        let servers = servers.iter().zip(SERVERS).map(|(real, plain)| ((*real).to_owned(), plain.to_owned()));
        Self {
            started_ms: now_ms(),
            texts: [folder].into_iter().chain(servers).collect(),
            sessions: BTreeMap::new(),
        }
    }

    pub(crate) fn call_session(&mut self, id: &str, name: &str) {
        self.sessions.insert(id.to_owned(), name.to_owned());
    }

    /// Where a gateway listens and writes is another place at each start.
    pub(crate) fn call_gateway(&mut self, base: &Value, log: &Value) {
        for (real, plain) in [base, log].into_iter().zip(GATEWAY) {
            // Before the folder that the log is in.
            self.texts.insert(0, (real.as_str().unwrap_or_default().to_owned(), plain.to_owned()));
        }
    }

    /// A value as it is written.
    pub(crate) fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Number(number) => Value::Number(self.number(number)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => {
                let plain = fields.into_iter().map(|(key, value)| {
                    let of_this_run = OF_THIS_RUN.iter().find(|(name, _)| *name == key && !value.is_null());
                    let value = of_this_run.map_or_else(|| self.value(value), |(_, stand_in)| stand_in());
                    (key, value)
                });
                Value::Object(plain.collect())
            }
            other => other,
        }
    }

    /// Parameters as this run understands them.
    pub(crate) fn restore(&self, params: Value) -> Value {
        match params {
            Value::String(text) => {
                Value::String(self.texts.iter().fold(text, |text, (real, plain)| text.replace(plain, real)))
            }
            Value::Array(items) => items.into_iter().map(|item| self.restore(item)).collect(),
            Value::Object(fields) => {
                let real = fields.into_iter().map(|(key, value)| {
                    let id = value
                        .as_str()
                        .filter(|_| SESSION_KEYS.contains(&&*key))
                        .and_then(|name| self.id(name));
                    let value = id.map_or_else(|| self.restore(value.clone()), |id| json!(id));
                    (key, value)
                });
                Value::Object(real.collect())
            }
            other => other,
        }
    }

    fn id(&self, name: &str) -> Option<&str> {
        self.sessions.iter().find(|(_, known)| *known == name).map(|(id, _)| &**id)
    }

    fn text(&self, text: String) -> String {
        match self.sessions.get(&text) {
            Some(name) => name.clone(),
            None => {
                without_seconds(self.texts.iter().fold(text, |text, (real, plain)| text.replace(real, plain)))
            }
        }
    }

    fn number(&self, number: Number) -> Number {
        let is_of_this_run = number
            .as_f64()
            .is_some_and(|number| (self.started_ms as f64..=now_ms() as f64).contains(&number));
        if is_of_this_run { NOW_MS.into() } else { number }
    }
}

/// `terse answered with m in 0.3 s.`, however long it took.
fn without_seconds(text: String) -> String {
    let Some((before, rest)) = text.split_once(" in ").filter(|_| text.contains(" answered with ")) else {
        return text;
    };
    match rest.split_once(" s.") {
        Some((took, after)) if took.parse::<f64>().is_ok() => format!("{before} in 0.0 s.{after}"),
        _ => text,
    }
}

fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}
