//! Lists of messages and trajectories as data sets, frameworks and evaluations write them.

use crate::counted::{check, words};

const TALK: &str = "messages-json";

#[test]
fn conversations_of_data_sets() {
    let talk = r#"{"id":"a","system":"Be brief.","tools":"[]","conversations":[{"from":"human","value":"Hi"},{"from":"function_call","value":"{\"name\":\"f\",\"arguments\":{\"x\":1}}"},{"from":"observation","value":"3"},{"from":"gpt","value":"Three."}]}"#;
    let imported = check(TALK, talk, [1, 1, 2, 1, 1], [0, 0, 0]);
    assert!(words(&imported).starts_with("user: Be brief.\nuser: Hi\n"), "{}", words(&imported));
    check(TALK, format!("[{talk},{talk}]"), [2, 2, 4, 2, 2], [0, 0, 0]);
    check(TALK, format!("{talk}\r\n{talk}\r\n"), [2, 2, 4, 2, 2], [0, 0, 0]);
    check(
        TALK,
        r#"[{"from":"human","value":"Hi"},{"from":"gpt","value":"Hello"}]"#,
        [1, 1, 1, 0, 0],
        [0, 0, 0],
    );
    let tuning = r#"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"3"},{"role":"assistant","content":"Three.","weight":1}],"functions":[{"name":"f"}]}"#;
    check(TALK, tuning, [1, 1, 2, 1, 1], [0, 0, 0]);
    let preferred = r#"{"input":{"messages":[{"role":"user","content":"Hi"}],"tools":[]},"preferred_output":[{"role":"assistant","content":"Hello"}],"non_preferred_output":[{"role":"assistant","content":"What?"}]}"#;
    let imported = check(TALK, preferred, [1, 1, 1, 0, 0], [0, 0, 0]);
    assert!(words(&imported).ends_with("Hello"));
    assert_eq!(imported.sessions[0].unmapped.fields["conversation.non_preferred_output"], 1);
    check(
        TALK,
        r#"{"prompt":[{"role":"user","content":"Hi"}],"completion":[{"role":"assistant","content":"Hello"}]}"#,
        [1, 1, 1, 0, 0],
        [0, 0, 0],
    );
}

#[test]
fn a_record_that_repeats_its_lists_says_every_message_once() {
    let (ask, answer, other) = (
        r#"{"role":"user","content":"Hi"}"#,
        r#"{"role":"assistant","content":"Hello"}"#,
        r#"{"role":"assistant","content":"What?"}"#,
    );
    let records = [
        format!(
            r#"{{"prompt":"Hi","messages":[{ask},{answer}],"chosen":[{ask},{answer}],"rejected":[{ask},{other}]}}"#
        ),
        format!(r#"{{"prompt":[{ask}],"chosen":[{ask},{answer}],"rejected":[{ask},{other}]}}"#),
        format!(r#"{{"prompt":[{ask}],"chosen":[{answer}],"rejected":[{other}]}}"#),
        format!(r#"{{"prompt":[{ask}],"completion":[{answer}]}}"#),
        format!(r#"{{"completion":[{answer}],"prompt":[{ask}]}}"#),
        format!(r#"{{"prompt":[{ask}],"completion":[{ask},{answer}]}}"#),
        format!(
            r#"{{"input":{{"messages":[{ask}],"tools":[]}},"preferred_output":[{answer}],"non_preferred_output":[{other}]}}"#
        ),
    ];
    for record in records {
        for (text, n) in
            [(record.clone(), 1), (format!("[{record}]"), 1), (format!("[{record},{record}]"), 2)]
        {
            let imported = check(TALK, &text, [n, n, n, 0, 0], [0, 0, 0]);
            let expected = ["user: Hi\nassistant: Hello"; 2][..n as usize].join("\n");
            assert_eq!(words(&imported), expected, "{text}");
        }
    }
    let both = format!(r#"[{{"messages":[{ask},{answer}],"chosen":[{ask},{other}]}}]"#);
    let imported = check(TALK, both, [1, 1, 1, 0, 0], [0, 0, 0]);
    assert_eq!(imported.sessions[0].unmapped.fields["conversation.chosen"], 1);
}

#[test]
fn files_that_stand_elsewhere_are_carried_as_they_are() {
    let place = r#"{"format":"pdf","name":"a","source":{"s3Location":{"uri":"s3://x/a.pdf"}}}"#;
    let bytes = r#"{"format":"pdf","name":"a","source":{"bytes":"aGk="},"citations":{"enabled":true}}"#;
    let text = format!(
        r#"[{{"role":"user","content":[{{"text":"Hi"}},{{"document":{place}}},{{"document":{bytes}}}]}}]"#
    );
    let imported = check(TALK, text, [1, 1, 0, 0, 0], [0, 0, 0]);
    let session = &imported.sessions[0];
    let parts = session.session.events[0].parts();
    assert_eq!(parts.len(), 3);
    assert!(format!("{:?}", parts[1]).contains("s3://x/a.pdf"), "{:?}", parts[1]);
    assert!(parts[2].inline_data.is_some());
    let fields: Vec<_> = session.unmapped.fields.keys().map(|key| &**key).collect();
    assert_eq!(fields, ["content.block without a type", "content.document.citations"]);
}

#[test]
fn messages_a_line() {
    let lines = "{\"role\":\"user\",\"content\":\"Hi\"}\n{\"role\":\"assistant\",\"content\":\"Hello\",\"timestamp\":1767323045}\n{\"role\":\"us";
    let imported = check(TALK, lines, [1, 1, 1, 0, 0], [0, 0, 0]);
    assert_eq!(imported.diagnostics[0].code, "truncated");
}

#[test]
fn messages_of_frameworks() {
    let dicts = r#"[{"type":"human","data":{"content":"Hi"}},{"type":"ai","data":{"content":"","tool_calls":[{"name":"f","args":{},"id":"c"}],"usage_metadata":{"input_tokens":3,"output_tokens":1,"total_tokens":4}}},{"type":"tool","data":{"content":"3","tool_call_id":"c","name":"f"}}]"#;
    check(TALK, dicts, [1, 1, 1, 1, 1], [3, 0, 1]);
    let dumped = r#"[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"Hi"}},{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"Hello"}}]"#;
    check(TALK, dumped, [1, 1, 1, 0, 0], [0, 0, 0]);
    let twice = r#"[{"type":"human","content":"Hi"},{"type":"ai","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"toolu_1","name":"f","input":{"x":1}}],"tool_calls":[{"name":"f","args":{"x":1},"id":"toolu_1","type":"tool_call"}],"invalid_tool_calls":[],"usage_metadata":{"input_tokens":9,"output_tokens":2,"total_tokens":11,"input_token_details":{"cache_read":4}}},{"type":"tool","content":"3","tool_call_id":"toolu_1"},{"type":"ai","content":"","tool_calls":[],"invalid_tool_calls":[{"type":"invalid_tool_call","id":"b","name":"f","args":"{\"x\": ","error":"no JSON"}]}]"#;
    let imported = check(TALK, twice, [1, 1, 2, 2, 1], [9, 4, 2]);
    let fields: Vec<_> = imported.sessions[0].unmapped.fields.keys().map(|key| &**key).collect();
    assert_eq!(fields, ["tool_calls.error"]);
    let haystack = r#"[{"role":"user","meta":{},"name":null,"content":[{"text":"Hi"}]},{"role":"assistant","meta":{"model":"m","usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9},"finish_reason":"tool_calls"},"name":null,"content":[{"text":"I look."},{"tool_call":{"tool_name":"f","arguments":{"x":1},"id":"c","extra":null}}]},{"role":"tool","meta":{},"name":null,"content":[{"tool_call_result":{"result":"no","origin":{"tool_name":"f","arguments":{"x":1},"id":"c","extra":null},"error":true}}]}]"#;
    let imported = check(TALK, haystack, [1, 1, 1, 1, 1], [7, 0, 2]);
    let session = &imported.sessions[0];
    assert_eq!(session.session.events[1].model_version.as_deref(), Some("m"));
    assert!(session.unmapped.fields.is_empty(), "{:?}", session.unmapped.fields);
    let parts = r#"[{"id":"1","role":"user","parts":[{"type":"text","text":"Hi"}]},{"id":"2","role":"assistant","parts":[{"type":"step-start"},{"type":"reasoning","text":"Hm."},{"type":"tool-f","toolCallId":"c","state":"output-available","input":{"x":1},"output":3},{"type":"text","text":"Three."}]}]"#;
    check(TALK, parts, [1, 1, 1, 1, 1], [0, 0, 0]);
}

#[test]
fn trajectories_of_evaluations() {
    let tau = r#"{"info":{},"tasks":[],"simulations":[{"id":"s","task_id":"1","trial":0,"termination_reason":"user_stop","messages":[{"role":"assistant","content":"Hi!","turn_idx":0},{"role":"user","content":"Check it.","turn_idx":1,"usage":{"prompt_tokens":50,"completion_tokens":5}},{"role":"assistant","tool_calls":[{"id":"a","name":"f","arguments":{},"requestor":"assistant"},{"id":"b","name":"f","arguments":{},"requestor":"assistant"}],"usage":{"prompt_tokens":10,"completion_tokens":2}},{"role":"tool","tool_messages":[{"id":"a","role":"tool","content":"1","requestor":"assistant","error":false},{"id":"b","role":"tool","content":"no","requestor":"assistant","error":true}]},{"role":"user","tool_calls":[{"id":"c","name":"look","arguments":{},"requestor":"user"}]},{"role":"tool","id":"c","content":"seen","requestor":"user"}]}]}"#;
    check("tau-bench-json", tau, [1, 1, 2, 3, 3], [10, 0, 2]);
    let shown = r#"{"messages_display":"user: Cancel it.\nassistant: None\ntool: {\"a\": 1}\nassistant: Done:\n- a flight"}"#;
    assert!(
        words(&check("tau-bench-json", shown, [1, 1, 1, 0, 1], [0, 0, 0])).ends_with("Done:\n- a flight")
    );
    let mini = r#"{"trajectory_format":"mini-swe-agent-1.1","info":{"model_stats":{}},"messages":[{"role":"system","content":"You are"},{"role":"user","content":"Fix it"},{"object":"response","id":"r","model":"m","output":[{"type":"reasoning","summary":[]},{"type":"function_call","call_id":"c","name":"bash","arguments":"{\"command\":\"ls\"}"}],"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":2},"extra":{"timestamp":5.0,"actions":[]}},{"type":"function_call_output","call_id":"c","output":"a.txt","extra":{"returncode":0}}]}"#;
    check("mini-swe-agent-traj", mini, [1, 1, 1, 1, 1], [9, 4, 2]);
    let claude = r#"{"trajectory_format":"mini-swe-agent-1","messages":[{"role":"user","content":"Fix it"},{"role":"assistant","content":"Done","extra":{"response":{"id":"r","model":"claude-x","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105,"prompt_tokens_details":{"cached_tokens":80,"cache_creation_tokens":10},"cache_creation_input_tokens":10,"cache_read_input_tokens":80}}}}]}"#;
    check("mini-swe-agent-traj", claude, [1, 1, 1, 0, 0], [100, 80, 5]);
    let inspect = r#"{"version":2,"status":"success","eval":{"task":"t"},"samples":[{"id":1,"epoch":1,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"reasoning","reasoning":"Hm.","signature":"s"}],"tool_calls":[{"id":"c","function":"bash","arguments":{"cmd":"ls"},"type":"function"}]},{"role":"tool","content":"a.txt","tool_call_id":"c","function":"bash","error":{"type":"timeout","message":"late"}}]}]}"#;
    let imported = check("inspect-ai-log", inspect, [1, 1, 1, 1, 1], [0, 0, 0]);
    let call = imported.sessions[0].session.events[1].function_calls().next().unwrap().name.clone();
    assert_eq!(call.as_deref(), Some("bash"));
}

#[test]
fn payloads_of_litellm() {
    let payload = r#"{"id":"c","litellm_call_id":"1","call_type":"acompletion","custom_llm_provider":"anthropic","startTime":1767323045.0,"model":"claude-x","messages":[{"role":"user","content":"Hi"}],"response":{"id":"c","choices":[{"message":{"role":"assistant","content":"Hello"}}],"usage":{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105,"cache_creation_input_tokens":10,"cache_read_input_tokens":80}}}"#;
    let embedding = r#"{"id":"e","litellm_call_id":"2","call_type":"aembedding","custom_llm_provider":"openai","messages":["Hi"],"response":{"data":[]},"prompt_tokens":7,"total_tokens":7}"#;
    check("litellm-log", format!("{payload}\n{payload}\n{embedding}\n"), [1, 1, 1, 0, 0], [100, 80, 5]);
    let row = r#"{"request_id":"c","call_type":"acompletion","custom_llm_provider":"openai","startTime":"2026-01-02T03:04:05Z","model":"m","messages":"{}","response":"{}","prompt_tokens":9,"completion_tokens":1,"total_tokens":10}"#;
    check("litellm-log", row, [1, 0, 1, 0, 0], [9, 0, 1]);
}
