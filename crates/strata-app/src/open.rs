//! Sessions that somebody looks at: read, compiled in the background, and asked about.

mod app_config;
mod caches;
mod continued;
mod event_table;
mod evidence;
mod experiment;
mod fixes;
mod latest;
mod recent;

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use strata_engine::{Call, Compilation, Experiment};
use strata_measure::analysis::{
    Billed, CacheAnalysis, CallAnalysis, CallCompiler, Counting, Scale, SessionAnalysis,
};
use strata_measure::findings::{Finding, findings};
use strata_measure::prices::Prices;
use strata_model::{EventIndex, LlmRequest, RecordedCall, Session};
use strata_store::{ExperimentId, RecordedRequest, SessionEntry, SessionId};

pub(crate) use app_config::{AppSource, read_app, read_app_file};
use caches::Caches;
use continued::{Answered, Earlier, RequestMarks, StoredSession};
pub(crate) use event_table::{EventTable, UsedEvents, content};
pub(crate) use evidence::evidence;
pub(crate) use experiment::OpenExperiment;
use fixes::TriedFixes;
use latest::Latest;
pub(crate) use recent::Recent;

use crate::Strata;
use crate::api::call::{CompareWith, PartPage};
use crate::api::common::DiagnosticRow;
use crate::api::job::Notification;
use crate::error::{AppError, ErrorCode};
use crate::import::{Summary, flow_kind};

/// Sessions that stay open at once; the one not asked about for longest is closed first.
const MAX_OPEN: usize = 8;
/// Sessions that changed and are not asked about: those that are kept to go on from.
const MAX_OUTDATED: usize = 2;
/// Compilations kept for the views of single calls.
const MAX_COMPILATIONS: usize = 8;
/// Long lists kept while they are scrolled.
const MAX_PAGED: usize = 4;
/// How long a command waits for a call that the background has not reached.
const PATIENCE: Duration = Duration::from_secs(20);
/// The background shows what it has at least this often.
const TURN: Duration = Duration::from_millis(8);
/// The window is told at most this often how far it is.
const TELL_EVERY: Duration = Duration::from_millis(120);

/// A session with everything that answers questions about it.
pub(crate) struct OpenSession {
    /// What callers name it by: the session's id, or the experiment's.
    pub key: String,
    /// Of the recorded session.
    pub id: SessionId,
    pub entry: SessionEntry,
    pub summary: Summary,
    pub diagnostics: Vec<DiagnosticRow>,
    pub app: AppSource,
    pub experiment: Experiment,
    /// `None` for a session as it was recorded.
    pub edits: Option<OpenExperiment>,
    analysis: Latest<SessionAnalysis>,
    /// What `analysis` shows next: of those who compile, one goes on at a time.
    compiling: Mutex<SessionAnalysis>,
    compiler: CallCompiler,
    /// Of the requests that were really sent and are in the experiment.
    marks: RequestMarks,
    /// Of the calls that were looked at last.
    compilations: Recent<u32, Compilation>,
    events: EventTable,
    /// What stages did to calls: pages that hold all rows.
    pub part_rows: Recent<PartRowsKey, PartPage>,
    /// Requests after stages as JSON text, in UTF-16: `(call, stage, whether secrets are masked)`.
    pub stage_json: Recent<(u32, u32, bool), Vec<u16>>,
    /// What is worth a person's time, once every call is compiled.
    findings: OnceLock<Vec<Finding>>,
    caches: Caches,
    fixes: TriedFixes,
    is_closed: AtomicBool,
}

/// Call, stage, what it is compared with, whether unchanged parts are folded.
pub(crate) type PartRowsKey = (u32, u32, CompareWith, bool);

/// What weighs and prices, for all sessions.
pub(crate) struct Tables {
    pub counting: Arc<Counting>,
    pub prices: Prices,
}

impl Default for Tables {
    fn default() -> Self {
        Self { counting: Arc::default(), prices: Prices::embedded() }
    }
}

/// What the store has of a session beside its events.
struct Recorded {
    id: SessionId,
    entry: SessionEntry,
    summary: Summary,
    diagnostics: Vec<DiagnosticRow>,
}

impl OpenSession {
    /// The session as the store has it now, going on from what was known of it before it changed.
    fn new(
        recorded: Recorded,
        (session, answered): (Session, Answered),
        app: AppSource,
        outdated: Option<&Self>,
    ) -> Self {
        let (marks, kind) = (answered.marks.clone(), flow_kind(&recorded.summary.format));
        let stored = StoredSession { session, answered, app: app.app.clone(), kind };
        let (experiment, analysis) = match outdated {
            Some(outdated) => stored.opened(Some(Earlier {
                experiment: &outdated.experiment,
                analysis: &outdated.analysis(),
                marks: &outdated.marks,
            })),
            None => stored.opened(None),
        };
        let events = EventTable::of(&experiment);
        Self { marks, ..Self::opened(recorded, app, experiment, None, analysis, events) }
    }

    /// Edits laid over a session that is open. What is known of that session is used.
    fn of_experiment(base: &Self, experiment: Experiment, edits: OpenExperiment) -> Self {
        let analysis = base.analysis().sharing();
        let events = if experiment.n_recorded() == experiment.session().events.len() {
            base.events.over(&experiment)
        } else {
            EventTable::of(&experiment).over(&experiment)
        };
        let recorded = Recorded {
            id: base.id.clone(),
            entry: base.entry.clone(),
            summary: base.summary.clone(),
            diagnostics: base.diagnostics.clone(),
        };
        let app = AppSource { app: experiment.app().clone(), ..base.app.clone() };
        Self::opened(recorded, app, experiment, Some(edits), analysis, events)
    }

    fn opened(
        recorded: Recorded,
        app: AppSource,
        experiment: Experiment,
        edits: Option<OpenExperiment>,
        analysis: SessionAnalysis,
        events: EventTable,
    ) -> Self {
        let Recorded { id, entry, summary, diagnostics } = recorded;
        Self {
            key: edits.as_ref().map_or_else(|| id.to_string(), |edits| edits.entry.id.to_string()),
            id,
            entry,
            summary,
            diagnostics,
            app,
            experiment,
            edits,
            compiler: analysis.compiler().clone(),
            compiling: Mutex::new(analysis.clone()),
            analysis: Latest::new(analysis),
            marks: RequestMarks::new(),
            compilations: Recent::new(MAX_COMPILATIONS),
            events,
            part_rows: Recent::new(MAX_PAGED),
            stage_json: Recent::new(MAX_PAGED),
            findings: OnceLock::new(),
            caches: Caches::default(),
            fixes: TriedFixes::default(),
            is_closed: AtomicBool::new(false),
        }
    }

    /// What is known by now; it stays as it is, whatever is found out meanwhile.
    pub(crate) fn analysis(&self) -> Arc<SessionAnalysis> {
        self.analysis.get()
    }

    /// The session and what is known of it, once the call (0 for none) is compiled.
    pub(crate) fn baseline(&self, call: u32) -> Result<Baseline<'_>, AppError> {
        let analysis = if call == 0 { self.analysis() } else { self.analysis_of(call)? };
        Ok(Baseline { open: self, analysis })
    }

    /// As [`Self::baseline`], once all calls are compiled.
    pub(crate) fn whole_baseline(&self, tables: &Tables) -> Result<Baseline<'_>, AppError> {
        Ok(Baseline { open: self, analysis: self.whole_analysis(&tables.counting)? })
    }

    /// What is worth a person's time. Nothing while calls are being compiled.
    pub(crate) fn findings(&self, analysis: &SessionAnalysis, tables: &Tables) -> &[Finding] {
        if analysis.calls().len() < self.experiment.calls().len() {
            return &[];
        }
        self.findings.get_or_init(|| findings(&self.experiment, analysis, &tables.counting))
    }

    pub(crate) fn events(&self) -> &EventTable {
        &self.events
    }

    /// The call with a number counted from 1.
    pub(crate) fn call(&self, number: u32) -> Result<&Call, AppError> {
        self.experiment.call(number).ok_or_else(|| {
            let last = self.experiment.calls().len();
            AppError::not_found(if last == 0 {
                "This session has no calls: no event of it was written by a model.".to_owned()
            } else {
                format!("C{number} is not in this session. Its last call is C{last}.")
            })
        })
    }

    /// What is known, once this call is. Waits for the background to reach it.
    pub(crate) fn analysis_of(&self, call: u32) -> Result<Arc<SessionAnalysis>, AppError> {
        self.call(call)?;
        let analysis = self.analysis.wait_while(PATIENCE, |analysis| {
            analysis.call(call).is_none() && !self.is_closed.load(Ordering::Relaxed)
        });
        if analysis.call(call).is_some() {
            return Ok(analysis);
        }
        let is_superseded = self.is_closed.load(Ordering::Relaxed);
        let message = format!("C{call} is not compiled yet. Ask again when the calls before it are.");
        Err(AppError { is_superseded, ..AppError::new(ErrorCode::NotCompiled, message) })
    }

    /// What is known once all calls are, for work that goes on with what it was begun with. Where that was closed
    /// meanwhile, nothing else compiles it any more, and this does.
    pub(crate) fn whole_analysis(&self, counting: &Counting) -> Result<Arc<SessionAnalysis>, AppError> {
        let last = (self.experiment.calls().len() as u32).max(1);
        match self.analysis_of(last) {
            Err(error) if error.is_superseded => {
                if let Some(edits) = &self.edits {
                    edits.base.whole_analysis(counting)?;
                }
                self.compile_while(counting, |_| true);
                self.analysis_of(last)
            }
            known => known,
        }
    }

    /// Waits for more than so many calls, unless there are no more, and returns how many there are to go by: what is
    /// tried out over a session is compared with it, and so never further than it.
    fn ahead_of(&self, n_calls: usize, counting: &Counting) -> usize {
        let is_whole = |analysis: &SessionAnalysis| analysis.calls().len() == self.experiment.calls().len();
        let is_behind = |analysis: &SessionAnalysis| analysis.calls().len() <= n_calls && !is_whole(analysis);
        let mut analysis = self
            .analysis
            .wait_while(PATIENCE, |analysis| is_behind(analysis) && !self.is_closed.load(Ordering::Relaxed));
        if is_behind(&analysis) {
            self.compile_while(counting, is_behind);
            analysis = self.analysis();
        }
        if is_whole(&analysis) { usize::MAX } else { analysis.calls().len() }
    }

    /// Compiles calls as long as this holds and there are more, and shows what is known then. False when all are
    /// compiled.
    fn compile_while(&self, counting: &Counting, is_meant: impl Fn(&SessionAnalysis) -> bool) -> bool {
        let mut analysis = lock(&self.compiling);
        let mut goes_on = true;
        while goes_on && is_meant(&analysis) {
            goes_on = analysis.step(&self.experiment, counting);
        }
        self.analysis.set(analysis.clone());
        goes_on
    }

    /// Nobody asks for it any more under its name.
    fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.analysis.wake();
    }

    /// All stages of a call.
    pub(crate) fn compilation(&self, number: u32) -> Result<Arc<Compilation>, AppError> {
        let call = self.call(number)?;
        self.compilations.get(number, || {
            self.compiler.compile(&self.experiment, call).ok_or_else(|| {
                let agent = &call.invocation.agent;
                let message = format!(
                    "C{number} cannot be compiled: the configuration has no agent called {agent}. Add it, or go back to the inferred configuration."
                );
                AppError::new(ErrorCode::NotCompiled, message)
            })
        })
    }

    /// What is known, once it weighs prompts to `model`, which is the one of `call`. Waits for the background only
    /// where no earlier call went to that model.
    pub(crate) fn analysis_for(
        &self,
        call: u32,
        model: &str,
        tables: &Tables,
    ) -> Result<Arc<SessionAnalysis>, AppError> {
        let analysis = self.analysis();
        if analysis.scale(&self.experiment, &tables.counting, model).is_some() {
            return Ok(analysis);
        }
        drop(analysis);
        self.analysis_of(call)
    }

    /// What weighs prompts like those of `call`.
    pub(crate) fn scale<'s>(
        &'s self,
        analysis: &'s SessionAnalysis,
        tables: &'s Tables,
        call: &CallAnalysis,
    ) -> Result<Scale<'s>, AppError> {
        self.scale_of(analysis, tables, &call.model)
    }

    /// What weighs prompts to `model`.
    pub(crate) fn scale_of<'s>(
        &'s self,
        analysis: &'s SessionAnalysis,
        tables: &'s Tables,
        model: &str,
    ) -> Result<Scale<'s>, AppError> {
        let scale = analysis.scale(&self.experiment, &tables.counting, model);
        scale.ok_or_else(|| AppError::internal("A call's model has no tokenizer."))
    }
}

/// What something tried out is compared with: a session, and what is known of it.
pub(crate) struct Baseline<'o> {
    open: &'o OpenSession,
    analysis: Arc<SessionAnalysis>,
}

impl Baseline<'_> {
    pub(crate) fn experiment(&self) -> &Experiment {
        &self.open.experiment
    }

    /// With what its calls come to.
    pub(crate) fn billed<'m>(&'m self, caches: &'m CacheAnalysis) -> Billed<'m> {
        Billed { analysis: self, caches }
    }
}

impl std::ops::Deref for Baseline<'_> {
    type Target = SessionAnalysis;

    fn deref(&self) -> &SessionAnalysis {
        &self.analysis
    }
}

/// The requests that were answered, each with its answer.
pub(crate) fn answered(requests: &[RecordedRequest]) -> impl Iterator<Item = (EventIndex, LlmRequest)> + '_ {
    requests
        .iter()
        .filter_map(|request| Some((EventIndex(request.answer?), strata_wire::request_of(&request.body)?)))
}

/// What the requests that were answered were made from, where that is recorded.
pub(crate) fn made_from(
    requests: &[RecordedRequest],
) -> impl Iterator<Item = (EventIndex, RecordedCall)> + '_ {
    requests
        .iter()
        .filter_map(|request| Some((EventIndex(request.answer?), RecordedCall::of_body(&request.body)?)))
}

/// US dollars that a finding cost. `None` when one of its models has no price.
pub(crate) fn finding_cost(finding: &Finding, prices: &Prices) -> Option<f64> {
    let costs = finding.spent.iter().map(|spent| {
        let rates = prices.of_model(&spent.model)?.rates;
        let fresh = spent.fresh as f64 * rates.input + spent.cached as f64 * rates.cached_read;
        Some((fresh + spent.rebilled as f64 * (rates.input - rates.cached_read)) / 1e6)
    });
    costs.sum::<Option<f64>>().filter(|_| !finding.spent.is_empty())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The open sessions.
#[derive(Default)]
pub(crate) struct OpenSessions {
    list: Mutex<OpenList>,
}

#[derive(Default)]
struct OpenList {
    /// The one asked about last in front.
    sessions: VecDeque<Arc<OpenSession>>,
    /// Recorded sessions of which the store has more or something else now, to go on from when they are asked about
    /// again.
    outdated: VecDeque<Arc<OpenSession>>,
    /// How often sessions were closed because the store has something else now.
    n_closings: u64,
    /// The number of the last closing of each, by what was closed: a key, or the id of a recorded session.
    closed: HashMap<String, u64>,
}

impl OpenList {
    /// Experiments are laid over what the session is now: of them nothing is kept.
    fn keep_outdated(&mut self, open: Arc<OpenSession>) {
        if open.edits.is_none() {
            self.outdated.retain(|known| known.id != open.id);
            self.outdated.push_front(open);
            self.outdated.truncate(MAX_OUTDATED);
        }
    }
}

impl OpenSessions {
    fn find(&self, id: &str) -> Option<Arc<OpenSession>> {
        let sessions = &mut lock(&self.list).sessions;
        let at = sessions.iter().position(|open| open.key == id)?;
        let found = sessions.remove(at)?;
        sessions.push_front(found.clone());
        Some(found)
    }

    /// How often sessions were closed. Whoever opens one asks before reading it.
    fn n_closings(&self) -> u64 {
        lock(&self.list).n_closings
    }

    /// Takes in a session that was read when `n_closings` had happened, unless somebody was quicker. `None` where it
    /// was closed since: what was read may be old.
    fn add(&self, open: Arc<OpenSession>, n_closings: u64) -> Option<Added> {
        let mut list = lock(&self.list);
        let is_old = |name: &str| list.closed.get(name).is_some_and(|closing| *closing > n_closings);
        if is_old(&open.key) || is_old(open.id.as_str()) {
            list.keep_outdated(open);
            return None;
        }
        if let Some(known) = list.sessions.iter().find(|known| known.key == open.key) {
            return Some(Added::Known(known.clone()));
        }
        list.sessions.push_front(open.clone());
        while list.sessions.len() > MAX_OPEN {
            list.sessions.pop_back().inspect(|open| open.close());
        }
        Some(Added::New(open))
    }

    /// Closes a recorded session and all experiments over it.
    pub(crate) fn close_with_experiments(&self, id: &SessionId) {
        lock(&self.list).outdated.retain(|open| open.id != *id);
        self.close_those(id.as_str(), |open| open.id == *id);
    }

    /// As [`Self::close_with_experiments`], where the store has more of the session or something else now: what is
    /// known of it is kept to go on from.
    pub(crate) fn outdate(&self, id: &SessionId) {
        {
            let mut list = lock(&self.list);
            if let Some(open) = list.sessions.iter().find(|open| open.key == id.as_str()).cloned() {
                list.keep_outdated(open);
            }
        }
        self.close_those(id.as_str(), |open| open.id == *id);
    }

    /// What was known of a session before it changed.
    fn take_outdated(&self, id: &SessionId) -> Option<Arc<OpenSession>> {
        let outdated = &mut lock(&self.list).outdated;
        let at = outdated.iter().position(|open| open.id == *id)?;
        outdated.remove(at)
    }

    /// Stops work on a session and forgets it.
    pub(crate) fn close(&self, id: &str) {
        self.close_those(id, |open| open.key == id);
    }

    fn close_those(&self, name: &str, is_meant: impl Fn(&OpenSession) -> bool) {
        let mut list = lock(&self.list);
        list.n_closings += 1;
        let closing = list.n_closings;
        list.closed.insert(name.to_owned(), closing);
        list.sessions.retain(|open| {
            let is_meant = is_meant(open);
            if is_meant {
                open.close();
            }
            !is_meant
        });
    }
}

/// What came of opening a session.
enum Added {
    New(Arc<OpenSession>),
    /// Somebody else opened it meanwhile.
    Known(Arc<OpenSession>),
}

impl Strata {
    /// The open session or experiment with this id, opened if it is not.
    pub(crate) fn session(self: &Arc<Self>, id: &str) -> Result<Arc<OpenSession>, AppError> {
        loop {
            if let Some(open) = self.open_sessions().find(id) {
                return Ok(open);
            }
            let n_closings = self.open_sessions().n_closings();
            let open = Arc::new(match ExperimentId::parse(id) {
                Some(id) => self.read_experiment(id)?,
                None => self.read_open(id)?,
            });
            match self.open_sessions().add(open, n_closings) {
                Some(Added::New(open)) => {
                    self.compile_in_background(open.clone());
                    return Ok(open);
                }
                Some(Added::Known(open)) => return Ok(open),
                None => {}
            }
        }
    }

    fn read_open(&self, id: &str) -> Result<OpenSession, AppError> {
        let id = SessionId::from(id);
        let store = self.store();
        let missing =
            || AppError::not_found("This session is no longer in the store. Import its file again.");
        let entry = store.session_entry(&id)?.ok_or_else(missing)?;
        let session = store.read_session(&id)?.ok_or_else(missing)?;
        let answered = Answered::read(&store, &id)?;
        let config = store.app_config(&id)?;
        let diagnostics = store.diagnostics(&entry.location)?;
        drop(store);
        let mut diagnostics: Vec<DiagnosticRow> = diagnostics
            .into_iter()
            .map(|diagnostic| DiagnosticRow {
                severity: diagnostic.severity.into(),
                code: diagnostic.code,
                message: diagnostic.message,
                at: diagnostic.at,
            })
            .collect();
        let summary = Summary::from_json(&entry.summary);
        let kind = flow_kind(&summary.format);
        let app = AppSource::of(config, (&session, &answered.requests), kind, &mut diagnostics);
        let outdated = self.open_sessions().take_outdated(&id);
        let recorded = Recorded { id, entry, summary, diagnostics };
        Ok(OpenSession::new(recorded, (session, answered), app, outdated.as_deref()))
    }

    fn compile_in_background(self: &Arc<Self>, open: Arc<OpenSession>) {
        let strata = Arc::downgrade(self);
        let tables = self.tables().clone();
        std::thread::spawn(move || {
            let mut told = Instant::now();
            let calls = open.experiment.calls().len() as u32;
            loop {
                let n_known = open.analysis().calls().len();
                let reached = open.edits.as_ref().map(|edits| edits.base.ahead_of(n_known, &tables.counting));
                let turn = Instant::now();
                let goes_on = open.compile_while(&tables.counting, |analysis| {
                    turn.elapsed() < TURN && reached.is_none_or(|reached| analysis.calls().len() < reached)
                });
                let compiled_calls = open.analysis().calls().len() as u32;
                if !goes_on || told.elapsed() >= TELL_EVERY {
                    told = Instant::now();
                    let Some(strata) = strata.upgrade() else { return };
                    strata.notify(&Notification::Analysis {
                        session: open.key.clone(),
                        compiled_calls,
                        calls,
                    });
                }
                if !goes_on || open.is_closed.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
    }
}
