//! A run: an app, a session that grows, and who answers; turn by turn.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use strata_engine::Flow;
use strata_model::{App, Content, Event, FunctionResponse, Json, Object, Part, Session, Str};
use strata_runtime::{
    Chance as _, Clock as _, EventSink, Failure, Halt, Host, Program, Reception, RunConfig, Runner, Services,
    Turn,
};
use strata_store::{AppConfig, RecordedRequest, SessionId};
use tokio_util::sync::CancellationToken;

use super::budget::Budget;
use super::code::{AppCode, check_code};
use super::computer::Computer;
use super::gate::RunGate;
use super::hold::{Holder, Holds};
use super::listener::{RunListener, tell};
use super::models::{Answerer, RunModels};
use super::recorded_turn::Replay;
use super::recording::{RunRecording, RunStore, WaitingCall, gone};
use super::sent::{SentCalls, SentCounts, ToldCall};
use super::services::{SavedFile, StoredArtifacts, StoredMemory};
use super::tools::{ToolScript, ToolSources};
use crate::error::AppError;

/// What a run is made of.
pub(crate) struct RunParts {
    pub app: Arc<App>,
    /// The app as it is stored with the session.
    pub app_config: AppConfig,
    /// Flows of agents whose requests are not made as google-adk makes them.
    pub flows: Vec<(Str, Flow)>,
    /// Calls that are not made, with their answers.
    pub replay: Arc<Replay>,
    pub answerer: Answerer,
    pub tools: ToolSources,
    pub budget: Arc<Budget>,
    pub holds: Arc<Holds>,
    /// Decides about calls that are held.
    pub holder: Arc<dyn Holder>,
    pub listener: Arc<dyn RunListener>,
    pub is_streaming: bool,
    /// Requests are kept in memory, to be told at the end.
    pub keeps_requests: bool,
    /// Ends the run, and closes what it leaves open.
    pub stop: CancellationToken,
}

/// The session that a run is in.
pub(crate) enum Place {
    /// A new one of this user.
    New { user_id: Str },
    /// A new one that begins with the events of another, with the requests that some of them answer.
    Begun { session: Box<Session>, requests: Vec<RecordedRequest> },
    /// One that is stored. What a run stored grows; what was imported is gone on with in a session of its own.
    Stored(SessionId),
}

/// An app that runs in a session.
pub(crate) struct Run {
    runner: Runner,
    recording: Arc<RunRecording>,
    sent: Arc<SentCalls>,
    artifacts: Arc<StoredArtifacts>,
    memory: Arc<StoredMemory>,
    code: Arc<AppCode>,
    holds: Arc<Holds>,
    budget: Arc<Budget>,
    listener: Arc<dyn RunListener>,
    config: RunConfig,
    stop: CancellationToken,
    computer: Arc<Computer>,
    /// The events that were there before.
    n_events_before: u32,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TurnEnd {
    Done,
    Stopped,
    /// What google-adk would have raised.
    Failed(Failure),
}

/// The app made ready, unless google-adk would refuse it, or the script lacks code that is a part of it.
pub(crate) fn program_of(app: &Arc<App>, script: Option<&ToolScript>) -> Result<Program, AppError> {
    check_code(app, script)?;
    Program::new(app.clone()).map_err(|failure| {
        AppError::bad_input(format!("google-adk would not start with this app: {failure}"))
    })
}

impl Run {
    pub(crate) fn start(parts: RunParts, store: Arc<dyn RunStore>, place: Place) -> Result<Self, AppError> {
        let program = program_of(&parts.app, parts.tools.script.as_ref())?;
        let program =
            parts.flows.iter().fold(program, |program, (agent, flow)| program.with_flow(agent, flow.clone()));
        let computer = Arc::new(Computer::default());
        let sent = Arc::new(SentCalls::new(parts.budget.tables(), parts.keeps_requests));
        let recording = Arc::new(recording(&parts, &*computer, store.clone(), &sent, place)?);
        computer.goes_on_from(recording.last_time());
        let gate = RunGate {
            holds: parts.holds.clone(),
            holder: parts.holder,
            recording: recording.clone(),
            sent: sent.clone(),
            replay: parts.replay.clone(),
            listener: parts.listener.clone(),
            computer: computer.clone(),
            stop: parts.stop.clone(),
        };
        let limits = parts.budget.limits();
        let artifacts = Arc::new(StoredArtifacts::new(store.clone(), computer.clone()));
        let memory = Arc::new(StoredMemory::new(store, computer.clone()));
        let code = Arc::new(AppCode { tools: parts.tools });
        let host = Host {
            clock: computer.clone(),
            chance: computer.clone(),
            models: Arc::new(RunModels {
                answerer: parts.answerer,
                replay: parts.replay,
                budget: parts.budget.clone(),
                sent: sent.clone(),
                listener: parts.listener.clone(),
                stop: parts.stop.clone(),
            }),
            code: code.clone(),
            gate: Arc::new(gate),
        };
        let services = Services {
            sessions: recording.clone(),
            artifacts: Some(artifacts.clone()),
            memory: Some(memory.clone()),
        };
        Ok(Self {
            n_events_before: recording.n_events(),
            runner: Runner::new(Arc::new(program), host, services),
            recording,
            sent,
            artifacts,
            memory,
            code,
            holds: parts.holds,
            budget: parts.budget,
            listener: parts.listener,
            config: RunConfig {
                max_llm_calls: limits.calls.map_or(0, i64::from),
                is_streaming: parts.is_streaming,
                ..RunConfig::default()
            },
            stop: parts.stop,
            computer,
        })
    }

    /// Says something, with changes of the state, and runs until the app has answered.
    pub(crate) async fn turn(&self, message: Content, state_delta: Object) -> Result<TurnEnd, AppError> {
        self.noted_turn(message, state_delta, Object::new()).await
    }

    /// As [`Self::turn`], with metadata that is laid under that of every event of the turn.
    pub(crate) async fn noted_turn(
        &self,
        message: Content,
        state_delta: Object,
        metadata: Object,
    ) -> Result<TurnEnd, AppError> {
        let key = self.recording.key().clone();
        self.take(Turn { message: Some(message), state_delta, ..Turn::new(key) }, metadata).await
    }

    /// What was said and done, as it is stored.
    pub(crate) fn events(&self) -> Vec<Arc<Event>> {
        self.recording.session().events
    }

    /// Stores an event between two turns, with an id and a time of its own.
    pub(crate) fn note(&self, event: Event) -> Result<(), AppError> {
        let id = || self.computer.new_id();
        let event = Event { id: id(), invocation_id: id(), timestamp: self.computer.now(), ..event };
        self.recording.add(&event).map(|_| ()).map_err(|failure| AppError::internal(failure.text()))
    }

    /// The state as it is stored.
    pub(crate) fn state(&self) -> Object {
        self.recording.state()
    }

    /// Goes on with the invocation that was interrupted last, of an app that is resumable.
    pub(crate) async fn resume(&self) -> Result<TurnEnd, AppError> {
        let nothing = || AppError::bad_input("This session has nothing to resume: it is empty.");
        let invocation_id = self.recording.last_invocation().ok_or_else(nothing)?;
        if has_ended(&self.events(), &invocation_id) {
            return Err(AppError::bad_input(
                "This session has nothing to resume: what was said last came to its end. Say something to go on.",
            ));
        }
        let key = self.recording.key().clone();
        self.take(Turn { invocation_id: Some(invocation_id), ..Turn::new(key) }, Object::new()).await
    }

    /// What gives the answers to calls that wait, by the ids of the calls.
    pub(crate) fn answers(&self, answers: &[(String, Json)]) -> Result<Content, AppError> {
        answered(&self.recording.session(), answers)
    }

    async fn take(&self, turn: Turn, custom_metadata: Object) -> Result<TurnEnd, AppError> {
        let config = RunConfig { custom_metadata, ..self.config.clone() };
        let turn = Turn { config, abort: self.stop.clone(), ..turn };
        let ended = self.runner.run(turn, self).await;
        self.recording.keep_unanswered()?;
        Ok(match ended {
            _ if self.stop.is_cancelled() => TurnEnd::Stopped,
            Ok(()) | Err(Halt::Interrupted) => TurnEnd::Done,
            Err(Halt::Cancelled) => TurnEnd::Stopped,
            Err(Halt::Failed(failure)) => TurnEnd::Failed(failure),
        })
    }

    /// Ends the programs and connections that its tools needed. Letting go of the run does so, too, and faster.
    pub(crate) async fn close(&self) {
        self.code.tools.toolsets.close().await;
    }

    /// The id of the session in the store.
    pub(crate) fn session(&self) -> &SessionId {
        self.recording.id()
    }

    pub(crate) fn n_events_before(&self) -> usize {
        self.n_events_before as usize
    }

    /// When calls are held.
    pub(crate) fn holds(&self) -> &Holds {
        &self.holds
    }

    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Calls that wait for an answer from outside.
    pub(crate) fn waiting(&self) -> Vec<WaitingCall> {
        self.recording.waiting()
    }

    /// Who has said or done something in the session.
    pub(crate) fn authors(&self) -> Vec<String> {
        self.recording.authors()
    }

    /// How many requests were let through to a model.
    pub(crate) fn n_sent(&self) -> usize {
        self.sent.counts().all
    }

    /// What was let through, in order.
    pub(crate) fn sent(&self) -> Vec<ToldCall> {
        self.sent.all()
    }

    pub(crate) fn sent_counts(&self) -> SentCounts {
        self.sent.counts()
    }

    /// The files that this run saved, in its order.
    pub(crate) fn artifacts(&self) -> Vec<SavedFile> {
        self.artifacts.saved()
    }

    pub(crate) fn app_name(&self) -> &str {
        &self.recording.key().app_name
    }

    /// Adds the session to what agents of its app remember. Gives how many memories that are.
    pub(crate) fn remember(&self) -> Result<usize, AppError> {
        self.memory.remember(&self.recording.session())
    }
}

impl EventSink for Run {
    fn receive(&self, event: Arc<Event>) -> BoxFuture<'_, Reception> {
        tell(&*self.listener, &event);
        Box::pin(std::future::ready(Reception::GoOn))
    }
}

/// The session of a run, made or found.
fn recording(
    parts: &RunParts,
    chance: &dyn strata_runtime::Chance,
    store: Arc<dyn RunStore>,
    sent: &Arc<SentCalls>,
    place: Place,
) -> Result<RunRecording, AppError> {
    let app_config = parts.app_config.clone();
    let app_name = parts.app.name.clone();
    let (session, requests) = match place {
        Place::New { user_id } => (Session { app_name, user_id, ..Session::default() }, Vec::new()),
        Place::Begun { session, requests } => (Session { app_name, ..*session }, requests),
        Place::Stored(id) => {
            if let Some(recording) = RunRecording::open(store.clone(), sent.clone(), &id, app_config.clone())?
            {
                return Ok(recording);
            }
            let imported = imported(&*store, &id)?;
            parts.listener.note(
                "This session was imported from a file, which stays as it is: a new session goes on with its events.",
            );
            imported
        }
    };
    let session = Session { id: chance.new_id(), ..session };
    RunRecording::create(store, sent.clone(), &session, &requests, app_config)
}

fn imported(store: &dyn RunStore, id: &SessionId) -> Result<(Session, Vec<RecordedRequest>), AppError> {
    let store = store.lock();
    let session = store.read_session(id)?.ok_or_else(gone)?;
    let requests = store.requests(id)?;
    Ok((
        session,
        requests.into_iter().map(|request| RecordedRequest { added_from: None, ..request }).collect(),
    ))
}

/// Whether all agents of an invocation have left the mark of their end, which those of a resumable app leave.
fn has_ended(events: &[Arc<Event>], invocation_id: &str) -> bool {
    let of_agents =
        events.iter().filter(|event| *event.invocation_id == *invocation_id && !event.is_from_user());
    let last: BTreeMap<&Str, bool> =
        of_agents.map(|event| (&event.author, event.actions.end_of_agent == Some(true))).collect();
    !last.is_empty() && last.into_values().all(|has_ended| has_ended)
}

/// What a user says.
pub(crate) fn said(text: &str) -> Content {
    Content::new("user", [Part::from_text(text)])
}

/// Answers to calls of a session, by the ids of the calls.
fn answered(session: &Session, answers: &[(String, Json)]) -> Result<Content, AppError> {
    let calls = || session.events.iter().flat_map(|event| event.function_calls());
    let mut parts = Vec::new();
    for (id, answer) in answers {
        let call = calls()
            .find(|call| call.id.as_deref() == Some(id))
            .ok_or_else(|| AppError::bad_input(format!("No call of this session has the id {id}.")))?;
        let response = match answer {
            Json::Object(object) => object.clone(),
            other => Object::from_iter([("result", other.clone())]),
        };
        parts.push(Part::from_response(FunctionResponse {
            id: call.id.clone(),
            name: call.name.clone(),
            response: Some(Arc::new(response)),
            ..FunctionResponse::default()
        }));
    }
    Ok(Content::new("user", parts))
}
