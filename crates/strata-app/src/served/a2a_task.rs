//! Tasks of contexts as A2A shows them.

use strata_context::{Message, Millis, Role, Task, TaskStatus};
use strata_model::{Json, Object, Str};
use strata_wire::a2a::{A2aArtifact, A2aMessage, A2aPart, A2aRole, A2aState, A2aTask};

use super::answer::{Answer, AnswerStatus, iso, object};

/// The artifact that an answer is.
const ANSWER: &str = "answer";

fn state(status: TaskStatus) -> A2aState {
    match status {
        TaskStatus::Working => A2aState::Working,
        TaskStatus::InputRequired => A2aState::InputRequired,
        TaskStatus::Completed => A2aState::Completed,
        TaskStatus::Failed => A2aState::Failed,
        TaskStatus::Canceled => A2aState::Canceled,
    }
}

/// A task as it is stored, with so many of its last messages.
pub(super) fn stored(task: &Task, said: &[Message], history: Option<usize>) -> A2aTask {
    let told = task.told.as_deref().unwrap_or_default();
    let kept = history.unwrap_or(usize::MAX);
    let said: Vec<A2aMessage> = said
        .iter()
        .filter(|message| message.role != Role::System)
        .map(|message| {
            let role = if message.role == Role::User { A2aRole::User } else { A2aRole::Agent };
            text_message(&format!("{}-{}", task.task_id, message.number), role, &message.content, task)
        })
        .collect();
    let from = said.len().saturating_sub(kept);
    with_told(task, state(task.status), told, task.updated_at, said[from..].to_vec())
}

/// A task by what came of it.
pub(super) fn answered(answer: &Answer, at: Millis, echo: Option<&Json>) -> A2aTask {
    let state = match answer.status {
        AnswerStatus::Completed => A2aState::Completed,
        AnswerStatus::InputRequired => A2aState::InputRequired,
        AnswerStatus::Failed => A2aState::Failed,
        AnswerStatus::Canceled => A2aState::Canceled,
    };
    let (id, context_id): (Str, Str) = (answer.task_id.as_str().into(), answer.context_id.as_str().into());
    let (message, mut artifacts) = told(&id, &context_id, state, &answer.text);
    if let Some(artifact) = artifacts.first_mut() {
        echo_in(&mut artifact.parts, echo);
        return A2aTask {
            id,
            context_id,
            state,
            message,
            timestamp: iso(at),
            artifacts,
            history: Vec::new(),
        };
    }
    let message = message.map(|mut message| {
        echo_in(&mut message.parts, echo);
        message
    });
    A2aTask { id, context_id, state, message, timestamp: iso(at), artifacts, history: Vec::new() }
}

/// The caller's own `context`, in a part of data: the last one is what programs read, so that it joins the answer that
/// stands there.
fn echo_in(parts: &mut Vec<A2aPart>, echo: Option<&Json>) {
    let Some(echo) = echo else { return };
    if let Some(A2aPart::Data(Json::Object(answer))) = parts.last_mut() {
        answer.insert("context", echo.clone());
    } else {
        parts.push(A2aPart::Data(Object::from_iter([("context", echo.clone())]).into()));
    }
}

/// A task that has just begun.
pub(super) fn begun(task_id: &str, context_id: &str, at: Millis) -> A2aTask {
    A2aTask {
        id: task_id.into(),
        context_id: context_id.into(),
        state: A2aState::Working,
        message: None,
        timestamp: iso(at),
        artifacts: Vec::new(),
        history: Vec::new(),
    }
}

/// Something that an agent says while its task goes on.
pub(super) fn said_meanwhile(task: &A2aTask, message_id: &str, text: &str) -> A2aTask {
    let message = A2aMessage {
        id: message_id.into(),
        role: A2aRole::Agent,
        parts: vec![A2aPart::Text(text.into())],
        context_id: Some(task.context_id.to_string()),
        task_id: Some(task.id.to_string()),
    };
    A2aTask { message: Some(message), ..task.clone() }
}

fn text_message(id: &str, role: A2aRole, text: &str, task: &Task) -> A2aMessage {
    A2aMessage {
        id: id.into(),
        role,
        parts: vec![A2aPart::Text(text.into())],
        context_id: Some(task.context_id.to_string()),
        task_id: Some(task.task_id.to_string()),
    }
}

fn with_told(task: &Task, state: A2aState, text: &str, at: Millis, history: Vec<A2aMessage>) -> A2aTask {
    let (id, context_id): (Str, Str) = (task.task_id.as_str().into(), task.context_id.as_str().into());
    let (message, artifacts) = told(&id, &context_id, state, text);
    A2aTask { id, context_id, state, message, timestamp: iso(at), artifacts, history }
}

/// What came of a task is its artifact; a question, or what went wrong, is said with its state.
fn told(id: &Str, context_id: &Str, state: A2aState, text: &str) -> (Option<A2aMessage>, Vec<A2aArtifact>) {
    if text.is_empty() {
        return (None, Vec::new());
    }
    let mut parts = vec![A2aPart::Text(text.into())];
    if state == A2aState::Completed {
        // An agent that answers programs says JSON: they find it as such.
        parts.extend(object(text).map(|answer| A2aPart::Data(answer.into())));
        return (None, vec![A2aArtifact { id: ANSWER.into(), name: ANSWER.into(), parts }]);
    }
    let message = A2aMessage {
        id: format!("{id}-status").into(),
        role: A2aRole::Agent,
        parts,
        context_id: Some(context_id.to_string()),
        task_id: Some(id.to_string()),
    };
    (Some(message), Vec::new())
}
