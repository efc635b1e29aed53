//! The run of a context: an app in one session of the store, whoever of its agents is asked.

use std::sync::{Arc, Mutex, PoisonError};

use strata_context::{Context, Principal};
use strata_model::{App, Json, Object, Scope};
use strata_store::SessionId;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::choice::ServeChoice;
use super::live::{LiveTask, TaskNews};
use crate::error::AppError;
use crate::report::ModelAccess;
use crate::retained_events::missing_compactions;
use crate::run::{
    ModelChoice, Nobody, OwnStore, Place, RecordedAnswers, Run, RunChoice, RunListener, RunNews, RunStore,
    Script, TurnEnd, WaitingCall, World, prepare, said,
};
use crate::tables::Tables;

/// What runs of all contexts have in common.
pub(super) struct Surroundings {
    pub choice: ServeChoice,
    pub store: Arc<OwnStore>,
    pub access: ModelAccess,
    pub tables: Arc<Tables>,
    pub runtime: Handle,
}

/// The run of one context. It is opened when it is first needed, and again where it was stopped.
#[derive(Default)]
pub(super) struct Talk {
    /// Answers of a file go on where they were.
    script: Option<Arc<Script>>,
    run: Option<OpenRun>,
}

struct OpenRun {
    agent: String,
    run: Run,
    stop: CancellationToken,
    ear: Arc<Ear>,
}

/// What a turn is asked.
pub(super) struct TurnAsked<'a> {
    /// With the agent that is asked at its root.
    pub app: &'a Arc<App>,
    pub agent: &'a str,
    pub message: &'a str,
    /// The working state as the task sees it.
    pub state: &'a Object,
    /// What the events of the turn are noted with.
    pub metadata: Object,
    /// The message answers calls that wait.
    pub answers: bool,
    pub live: &'a LiveTask,
}

/// What a turn came to.
pub(super) struct TurnTaken {
    pub session: SessionId,
    pub end: TurnEnd,
    /// What was said last.
    pub text: String,
    /// Who said it: an agent that the conversation was handed to keeps it.
    pub speaker: Option<String>,
    /// An error that a model's answer told of.
    pub failed: Option<String>,
    pub waiting: Vec<WaitingCall>,
    /// Keys of the session's state that it changed; null where one is gone.
    pub changes: Object,
}

/// Hears what is said in the turn that is being taken.
#[derive(Default)]
struct Ear(Mutex<Heard>);

#[derive(Default)]
struct Heard {
    live: Option<LiveTask>,
    last: String,
    speaker: Option<String>,
    failed: Option<String>,
}

impl Ear {
    fn heard(&self) -> std::sync::MutexGuard<'_, Heard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunListener for Ear {
    fn hear(&self, news: RunNews<'_>) {
        let mut heard = self.heard();
        match news {
            RunNews::Said { agent, text } => {
                heard.speaker = Some(agent.to_owned());
                text.clone_into(&mut heard.last);
                if let Some(live) = &heard.live {
                    let _ = live.news.send(TaskNews::Said(text.to_owned()));
                }
            }
            RunNews::Failed { message, .. } => heard.failed = Some(message.to_owned()),
            RunNews::Piece { .. } | RunNews::Called { .. } | RunNews::Answered { .. } => {}
        }
    }

    fn note(&self, _: &str) {}
}

impl Talk {
    /// The session that a turn is going to be taken in.
    pub(super) fn session(
        &mut self,
        context: &Context,
        asked: &TurnAsked<'_>,
        around: &Surroundings,
    ) -> Result<SessionId, AppError> {
        Ok(self.open(context, asked, around)?.run.session().clone())
    }

    /// Takes a turn. It blocks until the app has answered, fails, or is stopped.
    pub(super) fn turn(
        &mut self,
        context: &Context,
        asked: &TurnAsked<'_>,
        around: &Surroundings,
    ) -> Result<TurnTaken, AppError> {
        let open = self.open(context, asked, around)?;
        // What the context does not keep is not sent any more.
        for compaction in missing_compactions(context, &open.run.events()) {
            open.run.note(compaction)?;
        }
        let before = open.run.state();
        let waited = open.run.waiting();
        let state_delta = delta(&before, asked.state);
        let message = if asked.answers {
            let value = typed(asked.message);
            let answers: Vec<(String, Json)> =
                waited.iter().map(|call| (call.id.to_string(), value.clone())).collect();
            if answers.is_empty() { said(asked.message) } else { open.run.answers(&answers)? }
        } else {
            said(asked.message)
        };
        *open.ear.heard() = Heard { live: Some(asked.live.clone()), ..Heard::default() };
        let stop = open.stop.clone();
        let asked_to_stop = asked.live.stop.clone();
        if asked_to_stop.is_cancelled() {
            stop.cancel();
        }
        // The run ends by itself once it is asked to, and says how.
        let stopping = around.runtime.spawn(async move {
            asked_to_stop.cancelled().await;
            stop.cancel();
        });
        let turn = open.run.noted_turn(message, state_delta.clone(), asked.metadata.clone());
        let taken = around.runtime.block_on(turn);
        stopping.abort();
        let heard = std::mem::take(&mut *open.ear.heard());
        let after = open.run.state();
        // Calls of earlier tasks wait for answers of their own.
        let mut waiting = open.run.waiting();
        waiting.retain(|call| asked.answers || waited.iter().all(|known| known.id != call.id));
        let taken = taken.map(|end| TurnTaken {
            session: open.run.session().clone(),
            text: heard.last,
            speaker: heard.speaker,
            failed: heard.failed,
            waiting,
            changes: changed(&before, &state_delta, &after),
            end,
        });
        let is_over = !matches!(&taken, Ok(TurnTaken { end: TurnEnd::Done, .. }));
        if is_over {
            // What was stopped or failed is opened anew, from what is stored.
            self.run = None;
        }
        taken
    }

    /// The run, at the agent that is asked.
    fn open(
        &mut self,
        context: &Context,
        asked: &TurnAsked<'_>,
        around: &Surroundings,
    ) -> Result<&OpenRun, AppError> {
        let is_there =
            self.run.as_ref().is_some_and(|open| open.agent == asked.agent && !open.stop.is_cancelled());
        if !is_there {
            self.run = None;
            self.run = Some(self.begun(context, asked, around)?);
        }
        self.run.as_ref().ok_or_else(|| AppError::internal("A run was begun that is not there."))
    }

    fn begun(
        &mut self,
        context: &Context,
        asked: &TurnAsked<'_>,
        around: &Surroundings,
    ) -> Result<OpenRun, AppError> {
        let choice = &around.choice;
        if self.script.is_none()
            && let ModelChoice::Script(path) = &choice.model
        {
            self.script = Some(Arc::new(Script::read(path)?));
        }
        let (stop, ear) = (CancellationToken::new(), Arc::new(Ear::default()));
        let asked_of_run = RunChoice {
            app: Some(choice.app.clone()),
            database: None,
            session: None,
            from: None,
            resumes: false,
            user: context.principal_id.to_string(),
            model: choice.model.clone(),
            tools: choice.tools.clone(),
            recorded: None,
            state: Object::new(),
            answers: Vec::new(),
            limits: choice.limits,
            holds: Vec::new(),
            remembers: false,
            is_streaming: false,
            tells_requests: false,
        };
        let world = World {
            find: &|name| around.access.find(name),
            client: &|| around.access.models.connections.client(),
            tables: around.tables.clone(),
            // It was said when the app began to be served.
            agrees: &|_| Ok(true),
            recorded: RecordedAnswers::default(),
            turn: None,
            app: Some(asked.app.clone()),
            script: self.script.clone(),
            listener: ear.clone(),
            person: None,
            holder: Arc::new(Nobody),
            // A client has no budget to give.
            when_spent: "begin another context, with less to read.",
            stop: stop.clone(),
            runtime: &around.runtime,
        };
        let parts = prepare(&asked_of_run, world)?.parts;
        let run = Run::start(parts, around.store.clone(), place(context, &*around.store)?)?;
        Ok(OpenRun { agent: asked.agent.to_owned(), run, stop, ear })
    }
}

/// The session of a context, while it is in the store; else a new one.
fn place(context: &Context, store: &dyn RunStore) -> Result<Place, AppError> {
    if let Some(session) = &context.session {
        let id = SessionId::from(&**session);
        if store.lock().session_entry(&id)?.is_some() {
            return Ok(Place::Stored(id));
        }
    }
    let owner: &Principal = &context.principal_id;
    Ok(Place::New { user_id: owner.as_str().into() })
}

/// What of the working state the session does not have.
fn delta(session: &Object, working: &Object) -> Object {
    let mut delta = Object::new();
    for (key, value) in working.iter().filter(|(key, _)| Scope::of(key) == Scope::Session) {
        if session.get(key) != Some(value) {
            delta.push(key.clone(), value.clone());
        }
    }
    // What was taken out of the working state is nothing to the agents any more.
    for (key, value) in session.iter().filter(|(key, _)| Scope::of(key) == Scope::Session) {
        if !working.contains_key(key) && !value.is_null() {
            delta.push(key.clone(), Json::Null);
        }
    }
    delta
}

/// What agents made of the session's state, beside what they were given with the message.
fn changed(before: &Object, given: &Object, after: &Object) -> Object {
    let mut begun = before.clone();
    begun.update(given);
    let own = |key: &str| Scope::of(key) == Scope::Session;
    let mut changes = Object::new();
    for (key, value) in after.iter().filter(|(key, _)| own(key)) {
        if begun.get(key) != Some(value) {
            changes.push(key.clone(), value.clone());
        }
    }
    changes
}

/// What a person answers: JSON, or else a text.
fn typed(text: &str) -> Json {
    strata_model::json::parse(text.as_bytes()).unwrap_or_else(|_| text.into())
}
