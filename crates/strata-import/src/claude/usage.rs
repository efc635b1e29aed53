//! Usage as the Messages API reports it: input without what the cache read or wrote.

use strata_model::{Json, Object, Usage};

use crate::unmapped::Unmapped;

/// Usage of one response, in both countings.
#[derive(Debug, Default)]
pub(super) struct MessageUsage {
    /// Everything that was input counts as prompt.
    pub(super) usage: Usage,
    /// `{tokens, ephemeral5m, ephemeral1h}`, when the cache was written.
    pub(super) cache_write: Option<Object>,
    /// The API's own steps, when there was more than one: the counts above are those of the last.
    pub(super) iterations: Option<Json>,
}

impl MessageUsage {
    pub(super) fn read(mut source: Object, unmapped: &mut Unmapped) -> Self {
        let mut count = |key: &str| source.remove(key).and_then(|value| u64::try_from(value.as_i64()?).ok());
        let uncached = count("input_tokens");
        let read = count("cache_read_input_tokens");
        let written = count("cache_creation_input_tokens").unwrap_or(0);
        let output = count("output_tokens");
        let thinking = thinking_tokens(source.remove("output_tokens_details"), unmapped);
        let by_lifetime = source.remove("cache_creation");
        let iterations = source.remove("iterations");
        for (key, value) in source.iter() {
            unmapped.field("assistant.message.usage", key, value);
        }
        let prompt = uncached.unwrap_or(0).saturating_add(read.unwrap_or(0)).saturating_add(written);
        let usage = Usage {
            prompt_token_count: uncached.or(read).map(|_| prompt),
            cached_content_token_count: read,
            candidates_token_count: output.map(|output| output.saturating_sub(thinking.unwrap_or(0))),
            thoughts_token_count: thinking,
            total_token_count: Some(prompt.saturating_add(output.unwrap_or(0))),
            ..Usage::default()
        };
        let has_steps = |steps: &Json| steps.as_array().is_some_and(|steps| steps.len() > 1);
        Self {
            usage,
            cache_write: cache_write(written, by_lifetime),
            iterations: iterations.filter(has_steps),
        }
    }

    pub(super) fn input_tokens(&self) -> u64 {
        self.usage.prompt_token_count.unwrap_or(0)
    }
}

fn thinking_tokens(details: Option<Json>, unmapped: &mut Unmapped) -> Option<u64> {
    let Some(Json::Object(mut details)) = details else { return None };
    let thinking = details.remove("thinking_tokens").and_then(|tokens| u64::try_from(tokens.as_i64()?).ok());
    for (key, value) in details.iter() {
        unmapped.field("assistant.message.usage.output_tokens_details", key, value);
    }
    thinking
}

fn cache_write(written: u64, by_lifetime: Option<Json>) -> Option<Object> {
    if written == 0 {
        return None;
    }
    let of = |key: &str| by_lifetime.as_ref().and_then(|it| it.get(key)?.as_i64());
    let mut write = Object::new();
    write.push("tokens", i64::try_from(written).unwrap_or(i64::MAX));
    write.push_some("ephemeral5m", of("ephemeral_5m_input_tokens"));
    write.push_some("ephemeral1h", of("ephemeral_1h_input_tokens"));
    Some(write)
}
