//! What a provider finds again of a session's prompts, what kept it from finding more, and what that cost.

mod bill;
mod call;
mod entries;
mod fixes;
mod growth;
mod loss;
mod rates;
mod replay;
mod reported;
mod rewrite;
mod running;
mod sentences;
mod simulate;
mod summary_bill;
mod timeline;
mod tried;
mod volatile;
mod worth;
mod zones;

use std::ops::{Range, RangeInclusive};
use std::sync::{Arc, OnceLock};

use strata_engine::Experiment;
use strata_model::marks::{self, CACHE_VERDICT};
use strata_model::{LlmRequest, SharedList, Str};
use strata_wire::{CacheRules, CacheVerdict};

pub use bill::{BillTotals, CallBill, Cost};
pub use call::{CallCache, LeftOut, NeverRead};
pub use fixes::{CacheFix, FixKind};
pub use loss::Loss;
pub use reported::{Comparison, ReportedCounts};
pub use running::AgentSums;
pub use simulate::{Asked, Prediction, SentCall, simulate};
pub(crate) use summary_bill::Payer;
pub use summary_bill::SummaryBill;
pub(crate) use timeline::Timeline;
pub(crate) use tried::TriedCalls;
pub use zones::{Zone, ZoneSpan};

use bill::UneditedBill;
use growth::GrowthRatios;
use loss::Losses;
use reported::{Reports, ReportsTogether};
use running::{RunningSums, SummedCall};
pub(super) use simulate::ProviderCaches;

use super::call::CallAnalysis;
use super::difference::Difference;
use super::matches::PromptMatches;
use super::prefix::definitions_fingerprint;
use super::session::SessionAnalysis;
use crate::prices::{Price, Prices};
use crate::tokens::{Basis, TokenCount};

/// The caches of a session's calls.
#[derive(Clone, Default)]
pub struct CacheAnalysis {
    pub calls: Vec<CallCache>,
    /// Of each summary, with the place of its event; once all calls are compiled.
    summaries: Vec<(usize, SummaryBill)>,
    /// Of the recorded session, whatever is laid over it; once somebody asked.
    growth: OnceLock<GrowthRatios>,
    sums: RunningSums,
    run: CacheRun,
}

/// What later calls rest on, beside what earlier ones came to.
#[derive(Clone, Default)]
struct CacheRun {
    calls: SharedList<CallAnalysis>,
    timeline: Timeline,
    /// In the provider's tokens.
    prompts: Vec<PromptMatches>,
    caches: ProviderCaches,
    together: ReportsTogether,
}

impl CacheRun {
    fn truncate(&mut self, n_calls: usize) {
        self.timeline.truncate(n_calls);
        self.prompts.truncate(n_calls);
        self.caches.truncate(n_calls);
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
        Self::default().gone_on(experiment, analysis, None, rules, prices)
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
        Self::default().gone_on(experiment, analysis, Some(unedited), rules, prices)
    }

    /// The same session with the calls that are compiled by now, with the same rules and prices. What it has no longer,
    /// or otherwise, is left out, and what is known of the calls before that goes on.
    pub fn grown(
        mut self,
        experiment: &Experiment,
        analysis: &SessionAnalysis,
        rules: &CacheRules,
        prices: &Prices,
    ) -> Self {
        let n_same = self.run.calls.n_shared(analysis.calls());
        if n_same < self.calls.len() {
            self.calls.truncate(n_same);
            self.sums = RunningSums::of(self.calls.iter().zip(analysis.calls()).map(summed));
        }
        self.run.truncate(n_same);
        let (together, has_marks) = (self.run.together.clone(), self.run.timeline.has_marks);
        let grown = self.gone_on(experiment, analysis, None, rules, prices);
        let is_understood = grown.run.together == together && grown.run.timeline.has_marks == has_marks;
        if n_same == 0 || is_understood {
            return grown;
        }
        // Earlier reports and requests are understood by what all of them tell.
        Self::new(experiment, analysis, rules, prices)
    }

    /// Adds the calls behind those that are in it.
    fn gone_on(
        mut self,
        experiment: &Experiment,
        analysis: &SessionAnalysis,
        unedited: Option<BilledCalls<'_>>,
        rules: &CacheRules,
        prices: &Prices,
    ) -> Self {
        let calls = analysis.calls();
        let n_known = self.calls.len();
        let before: Vec<Option<UneditedBill>> = unedited
            .map_or_else(Vec::new, |unedited| calls.iter().map(|call| unedited.before(call)).collect());
        let sizes = bill::sizes(&before, calls.iter().map(|call| &call.matches).take(before.len()));
        self.run.timeline.go_on(experiment, calls, rules);
        let telling = reported::telling_models(experiment, calls);
        for (at, call) in (n_known..).zip(calls.range(n_known..calls.len())) {
            let mut reported = ReportedCounts::of_call(experiment, call).filter(|_| unedited.is_none());
            if telling.contains(&call.sent_to) {
                reported = reported.map(ReportedCounts::with_omitted_zero);
            }
            let sized = match unedited {
                Some(_) => sizes[at],
                None => reported.or_else(|| self.sized_by_parent(call)),
            };
            let run = &mut self.run;
            let sized_at = |of: usize| if of == at { sized } else { self.calls[of].sized };
            run.prompts.push(reported::anchored(at, |of| &calls[of].matches, sized_at));
            let told = match unedited.zip(before.get(at).copied().flatten()) {
                None => reported,
                Some((known, before)) if before.is_same => {
                    known.caches.call(call.number).and_then(|call| call.reported)
                }
                Some(_) => None,
            };
            let told = told.and_then(|report| report.cached);
            let size = sized.map(|size| size.prompt);
            let sent = SentCall { reported: told, size, ..run.timeline.sent(at) };
            let prediction = run.caches.meet(&run.prompts, sent);
            let is_kept_long = run.timeline.is_kept_long(at);
            let output = experiment.call(call.number).and_then(|call| call.usage.as_ref()?.output_tokens());
            let output = output.map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX));
            let bill = match (before.get(at).copied().flatten(), &reported) {
                (Some(before), _) => {
                    let prompt = sized.map_or(call.total.tokens, |size| size.prompt);
                    if before.is_same && before.prediction == prediction {
                        reported = unedited.and_then(|unedited| unedited.caches.call(call.number)?.reported);
                    }
                    before.again(call.total, prompt, &prediction, is_kept_long)
                }
                (None, Some(report)) => CallBill::reported(call.total, report, output),
                (None, None) => {
                    // What is kept unasked is not charged for, and nobody calls it written.
                    let is_written = run.timeline.needs_marks(at);
                    let writes = if is_written { prediction.writes(is_kept_long) } else { (0, 0) };
                    let found = (prediction.expected, writes);
                    let size = sized.map_or((call.total.tokens, call.total.basis), |size| {
                        (size.prompt, Basis::Calibrated)
                    });
                    CallBill::predicted(call.total, size, found, output)
                }
            };
            let bill = CallBill { is_pending: call.is_pending, ..bill.unpaid_if(call.is_unpaid) };
            let bill = bill.priced(price_of(prices, call));
            let rule = &run.timeline.rules[at];
            self.calls.push(CallCache {
                call: call.number,
                agent: run.timeline.agents[at].clone(),
                model: call.sent_to.clone(),
                lineage: run.timeline.lineages[at],
                rule: rule.name.clone(),
                is_rule_known: rule.is_known,
                lifetime_s: run.timeline.lifetimes[at].or(rule.lifetime_s),
                zones: zones::zones(rule, bill.prompt_tokens, &prediction),
                loss: None,
                reported,
                comparison: None,
                left_out: None,
                never_read: None,
                verdict: reported.and_then(|_| verdict_on(experiment, call)),
                bill,
                sized,
                prediction,
            });
        }
        let new = self.calls[n_known..].iter().zip(calls.range(n_known..calls.len()));
        self.sums.go_on(new.map(summed));
        let run = &mut self.run;
        run.calls = calls.clone();
        let reports = self.calls.iter().map(|call| call.reported.as_ref());
        run.together = ReportsTogether::of(&run.prompts, reports, telling);
        self.compare(n_known, unedited, prices);
        self.weigh_remedies(analysis, prices);
        let is_whole = calls.len() == experiment.calls().len();
        for call in &mut self.calls {
            (call.left_out, call.never_read) = (None, None);
        }
        if is_whole {
            self.weigh_marks(analysis, prices);
            self.weigh_unread(prices);
        }
        self.growth = unedited.map_or_else(OnceLock::new, |unedited| unedited.growth().clone().into());
        self.summaries =
            if is_whole { SummaryBill::of_each(experiment, analysis, prices) } else { Vec::new() };
        self
    }

    /// The size of a prompt without a report that goes on from one whose size is known.
    fn sized_by_parent(&self, call: &CallAnalysis) -> Option<ReportedCounts> {
        let parent = self.call(call.matches.parent?)?;
        let sized = parent.sized.filter(|_| parent.model == call.sent_to)?;
        Some(sized.grown(parent.bill.counted.tokens, call.total.tokens))
    }

    /// Sets what was reported of calls, from one of them on, beside what was predicted, and what they lost.
    fn compare(&mut self, from: usize, unedited: Option<BilledCalls<'_>>, prices: &Prices) {
        let CacheRun { calls, timeline, prompts, together, .. } = &self.run;
        let reports = Reports { calls, prompts, together };
        let missed_before = |at: usize| unedited?.caches.calls.get(at)?.comparison?.difference;
        let found = |at: usize| (&self.calls[at].prediction, &self.calls[at].bill);
        let losses = Losses { calls, found: &found, prompts, timeline, missed_before: &missed_before };
        let compared = self.calls.iter().enumerate().skip(from).map(|(at, call)| {
            let (rule, prediction) = (&timeline.rules[at], &call.prediction);
            let comparison = call.reported.and_then(|report| {
                Some(reported::compare(rule, at, prediction, &reports, &report, report.cached?))
            });
            (comparison, losses.of(at, price_of(prices, &calls[at]), comparison.as_ref()))
        });
        let compared: Vec<_> = compared.collect();
        for (call, (comparison, loss)) in self.calls[from..].iter_mut().zip(compared) {
            (call.comparison, call.loss) = (comparison, loss);
        }
    }

    /// Whether it is of these very calls.
    pub fn is_of(&self, analysis: &SessionAnalysis) -> bool {
        let calls = analysis.calls();
        self.run.calls.len() == calls.len() && self.run.calls.n_shared(calls) == calls.len()
    }

    /// Whether nothing was ever found or written, though it could have been: nobody asks for the cache, or nobody keeps one.
    fn is_unused(&self) -> bool {
        let is_unused = |call: &CallCache| {
            let difference = call.comparison.and_then(|found| found.difference);
            difference.is_some_and(Difference::is_of_all)
        };
        !self.run.together.is_cache_used && self.calls.iter().any(is_unused)
    }

    /// Whether a call leaves out of the cache what its provider would keep if it were asked to: by its request, or by
    /// reports of a session in which nothing was ever found or written.
    pub(crate) fn is_left_out(&self, at: usize) -> bool {
        let timeline = &self.run.timeline;
        let is_said =
            || timeline.asked[at] == Asked::Unknown && self.calls[at].reported.is_some() && self.is_unused();
        timeline.is_unmarked(at) || (timeline.needs_marks(at) && is_said())
    }

    /// Whether nobody can have asked for more to be kept than the request of a call does.
    fn is_sure(&self, at: usize) -> bool {
        let marked = self.run.calls.get(at).and_then(|call| call.matches.marked.as_ref());
        marked.is_none_or(|marked| marked.is_sure || self.run.timeline.has_marks)
    }

    /// Whether the request of a call is known to mark nothing of it to be kept.
    fn marks_nothing(&self, at: usize) -> Option<bool> {
        let marked = self.run.calls.get(at)?.matches.marked.as_ref();
        marked.filter(|_| self.run.timeline.asked[at] == Asked::Own).map(|marked| marked.own.is_empty())
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
    pub(crate) fn with_prompts(
        &self,
        analysis: &SessionAnalysis,
        prompts: &[PromptMatches],
        timeline: &Timeline,
        prices: &Prices,
    ) -> TriedCalls {
        let is_same = |call: &CallAnalysis, prompt: &PromptMatches| call.matches == *prompt;
        self.again(analysis, prompts, timeline, prices, is_same)
    }

    /// What they come to with the same prompts, of which an agent's are kept in the cache as another timeline says.
    fn bills_kept(
        &self,
        analysis: &SessionAnalysis,
        timeline: &Timeline,
        prices: &Prices,
        agent: Option<&str>,
    ) -> Vec<CallBill> {
        let prompts: Vec<PromptMatches> = analysis.calls().iter().map(|call| call.matches.clone()).collect();
        let is_same = |call: &CallAnalysis, _: &PromptMatches| {
            Some(&*timeline.agents[call.number as usize - 1]) != agent
        };
        self.again(analysis, &prompts, timeline, prices, is_same).bills
    }

    fn again(
        &self,
        analysis: &SessionAnalysis,
        prompts: &[PromptMatches],
        timeline: &Timeline,
        prices: &Prices,
        is_same: impl Fn(&CallAnalysis, &PromptMatches) -> bool,
    ) -> TriedCalls {
        let billed = BilledCalls { analysis, caches: self };
        let calls = analysis.calls().iter().zip(&self.calls).zip(prompts);
        let before: Vec<Option<UneditedBill>> = calls
            .clone()
            .map(|((call, cache), prompt)| Some(billed.before_edit(call, cache, is_same(call, prompt))))
            .collect();
        let sized = bill::sizes(&before, prompts);
        let anchored = |at: usize| reported::anchored(at, |of| &prompts[of], |of| sized[of]);
        let anchored: Vec<PromptMatches> = (0..prompts.len()).map(anchored).collect();
        let is_same_call = |at: usize| before[at].as_ref().is_some_and(|before| before.is_same);
        let told = |at: usize| self.calls[at].reported.filter(|_| is_same_call(at))?.cached;
        let sent = |at: usize| {
            let size = sized[at].map(|size| size.prompt);
            SentCall { reported: told(at), size, ..timeline.sent(at) }
        };
        let predictions = simulate(&anchored, sent);
        let before = before.into_iter().flatten();
        let bills = calls.zip(&predictions).zip(before).enumerate();
        let bills = bills.map(|(at, ((((call, _), prompt), prediction), before))| {
            let counted = TokenCount::exact(prompt.tokens + prompt.tail_tokens);
            let counted = TokenCount { basis: call.total.basis, ..counted };
            let size = sized[at].map_or(prompt.tokens, |size| size.prompt) + prompt.tail_tokens;
            // What was found where another part was asked for says nothing of this one.
            let is_asked_otherwise = timeline.asked[at] != self.run.timeline.asked[at];
            let before = if is_asked_otherwise { before.of_unknown_cache() } else { before };
            let bill = before.again(counted, size, prediction, timeline.is_kept_long(at));
            bill.priced(price_of(prices, call))
        });
        TriedCalls { bills: bills.collect(), prompts: anchored, predictions }
    }

    /// The call with the largest prompt; the first of several.
    pub fn largest(&self) -> Option<&CallCache> {
        self.call(self.sums.largest?.call)
    }

    /// What the calls of an agent come to.
    pub fn agent(&self, name: &str) -> Option<&AgentSums> {
        self.sums.agents.iter().find(|agent| &*agent.name == name)
    }

    /// The models that were asked, in the order of their first calls.
    pub fn models(&self) -> &[Str] {
        &self.sums.models
    }

    /// Calls whose prompts nobody reported.
    pub fn n_unreported(&self) -> u32 {
        self.sums.n_unreported
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
        BillTotals { summaries: self.summaries(), ..self.sums.bill() }
    }

    /// What some calls come to, by their numbers, with the summaries that are written at some events, by their places.
    pub fn bill_within(&self, calls: &RangeInclusive<u32>, events: &Range<usize>) -> BillTotals {
        let calls = self.calls.iter().filter(|call| calls.contains(&call.call)).map(|call| &call.bill);
        let summaries = self.summaries.iter().filter(|(at, _)| events.contains(at)).map(|(_, bill)| bill);
        BillTotals { summaries: summaries.sum(), ..BillTotals::of(calls.filter(|bill| !bill.is_pending)) }
    }

    /// What writing all summaries comes to; nothing before all calls are compiled.
    pub fn summaries(&self) -> SummaryBill {
        self.summaries.iter().map(|(_, bill)| bill).sum()
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
        let is_same_head =
            is_same || (was.sent_to == now.sent_to && has_same_head(&was.request, &now.request));
        let kept_head = if is_same_head { was.matches.head_tokens } else { 0 };
        Some(UneditedBill { kept_head, ..self.before_edit(was, cache, is_same) })
    }

    fn before_edit(&self, call: &CallAnalysis, cache: &CallCache, is_same: bool) -> UneditedBill {
        UneditedBill {
            bill: cache.bill,
            sized: cache.sized,
            prediction: cache.prediction,
            is_uncached: cache.reported.is_some() && self.caches.is_unused(),
            is_write_unsaid: cache.reported.is_some_and(|report| report.written.is_none())
                || !self.caches.run.timeline.needs_marks(call.number as usize - 1),
            missed_reference: matches!(
                cache.comparison.and_then(|comparison| comparison.difference),
                Some(Difference::OlderPrompt | Difference::InFlight)
            ),
            growth: self.growth().of_model(&cache.model),
            forgotten: call.matches.forgotten_tokens,
            kept_head: 0,
            is_same,
        }
    }

    fn growth(&self) -> &GrowthRatios {
        let reported = |at: usize| self.caches.calls.get(at)?.reported;
        self.caches.growth.get_or_init(|| GrowthRatios::of(self.analysis, reported))
    }
}

/// Whether both send the same tools and the same instruction, whatever these are from.
fn has_same_head(a: &LlmRequest, b: &LlmRequest) -> bool {
    let system = |request: &LlmRequest| request.system_instruction.as_ref().map(|text| text.to_text());
    let are_shared = Arc::ptr_eq(&a.tools, &b.tools) && Arc::ptr_eq(&a.config, &b.config);
    system(a) == system(b) && (are_shared || definitions_fingerprint(a) == definitions_fingerprint(b))
}

fn summed<'c>((call, analysed): (&'c CallCache, &'c CallAnalysis)) -> SummedCall<'c> {
    SummedCall { number: call.call, agent: &call.agent, model: &analysed.model, bill: &call.bill }
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
