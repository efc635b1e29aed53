//! What models cost, in US dollars per million tokens, and how long a prompt they take.
//!
//! [`Prices::embedded`] are carried along, [`Prices::parse`] reads a file of the same form that somebody has edited.
//! Prices are those that the makers of models list. A name that says another price applies has none here, rather than
//! one that is nearly right: a fine-tuned model, a region of a cloud with a surcharge, open weights served by others.
//! A file can hold such names, spelled in full.
//!
//! ```
//! use strata_measure::prices::{ChargedTokens, Prices};
//!
//! let prices = Prices::embedded();
//! let price = prices.of_model("anthropic/claude-sonnet-4.5").expect("it is in the file");
//! // 10,000 tokens, of which 8,000 were cached and 1,000 are written to the cache now; 500 tokens of answer.
//! let charged = ChargedTokens { prompt: 10_000, cached: 8_000, written: 1_000, output: 500, ..ChargedTokens::default() };
//! assert_eq!(price.cost(&charged), 0.01665);
//! assert_eq!(prices.of_model("no-such-model"), None);
//! ```

mod context_window;
mod name;
mod price;
mod read;

use std::collections::BTreeMap;

pub use context_window::ContextWindow;
pub use price::{ChargedTokens, Price, Rates, Tier};
pub use read::PricesError;

const EMBEDDED: &[u8] = include_bytes!("../assets/prices.json");

/// What models cost, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prices {
    prices: Vec<Price>,
    idx_by_key: BTreeMap<String, usize>,
}

impl Prices {
    /// The prices that are carried along.
    pub fn embedded() -> Self {
        // A test reads the file, so that this is never empty.
        Self::parse(EMBEDDED).unwrap_or_default()
    }

    /// Reads a file like `assets/prices.json`. Fields that are not known are errors: a price misspelled is a price lost.
    pub fn parse(json: &[u8]) -> Result<Self, PricesError> {
        let prices = read::prices(json)?;
        let mut idx_by_key = BTreeMap::new();
        for (idx, price) in prices.iter().enumerate() {
            if idx_by_key.insert(name::key(&price.model), idx).is_some() {
                return Err(PricesError::Repeated { model: price.model.clone() });
            }
        }
        Ok(Self { prices, idx_by_key })
    }

    /// With prices that hold in place of those of the same models, and for models that are not listed. How long a prompt
    /// a listed model takes stays known.
    #[must_use]
    pub fn with(mut self, own: impl IntoIterator<Item = Price>) -> Self {
        for price in own {
            match self.idx_by_key.get(&name::key(&price.model)) {
                Some(&idx) => {
                    let listed = &mut self.prices[idx];
                    let context_tokens = price.context_tokens.or(listed.context_tokens);
                    *listed = Price { context_tokens, ..price };
                }
                None => {
                    self.idx_by_key.insert(name::key(&price.model), self.prices.len());
                    self.prices.push(price);
                }
            }
        }
        self
    }

    /// The price of a model, however clouds and routers spell its name, and whatever the date of its version.
    pub fn of_model(&self, name: &str) -> Option<&Price> {
        self.find(&name::key(name)).or_else(|| {
            let listed = name::listed(name)?;
            let price = self.find(&listed.bare).or_else(|| self.find(name::without_version(&listed.bare)))?;
            (listed.is_makers_own || !price.is_open_weights).then_some(price)
        })
    }

    /// All prices, in the order of the file.
    pub fn all(&self) -> &[Price] {
        &self.prices
    }

    fn find(&self, key: &str) -> Option<&Price> {
        self.prices.get(*self.idx_by_key.get(key)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_file_is_read_whole() {
        let prices = Prices::parse(EMBEDDED).unwrap();
        assert_eq!(prices.all().len(), 52);
        assert_eq!(Prices::embedded(), prices);
        for price in prices.all() {
            let Price { model, rates, tiers, source, seen_on, .. } = price;
            assert_eq!(prices.of_model(model), Some(price), "{model}");
            assert!(0.0 < rates.cached_read && rates.cached_read <= rates.input, "{model}");
            assert!(rates.input < rates.output, "{model}");
            assert!(tiers.iter().all(|tier| tier.rates.input > rates.input), "{model}");
            assert!(price.context_tokens.is_some_and(|tokens| tokens >= 100_000), "{model}");
            assert!(!source.is_empty() && seen_on.len() == "2026-11-20".len(), "{model}");
        }
    }

    #[test]
    fn own_prices_hold_in_place_of_the_listed_ones() {
        let listed = Prices::embedded();
        let own = |model: &str| Price {
            model: model.into(),
            context_tokens: None,
            rates: Rates {
                input: 7.0,
                cached_read: 1.0,
                cache_write: None,
                cache_write_long: None,
                output: 9.0,
            },
            tiers: Vec::new(),
            is_open_weights: false,
            source: "mine".into(),
            seen_on: "2026-11-20".into(),
            note: None,
        };
        let prices = listed.clone().with([own("gpt-4o"), own("acme/house-model")]);
        assert_eq!(prices.all().len(), listed.all().len() + 1);
        // Whatever a client writes in front of the name and behind it.
        let found = prices.of_model("openai/gpt-4o-2024-08-06").unwrap();
        assert_eq!((found.rates.input, &*found.source), (7.0, "mine"));
        assert_eq!(found.context_tokens, listed.of_model("gpt-4o").unwrap().context_tokens);
        assert_eq!(prices.of_model("Acme/House-Model").map(|price| price.rates.output), Some(9.0));
        assert_eq!(prices.of_model("gpt-4o-mini"), listed.of_model("gpt-4o-mini"));
        assert_eq!(listed.of_model("acme/house-model"), None);
    }

    #[track_caller]
    fn check(name: &str, model: Option<&str>) {
        let prices = Prices::embedded();
        assert_eq!(prices.of_model(name).map(|price| &*price.model), model, "{name}");
    }

    #[test]
    fn names_in_many_spellings() {
        check("gpt-4o", Some("gpt-4o"));
        check("openai/gpt-4o-2024-08-06", Some("gpt-4o"));
        check("azure/responses/gpt-5-mini-2025-08-07", Some("gpt-5-mini"));
        check("Gemini-2.5-Pro", Some("gemini-2.5-pro"));
        check("models/gemini-2.5-flash-001", Some("gemini-2.5-flash"));
        check("gemini/gemini-2.5-flash", Some("gemini-2.5-flash"));
        check("apigee/vertex_ai/v1/gemini-2.5-flash", Some("gemini-2.5-flash"));
        check("projects/p/locations/l/publishers/google/models/gemini-2.5-pro", Some("gemini-2.5-pro"));
        check("openrouter/anthropic/claude-opus-4.7", Some("claude-opus-4-7"));
        check("claude-sonnet-4-5-20250929", Some("claude-sonnet-4-5"));
        check("vertex_ai/claude-haiku-4-5@20251001", Some("claude-haiku-4-5"));
        check("bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0", Some("claude-sonnet-4-5"));
        check("anthropic.claude-opus-4-6-v1", Some("claude-opus-4-6"));
        check("xai/grok-4.20", Some("grok-4.20"));
        check("deepseek/deepseek-v4-pro", Some("deepseek-v4-pro"));
    }

    #[test]
    fn a_version_with_a_price_of_its_own_has_it() {
        check("openai/gpt-4o-2024-05-13", Some("gpt-4o-2024-05-13"));
    }

    #[test]
    fn no_price_is_guessed() {
        for name in [
            "",
            "gpt-4",
            "gpt-5.6",
            "gpt-4o-audio-preview",
            "gemini-2.5-flash-preview-09-2025",
            "gemini-2.5-flash-image",
            // Fine-tuned, free, by the batch.
            "ft:gpt-4o:my-org::abc",
            "openrouter/deepseek/deepseek-v4-flash:free",
            "openai/gpt-5:batch",
            // Dearer by a tenth and more in these regions.
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "bedrock/us-gov-west-1/anthropic.claude-opus-5",
            "azure/eu/gpt-5.1",
            // Open weights, as others serve them.
            "openrouter/deepseek/deepseek-v4-pro",
            "fireworks_ai/accounts/fireworks/models/deepseek-v4-flash",
            "ollama/deepseek-v4-flash",
            // Of subscriptions and resellers.
            "github_copilot/gpt-4o",
            "kyma/gpt-6-astra",
        ] {
            check(name, None);
        }
    }

    #[test]
    fn a_file_may_name_what_has_no_listed_price() {
        let json = br#"{"models": [
            {"model": "us.anthropic.claude-opus-4.7", "input": 5.5, "output": 27.5, "source": "bill", "seen_on": "2026-11-01"},
            {"model": "ollama/Qwen3:30b", "input": 0, "output": 0, "source": "own machine", "seen_on": "2026-11-01"},
            {"model": "claude-opus-4.7", "input": 5, "output": 25, "source": "bill", "seen_on": "2026-11-01"}]}"#;
        let prices = Prices::parse(json).unwrap();
        let input = |name: &str| prices.of_model(name).map(|price| price.rates.input);
        assert_eq!(input("us.anthropic.claude-opus-4.7"), Some(5.5));
        assert_eq!(input("ollama/qwen3:30b"), Some(0.0));
        assert_eq!(input("qwen3"), None);
        assert_eq!(input("claude-opus-4-7"), Some(5.0));
    }
}
