//! `strata sweep`: many configurations of compaction side by side.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;
use strata_measure::lab::{Assumptions, Bill, Flag, SweepRow, SweepWatch, sweep as run_sweep};

use super::app::AppReport;
use super::diagnostic::FileDiagnostic;
use super::opened::OpenedSession;
use super::source::Source;
use super::{VERSION, Watch};
use crate::error::AppError;
use crate::lab::{read_grid, size_basis, summary_size, with_billed};
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
    /// Configurations of the grid. There are fewer rows where it was stopped.
    pub configs: usize,
    /// What there is to beat: the recording, with its own summaries paid for.
    pub baseline: BillReport,
    /// The same.
    pub recorded: BillReport,
    /// Without any summary.
    pub unchanged: BillReport,
    pub rows: Vec<SweepRowReport>,
    /// Places of the rows that none beats in cost, peak and regret together, the cheapest first.
    pub front: Vec<usize>,
    /// The place of the row to take; absent: none beats the recording.
    pub recommended: Option<usize>,
    /// Why, in a sentence or two.
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
    /// Values that later answers used and that only a summary could tell them: the most that can be regretted.
    pub regret: u32,
    pub flags: Vec<&'static str>,
}

/// A row as it comes.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SweepProgress {
    /// Rows that are there, with this one, and configurations of the grid.
    pub done: usize,
    pub configs: usize,
    pub row: SweepRowReport,
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
            compactions: bill.summaries().summaries,
            breaks: bill.breaks,
            cost: bill.cost(),
            summary_cost: bill.summaries().cost,
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

/// Sweeps a source's only session, or the one called `session`. `tell` hears of each row as it comes, in any order. Of a
/// sweep that is stopped there are the rows that had come.
pub fn sweep(
    source: &Source,
    session: Option<&str>,
    choice: &SweepChoice,
    watch: &dyn Watch,
    tell: &(dyn Fn(&SweepProgress) + Sync),
) -> Result<SweepReport, AppError> {
    // A grid that cannot be read is told before anything is.
    read_grid(&choice.grid)?;
    sweep_of(&OpenedSession::read(source, session, watch)?, choice, watch, tell)
}

/// Sweeps a session that is open.
pub(super) fn sweep_of(
    opened: &OpenedSession,
    choice: &SweepChoice,
    watch: &dyn Watch,
    tell: &(dyn Fn(&SweepProgress) + Sync),
) -> Result<SweepReport, AppError> {
    let configs = read_grid(&choice.grid)?;
    let OpenedSession { subject, tables, compiled, diagnostics } = opened;
    watch.begins(Step::Sweeping(&subject.title));
    let recording = compiled.recording(subject);
    let swept = with_billed(&subject.experiment, compiled.billed(), recording, tables, |lab| {
        let size = summary_size(lab, choice.summary_tokens, &[]);
        let told = Told { watch, tell, n_configs: configs.len(), n_done: AtomicUsize::new(0) };
        run_sweep(lab, &configs, size, Assumptions::default(), &told)
    })?;
    if swept.rows.is_empty() {
        return Err(AppError::bad_input("Stopped before any configuration was replayed."));
    }
    let best = swept.recommended.unwrap_or_default();
    Ok(SweepReport {
        version: VERSION,
        session: subject.id.clone(),
        title: subject.title.clone(),
        app: (&subject.app).into(),
        grid: choice.grid.clone(),
        configs: swept.n_configs,
        baseline: (&swept.baselines.recorded).into(),
        recorded: (&swept.baselines.recorded).into(),
        unchanged: (&swept.baselines.unchanged.bill).into(),
        rows: swept.rows.iter().map(row).collect(),
        front: swept.front,
        recommended: best.row,
        reason: best.reason,
        summary_size: size_basis(swept.baselines.size.basis, swept.baselines.size.n_fitted),
        diagnostics: diagnostics.clone(),
    })
}

/// Tells of a sweep. Replays run side by side.
struct Told<'t> {
    watch: &'t dyn Watch,
    tell: &'t (dyn Fn(&SweepProgress) + Sync),
    n_configs: usize,
    n_done: AtomicUsize,
}

impl SweepWatch for Told<'_> {
    fn replayed(&self, swept: &SweepRow) {
        let done = self.n_done.fetch_add(1, Ordering::Relaxed) + 1;
        self.watch.progress(done as u64, self.n_configs as u64);
        (self.tell)(&SweepProgress { done, configs: self.n_configs, row: row(swept) });
    }

    fn is_stopped(&self) -> bool {
        self.watch.is_cancelled()
    }
}

fn row(row: &SweepRow) -> SweepRowReport {
    SweepRowReport {
        config: row.config.to_string(),
        bill: (&row.bill).into(),
        at_calls: row.summaries.iter().flatten().copied().collect(),
        regret: row.regret,
        flags: row.flags.iter().map(|flag| Flag::name(*flag)).collect(),
    }
}
