//! What providers say a request has cost, each in its own words.
//!
//! Some count what the cache found as a part of the input, some beside it. Here it is always a part: nobody who adds up
//! [`UsageReport::prompt`] counts a token twice.
//!
//! | shape | input | of it cached |
//! |---|---|---|
//! | OpenAI chat completions, and servers like it | `prompt_tokens` | `prompt_tokens_details.cached_tokens` |
//! | OpenAI responses | `input_tokens` | `input_tokens_details.cached_tokens` |
//! | DeepSeek | `prompt_tokens` | `prompt_cache_hit_tokens` |
//! | Anthropic messages | `input_tokens` + `cache_read_input_tokens` + `cache_creation_input_tokens` | `cache_read_input_tokens` |
//! | Gemini, google-adk | `promptTokenCount` | `cachedContentTokenCount` |
//! | llama.cpp `timings` | `cache_n` + `prompt_n` | `cache_n` |

use strata_model::Json;

/// Tokens of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UsageReport {
    /// The whole input, with what was cached or written.
    pub prompt: u64,
    /// Of the prompt, read from a cache. `None`: the provider says nothing of a cache.
    pub cached: Option<u64>,
    /// Of the prompt, stored in a cache.
    pub written: Option<u64>,
    /// What the model wrote, thoughts included.
    pub output: Option<u64>,
}

impl UsageReport {
    /// Reads a response, or the object in it that holds the usage. `None` where neither says how large the prompt was.
    ///
    /// ```
    /// use strata_model::json::parse;
    /// use strata_wire::UsageReport;
    ///
    /// let usage = parse(br#"{"input_tokens": 4, "cache_read_input_tokens": 900, "output_tokens": 7}"#).unwrap();
    /// let report = UsageReport::of(&usage).unwrap();
    /// assert_eq!((report.prompt, report.cached, report.output), (904, Some(900), Some(7)));
    /// ```
    pub fn of(response: &Json) -> Option<Self> {
        let timings = response.get("timings").and_then(timings);
        let said = ["usage", "usageMetadata", "usage_metadata"].into_iter().find_map(|key| response.get(key));
        let Some(mut report) = said.and_then(usage).or_else(|| usage(response)) else {
            return timings.or_else(|| self::timings(response));
        };
        // A llama.cpp server tells its cache beside the usage of OpenAI's shape, and older ones only there.
        if report.cached.is_none() {
            report.cached = timings.and_then(|timings| timings.cached);
        }
        Some(report)
    }
}

fn count(of: &Json, key: &str) -> Option<u64> {
    u64::try_from(of.get(key)?.as_i64()?).ok()
}

fn detail(of: &Json, details: &str, key: &str) -> Option<u64> {
    count(of.get(details)?, key)
}

fn usage(of: &Json) -> Option<UsageReport> {
    openai_chat(of).or_else(|| gemini(of)).or_else(|| messages(of))
}

fn openai_chat(of: &Json) -> Option<UsageReport> {
    let cached = detail(of, "prompt_tokens_details", "cached_tokens");
    Some(UsageReport {
        prompt: count(of, "prompt_tokens")?,
        cached: cached.or(count(of, "prompt_cache_hit_tokens")),
        written: None,
        output: count(of, "completion_tokens"),
    })
}

/// The Responses API of OpenAI counts the cache within the input, the Messages API of Anthropic beside it.
fn messages(of: &Json) -> Option<UsageReport> {
    let input = count(of, "input_tokens");
    let within = detail(of, "input_tokens_details", "cached_tokens");
    let (read, written) = (count(of, "cache_read_input_tokens"), count(of, "cache_creation_input_tokens"));
    let beside = if within.is_some() { 0 } else { read.unwrap_or(0).saturating_add(written.unwrap_or(0)) };
    input.or(read)?;
    Some(UsageReport {
        prompt: input.unwrap_or(0).saturating_add(beside),
        cached: within.or(read),
        written: written.filter(|_| within.is_none()),
        output: count(of, "output_tokens"),
    })
}

fn gemini(of: &Json) -> Option<UsageReport> {
    let either = |camel: &str, snake: &str| count(of, camel).or_else(|| count(of, snake));
    let answer = either("candidatesTokenCount", "candidates_token_count");
    let thoughts = either("thoughtsTokenCount", "thoughts_token_count");
    let output = answer.unwrap_or(0).saturating_add(thoughts.unwrap_or(0));
    Some(UsageReport {
        prompt: either("promptTokenCount", "prompt_token_count")?,
        cached: either("cachedContentTokenCount", "cached_content_token_count"),
        written: None,
        output: answer.or(thoughts).map(|_| output),
    })
}

fn timings(of: &Json) -> Option<UsageReport> {
    let cached = count(of, "cache_n");
    Some(UsageReport {
        // Only what was computed, without what the cache had.
        prompt: count(of, "prompt_n")?.saturating_add(cached.unwrap_or(0)),
        cached,
        written: None,
        output: count(of, "predicted_n"),
    })
}

#[cfg(test)]
mod tests {
    use strata_model::json;

    use super::*;

    #[track_caller]
    fn check(response: &str, prompt: u64, cached: Option<u64>, written: Option<u64>, output: u64) {
        let report = UsageReport::of(&json::parse(response.as_bytes()).unwrap()).unwrap();
        assert_eq!(report, UsageReport { prompt, cached, written, output: Some(output) });
        // What is paid in full is what is neither read nor written, and never below nothing.
        assert!(report.cached.unwrap_or(0) + report.written.unwrap_or(0) <= report.prompt);
    }

    #[test]
    fn openai_chat_counts_the_cache_within_the_prompt() {
        check(
            r#"{"object": "chat.completion", "usage": {"prompt_tokens": 2006, "completion_tokens": 300,
                "total_tokens": 2306, "prompt_tokens_details": {"cached_tokens": 1920, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 250}}}"#,
            2006,
            Some(1920),
            None,
            300,
        );
        check(r#"{"usage": {"prompt_tokens": 50, "completion_tokens": 5}}"#, 50, None, None, 5);
        check(
            r#"{"usage": {"prompt_tokens": 50, "completion_tokens": 5, "prompt_tokens_details": null}}"#,
            50,
            None,
            None,
            5,
        );
        check(
            r#"{"prompt_tokens": 100, "completion_tokens": 9, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36}"#,
            100,
            Some(64),
            None,
            9,
        );
    }

    #[test]
    fn openai_responses_count_the_cache_within_the_input() {
        check(
            r#"{"object": "response", "usage": {"input_tokens": 1500, "input_tokens_details": {"cached_tokens": 1408},
                "output_tokens": 40, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 1540}}"#,
            1500,
            Some(1408),
            None,
            40,
        );
    }

    #[test]
    fn anthropic_counts_the_cache_beside_the_input() {
        check(
            r#"{"type": "message", "usage": {"input_tokens": 21, "cache_creation_input_tokens": 188, "cache_read_input_tokens": 5000,
                "cache_creation": {"ephemeral_5m_input_tokens": 188}, "output_tokens": 393}}"#,
            5209,
            Some(5000),
            Some(188),
            393,
        );
        check(
            r#"{"usage": {"input_tokens": 21, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 3}}"#,
            21,
            Some(0),
            Some(0),
            3,
        );
        check(r#"{"usage": {"input_tokens": 21, "output_tokens": 3}}"#, 21, None, None, 3);
    }

    #[test]
    fn gemini_and_adk_count_the_cache_within_the_prompt() {
        check(
            r#"{"usageMetadata": {"promptTokenCount": 6000, "cachedContentTokenCount": 4096, "candidatesTokenCount": 20,
                "thoughtsTokenCount": 80, "totalTokenCount": 6100}}"#,
            6000,
            Some(4096),
            None,
            100,
        );
        check(
            r#"{"usage_metadata": {"prompt_token_count": 6000, "cached_content_token_count": 4096, "candidates_token_count": 20}}"#,
            6000,
            Some(4096),
            None,
            20,
        );
    }

    #[test]
    fn llama_cpp_times_only_what_it_computed() {
        check(
            r#"{"timings": {"cache_n": 236, "prompt_n": 14, "predicted_n": 35}}"#,
            250,
            Some(236),
            None,
            35,
        );
        check(
            r#"{"usage": {"prompt_tokens": 250, "completion_tokens": 35}, "timings": {"cache_n": 236, "prompt_n": 14}}"#,
            250,
            Some(236),
            None,
            35,
        );
        check(
            r#"{"usage": {"prompt_tokens": 250, "completion_tokens": 35, "prompt_tokens_details": {"cached_tokens": 236}},
                "timings": {"cache_n": 236, "prompt_n": 14, "predicted_n": 35}}"#,
            250,
            Some(236),
            None,
            35,
        );
    }

    #[test]
    fn what_is_no_usage_is_none() {
        for text in ["{}", "[]", r#"{"usage": null}"#, r#"{"usage": {"prompt_tokens": "many"}}"#] {
            assert_eq!(UsageReport::of(&json::parse(text.as_bytes()).unwrap()), None);
        }
    }
}
