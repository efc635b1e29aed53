//! The runs of this program, for those who look at them and talk with them.

mod board;
mod status;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{Either, select};
use futures_util::pin_mut;
use strata_engine::Experiment;
use strata_model::{App, Content, Json, Object};
use strata_store::{SessionId, Store};
use tokio_util::sync::CancellationToken;

use crate::agreements::{agree, is_agreed};
use crate::api::job::JobState;
use crate::api::run::{
    CallAnswer, CallPlace, Decision, HeldEdit, Limits, RunConversation, RunDeeds, RunOrigin, RunPhase,
    RunProblem, RunStatus, Spent, Start,
};
use crate::error::{AppError, sentence};
use crate::import::Storage as _;
use crate::jobs::{JobOutcome, Jobs, RunningJob};
use crate::models::{Models, custom_endpoints};
use crate::notifications::Notifications;
use crate::open::{AppSource, answered, made_from, read_app};
use crate::run::{
    self, Beginning, Deeds, HoldCondition, HoldDecision, LARGER_BUDGET, ModelChoice, Place, RecordedAnswers,
    RecordedTurn, Run, RunChoice, RunLimits, RunListener as _, RunStore, Step, TurnEnd, World, deeds,
    prepare, said, typed_value,
};
use crate::sessions::Sessions;
use crate::tables::Tables;
use crate::watch::Watch as _;
use crate::workspace::Workspace;
use board::Board;
use status::Progress;
pub(crate) use status::held;

/// Runs that are kept at once; of those that are stopped, the oldest is let go.
const MAX_RUNS: usize = 32;

/// The runs, by number.
pub(crate) struct Runs {
    workspace: Arc<Workspace>,
    tables: Arc<Tables>,
    notifications: Arc<Notifications>,
    jobs: Arc<Jobs>,
    sessions: Arc<Sessions>,
    models: Arc<Models>,
    active: Mutex<BTreeMap<u64, Arc<ActiveRun>>>,
    n_started: AtomicU64,
}

/// A run, and what is shown of it.
struct ActiveRun {
    id: String,
    app: Arc<App>,
    /// Who answers, as it was asked for.
    model: String,
    run: Run,
    from: Option<Origin>,
    stop: CancellationToken,
    board: Arc<Board>,
}

/// The call from which a session is run again.
struct Origin {
    /// The session, or the experiment over it.
    session: String,
    call: u32,
    /// What is said in its turn, until the turn is taken.
    turn: Mutex<Option<(Content, Object)>>,
}

/// A turn that is being taken. However it ends, the next one can be.
struct OpenTurn(Arc<ActiveRun>);

impl Drop for OpenTurn {
    fn drop(&mut self) {
        self.0.board.change(|shown| {
            if std::mem::take(&mut shown.is_running) {
                let message =
                    "Strata failed in this turn. What was said before is stored. Please report this.";
                shown.error = Some(RunProblem { code: "Error".to_owned(), message: message.to_owned() });
            }
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        let (active, n_started) = (Mutex::default(), AtomicU64::new(0));
        Self { workspace, tables, notifications, jobs, sessions, models, active, n_started }
    }

    /// What running the app of a file would start and reach.
    pub(crate) fn deeds(&self, file: &Path) -> Result<RunDeeds, AppError> {
        let Deeds { lines, mark } = deeds(&read_app(file)?.app, file)?;
        let is_agreed = lines.is_empty() || is_agreed(&self.workspace.store(), &mark)?;
        Ok(RunDeeds { deeds: lines, mark, is_agreed })
    }

    /// Keeps that somebody has agreed to it, if it is what was shown.
    pub(crate) fn agree(&self, file: &Path, mark: &str) -> Result<RunDeeds, AppError> {
        let now = self.deeds(file)?;
        if now.mark != mark {
            return Err(AppError::bad_input(
                "The app has changed since this was shown. Nothing was agreed to: look at what it does now.",
            ));
        }
        agree(&mut self.workspace.store(), mark)?;
        Ok(RunDeeds { is_agreed: true, ..now })
    }

    /// Makes a run ready. Nothing is sent before somebody says something.
    pub(crate) fn start(&self, asked: Start) -> Result<RunStatus, AppError> {
        self.check_room()?;
        let number = self.n_started.fetch_add(1, Ordering::Relaxed) + 1;
        let id = number.to_string();
        let board = Arc::new(Board::new(id.clone(), self.notifications.clone()));
        let stop = CancellationToken::new();
        let custom = custom_endpoints(&self.workspace.store())?;
        let world = World {
            find: &|name| self.models.find(name, &custom),
            client: &|| self.models.connections.client(),
            tables: self.tables.clone(),
            agrees: &|deeds| Ok(is_agreed(&self.workspace.store(), &deeds.mark)?),
            app: None,
            script: None,
            recorded: self.recorded(asked.recorded.as_deref())?,
            turn: asked
                .from
                .as_ref()
                .map(|from| self.recorded_turn(from, asked.app.as_deref()))
                .transpose()?,
            listener: board.clone(),
            person: None,
            holder: board.clone(),
            when_spent: LARGER_BUDGET,
            stop: stop.clone(),
            runtime: self.models.connections.runtime(),
        };
        let (model, from) = (asked.model.clone(), asked.from.clone());
        let opened = from.as_ref().map(|from| self.sessions.get(&from.session)).transpose()?;
        let stored = asked.session.as_deref().map(SessionId::from);
        let user_id = asked.user.as_deref().unwrap_or("user").into();
        let prepared = prepare(&choice(asked)?, world)?;
        let (place, turn) = match (prepared.beginning, stored) {
            (Some(Beginning { session, requests, message, state, .. }), _) => {
                (Place::Begun { session: Box::new(session), requests }, Some((message, state)))
            }
            (None, Some(session)) => (Place::Stored(session), None),
            (None, None) => (Place::New { user_id }, None),
        };
        let from = from.zip(opened).map(|(from, open)| Origin {
            session: open.key.clone(),
            call: from.call,
            turn: Mutex::new(turn),
        });
        for found in &prepared.diagnostics {
            board.note(&sentence(&found.message));
        }
        let store = SharedStore {
            own: self.workspace.database().map(Store::open).transpose()?.map(Mutex::new),
            workspace: self.workspace.clone(),
            sessions: self.sessions.clone(),
        };
        let app = prepared.parts.app.clone();
        let run = Run::start(prepared.parts, Arc::new(store), place)?;
        let run = Arc::new(ActiveRun { id, app, model, run, from, stop, board });
        self.add(number, run.clone());
        Ok(run.status())
    }

    /// Refuses a run that there is no room for, before anything of it is read or stored.
    fn check_room(&self) -> Result<(), AppError> {
        let active = lock(&self.active);
        if active.len() < MAX_RUNS || active.values().any(|run| run.stop.is_cancelled()) {
            return Ok(());
        }
        Err(AppError::bad_input(
            "There are too many runs already. Stop one of them first; its session stays.",
        ))
    }

    fn add(&self, number: u64, run: Arc<ActiveRun>) {
        let mut active = lock(&self.active);
        if active.len() >= MAX_RUNS
            && let Some(oldest) = active.iter().find(|(_, run)| run.stop.is_cancelled()).map(|(at, _)| *at)
        {
            active.remove(&oldest);
        }
        active.insert(number, run);
    }

    fn recorded(&self, session: Option<&str>) -> Result<RecordedAnswers, AppError> {
        let Some(session) = session else { return Ok(RecordedAnswers::default()) };
        let session = self.workspace.store().read_session(&SessionId::from(session))?;
        let session = session.ok_or_else(|| {
            AppError::not_found("The session whose tools should answer is no longer in the store.")
        })?;
        Ok(RecordedAnswers::of(&session.events))
    }

    /// The turn of a call that is to be taken again, in the session's own app or another one.
    fn recorded_turn(&self, from: &CallPlace, app: Option<&str>) -> Result<RecordedTurn, AppError> {
        let open = self.sessions.get(&from.session)?;
        let requests = self.workspace.store().requests(&open.id)?;
        let Some(path) = app.map(Path::new) else {
            return RecordedTurn::up_to(&open.experiment, &open.app, &requests, from.call);
        };
        if open.edits.is_some() {
            return Err(AppError::bad_input(
                "An experiment runs in its own app, with its edits. Choose its session to run another one.",
            ));
        }
        let location = path.display().to_string();
        let given = AppSource::given(read_app(path)?.app, Some(location), open.experiment.session());
        let experiment =
            Experiment::new(open.experiment.session().clone(), given.app.clone(), open.experiment.kind())
                .with_services(open.services.given.clone())
                .with_recorded_calls(made_from(&requests))
                .with_requests(answered(&requests));
        RecordedTurn::up_to(&experiment, &given, &requests, from.call)
    }

    fn find(&self, run: &str) -> Result<Arc<ActiveRun>, AppError> {
        let found = run.parse().ok().and_then(|number: u64| lock(&self.active).get(&number).cloned());
        found.ok_or_else(|| {
            AppError::not_found("This run is no longer on the list. Its session is in the store.")
        })
    }

    pub(crate) fn status(&self, run: &str) -> Result<RunStatus, AppError> {
        Ok(self.find(run)?.status())
    }

    pub(crate) fn all(&self) -> Vec<RunStatus> {
        let runs: Vec<_> = lock(&self.active).values().rev().cloned().collect();
        runs.iter().map(|run| run.status()).collect()
    }

    pub(crate) fn conversation(&self, run: &str) -> Result<RunConversation, AppError> {
        let open = self.sessions.get(self.find(run)?.run.session().as_str())?;
        Ok(status::conversation(open.experiment.session()))
    }

    pub(crate) fn set_holds(&self, run: &str, holds: &[String]) -> Result<RunStatus, AppError> {
        let active = self.find(run)?;
        active.run.holds().set_conditions(conditions(holds)?);
        active.board.tell();
        Ok(active.status())
    }

    pub(crate) fn decide(&self, run: &str, decision: HoldDecision) -> Result<RunStatus, AppError> {
        let active = self.find(run)?;
        active.board.decide(decision)?;
        Ok(active.status())
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
            messages.push((active.run.answers(&read_answers(answers))?, Object::new()));
        }
        messages.extend(active.from.as_ref().and_then(|from| lock(&from.turn).clone()));
        if !message.trim().is_empty() {
            messages.push((said(message), Object::new()));
        }
        if messages.is_empty() {
            return Err(AppError::bad_input(
                "There is nothing to say: the message is empty, and nothing is answered.",
            ));
        }
        {
            let mut shown = active.board.shown();
            if shown.is_running {
                return Err(AppError::bad_input(
                    "The agents are still at work. Wait for them, or stop the run.",
                ));
            }
            shown.is_running = true;
            shown.error = None;
        }
        if let Some(from) = &active.from {
            *lock(&from.turn) = None;
        }
        let runtime = self.models.connections.runtime().clone();
        let turn = OpenTurn(active.clone());
        let job = self.jobs.start(format!("Running {}", active.app.name), "calls", move |job| {
            let ended = messages.into_iter().try_fold(TurnEnd::Done, |end, said| match end {
                TurnEnd::Done => runtime.block_on(turn.0.take(said, job)),
                end => Ok(end),
            });
            turn.0.ended(ended)
        });
        active.board.change(|shown| shown.job = Some(job.clone()));
        Ok(job)
    }

    /// Ends a run. A turn that is being taken ends soon.
    pub(crate) fn stop(&self, run: &str) -> Result<RunStatus, AppError> {
        let active = self.find(run)?;
        active.stop.cancel();
        active.board.tell();
        Ok(active.status())
    }
}

impl ActiveRun {
    /// Takes a turn until it has ended, or the job is to stop.
    async fn take(&self, (message, state): (Content, Object), job: &RunningJob) -> Result<TurnEnd, AppError> {
        let turn = self.run.turn(message, state);
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
        let calls = crate::show::words::counted(n_calls as usize, "call");
        let (state, outcome, error) = match ended {
            Ok(TurnEnd::Done) => (JobState::Done, format!("Answered; {calls} so far."), None),
            Ok(TurnEnd::Stopped) => {
                let outcome = format!("Stopped after {calls}. Everything up to here is stored.");
                (JobState::Cancelled, outcome, None)
            }
            Ok(TurnEnd::Failed(failure)) => {
                let message = sentence(&failure.text());
                (JobState::Failed, message, Some(RunProblem::from(&failure)))
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

    fn status(&self) -> RunStatus {
        // First: what a turn has done is all there once it has ended.
        let is_running = self.board.shown().is_running;
        let sent = self.run.sent_counts();
        let (authors, waiting) = (self.run.authors(), self.run.waiting());
        let waiting: Vec<_> = waiting.iter().map(status::waiting).collect();
        let shown = self.board.shown();
        let held = shown.held().map(|report| held(report));
        let phase = match (is_running, self.stop.is_cancelled()) {
            (true, false) if held.is_some() => RunPhase::Held,
            (true, _) => RunPhase::Running,
            (false, true) => RunPhase::Stopped,
            (false, false) => RunPhase::Idle,
        };
        let progress = Progress {
            sent: &sent,
            authors: &authors,
            waiting: &waiting,
            held: held.as_ref().map(|held| &*held.agent),
            at_work: shown.at_work.as_deref().filter(|_| is_running),
        };
        let (spent, limits) = (self.run.budget().spent(), self.run.budget().limits());
        RunStatus {
            run: self.id.clone(),
            session: self.run.session().to_string(),
            app: self.app.name.to_string(),
            model: self.model.clone(),
            phase,
            job: shown.job.clone(),
            from: self.from.as_ref().map(|from| RunOrigin {
                session: from.session.clone(),
                call: from.call,
                replayed: sent.replayed as u32,
                waits: lock(&from.turn).is_some(),
            }),
            calls: sent.all as u32,
            spent: Spent { tokens: spent.tokens as f64, dollars: spent.dollars },
            limits: status::limits(limits),
            agents: status::agents(&self.app, &progress),
            saying: shown.saying.clone(),
            held,
            holds: self.run.holds().conditions().iter().map(ToString::to_string).collect(),
            waiting,
            error: shown.error.clone(),
            notes: shown.notes.clone(),
        }
    }
}

fn choice(asked: Start) -> Result<RunChoice, AppError> {
    Ok(RunChoice {
        app: asked.app.map(PathBuf::from),
        database: None,
        session: asked.session,
        // It is read where the session is open.
        from: None,
        resumes: false,
        user: asked.user.unwrap_or_else(|| "user".to_owned()),
        model: ModelChoice::named(&asked.model),
        tools: asked.tools.map(PathBuf::from),
        recorded: asked.recorded,
        state: Object::new(),
        answers: Vec::new(),
        limits: asked.limits.map_or_else(RunLimits::default, limits),
        holds: conditions(&asked.holds)?,
        remembers: false,
        is_streaming: true,
        tells_requests: false,
    })
}

fn limits(limits: Limits) -> RunLimits {
    RunLimits::up_to(limits.calls, limits.tokens.max(0.0) as u64, limits.dollars)
}

pub(crate) fn conditions(holds: &[String]) -> Result<Vec<HoldCondition>, AppError> {
    let read = holds
        .iter()
        .map(|hold| hold.parse().map_err(|reason: String| AppError::bad_input(sentence(&reason))));
    read.collect()
}

fn read_answers(answers: &[CallAnswer]) -> Vec<(String, Json)> {
    answers.iter().map(|given| (given.id.clone(), typed_value(&given.answer))).collect()
}

impl From<Decision> for HoldDecision {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Go => Self::Go,
            Decision::StepCall => Self::Step(Step::Call),
            Decision::StepAgent => Self::Step(Step::Agent),
            Decision::StepResult => Self::Step(Step::Result),
            Decision::GoFreely => Self::GoFreely,
            Decision::Stop => Self::Stop,
        }
    }
}

impl From<HeldEdit> for run::HeldEdit {
    fn from(edit: HeldEdit) -> Self {
        match edit {
            HeldEdit::System { text } => Self::System { text },
            HeldEdit::Text { content, part, text } => {
                Self::Text { content: content as usize, part: part as usize, text }
            }
            HeldEdit::LeaveOut { parts } => {
                let places = parts.iter().map(|place| (place.content as usize, place.part as usize));
                Self::LeaveOut { parts: places.collect() }
            }
            HeldEdit::Model { name } => Self::Model { name },
            HeldEdit::Request { json } => Self::Request { json },
        }
    }
}
