//! What is refused, with the way on.

use crate::door::IdPlace;
use crate::id::{ContextId, MalformedId, TaskId};
use crate::time::Millis;

/// Why a command was not obeyed. Nothing of what it asked for has happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    #[error("This is no id of a context: {0}. Send the id that an answer gave, or none to begin anew.")]
    Malformed(#[from] MalformedId),

    /// It ran out, or it was never this principal's: whoever asks cannot tell which.
    #[error(
        "There is no context {id} any more. Nothing was done. Send the request again without an id, and the answer \
         begins a new context."
    )]
    Expired {
        id: ContextId,
        /// `None` where it is unknown.
        expired_at: Option<Millis>,
    },

    #[error(
        "The request names two contexts: {first} in {first_place} and {second} in {second_place}. Nothing was done. \
         Send one."
    )]
    TwoIds { first: String, first_place: IdPlace, second: String, second_place: IdPlace },

    #[error(
        "The working state would take {bytes} bytes, {limit} are allowed, and nothing in it is large enough to be put \
         away as an artifact. It is as it was. Take keys out of it, or begin another context."
    )]
    StateTooLarge { bytes: usize, limit: usize },

    #[error("There is no task {0} in this context.")]
    UnknownTask(TaskId),

    #[error("There is a task {0} already. Give each its own id.")]
    TaskExists(TaskId),

    #[error("Task {task} has ended ({status}) and cannot change any more. Begin another.")]
    TaskEnded { task: TaskId, status: &'static str },

    #[error("Task {0} is at work, and waits for nobody. Wait until it has ended, or cancel it.")]
    TaskAtWork(TaskId),

    /// From a task to itself.
    #[error("Tasks would wait for one another without end: {}. Nothing was changed.", path.iter().map(TaskId::as_str).collect::<Vec<_>>().join(" > "))]
    TaskCycle { path: Vec<TaskId> },

    #[error(
        "Task {task} waits for {open}, which has not ended. It goes on as it is. End {open} first, or cancel the task."
    )]
    StillWaiting { task: TaskId, open: TaskId },

    #[error(
        "The workflow is at {}, and not at {expected}. It is as it was. Read where it is and go on from there.",
        found.as_deref().unwrap_or("no step yet")
    )]
    WorkflowElsewhere { expected: String, found: Option<String> },

    #[error("A context with open tasks is not put away: {} has not ended.", .0)]
    TasksOpen(TaskId),

    #[error("This retention cannot be used: {0}. Nothing was done.")]
    Retention(String),
}

impl ContextError {
    /// For programs: each is another reason to act.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "CONTEXT_ID_MALFORMED",
            Self::Expired { .. } => "CONTEXT_EXPIRED",
            Self::TwoIds { .. } => "CONTEXT_ID_CONFLICT",
            Self::StateTooLarge { .. } => "WORKING_STATE_TOO_LARGE",
            Self::UnknownTask(_) => "TASK_UNKNOWN",
            Self::TaskExists(_) => "TASK_EXISTS",
            Self::TaskEnded { .. } => "TASK_ENDED",
            Self::TaskAtWork(_) => "TASK_AT_WORK",
            Self::TaskCycle { .. } => "TASK_CYCLE",
            Self::StillWaiting { .. } => "TASK_WAITING",
            Self::WorkflowElsewhere { .. } => "WORKFLOW_ELSEWHERE",
            Self::TasksOpen(_) => "TASKS_OPEN",
            Self::Retention(_) => "RETENTION_UNUSABLE",
        }
    }

    /// What an unknown id gets, and one of somebody else.
    pub fn unknown(id: ContextId) -> Self {
        Self::Expired { id, expired_at: None }
    }
}
