//! Findings with fixes that were tried on the whole session.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::common::{Basis, FindingRow, Remedy};
use super::experiment::{Edit, Effect, Saving};

/// `findings/list`: what is worth a person's time, the costliest first, with what would help. Fixes are tried in the
/// background: ask again while `isComplete` is false.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct List {
    /// A session or an experiment.
    pub session: String,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FindingList {
    /// Every call is compiled and every fix was tried.
    pub is_complete: bool,
    /// The tool that wrote the session, where what helps is set in it: "Claude Code".
    pub writer: Option<String>,
    pub rows: Vec<FixableFinding>,
    /// Sources of bloat, the costliest first, with what would make each smaller.
    pub bloat: Vec<BloatRow>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FixableFinding {
    pub finding: FindingRow,
    /// The most saving first; empty where no edit helps.
    pub fixes: Vec<FixRow>,
}

/// A source of tokens that calls carry again and again.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BloatRow {
    /// `E7`, `tool.search_logs`, `agent.planner`.
    pub address: String,
    /// `E7 search_logs`.
    pub name: String,
    /// Of one call.
    pub tokens: u32,
    pub basis: Basis,
    /// How many calls carried it.
    pub calls: u32,
    pub lifetime_tokens: f64,
    pub cost_usd: Option<f64>,
    pub fixes: Vec<FixRow>,
}

/// A change that would help, tried on all calls.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FixRow {
    /// "Cap rows of search_logs at 20".
    pub title: String,
    /// What `findings/apply` makes of it.
    pub edits: Vec<Edit>,
    /// Prompt tokens less over all calls.
    pub saves_tokens: f64,
    pub saves_usd: Option<f64>,
    pub basis: Basis,
    pub effect: Effect,
    /// What to change in the tool that wrote the session instead, where it has a setting for it.
    pub remedy: Option<Remedy>,
    /// That cached tokens are lost, or drops what an answer uses later, a sentence each.
    pub warnings: Vec<String>,
}

/// `findings/apply`: makes a fix's edits. On a session, in a new experiment.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Apply {
    /// A session or an experiment.
    pub session: String,
    /// For the name of a new experiment.
    pub title: String,
    pub edits: Vec<Edit>,
    /// What it was found to save, to be set beside what it saves in the end.
    #[serde(default)]
    #[ts(as = "Option<Saving>", optional)]
    pub promised: Option<Saving>,
}
