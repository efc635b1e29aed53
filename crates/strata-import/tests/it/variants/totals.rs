//! Tokens that a source counts in more than one place.

use strata_import::{Format, Import, import};
use strata_model::marks;

use super::{check_counts, session};

/// The messages of what an import found to be odd about totals.
fn differences(text: &str) -> Vec<String> {
    let Import { diagnostics, .. } = import(text.as_bytes());
    diagnostics.into_iter().filter(|it| it.code == "own-total-differs").map(|it| it.message).collect()
}

fn opencode(tokens: &str, own: &str) -> String {
    format!(
        r#"{{"info":{{"id":"s1","version":"1.2.0","projectID":"p","tokens":{own}}},"messages":[{{"info":{{"role":"user","time":{{"created":1}},"id":"m1","sessionID":"s1"}},"parts":[{{"type":"text","text":"Hi","id":"p1"}}]}},{{"info":{{"role":"assistant","time":{{"created":2}},"modelID":"x","tokens":{tokens},"id":"m2","sessionID":"s1"}},"parts":[{{"type":"text","text":"Yes","id":"p2"}}]}}]}}"#
    )
}

#[test]
fn reasoning_of_opencode_counts_once_in_every_version() {
    let counts = r#""input":40,"output":28,"reasoning":5,"cache":{"read":60,"write":0}"#;
    let own = format!("{{{counts}}}");
    for (total, output) in [(r#","total":133"#, 33), (r#","total":128"#, 28), ("", 28)] {
        let text = opencode(&format!("{{{counts}{total}}}"), &own);
        check_counts(&session(Format::OPENCODE_EXPORT, &text), 1, 1, 100, 60, output);
        assert_eq!(differences(&text), [""; 0]);
    }
    let more = own.replace(":40", ":90");
    let [told] = &differences(&opencode(&own, &more))[..] else { panic!("one difference") };
    assert!(told.contains("150 input tokens by the session's own total, 100 by its calls"), "{told}");
}

#[test]
fn qwen_counts_thoughts_within_its_candidates() {
    let record = |kind: &str, rest: &str| {
        format!(
            r#"{{"uuid":"{kind}","parentUuid":null,"sessionId":"q","timestamp":"2026-01-01T00:00:00Z","type":"{kind}",{rest}}}"#
        )
    };
    let text = [
        record("user", r#""message":{"role":"user","parts":[{"text":"hi"}]}"#),
        record(
            "assistant",
            r#""message":{"role":"model","parts":[{"text":"yes"}]},"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":40,"thoughtsTokenCount":30,"totalTokenCount":140,"cachedContentTokenCount":0}"#,
        ),
    ];
    check_counts(&session(Format::GEMINI_CLI, &text.join("\n")), 1, 1, 100, 0, 40);
}

#[test]
fn inspect_counts_cache_reads_as_its_provider_does() {
    let log = |total: u64, own: u64| {
        let usage = |input: u64, total: u64| {
            format!(
                r#"{{"input_tokens":{input},"input_tokens_cache_read":800,"output_tokens":50,"total_tokens":{total}}}"#
            )
        };
        format!(
            r#"{{"version":2,"status":"success","eval":{{}},"samples":[{{"id":1,"epoch":1,"messages":[{{"id":"u","role":"user","content":"hi"}},{{"id":"a","role":"assistant","content":"yes"}}],"model_usage":{{"m":{}}},"events":[{{"event":"model","model":"m","input":[{{"role":"user","content":"hi"}}],"output":{{"model":"m","choices":[{{"message":{{"id":"a","role":"assistant","content":"yes"}},"stop_reason":"stop"}}],"usage":{}}}}}]}}]}}"#,
            usage(own, own + total - 900),
            usage(900, total)
        )
    };
    check_counts(&session(Format::INSPECT, &log(950, 900)), 1, 1, 900, 800, 50);
    check_counts(&session(Format::INSPECT, &log(1750, 900)), 1, 1, 1700, 800, 50);
    assert_eq!(differences(&log(950, 900)), [""; 0]);
    assert_eq!(differences(&log(950, 1900)).len(), 1);
}

#[test]
fn a_codex_counter_that_grew_by_more_is_told() {
    let count = |last: u64, total: u64| {
        format!(
            r#"{{"timestamp":"2026-01-01T00:00:02Z","type":"event_msg","payload":{{"type":"token_count","info":{{"last_token_usage":{{"input_tokens":{last},"output_tokens":5}},"total_token_usage":{{"input_tokens":{total},"output_tokens":{}}}}}}}}}"#,
            total / 20
        )
    };
    let item = |role: &str, kind: &str| {
        format!(
            r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{{"type":"message","role":"{role}","content":[{{"type":"{kind}","text":"x"}}]}}}}"#
        )
    };
    let log = |first: u64, second: u64| {
        let answer = item("assistant", "output_text");
        let repeated = count(100, second);
        [item("user", "input_text"), answer.clone(), count(100, first), answer, repeated.clone(), repeated]
            .join("\n")
    };
    // A count that repeats the one before it is no usage, and is said.
    let counted = session(Format::CODEX, &log(100, 200));
    check_counts(&counted, 1, 2, 200, 0, 10);
    assert_eq!(counted.unmapped.records.get("event_msg.token_count").map(Vec::len), Some(1));
    assert_eq!(differences(&log(100, 200)), [""; 0]);
    let [told] = &differences(&log(100, 240))[..] else { panic!("one difference") };
    assert!(
        told.contains("240 input tokens by the client's counter (`total_token_usage`), 200 by its calls"),
        "{told}"
    );
}

#[test]
fn searches_at_the_provider_are_calls_of_tools() {
    let log = [
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"look"}]}}"#,
        r#"{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"web_search_call","status":"completed","action":{"type":"search","query":"rust"}}}"#,
    ];
    let session = session(Format::CODEX, &log.join("\n"));
    assert_eq!((session.facts.tool_calls, session.summary().tool_calls), (1, 1));
}

/// What an import says of totals that no call has a part of.
fn alone(text: &str) -> Vec<String> {
    let Import { diagnostics, .. } = import(text.as_bytes());
    diagnostics.into_iter().filter(|it| it.code == "own-total-alone").map(|it| it.message).collect()
}

#[test]
fn swe_agent_knows_a_total_alone_and_says_its_cost() {
    let run = |stats: &str| {
        format!(
            r#"{{"environment":"e","trajectory":[],"history":[{{"role":"user","content":"fix it"}},{{"role":"assistant","content":"done"}}],"info":{{"model_stats":{{{stats}}}}}}}"#
        )
    };
    let told = alone(&run(r#""instance_cost":1.25,"tokens_sent":900,"tokens_received":40,"api_calls":1"#));
    let expected = "usage is known as a total alone: 900 input tokens, 40 output tokens, $1.25 by the source's own \
                    prices. No call has a part of it";
    assert_eq!(told, [expected]);
    let of_cost = alone(&run(r#""instance_cost":0.5,"tokens_sent":0,"tokens_received":0"#));
    assert_eq!(of_cost.len(), 1);
    assert!(of_cost[0].starts_with("usage is known as a total alone: $0.5 by"), "{of_cost:?}");
    assert_eq!(alone(&run(r#""instance_cost":0,"tokens_sent":0,"tokens_received":0"#)), [""; 0]);
}

#[test]
fn totals_of_openhands_are_held_against_its_calls() {
    let sum = |input: u64| {
        format!(
            r#"{{"accumulated_cost":0.2,"accumulated_token_usage":{{"prompt_tokens":{input},"completion_tokens":5,"cache_read_tokens":0,"cache_write_tokens":0}}}}"#
        )
    };
    let run = |about: &str, metrics: &str| {
        format!(
            r#"{{"instance_id":"i","history":[{{"id":0,"timestamp":"2026-01-01T00:00:00","source":"user","action":"message","args":{{"content":"go"}}}},{{"id":1,"timestamp":"2026-01-01T00:00:01","source":"agent","action":"run","args":{{"command":"ls"}},"tool_call_metadata":{{"function_name":"run","tool_call_id":"c","model_response":{{"id":"r","model":"m"{about}}}}}}}],"metrics":{metrics}}}"#
        )
    };
    let reported = r#","usage":{"prompt_tokens":100,"completion_tokens":5}"#;
    let whole = run(reported, &sum(100));
    check_counts(&session(Format::OPENHANDS, &whole), 1, 1, 100, 0, 5);
    assert_eq!((differences(&whole).len(), alone(&whole).len()), (0, 0));
    let [told] = &differences(&run(reported, &sum(140)))[..] else { panic!("one difference") };
    assert!(told.contains("140 input tokens by the conversation's own total, 100 by its calls"), "{told}");
    let silent = run("", &sum(140));
    check_counts(&session(Format::OPENHANDS, &silent), 1, 1, 140, 0, 5);
    assert_eq!(alone(&silent).len(), 1);
}

#[test]
fn a_langfuse_total_of_unknown_counts_tells_no_thoughts() {
    let trace = |details: &str| {
        format!(
            r#"{{"trace":{{"id":"t"}},"observations":[{{"id":"o","traceId":"t","type":"GENERATION","model":"gemini-x","startTime":"2026-01-01T00:00:00Z","input":[{{"role":"user","content":"hi"}}],"output":{{"role":"assistant","content":"yes"}},"usageDetails":{{{details}}}}}]}}"#
        )
    };
    check_counts(&session(Format::LANGFUSE, &trace(r#""input":5,"output":8,"total":20"#)), 1, 1, 5, 0, 15);
    let unknown = trace(r#""input":5,"output":8,"input_audio_tokens":7,"total":20"#);
    check_counts(&session(Format::LANGFUSE, &unknown), 1, 1, 5, 0, 8);
}

/// A transcript of Claude Code: two calls, a compaction and a third call, with the client's own counter before and behind.
fn compacted(own_input: u64, own_output: u64, name: &str) -> String {
    let record = |number: u8, kind: &str, rest: &str| {
        format!(
            r#"{{"uuid":"{number}","parentUuid":null,"sessionId":"c","version":"2.1.90","timestamp":"2026-01-01T00:00:0{number}Z","type":"{kind}",{rest}}}"#
        )
    };
    let prompt = |number| record(number, "user", r#""message":{"role":"user","content":"go on"}"#);
    let answer = |number: u8| {
        let said = format!(
            r#""message":{{"id":"m{number}","role":"assistant","model":"claude-opus-4-6","content":[{{"type":"tool_use","id":"t{number}","name":"{name}","input":{{}}}}],"usage":{{"input_tokens":10,"cache_read_input_tokens":900,"cache_creation_input_tokens":90,"output_tokens":20}}}}"#
        );
        record(number, "assistant", &said)
    };
    let counter = |calls: u64, input: u64, output: u64| {
        format!(
            r#"{{"type":"cost-state","sessionId":"c","totalCostUSD":0.5,"modelUsage":{{"claude-opus-4-6":{{"inputTokens":{},"outputTokens":{},"cacheReadInputTokens":{},"cacheCreationInputTokens":{}}}}}}}"#,
            10 * calls + input,
            20 * calls + output,
            900 * calls,
            90 * calls
        )
    };
    let boundary =
        record(5, "system", r#""subtype":"compact_boundary","compactMetadata":{"trigger":"manual"}"#);
    let summary = record(
        6,
        "user",
        r#""isCompactSummary":true,"message":{"role":"user","content":"What was said before."}"#,
    );
    let records = [prompt(1), answer(2), counter(1, 0, 0), boundary, summary, prompt(7), answer(8)];
    records.join("\n") + "\n" + &counter(2, own_input, own_output)
}

#[test]
fn what_a_summary_of_claude_code_took_is_what_its_counter_has_beside_the_calls() {
    let told = |text: &str| {
        let imported = session(Format::CLAUDE_CODE, text);
        let summary = imported.session.events.iter().find(|event| event.is_compaction()).cloned().unwrap();
        // A report, or a mark that there is none.
        assert_eq!(summary.usage_metadata.is_none(), marks::has(&summary, marks::UNREPORTED));
        summary.usage_metadata.as_deref().map(|usage| (usage.prompt_token_count, usage.output_tokens()))
    };
    let text = compacted(700, 33, "Bash");
    assert_eq!(told(&text), Some((Some(700), Some(33))));
    assert_eq!(differences(&text), [""; 0]);
    // Nothing is left for it, or it may have been spent by a sub-agent.
    assert_eq!(told(&compacted(0, 0, "Bash")), None);
    let with_agent = compacted(700, 33, "Agent");
    assert_eq!(told(&with_agent), None);
    let [message] = &differences(&with_agent)[..] else { panic!("one difference") };
    assert!(message.contains("2700 input and 73 output tokens and $0.5000 in all"), "{message}");
    assert!(message.contains("2000 and 40: sub-agents"), "{message}");
}
