//! Compaction tried out.

use strata_measure::lab::{Assumptions, Extractive, FactReader, SizedWriter, Writer, survival, sweep};

use super::lab_runs::lab_run;
use crate::Strata;
use crate::api::job::JobState;
use crate::api::lab::{LabLoss, LabReplay, LabSweep, Loss, OfflineSummaries, Plan, Sweep, SweepResult};
use crate::api::session::JobStarted;
use crate::command::Handler;
use crate::error::AppError;
use crate::jobs::JobOutcome;
use crate::lab::{
    loss_page, losses, read_config, read_grid, replay_shape, summary_size, sweep_shape, with_lab,
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
            let losses = if is_told { losses(&open.experiment, &replayed) } else { Vec::new() };
            let generations =
                if is_told { survival(&reader, &replayed, open.experiment.log()) } else { Vec::new() };
            Ok(replay_shape(lab, &replayed, &losses, &generations))
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
            let total = configs.len() as u64;
            let analysis = match open.whole_baseline(&tables) {
                Ok(analysis) => analysis,
                Err(error) => return JobOutcome::saying(JobState::Failed, error.message),
            };
            let sizes = results.sizes(&self.session);
            let swept = with_lab(&analysis, &tables, |lab| {
                let size = summary_size(lab, self.summary_tokens, &sizes);
                sweep(lab, &configs, size, Assumptions::default(), &|done| {
                    job.progress(done as u64, total);
                    !job.is_cancelled()
                })
            });
            match swept {
                Ok(Some(swept)) => {
                    let shape = sweep_shape(&self.grid, &swept);
                    let outcome = shape.reason.clone();
                    results.keep_sweep(job.id(), shape);
                    JobOutcome::saying(JobState::Done, outcome)
                }
                Ok(None) => JobOutcome::saying(
                    JobState::Cancelled,
                    "Stopped. Nothing of the sweep was kept.".to_owned(),
                ),
                Err(error) => JobOutcome::saying(JobState::Failed, error.message),
            }
        });
        Ok(JobStarted { job })
    }
}

impl Handler for SweepResult {
    fn run(self, strata: &Strata) -> Result<Option<LabSweep>, AppError> {
        Ok(strata.lab.sweep(&self.job).map(|sweep| LabSweep::clone(&sweep)))
    }
}

impl Handler for Loss {
    fn run(self, strata: &Strata) -> Result<LabLoss, AppError> {
        let missing = || AppError::not_found("This run has not ended. Resume it first.");
        let run = lab_run(strata, &self.run)?;
        let done = run.done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        let done = done.ok_or_else(missing)?;
        let at = self.window as usize;
        let (window, loss) = done.0.windows.get(at).zip(done.1.get(at)).ok_or_else(|| {
            AppError::not_found(format!("This run has {} windows, counted from 0.", done.0.windows.len()))
        })?;
        let loss = loss.clone().unwrap_or_default();
        Ok(loss_page(window, &loss, self.offset as usize, self.limit.min(MAX_FACTS) as usize))
    }
}
