//! Tasks: work that begins with what its context holds, and changes nothing of it before it ends.

use serde::{Deserialize, Serialize};
use strata_model::{Json, Object, Str};

use crate::id::{ContextId, TaskId};
use crate::merge::{Conflict, merged};
use crate::time::Millis;

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    Working,
    /// A person is to say something.
    InputRequired,
    Completed,
    Failed,
    Canceled,
}

impl TaskStatus {
    pub fn name(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
        }
    }

    pub fn is_open(self) -> bool {
        matches!(self, Self::Working | Self::InputRequired)
    }
}

/// How a task ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskEnd {
    /// Its changes are merged.
    Completed,
    /// Its changes stay with it.
    Failed,
    Canceled,
}

impl From<TaskEnd> for TaskStatus {
    fn from(end: TaskEnd) -> Self {
        match end {
            TaskEnd::Completed => Self::Completed,
            TaskEnd::Failed => Self::Failed,
            TaskEnd::Canceled => Self::Canceled,
        }
    }
}

/// A piece of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub task_id: TaskId,
    /// The context it began in, which it may outlive.
    pub context_id: ContextId,
    /// What is done, such as the name of an agent.
    pub operation: Str,
    pub params: Object,
    /// The task that began it. Its changes go there, where that one is still open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<TaskId>,
    /// Tasks that have to end before it can.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<TaskId>,
    pub status: TaskStatus,
    /// The working state when it began.
    pub inherited_state: Object,
    /// What it has changed since; null takes a key away.
    pub changes: Object,
    /// What came of it, or what a person is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<Str>,
    /// What of its changes was not taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    pub created_at: Millis,
    pub updated_at: Millis,
}

impl Task {
    /// The state as the task sees it: what it inherited, with its own changes.
    pub fn view(&self) -> Object {
        merged(&self.inherited_state, &self.changes)
    }
}

/// Parameters as given, and where one is missing or null, what the state remembers. Each default is a parameter with the
/// path of keys that leads to its value in the state: `("targeting", &["preferences", "targeting_preferences"])`.
pub fn with_defaults(params: &Object, state: &Object, defaults: &[(&str, &[&str])]) -> Object {
    let mut filled = params.clone();
    for (param, path) in defaults {
        if filled.get(param).is_some_and(|given| !given.is_null()) {
            continue;
        }
        let mut found = path.first().and_then(|key| state.get(key));
        for key in path.iter().skip(1) {
            found = found.and_then(|value| value.get(key));
        }
        if let Some(value) = found.filter(|value| !value.is_null()) {
            filled.insert(*param, Json::clone(value));
        }
    }
    filled
}
