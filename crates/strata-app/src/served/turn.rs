//! A request that was taken on, and what is to be written of what comes of it.

use std::sync::Arc;

use strata_context::{Command, ContextError, ContextId, Door, NewMessage, Principal, Role, TaskEnd, TaskId};
use strata_model::{App, Json, Object, Str};

use super::answer::{Answer, AnswerStatus, WaitingTool};
use super::live::Running;
use super::talk::TurnTaken;
use crate::error::{AppError, sentence};
use crate::run::{TurnEnd, WaitingCall};

/// A request whose task has begun.
pub struct Started {
    pub(super) context_id: ContextId,
    pub(super) principal: Principal,
    pub(super) door: Door,
    pub(super) agent: String,
    pub(super) app: Arc<App>,
    pub(super) message: String,
    /// The message answers calls that wait.
    pub(super) answers: bool,
    pub(super) running: Running,
}

impl Started {
    pub(super) fn task_id(&self) -> &TaskId {
        &self.running.id
    }

    /// What the events of the turn are noted with.
    pub(super) fn metadata(&self) -> Object {
        Object::from_iter([
            ("context_id", self.context_id.as_str()),
            ("task_id", self.task_id().as_str()),
            ("door", self.door.name()),
        ])
    }

    /// The commands that write what came of it, and what is answered. Conflicts come with the writing.
    pub(super) fn outcome(&self, taken: Result<TurnTaken, AppError>) -> (Vec<Command>, Answer) {
        let task = self.task_id().clone();
        let mut commands = Vec::new();
        let mut agent = self.agent.clone();
        let (status, text, waiting) = match taken {
            Ok(taken) => {
                agent = taken.speaker.clone().unwrap_or(agent);
                commands.push(Command::SetSession(taken.session.as_str().into()));
                let changes = taken.changes.clone();
                commands.push(Command::SetState { changes, task: Some(task.clone()) });
                told(taken)
            }
            Err(error) => (AnswerStatus::Failed, error.message, Vec::new()),
        };
        let content: Str = text.as_str().into();
        if !text.is_empty() && status != AnswerStatus::Failed {
            let message = NewMessage {
                role: Role::Assistant,
                content: content.clone(),
                door: Some(self.door),
                task: Some(task.clone()),
            };
            commands.push(Command::Say(vec![message]));
        }
        let told = Some(content);
        commands.push(match status {
            AnswerStatus::Completed => Command::EndTask { task, end: TaskEnd::Completed, told },
            AnswerStatus::Failed => Command::EndTask { task, end: TaskEnd::Failed, told },
            AnswerStatus::Canceled => Command::EndTask { task, end: TaskEnd::Canceled, told },
            AnswerStatus::InputRequired => Command::RequireInput { task, told },
        });
        let answer = Answer {
            context_id: self.context_id.to_string(),
            task_id: self.task_id().to_string(),
            agent,
            status,
            text,
            waiting,
            conflicts: Vec::new(),
        };
        (commands, answer)
    }

    /// The commands that write of a turn that its context refused, and why: its task has failed, and what was said in its
    /// session stays.
    pub(super) fn refused(
        &self,
        error: &ContextError,
        mut commands: Vec<Command>,
        answer: &mut Answer,
    ) -> Vec<Command> {
        answer.status = AnswerStatus::Failed;
        answer.text = error.to_string();
        answer.waiting.clear();
        commands.retain(|command| matches!(command, Command::SetSession(_)));
        let (task, told) = (self.task_id().clone(), Some(answer.text.as_str().into()));
        commands.push(Command::EndTask { task, end: TaskEnd::Failed, told });
        commands
    }
}

fn told(taken: TurnTaken) -> (AnswerStatus, String, Vec<WaitingTool>) {
    match taken.end {
        TurnEnd::Stopped => {
            (AnswerStatus::Canceled, "Cancelled. What was said until then is kept.".to_owned(), Vec::new())
        }
        TurnEnd::Failed(failure) => (AnswerStatus::Failed, sentence(&failure.text()), Vec::new()),
        TurnEnd::Done if taken.failed.is_some() => {
            (AnswerStatus::Failed, sentence(&taken.failed.unwrap_or_default()), Vec::new())
        }
        TurnEnd::Done if !taken.waiting.is_empty() => {
            let waiting: Vec<WaitingTool> = taken.waiting.iter().map(waiting).collect();
            let names: Vec<&str> = waiting.iter().map(|call| call.name.as_str()).collect();
            let asks = format!("{} waits for an answer.", names.join(", "));
            let text = if taken.text.is_empty() { asks } else { format!("{}\n{asks}", taken.text) };
            (AnswerStatus::InputRequired, text, waiting)
        }
        TurnEnd::Done => (AnswerStatus::Completed, taken.text, Vec::new()),
    }
}

fn waiting(call: &WaitingCall) -> WaitingTool {
    let arguments = call.call.args.as_deref().cloned().map_or(Json::Null, Json::Object);
    WaitingTool {
        id: call.id.to_string(),
        name: call.call.name.as_deref().unwrap_or_default().to_owned(),
        arguments,
    }
}
