//! OpenAI's chat completions.

use std::sync::Arc;

use strata_model::{Json, LlmRequest, Object, Part};

use super::body::{BodyOptions, answer_schema, arguments, functions, object, push_settings, tool_choice};
use super::settings::CHAT;
use super::turns::{CallIds, data_url, other_text};

pub(super) fn encode(model: &str, request: &LlmRequest, options: BodyOptions) -> Json {
    let mut body = Object::new();
    body.push("model", model);
    body.push("messages", messages(request));
    let tools: Vec<Json> = functions(request)
        .map(|(name, description, schema)| {
            let mut function = Object::new();
            function.push("name", name);
            function.push_some("description", description.cloned());
            function.push("parameters", schema);
            object([("type", "function".into()), ("function", function.into())])
        })
        .collect();
    if !tools.is_empty() {
        body.push("tools", tools);
        body.push_some("tool_choice", tool_choice(request));
    }
    push_settings(&mut body, request, CHAT);
    if !body.contains_key("max_tokens") {
        body.push_some("max_tokens", options.max_output_tokens.map(i64::from));
    }
    if let Some(schema) = answer_schema(request) {
        let format = object([("name", "answer".into()), ("schema", schema)]);
        body.push("response_format", object([("type", "json_schema".into()), ("json_schema", format)]));
    }
    if options.is_streamed {
        body.push("stream", true);
        body.push("stream_options", object([("include_usage", true.into())]));
    }
    Json::Object(body)
}

fn messages(request: &LlmRequest) -> Vec<Json> {
    let mut messages = Vec::new();
    if let Some(system) = request.system_instruction.as_ref().filter(|text| !text.is_empty()) {
        messages.push(message("system", system.to_text()));
    }
    let mut ids = CallIds::default();
    for content in request.contents.iter() {
        let parts = || content.parts.iter().map(|part| &*part.part);
        if content.role.as_deref() == Some("model") {
            messages.push(assistant(parts(), &mut ids));
            continue;
        }
        for response in parts().filter_map(|part| part.function_response.as_deref()) {
            let id = ids.of_result(response.id.as_deref(), response.name.as_deref().unwrap_or_default());
            messages.push(object([
                ("role", "tool".into()),
                ("tool_call_id", id.into()),
                ("content", arguments(response.response.as_deref()).into()),
            ]));
        }
        messages.extend(user(parts().filter(|part| part.function_response.is_none())));
    }
    messages
}

fn message(role: &str, content: impl Into<Json>) -> Json {
    object([("role", role.into()), ("content", content.into())])
}

fn user<'p>(parts: impl Iterator<Item = &'p Part>) -> Option<Json> {
    let items: Vec<Json> = parts
        .filter_map(|part| {
            if let Some(text) = part.text.clone().or_else(|| other_text(part).map(Into::into)) {
                return Some(object([("type", "text".into()), ("text", text.into())]));
            }
            let url = object([("url", data_url(part)?.into())]);
            Some(object([("type", "image_url".into()), ("image_url", url)]))
        })
        .collect();
    match &items[..] {
        [] => None,
        // Many servers take nothing but text here.
        [only] if only.get("text").is_some() => Some(message("user", only.get("text")?.clone())),
        _ => Some(message("user", items)),
    }
}

fn assistant<'p>(parts: impl Iterator<Item = &'p Part>, ids: &mut CallIds) -> Json {
    let mut said: Vec<Arc<str>> = Vec::new();
    let mut calls = Vec::new();
    for part in parts.filter(|part| !part.is_thought()) {
        if let Some(text) = part.text.clone().or_else(|| other_text(part).map(Into::into)) {
            said.push(text);
        }
        if let Some(call) = &part.function_call {
            let name = call.name.as_deref().unwrap_or_default();
            let function =
                object([("name", name.into()), ("arguments", arguments(call.args.as_deref()).into())]);
            calls.push(object([
                ("id", ids.of_call(call.id.as_deref(), name).into()),
                ("type", "function".into()),
                ("function", function),
            ]));
        }
    }
    let mut message = Object::new();
    message.push("role", "assistant");
    match &said[..] {
        [] => message.push("content", if calls.is_empty() { Json::from("") } else { Json::Null }),
        [only] => message.push("content", only.clone()),
        _ => message.push("content", said.concat()),
    }
    if !calls.is_empty() {
        message.push("tool_calls", calls);
    }
    Json::Object(message)
}
