//! Compaction tried out.

use std::sync::Arc;

use strata_measure::lab::{
    Assumptions, Baselines, Extractive, FactReader, SizedWriter, SweepRow, SweepWatch, Writer, sweep,
};

use super::lab_runs::lab_run;
use crate::Strata;
use crate::api::job::JobState;
use crate::api::lab::{LabLoss, LabReplay, LabSweep, Loss, OfflineSummaries, Plan, Sweep, SweepResult};
use crate::api::session::JobStarted;
use crate::command::Handler;
use crate::error::AppError;
use crate::jobs::{JobOutcome, RunningJob};
use crate::lab::{
    SweepRows, Telling, loss_page, read_config, read_grid, replay_shape, summary_size, with_lab,
};
use crate::open::OpenSession;
use crate::watch::Watch as _;

/// Facts a page may have.
const MAX_FACTS: u32 = 1000;

impl Handler for Plan {
    fn run(self, strata: &Strata) -> Result<LabReplay, AppError> {
        let config = read_config(&self.config, self.prompt.as_deref())?;
        let open = strata.sessions.get(&self.session)?;
        let analysis = open.baseline(last_call(&open)?)?;
        let sizes = strata.lab.sizes(&self.session);
        with_lab(&analysis, &strata.tables, |lab| {
            let reader = FactReader::new();
            let size = summary_size(lab, config.summary_tokens, &sizes);
            let mut sized = SizedWriter::new(size);
            let mut extracts = Extractive { reader: &reader };
            let writer: &mut dyn Writer = match self.summaries {
                OfflineSummaries::Sized => &mut sized,
                OfflineSummaries::Extractive => &mut extracts,
            };
            let replayed = lab.replay(&config, writer).map_err(|stop| AppError::internal(stop.0))?;
            let is_told = self.summaries == OfflineSummaries::Extractive;
            let telling = is_told.then(|| Telling::of(&open.experiment, &replayed));
            Ok(replay_shape(lab, &replayed, telling.as_ref(), analysis.writer()))
        })?
    }
}

pub(super) fn last_call(open: &OpenSession) -> Result<u32, AppError> {
    let last = open.experiment.calls().len() as u32;
    open.call(last.max(1))?;
    Ok(last)
}

impl Handler for Sweep {
    fn run(self, strata: &Strata) -> Result<JobStarted, AppError> {
        let configs = read_grid(&self.grid)?;
        let open = strata.sessions.get(&self.session)?;
        last_call(&open)?;
        let title = format!("Sweeping {}", crate::counted(configs.len(), "configuration"));
        let (tables, results) = (strata.tables.clone(), strata.lab.clone());
        let job = strata.jobs.start(title, "configurations", move |job| {
            let analysis = match open.whole_baseline(&tables) {
                Ok(analysis) => analysis,
                Err(error) => return JobOutcome::saying(JobState::Failed, error.message),
            };
            let rows = Arc::new(SweepRows::new(&self.grid, configs.len()));
            results.keep_sweep(job.id(), rows.clone());
            let sizes = results.sizes(&self.session);
            let swept = with_lab(&analysis, &tables, |lab| {
                let size = summary_size(lab, self.summary_tokens, &sizes);
                sweep(lab, &configs, size, Assumptions::default(), &WatchedSweep { job, rows: &rows })
            });
            let swept = match swept {
                Ok(swept) => swept,
                Err(error) => return JobOutcome::saying(JobState::Failed, error.message),
            };
            rows.end(&swept);
            let (n_rows, total) = (swept.rows.len(), swept.n_configs);
            if n_rows < total {
                let kept = format!(
                    "Stopped. {n_rows} of {total} configurations were replayed; their rows are kept."
                );
                return JobOutcome::saying(JobState::Cancelled, kept);
            }
            // What is best of them is said in the Lab, beside the session that it is about.
            let replayed =
                format!("{} of {} replayed", crate::counted(n_rows, "configuration"), open.entry.title);
            JobOutcome::saying(JobState::Done, replayed)
        });
        Ok(JobStarted { job })
    }
}

/// A sweep that a job does: its rows are kept as they come.
struct WatchedSweep<'w> {
    job: &'w RunningJob,
    rows: &'w SweepRows,
}

impl SweepWatch for WatchedSweep<'_> {
    fn begins(&self, baselines: &Baselines) {
        self.rows.begin(baselines);
    }

    fn replayed(&self, row: &SweepRow) {
        let n_rows = self.rows.add(row);
        self.job.progress(n_rows as u64, self.rows.total().into());
    }

    fn is_stopped(&self) -> bool {
        self.job.is_cancelled()
    }
}

impl Handler for SweepResult {
    fn run(self, strata: &Strata) -> Result<Option<LabSweep>, AppError> {
        Ok(strata.lab.sweep(&self.job).and_then(|rows| rows.from(self.from as usize)))
    }
}

impl Handler for Loss {
    fn run(self, strata: &Strata) -> Result<LabLoss, AppError> {
        let missing = || AppError::not_found("This run has not ended. Resume it first.");
        let run = lab_run(strata, &self.run)?;
        let done = run.done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let done = done.ok_or_else(missing)?;
        let at = self.window as usize;
        let (window, loss) = done.0.windows.get(at).zip(done.1.losses.get(at)).ok_or_else(|| {
            AppError::not_found(format!("This run has {} windows, counted from 0.", done.0.windows.len()))
        })?;
        let loss = loss.clone().unwrap_or_default();
        Ok(loss_page(window, &loss, self.offset as usize, self.limit.min(MAX_FACTS) as usize))
    }
}
