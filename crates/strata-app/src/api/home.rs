//! Home: what agents did on this computer.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::common::Remedy;
use super::usage::{UsageRow, UsageSums};

/// `home/read`: looks for new and changed files in the places that may be read, and reads them in the background.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Read {
    /// Goes on after it was stopped; otherwise it stays stopped.
    pub goes_on: bool,
}

/// How far reading is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HomeReading {
    pub is_running: bool,
    /// A person stopped it: what was read by then is here.
    pub is_stopped: bool,
    /// Files whose sessions are known, of all files.
    pub read_files: u32,
    pub files: u32,
    /// Files whose sessions were looked through for waste.
    pub examined_files: u32,
    /// Files that were read since this start of Strata: the others had not changed since an earlier one.
    pub newly_read_files: u32,
    /// Places that may be read and are gone.
    pub missing_places: Vec<String>,
}

/// `home/get`: sums, days and sessions of what is read so far. It reads nothing.
#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Get {
    /// Words that a session has in its title, tool, project or models. `tool:`, `project:`, `model:` and `finding:` look there
    /// only; `tool:=Codex CLI` wants just that, and `"…"` keeps words together.
    pub filter: String,
    /// The first and the last day, as `2026-11-20`.
    pub since: Option<String>,
    pub until: Option<String>,
    /// The zone whose days are meant; that of this computer if absent.
    pub timezone: Option<String>,
    pub order: HomeOrder,
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum HomeOrder {
    #[default]
    Newest,
    Cost,
    Tokens,
    Waste,
    /// The fullest windows first.
    Peak,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HomePage {
    pub reading: HomeReading,
    /// The zone of the days.
    pub timezone: String,
    /// Today, in that zone.
    pub today: String,
    /// Of all calls that are wanted, as `usage/get` adds them up.
    pub total: UsageSums,
    /// With a call whose price is not known: the cost is without those calls.
    pub unpriced_sessions: u32,
    pub waste: HomeWaste,
    pub days: Vec<UsageRow>,
    pub tools: Vec<UsageRow>,
    pub projects: Vec<UsageRow>,
    pub models: Vec<UsageRow>,
    pub sessions: Vec<HomeSession>,
    /// Of all pages.
    pub n_sessions: u32,
    pub patterns: Vec<HomePattern>,
    /// The period's days ÷ 7, one at least: what patterns cost a week is divided by it.
    pub weeks: f64,
    /// What came since Home was looked at before this start; absent at the first time.
    pub news: Option<HomeNews>,
    /// The term of the filter that leaves nothing, where nothing is left.
    pub excluding_term: Option<String>,
}

/// What was found in sessions that need not have been: of each session its costliest finding, as findings overlap. So much at
/// least, as an estimate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HomeWaste {
    pub tokens: u64,
    /// US dollars, for the sessions where they are known; absent where there is none.
    pub cost: Option<f64>,
    /// Sessions that were looked through.
    pub examined_sessions: u32,
}

/// A session, its sub-agents included; or a file that could not be read.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HomeSession {
    /// Reading this file opens it.
    pub path: String,
    /// The id that it has itself, or its path.
    pub id: String,
    pub title: String,
    pub tool: String,
    pub project: Option<String>,
    pub models: Vec<String>,
    /// Epoch milliseconds of its last call; of the file, where no call has a time.
    pub last_ms: Option<f64>,
    /// The day of that.
    pub day: Option<String>,
    /// Of the calls that are wanted.
    #[serde(flatten)]
    pub sums: UsageSums,
    /// The largest prompt that was reported.
    pub peak_tokens: Option<u64>,
    /// What its model takes, where that is known.
    pub limit_tokens: Option<u64>,
    /// Prompts as they were reported, and what of them came from a cache, call by call; of many calls the largest of some.
    pub prompts: Vec<HomePrompt>,
    /// Absent until it was looked through.
    pub waste: Option<SessionWaste>,
    /// What a person should know about the file: why it could not be read, or what is missing of it.
    pub problem: Option<String>,
    /// Nothing of it is known.
    pub is_unread: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HomePrompt {
    pub tokens: u64,
    pub cached: u64,
}

/// The costliest finding of a session.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionWaste {
    /// Of its costliest finding, in each of its files; 0 where nothing was found.
    pub tokens: u64,
    pub cost: Option<f64>,
    /// Where to look first.
    pub worst_call: Option<u32>,
    /// What it is.
    pub title: Option<String>,
}

/// A finding that several sessions of a tool have.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HomePattern {
    /// Of the finding.
    pub code: String,
    pub title: String,
    /// What to change.
    pub advice: String,
    pub tool: String,
    /// Sessions that have it, of all sessions of the tool that were looked through.
    pub sessions: u32,
    pub of_sessions: u32,
    /// Over the period. Patterns overlap.
    pub tokens: u64,
    /// US dollars a week, as an estimate: the period's sum ÷ weeks. Absent where a price is not known.
    pub cost_per_week: Option<f64>,
    pub tokens_per_week: f64,
    /// What to change in the tool, in its own terms, as it helps most in the costliest of these sessions.
    pub remedy: Option<Remedy>,
}

/// What came since Home was looked at last.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HomeNews {
    /// Epoch milliseconds.
    pub since_ms: f64,
    #[serde(flatten)]
    pub sums: UsageSums,
}
