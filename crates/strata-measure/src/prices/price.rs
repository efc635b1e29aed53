//! What one model costs.

/// What a model costs, and how that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    pub model: String,
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

    /// US dollars for one request. `prompt_tokens` are all tokens of the prompt, those in the cache and those written
    /// to it (for the shorter lifetime) included; `output_tokens` include thoughts.
    pub fn cost(
        &self,
        prompt_tokens: u64,
        cached_tokens: u64,
        written_tokens: u64,
        output_tokens: u64,
    ) -> f64 {
        let Rates { input, cached_read, cache_write, output, .. } = self.rates_for(prompt_tokens);
        let fresh_tokens = prompt_tokens.saturating_sub(cached_tokens).saturating_sub(written_tokens);
        let millionths = fresh_tokens as f64 * input
            + cached_tokens as f64 * cached_read
            + written_tokens as f64 * cache_write.unwrap_or(input)
            + output_tokens as f64 * output;
        millionths / 1e6
    }
}

#[cfg(test)]
mod tests {
    use crate::prices::Prices;

    #[track_caller]
    fn check(model: &str, [prompt, cached, written, output]: [u64; 4], dollars: f64) {
        let cost = Prices::embedded().of_model(model).unwrap().cost(prompt, cached, written, output);
        assert!((cost - dollars).abs() < 1e-12, "{model}: {cost}, expected {dollars}");
    }

    #[test]
    fn each_kind_of_token_has_its_rate() {
        check("gpt-4o", [1_000_000, 0, 0, 0], 2.5);
        check("gpt-4o", [1_000_000, 400_000, 0, 100_000], 0.6 * 2.5 + 0.4 * 1.25 + 1.0);
        check("claude-opus-5-5", [100_000, 50_000, 25_000, 10_000], 0.1 + 0.01 + 0.125 + 0.2);
        check("claude-opus-5-5", [0, 0, 0, 0], 0.0);
    }

    #[test]
    fn writing_costs_as_input_where_nothing_is_charged_for_it() {
        check("gpt-5", [100_000, 0, 100_000, 0], 0.125);
        check("deepseek-v4-flash", [100_000, 0, 100_000, 0], 0.03);
    }

    #[test]
    fn a_long_prompt_makes_every_token_dearer() {
        check("gemini-2.5-pro", [200_000, 0, 0, 1_000], 0.25 + 0.01);
        check("gemini-2.5-pro", [200_001, 200_000, 0, 1_000], 0.05 + 0.000_002_5 + 0.015);
    }

    #[test]
    fn more_cached_than_there_is_costs_what_is_cached() {
        check("gpt-4o", [10, 1_000_000, 0, 0], 1.25);
    }
}
