//! The Lab: compaction tried out, swept, run, and judged by what it loses.
//!
//! Configurations are texts as the command line takes them (`interval=3,overlap=1`), grids as well. A sweep and a run
//! are jobs. What came of a sweep is asked for by its job's id, as long as the app is open; runs are stored.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::job::JobState;
use super::lab_prediction::LabPrompts;

/// `lab/plan`: which windows a configuration would have summarised, and what every prompt would have been. Nothing is
/// sent anywhere: summaries have a stated or usual size, or are extracts.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    pub session: String,
    pub config: String,
    /// In place of google-adk's summary prompt; with `{conversation_history}` in it.
    pub prompt: Option<String>,
    pub summaries: OfflineSummaries,
}

/// Who writes summaries that cost nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum OfflineSummaries {
    /// Nobody: their size is what matters.
    Sized,
    /// Sentences taken from the events.
    Extractive,
}

/// `lab/sweep`: replays a grid of configurations, as a job. `lab/sweepResult` has the rows as they come.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Sweep {
    pub session: String,
    pub grid: String,
    /// The size summaries are taken to have; without it, fitted to recorded ones, else a usual size.
    pub summary_tokens: Option<u32>,
}

/// `lab/sweepResult`: what a sweep gave so far; `null` before its first row. Rows of one that was stopped stay.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SweepResult {
    pub job: String,
    /// So many rows are known: those that came behind them are told.
    pub from: u32,
}

/// `lab/run`: runs a configuration, as a job; every summary is written by the model, in order. What was written and
/// paid for stays when it fails or is stopped, and is not paid for again when it is started again.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    pub session: String,
    pub config: String,
    pub prompt: Option<String>,
    /// `extractive`, or the name of an endpoint of `model/list`.
    pub writer: String,
    /// The endpoint's model; without it the one of the configuration, else the endpoint's own.
    pub model: Option<String>,
}

/// `lab/runs`: runs over a session and its experiments, the newest first. They are stored.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Runs {
    pub session: String,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabRunList {
    pub rows: Vec<LabRunRow>,
}

/// A run in the list.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabRunRow {
    pub run: String,
    /// The session or the experiment it went over.
    pub session: String,
    pub config: String,
    pub prompt: Option<String>,
    pub writer: String,
    pub model: Option<String>,
    pub state: JobState,
    /// Summaries that were written, and those that were expected in all.
    pub written: u32,
    pub expected: u32,
    pub cost_usd: Option<f64>,
    /// Of the facts in what was summarised; null until it ended.
    pub kept: Option<u32>,
    pub dropped: Option<u32>,
    pub failure: Option<String>,
    /// How long it took, once it has ended.
    pub seconds: Option<f64>,
    pub started_ms: f64,
}

/// `lab/resume`: goes on with a run that was stopped or failed, as a job. What was paid for is not paid for again.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Resume {
    pub run: String,
}

/// `lab/forgetRun`: takes a run out of the store. Answers that were paid for stay.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ForgetRun {
    pub run: String,
}

/// `lab/apply`: lays the summaries of a run over its session, as an edit: of the experiment it went over, else of a new
/// experiment.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Apply {
    pub run: String,
    /// Of the new experiment. Given, one is made even where the run went over an experiment.
    pub name: Option<String>,
}

/// `lab/runResult`: what a run gave so far.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunResult {
    /// The run's id, or its job's.
    pub run: String,
}

/// `lab/loss`: what the summary of a window no longer tells.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Loss {
    pub run: String,
    /// The window's place in it, from 0.
    pub window: u32,
    pub offset: u32,
    pub limit: u32,
}

/// What a model is asked about a window of a run.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProbeChoice {
    pub run: String,
    /// The window's place in it, from 0.
    pub window: u32,
    /// So many questions are made of the window's facts.
    pub facts: u32,
    /// Questions that a person wrote.
    pub questions: Vec<String>,
    /// The name of an endpoint of `model/list`.
    pub writer: String,
    pub model: Option<String>,
}

/// `lab/probePlan`: the questions, and what asking them would cost. Nothing is sent.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlanProbes {
    pub choice: ProbeChoice,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabProbePlan {
    pub endpoint: String,
    pub model: String,
    pub questions: Vec<String>,
    /// Two for each question: with the events, and with the summary.
    pub prompts: u32,
    /// Prompts whose answers are known, and that are not sent again.
    pub from_before: u32,
    pub input_tokens: f64,
    pub output_tokens: f64,
    /// US dollars; null where the model has no price.
    pub cost_usd: Option<f64>,
}

/// `lab/probe`: has a model answer questions about a window from its events and from its summary, as a job.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Probes {
    pub choice: ProbeChoice,
}

/// `lab/probeResult`: the answers so far.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProbeResult {
    pub job: String,
}

/// What a model could answer from a summary.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabProbes {
    pub rows: Vec<LabProbe>,
    #[serde(flatten)]
    pub counts: ProbeCounts,
    pub is_ended: bool,
    /// What happened, what was kept.
    pub failure: Option<String>,
}

/// How many questions were answered how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ProbeCounts {
    pub kept: u32,
    pub lost: u32,
    /// The events do not tell it either.
    pub unanswered: u32,
    /// The events tell it, and the model did not find it in them: that says nothing of the summary.
    pub missed: u32,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabProbe {
    pub question: String,
    /// The fact that was asked for, and the address of the event that states it; null where a person asked.
    pub expected: Option<String>,
    pub event: Option<String>,
    pub from_events: String,
    pub from_summary: String,
    pub grade: ProbeGrade,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ProbeGrade {
    Kept,
    Lost,
    Unanswered,
    Missed,
}

/// A configuration gone through.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabReplay {
    pub config: String,
    /// The windows are those google-adk would have taken.
    pub is_adk: bool,
    pub windows: Vec<LabWindow>,
    pub bill: LabBill,
    /// Without any summary.
    pub unchanged: LabBill,
    /// As it was recorded.
    pub recorded: LabBill,
    /// Tokens of each prompt, C1 first; the same without any summary, and as recorded.
    pub prompt_tokens: Vec<u32>,
    pub unchanged_tokens: Vec<u32>,
    pub recorded_tokens: Vec<u32>,
    pub cleared: Vec<LabCleared>,
    /// Facts of all windows so far that some summary still tells, after each summary.
    pub survival: Vec<LabGeneration>,
    /// What can be read at the end of everything that is summarised; null where no summary is written.
    pub told: Option<LabTold>,
    /// The same in sentences, with what never reaches a summariser.
    pub said: String,
    /// What later answers used of that which is summarised away, in the order of the calls: the first of them.
    pub regret: Vec<LabRegret>,
    /// All of them.
    pub n_regret: u32,
    /// The summaries are not written: it is the most that can be regretted.
    pub is_regret_bound: bool,
    /// The same in a sentence.
    pub regret_said: String,
    /// The setting in the session's own tool; null where it has none.
    pub own_setting: Option<LabOwnSetting>,
}

/// How much of what was summarised can be read.
#[derive(Debug, Clone, Copy, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabTold {
    pub facts: u32,
    /// As they were, or in other words.
    pub facts_told: u32,
    /// Of tables in the results of tools.
    pub rows: u32,
    pub rows_told: u32,
    /// Names, ids and numbers in the results of tools, each once.
    pub values: u32,
    pub values_told: u32,
    /// Of the events, as google-adk's summariser spells them.
    pub characters: f64,
    /// Of these, the ones that it cuts off.
    pub unread_characters: f64,
    /// Calls and results that it cuts.
    pub n_cut: u32,
}

/// A value that was summarised away and used later.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabRegret {
    pub value: String,
    /// The address of the newest event that held it.
    pub event: String,
    /// The window that event went with, from 0; null where a result was cleared.
    pub window: Option<u32>,
    /// The call whose answer used it, by number.
    pub call: u32,
    /// The tool in whose arguments it stands; null: in the answer's text.
    pub tool: Option<String>,
}

/// What a person writes in the tool that made the session.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabOwnSetting {
    /// "google-adk", "Codex".
    pub tool: String,
    /// A line to copy; null: the configuration in google-adk's terms.
    pub text: Option<String>,
    /// Where it goes: `~/.codex/config.toml`.
    pub place: Option<String>,
}

/// Tool results that gave way to a note.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabCleared {
    pub before_call: u32,
    /// Addresses.
    pub events: Vec<String>,
}

/// How much is still told after a summary.
#[derive(Debug, Clone, Copy, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabGeneration {
    /// The window's place, from 0.
    pub window: u32,
    pub facts: u32,
    pub alive: u32,
}

/// A summary that is due.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabWindow {
    /// The first call that can see the summary; none after the last call.
    pub at_call: Option<u32>,
    /// That call waits for it.
    pub is_waited_for: bool,
    pub trigger: LabTrigger,
    /// Addresses of the first and the last event.
    pub first_event: String,
    pub last_event: String,
    pub events: u32,
    /// The earlier window whose summary is summarised again.
    pub seed: Option<u32>,
    pub tokens_before: u32,
    /// Of the summary.
    pub tokens_after: u32,
    pub summarizer: String,
    /// Empty where its size is all there is.
    pub summary: String,
    /// Why it was not laid over the session.
    pub blocked: Option<String>,
    pub kept: u32,
    pub paraphrased: u32,
    pub dropped: u32,
    /// The share of what was lost, by weight, from 0 to 1.
    pub lost_share: f64,
    /// Null where nothing was written.
    pub told: Option<LabTold>,
    /// How much can be read, and what never reached the summariser, in sentences.
    pub said: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum LabTrigger {
    TokenThreshold,
    SlidingWindow,
    PromptLimit,
}

/// Sums over a session. Answers of the agents are left out: they cost the same.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabBill {
    pub prompt_tokens: f64,
    /// Not found in a cache.
    pub billed_tokens: f64,
    pub cached_tokens: f64,
    /// Put into a cache.
    pub written_tokens: f64,
    pub peak_tokens: u32,
    pub breaks: u32,
    pub compactions: u32,
    /// US dollars, with those of the summaries.
    pub cost_usd: Option<f64>,
    pub summary_cost_usd: Option<f64>,
    pub summary_input_tokens: f64,
    pub summary_output_tokens: f64,
    /// Until the first token, over all calls; an estimate with stated rates.
    pub latency_s: f64,
}

/// What a sweep gave so far.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabSweep {
    pub grid: String,
    /// Configurations of the grid.
    pub total: u32,
    /// No more rows come. There are fewer than configurations where it was stopped.
    pub is_ended: bool,
    /// Without any summary.
    pub unchanged: LabBill,
    /// What there is to beat: the recording, its own summaries paid for.
    pub recorded: LabBill,
    pub unchanged_tokens: Vec<u32>,
    /// In the order in which they came; all of them at the end, in that of the grid.
    pub rows: Vec<LabRow>,
    /// Places in the grid of the rows that none beats in cost, peak and regret together, the cheapest first. Empty until
    /// it ended.
    pub front: Vec<u32>,
    /// The place in the grid of the row to take; null: none beats the recording, or it has not ended.
    pub recommended: Option<u32>,
    /// Why, in a sentence or two; empty until it ended.
    pub reason: String,
    /// Where the size of summaries is from: "stated", "fitted to 4 summaries", "assumed".
    pub size_basis: String,
    /// The rates behind the latency.
    pub read_tokens_per_s: f64,
    pub cached_tokens_per_s: f64,
    pub written_tokens_per_s: f64,
}

/// One configuration of a sweep.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabRow {
    /// Its place in the grid, from 0.
    pub place: u32,
    pub config: String,
    /// The two numbers of the heat map: interval and overlap, threshold and retention, or limit and keep.
    pub x: u32,
    pub y: u32,
    pub family: LabFamily,
    pub bill: LabBill,
    /// First calls that see each summary.
    pub at_calls: Vec<u32>,
    /// Values that later answers used and that only a summary could tell them: the most that can be regretted.
    pub regret: u32,
    pub flags: Vec<String>,
}

/// Configurations that lie in one heat map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum LabFamily {
    Off,
    SlidingWindow,
    TokenThreshold,
    Both,
    Steps,
}

/// A run as far as it is.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabRun {
    /// Empty where it was read from the store.
    pub job: String,
    pub run: String,
    pub state: JobState,
    pub config: String,
    pub writer: String,
    pub model: Option<String>,
    /// Summaries that are written, paid for now or before.
    pub written: u32,
    pub expected: u32,
    pub from_before: u32,
    /// What the model reported for those of this run.
    pub input_tokens: f64,
    pub output_tokens: f64,
    pub cost_usd: Option<f64>,
    /// What was predicted of the prompts of this run; null as long as the model has reported on none of them.
    pub prompts: Option<LabPrompts>,
    /// What is being written.
    pub streaming: String,
    /// Tokens of the summary that is being written so far, by our count; thoughts included.
    pub streamed_tokens: u32,
    /// As fast as they come; null before any came.
    pub tokens_per_s: Option<f64>,
    /// Until the run ends, by how long the summaries so far took; null as long as that is a guess.
    pub seconds_left: Option<f64>,
    /// How long it took, once it has ended.
    pub seconds: Option<f64>,
    /// The beginning of a summary that was not written to its end.
    pub partial: Option<LabPartial>,
    /// Set when it ended well.
    pub replay: Option<LabReplay>,
    /// Set when it did not: what happened, what was kept, what to do.
    pub failure: Option<String>,
}

/// The beginning of a summary that was cut off, stopped or given up. It is laid over no session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabPartial {
    /// The summary's number, from 1.
    pub number: u32,
    pub text: String,
}

/// What became of the facts of a window.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabLoss {
    /// Of rows, values and facts, and of what reached the summariser.
    pub told: LabTold,
    /// The same in sentences.
    pub said: String,
    pub total: u32,
    pub kept: u32,
    pub paraphrased: u32,
    pub dropped: u32,
    pub lost_share: f64,
    pub summary: String,
    pub items: Vec<LabFact>,
}

/// A fact of a window.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabFact {
    /// "path", "identifier", "number", …
    pub kind: String,
    pub text: String,
    pub verdict: FactVerdict,
    /// The address of the event that states it.
    pub event: String,
    /// How often the session states it again after the window.
    pub used_later: u32,
    pub weight: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum FactVerdict {
    Kept,
    Paraphrased,
    Dropped,
}
