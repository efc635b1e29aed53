//! Experiments: a session with edits laid over it.
//!
//! The id of an experiment stands wherever a command takes the id of a session: every view of a session then shows
//! the experiment.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::common::DiagnosticRow;
use super::script::ScriptReport;

/// An edit has one form wherever it goes: in commands, in the interface, in files and in the store.
pub use strata_engine::{
    AppEdit, ClearedResults, CompactionEdit, Edit, EventsEdit, FlowEdit, JsonObject, LaidSummary,
};

/// `experiment/list`: experiments over a session, the one changed last first.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct List {
    /// A session, or an experiment over it.
    pub session: String,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ExperimentList {
    pub rows: Vec<ExperimentRow>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ExperimentRow {
    /// Stands for a session in every other command.
    pub experiment: String,
    /// The recorded session it is laid over.
    pub session: String,
    pub name: String,
    /// Edits that count.
    pub edits: u32,
    /// Edits that were taken back and can be made again.
    pub undone: u32,
    /// Epoch milliseconds.
    pub changed_ms: f64,
}

/// `experiment/create`: an experiment without edits.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Create {
    /// A session, or an experiment over it.
    pub session: String,
    /// Absent: a number.
    pub name: Option<String>,
}

/// `experiment/get`: an experiment with its edits, and what came of each.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Get {
    pub experiment: String,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ExperimentDetail {
    #[serde(flatten)]
    pub row: ExperimentRow,
    /// In order; those behind `row.edits` were taken back.
    pub list: Vec<EditRow>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EditRow {
    /// Counts from 1.
    pub number: u32,
    /// "Cap rows of tool results: max_rows 20".
    pub title: String,
    pub edit: Edit,
    pub is_undone: bool,
    /// Why it does not fit, or what to know about it.
    pub diagnostics: Vec<DiagnosticRow>,
}

/// What a fix saves over all calls, as far as it was replayed.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Saving {
    pub of: SavedTokens,
    /// Less than without it.
    pub tokens: i64,
    /// US dollars less; absent where a model has no price.
    pub cost_usd: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum SavedTokens {
    /// All tokens of prompts.
    Prompt,
    /// Tokens of prompts that no cache gave.
    FullPrice,
}

/// `experiment/promises`: what fixes promised when they were applied, and what they save with all edits that count.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Promises {
    pub experiment: String,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PromiseList {
    pub rows: Vec<PromiseRow>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PromiseRow {
    /// Of the fix.
    pub title: String,
    /// Its edits, by their numbers.
    pub first_edit: u32,
    pub last_edit: u32,
    pub promised: Saving,
    /// What the session comes to without these edits less what it comes to with them; absent while they are undone.
    pub saves: Option<Saving>,
    /// Both in words.
    pub sentence: String,
}

/// `experiment/rename`.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Rename {
    pub experiment: String,
    pub name: String,
}

/// `experiment/duplicate`: another experiment with the same edits.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Duplicate {
    pub experiment: String,
    /// Absent: the name with "copy".
    pub name: Option<String>,
}

/// `experiment/remove`.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Remove {
    pub experiment: String,
}

/// `experiment/edit`: adds edits. What was undone can then no longer be made again.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AddEdits {
    pub experiment: String,
    pub edits: Vec<Edit>,
    /// Takes the last edit's place instead, where it was one of the same kind and of the same thing: a parameter that
    /// is dragged is one edit.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub replaces_last: bool,
}

/// `experiment/undo`: takes back the last edit.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Undo {
    pub experiment: String,
}

/// `experiment/redo`: makes the edit again that was taken back last.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Redo {
    pub experiment: String,
}

/// `experiment/preview`: what edits would do, without making them.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// A session or an experiment.
    pub session: String,
    pub call: u32,
    pub edits: Vec<Edit>,
    /// In place of so many of the experiment's last edits.
    #[serde(default)]
    #[ts(as = "Option<u32>", optional)]
    pub without_last: u32,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PreviewResult {
    pub this_call: CallEffect,
    pub all_calls: Effect,
    /// What did not fit, and order that is violated.
    pub diagnostics: Vec<DiagnosticRow>,
    /// What scripts of this call wrote and how they failed, by stage.
    pub scripts: Vec<ScriptReport>,
}

/// What edits do to one call.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallEffect {
    pub call: u32,
    pub tokens_before: u32,
    pub tokens_after: u32,
    /// The first stage that gave something else; absent when the request is the same.
    pub first_changed_stage: Option<String>,
    /// Stages that ran again.
    pub stages_run: u32,
    pub stages: u32,
}

/// What edits do to a whole session.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Effect {
    /// Calls that were compared, of all calls: fewer where time ran out.
    pub calls_compared: u32,
    pub calls: u32,
    pub calls_changed: u32,
    pub tokens_before: f64,
    pub tokens_after: f64,
    /// Tokens that match the earlier prompt of the same agent.
    pub cached_before: f64,
    pub cached_after: f64,
    /// US dollars for the prompts, cached at the price of cached reads; absent when a model has no price.
    pub cost_before_usd: Option<f64>,
    pub cost_after_usd: Option<f64>,
    pub breaks_before: u32,
    pub breaks_after: u32,
}

/// `experiment/compare`: two sessions or experiments over the same recording, call by call.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Compare {
    pub a: String,
    pub b: String,
    /// Only calls whose requests differ.
    pub only_changed: bool,
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// "before" is `a`.
    pub effect: Effect,
    pub total: u32,
    pub rows: Vec<ComparedCall>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ComparedCall {
    pub call: u32,
    pub agent: String,
    pub is_changed: bool,
    pub tokens_a: u32,
    pub tokens_b: u32,
    pub cached_a: u32,
    pub cached_b: u32,
    pub cost_a_usd: Option<f64>,
    pub cost_b_usd: Option<f64>,
    /// The prefix ends before the end of the earlier prompt.
    pub breaks_a: bool,
    pub breaks_b: bool,
}

/// `experiment/compareParts`: the requests of one call in two experiments, part by part.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CompareParts {
    pub a: String,
    pub b: String,
    pub call: u32,
    pub fold_unchanged: bool,
    pub offset: u32,
    pub limit: u32,
}

/// `experiment/compareText`: a part of a call's request in two experiments, line by line.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CompareText {
    pub a: String,
    pub b: String,
    pub call: u32,
    /// `4.0`, `sys.1`, `tool.sql_query`.
    pub path: String,
    /// It is the path in `a`, of a part that `b` has no more.
    pub is_left_out: bool,
}

/// `experiment/export`: an experiment, or a session as it is, in a form for elsewhere.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Export {
    /// A session or an experiment.
    pub session: String,
    #[serde(rename = "as")]
    pub format: ExportFormat,
    /// Mask keys, tokens and passwords.
    pub masks_secrets: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ExportFormat {
    /// The session as ADK saves it, with what was really sent, where that is recorded.
    Session,
    /// What the edits change, as a module for the code of a google-adk 2.13 app.
    Patch,
    /// A module for google-adk 2.13: the app, its agents, and plugins that do the same as the edits.
    AdkPython,
    /// The app configuration with the edits that it can hold.
    AdkJson,
    /// The edits.
    Json,
    Yaml,
}

/// `experiment/report`: a session or an experiment as people who have no Strata read it.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// A session or an experiment.
    pub session: String,
    #[serde(rename = "as")]
    pub form: ReportForm,
    /// Mask keys, tokens and passwords.
    pub masks_secrets: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum ReportForm {
    /// One page that needs nothing but a browser.
    Html,
    /// The prompts call by call, as a picture.
    StripSvg,
    /// Which part was sent in which calls, as a picture.
    MapSvg,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Exported {
    /// A name for the file.
    pub file: String,
    pub text: String,
    /// What the form cannot hold.
    pub diagnostics: Vec<DiagnosticRow>,
}
