//! Usage in every provider's and tool's spelling, as ADK counts it: the prompt is everything that was input, cached
//! tokens are those read from a cache, thoughts stand beside the visible output.

mod counts;

use strata_model::{Decoder, FromJson as _, Json, Object, Usage};

use crate::take::{take_count, take_list, take_object};
use crate::unmapped::Unmapped;

pub(crate) use counts::Counts;
use counts::{add, number};

/// Usage of one call.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Reported {
    pub(crate) usage: Usage,
    /// `{tokens, ephemeral5m, ephemeral1h}`, when the cache was written.
    pub(crate) cache_write: Option<Object>,
    /// What the provider's last step alone says, where the counts above are those of all steps.
    pub(crate) top_level_input: Option<u64>,
}

/// Reads usage of any dialect. `None` when there is no count in it.
pub(crate) fn read(mut source: Object, owner: &str, unmapped: &mut Unmapped) -> Option<Reported> {
    if is_gemini(&source) {
        let usage = Usage::from_json(Json::Object(source), &mut Decoder::new()).ok()?;
        return Some(Reported { usage, ..Reported::default() });
    }
    let reported = if is_anthropic(&source) {
        anthropic(&mut source)
    } else {
        inclusive(&mut source).map(Counts::reported)
    };
    for (key, value) in source.iter() {
        unmapped.field(owner, key, value);
    }
    reported
}

fn is_gemini(source: &Object) -> bool {
    [
        "promptTokenCount",
        "prompt_token_count",
        "candidatesTokenCount",
        "candidates_token_count",
        "totalTokenCount",
    ]
    .iter()
    .any(|key| source.contains_key(key))
}

/// Gateways write the Messages API's counts of the cache beside a `prompt_tokens` of their own.
fn is_anthropic(source: &Object) -> bool {
    if source.contains_key("prompt_tokens") {
        return false;
    }
    source.contains_key("cache_creation_input_tokens")
        || source.contains_key("cache_read_input_tokens")
        || (source.contains_key("input_tokens")
            && ["iterations", "service_tier", "server_tool_use", "cache_creation"]
                .iter()
                .any(|key| source.contains_key(key)))
}

/// Input without what the cache read or wrote. The steps of a call (`iterations`) are its truth: the counts above them
/// are those of the last.
fn anthropic(source: &mut Object) -> Option<Reported> {
    let iterations = take_list(source, "iterations").unwrap_or_default();
    let mut details = take_object(source, "output_tokens_details").unwrap_or_default();
    let thinking = take_count(&mut details, "thinking_tokens");
    let mut top = AnthropicCounts::take(source);
    let top_level_input = top.input;
    let mut steps: Option<AnthropicCounts> = None;
    for step in iterations {
        if let Json::Object(mut step) = step {
            let step = AnthropicCounts::take(&mut step);
            steps = Some(steps.map_or(step, |sum| sum.and(step)));
        }
    }
    let has_steps = steps.is_some();
    if let Some(steps) = steps {
        top = steps;
    }
    let is_said = top.input.is_some() || top.output.is_some();
    let sum =
        top.input.unwrap_or(0).saturating_add(top.read.unwrap_or(0)).saturating_add(top.written.unwrap_or(0));
    let counts = Counts {
        input: top.input.or(top.read).map(|_| sum),
        cached: top.read,
        written: top.written,
        output: top.output,
        thoughts: thinking,
        total: None,
    };
    let mut reported = counts.reported();
    if let Some(write) = &mut reported.cache_write {
        write.push_some("ephemeral5m", top.short.map(number));
        write.push_some("ephemeral1h", top.long.map(number));
    }
    reported.top_level_input = top_level_input.filter(|_| has_steps);
    is_said.then_some(reported)
}

#[derive(Debug, Clone, Copy, Default)]
struct AnthropicCounts {
    input: Option<u64>,
    read: Option<u64>,
    written: Option<u64>,
    short: Option<u64>,
    long: Option<u64>,
    output: Option<u64>,
}

impl AnthropicCounts {
    fn take(source: &mut Object) -> Self {
        let mut by_lifetime = take_object(source, "cache_creation").unwrap_or_default();
        Self {
            input: take_count(source, "input_tokens"),
            read: take_count(source, "cache_read_input_tokens"),
            written: take_count(source, "cache_creation_input_tokens"),
            short: take_count(&mut by_lifetime, "ephemeral_5m_input_tokens"),
            long: take_count(&mut by_lifetime, "ephemeral_1h_input_tokens"),
            output: take_count(source, "output_tokens"),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            input: add(self.input, other.input),
            read: add(self.read, other.read),
            written: add(self.written, other.written),
            short: add(self.short, other.short),
            long: add(self.long, other.long),
            output: add(self.output, other.output),
        }
    }
}

/// Counts that stand in the answer itself.
pub(crate) fn of_ollama(body: &mut Object) -> Option<Reported> {
    let counts = Counts {
        input: take_count(body, "prompt_eval_count"),
        output: take_count(body, "eval_count"),
        ..Counts::default()
    };
    (!counts.is_empty()).then(|| counts.reported())
}

/// The first of `keys` that has a count.
fn first(source: &mut Object, keys: &[&str]) -> Option<u64> {
    keys.iter().find_map(|key| take_count(source, key))
}

/// Everybody else: cached tokens are part of the input, except where the names say otherwise (Bedrock).
fn inclusive(source: &mut Object) -> Option<Counts> {
    let is_exclusive =
        source.contains_key("cacheReadInputTokens") || source.contains_key("cacheWriteInputTokens");
    let mut input_details = Object::new();
    for key in ["prompt_tokens_details", "input_tokens_details", "input_token_details"] {
        input_details.update(&take_object(source, key).unwrap_or_default());
    }
    let mut output_details = Object::new();
    for key in ["completion_tokens_details", "output_tokens_details", "output_token_details"] {
        output_details.update(&take_object(source, key).unwrap_or_default());
    }
    let mut counts = Counts {
        input: first(source, &["prompt_tokens", "input_tokens", "inputTokens", "input"]),
        cached: first(
            source,
            &[
                "cached_input_tokens",
                "cacheReadInputTokens",
                "cacheReadTokens",
                "cachedInputTokens",
                "prompt_cache_hit_tokens",
                "cached_tokens",
                "cached",
            ],
        )
        .or_else(|| first(&mut input_details, &["cached_tokens", "cache_read", "cache_read_tokens"]))
        .or_else(|| first(source, &["cache_read_input_tokens"])),
        written: first(
            source,
            &[
                "cache_write_input_tokens",
                "cacheWriteInputTokens",
                "cacheWriteTokens",
                "cache_creation_input_tokens",
            ],
        )
        .or_else(|| {
            first(&mut input_details, &["cache_write_tokens", "cache_creation", "cache_creation_tokens"])
        }),
        output: first(source, &["completion_tokens", "output_tokens", "outputTokens", "output"]),
        thoughts: first(source, &["reasoning_output_tokens", "reasoningTokens", "reasoning_tokens"])
            .or_else(|| first(&mut output_details, &["reasoning_tokens", "reasoning"])),
        total: first(source, &["total_tokens", "totalTokens", "total"]),
    };
    // The same count under two names.
    for key in ["cached_tokens", "cache_read", "cache_read_tokens"] {
        input_details.remove(key);
    }
    for key in ["cache_write_tokens", "cache_creation", "cache_creation_tokens"] {
        if counts.written.is_some() {
            input_details.remove(key);
        }
    }
    for key in [
        "prompt_cache_miss_tokens",
        "cacheReadInputTokenCount",
        "cacheWriteInputTokenCount",
        "cache_read_input_tokens",
    ] {
        source.remove(key);
    }
    if let Some(input) = &mut counts.input {
        let of_cache = counts.cached.unwrap_or(0).saturating_add(counts.written.unwrap_or(0));
        // A part cannot be larger than the whole: then it stands beside it.
        if is_exclusive || *input < of_cache {
            *input = input.saturating_add(of_cache);
        }
    }
    // Some count thoughts beside the output, which shows in the sum or in their being more.
    if let (Some(output), Some(thoughts)) = (&mut counts.output, counts.thoughts.filter(|it| *it > 0)) {
        let sum = counts.input.unwrap_or(0).saturating_add(*output).saturating_add(thoughts);
        if counts.total == Some(sum) || thoughts > *output {
            *output = output.saturating_add(thoughts);
        }
    }
    for (key, value) in input_details.iter().chain(output_details.iter()) {
        let says_something = value.as_i64() != Some(0);
        if says_something && !value.is_null() {
            source.insert(key.clone(), value.clone());
        }
    }
    (!counts.is_empty()).then_some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_model::json;

    #[track_caller]
    fn check(text: &str, input: u64, cached: u64, output: u64, thoughts: u64) {
        let Json::Object(source) = json::parse(text.as_bytes()).unwrap() else { panic!("an object") };
        let mut unmapped = Unmapped::default();
        let usage = read(source, "usage", &mut unmapped).unwrap().usage;
        let got = (
            usage.prompt_token_count.unwrap_or(0),
            usage.cached_content_token_count.unwrap_or(0),
            usage.candidates_token_count.unwrap_or(0),
            usage.thoughts_token_count.unwrap_or(0),
        );
        assert_eq!(got, (input, cached, output, thoughts), "{text}");
    }

    #[test]
    fn every_dialect() {
        check(
            r#"{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":2}}"#,
            10,
            4,
            3,
            2,
        );
        check(
            r#"{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":5}"#,
            10,
            4,
            5,
            0,
        );
        check(
            r#"{"input_tokens":10,"cache_read_input_tokens":100,"cache_creation_input_tokens":3,"output_tokens":5}"#,
            113,
            100,
            5,
            0,
        );
        check(
            r#"{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":5,"thoughtsTokenCount":2}"#,
            10,
            4,
            5,
            2,
        );
        check(
            r#"{"inputTokens":10,"outputTokens":5,"cacheReadInputTokens":4,"cacheWriteInputTokens":1}"#,
            15,
            4,
            5,
            0,
        );
        check(r#"{"input_tokens":10,"output_tokens":5,"input_token_details":{"cache_read":4}}"#, 10, 4, 5, 0);
        check(
            r#"{"input_tokens":9,"cache_read_input_tokens":0,"output_tokens":1,"iterations":[{"input_tokens":50,"output_tokens":2},{"input_tokens":9,"cache_read_input_tokens":7,"output_tokens":1}]}"#,
            66,
            7,
            3,
            0,
        );
    }
}
