//! Codex: rollouts of 2025, `codex exec --json`, prompts and rollbacks.

use strata_import::Format;

use super::{check_counts, joined, session, told, unmapped};

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
    let of_lines = session(Format::CODEX, &joined(&CODEX_OLD));
    assert_eq!(told(&of_lines), expected);
    assert_eq!(&*of_lines.session.id, "r1");
    assert_eq!(unmapped(&of_lines), ["record_type.state"]);
    let items = CODEX_OLD[2..].join(",\n  ");
    let document = format!("{{\n \"session\": {},\n \"items\": [\n  {items}\n ]\n}}", CODEX_OLD[0]);
    assert_eq!(told(&session(Format::CODEX, &document)), expected);
}

#[test]
fn output_of_codex_exec_has_items_and_sums() {
    let text = joined(&[
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
    let session = session(Format::CODEX, &text);
    let expected = [
        "codex: (look), call shell",
        "codex: result of shell",
        "codex: call mcp__docs__find",
        "codex: result of mcp__docs__find",
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
fn tools_of_a_namespace_have_the_names_that_they_are_declared_by() {
    let item = |payload: &str| {
        format!(r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{payload}}}"#)
    };
    let text = [
        item(r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"find it"}]}"#),
        item(
            r#"{"type":"function_call","name":"find","namespace":"mcp__docs","arguments":"{}","call_id":"c1"}"#,
        ),
        item(r#"{"type":"function_call_output","call_id":"c1","output":"found"}"#),
        item(
            r#"{"type":"function_call","name":"spawn_agent","namespace":"multi_agent_v1","arguments":"{}","call_id":"c2"}"#,
        ),
    ];
    let session = session(Format::CODEX, &text.join("\n"));
    let expected = [
        "user: find it",
        "codex: call mcp__docs__find",
        "codex: result of mcp__docs__find",
        "codex: call multi_agent_v1__spawn_agent",
    ];
    assert_eq!(told(&session), expected);
    assert!(unmapped(&session).iter().all(|field| !field.contains("namespace")), "{:?}", unmapped(&session));
}

#[test]
fn events_of_the_codex_interface_tell_a_session_without_items() {
    let text = joined(&[
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
    let session = session(Format::CODEX, &text);
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
    let session = session(Format::CODEX, &text.join("\n"));
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
    let session = session(Format::CODEX, &text.join("\n"));
    let told = told(&session);
    assert_eq!(told[5], "codex: rewind");
    let rewound = session.session.events[5].actions.rewind_before_invocation_id.clone();
    assert_eq!(rewound.as_deref(), Some(&*session.session.events[2].invocation_id));
    assert_eq!(told[7], r#"user [peer]: {"author":"/root/x","recipient":"/root","content":"found"}"#);
    assert_eq!(told[8], "codex: error response_too_many_failed_attempts");
    assert_eq!(session.facts.model_responses, 2);
}

#[test]
fn the_first_line_of_another_thread_makes_no_fork_where_nothing_tells_that_it_is_older() {
    let thread = "019b1111-0000-7000-8000-000000000000";
    let meta = |id: &str, time: &str| {
        format!(
            r#"{{"timestamp":"{time}","type":"session_meta","payload":{{"id":"{id}","timestamp":"{time}"}}}}"#
        )
    };
    let time = "2026-01-01T10:00:00.000Z";
    let of_turn =
        |payload: &str| format!(r#"{{"timestamp":"{time}","type":"event_msg","payload":{payload}}}"#);
    // Who made the turns wrote other digits into their ids.
    let turn = "019b0000-0000-7000-8000-000000000001";
    let item = |role: &str, kind: &str, text: &str| {
        let content = format!(r#"[{{"type":"{kind}","text":"{text}"}}]"#);
        format!(
            r#"{{"timestamp":"{time}","type":"response_item","payload":{{"type":"message","role":"{role}","content":{content}}}}}"#
        )
    };
    let count = r#"{"type":"token_count","info":{"last_token_usage":{"input_tokens":100,"output_tokens":5},"total_token_usage":{"input_tokens":100,"output_tokens":5}}}"#;
    let lines = |other: String| {
        let started = of_turn(&format!(r#"{{"type":"task_started","turn_id":"{turn}"}}"#));
        let asked = item("user", "input_text", "old?");
        let answered = item("assistant", "output_text", "old.");
        [meta(thread, time), started, asked, answered, of_turn(count), other].join("\n")
    };
    let stitched = session(Format::CODEX, &lines(meta("[left out]", "[left out]")));
    check_counts(&stitched, 1, 1, 100, 0, 5);
    let forked = session(Format::CODEX, &lines(meta(turn, "2026-01-01T09:00:00.000Z")));
    check_counts(&forked, 0, 0, 0, 0, 0);
}
