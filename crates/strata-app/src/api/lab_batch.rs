//! Several configurations with several models, run one after the other within a budget.
//!
//! A batch is a list of runs as `lab/run` makes them: each of its cells is one configuration with one model, and what
//! came of it is that run. Batches are stored.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::job::JobState;
use super::lab::{LabBill, ProbeCounts};

/// A model that is asked, where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BatchModel {
    /// `extractive`, or the name of an endpoint of `model/list`.
    pub writer: String,
    /// The endpoint's model; without it the one of the configuration, else the endpoint's own.
    pub model: Option<String>,
}

/// What may be spent; no limit where both are absent.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BatchBudget {
    pub usd: Option<f64>,
    /// Of prompts and answers, whoever is asked.
    pub tokens: Option<f64>,
}

/// What a batch is asked.
#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BatchChoice {
    pub session: String,
    pub configs: Vec<String>,
    pub models: Vec<BatchModel>,
    /// In place of google-adk's summary prompt; with `{conversation_history}` in it.
    pub prompt: Option<String>,
    pub budget: BatchBudget,
    /// Absent: nothing is asked about summaries.
    pub probes: Option<BatchProbes>,
}

/// Questions about the summaries of every run, made of the facts they stand for. One model answers all of them, so that
/// runs can be set beside each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BatchProbes {
    /// About one run, spread over its summaries.
    pub questions: u32,
    /// The name of an endpoint of `model/list`.
    pub writer: String,
    pub model: Option<String>,
}

/// `lab/batchPlan`: the cells, and what each would take. Nothing is sent.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlanBatch {
    pub choice: BatchChoice,
}

/// `lab/batch`: runs every cell, as a job. A cell of which an ended run is stored is taken from it; one whose run was
/// stopped goes on with it.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StartBatch {
    pub choice: BatchChoice,
}

/// `lab/batchResume`: goes on with the cells that have not ended, as a job.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ResumeBatch {
    pub batch: String,
    /// In place of the budget it had; what it spent counts.
    pub budget: Option<BatchBudget>,
}

/// `lab/batchResult`: a batch as far as it is.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BatchResult {
    pub batch: String,
}

/// `lab/batches`: batches over a session and its experiments, the newest first.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Batches {
    pub session: String,
}

/// `lab/forgetBatch`: takes a batch out of the store. Its runs stay.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ForgetBatch {
    pub batch: String,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BatchStarted {
    pub batch: String,
    pub job: String,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BatchPlan {
    pub cells: Vec<BatchPlanCell>,
    /// Of all cells that would be run.
    pub tokens: f64,
    /// US dollars; null where some model has no price.
    pub cost_usd: Option<f64>,
    pub seconds: f64,
    /// Cells that are not expected to fit into the budget.
    pub n_left_out: u32,
    /// Cells whose runs are stored.
    pub n_kept: u32,
    /// Why it cannot be run so, and what to do; null where it can.
    pub refusal: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BatchPlanCell {
    pub config: String,
    pub writer: String,
    pub model: Option<String>,
    pub need: BatchNeed,
    /// When the run that would be taken began, in epoch milliseconds; null where it would be run.
    pub kept_ms: Option<f64>,
    /// Why it is not expected to fit.
    pub left_out: Option<String>,
}

/// What a cell would take.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BatchNeed {
    pub summaries: u32,
    /// Of prompts and answers; those that were paid for before are not in it.
    pub tokens: f64,
    /// US dollars; null where the model has no price.
    pub cost_usd: Option<f64>,
    pub seconds: f64,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BatchList {
    pub rows: Vec<BatchRow>,
}

/// A batch in the list.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BatchRow {
    pub batch: String,
    pub session: String,
    pub state: JobState,
    pub configs: u32,
    pub models: u32,
    /// Cells that have a result.
    pub done: u32,
    pub cells: u32,
    pub started_ms: f64,
}

/// A batch as far as it is.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabBatch {
    pub batch: String,
    pub session: String,
    pub state: JobState,
    /// Null where none goes on.
    pub job: Option<String>,
    pub prompt: Option<String>,
    pub probes: Option<BatchProbes>,
    pub budget: BatchBudget,
    /// What this batch spent, cells that were kept not among it.
    pub spent_tokens: f64,
    /// US dollars; null where some of it has no price.
    pub spent_usd: Option<f64>,
    pub cells: Vec<BatchCell>,
    /// As the session was recorded.
    pub recorded: Option<LabBill>,
    /// The place of the cell to take, by the rule of sweeps: none that lost a value that was used later.
    pub recommended: Option<u32>,
    /// Why, in a sentence or two; empty until it ended.
    pub reason: String,
    /// Some cell has no result, and none goes on.
    pub can_resume: bool,
    pub failure: Option<String>,
    pub started_ms: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum BatchCellState {
    #[default]
    Waiting,
    Running,
    /// Its run has ended, and questions about its summaries are asked.
    Asking,
    Done,
    /// Taken from a run that was stored.
    Kept,
    /// It would not have fitted into the budget.
    LeftOut,
    Stopped,
    Failed,
}

/// One configuration with one model.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BatchCell {
    pub config: String,
    pub writer: String,
    pub model: Option<String>,
    pub state: BatchCellState,
    /// What happened and what to do, where it has no result.
    pub note: Option<String>,
    /// When the run that was taken began, in epoch milliseconds.
    pub kept_ms: Option<f64>,
    /// The run, which the Lab shows.
    pub run: Option<String>,
    /// What it was expected to take.
    pub need: Option<BatchNeed>,
    pub written: u32,
    pub expected: u32,
    /// Summaries that were paid for before.
    pub from_before: u32,
    /// What this batch had the model read and write for it.
    pub tokens: f64,
    /// US dollars of these; null where the model has no price.
    pub cost_usd: Option<f64>,
    pub tokens_per_s: Option<f64>,
    pub seconds: Option<f64>,
    /// Of the facts in what was summarised.
    pub kept: Option<u32>,
    pub dropped: Option<u32>,
    /// Values that later answers used and that no summary tells.
    pub regret: Option<u32>,
    /// What was answered about its summaries; null where nothing was asked.
    pub answers: Option<ProbeCounts>,
    /// What the session would have come to.
    pub bill: Option<LabBill>,
}
