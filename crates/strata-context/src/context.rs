//! A context as it is kept.

use serde::{Deserialize, Serialize};
use strata_model::{Object, Str};

use crate::door::Door;
use crate::id::{ContextId, Principal, TaskId};
use crate::lifecycle::{ContextState, Ttl};
use crate::message::Message;
use crate::retention::Retention;
use crate::time::Millis;

/// How many of the tasks that ended a context names.
pub(crate) const COMPLETED_SHOWN: usize = 100;

/// What a client and an app share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Context {
    pub context_id: ContextId,
    pub principal_id: Principal,
    pub created_at: Millis,
    /// When something last happened.
    pub updated_at: Millis,
    /// As it was stored; [`crate::state_at`] says what time has made of it since.
    pub state: ContextState,
    pub ttl: Ttl,
    pub working_state: Object,
    /// Values that were put away, in the order in which they were.
    #[serde(default)]
    pub artifacts: Vec<ContextArtifact>,
    /// In the order in which they were said; a summary is the first.
    #[serde(default, skip_serializing)]
    pub messages: Vec<Message>,
    pub message_retention: Retention,
    /// How many messages there ever were.
    pub n_messages: u64,
    pub active_tasks: Vec<TaskId>,
    /// The latest that ended, however they did, in the order in which they did.
    pub completed_tasks: Vec<TaskId>,
    /// How many ever ended.
    pub n_completed: u64,
    /// By the time they were first used.
    #[serde(default)]
    pub doors: Vec<DoorUse>,
    /// The stored session of whoever answers here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Str>,
}

/// A value of the working state that was put away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextArtifact {
    /// The key it stood at.
    pub name: String,
    /// From 0.
    pub version: u32,
    pub bytes: u64,
}

/// A door that requests came through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoorUse {
    pub door: Door,
    pub first_at: Millis,
    pub last_at: Millis,
    pub n_requests: u64,
}

impl Context {
    pub fn new(context_id: ContextId, principal_id: Principal, now: Millis) -> Self {
        Self {
            context_id,
            principal_id,
            created_at: now,
            updated_at: now,
            state: ContextState::Active,
            ttl: Ttl::default(),
            working_state: Object::new(),
            artifacts: Vec::new(),
            messages: Vec::new(),
            message_retention: Retention::default(),
            n_messages: 0,
            active_tasks: Vec::new(),
            completed_tasks: Vec::new(),
            n_completed: 0,
            doors: Vec::new(),
            session: None,
        }
    }

    /// Bytes of all messages, summary included.
    pub fn message_bytes(&self) -> usize {
        self.messages.iter().map(Message::bytes).sum()
    }
}
