//! One message in every dialect.

use std::collections::BTreeMap;

use strata_model::{FromJson as _, json};

use super::{Messages, Role, ToolNames};

/// Checks what a message says; returns how often each field was left.
#[track_caller]
fn check(text: &str, role: Role, parts: &str) -> BTreeMap<String, u64> {
    let (mut tools, mut unread) = (ToolNames::new(), BTreeMap::new());
    tools.insert("c1".into(), "look".into());
    let mut messages = Messages { owner: "test", tools: &mut tools, unread: &mut unread };
    let turn = messages.read(json::parse(text.as_bytes()).unwrap());
    let got: Vec<_> = turn.parts.iter().map(|part| part.to_json()).collect();
    assert_eq!((turn.role, &*json::to_compact(&got.into())), (role, parts), "{text}");
    unread
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
    check(
        r#"{"role":"assistant","meta":{},"name":null,"content":[{"tool_call":{"tool_name":"look","arguments":{"q":"x"},"id":"c1","extra":null}}]}"#,
        Role::Model,
        call,
    );
}

/// LangChain keeps the block of the provider in the content, and its own reading of it beside that.
#[test]
fn a_call_that_is_written_twice_is_one() {
    let call = r#"[{"functionCall":{"id":"c1","args":{"q":"x"},"name":"look"}}]"#;
    let beside = |block: &str, calls: &str| {
        format!(r#"{{"type":"ai","content":[{block}],"tool_calls":[{calls}],"invalid_tool_calls":[]}}"#)
    };
    let own = r#"{"name":"look","args":{"q":"x"},"id":"c1","type":"tool_call"}"#;
    for block in [
        r#"{"type":"tool_use","id":"c1","name":"look","input":{"q":"x"}}"#,
        r#"{"type":"tool_use","id":"c1","name":"look","input":{}}"#,
        r#"{"type":"function_call","id":"fc_1","call_id":"c1","name":"look","arguments":"{\"q\":\"x\"}"}"#,
    ] {
        let unread = check(&beside(block, own), Role::Model, call);
        assert!(unread.is_empty(), "{unread:?}");
    }
    // What was put together of the pieces of a stream.
    let streamed = r#"{"type":"tool_use","id":"c1","name":"look","input":{},"partial_json":"{\"q\":\"x\"}"}"#;
    let unread = check(&beside(streamed, own).replace(r#""ai""#, r#""AIMessageChunk""#), Role::Model, call);
    assert_eq!(unread.keys().collect::<Vec<_>>(), ["test.content.tool_use.partial_json"]);
    let other = r#"{"type":"tool_use","id":"c1","name":"look","input":{"q":"y"}}"#;
    let unread = check(&beside(other, own), Role::Model, call);
    assert_eq!(unread.get("content.tool_use.input"), Some(&1));
    // Some providers give no ids, or the same one to all.
    check(
        &beside(r#"{"type":"tool_use","id":"c1","name":"find","input":{}}"#, own),
        Role::Model,
        r#"[{"functionCall":{"id":"c1","args":{},"name":"find"}},{"functionCall":{"id":"c1","args":{"q":"x"},"name":"look"}}]"#,
    );
}

#[test]
fn a_call_whose_arguments_are_no_json_is_a_call() {
    let unread = check(
        r#"{"type":"ai","content":"","tool_calls":[],"invalid_tool_calls":[{"type":"invalid_tool_call","id":"c1","name":"look","args":"{\"q\": \"x","error":null}]}"#,
        Role::Model,
        r#"[{"functionCall":{"id":"c1","args":{"input":"{\"q\": \"x"},"name":"look"}}]"#,
    );
    assert!(unread.is_empty(), "{unread:?}");
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
    check(
        r#"{"role":"tool","meta":{},"name":null,"content":[{"tool_call_result":{"result":"found","origin":{"tool_name":"look","arguments":{"q":"x"},"id":"c1","extra":null},"error":false}}]}"#,
        Role::Tool,
        result,
    );
}

#[test]
fn one_image_in_every_dialect() {
    let image = r#"[{"inlineData":{"data":"aGkh","mimeType":"image/png"}}]"#;
    for block in [
        r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,aGkh"}}"#,
        r#"{"type":"input_image","image_url":"data:image/png;base64,aGkh"}"#,
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGkh"}}"#,
        r#"{"type":"blob","mime_type":"image/png","content":"aGkh"}"#,
        r#"{"type":"binary","media_type":"image/png","content":"aGkh"}"#,
    ] {
        check(&format!(r#"{{"role":"user","content":[{block}]}}"#), Role::User, image);
    }
    for item in [
        r#"{"metadata":{},"content_type":"image","uri":null,"data_uri":"data:image/png;base64,aGkh"}"#,
        r#"{"content_type":"image","data_uri":"data:image/png;detail=high;base64,aGkh"}"#,
    ] {
        let message =
            format!(r#"{{"content_type":"message","role":"user","metadata":{{}},"items":[{item}]}}"#);
        let unread = check(&message, Role::User, image);
        assert!(unread.is_empty(), "{unread:?}");
    }
    check(
        r#"{"role":"user","meta":{},"name":null,"content":[{"image":{"base64_image":"aGkh","mime_type":"image/png","detail":null,"meta":{}}}]}"#,
        Role::User,
        image,
    );
}

/// Pydantic AI keeps the files of a result as it keeps those of a prompt.
#[test]
fn an_image_that_a_tool_returned_is_an_image() {
    let file = r#"{"data":"aGkh","media_type":"image/png","vendor_metadata":null,"kind":"binary","identifier":"6fcb27"}"#;
    let message = |result: &str| {
        format!(
            r#"{{"role":"user","parts":[{{"type":"tool_call_response","id":"c1","name":"look","result":{result}}}]}}"#
        )
    };
    let image = r#"{"inlineData":{"data":"aGkh","mimeType":"image/png"}}"#;
    check(
        &message(file),
        Role::Tool,
        &format!(r#"[{{"functionResponse":{{"parts":[{image}],"id":"c1","name":"look","response":{{}}}}}}]"#),
    );
    check(
        &message(&format!(r#"[{file},"a cat"]"#)),
        Role::Tool,
        &format!(
            r#"[{{"functionResponse":{{"parts":[{image}],"id":"c1","name":"look","response":{{"result":"a cat"}}}}}}]"#
        ),
    );
    // What is left of it where tracers are given no files.
    check(
        &message(r#"{"media_type":"image/png","kind":"binary"}"#),
        Role::Tool,
        r#"[{"functionResponse":{"id":"c1","name":"look","response":{"media_type":"image/png","kind":"binary"}}}]"#,
    );
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
        r#"{"role":"assistant","parts":[{"type":"thinking","content":"why"},{"type":"text","content":"so"}]}"#,
        Role::Model,
        words,
    );
    check(
        r#"{"role":"assistant","meta":{},"name":null,"content":[{"reasoning":{"reasoning_text":"why","extra":{}}},{"text":"so"}]}"#,
        Role::Model,
        words,
    );
    check(
        r#"{"role":"developer","content":[{"type":"input_text","text":"rules"}]}"#,
        Role::System,
        r#"[{"text":"rules"}]"#,
    );
}
