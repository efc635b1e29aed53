//! What a token costs in each call, by the bills of the calls.

use super::{BilledCalls, CallBill, price_of};
use crate::analysis::call::CallAnalysis;
use crate::analysis::call_rates::{CallRate, CallRates};
use crate::prices::Prices;

impl BilledCalls<'_> {
    /// What is known of each prompt costs together what the call's bill says. Tokens that match the prompt before are
    /// taken to be the ones that were read from the cache, as far as so many were, and cost less than others by what that
    /// costs less.
    pub fn rates(&self, prices: &Prices) -> CallRates {
        let calls = self.analysis.calls().iter().zip(&self.caches.calls);
        CallRates::of(calls.map(|(call, paid)| {
            if paid.bill.is_unpaid {
                return Some(CallRate { input: 0.0, cached_read: 0.0 });
            }
            let (price, cost) = price_of(prices, call).zip(paid.bill.cost)?;
            let rates = price.rates_for(paid.bill.prompt_tokens.into());
            let (tokens, matched) = (call.total.tokens, call.matched.tokens.min(call.total.tokens));
            let found = found_of_matched(call, &paid.bill);
            let found = if matched > 0 { f64::from(found) / f64::from(matched) } else { 1.0 };
            let cached_read = found * rates.cached_read + (1.0 - found) * rates.input;
            let at_list_price = f64::from(tokens - matched) * rates.input + f64::from(matched) * cached_read;
            let factor = if at_list_price > 0.0 { cost.known * 1e6 / at_list_price } else { 1.0 };
            Some(CallRate { input: rates.input * factor, cached_read: cached_read * factor })
        }))
    }

    /// The part of all tokens that match the prompt before which was read from the cache.
    pub(crate) fn found_share(&self) -> f64 {
        let paid = self.analysis.calls().iter().zip(&self.caches.calls);
        let mut sums = (0.0, 0.0);
        for (call, paid) in paid.filter(|(_, paid)| !paid.bill.is_unpaid) {
            sums.0 += f64::from(found_of_matched(call, &paid.bill));
            sums.1 += f64::from(call.matched.tokens.min(call.total.tokens));
        }
        if sums.1 > 0.0 { sums.0 / sums.1 } else { 1.0 }
    }
}

/// How many of a call's tokens that match the prompt before were read from the cache: hidden context stands before them.
fn found_of_matched(call: &CallAnalysis, bill: &CallBill) -> u32 {
    let matched = call.matched.tokens.min(call.total.tokens);
    bill.cached_tokens.saturating_sub(bill.hidden_tokens()).min(matched)
}
