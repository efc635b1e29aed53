//! Logs of requests in Anthropic's dialect.

use serde_json::{Value, json};

use super::{OTHER_PICTURE, PICTURE};
use crate::causes::conversation::{Marked, Request, Said, thought_before};

pub(super) fn lines(requests: &[Request]) -> Vec<Value> {
    let line = |(at, request): (usize, &Request)| {
        json!({"request": body(request), "timestamp": request.time, "response": {"id": format!("msg_{at}"),
            "type": "message", "role": "assistant", "model": request.model, "content": answer(request),
            "stop_reason": "end_turn"}})
    };
    requests.iter().enumerate().map(line).collect()
}

fn body(request: &Request) -> Value {
    let mut body = json!({"model": request.model, "max_tokens": 1000, "system": system(request),
        "messages": messages(request), "tools": tools(request)});
    let last_place = |list: &Value| list.as_array().map_or(0, |list| list.len() - 1);
    let of_message =
        |at: usize| format!("/messages/{at}/content/{}", last_place(&body["messages"][at]["content"]));
    let newest = || of_message(last_place(&body["messages"]));
    let system = || format!("/system/{}", last_place(&body["system"]));
    let places = match request.marked {
        Marked::Usual => vec![system(), newest()],
        Marked::FirstMessage => vec![of_message(0)],
        Marked::SystemText => vec![system()],
        Marked::Nothing => Vec::new(),
    };
    for place in places {
        if let Some(block) = body.pointer_mut(&place) {
            block["cache_control"] = json!({"type": "ephemeral"});
        }
    }
    for (name, value) in &request.settings {
        body[*name] = value.clone();
    }
    body
}

pub(super) fn system(request: &Request) -> Vec<Value> {
    request.system.iter().map(|text| json!({"type": "text", "text": text})).collect()
}

pub(super) fn tools(request: &Request) -> Vec<Value> {
    let tool = |tool: &Value| json!({"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]});
    request.tools.iter().map(tool).collect()
}

/// Messages of the two sides in turn.
pub(super) fn messages(request: &Request) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    for said in &request.history {
        let (role, block) = block(said);
        match messages.last_mut() {
            Some(last) if last["role"] == role => {
                last["content"].as_array_mut().expect("a list of blocks").push(block);
            }
            _ => messages.push(json!({"role": role, "content": [block]})),
        }
    }
    messages
}

/// The blocks of an answer: thoughts stand before what they led to.
pub(super) fn answer(request: &Request) -> Vec<Value> {
    let (_, said) = block(&request.answer);
    match &request.answer {
        Said::Call { id, .. } => vec![block(&thought_before(id)).1, said],
        _ => vec![said],
    }
}

pub(super) fn block(said: &Said) -> (&'static str, Value) {
    match said {
        Said::User(text) => ("user", json!({"type": "text", "text": text})),
        Said::Picture => ("user", image(PICTURE)),
        Said::OtherPicture => ("user", image(OTHER_PICTURE)),
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

fn image(data: &str) -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}})
}
