//! What a replayed session costs.

use super::plan::{Moment, Payment, Replayed, WindowPlan};
use super::prepared::Lab;
use crate::analysis::{BillTotals, CallBill, Payer, PromptMatches, SummaryBill, TriedCalls, template_of};

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
    /// Of all calls, with the recorded answers, and of writing the summaries.
    pub calls: BillTotals,
    pub peak_tokens: u32,
    /// Calls that lose something of the prefix before them, as everywhere: [`CacheAnalysis::losses`]. Of a replay as far as
    /// it is predicted.
    ///
    /// [`CacheAnalysis::losses`]: crate::analysis::CacheAnalysis::losses
    pub breaks: u32,
    /// Seconds until the first token, over all calls, with the summaries that calls wait for.
    pub latency_s: f64,
}

impl Bill {
    /// Paid in full: not found in a cache.
    pub fn billed_tokens(&self) -> u64 {
        self.calls.fresh_tokens()
    }

    /// US dollars of calls and summaries.
    pub fn cost(&self) -> Option<f64> {
        self.calls.cost_usd()
    }

    /// For writing the summaries.
    pub fn summaries(&self) -> &SummaryBill {
        &self.calls.summaries
    }
}

impl Lab<'_> {
    /// What each call of a replay comes to.
    pub fn bills(&self, replayed: &Replayed) -> Vec<CallBill> {
        self.tried(&prompts(replayed)).bills
    }

    /// What a replay costs.
    pub fn bill(&self, replayed: &Replayed, assumptions: Assumptions) -> Bill {
        let prompts = prompts(replayed);
        let tried = self.tried(&prompts);
        let breaks = self.caches.n_broken_with(self.analysis.calls(), &prompts, &tried, &self.timeline);
        let mut bill = bill(&tried.bills, breaks, (self.summary_bill(replayed), assumptions));
        bill.latency_s += replayed.windows.iter().map(|window| waited(window, assumptions)).sum::<f64>();
        bill
    }

    fn tried(&self, prompts: &[PromptMatches]) -> TriedCalls {
        self.caches.with_prompts(self.analysis, prompts, &self.timeline, self.prices)
    }

    /// What the recording costs: its calls as they were billed, and its own summaries.
    pub fn recorded_bill(&self, assumptions: Assumptions) -> Bill {
        let caches = self.recording.caches;
        let bills: Vec<CallBill> = caches.calls.iter().map(|call| call.bill).collect();
        bill(&bills, caches.losses().len() as u32, (caches.summaries(), assumptions))
    }

    /// Prompt tokens of each call as it was recorded, C1 first.
    pub fn recorded_tokens(&self) -> Vec<u32> {
        self.recording.caches.calls.iter().map(|call| call.bill.prompt_tokens).collect()
    }

    /// What a replay's own summaries take, as google-adk has them written: those of an offline run as well.
    fn summary_bill(&self, replayed: &Replayed) -> SummaryBill {
        let mut bill = SummaryBill::default();
        let template = self.template_tokens(replayed.config.prompt_template.as_deref());
        // A summary that came to nothing was paid for all the same.
        for window in &replayed.windows {
            let Some(written) = &window.written else { continue };
            let estimated = (window.source_tokens + template, window.summary_tokens);
            let payer = match written.payment {
                // Recorded ones have a report of the model that is configured.
                Payment::AsConfigured => Payer::Model(&window.model),
                Payment::Writer => Payer::Model(&written.by),
                Payment::Nobody => Payer::Nobody,
            };
            bill.add_asked_for(written.usage.as_ref(), estimated, payer, self.prices);
        }
        bill
    }

    fn template_tokens(&self, template: Option<&str>) -> u32 {
        let template = template.unwrap_or_else(|| template_of(self.experiment));
        self.scale(None).map_or(0, |scale| scale.weigher().text(template).tokens)
    }
}

fn prompts(replayed: &Replayed) -> Vec<PromptMatches> {
    replayed.calls.iter().map(|call| call.matches.clone()).collect()
}

fn bill(bills: &[CallBill], breaks: u32, (summaries, assumptions): (SummaryBill, Assumptions)) -> Bill {
    let sum = BillTotals { summaries, ..BillTotals::of(bills.iter()) };
    Bill {
        calls: sum,
        peak_tokens: bills.iter().map(|bill| bill.prompt_tokens).max().unwrap_or(0),
        latency_s: sum.fresh_tokens() as f64 / assumptions.read_per_s
            + sum.cached_tokens as f64 / assumptions.cached_per_s,
        breaks,
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
