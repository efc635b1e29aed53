//! What a replayed session costs.

use strata_engine::adk_text::SUMMARY_PROMPT;

use super::plan::{Moment, Replayed, WindowPlan};
use super::prepared::Lab;
use super::recorded_summaries::RecordedSummary;
use crate::analysis::{BillTotals, CallBill, PromptMatches, SessionAnalysis};
use crate::prices::{ChargedTokens, Prices};

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

impl SummaryCost {
    fn nothing() -> Self {
        Self { cost: Some(0.0), ..Self::default() }
    }

    fn add(&mut self, tokens: ChargedTokens, model: &str, prices: &Prices) {
        self.input_tokens += tokens.prompt;
        self.output_tokens += tokens.output;
        let cost = prices.of_model(model).map(|price| price.cost(&tokens));
        self.cost = self.cost.zip(cost).map(|(sum, cost)| sum + cost);
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
        let matches: Vec<&PromptMatches> = replayed.calls.iter().map(|call| &call.matches).collect();
        let summaries = self.summary_cost(replayed);
        let mut bill = bill(self.analysis, &self.bills(replayed), &matches, (summaries, assumptions));
        bill.latency_s += replayed.windows.iter().map(|window| waited(window, assumptions)).sum::<f64>();
        bill
    }

    /// What the recording costs: its calls as they were billed, and its own summaries. Where it is not recorded what
    /// writing one took, it is priced as a summary of a replay is.
    pub fn recorded_bill(&self, assumptions: Assumptions) -> Bill {
        let recording = self.recording;
        let matches: Vec<&PromptMatches> =
            recording.analysis.calls().iter().map(|call| &call.matches).collect();
        let bills: Vec<CallBill> = recording.caches.calls.iter().map(|call| call.bill).collect();
        let mut summaries = SummaryCost::nothing();
        let template = self.template_tokens(None);
        for RecordedSummary { source_tokens, summary_tokens, usage } in self.recorded_summaries() {
            let usage = usage.as_ref();
            let input = usage.and_then(|usage| usage.prompt_token_count);
            let input = input.unwrap_or_else(|| u64::from(source_tokens) + template);
            let cached = usage.and_then(|usage| usage.cached_content_token_count).unwrap_or(0).min(input);
            let output = usage.and_then(|usage| usage.output_tokens()).unwrap_or(summary_tokens.into());
            let tokens = ChargedTokens { cached, ..ChargedTokens::uncached(input, output) };
            summaries.n_summaries += 1;
            summaries.add(tokens, &self.summarizer(None), self.prices);
        }
        bill(recording.analysis, &bills, &matches, (summaries, assumptions))
    }

    /// Prompt tokens of each call as it was recorded, C1 first.
    pub fn recorded_tokens(&self) -> Vec<u32> {
        self.recording.caches.calls.iter().map(|call| call.bill.prompt_tokens).collect()
    }

    fn summary_cost(&self, replayed: &Replayed) -> SummaryCost {
        let mut sum = SummaryCost::nothing();
        // A summary that came to nothing was paid for all the same.
        for window in replayed.windows.iter().filter(|window| window.written.is_some()) {
            let usage = window.written.as_ref().and_then(|written| written.usage.as_ref());
            let input = usage.and_then(|usage| usage.prompt_token_count);
            let template = || self.template_tokens(replayed.config.prompt_template.as_deref());
            let input = input.unwrap_or_else(|| u64::from(window.source_tokens) + template());
            let output =
                usage.and_then(|usage| usage.output_tokens()).unwrap_or(window.summary_tokens.into());
            sum.n_summaries += u32::from(window.event.is_some());
            let is_offline = window.written.as_ref().is_some_and(|written| &*written.by == super::EXTRACTIVE);
            if is_offline {
                continue;
            }
            // Whoever was really asked may be another model than the one that is configured.
            let answered = window.written.as_ref().filter(|written| written.usage.is_some());
            let model = answered.map_or(&window.model, |written| &written.by);
            sum.add(ChargedTokens::uncached(input, output), model, self.prices);
        }
        sum
    }

    fn template_tokens(&self, template: Option<&str>) -> u64 {
        let template = template.unwrap_or(SUMMARY_PROMPT);
        self.scale(None).map_or(0, |scale| scale.weigher().text(template).tokens.into())
    }
}

fn bill(
    analysis: &SessionAnalysis,
    bills: &[CallBill],
    matches: &[&PromptMatches],
    (summaries, assumptions): (SummaryCost, Assumptions),
) -> Bill {
    let sum = BillTotals::of(bills.iter());
    Bill {
        calls: sum,
        peak_tokens: bills.iter().map(|bill| bill.prompt_tokens).max().unwrap_or(0),
        latency_s: sum.fresh_tokens() as f64 / assumptions.read_per_s
            + sum.cached_tokens as f64 / assumptions.cached_per_s,
        breaks: breaks(analysis, matches),
        summaries,
    }
}

/// Calls whose prompt does not continue the one before it in its lineage; a call's place is its number less one.
fn breaks(analysis: &SessionAnalysis, matches: &[&PromptMatches]) -> u32 {
    let parent = |call: u32| matches.get(call as usize - 1).and_then(|matches| matches.parent);
    let continues = |call: u32, earlier: u32| {
        std::iter::successors(parent(call), |call| parent(*call)).any(|call| call == earlier)
    };
    let broken = (1..=matches.len() as u32).filter(|call| {
        let previous = analysis.call(*call).and_then(|call| call.previous);
        previous.is_some_and(|previous| !continues(*call, previous))
    });
    broken.count() as u32
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
