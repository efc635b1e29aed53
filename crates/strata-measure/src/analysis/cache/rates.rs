//! What a token costs in each call, by the bills of the calls.

use super::{BilledCalls, price_of};
use crate::analysis::call_rates::{CallRate, CallRates};
use crate::prices::Prices;

impl BilledCalls<'_> {
    /// What is known of each prompt costs together what the call's bill says. Tokens that match the prompt before are
    /// taken to be the ones that were read from the cache, and cost less than others by what that costs less.
    pub fn rates(&self, prices: &Prices) -> CallRates {
        let calls = self.analysis.calls().iter().zip(&self.caches.calls);
        CallRates::of(calls.map(|(call, paid)| {
            if paid.bill.is_unpaid {
                return Some(CallRate { input: 0.0, cached_read: 0.0 });
            }
            let (price, cost) = price_of(prices, call).zip(paid.bill.cost)?;
            let rates = price.rates_for(paid.bill.prompt_tokens.into());
            let (tokens, matched) = (call.total.tokens, call.matched.tokens.min(call.total.tokens));
            let at_list_price =
                f64::from(tokens - matched) * rates.input + f64::from(matched) * rates.cached_read;
            let factor = if at_list_price > 0.0 { cost.known * 1e6 / at_list_price } else { 1.0 };
            Some(CallRate { input: rates.input * factor, cached_read: rates.cached_read * factor })
        }))
    }
}
