//! Agent2Agent: calls of JSON-RPC in, answers or streams out.

use std::sync::Arc;

use strata_context::{Principal, TaskId};
use strata_model::{Json, json};
use strata_store::TaskEntry;
use strata_wire::a2a::{
    A2aArtifact, A2aCall, A2aError, A2aFault, A2aRequest, A2aTask, A2aVersion, AgentCard, Skill, StreamItem,
    read_call, result,
};
use tokio::sync::broadcast::Receiver as Listener;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::a2a_send::{Sent, sent};
use super::a2a_task::{answered, begun, said_meanwhile, stored};
use super::answer::{Asker, ServeError, iso};
use super::live::TaskNews;
use super::server::ServedApp;

/// Documents that a stream may be ahead by.
const AHEAD: usize = 16;

/// What is answered.
#[derive(Debug)]
pub enum A2aReply {
    /// A document.
    Whole(String),
    /// Documents, one after the other.
    Stream(Receiver<String>),
}

/// The card of an app that is served at this address.
pub fn agent_card(app: &ServedApp, url: &str) -> String {
    let agents = app.agents();
    let skill =
        |agent: &super::ServedAgent| Skill { id: agent.name.clone(), description: agent.description.clone() };
    let card = AgentCard {
        name: app.name().to_owned(),
        description: agents[0].description.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        url: url.to_owned(),
        skills: agents.iter().map(skill).collect(),
    };
    json::to_compact(&card.to_json())
}

/// Answers a call. It blocks until the answer is there, or the stream begins. `version` is what the header says.
pub fn answer_a2a(app: &Arc<ServedApp>, body: &[u8], version: Option<&str>, asker: &Asker) -> A2aReply {
    let call = match read_call(body, version) {
        Ok(call) => call,
        Err(fault) => return A2aReply::Whole(json::to_compact(&fault.to_json())),
    };
    let line = Line { id: call.id.clone(), version: call.version, echo: call.echo.clone() };
    match answered_call(app, call, &line, asker) {
        Ok(reply) => reply,
        Err(error) => A2aReply::Whole(line.fault(error)),
    }
}

/// The call that is answered.
#[derive(Clone)]
struct Line {
    id: Json,
    version: A2aVersion,
    /// The caller's own `context`.
    echo: Option<Json>,
}

impl Line {
    fn result(&self, of: Json) -> String {
        json::to_compact(&result(&self.id, of))
    }

    fn fault(&self, error: A2aError) -> String {
        let (id, echo) = (self.id.clone(), self.echo.clone());
        json::to_compact(&A2aFault { id, version: self.version, error, echo }.to_json())
    }
}

fn answered_call(
    app: &Arc<ServedApp>,
    call: A2aCall,
    line: &Line,
    asker: &Asker,
) -> Result<A2aReply, A2aError> {
    let principal = &asker.principal;
    match call.request {
        A2aRequest::Send { message, options, is_streamed } => {
            let sent = sent(&message, options, asker).map_err(A2aError::InvalidParams)?;
            send(app, sent, is_streamed, line)
        }
        A2aRequest::GetTask { id, history } => {
            let entry = task(app, &id, principal)?;
            let task = shown(app, &entry, history)?;
            Ok(A2aReply::Whole(line.result(task.to_json(line.version))))
        }
        A2aRequest::CancelTask { id } => {
            let entry = task(app, &id, principal)?;
            let task = cancel(app, &entry, principal)?;
            Ok(A2aReply::Whole(line.result(task.to_json(line.version))))
        }
        A2aRequest::Subscribe { id } => {
            let entry = task(app, &id, principal)?;
            let listener = app.live().listen(&entry.task.task_id);
            let task = shown(app, &entry, Some(0))?;
            match listener {
                Some(listener) if !task.state.is_final() => Ok(stream(app, task, listener, line.clone())),
                _ => Err(A2aError::Unsupported(format!(
                    "Task {id} does not run any more: nothing more comes of it. Get it to see what came."
                ))),
            }
        }
    }
}

fn send(app: &Arc<ServedApp>, sent: Sent, is_streamed: bool, line: &Line) -> Result<A2aReply, A2aError> {
    let Sent { ask, options } = sent;
    let started = app.start(ask).map_err(|error| told(&error))?;
    let task = begun(started.task_id().as_str(), started.context_id.as_str(), app.clock().now());
    if !is_streamed && !options.returns_at_once {
        let answer = app.finish(&started).map_err(|error| told(&error))?;
        let mut task = answered(&answer, app.clock().now(), line.echo.as_ref());
        if options.history.is_none_or(|length| length > 0)
            && let Ok(Some(entry)) = app.task(&answer.task_id, &started.principal)
        {
            task.history = shown(app, &entry, options.history)?.history;
        }
        return Ok(A2aReply::Whole(line.result(task.to_sent(line.version))));
    }
    let listener = started.running.task.news.subscribe();
    let working = app.clone();
    std::thread::spawn(move || {
        // Whoever listens is told how it ended, and the task says it later.
        let _ = working.finish(&started);
    });
    if is_streamed {
        return Ok(stream(app, task, listener, line.clone()));
    }
    Ok(A2aReply::Whole(line.result(task.to_sent(line.version))))
}

/// A task of this principal.
fn task(app: &ServedApp, id: &str, principal: &Principal) -> Result<TaskEntry, A2aError> {
    let found = app.task(id, principal).map_err(|error| told(&error))?;
    found.ok_or_else(|| A2aError::TaskNotFound(id.chars().take(128).collect()))
}

fn shown(app: &ServedApp, entry: &TaskEntry, history: Option<usize>) -> Result<A2aTask, A2aError> {
    let said = app.said_in(entry).map_err(|error| told(&error))?;
    Ok(stored(&entry.task, &said, history))
}

fn cancel(app: &ServedApp, entry: &TaskEntry, principal: &Principal) -> Result<A2aTask, A2aError> {
    let id: &TaskId = &entry.task.task_id;
    if let Some(mut listener) = app.live().stop(id) {
        // It ends at its next step.
        while let Ok(news) = listener.blocking_recv() {
            if matches!(news, TaskNews::Ended(_)) {
                break;
            }
        }
    } else if entry.task.status.is_open() {
        app.cancel_resting(entry).map_err(|error| told(&error))?;
    } else {
        let status = entry.task.status.name();
        return Err(A2aError::TaskNotCancelable(format!(
            "Task {id} has ended ({status}): it cannot be cancelled."
        )));
    }
    shown(app, &task(app, id.as_str(), principal)?, None)
}

/// Tells of a task from now on, until nothing more comes of it.
fn stream(app: &Arc<ServedApp>, task: A2aTask, listener: Listener<TaskNews>, line: Line) -> A2aReply {
    let (sender, receiver) = channel(AHEAD);
    let app = app.clone();
    std::thread::spawn(move || tell(&app, &task, listener, &line, &sender));
    A2aReply::Stream(receiver)
}

fn tell(
    app: &ServedApp,
    task: &A2aTask,
    mut listener: Listener<TaskNews>,
    line: &Line,
    sender: &Sender<String>,
) {
    let send = |item: &StreamItem| sender.blocking_send(line.result(item.to_json(line.version))).is_ok();
    if !send(&StreamItem::Task(task.clone())) {
        return;
    }
    let mut n_said = 0;
    loop {
        match listener.blocking_recv() {
            Ok(TaskNews::Said(text)) => {
                n_said += 1;
                let id = format!("{}-said-{n_said}", task.id);
                if !send(&StreamItem::Status(said_meanwhile(task, &id, &text))) {
                    return;
                }
            }
            Ok(TaskNews::Ended(answer)) => {
                let ended = answered(&answer, app.clock().now(), line.echo.as_ref());
                let (task_id, context_id) = (ended.id.clone(), ended.context_id.clone());
                for artifact in &ended.artifacts {
                    let artifact: A2aArtifact = artifact.clone();
                    let (task_id, context_id) = (task_id.clone(), context_id.clone());
                    send(&StreamItem::Artifact {
                        task_id,
                        context_id,
                        artifact,
                        is_appended: false,
                        is_last: true,
                    });
                }
                send(&StreamItem::Status(ended));
                return;
            }
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

fn told(error: &ServeError) -> A2aError {
    match error {
        ServeError::Context(strata_context::ContextError::UnknownTask(id)) => {
            A2aError::TaskNotFound(id.to_string())
        }
        ServeError::Context(_) => A2aError::Context {
            code: error.code(),
            message: error.to_string(),
            context_id: error.context_id().map(str::to_owned),
            expired_at: error.expired_at().map(iso),
        },
        ServeError::App(problem) => match error.status() {
            400 | 404 => A2aError::InvalidParams(problem.message.clone()),
            _ => A2aError::Internal(problem.message.clone()),
        },
    }
}
