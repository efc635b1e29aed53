//! Files of coding agents as other versions and other writers leave them.

use strata_import::{
    Format, Import, ImportedSession, MemoryTables, OwnedValue, import, import_tables, marks,
};
use strata_model::Event;

fn lines(lines: &[&str]) -> String {
    lines.join("\n")
}

/// The only session of a text, which is of this format.
#[track_caller]
fn session(format: Format, text: &str) -> ImportedSession {
    let Import { mut sessions, diagnostics } = import(text.as_bytes());
    assert_eq!(sessions.len(), 1, "{diagnostics:?}");
    let session = sessions.remove(0);
    assert_eq!(session.format, format);
    session
}

/// What every event is: who speaks, as what, and its first words or tools.
fn told(session: &ImportedSession) -> Vec<String> {
    session.session.events.iter().map(|event| event_told(event)).collect()
}

fn event_told(event: &Event) -> String {
    let mut what = Vec::new();
    for part in event.parts() {
        if let Some(call) = &part.function_call {
            what.push(format!("call {}", call.name.as_deref().unwrap_or("?")));
        } else if let Some(response) = &part.function_response {
            what.push(format!("result of {}", response.name.as_deref().unwrap_or("?")));
        } else if let Some(text) = &part.text {
            what.push(if part.is_thought() { format!("({text})") } else { text.to_string() });
        } else {
            what.push("…".to_owned());
        }
    }
    if event.is_compaction() {
        let content = event.actions.compaction.as_ref().and_then(|it| it.compacted_content.as_ref());
        let words = content.and_then(|content| content.parts().first()?.text.as_deref()).unwrap_or_default();
        what.push(format!("compaction {words}"));
    }
    if event.actions.rewind_before_invocation_id.is_some() {
        what.push("rewind".to_owned());
    }
    if let Some(code) = &event.error_code {
        what.push(format!("error {code}"));
    }
    let injected = marks::injected(event).map(|kind| format!(" [{kind}]")).unwrap_or_default();
    let tokens = event.usage_metadata.as_ref().map(|usage| {
        let output = usage.output_tokens().unwrap_or(0);
        format!(" {}+{output}", usage.prompt_token_count.unwrap_or(0))
    });
    format!("{}{injected}: {}{}", event.author, what.join(", "), tokens.unwrap_or_default())
}

#[track_caller]
fn check_counts(session: &ImportedSession, turns: u64, calls: u64, input: u64, cached: u64, output: u64) {
    let facts = &session.facts;
    let found = (
        facts.user_turns,
        facts.model_responses,
        facts.input_tokens,
        facts.cached_tokens,
        facts.output_tokens + facts.thoughts_tokens,
    );
    assert_eq!(found, (turns, calls, input, cached, output), "{:?}", told(session));
}

fn unmapped(session: &ImportedSession) -> Vec<&str> {
    session.unmapped.records.keys().map(|key| &**key).collect()
}

const CLAUDE_USAGE: &str = r#""usage":{"input_tokens":1,"cache_read_input_tokens":20,"cache_creation_input_tokens":300,"output_tokens":4}"#;

#[test]
fn output_of_claude_code_is_read_as_lines_and_as_one_list() {
    let records = [
        r#"{"type":"system","subtype":"init","session_id":"s1","tools":["Read"],"model":"claude-x"}"#.to_owned(),
        format!(
            r#"{{"type":"assistant","message":{{"id":"m1","model":"claude-x","content":[{{"type":"tool_use","id":"t1","name":"Task","input":{{}}}}],{CLAUDE_USAGE}}},"parent_tool_use_id":null,"session_id":"s1"}}"#
        ),
        format!(
            r#"{{"type":"assistant","message":{{"id":"m2","model":"claude-y","content":[{{"type":"text","text":"dug"}}],{CLAUDE_USAGE}}},"parent_tool_use_id":"t1","session_id":"s1"}}"#
        ),
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"dug"}]},"parent_tool_use_id":null,"session_id":"s1"}"#.to_owned(),
        r#"{"type":"system","subtype":"compact_boundary","session_id":"s1","compact_metadata":{"trigger":"auto","pre_tokens":9}}"#.to_owned(),
        r#"{"type":"user","message":{"role":"user","content":"This session is being continued from a previous conversation that ran out of context."},"session_id":"s1","isSynthetic":true}"#.to_owned(),
        format!(
            r#"{{"type":"assistant","message":{{"id":"m3","model":"claude-x","content":[{{"type":"text","text":"done"}}],{CLAUDE_USAGE}}},"parent_tool_use_id":null,"session_id":"s1"}}"#
        ),
        r#"{"type":"result","subtype":"error_max_turns","is_error":true,"num_turns":2,"session_id":"s1","usage":{"input_tokens":999,"output_tokens":99},"total_cost_usd":0.1}"#.to_owned(),
    ];
    let session_of_lines = session(Format::ClaudeCode, &records.join("\n"));
    let expected = [
        "claude: call Task 321+4",
        "claude.t1: dug 321+4",
        "claude: result of Task",
        "user: compaction This session is being continued from a previous conversation that ran out of context.",
        "claude: done 321+4",
        "claude: error error_max_turns",
    ];
    assert_eq!(told(&session_of_lines), expected);
    assert_eq!(&*session_of_lines.session.id, "s1");
    check_counts(&session_of_lines, 0, 3, 963, 60, 12);
    let branches: Vec<_> =
        session_of_lines.session.events.iter().map(|it| it.branch.as_deref().unwrap()).collect();
    assert_eq!(branches, ["main", "agent.t1", "main", "main", "main", "main"]);
    for list in [format!("[{}]", records.join(",")), format!("\u{feff}[\n{}\n]\n", records.join(",\n"))] {
        assert_eq!(session(Format::ClaudeCode, &list).session, session_of_lines.session);
    }
}

#[test]
fn the_result_of_a_run_is_its_answer_where_nothing_else_was_kept() {
    let text = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"hello","session_id":"s1","total_cost_usd":0.1,"usage":{"input_tokens":5,"cache_read_input_tokens":7,"output_tokens":2},"modelUsage":{"claude-x":{"inputTokens":5}}}"#;
    let one = session(Format::ClaudeCode, text);
    assert_eq!(told(&one), ["claude: hello 12+2"]);
    check_counts(&one, 0, 1, 12, 7, 2);
    assert_eq!(one.session.events[0].model_version.as_deref(), Some("claude-x"));
    let several = session(Format::ClaudeCode, &text.replace("\"num_turns\":1", "\"num_turns\":3"));
    check_counts(&several, 0, 0, 12, 7, 2);
}

#[test]
fn a_prompt_queued_while_claude_code_worked_is_a_prompt_and_one_of_a_program_is_not() {
    let queued = |more: &str, prompt: &str| {
        format!(
            r#"{{"type":"attachment","uuid":"q{}","parentUuid":null,"isSidechain":false,"sessionId":"s","attachment":{{"type":"queued_command","prompt":{prompt}{more}}}}}"#,
            more.len()
        )
    };
    let text = [
        queued(r#","commandMode":"prompt","origin":{"kind":"human"}"#, r#""also test it""#),
        queued(
            r#","commandMode":"prompt""#,
            r#"[{"type":"text","text":"and this"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]"#,
        ),
        queued(r#","commandMode":"task-notification""#, r#""<task-notification>x</task-notification>""#),
        queued(
            r#","commandMode":"prompt","isMeta":true"#,
            r#""<cross-session-message>x</cross-session-message>""#,
        ),
        queued(r#","commandMode":"prompt","origin":{"kind":"peer"}"#, r#""hi""#),
    ];
    let session = session(Format::ClaudeCode, &text.join("\n"));
    let expected = [
        "user: also test it",
        "user: and this, …",
        "user [attachment.queued_command]: <task-notification>x</task-notification>",
        "user [attachment.queued_command]: <cross-session-message>x</cross-session-message>",
        "user [attachment.queued_command]: hi",
    ];
    assert_eq!(told(&session), expected);
}

#[test]
fn records_that_newer_clients_write_are_no_prompts() {
    let text = lines(&[
        r#"{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":[{"type":"text","text":"<ide_opened_file>x.py</ide_opened_file>"},{"type":"text","text":"fix it"}]}}"#,
        r#"{"type":"system","subtype":"local_command","uuid":"b","parentUuid":"a","content":"<command-name>/mcp</command-name>"}"#,
        r#"{"type":"user","uuid":"c","parentUuid":"b","message":{"role":"user","content":"<teammate-message teammate_id=\"x\">hi</teammate-message>"}}"#,
        r#"{"type":"assistant","uuid":"d","parentUuid":"c","message":{"id":"","content":[{"type":"text","text":"one"}],"usage":{"input_tokens":1,"output_tokens":1}}}"#,
        r#"{"type":"assistant","uuid":"e","parentUuid":"d","message":{"id":"","content":[{"type":"text","text":"two"}],"usage":{"input_tokens":1,"output_tokens":1}}}"#,
    ]);
    let session = session(Format::ClaudeCode, &text);
    let expected = [
        "user: <ide_opened_file>x.py</ide_opened_file>, fix it",
        "user [local-command]: <command-name>/mcp</command-name>",
        "user [peer]: <teammate-message teammate_id=\"x\">hi</teammate-message>",
        "claude: one 1+1",
        "claude: two 1+1",
    ];
    assert_eq!(told(&session), expected);
    assert_eq!(session.title, "fix it");
}

const CODEX_OLD: [&str; 8] = [
    r#"{"id":"r1","timestamp":"2025-08-18T01:16:13.522Z","instructions":"be brief","git":{"branch":"main"}}"#,
    r#"{"record_type":"state"}"#,
    r#"{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"<environment_context>\n<cwd>/p</cwd>\n</environment_context>"}]}"#,
    r#"{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"list it"}]}"#,
    r#"{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"look"}],"encrypted_content":"xx"}"#,
    r#"{"type":"local_shell_call","id":null,"call_id":"c1","status":"completed","action":{"type":"exec","command":["ls"]}}"#,
    r#"{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"a.py\",\"metadata\":{\"exit_code\":0}}"}"#,
    r#"{"type":"message","id":null,"role":"assistant","content":[{"type":"output_text","text":"a.py"}]}"#,
];

#[test]
fn rollouts_of_2025_have_no_envelope() {
    let expected = [
        "user [system]: be brief",
        "user [environment]: <environment_context>\n<cwd>/p</cwd>\n</environment_context>",
        "user: list it",
        "codex: (look), call local_shell",
        "codex: result of local_shell",
        "codex: a.py",
    ];
    let of_lines = session(Format::Codex, &lines(&CODEX_OLD));
    assert_eq!(told(&of_lines), expected);
    assert_eq!(&*of_lines.session.id, "r1");
    assert_eq!(unmapped(&of_lines), ["record_type.state"]);
    let items = CODEX_OLD[2..].join(",\n  ");
    let document = format!("{{\n \"session\": {},\n \"items\": [\n  {items}\n ]\n}}", CODEX_OLD[0]);
    assert_eq!(told(&session(Format::Codex, &document)), expected);
}

#[test]
fn output_of_codex_exec_has_items_and_sums() {
    let text = lines(&[
        r#"{"type":"thread.started","thread_id":"th1"}"#,
        r#"{"type":"turn.started"}"#,
        r#"{"type":"item.completed","item":{"id":"i0","type":"reasoning","text":"look"}}"#,
        r#"{"type":"item.started","item":{"id":"i1","type":"command_execution","command":"ls","aggregated_output":"","status":"in_progress"}}"#,
        r#"{"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"ls","aggregated_output":"a.py\n","exit_code":0,"status":"completed"}}"#,
        r#"{"type":"item.completed","item":{"id":"i2","type":"mcp_tool_call","server":"docs","tool":"find","arguments":{"q":"x"},"result":{"content":[{"type":"text","text":"found"}]},"status":"completed"}}"#,
        r#"{"type":"item.completed","item":{"id":"i3","item_type":"assistant_message","text":"a.py"}}"#,
        r#"{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":60,"output_tokens":10}}"#,
        r#"{"type":"turn.started"}"#,
        r#"{"type":"item.started","item":{"id":"i4","type":"command_execution","command":"sleep 9","status":"in_progress"}}"#,
        r#"{"type":"turn.completed","usage":{"input_tokens":250,"cached_input_tokens":160,"output_tokens":12}}"#,
        r#"{"type":"turn.failed","error":{"message":"too long"}}"#,
    ]);
    let session = session(Format::Codex, &text);
    let expected = [
        "codex: (look), call shell",
        "codex: result of shell",
        "codex: call docs__find",
        "codex: result of docs__find",
        "codex: a.py",
        "codex:  100+10",
        "codex:  150+2",
        "codex: error error",
        "codex: call shell",
    ];
    assert_eq!(told(&session), expected);
    check_counts(&session, 0, 4, 250, 160, 12);
    assert_eq!((session.facts.tool_calls, session.facts.tool_results), (3, 2));
}

#[test]
fn events_of_the_codex_interface_tell_a_session_without_items() {
    let text = lines(&[
        r#"{"model":"gpt-x","workdir":"/p","provider":"openai"}"#,
        r#"{"prompt":"list it"}"#,
        r#"{"id":"0","msg":{"type":"task_started"}}"#,
        r#"{"id":"0","msg":{"type":"agent_reasoning","text":"look"}}"#,
        r#"{"id":"0","msg":{"type":"exec_command_begin","call_id":"c1","command":["ls"],"cwd":"/p"}}"#,
        r#"{"id":"0","msg":{"type":"exec_command_end","call_id":"c1","stdout":"a.py","stderr":"","exit_code":0}}"#,
        r#"{"id":"0","msg":{"type":"token_count","input_tokens":100,"cached_input_tokens":50,"output_tokens":5,"total_tokens":105}}"#,
        r#"{"id":"0","msg":{"type":"agent_message","message":"a.py"}}"#,
        r#"{"id":"0","msg":{"type":"token_count","input_tokens":120,"cached_input_tokens":100,"output_tokens":6,"total_tokens":126}}"#,
    ]);
    let session = session(Format::Codex, &text);
    let expected =
        ["user: list it", "codex: (look), call shell 100+5", "codex: result of shell", "codex: a.py 120+6"];
    assert_eq!(told(&session), expected);
    check_counts(&session, 1, 2, 220, 150, 11);
}

fn codex_prompt(text: &str) -> String {
    format!(
        r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}}}"#
    )
}

fn codex_event(event: &str) -> String {
    format!(r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{event}}}"#)
}

#[test]
fn codex_prompts_are_found_whatever_stands_around_their_words() {
    let image = r#"{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<image name=[Image #1]>"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"},{"type":"input_text","text":"</image>"},{"type":"input_text","text":"what is it?"}]}}"#;
    let text = [
        codex_prompt("<environment_context>x</environment_context>"),
        codex_event(
            r#"{"type":"user_message","message":"<environment_context>x</environment_context>","kind":"environment_context"}"#,
        ),
        image.to_owned(),
        codex_event(
            r#"{"type":"user_message","message":"what is it?","images":["data:image/png;base64,AAAA"]}"#,
        ),
        codex_prompt("sent in other words"),
        codex_event(r#"{"type":"user_message","message":"typed in these words"}"#),
        codex_event(r#"{"type":"user_message","message":"typed before it was sent"}"#),
        codex_prompt("sent after it was typed"),
        codex_prompt("what the client says by itself"),
    ];
    let session = session(Format::Codex, &text.join("\n"));
    let expected = [
        "user [environment]: <environment_context>x</environment_context>",
        "user: <image name=[Image #1]>, …, </image>, what is it?",
        "user: sent in other words",
        "user: sent after it was typed",
        "user [client]: what the client says by itself",
    ];
    assert_eq!(told(&session), expected);
    assert_eq!(session.facts.user_turns, 3);
}

#[test]
fn codex_turns_that_were_rolled_back_are_rewound_and_messages_of_agents_are_no_answers() {
    let answer = |text: &str| {
        format!(
            r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{text}"}}]}}}}"#
        )
    };
    let prompt = |text: &str| {
        [codex_prompt(text), codex_event(&format!(r#"{{"type":"user_message","message":"{text}"}}"#))]
            .join("\n")
    };
    let text = [
        prompt("one"),
        answer("a1"),
        prompt("two"),
        answer("a2"),
        prompt("three"),
        codex_event(r#"{"type":"thread_rolled_back","num_turns":2}"#),
        prompt("four"),
        answer(r#"{\"author\":\"/root/x\",\"recipient\":\"/root\",\"content\":\"found\"}"#),
        codex_event(
            r#"{"type":"error","message":"bad","codex_error_info":{"response_too_many_failed_attempts":{"http_status_code":500}}}"#,
        ),
    ];
    let session = session(Format::Codex, &text.join("\n"));
    let told = told(&session);
    assert_eq!(told[5], "codex: rewind");
    let rewound = session.session.events[5].actions.rewind_before_invocation_id.clone();
    assert_eq!(rewound.as_deref(), Some(&*session.session.events[2].invocation_id));
    assert_eq!(told[7], r#"user [peer]: {"author":"/root/x","recipient":"/root","content":"found"}"#);
    assert_eq!(told[8], "codex: error response_too_many_failed_attempts");
    assert_eq!(session.facts.model_responses, 2);
}

#[test]
fn other_files_of_gemini_cli() {
    let typed = r#"[{"sessionId":"g1","messageId":0,"type":"user","message":"hello","timestamp":"2025-07-01T10:00:00Z"},{"sessionId":"g1","messageId":1,"type":"user","message":"/quit","timestamp":"2025-07-01T10:01:00Z"},{"sessionId":"g2","messageId":0,"type":"user","message":"again","timestamp":"2025-07-02T10:00:00Z"}]"#;
    let imported = import(typed.as_bytes());
    assert_eq!(imported.sessions.len(), 2);
    assert_eq!(told(&imported.sessions[0]), ["user: hello", "user [command]: /quit"]);
    assert_eq!(&*imported.sessions[1].session.id, "g2");
    let checkpoint = r#"{"history":[{"type":"user","text":"hello"}],"clientHistory":[{"role":"user","parts":[{"text":"hello"}]},{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}}]}],"toolCall":{"name":"ls","args":{}},"commitHash":"x"}"#;
    let checkpoint = session(Format::GeminiCli, checkpoint);
    assert_eq!(told(&checkpoint), ["user: hello", "gemini: call ls"]);
    let plain = r#"{"history":[{"role":"user","parts":[{"text":"hello"}]},{"role":"model","parts":[{"text":"hi"}]}]}"#;
    assert_eq!(told(&session(Format::GeminiCli, plain)), ["user: hello", "gemini: hi"]);
}

#[test]
fn output_of_gemini_cli_as_lines_and_as_one_object() {
    let text = lines(&[
        r#"{"type":"init","timestamp":"2026-01-01T00:00:00Z","session_id":"g1","model":"gemini-x"}"#,
        r#"{"type":"message","timestamp":"2026-01-01T00:00:01Z","role":"user","content":"list it"}"#,
        r#"{"type":"tool_use","timestamp":"2026-01-01T00:00:02Z","tool_name":"ls","tool_id":"t1","parameters":{}}"#,
        r#"{"type":"tool_result","timestamp":"2026-01-01T00:00:03Z","tool_id":"t1","status":"success","output":"a.py"}"#,
        r#"{"type":"message","timestamp":"2026-01-01T00:00:04Z","role":"assistant","content":"It is ","delta":true}"#,
        r#"{"type":"message","timestamp":"2026-01-01T00:00:05Z","role":"assistant","content":"a.py","delta":true}"#,
        r#"{"type":"result","timestamp":"2026-01-01T00:00:06Z","status":"success","stats":{"total_tokens":120,"input_tokens":100,"output_tokens":20,"cached":30,"tool_calls":1}}"#,
    ]);
    let of_lines = session(Format::GeminiCli, &text);
    let expected =
        ["user: list it", "gemini: call ls", "gemini: result of ls", "gemini: It is a.py", "gemini:  100+20"];
    assert_eq!(told(&of_lines), expected);
    check_counts(&of_lines, 1, 2, 100, 30, 20);
    let object = r#"{"session_id":"g1","response":"a.py","stats":{"models":{"gemini-x":{"api":{"totalRequests":2},"tokens":{"prompt":100,"candidates":20,"total":125,"cached":30,"thoughts":5,"tool":0}}},"tools":{}}}"#;
    let of_object = session(Format::GeminiCli, object);
    assert_eq!(told(&of_object), ["gemini: a.py", "gemini:  100+25"]);
}

#[test]
fn chats_of_qwen_code_are_no_transcripts_of_claude_code() {
    let text = lines(&[
        r#"{"uuid":"a","parentUuid":null,"sessionId":"q1","timestamp":"2026-01-01T00:00:00Z","type":"user","cwd":"/p","version":"0.5.0","message":{"role":"user","parts":[{"text":"list it"}]}}"#,
        r#"{"uuid":"b","parentUuid":"a","sessionId":"q1","timestamp":"2026-01-01T00:00:01Z","type":"assistant","cwd":"/p","version":"0.5.0","model":"qwen-x","message":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"ls","args":{}}}]},"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":40,"candidatesTokenCount":9}}"#,
        r#"{"uuid":"c","parentUuid":"b","sessionId":"q1","timestamp":"2026-01-01T00:00:02Z","type":"tool_result","cwd":"/p","version":"0.5.0","message":{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a.py"}}}]}}"#,
        r#"{"uuid":"d","parentUuid":"c","sessionId":"q1","timestamp":"2026-01-01T00:00:03Z","type":"system","subtype":"ui_telemetry","cwd":"/p","version":"0.5.0","systemPayload":{}}"#,
    ]);
    let session = session(Format::GeminiCli, &text);
    assert_eq!(told(&session), ["user: list it", "qwen: call ls 100+9", "qwen: result of ls"]);
    check_counts(&session, 1, 1, 100, 40, 9);
    assert_eq!(unmapped(&session), ["system.ui_telemetry"]);
}

fn copilot(kind: &str, data: &str) -> String {
    format!(
        r#"{{"type":"{kind}","data":{data},"id":"{kind}-{}","timestamp":"2026-01-01T00:00:00Z","parentId":null}}"#,
        data.len()
    )
}

fn copilot_end(input: u64, cached: u64, output: u64) -> String {
    let usage = format!(
        r#"{{"inputTokens":{input},"outputTokens":{output},"cacheReadTokens":{cached},"cacheWriteTokens":0}}"#
    );
    copilot(
        "session.shutdown",
        &format!(r#"{{"modelMetrics":{{"gpt-x":{{"requests":{{"count":1}},"usage":{usage}}}}}}}"#),
    )
}

#[test]
fn a_copilot_session_that_was_resumed_ends_with_sums_over_all_of_it() {
    let text = [
        copilot("session.start", r#"{"sessionId":"c1","selectedModel":"gpt-x"}"#),
        copilot("user.message", r#"{"content":"hello"}"#),
        copilot("assistant.message", r#"{"content":"hi","outputTokens":10}"#),
        copilot_end(1000, 0, 10),
        copilot("session.resume", r#"{"selectedModel":"gpt-x"}"#),
        copilot("user.message", r#"{"content":"a skill","source":"skill-pdf"}"#),
        copilot("assistant.message", r#"{"content":"ok","outputTokens":5}"#),
        copilot("session.compaction_complete", r#"{"success":false,"error":"too busy"}"#),
        copilot_end(2500, 900, 15),
    ];
    let session = session(Format::CopilotCli, &text.join("\n"));
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
        copilot_end(400, 100, 10),
    ];
    let session = session(Format::CopilotCli, &text.join("\n"));
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
    let one = session(Format::CopilotCli, &text.join("\n"));
    assert_eq!(told(&one), ["copilot.explore: dug"]);
    assert_eq!(one.session.events[0].branch.as_deref(), Some("agent.a7"));
    let old = r#"{"sessionId":"c0","startTime":"2025-10-01T00:00:00Z","chatMessages":[{"role":"user","content":"list it"},{"role":"assistant","content":"","tool_calls":[{"id":"k","type":"function","function":{"name":"bash","arguments":"{}"}}]},{"role":"tool","tool_call_id":"k","content":"a.py"}],"timeline":[{"id":"x","type":"user","text":"list it"}]}"#;
    let old = session(Format::CopilotCli, old);
    assert_eq!(told(&old), ["user: list it", "copilot: call bash", "copilot: result of bash"]);
}

#[test]
fn a_task_folder_of_cline_with_calls_in_words() {
    let text = lines(&[
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
    let session = session(Format::Cline, &text);
    let expected = [
        "user: <task>\nlist it\n</task>",
        "cline: <list_files><path>.</path></list_files> 115+1",
        "user [tool-result]: [list_files for '.'] Result:, a.py",
        "cline: a.py 20+2",
        "user: [attempt_completion] Result:\nThe user says:\n<feedback>\nmore\n</feedback>",
        "user [error]: [ERROR] You did not use a tool",
        "cline:  30+3",
        "cline:  1000+50",
    ];
    assert_eq!(told(&session), expected);
    check_counts(&session, 2, 3, 1165, 107, 56);
}

#[test]
fn a_task_folder_of_roo_with_times_models_and_summaries() {
    let text = lines(&[
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
    let session = session(Format::Cline, &text);
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

#[test]
fn opencode_messages_of_several_calls_are_several_responses() {
    let text = lines(&[
        r#"{"info":{"id":"s1","projectID":"p","version":"0.4.0","title":"T","revert":{"messageID":"m3"}},"messages":["#,
        r#" {"info":{"id":"m1","sessionID":"s1","role":"user","time":{"created":1}},"parts":[{"id":"p1","type":"text","text":"list it"},{"id":"p2","type":"text","text":"Called the Read tool","synthetic":true}]},"#,
        r#" {"info":{"id":"m2","sessionID":"s1","role":"assistant","system":["be brief"],"modelID":"x","time":{"created":2},"tokens":{"input":30,"output":3,"reasoning":0,"cache":{"read":7,"write":0}}},"parts":["#,
        r#"  {"id":"a","type":"step-start"},{"id":"b","type":"tool","callID":"c1","tool":"bash","state":{"status":"completed","input":{},"output":"a.py"}},"#,
        r#"  {"id":"c","type":"step-finish","tokens":{"input":20,"output":2,"reasoning":0,"cache":{"read":5,"write":1}}},"#,
        r#"  {"id":"d","type":"step-start"},{"id":"e","type":"text","text":"a.py"},"#,
        r#"  {"id":"f","type":"step-finish","tokens":{"input":30,"output":3,"reasoning":0,"cache":{"read":7,"write":0}}}]},"#,
        r#" {"info":{"id":"m3","sessionID":"s1","role":"user","time":{"created":3}},"parts":[{"id":"g","type":"text","text":"Continue if you have next steps","synthetic":true},{"id":"h","type":"text","text":"not sent","ignored":true}]}]}"#,
    ]);
    let session = session(Format::OpenCodeExport, &text);
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
    let export = session(Format::GooseFile, export);
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
    let run = lines(&[
        r#"{"type":"message","message":{"role":"user","created":1718000000,"content":[{"type":"text","text":"list it"}]}}"#,
        r#"{"type":"message","message":{"role":"assistant","created":1718000001,"content":[{"type":"text","text":"a.py"}]}}"#,
        r#"{"type":"complete","total_tokens":77}"#,
    ]);
    assert_eq!(told(&session(Format::GooseFile, &run))[..2], ["user: list it", "goose: a.py"]);
}

#[test]
fn a_goose_database_without_a_ledger_has_sums() {
    let text = |text: &str| OwnedValue::Text(text.to_owned());
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
        let session = session(Format::OpenHands, &text);
        assert_eq!(told(&session), expected);
        assert_eq!(session.facts.compactions, 1);
    }
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
    let events = lines(&[
        r#"{"id":"a","timestamp":"2026-01-01T00:00:00","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"list it"}]},"kind":"MessageEvent"}"#,
        r#"{"id":"b","timestamp":"2026-01-01T00:00:01","source":"agent","thought":[],"tool_name":"terminal","tool_call_id":"c","tool_call":{"id":"c","name":"terminal","arguments":"{}"},"llm_response_id":"r1","kind":"ActionEvent"}"#,
        r#"{"id":"c","timestamp":"2026-01-01T00:00:02","source":"environment","tool_name":"terminal","tool_call_id":"c","observation":{"content":[{"type":"text","text":"a.py"}],"is_error":false},"kind":"ObservationEvent"}"#,
        r#"{"id":"d","timestamp":"2026-01-01T00:00:03","source":"agent","llm_message":{"role":"assistant","content":[{"type":"text","text":"a.py"}]},"kind":"MessageEvent"}"#,
        r#"{"id":"e","timestamp":"2026-01-01T00:00:04","source":"environment","code":"MaxIterationsReached","detail":"too many","kind":"ConversationErrorEvent"}"#,
    ]);
    let whole = session(Format::OpenHands, &format!("{state}\n{events}"));
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
    check_counts(&session(Format::OpenHands, &format!("{events}\n{update}")), 1, 2, 220, 20, 10);
}

#[test]
fn claude_code_behind_a_gateway_writes_what_came_so_far() {
    let record = |uuid: &str, block: &str, output: u64| {
        format!(
            r#"{{"type":"assistant","uuid":"{uuid}","parentUuid":null,"sessionId":"s","message":{{"id":"chatcmpl-1","model":"other","content":[{block}],"usage":{{"input_tokens":9,"output_tokens":{output}}}}}}}"#
        )
    };
    let text = |words: &str| format!(r#"{{"type":"text","text":"{words}"}}"#);
    let call = |input: &str| format!(r#"{{"type":"tool_use","id":"t","name":"Read","input":{input}}}"#);
    let text = [
        record("a", &text("Let me"), 1),
        record("b", &text("Let me look"), 3),
        record("c", &format!("{},{}", text("Let me look"), call("{}")), 5),
        record("d", &format!("{},{}", text("Let me look"), call(r#"{"path":"a.py"}"#)), 8),
    ];
    let session = session(Format::ClaudeCode, &text.join("\n"));
    assert_eq!(told(&session), ["claude: Let me look, call Read 9+8"]);
    let call = session.session.events[0].function_calls().next().unwrap();
    assert_eq!(call.args.as_ref().unwrap().len(), 1);
}

#[test]
fn a_sub_agent_that_repeats_what_its_parent_said_made_no_call_by_it() {
    let record = |uuid: &str, more: &str, id: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"{uuid}","parentUuid":null,{more}"sessionId":"s","message":{{"id":"{id}","content":[{{"type":"text","text":"x"}}],{CLAUDE_USAGE}}}}}"#
        )
    };
    let inner = r#""isSidechain":true,"agentId":"f","#;
    let text = [record("a", "", "m1"), record("b", inner, "m1"), record("c", inner, "m2")];
    let session = session(Format::ClaudeCode, &text.join("\n"));
    assert_eq!(session.session.events.len(), 3);
    check_counts(&session, 0, 2, 642, 40, 8);
}

/// Samples that are lines, which some writers put into a list or on several lines each.
const LINES: [&str; 9] = [
    "claude-code.jsonl",
    "claude-code-subagents.jsonl",
    "claude-code-output.jsonl",
    "codex.jsonl",
    "codex-agent.jsonl",
    "gemini-cli.jsonl",
    "copilot-cli.jsonl",
    "goose-session.jsonl",
    "openhands.jsonl",
];

#[test]
fn how_lines_are_written_does_not_matter() {
    let mut n_sound = 0;
    for name in LINES {
        let bytes = crate::support::sample(name);
        let text = String::from_utf8(bytes.clone()).unwrap();
        let expected = import(&bytes).sessions;
        assert!(!expected.is_empty(), "{name}");
        let records: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let parsed = || records.iter().map(|line| strata_model::json::parse(line.as_bytes()));
        // Some samples have a broken line on purpose.
        let is_sound = parsed().all(|record| record.is_ok());
        let mut ways = vec![format!("\u{feff}{}\r\n", text.lines().collect::<Vec<_>>().join("\r\n"))];
        if is_sound {
            n_sound += 1;
            let pretty = parsed().map(|record| strata_model::json::to_pretty(&record.unwrap()));
            ways.push(pretty.collect::<Vec<_>>().join("\n"));
            ways.push(records.concat());
            ways.push(format!("[{}]", records.join(",")));
            ways.push(format!("[\r\n{}\r\n]\r\n", records.join(",\r\n")));
        }
        for (way, text) in ways.iter().enumerate() {
            let found = import(text.as_bytes());
            let sessions: Vec<_> = found.sessions.iter().map(|one| &one.session).collect();
            let wanted: Vec<_> = expected.iter().map(|one| &one.session).collect();
            assert!(sessions == wanted, "{name} in way {way}: {:?}", found.diagnostics);
            let facts =
                |one: &ImportedSession| (one.facts.user_turns, one.facts.input_tokens, one.title.clone());
            assert_eq!(
                found.sessions.iter().map(facts).collect::<Vec<_>>(),
                expected.iter().map(facts).collect::<Vec<_>>()
            );
        }
    }
    assert!(n_sound >= 7, "{n_sound}");
}
