//! Logs of requests in OpenAI's two dialects: line by line, by LiteLLM, and as an archive of HTTP.

use serde_json::{Value, json};

use super::{OTHER_PICTURE, PICTURE, iso};
use crate::causes::conversation::{Request, Said};

pub(super) fn chat_lines(requests: &[Request]) -> Vec<Value> {
    let line = |(at, request): (usize, &Request)| json!({"request": chat_body(request), "response": chat_answer(at, request), "timestamp": request.time});
    requests.iter().enumerate().map(line).collect()
}

pub(super) fn litellm_lines(requests: &[Request]) -> Vec<Value> {
    let line = |(at, request): (usize, &Request)| {
        let body = chat_body(request);
        json!({
            "id": at.to_string(), "litellm_call_id": format!("l{at}"), "trace_id": "t", "call_type": "acompletion",
            "custom_llm_provider": "openai", "model": body["model"], "messages": body["messages"],
            "model_parameters": {"tools": body["tools"], "temperature": body["temperature"]},
            "response": chat_answer(at, request), "startTime": request.time, "endTime": request.time + 2.0,
            "status": "success", "metadata": {},
        })
    };
    requests.iter().enumerate().map(line).collect()
}

pub(super) fn archive(requests: &[Request]) -> Value {
    let entry = |(at, request): (usize, &Request)| {
        json!({
            "startedDateTime": iso(request.time), "time": 900,
            "request": {"method": "POST", "url": "https://api.openai.com/v1/chat/completions", "headers": [],
                "postData": {"mimeType": "application/json", "text": chat_body(request).to_string()}},
            "response": {"status": 200, "headers": [],
                "content": {"mimeType": "application/json", "text": chat_answer(at, request).to_string()}},
        })
    };
    let entries: Vec<Value> = requests.iter().enumerate().map(entry).collect();
    json!({"log": {"version": "1.2", "creator": {"name": "proxy", "version": "1"}, "entries": entries}})
}

pub(super) fn chat_body(request: &Request) -> Value {
    let mut messages = vec![json!({"role": "system", "content": request.system.join("\n\n")})];
    messages.extend(request.history.iter().filter_map(|said| {
        Some(match said {
            Said::User(text) => json!({"role": "user", "content": text}),
            Said::Picture => chat_picture(PICTURE),
            Said::OtherPicture => chat_picture(OTHER_PICTURE),
            Said::Thought(_) => return None,
            Said::Answer(_) | Said::Call { .. } => chat_message(said),
            Said::Result { id, text } => json!({"role": "tool", "tool_call_id": id, "content": text}),
        })
    }));
    let tools: Vec<Value> =
        request.tools.iter().map(|tool| json!({"type": "function", "function": tool})).collect();
    let mut body = json!({"model": request.model, "messages": messages, "tools": tools});
    add_settings(&mut body, request);
    body
}

fn chat_answer(at: usize, request: &Request) -> Value {
    json!({"id": format!("chatcmpl-{at}"), "object": "chat.completion", "model": request.model,
        "choices": [{"index": 0, "finish_reason": "stop", "message": chat_message(&request.answer)}]})
}

pub(super) fn chat_message(said: &Said) -> Value {
    match said {
        Said::Call { id, args } => json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "search", "arguments": args.to_string()}}]}),
        Said::Answer(text) => json!({"role": "assistant", "content": text}),
        other => panic!("{other:?} is not the model's"),
    }
}

pub(super) fn responses_lines(requests: &[Request]) -> Vec<Value> {
    let line = |(at, request): (usize, &Request)| {
        json!({
            "request": {"method": "POST", "url": "https://api.openai.com/v1/responses", "body": responses_body(request)},
            "response": {"status": 200, "body": {"id": format!("resp_{at}"), "object": "response",
                "status": "completed", "model": request.model, "output": [item(&request.answer)]}},
            "timestamp": request.time,
        })
    };
    requests.iter().enumerate().map(line).collect()
}

fn responses_body(request: &Request) -> Value {
    let input: Vec<Value> =
        request.history.iter().filter(|said| !matches!(said, Said::Thought(_))).map(item).collect();
    let tools = request.tools.iter().map(|tool| {
        json!({"type": "function", "name": tool["name"], "description": tool["description"],
            "parameters": tool["parameters"]})
    });
    let tools: Vec<Value> = tools.collect();
    let mut body = json!({"model": request.model, "instructions": request.system.join("\n\n"), "input": input,
        "tools": tools, "store": false});
    add_settings(&mut body, request);
    body
}

/// An item of input or of output.
pub(super) fn item(said: &Said) -> Value {
    match said {
        Said::User(text) => {
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
        }
        Said::Picture => item_picture(PICTURE),
        Said::OtherPicture => item_picture(OTHER_PICTURE),
        Said::Answer(text) => {
            json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})
        }
        Said::Call { id, args } => {
            json!({"type": "function_call", "call_id": id, "name": "search", "arguments": args.to_string()})
        }
        Said::Result { id, text } => json!({"type": "function_call_output", "call_id": id, "output": text}),
        Said::Thought(_) => panic!("thoughts are sealed"),
    }
}

fn chat_picture(data: &str) -> Value {
    json!({"role": "user", "content": [{"type": "image_url", "image_url": {"url": picture_url(data)}}]})
}

fn item_picture(data: &str) -> Value {
    let image = json!({"type": "input_image", "image_url": picture_url(data)});
    json!({"type": "message", "role": "user", "content": [image]})
}

fn picture_url(data: &str) -> String {
    format!("data:image/png;base64,{data}")
}

/// The same for all calls; what is left to the model to choose is not said.
fn add_settings(body: &mut Value, request: &Request) {
    for (name, value) in request.settings.iter().filter(|(name, _)| *name != "tool_choice") {
        body[*name] = value.clone();
    }
}
