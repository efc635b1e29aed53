//! Copilot CLI, Cline and Roo.

use strata_import::Format;

use super::{check_counts, joined, session, told};

fn copilot(kind: &str, data: &str) -> String {
    format!(
        r#"{{"type":"{kind}","data":{data},"id":"{kind}-{}","timestamp":"2026-01-01T00:00:00Z","parentId":null}}"#,
        data.len()
    )
}

fn copilot_end(requests: u64, input: u64, cached: u64, output: u64) -> String {
    let usage = format!(
        r#"{{"inputTokens":{input},"outputTokens":{output},"cacheReadTokens":{cached},"cacheWriteTokens":0}}"#
    );
    copilot(
        "session.shutdown",
        &format!(r#"{{"modelMetrics":{{"gpt-x":{{"requests":{{"count":{requests}}},"usage":{usage}}}}}}}"#),
    )
}

#[test]
fn a_system_prompt_that_copilot_writes_down_again_is_sent_once() {
    let lines = [
        copilot("session.start", r#"{"sessionId":"c1"}"#),
        copilot("system.message", r#"{"role":"system","content":"Be brief."}"#),
        copilot("user.message", r#"{"content":"hello"}"#),
        copilot("session.resume", "{}"),
        copilot("system.message", r#"{"role":"system","content":"Be brief."}"#),
        copilot("system.message", r#"{"role":"system","content":"Be long."}"#),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let session = session(Format::COPILOT_CLI, &joined(&lines));
    assert_eq!(session.session.events.len(), 3);
    let repeated = session.unmapped.counts().find(|(name, _)| *name == "system.message (repeated)");
    assert_eq!(repeated.map(|(_, n)| n), Some(1));
}

#[test]
fn a_copilot_session_that_was_resumed_ends_with_sums_over_all_of_it() {
    let text = [
        copilot("session.start", r#"{"sessionId":"c1","selectedModel":"gpt-x"}"#),
        copilot("user.message", r#"{"content":"hello"}"#),
        copilot("assistant.message", r#"{"content":"hi","outputTokens":10}"#),
        copilot_end(2, 1000, 0, 10),
        copilot("session.resume", r#"{"selectedModel":"gpt-x"}"#),
        copilot("user.message", r#"{"content":"a skill","source":"skill-pdf"}"#),
        copilot("assistant.message", r#"{"content":"ok","outputTokens":5}"#),
        copilot("session.compaction_complete", r#"{"success":false,"error":"too busy"}"#),
        copilot_end(4, 2500, 900, 15),
    ];
    let session = session(Format::COPILOT_CLI, &text.join("\n"));
    let expected = [
        "user: hello",
        "copilot: hi 0+10",
        "copilot:  1000+0",
        "user [skill-pdf]: a skill",
        "copilot: ok 0+5",
        "copilot: error compaction_failed",
        "copilot:  1500+0",
    ];
    assert_eq!(told(&session), expected);
    check_counts(&session, 1, 2, 2500, 900, 15);
    assert_eq!(session.facts.compactions, 0);
}

#[test]
fn what_one_copilot_request_came_to_is_the_report_of_its_call() {
    let text = [
        copilot("session.start", r#"{"sessionId":"c1","selectedModel":"gpt-x"}"#),
        copilot("user.message", r#"{"content":"hello"}"#),
        copilot("assistant.message", r#"{"content":"hi","outputTokens":10}"#),
        copilot_end(1, 1000, 600, 10),
    ];
    let session = session(Format::COPILOT_CLI, &text.join("\n"));
    assert_eq!(told(&session), ["user: hello", "copilot: hi 1000+10"]);
    check_counts(&session, 1, 1, 1000, 600, 10);
}

#[test]
fn copilot_calls_that_report_their_usage_are_not_counted_again_in_the_sums() {
    let text = [
        copilot("session.start", r#"{"sessionId":"c1"}"#),
        copilot(
            "assistant.message",
            r#"{"content":"hi","outputTokens":10,"model":"gpt-x","apiCallId":"k1"}"#,
        ),
        copilot(
            "assistant.usage",
            r#"{"model":"gpt-x","apiCallId":"k1","inputTokens":400,"outputTokens":10,"cacheReadTokens":100}"#,
        ),
        copilot_end(1, 400, 100, 10),
    ];
    let session = session(Format::COPILOT_CLI, &text.join("\n"));
    assert_eq!(told(&session), ["copilot: hi 400+10", "copilot:  0+0"]);
    check_counts(&session, 0, 1, 400, 100, 10);
}

#[test]
fn copilot_sub_agents_are_named_in_the_envelope_and_old_sessions_are_one_document() {
    let mut inner = copilot("assistant.message", r#"{"content":"dug"}"#);
    inner.insert_str(1, r#""agentId":"a7","#);
    let mut started = copilot("subagent.started", r#"{"toolCallId":"t1","agentName":"explore"}"#);
    started.insert_str(1, r#""agentId":"a7","#);
    let text = [copilot("session.start", r#"{"sessionId":"c1"}"#), started, inner];
    let one = session(Format::COPILOT_CLI, &text.join("\n"));
    assert_eq!(told(&one), ["copilot.explore: dug"]);
    assert_eq!(one.session.events[0].branch.as_deref(), Some("agent.a7"));
    let old = r#"{"sessionId":"c0","startTime":"2025-10-01T00:00:00Z","chatMessages":[{"role":"user","content":"list it"},{"role":"assistant","content":"","tool_calls":[{"id":"k","type":"function","function":{"name":"bash","arguments":"{}"}}]},{"role":"tool","tool_call_id":"k","content":"a.py"}],"timeline":[{"id":"x","type":"user","text":"list it"}]}"#;
    let old = session(Format::COPILOT_CLI, old);
    assert_eq!(told(&old), ["user: list it", "copilot: call bash", "copilot: result of bash"]);
}

#[test]
fn a_task_folder_of_cline_with_calls_in_words() {
    let text = joined(&[
        r#"[{"role":"user","content":[{"type":"text","text":"<task>\nlist it\n</task>"}]},"#,
        r#" {"role":"assistant","content":[{"type":"text","text":"<list_files><path>.</path></list_files>"}]},"#,
        r#" {"role":"user","content":[{"type":"text","text":"[list_files for '.'] Result:"},{"type":"text","text":"a.py"}]},"#,
        r#" {"role":"assistant","content":[{"type":"text","text":"a.py"}]},"#,
        r#" {"role":"user","content":[{"type":"text","text":"[attempt_completion] Result:\nThe user says:\n<feedback>\nmore\n</feedback>"}]},"#,
        r#" {"role":"user","content":[{"type":"text","text":"[ERROR] You did not use a tool"}]}]"#,
        r#"[{"ts":1,"type":"say","say":"api_req_started","text":"{\"tokensIn\":10,\"tokensOut\":1,\"cacheReads\":100,\"cacheWrites\":5}"},"#,
        r#" {"ts":2,"type":"say","say":"api_req_started","text":"{\"tokensIn\":20,\"tokensOut\":2,\"cacheReads\":7,\"apiProtocol\":\"openai\"}"},"#,
        r#" {"ts":3,"type":"say","say":"api_req_started","text":"{\"tokensIn\":30,\"tokensOut\":3}"},"#,
        r#" {"ts":4,"type":"say","say":"deleted_api_reqs","text":"{\"tokensIn\":1000,\"tokensOut\":50}"}]"#,
    ]);
    let session = session(Format::CLINE, &text);
    let expected = [
        "user: <task>\nlist it\n</task>",
        "cline: call list_files 115+1",
        "cline: result of list_files",
        "cline: a.py 20+2",
        "user: [attempt_completion] Result:\nThe user says:\n<feedback>\nmore\n</feedback>",
        "user [error]: [ERROR] You did not use a tool",
        "cline:  30+3",
        "cline:  1000+50",
    ];
    assert_eq!(told(&session), expected);
    check_counts(&session, 2, 3, 1165, 107, 56);
    assert_eq!((session.facts.tool_calls, session.facts.tool_results), (1, 1));
    let result = session.session.events[2].function_responses().next().unwrap();
    assert_eq!(to_compact(result), r#"{"result":"[list_files for '.'] Result:\na.py"}"#);
}

fn to_compact(result: &strata_model::FunctionResponse) -> String {
    strata_model::json::object_to_compact(result.response.as_ref().unwrap())
}

/// Where models call tools in their own way, the client still tells most results in words.
#[test]
fn native_calls_of_cline_have_the_results_that_are_told_in_words() {
    let answer = |text: &str, call: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}},{call}],"ts":1000000002000}}"#
        )
    };
    let user = |texts: &[&str]| {
        let texts: Vec<_> =
            texts.iter().map(|text| format!(r#"{{"type":"text","text":"{text}"}}"#)).collect();
        format!(r#"{{"role":"user","content":[{}],"ts":1000000001000}}"#, texts.join(","))
    };
    let call =
        |id: &str, name: &str| format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{{}}}}"#);
    let both = format!("{},{}", call("t2", "read_file"), call("t3", "read_file"));
    let text = [
        user(&["<task>\\nlist it\\n</task>"]),
        answer("I look", &call("t1", "list_files")),
        user(&["[list_files for '.'] Result:\\na.py", "<environment_details>x</environment_details>"]),
        answer("<read_file> is next", &both),
        user(&["[read_file for 'a.py'] Result:\\none", "[read_file for 'b.py'] Result:\\ntwo"]),
        user(&["[read_file for 'c.py'] Result:\\nnobody asked"]),
    ];
    let session = session(Format::CLINE, &format!("[{}]", text.join(",")));
    let expected = [
        "user: <task>\nlist it\n</task>",
        "cline: I look, call list_files",
        "cline: result of list_files, <environment_details>x</environment_details>",
        "cline: <read_file> is next, call read_file, call read_file",
        "cline: result of read_file, result of read_file",
        "user [tool-result]: [read_file for 'c.py'] Result:\nnobody asked",
    ];
    assert_eq!(told(&session), expected);
    let ids = session.session.events[4].function_responses().map(|result| result.id.as_deref());
    assert_eq!(ids.collect::<Vec<_>>(), [Some("t2"), Some("t3")]);
}

#[test]
fn calls_that_cline_has_the_model_write_are_read_with_their_parameters() {
    let written = r#"<thinking>\nI write\n</thinking>\n\n<write_to_file>\n<path>a.xml</path>\n<content>\n<content>1</content>\n</content>\n</write_to_file>"#;
    let text = joined(&[
        r#"[{"role":"user","content":[{"type":"text","text":"<task>go</task>"}],"ts":1000000001000},"#,
        &format!(
            r#" {{"role":"assistant","content":[{{"type":"text","text":"{written}"}}],"ts":1000000002000}}]"#
        ),
    ]);
    let session = session(Format::CLINE, &text);
    assert_eq!(told(&session)[1], "cline: <thinking>\nI write\n</thinking>, call write_to_file");
    let call = session.session.events[1].function_calls().next().unwrap();
    let args = strata_model::json::object_to_compact(call.args.as_ref().unwrap());
    assert_eq!(args, r#"{"path":"a.xml","content":"<content>1</content>"}"#);
}

#[test]
fn a_task_folder_of_roo_with_times_models_and_summaries() {
    let text = joined(&[
        r#"[{"role":"user","content":[{"type":"text","text":"<task>go</task>"},{"type":"text","text":"<environment_details>\n<model>model-a</model>\n</environment_details>"}],"ts":1000000001000},"#,
        r#" {"role":"assistant","type":"reasoning","text":"hm","ts":1000000001500},"#,
        r#" {"role":"assistant","content":[{"type":"text","text":"one"}],"ts":1000000002000},"#,
        r#" {"role":"user","content":"second summary","isSummary":true,"ts":1000000007000},"#,
        r#" {"role":"assistant","content":[{"type":"text","text":"two"}],"ts":1000000009000}]"#,
        r#"[{"ts":1000000001200,"type":"say","say":"api_req_started","text":"{\"tokensIn\":10,\"tokensOut\":1}"},"#,
        r#" {"ts":1000000003000,"type":"say","say":"api_req_started","text":"{\"tokensIn\":11,\"tokensOut\":1}"},"#,
        r#" {"ts":1000000004000,"type":"say","say":"condense_context","contextCondense":{"summary":"first summary","prevContextTokens":9,"newContextTokens":1}},"#,
        r#" {"ts":1000000006000,"type":"say","say":"condense_context","contextCondense":{"summary":"second summary"}},"#,
        r#" {"ts":1000000008000,"type":"say","say":"api_req_started","text":"{\"tokensIn\":12,\"tokensOut\":1}"}]"#,
        r#"{"files_in_context":[],"model_usage":[{"ts":1000000008500,"model_id":"model-b","mode":"act"}]}"#,
    ]);
    let session = session(Format::CLINE, &text);
    let expected = [
        "user: <task>go</task>, <environment_details>\n<model>model-a</model>\n</environment_details>",
        "cline: (hm), one 10+1",
        "user: compaction first summary",
        "user: compaction second summary",
        "cline:  11+1",
        "cline: two 12+1",
    ];
    assert_eq!(told(&session), expected);
    let models: Vec<_> = session.session.events.iter().map(|event| event.model_version.as_deref()).collect();
    assert_eq!((models[1], models[5]), (Some("model-a"), Some("model-b")));
}
