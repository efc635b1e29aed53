//! What calls come to: by their report where there is one, else as predicted, and calibrated by the reports there are.
//!
//! Every figure of a call's tokens, its cache and its price is made here, and every sum over calls.

use std::iter::Sum;

use super::reported::ReportedCounts;
use super::simulate::Prediction;
use super::summary_bill::SummaryBill;
use crate::analysis::matches::PromptMatches;
use crate::prices::{ChargedTokens, Price};
use crate::tokens::{Basis, TokenCount};

/// What a call comes to, in its provider's tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CallBill {
    /// Our count of the prompt, as far as it is known.
    pub counted: TokenCount,
    /// All of the prompt.
    pub prompt_tokens: u32,
    /// `Reported` for this very request; `Calibrated` by the report on the call before it was edited; else that of our
    /// count.
    pub basis: Basis,
    /// Read from the provider's cache.
    pub cached_tokens: u32,
    /// Whether that is reported. It is predicted otherwise, but for a call of which nothing is said.
    pub is_cache_reported: bool,
    /// The report on this call says nothing of a cache, before it was edited or still: it charges the whole prompt, and
    /// nothing else is known of it.
    pub is_cache_unsaid: bool,
    /// Written to the cache for the provider's shorter lifetime, and for the longer one.
    pub written_tokens: u32,
    pub written_long_tokens: u32,
    /// Of the answer that is recorded, thoughts included. `None` where nothing is reported of it.
    pub output_tokens: Option<u32>,
    /// It failed without a report, or no answer to it is recorded: nobody is known to have paid for it, and nothing is
    /// known to be read from a cache or written to one.
    pub is_unpaid: bool,
    /// It is held before it is sent: this is what it would come to.
    pub is_pending: bool,
    /// US dollars. `None` without a price.
    pub cost: Option<Cost>,
}

/// US dollars for a call. They add up.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    /// What is known of the prompt.
    pub known: f64,
    /// What its provider counted beyond that.
    pub hidden: f64,
    pub output: f64,
}

impl Cost {
    pub fn total(&self) -> f64 {
        self.known + self.hidden + self.output
    }

    fn plus(self, other: Self) -> Self {
        Self {
            known: self.known + other.known,
            hidden: self.hidden + other.hidden,
            output: self.output + other.output,
        }
    }
}

impl CallBill {
    pub(super) fn reported(counted: TokenCount, report: &ReportedCounts, output_tokens: Option<u32>) -> Self {
        let (written_tokens, written_long_tokens) = report.written_tokens();
        Self {
            counted,
            prompt_tokens: report.prompt,
            basis: Basis::Reported,
            cached_tokens: report.cached.unwrap_or(0),
            is_cache_reported: report.cached.is_some(),
            is_cache_unsaid: report.cached.is_none(),
            written_tokens,
            written_long_tokens,
            output_tokens,
            is_unpaid: false,
            is_pending: false,
            cost: None,
        }
    }

    pub(super) fn predicted(
        counted: TokenCount,
        (prompt_tokens, basis): (u32, Basis),
        (cached, (written, written_long)): (u32, (u32, u32)),
        output_tokens: Option<u32>,
    ) -> Self {
        let cached_tokens = cached.min(prompt_tokens);
        let written_long_tokens = written_long.min(prompt_tokens - cached_tokens);
        let written_tokens = written.min(prompt_tokens - cached_tokens - written_long_tokens);
        Self {
            counted,
            prompt_tokens,
            basis,
            cached_tokens,
            is_cache_reported: false,
            is_cache_unsaid: false,
            written_tokens,
            written_long_tokens,
            output_tokens,
            is_unpaid: false,
            is_pending: false,
            cost: None,
        }
    }

    /// What of the call is paid for, if anything is.
    fn charged(&self) -> ChargedTokens {
        ChargedTokens {
            prompt: self.prompt_tokens.into(),
            cached: self.cached_tokens.into(),
            written: self.written_tokens.into(),
            written_long: self.written_long_tokens.into(),
            output: self.output_tokens.unwrap_or(0).into(),
        }
    }

    /// US dollars for the same call at this price, with so many tokens more found in a cache.
    pub(super) fn cost_at(&self, price: &Price, found_more: u32) -> f64 {
        if self.is_unpaid {
            return 0.0;
        }
        let mut charged = self.charged();
        charged.cached = (charged.cached + u64::from(found_more)).min(charged.prompt);
        let new = charged.prompt - charged.cached;
        charged.written_long = charged.written_long.min(new);
        charged.written = charged.written.min(new - charged.written_long);
        price.cost(&charged)
    }

    pub(super) fn priced(self, price: Option<&Price>) -> Self {
        if self.is_unpaid {
            return Self { cost: Some(Cost::default()), ..self };
        }
        let cost = price.map(|price| {
            let charged = self.charged();
            let rates = price.rates_for(charged.prompt);
            let output = f64::from(self.output_tokens.unwrap_or(0)) * rates.output / 1e6;
            let hidden = charged.prompt_cost(&rates, self.hidden_tokens().into());
            Cost { known: price.cost(&charged) - output - hidden, hidden, output }
        });
        Self { cost, ..self }
    }

    /// The same call, if nobody is known to have paid for it: its prompt has its size, and that is all.
    pub(super) fn unpaid_if(self, is_unpaid: bool) -> Self {
        if !is_unpaid {
            return self;
        }
        Self { cached_tokens: 0, written_tokens: 0, written_long_tokens: 0, is_unpaid, ..self }
    }

    /// What the provider counted beyond what is known of the prompt. It stands first in it.
    pub fn hidden_tokens(&self) -> u32 {
        self.prompt_tokens.saturating_sub(self.counted.tokens)
    }

    /// By how much our count is above that of the provider.
    pub fn overcounted_tokens(&self) -> u32 {
        self.counted.tokens.saturating_sub(self.prompt_tokens)
    }

    /// Where a token of our count stands in the prompt: behind what is hidden, and where we count too much, as much earlier.
    pub(super) fn place_of(&self, counted: u32) -> u32 {
        let place = match self.overcounted_tokens() {
            0 => counted.saturating_add(self.hidden_tokens()),
            _ => (u64::from(counted) * u64::from(self.prompt_tokens) / u64::from(self.counted.tokens)) as u32,
        };
        place.min(self.prompt_tokens)
    }

    pub fn cost_usd(&self) -> Option<f64> {
        self.cost.as_ref().map(Cost::total)
    }
}

/// Sums over calls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BillTotals {
    pub calls: u32,
    /// Of these, calls whose prompt was reported.
    pub reported_calls: u32,
    /// Of these, calls that nobody is known to have paid for, and the tokens of their prompts.
    pub unpaid_calls: u32,
    pub unpaid_tokens: u64,
    /// `counted_tokens + hidden_tokens - overcounted_tokens`.
    pub prompt_tokens: u64,
    /// The weakest of all calls.
    pub basis: Basis,
    pub counted_tokens: u64,
    pub counted_basis: Basis,
    pub hidden_tokens: u64,
    pub overcounted_tokens: u64,
    pub cached_tokens: u64,
    /// Calls of which it is reported what was found in the cache, and those of which a report says nothing of that.
    pub cache_reported_calls: u32,
    pub cache_unsaid_calls: u32,
    pub written_tokens: u64,
    pub written_long_tokens: u64,
    /// Of the calls of which that is reported.
    pub output_tokens: u64,
    /// Of the calls. `None` when one has no price, or there is none.
    pub cost: Option<Cost>,
    /// Calls whose model has no known price, and what all others come to.
    pub unpriced_calls: u32,
    pub priced: Cost,
    /// For writing summaries. Nothing of it is in the other sums, but for [`Self::cost_usd`].
    pub summaries: SummaryBill,
}

impl BillTotals {
    /// Of no call yet.
    pub(super) fn none() -> Self {
        Self {
            calls: 0,
            reported_calls: 0,
            unpaid_calls: 0,
            unpaid_tokens: 0,
            prompt_tokens: 0,
            basis: Basis::Reported,
            counted_tokens: 0,
            counted_basis: Basis::Exact,
            hidden_tokens: 0,
            overcounted_tokens: 0,
            cached_tokens: 0,
            cache_reported_calls: 0,
            cache_unsaid_calls: 0,
            written_tokens: 0,
            written_long_tokens: 0,
            output_tokens: 0,
            cost: Some(Cost::default()),
            unpriced_calls: 0,
            priced: Cost::default(),
            summaries: SummaryBill::default(),
        }
    }

    pub fn of<'b>(bills: impl Iterator<Item = &'b CallBill>) -> Self {
        let mut sum = Self::none();
        bills.for_each(|bill| sum.add(bill));
        sum.finished()
    }

    /// Adds a call; see [`Self::finished`].
    pub(super) fn add(&mut self, bill: &CallBill) {
        self.calls += 1;
        self.reported_calls += u32::from(bill.basis == Basis::Reported);
        if bill.is_unpaid {
            self.unpaid_calls += 1;
            self.unpaid_tokens += u64::from(bill.prompt_tokens);
        }
        self.prompt_tokens += u64::from(bill.prompt_tokens);
        self.basis = self.basis.max(bill.basis);
        self.counted_tokens += u64::from(bill.counted.tokens);
        self.counted_basis = self.counted_basis.max(bill.counted.basis);
        self.hidden_tokens += u64::from(bill.hidden_tokens());
        self.overcounted_tokens += u64::from(bill.overcounted_tokens());
        self.cached_tokens += u64::from(bill.cached_tokens);
        self.cache_reported_calls += u32::from(bill.is_cache_reported);
        self.cache_unsaid_calls += u32::from(bill.is_cache_unsaid);
        self.written_tokens += u64::from(bill.written_tokens);
        self.written_long_tokens += u64::from(bill.written_long_tokens);
        self.output_tokens += u64::from(bill.output_tokens.unwrap_or(0));
        self.cost = self.cost.zip(bill.cost).map(|(sum, cost)| sum.plus(cost));
        match bill.cost {
            Some(cost) => self.priced = self.priced.plus(cost),
            None => self.unpriced_calls += 1,
        }
    }

    /// With no cost where there is no call.
    pub(super) fn finished(mut self) -> Self {
        self.cost = self.cost.filter(|_| self.calls > 0);
        self
    }

    /// Written to a cache, for however long.
    pub fn all_written_tokens(&self) -> u64 {
        self.written_tokens + self.written_long_tokens
    }

    /// Of the prompts that were paid for.
    pub fn paid_tokens(&self) -> u64 {
        self.prompt_tokens.saturating_sub(self.unpaid_tokens)
    }

    /// Paid in full: not read from a cache.
    pub fn fresh_tokens(&self) -> u64 {
        self.paid_tokens().saturating_sub(self.cached_tokens)
    }

    /// The share of all prompts that were paid for which was read from a cache, from 0 to 1.
    pub fn cache_ratio(&self) -> f64 {
        self.cached_tokens as f64 / self.paid_tokens().max(1) as f64
    }

    /// US dollars of the calls and summaries that have a price, where others have none.
    pub fn partly_usd(&self) -> Option<f64> {
        let is_partly = self.cost.is_none() && self.calls > self.unpriced_calls;
        is_partly.then(|| self.priced.total() + self.summaries.cost.unwrap_or(0.0))
    }

    /// US dollars of calls and summaries.
    pub fn cost_usd(&self) -> Option<f64> {
        Some(self.cost.as_ref()?.total() + self.summaries.cost?)
    }
}

/// Of several sessions.
impl Sum for BillTotals {
    fn sum<I: Iterator<Item = Self>>(bills: I) -> Self {
        let mut sum = Self::none();
        for bill in bills {
            // Without a call there is no cost, and none is missing.
            let cost = bill.cost.or_else(|| (bill.calls == 0).then(Cost::default));
            sum = Self {
                calls: sum.calls + bill.calls,
                reported_calls: sum.reported_calls + bill.reported_calls,
                unpaid_calls: sum.unpaid_calls + bill.unpaid_calls,
                unpaid_tokens: sum.unpaid_tokens + bill.unpaid_tokens,
                prompt_tokens: sum.prompt_tokens + bill.prompt_tokens,
                basis: sum.basis.max(bill.basis),
                counted_tokens: sum.counted_tokens + bill.counted_tokens,
                counted_basis: sum.counted_basis.max(bill.counted_basis),
                hidden_tokens: sum.hidden_tokens + bill.hidden_tokens,
                overcounted_tokens: sum.overcounted_tokens + bill.overcounted_tokens,
                cached_tokens: sum.cached_tokens + bill.cached_tokens,
                cache_reported_calls: sum.cache_reported_calls + bill.cache_reported_calls,
                cache_unsaid_calls: sum.cache_unsaid_calls + bill.cache_unsaid_calls,
                written_tokens: sum.written_tokens + bill.written_tokens,
                written_long_tokens: sum.written_long_tokens + bill.written_long_tokens,
                output_tokens: sum.output_tokens + bill.output_tokens,
                cost: sum.cost.zip(cost).map(|(sum, cost)| sum.plus(cost)),
                unpriced_calls: sum.unpriced_calls + bill.unpriced_calls,
                priced: sum.priced.plus(bill.priced),
                summaries: [sum.summaries, bill.summaries].iter().sum(),
            };
        }
        sum.cost = sum.cost.filter(|_| sum.calls > 0);
        sum
    }
}

/// What a call came to before its session was edited.
#[derive(Debug, Clone, Copy)]
pub(super) struct UneditedBill {
    pub bill: CallBill,
    /// Its prompt as it was measured, and what was then predicted of it.
    pub sized: Option<ReportedCounts>,
    pub prediction: Prediction,
    /// Less was found than predicted, for a reason that lies in the prompt that should have been found: what is found of
    /// another one says nothing of that.
    pub missed_reference: bool,
    /// It was reported, and its client asks for no cache in the whole session.
    pub is_uncached: bool,
    /// It was reported, and nothing of what was written.
    pub is_write_unsaid: bool,
    /// The provider's tokens for each of ours that its prompts grow by, where that is known.
    pub growth: Option<f64>,
    /// Thoughts in our count of it that the provider left out by itself.
    pub forgotten: u32,
    /// Tools and instruction, by our count, where they are still sent as they were; else 0.
    pub kept_head: u32,
    /// The very same request is sent.
    pub is_same: bool,
}

/// The sizes of calls' prompts now, in the provider's tokens; `None` where ours is all that is known. A prompt that
/// begins with another one is no smaller, unless it was reported to be.
pub(super) fn sizes<'p>(
    before: &[Option<UneditedBill>],
    prompts: impl IntoIterator<Item = &'p PromptMatches>,
) -> Vec<Option<ReportedCounts>> {
    let mut sizes: Vec<Option<ReportedCounts>> = Vec::with_capacity(before.len());
    let reported = |at: usize| before[at].as_ref().and_then(|before| before.sized);
    for (at, prompt) in prompts.into_iter().enumerate() {
        let was = reported(at);
        let is_no_smaller =
            |parent: &usize| was.zip(reported(*parent)).is_some_and(|(was, of)| was.prompt >= of.prompt);
        let parent = prompt.parent.map(|parent| parent as usize - 1).filter(is_no_smaller);
        let parent = parent.and_then(|parent| sizes[parent]);
        let size = before[at].as_ref().and_then(|before| {
            // Thoughts that the provider left out were no part of the prompt that it reported.
            let size =
                before.size(prompt.tokens + before.forgotten.saturating_sub(prompt.forgotten_tokens))?;
            let least = parent.filter(|_| !before.is_same).map_or(0, |parent| parent.prompt);
            Some(ReportedCounts { prompt: size.prompt.max(least), ..size })
        });
        sizes.push(size);
    }
    sizes
}

impl UneditedBill {
    /// The same where nothing is known of what a provider does that is asked to cache the prompt: it charges for what it
    /// writes, whether or not it says so now.
    pub(super) fn of_unknown_cache(self) -> Self {
        Self { prediction: Prediction::default(), is_uncached: false, is_write_unsaid: false, ..self }
    }

    /// The size of the call's prompt now, in the provider's tokens. `None` where ours is all that is known.
    fn size(&self, now: u32) -> Option<ReportedCounts> {
        let sized = self.sized?;
        if self.is_same {
            return Some(sized);
        }
        let Self { bill, .. } = self;
        let before = bill.counted.tokens;
        let size = ReportedCounts { prompt: bill.prompt_tokens, ..sized }.grown(before, now);
        let prompt = match self.growth {
            // What is more or less now is measured as the growth of the session was. What is left is no smaller than
            // the whole was for its size.
            Some(growth) => {
                let (now, before, was) = (f64::from(now), f64::from(before), f64::from(bill.prompt_tokens));
                let least = now * growth.min(was / before.max(1.0));
                (was + (now - before) * growth).max(least).round() as u32
            }
            None => size.prompt,
        };
        Some(ReportedCounts { prompt, ..size })
    }

    /// What the call comes to with a prompt of this size, or behind other prompts.
    pub(super) fn again(
        &self,
        counted: TokenCount,
        prompt: u32,
        prediction: &Prediction,
        is_kept_long: bool,
    ) -> CallBill {
        let Self { bill, prediction: before, .. } = self;
        if self.is_same && before == prediction {
            return *bill;
        }
        if before == prediction && prompt == bill.prompt_tokens {
            let written = bill.written_tokens + bill.written_long_tokens;
            let writes = match prediction.written_long {
                Some(_) => (bill.written_tokens, bill.written_long_tokens),
                None if is_kept_long => (0, written),
                None => (written, 0),
            };
            let basis = bill.basis.max(Basis::Calibrated);
            let found = (bill.cached_tokens, writes);
            let kept = CallBill::predicted(counted, (prompt, basis), found, bill.output_tokens);
            return self.as_said(kept);
        }
        let basis = match bill.basis {
            Basis::Reported if self.is_same => Basis::Reported,
            Basis::Reported | Basis::Calibrated => Basis::Calibrated,
            _ => counted.basis,
        };
        let found = if bill.is_cache_unsaid || self.is_uncached {
            (0, (0, 0))
        } else {
            let cached = self.found_again(prediction, prompt.saturating_sub(counted.tokens));
            let (_, long) = prediction.writes(is_kept_long);
            let stored = prediction.expected.saturating_add(prediction.written).saturating_sub(cached);
            let long = prediction.expected.saturating_add(long).saturating_sub(cached).min(stored);
            // Somebody who does not report what was written is not charged for it, edited or not.
            (cached, if self.is_write_unsaid { (0, 0) } else { (stored - long, long) })
        };
        self.as_said(CallBill::predicted(counted, (prompt, basis), found, bill.output_tokens))
    }

    /// What was said of the call before the edit holds for it still.
    fn as_said(&self, now: CallBill) -> CallBill {
        CallBill { is_cache_unsaid: self.bill.is_cache_unsaid, ..now.unpaid_if(self.bill.is_unpaid) }
    }

    /// The prediction, corrected by how far the one for the recorded call was off: a provider that found less of it
    /// than it promises will do so again, and what it found of hidden context is still there.
    fn found_again(&self, prediction: &Prediction, hidden: u32) -> u32 {
        let (expected, found) = (self.prediction.expected, self.bill.cached_tokens);
        if !matches!(self.bill.basis, Basis::Reported | Basis::Calibrated) {
            return prediction.expected;
        }
        if found < expected && self.missed_reference && prediction.reference != self.prediction.reference {
            return prediction.expected;
        }
        if found < expected {
            return (u64::from(prediction.expected) * u64::from(found) / u64::from(expected)) as u32;
        }
        let more = prediction.expected.saturating_add(found - expected);
        // What others had sent before this session is still there, as far as prompts begin with it as they did.
        let of_others = found.min(self.measured(self.kept_head));
        more.min(prediction.ceiling.max(hidden).max(prediction.expected).max(of_others))
    }

    /// A part at the beginning of the recorded prompt in the provider's tokens.
    fn measured(&self, counted: u32) -> u32 {
        let Self { bill, .. } = self;
        let (ours, theirs) = (u64::from(bill.counted.tokens.max(1)), u64::from(bill.prompt_tokens));
        if counted == 0 || theirs >= ours {
            return counted;
        }
        (u64::from(counted) * theirs / ours) as u32
    }
}
