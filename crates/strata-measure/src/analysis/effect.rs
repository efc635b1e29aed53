//! What edits do to a whole session.

use super::call::CallAnalysis;
use super::session::SessionAnalysis;
use crate::prices::Prices;

/// A session in two experiments, over the calls that are compiled in both.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Effect {
    pub calls_compared: u32,
    /// Calls whose requests differ in what is sent.
    pub calls_changed: u32,
    pub before: Totals,
    pub after: Totals,
}

/// What the prompts of some calls come to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Totals {
    pub tokens: u64,
    /// Tokens that match the earlier prompt of the lineage.
    pub matched: u64,
    /// Calls whose prompt does not begin with the earlier one.
    pub breaks: u32,
    /// US dollars, matched tokens at the price of cached reads. `None` when a model has no price.
    pub cost_usd: Option<f64>,
}

impl Effect {
    pub fn of(before: &SessionAnalysis, after: &SessionAnalysis, prices: &Prices) -> Self {
        let pairs = before.calls().iter().zip(after.calls());
        let n_calls = pairs.len();
        Self {
            calls_compared: n_calls as u32,
            calls_changed: pairs.filter(|(a, b)| !a.request.is_same_prompt(&b.request)).count() as u32,
            before: Totals::of(&before.calls()[..n_calls], prices),
            after: Totals::of(&after.calls()[..n_calls], prices),
        }
    }

    /// Prompt tokens less, over all calls that were compared.
    pub fn saved_tokens(&self) -> i64 {
        self.before.tokens as i64 - self.after.tokens as i64
    }
}

impl Totals {
    pub fn of(calls: &[CallAnalysis], prices: &Prices) -> Self {
        let cost = |call: &CallAnalysis| call.matched_cost(prices);
        Self {
            tokens: calls.iter().map(|call| u64::from(call.total.tokens)).sum(),
            matched: calls.iter().map(|call| u64::from(call.matched.tokens)).sum(),
            breaks: calls.iter().filter(|call| call.prefix_break.is_some()).count() as u32,
            cost_usd: calls.iter().map(cost).sum::<Option<f64>>(),
        }
    }
}

impl CallAnalysis {
    /// US dollars for the prompt, with what matches the earlier one at the price of cached reads.
    pub fn matched_cost(&self, prices: &Prices) -> Option<f64> {
        let price = prices.of_model(&self.model)?;
        Some(price.cost(self.total.tokens.into(), self.matched.tokens.into(), 0, 0))
    }
}
