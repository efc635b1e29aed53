//! Tasks, and what is told of them while they run.

use strata_model::{Json, Object, Str};

use super::message::{A2aMessage, A2aPart};
use super::version::A2aVersion;

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum A2aState {
    Working,
    InputRequired,
    Completed,
    Failed,
    Canceled,
}

/// What came of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct A2aArtifact {
    pub id: Str,
    pub name: Str,
    pub parts: Vec<A2aPart>,
}

/// A task.
#[derive(Debug, Clone, PartialEq)]
pub struct A2aTask {
    pub id: Str,
    pub context_id: Str,
    pub state: A2aState,
    /// What the agent says of its state: a question, or what went wrong.
    pub message: Option<A2aMessage>,
    /// When it got into its state, in ISO 8601.
    pub timestamp: String,
    pub artifacts: Vec<A2aArtifact>,
    pub history: Vec<A2aMessage>,
}

/// One thing that is told in a stream.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamItem {
    Task(A2aTask),
    /// The state of a task, without the rest of it.
    Status(A2aTask),
    /// A piece of what comes of a task.
    Artifact {
        task_id: Str,
        context_id: Str,
        artifact: A2aArtifact,
        is_appended: bool,
        is_last: bool,
    },
}

impl A2aState {
    /// It ends, or waits for somebody: nothing more comes by itself.
    pub fn is_final(self) -> bool {
        self != Self::Working
    }

    pub fn name(self, version: A2aVersion) -> &'static str {
        match (self, version) {
            (Self::Working, A2aVersion::V0_3) => "working",
            (Self::InputRequired, A2aVersion::V0_3) => "input-required",
            (Self::Completed, A2aVersion::V0_3) => "completed",
            (Self::Failed, A2aVersion::V0_3) => "failed",
            (Self::Canceled, A2aVersion::V0_3) => "canceled",
            (Self::Working, A2aVersion::V1_0) => "TASK_STATE_WORKING",
            (Self::InputRequired, A2aVersion::V1_0) => "TASK_STATE_INPUT_REQUIRED",
            (Self::Completed, A2aVersion::V1_0) => "TASK_STATE_COMPLETED",
            (Self::Failed, A2aVersion::V1_0) => "TASK_STATE_FAILED",
            (Self::Canceled, A2aVersion::V1_0) => "TASK_STATE_CANCELED",
        }
    }
}

/// The status of a task.
fn task_status(task: &A2aTask, version: A2aVersion) -> Json {
    let mut status = Object::from_iter([("state", Json::from(task.state.name(version)))]);
    status.push_some("message", task.message.as_ref().map(|message| message.to_json(version)));
    status.push("timestamp", task.timestamp.clone());
    status.into()
}

impl A2aArtifact {
    fn to_json(&self, version: A2aVersion) -> Json {
        let parts: Vec<Json> = self.parts.iter().map(|part| part.to_json(version)).collect();
        Object::from_iter([
            ("artifactId", Json::from(self.id.clone())),
            ("name", self.name.clone().into()),
            ("parts", parts.into()),
        ])
        .into()
    }
}

impl A2aTask {
    pub fn to_json(&self, version: A2aVersion) -> Json {
        let mut task = Object::new();
        if version == A2aVersion::V0_3 {
            task.push("kind", "task");
        }
        task.push("id", self.id.clone());
        task.push("contextId", self.context_id.clone());
        task.push("status", task_status(self, version));
        let artifacts: Vec<Json> = self.artifacts.iter().map(|artifact| artifact.to_json(version)).collect();
        let history: Vec<Json> = self.history.iter().map(|message| message.to_json(version)).collect();
        task.push_some("artifacts", Some(artifacts).filter(|list| !list.is_empty()));
        task.push_some("history", Some(history).filter(|list| !list.is_empty()));
        task.into()
    }

    /// As the answer to a message.
    pub fn to_sent(&self, version: A2aVersion) -> Json {
        named("task", self.to_json(version), version)
    }
}

/// In 1.0 a thing stands at a member that says what it is.
fn named(name: &str, value: Json, version: A2aVersion) -> Json {
    match version {
        A2aVersion::V0_3 => value,
        A2aVersion::V1_0 => Object::from_iter([(name, value)]).into(),
    }
}

impl StreamItem {
    /// Nothing follows.
    pub fn is_final(&self) -> bool {
        match self {
            Self::Task(task) | Self::Status(task) => task.state.is_final(),
            Self::Artifact { .. } => false,
        }
    }

    pub fn to_json(&self, version: A2aVersion) -> Json {
        match self {
            Self::Task(task) => task.to_sent(version),
            Self::Status(task) => {
                let mut update = Object::new();
                if version == A2aVersion::V0_3 {
                    update.push("kind", "status-update");
                }
                update.push("taskId", task.id.clone());
                update.push("contextId", task.context_id.clone());
                update.push("status", task_status(task, version));
                if version == A2aVersion::V0_3 {
                    update.push("final", task.state.is_final());
                }
                named("statusUpdate", update.into(), version)
            }
            Self::Artifact { task_id, context_id, artifact, is_appended, is_last } => {
                let mut update = Object::new();
                if version == A2aVersion::V0_3 {
                    update.push("kind", "artifact-update");
                }
                update.push("taskId", task_id.clone());
                update.push("contextId", context_id.clone());
                update.push("artifact", artifact.to_json(version));
                update.push("append", *is_appended);
                update.push("lastChunk", *is_last);
                named("artifactUpdate", update.into(), version)
            }
        }
    }
}
