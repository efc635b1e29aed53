//! `strata sweep`: many configurations of compaction side by side.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;
use strata_measure::lab::{Assumptions, Bill, Flag, SweepRow, sweep as run_sweep};

use super::app::AppReport;
use super::diagnostic::FileDiagnostic;
use super::source::Source;
use super::{VERSION, Watch};
use crate::error::AppError;
use crate::lab::{read_grid, summary_size, sweep_shape, with_billed};
use crate::tables::Tables;
use crate::watch::Step;

/// The document of `strata sweep`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SweepReport {
    pub version: u32,
    pub session: String,
    /// Of the session.
    pub title: String,
    pub app: AppReport,
    pub grid: String,
    /// Without any summary.
    pub baseline: BillReport,
    /// As it was recorded.
    pub recorded: BillReport,
    pub rows: Vec<SweepRowReport>,
    /// Places of the rows that none beats in both cost and peak, the cheapest first.
    pub front: Vec<usize>,
    /// The place of the row to take; absent: no compaction.
    pub recommended: Option<usize>,
    /// Why, in a sentence.
    pub reason: String,
    /// Where the size of summaries is from.
    pub summary_size: String,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// One configuration.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SweepRowReport {
    pub config: String,
    #[serde(flatten)]
    pub bill: BillReport,
    /// First calls that see each summary.
    pub at_calls: Vec<u32>,
    pub flags: Vec<&'static str>,
}

/// Sums over a session. Answers of the agents are left out: they cost the same.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BillReport {
    pub billed_tokens: u64,
    pub cached_tokens: u64,
    pub written_tokens: u64,
    pub prompt_tokens: u64,
    pub peak_tokens: u32,
    pub compactions: u32,
    pub breaks: u32,
    /// US dollars, with those of the summaries.
    pub cost: Option<f64>,
    pub summary_cost: Option<f64>,
    /// Seconds until the first token, over all calls; an estimate with stated rates.
    pub latency_s: f64,
}

impl From<&Bill> for BillReport {
    fn from(bill: &Bill) -> Self {
        Self {
            billed_tokens: bill.billed_tokens(),
            cached_tokens: bill.calls.cached_tokens,
            written_tokens: bill.calls.all_written_tokens(),
            prompt_tokens: bill.calls.prompt_tokens,
            peak_tokens: bill.peak_tokens,
            compactions: bill.summaries.n_summaries,
            breaks: bill.breaks,
            cost: bill.cost(),
            summary_cost: bill.summaries.cost,
            latency_s: (bill.latency_s * 1000.0).round() / 1000.0,
        }
    }
}

/// What a sweep is asked.
#[derive(Debug, Clone)]
pub struct SweepChoice {
    pub grid: String,
    /// The size summaries are taken to have.
    pub summary_tokens: Option<u32>,
}

/// Sweeps a source's only session, or the one called `session`.
pub fn sweep(
    source: &Source,
    session: Option<&str>,
    choice: &SweepChoice,
    watch: &dyn Watch,
) -> Result<SweepReport, AppError> {
    let configs = read_grid(&choice.grid)?;
    let (subject, diagnostics) = source.read_one(session, watch)?;
    let tables = Tables::default();
    let compiled = subject.compiled(subject.n_calls(), &tables, watch)?;
    watch.begins(Step::Sweeping(&subject.title));
    let (swept, shape) = with_billed(&subject.experiment, compiled.billed(), &tables, |lab| {
        let size = summary_size(lab, choice.summary_tokens, &[]);
        // Replays run side by side, and may tell of their ends in another order.
        let furthest = AtomicUsize::new(0);
        let swept = run_sweep(lab, &configs, size, Assumptions::default(), &|n_done| {
            let before = furthest.fetch_max(n_done, Ordering::Relaxed);
            watch.progress(before.max(n_done) as u64, configs.len() as u64);
            !watch.is_cancelled()
        });
        let swept =
            swept.ok_or_else(|| AppError::bad_input("Stopped before all configurations were replayed."))?;
        let shape = sweep_shape(&choice.grid, &swept);
        Ok::<_, AppError>((swept, shape))
    })??;
    Ok(SweepReport {
        version: VERSION,
        session: subject.id.clone(),
        title: subject.title.clone(),
        app: (&subject.app).into(),
        grid: choice.grid.clone(),
        baseline: (&swept.unchanged.bill).into(),
        recorded: (&swept.recorded).into(),
        rows: swept.rows.iter().map(row).collect(),
        front: swept.front.clone(),
        recommended: swept.recommended.as_ref().and_then(|best| best.row),
        reason: shape.reason,
        summary_size: shape.size_basis,
        diagnostics,
    })
}

fn row(row: &SweepRow) -> SweepRowReport {
    SweepRowReport {
        config: row.config.to_string(),
        bill: (&row.bill).into(),
        at_calls: row.summaries.iter().flatten().copied().collect(),
        flags: row.flags.iter().map(|flag| Flag::name(*flag)).collect(),
    }
}
