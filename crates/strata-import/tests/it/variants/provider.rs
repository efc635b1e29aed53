//! Logs of model requests as other vendors, versions and loggers write them.

use crate::counted::{check, count, words};

const LOG: &str = "provider-log-jsonl";

#[test]
fn streams_of_every_provider_stand_as_pieces_in_a_log() {
    let chunks = r#"{"request":{"model":"m","stream":true,"messages":[{"role":"user","content":"Add"}]},"response":[
        {"id":"c","object":"chat.completion.chunk","choices":[]},
        {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"a","function":{"name":"add","arguments":""}}]}}]},
        {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"","function":{"arguments":"{\"x\":"}}]}}]},
        {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]},
        {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"add","arguments":"{\"x\":2}"}}]}}]},
        {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"x_groq":{"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}}]}"#;
    check(LOG, chunks, [1, 1, 1, 2, 0], [7, 0, 3]);
    let legacy = r#"{"request":{"model":"m","messages":[{"role":"user","content":"Add"},{"role":"assistant","content":null,"function_call":{"name":"add","arguments":"{}"}},{"role":"function","name":"add","content":"3"}]},"response":[
        {"id":"c","choices":[{"index":0,"delta":{"function_call":{"name":"show","arguments":"{\"n\""}}}]},
        {"id":"c","choices":[{"index":0,"delta":{"function_call":{"arguments":":3}"}},"finish_reason":"function_call"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}]}"#;
    let imported = check(LOG, legacy, [1, 1, 1, 2, 1], [5, 0, 2]);
    let last = imported.sessions[0].session.events.last().unwrap();
    let args = last.function_calls().next().unwrap().args.clone().unwrap();
    assert_eq!(args.get("n").and_then(strata_model::Json::as_i64), Some(3));
    let converse = r#"{"request":{"body":{"messages":[{"role":"user","content":[{"text":"Hi"},{"image":{"format":"png","source":{"bytes":"aGk="}}}]}]},"url":"https://b/model/anthropic.claude%3A0/converse-stream"},"response":[
        {"messageStart":{"role":"assistant"}},
        {"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"He"}}},
        {"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"llo"}}},
        {"contentBlockStart":{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"t","name":"f"}}}},
        {"contentBlockDelta":{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\"a\":1}"}}}},
        {"messageStop":{"stopReason":"tool_use"}},
        {"metadata":{"usage":{"inputTokens":10,"outputTokens":4,"totalTokens":20,"cacheReadInputTokens":6,"cacheWriteInputTokens":0}}}]}"#;
    let imported = check(LOG, converse, [1, 1, 1, 1, 0], [16, 6, 4]);
    assert!(words(&imported).contains("model: Hello"), "{}", words(&imported));
    assert_eq!(imported.sessions[0].facts.inline_data_parts, 1);
    assert!(imported.sessions[0].facts.models.contains("anthropic.claude:0"));
}

#[test]
fn a_stream_that_breaks_off_or_leaves_its_items_out_keeps_what_came() {
    let head = r#"{"request":{"model":"m","input":"Hi"},"response":"#;
    let created = r#"{"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}}"#;
    let done = r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}}"#;
    let over = r#"{"type":"response.completed","response":{"id":"r","status":"completed","output":[],"usage":{"input_tokens":4,"output_tokens":2}}}"#;
    let added = r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"message","role":"assistant","content":[]}}"#;
    let delta = r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Hel"}"#;
    let whole = format!("{head}[{created},{done},{over}]}}");
    assert!(words(&check(LOG, whole, [1, 1, 1, 0, 0], [4, 0, 2])).ends_with("model: Hello"));
    let cut = format!("{head}[{created},{added},{delta}]}}");
    assert!(words(&check(LOG, cut, [1, 1, 1, 0, 0], [0, 0, 0])).ends_with("model: Hel"));
}

#[test]
fn a_recording_of_several_streams_gives_several_answers() {
    let one = "data: {\"id\":\"1\",\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let two = one.replace("\"1\"", "\"2\"");
    check(LOG, format!("{one}{two}"), [2, 0, 2, 0, 0], [0, 0, 0]);
    // Comments before the first event; data over several lines; carriage returns.
    let odd = ": PROCESSING\r\n\r\ndata: {\"id\":\"1\",\r\ndata: \"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\n";
    check(LOG, odd, [1, 0, 1, 0, 0], [0, 0, 0]);
    let lines = "{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":3,\"cache_read_input_tokens\":2}}}\n{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"input_tokens\":0,\"cache_read_input_tokens\":null,\"output_tokens\":1}}\n{\"type\":\"message_stop\"}\n";
    check(LOG, lines, [1, 0, 1, 0, 0], [5, 2, 1]);
    let gemini = r#"[{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"responseId":"x"},{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}],"responseId":"x","usageMetadata":{"promptTokenCount":2,"candidatesTokenCount":1}}]"#;
    assert!(words(&import(gemini)).ends_with("ab"));
}

#[test]
fn a_plain_answer_that_begins_like_a_stream_is_its_text() {
    for (answer, n_responses, expected) in [
        ("data: see the table", 1, "model: data: see the table"),
        ("id: 7\\nname: x", 1, "model: id: 7\nname: x"),
        ("data: [DONE]", 0, "model: "),
        (r#"data: {\"choices\":[{\"delta\":{\"content\":\"Hey\"}}]}"#, 1, "model: Hey"),
    ] {
        let text = format!(
            r#"{{"request":{{"model":"m","messages":[{{"role":"user","content":"Hi"}}]}},"response":"{answer}"}}"#
        );
        let imported = check(LOG, &text, [1, 1, n_responses, 0, 0], [0, 0, 0]);
        assert!(words(&imported).ends_with(expected), "{}", words(&imported));
    }
}

#[test]
fn a_line_with_the_members_of_both_bodies_is_a_request_and_its_answer() {
    for end in ["", r#","finishReason":"STOP""#] {
        let line = format!(
            r#"{{"contents":[{{"role":"user","parts":[{{"text":"Hi"}}]}}],"candidates":[{{"content":{{"role":"model","parts":[{{"text":"Hello"}}]}}{end}}}],"usageMetadata":{{"promptTokenCount":2,"candidatesTokenCount":1}}}}"#
        );
        let imported = check(LOG, format!("{line}\n"), [1, 1, 1, 0, 0], [2, 0, 1]);
        assert_eq!(words(&imported), "user: Hi\nmodel: Hello");
        assert!(imported.sessions[0].requests[0].body.get("candidates").is_none());
    }
}

fn import(text: &str) -> strata_import::Import {
    strata_import::import(text.as_bytes())
}

#[test]
fn batches_are_read_in_both_directions() {
    let input = "{\"custom_id\":\"a\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\",\"body\":{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}}\n{\"custom_id\":\"b\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\",\"body\":{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}}\n";
    check(LOG, input, [2, 2, 0, 0, 0], [0, 0, 0]);
    let output = "{\"id\":\"1\",\"custom_id\":\"a\",\"response\":{\"status_code\":200,\"request_id\":\"x\",\"body\":{\"id\":\"c\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hello\"}}],\"usage\":{\"prompt_tokens\":2,\"completion_tokens\":1}}},\"error\":null}\n{\"id\":\"2\",\"custom_id\":\"b\",\"response\":{\"status_code\":429,\"request_id\":\"y\",\"body\":{\"error\":{\"message\":\"slow down\",\"type\":\"rate_limit\"}}},\"error\":null}\n";
    let imported = check(LOG, output, [2, 0, 1, 0, 0], [2, 0, 1]);
    assert_eq!(count(&imported).errors, 1);
    check(LOG, format!("{input}{output}"), [2, 2, 1, 0, 0], [2, 0, 1]);
    let anthropic = r#"{"requests":[{"custom_id":"a","params":{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}}]}"#;
    check(LOG, anthropic, [1, 1, 0, 0, 0], [0, 0, 0]);
    let results = "{\"custom_id\":\"a\",\"result\":{\"type\":\"succeeded\",\"message\":{\"id\":\"msg\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Hello\"}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}}\n{\"custom_id\":\"b\",\"result\":{\"type\":\"errored\",\"error\":{\"type\":\"error\",\"error\":{\"type\":\"invalid_request\",\"message\":\"no\"}}}}\n";
    let imported = check(LOG, results, [2, 0, 1, 0, 0], [3, 0, 1]);
    assert_eq!(count(&imported).errors, 1);
}

#[test]
fn logs_of_platforms_are_read() {
    let amazon = r#"{"schemaType":"ModelInvocationLog","timestamp":"2026-01-02T03:04:05Z","operation":"InvokeModel","modelId":"anthropic.x","input":{"inputContentType":"application/json","inputBodyJson":{"anthropic_version":"bedrock-2023-05-31","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]},"inputTokenCount":5,"cacheReadInputTokenCount":3},"output":{"outputBodyJson":{"content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn"},"outputTokenCount":2}}"#;
    let imported = check(LOG, amazon, [1, 1, 1, 0, 0], [8, 3, 2]);
    assert!(imported.sessions[0].facts.models.contains("anthropic.x"));
    let proxy = r#"{"request_id":"1","request_body":"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}","response_body":"{\"choices\":[{\"message\":{\"content\":\"Hello\"}}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2,\"prompt_tokens_details\":{\"cached_tokens\":6},\"cache_creation_input_tokens\":1,\"cache_read_input_tokens\":6}}"}"#;
    check(LOG, proxy, [1, 1, 1, 0, 0], [10, 6, 2]);
    let ollama = "{\"request\":{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]},\"response\":\"{\\\"model\\\":\\\"m\\\",\\\"message\\\":{\\\"role\\\":\\\"assistant\\\",\\\"content\\\":\\\"He\\\"},\\\"done\\\":false}\\n{\\\"model\\\":\\\"m\\\",\\\"message\\\":{\\\"role\\\":\\\"assistant\\\",\\\"content\\\":\\\"y\\\"},\\\"done\\\":true,\\\"done_reason\\\":\\\"stop\\\",\\\"prompt_eval_count\\\":4,\\\"eval_count\\\":2}\\n\"}";
    assert!(words(&check(LOG, ollama, [1, 1, 1, 0, 0], [4, 0, 2])).ends_with("model: Hey"));
    let assist = r#"{"request":{"url":"https://c/v1internal:generateContent","body":{"model":"gemini-x","project":"p","request":{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}}},"response":{"status":200,"body":{"response":{"candidates":[{"content":{"parts":[{"text":"Hello"}]}}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1,"thoughtsTokenCount":2}}}}}"#;
    check(LOG, assist, [1, 1, 1, 0, 0], [3, 0, 3]);
    let plain = r#"{"request":{"model":"m","prompt":"Once","max_tokens":5},"response":{"choices":[{"text":" upon","index":0,"finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}}"#;
    check(LOG, plain, [1, 1, 1, 0, 0], [1, 0, 1]);
    let sound = r#"{"request":{"model":"m","messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"aGk=","format":"wav"}}]}]},"response":{"choices":[{"message":{"role":"assistant","content":null,"audio":{"id":"a","data":"aGk=","transcript":"Hello"}}}]}}"#;
    let imported = check(LOG, sound, [1, 1, 1, 0, 0], [0, 0, 0]);
    assert!(words(&imported).ends_with("model: Hello"));
    assert_eq!(imported.sessions[0].facts.inline_data_parts, 2);
}

#[test]
fn what_is_no_call_of_a_model_is_counted_and_errors_are_no_words() {
    let log = "{\"request\":{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]},\"response\":{\"input_tokens\":9}}\n{\"request\":{\"model\":\"e\",\"input\":\"Hi\"},\"response\":{\"object\":\"list\",\"data\":[{\"embedding\":[0.1]}],\"usage\":{\"prompt_tokens\":1}}}\n{\"request\":{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]},\"response\":{\"status\":503,\"body\":\"<html>busy</html>\"}}\n{\"request\":{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]},\"response\":{\"status\":200,\"body\":{\"choices\":[{\"message\":{\"content\":\"Hello\"}}]}}}\n";
    let imported = check(LOG, log, [1, 1, 1, 0, 0], [0, 0, 0]);
    assert_eq!(count(&imported).errors, 1);
    assert_eq!(imported.sessions[0].unmapped.records["record that is no model request"].len(), 2);
    assert!(!words(&imported).contains("busy"));
    let twice = "{\"request\":{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]},\"response\":{\"id\":\"c\",\"choices\":[{\"message\":{\"content\":\"Hello\"}}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1,\"total_tokens\":9,\"completion_tokens_details\":{\"reasoning_tokens\":3}}}}\n".repeat(2);
    check(LOG, twice, [1, 1, 1, 0, 0], [5, 0, 4]);
}
