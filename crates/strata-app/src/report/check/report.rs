//! The document of `strata check`.

use serde::Serialize;

use super::super::app::AppReport;
use super::super::diagnostic::FileDiagnostic;
use super::against::BaselineReport;
use super::checked::{BudgetFailure, BudgetReport};
use crate::api::common::Bill;

/// The document of `strata check`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    pub version: u32,
    /// The only session, its title and its app; null where several were checked.
    pub session: Option<String>,
    pub title: Option<String>,
    pub app: Option<AppReport>,
    /// What the calls of all sessions come to, each call once.
    pub bill: Bill,
    /// Calls that a session before tells of, too, as one that was resumed in another file does.
    pub repeated_calls: u32,
    /// Everything was kept to, and everything could be read.
    pub passed: bool,
    /// In the order in which they were named, those of a folder by their files.
    pub sessions: Vec<CheckedSession>,
    /// The file with the budgets, as it was named.
    pub budget_file: Option<String>,
    /// Everything that was checked, of all sessions.
    pub budgets: Vec<BudgetReport>,
    pub failures: Vec<BudgetFailure>,
    /// What came of comparing; null where nothing was to be compared.
    pub baseline: Option<BaselineReport>,
    /// Where a baseline was written.
    pub baseline_written: Option<String>,
    /// Something that was named could not be read, and was not checked.
    pub incomplete: bool,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// One session of a run.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckedSession {
    /// Its id; with its file where another one has the same.
    pub session: String,
    pub title: String,
    /// Where it was read, as it was named or found.
    pub file: String,
    pub app: AppReport,
    pub bill: Bill,
    /// It keeps to its budgets and to the baseline.
    pub passed: bool,
}
