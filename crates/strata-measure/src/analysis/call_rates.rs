//! What a token costs in each call of a session.

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

/// Dollars a million tokens of what is known of a prompt: of tokens that are new, and of those sent before.
pub(super) struct CallRate {
    pub input: f64,
    pub cached_read: f64,
}

impl CallRates {
    /// From the rates of each call, in dollars a million tokens; `None` for a call without a price.
    pub(super) fn of(calls: impl Iterator<Item = Option<CallRate>>) -> Self {
        let mut sums = RateSums::default();
        let mut up_to = vec![sums];
        for rate in calls {
            match rate {
                Some(CallRate { input, cached_read }) => {
                    sums.input += per_token(input);
                    sums.cached_read += per_token(cached_read);
                }
                None => sums.calls_without_price += 1,
            }
            up_to.push(sums);
        }
        Self { up_to }
    }

    /// What so many tokens of one call cost, of which some were matched, in US dollars. `None` without a price.
    pub fn of_call(&self, call: u32, tokens: u32, matched: u32) -> Option<f64> {
        self.cost((call, call), tokens, matched).map(dollars)
    }

    /// The same in each of the calls from the first to the last. `None` where one of them has no price.
    pub fn of_calls(&self, calls: (u32, u32), tokens: u32, matched: u32) -> Option<f64> {
        self.cost(calls, tokens, matched).map(dollars)
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

pub(super) fn dollars(cost: PicoDollars) -> f64 {
    cost as f64 / 1e12
}

/// From dollars a million tokens.
fn per_token(rate: f64) -> PicoDollars {
    (rate * 1e6).round().max(0.0) as PicoDollars
}
