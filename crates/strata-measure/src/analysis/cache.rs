//! What a provider finds again of a session's prompts, what kept it from finding more, and what that cost.

mod bill;
mod fixes;
mod growth;
mod loss;
mod rates;
mod replay;
mod reported;
mod rewrite;
mod simulate;
mod summary_bill;
mod timeline;
mod volatile;
mod zones;

use strata_engine::Experiment;
use strata_model::Str;
use strata_model::marks::{self, CACHE_VERDICT};
use strata_wire::{CacheRules, CacheVerdict};

pub use bill::{BillTotals, CallBill, Cost};
pub use fixes::{CacheFix, FixKind};
pub use loss::Loss;
pub use reported::{Comparison, ReportedCounts};
pub use simulate::{Prediction, SentCall, simulate};
pub use summary_bill::SummaryBill;
pub(crate) use timeline::Timeline;
pub use zones::{Zone, ZoneSpan};

use bill::UneditedBill;
use growth::GrowthRatios;
use loss::Losses;
use reported::Reports;

use super::blame::Cause;
use super::call::CallAnalysis;
use super::difference::Difference;
use super::matches::PromptMatches;
use super::session::SessionAnalysis;
use crate::prices::{Price, Prices};
use crate::tokens::TokenCount;

/// The caches of a session's calls.
#[derive(Debug, Clone, Default)]
pub struct CacheAnalysis {
    pub calls: Vec<CallCache>,
    /// Of the recorded session, whatever is laid over it.
    growth: GrowthRatios,
    /// Once all calls are compiled.
    pub summaries: SummaryBill,
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
    /// Seconds for which what the call stores is kept: what it asked for where that is known, else what the rule says.
    pub lifetime_s: Option<f64>,
    /// Of all of the prompt, as is what was lost, in the provider's tokens.
    pub zones: Vec<ZoneSpan>,
    pub loss: Option<Loss>,
    pub reported: Option<ReportedCounts>,
    /// `None` where the provider reports nothing of a cache.
    pub comparison: Option<Comparison>,
    /// What the provider says by itself of this very request.
    pub verdict: Option<CacheVerdict>,
    /// What the call comes to: by its report where that holds, else as predicted.
    pub bill: CallBill,
    /// By what the prompt was measured in the provider's tokens.
    pub(crate) sized: Option<ReportedCounts>,
    /// What is predicted of the prompt as it is measured: in the provider's tokens.
    pub prediction: Prediction,
}

impl CallCache {
    /// What is predicted to be found of the known text when it is sent alone: hidden context stands before it.
    pub fn found_of_known(&self) -> u32 {
        self.prediction.expected.saturating_sub(self.bill.hidden_tokens())
    }

    /// What the call lost, unless the prompt is only too short to be cached at all: nothing of it broke then.
    pub fn broken(&self) -> Option<&Loss> {
        self.loss.as_ref().filter(|loss| !matches!(loss.cause, Cause::BelowMinimum { .. }))
    }
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
}

/// The calls of a session that are compiled, and what they come to.
#[derive(Clone, Copy)]
pub struct BilledCalls<'m> {
    pub analysis: &'m SessionAnalysis,
    pub caches: &'m CacheAnalysis,
}

impl CacheAnalysis {
    /// The calls of a recorded session that are compiled so far.
    pub fn new(
        experiment: &Experiment,
        analysis: &SessionAnalysis,
        rules: &CacheRules,
        prices: &Prices,
    ) -> Self {
        Self::make(experiment, analysis, None, rules, prices)
    }

    /// The calls of a session that edits are laid over, with what is known of it without them. A report holds for the
    /// request that it was made for: calls that send another one now are predicted, and calibrated by it.
    pub fn of_edited(
        experiment: &Experiment,
        analysis: &SessionAnalysis,
        unedited: BilledCalls<'_>,
        rules: &CacheRules,
        prices: &Prices,
    ) -> Self {
        Self::make(experiment, analysis, Some(unedited), rules, prices)
    }

    fn make(
        experiment: &Experiment,
        analysis: &SessionAnalysis,
        unedited: Option<BilledCalls<'_>>,
        rules: &CacheRules,
        prices: &Prices,
    ) -> Self {
        let calls = analysis.calls();
        let prompts: Vec<PromptMatches> = calls.iter().map(|call| call.matches.clone()).collect();
        let before: Vec<Option<UneditedBill>> = calls.iter().map(|call| unedited?.before(call)).collect();
        let recorded = |call| ReportedCounts::of_call(experiment, call).filter(|_| unedited.is_none());
        let mut reported: Vec<Option<ReportedCounts>> = calls.iter().map(recorded).collect();
        let growth = match unedited {
            Some(unedited) => unedited.caches.growth.clone(),
            None => GrowthRatios::of(analysis, &reported),
        };
        let sized = if unedited.is_some() { bill::sizes(&before, &prompts) } else { reported.clone() };
        let timeline = Timeline::of(experiment, calls, rules);
        let measured = reported::anchored(&prompts, &sized);
        let predictions = simulate(&measured, |at| timeline.sent(at));
        let mut bills = Vec::with_capacity(calls.len());
        for (at, call) in calls.iter().enumerate() {
            let output = experiment.call(call.number).and_then(|call| call.usage.as_ref()?.output_tokens());
            let output = output.map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX));
            let is_kept_long = timeline.is_kept_long(at);
            let prediction = &predictions[at];
            let bill = match (&before[at], &reported[at]) {
                (Some(before), _) => {
                    let prompt = sized[at].map_or(call.total.tokens, |size| size.prompt);
                    if before.is_same && before.prediction == *prediction {
                        reported[at] =
                            unedited.and_then(|unedited| unedited.caches.call(call.number)?.reported);
                    }
                    before.again(call.total, prompt, prediction, is_kept_long)
                }
                (None, Some(report)) => CallBill::reported(call.total, report, output),
                (None, None) => {
                    let found = (prediction.expected, prediction.written);
                    let counted = (call.total.tokens, call.total.basis);
                    CallBill::predicted(call.total, counted, found, is_kept_long, output)
                }
            };
            let bill = CallBill { is_pending: call.is_pending, ..bill.unpaid_if(call.is_unpaid) };
            bills.push(bill.priced(price_of(prices, call)));
        }
        let is_used = reported.iter().flatten().any(ReportedCounts::has_cache);
        let heads = reported::client_heads(&measured, &reported);
        let reports = Reports { calls, prompts: &measured, heads: &heads };
        let missed = |call: &CallAnalysis| unedited?.caches.call(call.number)?.comparison?.difference;
        let missed_before: Vec<Option<Difference>> = calls.iter().map(missed).collect();
        let losses = Losses {
            calls,
            predictions: &predictions,
            bills: &bills,
            prompts: &measured,
            timeline: &timeline,
            missed_before: &missed_before,
        };
        let mut analysed: Vec<CallCache> = Vec::with_capacity(calls.len());
        for (at, call) in calls.iter().enumerate() {
            let (rule, prediction) = (timeline.rules[at], &predictions[at]);
            let comparison = reported[at].and_then(|report| {
                let cached = report.cached?;
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
                lifetime_s: timeline.lifetimes[at].or(rule.lifetime_s),
                zones: zones::zones(rule, bills[at].prompt_tokens, prediction),
                loss: losses.of(at, price_of(prices, call), comparison.as_ref()),
                reported: reported[at],
                comparison,
                verdict: reported[at].and_then(|_| verdict_on(experiment, call)),
                bill: bills[at],
                sized: sized[at],
                prediction: *prediction,
            });
        }
        let is_whole = calls.len() == experiment.calls().len();
        let summaries =
            if is_whole { SummaryBill::of(experiment, analysis, prices) } else { SummaryBill::default() };
        Self { calls: analysed, growth, summaries }
    }

    /// The call with a number counted from 1.
    pub fn call(&self, number: u32) -> Option<&CallCache> {
        self.calls.get((number as usize).checked_sub(1)?)
    }

    /// Calls whose prefix broke, the dearest first.
    pub fn losses(&self) -> Vec<(&CallCache, &Loss)> {
        let mut losses: Vec<_> = self.calls.iter().filter_map(|call| Some((call, call.broken()?))).collect();
        losses.sort_by(|(_, a), (_, b)| {
            let dollars = |loss: &Loss| loss.cost_usd.unwrap_or(0.0);
            dollars(b).total_cmp(&dollars(a)).then(b.tokens.cmp(&a.tokens))
        });
        losses
    }

    /// What the calls come to with other prompts, one for each of them; prompts with text behind all that can be found
    /// again pay for it in full.
    pub(crate) fn bills_with(
        &self,
        analysis: &SessionAnalysis,
        prompts: &[PromptMatches],
        timeline: &Timeline<'_>,
        prices: &Prices,
    ) -> Vec<CallBill> {
        let is_same = |call: &CallAnalysis, prompt: &PromptMatches| call.matches == *prompt;
        self.bills_again(analysis, prompts, timeline, prices, is_same)
    }

    /// What they come to with the same prompts, kept in the cache for as long as another timeline says.
    fn bills_kept(
        &self,
        analysis: &SessionAnalysis,
        timeline: &Timeline<'_>,
        prices: &Prices,
        is_asked_otherwise: impl Fn(u32) -> bool,
    ) -> Vec<CallBill> {
        let prompts: Vec<PromptMatches> = analysis.calls().iter().map(|call| call.matches.clone()).collect();
        let is_same = |call: &CallAnalysis, _: &PromptMatches| !is_asked_otherwise(call.number);
        self.bills_again(analysis, &prompts, timeline, prices, is_same)
    }

    fn bills_again(
        &self,
        analysis: &SessionAnalysis,
        prompts: &[PromptMatches],
        timeline: &Timeline<'_>,
        prices: &Prices,
        is_same: impl Fn(&CallAnalysis, &PromptMatches) -> bool,
    ) -> Vec<CallBill> {
        let calls = analysis.calls().iter().zip(&self.calls).zip(prompts);
        let before: Vec<Option<UneditedBill>> = calls
            .clone()
            .map(|((call, cache), prompt)| Some(self.before(call, cache, is_same(call, prompt))))
            .collect();
        let sized = bill::sizes(&before, prompts);
        let predictions = simulate(&reported::anchored(prompts, &sized), |at| timeline.sent(at));
        let before = before.into_iter().flatten();
        let bills = calls.zip(predictions).zip(before).enumerate();
        let bills = bills.map(|(at, ((((call, _), prompt), prediction), before))| {
            let counted = TokenCount::exact(prompt.tokens + prompt.tail_tokens);
            let counted = TokenCount { basis: call.total.basis, ..counted };
            let size = sized[at].map_or(prompt.tokens, |size| size.prompt) + prompt.tail_tokens;
            let bill = before.again(counted, size, &prediction, timeline.is_kept_long(at));
            bill.priced(price_of(prices, call))
        });
        bills.collect()
    }

    fn before(&self, call: &CallAnalysis, cache: &CallCache, is_same: bool) -> UneditedBill {
        UneditedBill {
            bill: cache.bill,
            sized: cache.sized,
            prediction: cache.prediction,
            growth: self.growth.of_model(&cache.model),
            forgotten: call.matches.forgotten_tokens,
            is_same,
        }
    }

    /// The call with the largest prompt; the first of several.
    pub fn largest(&self) -> Option<&CallCache> {
        self.calls.iter().rev().max_by_key(|call| call.bill.prompt_tokens)
    }

    /// The rules that the calls' providers cache by, in the order of the calls.
    pub fn rule_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for call in &self.calls {
            if !names.contains(&&*call.rule) {
                names.push(&call.rule);
            }
        }
        names
    }

    /// Whether the rules of all calls are those that their providers publish.
    pub fn is_rule_known(&self) -> bool {
        self.calls.iter().all(|call| call.is_rule_known)
    }

    /// What all calls come to, but for those that are held.
    pub fn bill(&self) -> BillTotals {
        let calls = self.calls.iter().map(|call| &call.bill).filter(|bill| !bill.is_pending);
        BillTotals { summaries: self.summaries, ..BillTotals::of(calls) }
    }

    /// What is predicted, and what was lost.
    pub fn totals(&self) -> CacheTotals {
        let mut totals = CacheTotals::default();
        for call in &self.calls {
            totals.prompt_tokens += u64::from(call.bill.prompt_tokens);
            totals.cached_tokens += u64::from(call.prediction.expected);
            totals.written_tokens += u64::from(call.prediction.written);
            if let Some(loss) = call.broken() {
                totals.lost_tokens += u64::from(loss.tokens);
                if loss.cause.is_avoidable() {
                    totals.avoidable_tokens += u64::from(loss.tokens);
                }
            }
        }
        totals
    }
}

impl BilledCalls<'_> {
    fn before(&self, now: &CallAnalysis) -> Option<UneditedBill> {
        let (was, cache) = (self.analysis.call(now.number)?, self.caches.call(now.number)?);
        let is_same = was.sent_to == now.sent_to && was.request.is_same_prompt(&now.request);
        Some(self.caches.before(was, cache, is_same))
    }
}

fn verdict_on(experiment: &Experiment, call: &CallAnalysis) -> Option<CacheVerdict> {
    let answer = experiment.session().events.get(experiment.call(call.number)?.answer.as_usize())?;
    CacheVerdict::from_json(marks::of(answer, CACHE_VERDICT)?)
}

/// What the model of a call costs: of the one that answered, where that is known.
pub(crate) fn price_of<'p>(prices: &'p Prices, call: &CallAnalysis) -> Option<&'p Price> {
    prices.of_model(&call.sent_to).or_else(|| prices.of_model(&call.model))
}

#[cfg(test)]
mod tests;
