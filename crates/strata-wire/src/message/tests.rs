//! One message in every dialect.

use std::collections::BTreeMap;

use strata_model::{FromJson as _, json};

use super::{Messages, Role, ToolNames};

#[track_caller]
fn check(text: &str, role: Role, parts: &str) {
    let (mut tools, mut unread) = (ToolNames::new(), BTreeMap::new());
    tools.insert("c1".into(), "look".into());
    let mut messages = Messages { owner: "test", tools: &mut tools, unread: &mut unread };
    let turn = messages.read(json::parse(text.as_bytes()).unwrap());
    let got: Vec<_> = turn.parts.iter().map(|part| part.to_json()).collect();
    assert_eq!((turn.role, &*json::to_compact(&got.into())), (role, parts), "{text}");
}

#[test]
fn one_call_in_every_dialect() {
    let call = r#"[{"functionCall":{"id":"c1","args":{"q":"x"},"name":"look"}}]"#;
    check(
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"q\":\"x\"}"}}]}"#,
        Role::Model,
        call,
    );
    check(
        r#"{"type":"function_call","call_id":"c1","name":"look","arguments":"{\"q\":\"x\"}"}"#,
        Role::Model,
        call,
    );
    check(
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"look","input":{"q":"x"}}]}"#,
        Role::Model,
        call,
    );
    check(
        r#"{"role":"model","parts":[{"functionCall":{"id":"c1","name":"look","args":{"q":"x"}}}]}"#,
        Role::Model,
        call,
    );
    check(
        r#"{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"look","arguments":{"q":"x"}}]}"#,
        Role::Model,
        call,
    );
    check(
        r#"{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"look","input":{"q":"x"}}}]}"#,
        Role::Model,
        call,
    );
    check(
        r#"{"type":"ai","content":"","tool_calls":[{"id":"c1","name":"look","args":{"q":"x"}}]}"#,
        Role::Model,
        call,
    );
    check(
        r#"{"role":{"label":"assistant"},"items":[{"$type":"FunctionCallContent","id":"c1","functionName":"look","arguments":{"q":"x"}}]}"#,
        Role::Model,
        call,
    );
    check(
        r#"{"lc":1,"type":"constructor","id":["langchain","AIMessage"],"kwargs":{"content":"","tool_calls":[{"id":"c1","name":"look","args":{"q":"x"}}]}}"#,
        Role::Model,
        call,
    );
}

#[test]
fn one_result_in_every_dialect() {
    let result = r#"[{"functionResponse":{"id":"c1","name":"look","response":{"result":"found"}}}]"#;
    check(r#"{"role":"tool","tool_call_id":"c1","content":"found"}"#, Role::Tool, result);
    check(r#"{"type":"function_call_output","call_id":"c1","output":"found"}"#, Role::Tool, result);
    check(
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"found"}]}"#,
        Role::Tool,
        result,
    );
    check(
        r#"{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"found"}]}"#,
        Role::Tool,
        result,
    );
    check(
        r#"{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"text":"found"}]}}]}"#,
        Role::Tool,
        result,
    );
    check(r#"{"type":"tool","tool_call_id":"c1","name":"look","content":"found"}"#, Role::Tool, result);
}

#[test]
fn words_and_thoughts_in_every_dialect() {
    let words = r#"[{"text":"why","thought":true},{"text":"so"}]"#;
    check(r#"{"role":"assistant","content":"so","reasoning_content":"why"}"#, Role::Model, words);
    check(
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"why"},{"type":"text","text":"so"}]}"#,
        Role::Model,
        words,
    );
    check(
        r#"{"role":"assistant","parts":[{"type":"reasoning","content":"why"},{"type":"text","content":"so"}]}"#,
        Role::Model,
        words,
    );
    check(r#"{"role":"model","parts":[{"text":"why","thought":true},{"text":"so"}]}"#, Role::Model, words);
    check(
        r#"{"role":"developer","content":[{"type":"input_text","text":"rules"}]}"#,
        Role::System,
        r#"[{"text":"rules"}]"#,
    );
}
