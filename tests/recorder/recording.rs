//! Recordings as a file: what was asked, what was answered, and what was done before.
//!
//! Each line is JSON. A line with `ask` has the answer to a question; one with `act` changes what Strata holds, and the
//! lines behind it are about what holds then. `depth` says how many acts came before, itself included, so that acts
//! form a tree: those of depth 1 begin from a fresh start, each deeper one goes on from the one above it. An answer
//! holds for all acts below it, until one of them has another answer to the same question.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question or an act.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(from = "Asked")]
pub(crate) struct Call {
    pub name: String,
    /// JSON with the keys in order, so that equal parameters are equal texts.
    params: String,
}

#[derive(Deserialize)]
struct Asked {
    name: String,
    params: Value,
}

impl From<Asked> for Call {
    fn from(Asked { name, params }: Asked) -> Self {
        Self { name, params: sorted(params).to_string() }
    }
}

impl Call {
    pub(crate) fn params(&self) -> Value {
        serde_json::from_str(&self.params).unwrap_or_default()
    }
}

/// What a call came to. Exactly one of the three is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Answer {
    #[serde(rename = "answer")]
    Value(Value),
    /// Base64.
    Bytes(String),
    /// An `AppError`.
    Error(Value),
}

impl Default for Answer {
    fn default() -> Self {
        Self::Value(Value::Null)
    }
}

/// What holds after some acts.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Answers that are not those of the state before.
    pub answers: BTreeMap<Call, Answer>,
    pub next: BTreeMap<Call, Step>,
}

/// An act, and what holds after it.
#[derive(Debug, Default)]
pub(crate) struct Step {
    pub answer: Answer,
    /// What Strata says by itself until it is at rest again.
    pub notifications: Vec<Value>,
    pub state: State,
}

#[derive(Default, Serialize, Deserialize)]
struct Line {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    depth: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    act: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ask: Option<String>,
    params: Value,
    #[serde(flatten)]
    answer: Answer,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notifications: Vec<Value>,
}

impl State {
    pub(crate) fn read(text: &str) -> Result<Self> {
        let mut start = Self::default();
        let mut acts: Vec<Call> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let read = || format!("understand line {} of the recordings", at + 1);
            let Line { depth, act, ask, params, answer, notifications } =
                serde_json::from_str(line).with_context(read)?;
            match (act, ask, depth) {
                (None, Some(name), None) => {
                    start.after(&acts).answers.insert(Asked { name, params }.into(), answer);
                }
                (Some(name), None, Some(depth)) if (1..=acts.len() + 1).contains(&depth) => {
                    acts.truncate(depth - 1);
                    let act = Call::from(Asked { name, params });
                    start.after(&acts).add_act(&act, answer, notifications);
                    acts.push(act);
                }
                _ => anyhow::bail!("{}: it is neither a question nor an act", read()),
            }
        }
        Ok(start)
    }

    /// What holds after these acts, of which those that are not recorded are added.
    pub(crate) fn after(&mut self, acts: &[Call]) -> &mut Self {
        acts.iter().fold(self, |state, act| &mut state.next.entry(act.clone()).or_default().state)
    }

    /// Keeps what is recorded behind the act.
    pub(crate) fn add_act(&mut self, act: &Call, answer: Answer, notifications: Vec<Value>) {
        let step = self.next.entry(act.clone()).or_default();
        (step.answer, step.notifications) = (answer, notifications);
    }

    pub(crate) fn write(&self) -> Result<String> {
        let mut lines = Vec::new();
        self.write_at(0, &mut lines);
        let lines: Vec<String> = lines.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        Ok(lines.join("\n") + "\n")
    }

    fn write_at(&self, depth: usize, lines: &mut Vec<Line>) {
        lines.extend(self.answers.iter().map(|(call, answer)| Line {
            ask: Some(call.name.clone()),
            params: call.params(),
            answer: answer.clone(),
            ..Line::default()
        }));
        for (call, Step { answer, notifications, state }) in &self.next {
            lines.push(Line {
                depth: Some(depth + 1),
                act: Some(call.name.clone()),
                ask: None,
                params: call.params(),
                answer: answer.clone(),
                notifications: notifications.clone(),
            });
            state.write_at(depth + 1, lines);
        }
    }
}

/// The same value with the keys of all objects in order.
fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        Value::Object(fields) => {
            let fields: BTreeMap<String, Value> =
                fields.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            Value::Object(fields.into_iter().collect())
        }
        other => other,
    }
}
