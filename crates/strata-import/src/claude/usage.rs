//! Usage of a response, and the steps the API says it took.

use strata_model::{Json, Object, Usage};
use strata_wire::UnreadFields;
use strata_wire::usage;

/// Usage of one response, in both countings.
#[derive(Debug, Default)]
pub(super) struct MessageUsage {
    /// Everything that was input counts as prompt.
    pub(super) usage: Usage,
    /// `{tokens, ephemeral5m, ephemeral1h}`, when the cache was written.
    pub(super) cache_write: Option<Object>,
    /// The API's own steps, when there was more than one: the counts above are those of the last.
    pub(super) iterations: Option<Json>,
    /// `fast`, where the model was asked to be; it costs more then.
    pub(super) speed: Option<Json>,
}

impl MessageUsage {
    pub(super) fn read(mut source: Object, unread: &mut dyn UnreadFields) -> Self {
        let iterations = source.remove("iterations");
        let is_fast = source.get("speed").and_then(Json::as_str) == Some("fast");
        let speed = if is_fast { source.remove("speed") } else { None };
        let report = usage::read_messages(source, "assistant.message.usage", unread);
        let mut usage = report.usage;
        let output = usage.output_tokens().unwrap_or(0);
        usage.total_token_count = Some(usage.prompt_token_count.unwrap_or(0).saturating_add(output));
        let has_steps = |steps: &Json| steps.as_array().is_some_and(|steps| steps.len() > 1);
        Self { usage, cache_write: report.cache_write, iterations: iterations.filter(has_steps), speed }
    }

    pub(super) fn input_tokens(&self) -> u64 {
        self.usage.prompt_token_count.unwrap_or(0)
    }
}
