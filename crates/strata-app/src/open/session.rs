//! A session that is open, and what is known of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use strata_engine::{AppClues, Call, Compilation, Edit, EditNote, Experiment, FlowKind};
use strata_measure::analysis::{
    BilledCalls, CacheAnalysis, CallAnalysis, CallCompiler, Counting, Scale, SessionAnalysis,
};
use strata_measure::findings::{Finding, findings};
use strata_measure::prices::Prices;
use strata_measure::remedies::Writer;
use strata_model::{Event, EventIndex, Fingerprint, LlmRequest, RecordedCall, Session};
use strata_store::{
    AppConfig, ExperimentEntry, RecordedRequest, SessionAfter, SessionEntry, SessionId, Store,
};

use super::app_config::AppSource;
use super::assumed_model::chosen_model;
use super::caches::Caches;
use super::continued::{AnsweredRequests, KnownSession, StoredSession};
use super::event_table::EventTable;
use super::fixes::TriedFixes;
use super::latest::Latest;
use super::recent::Recent;

use crate::api::call::{CompareWith, PartPage};
use crate::api::common::DiagnosticRow;
use crate::beside::{ServicePlaces, SessionServices, stored_file};
use crate::error::{AppError, ErrorCode};
use crate::import::{Summary, flow_kind};
use crate::tables::Tables;

/// Compilations kept for the views of single calls.
const MAX_COMPILATIONS: usize = 8;
/// Long lists kept while they are scrolled.
const MAX_PAGED: usize = 4;
/// How long a command waits for a call that the background has not reached.
const PATIENCE: Duration = Duration::from_secs(20);

/// An experiment beside the session it is laid over.
pub(crate) struct OpenExperiment {
    pub entry: ExperimentEntry,
    /// All of them, undone ones included.
    pub edits: Vec<Edit>,
    /// Of those that count.
    pub notes: Vec<EditNote>,
    pub base: Arc<OpenSession>,
}

impl OpenExperiment {
    /// What there is to say about the edit at a place.
    pub(crate) fn notes_on(&self, at: usize) -> impl Iterator<Item = &EditNote> {
        self.notes.iter().filter(move |note| note.edit == at)
    }

    /// Edits that count.
    pub(crate) fn applied(&self) -> &[Edit] {
        &self.edits[..(self.entry.n_applied as usize).min(self.edits.len())]
    }
}

impl From<&EditNote> for DiagnosticRow {
    fn from(note: &EditNote) -> Self {
        (&note.diagnostic()).into()
    }
}

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
    pub services: SessionServices,
    pub experiment: Experiment,
    /// `None` for a session as it was recorded.
    pub edits: Option<OpenExperiment>,
    analysis: Latest<SessionAnalysis>,
    /// What `analysis` shows next: of those who compile, one goes on at a time.
    compiling: Mutex<SessionAnalysis>,
    compiler: CallCompiler,
    /// By which the store tells what it has more of. None for an experiment, whose session has them.
    read: ReadRecording,
    /// Of the calls that were looked at last.
    compilations: Recent<u32, Compilation>,
    events: EventTable,
    /// What stages did to calls: pages that hold all rows.
    pub part_rows: Recent<PartRowsKey, PartPage>,
    /// Requests after stages as JSON text, in UTF-16: `(call, stage, whether secrets are masked)`.
    pub stage_json: Recent<(u32, u32, bool), Vec<u16>>,
    /// What is worth a person's time, once every call is compiled.
    findings: OnceLock<Vec<Finding>>,
    pub(super) caches: Caches,
    pub(super) fixes: TriedFixes,
    is_closed: AtomicBool,
}

/// Call, stage, what it is compared with, whether unchanged parts are folded.
pub(crate) type PartRowsKey = (u32, u32, CompareWith, bool);

/// What the store has of a session.
pub(crate) struct Recording {
    known: Recorded,
    session: Session,
    /// How many of its events are those of the session that was open.
    n_known: usize,
    marks: Vec<Fingerprint>,
    answered: AnsweredRequests,
    config: Option<AppConfig>,
    /// See [`chosen_model`].
    as_if: Option<String>,
    services: SessionServices,
}

/// What a recording was read as, to tell what is new in it.
#[derive(Default)]
struct ReadRecording {
    /// Of the events, as the store has them.
    marks: Vec<Fingerprint>,
    /// Requests that were really sent, which are in the experiment.
    answered: AnsweredRequests,
    /// Where the app is inferred.
    clues: AppClues,
}

/// What the store has of a session beside its events.
struct Recorded {
    id: SessionId,
    entry: SessionEntry,
    summary: Summary,
    diagnostics: Vec<DiagnosticRow>,
}

impl Recording {
    /// Of the events, only those that the session as it was open does not have are read.
    pub(crate) fn read(
        store: &Store,
        id: SessionId,
        outdated: Option<&OpenSession>,
    ) -> Result<Self, AppError> {
        let missing =
            || AppError::not_found("This session is no longer in the store. Import its file again.");
        let entry = store.session_entry(&id)?.ok_or_else(missing)?;
        let known = outdated.map_or(&[][..], |outdated| &outdated.read.marks);
        let SessionAfter { mut session, n_known, marks } =
            store.read_session_after(&id, known)?.ok_or_else(missing)?;
        if let Some(outdated) = outdated {
            let known = &outdated.experiment.session().events[..n_known];
            session.events.splice(..0, known.iter().cloned());
        }
        let answered = AnsweredRequests::read(store, &id, outdated.map(|outdated| &outdated.read.answered))?;
        let config = store.app_config(&id)?;
        let as_if = chosen_model(store, &id)?;
        let diagnostics = store.diagnostics(&entry.location)?.into_iter().map(|diagnostic| DiagnosticRow {
            severity: diagnostic.severity.into(),
            code: diagnostic.code,
            message: diagnostic.message,
            at: diagnostic.at,
        });
        let diagnostics = diagnostics.collect();
        let summary = Summary::from_json(&entry.summary);
        let has_artifacts = |event: &Arc<Event>| !event.actions.artifact_delta.is_empty();
        let services = match outdated {
            // Nothing new tells of files, and memory is as it was, so they are not looked up again.
            Some(outdated)
                if outdated.services.is_as_read() && !session.events[n_known..].iter().any(has_artifacts) =>
            {
                outdated.services.clone()
            }
            _ if flow_kind(&summary.format) != FlowKind::Adk => SessionServices::default(),
            _ => ServicePlaces::chosen(store, &id)?
                .read_some(&session, stored_file(&entry.location))
                .with_own_files(store, &entry.location, &session)?,
        };
        let known = Recorded { id, entry, summary, diagnostics };
        Ok(Self { known, session, n_known, marks, answered, config, as_if, services })
    }
}

impl OpenSession {
    /// The session as the store has it now, going on from what was known of it before it changed.
    pub(crate) fn of_recording(recording: Recording, outdated: Option<&Self>) -> Self {
        let Recording { mut known, session, n_known, marks, answered, config, as_if, services } = recording;
        known.diagnostics.extend(services.diagnostics.iter().cloned());
        let kind = flow_kind(&known.summary.format);
        let mut clues = outdated
            .map(|outdated| outdated.read.clues.clone())
            .filter(|clues| clues.n_read() <= n_known)
            .unwrap_or_default();
        let inferred = || {
            clues.read(&session, kind);
            clues.app(&session, kind, &answered.requests())
        };
        let app = AppSource::of(config, &session, inferred, &mut known.diagnostics);
        let app = app.with_chosen_model(as_if.as_deref()).with_services(&services);
        let stored = StoredSession {
            session,
            n_known,
            answered: &answered,
            app: app.app.clone(),
            kind,
            services: &services.given,
        };
        let (experiment, analysis) = match outdated {
            Some(outdated) => stored.opened(Some(KnownSession {
                experiment: &outdated.experiment,
                analysis: &outdated.analysis(),
                answered: &outdated.read.answered,
            })),
            None => stored.opened(None),
        };
        let events = match outdated {
            Some(outdated) => outdated.events.grown(&outdated.experiment, n_known, &experiment),
            None => EventTable::of(&experiment),
        };
        let read = ReadRecording { marks, answered, clues };
        let caches = outdated.map(|outdated| outdated.caches.handed_on()).unwrap_or_default();
        Self { read, caches, ..Self::opened(known, (app, services), experiment, None, analysis, events) }
    }

    /// Edits laid over a session that is open. What is known of that session is used.
    pub(crate) fn of_experiment(base: &Self, experiment: Experiment, edits: OpenExperiment) -> Self {
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
        Self::opened(recorded, (app, base.services.clone()), experiment, Some(edits), analysis, events)
    }

    fn opened(
        recorded: Recorded,
        (app, services): (AppSource, SessionServices),
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
            services,
            experiment,
            edits,
            compiler: analysis.compiler().clone(),
            compiling: Mutex::new(analysis.clone()),
            analysis: Latest::new(analysis),
            read: ReadRecording::default(),
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

    /// The tool that wrote it.
    pub(crate) fn writer(&self) -> Writer {
        Writer::of(&self.entry.format, &self.experiment)
    }

    /// What is worth a person's time. Nothing while calls are being compiled.
    pub(crate) fn findings(&self, analysis: &SessionAnalysis, tables: &Tables) -> &[Finding] {
        if analysis.calls().len() < self.experiment.calls().len() {
            return &[];
        }
        let Ok(caches) = self.caches(analysis, tables) else { return &[] };
        let billed = BilledCalls { analysis, caches: &caches };
        self.findings.get_or_init(|| findings(&self.experiment, billed, &tables.counting))
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
    pub(crate) fn ahead_of(&self, n_calls: usize, counting: &Counting) -> usize {
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
    pub(crate) fn compile_while(
        &self,
        counting: &Counting,
        is_meant: impl Fn(&SessionAnalysis) -> bool,
    ) -> bool {
        let mut analysis = lock(&self.compiling);
        let mut goes_on = true;
        while goes_on && is_meant(&analysis) {
            goes_on = analysis.step(&self.experiment, counting);
        }
        self.analysis.set(analysis.clone());
        goes_on
    }

    /// Nobody asks for it any more under its name.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.analysis.wake();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
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
    pub(super) open: &'o OpenSession,
    pub(super) analysis: Arc<SessionAnalysis>,
}

impl Baseline<'_> {
    pub(crate) fn experiment(&self) -> &Experiment {
        &self.open.experiment
    }

    /// What edits were laid over, once all of its calls are compiled. `None` for a session as it was recorded.
    pub(crate) fn recording(&self, tables: &Tables) -> Result<Option<Baseline<'_>>, AppError> {
        let edits = self.open.edits.as_ref();
        edits.map(|edits| edits.base.whole_baseline(tables)).transpose()
    }

    /// The tool that wrote the session.
    pub(crate) fn writer(&self) -> Writer {
        self.open.writer()
    }

    /// With what its calls come to.
    pub(crate) fn billed<'m>(&'m self, caches: &'m CacheAnalysis) -> BilledCalls<'m> {
        BilledCalls { analysis: self, caches }
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
    if finding.lost_usd.is_some() {
        return finding.lost_usd;
    }
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
