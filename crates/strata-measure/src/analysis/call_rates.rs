//! What a token costs in each call of a session.

use super::cache::{Billed, price_of};
use crate::prices::Prices;

/// Whole numbers, so that sums do not depend on their order.
pub(super) type PicoDollars = u128;

/// Prices per token of the calls of a session, by the prompt's length and the model of each.
pub struct CallRates {
    /// Sums over the calls up to each number; the first entry is that of no call.
    up_to: Vec<RateSums>,
}

#[derive(Clone, Copy, Default)]
struct RateSums {
    /// Of tokens that are new.
    input: PicoDollars,
    /// Of tokens that a provider had seen before.
    cached_read: PicoDollars,
    calls_without_price: u32,
}

impl CallRates {
    /// What is known of each prompt costs together what the call's bill says. Tokens that match the prompt before are
    /// taken to be the ones that were read from the cache, and cost less than others by what that costs less.
    pub fn of(billed: Billed<'_>, prices: &Prices) -> Self {
        let mut sums = RateSums::default();
        let mut up_to = vec![sums];
        for (call, paid) in billed.analysis.calls().iter().zip(&billed.caches.calls) {
            let price = price_of(prices, call).zip(paid.bill.cost);
            match price {
                Some((price, cost)) => {
                    let rates = price.rates_for(paid.bill.prompt_tokens.into());
                    let (tokens, matched) = (call.total.tokens, call.matched.tokens.min(call.total.tokens));
                    let at_list_price =
                        f64::from(tokens - matched) * rates.input + f64::from(matched) * rates.cached_read;
                    let factor = if at_list_price > 0.0 { cost.known * 1e6 / at_list_price } else { 1.0 };
                    sums.input += per_token(rates.input * factor);
                    sums.cached_read += per_token(rates.cached_read * factor);
                }
                None => sums.calls_without_price += 1,
            }
            up_to.push(sums);
        }
        Self { up_to }
    }

    /// What so many tokens cost in each of the calls from the first to the last, of which some were matched.
    pub(super) fn cost(&self, (first, last): (u32, u32), tokens: u32, matched: u32) -> Option<PicoDollars> {
        let before = self.up_to.get((first as usize).checked_sub(1)?)?;
        let sums = self.up_to.get(last as usize)?;
        (sums.calls_without_price == before.calls_without_price).then(|| {
            PicoDollars::from(tokens.saturating_sub(matched)) * (sums.input - before.input)
                + PicoDollars::from(matched) * (sums.cached_read - before.cached_read)
        })
    }
}

/// From dollars a million tokens.
fn per_token(rate: f64) -> PicoDollars {
    (rate * 1e6).round().max(0.0) as PicoDollars
}
