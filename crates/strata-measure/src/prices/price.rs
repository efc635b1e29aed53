//! What one model costs.

/// What a model costs, and how that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    pub model: String,
    /// The longest prompt that the model takes.
    pub context_tokens: Option<u32>,
    /// Of requests below all tiers.
    pub rates: Rates,
    /// Of requests with long prompts, from the shortest to the longest.
    pub tiers: Vec<Tier>,
    /// Others may serve the model at prices of their own.
    pub is_open_weights: bool,
    pub source: String,
    /// The day its source was read, as `2026-11-20`.
    pub seen_on: String,
    /// What a reader of the price should know.
    pub note: Option<String>,
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    pub input: f64,
    /// Of tokens that were found in the provider's cache; `input` where it gives no discount.
    pub cached_read: f64,
    /// Of tokens that are put into the cache; `None` where that costs no more than `input`.
    pub cache_write: Option<f64>,
    /// The same for the longer of two lifetimes: an hour at Anthropic, twelve at OpenAI.
    pub cache_write_long: Option<f64>,
    pub output: f64,
}

/// What every token of a request costs if its prompt is longer than this.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tier {
    pub above_prompt_tokens: u64,
    pub rates: Rates,
}

impl Price {
    /// The rates of a request with so long a prompt.
    pub fn rates_for(&self, prompt_tokens: u64) -> Rates {
        let reached = self.tiers.iter().rev().find(|tier| prompt_tokens > tier.above_prompt_tokens);
        reached.map_or(self.rates, |tier| tier.rates)
    }

    /// US dollars for one request.
    pub fn cost(&self, charged: &ChargedTokens) -> f64 {
        charged.cost_at(&self.rates_for(charged.prompt))
    }
}

/// Tokens of one request, or of several, as they are paid for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChargedTokens {
    /// The whole prompt; what was read from a cache or written to one is part of it.
    pub prompt: u64,
    /// Read from a cache: they stand first.
    pub cached: u64,
    /// Written to a cache for the shorter lifetime and for the longer one: they stand behind those.
    pub written: u64,
    pub written_long: u64,
    /// Of the answer, thoughts included.
    pub output: u64,
}

impl ChargedTokens {
    /// A prompt of which nothing is found in a cache or written to one.
    pub fn uncached(prompt: u64, output: u64) -> Self {
        Self { prompt, output, ..Self::default() }
    }

    /// US dollars for one request, or for several at the same rates.
    pub fn cost_at(&self, rates: &Rates) -> f64 {
        // What a cache gave is paid for, whatever is said of the whole prompt.
        let whole = self.prompt.max(self.cached + self.written + self.written_long);
        (self.prompt_millionths(rates, whole) + self.output as f64 * rates.output) / 1e6
    }

    /// US dollars for the first so many tokens of the prompt.
    pub fn prompt_cost(&self, rates: &Rates, tokens: u64) -> f64 {
        self.prompt_millionths(rates, tokens) / 1e6
    }

    fn prompt_millionths(&self, rates: &Rates, tokens: u64) -> f64 {
        let mut left = tokens;
        let mut take = |tokens: u64| {
            let taken = tokens.min(left);
            left -= taken;
            taken as f64
        };
        let write = rates.cache_write.unwrap_or(rates.input);
        let millionths = take(self.cached) * rates.cached_read
            + take(self.written_long) * rates.cache_write_long.unwrap_or(write)
            + take(self.written) * write;
        millionths + left as f64 * rates.input
    }
}

#[cfg(test)]
mod tests {
    use super::ChargedTokens;
    use crate::prices::Prices;

    #[track_caller]
    fn check(model: &str, [prompt, cached, written, written_long, output]: [u64; 5], dollars: f64) {
        let charged = ChargedTokens { prompt, cached, written, written_long, output };
        let cost = Prices::embedded().of_model(model).unwrap().cost(&charged);
        assert!((cost - dollars).abs() < 1e-12, "{model}: {cost}, expected {dollars}");
    }

    #[test]
    fn each_kind_of_token_has_its_rate() {
        check("gpt-4o", [1_000_000, 0, 0, 0, 0], 2.5);
        check("gpt-4o", [1_000_000, 400_000, 0, 0, 100_000], 0.6 * 2.5 + 0.4 * 1.25 + 1.0);
        check("claude-opus-5-5", [100_000, 50_000, 25_000, 0, 10_000], 0.1 + 0.01 + 0.125 + 0.2);
        check("claude-opus-5-5", [0, 0, 0, 0, 0], 0.0);
    }

    #[test]
    fn writing_for_longer_is_dearer() {
        check("claude-opus-5-5", [100_000, 50_000, 0, 25_000, 10_000], 0.1 + 0.01 + 0.2 + 0.2);
        check("claude-opus-4-5", [10_000, 0, 4_000, 6_000, 0], 0.025 + 0.06);
        // Nobody writes for longer there.
        check("gpt-5", [100_000, 0, 0, 100_000, 0], 0.125);
    }

    #[test]
    fn writing_costs_as_input_where_nothing_is_charged_for_it() {
        check("gpt-5", [100_000, 0, 100_000, 0, 0], 0.125);
        check("deepseek-v4-flash", [100_000, 0, 100_000, 0, 0], 0.03);
    }

    #[test]
    fn a_long_prompt_makes_every_token_dearer() {
        check("gemini-2.5-pro", [200_000, 0, 0, 0, 1_000], 0.25 + 0.01);
        check("gemini-2.5-pro", [200_001, 200_000, 0, 0, 1_000], 0.05 + 0.000_002_5 + 0.015);
    }

    #[test]
    fn more_cached_than_there_is_costs_what_is_cached() {
        check("gpt-4o", [10, 1_000_000, 0, 0, 0], 1.25);
    }

    #[test]
    fn a_prompt_costs_what_its_pieces_do() {
        let price = Prices::embedded().of_model("claude-opus-4-5").unwrap().clone();
        let charged =
            ChargedTokens { prompt: 1_000, cached: 300, written: 100, written_long: 200, output: 0 };
        let to = |tokens: u64| charged.prompt_cost(&price.rates, tokens);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a}, expected {b}");
        near(to(0), 0.0);
        near(to(300), 300.0 * 0.5 / 1e6);
        near(to(500) - to(300), 200.0 * 10.0 / 1e6);
        near(to(600) - to(500), 100.0 * 6.25 / 1e6);
        near(to(1_000), price.cost(&charged));
    }
}
