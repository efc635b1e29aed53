//! What models and tools answer, one after the other.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;
use strata_model::{Json, Object};
use strata_runtime::Failure;

use super::value::{nth_or_last, text};

#[derive(Default)]
pub(super) struct Script {
    answers: Mutex<HashMap<String, VecDeque<Json>>>,
    tools: HashMap<String, Vec<Json>>,
    /// How often something was done, by what it is.
    counts: Mutex<HashMap<String, usize>>,
}

impl Script {
    pub(super) fn of(scenario: &Json) -> Self {
        let lists = |key: &str| {
            let lists = scenario.get(key).and_then(Json::as_object).cloned().unwrap_or_default();
            lists
                .into_iter()
                .map(|(name, list)| (name.to_string(), list.as_array().unwrap_or_default().to_vec()))
        };
        Self {
            answers: Mutex::new(lists("models").map(|(name, list)| (name, list.into())).collect()),
            tools: lists("tools").collect(),
            counts: Mutex::default(),
        }
    }

    /// Counts from 0.
    pub(super) fn count(&self, what: String) -> usize {
        let mut counts = self.counts.lock();
        let count = counts.entry(what).or_default();
        *count += 1;
        *count - 1
    }

    /// The next answer of an agent's model.
    pub(super) fn answer(&self, agent: &str) -> Option<Json> {
        self.answers.lock().get_mut(agent)?.pop_front()
    }

    /// What the next run of a tool does.
    pub(super) fn tool_run(&self, tool: &str) -> Json {
        let n = self.count(format!("tool {tool}"));
        let runs = self.tools.get(tool).map(Vec::as_slice).unwrap_or_default();
        let default = || Object::from_iter([("status", "ok")]).into();
        nth_or_last(runs, n).cloned().unwrap_or_else(default)
    }
}

/// `{type, message, status?}`, or a text for a `ValueError`.
pub(super) fn failure(raised: &Json) -> Failure {
    match raised {
        Json::String(text) => Failure::value_error(text.clone()),
        other => {
            let kind =
                text(other, "type").filter(|kind| !kind.is_empty()).unwrap_or_else(|| "RuntimeError".into());
            let message = text(other, "message").unwrap_or_default();
            let mut failure = Failure::new(kind, message);
            failure.status = text(other, "status");
            failure
        }
    }
}
