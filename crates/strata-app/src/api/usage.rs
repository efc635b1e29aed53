//! What agents on this computer used.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::common::{Basis, DiagnosticRow};
use super::job::FailedFile;

/// `usage/get`: reads what agents left on this computer, or files and folders, and adds up what their calls used. Nothing
/// is stored.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Get {
    /// Files and folders; empty for all places where agents leave sessions.
    pub paths: Vec<String>,
    pub by: UsageBy,
    /// The first and the last day, as `2026-11-20`.
    pub since: Option<String>,
    pub until: Option<String>,
    /// The zone whose days are meant, such as `Europe/Oslo`; that of this computer if absent.
    pub timezone: Option<String>,
}

/// What a row is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum UsageBy {
    Day,
    Project,
    Model,
    Tool,
    Session,
}

/// What calls used. A call that several files tell of counts once.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    pub by: UsageBy,
    /// The first and the last day that was asked for.
    pub since: Option<String>,
    pub until: Option<String>,
    /// The zone of the days, by its name where it has one.
    pub timezone: String,
    /// Days from the first to the last; others with most tokens first.
    pub rows: Vec<UsageRow>,
    pub total: UsageSums,
    /// Calls that are in no row, by why they are not.
    pub apart: Vec<UsageApart>,
    /// Records of calls that are told of more than once, in one file or several: they are in no sum.
    pub repeated_calls: u32,
    /// Calls that failed, or whose answer is not recorded: nobody is known to have paid for them.
    pub unpaid_calls: u32,
    /// Calls without a time, which are left out where days were asked for.
    pub undated_calls: u32,
    /// What the models of these calls cost.
    pub prices: Vec<UsagePrice>,
    /// Models without a known price, and what they were asked without one.
    pub unpriced: Vec<UnpricedModel>,
    /// What was read.
    pub places: Vec<UsagePlace>,
    pub files: UsageFiles,
    /// Those that say the same of many files stand there once.
    pub diagnostics: Vec<DiagnosticRow>,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UsageRow {
    /// A day, a folder, a model, a tool, or the id that a session has itself (its path, if none); absent where that is not
    /// known.
    pub key: Option<String>,
    /// Of a session.
    pub title: Option<String>,
    #[serde(flatten)]
    pub sums: UsageSums,
}

/// Sums over calls, of what providers reported.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UsageSums {
    /// With a call of these, their sub-agents included.
    pub sessions: u32,
    /// Those whose prompt is reported.
    pub calls: u32,
    /// Reports on several calls together, which did not report their own.
    pub combined_reports: u32,
    /// Calls that were answered and report no prompt: nothing of it is in these sums.
    pub unreported_calls: u32,
    /// All of the prompts: the next three add up to it.
    pub input_tokens: u64,
    pub uncached_tokens: u64,
    /// Read from a cache, and written to one.
    pub cached_tokens: u64,
    pub cache_write_tokens: u64,
    /// Thoughts included.
    pub output_tokens: u64,
    /// The share of the prompts that was read from a cache, from 0 to 1.
    pub cache_ratio: f64,
    /// US dollars for all calls that have a price; absent where none has one.
    pub cost: Option<f64>,
    /// `reported` where each report is of one call; `estimated` where some are of several, whose prompts may have been
    /// long ones.
    pub cost_basis: Basis,
    /// Calls and reports without a known price: they are not in the cost.
    pub unpriced_calls: u32,
}

/// Calls that no row has.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UsageApart {
    pub why: ApartReason,
    #[serde(flatten)]
    pub sums: UsageSums,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ApartReason {
    /// Calls of sub-agents that no file of their own tells of: their parent's file repeats them while they work.
    Relayed,
    /// Summaries whose tokens are a difference between counters of the client.
    Summaries,
}

/// What a model costs, in US dollars per million tokens. Long prompts may cost more.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UsagePrice {
    /// As calls name it.
    pub model: String,
    pub input: f64,
    pub cached_read: f64,
    pub cache_write: Option<f64>,
    /// For the longer of two lifetimes.
    pub cache_write_long: Option<f64>,
    pub output: f64,
    pub source: String,
    /// The day the source was read; empty for a price of one's own.
    pub seen_on: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UnpricedModel {
    /// Absent where calls name none.
    pub model: Option<String>,
    pub calls: u32,
    /// Of prompts and answers.
    pub tokens: u64,
}

/// A place that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UsagePlace {
    /// The tool that keeps sessions there; absent for a path that was named.
    pub tool: Option<String>,
    pub path: String,
    /// Files with a session.
    pub files: u32,
}

/// Files by what came of them. A conversation that is kept in many files counts as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UsageFiles {
    pub read: u32,
    /// There is no session in them.
    pub without_session: u32,
    pub failed: Vec<FailedFile>,
}
