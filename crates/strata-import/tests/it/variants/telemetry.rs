//! Traces and exports of observability tools in other names, versions and wrappings.

use strata_import::{ImportedSession, SourceRecord, Unmapped};

use crate::counted::{check, words};
use crate::support::sample;

const OTLP: &str = "otlp-json-traces";

/// A span as OTLP writes it, with attributes that are texts or numbers.
fn span(id: &str, parent: &str, name: &str, attributes: &[(&str, &str)]) -> String {
    let attributes = attributes.iter().map(|(key, value)| {
        let value = match value.parse::<u64>() {
            Ok(number) => format!(r#"{{"intValue":"{number}"}}"#),
            Err(_) => format!(r#"{{"stringValue":{}}}"#, serde_json::to_string(value).unwrap()),
        };
        format!(r#"{{"key":"{key}","value":{value}}}"#)
    });
    let attributes = attributes.collect::<Vec<_>>().join(",");
    format!(
        r#"{{"traceId":"qrvM3e7/ABEiM0RVZneImQ==","spanId":"{id}","parentSpanId":"{parent}","name":"{name}","startTimeUnixNano":"1767323045000000000","endTimeUnixNano":"1767323046000000000","attributes":[{attributes}]}}"#
    )
}

fn export(spans: &[String]) -> String {
    format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{}]}}]}}]}}"#, spans.join(","))
}

#[test]
fn calls_of_vercels_sdk() {
    let outer = span(
        "b3V0ZXI=",
        "",
        "ai.generateText",
        &[
            ("ai.operationId", "ai.generateText"),
            ("ai.usage.promptTokens", "10"),
            ("ai.prompt", r#"{"messages":[{"role":"user","content":"Hi"}]}"#),
        ],
    );
    let inner = span(
        "aW5uZXI=",
        "b3V0ZXI=",
        "ai.generateText.doGenerate",
        &[
            ("ai.operationId", "ai.generateText.doGenerate"),
            (
                "ai.prompt.messages",
                r#"[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"t","toolName":"f","input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"t","toolName":"f","output":{"type":"json","value":{"a":1}}}]}]"#,
            ),
            ("ai.response.text", "Hello"),
            ("ai.response.toolCalls", r#"[{"toolCallId":"u","toolName":"g","args":"{}"}]"#),
            ("ai.usage.inputTokens", "10"),
            ("ai.usage.cachedInputTokens", "4"),
            ("ai.usage.outputTokens", "2"),
            ("gen_ai.response.model", "m-1"),
        ],
    );
    let tool = span("dG9vbA==", "b3V0ZXI=", "ai.toolCall", &[("ai.toolCall.name", "f")]);
    let imported = check(OTLP, export(&[outer, inner, tool]), [1, 1, 1, 2, 1], [10, 4, 2]);
    assert!(words(&imported).ends_with("model: Hello"), "{}", words(&imported));
    assert!(imported.sessions[0].facts.models.contains("m-1"));
}

#[test]
fn older_names_and_events_in_attributes() {
    let oldest = span(
        "1",
        "",
        "openai.chat",
        &[
            ("llm.request.type", "chat"),
            ("llm.prompts.0.role", "user"),
            ("llm.prompts.0.content", "Hi"),
            ("llm.completions.0.role", "assistant"),
            ("llm.completions.0.content", "Hello"),
            ("llm.usage.prompt_tokens", "3"),
            ("llm.usage.completion_tokens", "1"),
        ],
    );
    let embedding = span(
        "2",
        "",
        "openai.embeddings",
        &[("llm.request.type", "embedding"), ("gen_ai.prompt.0.content", "Hi")],
    );
    check(OTLP, export(&[oldest, embedding]), [1, 1, 1, 0, 0], [3, 0, 1]);
    let blocks = span(
        "1",
        "",
        "openai.chat",
        &[
            ("llm.request.type", "chat"),
            ("gen_ai.prompt.0.role", "user"),
            (
                "gen_ai.prompt.0.content",
                r#"[{"type":"text","text":"See"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]"#,
            ),
            ("gen_ai.completion.0.role", "assistant"),
            ("gen_ai.completion.0.tool_calls.0.name", "f"),
            ("gen_ai.completion.0.tool_calls.0.arguments", "{}"),
            ("gen_ai.completion.0.tool_calls.0.id", "c"),
        ],
    );
    let imported = check(OTLP, export(&[blocks]), [1, 1, 1, 1, 0], [0, 0, 0]);
    assert_eq!(imported.sessions[0].facts.inline_data_parts, 1);
    let listed = span(
        "1",
        "",
        "chat m",
        &[
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.usage.input_tokens", "3"),
            ("gen_ai.usage.details.cached_tokens", "2"),
            ("gen_ai.usage.output_tokens", "1"),
            (
                "events",
                r#"[{"event.name":"gen_ai.system.message","content":"Be brief.","role":"system"},{"event.name":"gen_ai.user.message","content":"Hi","role":"user"},{"event.name":"gen_ai.choice","index":0,"message":{"role":"assistant","content":"Hello"}}]"#,
            ),
        ],
    );
    let imported = check(OTLP, export(&[listed]), [1, 1, 1, 0, 0], [3, 2, 1]);
    assert!(words(&imported).ends_with("model: Hello"));
    let run = span(
        "1",
        "",
        "agent run",
        &[
            ("gen_ai.usage.input_tokens", "3"),
            ("gen_ai.usage.output_tokens", "1"),
            (
                "pydantic_ai.all_messages",
                r#"[{"role":"user","parts":[{"type":"text","content":"Hi"}]},{"role":"assistant","parts":[{"type":"text","content":"Hello"}]}]"#,
            ),
        ],
    );
    check(OTLP, export(&[run]), [1, 1, 1, 0, 0], [3, 0, 1]);
}

#[test]
fn content_in_events_of_a_span() {
    let events = r#""events":[{"name":"gen_ai.user.message","attributes":[{"key":"content","value":{"stringValue":"[{\"text\":\"Hi\"}]"}}]},{"name":"gen_ai.choice","attributes":[{"key":"finish_reason","value":{"stringValue":"end_turn"}},{"key":"message","value":{"stringValue":"[{\"text\":\"Hello\"},{\"toolUse\":{\"toolUseId\":\"t\",\"name\":\"f\",\"input\":{}}}]"}}]}],"attributes""#;
    let one = span("1", "", "chat", &[("gen_ai.operation.name", "chat")]).replace(r#""attributes""#, events);
    check(OTLP, export(&[one]), [1, 1, 1, 1, 0], [0, 0, 0]);
    let content = r#""events":[{"name":"gen_ai.user.message","attributes":[{"key":"gen_ai.event.content","value":{"stringValue":"{\"role\":\"user\",\"content\":\"Hi\"}"}}]},{"name":"gen_ai.choice","attributes":[{"key":"gen_ai.event.content","value":{"stringValue":"{\"message\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\",\"index\":0}"}}]}],"attributes""#;
    let two = span("1", "", "chat", &[("gen_ai.operation.name", "chat")]).replace(r#""attributes""#, content);
    assert!(words(&check(OTLP, export(&[two]), [1, 1, 1, 0, 0], [0, 0, 0])).ends_with("model: Hello"));
}

#[test]
fn wrappings_of_the_same_spans() {
    let call = |id: &str| {
        span(
            id,
            "",
            "chat m",
            &[
                ("gen_ai.operation.name", "chat"),
                ("gen_ai.usage.input_tokens", "3"),
                ("gen_ai.usage.output_tokens", "1"),
                ("gen_ai.input.messages", r#"[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]"#),
            ],
        )
    };
    let numbers = ([1, 1, 1, 0, 0], [3, 0, 1]);
    // Sent twice.
    check(OTLP, format!("{}\n{}\n", export(&[call("1")]), export(&[call("1")])), numbers.0, numbers.1);
    let tempo = export(&[call("1")]).replace("resourceSpans\":[{", "batches\":[{\"resource\":{},");
    check(OTLP, tempo, numbers.0, numbers.1);
    let snake = export(&[call("1")])
        .replace("resourceSpans", "resource_spans")
        .replace("scopeSpans", "scope_spans")
        .replace("traceId", "trace_id")
        .replace("spanId", "span_id")
        .replace("startTimeUnixNano", "start_time_unix_nano")
        .replace("endTimeUnixNano", "end_time_unix_nano")
        .replace("stringValue", "string_value")
        .replace("intValue", "int_value");
    check(OTLP, snake, numbers.0, numbers.1);
    let attributes = r#"{"gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":3,"gen_ai.usage.output_tokens":1,"gen_ai.prompt.0.role":"user","gen_ai.prompt.0.content":"Hi"}"#;
    let printed = format!(
        "{{\n  \"name\": \"chat m\",\n  \"context\": {{\"trace_id\": \"0x1f\", \"span_id\": \"0x2e\", \"trace_state\": \"[]\"}},\n  \"kind\": \"SpanKind.CLIENT\",\n  \"parent_id\": null,\n  \"start_time\": \"2026-01-02T03:04:05.5Z\",\n  \"end_time\": \"2026-01-02T03:04:06Z\",\n  \"status\": {{\"status_code\": \"ERROR\", \"description\": \"late\"}},\n  \"attributes\": {attributes},\n  \"events\": []\n}}\n"
    );
    check(OTLP, &printed, numbers.0, numbers.1);
    let log = r#"{"body":{"content":"Hi"},"severity_number":9,"attributes":{"event.name":"gen_ai.user.message"},"timestamp":"2026-01-02T03:04:05Z","trace_id":"0x1f","span_id":"0x2e"}"#;
    let with_log =
        printed.replace(r#","gen_ai.prompt.0.role":"user","gen_ai.prompt.0.content":"Hi""#, "") + log;
    check(OTLP, with_log, numbers.0, numbers.1);
    let jaeger = r#"{"data":[{"traceID":"1f","spans":[{"traceID":"1f","spanID":"2e","operationName":"chat m","references":[],"startTime":1767323045000000,"duration":1000000,"tags":[{"key":"gen_ai.operation.name","type":"string","value":"chat"},{"key":"gen_ai.usage.input_tokens","type":"int64","value":3},{"key":"gen_ai.usage.output_tokens","type":"int64","value":1},{"key":"gen_ai.prompt.0.role","type":"string","value":"user"},{"key":"gen_ai.prompt.0.content","type":"string","value":"Hi"}],"logs":[]}],"processes":{}}],"total":0}"#;
    let imported = check(OTLP, jaeger, numbers.0, numbers.1);
    assert_eq!(imported.sessions[0].session.last_update_time, 1_767_323_046.0);
}

#[test]
fn what_langchain_writes_into_openinference() {
    let request = r#"{"messages":[[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"Hi","type":"human"}}]]}"#;
    let answer = r#"{"generations":[[{"text":"Hello","generation_info":{"finish_reason":"stop"},"message":{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"Hello","usage_metadata":{"input_tokens":3,"output_tokens":1,"total_tokens":4,"input_token_details":{"cache_read":2}}}}}]],"llm_output":{"model_name":"m-1"},"type":"LLMResult"}"#;
    let call = span(
        "1",
        "",
        "ChatOpenAI",
        &[("openinference.span.kind", "LLM"), ("input.value", request), ("output.value", answer)],
    );
    let imported = check(OTLP, export(&[call]), [1, 1, 1, 0, 0], [3, 2, 1]);
    assert!(words(&imported).ends_with("model: Hello"));
    let printed = span(
        "1",
        "",
        "llm",
        &[
            ("openinference.span.kind", "LLM"),
            ("input.value", r#"{"messages":["ChatMessage(role='user')"]}"#),
            ("llm.input_messages.0.message.role", "user"),
            ("llm.input_messages.0.message.content", "Hi"),
            ("llm.output_messages.0.message.role", "assistant"),
            ("llm.output_messages.0.message.content", "Hello"),
            ("llm.token_count.prompt", "3"),
        ],
    );
    assert!(words(&check(OTLP, export(&[printed]), [1, 1, 1, 0, 0], [3, 0, 0])).contains("user: Hi"));
}

#[test]
fn exports_of_langsmith_and_langfuse() {
    let inner = r#"{"id":"2","trace_id":"1","run_type":"llm","name":"m","start_time":"2026-01-02T03:04:05","inputs":{"messages":[{"role":"user","content":"Hi"}]},"outputs":{"choices":[{"message":{"role":"assistant","content":"Hello"}}]},"prompt_tokens":3,"completion_tokens":1,"total_tokens":4,"extra":{"metadata":{"ls_model_name":"m-1"}}}"#;
    let tree = format!(
        r#"{{"id":"1","trace_id":"1","run_type":"chain","name":"agent","inputs":{{}},"child_runs":[{inner}]}}"#
    );
    let imported = check("langsmith-runs", &tree, [1, 1, 1, 0, 0], [3, 0, 1]);
    assert!(imported.sessions[0].facts.models.contains("m-1"));
    check("langsmith-runs", format!(r#"{{"runs":[{inner}],"cursors":{{}}}}"#), [1, 1, 1, 0, 0], [3, 0, 1]);
    let plain = r#"{"id":"2","trace_id":"1","run_type":"llm","inputs":{"prompts":["Hi"]},"outputs":{"generations":[[{"text":"Hello"}]],"llm_output":{"token_usage":{"prompt_tokens":3,"completion_tokens":1}}}}"#;
    check("langsmith-runs", plain, [1, 1, 1, 0, 0], [3, 0, 1]);

    let generation = r#"{"id":"o","traceId":"t","type":"GENERATION","startTime":"2026-01-02T03:04:05Z","model":"m","input":[{"role":"user","content":"Hi"}],"output":{"role":"assistant","content":"Hello"},"usage":{"input":3,"output":1,"total":4,"unit":"TOKENS"}}"#;
    let numbers = ([1, 1, 1, 0, 0], [3, 0, 1]);
    let trace = format!(
        r#"{{"id":"t","timestamp":"2026-01-02T03:04:05Z","name":"chat","sessionId":"s","observations":[{generation}],"scores":[],"htmlPath":"/x"}}"#
    );
    let imported = check("langfuse-trace", &trace, numbers.0, numbers.1);
    assert_eq!(&*imported.sessions[0].title, "chat");
    check("langfuse-trace", format!("[{trace}]"), numbers.0, numbers.1);
    check(
        "langfuse-trace",
        format!(r#"{{"data":[{generation}],"meta":{{"page":1}}}}"#),
        numbers.0,
        numbers.1,
    );
    let file = r#"{"id":"o","trace_id":"t","type":"GENERATION","parent_observation_id":null,"start_time":"2026-01-02 03:04:05.000","provided_model_name":"m","input":"[{\"role\":\"user\",\"content\":\"Hi\"}]","output":"\"Hello\"","usage_details":"{\"input\":3,\"output\":1,\"total\":4}"}"#;
    check(
        "langfuse-trace",
        format!("{file}\n{}\n", file.replace("\"o\"", "\"p\"").replace("GENERATION", "SPAN")),
        numbers.0,
        numbers.1,
    );
    let batch = r#"{"batch":[{"id":"e1","type":"generation-create","timestamp":"x","body":{"id":"o","traceId":"t","startTime":"2026-01-02T03:04:05Z","input":"Hi"}},{"id":"e2","type":"generation-update","timestamp":"x","body":{"id":"o","traceId":"t","output":"Hello","usage":{"promptTokens":3,"completionTokens":1}}}]}"#;
    check("langfuse-trace", batch, numbers.0, numbers.1);
}

/// Sessions without where they were read, and without what their exporter says of itself.
fn told(bytes: &[u8]) -> Vec<ImportedSession> {
    let mut sessions = strata_import::import(bytes).sessions;
    for session in &mut sessions {
        session.sources.clear();
        session.unmapped = Unmapped::default();
        session.requests.iter_mut().for_each(|request| request.source = SourceRecord::Bytes(0..0));
    }
    sessions
}

#[test]
fn protobuf_says_what_json_says() {
    let (json, protobuf) = (sample("otel-genai.jsonl"), sample("otel-genai.binpb"));
    let of_json = told(&json);
    assert!(!of_json.is_empty());
    assert_eq!(told(&protobuf), of_json);
    // A request as it is sent, without the length that files have before it.
    let lines: Vec<&[u8]> = json.split_inclusive(|byte| *byte == b'\n').collect();
    let length = u32::from_be_bytes(protobuf[..4].try_into().unwrap()) as usize;
    assert_eq!(told(&protobuf[4..4 + length]), told(lines[0]));
}

#[test]
fn protobuf_that_is_cut_off_keeps_the_requests_before() {
    let protobuf = sample("otel-genai.binpb");
    let imported = strata_import::import(&protobuf[..protobuf.len() - 3]);
    assert!(imported.diagnostics.iter().any(|diagnostic| diagnostic.code == "truncated"), "{imported:?}");
    let metrics = b"\x0a\x1b\x0a\x0b\x0a\x09\x0a\x01a\x12\x04\x0a\x02xy\x12\x0c\x12\x0a\x0a\x08requests";
    let imported = strata_import::import(metrics);
    let codes: Vec<_> = imported.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes, ["no-telemetry", "no-session"], "{imported:?}");
}
