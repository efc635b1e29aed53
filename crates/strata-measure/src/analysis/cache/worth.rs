//! Whether what helps pays: a longer lifetime costs more to write, so does a prompt that is marked, and the model that was
//! left may cost more to ask.

use std::collections::{BTreeMap, BTreeSet};

use strata_model::Str;
use strata_wire::Mark;

use super::timeline::Timeline;
use super::{BillTotals, CacheAnalysis, CallBill, CallCache, LeftOut, NeverRead, price_of};
use crate::analysis::blame::Cause;
use crate::analysis::session::SessionAnalysis;
use crate::prices::Prices;

impl CacheAnalysis {
    /// Says of prefixes that expired whether they can be kept for longer at a gain, and of changes of the model what
    /// staying would have cost. Later calls decide that, too, so it is looked at again with each that is added.
    pub(super) fn weigh_remedies(&mut self, analysis: &SessionAnalysis, prices: &Prices) {
        let longest = self.paying_lifetimes(analysis, prices);
        let staying: Vec<Option<i64>> = (0..self.calls.len()).map(|at| self.staying(at, prices)).collect();
        for (call, of_call) in self.calls.iter_mut().zip(staying) {
            match call.loss.as_mut().map(|loss| &mut loss.cause) {
                Some(Cause::Expired { longest_s, .. }) => *longest_s = longest.get(&call.call).copied(),
                Some(Cause::Model { staying_micros, .. }) => *staying_micros = of_call,
                _ => {}
            }
        }
    }

    /// Says of calls that leave their prompts out of the cache what that cost, by the marks that would have saved most.
    pub(super) fn weigh_marks(&mut self, analysis: &SessionAnalysis, prices: &Prices) {
        let left_out = (0..self.calls.len()).filter(|at| self.is_left_out(*at));
        let agents: BTreeSet<Str> = left_out.map(|at| self.calls[at].agent.clone()).collect();
        for agent in agents {
            let longest = self.run.timeline.longest_lifetime_s(&agent);
            let lifetimes = std::iter::once(None).chain(longest.map(Some));
            let ways =
                lifetimes.flat_map(|time| [Mark::Tools, Mark::System, Mark::Last].map(|last| (last, time)));
            let bills = |(last, time)| {
                let timeline = self.run.timeline.clone().marked(&agent, last, time);
                self.bills_kept(analysis, &timeline, prices, Some(&agent))
            };
            let tried: Vec<_> = ways.map(|way| (way, bills(way))).collect();
            let sums = |bills: &[CallBill]| {
                let totals = BillTotals::of(bills.iter());
                (totals.cost_usd().unwrap_or(0.0), std::cmp::Reverse(totals.cached_tokens))
            };
            // Of two that cost the same the first is the shorter lifetime.
            let cheapest = tried.iter().min_by(|(_, a), (_, b)| {
                let (a, b) = (sums(a), sums(b));
                a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
            });
            let Some(((last, lifetime_s), marked)) = cheapest else { continue };
            let saved = |at: usize| {
                let (is, was) = (&marked[at], &self.calls[at].bill);
                LeftOut {
                    tokens: is.cached_tokens.saturating_sub(was.cached_tokens),
                    cost_usd: was.cost_usd().zip(is.cost_usd()).map(|(was, is)| was - is),
                    last: *last,
                    lifetime_s: *lifetime_s,
                    marks_nothing: self.marks_nothing(at),
                    is_sure: self.is_sure(at),
                }
            };
            let saved: Vec<(usize, LeftOut)> = (0..self.calls.len())
                .filter(|at| self.calls[*at].agent == agent)
                .map(|at| (at, saved(at)))
                .collect();
            let dollars: Option<f64> = saved.iter().map(|(_, saved)| saved.cost_usd).sum();
            if dollars.is_none_or(|dollars| dollars > 0.0) {
                for (at, saved) in saved {
                    self.calls[at].left_out = Some(saved);
                }
            }
        }
    }

    /// Says of calls whose reports tell that nothing was found what should have been, where no call to their model ever
    /// found anything.
    pub(super) fn weigh_unread(&mut self, prices: &Prices) {
        let found = |call: &CallCache| call.reported.as_ref().and_then(|reported| reported.cached);
        let reading: BTreeSet<Str> = self
            .calls
            .iter()
            .filter(|call| found(call).is_some_and(|cached| cached > 0))
            .map(|call| call.model.clone())
            .collect();
        let unread: Vec<Option<NeverRead>> = self
            .calls
            .iter()
            .enumerate()
            .map(|(at, call)| {
                let tokens = call.prediction.expected;
                let is_marked = self.run.timeline.needs_marks(at);
                let is_unread = found(call) == Some(0) && !reading.contains(&call.model);
                if !is_unread || self.is_left_out(at) || (tokens == 0 && !is_marked) {
                    return None;
                }
                let written = call.reported.as_ref().map_or(0, |reported| reported.written.unwrap_or(0));
                let price = price_of(prices, self.run.calls.get(at)?);
                let cost_usd = price.map(|price| {
                    let rates = price.rates_for(call.bill.prompt_tokens.into());
                    let rewritten = f64::from(written.min(tokens));
                    let dearer = rates.cache_write.unwrap_or(rates.input) - rates.input;
                    // What would be read next time has to be written first; what was written need not have been.
                    let unwritten =
                        if is_marked && written == 0 { f64::from(call.prediction.written) } else { 0.0 };
                    let read = f64::from(tokens) * (rates.input - rates.cached_read);
                    (read + (rewritten - unwritten) * dearer) / 1e6
                });
                Some(NeverRead { tokens, written, cost_usd })
            })
            .collect();
        for (call, never_read) in self.calls.iter_mut().zip(unread) {
            call.never_read = never_read;
        }
    }

    /// The longest lifetime that can be asked for, by the calls whose prefix had expired, where it would not have cost more
    /// than it saves.
    fn paying_lifetimes(&self, analysis: &SessionAnalysis, prices: &Prices) -> BTreeMap<u32, u32> {
        let timeline = &self.run.timeline;
        let offered = self.calls.iter().enumerate().filter_map(|(at, call)| {
            let Cause::Expired { lifetime_s, .. } = &call.loss.as_ref()?.cause else { return None };
            let longest_s = timeline.rules[at].longest_lifetime_s? as u32;
            (longest_s > *lifetime_s).then_some((call, longest_s))
        });
        let mut known: BTreeMap<(&Str, u32), bool> = BTreeMap::new();
        let mut paying = BTreeMap::new();
        for (call, longest_s) in offered {
            let pays = known
                .entry((&call.agent, longest_s))
                .or_insert_with(|| self.pays_for(&call.agent, longest_s, analysis, prices));
            if *pays {
                paying.insert(call.call, longest_s);
            }
        }
        paying
    }

    /// Whether an agent's prefixes would cost no more if all of them were kept for so many seconds. Without a price it is
    /// not known, and the lifetime is told of as it is offered.
    fn pays_for(&self, agent: &str, lifetime_s: u32, analysis: &SessionAnalysis, prices: &Prices) -> bool {
        let timeline = &self.run.timeline;
        let kept = timeline.clone().kept_for(agent, f64::from(lifetime_s));
        let cost = |timeline: &Timeline, agent: Option<&str>| {
            let bills: Vec<CallBill> = self.bills_kept(analysis, timeline, prices, agent);
            BillTotals::of(bills.iter()).cost_usd()
        };
        let costs = cost(timeline, None).zip(cost(&kept, Some(agent)));
        costs.is_none_or(|(before, after)| after <= before)
    }

    /// Millionths of a US dollar that the calls from one on, which went to another model than those before, would have cost
    /// more at the former. `None` where none did, and without a price.
    fn staying(&self, at: usize, prices: &Prices) -> Option<i64> {
        let call = &self.calls[at];
        let loss = call.loss.as_ref()?;
        let Cause::Model { before, .. } = &loss.cause else { return None };
        let price = prices
            .of_model(before)
            .or_else(|| price_of(prices, self.run.calls.get(loss.against as usize - 1)?))?;
        let mut more = 0.0;
        for other in self.calls.iter().skip(at).filter(|other| other.lineage == call.lineage) {
            let found_more = if other.call == call.call { loss.tokens } else { 0 };
            more += other.bill.cost_at(price, found_more) - other.bill.cost_usd()?;
        }
        Some((more * 1e6).round() as i64)
    }
}
