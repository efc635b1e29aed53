//! Batches: planned, started, gone on with, shown, listed, forgotten.

use strata_store::{LabRunEntry, LabRunId, LabRunState};
use tokio_util::sync::CancellationToken;

use super::experiment;
use super::lab_batch_probes::probe_need;
use super::lab_batch_work::{BatchWork, stored_like};
use super::lab_estimates::Estimates;
use super::lab_parts::{LabParts, ended_state, is_batch};
use crate::Strata;
use crate::api::job::JobState;
use crate::api::lab_batch::{
    BatchBudget, BatchCell, BatchCellState, BatchChoice, BatchList, BatchNeed, BatchPlan, BatchPlanCell,
    BatchProbes, BatchResult, BatchRow, BatchStarted, Batches, ForgetBatch, LabBatch, PlanBatch, ResumeBatch,
    StartBatch,
};
use crate::api::session::Removed;
use crate::command::Handler;
use crate::error::AppError;
use crate::import::now_ms;
use crate::lab::{BatchRecord, BatchSettings, CellRecord, RunSettings, Spent, left_out, read_config};

/// Cells that a batch may have.
const MOST_CELLS: usize = 60;

/// Why a batch is not done that nobody works on.
const INTERRUPTED: &str =
    "Strata was closed while this batch went on. What had ended is kept; resume it to go on.";

/// Every configuration with every model, each once, with the model that is asked.
fn cells(parts: &LabParts, settings: &BatchSettings) -> Result<Vec<RunSettings>, AppError> {
    if settings.configs.is_empty() || settings.models.is_empty() {
        return Err(AppError::bad_input("A batch takes at least one configuration and one model."));
    }
    let mut cells: Vec<RunSettings> = Vec::new();
    for config in &settings.configs {
        let config = read_config(config, settings.prompt.as_deref())?;
        for asked in &settings.models {
            let model = match &*asked.writer {
                "extractive" => None,
                writer => {
                    let found = parts.find(writer)?;
                    let configured = config.model.as_ref().map(ToString::to_string);
                    asked.model.clone().or(configured).or(found.model)
                }
            };
            let (prompt, writer) = (settings.prompt.clone(), asked.writer.clone());
            let cell = RunSettings { config: config.to_string(), prompt, writer, model };
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
    }
    if cells.len() > MOST_CELLS {
        let n = cells.len();
        let message =
            format!("These are {n} runs; a batch has at most {MOST_CELLS}. Take fewer configurations.");
        return Err(AppError::bad_input(message));
    }
    Ok(cells)
}

fn check_budget(budget: BatchBudget) -> Result<(), AppError> {
    let is_amount = |amount: &f64| amount.is_finite() && *amount >= 0.0;
    if [budget.usd, budget.tokens].iter().flatten().all(is_amount) {
        return Ok(());
    }
    Err(AppError::bad_input("A budget is an amount of 0 or more, in dollars or in tokens."))
}

/// Why a budget cannot hold what these cells would cost, and what to do.
fn refusal(
    parts: &LabParts,
    budget: BatchBudget,
    cells: &[RunSettings],
    probes: Option<&BatchProbes>,
) -> Result<Option<String>, AppError> {
    if budget.usd.is_none() || budget.tokens.is_some() {
        return Ok(None);
    }
    let asked = cells.iter().map(|cell| (&cell.writer, &cell.model));
    let asked = asked.chain(probes.map(|probes| (&probes.writer, &probes.model)));
    for (writer, model) in asked.filter(|(writer, _)| *writer != "extractive") {
        let found = parts.find(writer)?;
        let model = model.as_deref().or(found.model.as_deref()).unwrap_or_default();
        let known = parts.models.knowledge(&found, model, &parts.tables.prices)?;
        if !known.is_free && parts.tables.prices.of_model(model).is_none() {
            let model = if model.is_empty() { writer } else { model };
            return Ok(Some(format!(
                "{model} has no price, so a budget in dollars alone cannot hold it. Give a budget in tokens as well, or \
                 set its price in the settings."
            )));
        }
    }
    Ok(None)
}

impl BatchChoice {
    fn settings(&self) -> BatchSettings {
        let prompt = self.prompt.clone().filter(|prompt| !prompt.trim().is_empty());
        let probes = self.probes.clone().filter(|probes| probes.questions > 0);
        BatchSettings { configs: self.configs.clone(), models: self.models.clone(), prompt, probes }
    }
}

impl Handler for PlanBatch {
    fn run(self, strata: &Strata) -> Result<BatchPlan, AppError> {
        let (parts, choice) = (LabParts::of(strata), self.choice);
        check_budget(choice.budget)?;
        let settings = choice.settings();
        let probes = settings.probes.as_ref();
        let cells = cells(&parts, &settings)?;
        let refusal = refusal(&parts, choice.budget, &cells, probes)?;
        let mut plan = BatchPlan {
            cells: Vec::new(),
            tokens: 0.0,
            cost_usd: Some(0.0),
            seconds: 0.0,
            n_left_out: 0,
            n_kept: 0,
            refusal,
        };
        let stop = CancellationToken::new();
        let mut estimates = Estimates::over(&parts, &choice.session, &stop);
        let mut spent = Spent::default();
        for cell in cells {
            let kept = stored_like(&parts, &choice.session, &cell)?.ended;
            let mut need = match kept {
                Some(_) => BatchNeed { cost_usd: Some(0.0), ..BatchNeed::default() },
                None => estimates.need(&cell)?,
            };
            if let Some(probes) = probes {
                let run = kept.as_ref().map(|kept| kept.id.to_string());
                need = need.with(&probe_need(&mut estimates, &cell, probes, run.as_deref())?);
            }
            let is_free = need.tokens == 0.0 && kept.is_some();
            let left_out = if is_free { None } else { left_out(choice.budget, spent, &need) };
            plan.n_kept += u32::from(kept.is_some());
            plan.n_left_out += u32::from(left_out.is_some());
            if left_out.is_none() {
                spent = spent.plus(Spent::of_tokens(need.tokens, need.cost_usd));
                plan.seconds += need.seconds;
            }
            let kept_ms = kept.as_ref().map(|kept| kept.started_at_ms as f64);
            let RunSettings { config, writer, model, .. } = cell;
            plan.cells.push(BatchPlanCell { config, writer, model, need, kept_ms, left_out });
        }
        (plan.tokens, plan.cost_usd) = (spent.tokens, spent.dollars());
        Ok(plan)
    }
}

impl Handler for StartBatch {
    fn run(self, strata: &Strata) -> Result<BatchStarted, AppError> {
        let (parts, choice) = (LabParts::of(strata), self.choice);
        check_budget(choice.budget)?;
        let settings = choice.settings();
        let cells = cells(&parts, &settings)?;
        let open = parts.sessions.get(&choice.session)?;
        if let Some(refusal) = refusal(&parts, choice.budget, &cells, settings.probes.as_ref())? {
            return Err(AppError::bad_input(refusal));
        }
        let text = serde_json::to_string(&settings).map_err(|error| AppError::internal(error.to_string()))?;
        let begun = parts.workspace.store().begin_lab_run(&open.id, &choice.session, &text, now_ms())?;
        let id = begun.ok_or_else(|| AppError::not_found("This session is no longer in the store."))?;
        let cells = cells.into_iter().map(CellRecord::new).collect();
        let record = BatchRecord { budget: choice.budget, cells, ..BatchRecord::default() };
        start(strata, BatchWork { parts, id, session: choice.session, probes: settings.probes, record })
    }
}

impl Handler for ResumeBatch {
    fn run(self, strata: &Strata) -> Result<BatchStarted, AppError> {
        let parts = LabParts::of(strata);
        let (id, entry) = stored_batch(&parts, &self.batch)?;
        if parts.lab.batch_job(&self.batch).is_some() {
            return Err(AppError::bad_input("This batch goes on already."));
        }
        let (settings, mut record) = read(&entry)?;
        let probes = settings.probes;
        record.budget = self.budget.unwrap_or(record.budget);
        check_budget(record.budget)?;
        for cell in &mut record.cells {
            cell.is_asking = false;
            let run = cell.run.as_deref().and_then(|run| parts.stored(run).ok());
            match (cell.state, run) {
                // What it had paid for when the program ended.
                (BatchCellState::Running, Some((_, entry))) => {
                    cell.settle(&parts.read(&entry)?.1, BatchCellState::Waiting);
                }
                (BatchCellState::Done | BatchCellState::Kept, Some(_)) => continue,
                _ => cell.state = BatchCellState::Waiting,
            }
            cell.note = None;
        }
        let to_run = record.cells.iter().filter(|cell| !cell.has_result());
        let to_run: Vec<RunSettings> = to_run.map(|cell| cell.settings.clone()).collect();
        if let Some(refusal) = refusal(&parts, record.budget, &to_run, probes.as_ref())? {
            return Err(AppError::bad_input(refusal));
        }
        (record.failure, record.recommended) = (None, None);
        record.reason.clear();
        start(strata, BatchWork { parts, id, session: entry.subject, probes, record })
    }
}

fn start(strata: &Strata, work: BatchWork) -> Result<BatchStarted, AppError> {
    let (batch, lab) = (work.id.to_string(), strata.lab.clone());
    if !lab.begin_batch(&batch) {
        return Err(AppError::bad_input("This batch goes on already."));
    }
    let ends = EndsBatch { lab: strata.lab.clone(), batch: batch.clone() };
    work.save(LabRunState::Running)?;
    let title = format!("Comparing {}", crate::counted(work.record.cells.len(), "run"));
    let job = strata.jobs.start(title, "runs", move |job| {
        let _ends = ends;
        work.go(job)
    });
    lab.name_batch_job(&batch, &job);
    Ok(BatchStarted { batch, job })
}

/// However its job ends, the batch goes on no longer.
struct EndsBatch {
    lab: std::sync::Arc<crate::lab::LabResults>,
    batch: String,
}

impl Drop for EndsBatch {
    fn drop(&mut self) {
        self.lab.end_batch(&self.batch);
    }
}

fn stored_batch(parts: &LabParts, batch: &str) -> Result<(LabRunId, LabRunEntry), AppError> {
    let missing =
        || AppError::not_found("This batch is no longer known. Start it again; runs of it are kept.");
    let id = LabRunId::parse(batch).ok_or_else(missing)?;
    let entry = parts.workspace.store().lab_run(id)?;
    Ok((id, entry.filter(is_batch).ok_or_else(missing)?))
}

fn read(entry: &LabRunEntry) -> Result<(BatchSettings, BatchRecord), AppError> {
    let unreadable =
        |error: serde_json::Error| AppError::internal(format!("A stored batch cannot be read: {error}."));
    let settings = serde_json::from_str(&entry.settings).map_err(unreadable)?;
    Ok((settings, serde_json::from_str(&entry.result).map_err(unreadable)?))
}

impl Handler for BatchResult {
    fn run(self, strata: &Strata) -> Result<LabBatch, AppError> {
        let parts = LabParts::of(strata);
        // Before the record: what ends in between is shown as ended, with all that is stored.
        let job = parts.lab.batch_job(&self.batch);
        let (_, entry) = stored_batch(&parts, &self.batch)?;
        let (settings, record) = read(&entry)?;
        let cells: Vec<(BatchCell, Spent)> =
            record.cells.iter().map(|cell| cell_shape(&parts, cell, job.is_some())).collect();
        let spent = cells.iter().map(|(_, spent)| *spent).fold(Spent::default(), Spent::plus);
        let is_interrupted = job.is_none() && entry.state == LabRunState::Running;
        let state = if job.is_some() { JobState::Running } else { ended_state(entry.state) };
        Ok(LabBatch {
            batch: self.batch,
            session: entry.subject,
            state,
            can_resume: job.is_none()
                && !record.cells.iter().all(|cell| cell.is_over(settings.probes.as_ref())),
            prompt: settings.prompt,
            probes: settings.probes,
            budget: record.budget,
            spent_tokens: spent.tokens,
            spent_usd: spent.dollars(),
            recorded: record.recorded,
            recommended: record.recommended,
            reason: record.reason.clone(),
            failure: if is_interrupted { Some(INTERRUPTED.to_owned()) } else { record.failure },
            started_ms: entry.started_at_ms as f64,
            cells: cells.into_iter().map(|(cell, _)| cell).collect(),
            job,
        })
    }
}

/// A cell with what its run says, and what it spent so far.
fn cell_shape(parts: &LabParts, cell: &CellRecord, goes_on: bool) -> (BatchCell, Spent) {
    let is_running = cell.state == BatchCellState::Running;
    let stored = cell.run.as_deref().and_then(|run| parts.stored(run).ok());
    let record = stored.and_then(|(_, entry)| Some(parts.read(&entry).ok()?.1));
    let is_gone = cell.has_result() && record.is_none();
    let record = record.unwrap_or_default();
    let live = cell.run.as_deref().filter(|_| is_running).and_then(|run| parts.lab.running(run));
    let spent = if is_running { cell.spent.plus(Spent::of(&record)) } else { cell.spent };
    let (written, expected, tokens_per_s) = match &live {
        Some(live) => {
            let shown = live.shown();
            (shown.written, shown.expected, shown.tokens_per_s)
        }
        None => (record.summaries.len() as u32, record.expected, None),
    };
    let state = match cell.state {
        BatchCellState::Running if !goes_on => BatchCellState::Stopped,
        _ if cell.is_asking && goes_on => BatchCellState::Asking,
        state => state,
    };
    let gone = is_gone.then(|| "Its run was removed. Resume the batch to run it again.".to_owned());
    let is_ended = cell.has_result();
    let has_run = cell.run.is_some();
    let shape = BatchCell {
        config: cell.settings.config.clone(),
        writer: cell.settings.writer.clone(),
        model: cell.settings.model.clone(),
        state,
        note: gone.or_else(|| cell.note.clone()),
        kept_ms: cell.kept_ms.map(|ms| ms as f64),
        run: cell.run.clone().filter(|_| !is_gone),
        need: cell.need,
        written,
        expected,
        from_before: record.from_before,
        tokens: spent.tokens,
        cost_usd: spent.dollars().filter(|_| has_run),
        tokens_per_s,
        seconds: record.seconds.filter(|_| is_ended),
        kept: record.lost.filter(|_| is_ended).map(|lost| lost.kept + lost.paraphrased),
        dropped: record.lost.filter(|_| is_ended).map(|lost| lost.dropped),
        regret: record.regret.filter(|_| is_ended),
        answers: cell.answers.filter(|_| is_ended),
        bill: record.bill.filter(|_| is_ended),
    };
    (shape, spent)
}

impl Handler for Batches {
    fn run(self, strata: &Strata) -> Result<BatchList, AppError> {
        let parts = LabParts::of(strata);
        let session = experiment::recorded_session(strata, &self.session)?;
        let entries = parts.workspace.store().lab_runs(&session)?;
        let rows = entries.iter().filter(|entry| is_batch(entry)).map(|entry| {
            let (settings, record) = read(entry)?;
            let batch = entry.id.to_string();
            let goes_on = parts.lab.batch_job(&batch).is_some();
            Ok(BatchRow {
                session: entry.subject.clone(),
                state: if goes_on { JobState::Running } else { ended_state(entry.state) },
                configs: settings.configs.len() as u32,
                models: settings.models.len() as u32,
                done: record.cells.iter().filter(|cell| cell.has_result()).count() as u32,
                cells: record.cells.len() as u32,
                started_ms: entry.started_at_ms as f64,
                batch,
            })
        });
        Ok(BatchList { rows: rows.collect::<Result<_, AppError>>()? })
    }
}

impl Handler for ForgetBatch {
    fn run(self, strata: &Strata) -> Result<Removed, AppError> {
        let parts = LabParts::of(strata);
        let (id, entry) = stored_batch(&parts, &self.batch)?;
        if parts.lab.batch_job(&self.batch).is_some() {
            return Err(AppError::bad_input("This batch goes on. Stop it first."));
        }
        parts.workspace.store().delete_lab_run(id)?;
        Ok(Removed { title: format!("Batch of {}", crate::counted(read(&entry)?.1.cells.len(), "run")) })
    }
}
