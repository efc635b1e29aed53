//! What has no place in a prompt is kept beside it or counted, and nothing is counted twice.

use strata_import::{Format, ImportedSession, SourceRecord, marks};

use super::{check_counts, joined, session, told};

#[track_caller]
fn check_counted(session: &ImportedSession, names: &[&str]) {
    let found: Vec<&str> = session.unmapped.counts().map(|(name, _)| name).collect();
    for name in names {
        assert!(found.contains(name), "{name} in {found:?}");
    }
}

fn source_text(session: &ImportedSession, at: usize) -> Option<&str> {
    let custom = session.session.events[at].custom_metadata.as_ref()?;
    custom.get(marks::SOURCE)?.get("text")?.as_str()
}

#[test]
fn what_a_program_says_on_the_screen_is_no_part_of_a_prompt() {
    let text = joined(&[
        "# aider chat started at 2026-01-01 10:00:00",
        "",
        "> Added a.py to the chat",
        "",
        "#### fix it",
        "",
        "Done.",
        "",
        "> Tokens: 1.2k sent, 30 received.",
    ]);
    let aider = session(Format::AIDER, &text);
    assert_eq!(told(&aider), ["aider: ", "user: fix it", "aider: Done. 1200+30", "aider: "]);
    assert_eq!(source_text(&aider, 0), Some("Added a.py to the chat"));
    let text = joined(&[
        r#"{"parentUuid":null,"isSidechain":false,"sessionId":"s1","type":"user","uuid":"u1","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"Hello"}}"#,
        r#"{"parentUuid":"u1","isSidechain":false,"sessionId":"s1","type":"user","uuid":"u2","timestamp":"2026-01-01T00:00:01Z","isVisibleInTranscriptOnly":true,"message":{"role":"user","content":"only shown"}}"#,
    ]);
    let claude = session(Format::CLAUDE_CODE, &text);
    assert_eq!(told(&claude), ["user: Hello", "claude: "]);
    let custom = strata_model::json::object_to_compact(
        claude.session.events[1].custom_metadata.as_ref().expect("what was shown"),
    );
    assert!(custom.contains("only shown"), "{custom}");
}

#[test]
fn answers_of_a_demonstration_are_no_calls_of_a_run() {
    let text = r#"{"environment":"swe_main","replay_config":"{\"problem_statement\":{\"id\":\"task-1\"}}","history":[
        {"role":"user","content":"see how","message_type":"demonstration","is_demo":true},
        {"role":"assistant","content":"so","message_type":"demonstration","is_demo":true},
        {"role":"user","content":"the task","message_type":"observation"},
        {"role":"assistant","content":"ls","message_type":"action"}, 7],
        "trajectory":[{"query":[{"role":"user","content":"the task"}],"response":"ls","execution_time":1.5}],"info":{}}"#;
    let session = session(Format::SWE_AGENT, text);
    let answer = session.requests[0].answer.expect("the step was answered");
    assert_eq!(told(&session)[answer], "swe-agent: ls");
    assert_eq!(&*session.session.id, "task-1");
    check_counted(&session, &["history.[]", "step.execution_time", "step.response"]);
}

#[test]
fn spans_of_adk_one_a_line_are_the_spans_of_a_list() {
    let span = |id: u32, prompt: &str| {
        format!(
            r#"{{"name":"call_llm","trace_id":7,"span_id":{id},"parent_span_id":null,"start_time":17701128{id}0000000000,"end_time":17701128{id}5000000000,"attributes":{{"gen_ai.operation.name":"generate_content","gcp.vertex.agent.llm_request":"{{\"model\":\"m\",\"contents\":[{{\"role\":\"user\",\"parts\":[{{\"text\":\"{prompt}\"}}]}}]}}","gcp.vertex.agent.llm_response":"{{\"content\":{{\"role\":\"model\",\"parts\":[{{\"text\":\"yes\"}}]}}}}","own.attribute":1}},"resource":"x"}}"#
        )
    };
    let spans = [span(10, "one"), span(11, "two")];
    let of_list = strata_import::import(format!("[{}]", spans.join(",")).as_bytes());
    let of_lines = strata_import::import(spans.join("\n").as_bytes());
    assert_eq!(of_lines.sessions.len(), 2, "{:?}", of_lines.diagnostics);
    for (line, list) in of_lines.sessions.iter().zip(&of_list.sessions) {
        assert_eq!(line.format, Format::ADK_TRACE);
        assert_eq!(told(line), told(list));
        let times =
            |one: &ImportedSession| one.session.events.iter().map(|it| it.timestamp).collect::<Vec<_>>();
        assert_eq!(times(line), times(list));
    }
    check_counted(&of_lines.sessions[0], &["span.attributes.own.attribute", "span.resource"]);
}

#[test]
fn an_answer_in_a_record_of_its_own_stands_there() {
    let lines = [
        r#"{"model":"m","messages":[{"role":"user","content":"hello"}]}"#,
        r#"{"id":"a1","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"hi"}}]}"#,
    ];
    let both = session(Format::PROVIDER_LOG, &lines.join("\n"));
    assert_eq!(told(&both), ["user: hello", "model: hi"]);
    let start = lines[0].len() as u64 + 1;
    assert_eq!(both.sources[1], [SourceRecord::Bytes(start..start + lines[1].len() as u64)]);
    let alone = session(Format::PROVIDER_LOG, lines[1]);
    assert_eq!(told(&alone), ["model: hi"]);
    assert!(alone.requests.is_empty(), "no request was recorded: {:?}", alone.requests);
}

#[test]
fn usage_that_a_redacted_payload_keeps_says_what_was_cached() {
    let text = r#"{"id":"x","trace_id":"t","call_type":"acompletion","model":"m","messages":"redacted-by-litellm","response":"redacted-by-litellm","prompt_tokens":100,"completion_tokens":5,"total_tokens":105,"startTime":1770112800.0,"endTime":1770112801.0,"response_cost":0.1,"custom_llm_provider":"openai","hidden_params":{},"model_parameters":{},"metadata":{"user_api_key_hash":"h","usage_object":{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105,"prompt_tokens_details":{"cached_tokens":60}}}}"#;
    let session = session(Format::LITELLM, text);
    check_counts(&session, 0, 1, 100, 60, 5);
    check_counted(&session, &["payload.metadata.user_api_key_hash", "payload.response_cost"]);
}

#[test]
fn what_a_codex_fork_copied_is_its_context_and_not_its_work() {
    let meta = |id: &str, rest: &str| {
        format!(
            r#"{{"timestamp":"2026-01-01T10:00:00Z","type":"session_meta","payload":{{"id":"{id}","timestamp":"2026-01-01T10:00:00Z"{rest}}}}}"#
        )
    };
    let turn = |id: &str, words: &str, total: u32| {
        joined(&[
            &format!(
                r#"{{"timestamp":"2026-01-01T10:00:00Z","type":"event_msg","payload":{{"type":"task_started","turn_id":"{id}"}}}}"#
            ),
            &format!(
                r#"{{"timestamp":"2026-01-01T10:00:00Z","type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{words}?"}}]}}}}"#
            ),
            &format!(
                r#"{{"timestamp":"2026-01-01T10:00:00Z","type":"response_item","payload":{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{words}."}}]}}}}"#
            ),
            &format!(
                r#"{{"timestamp":"2026-01-01T10:00:00Z","type":"event_msg","payload":{{"type":"token_count","info":{{"last_token_usage":{{"input_tokens":100,"output_tokens":5}},"total_token_usage":{{"input_tokens":{total}}}}}}}}}"#
            ),
        ])
    };
    let (parent, fork) = ("019b0000-0000-7000-8000-000000000000", "019b1111-0000-7000-8000-000000000000");
    let (before, after) = ("019b0000-5555-7000-8000-000000000000", "019b1111-5555-7000-8000-000000000000");
    let own = meta(fork, &format!(r#","forked_from_id":"{parent}""#));
    let text = [own, meta(parent, ""), turn(before, "old", 100), turn(after, "new", 200)].join("\n");
    let session = session(Format::CODEX, &text);
    assert_eq!(told(&session), ["user: old?", "codex: old.", "user: new?", "codex: new. 100+5"]);
    check_counts(&session, 1, 1, 100, 0, 5);
    let relayed: Vec<bool> = session.session.events.iter().map(|event| marks::is_relayed(event)).collect();
    assert_eq!(relayed, [true, true, false, false]);
    check_counted(&session, &["event_msg.token_count of a parent", "session_meta of a parent"]);
}

#[test]
fn what_else_the_interface_of_cline_recorded_is_counted() {
    let text = joined(&[
        r#"[{"role":"user","content":[{"type":"text","text":"<task>\ndo it\n</task>"}],"ts":1770112800000},{"role":"assistant","content":"done","ts":1770112802000}]"#,
        r#"[{"ts":1770112801000,"type":"say","say":"api_req_started","text":"{\"request\":\"x\",\"tokensIn\":10,\"tokensOut\":2,\"cost\":0.1}"},{"ts":1770112802000,"type":"say","say":"text","text":"done"},{"ts":1770112803000,"type":"ask","ask":"completion_result","text":""}]"#,
    ]);
    let session = session(Format::CLINE, &text);
    assert_eq!(told(&session), ["user: <task>\ndo it\n</task>", "cline: done 10+2"]);
    assert_eq!(&*session.session.id, "task-1770112800000");
    check_counted(&session, &["ui.say.text", "ui.ask.completion_result", "ui.say.api_req_started.cost"]);
}

#[test]
fn what_traces_and_logs_say_besides_their_calls_is_counted() {
    let langfuse = r#"{"id":"t1","name":"T","timestamp":"2026-01-01T00:00:00Z","metadata":{"a":1},"scores":[],"observations":[{"id":"o1","type":"GENERATION","startTime":"2026-01-01T00:00:00Z","model":"m","input":[{"role":"user","content":"hello"}],"output":{"role":"assistant","content":"hi"},"modelParameters":{"temperature":1},"toolDefinitions":[{"name":"look"}],"level":"DEFAULT"}]}"#;
    let langfuse = session(Format::LANGFUSE, langfuse);
    check_counted(&langfuse, &["trace.metadata", "observation.modelParameters"]);
    assert!(!langfuse.unmapped.fields.contains_key("trace.scores"));
    let tools = langfuse.requests[0].body.get("tools").and_then(|tools| tools.as_array());
    assert_eq!(tools.map(<[_]>::len), Some(1));
    let otlp = r#"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"x"}}]},"scopeSpans":[{"scope":{"name":"lib"},"spans":[{"traceId":"aa","spanId":"bb","name":"chat m","startTimeUnixNano":"1770112800000000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.usage.input_tokens","value":{"intValue":"5"}},{"key":"server.address","value":{"stringValue":"h"}}]}]}]}]}"#;
    let otlp = session(Format::OTLP, otlp);
    check_counted(&otlp, &["resource.service.name", "scope.name", "span.attributes.server.address"]);
    assert!(otlp.requests.is_empty(), "nothing of the request was captured");
    let gemini = r#"{"sessionId":"g1","projectHash":"x","startTime":"2026-01-01T00:00:00Z","lastUpdated":"2026-01-01T00:00:00Z","messages":[{"id":"m1","timestamp":"2026-01-01T00:00:01Z","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"ls","args":{},"status":"error","result":[{"functionResponse":{"id":"c1","name":"ls","response":{"error":"no"}}}]}]}]}"#;
    let gemini = session(Format::GEMINI_CLI, gemini);
    let custom = gemini.session.events[1].custom_metadata.as_ref().expect("which calls failed");
    assert_eq!(strata_model::json::object_to_compact(custom), r#"{"source":{"failedCalls":["c1"]}}"#);
}
