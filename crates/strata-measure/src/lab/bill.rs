//! What a replayed session costs.

use strata_engine::adk_text::SUMMARY_PROMPT;

use super::plan::{Moment, Replayed, WindowPlan};
use super::prepared::Lab;
use crate::analysis::{BillTotals, CallBill};
use crate::prices::ChargedTokens;

/// Rates for latencies, which depend on provider and hour; for comparing, not for promising.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assumptions {
    /// Prompt tokens a second that are read anew.
    pub read_per_s: f64,
    /// Prompt tokens a second that are found in a cache.
    pub cached_per_s: f64,
    pub written_per_s: f64,
}

impl Default for Assumptions {
    fn default() -> Self {
        Self { read_per_s: 8_000.0, cached_per_s: 80_000.0, written_per_s: 60.0 }
    }
}

/// Sums over a replayed session.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bill {
    /// Of all calls, with the recorded answers.
    pub calls: BillTotals,
    pub peak_tokens: u32,
    /// Calls whose prompt does not continue the one before it in its lineage.
    pub breaks: u32,
    /// For writing the summaries.
    pub summaries: SummaryCost,
    /// Seconds until the first token, over all calls, with the summaries that calls wait for.
    pub latency_s: f64,
}

/// What the summaries themselves take.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SummaryCost {
    pub n_summaries: u32,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// US dollars; `None` where the summariser has no price.
    pub cost: Option<f64>,
}

impl Bill {
    /// Paid in full: not found in a cache.
    pub fn billed_tokens(&self) -> u64 {
        self.calls.fresh_tokens()
    }

    /// US dollars of calls and summaries.
    pub fn cost(&self) -> Option<f64> {
        Some(self.calls.cost_usd()? + self.summaries.cost?)
    }
}

impl Lab<'_> {
    /// What each call of a replay comes to.
    pub fn bills(&self, replayed: &Replayed) -> Vec<CallBill> {
        let prompts: Vec<_> = replayed.calls.iter().map(|call| call.matches.clone()).collect();
        self.caches.bills_with(self.analysis, &prompts, &self.timeline, self.prices)
    }

    /// What a replay costs.
    pub fn bill(&self, replayed: &Replayed, assumptions: Assumptions) -> Bill {
        let bills = self.bills(replayed);
        let sum = BillTotals::of(bills.iter());
        let mut bill = Bill {
            calls: sum,
            peak_tokens: bills.iter().map(|bill| bill.prompt_tokens).max().unwrap_or(0),
            latency_s: sum.fresh_tokens() as f64 / assumptions.read_per_s
                + sum.cached_tokens as f64 / assumptions.cached_per_s,
            breaks: self.breaks(replayed),
            summaries: self.summary_cost(replayed),
        };
        bill.latency_s += replayed.windows.iter().map(|window| waited(window, assumptions)).sum::<f64>();
        bill
    }

    fn breaks(&self, replayed: &Replayed) -> u32 {
        let parent = |call: u32| replayed.calls.get(call as usize - 1).and_then(|call| call.matches.parent);
        let continues = |call: u32, earlier: u32| {
            std::iter::successors(parent(call), |call| parent(*call)).any(|call| call == earlier)
        };
        let broken = replayed.calls.iter().filter(|call| {
            let previous = self.analysis.call(call.number).and_then(|call| call.previous);
            previous.is_some_and(|previous| !continues(call.number, previous))
        });
        broken.count() as u32
    }

    fn summary_cost(&self, replayed: &Replayed) -> SummaryCost {
        let mut sum = SummaryCost { cost: Some(0.0), ..SummaryCost::default() };
        // A summary that came to nothing was paid for all the same.
        for window in replayed.windows.iter().filter(|window| window.written.is_some()) {
            let usage = window.written.as_ref().and_then(|written| written.usage.as_ref());
            let input = usage.and_then(|usage| usage.prompt_token_count);
            let input =
                input.unwrap_or_else(|| u64::from(window.source_tokens) + self.template_tokens(replayed));
            let output =
                usage.and_then(|usage| usage.output_tokens()).unwrap_or(window.summary_tokens.into());
            sum.n_summaries += u32::from(window.event.is_some());
            let is_offline = window.written.as_ref().is_some_and(|written| &*written.by == super::EXTRACTIVE);
            if is_offline {
                continue;
            }
            sum.input_tokens += input;
            sum.output_tokens += output;
            // Whoever was really asked may be another model than the one that is configured.
            let answered = window.written.as_ref().filter(|written| written.usage.is_some());
            let model = answered.map_or(&window.model, |written| &written.by);
            let cost =
                self.prices.of_model(model).map(|price| price.cost(&ChargedTokens::uncached(input, output)));
            sum.cost = sum.cost.zip(cost).map(|(sum, cost)| sum + cost);
        }
        sum
    }

    fn template_tokens(&self, replayed: &Replayed) -> u64 {
        let template = replayed.config.prompt_template.as_deref().unwrap_or(SUMMARY_PROMPT);
        self.scale(None).map_or(0, |scale| scale.weigher().text(template).tokens.into())
    }
}

/// Seconds a call waits for a summary.
fn waited(window: &WindowPlan, assumptions: Assumptions) -> f64 {
    match window.moment {
        Moment::AfterTurn { .. } => 0.0,
        Moment::BeforeCall(_) => {
            f64::from(window.source_tokens) / assumptions.read_per_s
                + f64::from(window.summary_tokens) / assumptions.written_per_s
        }
    }
}
