//! What a provider finds again of a session's prompts, what kept it from finding more, and what that cost.

mod fixes;
mod loss;
mod replay;
mod reported;
mod rewrite;
mod simulate;
mod timeline;
mod volatile;
mod zones;

use strata_engine::Experiment;
use strata_model::Str;
use strata_wire::{CacheRule, CacheRules};

pub use fixes::{CacheFix, FixKind};
pub use loss::Loss;
pub use reported::{Comparison, Difference, Reported};
pub use simulate::{Prediction, Sent, simulate};
pub(crate) use timeline::Timeline;
pub use zones::{Zone, ZoneSpan};

use loss::Losses;
use reported::Reports;

use super::blame::{Cause, Nature};
use super::matches::PromptMatches;
use super::session::SessionAnalysis;
use crate::prices::Prices;

/// The caches of a session's calls.
#[derive(Debug, Clone, Default)]
pub struct CacheAnalysis {
    pub calls: Vec<CallCache>,
}

/// What the cache does for one call.
#[derive(Debug, Clone)]
pub struct CallCache {
    /// C1 is number 1.
    pub call: u32,
    pub agent: Str,
    pub model: Str,
    /// The number of the first call of its lineage: the same agent, model and branch.
    pub lineage: u32,
    /// The name of the rule that was applied, and whether it is one for this model.
    pub rule: String,
    pub is_rule_known: bool,
    pub prompt_tokens: u32,
    pub prediction: Prediction,
    pub zones: Vec<ZoneSpan>,
    pub loss: Option<Loss>,
    pub reported: Option<Reported>,
    /// `None` where the provider reports nothing of a cache.
    pub comparison: Option<Comparison>,
    /// US dollars for the prompt, as predicted. `None` without a price.
    pub cost_usd: Option<f64>,
}

/// Sums over a session.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CacheTotals {
    pub prompt_tokens: u64,
    pub cached_tokens: u64,
    pub written_tokens: u64,
    /// Tokens that losses have cost, and of these the avoidable ones.
    pub lost_tokens: u64,
    pub avoidable_tokens: u64,
    /// US dollars of the calls that have a price.
    pub cost_usd: f64,
}

impl CacheAnalysis {
    /// The calls that are compiled so far.
    pub fn new(
        experiment: &Experiment,
        analysis: &SessionAnalysis,
        rules: &CacheRules,
        prices: &Prices,
    ) -> Self {
        let calls = analysis.calls();
        let prompts: Vec<PromptMatches> = calls.iter().map(|call| call.matches.clone()).collect();
        let reported: Vec<Option<Reported>> =
            calls.iter().map(|call| Reported::of_call(experiment, call)).collect();
        let timeline = Timeline::of(experiment, calls, rules);
        let is_used = reported.iter().flatten().any(Reported::has_cache);
        let predictions = simulate(&prompts, |at| timeline.sent(at));
        let measured = reported::anchored(&prompts, &reported);
        let measured_predictions = simulate(&measured, |at| timeline.sent(at));
        let heads = reported::client_heads(&measured, &reported);
        let reports = Reports { prompts: &measured, heads: &heads };
        let losses = Losses { calls, predictions: &predictions, timeline: &timeline };
        let mut analysed: Vec<CallCache> = Vec::with_capacity(calls.len());
        for (at, call) in calls.iter().enumerate() {
            let (rule, prediction) = (timeline.rules[at], &predictions[at]);
            let price = prices.of_model(&call.sent_to).or_else(|| prices.of_model(&call.model));
            let total = call.total.tokens;
            let cost_usd = price.map(|price| {
                price.cost(total.into(), prediction.expected.into(), prediction.written.into(), 0)
            });
            let comparison = reported[at].and_then(|report| {
                let cached = report.cached?;
                let prediction = &measured_predictions[at];
                let mut found = reported::compare(rule, at, prediction, &reports, &report, cached);
                if !is_used {
                    found.difference = found.difference.map(|_| Difference::Unused);
                }
                Some(found)
            });
            analysed.push(CallCache {
                call: call.number,
                agent: timeline.agents[at].clone(),
                model: call.sent_to.clone(),
                lineage: timeline.lineages[at],
                rule: rule.name.clone(),
                is_rule_known: rule.is_known,
                prompt_tokens: total,
                prediction: *prediction,
                zones: zones::zones(rule, total, prediction),
                loss: losses
                    .of(at, price)
                    .filter(|loss| !is_disproved(rule, loss, prediction, reported[at], total)),
                reported: reported[at],
                comparison,
                cost_usd,
            });
        }
        Self { calls: analysed }
    }

    /// The call with a number counted from 1.
    pub fn call(&self, number: u32) -> Option<&CallCache> {
        self.calls.get((number as usize).checked_sub(1)?)
    }

    /// Calls that lost something, the dearest first.
    pub fn losses(&self) -> Vec<(&CallCache, &Loss)> {
        let mut losses: Vec<_> =
            self.calls.iter().filter_map(|call| Some((call, call.loss.as_ref()?))).collect();
        losses.sort_by(|(_, a), (_, b)| {
            let dollars = |loss: &Loss| loss.cost_usd.unwrap_or(0.0);
            dollars(b).total_cmp(&dollars(a)).then(b.tokens.cmp(&a.tokens))
        });
        losses
    }

    pub fn totals(&self) -> CacheTotals {
        let mut totals = CacheTotals::default();
        for call in &self.calls {
            totals.prompt_tokens += u64::from(call.prompt_tokens);
            totals.cached_tokens += u64::from(call.prediction.expected);
            totals.written_tokens += u64::from(call.prediction.written);
            totals.cost_usd += call.cost_usd.unwrap_or(0.0);
            if let Some(loss) = &call.loss {
                totals.lost_tokens += u64::from(loss.tokens);
                if loss.cause.is_avoidable() {
                    totals.avoidable_tokens += u64::from(loss.tokens);
                }
            }
        }
        totals
    }
}

/// The prompt is fine, our prediction is that the provider's rules say no, and its report says that they did not: what a
/// client sends beyond what is recorded can make a prompt long enough, and much is kept for longer than promised.
fn is_disproved(
    rule: &CacheRule,
    loss: &Loss,
    prediction: &Prediction,
    reported: Option<Reported>,
    total: u32,
) -> bool {
    let Some((report, cached)) = reported.and_then(|report| Some((report, report.cached?))) else {
        return false;
    };
    // What was counted beyond the recorded prompt stands before it, so what was paid in full is at the end.
    let found = total.saturating_sub(report.prompt.saturating_sub(cached));
    let could_be_found = prediction.expected.saturating_add(loss.tokens);
    let tolerance = rule.block_tokens().max(total / 100).max(16);
    // A prompt that is too short finds nothing at all.
    let is_too_short = matches!(loss.cause, Cause::BelowMinimum { .. });
    let is_found = is_too_short && found > 0 || found.saturating_add(tolerance) >= could_be_found;
    loss.cause.nature() == Nature::Provider && cached > 0 && is_found
}

#[cfg(test)]
mod tests;
