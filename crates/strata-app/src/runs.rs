//! The runs of this program, for those who look at them and talk with them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{Either, select};
use futures_util::pin_mut;
use strata_model::{Json, Object, json};
use strata_runtime::OpenGate;
use strata_store::{SessionId, Store};
use tokio_util::sync::CancellationToken;

use crate::api::job::{JobState, Notification};
use crate::api::run::{CallAnswer, Limits, RunPhase, RunProblem, RunStatus, Saying, Start};
use crate::error::{AppError, sentence};
use crate::import::Storage as _;
use crate::jobs::{JobOutcome, Jobs, RunningJob};
use crate::models::{Models, custom_endpoints};
use crate::notifications::Notifications;
use crate::run::{
    ModelChoice, Place, RecordedAnswers, Run, RunChoice, RunLimits, RunListener, RunNews, RunStore, TurnEnd,
    World, answered, prepare, said, waiting,
};
use crate::sessions::Sessions;
use crate::tables::Tables;
use crate::watch::Watch as _;
use crate::workspace::Workspace;

/// Runs that are kept at once; of those that are stopped, the oldest is let go.
const MAX_RUNS: usize = 32;
/// Notes that are kept of a run.
const MAX_NOTES: usize = 20;
/// Characters of what is being said.
const MAX_SAID: usize = 20_000;

/// The runs, by number.
pub(crate) struct Runs {
    workspace: Arc<Workspace>,
    tables: Arc<Tables>,
    notifications: Arc<Notifications>,
    jobs: Arc<Jobs>,
    sessions: Arc<Sessions>,
    models: Arc<Models>,
    active: Mutex<BTreeMap<u64, Arc<ActiveRun>>>,
}

/// A run, and what is shown of it.
struct ActiveRun {
    id: String,
    app: String,
    run: Run,
    store: Arc<dyn RunStore>,
    stop: CancellationToken,
    board: Arc<Board>,
}

/// What is shown of a run while it goes on.
struct Board {
    run: String,
    notifications: Arc<Notifications>,
    shown: Mutex<Shown>,
}

#[derive(Default)]
struct Shown {
    job: Option<String>,
    is_running: bool,
    saying: Option<Saying>,
    error: Option<RunProblem>,
    notes: Vec<String>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Board {
    fn change(&self, change: impl FnOnce(&mut Shown)) {
        change(&mut lock(&self.shown));
        self.notifications.tell(&Notification::Run { run: self.run.clone() });
    }
}

impl RunListener for Board {
    fn hear(&self, news: RunNews<'_>) {
        self.change(|shown| match news {
            RunNews::Piece { agent, text } => {
                let saying = shown
                    .saying
                    .get_or_insert_with(|| Saying { agent: agent.to_owned(), text: String::new() });
                if saying.agent == agent && saying.text.len() < MAX_SAID {
                    saying.text.push_str(text);
                }
            }
            RunNews::Said { agent, .. } => {
                shown.saying = shown.saying.take().filter(|saying| saying.agent != agent);
            }
            RunNews::Called { .. } | RunNews::Answered { .. } | RunNews::Failed { .. } => {}
        });
    }

    fn note(&self, text: &str) {
        self.change(|shown| {
            shown.notes.push(text.to_owned());
            let n_old = shown.notes.len().saturating_sub(MAX_NOTES);
            shown.notes.drain(..n_old);
        });
    }
}

/// The store, for a run beside everything else.
struct SharedStore {
    /// With a file there is a connection of its own, so that commands go on answering.
    own: Option<Mutex<Store>>,
    workspace: Arc<Workspace>,
    sessions: Arc<Sessions>,
}

impl RunStore for SharedStore {
    fn lock(&self) -> MutexGuard<'_, Store> {
        self.own.as_ref().map_or_else(|| self.workspace.store(), lock)
    }

    fn grown(&self, session: &SessionId) {
        self.sessions.tell_changed();
        self.sessions.reopen(session);
    }
}

impl Runs {
    pub(crate) fn new(
        (workspace, tables, notifications): (Arc<Workspace>, Arc<Tables>, Arc<Notifications>),
        jobs: Arc<Jobs>,
        sessions: Arc<Sessions>,
        models: Arc<Models>,
    ) -> Self {
        Self { workspace, tables, notifications, jobs, sessions, models, active: Mutex::default() }
    }

    /// Makes a run ready. Nothing is sent before somebody says something.
    pub(crate) fn start(&self, asked: Start) -> Result<RunStatus, AppError> {
        let custom = custom_endpoints(&self.workspace.store())?;
        let mut active = lock(&self.active);
        let number = active.last_key_value().map_or(1, |(last, _)| last + 1);
        let id = number.to_string();
        let board = Arc::new(Board {
            run: id.clone(),
            notifications: self.notifications.clone(),
            shown: Mutex::default(),
        });
        let stop = CancellationToken::new();
        let world = World {
            find: &|name| self.models.find(name, &custom),
            client: &|| self.models.connections.client(),
            counting: self.tables.counting.clone(),
            recorded: self.recorded(asked.recorded.as_deref())?,
            listener: board.clone(),
            person: None,
            gate: Arc::new(OpenGate),
            stop: stop.clone(),
        };
        let place = match &asked.session {
            Some(session) => Place::Stored(SessionId::from(&**session)),
            None => Place::New { user_id: asked.user.as_deref().unwrap_or("user").into() },
        };
        let prepared = prepare(&choice(asked), world)?;
        for found in &prepared.diagnostics {
            board.note(&sentence(&found.message));
        }
        let store: Arc<dyn RunStore> = Arc::new(SharedStore {
            own: self.workspace.database().map(Store::open).transpose()?.map(Mutex::new),
            workspace: self.workspace.clone(),
            sessions: self.sessions.clone(),
        });
        let app = prepared.parts.app.name.to_string();
        let run = Run::start(prepared.parts, store.clone(), place)?;
        let run = Arc::new(ActiveRun { id, app, run, store, stop, board });
        if active.len() >= MAX_RUNS {
            let oldest = active.iter().find(|(_, run)| run.stop.is_cancelled()).map(|(number, _)| *number);
            let oldest = oldest.ok_or_else(|| {
                AppError::bad_input(
                    "There are too many runs already. Stop one of them first; its session stays.",
                )
            })?;
            active.remove(&oldest);
        }
        active.insert(number, run.clone());
        run.status()
    }

    fn recorded(&self, session: Option<&str>) -> Result<RecordedAnswers, AppError> {
        let Some(session) = session else { return Ok(RecordedAnswers::default()) };
        let session = self.workspace.store().read_session(&SessionId::from(session))?;
        let session = session.ok_or_else(|| {
            AppError::not_found("The session whose tools should answer is no longer in the store.")
        })?;
        Ok(RecordedAnswers::of(&session))
    }

    fn find(&self, run: &str) -> Result<Arc<ActiveRun>, AppError> {
        let found = run.parse().ok().and_then(|number: u64| lock(&self.active).get(&number).cloned());
        found.ok_or_else(|| {
            AppError::not_found("This run is no longer on the list. Its session is in the store.")
        })
    }

    pub(crate) fn status(&self, run: &str) -> Result<RunStatus, AppError> {
        self.find(run)?.status()
    }

    pub(crate) fn all(&self) -> Result<Vec<RunStatus>, AppError> {
        let runs: Vec<_> = lock(&self.active).values().rev().cloned().collect();
        runs.iter().map(|run| run.status()).collect()
    }

    /// Takes a turn, as a job. Returns the job's id.
    pub(crate) fn send(&self, run: &str, message: &str, answers: &[CallAnswer]) -> Result<String, AppError> {
        let active = self.find(run)?;
        if active.stop.is_cancelled() {
            return Err(AppError::bad_input(
                "This run was stopped. Start another one to go on with its session.",
            ));
        }
        let mut messages = Vec::new();
        if !answers.is_empty() {
            messages.push(answered(&active.session()?, &read_answers(answers))?);
        }
        if !message.trim().is_empty() {
            messages.push(said(message));
        }
        if messages.is_empty() {
            return Err(AppError::bad_input(
                "There is nothing to say: the message is empty, and nothing is answered.",
            ));
        }
        {
            let mut shown = lock(&active.board.shown);
            if shown.is_running {
                return Err(AppError::bad_input(
                    "The agents are still at work. Wait for them, or stop the run.",
                ));
            }
            shown.is_running = true;
            shown.error = None;
        }
        let runtime = self.models.connections.runtime().clone();
        let turn = active.clone();
        let job = self.jobs.start(format!("Running {}", active.app), "calls", move |job| {
            let ended = messages.into_iter().try_fold(TurnEnd::Done, |end, message| match end {
                TurnEnd::Done => runtime.block_on(turn.take(message, job)),
                end => Ok(end),
            });
            turn.ended(ended)
        });
        active.board.change(|shown| shown.job = Some(job.clone()));
        Ok(job)
    }

    /// Ends a run. A turn that is being taken ends soon.
    pub(crate) fn stop(&self, run: &str) -> Result<RunStatus, AppError> {
        let active = self.find(run)?;
        active.stop.cancel();
        active.board.change(|_| {});
        active.status()
    }
}

impl ActiveRun {
    /// Takes a turn until it has ended, or the job is to stop.
    async fn take(&self, message: strata_model::Content, job: &RunningJob) -> Result<TurnEnd, AppError> {
        let turn = self.run.turn(message, Object::new());
        let stopped = job.stop().cancelled();
        pin_mut!(turn, stopped);
        match select(turn, stopped).await {
            Either::Left((ended, _)) => ended,
            Either::Right(((), turn)) => {
                self.stop.cancel();
                turn.await
            }
        }
    }

    fn ended(&self, ended: Result<TurnEnd, AppError>) -> JobOutcome {
        let n_calls = self.run.n_sent() as u64;
        let calls = crate::words::counted(n_calls as usize, "call");
        let (state, outcome, error) = match ended {
            Ok(TurnEnd::Done) => (JobState::Done, format!("Answered; {calls} so far."), None),
            Ok(TurnEnd::Stopped) => {
                let outcome = format!("Stopped after {calls}. Everything up to here is stored.");
                (JobState::Cancelled, outcome, None)
            }
            Ok(TurnEnd::Failed(failure)) => {
                let message = sentence(&failure.text());
                (
                    JobState::Failed,
                    message.clone(),
                    Some(RunProblem { code: failure.kind.to_string(), message }),
                )
            }
            Err(error) => {
                let problem = RunProblem { code: "Error".to_owned(), message: error.message.clone() };
                (JobState::Failed, error.message, Some(problem))
            }
        };
        self.board.change(|shown| {
            shown.is_running = false;
            shown.saying = None;
            shown.error = error;
        });
        JobOutcome::saying(state, outcome)
    }

    fn session(&self) -> Result<strata_model::Session, AppError> {
        let session = self.store.lock().read_session(self.run.session())?;
        session.ok_or_else(|| AppError::not_found("The session of this run was taken out of the store."))
    }

    fn status(&self) -> Result<RunStatus, AppError> {
        let waiting = waiting(&self.session()?).iter().map(ToString::to_string).collect();
        let shown = lock(&self.board.shown);
        let phase = match (shown.is_running, self.stop.is_cancelled()) {
            (true, _) => RunPhase::Running,
            (false, true) => RunPhase::Stopped,
            (false, false) => RunPhase::Idle,
        };
        Ok(RunStatus {
            run: self.id.clone(),
            session: self.run.session().to_string(),
            app: self.app.clone(),
            phase,
            job: shown.job.clone(),
            calls: self.run.n_sent() as u32,
            saying: shown.saying.clone(),
            waiting,
            error: shown.error.clone(),
            notes: shown.notes.clone(),
        })
    }
}

fn choice(asked: Start) -> RunChoice {
    RunChoice {
        app: PathBuf::from(asked.app),
        database: None,
        session: asked.session,
        resumes: false,
        user: asked.user.unwrap_or_else(|| "user".to_owned()),
        model: ModelChoice::named(&asked.model),
        tools: asked.tools.map(PathBuf::from),
        recorded: asked.recorded,
        state: Object::new(),
        answers: Vec::new(),
        limits: asked.limits.map_or_else(RunLimits::default, limits),
        holds: Vec::new(),
        is_streaming: true,
    }
}

fn limits(limits: Limits) -> RunLimits {
    RunLimits {
        calls: Some(limits.calls).filter(|limit| *limit > 0),
        tokens: Some(limits.tokens).filter(|limit| *limit > 0.0).map(|limit| limit as u64),
        dollars: Some(limits.dollars).filter(|limit| *limit > 0.0),
    }
}

fn read_answers(answers: &[CallAnswer]) -> Vec<(String, Json)> {
    let read = |text: &str| json::parse(text.as_bytes()).unwrap_or_else(|_| Json::from(text));
    answers.iter().map(|given| (given.id.clone(), read(&given.answer))).collect()
}
