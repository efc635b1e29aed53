//! The usage of one call, as it was reported.

use strata_model::take::count_of;
use strata_model::{Object, Usage};

use super::counts::{Counts, number};

/// Usage of one call. Input includes cached tokens, whoever counted them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UsageReport {
    /// A zero that was said is a zero; what was not said is `None`.
    pub usage: Usage,
    /// `{tokens, ephemeral5m, ephemeral1h}`, when the cache was written.
    pub cache_write: Option<Object>,
    /// What the provider's last step alone says, where the counts above are those of all steps.
    pub top_level_input: Option<u64>,
}

impl UsageReport {
    /// The counts again, to add them up or take them apart.
    pub fn counts(&self) -> Counts {
        let usage = &self.usage;
        Counts {
            input: usage.prompt_token_count,
            cached: usage.cached_content_token_count,
            written: self.cache_write.as_ref().and_then(|write| count_of(write.get("tokens")?)),
            output: usage.output_tokens(),
            thoughts: usage.thought_tokens(),
            total: usage.total_token_count,
        }
    }
}

impl From<Counts> for UsageReport {
    fn from(counts: Counts) -> Self {
        let written = counts.written.filter(|written| *written > 0);
        let cache_write = written.map(|tokens| Object::from_iter([("tokens", number(tokens))]));
        Self { usage: counts.usage(), cache_write, top_level_input: None }
    }
}
