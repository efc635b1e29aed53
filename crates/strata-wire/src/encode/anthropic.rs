//! Anthropic's messages.

use strata_model::{Json, LlmRequest, Object, Part};

use super::body::{BodyOptions, arguments, functions, object, push_settings, tool_choice};
use super::settings::ANTHROPIC;
use super::turns::{CallIds, other_text, standard};

/// The provider wants a limit; where nobody set one, there is room for a long answer.
const MAX_TOKENS: u32 = 8192;

pub(super) fn encode(model: &str, request: &LlmRequest, options: BodyOptions) -> Json {
    let mut body = Object::new();
    body.push("model", model);
    push_settings(&mut body, request, ANTHROPIC);
    if !body.contains_key("max_tokens") {
        body.push("max_tokens", i64::from(options.max_output_tokens.unwrap_or(MAX_TOKENS)));
    }
    if let Some(system) = request.system_instruction.as_ref().filter(|text| !text.is_empty()) {
        body.push("system", system.to_text());
    }
    let tools: Vec<Json> = functions(request)
        .map(|(name, description, schema)| {
            let mut tool = Object::new();
            tool.push("name", name);
            tool.push_some("description", description.cloned());
            tool.push("input_schema", schema);
            Json::Object(tool)
        })
        .collect();
    if !tools.is_empty() {
        body.push("tools", tools);
        let choice = tool_choice(request);
        let choice = choice.map(|choice| match choice.as_str() {
            Some("required") => "any".to_owned(),
            other => other.unwrap_or("auto").to_owned(),
        });
        body.push_some("tool_choice", choice.map(|kind| object([("type", kind.into())])));
    }
    body.push("messages", messages(request));
    if options.is_streamed {
        body.push("stream", true);
    }
    Json::Object(body)
}

fn messages(request: &LlmRequest) -> Vec<Json> {
    let mut ids = CallIds::default();
    let contents = request.contents.iter().map(|content| {
        let is_model = content.role.as_deref() == Some("model");
        let blocks: Vec<Json> = content.parts.iter().filter_map(|part| block(&part.part, &mut ids)).collect();
        let role = if is_model { "assistant" } else { "user" };
        object([("role", role.into()), ("content", blocks.into())])
    });
    contents
        .filter(|message| message.get("content").and_then(Json::as_array).is_some_and(|all| !all.is_empty()))
        .collect()
}

fn block(part: &Part, ids: &mut CallIds) -> Option<Json> {
    if let Some(call) = &part.function_call {
        let name = call.name.as_deref().unwrap_or_default();
        let input = call.args.as_deref().cloned().unwrap_or_default();
        return Some(object([
            ("type", "tool_use".into()),
            ("id", ids.of_call(call.id.as_deref(), name).into()),
            ("name", name.into()),
            ("input", input.into()),
        ]));
    }
    if let Some(response) = &part.function_response {
        let id = ids.of_result(response.id.as_deref(), response.name.as_deref().unwrap_or_default());
        return Some(object([
            ("type", "tool_result".into()),
            ("tool_use_id", id.into()),
            ("content", arguments(response.response.as_deref()).into()),
        ]));
    }
    if part.is_thought() {
        // A thought without its seal is not taken back.
        let signature = standard(part.thought_signature.as_ref()?);
        return Some(object([
            ("type", "thinking".into()),
            ("thinking", part.text.clone()?.into()),
            ("signature", signature.into()),
        ]));
    }
    if let Some(blob) = &part.inline_data {
        let source = object([
            ("type", "base64".into()),
            (
                "media_type",
                blob.mime_type.clone().unwrap_or_else(|| "application/octet-stream".into()).into(),
            ),
            ("data", standard(blob.data.as_ref()?).into()),
        ]);
        let is_picture = blob.mime_type.as_deref().is_some_and(|kind| kind.starts_with("image/"));
        let kind = if is_picture { "image" } else { "document" };
        return Some(object([("type", kind.into()), ("source", source)]));
    }
    // Empty texts are refused.
    let said =
        part.text.clone().or_else(|| other_text(part).map(Into::into)).filter(|text| !text.is_empty())?;
    Some(object([("type", "text".into()), ("text", said.into())]))
}
