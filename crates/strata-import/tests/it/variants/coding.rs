//! Pi, Continue, Droid, Amp, SpecStory, and what people export of their chats.

use strata_import::{Format, import};

use super::{check_counts, joined, session, told};

const DROID: [&str; 3] = [
    r#"{"type":"session_start","id":"d1","title":"A berth","owner":"ada","cwd":"/work"}"#,
    r#"{"type":"message","id":"m1","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":[{"type":"text","text":"hello"}]}}"#,
    r#"{"type":"message","id":"m2","timestamp":"2026-01-01T00:00:01Z","message":{"role":"assistant","content":[{"type":"text","text":"hi"}]}}"#,
];
const DROID_SETTINGS: &str = r#"{"model":"x","tokenUsage":{"inputTokens":10,"outputTokens":4,"cacheCreationTokens":5,"cacheReadTokens":100,"thinkingTokens":1}}"#;

#[test]
fn tokens_of_droid_are_in_the_settings_alone() {
    check_counts(&session(Format::DROID, &joined(&DROID)), 1, 1, 0, 0, 0);
    let text = format!("{}\n{DROID_SETTINGS}", joined(&DROID));
    check_counts(&session(Format::DROID, &text), 1, 1, 115, 100, 4);
    let alone = import(DROID_SETTINGS.as_bytes());
    assert!(alone.sessions.is_empty());
    assert!(
        alone.diagnostics[0].message.contains("settings of a session of Droid"),
        "{:?}",
        alone.diagnostics
    );
}

#[test]
fn steps_of_windsurf_are_calls_of_the_answer_before_them_or_of_one_of_their_own() {
    let text = joined(&[
        r#"{"type":"user_input","status":"done","user_input":{"user_response":"hello"}}"#,
        r#"{"type":"planner_response","status":"done","planner_response":{"response":"hi"}}"#,
        r#"{"type":"mcp_tool","status":"error","mcp_tool":{"name":"ask","error":"nobody there"}}"#,
        r#"{"type":"grep_search","status":"done","grep_search":{"query":"x"}}"#,
        r#"{"type":"checkpoint","status":"done"}"#,
        r#"{"type":"planner_response","status":"done","planner_response":{"response":""}}"#,
    ]);
    let one = session(Format::WINDSURF, &text);
    check_counts(&one, 1, 2, 0, 0, 0);
    let events = &one.session.events;
    let calls =
        |at: usize| events[at].function_calls().map(|call| call.name.clone().unwrap()).collect::<Vec<_>>();
    assert_eq!([calls(1), calls(3)], [vec!["mcp_tool".into()], vec!["grep_search".into()]]);
    let result = |at: usize| strata_model::json::to_compact(&strata_model::FromJson::to_json(&*events[at]));
    assert!(result(2).contains("nobody there") && result(4).contains(r#""status":"done""#));
    let left: Vec<_> = one.unmapped.records.keys().map(|kind| &**kind).collect();
    assert_eq!(left, ["checkpoint", "planner_response without words"]);
}

#[test]
fn pi_says_each_message_of_a_run_once_it_ends() {
    let text = joined(&[
        r#"{"type":"session","version":3,"id":"p1","timestamp":"2026-01-01T00:00:00Z","cwd":"/work"}"#,
        r#"{"type":"agent_start"}"#,
        r#"{"type":"message_start","message":{"role":"user","content":"hello","timestamp":1767225600000}}"#,
        r#"{"type":"message_end","message":{"role":"user","content":"hello","timestamp":1767225600000}}"#,
        r#"{"type":"message_update","message":{"role":"assistant","content":[{"type":"text","text":"h"}]}}"#,
        r#"{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],"model":"x","usage":{"input":3,"output":2,"cacheRead":10,"cacheWrite":0,"totalTokens":15},"stopReason":"stop","timestamp":1767225601000}}"#,
        r#"{"type":"turn_end","message":{"role":"assistant","content":[{"type":"text","text":"hi"}]},"toolResults":[]}"#,
        r#"{"type":"agent_end","messages":[]}"#,
    ]);
    let session = session(Format::PI, &text);
    check_counts(&session, 1, 1, 13, 10, 2);
    assert_eq!(told(&session), ["user: hello", "pi: hi 13+2"]);
}

fn continued(usage: &str) -> String {
    format!(
        r#"{{"sessionId":"c1","title":"T","workspaceDirectory":"/work","history":[{{"message":{{"role":"user","content":"hello"}},"contextItems":[]}},{{"message":{{"role":"assistant","content":"hi","usage":{usage}}},"contextItems":[]}}]}}"#
    )
}

#[test]
fn continue_keeps_what_a_provider_counts_as_the_input() {
    let openai = r#"{"prompt_tokens":100,"completion_tokens":7,"total_tokens":107,"prompt_tokens_details":{"cached_tokens":60}}"#;
    check_counts(&session(Format::CONTINUE, &continued(openai)), 1, 1, 100, 60, 7);
    let anthropic = r#"{"prompt_tokens":10,"completion_tokens":7,"prompt_tokens_details":{"cache_read_tokens":60,"cache_write_tokens":5}}"#;
    check_counts(&session(Format::CONTINUE, &continued(anthropic)), 1, 1, 75, 60, 7);
}

fn amp(usage: &str, ledger: &str) -> String {
    format!(
        r#"{{"v":1,"id":"T-1","created":1767225600000,"messages":[{{"role":"user","messageId":0,"content":[{{"type":"text","text":"hello"}}]}},{{"role":"assistant","messageId":1,"content":[{{"type":"text","text":"hi"}}]{usage}}}]{ledger}}}"#
    )
}

#[test]
fn amp_says_what_a_call_came_to_in_three_ways() {
    let ledger =
        r#","usageLedger":{"events":[{"model":"x","tokens":{"input":70,"output":3},"toMessageId":1}]}"#;
    check_counts(&session(Format::AMP, &amp("", ledger)), 1, 1, 70, 0, 3);
    let beside = r#","usage":{"model":"x","inputTokens":5,"outputTokens":3,"cacheReadInputTokens":60,"cacheCreationInputTokens":9}"#;
    check_counts(&session(Format::AMP, &amp(beside, ledger)), 1, 1, 74, 60, 3);
    let whole = r#","usage":{"model":"x","inputTokens":5,"outputTokens":3,"cacheReadInputTokens":60,"totalInputTokens":65}"#;
    check_counts(&session(Format::AMP, &amp(whole, "")), 1, 1, 65, 60, 3);
}

#[test]
fn the_editors_of_specstory_need_no_times() {
    let text = "<!-- Generated by SpecStory -->\n\n# A berth (2025-01-01 00:00Z)\n\n_**User**_\n\nhello\n\n---\n\n_**Assistant**_\n\nhi\n\n---\n";
    let import = import(text.as_bytes());
    assert_eq!(told(&import.sessions[0]), ["user: hello", "agent: hi"]);
}

#[test]
fn one_conversation_of_an_export_is_read_alone() {
    let chatgpt = r#"{"title":"T","create_time":1.0,"conversation_id":"g1","current_node":"b","mapping":{"b":{"id":"b","parent":"a","message":{"author":{"role":"assistant"},"content":{"content_type":"text","parts":["hi"]}}},"a":{"id":"a","parent":null,"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["hello"]}}}}}"#;
    assert_eq!(told(&session(Format::CHATGPT, chatgpt)), ["user: hello", "chatgpt: hi"]);
    // Older exports of Claude say nothing of parents and have the text alone.
    let claude = r#"{"uuid":"c1","name":"T","created_at":"2024-01-01T00:00:00Z","chat_messages":[{"uuid":"q","text":"hello","sender":"human"},{"uuid":"a","text":"hi","sender":"assistant"}]}"#;
    assert_eq!(told(&session(Format::CLAUDE_AI, claude)), ["user: hello", "claude: hi"]);
}

#[test]
fn the_nodes_of_a_circle_are_read_once() {
    let node = |id: &str, parent: &str| {
        format!(
            r#""{id}":{{"id":"{id}","parent":"{parent}","message":{{"author":{{"role":"user"}},"content":{{"content_type":"text","parts":["{id}"]}}}}}}"#
        )
    };
    let text = format!(
        r#"{{"title":"T","conversation_id":"g1","current_node":"a","mapping":{{{},{},{}}}}}"#,
        node("a", "b"),
        node("b", "a"),
        node("c", "c")
    );
    assert_eq!(session(Format::CHATGPT, &text).session.events.len(), 3);
}
