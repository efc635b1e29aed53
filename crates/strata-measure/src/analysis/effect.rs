//! What edits do to a whole session.

use super::cache::{BillTotals, BilledCalls, CacheAnalysis, SummaryBill};

/// A session in two experiments, over the calls that are compiled in both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    pub calls_compared: u32,
    /// Calls whose requests differ in what is sent.
    pub calls_changed: u32,
    pub before: Totals,
    pub after: Totals,
}

/// What some calls come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Totals {
    pub bill: BillTotals,
    /// Calls that lost something that could have been cached.
    pub breaks: u32,
    /// Tokens that were paid in full for it.
    pub lost_tokens: u64,
}

impl Effect {
    pub fn of(before: BilledCalls<'_>, after: BilledCalls<'_>) -> Self {
        let pairs = before.analysis.calls().iter().zip(after.analysis.calls());
        let n_calls = pairs.len();
        let are_whole = before.caches.calls.len() == after.caches.calls.len();
        let totals = |caches: &CacheAnalysis| {
            let totals = Totals::of(caches, n_calls);
            let summaries = if are_whole { caches.summaries() } else { SummaryBill::default() };
            Totals { bill: BillTotals { summaries, ..totals.bill }, ..totals }
        };
        Self {
            calls_compared: n_calls as u32,
            calls_changed: pairs.filter(|(a, b)| !a.request.is_same_prompt(&b.request)).count() as u32,
            before: totals(before.caches),
            after: totals(after.caches),
        }
    }

    /// Prompt tokens less, over all calls that were compared.
    pub fn saved_tokens(&self) -> i64 {
        self.before.bill.prompt_tokens as i64 - self.after.bill.prompt_tokens as i64
    }
}

impl Effect {
    /// US dollars less. `None` when a model has no price.
    pub fn saved_cost(&self) -> Option<f64> {
        Some(self.before.bill.cost_usd()? - self.after.bill.cost_usd()?)
    }
}

impl Totals {
    fn of(caches: &CacheAnalysis, n_calls: usize) -> Self {
        let calls = &caches.calls[..n_calls.min(caches.calls.len())];
        Self {
            bill: BillTotals::of(calls.iter().map(|call| &call.bill)),
            lost_tokens: calls.iter().filter_map(|call| Some(u64::from(call.broken()?.tokens))).sum(),
            breaks: calls.iter().filter(|call| call.broken().is_some()).count() as u32,
        }
    }
}
