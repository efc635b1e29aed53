//! Gemini CLI and Qwen Code.

use strata_import::{Format, import};

use super::{check_counts, joined, session, told, unmapped};

#[test]
fn other_files_of_gemini_cli() {
    let typed = r#"[{"sessionId":"g1","messageId":0,"type":"user","message":"hello","timestamp":"2025-07-01T10:00:00Z"},{"sessionId":"g1","messageId":1,"type":"user","message":"/quit","timestamp":"2025-07-01T10:01:00Z"},{"sessionId":"g2","messageId":0,"type":"user","message":"again","timestamp":"2025-07-02T10:00:00Z"}]"#;
    let imported = import(typed.as_bytes());
    assert_eq!(imported.sessions.len(), 2);
    assert_eq!(told(&imported.sessions[0]), ["user: hello", "user [command]: /quit"]);
    assert_eq!(&*imported.sessions[1].session.id, "g2");
    let checkpoint = r#"{"history":[{"type":"user","text":"hello"}],"clientHistory":[{"role":"user","parts":[{"text":"hello"}]},{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}}]}],"toolCall":{"name":"ls","args":{}},"commitHash":"x"}"#;
    let checkpoint = session(Format::GEMINI_CLI, checkpoint);
    assert_eq!(told(&checkpoint), ["user: hello", "gemini: call ls"]);
    let plain = r#"{"history":[{"role":"user","parts":[{"text":"hello"}]},{"role":"model","parts":[{"text":"hi"}]}]}"#;
    assert_eq!(told(&session(Format::GEMINI_CLI, plain)), ["user: hello", "gemini: hi"]);
}

#[test]
fn output_of_gemini_cli_as_lines_and_as_one_object() {
    let text = joined(&[
        r#"{"type":"init","timestamp":"2026-01-01T00:00:00Z","session_id":"g1","model":"gemini-x"}"#,
        r#"{"type":"message","timestamp":"2026-01-01T00:00:01Z","role":"user","content":"list it"}"#,
        r#"{"type":"tool_use","timestamp":"2026-01-01T00:00:02Z","tool_name":"ls","tool_id":"t1","parameters":{}}"#,
        r#"{"type":"tool_result","timestamp":"2026-01-01T00:00:03Z","tool_id":"t1","status":"success","output":"a.py"}"#,
        r#"{"type":"message","timestamp":"2026-01-01T00:00:04Z","role":"assistant","content":"It is ","delta":true}"#,
        r#"{"type":"message","timestamp":"2026-01-01T00:00:05Z","role":"assistant","content":"a.py","delta":true}"#,
        r#"{"type":"result","timestamp":"2026-01-01T00:00:06Z","status":"success","stats":{"total_tokens":120,"input_tokens":100,"output_tokens":20,"cached":30,"tool_calls":1}}"#,
    ]);
    let of_lines = session(Format::GEMINI_CLI, &text);
    let expected =
        ["user: list it", "gemini: call ls", "gemini: result of ls", "gemini: It is a.py", "gemini:  100+20"];
    assert_eq!(told(&of_lines), expected);
    check_counts(&of_lines, 1, 2, 100, 30, 20);
    let object = r#"{"session_id":"g1","response":"a.py","stats":{"models":{"gemini-x":{"api":{"totalRequests":2},"tokens":{"prompt":100,"candidates":20,"total":125,"cached":30,"thoughts":5,"tool":0}}},"tools":{}}}"#;
    let of_object = session(Format::GEMINI_CLI, object);
    assert_eq!(told(&of_object), ["gemini: a.py", "gemini:  100+25"]);
}

#[test]
fn a_chat_is_called_by_its_summary_also_where_that_was_answered_as_an_object() {
    let chat = |summary: &str| {
        let set = serde_json::json!({"$set": {"summary": summary}}).to_string();
        let text = joined(&[
            r#"{"sessionId":"g1","projectHash":"p","startTime":"2026-01-01T00:00:00Z","lastUpdated":"2026-01-01T00:00:00Z","kind":"subagent"}"#,
            r#"{"id":"u1","timestamp":"2026-01-01T00:00:01Z","type":"user","content":[{"text":"read the notes"}]}"#,
            &set,
        ]);
        session(Format::GEMINI_CLI, &text).title
    };
    assert_eq!(chat("Reads notes"), "Reads notes");
    assert_eq!(chat("{\n  \"response\": \"Reads notes\"\n}"), "Reads notes");
    assert_eq!(chat("{\"other\": 1}"), "read the notes");
}

#[test]
fn chats_of_qwen_code_are_no_transcripts_of_claude_code() {
    let text = joined(&[
        r#"{"uuid":"a","parentUuid":null,"sessionId":"q1","timestamp":"2026-01-01T00:00:00Z","type":"user","cwd":"/p","version":"0.5.0","message":{"role":"user","parts":[{"text":"list it"}]}}"#,
        r#"{"uuid":"b","parentUuid":"a","sessionId":"q1","timestamp":"2026-01-01T00:00:01Z","type":"assistant","cwd":"/p","version":"0.5.0","model":"qwen-x","message":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"ls","args":{}}}]},"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":40,"candidatesTokenCount":9}}"#,
        r#"{"uuid":"c","parentUuid":"b","sessionId":"q1","timestamp":"2026-01-01T00:00:02Z","type":"tool_result","cwd":"/p","version":"0.5.0","message":{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a.py"}}}]}}"#,
        r#"{"uuid":"d","parentUuid":"c","sessionId":"q1","timestamp":"2026-01-01T00:00:03Z","type":"system","subtype":"ui_telemetry","cwd":"/p","version":"0.5.0","systemPayload":{}}"#,
    ]);
    let session = session(Format::GEMINI_CLI, &text);
    assert_eq!(told(&session), ["user: list it", "qwen: call ls 100+9", "qwen: result of ls"]);
    check_counts(&session, 1, 1, 100, 40, 9);
    assert_eq!(unmapped(&session), ["system.ui_telemetry"]);
}
