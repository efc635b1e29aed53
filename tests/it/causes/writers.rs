//! Who writes a conversation down: logs of requests in two dialects, google-adk with its requests, and a transcript with
//! what its client journals.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use strata_engine::{Experiment, FlowKind, infer_app};
use strata_import::import;
use strata_model::{Decoder, EventIndex, LlmRequest, Session, json as model_json};
use strata_wire::request_of;

use super::conversation::{Request, Said};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Writer {
    ChatLog,
    AnthropicLog,
    LiteLlm,
    Adk,
}

impl Writer {
    pub(super) const ALL: [Self; 4] = [Self::ChatLog, Self::AnthropicLog, Self::LiteLlm, Self::Adk];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ChatLog => "chat completions",
            Self::AnthropicLog => "Anthropic messages",
            Self::LiteLlm => "LiteLLM",
            Self::Adk => "google-adk",
        }
    }

    fn model(self) -> &'static str {
        match self {
            Self::AnthropicLog => "claude-sonnet-4-5",
            Self::Adk => "gemini-2.5-flash",
            Self::ChatLog | Self::LiteLlm => "gpt-4.1",
        }
    }

    /// The conversation as this writer records it, read back.
    pub(super) fn experiment(self, requests: &[Request]) -> Experiment {
        let requests: Vec<Request> = requests
            .iter()
            .map(|request| {
                let named =
                    if request.model.is_empty() { self.model().to_owned() } else { request.model.clone() };
                Request { model: named, ..request.clone() }
            })
            .collect();
        let line: fn(usize, &Request) -> Value = match self {
            Self::ChatLog => chat_line,
            Self::AnthropicLog => anthropic_line,
            Self::LiteLlm => litellm_line,
            Self::Adk => return adk(&requests),
        };
        let lines: Vec<String> =
            requests.iter().enumerate().map(|(at, request)| line(at, request).to_string()).collect();
        let imported = import(lines.join("\n").as_bytes());
        assert_eq!(imported.sessions.len(), 1, "{}: {:?}", self.name(), imported.diagnostics);
        let imported = imported.sessions.into_iter().next().expect("a session");
        let sent: Vec<(EventIndex, LlmRequest)> = imported
            .requests
            .iter()
            .filter_map(|recorded| {
                Some((EventIndex(u32::try_from(recorded.answer?).ok()?), request_of(&recorded.body)?))
            })
            .collect();
        let app = infer_app(&imported.session, FlowKind::Transcript, &sent).app;
        Experiment::new(Arc::new(imported.session), app, FlowKind::Transcript).with_requests(sent)
    }
}

fn chat_line(at: usize, request: &Request) -> Value {
    json!({
        "request": chat_body(request),
        "response": chat_answer(at, request),
        "timestamp": request.time,
    })
}

fn litellm_line(at: usize, request: &Request) -> Value {
    let body = chat_body(request);
    json!({
        "id": at.to_string(), "litellm_call_id": format!("l{at}"), "trace_id": "t", "call_type": "acompletion",
        "custom_llm_provider": "openai", "model": body["model"], "messages": body["messages"],
        "model_parameters": {"tools": body["tools"], "temperature": body["temperature"]},
        "response": chat_answer(at, request), "startTime": request.time, "endTime": request.time + 2.0,
        "status": "success", "metadata": {},
    })
}

fn chat_body(request: &Request) -> Value {
    let mut messages = vec![json!({"role": "system", "content": request.system.join("\n\n")})];
    for said in &request.history {
        match said {
            Said::User(text) => messages.push(json!({"role": "user", "content": text})),
            Said::Picture => messages.push(json!({"role": "user", "content": [
                {"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{PICTURE}")}}]})),
            Said::Thought(_) => {}
            Said::Answer(text) => messages.push(json!({"role": "assistant", "content": text})),
            Said::Call { id, args } => messages.push(json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": id, "type": "function", "function": {"name": "search", "arguments": args.to_string()}}]})),
            Said::Result { id, text } => {
                messages.push(json!({"role": "tool", "tool_call_id": id, "content": text}));
            }
        }
    }
    let tools: Vec<Value> =
        request.tools.iter().map(|tool| json!({"type": "function", "function": tool})).collect();
    let mut body = json!({"model": request.model, "messages": messages, "tools": tools});
    add_settings(&mut body, request);
    body
}

fn chat_answer(at: usize, request: &Request) -> Value {
    let message = match &request.answer {
        Said::Call { id, args } => json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "search", "arguments": args.to_string()}}]}),
        Said::Answer(text) => json!({"role": "assistant", "content": text}),
        other => panic!("{other:?} is no answer"),
    };
    json!({"id": format!("chatcmpl-{at}"), "object": "chat.completion", "model": request.model,
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}]})
}

fn anthropic_line(at: usize, request: &Request) -> Value {
    let mut messages: Vec<Value> = Vec::new();
    for said in &request.history {
        let (role, block) = anthropic_block(said);
        match messages.last_mut() {
            Some(last) if last["role"] == role => {
                last["content"].as_array_mut().expect("a list of blocks").push(block);
            }
            _ => messages.push(json!({"role": role, "content": [block]})),
        }
    }
    if let Some(block) = messages.last_mut().and_then(|last| last["content"].as_array_mut()?.last_mut()) {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
    let tools: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| json!({"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}))
        .collect();
    let system: Vec<Value> =
        request.system.iter().map(|text| json!({"type": "text", "text": text})).collect();
    let mut body = json!({"model": request.model, "max_tokens": 1000, "system": system, "messages": messages, "tools": tools});
    add_settings(&mut body, request);
    let content = match &request.answer {
        Said::Call { id, args } => {
            let turn = id.trim_start_matches("call_");
            let thought = request_thought(turn);
            json!([{"type": "thinking", "thinking": thought, "signature": "s"},
                {"type": "tool_use", "id": id, "name": "search", "input": args}])
        }
        Said::Answer(text) => json!([{"type": "text", "text": text}]),
        other => panic!("{other:?} is no answer"),
    };
    json!({"request": body, "timestamp": request.time, "response": {"id": format!("msg_{at}"), "type": "message",
        "role": "assistant", "model": request.model, "content": content, "stop_reason": "end_turn"}})
}

fn request_thought(turn: &str) -> String {
    format!("Turn {turn}: {}", super::conversation::filler("the table should say", 6))
}

fn anthropic_block(said: &Said) -> (&'static str, Value) {
    match said {
        Said::User(text) => ("user", json!({"type": "text", "text": text})),
        Said::Picture => (
            "user",
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}),
        ),
        Said::Thought(text) => ("assistant", json!({"type": "thinking", "thinking": text, "signature": "s"})),
        Said::Answer(text) => ("assistant", json!({"type": "text", "text": text})),
        Said::Call { id, args } => {
            ("assistant", json!({"type": "tool_use", "id": id, "name": "search", "input": args}))
        }
        Said::Result { id, text } => {
            ("user", json!({"type": "tool_result", "tool_use_id": id, "content": text}))
        }
    }
}

/// A picture of one point.
const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn add_settings(body: &mut Value, request: &Request) {
    for (name, value) in &request.settings {
        body[*name] = value.clone();
    }
}

/// google-adk's session with the requests it sent, and no configuration.
fn adk(requests: &[Request]) -> Experiment {
    let (session, sent) = recorded(requests);
    let app = infer_app(&session, FlowKind::Adk, &sent).app;
    Experiment::new(Arc::new(session), app, FlowKind::Adk).with_requests(sent)
}

/// The session, and each request with the event that answers it.
fn recorded(requests: &[Request]) -> (Session, Vec<(EventIndex, LlmRequest)>) {
    let last = requests.last().expect("requests");
    // What was said, whatever later requests made of it.
    let mut said: Vec<(Said, f64)> = Vec::new();
    let mut answers = Vec::new();
    for request in requests {
        for one in request
            .history
            .iter()
            .filter(|one| matches!(one, Said::User(_) | Said::Picture | Said::Result { .. }))
        {
            if !said.iter().any(|(known, _)| is_same_message(known, one)) {
                said.push((one.clone(), request.time));
            }
        }
        said.push((request.answer.clone(), request.time + 1.0));
        answers.push(said.len() - 1);
    }
    assert!(last.time > 0.0);
    let events: Vec<Value> =
        said.iter().enumerate().map(|(at, (said, time))| event(at, said, *time)).collect();
    let session = json!({"id": "s", "appName": "shop", "userId": "u", "events": events});
    let session = model_json::parse(session.to_string().as_bytes()).expect("JSON");
    let session = Session::from_json(session, &mut Decoder::new());
    let sent = requests
        .iter()
        .zip(answers)
        .map(|(request, answer)| (EventIndex(answer as u32), adk_request(request)));
    (session, sent.collect())
}

/// Messages of which a later request has another version.
fn is_same_message(a: &Said, b: &Said) -> bool {
    match (a, b) {
        (Said::Result { id: a, .. }, Said::Result { id: b, .. }) => a == b,
        (Said::User(a), Said::User(b)) => a.get(..12) == b.get(..12),
        _ => a == b,
    }
}

fn event(at: usize, said: &Said, time: f64) -> Value {
    let (role, part) = adk_part(said);
    let author = if matches!(said, Said::User(_) | Said::Picture) { "user" } else { "desk" };
    json!({"id": format!("e{at}"), "invocationId": format!("i{}", at / 4), "author": author, "timestamp": time,
        "content": {"role": role, "parts": [part]}})
}

fn adk_part(said: &Said) -> (&'static str, Value) {
    match said {
        Said::User(text) => ("user", json!({"text": text})),
        Said::Picture => ("user", json!({"inlineData": {"mimeType": "image/png", "data": PICTURE}})),
        Said::Thought(text) => ("model", json!({"text": text, "thought": true})),
        Said::Answer(text) => ("model", json!({"text": text})),
        Said::Call { id, args } => {
            ("model", json!({"functionCall": {"id": id, "name": "search", "args": args}}))
        }
        Said::Result { id, text } => {
            ("user", json!({"functionResponse": {"id": id, "name": "search", "response": {"result": text}}}))
        }
    }
}

fn adk_request(request: &Request) -> LlmRequest {
    let contents: Vec<Value> = request
        .history
        .iter()
        .filter(|said| !matches!(said, Said::Thought(_)))
        .map(|said| {
            let (role, part) = adk_part(said);
            json!({"role": role, "parts": [part]})
        })
        .collect();
    let mut config: Map<String, Value> =
        request.settings.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let system =
        format!("{}\n\nYou are an agent. Your internal name is \"desk\".", request.system.join("\n\n"));
    config.insert("systemInstruction".to_owned(), system.into());
    config.insert("tools".to_owned(), json!([{"functionDeclarations": request.tools}]));
    let body = json!({"model": request.model, "contents": contents, "config": config});
    let body = model_json::parse(body.to_string().as_bytes()).expect("JSON");
    request_of(&body).expect("a request")
}

/// The same conversation in an app whose instruction shows a state key, which changes before the call.
pub(super) fn configured(requests: &[Request]) -> Experiment {
    with_clock(requests).0
}

/// The same with the requests that were sent, and without the configuration.
pub(super) fn configured_and_recorded(requests: &[Request]) -> Experiment {
    let (compiled, session) = with_clock(requests);
    let mut cache = strata_engine::StageCache::new();
    let sent: Vec<(EventIndex, LlmRequest)> = compiled
        .calls()
        .iter()
        .map(|call| {
            let request =
                compiled.compile(call, &mut cache).expect("the agent is configured").working_context();
            (call.answer, request_of(&request.to_json()).expect("a request"))
        })
        .collect();
    let app = infer_app(&session, FlowKind::Adk, &sent).app;
    Experiment::new(session, app, FlowKind::Adk).with_requests(sent)
}

fn with_clock(requests: &[Request]) -> (Experiment, Arc<Session>) {
    let (session, _) = recorded(requests);
    let mut session = session.to_json();
    let text = model_json::to_compact(&session);
    let mut value: Value = serde_json::from_str(&text).expect("JSON");
    value["events"][0]["actions"] = json!({"stateDelta": {"now": "10:12:31"}});
    let changed = super::CHANGED as usize;
    // The answer before the call writes the key.
    let at = value["events"].as_array().map_or(0, |events| {
        let answers = events.iter().enumerate().filter(|(_, event)| event["content"]["role"] == "model");
        answers.map(|(at, _)| at).nth(changed - 2).unwrap_or(0)
    });
    value["events"][at]["actions"] = json!({"stateDelta": {"now": "10:13:07"}});
    session = model_json::parse(value.to_string().as_bytes()).expect("JSON");
    let session = Arc::new(Session::from_json(session, &mut Decoder::new()));
    let instruction = format!(
        "You serve a shop.\nThe clock says {{now}}.\n{}",
        super::conversation::filler("Be careful with refunds.", 200)
    );
    let app = json!({"name": "shop", "root_agent": {"type": "llm", "name": "desk", "model": "gemini-2.5-flash",
        "instruction": instruction,
        "tools": [{"type": "function", "declaration": {"name": "search", "description": "Finds orders."}}]}});
    let app = strata_testkit::app(&app.to_string());
    (Experiment::new(session.clone(), Arc::new(app), FlowKind::Adk), session)
}
