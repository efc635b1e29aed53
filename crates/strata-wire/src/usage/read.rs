//! Usage objects of providers, told apart by their names.
//!
//! | shape | input | of it cached |
//! |---|---|---|
//! | OpenAI chat completions, and servers like it | `prompt_tokens` | `prompt_tokens_details.cached_tokens` |
//! | OpenAI responses | `input_tokens` | `input_tokens_details.cached_tokens` |
//! | DeepSeek | `prompt_tokens` | `prompt_cache_hit_tokens` |
//! | Anthropic messages | `input_tokens` + `cache_read_input_tokens` + `cache_creation_input_tokens` | `cache_read_input_tokens` |
//! | Bedrock Converse | `inputTokens` + `cacheReadInputTokens` + `cacheWriteInputTokens` | `cacheReadInputTokens` |
//! | Gemini, google-adk | `promptTokenCount` | `cachedContentTokenCount` |

use strata_model::take::{take_any, take_count, take_list, take_object};
use strata_model::{Decoder, FromJson as _, Json, Object, Usage};

use super::counts::{Counts, add, number};
use super::report::UsageReport;
use super::spelling;
use crate::unread::UnreadFields;

/// Reads a usage object of any provider. What has no place in the report is noted as a field of `owner`. `None` when
/// there is no count in it.
///
/// ```
/// use strata_model::{Json, json};
///
/// let usage = br#"{"input_tokens": 4, "cache_read_input_tokens": 900, "output_tokens": 7}"#;
/// let Ok(Json::Object(usage)) = json::parse(usage) else { panic!("an object") };
/// let usage = strata_wire::usage::read(usage, "usage", &mut ()).unwrap().usage;
/// assert_eq!((usage.prompt_token_count, usage.cached_content_token_count), (Some(904), Some(900)));
/// ```
pub fn read(mut source: Object, owner: &str, unread: &mut dyn UnreadFields) -> Option<UsageReport> {
    if is_gemini(&source) {
        let mut usage = Usage::from_json(Json::Object(source), &mut Decoder::new()).ok()?;
        if usage.has_thoughts_in_candidates() {
            usage.candidates_token_count = usage.visible_tokens();
        }
        return Some(UsageReport { usage, ..UsageReport::default() });
    }
    if is_anthropic(&source) {
        let report = read_messages(source, owner, unread);
        let is_said = report.usage.prompt_token_count.is_some() || report.usage.output_tokens().is_some();
        return Some(report).filter(|_| is_said);
    }
    let counts = inclusive(&mut source);
    unread.rest(owner, &source);
    counts.map(UsageReport::from)
}

/// The usage that the body of an answer holds, which loses it.
pub fn take_from_answer(body: &mut Object, unread: &mut dyn UnreadFields) -> Option<UsageReport> {
    let timings = take_object(body, "timings").map(|mut timings| {
        let counts = spelling::LLAMA_TIMINGS.take(&mut timings);
        unread.rest("response.timings", &timings);
        counts
    });
    let report = match take_any(body, &["usage", "usageMetadata", "usage_metadata"]) {
        Some(Json::Object(usage)) => read(usage, "response.usage", unread),
        _ => Some(spelling::OLLAMA.take(body)).filter(|counts| !counts.is_empty()).map(UsageReport::from),
    };
    let Some(timings) = timings else { return report };
    // A llama.cpp server tells its cache beside the usage of OpenAI's shape, and older ones only there.
    match report {
        Some(report) if report.usage.cached_content_token_count.is_none() => {
            Some(UsageReport::from(Counts { cached: timings.cached, ..report.counts() }))
        }
        None if timings.input.is_some() => Some(UsageReport::from(timings)),
        report => report,
    }
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

/// Reads usage of the Messages API: input without what the cache read or wrote. The steps of a call (`iterations`) are
/// its truth: the counts above them are those of the last.
pub fn read_messages(mut source: Object, owner: &str, unread: &mut dyn UnreadFields) -> UsageReport {
    let steps = take_list(&mut source, "iterations").unwrap_or_default();
    let mut details = take_object(&mut source, "output_tokens_details").unwrap_or_default();
    let thoughts = take_count(&mut details, "thinking_tokens");
    unread.rest(&format!("{owner}.output_tokens_details"), &details);
    let top = AnthropicCounts::take(&mut source);
    unread.rest(owner, &source);
    let steps = steps.into_iter().filter_map(|step| match step {
        Json::Object(mut step) => Some(AnthropicCounts::take(&mut step)),
        _ => None,
    });
    let sum = steps.reduce(AnthropicCounts::and);
    let counted = sum.unwrap_or(top);
    let of_cache = counted.read.unwrap_or(0).saturating_add(counted.written.unwrap_or(0));
    let counts = Counts {
        input: counted.input.or(counted.read).map(|_| counted.input.unwrap_or(0).saturating_add(of_cache)),
        cached: counted.read,
        written: counted.written,
        output: counted.output,
        thoughts,
        total: None,
    };
    let mut report = UsageReport::from(counts);
    if let Some(write) = &mut report.cache_write {
        write.push_some("ephemeral5m", counted.short.map(number));
        write.push_some("ephemeral1h", counted.long.map(number));
    }
    report.top_level_input = top.input.filter(|_| sum.is_some());
    report
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
