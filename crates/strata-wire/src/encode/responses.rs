//! OpenAI's responses.

use strata_model::{Json, LlmRequest, Object, RequestTool};

use super::body::{BodyOptions, answer_schema, arguments, functions, object, push_settings, tool_choice};
use super::settings::RESPONSES;
use super::turns::{CallIds, data_url, other_text};

pub(super) fn encode(model: &str, request: &LlmRequest, options: BodyOptions) -> Json {
    let mut body = Object::new();
    body.push("model", model);
    if let Some(system) = request.system_instruction.as_ref().filter(|text| !text.is_empty()) {
        body.push("instructions", system.to_text());
    }
    body.push("input", input(request));
    let tools = tools(request);
    if !tools.is_empty() {
        body.push("tools", tools);
        body.push_some("tool_choice", tool_choice(request));
    }
    push_settings(&mut body, request, RESPONSES);
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

/// Functions, and behind them the namespaces with theirs.
fn tools(request: &LlmRequest) -> Vec<Json> {
    let mut tools = Vec::new();
    let mut spaces: Vec<(&str, Object, Vec<Json>)> = Vec::new();
    for tool in request.tools.iter() {
        if let RequestTool::BuiltIn { json: Json::Object(said), .. } = tool
            && let Some(namespace) = tool.namespace()
        {
            spaces.push((namespace, said.clone(), Vec::new()));
        }
    }
    for (name, description, schema) in functions(request) {
        let split = request.split_tool_name(name);
        let mut tool = Object::new();
        tool.push("type", "function");
        tool.push("name", split.map_or(name, |(_, own)| own));
        tool.push_some("description", description.cloned());
        tool.push("parameters", schema);
        let space = spaces.iter_mut().find(|(of, ..)| split.is_some_and(|(namespace, _)| namespace == *of));
        space.map_or(&mut tools, |(_, _, own)| own).push(Json::Object(tool));
    }
    // A namespace without a tool is refused.
    for (_, mut said, own) in spaces.into_iter().filter(|(_, _, own)| !own.is_empty()) {
        said.push("tools", own);
        tools.push(Json::Object(said));
    }
    tools
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
                let split = request.split_tool_name(name);
                let mut item = Object::new();
                item.push("type", "function_call");
                item.push("call_id", ids.of_call(call.id.as_deref(), name));
                item.push("name", split.map_or(name, |(_, own)| own));
                item.push_some("namespace", split.map(|(namespace, _)| namespace));
                item.push("arguments", arguments(call.args.as_deref()));
                calls.push(Json::Object(item));
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
