//! What jobs of the Lab gave, for as long as the app is open.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use strata_engine::lab::{LossReport, Replayed};

use crate::api::lab::{LabRun, LabSweep};
use crate::api::model::ReplayAnswer;

/// Results that are kept; the oldest go first.
const MAX_KEPT: usize = 24;

/// Results by the ids of their jobs.
#[derive(Default)]
pub(crate) struct LabResults {
    kept: Mutex<VecDeque<(String, LabResult)>>,
}

#[derive(Clone)]
enum LabResult {
    Sweep(Arc<LabSweep>),
    Run(Arc<RunState>),
    Answer(Arc<Mutex<ReplayAnswer>>),
}

/// A finished run, and what each of its summaries loses.
pub(crate) type Done = (Replayed, Vec<Option<LossReport>>);

/// A run, while it goes on and after it.
pub(crate) struct RunState {
    pub session: String,
    pub shown: Mutex<LabRun>,
    pub done: Mutex<Option<Arc<Done>>>,
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

    pub(crate) fn keep_sweep(&self, job: &str, sweep: LabSweep) {
        self.keep(job, LabResult::Sweep(Arc::new(sweep)));
    }

    pub(crate) fn keep_run(&self, job: &str, run: Arc<RunState>) {
        self.keep(job, LabResult::Run(run));
    }

    pub(crate) fn keep_answer(&self, job: &str, answer: Arc<Mutex<ReplayAnswer>>) {
        self.keep(job, LabResult::Answer(answer));
    }

    pub(crate) fn sweep(&self, job: &str) -> Option<Arc<LabSweep>> {
        match self.find(job)? {
            LabResult::Sweep(sweep) => Some(sweep),
            LabResult::Run(_) | LabResult::Answer(_) => None,
        }
    }

    pub(crate) fn run(&self, job: &str) -> Option<Arc<RunState>> {
        match self.find(job)? {
            LabResult::Run(run) => Some(run),
            LabResult::Sweep(_) | LabResult::Answer(_) => None,
        }
    }

    pub(crate) fn answer(&self, job: &str) -> Option<ReplayAnswer> {
        match self.find(job)? {
            LabResult::Answer(answer) => Some(answer.lock().unwrap_or_else(PoisonError::into_inner).clone()),
            LabResult::Sweep(_) | LabResult::Run(_) => None,
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
