//! A batch, run cell by cell.

use std::sync::{Arc, PoisonError};

use strata_measure::lab::{Assumptions, Replayed, best_written};
use strata_store::{LabRunEntry, LabRunId, LabRunState, StoreError};

use super::lab_estimates::Estimates;
use super::lab_parts::{LabParts, is_batch};
use super::lab_run::{RunWatch, prepare_run};
use crate::api::job::JobState;
use crate::api::lab::LabBill;
use crate::api::lab_batch::{BatchCellState, BatchProbes};
use crate::error::AppError;
use crate::import::now_ms;
use crate::jobs::{JobOutcome, RunningJob};
use crate::lab::{
    BatchRecord, RunRecord, RunSettings, RunState, Spent, bill_shape, left_out, read_config, with_lab,
};
use crate::show::words::asked;
use crate::watch::Watch as _;

/// A batch that goes on.
pub(super) struct BatchWork {
    pub parts: LabParts,
    pub id: LabRunId,
    /// The session or the experiment it goes over.
    pub session: String,
    pub probes: Option<BatchProbes>,
    pub record: BatchRecord,
}

/// Stored runs of what a cell asks.
pub(super) struct StoredLike {
    /// The newest that ended well.
    pub ended: Option<LabRunEntry>,
    /// The newest that can be gone on with.
    pub begun: Option<LabRunEntry>,
    /// One goes on.
    pub is_running: bool,
}

pub(super) fn stored_like(
    parts: &LabParts,
    session: &str,
    cell: &RunSettings,
) -> Result<StoredLike, AppError> {
    let recorded = parts.sessions.get(session)?.id.clone();
    let entries = parts.workspace.store().lab_runs(&recorded)?;
    let mut like = StoredLike { ended: None, begun: None, is_running: false };
    for entry in entries.into_iter().filter(|entry| entry.subject == session && !is_batch(entry)) {
        let asked = serde_json::from_str::<RunSettings>(&entry.settings);
        if !asked.is_ok_and(|asked| is_same(&asked, cell)) {
            continue;
        }
        if entry.state == LabRunState::Done {
            // Summaries of a session that has changed since fit no longer.
            if like.ended.is_none() && parts.run(&entry.id.to_string()).is_ok() {
                like.ended = Some(entry);
            }
        } else if parts.lab.running(&entry.id.to_string()).is_some() {
            like.is_running = true;
        } else if like.begun.is_none() {
            like.begun = Some(entry);
        }
    }
    Ok(like)
}

fn is_same(asked: &RunSettings, cell: &RunSettings) -> bool {
    let prompt = |settings: &RunSettings| settings.prompt.clone().unwrap_or_default().trim().to_owned();
    let config = read_config(&asked.config, asked.prompt.as_deref()).map(|config| config.to_string());
    config.is_ok_and(|config| config == cell.config)
        && (&asked.writer, &asked.model) == (&cell.writer, &cell.model)
        && prompt(asked) == prompt(cell)
}

impl BatchWork {
    /// Stores how far it is.
    pub(super) fn save(&self, state: LabRunState) -> Result<(), AppError> {
        let json = |record: &BatchRecord| {
            serde_json::to_string(record).map_err(|error| AppError::internal(error.to_string()))
        };
        let mut store = self.parts.workspace.store();
        let saved = store.set_lab_run(self.id, state, &json(&self.record)?, now_ms());
        if let Err(StoreError::HoldsCredential { .. }) = saved {
            // What a server said may quote a key; the rest is stored without it.
            let mut bare = self.record.clone();
            bare.cells.iter_mut().for_each(|cell| cell.note = None);
            store.set_lab_run(self.id, state, &json(&bare)?, now_ms())?;
            return Ok(());
        }
        saved?;
        Ok(())
    }

    pub(super) fn go(mut self, job: &RunningJob) -> JobOutcome {
        // What the cells are set beside while they come; without it they are shown alone.
        self.record.recorded = self.recorded().ok();
        let total = self.record.cells.len();
        for at in 0..total {
            job.progress_part(at as f64, total as f64);
            if self.record.cells[at].is_over(self.probes.as_ref()) {
                continue;
            }
            if job.is_cancelled() {
                break;
            }
            if !self.record.cells[at].has_result()
                && let Err(error) = self.cell(at, job)
            {
                let cell = &mut self.record.cells[at];
                (cell.state, cell.note) = (BatchCellState::Failed, Some(error.message));
            }
            self.ask_about(at, job);
            // A batch that cannot be stored stops before it pays for what would be forgotten.
            if let Err(error) = self.save(LabRunState::Running) {
                return JobOutcome::saying(JobState::Failed, error.message);
            }
        }
        self.end(job)
    }

    fn cell(&mut self, at: usize, job: &RunningJob) -> Result<(), AppError> {
        let settings = self.record.cells[at].settings.clone();
        let like = stored_like(&self.parts, &self.session, &settings)?;
        let cell = &mut self.record.cells[at];
        if let Some(ended) = like.ended {
            let run = Some(ended.id.to_string());
            // Its own run may have ended just before the program did.
            let is_own = cell.run == run;
            cell.state = if is_own { BatchCellState::Done } else { BatchCellState::Kept };
            cell.kept_ms = (!is_own).then_some(ended.started_at_ms);
            cell.run = run;
            return Ok(());
        }
        if like.is_running {
            let message = "This run goes on in the Lab. Resume the batch when it has ended.";
            return Err(AppError::bad_input(message));
        }
        let need = Estimates::over(&self.parts, &self.session, job.stop()).need(&settings)?;
        cell.need = Some(need);
        let left_out = left_out(self.record.budget, self.record.spent(), &need);
        let cell = &mut self.record.cells[at];
        if left_out.is_some() {
            (cell.state, cell.note) = (BatchCellState::LeftOut, left_out);
            return Ok(());
        }
        // What was paid for in earlier attempts is settled: the run counts from here.
        let uncounted = like.begun.as_ref().map(|begun| (begun.id, uncounted(&begun.result)));
        let known = uncounted.as_ref().map(|(id, text)| (*id, text.as_str()));
        let work = prepare_run(&self.parts, &self.session, &settings, known)?;
        let run = work.run.id.to_string();
        job.id().clone_into(&mut work.run.shown().job);
        self.parts.lab.keep_run(&run, work.run.clone());
        (cell.state, cell.run) = (BatchCellState::Running, Some(run));
        self.save(LabRunState::Running)?;
        let total = self.record.cells.len() as f64;
        let progress = |done: f64, of: f64| job.progress_part(at as f64 + done / of.max(1.0), total);
        let (state, outcome) = work.go(&RunWatch { stop: job.stop(), progress: &progress });
        let cell = &mut self.record.cells[at];
        let state = match state {
            JobState::Done => BatchCellState::Done,
            JobState::Cancelled => BatchCellState::Stopped,
            JobState::Running | JobState::Failed => BatchCellState::Failed,
        };
        cell.settle(&work.record(), state);
        cell.note = (state != BatchCellState::Done).then_some(outcome);
        Ok(())
    }

    /// The session as it was recorded.
    fn recorded(&self) -> Result<LabBill, AppError> {
        let open = self.parts.sessions.get(&self.session)?;
        let analysis = open.whole_baseline(&self.parts.tables)?;
        with_lab(&analysis, &self.parts.tables, |lab| bill_shape(&lab.recorded_bill(Assumptions::default())))
    }

    fn end(mut self, job: &RunningJob) -> JobOutcome {
        if let Err(error) = self.recommend() {
            self.record.reason = error.message;
        }
        let count = |state| self.record.cells.iter().filter(|cell| cell.state == state).count();
        let (n_failed, n_left_out) = (count(BatchCellState::Failed), count(BatchCellState::LeftOut));
        let (n_kept, total) = (count(BatchCellState::Kept), self.record.cells.len());
        let n_ended = n_kept + count(BatchCellState::Done);
        let is_stopped = job.is_cancelled() && n_ended + n_failed + n_left_out < total;
        let (state, stored) = match () {
            () if is_stopped => (JobState::Cancelled, LabRunState::Cancelled),
            () if n_failed > 0 => (JobState::Failed, LabRunState::Failed),
            () => (JobState::Done, LabRunState::Done),
        };
        let mut outcome = if is_stopped { "Stopped. ".to_owned() } else { String::new() };
        outcome += &format!("{n_ended} of {} have a result", crate::counted(total, "run"));
        for (n, words) in [(n_kept, "kept from before"), (n_left_out, "left out"), (n_failed, "failed")] {
            if n > 0 {
                outcome += &format!(", {n} {words}");
            }
        }
        outcome += ".";
        if n_ended < total {
            outcome += " Resume the batch to go on; nothing is paid for twice.";
        }
        self.record.failure = (state != JobState::Done).then(|| outcome.clone());
        if let Err(error) = self.save(stored) {
            outcome += &format!(" It could not be stored: {}", error.message);
        }
        JobOutcome::saying(state, outcome)
    }

    /// Says which of the cells that ended to take.
    fn recommend(&mut self) -> Result<(), AppError> {
        let ended = self.record.cells.iter().enumerate().filter(|(_, cell)| cell.has_result());
        let mut runs: Vec<(usize, Arc<RunState>)> = Vec::new();
        for (at, cell) in ended {
            runs.push((at, self.parts.run(cell.run.as_deref().unwrap_or_default())?));
        }
        let done = runs.iter().filter_map(|(at, run)| {
            Some((*at, run.done.lock().unwrap_or_else(PoisonError::into_inner).clone()?))
        });
        let done: Vec<_> = done.collect();
        let replays: Vec<&Replayed> = done.iter().map(|(_, done)| &done.0).collect();
        let open = self.parts.sessions.get(&self.session)?;
        let analysis = open.whole_baseline(&self.parts.tables)?;
        let best = with_lab(&analysis, &self.parts.tables, |lab| {
            best_written(lab, &replays, Assumptions::default())
        })?;
        let Some(best) = best else { return Ok(()) };
        let (n_ended, total) = (replays.len(), self.record.cells.len());
        let so_far =
            if n_ended < total { format!("Of the {n_ended} of {total} that ended: ") } else { String::new() };
        self.record.recommended = best.row.and_then(|row| Some(done.get(row)?.0 as u32));
        let with = self.record.recommended.map(|at| {
            let RunSettings { model, writer, .. } = &self.record.cells[at as usize].settings;
            format!("With {}: ", asked(writer, model.as_deref()))
        });
        self.record.reason = so_far + &with.unwrap_or_default() + &best.reason;
        Ok(())
    }
}

/// A stored run whose payments count no more.
fn uncounted(result: &str) -> String {
    let record: RunRecord = serde_json::from_str(result).unwrap_or_default();
    let uncounted = RunRecord { input_tokens: 0.0, output_tokens: 0.0, cost_usd: None, ..record };
    debug_assert_eq!(Spent::of(&uncounted), Spent::default());
    serde_json::to_string(&uncounted).unwrap_or_else(|_| "{}".to_owned())
}
