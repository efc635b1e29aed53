//! What can happen to a context.

use strata_model::{Object, Str};

use crate::door::Door;
use crate::id::TaskId;
use crate::lifecycle::Ttl;
use crate::message::Role;
use crate::retention::Retention;
use crate::task::TaskEnd;

/// A message that is to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    pub role: Role,
    pub content: Str,
    pub door: Option<Door>,
    pub task: Option<TaskId>,
}

/// A task that is to begin.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTask {
    pub task_id: TaskId,
    pub operation: Str,
    pub params: Object,
    pub parent: Option<TaskId>,
    pub waits_for: Vec<TaskId>,
}

/// One thing that happens. Each is an interaction: it makes the context active.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// A request came in.
    Touch {
        door: Option<Door>,
    },
    /// Sets keys of the working state, or of a task's own changes; null takes a key away.
    SetState {
        changes: Object,
        task: Option<TaskId>,
    },
    /// Something was said.
    Say(Vec<NewMessage>),
    SetRetention(Retention),
    SetTtl(Ttl),
    /// The stored session of whoever answers here.
    SetSession(Str),
    /// A task inherits the working state, or what its parent sees.
    BeginTask(NewTask),
    /// A task cannot end before another one.
    WaitFor {
        task: TaskId,
        on: TaskId,
    },
    /// A person is asked something.
    RequireInput {
        task: TaskId,
        told: Option<Str>,
    },
    /// A person has answered.
    Resume(TaskId),
    /// `told` is what came of it.
    EndTask {
        task: TaskId,
        end: TaskEnd,
        told: Option<Str>,
    },
    /// The workflow goes to its next step, from the one it is at.
    Advance {
        from: Option<Str>,
        to: Str,
        data: Object,
    },
    /// Puts the context away for history.
    Archive,
}

impl Command {
    /// The tasks it names, which have to be at hand when it is obeyed.
    pub fn tasks(&self) -> Vec<&TaskId> {
        match self {
            Self::SetState { task, .. } => task.iter().collect(),
            Self::BeginTask(new) => {
                [&new.task_id].into_iter().chain(&new.parent).chain(&new.waits_for).collect()
            }
            Self::WaitFor { task, on } => vec![task, on],
            Self::RequireInput { task, .. } | Self::Resume(task) | Self::EndTask { task, .. } => vec![task],
            Self::Say(messages) => messages.iter().filter_map(|message| message.task.as_ref()).collect(),
            Self::Touch { .. }
            | Self::SetRetention(_)
            | Self::SetTtl(_)
            | Self::SetSession(_)
            | Self::Advance { .. }
            | Self::Archive => Vec::new(),
        }
    }
}
