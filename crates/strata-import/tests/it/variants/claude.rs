//! Claude Code: its output streams, its newer records, gateways to other providers.

use strata_import::Format;

use super::{check_counts, joined, session, told};

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
    let session_of_lines = session(Format::CLAUDE_CODE, &records.join("\n"));
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
        assert_eq!(session(Format::CLAUDE_CODE, &list).session, session_of_lines.session);
    }
}

#[test]
fn the_result_of_a_run_is_its_answer_where_nothing_else_was_kept() {
    let text = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"hello","session_id":"s1","total_cost_usd":0.1,"usage":{"input_tokens":5,"cache_read_input_tokens":7,"output_tokens":2},"modelUsage":{"claude-x":{"inputTokens":5}}}"#;
    let one = session(Format::CLAUDE_CODE, text);
    assert_eq!(told(&one), ["claude: hello 12+2"]);
    check_counts(&one, 0, 1, 12, 7, 2);
    assert_eq!(one.session.events[0].model_version.as_deref(), Some("claude-x"));
    let several = session(Format::CLAUDE_CODE, &text.replace("\"num_turns\":1", "\"num_turns\":3"));
    check_counts(&several, 0, 0, 12, 7, 2);
}

#[test]
fn the_outputs_of_several_runs_are_an_answer_each() {
    let run = |answer: &str, uuid: &str| {
        format!(
            r#"{{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"{answer}","session_id":"s1","uuid":"{uuid}","usage":{{"input_tokens":5,"output_tokens":2}}}}"#
        )
    };
    let spoken = format!(
        r#"{{"type":"assistant","message":{{"id":"m1","content":[{{"type":"text","text":"three"}}],{CLAUDE_USAGE}}},"session_id":"s1"}}"#
    );
    let text = [run("one", "a"), run("two", "b"), spoken, run("three", "c")].join("\n");
    let session = session(Format::CLAUDE_CODE, &text);
    assert_eq!(told(&session), ["claude: one 5+2", "claude: two 5+2", "claude: three 321+4", "claude: "]);
    check_counts(&session, 0, 3, 331, 20, 8);
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
    let session = session(Format::CLAUDE_CODE, &text.join("\n"));
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
    let text = joined(&[
        r#"{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":[{"type":"text","text":"<ide_opened_file>x.py</ide_opened_file>"},{"type":"text","text":"fix it"}]}}"#,
        r#"{"type":"system","subtype":"local_command","uuid":"b","parentUuid":"a","content":"<command-name>/mcp</command-name>"}"#,
        r#"{"type":"user","uuid":"c","parentUuid":"b","message":{"role":"user","content":"<teammate-message teammate_id=\"x\">hi</teammate-message>"}}"#,
        r#"{"type":"assistant","uuid":"d","parentUuid":"c","message":{"id":"","content":[{"type":"text","text":"one"}],"usage":{"input_tokens":1,"output_tokens":1}}}"#,
        r#"{"type":"assistant","uuid":"e","parentUuid":"d","message":{"id":"","content":[{"type":"text","text":"two"}],"usage":{"input_tokens":1,"output_tokens":1}}}"#,
    ]);
    let session = session(Format::CLAUDE_CODE, &text);
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
    let session = session(Format::CLAUDE_CODE, &text.join("\n"));
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
    let main = record("a", "", "m1");
    let forked = [record("b", inner, "m1"), record("c", inner, "m2")].join("\n");
    // The records of a sub-agent may stand first.
    for text in [format!("{main}\n{forked}"), format!("{forked}\n{main}")] {
        let session = session(Format::CLAUDE_CODE, &text);
        assert_eq!(session.session.events.len(), 3);
        check_counts(&session, 0, 2, 642, 40, 8);
        let copies = session.session.events.iter().filter(|event| strata_import::marks::is_relayed(event));
        assert_eq!(copies.map(|event| event.branch.as_deref()).collect::<Vec<_>>(), [Some("agent.f")]);
    }
}
