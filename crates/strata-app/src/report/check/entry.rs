//! One budget while it is checked.

use super::blame::Block;
use super::checked::{Amount, BudgetFailure, BudgetReport, Checked};

/// Whose calls are looked at.
pub(super) type Agent<'a> = Option<&'a str>;

/// A budget and what was measured. Its session and its line are entered when all are checked.
pub(super) struct Budgeted {
    name: String,
    agent: Option<String>,
    limit: Amount,
    actual: Amount,
}

/// What is said of a budget that was broken.
pub(super) struct Failure {
    pub call: Option<u32>,
    pub stage: Option<String>,
    pub origin: Option<String>,
    pub cost: Option<f64>,
    pub message: String,
}

impl Failure {
    pub(super) fn of_block(block: Option<Block>, message: String) -> Self {
        let (stage, origin) = block.map_or((None, None), |block| (block.stage, block.origin));
        Self { call: None, stage, origin, cost: None, message }
    }
}

impl Budgeted {
    pub(super) fn new(name: &str, agent: Agent<'_>, limit: Amount, actual: Amount) -> Self {
        Self { name: name.to_owned(), agent: agent.map(str::to_owned), limit, actual }
    }

    pub(super) fn report(&self, passed: bool) -> BudgetReport {
        BudgetReport {
            session: String::new(),
            budget: self.name.clone(),
            agent: self.agent.clone(),
            limit: self.limit.clone(),
            actual: self.actual.clone(),
            passed,
            line: None,
        }
    }

    pub(super) fn failure(&self, failure: Failure) -> BudgetFailure {
        let Failure { call, stage, origin, cost, message } = failure;
        BudgetFailure {
            session: String::new(),
            budget: self.name.clone(),
            agent: self.agent.clone(),
            limit: self.limit.clone(),
            actual: self.actual.clone(),
            call,
            stage,
            origin,
            cost,
            message,
            line: None,
        }
    }

    pub(super) fn enter(&self, passed: bool, checked: &mut Checked, why: impl FnOnce() -> Failure) {
        checked.budgets.push(self.report(passed));
        if !passed {
            checked.failures.push(self.failure(why()));
        }
    }
}
