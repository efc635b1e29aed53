//! Runs that are stored: listed, read again, applied, forgotten; and what a new one would take.

use std::sync::{Arc, PoisonError};

use strata_engine::{CompactionEdit, Edit};
use strata_store::{ExperimentId, LabRunEntry, LabRunId, LabRunState};

use super::{experiment, model};
use crate::Strata;
use crate::api::experiment::ExperimentDetail;
use crate::api::job::JobState;
use crate::api::lab::{Apply, EstimateRun, ForgetRun, LabEstimate, LabRunList, LabRunRow, Runs};
use crate::api::session::Removed;
use crate::command::Handler;
use crate::error::AppError;
use crate::lab::{
    RunRecord, RunSettings, RunState, StoredWriter, TargetModel, Telling, read_config, replay_shape,
    size_basis, summary_size, with_lab,
};

/// Why a run is not done that nobody works on.
const INTERRUPTED: &str =
    "Strata was closed while it went on. What was written is kept; resume it to go on from there.";

fn unreadable(error: &serde_json::Error) -> AppError {
    AppError::internal(format!("A stored run cannot be read: {error}."))
}

/// What was asked for, what came of it, and how far it is.
fn read(strata: &Strata, entry: &LabRunEntry) -> Result<(RunSettings, RunRecord, JobState), AppError> {
    let settings = serde_json::from_str(&entry.settings).map_err(|error| unreadable(&error))?;
    let mut record: RunRecord = serde_json::from_str(&entry.result).map_err(|error| unreadable(&error))?;
    if let Some(running) = strata.lab.running(&entry.id.to_string()) {
        // What is shown of it is newer than what is stored.
        let shown = running.shown();
        (record.expected, record.cost_usd, record.failure) = (shown.expected, shown.cost_usd, None);
        return Ok((settings, record, JobState::Running));
    }
    let state = match entry.state {
        LabRunState::Running => {
            record.failure = Some(INTERRUPTED.to_owned());
            JobState::Failed
        }
        LabRunState::Done => JobState::Done,
        LabRunState::Cancelled => JobState::Cancelled,
        LabRunState::Failed => JobState::Failed,
    };
    Ok((settings, record, state))
}

pub(super) fn stored_run(strata: &Strata, run: &str) -> Result<(LabRunId, LabRunEntry), AppError> {
    let missing = || AppError::not_found("This run is no longer known. Run the setting again.");
    let id = LabRunId::parse(run).ok_or_else(missing)?;
    let entry = strata.workspace.store().lab_run(id)?;
    Ok((id, entry.ok_or_else(missing)?))
}

/// A run of this id, or of the job with this id. One that was stored is gone through again with the summaries it
/// had.
pub(super) fn lab_run(strata: &Strata, run: &str) -> Result<Arc<RunState>, AppError> {
    if let Some(known) = strata.lab.run(run) {
        return Ok(known);
    }
    let (id, entry) = stored_run(strata, run)?;
    let (settings, record, state) = read(strata, &entry)?;
    let config = read_config(&settings.config, settings.prompt.as_deref())?;
    let restored = Arc::new(RunState::restored(id, &entry.subject, (&config, &settings), &record, state));
    if state == JobState::Done {
        let open = strata.sessions.get(&entry.subject)?;
        let analysis = open.whole_baseline(&strata.tables)?;
        with_lab(&analysis, &strata.tables, |lab| {
            let mut again = StoredWriter { summaries: record.summaries.into_iter() };
            let replayed = lab.replay(&config, &mut again).map_err(|stop| AppError::bad_input(stop.0))?;
            let telling = Telling::of(&open.experiment, &replayed);
            let replay = replay_shape(lab, &replayed, Some(&telling), open.writer());
            restored.finish(replayed, telling, replay);
            Ok::<(), AppError>(())
        })??;
    }
    strata.lab.keep_run(run, restored.clone());
    Ok(restored)
}

impl Handler for Runs {
    fn run(self, strata: &Strata) -> Result<LabRunList, AppError> {
        let session = experiment::recorded_session(strata, &self.session)?;
        let entries = strata.workspace.store().lab_runs(&session)?;
        let rows = entries.iter().map(|entry| {
            let (settings, record, state) = read(strata, entry)?;
            Ok(LabRunRow {
                run: entry.id.to_string(),
                session: entry.subject.clone(),
                config: settings.config,
                prompt: settings.prompt,
                writer: settings.writer,
                model: settings.model,
                state,
                written: record.summaries.len() as u32,
                seconds: record.seconds,
                expected: record.expected,
                cost_usd: record.cost_usd,
                kept: record.lost.map(|lost| lost.kept + lost.paraphrased),
                dropped: record.lost.map(|lost| lost.dropped),
                failure: record.failure,
                started_ms: entry.started_at_ms as f64,
            })
        });
        Ok(LabRunList { rows: rows.collect::<Result<_, AppError>>()? })
    }
}

impl Handler for ForgetRun {
    fn run(self, strata: &Strata) -> Result<Removed, AppError> {
        if strata.lab.running(&self.run).is_some() {
            return Err(AppError::bad_input("This run goes on. Stop it first."));
        }
        let (id, entry) = stored_run(strata, &self.run)?;
        strata.lab.forget_run(&self.run);
        strata.workspace.store().delete_lab_run(id)?;
        let (settings, ..) = read(strata, &entry)?;
        Ok(Removed { title: settings.config })
    }
}

impl Handler for Apply {
    fn run(self, strata: &Strata) -> Result<ExperimentDetail, AppError> {
        let run = lab_run(strata, &self.run)?;
        let done = run.done.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let done = done.ok_or_else(|| {
            AppError::bad_input(
                "This run has not ended, so there is no result to lay over the session. Resume it first.",
            )
        })?;
        let edit = done.0.edit();
        if let (Some(id), None) = (ExperimentId::parse(&run.session), &self.name) {
            let (_, entry) = experiment::entry(strata, &run.session)?;
            return experiment::add(strata, id, entry.n_applied, &[edit]);
        }
        let mut edits = match ExperimentId::parse(&run.session) {
            Some(_) => strata
                .sessions
                .experiment(&run.session)?
                .edits
                .as_ref()
                .map_or(Vec::new(), |over| over.applied().to_vec()),
            None => Vec::new(),
        };
        edits.push(edit);
        let session = experiment::recorded_session(strata, &run.session)?;
        let texts = edits.iter().map(experiment::text).collect::<Result<Vec<String>, AppError>>()?;
        let name = self.name.unwrap_or_else(|| format!("Compacted: {}", name_of(&edits)));
        experiment::create(strata, &session, Some(name), &texts)
    }
}

fn name_of(edits: &[Edit]) -> String {
    match edits.last() {
        Some(Edit::Compaction(CompactionEdit::Lay { config, .. })) => config.to_string(),
        _ => String::new(),
    }
}

impl Handler for EstimateRun {
    fn run(self, strata: &Strata) -> Result<LabEstimate, AppError> {
        let config = read_config(&self.config, self.prompt.as_deref())?;
        let open = strata.sessions.get(&self.session)?;
        let analysis = open.whole_baseline(&strata.tables)?;
        let found = model::find(strata, &self.writer)?;
        let model = self
            .model
            .or_else(|| config.model.as_ref().map(ToString::to_string))
            .or_else(|| found.model.clone());
        let tables = &strata.tables;
        with_lab(&analysis, tables, |lab| {
            let size = summary_size(lab, config.summary_tokens, &strata.lab.sizes(&self.session));
            let asked = TargetModel {
                found: &found,
                model: model.as_deref(),
                models: &strata.models,
                store: Some(strata.workspace.store_lock()),
                counting: &tables.counting,
                prices: &tables.prices,
            };
            let estimate = asked.estimate(lab, &config, size)?;
            Ok(LabEstimate {
                endpoint: found.server.name.clone(),
                address: found.server.shown_url(&found.server.api.answer_path(&estimate.model)),
                model: estimate.model,
                summaries: estimate.summaries,
                from_before: estimate.from_before,
                input_tokens: f64::from(estimate.input.tokens),
                input_basis: estimate.input.basis.into(),
                output_tokens: estimate.output_tokens as f64,
                output_basis: size_basis(size.basis, size.n_fitted),
                cost_usd: estimate.cost_usd,
                seconds: estimate.seconds,
                too_long: estimate.too_long,
                context_tokens: estimate.context_tokens,
                is_free: estimate.is_free,
            })
        })?
    }
}
