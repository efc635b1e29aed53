//! What jobs of the Lab gave. Runs are stored, too; the others are there for as long as the app is open.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use strata_engine::turn::compaction::CompactionConfig;
use strata_measure::lab::Replayed;
use strata_store::LabRunId;

use super::stored_run::{RunRecord, RunSettings};
use super::sweep_rows::SweepRows;
use super::telling::Telling;
use crate::api::job::JobState;
use crate::api::lab::{LabProbes, LabReplay, LabRun};
use crate::api::model::ReplayAnswer;

/// Results that are kept; the oldest go first.
const MAX_KEPT: usize = 24;

/// Results by the ids of their jobs.
#[derive(Default)]
pub(crate) struct LabResults {
    kept: Mutex<VecDeque<(String, LabResult)>>,
    /// Batches that go on, with their jobs.
    batches: Mutex<Vec<(String, String)>>,
}

#[derive(Clone)]
enum LabResult {
    Sweep(Arc<SweepRows>),
    Run(Arc<RunState>),
    Answer(Arc<Mutex<ReplayAnswer>>),
    Probes(Arc<Mutex<LabProbes>>),
}

/// A finished run, and what its summaries tell.
pub(crate) type Done = (Replayed, Telling);

/// A run, while it goes on and after it.
pub(crate) struct RunState {
    pub id: LabRunId,
    /// What it goes over: a session or an experiment.
    pub session: String,
    shown: Mutex<LabRun>,
    pub done: Mutex<Option<Arc<Done>>>,
}

impl RunState {
    /// One that begins.
    pub(crate) fn new(
        id: LabRunId,
        session: &str,
        config: &CompactionConfig,
        settings: &RunSettings,
    ) -> Self {
        let record = RunRecord::default();
        Self::restored(id, session, (config, settings), &record, JobState::Running)
    }

    /// One that was stored, without what came of it.
    pub(crate) fn restored(
        id: LabRunId,
        session: &str,
        (config, settings): (&CompactionConfig, &RunSettings),
        record: &RunRecord,
        state: JobState,
    ) -> Self {
        let shown = LabRun {
            job: String::new(),
            run: id.to_string(),
            state,
            config: config.to_string(),
            writer: settings.writer.clone(),
            model: settings.model.clone(),
            written: record.summaries.len() as u32,
            expected: record.expected,
            from_before: record.from_before,
            input_tokens: record.input_tokens,
            output_tokens: record.output_tokens,
            cost_usd: record.cost_usd,
            prompts: record.prompts,
            streaming: String::new(),
            streamed_tokens: 0,
            tokens_per_s: None,
            seconds_left: None,
            seconds: record.seconds,
            partial: record.partial.clone(),
            replay: None,
            failure: record.failure.clone(),
        };
        Self { id, session: session.to_owned(), shown: Mutex::new(shown), done: Mutex::default() }
    }

    pub(crate) fn shown(&self) -> MutexGuard<'_, LabRun> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what came of it.
    pub(crate) fn finish(&self, replayed: Replayed, telling: Telling, replay: LabReplay) {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new((replayed, telling)));
        let mut shown = self.shown();
        shown.written = replay.windows.len() as u32;
        shown.replay = Some(replay);
    }
}

impl LabResults {
    fn keep(&self, job: &str, result: LabResult) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_front((job.to_owned(), result));
        kept.truncate(MAX_KEPT);
    }

    fn find(&self, job: &str) -> Option<LabResult> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(id, _)| id == job).map(|(_, result)| result.clone())
    }

    pub(crate) fn keep_sweep(&self, job: &str, sweep: Arc<SweepRows>) {
        self.keep(job, LabResult::Sweep(sweep));
    }

    pub(crate) fn keep_run(&self, job: &str, run: Arc<RunState>) {
        self.keep(job, LabResult::Run(run));
    }

    pub(crate) fn keep_answer(&self, job: &str, answer: Arc<Mutex<ReplayAnswer>>) {
        self.keep(job, LabResult::Answer(answer));
    }

    pub(crate) fn sweep(&self, job: &str) -> Option<Arc<SweepRows>> {
        match self.find(job)? {
            LabResult::Sweep(sweep) => Some(sweep),
            _ => None,
        }
    }

    /// The run of this id, or of the job with this id; the newest where there are several.
    pub(crate) fn run(&self, id: &str) -> Option<Arc<RunState>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find_map(|(job, result)| match result {
            LabResult::Run(run) if job == id || run.id.to_string() == id => Some(run.clone()),
            _ => None,
        })
    }

    /// The run of this id, while it goes on.
    pub(crate) fn running(&self, id: &str) -> Option<Arc<RunState>> {
        self.run(id).filter(|run| run.shown().state == JobState::Running)
    }

    pub(crate) fn forget_run(&self, id: &str) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(_, result)| !matches!(result, LabResult::Run(run) if run.id.to_string() == id));
    }

    /// Says that a batch goes on. False when it does already.
    pub(crate) fn begin_batch(&self, batch: &str) -> bool {
        let mut batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = batches.iter().all(|(known, _)| known != batch);
        if is_new {
            batches.push((batch.to_owned(), String::new()));
        }
        is_new
    }

    pub(crate) fn name_batch_job(&self, batch: &str, job: &str) {
        let mut batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = batches.iter_mut().find(|(known, _)| known == batch) {
            job.clone_into(known);
        }
    }

    pub(crate) fn end_batch(&self, batch: &str) {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| known != batch);
    }

    /// The job of a batch that goes on.
    pub(crate) fn batch_job(&self, batch: &str) -> Option<String> {
        let batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
        batches.iter().find(|(known, _)| known == batch).map(|(_, job)| job.clone())
    }

    pub(crate) fn answer(&self, job: &str) -> Option<ReplayAnswer> {
        match self.find(job)? {
            LabResult::Answer(answer) => Some(answer.lock().unwrap_or_else(PoisonError::into_inner).clone()),
            _ => None,
        }
    }

    pub(crate) fn keep_probes(&self, job: &str, probes: Arc<Mutex<LabProbes>>) {
        self.keep(job, LabResult::Probes(probes));
    }

    pub(crate) fn probes(&self, job: &str) -> Option<LabProbes> {
        match self.find(job)? {
            LabResult::Probes(probes) => Some(probes.lock().unwrap_or_else(PoisonError::into_inner).clone()),
            _ => None,
        }
    }

    /// Sizes of the summaries that models wrote for a session: `(tokens of the source, tokens of the summary)`.
    pub(crate) fn sizes(&self, session: &str) -> Vec<(u32, u32)> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let runs = kept.iter().filter_map(|(_, result)| match result {
            LabResult::Run(run) if run.session == session => Some(run.clone()),
            _ => None,
        });
        let done = runs.filter_map(|run| run.done.lock().unwrap_or_else(PoisonError::into_inner).clone());
        let mut sizes = Vec::new();
        for done in done {
            let windows = done
                .0
                .windows
                .iter()
                .filter(|window| window.written.as_ref().is_some_and(|written| written.usage.is_some()));
            sizes.extend(windows.map(|window| (window.source_tokens, window.summary_tokens)));
        }
        sizes
    }
}
