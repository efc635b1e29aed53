//! What came of checking budgets.

use serde::Serialize;

/// One budget, and what was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetReport {
    /// Its session, as the list of sessions names it.
    pub session: String,
    /// As the file spells it; with the code or kind of findings behind `max_findings.`.
    pub budget: String,
    /// Whose calls it is about; all calls where it is absent.
    pub agent: Option<String>,
    pub limit: Amount,
    pub actual: Amount,
    pub passed: bool,
    /// In the budget file.
    pub line: Option<u32>,
}

/// A budget that was broken.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetFailure {
    pub session: String,
    pub budget: String,
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
    /// In the budget file.
    pub line: Option<u32>,
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
    /// It cannot be said, as where a model has no price; null.
    Unknown,
}

impl Amount {
    /// Where it is known and a number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Tokens(number) | Self::Times(number) => Some(*number as f64),
            Self::Dollars(number) | Self::Share(number) => Some(*number),
            Self::Code(_) | Self::Unknown => None,
        }
    }
}

/// What was checked so far.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub budgets: Vec<BudgetReport>,
    pub failures: Vec<BudgetFailure>,
}

impl Checked {
    pub(super) fn append(&mut self, more: Self) {
        self.budgets.extend(more.budgets);
        self.failures.extend(more.failures);
    }
}
