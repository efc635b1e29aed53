//! Runs that are stored: listed, read again, applied, forgotten; and what a new one would take.

use std::sync::{Arc, PoisonError};

use strata_engine::{CompactionEdit, Edit};
use strata_store::{ExperimentId, LabRunEntry, LabRunId};
use tokio_util::sync::CancellationToken;

use super::experiment;
use super::lab_parts::{LabParts, is_batch};
use crate::Strata;
use crate::api::experiment::ExperimentDetail;
use crate::api::lab::{Apply, ForgetRun, LabRunList, LabRunRow, Runs};
use crate::api::lab_prediction::{EstimateRun, LabEstimate};
use crate::api::session::Removed;
use crate::command::Handler;
use crate::error::AppError;
use crate::lab::{RunState, read_config, size_basis};

pub(super) fn stored_run(strata: &Strata, run: &str) -> Result<(LabRunId, LabRunEntry), AppError> {
    LabParts::of(strata).stored(run)
}

/// A run of this id, or of the job with this id. One that was stored is gone through again with the summaries it
/// had.
pub(super) fn lab_run(strata: &Strata, run: &str) -> Result<Arc<RunState>, AppError> {
    LabParts::of(strata).run(run)
}

impl Handler for Runs {
    fn run(self, strata: &Strata) -> Result<LabRunList, AppError> {
        let session = experiment::recorded_session(strata, &self.session)?;
        let entries = strata.workspace.store().lab_runs(&session)?;
        let parts = LabParts::of(strata);
        let rows = entries.iter().filter(|entry| !is_batch(entry)).map(|entry| {
            let (settings, record, state) = parts.read(entry)?;
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
        let (settings, ..) = LabParts::of(strata).read(&entry)?;
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
        let parts = LabParts::of(strata);
        let found = parts.find(&self.writer)?;
        let stop = CancellationToken::new();
        let (estimate, size) = parts.estimate(&self.session, &config, (&found, self.model), &stop)?;
        Ok(LabEstimate {
            endpoint: found.server.name.clone(),
            address: found.server.shown_url(&found.server.api.answer_path(&estimate.model)),
            input_said: estimate.input_said(),
            model: estimate.model,
            summaries: estimate.summaries,
            from_before: estimate.from_before,
            input_tokens: f64::from(estimate.input.tokens),
            input_basis: estimate.input.basis.into(),
            cached: estimate.cached.into(),
            first_token_s: estimate.first_token_s,
            output_tokens: estimate.output_tokens as f64,
            output_basis: size_basis(size.basis, size.n_fitted),
            cost_usd: estimate.cost_usd,
            seconds: estimate.seconds,
            too_long: estimate.too_long,
            context_tokens: estimate.context_tokens,
            is_free: estimate.is_free,
        })
    }
}
