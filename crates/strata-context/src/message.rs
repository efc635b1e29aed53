//! What was said in a context.

use serde::{Deserialize, Serialize};
use strata_model::Str;

use crate::door::Door;
use crate::id::TaskId;
use crate::time::Millis;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    Assistant,
    /// A summary, in place of what was said before.
    System,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
        }
    }
}

/// A message that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its place among all that was ever said here, from 0. A summary has that of the last one it stands for.
    pub number: u64,
    pub at: Millis,
    pub role: Role,
    pub content: Str,
    /// How it came in; `None` for what was made here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub door: Option<Door>,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
}

impl Message {
    pub fn bytes(&self) -> usize {
        self.content.len()
    }

    pub fn is_summary(&self) -> bool {
        self.role == Role::System
    }
}
