//! What makes one call cost more than another.

use crate::analysis::{CallCache, price_of};
use crate::prices::{Prices, Rates};

use super::align::AlignedCalls;
use super::cause::{CauseKind, Subject};
use super::compared::ComparedSession;

/// The difference of the costs of two calls, in US dollars: that of their prompts' sizes at `per_token`, and all else.
#[derive(Debug, Clone)]
pub(super) struct PairCost {
    /// What a token of the two prompts costs on average, whether it is read from a cache or not.
    pub per_token: f64,
    /// Of another share that a cache gives or takes.
    pub cache: f64,
    pub output: f64,
    /// Of other prices for the same tokens.
    pub price: f64,
    pub price_subject: Subject,
    /// All of the cost, where one of the two is paid for.
    pub unpaid: f64,
}

/// What one call costs.
struct Charged {
    /// US dollars.
    prompt: f64,
    output: f64,
    tokens: f64,
    output_tokens: f64,
    /// US dollars for each token: of the prompt uncached, cached, written, written for longer; and of the answer.
    rates: [f64; 5],
    /// Shares of the prompt that are cached, written, and written for longer.
    shares: Option<[f64; 3]>,
}

impl PairCost {
    pub(super) fn of(sides: [ComparedSession<'_>; 2], calls: &AlignedCalls, prices: &Prices) -> Self {
        let call = |side: usize, number: Option<u32>| sides[side].billed.caches.call(number?);
        let calls = (call(0, calls.before), call(1, calls.after));
        let (Some(was), Some(now)) = calls else { return Self::nothing() };
        let mut pair = Self { price_subject: price_subject(was, now), ..Self::nothing() };
        if was.bill.is_unpaid != now.bill.is_unpaid {
            pair.unpaid = now.bill.cost_usd().unwrap_or(0.0) - was.bill.cost_usd().unwrap_or(0.0);
            return pair;
        }
        let charged = |side: usize, call: &CallCache| {
            let analysed = sides[side].billed.analysis.call(call.call)?;
            let rates = price_of(prices, analysed)?.rates_for(call.bill.prompt_tokens.into());
            Charged::of(call, &rates)
        };
        let (Some(was), Some(now)) = (charged(0, was), charged(1, now)) else { return pair };
        let (tokens_more, tokens) = (now.tokens - was.tokens, f64::midpoint(now.tokens, was.tokens));
        pair.per_token = match (was.per_token(), now.per_token()) {
            (Some(was), Some(now)) => f64::midpoint(was, now),
            (was, now) => was.or(now).unwrap_or(0.0),
        };
        let output_tokens = f64::midpoint(was.output_tokens, now.output_tokens);
        let dearer_output = (now.rates[4] - was.rates[4]) * output_tokens;
        let dearer_token: f64 = {
            let shares = was.mean_shares(&now);
            let uncached = 1.0 - shares.iter().sum::<f64>();
            let shares = [uncached, shares[0], shares[1], shares[2]];
            shares.iter().zip(now.rates).zip(was.rates).map(|((share, now), was)| share * (now - was)).sum()
        };
        let dearer_prompt = tokens * dearer_token;
        pair.price = dearer_prompt + dearer_output;
        pair.cache = (now.prompt - was.prompt) - tokens_more * pair.per_token - dearer_prompt;
        pair.output = (now.output - was.output) - dearer_output;
        pair
    }

    fn nothing() -> Self {
        Self {
            per_token: 0.0,
            cache: 0.0,
            output: 0.0,
            price: 0.0,
            price_subject: Subject::of(CauseKind::Price),
            unpaid: 0.0,
        }
    }
}

impl Charged {
    fn of(call: &CallCache, rates: &Rates) -> Option<Self> {
        let bill = &call.bill;
        let cost = bill.cost.as_ref()?;
        let tokens = f64::from(bill.prompt_tokens);
        let write = rates.cache_write.unwrap_or(rates.input);
        let rates =
            [rates.input, rates.cached_read, write, rates.cache_write_long.unwrap_or(write), rates.output];
        let share = |part: u32| f64::from(part) / tokens;
        let shares = [bill.cached_tokens, bill.written_tokens, bill.written_long_tokens].map(share);
        Some(Self {
            prompt: cost.known + cost.hidden,
            output: cost.output,
            tokens,
            output_tokens: f64::from(bill.output_tokens.unwrap_or(0)),
            rates: rates.map(|rate| rate / 1e6),
            shares: (bill.prompt_tokens > 0).then_some(shares),
        })
    }

    /// `None` for an empty prompt.
    fn per_token(&self) -> Option<f64> {
        (self.tokens > 0.0).then(|| self.prompt / self.tokens)
    }

    fn mean_shares(&self, other: &Self) -> [f64; 3] {
        match (self.shares, other.shares) {
            (Some(a), Some(b)) => std::array::from_fn(|at| f64::midpoint(a[at], b[at])),
            (a, b) => a.or(b).unwrap_or_default(),
        }
    }
}

fn price_subject(was: &CallCache, now: &CallCache) -> Subject {
    if was.model == now.model {
        return Subject::named(CauseKind::Price, &now.model);
    }
    Subject::named(CauseKind::Price, &format!("{} → {}", was.model, now.model))
}
