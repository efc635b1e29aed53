//! Files in which events are found and nothing is said.

use strata_import::{
    Format, Import, ImportedSession, MemoryTables, OwnedValue, import, import_tables, marks,
};
use strata_model::{FromJson as _, Json, Object, Severity, json};

use super::{joined, session, told};
use crate::support::samples_folder;

/// Whether some event holds more than who, when and which.
fn says_something(session: &ImportedSession) -> bool {
    const NOTHING: [&str; 12] = [
        "author",
        "branch",
        "customMetadata",
        "finishReason",
        "id",
        "invocationId",
        "longRunningToolIds",
        "modelVersion",
        "nodeInfo",
        "partial",
        "timestamp",
        "content",
    ];
    session.session.events.iter().any(|event| {
        let Json::Object(written) = event.to_json() else { return false };
        let parts = event.parts().iter().map(|part| part.to_json());
        let is_said = |part: &Json| {
            part.as_object().is_some_and(|part| part.values().any(|value| value.as_str() != Some("")))
        };
        parts.into_iter().any(|part| is_said(&part))
            || written.iter().any(|(key, value)| !NOTHING.contains(&&**key) && value.is_truthy())
    })
}

#[track_caller]
fn check(name: &str, import: &Import) {
    for session in &import.sessions {
        let is_begun = !session.session.events.is_empty() && session.requests.is_empty();
        assert!(!is_begun || says_something(session), "{name}: {:?}", told(session));
    }
    let has_error = import.diagnostics.iter().any(|it| it.severity == Severity::Error);
    assert!(has_error || !import.sessions.is_empty(), "{name}: {:?}", import.diagnostics);
}

/// The value without its words: nothing is left of what was said.
fn silenced(value: Json) -> Json {
    const SAID: [&str; 8] =
        ["text", "content", "parts", "thinking", "arguments", "input", "output", "message"];
    match value {
        Json::Array(items) => items.into_iter().map(silenced).collect::<Vec<_>>().into(),
        Json::Object(object) => {
            let kept =
                object.into_iter().filter(|(key, value)| !SAID.contains(&&**key) || value.as_str().is_none());
            kept.map(|(key, value)| (key, silenced(value))).collect::<Object>().into()
        }
        other => other,
    }
}

#[test]
fn no_importer_gives_events_in_which_nothing_is_said() {
    let mut n_files = 0;
    for entry in std::fs::read_dir(samples_folder()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let lines = bytes.split(|byte| *byte == b'\n').map(json::parse);
        let lines: Result<Vec<Json>, _> =
            lines.filter(|line| !matches!(line, Err(error) if error.is_truncated)).collect();
        let Ok(values) = json::parse(&bytes).map(|value| vec![value]).or(lines) else { continue };
        let text: Vec<String> = values.into_iter().map(|value| json::to_compact(&silenced(value))).collect();
        check(&path.display().to_string(), &import(text.join("\n").as_bytes()));
        n_files += 1;
    }
    assert!(n_files > 30, "{n_files}");
}

#[test]
fn a_database_whose_messages_are_of_another_shape_is_a_failure_with_a_name() {
    let text = |text: &str| OwnedValue::Text(text.to_owned());
    let mut tables = MemoryTables::new();
    tables.add("sessions", &["id", "name"], vec![vec![text("s1"), text("T")]]);
    let columns = ["id", "session_id", "role", "content_json", "created_timestamp"];
    let row = |id: i64, role: &str| {
        vec![OwnedValue::Integer(id), text("s1"), text(role), text("[]"), OwnedValue::Integer(1_718_000_000)]
    };
    tables.add("messages", &columns, vec![row(1, "user"), row(2, "assistant")]);
    let import = import_tables(&mut tables);
    assert_eq!(import.sessions.len(), 0);
    let found = import.diagnostics.iter().find(|it| it.code == "no-content").unwrap();
    assert_eq!(found.severity, Severity::Error);
    assert!(found.message.starts_with("2 events were found and none holds a text"), "{}", found.message);
}

#[test]
fn semantic_kernel_keeps_content_in_items() {
    let python = r#"{"messages":[{"metadata":{},"content_type":"message","role":"user","items":[{"content_type":"text","text":"light"}]},{"content_type":"message","role":"assistant","items":[{"content_type":"function_call","id":"c1","name":"Lights-set","function_name":"set","plugin_name":"Lights","arguments":"{\"on\":true}"}]},{"content_type":"message","role":"tool","items":[{"content_type":"function_result","id":"c1","name":"Lights-set","result":"done"}]}]}"#;
    let net = r#"[{"role":{"label":"user"},"items":[{"$type":"TextContent","text":"light"}],"content":null},{"role":{"label":"assistant"},"items":[{"$type":"FunctionCallContent","id":"c1","pluginName":"Lights","functionName":"set","arguments":{"on":true}}]},{"role":{"label":"tool"},"items":[{"$type":"FunctionResultContent","callId":"c1","pluginName":"Lights","functionName":"set","result":"done"}]}]"#;
    for text in [python, net] {
        let session = session(Format::MESSAGES, text);
        assert_eq!(
            told(&session),
            ["user: light", "assistant: call Lights-set", "assistant: result of Lights-set"]
        );
    }
}

#[test]
fn claude_trace_keeps_streams_as_text() {
    let stream = [
        r#"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"role\":\"assistant\",\"model\":\"claude-x\",\"content\":[],\"usage\":{\"input_tokens\":12,\"cache_read_input_tokens\":100,\"output_tokens\":1}}}\n\n"#,
        r#"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"#,
        r#"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi there\"}}\n\n"#,
        r#"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":7}}\n\n"#,
        r#"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"#,
    ];
    let text = format!(
        r#"{{"request":{{"timestamp":1767225600.1,"method":"POST","url":"https://api.anthropic.com/v1/messages?beta=true","headers":{{}},"body":{{"model":"claude-x","max_tokens":100,"stream":true,"messages":[{{"role":"user","content":"Hello"}}]}}}},"response":{{"timestamp":1767225601.2,"status_code":200,"headers":{{}},"body_raw":"{}"}},"logged_at":"2026-01-01T00:00:01Z"}}"#,
        stream.concat()
    );
    let session = session(Format::PROVIDER_LOG, &text);
    assert_eq!(told(&session), ["user: Hello", "model: Hi there 112+7"]);
}

#[test]
fn spans_of_phoenix_are_no_old_session() {
    let flat = r#""openinference.span.kind":"LLM","llm.model_name":"m","llm.input_messages.0.message.role":"user","llm.input_messages.0.message.content":"hello","llm.output_messages.0.message.role":"assistant","llm.output_messages.0.message.content":"hi","llm.token_count.prompt":10,"llm.token_count.completion":2"#;
    let nested = r#""llm":{"model_name":"m","input_messages":[{"message":{"role":"user","content":"hello"}}],"output_messages":[{"message":{"role":"assistant","content":"hi"}}],"token_count":{"prompt":10,"completion":2}}"#;
    for attributes in [flat, nested] {
        let span = format!(
            r#"{{"id":"U3Bhbjox","name":"ChatCompletion","context":{{"trace_id":"abc","span_id":"d1"}},"span_kind":"LLM","parent_id":null,"start_time":"2026-01-01T00:00:00+00:00","end_time":"2026-01-01T00:00:01+00:00","status_code":"OK","status_message":"","attributes":{{{attributes}}},"events":[]}}"#
        );
        assert_eq!(told(&session(Format::OTLP, &joined(&[&span]))), ["user: hello", "model: hi 10+2"]);
    }
}

/// Some libraries pass on the counts of Anthropic's messages, whose input is only what no cache had.
#[test]
fn spans_whose_input_leaves_out_the_cache_have_it_beside() {
    let counted = |counts: [(&str, u32); 3]| {
        let counts = counts.map(|(name, tokens)| {
            format!(r#"{{"key":"gen_ai.usage.{name}","value":{{"intValue":"{tokens}"}}}},"#)
        });
        let span = format!(
            r#"{{"resourceSpans":[{{"resource":{{"attributes":[]}},"scopeSpans":[{{"scope":{{"name":"x"}},"spans":[{{"traceId":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","spanId":"0000000000000001","name":"chat","startTimeUnixNano":"1795168800000000000","endTimeUnixNano":"1795168801000000000","attributes":[{}{{"key":"gen_ai.operation.name","value":{{"stringValue":"chat"}}}},{{"key":"gen_ai.request.model","value":{{"stringValue":"claude-x"}}}},{{"key":"gen_ai.usage.output_tokens","value":{{"intValue":"2"}}}},{{"key":"gen_ai.input.messages","value":{{"stringValue":"[{{\"role\":\"user\",\"parts\":[{{\"type\":\"text\",\"content\":\"hello\"}}]}}]"}}}},{{"key":"gen_ai.output.messages","value":{{"stringValue":"[{{\"role\":\"assistant\",\"parts\":[{{\"type\":\"text\",\"content\":\"hi\"}}]}}]"}}}}]}}]}}]}}]}}"#,
            counts.concat()
        );
        told(&session(Format::OTLP, &span))
    };
    let of_cache = |input| {
        [("input_tokens", input), ("cache_read.input_tokens", 900), ("cache_creation.input_tokens", 90)]
    };
    assert_eq!(counted(of_cache(4)), ["user: hello", "model: hi 994+2"]);
    assert_eq!(counted(of_cache(1000)), ["user: hello", "model: hi 1000+2"]);
}

/// Two logs of which neither has ids of its own have nothing in common.
#[test]
fn events_that_an_importer_numbered_join_no_trace() {
    let trace = r#"{"request":{"url":"https://x/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"a"}]}},"response":{"status":200,"body":{"choices":[{"message":{"role":"assistant","content":"b"}}]}}}"#;
    let trace = session(Format::PROVIDER_LOG, trace);
    let other =
        session(Format::MESSAGES, r#"[{"role":"user","content":"c"},{"role":"assistant","content":"d"}]"#);
    assert_eq!(trace.requests.len(), 1);
    assert_eq!(trace.requests_for(&other.session).len(), 0);
}

#[test]
fn keys_in_titles_are_masked() {
    let key = format!("sk-ant-api03-{}", "Ab3dEf6hIj".repeat(9));
    let text = format!(r#"[{{"role":"user","content":"my key is {key}"}}]"#);
    let title = session(Format::MESSAGES, &text).title;
    assert!(title.starts_with("my key is ‹redacted: ") && !title.contains("Ab3dEf6hIj"), "{title}");
}

/// A provider that refuses is asked again: that is one call, of which the first attempt is told.
#[test]
fn a_request_that_was_refused_and_is_sent_again_is_one_call() {
    let line = |second: u32, n_messages: usize, response: &str| {
        let messages = [
            r#"{"role":"user","content":"Hi"}"#,
            r#"{"role":"assistant","content":"Hello"}"#,
            r#"{"role":"user","content":"And?"}"#,
        ];
        format!(
            r#"{{"timestamp":"2026-11-20T10:00:{second:02}Z","request":{{"model":"claude-x","max_tokens":9,"messages":[{}]}},"response":{response}}}"#,
            messages[..n_messages].join(",")
        )
    };
    let answer = |id: &str, text: &str| {
        format!(
            r#"{{"status":200,"body":{{"id":"{id}","type":"message","role":"assistant","model":"claude-x","content":[{{"type":"text","text":"{text}"}}],"stop_reason":"end_turn","usage":{{"input_tokens":9,"output_tokens":1}}}}}}"#
        )
    };
    let refused = r#"{"status":529,"body":{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}}"#;
    let log = [
        line(10, 1, refused),
        line(12, 1, &answer("m1", "Hello")),
        line(20, 3, refused),
        line(22, 3, refused),
        line(24, 3, &answer("m2", "More")),
    ];
    let session = session(Format::PROVIDER_LOG, &log.join("\n"));
    let events = &session.session.events;
    let calls = events.iter().filter(|event| marks::is_model_call(event)).count();
    assert_eq!((calls, session.requests.len()), (2, 5), "{:?}", told(&session));
    assert_eq!(events.iter().filter(|event| event.error_code.is_some()).count(), 3, "each is told");
}
