//! The Lab's use cases: a configuration gone through, swept, or run with a model.

mod batch;
mod estimate;
mod own_setting;
mod pace;
mod results;
mod sent_again;
mod shapes;
mod stored_run;
mod sweep_rows;
mod telling;

use strata_engine::Experiment;
use strata_engine::turn::compaction::CompactionConfig;
use strata_measure::analysis::BilledCalls;
use strata_measure::lab::{Lab, Recording, SummarySize};
use strata_wire::CacheRules;

pub(crate) use batch::{BatchRecord, BatchSettings, CellRecord, Spent, left_out};
pub(crate) use estimate::{Estimate, TargetModel};
pub(crate) use pace::Pace;
pub(crate) use results::{LabResults, RunState};
pub(crate) use sent_again::{SendingAgain, SentAgain};
pub(crate) use shapes::{bill_shape, loss_page, replay_shape, run_window, size_basis};
pub(crate) use stored_run::{ObservedWriter, RunRecord, RunSettings, StoredSummary, StoredWriter};
pub(crate) use sweep_rows::SweepRows;
pub(crate) use telling::Telling;

use crate::error::{AppError, sentence};
use crate::open::Baseline;
use crate::tables::Tables;

/// Rows a sweep may have.
pub(crate) fn read_grid(grid: &str) -> Result<Vec<CompactionConfig>, AppError> {
    strata_measure::lab::parse_grid(grid).map_err(|error| AppError::bad_input(sentence(&error.to_string())))
}

pub(crate) fn read_config(config: &str, prompt: Option<&str>) -> Result<CompactionConfig, AppError> {
    let mut config =
        CompactionConfig::parse(config).map_err(|error| AppError::bad_input(sentence(&error.to_string())))?;
    if let Some(template) = prompt.filter(|template| !template.trim().is_empty()) {
        if !template.contains("{conversation_history}") {
            let message = "The prompt has no {conversation_history} in it, so the model would be shown nothing to \
                 summarise. Write it where the events are to stand.";
            return Err(AppError::bad_input(message));
        }
        config.prompt_template = Some(template.into());
    }
    Ok(config)
}

/// A session in the Lab. Its calls have to be analysed.
pub(crate) fn with_lab<T>(
    baseline: &Baseline<'_>,
    tables: &Tables,
    look: impl FnOnce(&Lab<'_>) -> T,
) -> Result<T, AppError> {
    let caches = baseline.caches(tables)?;
    let recording = baseline.recording(tables)?;
    let recorded = match &recording {
        Some(recording) => Some((recording, recording.caches(tables)?)),
        None => None,
    };
    let recorded = recorded.as_ref().map(|(recording, caches)| Recording {
        experiment: recording.experiment(),
        analysis: recording,
        caches,
    });
    with_billed(baseline.experiment(), baseline.billed(&caches), recorded, tables, look)
}

/// As [`with_lab`], for what is open nowhere. `recording` is what edits were laid over, if any were.
pub(crate) fn with_billed<T>(
    experiment: &Experiment,
    BilledCalls { analysis, caches }: BilledCalls<'_>,
    recording: Option<Recording<'_>>,
    tables: &Tables,
    look: impl FnOnce(&Lab<'_>) -> T,
) -> Result<T, AppError> {
    if analysis.calls().is_empty() {
        let message = "This session has no calls, so there is nothing a summary could make shorter.";
        return Err(AppError::bad_input(message));
    }
    let rules = CacheRules::embedded();
    let lab = Lab::new(experiment, analysis, caches, &tables.counting, &rules, &tables.prices);
    Ok(look(&match recording {
        Some(recording) => lab.compared_with(recording),
        None => lab,
    }))
}

/// The size summaries are taken to have: stated, else fitted to those that are known, else a usual one.
pub(crate) fn summary_size(lab: &Lab<'_>, stated: Option<u32>, more: &[(u32, u32)]) -> SummarySize {
    match stated {
        Some(tokens) => SummarySize::stated(tokens),
        None => SummarySize::fitted(&[lab.recorded_sizes(), more.to_vec()].concat()),
    }
}
