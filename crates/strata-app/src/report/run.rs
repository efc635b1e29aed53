//! `strata run`: an app that runs in a session of the store.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde::Serialize;
use strata_model::{Content, FromJson as _, Json, Object, StateScopes};
use strata_store::Store;
use tokio::runtime::Handle;

use super::compiled::Compiled;
use super::diagnostic::FileDiagnostic;
use super::model_access::ModelAccess;
use super::source::Source;
use super::{VERSION, Watch};
use crate::api::common::{Basis, DiagnosticRow};
use crate::api::run::RunProblem;
use crate::data_folder::default_database;
use crate::error::{AppError, sentence};
use crate::run::{
    Answered, Beginning, FromCall, Holder, LARGER_BUDGET, Nobody, OwnStore, Person, Place, RecordedAnswers,
    RecordedTurn, Run, RunChoice, RunListener, ToldCall, TurnEnd, World, prepare, said,
};
use crate::tables::Tables;

/// The document of `strata run`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunReport {
    pub version: u32,
    /// Of the session in the store.
    pub session: String,
    /// What this run has added to the session, in ADK's JSON.
    pub events: Vec<Json>,
    /// What this run has sent to models, in the order in which it was sent.
    pub calls: Vec<RunCallReport>,
    pub state: RunState,
    pub artifacts: Vec<RunArtifact>,
    /// Ids of calls that wait for an answer: `--answer ID=JSON` gives one.
    pub interrupts: Vec<String>,
    /// Ctrl-C ended it.
    pub stopped: bool,
    pub error: Option<RunProblem>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// A call of a model.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunCallReport {
    /// As the session's calls are numbered. Absent where no event of the session answers it: it failed, was stopped, or
    /// an agent that is a tool has made it in a session of its own.
    pub call: Option<u32>,
    pub agent: String,
    /// Its answer is the recorded one of the session that is run again; no model was asked.
    pub is_replayed: bool,
    /// In ADK's JSON; null where requests are not told.
    pub request: Json,
    /// As its provider counts it: reported, or predicted where it is not.
    pub prompt_tokens: u32,
    pub prompt_basis: Basis,
    /// What was to be found in the provider's cache, by its rules.
    pub predicted_cached_tokens: Option<u32>,
    pub reported_cached_tokens: Option<u32>,
    /// US dollars of the call, its answer included.
    pub cost: Option<f64>,
}

/// The state at the end, by scope and without prefixes.
#[derive(Debug, Clone, Serialize)]
pub struct RunState {
    pub session: Json,
    pub user: Json,
    pub app: Json,
}

/// A version of a file.
#[derive(Debug, Clone, Serialize)]
pub struct RunArtifact {
    pub name: String,
    pub version: usize,
    pub bytes: usize,
}

/// Whoever a run talks with.
pub struct RunCompany<'c> {
    pub listener: Arc<dyn RunListener>,
    /// `None`: nobody is at the keyboard.
    pub person: Option<Arc<dyn Person>>,
    /// Decides about calls that are held. `None`: they are not sent.
    pub holder: Option<Arc<dyn Holder>>,
    /// What the user says next; `None` at the end. Asked when the answer to what was said before is there.
    pub next_message: &'c mut dyn FnMut() -> Option<String>,
}

/// Runs an app, message by message, until there are no more, it fails, or `watch` stops it.
pub fn run(
    choice: &RunChoice,
    company: &mut RunCompany<'_>,
    watch: &dyn Watch,
    runtime: &Handle,
) -> Result<RunReport, AppError> {
    let database = choice.database.clone().map_or_else(default_database, Ok)?;
    let tables: Arc<Tables> = Arc::default();
    let access = ModelAccess::open(Some(&database), runtime)?;
    let store = Store::open(&database)?;
    let prepared = prepare(
        choice,
        World {
            find: &|name| access.find(name),
            client: &|| access.models.connections.client(),
            tables: tables.clone(),
            // It is said before it happens, to whoever named the file.
            agrees: &|_| Ok(true),
            app: None,
            script: None,
            recorded: recorded(choice, watch)?,
            turn: choice.from.as_ref().map(|from| recorded_turn(choice, from, watch)).transpose()?,
            listener: company.listener.clone(),
            person: company.person.clone(),
            holder: company.holder.clone().unwrap_or_else(|| Arc::new(Nobody)),
            when_spent: LARGER_BUDGET,
            stop: watch.stop().clone(),
            runtime,
        },
    )?;
    let (place, mut said) = match prepared.beginning {
        Some(beginning) => begun(beginning, choice.from.as_ref().is_some_and(|from| from.follows)),
        None => (place(choice, &store)?, VecDeque::new()),
    };
    let file = choice.app.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
    let rows = prepared.diagnostics.iter().map(DiagnosticRow::from);
    let diagnostics = rows.map(|row| FileDiagnostic::new(&file, row)).collect();
    let run = Run::start(prepared.parts, Arc::new(OwnStore(Mutex::new(store))), place)?;
    let end = turns(choice, &mut said, &mut *company.next_message, &run, runtime)?;
    runtime.block_on(run.close());
    if choice.remembers {
        let n_memories = run.remember()?;
        let added = crate::show::words::counted(n_memories, "memory");
        company.listener.note(&format!("Agents of {} remember this session: {added}.", run.app_name()));
    }
    report(&run, &end, &database, &tables, watch, diagnostics)
}

/// The session that is gone on with, or a new one.
fn place(choice: &RunChoice, store: &Store) -> Result<Place, AppError> {
    let Some(name) = &choice.session else {
        return Ok(Place::New { user_id: choice.user.as_str().into() });
    };
    let source = stored(name, None);
    Ok(Place::Stored(source.entry_in(store)?.id))
}

/// A session of the store by its name.
fn stored(name: &str, database: Option<PathBuf>) -> Source {
    Source { name: name.to_owned(), database, ..Source::default() }
}

fn recorded(choice: &RunChoice, watch: &dyn Watch) -> Result<RecordedAnswers, AppError> {
    let Some(name) = &choice.recorded else { return Ok(RecordedAnswers::default()) };
    let (subject, _) = stored(name, choice.database.clone()).read_one(None, watch)?;
    Ok(RecordedAnswers::of(&subject.experiment.session().events))
}

/// The turn that is taken again.
fn recorded_turn(choice: &RunChoice, from: &FromCall, watch: &dyn Watch) -> Result<RecordedTurn, AppError> {
    let source = Source {
        app: choice.app.clone(),
        edits: from.edits.clone(),
        ..stored(&from.session, choice.database.clone())
    };
    let (subject, _) = source.read_one(None, watch)?;
    RecordedTurn::up_to(&subject.experiment, &subject.app, &subject.requests, from.call)
}

/// Where a turn is taken again, and what is said there before anything else, each with the state that comes with it.
fn begun(beginning: Beginning, follows: bool) -> (Place, VecDeque<(Content, Object)>) {
    let Beginning { session, requests, message, state, later } = beginning;
    let later = later.into_iter().filter(|_| follows).map(|message| (message, Object::new()));
    let said = std::iter::once((message, state)).chain(later).collect();
    (Place::Begun { session: Box::new(session), requests }, said)
}

/// Goes through the messages. Answers to calls that wait come first.
fn turns(
    choice: &RunChoice,
    said_before: &mut VecDeque<(Content, Object)>,
    next_message: &mut dyn FnMut() -> Option<String>,
    run: &Run,
    runtime: &Handle,
) -> Result<TurnEnd, AppError> {
    let mut state = choice.state.clone();
    let mut answers = &choice.answers[..];
    if choice.resumes {
        let end = runtime.block_on(run.resume())?;
        if end != TurnEnd::Done {
            return Ok(end);
        }
    }
    while let Some((message, delta)) = said_before.pop_front() {
        let end = runtime.block_on(run.turn(message, delta))?;
        if end != TurnEnd::Done {
            return Ok(end);
        }
    }
    loop {
        let message = if answers.is_empty() {
            let Some(text) = next_message() else { return Ok(TurnEnd::Done) };
            said(&text)
        } else {
            run.answers(std::mem::take(&mut answers))?
        };
        let end = runtime.block_on(run.turn(message, std::mem::take(&mut state)))?;
        if end != TurnEnd::Done {
            return Ok(end);
        }
    }
}

fn report(
    run: &Run,
    end: &TurnEnd,
    database: &std::path::Path,
    tables: &Tables,
    watch: &dyn Watch,
    diagnostics: Vec<FileDiagnostic>,
) -> Result<RunReport, AppError> {
    // What was asked to stop has stopped; the numbers are still to be had.
    let after = AfterStop(watch);
    let (subject, _) = stored(run.session().as_str(), Some(database.to_owned())).read_one(None, &after)?;
    let compiled = subject.compiled(subject.n_calls(), tables, &after)?;
    let session = subject.experiment.session();
    let scopes = StateScopes::split(&session.state);
    let mut error = match end {
        TurnEnd::Failed(failure) => Some(RunProblem::from(failure)),
        TurnEnd::Done | TurnEnd::Stopped => None,
    };
    let new = &session.events[run.n_events_before().min(session.events.len())..];
    if error.is_none()
        && *end == TurnEnd::Done
        && let Some(last) = new.last()
        && let Some(code) = &last.error_code
    {
        let message = last.error_message.as_deref().unwrap_or(code);
        error = Some(RunProblem { code: code.to_string(), message: sentence(message) });
    }
    let artifacts = run.artifacts().into_iter().map(|saved| RunArtifact {
        name: saved.name.to_string(),
        version: saved.version,
        bytes: saved.bytes,
    });
    let numbers = subject.experiment.calls().iter().map(|call| (call.answer.0, call.number)).collect();
    Ok(RunReport {
        version: VERSION,
        session: run.session().to_string(),
        events: new.iter().map(|event| event.to_json()).collect(),
        calls: run.sent().iter().map(|sent| call_report(sent, &numbers, &compiled)).collect(),
        state: RunState { session: scopes.session.into(), user: scopes.user.into(), app: scopes.app.into() },
        artifacts: artifacts.collect(),
        interrupts: run.waiting().iter().map(|waiting| waiting.id.to_string()).collect(),
        stopped: *end == TurnEnd::Stopped,
        error,
        diagnostics,
    })
}

fn call_report(sent: &ToldCall, numbers: &HashMap<u32, u32>, compiled: &Compiled) -> RunCallReport {
    let number = match sent.answer {
        Answered::By(event) => numbers.get(&event).copied(),
        Answered::NotYet | Answered::Never | Answered::NotSent => None,
    };
    let cache = number.and_then(|number| compiled.caches.call(number));
    RunCallReport {
        call: number,
        agent: sent.agent.to_string(),
        is_replayed: sent.is_replayed,
        request: sent.request.as_ref().map_or(Json::Null, |request| request.to_json()),
        prompt_tokens: cache.map_or(sent.count.tokens, |cache| cache.bill.prompt_tokens),
        prompt_basis: cache.map_or(sent.count.basis.into(), |cache| cache.bill.basis.into()),
        predicted_cached_tokens: cache.map(|cache| cache.prediction.expected),
        reported_cached_tokens: cache.and_then(|cache| cache.reported?.cached),
        cost: cache.and_then(|cache| cache.bill.cost_usd()),
    }
}

/// Watches work that is done after the run was stopped.
struct AfterStop<'w>(&'w dyn Watch);

impl Watch for AfterStop<'_> {
    fn progress(&self, done: u64, total: u64) {
        self.0.progress(done, total);
    }

    fn stop(&self) -> &tokio_util::sync::CancellationToken {
        static NEVER: std::sync::LazyLock<tokio_util::sync::CancellationToken> =
            std::sync::LazyLock::new(tokio_util::sync::CancellationToken::new);
        &NEVER
    }
}
