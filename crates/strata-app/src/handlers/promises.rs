//! What fixes promised when they were applied, beside what they save with all edits that count.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use strata_measure::analysis::{BilledCalls, CacheAnalysis, Effect};
use strata_store::ExperimentId;

use crate::Strata;
use crate::api::experiment::{ExperimentDetail, PromiseList, PromiseRow, Promises, SavedTokens, Saving};
use crate::command::Handler;
use crate::error::AppError;
use crate::open::{Baseline, OpenExperiment};
use crate::show::kept_promise;

/// As it is stored beside the last edit of a fix.
#[derive(Debug, Deserialize, Serialize)]
struct StoredPromise {
    title: String,
    /// How many edits the fix has.
    edits: u32,
    promised: Saving,
}

/// Remembers what was promised of the last `n_edits` edits of an experiment.
pub(super) fn keep(
    strata: &Strata,
    made: &ExperimentDetail,
    title: String,
    n_edits: usize,
    promised: Saving,
) -> Result<(), AppError> {
    let (Some(id), Some(last)) =
        (ExperimentId::parse(&made.row.experiment), made.row.edits.checked_sub(1).filter(|_| n_edits > 0))
    else {
        return Ok(());
    };
    let promise = StoredPromise { title, edits: n_edits as u32, promised };
    let text = serde_json::to_string(&promise).map_err(|error| AppError::internal(error.to_string()))?;
    strata.workspace.store().set_promise(id, last, &text)?;
    Ok(())
}

impl Handler for Promises {
    fn run(self, strata: &Strata) -> Result<PromiseList, AppError> {
        let open = strata.sessions.experiment(&self.experiment)?;
        let edits = open.edits.as_ref().ok_or_else(|| AppError::internal("An experiment has no edits."))?;
        let stored = strata.workspace.store().promises(edits.entry.id)?;
        if stored.is_empty() {
            return Ok(PromiseList { rows: Vec::new() });
        }
        let whole = open.whole_baseline(&strata.tables)?;
        let recording = edits.base.whole_baseline(&strata.tables)?;
        let rows = stored.into_iter().map(|(last, text)| {
            let promise: StoredPromise = serde_json::from_str(&text)
                .map_err(|error| AppError::internal(format!("A promise cannot be read: {error}.")))?;
            let end = last as usize + 1;
            let its = end.saturating_sub(promise.edits as usize)..end;
            let is_applied = end <= edits.applied().len();
            let saves = if is_applied {
                Some(saved(strata, edits, &its, (&whole, &recording), promise.promised.of)?)
            } else {
                None
            };
            let has_others = edits.applied().len() > its.len();
            Ok(PromiseRow {
                sentence: kept_promise(promise.promised, saves, has_others),
                title: promise.title,
                first_edit: its.start as u32 + 1,
                last_edit: end as u32,
                promised: promise.promised,
                saves,
            })
        });
        Ok(PromiseList { rows: rows.collect::<Result<_, AppError>>()? })
    }
}

/// What some of the edits that count save: the session without them, less the session with them.
fn saved(
    strata: &Strata,
    edits: &OpenExperiment,
    its: &Range<usize>,
    (with, recording): (&Baseline<'_>, &Baseline<'_>),
    of: SavedTokens,
) -> Result<Saving, AppError> {
    let tables = &strata.tables;
    let others = [&edits.applied()[..its.start], &edits.applied()[its.end..]].concat();
    let without = tables.edited(recording.experiment(), &others).experiment;
    let mut analysis = recording.sharing();
    while analysis.step(&without, &tables.counting) {}
    let recorded = recording.caches(tables)?;
    let recorded = recording.billed(&recorded);
    let caches = CacheAnalysis::of_edited(&without, &analysis, recorded, analysis.rules(), &tables.prices);
    let with_caches = with.caches(tables)?;
    let effect = Effect::of(BilledCalls { analysis: &analysis, caches: &caches }, with.billed(&with_caches));
    let tokens = match of {
        SavedTokens::Prompt => effect.saved_tokens(),
        SavedTokens::FullPrice => {
            effect.before.bill.fresh_tokens().cast_signed() - effect.after.bill.fresh_tokens().cast_signed()
        }
    };
    Ok(Saving { of, tokens, cost_usd: effect.saved_cost() })
}
