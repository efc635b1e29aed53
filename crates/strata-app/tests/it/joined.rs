//! Captures of clients, beside the files that these write themselves.

use serde_json::{Value, json};

use crate::recorded::{bases, open, write};
use crate::{import, start};

#[test]
fn the_transcript_of_a_sub_agent_gets_its_requests_from_the_capture_of_its_caller() {
    let folder = tempfile::tempdir().expect("a folder");
    let capture = |n: u32, messages: &Value, answer: &Value| {
        let body = json!({ "model": "scripted", "messages": messages }).to_string();
        let request = json!({ "strata_capture": 1, "request": n, "at": f64::from(n),
            "url": "http://127.0.0.1:1/v1/chat/completions", "body": [body],
            "headers": [["user-agent", "opencode/1.18"], ["x-session-id", "child"], ["x-parent-session-id", "caller"]] });
        let body = json!({ "id": format!("r{n}"), "model": "scripted", "choices": [{ "index": 0, "message": answer }] });
        let answer = json!({ "strata_capture": 1, "answer": n, "ended": f64::from(n), "status": 200,
            "end": "complete", "body": body.to_string() });
        format!("{request}\n{answer}\n")
    };
    let asked = json!({ "role": "user", "content": "Read the notes and say what they say." });
    let called = |n: u32| {
        json!({ "role": "assistant", "content": "", "tool_calls": [{ "id": format!("call_0123456789ab_{n}"), "type": "function",
            "function": { "name": "read", "arguments": "{}" } }] })
    };
    let result = json!({ "role": "tool", "tool_call_id": "call_0123456789ab_1", "content": "PELICAN" });
    let capture =
        capture(1, &json!([asked]), &called(1)) + &capture(2, &json!([asked, called(1), result]), &called(2));
    let tool = |n: u32| {
        json!({ "info": { "id": format!("m{n}"), "role": "assistant", "sessionID": "child", "modelID": "scripted",
                "providerID": "p", "time": { "created": n } },
            "parts": [{ "type": "tool", "id": format!("p{n}"), "callID": format!("call_0123456789ab_{n}"), "tool": "read",
                "state": { "status": "completed", "input": {}, "output": "PELICAN" } }] })
    };
    let export = json!({ "info": { "id": "child", "version": "1.18.0", "parentID": "caller", "title": "read" }, "messages": [
        { "info": { "id": "m0", "role": "user", "sessionID": "child", "time": { "created": 0 } },
            "parts": [{ "type": "text", "id": "p0", "text": "Read the notes and say what they say." }] },
        tool(1), tool(2),
    ] });
    let strata = start();
    import(&strata, &write(folder.path(), "run.capture.jsonl", &capture));
    let session = open(&strata, &write(folder.path(), "child.json", &export.to_string()));
    assert_eq!(bases(&strata, &session), ["recorded", "recorded"]);
}
