//! A batch as it is stored: what was asked for, how far each cell is, and what was spent.

use serde::{Deserialize, Serialize};

use super::stored_run::{RunRecord, RunSettings};
use crate::api::lab::{LabBill, ProbeCounts};
use crate::api::lab_batch::{BatchBudget, BatchCellState, BatchModel, BatchNeed, BatchProbes};

/// What was asked for. Settings of a run have one `config`; these have several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchSettings {
    pub configs: Vec<String>,
    pub models: Vec<BatchModel>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probes: Option<BatchProbes>,
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct BatchRecord {
    pub budget: BatchBudget,
    pub cells: Vec<CellRecord>,
    pub recorded: Option<LabBill>,
    pub recommended: Option<u32>,
    pub reason: String,
    pub failure: Option<String>,
}

/// One configuration with one model. What came of it is its run's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CellRecord {
    pub settings: RunSettings,
    pub state: BatchCellState,
    #[serde(default)]
    pub run: Option<String>,
    #[serde(default)]
    pub kept_ms: Option<i64>,
    #[serde(default)]
    pub note: Option<String>,
    #[serde(default)]
    pub need: Option<BatchNeed>,
    /// By attempts that have ended.
    #[serde(default)]
    pub spent: Spent,
    /// Questions about its summaries are asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_asking: bool,
    /// What came of the questions about its summaries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<ProbeCounts>,
}

/// What was paid for.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spent {
    pub tokens: f64,
    /// Of what has a price.
    pub usd: f64,
    /// Some of the tokens have no price.
    pub is_unpriced: bool,
}

impl Spent {
    pub(crate) fn of(record: &RunRecord) -> Self {
        Self::of_tokens(record.input_tokens + record.output_tokens, record.cost_usd)
    }

    pub(crate) fn of_tokens(tokens: f64, usd: Option<f64>) -> Self {
        Self { tokens, usd: usd.unwrap_or(0.0), is_unpriced: tokens > 0.0 && usd.is_none() }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens + other.tokens,
            usd: self.usd + other.usd,
            is_unpriced: self.is_unpriced || other.is_unpriced,
        }
    }

    /// US dollars; `None` where some of it has no price.
    pub(crate) fn dollars(self) -> Option<f64> {
        (!self.is_unpriced).then_some(self.usd)
    }
}

impl CellRecord {
    pub(crate) fn new(settings: RunSettings) -> Self {
        Self {
            settings,
            state: BatchCellState::Waiting,
            run: None,
            kept_ms: None,
            note: None,
            need: None,
            spent: Spent::default(),
            is_asking: false,
            answers: None,
        }
    }

    pub(crate) fn has_result(&self) -> bool {
        matches!(self.state, BatchCellState::Done | BatchCellState::Kept)
    }

    /// There is no more to do for it.
    pub(crate) fn is_over(&self, probes: Option<&BatchProbes>) -> bool {
        self.has_result() && (probes.is_none() || self.answers.is_some())
    }

    /// An attempt has ended, and what it paid for counts.
    pub(crate) fn settle(&mut self, record: &RunRecord, state: BatchCellState) {
        self.spent = self.spent.plus(Spent::of(record));
        self.state = state;
    }
}

impl BatchRecord {
    pub(crate) fn spent(&self) -> Spent {
        self.cells.iter().map(|cell| cell.spent).fold(Spent::default(), Spent::plus)
    }
}

/// Why a cell does not fit into what is left of a budget.
pub(crate) fn left_out(budget: BatchBudget, spent: Spent, need: &BatchNeed) -> Option<String> {
    if let Some(tokens) = budget.tokens {
        let left = (tokens - spent.tokens).max(0.0);
        if need.tokens > left {
            let (need, left) = (in_short(need.tokens), in_short(left));
            return Some(format!("Left out: needs ≈ {need} tokens, {left} are left."));
        }
    }
    if let (Some(usd), Some(cost)) = (budget.usd, need.cost_usd) {
        let left = (usd - spent.usd).max(0.0);
        if cost > left {
            return Some(format!("Left out: needs ≈ {}, {} is left.", dollars(cost), dollars(left)));
        }
    }
    None
}

/// `940`, `1.2k`, `41k`.
fn in_short(tokens: f64) -> String {
    match tokens {
        n if n < 1_000.0 => format!("{n:.0}"),
        n if n < 9_950.0 => format!("{:.1}k", n / 1_000.0),
        n if n < 999_500.0 => format!("{:.0}k", n / 1_000.0),
        n => format!("{:.1}M", n / 1_000_000.0),
    }
}

fn dollars(usd: f64) -> String {
    if usd == 0.0 || usd >= 0.01 { format!("${usd:.2}") } else { format!("${usd:.4}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(tokens: f64, cost_usd: Option<f64>) -> BatchNeed {
        BatchNeed { summaries: 1, tokens, cost_usd, seconds: 1.0 }
    }

    #[test]
    fn what_does_not_fit_is_said_with_both_numbers() {
        let spent = Spent { tokens: 88_000.0, usd: 0.495, is_unpriced: false };
        let budget = BatchBudget { usd: Some(0.50), tokens: Some(100_000.0) };
        let said = left_out(budget, spent, &need(41_200.0, Some(0.002)));
        assert_eq!(said.as_deref(), Some("Left out: needs ≈ 41k tokens, 12k are left."));
        let said = left_out(budget, spent, &need(9_000.0, Some(0.04)));
        assert_eq!(said.as_deref(), Some("Left out: needs ≈ $0.04, $0.0050 is left."));
        assert_eq!(left_out(budget, spent, &need(12_000.0, Some(0.005))), None, "what just fits is run");
        assert_eq!(left_out(BatchBudget::default(), spent, &need(1e9, None)), None);
    }
}
