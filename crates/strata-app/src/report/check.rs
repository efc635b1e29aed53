//! `strata check`: whether a session keeps to a budget, and what broke it where it does not.

mod blame;
mod budget;
mod measure;

use std::path::Path;

use serde::Serialize;

use super::diagnostic::FileDiagnostic;
use super::source::Source;
use super::{VERSION, Watch};
use crate::api::common::{Bill, DiagnosticRow, DiagnosticSeverity};
use crate::error::AppError;
use crate::handlers::nearest;
use crate::open::Tables;
use budget::Budget;
use measure::Measured;

/// The document of `strata check`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    pub version: u32,
    pub session: String,
    /// Of the session.
    pub title: String,
    /// What all calls come to.
    pub bill: Bill,
    pub passed: bool,
    /// Everything that was checked.
    pub budgets: Vec<BudgetReport>,
    pub failures: Vec<BudgetFailure>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// One budget, and what was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetReport {
    /// As the file spells it.
    pub budget: &'static str,
    /// Whose calls it is about; all calls where it is absent.
    pub agent: Option<String>,
    pub limit: Amount,
    pub actual: Amount,
    pub passed: bool,
}

/// A budget that was broken.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetFailure {
    pub budget: &'static str,
    pub agent: Option<String>,
    pub limit: Amount,
    pub actual: Amount,
    /// The call that shows it best.
    pub call: Option<u32>,
    /// The processor that put most of it there.
    pub stage: Option<String>,
    /// The block that is most of it: `E7`, `state.hits`, `tool.search`.
    pub origin: Option<String>,
    /// US dollars. `None` without a price.
    pub cost: Option<f64>,
    /// In a sentence.
    pub message: String,
}

/// A number with its unit, or the code of a finding; in JSON the number or the code alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Amount {
    Tokens(u64),
    /// US dollars.
    Dollars(f64),
    /// From 0 to 1.
    Share(f64),
    /// How often something was found.
    Times(u64),
    Code(String),
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
    let tables = Tables::default();
    let compiled = subject.compiled(subject.n_calls(), &tables, watch)?;
    let measured = Measured::of(&subject, &compiled, &tables);
    let mut checked = measured.check(&budget.limits, None, &budget.agents)?;
    for (agent, limits) in &budget.agents {
        if measured.n_calls(Some(agent)) == 0 {
            let row = unknown_agent(agent, &measured.agents());
            diagnostics.push(FileDiagnostic::new(&budget_file.display().to_string(), row));
            continue;
        }
        checked.append(measured.check(limits, Some(agent), &budget.agents)?);
    }
    Ok(CheckReport {
        version: VERSION,
        session: subject.id.clone(),
        title: subject.title.clone(),
        bill: compiled.caches.bill().into(),
        passed: checked.failures.is_empty(),
        budgets: checked.budgets,
        failures: checked.failures,
        diagnostics,
    })
}

/// A file may serve many sessions, so this is no error; but it may be a slip of the pen.
fn unknown_agent(agent: &str, known: &[&str]) -> DiagnosticRow {
    let near = nearest(agent, known.iter().copied());
    let advice = near.map_or(String::new(), |near| format!(" Did you mean {near}?"));
    DiagnosticRow {
        severity: DiagnosticSeverity::Warning,
        code: "agent-without-calls".to_owned(),
        message: format!(
            "The agent {agent} made no call in this session, so its budgets were not checked.{advice}"
        ),
        at: format!("agents.{agent}"),
    }
}

/// What was checked so far.
#[derive(Debug, Default)]
struct Checked {
    budgets: Vec<BudgetReport>,
    failures: Vec<BudgetFailure>,
}

impl Checked {
    fn append(&mut self, more: Self) {
        self.budgets.extend(more.budgets);
        self.failures.extend(more.failures);
    }
}
