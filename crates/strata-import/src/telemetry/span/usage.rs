//! Usage in attributes, in every set of names. Input includes cached tokens in all of them.

use strata_model::{Json, Object};

use crate::take::{count_of, unpacked};
use crate::unmapped::Unmapped;
use crate::usage::{self, Counts, Reported};

pub(super) fn reported(attributes: &Object) -> Option<Reported> {
    let count = |keys: &[&str]| keys.iter().find_map(|key| count_of(attributes.get(key)?));
    let counts = Counts {
        input: count(&[
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.prompt_tokens",
            "llm.token_count.prompt",
            "llm.usage.prompt_tokens",
            "ai.usage.inputTokens",
            "ai.usage.promptTokens",
        ]),
        cached: count(&[
            "gen_ai.usage.cache_read.input_tokens",
            "gen_ai.usage.cache_read_input_tokens",
            "gen_ai.usage.cached_tokens",
            "llm.token_count.prompt_details.cache_read",
            "llm.usage.cache_read_input_tokens",
            "gen_ai.usage.details.cache_read_tokens",
            "gen_ai.usage.details.cached_tokens",
            "ai.usage.cachedInputTokens",
            "ai.usage.inputTokenDetails.cacheReadTokens",
        ]),
        written: count(&[
            "gen_ai.usage.cache_creation.input_tokens",
            "gen_ai.usage.cache_write.input_tokens",
            "gen_ai.usage.cache_creation_input_tokens",
            "llm.token_count.prompt_details.cache_write",
            "llm.usage.cache_creation_input_tokens",
            "gen_ai.usage.details.cache_write_tokens",
            "ai.usage.inputTokenDetails.cacheWriteTokens",
        ]),
        output: count(&[
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.completion_tokens",
            "llm.token_count.completion",
            "llm.usage.completion_tokens",
            "ai.usage.outputTokens",
            "ai.usage.completionTokens",
        ]),
        thoughts: count(&[
            "gen_ai.usage.reasoning.output_tokens",
            "gen_ai.usage.reasoning_tokens",
            "gen_ai.usage.experimental.reasoning_tokens",
            "llm.token_count.completion_details.reasoning",
            "gen_ai.usage.details.reasoning_tokens",
            "llm.usage.reasoning_tokens",
            "ai.usage.reasoningTokens",
            "ai.usage.outputTokenDetails.reasoningTokens",
        ]),
        total: count(&["gen_ai.usage.total_tokens", "llm.token_count.total", "llm.usage.total_tokens"]),
    };
    let is_said = counts.input.is_some() || counts.output.is_some();
    is_said.then(|| counts.reported()).or_else(|| written_down(attributes))
}

/// Counts that are written as text into one attribute.
fn written_down(attributes: &Object) -> Option<Reported> {
    let names = ["langfuse.observation.usage_details", "mlflow.chat.tokenUsage"];
    let details = names.iter().find_map(|name| attributes.get(name))?;
    let Json::Object(details) = unpacked(details.clone()) else { return None };
    usage::read(details, "usage_details", &mut Unmapped::default())
}
