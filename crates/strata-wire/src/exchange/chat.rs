//! OpenAI's chat completions.

use std::sync::Arc;

use strata_model::{
    Content, FunctionCall, FunctionResponse, Json, LlmRequest, Object, Part, RequestContent, RichText, Usage,
};

use super::BodyOptions;
use super::answer::{Collected, Delta, Finish};
use super::body::{
    BodyError, Settings, add_function, answer_schema, arguments, functions, list, object, origin,
    parsed_arguments, parsed_result, push_settings, read_settings, text,
};
use super::turns::{CallIds, data_url, other_text};

const SETTINGS: Settings = &[
    ("temperature", "temperature"),
    ("topP", "top_p"),
    ("maxOutputTokens", "max_tokens"),
    ("stopSequences", "stop"),
    ("seed", "seed"),
    ("presencePenalty", "presence_penalty"),
    ("frequencyPenalty", "frequency_penalty"),
];

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
    push_settings(&mut body, request, SETTINGS);
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

/// `auto`, `required`, `none`, or one function.
pub(super) fn tool_choice(request: &LlmRequest) -> Option<Json> {
    let config = request.config_field("toolConfig")?.get("functionCallingConfig")?;
    match config.get("mode")?.as_str()? {
        "ANY" => Some("required".into()),
        "NONE" => Some("none".into()),
        _ => Some("auto".into()),
    }
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

pub(super) fn decode(body: &Json) -> Result<LlmRequest, BodyError> {
    let mut request = LlmRequest { model: Some(text(body.get("model")).into()), ..LlmRequest::default() };
    let mut names: Vec<(String, String)> = Vec::new();
    let mut responses: Vec<Part> = Vec::new();
    let messages = list(body.get("messages"), "messages")?;
    for (at, message) in messages.iter().enumerate() {
        let role = text(message.get("role"));
        if role != "tool" && !responses.is_empty() {
            push(&mut request, "user", std::mem::take(&mut responses));
        }
        match role {
            "system" | "developer" => {
                let said = texts(message.get("content")).concat();
                request.append_system(RichText::from_span(said, origin()));
            }
            "user" => {
                let said = texts(message.get("content"));
                push(&mut request, "user", said.into_iter().map(Part::from_text).collect());
            }
            "assistant" => {
                let mut parts: Vec<Part> =
                    texts(message.get("content")).into_iter().map(Part::from_text).collect();
                for call in message.get("tool_calls").and_then(Json::as_array).unwrap_or_default() {
                    let function = call.get("function");
                    let name = text(function.and_then(|function| function.get("name")));
                    let args = text(function.and_then(|function| function.get("arguments")));
                    names.push((text(call.get("id")).to_owned(), name.to_owned()));
                    parts.push(call_part(text(call.get("id")), name, parsed_arguments(args)));
                }
                push(&mut request, "model", parts);
            }
            "tool" => {
                let id = text(message.get("tool_call_id"));
                let result = parsed_result(&texts(message.get("content")).concat());
                responses.push(response_part(id, &names, result));
            }
            other => {
                return Err(BodyError::new(format!("messages[{at}].role"), format!("`{other}` is unknown")));
            }
        }
    }
    if !responses.is_empty() {
        push(&mut request, "user", responses);
    }
    for tool in body.get("tools").and_then(Json::as_array).unwrap_or_default() {
        let Some(function) = tool.get("function") else { continue };
        add_function(
            &mut request,
            text(function.get("name")),
            function.get("description"),
            function.get("parameters"),
        );
    }
    read_settings(&mut request, body, SETTINGS);
    if let Some(schema) =
        body.get("response_format").and_then(|format| format.get("json_schema")?.get("schema"))
    {
        request.set_config("responseJsonSchema", schema.clone(), origin());
    }
    Ok(request)
}

pub(super) fn push(request: &mut LlmRequest, role: &str, parts: Vec<Part>) {
    let content = Content::new(role, parts);
    request.contents.push(Arc::new(RequestContent::from_content(&content, |_| origin())));
}

pub(super) fn call_part(id: &str, name: &str, args: Object) -> Part {
    Part::from_call(FunctionCall {
        id: Some(id.into()),
        name: Some(name.into()),
        args: Some(args.into()),
        ..FunctionCall::default()
    })
}

pub(super) fn response_part(id: &str, names: &[(String, String)], response: Object) -> Part {
    let name = names.iter().rev().find(|(known, _)| known == id).map(|(_, name)| name.as_str());
    Part::from_response(FunctionResponse {
        id: Some(id.into()),
        name: Some(name.unwrap_or_default().into()),
        response: Some(response.into()),
        ..FunctionResponse::default()
    })
}

/// A text, or the texts of a list of pieces.
pub(super) fn texts(content: Option<&Json>) -> Vec<String> {
    match content {
        Some(Json::String(text)) => vec![text.to_string()],
        Some(Json::Array(pieces)) => {
            pieces.iter().filter_map(|piece| piece.get("text")?.as_str()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Takes in a piece of a streamed answer, or a whole one.
pub(super) fn read(collected: &mut Collected, piece: &Json) -> Vec<Delta> {
    let mut deltas = Vec::new();
    collected.name_model(piece.get("model"));
    if let Some(usage) = piece.get("usage").filter(|usage| !usage.is_null()) {
        collected.usage = Some(usage_of(usage));
    }
    let Some(choice) = piece.get("choices").and_then(Json::as_array).and_then(<[Json]>::first) else {
        return deltas;
    };
    if let Some(said) = choice.get("delta").or_else(|| choice.get("message")) {
        let thought = said.get("reasoning_content").or_else(|| said.get("reasoning")).and_then(Json::as_str);
        deltas.extend(collected.thought(thought.unwrap_or_default()));
        for piece in texts(said.get("content")) {
            deltas.extend(collected.text(&piece));
        }
        if let Some(refusal) = said.get("refusal").and_then(Json::as_str).filter(|text| !text.is_empty()) {
            collected.refuse(refusal);
        }
        let calls = said.get("tool_calls").and_then(Json::as_array).unwrap_or_default();
        for (at, call) in calls.iter().enumerate() {
            let place = call.get("index").and_then(Json::as_i64).unwrap_or(at as i64);
            let function = call.get("function");
            let member = |name: &str| function.and_then(|function| function.get(name)?.as_str());
            deltas.extend(collected.call(
                &place.to_string(),
                call.get("id").and_then(Json::as_str),
                member("name"),
                member("arguments").unwrap_or_default(),
            ));
        }
    }
    if let Some(reason) = choice.get("finish_reason").and_then(Json::as_str) {
        collected.finish(match reason {
            "stop" => Finish::Stop,
            "length" => Finish::Length,
            "tool_calls" | "function_call" => Finish::ToolCalls,
            "content_filter" => Finish::Filtered("content_filter".to_owned()),
            other => Finish::Other(other.to_owned()),
        });
    }
    deltas
}

fn usage_of(usage: &Json) -> Usage {
    let count =
        |value: Option<&Json>| value.and_then(Json::as_i64).and_then(|count| u64::try_from(count).ok());
    let within = |outer: &str, inner: &str| count(usage.get(outer).and_then(|details| details.get(inner)));
    let thoughts = within("completion_tokens_details", "reasoning_tokens");
    let completion = count(usage.get("completion_tokens"));
    Usage {
        prompt_token_count: count(usage.get("prompt_tokens")),
        cached_content_token_count: within("prompt_tokens_details", "cached_tokens")
            .or_else(|| count(usage.get("prompt_cache_hit_tokens"))),
        candidates_token_count: completion.map(|all| all.saturating_sub(thoughts.unwrap_or(0))),
        thoughts_token_count: thoughts.filter(|tokens| *tokens > 0),
        total_token_count: count(usage.get("total_tokens")),
        ..Usage::default()
    }
}
