//! Usage in attributes, in every set of names. Input includes cached tokens in all of them.

use strata_model::Object;

use crate::take::count_of;
use crate::usage::{Counts, Reported};

pub(super) fn reported(attributes: &Object) -> Option<Reported> {
    let count = |keys: &[&str]| keys.iter().find_map(|key| count_of(attributes.get(key)?));
    let counts = Counts {
        input: count(&[
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.prompt_tokens",
            "llm.token_count.prompt",
            "llm.usage.prompt_tokens",
        ]),
        cached: count(&[
            "gen_ai.usage.cache_read.input_tokens",
            "gen_ai.usage.cache_read_input_tokens",
            "gen_ai.usage.cached_tokens",
            "llm.token_count.prompt_details.cache_read",
            "llm.usage.cache_read_input_tokens",
        ]),
        written: count(&[
            "gen_ai.usage.cache_creation.input_tokens",
            "gen_ai.usage.cache_write.input_tokens",
            "gen_ai.usage.cache_creation_input_tokens",
            "llm.token_count.prompt_details.cache_write",
            "llm.usage.cache_creation_input_tokens",
        ]),
        output: count(&[
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.completion_tokens",
            "llm.token_count.completion",
            "llm.usage.completion_tokens",
        ]),
        thoughts: count(&[
            "gen_ai.usage.reasoning.output_tokens",
            "gen_ai.usage.reasoning_tokens",
            "gen_ai.usage.experimental.reasoning_tokens",
            "llm.token_count.completion_details.reasoning",
        ]),
        total: count(&["gen_ai.usage.total_tokens", "llm.token_count.total", "llm.usage.total_tokens"]),
    };
    (counts.input.is_some() || counts.output.is_some()).then(|| counts.reported())
}
