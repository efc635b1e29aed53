//! `strata check`: whether a session keeps to a budget, and what broke it where it does not.

mod blame;
mod budget;
mod checked;
mod measure;

use std::path::Path;

use serde::Serialize;

use super::app::AppReport;
use super::diagnostic::FileDiagnostic;
use super::source::Source;
use super::{VERSION, Watch};
use crate::api::common::{Bill, DiagnosticRow, DiagnosticSeverity};
use crate::error::AppError;
use crate::show::nearest;
use crate::show::words::listed;
use budget::Budget;
pub use checked::{Amount, BudgetFailure, BudgetReport};
use measure::MeasuredSession;

/// The document of `strata check`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    pub version: u32,
    pub session: String,
    /// Of the session.
    pub title: String,
    pub app: AppReport,
    /// What all calls come to.
    pub bill: Bill,
    pub passed: bool,
    /// Everything that was checked.
    pub budgets: Vec<BudgetReport>,
    pub failures: Vec<BudgetFailure>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Checks a source's only session, or the one called `session`, against a budget file.
pub fn check(
    source: &Source,
    session: Option<&str>,
    budget_file: &Path,
    watch: &dyn Watch,
) -> Result<CheckReport, AppError> {
    let budget = Budget::read(budget_file)?;
    let (subject, mut diagnostics) = source.read_one(session, watch)?;
    let tables = source.tables()?;
    let compiled = subject.compiled(subject.n_calls(), &tables, watch)?;
    let measured = MeasuredSession::of(&subject, &compiled, &tables);
    let mut checked = measured.check(&budget.limits, None, &budget.agents);
    for (agent, limits) in &budget.agents {
        if measured.n_calls(Some(agent)) == 0 {
            if !measured.is_of_app(agent) {
                return Err(unknown_agent(agent, &measured.agents(), budget_file));
            }
            let row = agent_without_calls(agent);
            diagnostics.push(FileDiagnostic::new(&budget_file.display().to_string(), row));
            continue;
        }
        checked.append(measured.check(limits, Some(agent), &budget.agents));
    }
    Ok(CheckReport {
        version: VERSION,
        session: subject.id.clone(),
        title: subject.title.clone(),
        app: (&subject.app).into(),
        bill: compiled.caches.bill().into(),
        passed: checked.failures.is_empty(),
        budgets: checked.budgets,
        failures: checked.failures,
        diagnostics,
    })
}

/// Budgets of an agent that nobody knows would be kept whatever happens.
fn unknown_agent(agent: &str, known: &[&str], budget_file: &Path) -> AppError {
    let advice = match nearest(agent, known.iter().copied()) {
        Some(near) => format!("Did you mean {near}?"),
        None => format!("Calls were made by {}.", listed(known)),
    };
    AppError::bad_input(format!(
        "{}: agents.{agent}: there is no agent {agent} in this session or its app; nothing was checked. {advice}",
        budget_file.display()
    ))
}

/// A file may serve many sessions of an app, so this is no error.
fn agent_without_calls(agent: &str) -> DiagnosticRow {
    DiagnosticRow {
        severity: DiagnosticSeverity::Info,
        code: "agent-without-calls".to_owned(),
        message: format!("The agent {agent} made no call in this session, so its budgets were not checked."),
        at: format!("agents.{agent}"),
    }
}
