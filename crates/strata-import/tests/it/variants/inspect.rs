//! Logs of inspect_ai: requests in a pool, tools that failed, and agents that work for others.

use strata_import::{Format, ImportedSession, marks};
use strata_model::json;

use super::{check_counts, event_told, session};

/// A log of one sample.
fn log(messages: &[&str], events: &[String], pool: &str) -> ImportedSession {
    let (messages, events) = (messages.join(","), events.join(","));
    let text = format!(
        r#"{{"version":2,"status":"success","eval":{{}},"samples":[{{"id":1,"epoch":1,"messages":[{messages}],"events":[{events}],"events_data":{{{pool}}},"attachments":{{"h":"Be brief."}}}}]}}"#
    );
    session(Format::INSPECT, &text)
}

fn asked(span: &str, input: &str, message: &str) -> String {
    format!(
        r#"{{"event":"model","span_id":"{span}","model":"openai/m","input":[],"input_refs":{input},"output":{{"model":"m","choices":[{{"message":{message},"stop_reason":"stop"}}],"usage":{{"input_tokens":10,"output_tokens":2,"total_tokens":12}}}}}}"#
    )
}

fn returned(call: &str, function: &str, result: &str, message: &str) -> String {
    format!(
        r#"{{"event":"tool","id":"{call}","function":"{function}","result":"{result}","message_id":"{message}"}}"#
    )
}

fn span(id: &str, parent: &str, kind: &str, name: &str) -> String {
    format!(r#"{{"event":"span_begin","id":"{id}","parent_id":"{parent}","type":"{kind}","name":"{name}"}}"#)
}

/// What every event is, behind the branch it is on.
fn told(session: &ImportedSession) -> Vec<String> {
    let events = session.session.events.iter();
    events.map(|event| format!("{} {}", event.branch.as_deref().unwrap_or("-"), event_told(event))).collect()
}

/// A call whose request was taken apart.
fn pooled(references: &str, key: &str) -> ImportedSession {
    let event = format!(
        r#"{{"event":"model","model":"openai/m","input":[],"input_refs":[[0,1]],"output":{{"model":"m","choices":[{{"message":{{"id":"a","role":"assistant","content":"Hello"}},"stop_reason":"stop"}}]}},"call":{{"request":{{"model":"m","tools":[]}},"response":{{"id":"r"}},"call_refs":{references},"call_key":"{key}","time":0.1}}}}"#
    );
    let prompt = r#"{"id":"u","role":"user","content":"Hi","source":"input"}"#;
    let answer = r#"{"id":"a","role":"assistant","content":"Hello","source":"generate"}"#;
    let sent = r#"{"role":"system","content":"attachment://h"},{"role":"user","content":"Else"},{"role":"user","content":"Hi"}"#;
    log(&[prompt, answer], &[event], &format!(r#""messages":[{prompt}],"calls":[{sent}]"#))
}

#[test]
fn a_request_has_the_messages_that_were_taken_out_of_it() {
    for key in ["messages", "contents"] {
        let one = pooled("[[0,1],[2,3]]", key);
        let expected = format!(
            r#"{{"model":"m","tools":[],"{key}":[{{"role":"system","content":"Be brief."}},{{"role":"user","content":"Hi"}}]}}"#
        );
        assert_eq!(one.requests.len(), 1);
        assert_eq!((json::to_compact(&one.requests[0].body), one.requests[0].answer), (expected, Some(1)));
        let mut unread = one.unmapped.fields.keys();
        assert!(unread.all(|name| name.starts_with("log.")), "{:?}", one.unmapped.fields);
    }
}

#[test]
fn a_request_whose_messages_are_not_there_is_told_as_the_log_has_it() {
    let one = pooled("[[0,9]]", "messages");
    let expected = r#"{"messages":[{"id":"u","role":"user","content":"Hi","source":"input"}]}"#;
    assert_eq!(json::to_compact(&one.requests[0].body), expected);
    assert_eq!(one.unmapped.fields.get("call.call_refs"), Some(&1));
}

#[test]
fn a_tool_that_failed_returned_the_words_of_its_error() {
    let messages = [
        r#"{"id":"u","role":"user","content":"Hi","source":"input"}"#,
        r#"{"id":"a","role":"assistant","content":"","tool_calls":[{"id":"c1","function":"f","arguments":{}},{"id":"c2","function":"f","arguments":{}},{"id":"c3","function":"f","arguments":{}}]}"#,
        r#"{"id":"r1","role":"tool","content":"","tool_call_id":"c1","function":"f","error":{"type":"unknown","message":"no such city"}}"#,
        r#"{"id":"r2","role":"tool","content":"half","tool_call_id":"c2","function":"f","error":{"type":"timeout","message":"too late"}}"#,
        r#"{"id":"r3","role":"tool","content":"whole","tool_call_id":"c3","function":"f","error":null}"#,
    ];
    let one = log(&messages, &[], "");
    let events = &one.session.events;
    let results = events.iter().flat_map(|event| event.function_responses());
    let results: Vec<String> =
        results.map(|result| json::object_to_compact(result.response.as_ref().unwrap())).collect();
    assert_eq!(
        results,
        [
            r#"{"result":"no such city","isError":true}"#,
            r#"{"result":"too late","isError":true}"#,
            r#"{"result":"whole"}"#
        ]
    );
    // What the tool had put out was not sent.
    let unsent =
        events.iter().map(|event| event.custom_metadata.as_ref()?.get(marks::TOOL_USE_RESULT)?.as_str());
    assert_eq!(unsent.collect::<Vec<_>>(), [None, None, None, Some("half"), None]);
    assert_eq!(one.unmapped.fields.get("message.error.type"), Some(&2));
}

const PROMPT: &str = r#"{"id":"u","role":"user","content":"Weather?","source":"input"}"#;

#[test]
fn an_agent_that_works_as_a_tool_is_told_on_a_branch_with_its_calls() {
    let called = r#"{"id":"a","role":"assistant","content":"","tool_calls":[{"id":"t1","function":"sub","arguments":{}}]}"#;
    let result = r#"{"id":"r","role":"tool","content":"Rome fine","tool_call_id":"t1","function":"sub"}"#;
    let last = r#"{"id":"z","role":"assistant","content":"Sunny"}"#;
    let task = r#"{"id":"p","role":"user","content":"find rome","source":"input"}"#;
    let inner = r#"{"id":"x1","role":"assistant","content":"","tool_calls":[{"id":"s1","function":"lookup","arguments":{}}]}"#;
    let inner_result = r#"{"id":"y","role":"tool","content":"21","tool_call_id":"s1","function":"lookup"}"#;
    let events = [
        span("g", "", "solver", "generate"),
        asked("g", "[[0,1]]", called),
        span("t", "g", "tool", "sub"),
        returned("t1", "sub", "Rome fine", "r"),
        span("s", "t", "agent", "sub"),
        asked("s", "[[1,2]]", inner),
        returned("s1", "lookup", "21", "y"),
        asked("s", "[[1,4]]", r#"{"id":"x2","role":"assistant","content":"Rome fine"}"#),
        asked("g", "[[0,1]]", last),
        asked("", "[[0,1]]", r#"{"role":"assistant","content":"GRADE: C"}"#),
    ];
    let pool = format!(r#""messages":[{PROMPT},{task},{inner},{inner_result}]"#);
    let one = log(&[PROMPT, called, result, last], &events, &pool);
    assert_eq!(
        told(&one),
        [
            "main user: Weather?",
            "main assistant: call sub 10+2",
            "main assistant: result of sub",
            "agent.s user [task]: find rome",
            "agent.s sub: call lookup 10+2",
            "agent.s sub: result of lookup",
            "agent.s sub: Rome fine 10+2",
            "main assistant: Sunny 10+2",
            "main inspect.model: GRADE: C 10+2"
        ]
    );
    check_counts(&one, 1, 5, 50, 0, 10);
    assert_eq!(
        one.requests.iter().map(|request| request.answer).collect::<Vec<_>>(),
        [1, 4, 6, 7, 8].map(Some)
    );
    // The result of the sub-agent is in a message.
    assert_eq!(one.unmapped.fields.get("events.tool"), Some(&1));
}

const HANDED_OVER: &str = r#"{"id":"a","role":"assistant","content":"go","tool_calls":[{"id":"m1","function":"transfer_to_helper","arguments":{}}]}"#;
const TRANSFERRED: &str = r#"{"id":"r","role":"tool","content":"Transferred.","tool_call_id":"m1","function":"transfer_to_helper"}"#;
const LOOKS_UP: &str = r#"{"id":"h","role":"assistant","content":"","tool_calls":[{"id":"k1","function":"lookup","arguments":{}}]}"#;
const LOOKED_UP: &str = r#"{"id":"k","role":"tool","content":"21","tool_call_id":"k1","function":"lookup"}"#;

/// A hand-over to a helper and back, after which the log keeps these messages.
fn handed_over(messages: &[&str]) -> ImportedSession {
    let events = [
        span("m", "", "agent", "react"),
        asked("m", "[[0,2]]", HANDED_OVER),
        span("o", "m", "handoff", "helper"),
        span("t", "o", "tool", "transfer_to_helper"),
        returned("m1", "transfer_to_helper", "Transferred.", "r"),
        span("h", "t", "agent", "helper"),
        asked("h", "[[2,3],[1,2],[3,5]]", LOOKS_UP),
        returned("k1", "lookup", "21", "k"),
        asked(
            "m",
            "[[0,2]]",
            r#"{"id":"z","role":"assistant","content":"","tool_calls":[{"id":"m2","function":"submit","arguments":{}}]}"#,
        ),
        returned("m2", "submit", "final", "y"),
    ];
    let system = r#"{"id":"s","role":"system","content":"Main."}"#;
    let of_helper = r#"{"id":"q","role":"system","content":"You help."}"#;
    // The helper is given a copy of the result.
    let copy = TRANSFERRED.replace(r#""id":"r""#, r#""id":"r2""#);
    let pool = format!(r#""messages":[{system},{PROMPT},{of_helper},{HANDED_OVER},{copy}]"#);
    let mut all = vec![system, PROMPT, HANDED_OVER, TRANSFERRED];
    all.extend(messages);
    log(&all, &events, &pool)
}

#[test]
fn what_a_helper_did_is_told_beside_what_its_caller_was_told_of_it() {
    let one = handed_over(&[
        r#"{"id":"h","role":"assistant","content":[{"type":"text","text":"[helper] "},{"type":"text","text":"lookup()"}]}"#,
        r#"{"id":"k","role":"user","content":"21"}"#,
        r#"{"id":"d","role":"user","content":"The helper is done."}"#,
        r#"{"id":"z","role":"assistant","content":"final","tool_calls":[]}"#,
    ]);
    assert_eq!(
        told(&one),
        [
            "main user [system]: Main.",
            "main user: Weather?",
            "main assistant: go, call transfer_to_helper 10+2",
            "main assistant: result of transfer_to_helper",
            "main.agent-h user [system]: You help.",
            "main.agent-h helper: call lookup 10+2",
            "main.agent-h helper: result of lookup",
            "main assistant: [helper] , lookup()",
            "main user [observation]: 21",
            "main user [client]: The helper is done.",
            "main assistant: final, call submit 10+2",
            "main assistant: result of submit"
        ]
    );
    // What the caller was told again is no call.
    check_counts(&one, 1, 3, 30, 0, 6);
    assert_eq!((one.facts.tool_calls, one.facts.tool_results), (3, 3));
    assert_eq!(one.unmapped.fields.get("events.tool"), Some(&1));
}

#[test]
fn a_helper_whose_messages_are_kept_whole_has_no_branch() {
    let last = r#"{"id":"z","role":"assistant","content":"final","tool_calls":[{"id":"m2","function":"submit","arguments":{}}]}"#;
    let one = handed_over(&[LOOKS_UP, LOOKED_UP, last]);
    assert_eq!(
        told(&one)[4..],
        [
            "- assistant: call lookup 10+2",
            "- assistant: result of lookup",
            "- assistant: final, call submit 10+2",
            "- assistant: result of submit"
        ]
    );
    check_counts(&one, 1, 3, 30, 0, 6);
}

#[test]
fn without_sources_every_message_of_the_user_is_a_prompt() {
    let messages = [
        r#"{"id":"u","role":"user","content":"Hi"}"#,
        r#"{"id":"a","role":"assistant","content":"Hello"}"#,
        r#"{"id":"v","role":"user","content":"And?"}"#,
    ];
    assert_eq!(told(&log(&messages, &[], "")), ["- user: Hi", "- assistant: Hello", "- user: And?"]);
}
