//! A cache of which nothing was read, said and not said: a zero of a provider is a count, a zero that a tool puts where
//! a provider says nothing is none.

use strata_import::{Format, import};

/// What every answer of a file says was read from a cache, with the sum over its sessions and how many answers are
/// counted as calls with usage.
fn cached(format: Format, text: &str) -> (Vec<Option<u64>>, u64, u64) {
    let import = import(text.as_bytes());
    assert_eq!(import.sessions[0].format, format, "{:?}", import.diagnostics);
    let events = import.sessions.iter().flat_map(|one| &one.session.events);
    let usages = events.filter_map(|event| event.usage_metadata.as_ref());
    let found = usages.map(|usage| usage.cached_content_token_count).collect();
    let sum =
        |count: fn(&strata_import::Facts) -> u64| import.sessions.iter().map(|one| count(&one.facts)).sum();
    (found, sum(|facts| facts.cached_tokens), sum(|facts| facts.usage_events))
}

fn exchange(url: &str, request: &str, response: &str) -> String {
    format!(
        r#"{{"request":{{"method":"POST","url":"https://api.example/{url}","body":{request}}},"response":{{"status":200,"content_type":"application/json","body":{response}}}}}"#
    )
}

#[test]
fn a_provider_that_read_nothing_from_a_cache_says_so() {
    let chat = |usage: &str| {
        exchange(
            "v1/chat/completions",
            r#"{"model":"gpt-x","messages":[{"role":"user","content":"Hi"}]}"#,
            &format!(
                r#"{{"object":"chat.completion","model":"gpt-x","choices":[{{"index":0,"message":{{"role":"assistant","content":"Yes"}}}}],"usage":{usage}}}"#
            ),
        )
    };
    let responses = |usage: &str| {
        exchange(
            "v1/responses",
            r#"{"model":"gpt-x","input":"Hi"}"#,
            &format!(
                r#"{{"id":"r1","object":"response","model":"gpt-x","status":"completed","output":[{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"Yes"}}]}}],"usage":{usage}}}"#
            ),
        )
    };
    let messages = |usage: &str| {
        exchange(
            "v1/messages",
            r#"{"model":"claude-x","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}"#,
            &format!(
                r#"{{"id":"m1","type":"message","role":"assistant","model":"claude-x","content":[{{"type":"text","text":"Yes"}}],"usage":{usage}}}"#
            ),
        )
    };
    let converse = |usage: &str| {
        exchange(
            "model/claude-x/converse",
            r#"{"messages":[{"role":"user","content":[{"text":"Hi"}]}]}"#,
            &format!(
                r#"{{"output":{{"message":{{"role":"assistant","content":[{{"text":"Yes"}}]}}}},"stopReason":"end_turn","usage":{usage}}}"#
            ),
        )
    };
    let said = [
        chat(r#"{"prompt_tokens":9000,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":0}}"#),
        chat(
            r#"{"prompt_tokens":9000,"completion_tokens":5,"prompt_cache_hit_tokens":0,"prompt_cache_miss_tokens":9000}"#,
        ),
        responses(r#"{"input_tokens":9000,"output_tokens":5,"input_tokens_details":{"cached_tokens":0}}"#),
        messages(r#"{"input_tokens":9000,"output_tokens":5,"cache_read_input_tokens":0}"#),
        converse(r#"{"inputTokens":9000,"outputTokens":5,"cacheReadInputTokens":0}"#),
    ];
    let unsaid = [
        chat(r#"{"prompt_tokens":9000,"completion_tokens":5}"#),
        chat(
            r#"{"prompt_tokens":9000,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":null}}"#,
        ),
        responses(r#"{"input_tokens":9000,"output_tokens":5}"#),
        messages(r#"{"input_tokens":9000,"output_tokens":5}"#),
        converse(r#"{"inputTokens":9000,"outputTokens":5}"#),
    ];
    for log in said {
        assert_eq!(cached(Format::PROVIDER_LOG, &log), (vec![Some(0)], 0, 1), "{log}");
    }
    for log in unsaid {
        assert_eq!(cached(Format::PROVIDER_LOG, &log), (vec![None], 0, 1), "{log}");
    }
}

#[test]
fn a_client_that_repeats_what_its_provider_says_repeats_its_zeros() {
    let codex = |usage: &str| {
        [
            r#"{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}}"#.to_owned(),
            r#"{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Yes"}]}}"#.to_owned(),
            format!(
                r#"{{"timestamp":"2026-01-01T00:00:02Z","type":"event_msg","payload":{{"type":"token_count","info":{{"last_token_usage":{usage},"total_token_usage":{usage}}}}}}}"#
            ),
        ]
        .join("\n")
    };
    let reported = codex(r#"{"input_tokens":9000,"cached_input_tokens":0,"output_tokens":5}"#);
    assert_eq!(cached(Format::CODEX, &reported), (vec![Some(0)], 0, 1));
    let unsaid = codex(r#"{"input_tokens":9000,"output_tokens":5}"#);
    assert_eq!(cached(Format::CODEX, &unsaid), (vec![None], 0, 1));

    let gemini = |tokens: &str| {
        [
            r#"{"sessionId":"s1","projectHash":"p","startTime":"2026-01-01T00:00:00Z","lastUpdated":"2026-01-01T00:00:00Z","kind":"main"}"#.to_owned(),
            r#"{"id":"m1","timestamp":"2026-01-01T00:00:01Z","type":"user","content":[{"text":"Hi"}]}"#.to_owned(),
            format!(r#"{{"id":"m2","timestamp":"2026-01-01T00:00:02Z","type":"gemini","content":"Yes","tokens":{tokens},"model":"gemini-x"}}"#),
        ]
        .join("\n")
    };
    // Gemini leaves out what is zero, and its client fills it in.
    let filled = gemini(r#"{"input":9000,"output":5,"cached":0,"thoughts":0,"tool":0,"total":9005}"#);
    assert_eq!(cached(Format::GEMINI_CLI, &filled), (vec![Some(0)], 0, 1));
}

#[test]
fn a_tool_for_any_provider_fills_in_zeros_that_nobody_said() {
    let opencode = |read: u64| {
        format!(
            r#"{{"info":{{"id":"s1","version":"1.18.0","projectID":"global","time":{{"created":1}}}},"messages":[{{"info":{{"role":"user","time":{{"created":1770112800000}},"id":"m1","sessionID":"s1"}},"parts":[{{"type":"text","text":"Hi","id":"p1","sessionID":"s1","messageID":"m1"}}]}},{{"info":{{"role":"assistant","time":{{"created":1770112801000}},"modelID":"x","providerID":"p","tokens":{{"input":9000,"output":5,"reasoning":0,"cache":{{"read":{read},"write":0}}}},"id":"m2","sessionID":"s1"}},"parts":[{{"type":"text","text":"Yes","id":"p2","sessionID":"s1","messageID":"m2"}}]}}]}}"#
        )
    };
    assert_eq!(cached(Format::OPENCODE_EXPORT, &opencode(0)), (vec![None], 0, 1));
    assert_eq!(cached(Format::OPENCODE_EXPORT, &opencode(7)), (vec![Some(7)], 7, 1));
}
