//! Usage as the Messages API reports it: input without what the cache read or wrote.

use strata_model::{Json, Object, Usage};

use crate::take::{take_count, take_object};
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
        let uncached = take_count(&mut source, "input_tokens");
        let read = take_count(&mut source, "cache_read_input_tokens");
        let written = take_count(&mut source, "cache_creation_input_tokens").unwrap_or(0);
        let output = take_count(&mut source, "output_tokens");
        let mut details = take_object(&mut source, "output_tokens_details").unwrap_or_default();
        let thinking = take_count(&mut details, "thinking_tokens");
        let by_lifetime = source.remove("cache_creation");
        let iterations = source.remove("iterations");
        for (key, value) in source.iter() {
            unmapped.field("assistant.message.usage", key, value);
        }
        for (key, value) in details.iter() {
            unmapped.field("assistant.message.usage.output_tokens_details", key, value);
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
            cache_write: cache_write(written, by_lifetime.as_ref()),
            iterations: iterations.filter(has_steps),
        }
    }

    pub(super) fn input_tokens(&self) -> u64 {
        self.usage.prompt_token_count.unwrap_or(0)
    }
}

fn cache_write(written: u64, by_lifetime: Option<&Json>) -> Option<Object> {
    if written == 0 {
        return None;
    }
    let of = |key: &str| by_lifetime.and_then(|it| it.get(key)?.as_i64());
    let mut write = Object::new();
    write.push("tokens", i64::try_from(written).unwrap_or(i64::MAX));
    write.push_some("ephemeral5m", of("ephemeral_5m_input_tokens"));
    write.push_some("ephemeral1h", of("ephemeral_1h_input_tokens"));
    Some(write)
}
