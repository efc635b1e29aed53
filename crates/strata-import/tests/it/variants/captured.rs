//! What clients without ids of sessions send, as the gateway writes it.

use serde_json::{Value, json};
use strata_import::{Format, ImportedSession};

use super::session;

/// A request with what came back, both of one number.
fn exchange(number: u32, headers: &Value, messages: &Value, back: &str) -> String {
    sent(number, headers, "/v1/chat/completions", &json!({"model": "m", "messages": messages}), back)
}

fn sent(number: u32, headers: &Value, path: &str, body: &Value, back: &str) -> String {
    let request = json!({"strata_capture": 1, "request": number, "at": number, "method": "POST", "headers": headers,
        "body": body.to_string(), "url": format!("http://127.0.0.1{path}"), "upstream": "openai"});
    let answer = json!({"strata_capture": 1, "answer": number, "at": number, "ended": number, "status": 200,
        "headers": [], "end": "complete", "body": back});
    format!("{request}\n{answer}\n")
}

fn answer() -> String {
    let message = json!({"role": "assistant", "content": "PELICAN."});
    let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
    json!({"id": "chatcmpl-1", "object": "chat.completion", "model": "m", "choices": [choice]}).to_string()
}

/// The session of one request, which was answered.
fn captured(headers: &Value, messages: &Value) -> ImportedSession {
    session(Format::CAPTURE, &exchange(1, headers, messages, &answer()))
}

#[track_caller]
fn check(headers: &Value, messages: &Value, app: &str, title: &str, user_turns: u64) {
    let found = captured(headers, messages);
    assert_eq!((&*found.session.app_name, &*found.title), (app, title));
    assert_eq!(found.summary().user_turns, user_turns);
}

#[test]
fn copilot_puts_the_time_before_what_is_typed() {
    let headers = json!([["user-agent", "OpenAI/JS 5.20.1"], ["x-initiator", "user"]]);
    let typed = "<current_datetime>2026-11-27T18:30:54.618+00:00</current_datetime>\n\nRead the notes.";
    let messages = json!([{"role": "system", "content": "You are the GitHub Copilot CLI."}, {"role": "user", "content": typed}]);
    check(&headers, &messages, "copilot", "Read the notes.", 1);
}

#[test]
fn qwen_tells_of_the_folder_first() {
    let headers = json!([["user-agent", "QwenCode/0.15.10 (linux; x64)"]]);
    let about =
        "This is the Qwen Code. We are setting up the context for our chat.\nMy operating system is: linux";
    let messages = json!([
        {"role": "system", "content": "You are Qwen Code."}, {"role": "user", "content": about},
        {"role": "assistant", "content": "Got it. Thanks for the context!"}, {"role": "user", "content": "Read the notes."},
    ]);
    check(&headers, &messages, "qwen-code", "Read the notes.", 1);
}

#[test]
fn aider_shows_examples_first() {
    let headers = json!([["user-agent", "OpenAI/Python 2.20.0"]]);
    let said = |role: &str, content: &str| json!({"role": role, "content": content});
    let messages = json!([
        said("system", "Act as an expert software developer."),
        said("user", "Change the greeting to be more casual"),
        said("assistant", "Ok, I will:"),
        said("user", "I switched to a new code base. Please don't consider the above files."),
        said("assistant", "Ok."),
        said(
            "user",
            "I have *added these files to the chat* so you can go ahead and edit them.\n\nnotes.txt"
        ),
        said("assistant", "Ok, any changes I propose will be to those files."),
        said("user", "Read the notes.\n\nReply in English."),
    ]);
    // What stands in the example was said by nobody, and looks as if it were.
    check(&headers, &messages, "http", "Read the notes.", 2);
}

#[test]
fn a_stream_that_says_that_it_failed_and_is_asked_for_again_is_one_call() {
    let messages = json!([{"role": "user", "content": "Read the notes."}]);
    let piece = json!({"id": "chatcmpl-0", "object": "chat.completion.chunk", "model": "m",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": "PEL"}}]});
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let failed = format!("data: {piece}\n\nevent: error\ndata: {error}\n\n");
    let log = exchange(1, &json!([]), &messages, &failed) + &exchange(2, &json!([]), &messages, &answer());
    let found = session(Format::CAPTURE, &log);
    let said: Vec<_> =
        found.session.events.iter().filter_map(|event| event.parts()[0].text.as_deref()).collect();
    assert_eq!((said, found.requests.len()), (vec!["Read the notes.", "PELICAN."], 1));
    assert_eq!(&*found.session.id, "request-1");
}

#[test]
fn sub_agents_whose_ids_begin_alike_are_two() {
    let headers = |own: &str| {
        json!([
            ["user-agent", "opencode/1.18"],
            ["x-session-id", own],
            ["x-parent-session-id", "ses_de1b96fdaffe76bE"]
        ])
    };
    let asked = |what: &str| json!([{"role": "user", "content": what}]);
    let log = exchange(1, &headers("ses_de1b9642fffei7XA"), &asked("Look at the first folder."), &answer())
        + &exchange(
            2,
            &headers("ses_de1b95aaaffeQQWW"),
            &asked("Look at the second folder."),
            &answer().replace("-1", "-2"),
        );
    let found = session(Format::CAPTURE, &log);
    let authors: Vec<_> = found.session.events.iter().map(|event| &*event.author).collect();
    assert_eq!(authors, ["user", "opencode-fffei7XA", "user", "opencode-affeQQWW"]);
}

#[test]
fn opencode_with_models_of_openai_is_one_session_with_its_title_and_its_sub_agent() {
    let own =
        json!([["user-agent", "opencode/1.18"], ["session-id", "ses_one"], ["x-session-id", "ses_one"]]);
    let child = json!([
        ["user-agent", "opencode/1.18"],
        ["session-id", "ses_child_two"],
        ["x-session-id", "ses_child_two"],
        ["x-parent-session-id", "ses_one"]
    ]);
    let asked = |number: u32, headers: &Value, developer: &str, user: &str, tools: &Value| {
        let said = |role: &str, text: &str| json!({"role": role, "content": text});
        let body = json!({"model": "m", "input": [said("developer", developer), said("user", user)], "tools": tools});
        let content = json!([{"type": "output_text", "text": format!("Answer {number}.")}]);
        let output = json!([{"type": "message", "role": "assistant", "content": content}]);
        let back =
            json!({"id": format!("resp_{number}"), "object": "response", "model": "m", "output": output});
        sent(number, headers, "/v1/responses", &body, &back.to_string())
    };
    let tools = json!([{"type": "function", "name": "read", "parameters": {"type": "object"}}]);
    let log = asked(1, &own, "You are a title generator.", "Read the notes.", &json!([]))
        + &asked(2, &own, "You are OpenCode.", "Read the notes.", &tools)
        + &asked(3, &child, "You are OpenCode.", "Read the first line.", &tools);
    let found = session(Format::CAPTURE, &log);
    let agents = found.session.events.iter().map(|event| &*event.author).filter(|author| *author != "user");
    assert_eq!(agents.collect::<Vec<_>>(), ["title", "opencode", "opencode-hild_two"]);
    assert_eq!(found.title, "Read the notes.");
}
