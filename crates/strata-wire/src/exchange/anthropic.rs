//! Anthropic's messages.

use strata_model::{Base64, Json, LlmRequest, Object, Part, RichText, json};

use super::BodyOptions;
use super::answer::{Collected, Delta, Finish};
use super::body::{
    BodyError, Settings, add_function, arguments, functions, list, object, origin, parsed_result,
    push_settings, read_settings, text,
};
use super::chat::{call_part, push, response_part, texts};
use super::turns::{CallIds, other_text, standard};

const SETTINGS: Settings = &[
    ("maxOutputTokens", "max_tokens"),
    ("temperature", "temperature"),
    ("topP", "top_p"),
    ("topK", "top_k"),
    ("stopSequences", "stop_sequences"),
];

/// The provider wants a limit; where nobody set one, there is room for a long answer.
const MAX_TOKENS: u32 = 8192;

pub(super) fn encode(model: &str, request: &LlmRequest, options: BodyOptions) -> Json {
    let mut body = Object::new();
    body.push("model", model);
    push_settings(&mut body, request, SETTINGS);
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
        let choice = super::chat::tool_choice(request);
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

pub(super) fn decode(body: &Json) -> Result<LlmRequest, BodyError> {
    let mut request = LlmRequest { model: Some(text(body.get("model")).into()), ..LlmRequest::default() };
    for said in texts(body.get("system")) {
        request.append_system(RichText::from_span(said, origin()));
    }
    let mut names: Vec<(String, String)> = Vec::new();
    for (at, message) in list(body.get("messages"), "messages")?.iter().enumerate() {
        let role = match text(message.get("role")) {
            "assistant" => "model",
            "user" => "user",
            other => {
                return Err(BodyError::new(format!("messages[{at}].role"), format!("`{other}` is unknown")));
            }
        };
        let content = message.get("content");
        let parts = match content.and_then(Json::as_array) {
            Some(blocks) => blocks.iter().filter_map(|block| part(block, &mut names)).collect(),
            None => texts(content).into_iter().map(Part::from_text).collect(),
        };
        push(&mut request, role, parts);
    }
    for tool in body.get("tools").and_then(Json::as_array).unwrap_or_default() {
        add_function(&mut request, text(tool.get("name")), tool.get("description"), tool.get("input_schema"));
    }
    read_settings(&mut request, body, SETTINGS);
    Ok(request)
}

fn part(block: &Json, names: &mut Vec<(String, String)>) -> Option<Part> {
    match text(block.get("type")) {
        "text" => Some(Part::from_text(text(block.get("text")))),
        "thinking" => Some(Part {
            thought: Some(true),
            thought_signature: block.get("signature").and_then(Json::as_str).map(Base64::new),
            ..Part::from_text(text(block.get("thinking")))
        }),
        "tool_use" => {
            let (id, name) = (text(block.get("id")), text(block.get("name")));
            names.push((id.to_owned(), name.to_owned()));
            Some(call_part(
                id,
                name,
                block.get("input").and_then(Json::as_object).cloned().unwrap_or_default(),
            ))
        }
        "tool_result" => {
            let result = parsed_result(&texts(block.get("content")).concat());
            Some(response_part(text(block.get("tool_use_id")), names, result))
        }
        _ => None,
    }
}

/// Takes in an event of a streamed answer, or a whole one.
pub(super) fn read(collected: &mut Collected, event: &Json) -> Vec<Delta> {
    let place = || event.get("index").and_then(Json::as_i64).unwrap_or(0).to_string();
    match text(event.get("type")) {
        "message_start" => {
            let message = event.get("message");
            collected.name_model(message.and_then(|message| message.get("model")));
            add_usage(collected, message.and_then(|message| message.get("usage")));
            Vec::new()
        }
        "content_block_start" => begin_block(collected, &place(), event.get("content_block"), false),
        "content_block_delta" => {
            let Some(delta) = event.get("delta") else { return Vec::new() };
            match text(delta.get("type")) {
                "text_delta" => collected.text(text(delta.get("text"))).into_iter().collect(),
                "thinking_delta" => collected.thought(text(delta.get("thinking"))).into_iter().collect(),
                "signature_delta" => {
                    collected.signature(text(delta.get("signature")));
                    Vec::new()
                }
                "input_json_delta" => collected.call(&place(), None, None, text(delta.get("partial_json"))),
                _ => Vec::new(),
            }
        }
        "message_delta" => {
            add_usage(collected, event.get("usage"));
            end(collected, event.get("delta").and_then(|delta| delta.get("stop_reason")));
            Vec::new()
        }
        "message" => {
            collected.name_model(event.get("model"));
            add_usage(collected, event.get("usage"));
            let mut deltas = Vec::new();
            let blocks = event.get("content").and_then(Json::as_array).unwrap_or_default();
            for (at, block) in blocks.iter().enumerate() {
                deltas.extend(begin_block(collected, &at.to_string(), Some(block), true));
            }
            end(collected, event.get("stop_reason"));
            deltas
        }
        _ => Vec::new(),
    }
}

fn begin_block(collected: &mut Collected, place: &str, block: Option<&Json>, is_whole: bool) -> Vec<Delta> {
    let Some(block) = block else { return Vec::new() };
    match text(block.get("type")) {
        "text" => collected.text(text(block.get("text"))).into_iter().collect(),
        "thinking" => {
            let deltas = collected.thought(text(block.get("thinking"))).into_iter().collect();
            let seal = text(block.get("signature"));
            if !seal.is_empty() {
                collected.signature(seal);
            }
            deltas
        }
        "tool_use" => {
            let input =
                block.get("input").and_then(Json::as_object).filter(|input| is_whole && !input.is_empty());
            let input = input.map(json::object_to_compact).unwrap_or_default();
            let member = |key: &str| block.get(key).and_then(Json::as_str);
            collected.call(place, member("id"), member("name"), &input)
        }
        _ => Vec::new(),
    }
}

fn end(collected: &mut Collected, reason: Option<&Json>) {
    let Some(reason) = reason.and_then(Json::as_str) else { return };
    if reason == "refusal" {
        collected.refuse("The model refused to answer.");
    }
    collected.finish(match reason {
        "end_turn" | "stop_sequence" => Finish::Stop,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "tool_use" => Finish::ToolCalls,
        other => Finish::Other(other.to_owned()),
    });
}

/// Counts come at the beginning and again at the end; input leaves out what was in the cache.
fn add_usage(collected: &mut Collected, usage: Option<&Json>) {
    let Some(usage) = usage.filter(|usage| !usage.is_null()) else { return };
    let count = |key: &str| usage.get(key).and_then(Json::as_i64).and_then(|count| u64::try_from(count).ok());
    let known = collected.usage.get_or_insert_default();
    if let Some(fresh) = count("input_tokens") {
        let read = count("cache_read_input_tokens").unwrap_or(0);
        known.prompt_token_count = Some(fresh + read + count("cache_creation_input_tokens").unwrap_or(0));
        known.cached_content_token_count = count("cache_read_input_tokens");
    }
    if let Some(output) = count("output_tokens") {
        known.candidates_token_count = Some(output);
    }
    known.total_token_count = known.prompt_token_count.zip(known.candidates_token_count).map(|(a, b)| a + b);
}
