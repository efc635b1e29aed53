//! opencode, goose and OpenHands.

use strata_import::{Format, MemoryTables, OwnedValue, import_tables};

use super::{check_counts, joined, session, told};

#[test]
fn opencode_messages_of_several_calls_are_several_responses() {
    let text = joined(&[
        r#"{"info":{"id":"s1","projectID":"p","version":"0.4.0","title":"T","revert":{"messageID":"m3"}},"messages":["#,
        r#" {"info":{"id":"m1","sessionID":"s1","role":"user","time":{"created":1}},"parts":[{"id":"p1","type":"text","text":"list it"},{"id":"p2","type":"text","text":"Called the Read tool","synthetic":true}]},"#,
        r#" {"info":{"id":"m2","sessionID":"s1","role":"assistant","system":["be brief"],"modelID":"x","time":{"created":2},"tokens":{"input":30,"output":3,"reasoning":0,"cache":{"read":7,"write":0}}},"parts":["#,
        r#"  {"id":"a","type":"step-start"},{"id":"b","type":"tool","callID":"c1","tool":"bash","state":{"status":"completed","input":{},"output":"a.py"}},"#,
        r#"  {"id":"c","type":"step-finish","tokens":{"input":20,"output":2,"reasoning":0,"cache":{"read":5,"write":1}}},"#,
        r#"  {"id":"d","type":"step-start"},{"id":"e","type":"text","text":"a.py"},"#,
        r#"  {"id":"f","type":"step-finish","tokens":{"input":30,"output":3,"reasoning":0,"cache":{"read":7,"write":0}}}]},"#,
        r#" {"info":{"id":"m3","sessionID":"s1","role":"user","time":{"created":3}},"parts":[{"id":"g","type":"text","text":"Continue if you have next steps","synthetic":true},{"id":"h","type":"text","text":"not sent","ignored":true}]}]}"#,
    ]);
    let session = session(Format::OPENCODE_EXPORT, &text);
    let expected = [
        "user: list it, Called the Read tool",
        "user [system]: be brief",
        "opencode: call bash 26+2",
        "opencode: result of bash",
        "opencode: a.py 37+3",
        "user [synthetic]: Continue if you have next steps",
        "opencode: rewind",
    ];
    assert_eq!(told(&session), expected);
    check_counts(&session, 1, 2, 63, 12, 5);
}

#[test]
fn goose_sessions_in_files() {
    let export = r#"{"id":"20260101_1","name":"Lists","working_dir":"/p","model_config":{"model_name":"gpt-x"},"accumulated_input_tokens":50,"accumulated_output_tokens":5,"conversation":[{"id":"a","role":"user","created":1767225600,"content":[{"type":"text","text":"list it"}],"metadata":{"userVisible":true,"agentVisible":true}},{"id":"b","role":"user","created":1767225601,"content":[{"type":"text","text":"a reminder"}],"metadata":{"userVisible":false,"agentVisible":true}},{"id":"c","role":"assistant","created":1767225602,"content":[{"type":"toolRequest","id":"t","toolCall":{"status":"success","value":{"name":"shell","arguments":{}}}}]},{"id":"d","role":"user","created":1767225603,"content":[{"type":"toolResponse","id":"t","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"a.py"}],"isError":false}}}]}]}"#;
    let export = session(Format::GOOSE_FILE, export);
    let expected = [
        "user: list it",
        "user [client]: a reminder",
        "goose: call shell",
        "goose: result of shell",
        "goose:  50+5",
    ];
    assert_eq!(told(&export), expected);
    check_counts(&export, 1, 1, 50, 0, 5);
    assert_eq!(export.facts.largest_tool_result_bytes, 4);
    let run = joined(&[
        r#"{"type":"message","message":{"role":"user","created":1718000000,"content":[{"type":"text","text":"list it"}]}}"#,
        r#"{"type":"message","message":{"role":"assistant","created":1718000001,"content":[{"type":"text","text":"a.py"}]}}"#,
        r#"{"type":"complete","total_tokens":77}"#,
    ]);
    assert_eq!(told(&session(Format::GOOSE_FILE, &run))[..2], ["user: list it", "goose: a.py"]);
}

#[test]
fn a_goose_database_without_a_ledger_has_sums() {
    let mut tables = MemoryTables::new();
    let columns = ["id", "description", "accumulated_input_tokens", "accumulated_output_tokens"];
    tables.add(
        "sessions",
        &columns,
        vec![vec![text("s1"), text("T"), OwnedValue::Integer(90), OwnedValue::Integer(9)]],
    );
    let columns = ["id", "session_id", "role", "content_json", "created_timestamp"];
    let row = |id: i64, role: &str, content: &str| {
        vec![
            OwnedValue::Integer(id),
            text("s1"),
            text(role),
            text(content),
            OwnedValue::Integer(1_718_000_000 + id),
        ]
    };
    let rows = vec![
        row(1, "user", r#"[{"type":"text","text":"list it"}]"#),
        row(
            2,
            "assistant",
            r#"[{"type":"toolRequest","id":"t","toolCall":{"status":"success","value":{"name":"shell","arguments":{}}}}]"#,
        ),
        row(
            3,
            "user",
            r#"[{"type":"toolResponse","id":"t","toolResult":{"status":"success","value":[{"type":"text","text":"a.py"}]}}]"#,
        ),
    ];
    tables.add("messages", &columns, rows);
    let session = import_tables(&mut tables).sessions.remove(0);
    assert_eq!(
        told(&session),
        ["user: list it", "goose: call shell", "goose: result of shell", "goose:  90+9"]
    );
    assert_eq!(session.facts.largest_tool_result_bytes, 4);
}

#[test]
fn openhands_events_of_the_first_generation() {
    let events = [
        r#"{"id":0,"timestamp":"2025-03-01T10:00:00","source":"user","action":"message","args":{"content":"list it"}}"#,
        r#"{"id":1,"timestamp":"2025-03-01T10:00:01","source":"user","action":"recall","args":{"query":"list it"}}"#,
        r#"{"id":2,"timestamp":"2025-03-01T10:00:02","source":"environment","observation":"recall","cause":1,"content":"Added workspace context","extras":{"repo_name":"x"}}"#,
        r#"{"id":3,"timestamp":"2025-03-01T10:00:03","source":"agent","action":"run","args":{"command":"ls","thought":"look"}}"#,
        r#"{"id":4,"timestamp":"2025-03-01T10:00:04","source":"agent","observation":"run","cause":3,"content":"a.py","extras":{}}"#,
        r#"{"id":5,"timestamp":"2025-03-01T10:00:05","source":"agent","action":"condensation","args":{"forgotten_event_ids":[1],"summary":"listed"}}"#,
        r#"{"id":6,"timestamp":"2025-03-01T10:00:06","source":"agent","action":"change_agent_state","args":{"agent_state":"finished"}}"#,
    ];
    let expected = [
        "user: list it",
        r#"user [recall]: Added workspace context, {"repo_name":"x"}"#,
        "openhands: look, call run",
        "openhands: result of run",
        "user: compaction listed",
    ];
    for text in [
        format!("[{}]", events.join(",")),
        events.join("\n"),
        format!(
            r#"{{"instance_id":"task-1","instruction":"list it","test_result":{{}},"history":[{}]}}"#,
            events.join(",")
        ),
    ] {
        let session = session(Format::OPENHANDS, &text);
        assert_eq!(told(&session), expected);
        assert_eq!(session.facts.compactions, 1);
    }
}

#[test]
fn calls_of_openhands_without_ids_have_none() {
    let text = r#"[{"source":"user","action":"message","args":{"content":"list it"}},
        {"source":"agent","action":"run","args":{"command":"ls"},"tool_call_metadata":{"tool_call_id":"","function_name":""}},
        {"source":"agent","observation":"run","content":"a.py"},
        {"source":"agent","action":"run","args":{"command":"cat a.py"}},
        {"source":"agent","observation":"run","content":"x"}]"#;
    let session = session(Format::OPENHANDS, text);
    let expected = [
        "user: list it",
        "openhands: call run",
        "openhands: result of run",
        "openhands: call run",
        "openhands: result of run",
    ];
    assert_eq!(told(&session), expected);
    let calls = session.session.events.iter().flat_map(|event| event.function_calls());
    assert_eq!(calls.map(|call| call.id.as_deref()).collect::<Vec<_>>(), [None, None]);
}

#[test]
fn openhands_conversations_say_in_their_state_what_every_call_used() {
    let usage = |id: &str, input: u64| {
        format!(
            r#"{{"model":"m","prompt_tokens":{input},"completion_tokens":5,"cache_read_tokens":10,"cache_write_tokens":0,"reasoning_tokens":2,"response_id":"{id}"}}"#
        )
    };
    let metrics = |calls: &str, input: u64| {
        format!(
            r#"{{"model_name":"m","accumulated_token_usage":{{"prompt_tokens":{input},"completion_tokens":10,"cache_read_tokens":20,"cache_write_tokens":0,"reasoning_tokens":4}}{calls}}}"#
        )
    };
    let calls = format!(r#","token_usages":[{},{}]"#, usage("r1", 100), usage("r2", 120));
    let state = format!(
        r#"{{"id":"conv","agent":{{}},"workspace":{{}},"stats":{{"usage_to_metrics":{{"agent":{},"condenser":{}}}}}}}"#,
        metrics(&calls, 220),
        metrics(&format!(r#","token_usages":[{}]"#, usage("r3", 50)), 50)
    );
    let events = joined(&[
        r#"{"id":"a","timestamp":"2026-01-01T00:00:00","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"list it"}]},"kind":"MessageEvent"}"#,
        r#"{"id":"b","timestamp":"2026-01-01T00:00:01","source":"agent","thought":[],"tool_name":"terminal","tool_call_id":"c","tool_call":{"id":"c","name":"terminal","arguments":"{}"},"llm_response_id":"r1","kind":"ActionEvent"}"#,
        r#"{"id":"c","timestamp":"2026-01-01T00:00:02","source":"environment","tool_name":"terminal","tool_call_id":"c","observation":{"content":[{"type":"text","text":"a.py"}],"is_error":false},"kind":"ObservationEvent"}"#,
        r#"{"id":"d","timestamp":"2026-01-01T00:00:03","source":"agent","llm_message":{"role":"assistant","content":[{"type":"text","text":"a.py"}]},"kind":"MessageEvent"}"#,
        r#"{"id":"e","timestamp":"2026-01-01T00:00:04","source":"environment","code":"MaxIterationsReached","detail":"too many","kind":"ConversationErrorEvent"}"#,
    ]);
    let whole = session(Format::OPENHANDS, &format!("{state}\n{events}"));
    let expected = [
        "user: list it",
        "openhands: call terminal 100+5",
        "openhands: result of terminal",
        "openhands: a.py 120+5",
        "openhands: error MaxIterationsReached",
        "openhands:  50+5",
    ];
    assert_eq!(told(&whole), expected);
    check_counts(&whole, 1, 3, 270, 30, 15);
    let update = format!(
        r#"{{"id":"f","timestamp":"2026-01-01T00:00:05","source":"environment","key":"stats","value":{{"usage_to_metrics":{{"default":{}}}}},"kind":"ConversationStateUpdateEvent"}}"#,
        metrics("", 220)
    );
    check_counts(&session(Format::OPENHANDS, &format!("{events}\n{update}")), 1, 2, 220, 20, 10);
}

fn text(text: &str) -> OwnedValue {
    OwnedValue::Text(text.to_owned())
}

#[test]
fn rows_of_the_goose_ledger_that_no_message_answers_are_told() {
    let mut tables = MemoryTables::new();
    tables.add("sessions", &["id", "name"], vec![vec![text("s1"), text("T")]]);
    let message = |id: i64, role: &str, words: &str, metadata: &str| {
        vec![
            OwnedValue::Integer(id),
            text("s1"),
            text(role),
            text(&format!(r#"[{{"type":"text","text":"{words}"}}]"#)),
            OwnedValue::Integer(1_718_000_000 + id),
            text(metadata),
        ]
    };
    let usage = r#"{"usage":{"inputTokens":100,"outputTokens":10}}"#;
    let columns = ["id", "session_id", "role", "content_json", "created_timestamp", "metadata_json"];
    let rows = vec![
        message(1, "user", "one", "{}"),
        message(2, "assistant", "two", usage),
        message(3, "assistant", "three", "{}"),
    ];
    tables.add("messages", &columns, rows);
    let row = |id: i64, session: &str, second: i64, input: i64| {
        let number = OwnedValue::Integer;
        vec![
            number(id),
            text(session),
            number(1_718_000_000 + second),
            number(input),
            number(10),
            number(0),
            number(0),
            number(0),
        ]
    };
    let columns = [
        "id",
        "session_id",
        "created_timestamp",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "is_compaction",
    ];
    // The first is that of a message which was begun long before; the third is that of a call without an answer.
    let rows = vec![row(1, "s1", 60, 100), row(2, "s1", 3, 200), row(3, "s1", 90, 300), row(4, "gone", 1, 7)];
    tables.add("usage_ledger", &columns, rows);
    let imported = import_tables(&mut tables);
    let session = &imported.sessions[0];
    assert_eq!(told(session), ["user: one", "goose: two 100+10", "goose: three 200+10", "goose:  300+10"]);
    let codes: Vec<_> = imported.diagnostics.iter().map(|it| it.code).collect();
    assert!(codes.contains(&"no-session-row"), "{codes:?}");
}

#[test]
fn the_newest_checkpoint_is_the_conversation() {
    let mut tables = MemoryTables::new();
    let message = |id: &str, kind: &str| format!(r#"{{"id":"{id}","type":"{kind}","content":"{id}"}}"#);
    let checkpoint = |id: &str, second: u32, messages: &[String]| {
        let list = messages.join(",");
        let value = format!(
            r#"{{"v":4,"ts":"2026-01-01T00:00:0{second}Z","id":"{id}","channel_values":{{"messages":[{list}]}}}}"#
        );
        vec![text("t"), text(""), text(id), text("json"), text(&value)]
    };
    let (h1, a1, h2) = (message("h1", "human"), message("a1", "ai"), message("h2", "human"));
    let rows = vec![
        checkpoint("1", 1, std::slice::from_ref(&h1)),
        checkpoint("2", 2, &[h1, a1.clone()]),
        checkpoint("3", 3, &[a1, h2]),
    ];
    tables.add("checkpoints", &["thread_id", "checkpoint_ns", "checkpoint_id", "type", "checkpoint"], rows);
    tables.add("writes", &["thread_id", "checkpoint_ns", "checkpoint_id"], vec![]);
    let session = import_tables(&mut tables).sessions.remove(0);
    assert_eq!(told(&session), ["graph: a1", "user: h2"]);
    assert_eq!(session.unmapped.records["removed message"].len(), 1);
}
