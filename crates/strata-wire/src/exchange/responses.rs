//! OpenAI's responses.

use strata_model::{Json, LlmRequest, Object, Part, RichText, Usage};

use super::BodyOptions;
use super::answer::{Collected, Delta, Finish};
use super::body::{
    BodyError, Settings, add_function, answer_schema, arguments, functions, list, object, origin,
    parsed_arguments, parsed_result, push_settings, read_settings, text,
};
use super::chat::{call_part, push, response_part, texts, tool_choice};
use super::turns::{CallIds, data_url, other_text};

const SETTINGS: Settings =
    &[("temperature", "temperature"), ("topP", "top_p"), ("maxOutputTokens", "max_output_tokens")];

pub(super) fn encode(model: &str, request: &LlmRequest, options: BodyOptions) -> Json {
    let mut body = Object::new();
    body.push("model", model);
    if let Some(system) = request.system_instruction.as_ref().filter(|text| !text.is_empty()) {
        body.push("instructions", system.to_text());
    }
    body.push("input", input(request));
    let tools: Vec<Json> = functions(request)
        .map(|(name, description, schema)| {
            let mut tool = Object::new();
            tool.push("type", "function");
            tool.push("name", name);
            tool.push_some("description", description.cloned());
            tool.push("parameters", schema);
            Json::Object(tool)
        })
        .collect();
    if !tools.is_empty() {
        body.push("tools", tools);
        body.push_some("tool_choice", tool_choice(request));
    }
    push_settings(&mut body, request, SETTINGS);
    if !body.contains_key("max_output_tokens") {
        body.push_some("max_output_tokens", options.max_output_tokens.map(i64::from));
    }
    if let Some(schema) = answer_schema(request) {
        let format = object([("type", "json_schema".into()), ("name", "answer".into()), ("schema", schema)]);
        body.push("text", object([("format", format)]));
    }
    // Nothing of a session is left with the provider.
    body.push("store", false);
    if options.is_streamed {
        body.push("stream", true);
    }
    Json::Object(body)
}

fn input(request: &LlmRequest) -> Vec<Json> {
    let mut items = Vec::new();
    let mut ids = CallIds::default();
    for content in request.contents.iter() {
        let is_model = content.role.as_deref() == Some("model");
        let mut said: Vec<Json> = Vec::new();
        let mut calls: Vec<Json> = Vec::new();
        for part in content.parts.iter().map(|part| &*part.part).filter(|part| !part.is_thought()) {
            if let Some(text) = part.text.clone().or_else(|| other_text(part).map(Into::into)) {
                let kind = if is_model { "output_text" } else { "input_text" };
                said.push(object([("type", kind.into()), ("text", text.into())]));
            } else if let Some(url) = data_url(part) {
                said.push(object([("type", "input_image".into()), ("image_url", url.into())]));
            }
            if let Some(call) = &part.function_call {
                let name = call.name.as_deref().unwrap_or_default();
                calls.push(object([
                    ("type", "function_call".into()),
                    ("call_id", ids.of_call(call.id.as_deref(), name).into()),
                    ("name", name.into()),
                    ("arguments", arguments(call.args.as_deref()).into()),
                ]));
            }
            if let Some(response) = &part.function_response {
                let id = ids.of_result(response.id.as_deref(), response.name.as_deref().unwrap_or_default());
                calls.push(object([
                    ("type", "function_call_output".into()),
                    ("call_id", id.into()),
                    ("output", arguments(response.response.as_deref()).into()),
                ]));
            }
        }
        if !said.is_empty() || calls.is_empty() {
            let role = if is_model { "assistant" } else { "user" };
            items.push(object([("type", "message".into()), ("role", role.into()), ("content", said.into())]));
        }
        items.extend(calls);
    }
    items
}

pub(super) fn decode(body: &Json) -> Result<LlmRequest, BodyError> {
    let mut request = LlmRequest { model: Some(text(body.get("model")).into()), ..LlmRequest::default() };
    if let Some(instructions) = body.get("instructions").and_then(Json::as_str) {
        request.append_system(RichText::from_span(instructions, origin()));
    }
    let mut names: Vec<(String, String)> = Vec::new();
    // Who speaks, and what; items of one turn follow each other.
    let mut turn: (&str, Vec<Part>) = ("", Vec::new());
    if let Some(only) = body.get("input").and_then(Json::as_str) {
        push(&mut request, "user", vec![Part::from_text(only)]);
    } else {
        for (at, item) in list(body.get("input"), "input")?.iter().enumerate() {
            let kind = text(item.get("type"));
            let (role, parts) = match kind {
                "message" | "" => {
                    let role = if text(item.get("role")) == "assistant" { "model" } else { "user" };
                    (role, texts(item.get("content")).into_iter().map(Part::from_text).collect())
                }
                "function_call" => {
                    let (id, name) = (text(item.get("call_id")), text(item.get("name")));
                    names.push((id.to_owned(), name.to_owned()));
                    ("model", vec![call_part(id, name, parsed_arguments(text(item.get("arguments"))))])
                }
                "function_call_output" => {
                    let result = parsed_result(text(item.get("output")));
                    ("user", vec![response_part(text(item.get("call_id")), &names, result)])
                }
                "reasoning" | "item_reference" => continue,
                other => {
                    return Err(BodyError::new(format!("input[{at}].type"), format!("`{other}` is unknown")));
                }
            };
            let is_message = matches!(kind, "message" | "");
            // A message begins a turn; calls and results join the turn of the same speaker before them.
            if (is_message || role != turn.0) && !turn.0.is_empty() {
                push(&mut request, turn.0, std::mem::take(&mut turn.1));
            }
            turn.0 = role;
            turn.1.extend(parts);
        }
        if !turn.0.is_empty() {
            push(&mut request, turn.0, turn.1);
        }
    }
    for tool in body.get("tools").and_then(Json::as_array).unwrap_or_default() {
        add_function(&mut request, text(tool.get("name")), tool.get("description"), tool.get("parameters"));
    }
    read_settings(&mut request, body, SETTINGS);
    if let Some(schema) = body.get("text").and_then(|text| text.get("format")?.get("schema")) {
        request.set_config("responseJsonSchema", schema.clone(), origin());
    }
    Ok(request)
}

/// Takes in an event of a streamed answer, or a whole one.
pub(super) fn read(collected: &mut Collected, event: &Json) -> Vec<Delta> {
    let delta = text(event.get("delta"));
    match text(event.get("type")) {
        "response.output_text.delta" => collected.text(delta).into_iter().collect(),
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
            collected.thought(delta).into_iter().collect()
        }
        "response.refusal.delta" => {
            collected.refuse(delta);
            Vec::new()
        }
        "response.output_item.added" => begin_call(collected, event.get("item")),
        "response.function_call_arguments.delta" => {
            collected.call(text(event.get("item_id")), None, None, delta)
        }
        "response.created" | "response.in_progress" => {
            collected.name_model(event.get("response").and_then(|response| response.get("model")));
            Vec::new()
        }
        "response.completed" | "response.incomplete" | "response.failed" => {
            event.get("response").map_or_else(Vec::new, |response| end(collected, response, false))
        }
        "" if event.get("output").is_some() => end(collected, event, true),
        _ => Vec::new(),
    }
}

fn begin_call(collected: &mut Collected, item: Option<&Json>) -> Vec<Delta> {
    let Some(item) = item.filter(|item| text(item.get("type")) == "function_call") else { return Vec::new() };
    let member = |key: &str| item.get(key).and_then(Json::as_str);
    collected.call(
        text(item.get("id")),
        member("call_id"),
        member("name"),
        member("arguments").unwrap_or_default(),
    )
}

fn end(collected: &mut Collected, response: &Json, is_whole: bool) -> Vec<Delta> {
    let mut deltas = Vec::new();
    collected.name_model(response.get("model"));
    let output = response.get("output").and_then(Json::as_array).unwrap_or_default();
    let has_calls = output.iter().any(|item| text(item.get("type")) == "function_call");
    if is_whole {
        for item in output {
            deltas.extend(begin_call(collected, Some(item)));
            for piece in texts(item.get("content")) {
                deltas.extend(collected.text(&piece));
            }
            let pieces = item.get("content").and_then(Json::as_array).unwrap_or_default();
            for piece in pieces {
                collected.refuse(text(piece.get("refusal")));
            }
        }
    }
    if let Some(usage) = response.get("usage").filter(|usage| !usage.is_null()) {
        collected.usage = Some(usage_of(usage));
    }
    let reason = response.get("incomplete_details").map_or("", |details| text(details.get("reason")));
    collected.finish(match (text(response.get("status")), reason) {
        ("incomplete", "max_output_tokens") => Finish::Length,
        ("incomplete", "content_filter") => Finish::Filtered("content_filter".to_owned()),
        ("incomplete" | "failed" | "cancelled", reason) => Finish::Other(reason.to_owned()),
        _ if has_calls => Finish::ToolCalls,
        _ => Finish::Stop,
    });
    deltas
}

fn usage_of(usage: &Json) -> Usage {
    let count =
        |value: Option<&Json>| value.and_then(Json::as_i64).and_then(|count| u64::try_from(count).ok());
    let within = |outer: &str, inner: &str| count(usage.get(outer).and_then(|details| details.get(inner)));
    let thoughts = within("output_tokens_details", "reasoning_tokens");
    Usage {
        prompt_token_count: count(usage.get("input_tokens")),
        cached_content_token_count: within("input_tokens_details", "cached_tokens"),
        candidates_token_count: count(usage.get("output_tokens"))
            .map(|all| all.saturating_sub(thoughts.unwrap_or(0))),
        thoughts_token_count: thoughts.filter(|tokens| *tokens > 0),
        total_token_count: count(usage.get("total_tokens")),
        ..Usage::default()
    }
}
